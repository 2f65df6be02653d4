"""Lets the calls that stand side by side in a table break at their dots and brackets, not inside a name."""

import re
from typing import Any

from sphinx.application import Sphinx

TABLES = re.compile(r'<div class="calls docutils container">.*?</table>', re.DOTALL)
WORD = re.compile(r'(?<=<span class="pre">)[^<]+(?=</span>)')
JOINT = re.compile(r"(?<=[\w)])(?<!\bfot)(?=\.[A-Za-z_])|(?<=\()(?=\w)|(?=\[)")


def allow_breaks(
    _app: Sphinx, _page: str, _template: str, context: dict[str, Any], _doctree: Any
) -> None:
    """Put places where a line may break into the calls of a page."""
    if "calls docutils" in context.get("body", ""):
        context["body"] = TABLES.sub(
            lambda table: WORD.sub(lambda word: JOINT.sub("<wbr>", word[0]), table[0]),
            context["body"],
        )


def setup(app: Sphinx) -> dict[str, bool]:
    """Change the pages before they are written."""
    app.connect("html-page-context", allow_breaks)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
