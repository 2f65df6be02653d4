"""The accuracy of the league: estimators and calibrators where the true calibration map is known.

Of an estimator the distance from the true mean |p - c| counts (the debiased root mean square is held against the true
one), of a calibrator the mean |c_hat - c| over scores it was not fitted to; both are means over drawn data sets.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from time import process_time

import numpy as np
from scipy.stats import rankdata

from comparison import Array, Fit
from fitontest.truth import true_error
from league_calibrators import CALIBRATORS
from league_operations import (
    OUR_CALIBRATORS,
    OUR_ESTIMATORS,
    OUR_OTHER_CALIBRATORS,
    OUR_OTHER_ESTIMATORS,
    OUR_OTHER_ROOTS,
    OURS,
    SETS,
    Skipped,
    known_truth,
)
from league_peers import ESTIMATORS, Entry, quiet
from report import markdown, tell

LIMIT = 2.0  # seconds of the processor for one answer, where 70 are asked for
FRESH = 100_000  # points on which a map is held against the truth
MANY = 1_000_000  # points that stand for an expectation
SAME = 1e-6
Asked = tuple[str, str]  # of what kind, and who


@cache
def fresh(name: str) -> tuple[Array, Array]:
    """Return scores and true probabilities that nothing is fitted to."""
    _, p, c = known_truth(name, FRESH, 0 if " " in name else 99)
    return p, c


def true_distance(name: str, power: int) -> float:
    """Return the mean distance of the scores from the truth, or its root mean square, to about 5e-5."""
    _, p, c = known_truth(name, MANY, 98)
    return true_error(p, c) if power == 1 else true_error(p, c, distance="brier") ** 0.5


def all_answers(
    asked: Mapping[Asked, Fit], n: int, seeds: int, judge: Callable[[Fit, Array, Array, str], float], skipped: Skipped
) -> dict[Asked, Array]:
    """Return what the judge says of each answer, shape (sets, seeds), without those that fail or are too slow."""
    left, found = dict(asked), {one: np.empty((len(SETS), seeds)) for one in asked}
    for i, dataset in enumerate(SETS):
        for seed in range(seeds):
            y, p, _ = known_truth(dataset, n, seed)
            for one in list(left):
                tell(f"accuracy: n = {n:,}, {dataset}, seed {seed}, {one}")
                start = process_time()
                try:
                    with quiet():
                        found[one][i, seed] = judge(left[one], p, y, dataset)
                    if np.isnan(found[one][i, seed]):
                        raise ValueError(f"NaN on {dataset!r}")
                    if seed and process_time() - start > LIMIT:
                        raise TimeoutError(f"more than {LIMIT:.0f} s a fit")
                except Exception as error:
                    skipped.add(one[1], f"{one[0]}: accuracy at n = {n:,}", error)
                    del left[one]
    return {one: found[one] for one in left}


def estimator_errors(n: int, seeds: int, power: int, skipped: Skipped) -> list[tuple[str, Array]]:
    """Return the errors of the estimators of the mean distance, or of its root mean square, best first."""
    kinds = ("debiased l2",) if power == 2 else ("ECE, equal width", "ECE, equal mass", "debiased l1", "smooth ECE")
    ours = {kind: OUR_ESTIMATORS[kind] for kind in kinds if kind in OUR_ESTIMATORS}
    asked = _asked(ours | (OUR_OTHER_ROOTS if power == 2 else OUR_OTHER_ESTIMATORS), {k: ESTIMATORS[k] for k in kinds})
    answers = all_answers(asked, n, seeds, lambda estimate, p, y, _: estimate(p, y), skipped)
    truth = np.array([true_distance(name, power) for name in SETS])
    return _best_first({name: np.abs(each - truth[:, None]) for name, each in _merged(answers).items()})


def calibrator_errors(n: int, seeds: int, skipped: Skipped) -> list[tuple[str, Array]]:
    """Return the distances of the calibrators' maps from the truth, best first."""

    def distance(fit: Fit, p: Array, y: Array, dataset: str) -> float:
        q, c = fresh(dataset)
        return float(np.abs(fit(p, y)(q) - c).mean())

    asked = _asked(OUR_CALIBRATORS | OUR_OTHER_CALIBRATORS, CALIBRATORS)
    return _best_first(_merged(all_answers(asked, n, seeds, distance, skipped)))


def _asked(ours: Mapping[str, Fit], theirs: Mapping[str, Sequence[Entry]]) -> dict[Asked, Fit]:
    peers = {(kind, entry.name): entry.answer for kind, entries in theirs.items() for entry in entries}
    return {**{(kind, OURS): answer for kind, answer in ours.items()}, **peers}


def _merged(answers: Mapping[Asked, Array]) -> dict[str, Array]:
    """Return the answers by name, those of one kind that agree on every data set under one name."""
    rows: dict[str, Array] = {}
    for kind in dict.fromkeys(kind for kind, _ in answers):
        left = {who: each for (of, who), each in answers.items() if of == kind}
        while left:
            first = next(iter(left.values()))
            same = [who for who, each in left.items() if np.abs(each - first).max() <= SAME]
            rows[f"{kind}: {', '.join(same)}" + (f" (equal to {SAME:g})" if len(same) > 1 else "")] = first
            left = {who: each for who, each in left.items() if who not in same}
    return rows


def _best_first(errors: Mapping[str, Array]) -> list[tuple[str, Array]]:
    """Return the mean of the errors on each set, in the order of their overall means."""
    return sorted(((name, each.mean(axis=1)) for name, each in errors.items()), key=lambda row: row[1].mean())


def accuracy_table(rows: list[tuple[str, Array]]) -> str:
    """Return a table of a thousand times the errors, with the mean rank over the sets."""
    ranks = np.mean([rankdata(column) for column in zip(*(each for _, each in rows), strict=True)], axis=0)
    table = [
        (name, *(f"{1e3 * value:.1f}" for value in (each.mean(), *each)), f"{rank:.1f}")
        for (name, each), rank in zip(rows, ranks, strict=True)
    ]
    return markdown(("what: of whom", "mean", *SETS, "mean rank"), table)
