"""Figures as files: the same bytes every time, and no larger for more data."""

import numpy as np
import pytest

import fitontest as fot
from tests.displays.figures import blank
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

SAMPLE = fot.ScoreSample(*noisy(400))


@pytest.fixture(scope="module")
def measured():
    y, p = SAMPLE.y, SAMPLE.p
    return fot.evaluate(y, p, interval=None, families=[fot.Slope1(5), "beta"]), fot.tce(y, p, null_draws=3)


FILES = [("reliability", "svg"), *((kind, ending) for kind in ("tce", "several") for ending in ("svg", "pdf", "png"))]


@pytest.mark.parametrize(("kind", "ending"), FILES)
def test_files_are_the_same_every_time(tmp_path, kind, ending, measured):
    evaluation, tce = measured

    def save(name):
        if kind == "several":
            display = evaluation.diagrams("all")
        elif kind == "tce":
            display = fot.displays.TCEDisplay(tce, SAMPLE)
        else:
            display = fot.ReliabilityDisplay.from_estimate(evaluation["slope1"], SAMPLE, scale="logit")
        return display.save(tmp_path / f"{name}.{ending}").read_bytes()

    first = save("a")
    assert first == save("b")
    assert len(first) > 5_000


@pytest.mark.exhaustive
def test_many_scores_are_a_small_file(tmp_path):
    rng = np.random.default_rng(0)
    p = rng.beta(0.4, 0.6, 100_000)
    sample = fot.ScoreSample(rng.random(p.size) < p**1.2, p)
    for family in ("isotonic", fot.Slope1(2000), fot.Flat(200, "equal_width")):
        error = fot.calibration_error(sample.y, p, family=family, interval=None)
        display = fot.ReliabilityDisplay.from_estimate(error, sample, band={"kind": None})
        assert display.save(tmp_path / "a.svg").stat().st_size < 300_000
    for partition in ("pava", fot.partitions.EqualMass(300)):
        display = fot.displays.TCEDisplay(fot.tce(sample.y, p, partition=partition), sample)
        assert display.save(tmp_path / "b.svg").stat().st_size < 300_000


def test_other_endings_are_refused(tmp_path):
    y, p = noisy(50)
    display = fot.ReliabilityDisplay.from_predictions(y, p, ax=blank())
    with pytest.raises(ValueError, match=r"the ending of path must be one of '\.svg', '\.pdf', '\.png'; got '\.bmp'"):
        display.save(tmp_path / "a.bmp")
    assert not list(tmp_path.iterdir())
