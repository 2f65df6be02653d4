"""Write the golden files of stored maps: ``python -m tests.golden.write_maps [kind ...]`` from the root.

Each file holds maps of one kind as `to_json` writes them in this version, inputs, and the values of the maps there. A
file that exists is never written again: it stands for the files that users have.
"""

import json
import sys
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
    if isinstance(c_hat, fot.MulticlassMap):
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


def main(kinds: list[str]) -> None:
    """Write the files of these kinds, or refuse all of them where one is there already."""
    paths = {kind: OF_THIS_VERSION / f"{kind}.json" for kind in kinds or CASES}
    there = [str(path.relative_to(FOLDER)) for path in paths.values() if path.exists()]
    if there:
        raise SystemExit(f"golden files are written once, and these exist: {', '.join(there)}")
    OF_THIS_VERSION.mkdir(exist_ok=True)
    for kind, path in paths.items():
        path.write_text(written(kind), encoding="utf-8")
        print(f"Wrote {path.relative_to(FOLDER)}")


if __name__ == "__main__":
    main(sys.argv[1:])
