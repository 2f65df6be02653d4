"""Where the outputs of executed notebooks are kept, and which notebooks lack what they read."""

import hashlib
import json
import os
from pathlib import Path

ROOT = Path(__file__).parents[2]
TABLES = "FITONTEST_TABLES"  # names the folder of tables that are no part of the project
USUAL_TABLES = ROOT.parent / "shared" / "data" / "sets"


def get_cache_folder(build: Path) -> Path:
    """Return the folder of outputs made with the package as it is: another state of its sources has another folder."""
    state = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*.py")):
        state.update(path.read_bytes())
    return build / "notebooks" / state.hexdigest()[:16]


def find_without_tables(folder: Path) -> list[str]:
    """Return the notebooks whose tables are not there, as patterns; they are shown without outputs."""
    tables = Path(os.environ.setdefault(TABLES, str(USUAL_TABLES)))
    return [
        path.name for path in sorted(folder.glob("*.ipynb")) if not has_tables(path, tables)
    ]


def has_tables(notebook: Path, tables: Path) -> bool:
    """Return whether all tables that the metadata of a notebook name are in a folder."""
    needed = json.loads(notebook.read_text(encoding="utf-8"))["metadata"].get("tables", [])
    return all((tables / f"{name}.npz").exists() for name in needed)
