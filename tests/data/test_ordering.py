"""The order of many weighted rows: that of a lexsort, whatever digits scores differ in."""

import numpy as np
import pytest

from fitontest.data.ordering import FEW_TO_SORT, MOST_WRONG, _argsorted, _sort_key, sorted_rows

N = 3 * FEW_TO_SORT
KINDS = {
    "untied": lambda rng: rng.random(N),
    "single precision": lambda rng: rng.random(N).astype(np.float32).astype(np.float64),
    "two digits": lambda rng: rng.random(N).round(2),
    "near 0": lambda rng: rng.random(N) ** 40,
    "few that differ in their last digits alone": lambda rng: np.where(
        np.arange(N) % 300 == 0, 0.3 + 1e-16 * rng.integers(0, 40, N), rng.random(N)
    ),
    "all nearly equal": lambda rng: 0.5 + 1e-9 * rng.random(N),
    "certain": lambda rng: rng.integers(0, 2, N).astype(float),
}


@pytest.mark.parametrize("kind", KINDS)
def test_many_rows_are_sorted_by_score_label_and_weight(kind):
    rng = np.random.default_rng(0)
    p, y, w = KINDS[kind](rng), rng.integers(0, 2, N), rng.random(N)
    rows = sorted_rows(p, y, w, whole=False)
    order = np.lexsort((w, y, p))
    for found, expected in ((rows.p, p), (rows.y, y), (rows.w, w)):
        np.testing.assert_array_equal(found, expected[order])


def test_few_and_many_rows_out_of_place_are_put_right():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, N)
    for kind, few in (("few that differ in their last digits alone", True), ("all nearly equal", False)):
        key = _sort_key(KINDS[kind](rng), y)
        bits = np.uint64((N - 1).bit_length() + 1)
        by_first_digits = key[np.argsort(key >> bits, kind="stable")]
        wrong = np.count_nonzero(by_first_digits[1:] < by_first_digits[:-1])
        assert wrong > 0
        assert (wrong < MOST_WRONG) == few
        order, ordered = _argsorted(key)
        np.testing.assert_array_equal(ordered, np.sort(key))
        np.testing.assert_array_equal(key[order], ordered)
