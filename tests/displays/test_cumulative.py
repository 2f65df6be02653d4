"""The walk of cumulated residuals: its numbers, its band, and what its bar marks."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import fitontest as fot
from fitontest.displays.cumulative import POINTS, SIZE, CumulativeDisplay
from tests.displays.figures import blank, pixels, plain
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies


def test_the_line_is_the_walk_and_the_bar_is_the_error():
    y, p = noisy(300, ties=2, power=1.6)
    display = CumulativeDisplay.from_predictions(y, p, name="raw $x$", ax=plain())
    expected = fot.measure(y, p, "ecce")
    assert display.error.value == expected.value
    x, height = display.line_.get_data()
    points, where = np.unique(p, return_inverse=True)
    steps = np.bincount(where, y - p) / y.size
    np.testing.assert_allclose(height, np.append(0, np.cumsum(steps)), atol=1e-12)
    np.testing.assert_allclose(x, np.append(0, np.cumsum(np.bincount(where)) / y.size), atol=1e-12)
    ends = display.range_.get_ydata()
    assert np.ptp(ends) == pytest.approx(expected.value, rel=1e-12)
    assert display.reach == pytest.approx(np.sort(expected.null.values)[950])
    assert display.band_.get_height() == pytest.approx(2 * display.reach)
    title = display.ax_.get_title(loc="left")
    assert f"{expected.interval.low:.3g}" in title
    assert "$x$" not in title.replace(r"\$x\$", "")
    frame = display.to_frame(part="walk")
    np.testing.assert_allclose(frame["cumulated"], height, atol=1e-15)
    np.testing.assert_array_equal(frame["score"][1:], points)


def test_the_point_farthest_from_0_is_marked_for_ks():
    y, p = noisy(300, power=1.6)
    display = CumulativeDisplay.from_predictions(y, p, measure="ks", draws=100, ax=plain())
    assert sorted(np.abs(display.range_.get_ydata())) == pytest.approx([0.0, display.error.value])
    (record,) = display.to_frame(part="range").to_dict("records")
    assert max(abs(record["low"]), abs(record["high"])) == pytest.approx(display.error.value)


@pytest.mark.exhaustive
def test_a_long_walk_keeps_its_extremes():
    rng = np.random.default_rng(0)
    p = rng.random(30_000)
    y = rng.random(30_000) < p**1.2
    display = CumulativeDisplay.from_predictions(y, p, draws=50, ax=plain())
    height = display.line_.get_ydata()
    assert height.size <= 2 * POINTS + 2
    assert (height.min(), height.max()) == (display.walk.min(), display.walk.max())
    assert len(display.to_frame(part="walk")) == 30_001


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_all_labels_are_inside_and_apart(style):
    y, p = noisy(400, power=2)
    with plt.style.context(style):
        figure = blank(SIZE)
        display = CumulativeDisplay.from_predictions(y, p, draws=50, name="model", ax=figure)
        figure.draw_without_rendering()
        boxes = [
            text.get_window_extent()
            for text in (display.ax_.title, display.ax_._left_title, display.ax_.xaxis.label, display.ax_.yaxis.label)
            if text.get_text()
        ]
        boxes.append(display.scores_ax_.xaxis.label.get_window_extent())
        for box in boxes:
            assert figure.bbox.x0 <= box.x0
            assert box.x1 <= figure.bbox.x1
            assert figure.bbox.y0 <= box.y0
            assert box.y1 <= figure.bbox.y1
        assert display.ax_._left_title.get_window_extent().y0 >= boxes[-1].y1 - 1
        assert pixels(figure)[..., :3].std() > 0.05


@pytest.mark.parametrize("figure", [blank, plain])
def test_the_label_of_the_scores_is_apart_from_their_numbers(figure):
    y, p = noisy(400, power=2)
    whole = figure(SIZE)
    display = CumulativeDisplay.from_predictions(y, p / 1000, draws=50, ax=whole)  # numbers as wide as they come
    whole.draw_without_rendering()
    axis = display.scores_ax_.xaxis
    assert axis.label.get_text() == "score"
    numbers = [number.get_window_extent() for number in axis.get_ticklabels() if number.get_text()]
    assert len(numbers) > 3
    assert not any(axis.label.get_window_extent().overlaps(number) for number in numbers)


def test_by_an_estimate_and_an_estimator_and_to_a_file(tmp_path):
    x = np.random.default_rng(0).normal(size=(200, 2))
    y = x[:, 0] + np.random.default_rng(1).normal(size=200) > 0
    model = LogisticRegression().fit(x, y)
    display = CumulativeDisplay.from_estimator(model, x, y, draws=50, ax=plain())
    expected = fot.measure(y, model.predict_proba(x)[:, 1], "ecce", interval=None)
    assert display.error.value == expected.value
    drawn = fot.measure(y, model.predict_proba(x)[:, 1], "ecce").plot(plain())
    assert isinstance(drawn, CumulativeDisplay)
    first, second = (display.save(tmp_path / f"{k}.svg").read_bytes() for k in range(2))
    assert first == second


def test_certain_scores_have_no_band():
    display = CumulativeDisplay.from_predictions([0, 1, 1], [0.0, 1.0, 0.0], ax=plain())
    assert display.band_ is None
    assert display.reach is None
    assert list(display.parts()) == ["walk", "range"]
    assert display.error.value == pytest.approx(1 / 3)


def test_refusals():
    y, p = noisy(30)
    with pytest.raises(ValueError, match="error must be of the measure ecce or ks, got"):
        CumulativeDisplay(fot.calibration_error(y, p, family="platt"), fot.ScoreSample(y, p))
    with pytest.raises(ValueError, match="measure must be 'ecce' or 'ks', got 'tce'"):
        CumulativeDisplay.from_predictions(y, p, measure="tce")
