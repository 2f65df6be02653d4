"""The smooth calibration error: against its integral, against the authors' package, and at the edges."""

import numpy as np
import pytest
from hypothesis import given, settings

import fitontest as fot
from fitontest.datasets import Confidence, Derivate, Rare, Sharp
from tests.published import figures
from tests.strategies import noisy, samples

pytestmark = pytest.mark.multiplies


def problems():
    """Return (y, p) by name: the inputs of tests/reference/relplot.json."""
    drawn = {
        "square n=200": Derivate("square").draw(200, 0),
        "square n=20000": Derivate("square").draw(20_000, 1),
        "stairs n=2000": Derivate("stairs").draw(2000, 2),
        "beta1 n=5000": Derivate("beta1", 0.02).draw(5000, 3),
        "calibrated n=1000": Derivate("square", 0).draw(1000, 4),
        "calibrated n=20000": Derivate("square", 0).draw(20_000, 5),
        "sharp n=500": Sharp().draw(500, 6),
        "sharp n=20000": Sharp().draw(20_000, 7),
        "rare n=2000": Rare().draw(2000, 8),
        "rare n=20000": Rare().draw(20_000, 9),
        "confidence n=3000": Confidence().draw(3000, 10),
    }
    found = {name: (draw.y, draw.p) for name, draw in drawn.items()}
    found["ties at tenths n=2000"] = noisy(2000, seed=12, ties=1)
    y, p = noisy(1000, seed=13)
    found["p in {0, 1} n=1000"] = y, np.round(p)
    found["p = 1 - y n=200"] = 1 - y[:200], y[:200].astype(float)
    found["p = y n=200"] = y[:200], y[:200].astype(float)
    return found


PROBLEMS = problems()
every_problem = pytest.mark.parametrize("name", PROBLEMS)


def smooth(y, p, w=None, bandwidth=None):
    return fot.measures.SmoothECE(bandwidth).estimate(fot.ScoreSample(y, p, w))


def by_quadrature(y, p, w, s, points=20_001):
    """Return smECE_s by the midpoint rule, reflections written out."""
    groups = fot.ScoreSample(y, p, w).distinct
    residuals = (groups.wy - groups.w * groups.p) / groups.w.sum()
    t, smoothed = (np.arange(points) + 0.5) / points, np.zeros(points)
    reflections = int(np.ceil(5 * s)) + 1
    for q, r in zip(groups.p, residuals, strict=True):
        for k in range(-reflections, reflections + 1):
            for image in (2 * k + q, 2 * k - q):
                smoothed += r * np.exp(-0.5 * ((t - image) / s) ** 2) / (s * np.sqrt(2 * np.pi))
    return np.abs(smoothed).mean()


@pytest.mark.parametrize("s", [1e-4, 1e-3, 0.01, 0.05, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("ties", [None, 1, 0])
def test_it_is_the_integral(s, ties):
    y, p = noisy(20, ties=ties)
    w = np.random.default_rng(1).random(20)
    expected = by_quadrature(y, p, w, s, 200_001 if s < 0.01 else 20_001)
    assert smooth(y, p, w, s).value == pytest.approx(expected, abs=2e-5)


@given(data=samples())
@settings(max_examples=20)
def test_the_value_is_its_own_bandwidth(data):
    error = smooth(*data)
    assert error.value == pytest.approx(error.bandwidth, abs=1e-9)
    assert 0 <= error.value <= 1 + 1e-12
    assert error.value == pytest.approx(smooth(*data, max(error.bandwidth, 1e-4)).value, abs=2e-4)


@given(data=samples())
@settings(max_examples=8)
def test_it_falls_as_the_bandwidth_grows(data):
    values = [smooth(*data, s).value for s in (1e-4, 1e-3, 1e-2, 0.1, 0.5, 1.0, 10.0)]
    y, p, w = data
    assert np.all(np.diff(values) <= 1e-5)
    assert values[-1] == pytest.approx(abs(w @ (y - p)) / w.sum(), abs=1e-12)
    assert values[0] <= w @ np.abs(y - p) / w.sum() + 1e-12


@every_problem
def test_against_relplot(name):
    """To relplot's own error, nearly all of which is its integral over 200 points; ties and edges make it large."""
    y, p = PROBLEMS[name]
    theirs = figures("relplot")["values"][name]
    tolerance = 5e-3 if name.startswith("ties") else 1.5e-3
    assert smooth(y, p, bandwidth=0.05).value == pytest.approx(theirs["at_0.05"], abs=tolerance)
    if theirs["width"] < 0.2:  # its Gaussian ends at a distance of 1/2
        assert smooth(y, p, bandwidth=theirs["width"]).value == pytest.approx(theirs["value"], abs=tolerance)
        assert smooth(y, p).value == pytest.approx(theirs["value"], abs=tolerance + 1e-3)  # steps of its search


@pytest.mark.parametrize("name", ["square n=200", "sharp n=500", "ties at tenths n=2000", "p in {0, 1} n=1000"])
def test_it_is_closer_to_the_integral_than_relplot(name):
    y, p = PROBLEMS[name]
    theirs = figures("relplot")["values"][name]
    expected = by_quadrature(y, p, None, theirs["width"], 4001)
    error = abs(smooth(y, p, bandwidth=theirs["width"]).value - expected)
    assert error < 2e-6
    assert abs(theirs["value"] - expected) > 50 * error


def test_values_by_hand():
    assert smooth([1], [0.25]).value == pytest.approx(0.75, abs=1e-12)  # one sign: nothing cancels
    assert smooth([0, 0], [1.0, 1.0]).value == pytest.approx(1.0, abs=1e-12)
    assert smooth([0, 1], [0.0, 1.0]).value == 0.0
    tiny = smooth([1, 0], [1 - 1e-6, 1e-6])
    assert 0 <= tiny.value < 6.2e-5


def test_the_target_is_the_value_of_labels_that_are_the_truth():
    y, p = noisy(300, ties=2)
    sample = fot.ScoreSample(y, p)
    for measure in (fot.measures.SmoothECE(), fot.measures.SmoothECE(0.1)):
        assert measure.target(sample, y.astype(float)) == pytest.approx(measure.estimate(sample).value, abs=1e-12)


@pytest.mark.parametrize("bandwidth", [0, -1, 1e-5, np.inf, np.nan, "wide", True])
def test_refused_bandwidths(bandwidth):
    with pytest.raises(ValueError, match="bandwidth must be None or a finite number, at least"):
        fot.measures.SmoothECE(bandwidth)


def test_the_bandwidth_is_reported():
    y, p = noisy(300)
    error = smooth(y, p)
    assert error.record()["bandwidth"] == error.to_dict()["bandwidth"] == error.bandwidth
    assert smooth(y, p, bandwidth=0.2).bandwidth == 0.2
