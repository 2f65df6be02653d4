"""Scores that many rows share in a reliability diagram: points beside the line, and a band that passes them by."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import fitontest as fot


@pytest.fixture(scope="module")
def piled():
    rng = np.random.default_rng(0)
    p = np.concatenate((np.zeros(600), np.full(200, 0.5), rng.random(1200)))
    return rng.random(2000) < np.where(p == 0.5, 0.2, np.where(p == 0, 0.1, p)), p


@pytest.mark.exhaustive
@pytest.mark.parametrize("band", [None, "confidence", "consistency"])
def test_they_are_points_and_no_spikes(piled, band):
    y, p = piled
    options = {"band": band, "band_draws": 40 if band else 0}
    display = fot.ReliabilityDisplay.from_predictions(y, p, family="spline", ax=Figure(), **options)
    atoms = display.parts()["atoms"]
    assert [row["x"] for row in atoms] == [0.0, 0.5]
    np.testing.assert_allclose([row["y"] for row in atoms], [y[p == 0].mean(), y[p == 0.5].mean()], atol=0.005)
    np.testing.assert_array_equal(display.atoms_.get_xdata(), [0.0, 0.5])
    parts = [[row["y"] for row in display.parts()["map"]]]
    parts += [[row[end] for row in display.parts()["band"]] for end in ("band_lower", "band_upper")] if band else []
    for drawn in parts:
        assert np.abs(np.diff(drawn)).max() < 0.06  # a line of the slope of the scores has steps of .0025 to .005


@pytest.mark.exhaustive
def test_off_the_axis_they_are_at_its_end_and_without_them_nothing_is_marked(piled):
    y, p = piled
    logit = fot.ReliabilityDisplay.from_predictions(y, p, family="spline", scale="logit", ax=Figure())
    assert [row["x"] for row in logit.parts()["atoms"]] == [0.0, 0.5]
    assert logit.atoms_.get_xdata().tolist() == [logit.scale.visible[0], 0.5]  # 0 has no place, and is at the end
    smooth = fot.ReliabilityDisplay.from_predictions(y, p, family="beta", ax=Figure())
    assert "atoms" not in smooth.parts()
    assert smooth.atoms_ is None
