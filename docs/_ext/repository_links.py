"""Lets links to files beside the pages lead somewhere in a clone and on the site."""

import re

from sphinx.application import Sphinx

SCRIPT = re.compile(r"\]\(((?:\.\./)?gallery/\w+)\.py\)")
LINK_UP = re.compile(r"\[([^][]+)\]\(((?:\.\./)+)[^)]+\)")


def read_for_the_site(_app: Sphinx, page: str, source: list[str]) -> None:
    """Lead links between pages and notebooks to where both stand on the site, and make files elsewhere plain names."""
    folders = page.count("/")  # that the page is below the folder of all pages

    def inside(link: re.Match[str]) -> str:
        return link[0] if link[2].count("../") <= folders else f"`{link[1]}`"

    moved = (
        source[0].replace("](../docs/", "](../")
        if page.startswith("notebooks/")
        else source[0].replace("](../notebooks/", "](notebooks/")
    )
    of_gallery = SCRIPT.sub(
        r"](\1.md)", moved
    )  # the page of a script of the gallery shows its code and its picture
    source[0] = LINK_UP.sub(inside, of_gallery)


def setup(app: Sphinx) -> dict[str, bool]:
    """Change the pages as they are read."""
    app.connect("source-read", read_for_the_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
