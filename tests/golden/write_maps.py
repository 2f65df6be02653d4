"""Write the golden files of stored maps: ``python -m tests.golden.write_maps [kind ...]`` from the root.

Each file holds maps of one kind as `to_json` writes them in this version, inputs, and the values of the maps there. It
stands for the files that users have: `sums.txt` beside it has its SHA-256 sum, and what is listed there is never
written again, also where the file is gone.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import fitontest as fot
from fitontest.maps.stored import StoredMap
from tests.golden.map_cases import CASES, FEATURE_SCORES, FEATURES, ROWS, SCORES, TWO_COLUMNS

FOLDER = Path(__file__).parent
OF_THIS_VERSION = FOLDER / f"maps_{'_'.join(fot.__version__.split('.')[:2])}"


def inputs_of(c_hat: StoredMap) -> dict[str, Any]:
    """Return what the map is called with, by the name of the argument."""
    if c_hat.takes_features:
        return {"X": FEATURES, "p": FEATURE_SCORES}
    if isinstance(c_hat, fot.maps.MulticlassMap):
        return {"P": TWO_COLUMNS if c_hat.n_classes == 2 else ROWS}
    return {"p": SCORES}


def written(kind: str) -> str:
    """Return the text of the golden file of a kind: a line for each map."""
    maps = []
    for c_hat in CASES[kind]:
        given = inputs_of(c_hat)
        maps.append({"text": c_hat.to_json(), "inputs": given, "values": c_hat(**given).tolist()})
    lines = ",\n".join(json.dumps(one, ensure_ascii=False) for one in maps)
    return f'{{"kind": "{kind}", "version": "{fot.__version__}", "maps": [\n{lines}\n]}}\n'


def sum_of(path: Path) -> str:
    """Return the SHA-256 sum of a file, whose lines may end as those of Windows do."""
    return sha256(path.read_text(encoding="utf-8").encode()).hexdigest()


def sums_of(folder: Path) -> dict[str, str]:
    """Return the sums that a folder lists, by the names of the files."""
    path = folder / "sums.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {name: listed for listed, name in (line.split("  ") for line in lines)}


def main(kinds: list[str], folder: Path = OF_THIS_VERSION) -> None:
    """Write the files of these kinds, or refuse all of them where one is there already, or was."""
    paths = {kind: folder / f"{kind}.json" for kind in kinds or CASES}
    listed = sums_of(folder)
    there = [f"{folder.name}/{path.name}" for path in paths.values() if path.exists() or path.name in listed]
    if there:
        raise SystemExit(f"golden files are written once, and these exist or are listed: {', '.join(there)}")
    folder.mkdir(exist_ok=True)
    for kind, path in paths.items():
        path.write_text(written(kind), encoding="utf-8", newline="\n")
        listed[path.name] = sum_of(path)
        print(f"Wrote {folder.name}/{path.name}")
    lines = [f"{listed[name]}  {name}\n" for name in sorted(listed)]  # as sha256sum writes them
    (folder / "sums.txt").write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
