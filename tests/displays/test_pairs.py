"""The diagram of the pair statistic: what it draws are the rows of the table."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.displays.pairs import SURE, PairsDisplay
from tests.displays.figures import blank, pixels, plain


def evidence(n=800, ties=None, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n) if ties is None else rng.random(n).round(ties)
    y = rng.random(n) < p + 0.1 * np.sin(16 * np.pi * p)
    return fot.make_measure("pairs").estimate(fot.Sample(y, p)).evidence


def drawn(display):
    """Return the places and the heights of the points."""
    lines = [line for line in display.ax_.lines if line.get_marker() == "o"]
    return np.concatenate([line.get_xdata() for line in lines]), np.concatenate([line.get_ydata() for line in lines])


def test_the_parts_are_the_rows():
    found = evidence()
    display = PairsDisplay.of(found)
    assert display.parts() == {"scales": found.rows()}
    assert display.rows("scales") == found.rows()


def test_points_stand_at_the_shares_and_roots_of_the_rows():
    found = evidence()
    x, y = drawn(found.plot(plain()))
    np.testing.assert_allclose(x, [100 * row["share"] for row in found.rows()])
    np.testing.assert_allclose(y, [row["root"] for row in found.rows()])


def test_pairs_of_equal_scores_stand_apart_on_the_left():
    display = evidence(ties=2).plot(plain())
    points = [line for line in display.ax_.lines if line.get_marker() == "o"]
    assert [line.get_xdata().size for line in points] == [len(display.rows("scales")) - 1, 1]
    assert points[1].get_xdata()[0] < points[0].get_xdata().min()
    labels = [text.get_text() for text in display.ax_.get_xticklabels()]
    assert labels[0] == "same\nscore"
    assert "same\nscore" not in labels[1:]
    assert display.ax_.get_xticks()[0] == points[1].get_xdata()[0]


def test_the_band_is_that_of_calibrated_scores():
    found = evidence()
    display = found.plot(plain())
    (band,) = display.ax_.collections
    heights = np.unique(np.abs(band.get_paths()[0].vertices[:, 1]))
    expected = np.sqrt(SURE * np.array([row["sd_if_calibrated"] for row in found.rows()]))
    np.testing.assert_allclose(heights, np.sort(expected))


def test_a_single_scale_has_a_band_too():
    rng = np.random.default_rng(0)
    for p in (np.full(100, 0.4), rng.random(12)):
        found = fot.make_measure("pairs").estimate(fot.Sample(rng.random(p.size) < p, p)).evidence
        display = found.plot(plain())
        (bar,) = display.ax_.collections
        half = np.sqrt(SURE * found.spreads[0])
        np.testing.assert_allclose(bar.get_segments()[0][:, 1], [-half, half])
        assert bar.get_linewidth() > 5
        assert len(display.ax_.get_legend().get_texts()) == 2


@pytest.mark.parametrize("ties", [None, 1, 2])
def test_texts_do_not_touch(ties):
    display = evidence(ties=ties).plot(blank(PairsDisplay.of(evidence()).size))
    display.figure_.draw_without_rendering()
    ax = display.ax_
    boxes = [text.get_window_extent() for text in (*ax.get_xticklabels(), ax.xaxis.label)]
    assert len(boxes) > 2
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert ax.get_ylabel() == "root of the pair statistic"


def test_it_is_drawn():
    figure = blank((5.6, 3.6))
    evidence(ties=2).plot(figure)
    assert np.ptp(pixels(figure)[..., :3]) > 0.9


def test_the_repr_counts_scales():
    found = evidence()
    assert f"{len(found.rows())} scales" in repr(PairsDisplay.of(found))


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match="rows must hold at least one scale, got none"):
        PairsDisplay([])
