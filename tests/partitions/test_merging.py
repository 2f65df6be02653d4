"""Theorems 5, 6 and 8 of Torabian and Urner on scores merged and scores replaced by mean labels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from tests.strategies import samples

FEW_SCORES = st.lists(st.sampled_from([0.0, 0.1, 0.35, 0.5, 0.500001, 0.8, 1.0]), min_size=40, max_size=40)


@st.composite
def few_scores(draw):
    y, p, w = draw(samples())
    return y, np.array(draw(FEW_SCORES))[: p.size], w


def measured(y, p, w, norm="l1"):
    """Return the probabilistic count, and the calibration error of the cells of one score."""
    sample = fot.ScoreSample(y, p, w)
    cells = fot.partitions.CellPartition(np.unique(p, return_inverse=True)[1])
    return fot.measures.ProbabilisticCount().estimate(sample).value, fot.measures.Binned("bias", cells, norm).estimate(
        sample
    ).value


@pytest.mark.parametrize("norm", ["l1", "l2", "squared", "max"])
@given(data=few_scores(), chosen=st.sets(st.integers(0, 6), min_size=1))
def test_theorems_5_and_6(norm, data, chosen):
    """Neither count nor calibration error rises where cells are merged with score averaging."""
    y, p, w = data
    distinct = np.unique(p)
    scores = distinct[sorted(k for k in chosen if k < distinct.size)]
    if scores.size == 0:
        return
    merged = fot.partitions.merge_cells(p, scores, sample_weight=w)
    (count, error), (count_after, error_after) = measured(y, p, w, norm), measured(y, merged, w, norm)
    assert count_after <= count * (1 + 1e-12)
    assert error_after <= error + 1e-12
    assert np.unique(merged).size <= distinct.size
    assert np.average(merged, weights=w) == pytest.approx(np.average(p, weights=w), abs=1e-9)
    np.testing.assert_array_equal(merged[~np.isin(p, scores)], p[~np.isin(p, scores)])


@given(data=few_scores())
def test_theorem_8(data):
    """Mean labels have no calibration error, and no greater squared error, 0/1 loss or count."""
    y, p, w = data
    mean = fot.partitions.assign_average_labels(y, p, sample_weight=w)
    before, after = fot.ScoreSample(y, p, w), fot.ScoreSample(y, mean, w)
    assert measured(y, mean, w)[1] == pytest.approx(0, abs=1e-12)
    for measure in (fot.measures.RMSE(), fot.measures.ZeroOneLoss(), fot.measures.ProbabilisticCount()):
        assert measure.estimate(after).value <= measure.estimate(before).value * (1 + 1e-12) + 1e-12


def test_scores_of_the_map_of_flat_bins():
    """Mean labels of given cells are the values of the map that has these cells as bins."""
    y, p = np.array([0, 1, 0, 1, 1, 1]), np.array([0.1, 0.2, 0.3, 0.6, 0.7, 0.9])
    flat = fot.Flat(scheme=fot.partitions.Partition([0.5])).fit(p, y)
    found = fot.partitions.assign_average_labels(y, p, cells=flat.partition_.locate(p))
    np.testing.assert_array_equal(found, flat.predict(p))


def test_rows_without_weight_keep_their_score():
    assert fot.partitions.assign_average_labels([0, 1], [0.2, 0.7], sample_weight=[0, 1]).tolist() == [0.2, 1.0]
    assert fot.partitions.merge_cells([0.2, 0.4], [0.2, 0.4], sample_weight=[0, 3]).tolist() == [0.4, 0.4]


def test_refusals():
    with pytest.raises(ValueError, match=r"scores must be among the scores of the rows, got 0\.3"):
        fot.partitions.merge_cells([0.2, 0.4], [0.2, 0.3])
    with pytest.raises(ValueError, match="sample_weight"):
        fot.partitions.merge_cells([0.2, 0.4], [0.2], sample_weight=[1])
    with pytest.raises(ValueError, match="cells"):
        fot.partitions.assign_average_labels([0, 1], [0.2, 0.4], cells=[1])
