"""What a version of the package says of one data set of known truth: the rows of `rough_truths.py`.

Each thing that is asked of the package is asked in one function, so that names are changed in one place. What an older
version does not have is None. Scripts import this module inside functions: see `two_versions.py`.
"""

from time import process_time
from typing import Any

import numpy as np

import fitontest as fot
from fitontest.results.exceptions import without_warnings
from interval_coverage import CASES as STANDARD_CASES
from rough_cases import CASES, CELLS, GROUPS, STANDARD, draw, draw_in_groups, generator_of
from timing import seconds_of

COLUMNS = (
    *("version", "first_seed", "read_as", "case", "n", "set", "true"),
    *("debiased", "low", "high", "widened_by", "fit_p", "b20", "b40"),  # of the spline
    *("isotonic_debiased", "isotonic_low", "isotonic_high"),
    *("joint_p", "p_spline", "p_isotonic", "p_pairs", "shown", "verdict_b40"),
    *("gate_limit", "gate_outcome", "gate_low", "gate_high", "gate_b20", "gate_b40"),
    "seconds",
)
LIMIT = 0.05  # of the gate where the error is 0
Reading = dict[str, Any]


def readings_of(version: str, first_seed: int, read_as: str, case: str, n: int, numbers: list[int]) -> list[Reading]:
    """Return what is read off each of some data sets of a case."""
    return [reading_of(version, first_seed, read_as, case, n, number) for number in numbers]


def reading_of(version: str, first_seed: int, read_as: str, case: str, n: int, number: int) -> Reading:
    """Return what is read off one data set, with the seconds of CPU that it took."""
    rng = generator_of(first_seed, case, n, number)
    group = None
    if case not in CASES:
        y, p, c = STANDARD_CASES[case.removeprefix(STANDARD)]().draw(n, rng)
    elif read_as == GROUPS:
        y, p, c, group = draw_in_groups(case, n, rng)
    else:
        y, p, c = draw(case, n, rng)
    true = float(np.abs(c - p).mean())
    start = process_time()
    with without_warnings():
        data = fot.Cells.of(y, p) if read_as == CELLS else fot.read(y, p, groups=group)
        evaluation = evaluation_of(data, number)
        found = {
            **spline_of(evaluation),
            **isotonic_of(evaluation),
            **verdict_of(evaluation),
            **(gate_of(data, true or LIMIT, number) if case in CASES else {}),
        }
    place = {"version": version, "first_seed": first_seed, "read_as": read_as, "case": case, "n": n, "set": number}
    return {**place, "true": true, **found, "seconds": process_time() - start}


def evaluation_of(data: Any, seed: int) -> Any:
    """Return the errors of both families with their intervals, which `calibration_error` gives too, and the verdict."""
    return fot.evaluate(data, families=["spline", "isotonic"], interval="always", random_state=seed)


def spline_of(evaluation: Any) -> Reading:
    """Return the error by the default family."""
    estimate = evaluation["spline"]
    interval = estimate.interval
    return {
        "debiased": estimate.debiased,
        "low": interval.low,
        "high": interval.high,
        "widened_by": interval.widened_by,
        "fit_p": getattr(interval, "fit_p_value", None),
        "b20": limit_of(estimate, 20),
        "b40": limit_of(estimate, 40),
    }


def isotonic_of(evaluation: Any) -> Reading:
    """Return the error by isotonic regression."""
    estimate = evaluation["isotonic"]
    ends = {"isotonic_low": estimate.interval.low, "isotonic_high": estimate.interval.high}
    return {"isotonic_debiased": estimate.debiased, **ends}


def verdict_of(evaluation: Any) -> Reading:
    """Return the p-values of the verdict, and whether it says that the scores are miscalibrated.

    Before there was a joint p-value, the verdict had that of the spline.
    """
    verdict = evaluation.verdict
    p_values = getattr(verdict, "p_values", {})
    alone = {name: evaluation[name].null.p_value for name in ("spline", "isotonic")}
    shown = verdict.shown if hasattr(verdict, "shown") else not verdict.calibrated
    return {
        "joint_p": verdict.p_value,
        **{f"p_{name}": p_values.get(name, alone.get(name)) for name in ("spline", "isotonic", "pairs")},
        "shown": int(shown),
        "verdict_b40": limit_of(verdict.estimate, 40),
    }


def gate_of(data: Any, limit: float, seed: int) -> Reading:
    """Return what the gate decides by: outcomes at other limits and resolutions follow."""
    (gate,) = fot.check_calibration(data, max_error=limit, random_state=seed).gates
    return {
        "gate_limit": limit,
        "gate_outcome": gate.outcome,
        "gate_low": gate.interval.low,
        "gate_high": gate.interval.high,
        "gate_b20": limit_of(gate.estimate, 20),
        "gate_b40": limit_of(gate.estimate, 40),
    }


def limit_of(result: Any, resolution: int) -> float | None:
    """Return the largest error that persists over one part in `resolution` of the rows and cannot be excluded."""
    limit = getattr(result, "limit", None)
    return None if limit is None else limit(resolution=resolution)


CALLS = {  # a verdict is made when it is asked for
    "calibration_error": lambda y, p: fot.calibration_error(y, p, interval="always"),
    "evaluate, two families": lambda y, p: fot.evaluate(y, p, families=["spline", "isotonic"]).verdict,
    "evaluate": lambda y, p: fot.evaluate(y, p).verdict,
}


def cpu_seconds(call: str, case: str, n: int, first_seed: int, number: int) -> float:
    """Return the seconds of CPU, of all threads, that a call takes."""
    y, p, _ = draw(case, n, generator_of(first_seed, case, n, number))
    y = y.astype(int)
    with without_warnings():
        return seconds_of(lambda: CALLS[call](y, p), process_time)
