"""The validity diagram: its numbers, its legend, and several models in one picture."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import fitontest as fot
from fitontest.displays.validity import MOST_STEPS, SIZE, ValidityDisplay
from tests.displays.figures import blank, pixels, plain
from tests.strategies import noisy


def texts(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_the_curve_is_the_table():
    y, p = noisy(200, ties=2)
    display = ValidityDisplay.from_predictions(y, p, k=7, name="raw", ax=plain())
    area = fot.measures.ValidityArea(7).estimate(fot.ScoreSample(y, p))
    assert texts(display) == [f"raw: AUC_V {area.value:.3f}", "if calibrated (band: 90 %)"]
    x, height = display.line_.get_data()
    assert display.line_.get_drawstyle() == "steps-post"
    at = np.linspace(0, 1, 400)
    drawn = height[np.searchsorted(x, at, side="right") - 1]
    np.testing.assert_array_equal(drawn, area.curve.at(at))
    assert np.diff(x) @ height[:-1] == pytest.approx(area.value, abs=1e-12)  # the area that the legend names
    frame = display.to_frame(part="curve")
    assert (frame["eps"].tolist(), frame["share"].tolist()) == (area.curve.eps.tolist(), area.curve.share.tolist())
    assert display.ax_.get_xlim() == (0, pytest.approx(1.04 * area.curve.eps[-1]))


def test_several_models_in_one_picture():
    y, p = noisy(300, power=2)
    first = ValidityDisplay.from_predictions(y, p, name="raw", ax=blank(SIZE))
    limit = first.ax_.get_xlim()[1]
    second = ValidityDisplay.from_predictions(y, p**2, name="_calibrated", ax=first.ax_)
    third = ValidityDisplay.from_predictions(y, np.abs(p - 1), ax=first.ax_, color="black")
    assert [text.split(": ")[0] for text in texts(third)[:2]] == ["raw", "_calibrated"]
    assert texts(third)[2] == f"AUC_V {third.error.value:.3f}"
    lines = [one.line_ for one in (first, second, third)]
    assert len({line.get_color() for line in lines}) == 3
    assert len({str(line._dash_pattern) for line in lines}) == 3  # also in grey print
    assert third.ax_.get_xlim()[1] > limit  # the longest distance of all is shown
    figure = first.figure_
    figure.draw_without_rendering()
    box = third.legend_.get_window_extent()
    assert third.ax_.bbox.x0 <= box.x0
    assert box.x1 <= third.ax_.bbox.x1 + 1
    for label in (third.ax_.xaxis.label, third.ax_.yaxis.label):
        extent = label.get_window_extent()
        assert figure.bbox.x0 <= extent.x0
        assert extent.x1 <= figure.bbox.x1
        assert figure.bbox.y0 <= extent.y0
        assert extent.y1 <= figure.bbox.y1
    assert pixels(figure)[..., :3].std() > 0.05


def test_a_chosen_limit_survives_further_curves():
    y, p = noisy(300, power=2)
    estimate = fot.measures.ValidityArea().estimate(fot.ScoreSample(y, p))
    first = ValidityDisplay(estimate).plot(plain(), limit=0.05)
    ValidityDisplay(estimate).plot(first.ax_)
    assert first.ax_.get_xlim() == (0, 0.05)
    ValidityDisplay(estimate).plot(first.ax_, limit=0.3)
    ValidityDisplay.from_predictions(y, 1 - p, ax=first.ax_)
    assert first.ax_.get_xlim() == (0, 0.3)


def test_many_steps_are_thinned_and_the_table_is_not():
    y, p = noisy(5000)
    display = ValidityDisplay.from_predictions(y, p, ax=plain(), legend=False)
    assert display.legend_ is None
    assert display.line_.get_xdata().size <= MOST_STEPS + 2
    assert len(display.rows()) > MOST_STEPS
    x, height = display.line_.get_data()
    np.testing.assert_array_equal(display.curve.at(x[1:-1]), height[1:-1])


def test_from_an_estimator_and_to_a_file(tmp_path):
    x = np.random.default_rng(0).normal(size=(200, 2))
    y = x[:, 0] + np.random.default_rng(1).normal(size=200) > 0
    model = LogisticRegression().fit(x, y)
    display = ValidityDisplay.from_estimator(model, x, y, k=20, ax=blank(SIZE))
    assert texts(display)[0].startswith("LogisticRegression: AUC_V ")
    expected = fot.measures.ValidityArea(20).estimate(fot.ScoreSample(y, model.predict_proba(x)[:, 1])).value
    assert display.error.value == expected
    first, second = (ValidityDisplay(display.error).save(tmp_path / f"{k}.svg").read_bytes() for k in range(2))
    assert first == second


def test_all_scores_exact():
    display = ValidityDisplay.from_predictions([0, 1], [0.0, 1.0], k=1, ax=plain())
    assert display.error.value == 1
    assert display.ax_.get_xlim() == (0, 1)


def test_refusals():
    y, p = noisy(30)
    with pytest.raises(ValueError, match="error must be an Estimate of auc_v of two classes, got Estimate"):
        ValidityDisplay(fot.calibration_error(y, p, family="platt"))
    with pytest.raises(ValueError, match="reduction must be 'confidence' or 'binary' for a validity diagram"):
        ValidityDisplay.from_predictions(y, np.column_stack([1 - p, p]), reduction="classwise")
    display = ValidityDisplay(fot.measures.ValidityArea().estimate(fot.ScoreSample(y, p)))
    with pytest.raises(ValueError, match=r"limit must be a number in \(0, 1\] or None, got 1.5"):
        display.plot(plain(), limit=1.5)
    with pytest.raises(ValueError, match="k must be a whole number"):
        ValidityDisplay.from_predictions(y, p, k=0)
