"""Validity curves: their numbers, and several models in one picture."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

import fitontest as fot
from fitontest.displays.curve import SIZE, CurveDisplay
from fitontest.displays.validity import MOST_STEPS
from tests.displays.figures import blank, pixels, plain
from tests.strategies import noisy


def validity_curves(*args, **options):
    return fot.displays.validity_curves(*args, **options)


def test_the_curve_is_the_table():
    y, p = noisy(200, ties=2)
    display = validity_curves(y, p, k=7).plot(plain())
    area = fot.measures.ValidityArea(7).estimate(fot.ScoreSample(y, p))
    assert display.title == f"AUC_V {area.value:.3f}"
    line = display.ax_.lines[-1]
    x, height = line.get_data()
    assert line.get_drawstyle() == "steps-post"
    at = np.linspace(0, 1, 400)
    drawn = height[np.searchsorted(x, at, side="right") - 1]
    np.testing.assert_array_equal(drawn, area.curve.at(at))
    assert np.diff(x) @ height[:-1] == pytest.approx(area.value, abs=1e-12)  # the area that the title names
    frame = display.to_frame(part="curve")
    assert (frame["eps"].tolist(), frame["share"].tolist()) == (area.curve.eps.tolist(), area.curve.share.tolist())
    assert display.ax_.get_xlim() == (0, pytest.approx(1.04 * area.curve.eps[-1]))


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_several_models_in_one_picture(style):
    y, p = noisy(300, power=2)
    models = {"raw": p, "_calibrated": p**2, "reverse": np.abs(p - 1)}
    with plt.style.context(style):
        display = validity_curves(y, models).plot(blank(SIZE))
    assert [*display.artists_] == [*models]
    assert len({drawn["line"].get_color() for drawn in display.artists_.values()}) == 3
    longest = max(row["eps"] for row in display.rows("curve"))
    assert display.ax_.get_xlim()[1] == pytest.approx(min(1.0, 1.04 * longest))  # that of all is shown
    figure = display.figure_
    figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in display.ax_.texts if text.get_text() in models]
    assert len(boxes) == 3
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    for box in [*boxes, display.ax_.get_tightbbox()]:
        assert figure.bbox.x0 - 1 <= box.x0
        assert box.x1 <= figure.bbox.x1 + 1
    assert pixels(figure)[..., :3].std() > 0.05


def test_each_curve_has_that_of_calibrated_scores_beside_it_unless_told_otherwise():
    y, p = noisy(300)
    display = validity_curves(y, {"a": p, "b": p**2}, null_draws=5)
    assert {row["model"] for row in display.rows("if_calibrated")} == {"a", "b"}
    bands = [line for line in display.panels[0].lines if line.low is not None]
    assert all((line.low <= line.y).all() and (line.y <= line.high).all() for line in bands)
    assert len(bands) == 2
    bare = validity_curves(y, p, null_draws=0)
    assert [*bare.parts()] == ["curve"]
    assert "dashed" not in bare.second


def test_many_steps_are_thinned_and_the_table_is_not():
    y, p = noisy(5000)
    display = validity_curves(y, p).plot(plain())
    x, height = display.ax_.lines[-1].get_data()
    assert x.size <= MOST_STEPS + 2
    assert len(display.rows()) > MOST_STEPS
    curve = fot.measures.ValidityCurve.from_predictions(y, p)
    np.testing.assert_array_equal(curve.at(x[1:-1]), height[1:-1])


def test_the_area_draws_its_curve_and_to_a_file(tmp_path):
    y, p = noisy(200)
    area = fot.measure(y, p, fot.measures.ValidityArea(20))
    display = area.plot(plain(), name="model")
    assert isinstance(display, CurveDisplay)
    assert display.title == f"model: AUC_V {area.value:.3f}"
    assert "20 nearest neighbours" in display.second
    first, second = (area.plot(plain()).save(tmp_path / f"{k}.svg").read_bytes() for k in range(2))
    assert first == second


def test_all_scores_exact():
    display = validity_curves([0, 1], [0.0, 1.0], k=1).plot(plain())
    assert display.title == "AUC_V 1.00"
    assert display.ax_.get_xlim() == (0, 1)


def test_refusals():
    y, p = noisy(30)
    with pytest.raises(ValueError, match="reduction must be 'confidence' or 'binary' for a validity diagram"):
        validity_curves(y, np.column_stack([1 - p, p]), reduction="classwise")
    with pytest.raises(ValueError, match="k must be a whole number"):
        validity_curves(y, p, k=0)
    with pytest.raises(ValueError, match="null_draws must be"):
        validity_curves(y, p, null_draws=-1)
