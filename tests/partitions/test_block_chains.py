"""The vectorised stack of PAVA-BC gives the blocks of the plain one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.partitions.block_chains import EXACT_LONG, chain_starts, chains_apply
from fitontest.partitions.pava_bc import Limits, _stack_starts, _tail_start
from tests.strategies import WHOLE_WEIGHTS, samples

SHAPES = {
    "calibrated": lambda p: p,
    "convex": lambda p: p**2,
    "falling": lambda p: 1 - p,
    "flat": lambda p: np.full(p.size, 0.5),
    "rare": lambda p: p * 0.01,
    "step down": lambda p: np.where(p > 0.5, 0.02, 0.9),
}


def both(sample, n_min, n_max):
    groups = sample.distinct
    body = _tail_start(groups.w, Limits(n_min, n_max, 0.0))
    return chain_starts(groups, n_min, n_max, body), _stack_starts(groups, n_min, n_max, body, 0.0, False)


@given(data=samples(weights=WHOLE_WEIGHTS, max_size=80), low=st.integers(1, 30), more=st.integers(0, 100))
def test_equal_to_the_plain_stack_on_small_samples(data, low, more):
    y, p, w = data
    sample = fot.ScoreSample(y, p, w)
    chains, plain = both(sample, low, low + int(sample.distinct.w.max()) + more)
    assert chains == plain


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("ties", [None, 3])
@pytest.mark.parametrize(("parts_min", "parts_max"), [(20, 5), (20, 1), (7, 3), (100, 30), (20, 19)])
def test_equal_to_the_plain_stack_on_large_samples(shape, ties, parts_min, parts_max):
    rng = np.random.default_rng(5)
    p = rng.random(20_000) if ties is None else rng.random(20_000).round(ties)
    y = rng.random(p.size) < SHAPES[shape](p)
    sample = fot.ScoreSample(y, p)
    n_min, n_max = p.size // parts_min, p.size // parts_max
    if sample.distinct.w.max() + n_min > n_max:
        n_max = n_min + int(sample.distinct.w.max())
    chains, plain = both(sample, n_min, n_max)
    assert chains == plain
    assert len(plain) > 1 or shape == "step down" or parts_max == 1


def test_where_it_applies():
    groups = fot.ScoreSample([0, 1] * 5000, np.arange(10_000) / 10_000).distinct
    assert chains_apply(groups, 500, 2000, 9500)
    assert not chains_apply(groups, 500, 500, 9500)  # a block of 499 could not take in one more
    assert not chains_apply(groups, 10, 2000, 9990)  # so many small blocks that the loop is as fast
    heavy = fot.ScoreSample([0, 1], [0.2, 0.4], [2.0**40, 1.0], weights="counts").distinct
    assert not chains_apply(heavy, 1, 2.0**41, 2)  # floats could not tell the means apart


def test_large_weights_compare_exactly():
    """Beyond 2**25 two means can differ by less than float64 shows: where extended floats apply, both agree."""
    rng = np.random.default_rng(3)
    for n in (50, 2000):
        w = rng.integers(1, 2.0**29 / n, n).astype(float)
        groups = fot.ScoreSample(rng.random(n) < 0.5, rng.random(n), w, weights="counts").distinct
        total = w.sum()
        n_min, n_max = total // 20, total // 2
        body = _tail_start(groups.w, Limits(n_min, n_max, 0.0))
        if total <= EXACT_LONG:
            assert chain_starts(groups, n_min, n_max, body) == _stack_starts(groups, n_min, n_max, body, 0.0, False)
