"""The pages of the documentation as tests read them: their fenced blocks, links and words."""

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = sorted((ROOT / "docs").glob("*.md"))
FENCE = re.compile(r"^(?P<fence>`{3,}|:{3,})(?P<kind>[^\n]*)\n(?P<body>.*?)^(?P=fence)\s*$", re.DOTALL | re.MULTILINE)
NEEDS = re.compile(r"<!-- needs: (\w+) -->\s*\Z")


class Block(NamedTuple):
    """A fenced block; `needs` is the package that the comment before it names."""

    kind: str
    body: str
    needs: str | None


def blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page, in their order."""
    text = page.read_text(encoding="utf-8")
    end = 0
    for found in FENCE.finditer(text):
        needs = NEEDS.search(text[end : found.start()])
        yield Block(found["kind"].strip(), found["body"], needs and needs[1])
        end = found.end()


def run(code: str, names: dict[str, Any]) -> str:
    """Run code with these names, and return what it prints."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(code, names)
    return printed.getvalue()


def prose(page: Path) -> str:
    """Return a page without its fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))
