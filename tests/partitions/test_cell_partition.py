"""Cells of the rows: what is measured of them is what a loop over the cells gives."""

import pickle
import re
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from tests.strategies import WHOLE_WEIGHTS, noisy, samples

LOSSES = {
    "bias": lambda y, p, w: abs(w @ (y - p)) / w.sum(),
    "deviation": lambda y, p, w: w @ np.abs(p - w @ y / w.sum()) / w.sum(),
}


@st.composite
def with_cells(draw, weights=WHOLE_WEIGHTS):
    y, p, w = draw(samples(weights=weights))
    return y, p, w, np.array(draw(st.lists(st.integers(-2, 3), min_size=y.size, max_size=y.size)))


@pytest.mark.parametrize("loss", LOSSES)
@given(data=with_cells(weights=st.one_of(WHOLE_WEIGHTS, st.floats(0.1, 10))))
def test_an_error_of_cells_is_that_of_a_loop(loss, data):
    y, p, w, cells = data
    each = [(LOSSES[loss](y[at], p[at], w[at]), w[at].sum()) for at in (cells == c for c in set(cells)) if w[at].any()]
    g, weight = np.array(each).T
    expected = {"l1": weight @ g / weight.sum(), "l2": np.sqrt(weight @ g**2 / weight.sum()), "max": g.max()}
    for norm, value in expected.items():
        found = fot.measures.Binned(loss, fot.partitions.CellPartition(cells), norm).estimate(fot.ScoreSample(y, p, w))
        assert found.value == pytest.approx(value, abs=1e-12)
    assert found.n_bins == len(set(cells))


@pytest.mark.exhaustive
@given(with_cells())
def test_other_measures_of_bins(data):
    y, p, w, cells = data
    sample, partition = fot.ScoreSample(y, p, w), fot.partitions.CellPartition(cells)
    masks = [(cells == c) & (w > 0) for c in sorted(set(cells))]
    masks = [at for at in masks if at.any()]
    means = [np.average(y[at], weights=w[at]) for at in masks]
    variance = sum(w[at].sum() * mean * (1 - mean) for at, mean in zip(masks, means, strict=True))
    assert fot.measures.WithinBin(partition).estimate(sample).value == pytest.approx(variance / w.sum(), abs=1e-12)
    for test in ("binomial", "t"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fot.results.BlockSizeWarning)
            found = fot.measures.Binned("rejection", partition, test=test, alpha=0.2).estimate(sample).value
        rejected = 0.0
        for at in masks:
            one = fot.measures.Binned("rejection", [], test=test, alpha=0.2).estimate(
                fot.ScoreSample(y[at], p[at], w[at])
            )
            rejected += w[at].sum() * one.value
        assert found == pytest.approx(rejected / w.sum(), abs=1e-12)

    def spread(labels, scores, sample_weight=None):
        return float(np.ptp(scores) + len(labels))

    found = fot.measures.Binned(spread, partition, "max").estimate(sample).value
    assert found == max(np.ptp(p[at]) + at.sum() for at in masks)


@given(with_cells())
def test_cells_that_are_bins_give_the_error_of_the_bins(data):
    y, p, w, _ = data
    sample, bins = fot.ScoreSample(y, p, w), fot.partitions.EqualWidth(4).partition(fot.ScoreSample(y, p, w))
    cells = fot.partitions.CellPartition(bins.locate(p))
    for loss in ("bias", "deviation", "rejection"):
        found, expected = (fot.measures.Binned(loss, one).estimate(sample).value for one in (cells, bins))
        assert found == pytest.approx(expected, abs=1e-12)


@given(with_cells(), st.randoms(use_true_random=False))
def test_rows_are_repeated_and_reordered_with_their_cells(data, random):
    y, p, w, cells = data
    copies = w.astype(int)
    expected = (
        fot.measures.Binned(partition=fot.partitions.CellPartition(cells)).estimate(fot.ScoreSample(y, p, w)).value
    )
    again = fot.ScoreSample(np.repeat(y, copies), np.repeat(p, copies))
    repeated = (
        fot.measures.Binned(partition=fot.partitions.CellPartition(np.repeat(cells, copies))).estimate(again).value
    )
    assert repeated == pytest.approx(expected, abs=1e-12)
    order = np.array(random.sample(range(y.size), y.size))
    other = fot.ScoreSample(y[order], p[order], w[order])
    assert (
        fot.measures.Binned(partition=fot.partitions.CellPartition(cells[order])).estimate(other).value == expected
    )  # bit by bit


@given(with_cells())
def test_bound_to_their_rows_cells_follow_them(data):
    """Sorted rows of a bound sample have the error of the rows as they were given."""
    y, p, w, cells = data
    sample, measure = fot.ScoreSample(y, p, w), fot.measures.Binned("deviation", fot.partitions.CellPartition(cells))
    bound = measure.bind(sample.with_facts(time=np.arange(y.size)))
    assert bound.facts.keys() == {"cell"}
    assert measure.bind(bound).facts.keys() == {"cell"}
    assert measure.estimate(bound.present).value == measure.estimate(sample).value
    assert measure.bind(bound.present).n == sample.n


def test_in_the_public_functions():
    y, p = noisy(200, ties=2)
    cells = fot.partitions.CellPartition(np.arange(200) % 3)
    error = fot.gce(y, p, partition=cells)
    assert re.match(r"ECE: 0\.\d+, the plug-in\n", str(error))
    assert str(error).splitlines()[2].split()[0] == "cell"
    assert error.to_frame()["cell"].tolist() == [0, 1, 2]
    assert error.to_dict()["edges"] is None
    assert fot.gce(y, p, partition=cells, loss="deviation").headline().startswith("PDE ")
    (one,) = fot.evaluate(y, p, measures=[fot.measures.Binned(partition=cells)])
    assert one.value == error.value
    scores = np.column_stack([1 - p, p])
    mean = fot.gce(y, scores, partition=cells, reduction="classwise")
    assert mean[1].value == pytest.approx(error.value, abs=1e-15)
    assert pickle.loads(pickle.dumps(cells)) == cells
    assert repr(cells) == "CellPartition(3 cells of 200 rows)"


@pytest.mark.parametrize("weights", [None, "whole", "parts"])
def test_the_null_keeps_the_cells_of_the_rows(weights):
    """A cell of two, in which every score is 1 and in the other 0, has no error if labels are drawn from the scores."""
    rng = np.random.default_rng(0)
    p = np.array([1.0, 0.0] * 30)
    w = {None: None, "whole": rng.integers(0, 4, 60), "parts": rng.random(60)}[weights]
    measure = fot.measures.Binned("deviation", fot.partitions.CellPartition(np.arange(60) % 2))
    found = estimate_of(measure, fot.ScoreSample(rng.random(60) < 0.5, p, w), redrawing=Redrawing(3))
    assert found.value > 0.1
    assert found.null.values.tolist() == [0.0] * 3


def test_the_null_is_that_of_equal_bins():
    y, p = noisy(500)
    bins = fot.partitions.EqualWidth(5).partition(fot.ScoreSample(y, p))
    nulls = [
        estimate_of(fot.measures.Binned(partition=one), fot.ScoreSample(y, p), redrawing=Redrawing(200)).null
        for one in (bins, fot.partitions.CellPartition(bins.locate(p)))
    ]
    assert nulls[0].mean == pytest.approx(nulls[1].mean, abs=4 * nulls[0].sd / np.sqrt(100))


def test_refusals():
    y, p = noisy(20)
    cells = fot.partitions.CellPartition(np.arange(20) % 3)
    with pytest.raises(
        ValueError, match="partition must be a CellPartition of the data, which have 19 rows; got one of 20"
    ):
        fot.gce(y[:19], p[:19], partition=cells)
    taken = fot.ScoreSample(y, p).take(np.arange(20))
    with pytest.raises(ValueError, match="partition must not be a CellPartition here"):
        fot.measures.Binned(partition=cells).estimate(taken)
    with pytest.raises(ValueError, match=r"cells must be whole numbers, .* got 0.5 at row 2"):
        fot.partitions.CellPartition([1.0, 0.5])
    with pytest.raises(ValueError, match=r"cells must be whole numbers, .* got inf at row 1 .*2 such values"):
        fot.partitions.CellPartition([np.inf, 1e300])
    with pytest.raises(ValueError, match="cells must be whole numbers, one for each row; got values of type object"):
        fot.partitions.CellPartition(["a", "b"])
    with pytest.raises(ValueError, match="cells must not be empty"):
        fot.partitions.CellPartition([])
    with pytest.raises(ValueError, match="n_bins must be left at 10"):
        fot.gce(y, p, partition=cells, n_bins=5)
    error = fot.gce(y, p, partition=cells, loss="rejection")
    with pytest.raises(ValueError, match="partition must have bins of scores"):
        error.rejects(p)
    with pytest.raises(ValueError, match="partition must have bins of scores"):
        fot.displays.TCEDisplay(error, fot.ScoreSample(y, p))
    with pytest.raises(AttributeError, match="a CellPartition cannot be changed"):
        cells.codes = np.zeros(20)
    found = estimate_of(
        fot.measures.Binned(partition=cells), fot.ScoreSample(y, p), redrawing=Redrawing(interval="always", level=0.9)
    )
    assert found.interval is None
    assert found.null.values.size == 200
    assert "not defined" in found.interval_reason


@pytest.mark.parametrize("kind", [float, object, np.uint8])
def test_whole_numbers_of_any_kind_are_cells(kind):
    cells = np.array([3, 1, 3, 7])
    partition = fot.partitions.CellPartition(cells.astype(kind))
    assert partition == fot.partitions.CellPartition(cells)
    assert partition.labels.tolist() == [1, 3, 7]


def test_errors_of_whole_distributions_take_cells():
    rng = np.random.default_rng(0)
    P, y, cells = rng.dirichlet([1] * 3, 30), np.arange(30) % 3, rng.integers(4, 8, 30)
    found, expected = (
        fot.gce(y, P, reduction="canonical", partition=one) for one in (fot.partitions.CellPartition(cells), cells)
    )
    assert float(found) == float(expected)
    assert found.n_bins == 4
