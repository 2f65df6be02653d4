"""The diagram of the pair statistic: what it draws are the rows of the table."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.displays.pairs import SURE, PairsDisplay
from tests.displays.figures import blank, pixels, plain


def waves(n=800, ties=None, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n) if ties is None else rng.random(n).round(ties)
    y = rng.random(n) < p + 0.1 * np.sin(16 * np.pi * p)
    return y, p


def measured(y, p, w=None):
    return fot.measures.make("pairs").estimate(fot.ScoreSample(y, p, w))


def drawn(display):
    """Return the places and the heights of the points."""
    lines = [line for line in display.ax_.lines if line.get_marker() == "o"]
    return np.concatenate([line.get_xdata() for line in lines]), np.concatenate([line.get_ydata() for line in lines])


def test_the_parts_are_the_rows():
    error = measured(*waves())
    display = PairsDisplay(error)
    assert display.parts() == {"scales": error.evidence.rows()}
    assert display.rows("scales") == error.evidence.rows()


def test_predictions_are_measured():
    y, p = waves()
    w = np.random.default_rng(0).integers(1, 4, y.size)
    display = PairsDisplay.from_predictions(y, p, sample_weight=w, ax=plain())
    assert display.rows("scales") == measured(y, p, w).evidence.rows()
    matrix = np.column_stack((1 - p, p))
    confidence = PairsDisplay.from_predictions(y, matrix, reduction="confidence", ax=plain())
    top = np.maximum(p, 1 - p)
    assert confidence.rows("scales") == measured(y == (p > 0.5), top).evidence.rows()


def test_points_stand_at_the_shares_and_roots_of_the_rows():
    display = PairsDisplay.from_predictions(*waves(), ax=plain())
    x, y = drawn(display)
    np.testing.assert_allclose(x, [100 * row["share"] for row in display.rows("scales")])
    np.testing.assert_allclose(y, [row["root"] for row in display.rows("scales")])


def test_pairs_of_equal_scores_stand_apart_on_the_left():
    display = PairsDisplay.from_predictions(*waves(ties=2), ax=plain())
    points = [line for line in display.ax_.lines if line.get_marker() == "o"]
    assert [line.get_xdata().size for line in points] == [len(display.rows("scales")) - 1, 1]
    assert points[1].get_xdata()[0] < points[0].get_xdata().min()
    labels = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert labels[0] == "same\nscore"
    assert "same\nscore" not in labels[1:]
    assert display.ax_.get_xticks()[0] == points[1].get_xdata()[0]


def test_the_band_is_that_of_calibrated_scores():
    error = measured(*waves())
    found, display = error.evidence, PairsDisplay(error).plot(plain())
    (band,) = display.ax_.collections
    heights = np.unique(np.abs(band.get_paths()[0].vertices[:, 1]))
    expected = np.sqrt(SURE * np.array([row["sd_if_calibrated"] for row in found.rows()]))
    np.testing.assert_allclose(heights, np.sort(expected))


def test_a_single_scale_has_a_band_too():
    rng = np.random.default_rng(0)
    for p in (np.full(100, 0.4), rng.random(12)):
        error = measured(rng.random(p.size) < p, p)
        found, display = error.evidence, PairsDisplay(error).plot(plain())
        (bar,) = display.ax_.collections
        half = np.sqrt(SURE * found.spreads[0])
        np.testing.assert_allclose(bar.get_segments()[0][:, 1], [-half, half])
        assert bar.get_linewidth() > 5
        assert len(display.ax_.get_legend().get_texts()) == 2


@pytest.mark.parametrize("ties", [None, 1, 2])
def test_texts_do_not_touch(ties):
    display = PairsDisplay(measured(*waves(ties=ties)))
    display.plot(blank(display.size))
    display.figure_.draw_without_rendering()
    ax = display.ax_
    boxes = [text.get_window_extent() for text in (*ax.get_xticklabels(), ax.xaxis.label)]
    assert len(boxes) > 2
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert ax.get_ylabel() == "root of the pair statistic"


def test_it_is_drawn():
    figure = blank((5.6, 3.6))
    PairsDisplay.from_predictions(*waves(ties=2), ax=figure)
    assert np.ptp(pixels(figure)[..., :3]) > 0.9


def test_the_repr_counts_scales():
    error = measured(*waves())
    assert f"{len(error.evidence.rows())} scales" in repr(PairsDisplay(error))


def test_another_measure_is_refused():
    error = fot.measures.make("ece").estimate(fot.ScoreSample(*waves()))
    with pytest.raises(ValueError, match="error must be an estimate of the measure 'pairs', got Estimate"):
        PairsDisplay(error)
