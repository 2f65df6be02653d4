"""One formula under two families: the flat bins of the PDE and the nearest neighbours of the validity curve."""

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.measures import validity
from tests.strategies import WHOLE_WEIGHTS, noisy, samples

pytestmark = pytest.mark.multiplies


@given(samples(), st.integers(1, 50))
def test_the_area_is_one_less_the_error_of_the_neighbours(data, k):
    sample = fot.ScoreSample(*data)
    area = fot.measures.ValidityArea(k).estimate(sample)
    assert 1 - area.value == pytest.approx(float(fot.measures.PlugIn(fot.families.KNN(k)).estimate(sample)), abs=1e-12)
    curve = area.curve
    edges = np.concatenate(([0.0], curve.eps, [1.0]))
    assert np.diff(edges) @ np.concatenate(([0.0], curve.share)) == pytest.approx(area.value, abs=1e-11)
    assert np.all(np.diff(curve.eps) > 0)
    assert curve.share[-1] == 1


@given(samples(weights=WHOLE_WEIGHTS), st.integers(1, 50))
def test_a_weight_is_a_repetition(data, k):
    y, p, w = data
    copies = w.astype(int)
    one = fot.measures.ValidityArea(k).estimate(fot.ScoreSample(y, p, w)).curve
    other = fot.measures.ValidityArea(k).estimate(fot.ScoreSample(np.repeat(y, copies), np.repeat(p, copies))).curve
    np.testing.assert_allclose(one.eps, other.eps, atol=1e-11)
    np.testing.assert_allclose(one.share, other.share, atol=1e-12)


@pytest.mark.parametrize("name", fot.partitions.names("two"))
@given(data=samples())
def test_the_deviation_error_is_the_error_of_flat_bins(name, data):
    sample = fot.ScoreSample(*data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.results.BlockSizeWarning)
        pde = fot.measures.make("pde", partition=name).estimate(sample)
        flat = fot.measures.PlugIn(fot.Flat(scheme=pde.partition)).estimate(sample)
    assert pde.value == pytest.approx(float(flat), abs=1e-12)


@pytest.mark.parametrize("norm", fot.norms.names())
def test_the_deviation_error_takes_any_norm(norm):
    y, p = noisy(300)
    pde = fot.measures.make("pde", norm=norm, n_bins=4).estimate(fot.ScoreSample(y, p))
    bins = np.array_split(np.argsort(p), 4)
    mean = np.array([np.abs(p[rows] - y[rows].mean()).mean() for rows in bins])
    known = {"l1": mean.mean(), "l2": np.sqrt((mean**2).mean()), "squared": (mean**2).mean(), "max": mean.max()}
    if norm in known:
        assert pde.value == pytest.approx(known[norm], abs=1e-12)
    assert np.isfinite(pde.value)


def test_the_curve_at_and_between_its_steps():
    curve = fot.measures.ValidityCurve.from_predictions([0, 0, 1, 1], [0.0, 0.25, 0.5, 1.0], k=2)
    off = np.abs(np.array([0.0, 0.25, 0.5, 1.0]) - [0, 1 / 3, 0.5, 1])
    for eps in (0.0, 0.05, 1 / 12 + 1e-9, 0.5, 1.0):
        assert curve.at(eps) == np.mean(off <= eps)
    assert curve.at([-0.1, 1.0]).tolist() == [0.0, 1.0]
    assert curve.to_frame()["share"].tolist() == curve.share.tolist()
    assert "area 0.979, 2 nearest neighbours, n = 4" in str(curve)
    assert repr(curve) == "ValidityCurve(area=0.979167, k=2, n=4)"


def test_the_area_sorts_no_distances_and_the_curve_is_made_once(monkeypatch):
    y, p = noisy(200, ties=2)
    whole = fot.measures.ValidityCurve.from_predictions(y, p)
    with monkeypatch.context() as patched:
        patched.setattr(validity, "_steps", None)
        area = fot.measures.ValidityArea().estimate(fot.ScoreSample(y, p))
        assert area.value == whole.area
    again = pickle.loads(pickle.dumps(area)).curve
    for curve in (area.curve, again):
        assert (curve.area, curve.k, curve.n) == (whole.area, whole.k, whole.n)
        assert curve.eps.tolist() == whole.eps.tolist()
        assert curve.share.tolist() == whole.share.tolist()
    assert area.curve is area.curve


def test_weights_of_mean_one_are_weights():
    y, p = noisy(64)
    w = np.random.default_rng(0).permutation(np.repeat([0.25, 1.75], 32))  # the sum is the number of scores
    assert w.sum() == np.unique(p).size
    curve = fot.measures.ValidityCurve.from_predictions(y, p, sample_weight=w)
    assert np.diff(np.append(curve.eps, 1.0)) @ curve.share == pytest.approx(curve.area, abs=1e-11)
    again = fot.measures.ValidityCurve.from_predictions(y, p, sample_weight=3 * w)
    np.testing.assert_allclose(curve.share, again.share, atol=1e-12)


def test_distances_that_differ_by_rounding_are_one():
    curve = fot.measures.ValidityCurve.from_predictions([1] * 8 + [0] * 3, [0.7] * 10 + [1.0], k=1)
    assert abs(0.7 - 0.8) > 0.1  # as floats
    assert curve.at(0.1) == 10 / 11
    y = np.tile([1, 0], 20)
    p = np.repeat([0.4, 0.6, 0.3, 0.7], 10)
    curve = fot.measures.ValidityCurve.from_predictions(y, p, k=1)
    assert curve.eps == pytest.approx([0.1, 0.2])
    assert curve.share.tolist() == [0.5, 1.0]


def test_the_curve_of_any_labels_and_what_it_is_not_asked():
    y, p = noisy(40)
    curve = fot.measures.ValidityCurve.from_predictions(y, p, k=1)
    assert ", 1 nearest neighbour, n = 40" in str(curve)
    assert fot.measures.ValidityArea(1).in_words() == "1 nearest neighbour"
    named = fot.measures.ValidityCurve.from_predictions(np.where(y, "yes", "no"), p, k=1, pos_label="yes")
    assert named.eps.tolist() == curve.eps.tolist()
    with pytest.raises(ValueError, match="eps must not be NaN, got nan at row 2"):
        curve.at([0.1, np.nan])


def test_measures_of_several_units_in_one_table():
    y, p = noisy(400, ties=1)
    names = ["pde", "auc_v", "probabilistic_count", "auc", "rmse", "zero_one"]
    tau = fot.measures.ProbabilisticKendallTau(lambda score: score**1.4)
    evaluation = fot.evaluate(y, p, measures=[*names, tau], null_draws=20)
    lines = {line.split()[0]: line.split() for line in str(evaluation).splitlines() if line}
    assert [lines[name][1] for name in names] == [one.measure.printed(one.value) for one in evaluation][:-1]
    assert lines["probabilistic_kendall_tau"][1] == "1.00"
    assert lines["probabilistic_count"][-3:] == ["-", "-", "-"]  # it has no null
    assert "Greater is better: auc_v, auc, probabilistic_kendall_tau." in str(evaluation)
    frame = evaluation.to_frame().set_index("measure")
    assert frame.loc["probabilistic_count", "unit"] == "count"
    assert frame.loc["probabilistic_kendall_tau", "unit"] == "correlation"


def test_what_is_no_error_is_not_called_one():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 3, 60), rng.dirichlet([1, 1, 1], 60)
    measures = ["probabilistic_count", "auc", "rmse"]
    evaluation = fot.evaluate(labels, scores, measures=measures, reduction="classwise", interval=None)
    headers = [str(one).splitlines()[1].split()[1] for one in evaluation]
    assert headers == ["value", "value", "value"]
    assert "Greater is better: auc." in str(evaluation)


@pytest.mark.parametrize("k", [0, 2.5, True, "10"])
def test_refusals(k):
    for make in (
        fot.measures.ValidityArea,
        lambda k: fot.measures.ValidityCurve.from_predictions([0, 1], [0.2, 0.7], k=k),
    ):
        with pytest.raises(ValueError, match="k must be a whole number, at least 1, got"):
            make(k)
