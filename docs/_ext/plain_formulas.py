"""Keeps the bars of plain formulas: ``|y - p|`` in a docstring is an absolute value, but markup to docutils."""

import re
from typing import Any

from sphinx.application import Sphinx

QUOTED = re.compile(r"(``.+?``|:\w+:`[^`]*`|`[^`]*`)")


def escape_bars(
    _: Sphinx, __: str, ___: str, ____: Any, _____: Any, lines: list[str]
) -> None:
    """Escape the bars of the lines that are neither examples nor quoted, in place."""
    example = False
    for k, line in enumerate(lines):
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        if not example and "|" in line:
            parts = QUOTED.split(line)
            parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
            lines[k] = "".join(parts)


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect before numpydoc, which rearranges the lines."""
    app.connect("autodoc-process-docstring", escape_bars, priority=100)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
