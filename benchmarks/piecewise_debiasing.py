"""Whether a few refits of PL and PL3 themselves bring their debiased errors nearer the truth than those of a stand-in.

Usage: ``python benchmarks/piecewise_debiasing.py [-o debiasing] [--families pl3 pl] [--cases ...] [--n 1000 300]
[--sets 100] [--table]``.

Debiased errors of PL and PL3 come from redraws of a logistic spline: the truth is sought under which the spline's mean
error is what PL observed. Here the family itself is refitted to the first 16 labellings of one truth, the one that was
found. By the mean difference between its errors and the spline's of the same labels all means of the spline are
shifted, and the truth is sought anew. (The spline's mean of 50 labellings plus that difference is the estimate of the
family's mean with the spline as control variate.) The cases are those of `interval_coverage.py`, with seeds of their
own.

Each data set is a line of JSON in the folder, and is not computed again. Shown are, in thousandths, the mean of
|estimate - true error| of the raw error, of the debiased one by the spline's redraws, and of the corrected one by 6 and
by 16 refits; how much the last is farther from the truth than the spline's, paired, with its standard error; the mean
shift, its standard deviation from set to set, and its standard error within a set; the bias of the two debiased errors,
the share of their 95 % intervals that hold the true error, and the CPU seconds of the 16 refits.
"""

import argparse
from pathlib import Path
from time import process_time
from typing import Any
from zlib import crc32

import numpy as np

import fitontest as fot
from fitontest.data.redraws import CHAIN
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.measures.plug_in import PlugIn
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import FloatArray
from fitontest.truth import true_error
from fitontest.uncertainty.inversion import Inverted, chain_lengths, find_growing, invert
from fitontest.uncertainty.ladder import Ladder
from interval_coverage import CASES, FAMILIES
from report import machine_facts, markdown
from run_records import complete, recorded

SEED = 40_2026
DRAWS = 50  # labellings of the stand-in from each truth, as by default
REFITS = 16
FEW = 6
LEVEL = 0.95
ROUND = 5  # data sets after which the next case comes
SHOWN = ("calibrated", "square .03", "stairs .1", "sharp, wavy", "Sharp", "skewed, overconfident")


def record_of(family: str, case: str, n: int, run: int) -> dict[str, Any]:
    """Return the errors of a data set, those redrawn by the stand-in, and those of the refits on the same labels."""
    rng = np.random.default_rng([SEED, crc32(case.encode()), n, run])
    y, p, c = CASES[case]().draw(n, rng)
    sample = fot.read(y, p)
    own = PlugIn(FAMILIES[family]())
    stand_in = own.changed(family=own.fitting.stand_in)
    redraws, seed = ScoreRedraws.of(sample), (run, CHAIN)
    with without_warnings():
        observed = float(own.values(redraws, redraws.observed[1])[0])
        g = Ladder.of(sample, run).direction
        errors, values = _chain(stand_in, redraws, g, observed, seed)
        found = _inverted(observed, errors, values).estimate
        truth = redraws.truth(g, found / _error_at(stand_in, redraws, g))
        (labels,) = redraws.draw([truth], range(DRAWS), seed)
        started = process_time()
        refitted = own.values(redraws, labels[:, :REFITS])
        seconds = process_time() - started
        spline = stand_in.values(redraws, labels)
    return {
        "true": true_error(p, c),
        "observed": observed,
        "errors": errors.tolist(),
        "values": np.round(values, 7).tolist(),
        "refitted": refitted.tolist(),
        "stand_in": np.round(spline, 7).tolist(),
        "seconds": seconds,
    }


def _chain(
    stand_in: PlugIn, redraws: ScoreRedraws, g: FloatArray, observed: float, seed: tuple[int, int]
) -> tuple[FloatArray, FloatArray]:
    """Return the true errors of the chain and the redrawn ones, as `fitontest.uncertainty.chain` has them."""
    at_calibration = redraws.values(stand_in, [redraws.points], DRAWS, seed)[0]
    whole_way = _error_at(stand_in, redraws, g)
    scale = max(observed, float(np.median(at_calibration)), whole_way)
    lengths = chain_lengths(scale, whole_way, lambda t: _error_at(stand_in, redraws, redraws.truth(g, t)))
    errors = np.array([_error_at(stand_in, redraws, redraws.truth(g, t)) for t in lengths])
    errors[0] = 0.0
    kept = find_growing(errors)
    truths = [redraws.truth(g, lengths[k]) for k in kept]
    return errors[kept], np.array([at_calibration, *redraws.values(stand_in, truths, DRAWS, seed, known=1)])


def _error_at(measure: PlugIn, redraws: ScoreRedraws, c: FloatArray) -> float:
    return float(measure.target(redraws.sample, c) or 0.0)


def _inverted(observed: float, errors: FloatArray, values: FloatArray) -> Inverted:
    inverted = invert(observed, errors, values, LEVEL)
    assert inverted is not None
    return inverted


def shifts_of(record: dict[str, Any], refits: int) -> FloatArray:
    """Return by how much the family's errors are larger than the stand-in's of the same labels."""
    return np.array(record["refitted"][:refits]) - np.array(record["stand_in"][:refits])


def estimate_of(record: dict[str, Any], refits: int) -> Inverted:
    """Return the debiased error with its interval, the stand-in's means shifted by so many refits; 0: as they are."""
    shift = shifts_of(record, refits).mean() if refits else 0.0
    return _inverted(record["observed"], np.array(record["errors"]), np.array(record["values"]) + shift)


def line_of(records: list[dict[str, Any]]) -> list[str]:
    """Return the numbers of a case."""
    true, raw = (np.array([record[key] for record in records]) for key in ("true", "observed"))
    by_refits = {refits: [estimate_of(record, refits) for record in records] for refits in (0, FEW, REFITS)}
    estimates = {refits: np.array([each.estimate for each in found]) for refits, found in by_refits.items()}
    misses = {refits: np.abs(found - true) for refits, found in estimates.items()}
    shifts = np.array([shifts_of(record, REFITS) for record in records])
    cells = [_thousandths(np.abs(raw - true)), *map(_thousandths, misses.values())]
    cells += [_with_error(misses[REFITS] - misses[0]), _with_error(shifts.mean(axis=1))]
    within = np.sqrt((shifts.var(axis=1, ddof=1) / REFITS).mean())
    cells += [f"{1e3 * shifts.mean(axis=1).std(ddof=1):.1f}", f"{1e3 * within:.1f}"]
    cells += [f"{1e3 * (estimates[refits] - true).mean():+.1f}" for refits in (0, REFITS)]
    for refits in (0, REFITS):
        held = [each.low <= t <= each.high for each, t in zip(by_refits[refits], true, strict=True)]
        cells.append(f"{100 * np.mean(held):.0f}")
    return [*cells, f"{np.median([record['seconds'] for record in records]):.1f}"]


def _thousandths(values: FloatArray) -> str:
    return f"{1e3 * values.mean():.1f}"


def _with_error(values: FloatArray) -> str:
    return f"{1e3 * values.mean():+.2f} +- {1e3 * values.std(ddof=1) / np.sqrt(values.size):.2f}"


def table_of(folder: Path, streams: list[tuple[str, int, str]]) -> str:
    """Return a line for each family, number of rows and case with two data sets or more, and one for all its cases."""
    lines, together = [], dict[tuple[str, int], list[dict[str, Any]]]()
    for family, n, case in streams:
        records = complete(folder / f"{_stream(family, n, case)}.jsonl")
        if len(records) > 1:
            lines.append([family, f"{n:,}", case, str(len(records)), *line_of(records)])
            together.setdefault((family, n), []).extend(records)
    lines += [[family, f"{n:,}", "all", str(len(all_)), *line_of(all_)] for (family, n), all_ in together.items()]
    misses = ("raw", "stand-in", f"{FEW} refits", f"{REFITS} refits", f"{REFITS} less stand-in")
    shifts = ("shift", "its s.d.", "its s.e. in a set")
    ends = ("bias", "corrected", "coverage", "corrected", "CPU s")
    return markdown(("family", "n", "case", "S", *misses, *shifts, *ends), lines)


def _stream(family: str, n: int, case: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in f"{family} {n} {case}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("debiasing"))
    parser.add_argument("--families", nargs="+", choices=("pl", "pl3"), default=["pl3", "pl"])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(SHOWN))
    parser.add_argument("--n", nargs="+", type=int, default=[1000, 300])
    parser.add_argument("--sets", type=int, default=100)
    parser.add_argument("--table", action="store_true", help="only print what the folder holds")
    given = parser.parse_args()
    streams = [(family, n, case) for family in given.families for n in given.n for case in given.cases]
    for sets in [] if given.table else [*range(ROUND, given.sets, ROUND), given.sets]:
        for family, n, case in streams:
            recorded(
                given.output,
                _stream(family, n, case),
                sets,
                lambda run, family=family, case=case, n=n: record_of(family, case, n, run),  # type: ignore[misc]
            )
    print(machine_facts() + "\n")
    print(table_of(given.output, streams))


if __name__ == "__main__":
    main()
