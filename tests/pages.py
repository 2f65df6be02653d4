"""The pages of the documentation as tests read them: their fenced blocks, links and words."""

import io
import re
import warnings
from collections.abc import Container, Iterator
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import fitontest as fot

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
PAGES = sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "measurements").glob("*.md")])
FENCE = re.compile(r"^(?P<fence>`{3,}|:{3,})(?P<kind>[^\n]*)\n(?P<body>.*?)^(?P=fence)\s*$", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])")
SHOWN_DIGITS = {"rel": 0.03, "abs": 2e-3}  # other releases of numpy and scipy change what is printed by about a digit
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


def outputs(page: Path, tried_elsewhere: Container[str]) -> Iterator[tuple[Block, str]]:
    """Run the examples of a page, and yield each output that it shows with what was printed.

    Examples that need a package are left out where it is not installed, or is tried elsewhere.
    """
    names: dict[str, Any] = {"__name__": "page"}
    printed: str | None = None
    for block in blocks(page):
        if block.kind == "python":
            left_out = block.needs is not None and (block.needs in tried_elsewhere or not find_spec(block.needs))
            if left_out:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore" if block.needs else "error")
                warnings.simplefilter("ignore", fot.CalibrationWarning)
                printed = run(block.body, names)
        elif block.kind == "text" and not left_out:
            assert printed is not None
            yield block, printed
            printed = None


def prose(page: Path) -> str:
    """Return a page without its fenced blocks."""
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def assert_alike(shown: str, printed: str) -> None:
    """Compare words exactly, numbers to the digits that differ between releases, and leave out seconds."""
    if "fit (s)" in shown:
        shown, printed = (_without_seconds(text) for text in (shown, printed))
    assert words(shown) == words(printed)
    assert numbers(shown) == pytest.approx(numbers(printed), **SHOWN_DIGITS)


def _without_seconds(text: str) -> str:
    """Return a comparison without the last column of its first table, the seconds."""
    first, after, rest = text.partition("\nafter (")
    return re.sub(r" {2,}[\d.]+$", "", first, flags=re.MULTILINE) + after + rest


def words(text: str) -> list[str]:
    return re.sub(r"-{2,}", "--", NUMBER.sub("#", text)).split()


def numbers(text: str) -> list[float]:
    return [float(found.replace(",", "")) for found in NUMBER.findall(text)]
