"""What the league measures: our call for each question, the entries that meet it, and the data.

Our calls are the public ones, with all their checks. An operation asks an estimator for its number, or has a calibrator
fitted to the scores and calibrate them, or has one that is fitted already calibrate them.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

import fitontest as fot
from comparison import Array, Fit
from fitontest.datasets import Planted
from league_calibrators import CALIBRATORS
from league_peers import BINS, ESTIMATORS, Entry
from timing import Call
from truth_sets import SIX, draw

SEED = 0
CLASSES = 5
OURS = "fitontest"

# ---------------------------------------------------------------------------------------------------- the data


def ordinary_scores(n: int) -> tuple[Array, Array]:
    """Return uniform scores and labels that are positive with probability p^1.3."""
    rng = np.random.default_rng(SEED)
    p = rng.random(n)
    return p, (rng.random(n) < p**1.3).astype(np.int64)


def class_scores(n: int) -> tuple[Array, Array]:
    """Return a matrix of overconfident scores of five classes, and labels."""
    rng = np.random.default_rng(SEED)
    z = rng.normal(0, 1.5, (n, CLASSES))
    scores, truth = (_softmax(temperature * z) for temperature in (1.3, 1.0))
    labels = (truth.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return scores, np.minimum(labels, CLASSES - 1)


def _softmax(z: Array) -> Array:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


SETS = (*SIX, "calibrated")
CALIBRATED = Planted(lambda rng, n: rng.random(n), lambda p: p)


def known_truth(name: str, n: int, seed: int) -> tuple[Array, Array, Array]:
    """Return (y, p, c) of one of the sets; "calibrated" has uniform scores that are their own truth."""
    if name != "calibrated":
        return draw(name, n, seed)
    return CALIBRATED.draw(n, np.random.default_rng([n, seed]))


# ------------------------------------------------------------------------------------------------ our estimators


def our_error(family: fot.Family | str, **settings: object) -> Fit:
    return lambda p, y: float(fot.calibration_error(y, p, family=family, **settings))


def our_gce(norm: str) -> Fit:
    return lambda p, y: float(fot.gce(y, p, n_bins=BINS, norm=norm))


def our_part(scoring: str) -> Fit:
    """Return the part of a score that an isotonic map repairs; the identity alone is compared with nothing."""

    def miscalibration(p: Array, y: Array) -> float:
        compared = fot.compare_calibrators(y, p, families=["identity"], rule="one_se", evaluators=[], scoring=scoring)
        return compared["identity"].parts.calibration

    return miscalibration


EQUAL_WIDTH, EQUAL_MASS = fot.Slope1(BINS, "equal_width"), fot.Slope1(BINS, "equal_mass")
OUR_ESTIMATORS: dict[str, Fit] = {
    "ECE, equal width": our_error(EQUAL_WIDTH),
    "ECE, equal mass": our_error(EQUAL_MASS),
    "ECE, sweep": our_error(fot.Slope1("sweep")),
    "debiased l2": our_error(EQUAL_MASS, norm="l2", debias=True),
    "debiased l1": our_error(EQUAL_MASS, debias=True),
    "MCE": our_error(EQUAL_WIDTH, norm="max"),
    "ICI by loess": our_error("loess"),
    "ECE, class-wise": our_error(EQUAL_WIDTH, reduction="classwise"),
    "debiased l2, class-wise": our_error(EQUAL_MASS, norm="l2", debias=True, reduction="classwise"),
    "ECE, confidence": our_error(EQUAL_WIDTH, reduction="confidence"),
    "debiased l2, confidence": our_error(EQUAL_MASS, norm="l2", debias=True, reduction="confidence"),
    "Brier score in parts": our_part("brier"),
    "log loss in parts": our_part("log_loss"),
}
OUR_OTHER_ESTIMATORS: dict[str, Fit] = {
    "slope1": our_error("slope1"),
    "slope1, debiased": our_error("slope1", debias=True),
    "slope1, sweep": our_error(fot.Slope1("sweep")),
    "slope1, sweep, debiased": our_error(fot.Slope1("sweep"), debias=True),
    **{
        name: our_error(name)
        for name in ("spline", "pl", "pl3", "isotonic", "beta", "platt", "temperature", "stacking")
    },
}
OUR_OTHER_ROOTS: dict[str, Fit] = {
    "slope1, debiased": our_error("slope1", norm="l2", debias=True),
    "slope1, sweep, debiased": our_error(fot.Slope1("sweep"), norm="l2", debias=True),
    "spline": our_error("spline", norm="l2"),
    "pl": our_error("pl", norm="l2"),
    "pl3": our_error("pl3", norm="l2"),
}

# ----------------------------------------------------------------------------------------------- our calibrators


def our_map(make: Callable[[], fot.Family]) -> Fit:
    return lambda p, y: make().fit(p, y).predict


OUR_CALIBRATORS: dict[str, Fit] = {
    "isotonic": our_map(fot.Isotonic),
    "Venn-Abers": our_map(fot.families.VennAbers),
    "Platt": our_map(fot.Platt),
    "beta": our_map(fot.Beta),
    "temperature": our_map(fot.families.Temperature),
    "histogram, equal width": our_map(partial(fot.Flat, BINS, "equal_width")),
    "histogram, equal mass": our_map(partial(fot.Flat, BINS, "equal_mass")),
    "scaling-binning": our_map(partial(fot.families.ScalingBinning, BINS)),
    "polygon of 3": our_map(partial(fot.PL, 3, loss="brier", ensemble=False, alpha=0, kappa=0)),
}
OUR_OTHER_CALIBRATORS: dict[str, Fit] = {
    name: our_map(partial(fot.families.make, name))
    for name in ("spline", "pl", "pl3", "stacking", "flat", "pava_bc", "identity")
}

# ---------------------------------------------------------------------------------------------------- operations


def asked(answer: Fit, p: Array, y: Array) -> Call:
    """Return the call that asks an estimator."""
    return partial(answer, p, y)


def fitted_and_predicted(fit: Fit, p: Array, y: Array) -> Call:
    """Return the call that fits a calibrator to the scores and calibrates them."""
    return lambda: fit(p, y)(p)


def predicted(fit: Fit, p: Array, y: Array) -> Call:
    """Return the call that calibrates the scores; the calibrator is fitted here and now."""
    return partial(fit(p, y), p)


@dataclass(frozen=True)
class Operation:
    """A question that we and the entries answer, on data of any number of rows."""

    name: str
    ours: Fit
    entries: Sequence[Entry]
    bind: Callable[[Fit, Array, Array], Call] = asked
    data: Callable[[int], tuple[Array, Array]] = field(default=ordinary_scores)

    def answer(self, who: str) -> Fit:
        """Return our answer or that of the entry of this name."""
        return self.ours if who == OURS else next(entry.answer for entry in self.entries if entry.name == who)


def _operations() -> list[Operation]:
    of_classes = ("class-wise", "confidence")
    found = [
        Operation(name, ours, ESTIMATORS[name], data=class_scores if name.endswith(of_classes) else ordinary_scores)
        for name, ours in OUR_ESTIMATORS.items()
    ]
    found.append(Operation("MCE by gce", our_gce("max"), ESTIMATORS["MCE"]))
    found += [Operation(name, ours, CALIBRATORS[name], fitted_and_predicted) for name, ours in OUR_CALIBRATORS.items()]
    found += [
        Operation(f"{name}, predict", OUR_CALIBRATORS[name], CALIBRATORS[name], predicted)
        for name in ("isotonic", "beta")
    ]
    return found


OPERATIONS = {operation.name: operation for operation in _operations()}


class Skipped:
    """What was left out, by reason."""

    def __init__(self) -> None:
        self.reasons: dict[tuple[str, str], list[str]] = defaultdict(list)

    def add(self, who: str, what: str, reason: Exception | str) -> None:
        """Note who was left out of what, and why: of an exception the first line."""
        if isinstance(reason, Exception):
            lines = str(reason).splitlines() or [""]
            reason = f"{type(reason).__name__}: {lines[0]}"
        self.reasons[who, reason].append(what)

    def listed(self) -> list[tuple[str, str, str]]:
        """Return who was left out of what, and why."""
        return [(who, each, reason) for (who, reason), what in self.reasons.items() for each in what]

    def __str__(self) -> str:
        lines = [f"* {who} ({', '.join(what)}): {reason}" for (who, reason), what in self.reasons.items()]
        return "\n".join(("Left out:", "", *lines)) if lines else "Nothing was left out."
