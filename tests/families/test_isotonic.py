"""Isotonic regression against scikit-learn, between the data and beyond them."""

import numpy as np
import pytest
from hypothesis import given
from sklearn.isotonic import IsotonicRegression

import fitontest as fot
from tests.strategies import noisy, samples


@given(data=samples())
def test_linear_is_scikit_learns_prediction(data):
    y, p, w = data
    p = np.round(p, 9)  # scikit-learn takes scores that are closer than a machine epsilon for equal
    kept = w > 0
    reference = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(p[kept], y[kept], w[kept])
    ours = fot.Isotonic().fit(p, y, w)
    at = np.concatenate((p[kept], np.linspace(0, 1, 101)))
    np.testing.assert_allclose(ours.predict(at), reference.predict(at), rtol=0, atol=1e-12)


@given(data=samples())
def test_step_and_linear_agree_at_the_data(data):
    y, p, w = data
    step, linear = fot.Isotonic("step").fit(p, y, w), fot.Isotonic("linear").fit(p, y, w)
    assert step.partition_ == linear.partition_
    np.testing.assert_allclose(step.predict(p[w > 0]), linear.predict(p[w > 0]), rtol=0, atol=1e-12)
    grid = np.linspace(0, 1, 301)
    assert np.all(np.diff(step.predict(grid)) >= 0)
    assert np.all(np.diff(linear.predict(grid)) >= -1e-15)
    errors = [float(fot.measures.PlugIn(f).estimate(fot.ScoreSample(y, p, w))) for f in (step, linear)]
    assert errors[0] == pytest.approx(errors[1], abs=1e-12)


def test_step_jumps_at_the_edges():
    family = fot.Isotonic("step").fit([0.25, 0.75], [0, 1])
    assert family.predict([0.49, 0.5]).tolist() == [0.0, 1.0]
    assert fot.Isotonic().fit([0.25, 0.75], [0, 1]).predict([0.5]).tolist() == [0.5]


def test_the_number_of_bins_is_the_number_of_blocks():
    y, p = noisy(500, ties=2)
    family = fot.Isotonic().fit(p, y)
    assert family.n_bins_ == np.unique(np.round(family.predict(p), 12)).size


def test_refusal():
    with pytest.raises(ValueError, match="interpolation must be one of 'linear', 'step'; got 'cubic'"):
        fot.Isotonic("cubic").fit([0.1], [1])
