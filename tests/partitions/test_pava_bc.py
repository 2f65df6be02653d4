"""Block-size constraints: against a dynamic programme that knows whether any partition keeps them."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from tests.strategies import samples


def feasible(w, n_min, n_max, slack=0.0):
    """Tell by dynamic programming whether some cuts give blocks of weight within [n_min, n_max]."""
    total = np.cumsum([0.0, *w]).tolist()
    shortest, longest = n_min - slack, n_max + slack
    ends = [0.0]  # the sums of weights at which a block can end
    for at in total[1:]:
        if any(shortest <= at - end <= longest for end in ends):
            ends.append(at)
    return ends[-1] == total[-1]


def random_case(rng, whole):
    """Return a sample with ties and weights, and bounds that may or may not be keepable."""
    n = int(rng.integers(1, 40))
    p = rng.integers(0, rng.integers(1, 40), n) / 40
    w = rng.integers(1, 5, n).astype(float) if whole else rng.random(n) * rng.choice([0.1, 1, 10], n)
    if rng.random() < 0.4:
        w = np.ones(n)
    y = (rng.random(n) < p).astype(int)
    total = w.sum()
    n_min = float(rng.integers(0, max(2, int(total / 2)))) if whole else total * rng.random() / 2
    n_max = n_min * rng.choice([0.8, 1.0, 1.3, 1.9, 2.0, 3.5]) + float(rng.integers(0, 3))
    return fot.ScoreSample(y, p, w), n_min, np.floor(n_max) if whole else n_max


@pytest.mark.parametrize("whole", [True, False], ids=["whole", "fractional"])
def test_bounds_hold_whenever_any_partition_keeps_them(whole):
    """3,000 random cases, half of them with each kind of weights; a third or more of either outcome."""
    rng = np.random.default_rng(20 + whole)
    kept = refused = narrow = 0
    for _ in range(1500):
        sample, n_min, n_max = random_case(rng, whole)
        slack = 1e-9 * sample.total
        possible = feasible(sample.distinct.w, n_min, n_max, 0.0 if whole else 1e-12 * sample.total)
        try:
            partition = fot.partitions.PavaBC(n_min, n_max).partition(sample)
        except ValueError:
            assert not possible
            refused += 1
            continue
        assert possible
        w = partition.summarise(sample).w
        assert w.min() >= n_min - slack
        assert w.max() <= n_max + slack
        kept += 1
        narrow += n_max < 2 * n_min
    assert min(kept, refused) > 300
    assert narrow > 60


def algorithm_2(y, n_min, n_max):
    """Return the block sizes of the paper's Algorithm 2 as written, for unit weights without ties."""
    blocks = []
    for label in y[: len(y) - n_min]:
        blocks.append([1, int(label)])
        while len(blocks) >= 2:
            (w0, y0), (w1, y1) = blocks[-2], blocks[-1]
            if not (w0 + w1 <= n_min or (w0 + w1 <= n_max and y0 * w1 >= y1 * w0)):
                break
            blocks[-2:] = [[w0 + w1, y0 + y1]]
    if n_min and blocks and blocks[-1][0] + n_min <= n_max:
        blocks[-1][0] += n_min
    elif n_min:
        blocks.append([n_min, 0])
    return [w for w, _ in blocks]


@given(
    y=st.lists(st.integers(0, 1), min_size=1, max_size=60),
    n_min=st.integers(0, 12),
    factor=st.integers(2, 5),
    extra=st.integers(1, 4),
)
def test_without_ties_it_is_the_papers_algorithm(y, n_min, factor, extra):
    n_min = min(n_min, len(y))
    n_max = factor * n_min + extra
    sample = fot.ScoreSample(y, (np.arange(len(y)) + 1) / (len(y) + 1))
    table = fot.partitions.PavaBC(n_min, n_max).partition(sample).summarise(sample)
    assert table.n.tolist() == algorithm_2(y, n_min, n_max)


@given(data=samples())
def test_without_bounds_it_is_pava(data):
    """The stack merges equal means, as the isotonic blocks do; rounding may tell means apart that are equal."""
    y, p, _ = data
    sample = fot.ScoreSample(y, p)
    assert fot.partitions.PavaBC(0, sample.n).partition(sample) == fot.partitions.Pava().partition(sample)


@given(data=samples())
def test_default_bounds_never_raise_and_keep_the_lower_one(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)  # of blocks, and of weights taken for importances
        sample = fot.ScoreSample(*data)
        partition = fot.partitions.PavaBC().partition(sample)
    w = partition.summarise(sample).w
    n_min = max(1, sample.total // 20) if sample.whole else sample.total / 20
    n_max = max(1, sample.total // 5) if sample.whole else sample.total / 5
    slack = 1e-9 * sample.total
    assert w.min() >= n_min - slack or partition.n_bins == 1
    assert w.max() <= max(n_max, sample.distinct.w.max() + 2 * n_min) + slack


@pytest.mark.parametrize("n", range(1, 10))
def test_fewer_than_ten_rows_are_a_block_each(n):
    sample = fot.ScoreSample(np.arange(n) % 2, np.linspace(0.1, 0.9, n))
    assert fot.partitions.PavaBC().partition(sample).n_bins == n


def heavy_tie():
    p = np.concatenate((np.random.default_rng(3).random(192), np.ones(308)))
    return fot.ScoreSample((np.random.default_rng(4).random(500) < p).astype(int), p)


def test_ties_too_heavy_for_the_default_are_reported_once():
    report = "n_max = 100; 1 of .* blocks exceed it .* keeps n_min = 25"
    with pytest.warns(fot.results.BlockSizeWarning, match=report) as caught:
        partition = fot.partitions.PavaBC().partition(heavy_tie())
    assert len(caught) == 1
    n = partition.summarise(heavy_tie()).n
    assert n.min() >= 25
    assert 308 <= n.max() < 308 + 50


@pytest.mark.parametrize(
    ("n_min", "n_max", "message"),
    [
        (50, 40, "n_min must not exceed n_max"),
        (501, 600, "n_min must not exceed the total weight 500"),
        (10, 100, "n_max must be at least the weight of the heaviest score: the score 1 weighs 308"),
        (193, 400, "n_min and n_max must allow a partition, but no cut of the 193 distinct scores keeps"),
    ],
)
def test_bounds_that_cannot_hold_are_refused_with_the_reason(n_min, n_max, message):
    sample = heavy_tie()
    with pytest.raises(ValueError, match=message):
        fot.partitions.PavaBC(n_min, n_max).partition(sample)


def test_where_one_bound_is_given_the_default_of_the_other_gives_way():
    p = np.concatenate((np.linspace(0.01, 0.99, 60), np.full(30, 0.995)))
    sample = fot.ScoreSample(np.arange(90) % 2, p)
    # the default n_min = 4 with n_max = 31: fine; a default n_min that no longer fits below n_max = 2 shrinks with it
    assert fot.partitions.PavaBC(n_max=31).partition(sample).summarise(sample).n.max() <= 31
    even = fot.ScoreSample(np.arange(90) % 2, np.linspace(0, 1, 90))
    assert fot.partitions.PavaBC(n_max=2).partition(even).summarise(even).n.max() <= 2
    with pytest.warns(fot.results.BlockSizeWarning):
        table = fot.partitions.PavaBC(n_min=10).partition(sample).summarise(sample)
    assert table.n.min() >= 10
    assert (
        fot.partitions.PavaBC(n_min=25).partition(even).summarise(even).n.min() >= 25
    )  # beyond W / 5, and nothing to report
    with pytest.raises(ValueError, match="n_min must not exceed the total weight"):
        fot.partitions.PavaBC(n_min=91).partition(sample)
    with pytest.raises(ValueError, match="n_max must be at least the weight of the heaviest score"):
        fot.partitions.PavaBC(n_max=29).partition(sample)


@pytest.mark.parametrize("bound", [-1, np.nan, np.inf, "10", True])
@pytest.mark.parametrize("name", ["n_min", "n_max"])
def test_bounds_must_be_numbers(name, bound):
    with pytest.raises(ValueError, match=f"{name} must be a finite number, at least 0, or None; got"):
        fot.partitions.PavaBC(**{name: bound})


def test_the_repair_stays_near_the_optimum():
    """On small cases that need repair, the squared error is close to that of the best partition within the bounds."""
    rng = np.random.default_rng(5)
    ratios = []
    while len(ratios) < 60:
        n = int(rng.integers(6, 14))
        p = np.sort(rng.integers(0, 12, n)) / 12
        y = (rng.random(n) < p).astype(int)
        sample = fot.ScoreSample(y, p)
        n_min = int(rng.integers(2, 4))
        n_max = 2 * n_min - 1
        if len(sample.distinct) < 4 or not feasible(sample.distinct.w, n_min, n_max):
            continue
        groups = sample.distinct
        errors = []
        for k in range(len(groups)):
            for cuts in itertools.combinations(range(1, len(groups)), k):
                starts = np.array([0, *cuts])
                w, wy = np.add.reduceat(groups.w, starts), np.add.reduceat(groups.wy, starts)
                if w.min() >= n_min and w.max() <= n_max:
                    errors.append(float(np.sum(wy * (1 - wy / w))))
        table = fot.partitions.PavaBC(n_min, n_max).partition(sample).summarise(sample)
        ours = float(np.sum(table.sum_y * (1 - table.mean_y)))
        assert ours >= min(errors) - 1e-9
        ratios.append((ours + 1) / (min(errors) + 1))
    assert np.mean(ratios) < 1.15
