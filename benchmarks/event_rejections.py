"""Whether rows that exclude each other, such as both sides of a game, are judged as often as one row of each event.

Usage: ``python benchmarks/event_rejections.py [--sets 300] [--cases pairs ...] [--rows named one] [--intervals 100]
[--seed-offset 0]``.

Each data set has calibrated scores, or overconfident ones whose true logits are .7 of those that the scores have. Its
verdict is asked with the groups named ("named"), and of one row of each event alone ("one"), which is what its other
rows add nothing to. Printed are the shares of verdicts that reject calibration, with standard errors: false alarms of
calibrated scores, power of the others; and of `--intervals` sets how often the 95 % interval of the error by a spline
holds the true one.

* pairs: 300 games, a row for each side.
* pairs x days: 100 states with a row for each of two parties on five days; the outcome of a state is one.
* pairs in weeks: 20 weeks of ten games, a row for each side, with the weeks named.
* pairs, 80 %: pairs of which each row is dropped with a probability of .2.
* triples: 200 matches with a row for each of three outcomes. No interval is asked for: the true probability of a row
  depends on all three scores, and the map of the scores alone is not known.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

import fitontest as fot
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.joint import joint_test
from report import machine_facts, markdown, tell

Array = NDArray[np.float64]
SEED = 57_2026
DRAWS, UNLIKELY = 200, 0.05
SLOPES = {"calibrated": 1.0, "overconfident": 0.7}


@dataclass(frozen=True)
class Events:
    """Rows of events: labels, scores, true probabilities, groups, and which rows are kept where each event has one."""

    y: NDArray[np.intp]
    p: Array
    c: Array
    group: NDArray[np.intp]
    one: NDArray[np.bool_]


def both_sides(p: Array, c: Array, won: NDArray[np.bool_], group: NDArray[np.intp]) -> Events:
    one = np.repeat([True, False], p.size)
    return Events(np.r_[won, ~won].astype(np.intp), np.r_[p, 1 - p], np.r_[c, 1 - c], np.r_[group, group], one)


def pairs(rng: np.random.Generator, slope: float, games: int = 300) -> Events:
    logits = 1.5 * rng.standard_normal(games)
    c = expit(slope * logits)
    return both_sides(expit(logits), c, rng.random(games) < c, np.arange(games))


def pairs_of_days(rng: np.random.Generator, slope: float, states: int = 100, days: int = 5) -> Events:
    logits = 1.5 * rng.standard_normal(states)
    won = rng.random(states) < expit(slope * logits)
    each = np.repeat(logits, days)
    return both_sides(expit(each), expit(slope * each), np.repeat(won, days), np.repeat(np.arange(states), days))


def pairs_in_weeks(rng: np.random.Generator, slope: float) -> Events:
    found = pairs(rng, slope, 200)
    return Events(found.y, found.p, found.c, np.tile(np.repeat(np.arange(20), 10), 2), found.one)


def some_of_pairs(rng: np.random.Generator, slope: float) -> Events:
    found = pairs(rng, slope)
    kept = rng.random(found.p.size) < 0.8
    y, p, c, group = (column[kept] for column in (found.y, found.p, found.c, found.group))
    one = np.zeros(p.size, dtype=bool)
    one[np.unique(group, return_index=True)[1]] = True
    return Events(y, p, c, group, one)


def triples(rng: np.random.Generator, slope: float, matches: int = 200) -> Events:
    logits = rng.standard_normal((matches, 3))
    p, c = (np.exp(each) / np.exp(each).sum(axis=1, keepdims=True) for each in (logits, slope * logits))
    outcome = (rng.random(matches)[:, None] > c.cumsum(axis=1)[:, :2]).sum(axis=1)
    one = np.tile([True, False, False], matches)
    y = np.eye(3, dtype=np.intp)[outcome].ravel()
    return Events(y, p.ravel(), c.ravel(), np.repeat(np.arange(matches), 3), one)


CASES: dict[str, Callable[[np.random.Generator, float], Events]] = {
    "pairs": pairs,
    "pairs x days": pairs_of_days,
    "pairs in weeks": pairs_in_weeks,
    "pairs, 80 %": some_of_pairs,
    "triples": triples,
}


def read(events: Events, rows: str) -> fot.ScoreSample:
    if rows == "named":
        return fot.read(events.y, events.p, groups=events.group)
    groups = events.group[events.one]
    return fot.read(events.y[events.one], events.p[events.one], groups=groups)


def share(values: list[bool]) -> str:
    """Return a share in percent with its standard error, which is not 0 where all of few are the same."""
    mean = float(np.mean(values))
    return f"{100 * mean:.1f} ± {100 * np.sqrt(max(mean * (1 - mean), 0.25 / len(values)) / len(values)):.1f}"


def row_of(case: str, shape: str, rows: str, sets: range, intervals: int) -> list[str]:
    """Return the line of one case: verdicts that reject, and intervals that hold the true error."""
    rejected, held, widths = [], [], []
    for number in sets:
        events = CASES[case](np.random.default_rng([SEED, crc32(f"{case} {shape}".encode()), number]), SLOPES[shape])
        data = read(events, rows)
        with without_warnings():
            rejected.append(joint_test(data, DRAWS, number).p_value <= UNLIKELY)
            if case != "triples" and number - sets.start < intervals:
                found = fot.calibration_error(data, interval="always", random_state=number).interval
                kept = slice(None) if rows == "named" else events.one
                held.append(found.low <= np.abs(events.c - events.p)[kept].mean() <= found.high)
                widths.append(found.high - found.low)
        tell(f"{case}, {shape}, {rows}: {number - sets.start + 1} of {len(sets)}")
    coverage = [share(held), f"{1e3 * np.mean(widths):.0f}"] if held else ["-", "-"]
    return [case, shape, rows, str(len(sets)), share(rejected), *coverage]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=300)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES], metavar="CASE")
    parser.add_argument("--rows", nargs="+", choices=("named", "one"), default=["named", "one"])
    parser.add_argument("--shapes", nargs="+", choices=SLOPES, default=[*SLOPES])
    parser.add_argument("--intervals", type=int, default=100, help="sets whose interval is asked for, too")
    parser.add_argument("--seed-offset", type=int, default=0)
    given = parser.parse_args()
    sets = range(given.seed_offset, given.seed_offset + given.sets)
    header = ["case", "scores", "rows", "S", "verdict rejects, %", "interval holds, %", "width, thousandths"]
    lines = []
    for case in given.cases:
        for shape in given.shapes:
            for rows in given.rows:
                lines.append(row_of(case, shape, rows, sets, given.intervals))
                tell("")
                print(*lines[-1], sep=" | ", flush=True)
    print(machine_facts(), markdown(header, lines), sep="\n\n")


if __name__ == "__main__":
    main()
