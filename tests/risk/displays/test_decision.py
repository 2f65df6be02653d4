"""The diagram of decision curves: its numbers, what it cuts off and says of it, and that nothing is hidden."""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

import fitontest as fot
from fitontest.displays.cost_ticks import choose_cost_ticks, format_cost_ratio
from fitontest.displays.scales import Scale
from fitontest.numerics.links import sigmoid
from fitontest.risk.displays.decision import DecisionDisplay
from tests.displays.figures import blank, pixels, plain

pytestmark = pytest.mark.multiplies

GRID = np.linspace(0.02, 0.7, 35)


@cache
def rows():
    rng = np.random.default_rng(0)
    x = rng.normal(-0.5, 1.5, 300)
    y = (rng.random(300) < sigmoid(x)).astype(int)
    noise = rng.normal(0, 0.5, (6, 300))
    return y, {f"model {k}": sigmoid((0.6 + 0.4 * k) * x + noise[k]) for k in range(6)}


@cache
def curve(models=1, thresholds=tuple(GRID)):
    y, p = rows()
    return fot.risk.decision_curve(y, dict([*p.items()][:models]), thresholds=list(thresholds))


def draw(*args, figure=plain, size=(5.2, 6.4), **options):
    return DecisionDisplay(curve(*args), **options).plot(figure(size))


@cache
def default():
    return draw()


def legend_of(display):
    return [text.get_text() for text in display.legend_.get_texts()]


def test_lines_are_the_numbers_of_the_curve():
    display, known = default(), curve()
    name = "model 0"
    np.testing.assert_array_equal(display.lines_[name].get_ydata(), known.net_benefit[name].value)
    np.testing.assert_array_equal(display.recalibrated_[name].get_ydata(), known.recalibrated[name])
    low = display.bands_[name].get_paths()[0].vertices[:, 1].min()
    assert low == known.net_benefit[name].band_low.min()
    frame = display.to_frame(part="models")
    np.testing.assert_array_equal(frame["loss"], known.loss[name])
    np.testing.assert_array_equal(frame["high"], known.net_benefit[name].band_high)
    everybody = display.to_frame(part="treat all")["value"]
    np.testing.assert_allclose(everybody, known.net_benefit["treat all"].value, atol=1e-12)
    height = max(polygon.vertices[:, 1].max() for polygon in display.losses_ax_.collections[0].get_paths())
    assert height == pytest.approx(1000 * known.loss[name].max())


def test_the_band_is_named_and_can_be_the_one_at_each_threshold():
    assert "95 % at all thresholds at once" in legend_of(default())
    pointwise = draw(band="pointwise")
    assert "95 % at each threshold" in legend_of(pointwise)
    np.testing.assert_array_equal(pointwise.curves[0].low, curve().net_benefit["model 0"].low)
    bare = draw(band=None)
    assert bare.bands_ == {"model 0": None}
    assert not any("95 %" in text for text in legend_of(bare))


@pytest.mark.parametrize(("models", "bands", "recalibrated"), [(2, 2, 2), (3, 3, 0), (6, 0, 0)])
def test_many_models_hide_nothing_of_one_another(models, bands, recalibrated):
    display = draw(models)
    assert [*display.lines_] == [f"model {k}" for k in range(models)] == legend_of(display)[:models]
    assert sum(band is not None for band in display.bands_.values()) == bands
    assert sum(line is not None for line in display.recalibrated_.values()) == recalibrated
    assert len({line.get_color() for line in display.lines_.values()}) == models
    losses = [line for line in display.losses_ax_.lines if len(line.get_xdata()) == GRID.size]
    assert len(losses) == models


def test_kinds_have_their_units():
    known = curve(2)
    standardised = draw(2, kind="standardised")
    np.testing.assert_allclose(standardised.curves[0].value, known.net_benefit["model 0"].value / known.base_rate)
    np.testing.assert_allclose(standardised.curves[0].loss, known.loss["model 0"] / known.base_rate)
    avoided = draw(2, kind="interventions avoided")
    against = known.net_benefit["model 1"].value - known.net_benefit["treat all"].value
    np.testing.assert_allclose(avoided.curves[1].value, 1000 * against * (1 - GRID) / GRID, atol=1e-9)
    assert avoided.losses_ax_ is None
    np.testing.assert_array_equal(avoided.to_frame(part="treat all")["value"], 0)
    nobody = avoided.to_frame(part="treat none")["value"]
    np.testing.assert_allclose(nobody, -1000 * known.net_benefit["treat all"].value * (1 - GRID) / GRID, atol=1e-9)


def test_a_difference_is_paired():
    display = draw(2, kind="difference")
    (line,) = display.curves
    known = curve(2).difference("model 0", "model 1")
    assert line.name == "model 0 minus model 1"
    np.testing.assert_array_equal(line.value, known.value)
    np.testing.assert_array_equal(line.high, known.band_high)
    assert [*display.parts()] == ["models"]
    against = draw(2, kind="difference", models=["model 1", "treat all"])
    np.testing.assert_array_equal(against.curves[0].value, curve(2).difference("model 1", "treat all").value)


def test_treat_all_is_cut_off_below_0_and_no_model_is_in_silence():
    display = default()
    low, high = display.ax_.get_ylim()
    assert -0.3 * high < low < 0
    assert display.treat_all_.get_ydata().min() < low
    assert display.cuts_ == []
    y, p = rows()
    wrong = fot.risk.decision_curve(y, np.where(p["model 0"] > 0.3, 0.999, 0.001), thresholds=GRID).plot(plain())
    assert wrong.lines_["model"].get_ydata().min() < wrong.ax_.get_ylim()[0]
    assert "curve goes on beyond the axis" in legend_of(wrong)
    (first, *_) = wrong.cuts_
    (place,) = first.get_xdata()
    beyond = wrong.curves[0].value < wrong.y_limits[0]
    assert place == GRID[np.flatnonzero(beyond)[0]]


def test_the_axis_ends_where_no_score_is():
    y, p = rows()
    low = fot.risk.decision_curve(y, 0.5 * p["model 0"], thresholds=GRID).plot(plain())
    top = 0.5 * p["model 0"].max()
    first = GRID[top < GRID][0]
    assert low.thresholds[-1] == first
    assert low.ax_.get_xlim()[1] < 0.6
    assert f"from {first:.3g} on no score is as high: nobody is treated" in legend_of(low)
    beyond = fot.risk.decision_curve(y, 0.1 * p["model 0"], thresholds=np.linspace(0.5, 0.9, 20)).plot(plain())
    assert beyond.thresholds.size == 20
    assert "from 0.5 on no score is as high: nobody is treated" in legend_of(beyond)


def test_few_thresholds_are_points_with_intervals():
    display = draw(2, (0.1, 0.2, 0.4))
    assert display.lines_["model 0"].get_marker() == "o"
    segments = display.bands_["model 1"].get_segments()
    known = curve(2, (0.1, 0.2, 0.4)).net_benefit["model 1"]
    np.testing.assert_array_equal(
        [segment[:, 1] for segment in segments], np.column_stack((known.band_low, known.band_high))
    )
    alone = draw(1, (0.2,))
    low, high = alone.ax_.get_xlim()
    assert low < 0.2 < high


def test_the_axis_above_says_what_a_threshold_weighs():
    assert [format_cost_ratio(t) for t in (0.5, 0.1, 0.2, 0.9, 1 / 3, 0.0, 1.0)] == [
        "1:1", "1:9", "1:4", "9:1", "1:2", "", "",
    ]  # fmt: skip
    ticks = choose_cost_ticks(Scale("probability", 0.0, 1.0), 0.08)
    assert [format_cost_ratio(t) for t in ticks] == ["1:99", "1:9", "1:4", "1:2", "1:1", "2:1", "4:1", "9:1", "99:1"]
    display = default()
    assert display.cost_ax_.get_xlim() == display.ax_.get_xlim()
    display = draw()
    display.ax_.set_xlim(0.1, 0.3)
    assert display.cost_ax_.get_xlim() == (0.1, 0.3)


def test_rare_events_have_a_logit_axis_unless_told_otherwise():
    y, p = rows()
    known = fot.risk.decision_curve(y, p["model 0"] / 20, thresholds=np.linspace(0.001, 0.04, 30))
    assert known.plot(plain()).ax_.get_xscale() == "logit"
    assert known.plot(plain(), scale="probability").ax_.get_xscale() == "linear"
    assert draw(limits=(0.05, 0.5)).ax_.get_xlim() == (0.05, 0.5)


def test_thresholds_of_interest_are_shaded():
    display = draw(threshold_range=(0.1, 0.3))
    assert display.range_.get_bbox().intervalx == pytest.approx((0.1, 0.3))
    assert "thresholds of interest, 0.1 to 0.3" in legend_of(display)


def test_too_few_groups_have_no_band():
    y, p = rows()
    display = fot.risk.decision_curve(y, p["model 0"], thresholds=GRID, groups=np.arange(300) % 4).plot(plain())
    assert display.bands_["model"] is None
    assert "no band: too few groups" in legend_of(display)


@pytest.mark.parametrize("size", [(5.2, 6.4), (3.4, 6.0)])
@pytest.mark.parametrize("figure", [blank, plain])
def test_nothing_is_clipped_or_overlaps(figure, size):
    display = draw(2, figure=figure, size=size)
    page = display.figure_
    page.draw_without_rendering()
    legend, losses = display.legend_.get_window_extent(), display.losses_ax_.get_tightbbox()
    assert not legend.overlaps(losses)
    assert page.bbox.x0 <= legend.x0
    assert legend.x1 <= page.bbox.x1
    assert page.bbox.y0 <= legend.y0
    if figure is blank:
        assert display.ax_.get_tightbbox().y1 <= page.bbox.y1 + 1
    assert min(text.get_fontsize() for text in display.legend_.get_texts()) >= 8
    assert pixels(page)[..., :3].std() > 0.05


@pytest.mark.exhaustive
def test_files_are_the_same_every_time_and_nothing_global_changes(tmp_path):
    before = dict(plt.rcParams), plt.get_fignums()
    first = DecisionDisplay(curve()).save(tmp_path / "a.svg").read_bytes()
    assert first == DecisionDisplay(curve()).save(tmp_path / "b.svg").read_bytes()
    assert (dict(plt.rcParams), plt.get_fignums()) == before
    assert "model 0" in repr(DecisionDisplay(curve()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "gain"}, "kind must be one of"),
        ({"band": "narrow"}, "band must be one of"),
        ({"models": ["model 9"]}, "models must be one of"),
        ({"models": ["model 0", "model 0"]}, "models must differ"),
        ({"kind": "difference"}, "models must be the two"),
        ({"threshold_range": (0.3, 0.1)}, "threshold_range must be two increasing"),
        ({"threshold_range": (-0.1, 0.1)}, "threshold_range must be two increasing"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        DecisionDisplay(curve(), **options)


def test_axes_that_hold_a_diagram_are_refused():
    display = draw()
    with pytest.raises(ValueError, match="ax must be empty axes"):
        display.plot(display.ax_)
    with pytest.raises(ValueError, match="ax must be"):
        DecisionDisplay(curve()).plot(Figure().add_subplot(projection="polar"))


def test_the_intervals_of_a_few_thresholds_are_seen_from_end_to_end():
    rng = np.random.default_rng(0)
    p = rng.random(25)
    display = fot.risk.decision_curve(rng.random(25) < p, p, thresholds=[0.5]).plot(Figure())
    (curve,), (low, high) = display.curves, display.ax_.get_ylim()
    assert low < curve.low[0] < curve.high[0] < high
