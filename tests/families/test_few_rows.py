"""Labellings of few rows: each is fitted once, with the values that it has alone."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.entries import entries_of_rows
from fitontest.families import likelihood_many
from fitontest.families.base import Family
from fitontest.families.few_rows import FEW, remembered
from fitontest.families.fits import Fits
from fitontest.results.exceptions import without_warnings


def entries_of(n, w=None):
    p = np.random.default_rng(n).random(n)
    return entries_of_rows(fot.ScoreSample(np.arange(n) % 2, p, w))


def labellings(n, draws):
    return np.random.default_rng(0).integers(0, 2, (n, draws))


@pytest.mark.parametrize(("n", "computed"), [(3, 8), (FEW + 1, 200)])
def test_each_labelling_of_few_rows_is_computed_once(n, computed):
    entries, labels, asked = entries_of(n), labellings(n, 100), []

    def compute(columns):
        asked.append(columns)
        return np.cumsum(columns, axis=0) / 2

    for _ in range(2):
        found = remembered(entries, "sums", labels, compute)
        np.testing.assert_array_equal(found, np.cumsum(labels, axis=0) / 2)
    assert sum(columns.shape[1] for columns in asked) == computed
    np.testing.assert_array_equal(remembered(entries, "others", labels, lambda columns: 2 * columns), 2 * labels)


@pytest.mark.exhaustive
@pytest.mark.parametrize("w", [None, np.arange(1.0, 9.0) / 4], ids=["rows", "importances"])
def test_a_mixture_of_eight_rows_is_that_of_each_labelling(w):
    """Labels that a threshold separates have fits of their own, which hundreds of draws shall not repeat."""
    stacking = fot.families.Stacking(["identity", "platt", "beta"])
    entries, labels = entries_of(8, w), labellings(8, 30)
    with without_warnings():
        found = stacking.fit_many(entries, labels).at()
        np.testing.assert_allclose(found, Family.fit_many(stacking, entries, labels).at(), rtol=0, atol=1e-8)


@pytest.mark.exhaustive
def test_draws_of_eight_rows_are_not_fitted_one_by_one(monkeypatch):
    """Of 200 labellings of 8 rows some 50 fits of each family are made in place of thousands."""
    fitted = []

    def counted(fit_map, entries, positives):
        fitted.append(positives.shape[1])
        return Fits(fit_map, entries, positives)

    monkeypatch.setattr(likelihood_many, "Fits", counted)
    stacking, entries = fot.families.Stacking(["identity", "platt", "beta"]), entries_of(8)
    with without_warnings():
        for _ in range(3):
            stacking.fit_many(entries, labellings(8, 200)).at()
    assert sum(fitted) < 1500
