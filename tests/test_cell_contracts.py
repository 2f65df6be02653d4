"""What every measure promises of cells, checked over the registries: a new measure is tested by existing.

On cells a measure has the value of the rows to a stated tolerance, or it warns, or it is refused.
"""

import warnings
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import fitontest as fot
from tests.test_measure_contracts import NEEDED
from tests.test_measure_contracts import VARIANTS as MEASURES

N = 200_000
FEWER = 30_000  # where the tolerances hold of fewer rows too: those of uniform scores do not
SLOW = {"pl", "pl3", "pl_de", "stacking"}  # which have grids of their own, and folds
FAMILIES = {name: fot.measures.PlugIn(name) for name in fot.families.names("two") if name not in SLOW}
BLOCKS = fot.measures.KernelError(estimator="block", block_size=400, random_state=3)  # more rows, less time
VARIANTS = {**MEASURES, **FAMILIES, "kernel-block": BLOCKS}
COARSE = {"kernel-rbf", "kernel-rbf-block", "a callable"}  # refused at so many rows or scores, or slow
TOLERANCES = {  # docs/large_data.md has them too
    "fraction": 1e-4,
    "nats": 1e-4,
    "correlation": 1e-4,
    "standard deviations": 0.3,
    "ratio": 2e-4,
    "logits": 2e-4,
    "deviance": 1e-4,
    "chi-square": 30.0,  # of values up to 65,000
}
LARGE = {
    "eci": 3e-3,
    "eci-platt": 3e-3,
    "eci-isotonic-normalised": 1e-3,
    "tce": 0.01,
    "tce-t": 0.01,
    "mce": 1e-3,
    "mce-edges": 1e-3,
    "isotonic-max": 2e-3,
    "kernel-block": 1e-3,
}


def logistic(z):
    return 1.0 / (1.0 + np.exp(-z))


def uniform(rng, n):
    return rng.random(n)


SCORES = {
    "uniform": uniform,
    "nearly certain": lambda rng, n: logistic(rng.normal(0, 6, n)),
    "rounded": lambda rng, n: np.round(rng.random(n), 5),
    "few values": lambda rng, n: rng.choice([0.1, 0.3, 0.55, 0.9], n),
    "spikes": lambda rng, n: np.where(rng.random(n) < 0.3, rng.integers(0, 2, n), rng.random(n)),
    "within a tenth": lambda rng, n: 0.3 + 0.03 * np.clip(rng.normal(0, 1, n), -4, 4),
    "narrow": lambda rng, n: 0.3 + 1e-4 * rng.normal(0, 1, n),
}
ROWS = dict.fromkeys(SCORES, FEWER) | {"uniform": N, "nearly certain": N // 2, "rounded": 60_000, "spikes": 60_000}
WEIGHTS = {
    "counts": lambda rng, n: rng.integers(0, 5, n).astype(float),
    "importances": lambda rng, n: rng.lognormal(0, 1, n),
}


@cache
def samples(scores, weights=None, exact=False):
    """Return the rows, and the cells."""
    rng = np.random.default_rng(0)
    p = SCORES[scores](rng, ROWS[scores])
    width = {"narrow": 1e-4, "within a tenth": 0.03}.get(scores)
    c = logistic((p - 0.3) / width) if width else np.clip(p, 0.01, 0.99) ** 1.2
    y = rng.random(p.size) < c
    w = None if weights is None else WEIGHTS[weights](rng, p.size)
    return fot.ScoreSample(y, p, w), fot.Cells.of(y, p, w, exact=exact)


def value_of(measure, sample):
    """Return the value, or None and the message where the data are refused."""
    try:
        return measure.estimate(sample).value, ""
    except ValueError as error:
        return None, str(error)


def quiet_value_of(measure, sample):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        return value_of(measure, sample)


@cache
def value_of_rows(name, scores):
    """Return the value of a variant, which cells of several kinds are compared with."""
    return quiet_value_of(VARIANTS[name], samples(scores)[0])


@cache
def cells_of_groups(scores):
    """Return the cells of the rows, kept by group and put together again."""
    rows, _ = samples(scores)
    group = np.random.default_rng(1).integers(0, 100, rows.n)
    cells = fot.Cells.of(rows.y, rows.p, groups=group)
    return fot.Cells(cells.sums.ungrouped, cells.resolution)  # groups change what is held out, not the scores


def check(measure, of_rows, cells, tolerance):
    """Check the contract: the value of the rows, a warning, or a refusal that speaks of cells."""
    expected, refused = of_rows
    if refused:
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found, message = value_of(measure, fot.Cells(cells.sums, cells.resolution).sample())  # which says it once
    if found is None or any("cell" in str(one.message) for one in caught):
        assert not cells.exact
        assert found is not None or "cells" in message
        return
    assert abs(found - expected) <= tolerance, (found, expected)


def tolerance_of(name, measure):
    return LARGE.get(name, TOLERANCES.get(measure.unit, 0.0))


@pytest.mark.parametrize("scores", SCORES)
@pytest.mark.parametrize("name", [name for name in VARIANTS if name not in COARSE])
def test_a_measure_of_cells_is_that_of_the_rows_or_says_so(name, scores):
    if name in FAMILIES and scores in ("rounded", "few values"):
        return  # as the uniform ones, and as with exact cells
    check(VARIANTS[name], value_of_rows(name, scores), samples(scores)[1], tolerance_of(name, VARIANTS[name]))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("name", fot.measures.names("two"))
def test_weights_change_nothing_of_that(name, weights):
    measure = fot.measures.make(name, **NEEDED.get(name, {}))
    rows, cells = samples("uniform", weights)
    check(measure, quiet_value_of(measure, rows), cells, 3 * tolerance_of(name, measure))


@pytest.mark.parametrize("name", fot.measures.names("two"))
def test_exact_cells_lose_nothing(name):
    measure = fot.measures.make(name, **NEEDED.get(name, {}))
    of_rows, (_, cells) = value_of_rows(name, "rounded"), samples("rounded", exact=True)
    check(measure, of_rows, cells, {"plug_in": 1e-5, "eci": 1e-3}.get(name, 1e-11))


@pytest.mark.parametrize("scores", ["uniform", "nearly certain", "few values"])
@pytest.mark.parametrize("name", [name for name in VARIANTS if name not in COARSE])
def test_cells_by_group_are_wider_and_lose_five_times_as_much_at_most(name, scores):
    tolerance = 5 * tolerance_of(name, VARIANTS[name])
    check(VARIANTS[name], value_of_rows(name, scores), cells_of_groups(scores), tolerance)


@dataclass(frozen=True)
class CountedCells(fot.Measure):
    "A measure that takes cells for scores, as no measure may."

    unit = "count"

    def estimate(self, sample):
        return fot.measures.Estimate.of(self, sample, float(len(sample.distinct)))


def test_a_measure_that_counts_cells_breaks_the_promise():
    rows, cells = samples("uniform")
    of_rows = value_of(CountedCells(), rows)
    with pytest.raises(AssertionError):
        check(CountedCells(), of_rows, cells, 1.0)


def test_classes_are_cells_too():
    rng = np.random.default_rng(0)
    scores = rng.dirichlet([1, 1, 1], 20_000)
    y = (scores.cumsum(axis=1) > rng.random((20_000, 1))).argmax(axis=1)
    cells = fot.data.ClassCells({k: fot.Cells.of(y == k, scores[:, k]) for k in range(3)})
    options = {"measures": ["ece", "auc", "rmse"], "interval": None}
    found, expected = fot.evaluate(cells, **options), fot.evaluate(y, scores, reduction="classwise", **options)
    for name in ("ece", "auc", "rmse"):
        for k in range(3):
            assert float(found[name][k]) == pytest.approx(float(expected[name][k]), abs=5e-4)
    with pytest.raises(ValueError, match="probabilistic_count must have every score, and cells keep one"):
        fot.evaluate(cells, measures=["probabilistic_count"])


def test_the_frontier_of_readable_maps_needs_every_score():
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    y = rng.random(3000) < p
    options = {"families": ["platt"], "evaluators": [], "interpretability": True}
    with pytest.raises(ValueError, match="interpretability=True must have every score, and cells keep one"):
        fot.compare_calibrators(fot.Cells.of(y, p), **options)
    exact = fot.compare_calibrators(fot.Cells.of(y, p, exact=True), **options)
    assert exact["platt"].interpretability.probabilistic_count == pytest.approx(3000)


def test_cells_that_hold_most_rows_are_told_of():
    rng = np.random.default_rng(0)
    y, p = rng.random(1000) < 0.5, 0.3 + 1e-4 * rng.random(1000)
    with pytest.warns(fot.CalibrationWarning, match=r"few cells hold most of the rows: of pairs of rows \d+ % share"):
        fot.Cells.of(y, p).sample()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fot.Cells.of(y, p, exact=True).sample()
        fot.Cells.of(y, np.full(1000, 0.3)).sample()
        fot.Cells.of(y[:9], np.linspace(0.5, 0.500001, 9)).sample()  # of so few rows, by chance
        fot.Cells.of(rng.random(60) < 0.5, rng.random(60)).sample()
