"""The problems of the pseudo-real study: scores of a classifier behind a calibrator, and their true maps.

The true map of scores is not a formula. It is estimated from a million fresh rows in four ways: by isotonic regression
of their labels (as in the paper), by the label model's own probabilities (means in 200 bins, joined by lines), and by
100 bins of equal mass with tops of slope 1 and flat ones (the paper's other truths).
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import fitontest as fot
from pseudo_real_data import Array, Scored

TRUTHS = ("isotonic", "label model", "slope 1", "flat")
CONFIDENCE = "confidence"
MOST_CLASSES = 3  # against the rest, the most frequent ones, as the paper took three of ten
GRID = 20_000  # scores that a map is compared with the truth at, for 1,000,000 / GRID rows each
MODEL_BINS = 200
CLASSWISE = {
    "ES_sweep": lambda: fot.Slope1("sweep"),
    "PL3": fot.PL3,
    "PL": fot.PL,
    "Platt": fot.Platt,
    "beta": fot.Beta,
    "isotonic": fot.Isotonic,
    "ScaleBin": fot.families.ScalingBinning,
    "TempS, class against rest": lambda: fot.families.Temperature(mix=False),
    "Spline": fot.families.CumulativeSpline,
    "spline (defaults)": fot.Spline,
    "stacking (defaults)": fot.families.Stacking,
}
WHOLE = {
    "TempS": lambda: fot.families.Temperature(mix=False),
    "VecS": lambda: fot.families.Vector(penalty=None),
    "dirL2": lambda: fot.families.make("dir_l2"),
    "dirODIR": lambda: fot.families.make("dir_odir"),
    "MSODIR": lambda: fot.families.make("msodir"),
    "IOP": lambda: fot.families.make("order_invariant"),
}
CALIBRATORS = ("none", *WHOLE, *CLASSWISE)
EVALUATED = ("beta", "VecS", "Platt", "PL3", "ScaleBin", "isotonic")  # what the evaluators judge, as in the paper


@dataclass(frozen=True)
class Binary:
    """A calibration problem of two classes.

    Attributes
    ----------
    p, truth : array
        Scores, and the label model's probability that the label is 1.
    y : array of 0 and 1
    """

    p: Array
    truth: Array
    y: NDArray[np.int64]


def tasks(rows: Scored) -> list[str]:
    """Return the tasks of a table: its most frequent classes against the rest (one of two), and confidence."""
    frequent = np.argsort(-rows.truth.mean(axis=0), kind="stable")[:MOST_CLASSES]
    classes = [1] if rows.truth.shape[1] == 2 else sorted(frequent.tolist())
    return [f"class {k}" for k in classes] + [CONFIDENCE]


def reduced(rows: Scored, task: str) -> Binary:
    """Return the problem of two classes that a task makes of scores of several classes."""
    if task == CONFIDENCE:
        top = rows.scores.argmax(axis=1)
        own = np.arange(top.size)
        return Binary(rows.scores[own, top], rows.truth[own, top], (rows.y == top).astype(np.int64))
    k = int(task.removeprefix("class "))
    return Binary(rows.scores[:, k], rows.truth[:, k], (rows.y == k).astype(np.int64))


def calibrated(rows: Scored, task: str, names: Iterable[str]) -> Iterator[tuple[str, Callable[[Scored], Binary]]]:
    """Yield each calibrator's name, and what it makes of other rows, fitted to these."""
    reduction = reduced(rows, task)
    for name in names:
        if name in WHOLE:
            yield name, _whole(WHOLE[name]().fit(rows.scores, rows.y), task)
        elif name in CLASSWISE:
            yield name, _classwise(CLASSWISE[name]().fit(reduction.p, reduction.y), task)
        else:
            yield name, lambda other: reduced(other, task)


def _whole(fitted: fot.families.MulticlassFamily, task: str) -> Callable[[Scored], Binary]:
    return lambda rows: reduced(Scored(fitted.predict_proba(rows.scores), rows.truth, rows.y), task)


def _classwise(fitted: fot.Family, task: str) -> Callable[[Scored], Binary]:
    def apply(rows: Scored) -> Binary:
        one = reduced(rows, task)
        return Binary(fitted.predict(one.p, clip=True), one.truth, one.y)

    return apply


@dataclass(frozen=True)
class TrueMaps:
    """The true maps of scores at their distinct values; arrays of truths have a row for each of `TRUTHS`."""

    p: Array
    weight: Array
    c: Array

    @classmethod
    def of(cls, fresh: Binary) -> "TrueMaps":
        """Estimate them from a million rows."""
        p, where, counts = np.unique(fresh.p, return_inverse=True, return_counts=True)
        weight = counts / fresh.p.size
        by_model = model_map(p, weight, np.bincount(where, fresh.truth) / counts)
        families = (fot.Isotonic(), fot.Slope1(100), fot.Flat(100))
        isotonic, slope_one, flat = (family.fit(fresh.p, fresh.y).predict(p) for family in families)
        return cls(p, weight, np.array([isotonic, by_model, slope_one, flat]))

    def at(self, p: Array) -> Array:
        """Return the truths at scores."""
        return np.array([np.interp(p, self.p, c) for c in self.c])

    def errors(self) -> Array:
        """Return the true mean error of the scores by each truth."""
        return np.abs(self.c - self.p) @ self.weight

    def distance(self) -> Array:
        """Return how far the first truth is from each, on average over the rows."""
        return np.abs(self.c - self.c[0]) @ self.weight

    def grid(self) -> "TrueMaps":
        """Return them at no more than `GRID` scores, the quantiles of the rows."""
        if self.p.size <= GRID:
            return self
        at = np.searchsorted(np.cumsum(self.weight), (np.arange(GRID) + 0.5) / GRID)
        kept, counts = np.unique(np.minimum(at, self.p.size - 1), return_counts=True)
        return TrueMaps(self.p[kept], counts / GRID, self.c[:, kept])


def model_map(p: Array, weight: Array, truth: Array) -> Array:
    """Return the mean truth as a function of the score: means in bins of equal mass, joined by lines.

    A score that many rows share has a bin of its own, and there the mean is that of its rows.
    """
    middle = np.cumsum(weight) - weight / 2
    bins = np.unique(np.minimum((middle * MODEL_BINS).astype(np.int64), MODEL_BINS - 1), return_inverse=True)[1]
    mass = np.bincount(bins, weight)
    return np.interp(p, np.bincount(bins, weight * p) / mass, np.bincount(bins, weight * truth) / mass)


@dataclass(frozen=True)
class Judged:
    """What the evaluators get to see of a calibrator's test rows, and the truth that they are held against."""

    test: Binary
    truths: Array
    grid: TrueMaps

    def save(self, path: Path) -> None:
        """Write it to a file, which is there only when it is complete."""
        draft = path.with_suffix(".draft.npz")
        np.savez(
            draft,
            p=self.test.p,
            y=self.test.y.astype(np.int8),
            c=self.truths.astype(np.float32),
            grid_p=self.grid.p,
            grid_weight=self.grid.weight,
            grid_c=self.grid.c,
        )
        draft.replace(path)

    @classmethod
    def load(cls, path: Path) -> "Judged":
        """Read it from a file."""
        with np.load(path) as found:
            p, y, c = found["p"], found["y"].astype(np.int64), found["c"].astype(np.float64)
            return cls(Binary(p, c[1], y), c, TrueMaps(found["grid_p"], found["grid_weight"], found["grid_c"]))
