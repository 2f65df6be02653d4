"""Entries: the samples that labellings make of them."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.entries import Entries, count_effective_rows, in_tie_order


def of(p, w, n=None):
    p, w = np.array(p, dtype=float), np.array(w, dtype=float)
    n = np.ones(p.size, dtype=int) if n is None else np.array(n)
    return Entries(p, w, n, whole=bool(np.all(w == np.floor(w))))


def assert_same_sample(a, b):
    for name in ("p", "y", "w", "n", "w2"):
        np.testing.assert_array_equal(getattr(a.rows, name), getattr(b.rows, name))
    assert (a.n, a.total, a.whole, a.base_rate) == (b.n, b.total, b.whole, pytest.approx(b.base_rate))


@pytest.mark.parametrize("weights", [[1, 1, 1, 1], [2, 1, 3, 1], [0.5, 2.0, 0.3, 1.0]])
def test_a_labelling_of_rows_is_their_sample(weights):
    p, labels = [0.2, 0.2, 0.2, 0.7], np.array([1, 0, 1, 1])
    assert_same_sample(of(p, weights).sample(labels), fot.ScoreSample(labels, p, weights))


def test_counts_of_whole_rows_are_copies():
    made = of([0.2, 0.7], [4, 2], [4, 2]).sample(np.array([1, 2]))
    assert_same_sample(made, fot.ScoreSample([0, 1, 1], [0.2, 0.2, 0.7], [3, 1, 2]))


def test_counts_of_importances_stay_rows():
    made = of([0.2, 0.7], [2.0, 3.0], [4, 2]).sample(np.array([1, 1]))
    made = Entries(np.array([0.2, 0.7]), np.array([2.0, 3.0]), np.array([4, 2]), whole=False).sample(np.array([1, 1]))
    assert made.rows.n.tolist() == [3, 1, 1, 1]
    np.testing.assert_allclose(made.rows.w, [1.5, 0.5, 1.5, 1.5])
    np.testing.assert_allclose(made.rows.w2, [3 * 0.25, 0.25, 2.25, 2.25])


def test_labels_of_a_tie_are_sorted_as_the_rows_of_a_sample_are():
    entries = of([0.2, 0.2, 0.2, 0.7], [1, 1, 1, 1])
    labels = np.array([[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 1]])
    for column, ordered in zip(labels.T, in_tie_order(entries, labels).T, strict=True):
        np.testing.assert_array_equal(ordered, entries.sample(column).rows.y)


def test_effective_rows():
    assert count_effective_rows(of([0.1, 0.2], [5.0, 5.0])) == 2
    assert count_effective_rows(of([0.1, 0.2], [3.0, 1.0])) == pytest.approx(16 / 10)
    assert count_effective_rows(of([0.1, 0.2], [6.0, 4.0], [6, 4])) == 10
