"""Scaling-binning against its definition, and against the package of its authors."""

import numpy as np
import pytest

import fitontest as fot
from tests.labellings import fit_predict_many
from tests.strategies import noisy

# uncertainty-calibration 0.1.4: PlattBinnerCalibrator(30, 5).train_calibration(p, y), p and y as in `golden`;
# its likelihood is maximised by scikit-learn's lbfgs with the default tolerance, hence the four digits
LEVELS = [0.03629193259005332, 0.4201819146699696, 0.890530116891357, 0.9865939807266594, 0.9996605793353002]


def golden():
    """Return (y, p) without ties, in no order."""
    i = np.arange(1, 31)
    p = np.round((i * 0.6180339887498949) % 1.0, 6)
    return ((i * i * 7) % 31 < 31 * p).astype(int), p


def test_it_is_the_package():
    y, p = golden()
    family = fot.families.ScalingBinning(5).fit(p, y)
    np.testing.assert_allclose(family.predict(np.sort(p)), np.repeat(LEVELS, 6), rtol=0, atol=2e-4)


@pytest.mark.parametrize("n_bins", [1, 7, 10, 400])
@pytest.mark.parametrize("falling", [False, True])
def test_it_is_the_mean_platt_value_of_equal_parts(n_bins, falling):
    y, p = noisy(395)
    y = 1 - y if falling else y
    platt = fot.Platt().fit(p, y)
    assert platt.map_.decreasing == falling
    parts = np.array_split(np.sort(platt.predict(p)), min(n_bins, 395))  # as the package splits
    expected = np.repeat([part.mean() for part in parts], [part.size for part in parts])
    family = fot.families.ScalingBinning(n_bins).fit(p, y)
    np.testing.assert_allclose(np.sort(family.predict(p)), expected, rtol=0, atol=1e-13)
    assert family.n_bins_ == len(parts)
    assert family.scaling_ == platt.map_
    order = np.argsort(p)
    assert np.all(np.diff(family.predict(p[order])) * (-1 if falling else 1) >= 0)
    assert fot.CalibrationMap.from_json(family.map_.to_json()) == family.map_


def test_ties_are_never_split():
    y, p = noisy(300, ties=1)
    family = fot.families.ScalingBinning(4).fit(p, y)
    platt, bins = fot.Platt().fit(p, y).predict(p), family.partition_.locate(p)
    assert family.n_bins_ == 4
    for b in range(4):
        assert family.predict(p[bins == b]) == pytest.approx(platt[bins == b].mean())


def test_edges_are_half_way_between_scores():
    p, y = [0.1, 0.3, 0.4, 0.6, 0.7, 0.9], [0, 1, 0, 1, 0, 1]
    assert fot.families.ScalingBinning(2).fit(p, y).partition_.edges.tolist() == [0.5]


@pytest.mark.parametrize("n_bins", [0, -1, 2.0, True, "cv", None])
def test_refusals(n_bins):
    with pytest.raises(ValueError, match="n_bins must be a whole number, at least 1; got"):
        fot.families.ScalingBinning(n_bins).fit([0.1, 0.2], [0, 1])
    with pytest.raises(ValueError, match="n_bins must be a whole number, at least 1; got"):
        fit_predict_many(fot.families.ScalingBinning(n_bins), [0.1, 0.2], [[0], [1]])


def test_histogram_binning_is_another_name_of_flat():
    assert repr(fot.families.make("histogram", n_bins=5)) == repr(fot.Flat(5))
    assert {"flat", "histogram"} & set(fot.families.names("two")) == {"flat"}
    with pytest.raises(ValueError, match=r"family must be one of .*'histogram'"):
        fot.families.make("histogramm")
