"""How fast the foundation is: equal-width ECE, choosing the number of bins, isotonic regression, Platt and beta.

Each of our public calls, checks included, runs in turn with a competitor that answers the same question, and the
largest difference between both answers stands next to the times. Run it as ``python benchmarks/foundation.py``;
``--quick`` takes a tenth of the rows and three pairs.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from betacal import BetaCalibration
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit
from sklearn.calibration import _SigmoidCalibration
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold

import fitontest as fot
from comparison import HEADER, Array, Comparison, Fit, Target
from report import machine_facts, markdown, number
from timing import peak_bytes

SEED = 0
ECE_BINS = 15
BLOCK = 65_536
MAX_BINS, FOLDS, TOLERANCE = 40, 10, 1e-3
MEMORY_TARGET = 6.0
RARE = 1e-4


# ---------------------------------------------------------------------------------------------------- the data


def ordinary_scores(n: int) -> tuple[Array, Array]:
    """Return uniform scores and labels that are positive with probability p^1.3."""
    rng = np.random.default_rng(SEED)
    p = rng.random(n)
    return p, (rng.random(n) < p**1.3).astype(np.int64)


def rare_scores(n: int) -> tuple[Array, Array]:
    """Return calibrated scores of mean 1e-4 from a beta distribution, and their labels."""
    rng = np.random.default_rng(SEED)
    p = rng.beta(0.5, 0.5 * (1 / RARE - 1), n)
    return p, (rng.random(n) < p).astype(np.int64)


# ------------------------------------------------------------------------------------------------ equal-width ECE


def our_ece(p: Array, y: Array) -> float:
    return float(fot.calibration_error(y, p, family=fot.Slope1(n_bins=ECE_BINS, scheme="equal_width")))


def bin_sums(p: Array, y: Array) -> Array:
    index = np.minimum((p * ECE_BINS).astype(np.intp), ECE_BINS - 1)
    counts = np.bincount(index, minlength=ECE_BINS)
    return np.array([counts, np.bincount(index, p, ECE_BINS), np.bincount(index, y, ECE_BINS)])


def bin_sums_in_blocks(p: Array, y: Array) -> Array:
    return sum(bin_sums(p[i : i + BLOCK], y[i : i + BLOCK]) for i in range(0, p.size, BLOCK))


def unchecked_ece(sums_of: Fit, p: Array, y: Array) -> float:
    """Return the binned ECE with no check of the arguments; a score an ulp from an edge may be in the wrong bin."""
    _, sum_p, sum_y = sums_of(p, y)
    return float(np.abs(sum_y - sum_p).sum() / p.size)


def ece_comparisons(n: int) -> Iterator[Comparison]:
    p, y = ordinary_scores(n)
    competitors = {"index + 3 bincounts": bin_sums, "the same in blocks": bin_sums_in_blocks}
    for name, sums_of in competitors.items():
        theirs = partial(unchecked_ece, sums_of)
        yield Comparison("equal-width ECE", name, p, y, our_ece, theirs, _distance, Target(ratio=2), pairs=11)


def _distance(a: Any, b: Any) -> float:
    return float(np.max(np.abs(a - b)))


# --------------------------------------------------------------------------------------------- the number of bins


def our_choice(scheme: str, p: Array, y: Array) -> tuple[int, Array]:
    fitted = fot.Slope1(scheme=scheme).fit(p, y)
    return fitted.cv_scores_.choose(TOLERANCE), fitted.cv_scores_.mean


def looped_choice(scheme: str, p: Array, y: Array) -> tuple[int, Array]:
    """Choose the number of bins by fitting the public estimator for each fold and each number."""
    order = np.lexsort((y, p))
    p, y = p[order], y[order]
    scores = np.empty((FOLDS, MAX_BINS))
    folds = KFold(FOLDS, shuffle=True, random_state=0).split(p)
    for fold, (train, held_out) in enumerate(folds):
        p_train, y_train, p_test, y_test = p[train], y[train], p[held_out], y[held_out]
        for n_bins in range(1, MAX_BINS + 1):
            fitted = fot.Slope1(n_bins=n_bins, scheme=scheme).fit(p_train, y_train)
            scores[fold, n_bins - 1] = np.mean((y_test - fitted.predict(p_test)) ** 2)
    mean = scores.mean(axis=0)
    return int(np.argmax(mean <= mean.min() * (1 + TOLERANCE))) + 1, mean


def _same_choice(ours: tuple[int, Array], theirs: tuple[int, Array]) -> float:
    if ours[0] != theirs[0]:
        raise AssertionError(f"the choices differ: {ours[0]} bins here, {theirs[0]} in the loop")
    return _distance(ours[1], theirs[1])


def choice_comparisons(n: int) -> Iterator[Comparison]:
    p, y = ordinary_scores(n)
    for scheme in ("equal_mass", "equal_width"):
        ours, theirs = partial(our_choice, scheme), partial(looped_choice, scheme)
        operation = f"bins by CV, {scheme}"
        target = Target(ratio=1 / 20, ms=30)
        yield Comparison(operation, "estimator per fold and K", p, y, ours, theirs, _same_choice, target, pairs=7)


# -------------------------------------------------------------------------------------------- isotonic regression


def our_isotonic(p: Array, y: Array) -> fot.Isotonic:
    return fot.Isotonic().fit(p, y)


def scipy_isotonic(p: Array, y: Array) -> tuple[Array, Array]:
    order = np.argsort(p)
    return order, isotonic_regression(y[order]).x


def sklearn_isotonic(p: Array, y: Array) -> IsotonicRegression:
    return IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p, y)


def isotonic_comparisons(n: int) -> Iterator[Comparison]:
    p, y = ordinary_scores(n)

    def from_scipy(ours: fot.Isotonic, theirs: tuple[Array, Array]) -> float:
        return _distance(ours.predict(p[theirs[0]]), theirs[1])

    def from_sklearn(ours: fot.Isotonic, theirs: IsotonicRegression) -> float:
        return _distance(ours.predict(p), theirs.predict(p))

    isotonic = partial(Comparison, "isotonic", p=p, y=y, ours=our_isotonic, pairs=11)
    yield isotonic("argsort + scipy", theirs=scipy_isotonic, difference=from_scipy, target=Target(ratio=2))
    yield isotonic("scikit-learn", theirs=sklearn_isotonic, difference=from_sklearn, target=Target(ratio=1))


# ------------------------------------------------------------------------------------------------ Platt and beta


def our_platt(p: Array, y: Array) -> fot.Platt:
    return fot.Platt().fit(p, y)


def our_beta(p: Array, y: Array) -> fot.Beta:
    return fot.Beta().fit(p, y)


def sklearn_sigmoid(p: Array, y: Array) -> Callable[[Array], Array]:
    fitted = _SigmoidCalibration().fit(logit(p), y)
    return lambda scores: fitted.predict(logit(scores))


def sklearn_newton(p: Array, y: Array) -> Callable[[Array], Array]:
    fitted = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10).fit(logit(p)[:, None], y)
    return lambda scores: expit(fitted.coef_[0, 0] * logit(scores) + fitted.intercept_[0])


def betacal_abm(p: Array, y: Array) -> Callable[[Array], Array]:
    with warnings.catch_warnings():  # its fit changes the filters of the whole process
        return BetaCalibration("abm").fit(p, y).predict


def logistic_comparisons(n: int) -> Iterator[Comparison]:
    for rate, (p, y), target in (
        ("rate 0.43", ordinary_scores(n), Target(ratio=1 / 3)),
        ("rate 1e-4", rare_scores(n), Target(ratio=1)),
    ):

        def apart(ours: fot.Family, theirs: Callable[[Array], Array], p: Array = p) -> float:
            return _distance(ours.predict(p), theirs(p))

        logistic = partial(Comparison, p=p, y=y, difference=apart, pairs=11)
        platt = partial(logistic, f"Platt, {rate}", ours=our_platt)
        yield platt("scikit-learn sigmoid", theirs=sklearn_sigmoid, target=target)
        yield platt("newton-cholesky", theirs=sklearn_newton, target=Target())
        yield logistic(f"beta, {rate}", "betacal abm", ours=our_beta, theirs=betacal_abm, target=target)


# ------------------------------------------------------------------------------------------------------ the tables

MEMORY_HEADER = ("operation", "n", "peak / input", "target", "verdict")


def comparisons(divisor: int) -> Iterator[Comparison]:
    """Yield all comparisons, the sizes divided by the divisor."""
    yield from ece_comparisons(10**7 // divisor)
    yield from choice_comparisons(10**4 // divisor)
    yield from isotonic_comparisons(10**6 // divisor)
    yield from logistic_comparisons(10**6 // divisor)


def memory_rows(divisor: int) -> Iterator[list[str]]:
    """Yield a row per call of ours: the peak of memory in sizes of the input, p in float64 and y in int64."""
    many, ordinary, rare = (
        partial(ordinary_scores, 10**7 // divisor),
        partial(ordinary_scores, 10**6 // divisor),
        partial(rare_scores, 10**6 // divisor),
    )
    calls: list[tuple[str, Fit, Callable[[], tuple[Array, Array]]]] = [
        ("equal-width ECE", our_ece, many),
        ("bins by CV, equal_mass", partial(our_choice, "equal_mass"), ordinary),
        ("bins by CV, equal_width", partial(our_choice, "equal_width"), ordinary),
        ("isotonic", our_isotonic, ordinary),
        ("Platt, rate 0.43", our_platt, ordinary),
        ("Platt, rate 1e-4", our_platt, rare),
        ("beta, rate 0.43", our_beta, ordinary),
        ("beta, rate 1e-4", our_beta, rare),
    ]
    for operation, ours, data in calls:
        p, y = data()
        share = peak_bytes(partial(ours, p, y)) / (p.nbytes + y.nbytes)
        met = "met" if share <= MEMORY_TARGET else "not met"
        yield [operation, f"{p.size:,}", number(share), f"<= {MEMORY_TARGET:g}", met]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows and three pairs")
    quick = parser.parse_args().quick
    divisor, pairs = (10, 3) if quick else (1, None)
    print(machine_facts())
    if quick:
        print("Quick run: a tenth of the rows, three pairs. The targets are set for the full sizes.")
    print()
    print(markdown(HEADER, [comparison.row(pairs) for comparison in comparisons(divisor)]))
    print()
    print(markdown(MEMORY_HEADER, list(memory_rows(divisor))))


if __name__ == "__main__":
    main()
