"""Bin counts chosen for many label columns at once, against the choice for each by itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fitontest as fot
from fitontest.data.weights import read_weights
from fitontest.families.base import Family
from fitontest.families.bin_count_many import FoldBins, RowLabels, applies, chosen_counts
from fitontest.numerics.random import held_out_rows
from tests.labellings import entries_of_columns
from tests.strategies import noisy, samples

pytestmark = pytest.mark.multiplies

SCHEMES = {"equal_mass": fot.partitions.EqualMass, "equal_width": fot.partitions.EqualWidth}


class OwnBins(fot.partitions.EqualMass):
    """A subclass, which may bin differently."""


def entries_of(n=400, ties=None, weights="unit"):
    """Return entries that are rows, and label columns of several shapes."""
    rng = np.random.default_rng(n)
    w = {"unit": np.ones(n), "whole": rng.integers(1, 4, n).astype(float), "real": rng.lognormal(size=n)}[weights]
    _, p = noisy(n, ties=ties)
    entries, _ = entries_of_columns(p, read_weights(w, "w"))
    chance = np.stack([entries.p**power for power in (0.5, 1.0, 1.4, 3.0)] + [entries.p > 0.4, 0 * entries.p], axis=1)
    return entries, (rng.random(chance.shape) < chance).astype(int)


def folds_of(family, entries, candidates):
    rule = SCHEMES[family.scheme](closed=family.closed)
    held_out = held_out_rows(len(entries), family.cv, family.random_state)
    slope = 1.0 if isinstance(family, fot.Slope1) else 0.0
    return [FoldBins.of(rule, slope, candidates, entries, rows) for rows in held_out], slope


def scores_of_each(family, entries, positives):
    return [family.solve(entries.sample(labels)).attributes["cv_scores_"] for labels in positives.T]


families = pytest.mark.parametrize("family", [fot.Slope1, fot.Flat])
schemes = pytest.mark.parametrize("scheme", SCHEMES)
closures = pytest.mark.parametrize("closed", ["left", "right"])


@families
@schemes
@closures
@given(data=samples(min_size=2), cv=st.integers(2, 6))
@settings(max_examples=10)
def test_the_scores_are_those_of_each_labelling(family, scheme, closed, data, cv):
    """Also empty bins, scores at 0 and 1 and next to them, and labels that are their scores."""
    y, p, w = data
    entries, order = entries_of_columns(p, read_weights(w, "w"))
    if len(entries) < 2:
        return
    if not applies(entries):
        entries, order = entries_of_columns(p, read_weights(np.ones(p.size), "w"))
    positives = np.stack([y, 1 - y, p > 0.5, np.ones(y.size)], axis=1)[order].astype(int)
    chooser = family(scheme=scheme, closed=closed, cv=cv, max_bins=8)
    folds, slope = folds_of(chooser, entries, np.arange(1, 9))
    labels = RowLabels.of(entries, positives, slope)
    scores = np.array([fold.scores(labels) for fold in folds])
    expected = np.stack([each.folds for each in scores_of_each(chooser, entries, positives)], axis=-1)
    np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)


@families
@schemes
@closures
@pytest.mark.parametrize(("ties", "weights"), [(None, "unit"), (2, "unit"), (None, "whole"), (None, "real")])
def test_the_number_and_the_values_are_those_of_each_labelling(family, scheme, closed, ties, weights):
    entries, positives = entries_of(200, ties=ties, weights=weights)
    chooser = family(scheme=scheme, closed=closed)
    folds, slope = folds_of(chooser, entries, np.arange(1, 41))
    chosen = chosen_counts(np.arange(1, 41), folds, RowLabels.of(entries, positives, slope), chooser.tolerance)
    assert chosen.tolist() == [each.choose(chooser.tolerance) for each in scores_of_each(chooser, entries, positives)]
    expected = Family.fit_many(chooser, entries, positives).at()
    np.testing.assert_allclose(chooser.fit_many(entries, positives).at(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "settings",
    [{"scoring": "log_loss"}, {"max_bins": 70}, {"random_state": None}, {"scheme": OwnBins()}],
    ids=["log_loss", "many bins", "fresh folds", "own scheme"],
)
def test_what_has_no_sums_is_fitted_one_after_the_other(settings):
    entries, positives = entries_of(60)
    assert not fot.Slope1(**settings).fit_many(entries, positives).shared


def test_the_rows_of_weighted_ties_have_no_order_before_they_have_labels():
    entries, positives = entries_of(ties=1, weights="real")
    assert not applies(entries)
    expected = Family.fit_many(fot.Slope1(), entries, positives).at()
    np.testing.assert_allclose(fot.Slope1().fit_many(entries, positives).at(), expected, rtol=0, atol=1e-12)


def test_a_single_row_leaves_nothing_to_hold_out():
    entries, _ = entries_of_columns(np.array([0.3]), read_weights(np.ones(1), "w"))
    assert fot.Slope1().fit_many(entries, np.array([[0, 1]])).at().tolist() == [[0.0, 1.0]]


@pytest.mark.parametrize(("name", "value"), [("cv", 1), ("max_bins", 0), ("tolerance", -1), ("scoring", "hinge")])
def test_refusals_name_the_argument(name, value):
    with pytest.raises(ValueError, match=name):
        fot.Slope1(**{name: value}).fit_many(*entries_of(20)).at()
