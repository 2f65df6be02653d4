"""Lets links to files beside the pages lead somewhere in a clone and on the site."""

import re

from sphinx.application import Sphinx

OUTSIDE = re.compile(r"\[([^][]+)\]\(\.\./[^)]+\)")


def read_for_the_site(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Lead links to notebooks to their copies inside the pages, and make other files, which have none, plain names."""
    inside = source[0].replace("](../notebooks/", "](notebooks/")
    source[0] = OUTSIDE.sub(r"`\1`", inside)


def setup(app: Sphinx) -> dict[str, bool]:
    """Change the pages as they are read."""
    app.connect("source-read", read_for_the_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
