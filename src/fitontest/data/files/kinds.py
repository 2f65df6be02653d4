"""The kinds of files, by their endings."""

from pathlib import Path

from fitontest.data.files.file_error import FileError
from fitontest.data.files.plain_text import PACKED, member_of

CSV = "CSV"
JSON = "JSON lines"
PARQUET = "Parquet"
NUMPY = "npz"
WORKBOOK = "xlsx"
TEXTS = {".csv": CSV, ".tsv": CSV, ".jsonl": JSON, ".ndjson": JSON}  # and these with an ending of what packs them
BINARY = {".parquet": PARQUET, ".pq": PARQUET, ".npz": NUMPY, ".xlsx": WORKBOOK}
READERS = (*TEXTS, *BINARY, *(f"{ending}{packing}" for packing in PACKED for ending in TEXTS), ".zip")


def kind_of(path: Path) -> str:
    """Return the format of a file that is there, by its ending."""
    if not path.is_file():
        raise FileError("path", f"must be an existing file, got {path}")
    packing = path.suffix.lower() if path.suffix.lower() in PACKED else ""
    name = Path(member_of(path)) if packing == ".zip" else path.with_suffix("") if packing else path
    kind = TEXTS.get(name.suffix.lower()) or (None if packing else BINARY.get(name.suffix.lower()))
    if kind is None:
        texts, found = ", ".join(TEXTS), f"{path} with {name}" if packing == ".zip" else path
        known = f"{texts}, {', '.join(BINARY)}, or {texts} and {', '.join(PACKED)}"
        raise FileError("path", f"must end in one of {known}; got {found}")
    return kind


def is_parquet(path: Path) -> bool:
    """Return whether a file that is there is Parquet, by its ending."""
    return kind_of(path) == PARQUET
