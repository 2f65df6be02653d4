"""Whether two versions of the package give the same numbers, bit by bit.

Run it with each version and name the other's file:

    python benchmarks/same_numbers.py FOLDER -o before.json
    python benchmarks/same_numbers.py FOLDER -o after.json --against before.json

FOLDER holds npz files of real predictions as `real_predictions` reads them; without it scikit-learn's bundled tables
are scored. Every family, and GCE, MCE, PDE and TCE with its null, are evaluated on all of them; floats are kept as
hexadecimal, in which they differ if a single bit does. The fitted maps are compared at 101 scores.
"""

import argparse
import json
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

import fitontest as fot
from real_predictions import problems

FAMILIES = ("beta", "flat", "identity", "isotonic", "pava_bc", "pl", "pl3", "platt", "slope1", "temperature")
BINNED = {
    "gce": {},
    "mce": {"norm": "max"},
    "ace": {"partition": "equal_mass", "n_bins": 15},
    "pde": {"loss": "deviation", "partition": "equal_mass"},
    "l2": {"norm": "l2", "partition": "sweep"},
}
GRID = np.linspace(0, 1, 101)


def numbers(y: Any, p: Any, w: Any = None) -> dict[str, Any]:
    """Return every number of one set of predictions."""
    found: dict[str, Any] = {}
    for name in FAMILIES:
        error = fot.calibration_error(y, p, family=name, sample_weight=w)
        found[name] = [*_hex(error.value, error.se_map_fixed, error.n_bins, error.base_rate), *_hex(*error.map(GRID))]
    for norm in ("l2", "squared", "max"):
        found[f"slope1 {norm}"] = _hex(fot.calibration_error(y, p, norm=norm, sample_weight=w).value)
    for norm in ("l1", "l2", "squared"):
        debiased = fot.calibration_error(y, p, norm=norm, family=fot.Slope1(15), debias=True, sample_weight=w)
        found[f"debiased {norm}"] = _hex(debiased.value)
    for name, options in BINNED.items():
        error = fot.gce(y, p, sample_weight=w, **options)
        found[name] = _hex(error.value, *error.losses, *error.table.sum_p)
    tce = fot.tce(y, p, null_draws=3, sample_weight=w)
    factor = 1.0 if getattr(tce, "percent", False) else 100.0  # version 0.1 had the TCE in percent
    found["tce"] = _hex(factor * tce.value, *(factor * tce.null.values), *tce.losses)
    within = fot.within_bin_error(y, p, sample_weight=w)
    found["within_bin"] = _hex(within.total, within.averaged, *within.per_bin)
    return found


def _hex(*values: Any) -> list[str | None]:
    return [None if value is None else float(value).hex() for value in values]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--against", type=Path)
    arguments = parser.parse_args()
    start, found = time.perf_counter(), {}
    warnings.simplefilter("ignore", fot.CalibrationWarning)
    for problem in problems(arguments.folder, 0):
        sample = problem.test
        found[f"{problem.data} {problem.model}"] = numbers(sample.y, sample.p)
        weights = np.random.default_rng(0).integers(0, 3, sample.p.size)
        few = slice(0, 2000)
        if np.unique(sample.y[few]).size == 2:
            found[f"{problem.data} {problem.model}, weights"] = numbers(sample.y[few], sample.p[few], weights[few])
    arguments.output.write_text(json.dumps(found, indent=1))
    counts = sum(len(values) for each in found.values() for values in each.values())
    print(f"{len(found)} sets of predictions, {counts:,} numbers, {time.perf_counter() - start:.0f} s")
    if arguments.against is not None:
        _compare(found, json.loads(arguments.against.read_text()))


def _compare(found: dict[str, Any], other: dict[str, Any]) -> None:
    """Print what differs."""
    assert found.keys() == other.keys(), "the two files are of other predictions"
    differing = [(data, name) for data, each in found.items() for name in each if each[name] != other[data][name]]
    print(f"differ: {len(differing)} of {sum(map(len, found.values()))} results")
    for data, name in differing[:20]:
        pairs = zip(found[data][name], other[data][name], strict=True)
        first = next((float.fromhex(a or "nan"), float.fromhex(b or "nan")) for a, b in pairs if a != b)
        print(f"  {data}: {name}: {first[0]!r}, was {first[1]!r}")


if __name__ == "__main__":
    main()
