"""FILE where it is no file: what comes from standard input or a pipe is copied to one, as it is read more than once."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from fitontest.data.files.kinds import READERS
from fitontest.data.files.unpacked import too_large
from fitontest.results.writing import PREFIX, is_special

STANDARD_INPUT = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
NAME = "standard input"  # of its copy, before the ending
SHOWN = f"- ({NAME})"
ENDINGS = {"csv": ".csv", "tsv": ".tsv", "jsonl": ".jsonl", "parquet": ".parquet"}
GZIP, PARQUET = b"\x1f\x8b", b"PAR1"  # first bytes
PIECE = 1 << 20  # bytes


def is_stream(path: Path) -> bool:
    """Tell whether a path is standard input or a pipe, which can be read once."""
    return str(path) in STANDARD_INPUT or is_special(path)


@contextmanager
def kept(path: Path, kind: str | None, limit: int) -> Iterator[tuple[Path, str]]:
    """Give a file with what comes from a stream, and what messages call it; the file is deleted at the end.

    Its format is `kind`; without one it is what the ending of a named pipe says, else Parquet where it begins and ends
    as that does, else CSV. CSV and TSV that begin as gzip does are gzipped.
    """
    standard = str(path) in STANDARD_INPUT
    name = NAME if standard else "pipe" if path.name.isdigit() else path.name
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        copy = Path(folder) / "copy"
        shown = SHOWN if standard else str(path)
        if str(path) == "-":
            if sys.stdin is None:
                raise ValueError("FILE must be readable, got - (standard input), which is closed")
            _copy(sys.stdin.buffer, copy, limit, shown)
        else:
            with path.open("rb") as source:
                _copy(source, copy, limit, shown)
        yield copy.rename(Path(folder) / f"{name}{_ending(copy, name, kind)}"), shown


def name_of(file: Path) -> str:
    """Return what a file is called, or, of the copy of standard input, that."""
    return NAME if file.name.startswith(f"{NAME}.") else file.name


def _copy(source: BinaryIO, copy: Path, limit: int, shown: str) -> None:
    with copy.open("wb") as target:
        while piece := source.read(min(PIECE, limit + 1)):
            if target.tell() + len(piece) > limit:
                raise too_large(shown, limit, "have")
            target.write(piece)


def _ending(copy: Path, name: str, kind: str | None) -> str:
    """Return what the name of the file lacks to end as its format does."""
    with copy.open("rb") as file:
        first = file.read(len(PARQUET))
        file.seek(max(0, copy.stat().st_size - len(PARQUET)))
        last = file.read()
    if kind is None:
        if name.lower().endswith(tuple(READERS)):
            return ""
        kind = "parquet" if first == last == PARQUET and copy.stat().st_size > len(PARQUET) else "csv"
    packed = kind != "parquet" and first.startswith(GZIP)
    return f"{ENDINGS[kind]}{'.gz' if packed else ''}"
