"""What stands around the numbers: the facts of the machine, and tables in Markdown."""

import os
import platform
import sys
from collections.abc import Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PACKAGES = ("numpy", "scipy", "scikit-learn", "betacal", "fitontest")


def machine_facts() -> str:
    """Return one line with the date, the Python, the packages and the cores."""
    cores = f"{os.cpu_count()} CPU cores ({platform.machine()}, {platform.system()})"
    return f"{date.today().isoformat()}: Python {platform.python_version()}, {versions(PACKAGES)}; {cores}"


def versions(packages: Sequence[str]) -> str:
    """Return the packages with their versions."""
    return ", ".join(f"{name} {_version(name)}" for name in packages)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # what is imported from a folder has no metadata
        return str(getattr(sys.modules.get(name), "__version__", "(not installed)"))


def put(page: Path, name: str, text: str) -> None:
    """Write a text into a page, between the lines ``<!-- name -->`` and ``<!-- end of name -->``."""
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, found, rest = page.read_text(encoding="utf-8").partition(f"{start}\n")
    _, closed, after = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{page} must have the lines {start!r} and {end!r}")
    page.write_text(f"{before}{start}\n\n{text.strip()}\n\n{end}{after}", encoding="utf-8")


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table, its columns padded so that it reads as plain text too."""
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = (header, ["-" * width for width in widths], *rows)
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def number(value: float) -> str:
    """Return a number with three significant digits, without an exponent from 0.001 up."""
    if value == 0:
        return "0"
    if abs(value) < 1e-3:
        return f"{value:.0e}"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:#.3g}"


def rate(yes: NDArray[np.bool_]) -> str:
    """Return a share in per cent with its standard error."""
    share = float(yes.mean())
    return f"{100 * share:.1f} (s.e. {100 * np.sqrt(share * (1 - share) / yes.size):.1f})"


def tell(where: str) -> None:
    """Show on a terminal how far a long run is, on one line; a pipe gets none of it."""
    if sys.stderr.isatty():
        print(f"\r{where:60}", end="" if where else "\r", file=sys.stderr, flush=True)
