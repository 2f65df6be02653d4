"""Families refitted once for several measures: the numbers of each measure by itself, from fewer fits."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.evaluation.measuring import measure_data
from fitontest.families.spline import Spline
from fitontest.measures.plug_in import PlugIn
from fitontest.uncertainty.redrawing import Redrawing, estimate_of, estimates_of
from fitontest.uncertainty.shared_refits import SharedRefits
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

NORMS = {"spline": ("l1", "q50", "q90", "max", "squared"), "isotonic": ("l2", "q90")}
REDRAWING = Redrawing(interval="always", draws=15, null_draws=20)


def same(one, other):
    assert one.value == other.value
    assert one.interval == other.interval
    assert one.debiased == other.debiased
    assert one.interval_reason == other.interval_reason
    assert one.limits == other.limits
    np.testing.assert_array_equal(one.null.values, other.null.values)


def of_measures():
    decisions = [fot.measures.make("decision_loss", threshold=t) for t in (0.2, 0.4)]
    return [*(PlugIn(family, norm) for family, norms in NORMS.items() for norm in norms), *decisions]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"sample_weight": np.arange(150) % 3},
        {"sample_weight": 0.5 + np.arange(150) % 7, "weights": "importances"},
        {"groups": np.arange(150) // 3},
    ],
    ids=["rows", "counts", "importances", "groups"],
)
def test_estimates_of_several_measures_are_those_of_each(settings):
    y, p = noisy(150)
    measures = [measure.seeded(0) for measure in of_measures()]
    together = estimates_of(measures, fot.read(y, p, **settings), redrawing=REDRAWING)
    sample = fot.read(y, p, **settings)
    for measure, estimate in zip(measures, together, strict=True):
        same(estimate, estimate_of(measure, sample, redrawing=REDRAWING))
        if estimate.family == "isotonic":  # whose fit has no folds: weights mean the same in both
            assert estimate.null.observed == pytest.approx(estimate.value, abs=1e-12)


def count_columns(monkeypatch):
    """Return a list that grows by the number of labellings whenever a spline is fitted to several."""
    fitted, fit_many = [], Spline.fit_many

    def counted(self, entries, positives):
        fitted.append(positives.shape[1])
        return fit_many(self, entries, positives)

    monkeypatch.setattr(Spline, "fit_many", counted)
    return fitted


def test_a_family_is_fitted_once_for_all_norms_of_order(monkeypatch):
    """Of q50, q90 and max as often as of the mean alone."""
    y, p = noisy(200)
    fitted = count_columns(monkeypatch)
    labels = {}
    for norms in (("l1",), ("l1", "q50", "q90", "max"), ("q90",)):
        fitted.clear()
        estimates_of([PlugIn("spline", norm) for norm in norms], fot.read(y, p), redrawing=REDRAWING)
        labels[norms] = sum(columns for columns in fitted if columns > 1)
    assert len(set(labels.values())) == 1


class Slow(fot.Isotonic):
    """A family in whose place a spline is refitted."""

    def stand_in(self):
        return Spline(random_state=0)


def test_a_stand_in_and_the_family_that_it_is_are_fitted_once(monkeypatch):
    y, p = noisy(200)
    measures = [
        PlugIn(family, label=label) for family, label in ((Spline(), "one"), (Slow(), "two"), (Slow(), "three"))
    ]
    alone = [estimate_of(measure, fot.read(y, p), redrawing=REDRAWING) for measure in measures]
    fitted = count_columns(monkeypatch)
    together = measure_data(fot.read(y, p), measures, REDRAWING).estimates
    for estimate, other in zip(together, alone, strict=True):
        same(estimate, other)
    nulls = [columns for columns in fitted if columns == REDRAWING.null_draws]
    assert len(nulls) == 1


def test_what_is_not_alike_is_not_shared():
    shared = SharedRefits.of(
        [
            PlugIn("isotonic"),
            PlugIn(fot.Isotonic()),
            PlugIn(fot.Slope1(5)),
            PlugIn(fot.Slope1(6)),
            PlugIn(fot.Slope1(5), "q90"),
            PlugIn(fot.Spline(random_state=np.random.RandomState(0))),
            PlugIn(fot.Spline(random_state=np.random.RandomState(0))),
            PlugIn(fot.Slope1(5), debias=True),
            PlugIn(fot.maps.IdentityMap()),
            fot.measures.make("brier"),
        ]
    )
    alike = [[k for k, other in enumerate(shared.refits) if one.shares_fits_with(other)] for one in shared.refits]
    assert alike == [[0], [1], [2, 4], [3], [2, 4], [5], [6], [7], [8], [9]]
    assert shared.chain_measure(shared.refits[4].measure) is shared.refits[2].measure
    assert shared.chain_measure(shared.refits[0].measure) is shared.refits[0].measure


def test_the_truths_of_a_quantile_are_those_of_the_mean():
    measure = PlugIn("spline", "q90")
    assert measure.chain_measure.total.name == "l1"
    assert measure.chain_measure.family == "spline"
    assert PlugIn("spline", "l2").chain_measure is None
    shared = SharedRefits.of([measure])
    assert [refit.measure.total.name for refit in shared.refits] == ["q90", "l1"]
