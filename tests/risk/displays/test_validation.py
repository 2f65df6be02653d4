"""The diagram of a validation: curve, histogram and numbers are those of the validation, and all of them are seen."""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

import fitontest as fot
from fitontest.numerics.links import sigmoid
from fitontest.results.text import short
from fitontest.risk.displays.validation import ValidationDisplay
from fitontest.risk.displays.validation_artists import are_unequal
from tests.displays.figures import blank, pixels, plain

pytestmark = pytest.mark.multiplies


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    """All draws are made here."""


@cache
def rows():
    rng = np.random.default_rng(0)
    x = rng.normal(-0.3, 1.4, 200)
    return (rng.random(200) < sigmoid(x)).astype(int), sigmoid(1.5 * x - 0.9)


@cache
def validation():
    return fot.risk.validate(*rows(), thresholds=[0.2])


@cache
def default():
    return ValidationDisplay(validation()).plot(plain((8.0, 6.4)))


def texts_of(box):
    """Return the texts of a box of numbers, from the left column to the right one."""
    inner = box.get_children() if hasattr(box, "get_children") else []
    text = [box.get_text()] if hasattr(box, "get_text") else []
    return [*text, *(line for child in inner for line in texts_of(child))]


def legend_of(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_the_curve_is_that_of_the_validation_and_of_an_evaluation():
    display, (panel,) = default(), default().panels.values()
    known = validation().statistics["ici"]
    assert panel.error is known
    evaluated = fot.calibration_error(*rows(), family="spline")
    assert float(known) == float(evaluated)
    x = panel.line_.get_xdata()
    np.testing.assert_allclose(panel.line_.get_ydata(), evaluated.map(x), atol=1e-9)
    assert panel.band.level == validation().level
    assert np.all(panel.band.lower <= panel.band.upper)
    assert legend_of(display)[0] == "calibration curve (spline)"
    assert "true map, 95 % at each score (100 draws)" in legend_of(display)


def test_events_go_up_and_non_events_down():
    (panel,) = default().panels.values()
    y, p = rows()
    frame = default().to_frame(part="histogram")
    assert frame["events"].sum() == y.sum()
    assert frame["non_events"].sum() == (1 - y).sum()
    first = (frame["lower"] <= 0.1) & (frame["upper"] > 0.1)
    inside = (p >= frame["lower"][first].item()) & (p < frame["upper"][first].item())
    assert frame["events"][first].item() == y[inside].sum()
    assert panel.events_.get_data().values.min() == 0
    assert panel.non_events_.get_data().values.max() == 0


def test_rare_events_have_a_scale_of_their_own_and_the_legend_says_so():
    assert not are_unequal(np.array([3.0]), np.array([5.0]))
    assert not are_unequal(np.array([0.0]), np.array([5.0]))
    assert are_unequal(np.array([3.0]), np.array([500.0]))
    display = ValidationDisplay(validation(), band=False)
    (panel,) = display.panels.values()
    for unequal, scale in ((True, 1.0), (False, panel.non_events.max() / panel.events.max())):
        panel.unequal = unequal
        display.plot(plain())
        heights = [patch.get_data().values for patch in (panel.events_, panel.non_events_)]
        ratio = np.abs(heights[1]).max() / heights[0].max()
        assert ratio == pytest.approx(scale)
        assert ("non-events (other scale)" in legend_of(display)) == unequal


def test_the_numbers_are_those_of_the_validation():
    shown = texts_of(default().numbers_)
    known = validation().statistics
    y, _ = rows()
    assert f"n = 200, {y.sum()} events" in shown
    for name in ("ici", "e50", "e90", "emax"):
        assert short(known[name].debiased) in shown
        assert short(known[name].value) in shown
    for name in ("observed_expected", "calibration_slope", "auc", "net_benefit(0.2)"):
        measure, ends = known[name].measure, known[name].interval
        assert measure.printed(known[name].value) in shown
        assert ends is None or f"{measure.printed(ends.low)} to {measure.printed(ends.high)}" in shown
    frame = default().to_frame(part="numbers")
    assert frame["label"].tolist()[:4] == ["O:E", "In the large", "Slope", "ICI, debiased"]
    assert "Loss at 0.2" in frame["label"].tolist()


def test_what_has_no_value_is_a_dash():
    y, _ = rows()
    apart = ValidationDisplay(fot.risk.validate(y, 0.1 + 0.8 * y), band=False)
    lines = {number.label: number.value for number in apart.numbers}
    assert lines["Slope"] == "\N{EN DASH}"
    assert lines["AUC"] == "1.00"


def test_thresholds_are_marked_and_numbers_can_be_left_out():
    (panel,) = default().panels.values()
    assert [segment[0, 0] for segment in panel.thresholds_.get_segments()] == [0.2]
    assert "thresholds 0.2" in legend_of(default())
    bare = ValidationDisplay(validation(), numbers=False, band=False).plot(plain())
    assert bare.numbers_ is None
    assert "numbers" not in bare.parts()
    assert next(iter(bare.panels.values())).band_ is None


@pytest.mark.parametrize(("size", "beside"), [((8.0, 6.4), True), ((5.2, 9.0), False), ((3.4, 9.0), False)])
@pytest.mark.parametrize("figure", [blank, plain])
def test_numbers_are_beside_the_curve_or_below_and_never_cut_off(figure, size, beside):
    display = ValidationDisplay(validation(), band=False).plot(figure(size))
    page = display.figure_
    page.draw_without_rendering()
    (main,) = display.axes_.values()
    numbers, legend = display.numbers_.get_window_extent(), display.legend_.get_window_extent()
    assert (numbers.x0 > main.get_window_extent().x1) == beside
    assert (numbers.y1 < legend.y0) == (not beside)
    for box in (numbers, legend):
        assert page.bbox.x0 <= box.x0
        assert box.x1 <= page.bbox.x1
        assert page.bbox.y0 - 5 <= box.y0  # a box ends with an empty line, or with padding
    assert ("raw" in texts_of(display.numbers_)) == (size[0] > 4)


@pytest.mark.parametrize(("size", "written"), [((6.4, 4.8), True), ((4.0, 4.0), False)])
def test_numbers_never_take_the_room_of_the_curve(size, written):
    display = ValidationDisplay(validation(), band=False).plot(Figure(figsize=size))
    display.figure_.canvas.draw()
    (axes,) = display.axes_.values()
    width, height = axes.get_window_extent().size / display.figure_.dpi
    assert (display.numbers_ is not None) == written
    assert min(width, height) > 1.2


@pytest.mark.exhaustive
def test_several_models_have_panels_on_the_same_axes():
    y, p = rows()
    models = fot.risk.validate(y, {"as it is": p, "a better one": np.sqrt(p)})
    display = ValidationDisplay(models, band=False).plot(Figure(layout="constrained"))
    assert [*display.axes_] == ["as it is", "a better one"]
    limits = {(*ax.get_xlim(), *ax.get_ylim()) for ax in display.axes_.values()}
    assert len(limits) == 1
    title = display.axes_["a better one"].get_title()
    assert f"ICI {short(models['a better one'].statistics['ici'].debiased)}" in title
    assert {row["panel"] for row in display.rows("histogram")} == {"as it is", "a better one"}
    with pytest.raises(ValueError, match="ax must be"):
        display.plot(Figure().add_subplot())


@pytest.mark.exhaustive
def test_files_are_the_same_every_time_and_nothing_global_changes(tmp_path):
    before = dict(plt.rcParams), plt.get_fignums()
    drawn = [ValidationDisplay(validation(), band=False).save(tmp_path / f"{k}.svg").read_bytes() for k in range(2)]
    assert drawn[0] == drawn[1]
    assert (dict(plt.rcParams), plt.get_fignums()) == before
    assert pixels(default().figure_)[..., :3].std() > 0.05
    assert "O:E" in repr(default())


def test_what_is_no_validation_is_refused():
    with pytest.raises(ValueError, match="validation must be what validate returns"):
        ValidationDisplay(3)
    with pytest.raises(ValueError, match="validation must hold at least one"):
        ValidationDisplay({})


@pytest.mark.exhaustive
def test_numbers_beside_a_narrow_curve_do_not_cover_the_legend():
    decided = fot.risk.validate(*rows(), thresholds=[0.1, 0.2, 0.3])
    display = ValidationDisplay(decided).plot(Figure())  # no layout, 6.4 by 4.8 inches
    display.figure_.draw_without_rendering()
    numbers, legend = display.numbers_.get_window_extent(), display.legend_.get_window_extent()
    assert numbers.x0 < legend.x1
    assert numbers.y0 >= legend.y1
    assert numbers.y1 <= display.figure_.bbox.y1
