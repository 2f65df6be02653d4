"""The optimality criterion of partitions, by hand and against all partitions of small samples."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

import fitontest as fot
from tests.golden.test_gda_errors import quantile_edges
from tests.published import BESIDE
from tests.strategies import WHOLE_WEIGHTS, samples


def within_bin(y, p, sample_weight=None, **settings):
    return fot.measures.WithinBin(**settings).estimate(fot.ScoreSample(y, p, sample_weight))


def test_by_hand():
    y, p = np.array([0, 1, 1, 1, 0, 1]), np.array([0.1, 0.2, 0.3, 0.6, 0.7, 0.8])
    found = within_bin(y, p, partition=[0.25, 0.65, 0.9])
    assert found.per_bin[:3] == pytest.approx([0.25, 0.0, 0.25])
    assert np.isnan(found.per_bin[3])
    assert found.total == pytest.approx((2 * 0.25 + 2 * 0.25) / 6)
    assert found.averaged == pytest.approx(0.5 / 3)
    assert not found.monotone
    weighted = within_bin(y, p, partition=[0.25, 0.65], sample_weight=[1, 1, 1, 1, 2, 2])
    assert weighted.total == pytest.approx((2 * 0.25 + 4 * 0.25) / 8)


@settings(max_examples=40)
@given(data=samples(weights=WHOLE_WEIGHTS, max_size=7))
def test_pava_is_best_among_all_monotone_partitions(data):
    y, p, w = data
    sample = fot.ScoreSample(y, p, w)
    best = fot.measures.WithinBin("pava").estimate(sample)
    assert best.monotone
    inner = np.unique(p[w > 0])[1:]
    for size in range(inner.size + 1):
        for edges in combinations(inner, size):
            other = fot.measures.WithinBin(list(edges)).estimate(sample)
            assert not other.monotone or other.total >= best.total - 1e-12


def test_table_1():
    """Published: total .040 .042 .048, averaged .132 .077 .047, for PAVA, PAVA-BC and the paper's quantile bins.

    These cut a third of the rows, all with the score 0, into three bins without positives, and so average ten numbers,
    not the eight of the bins that edges can make.
    """
    path = BESIDE / "predictions/paper7030_satimage.npz"
    if not path.exists():
        pytest.skip(f"{path.name} is not among the committed sets")
    with np.load(path) as found:
        y, p = found["y"], found["p_RF"]
    edges = quantile_edges(p, 10)
    with pytest.warns(fot.results.BlockSizeWarning):
        errors = [within_bin(y, p, partition=bins) for bins in ("pava", "pava_bc", edges[edges > 0])]
    assert [round(e.total, 3) for e in errors] == [0.040, 0.042, 0.048]
    assert [round(e.averaged, 3) for e in errors[:2]] == [0.132, 0.077]
    assert errors[2].partition.n_bins == 8
    assert errors[2].averaged * 8 / 10 == pytest.approx(0.047, abs=0.001)
