"""The ECE on the simplex: Theorem 2, two classes, weights, permutations, what is printed and what is refused."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot

DISTANCES = ["total_variation", "cityblock", "squared_euclidean", lambda p, q: np.abs(p - q).max(axis=1)]


def drawn(n=300, n_classes=4, seed=0, power=1.4):
    """Return labels and predictions that are not calibrated."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(n_classes), n)
    c = P**power
    c /= c.sum(axis=1, keepdims=True)
    return np.minimum((np.cumsum(c, axis=1) < rng.random(n)[:, None]).sum(axis=1), n_classes - 1), P


def canonical(function, y, P, **settings):
    return function(y, P, reduction="canonical", **{"labels": list(range(P.shape[1])), **settings})


@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
@given(
    st.integers(0, 10**6),
    st.integers(2, 6),
    st.sampled_from(DISTANCES),
    st.sampled_from([fot.partitions.MedianVariance(3), fot.partitions.UniformGrid(3), "rows"]),
    st.sampled_from([None, "whole", "any"]),
)
def test_the_error_is_the_plug_in_error_of_the_shift_of_the_cells(seed, n_classes, distance, partition, weights):
    """Theorem 2 on the simplex, for every distance that depends on the difference."""
    rng = np.random.default_rng(seed)
    y, P = drawn(60, n_classes, seed)
    w = {None: None, "whole": rng.integers(0, 3, 60) + (np.arange(60) == 0), "any": rng.random(60)}[weights]
    rule = rng.integers(0, 5, 60) if isinstance(partition, str) else partition
    ece = canonical(fot.gce, y, P, partition=rule, distance=distance, sample_weight=w)
    by_map = canonical(fot.calibration_error, y, P, family=ece.map, distance=distance, sample_weight=w)
    assert float(by_map) == pytest.approx(float(ece), rel=0, abs=1e-12)
    if not isinstance(partition, str):
        family = fot.families.SimplexBins(partition)
        by_family = canonical(fot.calibration_error, y, P, family=family, distance=distance, sample_weight=w)
        assert float(by_family) == pytest.approx(float(ece), rel=0, abs=1e-12)


def test_flat_cells_have_another_error():
    y, P = drawn()
    flat = fot.families.SimplexBins(fot.partitions.MedianVariance(30), slope=0).fit(P, y)
    assert np.unique(flat.predict_proba(P), axis=0).shape[0] == flat.n_bins_
    table = canonical(fot.gce, y, P, partition=fot.partitions.MedianVariance(30)).table
    np.testing.assert_allclose(np.unique(flat.predict_proba(P), axis=0), np.unique(table.mean_y, axis=0))
    error = canonical(fot.calibration_error, y, P, family=flat.map_)
    expected = np.abs(flat.map_(P) - P).sum(axis=1).mean() / 2
    assert float(error) == pytest.approx(expected, abs=1e-15)
    assert flat.n_parameters_ == 3 * flat.n_bins_


def test_shifted_rows_are_put_back_on_the_simplex():
    y, P = drawn(60, 3)
    family = fot.families.SimplexBins(fot.partitions.MedianVariance(4)).fit(P, y)
    assert family.map_(P).min() < 0  # as bins of slope 1 leave [0, 1]
    q = family.predict_proba(P)
    assert q.min() >= 0
    np.testing.assert_allclose(q.sum(axis=1), 1, rtol=0, atol=1e-12)
    json.dumps(family.map_.to_dict(), allow_nan=False)
    with pytest.raises(ValueError, match="slope must be 0 or 1, got 2"):
        fot.families.SimplexBins(slope=2).fit(P, y)


@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
@given(st.integers(0, 10**6), st.integers(1, 12))
def test_two_classes_are_the_two_class_error(seed, n_bins):
    """In the cells of the bins of the second column the total variation of two means is the bias of the bin."""
    y, P = drawn(100, 2, seed)
    bins = fot.partitions.EqualMass(n_bins)
    two = fot.gce(y, P[:, 1], partition=bins)
    cells = two.partition.locate(P[:, 1])
    assert float(canonical(fot.gce, y, P, partition=cells)) == pytest.approx(float(two), rel=0, abs=1e-14)


def test_total_variation_of_two_classes_is_the_distance_to_c_hat():
    y, P = drawn(400, 2)
    platt = fot.families.BiasCorrected(penalty=None).fit(P, y)
    error = canonical(fot.calibration_error, y, P, family=platt.map_)
    assert float(error) == pytest.approx(np.abs(platt.predict_proba(P)[:, 1] - P[:, 1]).mean(), abs=1e-15)
    assert float(error) == pytest.approx(float(fot.calibration_error(y, P[:, 1], family="platt")), abs=1e-7)


@pytest.mark.parametrize("norm", ["l1", "l2", "squared", "max"])
def test_norms_over_cells(norm):
    y, P = drawn()
    error = canonical(fot.gce, y, P, norm=norm)
    d = error.distances
    w = error.table.w / error.table.w.sum()
    expected = {"l1": w @ d, "l2": np.sqrt(w @ d**2), "squared": w @ d**2, "max": d.max()}[norm]
    assert float(error) == pytest.approx(expected, abs=1e-15)
    assert str(error).startswith("canonical ECE" if norm == "l1" else "canonical GCE")


@pytest.mark.parametrize("partition", ["median_variance", fot.partitions.UniformGrid(2)])
def test_weights_repeat_rows_and_order_does_not_matter(partition):
    y, P = drawn(200, 3)
    rng = np.random.default_rng(1)
    w, order = rng.integers(0, 4, 200), rng.permutation(200)
    weighted = canonical(fot.gce, y, P, partition=partition, sample_weight=w)
    repeated = canonical(fot.gce, np.repeat(y, w), np.repeat(P, w, axis=0), partition=partition)
    assert float(weighted) == pytest.approx(float(repeated), abs=1e-14)
    again = canonical(fot.gce, y[order], P[order], partition=partition, sample_weight=w[order])
    assert float(again) == pytest.approx(float(weighted), abs=1e-15)
    kept = w > 0
    without = canonical(fot.gce, y[kept], P[kept], partition=partition, sample_weight=w[kept])
    assert float(without) == pytest.approx(float(weighted), abs=1e-15)
    assert weighted.n == kept.sum()


def test_the_order_of_classes_does_not_matter():
    y, P = drawn(200, 4)
    order = [2, 0, 3, 1]
    column = np.argsort(order)
    for partition in ("median_variance", fot.partitions.UniformGrid(2)):
        a = canonical(fot.gce, y, P, partition=partition)
        b = canonical(fot.gce, column[y], P[:, order], partition=partition)
        assert float(b) == pytest.approx(float(a), abs=1e-14)


def test_labels_and_rows_of_single_precision():
    y, P = drawn(200, 3)
    names = np.array(["x", "a", "m"])
    error = fot.gce(names[y], P, reduction="canonical", labels=names)
    assert float(error) == float(canonical(fot.gce, y, P))
    assert {row[3] for row in error.sections()[0].body} <= set(names)
    single = fot.gce(y, P.astype(np.float32), reduction="canonical")
    assert float(single) == pytest.approx(float(error), abs=1e-6)


def test_what_is_printed_and_written():
    y, P = drawn()
    error = canonical(fot.gce, y, P, null_draws=20)
    assert str(error).startswith(f"canonical ECE: {float(error):.3f}, the plug-in\n")
    assert "reduction canonical, partition median_variance, distance total_variation" in str(error)
    assert "expected if calibrated" in str(error)
    assert len(error.rows()) == error.n_bins
    assert error.to_frame().shape[0] == error.n_bins
    found = json.loads(error.to_json())
    assert found["n_cells"] == error.n_bins == len(found["cells"])
    assert found["if_calibrated"]["draws"] == 20
    assert error._repr_html_().startswith("<")
    assert repr(error).startswith("Estimate(")


def test_notes():
    y, P = drawn(30, 3)
    with pytest.warns(fot.CalibrationWarning, match="1 cell: the error is the distance of the mean prediction"):
        one = canonical(fot.gce, y, P, partition=fot.partitions.MedianVariance(30))
    assert float(one) == pytest.approx(np.abs(P.mean(axis=0) - np.bincount(y, minlength=3) / 30).sum() / 2)
    with pytest.warns(fot.CalibrationWarning, match="mostly the noise of single labels"):
        canonical(fot.gce, y, P, partition=fot.partitions.UniformGrid(30))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "rejection"}, "loss must be left at 'bias' with reduction='canonical', got 'rejection'"),
        ({"alpha": 0.1}, "alpha must be left at 0.05 with reduction='canonical'"),
        ({"n_bins": 5}, "n_bins must be left at 10 with reduction='canonical' unless partition='uniform_grid'"),
        ({"pos_label": 1}, "pos_label must be None with reduction='canonical'"),
        ({"distance": "l1"}, "distance must be one of"),
        ({"norm": "l3"}, "norm must be one of"),
        ({"partition": "equal_mass"}, "partition must be one of 'median_variance', 'uniform_grid'"),
    ],
)
def test_refusals(settings, message):
    y, P = drawn(60, 3)
    with pytest.raises(ValueError, match=message):
        canonical(fot.gce, y, P, **settings)


def test_refused_rows():
    y, P = drawn(60, 3)
    P[4] *= 1.01
    with pytest.raises(ValueError, match=r"y_prob must have rows that add up to 1 .* got a sum of 1.01 at row 5"):
        canonical(fot.gce, y, P)
    with pytest.raises(ValueError, match="distance must be left at 'total_variation' unless reduction='canonical'"):
        fot.gce(y == 1, P[:, 1] / 2, distance="cityblock")
    with pytest.raises(ValueError, match="sample_weight"):
        canonical(fot.gce, *drawn(60, 3), sample_weight=[1, 2])


def test_equal_width_is_not_taken_for_another_partition():
    with pytest.raises(ValueError, match="cells of equal width are those of 'uniform_grid'"):
        fot.gce([0, 1, 2], np.eye(3), reduction="canonical", partition="equal_width")


@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
def test_cells_count_rows_as_the_bins_of_two_classes_do():
    y, P = drawn(60, 2)
    w = np.random.default_rng(0).integers(0, 4, 60)
    for weights, rows in ((w, w.sum()), (w + 0.5 * (w > 0), np.count_nonzero(w)), (None, 60)):
        bins = fot.gce(y, P[:, 1], sample_weight=weights).to_frame()
        cells = canonical(fot.gce, y, P, sample_weight=weights).to_frame()
        assert cells["n"].sum() == bins["n"].sum() == rows


def test_copies_that_a_weight_stands_for_are_rows_of_their_cells():
    P = np.array([[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.3, 0.3, 0.4]])
    note = canonical(fot.gce, [0, 1, 2], P, partition=[0, 1, 2], sample_weight=[9, 9, 9]).note
    assert note == "weights are counts: 3 rows stand for 27"  # and nothing of cells with few rows


@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
def test_long_tables_print_the_heaviest_cells_and_say_what_is_left_out():
    y, P = drawn(63, 3)
    for n_cells, left in ((31, "11 others, of 22 rows in all, are"), (21, "another, of 3 rows, is")):
        cells = np.arange(63) % n_cells
        error = canonical(fot.gce, y, P, partition=cells)
        assert f"the 20 heaviest cells; {left} left out, and to_frame() has all" in str(error)
        assert len(error.to_frame()) == n_cells
    assert "left out" not in str(canonical(fot.gce, y, P, partition=np.arange(63) % 20))
