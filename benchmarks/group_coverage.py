"""Whether intervals, p-values, verdicts and gates hold for rows that belong together, with their groups named or not.

Usage: ``python benchmarks/group_coverage.py [-o FOLDER] [--sets 200] [--cells "100 x 30, ICC .15" ...]
[--errors 0 0.05] [--groups named ignored] [--pace 25] [--seed-offset 0] [--workers 1] [--table]``.

The cells are the cases of `group_cases.py`: so many groups of so many rows whose labels are alike within groups. In
each, `--sets` data sets are calibrated, and as many have an error of .05, half by overconfident scores and half by
scores that are too high. Each is evaluated with its groups named, and as if rows were independent ("ignored"). Every
data set has a seed of its own. Results are appended to ``FOLDER/readings.jsonl``, one line for each, and what is there
already is not computed again, so that a run may be stopped at any time. All cells go on at the same pace: so many data
sets of each before any has more.

The tables, with standard errors, in short and by family, "ignored -> named": coverage (in percent, of the true error,
the mean of abs(c - p) over the observed scores) and mean width (in thousandths) of the 95 % intervals by four families;
how often p-values are at most .05, which are false alarms where the error is 0; how often the verdict says that scores
are miscalibrated; how often the gate decides at a limit that is the true error; the correlation that was learnt; and
what is asked of these numbers. ``--table`` prints what the folder holds.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from time import process_time
from typing import Any, TypeAlias

import numpy as np

import fitontest as fot
from fitontest.results.exceptions import without_warnings
from group_cases import CASES, ERRORS, draw
from report import machine_facts, markdown, tell
from two_versions import one_thread_each

FAMILIES: dict[str, fot.Family] = {
    "slope1(15)": fot.Slope1(15),
    "isotonic": fot.Isotonic(),
    "platt": fot.Platt(),
    "spline": fot.Spline(),
}
NAMED, IGNORED = "named", "ignored"
LEVEL, UNLIKELY = 0.95, 0.05
LIMITS = (0.005, 0.01)  # of the gate where the error is 0
MAIN, SMALL, FEW = "100 x 30, ICC .15", "100 x 10, ICC .05", "20 x 50, ICC .15"
SLOPES, ALIKE = "100 x 30, random slopes", "100 x 30, scores alike"
INDEPENDENT = [case for case in CASES if case.endswith("independent")]

Key: TypeAlias = tuple[str, float, str, int, int]  # cell, error, whether groups are named, seed offset, data set
Reading: TypeAlias = dict[str, Any]


def reading_of(key: Key) -> Reading:
    """Return what the package says of one data set."""
    case, error, groups, offset, number = key
    rows = draw(case, error, number, offset)
    start = process_time()
    with without_warnings():
        data = fot.read(
            rows.y,
            rows.p,
            sample_weight=rows.weight,
            weights="importances" if rows.weight is not None else "auto",
            groups=rows.group if groups == NAMED else None,
        )
        found = {**evaluation_of(data, number), **gate_of(data, rows.error or LIMITS[-1], number)}
    place = {"cell": case, "error": error, "groups": groups, "offset": offset, "set": number}
    return {**place, "shape": rows.shape, "true": rows.error, **found, "seconds": round(process_time() - start, 3)}


def evaluation_of(data: Any, seed: int) -> Reading:
    """Return the numbers of each family, and the p-value of the verdict."""
    evaluation = fot.evaluate(data, families=[*FAMILIES.values()], interval="always", level=LEVEL, random_state=seed)
    estimates = dict(zip(FAMILIES, evaluation, strict=True))
    dependence = estimates["spline"].uncertainty.dependence
    return {
        "families": {
            name: {
                "raw": one.value,
                "debiased": one.debiased,
                "low": one.interval.low,
                "high": one.interval.high,
                "p": one.null.p_value,
            }
            for name, one in estimates.items()
        },
        "verdict": evaluation.verdict.p_value,
        "rho": None if dependence is None else dependence.rho,
        "slope": None if dependence is None else dependence.slope,
    }


def gate_of(data: Any, limit: float, seed: int) -> Reading:
    """Return the interval that the gate decides by, and the error that may persist over a share of the rows."""
    (gate,) = fot.check_calibration(data, max_error=limit, level=LEVEL, random_state=seed).gates
    return {"gate": {"low": gate.interval.low, "high": gate.interval.high, "persistent": gate.persistent.value}}


def compute(path: Path, keys: Iterable[Key], workers: int) -> None:
    """Append what is missing."""
    done = {key_of(reading) for reading in read(path)}
    missing = [key for key in keys if key not in done]
    if path.exists() and path.stat().st_size > len(whole_lines(path).encode()):
        path.write_text(whole_lines(path), encoding="utf-8")
    with path.open("a", encoding="utf-8") as file:
        for k, reading in enumerate(readings_of(missing, workers)):
            file.write(json.dumps(reading) + "\n")
            file.flush()
            tell(f"{k + 1} of {len(missing)}: {reading['cell']}")
    tell("")


def readings_of(keys: list[Key], workers: int) -> Iterator[Reading]:
    """Return the readings one by one, in order."""
    if workers == 1:
        yield from map(reading_of, keys)
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from pool.map(reading_of, keys)


def keys_of(cells: list[str], errors: list[float], groups: list[str], sets: int, pace: int, offset: int) -> list[Key]:
    """Return the data sets to evaluate, in order."""
    starts = range(0, sets, pace)
    return [
        (case, error, each, offset, number)
        for start, case in product(starts, cells)
        for number, error, each in product(range(start, min(start + pace, sets)), errors, groups)
    ]


def key_of(reading: Reading) -> Key:
    """Return which data set was read."""
    return reading["cell"], reading["error"], reading["groups"], reading["offset"], reading["set"]


def read(path: Path) -> list[Reading]:
    """Return what the file holds, which need not be there yet, without a line that a stop has cut short."""
    return [json.loads(line) for line in whole_lines(path).splitlines()]


def whole_lines(path: Path) -> str:
    """Return the text of the file up to the end of its last whole line."""
    if not path.exists():
        return ""
    text = path.read_text(encoding="utf-8")
    return text[: text.rfind("\n") + 1]


class Readings:
    """What was read of one cell, one true error, and groups named or ignored, in the order of the data sets."""

    def __init__(self, readings: Iterable[Reading]) -> None:
        self._readings = sorted(readings, key=lambda one: (one["offset"], one["set"]))

    def __len__(self) -> int:
        return len(self._readings)

    def of(self, value: Callable[[Reading], Any]) -> np.ndarray:
        """Return a number of each data set."""
        return np.array([value(one) for one in self._readings])

    def held(self, family: str) -> np.ndarray:
        """Return whether the interval by a family holds the true error."""
        return self.of(lambda one: one["families"][family]["low"] <= one["true"] <= one["families"][family]["high"])

    def width(self, family: str) -> np.ndarray:
        """Return the width of the interval by a family, in thousandths."""
        return self.of(lambda one: 1e3 * (one["families"][family]["high"] - one["families"][family]["low"]))

    def rejected(self, family: str) -> np.ndarray:
        """Return whether the p-value by a family is at most .05."""
        return self.of(lambda one: one["families"][family]["p"] <= UNLIKELY)

    @property
    def shown(self) -> np.ndarray:
        """Whether the verdict says that scores are miscalibrated."""
        return self.of(lambda one: one["verdict"] <= UNLIKELY)

    def fails(self, limit: float | None = None) -> np.ndarray:
        """Return whether the gate fails at a limit, without one at the true error."""
        return self.of(lambda one: one["gate"]["low"] > (one["true"] if limit is None else limit))

    @property
    def gate_wrong(self) -> np.ndarray:
        """Whether the gate decides at a limit that is the true error."""
        passes = self.of(lambda one: max(one["gate"]["high"], one["gate"]["persistent"]) <= one["true"])
        return self.fails() | passes

    @property
    def rho(self) -> np.ndarray:
        """The correlation of the labels of a group that was estimated."""
        return self.of(lambda one: one["rho"])


Cells: TypeAlias = dict[str, dict[tuple[float, str], Readings]]


def cells_of(readings: Iterable[Reading]) -> Cells:
    """Return the readings by cell, and then by the true error and whether groups are named."""
    all_readings = [*readings]
    return {
        case: {
            (error, each): Readings(
                one for one in all_readings if (one["cell"], one["error"], one["groups"]) == (case, error, each)
            )
            for error, each in product(ERRORS, (IGNORED, NAMED))
        }
        for case in CASES
        if any(one["cell"] == case for one in all_readings)
    }


def summary_table(cells: Cells) -> str:
    """Return what the other tables hold in short: means over both errors and the families, and the worst family."""
    lines = []
    for case, by_kind in cells.items():
        for each in (IGNORED, NAMED):
            calibrated, wrong = (by_kind[error, each] for error in ERRORS)
            if not len(calibrated):
                continue
            both = [one for one in (calibrated, wrong) if len(one)]
            held, widths, alarms, power = (
                np.array([np.concatenate([value(one, family) for one in readings]) for family in FAMILIES])
                if readings
                else None
                for value, readings in (
                    (Readings.held, both),
                    (Readings.width, both),
                    (Readings.rejected, [calibrated]),
                    (Readings.rejected, [wrong] if len(wrong) else []),
                )
            )
            lines.append(
                [
                    case,
                    each,
                    " + ".join(str(len(one)) for one in both),
                    f"{mean_in_words(held.mean(axis=0), True)} ({100 * held.mean(axis=1).min():.0f})",
                    f"{widths.mean():.0f}",
                    f"{mean_in_words(alarms.mean(axis=0), True)} ({100 * alarms.mean(axis=1).max():.0f})",
                    "-" if power is None else f"{100 * power.mean():.0f}",
                    mean_in_words(calibrated.shown, True),
                    mean_in_words(wrong.gate_wrong, True) if len(wrong) else "-",
                ]
            )
    header = ("cell", "groups", "S", "coverage (least)", "width", "error 0: p <= .05 (most)", "error .05: p <= .05")
    return markdown((*header, "error 0: verdict rejects", "gate wrong at the true error"), lines)


def family_table(cells: Cells, value: Callable[[Readings, str], np.ndarray], in_percent: bool) -> str:
    """Return a table of the means of a number of each data set, by cell and family."""
    lines = []
    for case, error in product(cells, ERRORS):
        by_groups = [cells[case][error, each] for each in (IGNORED, NAMED)]
        columns = [np.array([value(one, family) for family in FAMILIES]) if len(one) else None for one in by_groups]
        shown = [
            pair_in_words(*(None if each is None else each[k] for each in columns), in_percent)
            for k in range(len(FAMILIES))
        ]
        means = [None if each is None else each.mean(axis=0) for each in columns]
        lines.append([case, f"{error:g}", sizes_of(by_groups), *shown, pair_in_words(*means, in_percent)])
    return markdown(("cell", "error", "S", *FAMILIES, "mean"), lines)


def decisions_table(cells: Cells) -> str:
    """Return a table of what verdicts and gates say, and of the correlation that was estimated."""
    lines = []
    for case, by_kind in cells.items():
        calibrated, wrong = ([by_kind[error, each] for each in (IGNORED, NAMED)] for error in ERRORS)

        def pair(readings: list[Readings], value: Callable[[Readings], np.ndarray]) -> str:
            return pair_in_words(*(value(one) if len(one) else None for one in readings), True)

        named = [one for one in (calibrated[1], wrong[1]) if len(one)]
        rho = np.concatenate([one.rho for one in named]) if named else np.empty(0)
        lines.append(
            [
                case,
                sizes_of([*calibrated, *wrong]),
                pair(calibrated, lambda one: one.shown),
                pair(wrong, lambda one: one.shown),
                pair(wrong, lambda one: one.gate_wrong),
                *(pair(calibrated, lambda one, limit=limit: one.fails(limit)) for limit in LIMITS),
                f"{CASES[case].icc:g}",
                f"{rho.mean():.3f} (s.d. {rho.std():.3f})" if rho.size else "-",
            ]
        )
    gates = [f"error 0: gate fails at {limit:g}" for limit in LIMITS]
    header = ("cell", "S", "error 0: verdict rejects", "error .05: verdict rejects", "gate wrong at the true error")
    return markdown((*header, *gates, "ICC", "estimated"), lines)


def bars_table(cells: Cells) -> str:
    """Return what is asked of the numbers with groups named, what they are, and whether they reach it."""
    lines = []

    def add(case: str, what: str, asked: str, value: np.ndarray, met: bool) -> None:
        lines.append([case, what, asked, mean_in_words(value, True), "met" if met else "NOT MET"])

    for case, by_kind in cells.items():
        calibrated, wrong = (by_kind[error, NAMED] for error in ERRORS)
        if not (len(calibrated) and len(wrong)):
            continue
        held = {family: np.concatenate([calibrated.held(family), wrong.held(family)]) for family in FAMILIES}
        mean = np.mean([*held.values()], axis=0)
        alarms = {family: calibrated.rejected(family) for family in FAMILIES}
        if case in (MAIN, SMALL):
            for family, each in held.items():
                add(case, f"coverage, {family}", ">= 91", each, each.mean() >= 0.91)
            add(case, "coverage, mean", "93 to 98", mean, 0.93 <= mean.mean() <= 0.98)
            for family, each in alarms.items():
                add(case, f"p <= .05, {family}", "<= 9", each, each.mean() <= 0.09)
        if case in (FEW, SLOPES):
            add(case, "coverage, mean", ">= 90", mean, mean.mean() >= 0.9)
        if case == MAIN:
            gate = wrong.gate_wrong
            add(case, "gate wrong at the true error", "<= 7", gate, gate.mean() <= 0.07)
        if case == ALIKE:
            shown = calibrated.shown
            add(case, "verdict rejects", "<= 9", shown, shown.mean() <= 0.09)
        if case in INDEPENDENT:
            lines += independence_bars(case, by_kind)
    return markdown(("cell", "number", "asked", "value", ""), lines)


def independence_bars(case: str, by_kind: dict[tuple[float, str], Readings]) -> list[list[str]]:
    """Return how much coverage and width differ from those of the same data sets with their groups ignored."""
    lines = []
    for family in FAMILIES:
        held, width = (
            [
                np.concatenate([value(by_kind[error, each], family) for error in ERRORS]).astype(float)
                for each in (IGNORED, NAMED)
            ]
            for value in (Readings.held, Readings.width)
        )
        if held[0].size != held[1].size:
            continue  # the one is ahead of the other
        change, ratio = held[1] - held[0], float(width[1].mean() / width[0].mean())
        met = abs(change.mean()) <= 0.015
        deviation = np.sqrt(max(change.var(), 0.25 / change.size))  # not 0 where few data sets differ
        points = f"{100 * change.mean():+.1f} ± {100 * deviation / np.sqrt(change.size):.1f}"
        lines.append([case, f"change of coverage, {family}", "+-1.5 points", points, "met" if met else "NOT MET"])
        met = abs(ratio - 1) <= 0.05
        width_met = "met" if met else "NOT MET"
        lines.append([case, f"change of width, {family}", "+-5 %", f"{100 * (ratio - 1):+.1f} %", width_met])
    return lines


def sizes_of(readings: list[Readings]) -> str:
    """Return how many data sets there are, of the one and of the other where they differ."""
    sizes = [str(len(one)) for one in readings]
    return sizes[0] if len(set(sizes)) == 1 else " / ".join(sizes)


def pair_in_words(ignored: np.ndarray | None, named: np.ndarray | None, in_percent: bool) -> str:
    """Return two means with their standard errors, as "ignored -> named"."""
    return " -> ".join("-" if one is None else mean_in_words(one, in_percent) for one in (ignored, named))


def mean_in_words(values: np.ndarray, in_percent: bool) -> str:
    """Return a mean with its standard error, which is not 0 where all of few events are the same."""
    scale, mean, size = 100 if in_percent else 1, float(values.mean()), values.size
    variance = float(np.var(values))
    if in_percent:
        variance = max(variance, 0.25 / size)
    return f"{scale * mean:.1f} ± {scale * np.sqrt(variance / size):.1f}"


def tables_of(readings: list[Reading]) -> str:
    """Return all tables of some readings."""
    cells = cells_of(readings)
    parts = {
        "In short": summary_table(cells),
        "Coverage of 95 % intervals, %": family_table(cells, Readings.held, True),
        "Mean width, thousandths": family_table(cells, Readings.width, False),
        "p <= .05, %": family_table(cells, Readings.rejected, True),
        "Verdicts, gates and correlations": decisions_table(cells),
        "What is asked": bars_table(cells),
    }
    return "\n\n".join(f"{title}\n\n{table}" for title, table in parts.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("group_coverage"), metavar="FOLDER")
    parser.add_argument("--sets", type=int, default=200, help="data sets of each cell and true error")
    parser.add_argument("--cells", nargs="+", choices=CASES, default=[*CASES], metavar="CELL")
    parser.add_argument("--errors", nargs="+", type=float, choices=ERRORS, default=[*ERRORS])
    parser.add_argument("--groups", nargs="+", choices=(NAMED, IGNORED), default=[NAMED, IGNORED])
    parser.add_argument("--pace", type=int, default=25, help="data sets that every cell has before any has more")
    parser.add_argument("--seed-offset", type=int, default=0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--table", action="store_true", help="only print what the folder holds")
    given = parser.parse_args()
    one_thread_each()
    given.output.mkdir(parents=True, exist_ok=True)
    path = given.output / "readings.jsonl"
    if not given.table:
        keys = keys_of(given.cells, given.errors, given.groups, given.sets, given.pace, given.seed_offset)
        compute(path, keys, given.workers)
    print(machine_facts(), "\n")
    print(tables_of(read(path)))


if __name__ == "__main__":
    main()
