"""What weights are taken for, and what is then concluded of calibrated scores: gates and p-values, now and before.

Usage: ``python benchmarks/weight_kinds.py [-o weights.csv] [--sets 60] [--n 300] [--kinds "Pareto(1.5)" ...]
[--before CHECKOUT] [--processes 1] [--table]``.

Calibrated scores get weights of five kinds: those of a survey, lognormal and rounded up to whole numbers; the same plus
a half; Pareto weights with an infinite variance (1.5) and nearly without a mean (1.1); counts of 1 to 5 labels at each
score. Of each set the gate at .05 is asked twice, without and with a word on what the weights are; p-values are the
joint one of the verdict, that of the isotonic error, and that of `compare_errors` between two calibrated models. A gate
should fail none, and each p-value be at most .05 in 5 % of the sets. Results are appended to the CSV file; ``--table``
prints what it holds, with standard errors.
"""

import argparse
import csv
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from report import markdown, tell
from two_versions import BEFORE, NOW, one_thread_each, pools_of

COLUMNS = ("version", "kind", "n", "set", "gate", "gate, said", "joint", "isotonic", "compare")
P_VALUES = ("joint", "isotonic", "compare")


def main() -> None:
    """Read every set that the file does not hold yet, and print the table."""
    options = _options()
    if not options.table:
        _study(options)
    _print(options.output)


def _options() -> argparse.Namespace:
    from weight_readings import KINDS, N

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("weights.csv"))
    parser.add_argument("--sets", type=int, default=60)
    parser.add_argument("--n", type=int, default=N)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--before", type=Path, help="Another checkout of this repository, which is measured too.")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="Print what the file holds.")
    return parser.parse_args()


def _study(options: argparse.Namespace) -> None:
    from weight_readings import read

    one_thread_each()
    known = {tuple(row[name] for name in COLUMNS[:4]) for row in _rows(options.output)}
    new = not options.output.exists()
    pools = pools_of(options.before, options.processes)
    with options.output.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        for kind in options.kinds:
            for version, pool in pools.items():
                missing = [i for i in range(options.sets) if (version, kind, str(options.n), str(i)) not in known]
                waiting = [pool.submit(read, kind, number, options.n) for number in missing]
                for done in waiting:
                    writer.writerow({"version": version, **done.result()})
                file.flush()
                tell(f"{version}: {kind}")
    for pool in pools.values():
        pool.shutdown()


def _rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _print(path: Path) -> None:
    groups: dict[tuple[str, str, str], list[dict[str, str]]] = defaultdict(list)
    for row in _rows(path):
        groups[row["kind"], row["n"], row["version"]].append(row)
    body = []
    for (kind, n, version), rows in groups.items():
        shares = [_share(np.array([float(row[name]) <= 0.05 for row in rows])) for name in P_VALUES]
        gates = [_outcomes(rows, name) for name in ("gate", "gate, said")]
        body.append([kind, n, version, str(len(rows)), *gates, *shares])
    order = (NOW, BEFORE)
    body.sort(key=lambda row: (row[1], row[0], -order.index(row[2])))
    header = ["weights", "n", "version", "sets", "gate", "gate, kind said", *(f"{name} p <= .05" for name in P_VALUES)]
    print(markdown(header, body))


def _outcomes(rows: list[dict[str, str]], name: str) -> str:
    counts = Counter(row[name] for row in rows)
    return ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items()))


def _share(hits: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> str:
    """Return a share in percent with its standard error."""
    rate = float(hits.mean())
    return f"{100 * rate:.1f} ± {100 * np.sqrt(max(rate, 1 / hits.size) * (1 - rate) / hits.size):.1f} %"


if __name__ == "__main__":
    main()
