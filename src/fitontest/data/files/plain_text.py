"""Files of text in any encoding, compressed or not, as copies in UTF-8, which all that reads them reads alike."""

import codecs
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from fitontest.data.files.file_error import FileError
from fitontest.data.files.layout import Layout
from fitontest.data.files.unpacked import too_large
from fitontest.results.writing import PREFIX

PIECE = 1 << 20  # bytes


def _only_member(path: Path, _: str = "rb") -> IO[bytes]:
    archive = ZipFile(path)
    return archive.open(member_of(path))


PACKED: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open, ".zip": _only_member}
BROKEN = (gzip.BadGzipFile, EOFError, zlib.error, lzma.LZMAError, BadZipFile, NotImplementedError, RuntimeError)


def member_of(path: Path) -> str:
    """Return the name of the one file in a zip archive, or refuse another archive."""
    try:
        with ZipFile(path) as archive:
            names = [each.filename for each in archive.infolist() if not each.is_dir()]
    except BadZipFile as error:
        raise FileError("path", f"must be readable as zip, got {path}: {error}") from error
    names = [name for name in names if not name.startswith("__MACOSX/")]
    if len(names) != 1:
        raise FileError("path", f"must hold one file, got {path} with {len(names)}")
    return names[0]


@contextmanager
def plain_text(path: Path, layout: Layout, lines: float = float("inf")) -> Iterator[Path]:
    """Give a copy of a file of text that is unpacked by its ending, and decoded.

    Parameters
    ----------
    path : Path
    layout : Layout
    lines : float
        After so many lines the copy may end.

    Raises
    ------
    FileError
        What cannot be unpacked or decoded, or is too large.
    """
    if path.stat().st_size == 0:
        raise FileError("path", f"must not be empty, got {path} of 0 bytes")
    with TemporaryDirectory(prefix=PREFIX) as folder:
        copy = Path(folder) / "text"
        packing = path.suffix.lower()
        try:
            with (
                PACKED.get(packing, open)(path, "rb") as source,
                copy.open("w", encoding="utf-8", newline="") as target,
            ):
                limit = layout.max_unpacked if packing in PACKED else None
                for text in _decoded(_pieces(source, path, limit), path, layout):
                    target.write(text)
                    lines -= text.count("\n")
                    if lines < 0:
                        break
        except BROKEN as error:
            raise FileError("path", f"must be readable as {_name_of(packing)}, got {path}: {error}") from error
        if not copy.stat().st_size:
            raise FileError("path", f"must not be empty, got {path} without text")
        yield copy


def _name_of(packing: str) -> str:
    return {".gz": "gzip"}.get(packing, packing.removeprefix("."))


def _pieces(source: IO[bytes], path: Path, limit: int | None) -> Iterator[bytes]:
    """Yield the bytes of a file, which may have a limit."""
    size = 0
    while piece := source.read(PIECE if limit is None else min(PIECE, limit + 1)):
        size += len(piece)
        if limit is not None and size > limit:
            raise too_large(path, limit)
        yield piece


def _decoded(pieces: Iterator[bytes], path: Path, layout: Layout) -> Iterator[str]:
    """Yield the text, or refuse bytes that are no text by their line."""
    decoder, line = codecs.getincrementaldecoder(layout.codec)(), 1
    try:
        for piece in pieces:
            text = decoder.decode(piece)
            line += text.count("\n")
            yield text
        yield decoder.decode(b"", final=True)
    except UnicodeError as error:
        where = str(error)  # as where a byte order mark is wanting
        if isinstance(error, UnicodeDecodeError):
            line += error.object[: error.start].count(b"\n")
            where = f"the byte 0x{error.object[error.start]:02x} at line {line} ({layout.first_line})"
        problem = f"must be text in {layout.encoding or 'utf-8'}, got {path} with {where}"
        remedy = ("encoding", "names its encoding, such as latin-1, cp1252 or utf-16")
        raise FileError("path", problem, remedy) from error
