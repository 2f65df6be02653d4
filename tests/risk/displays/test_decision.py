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
from fitontest.risk.displays.decision import DecisionLines
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


def draw(*args, figure=plain, size=(6.6, 5.6), **options):
    return curve(*args).plot(figure(size), **options)


@cache
def default():
    return draw()


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def line_of(display, name):
    return display.artists_[name]["line"]


def column(display, key, model=None):
    """The values drawn of a model, by default the first."""
    rows = display.rows("models")
    return np.array([row[key] for row in rows if row["model"] == (model or rows[0]["model"])], dtype=float)


def thresholds_of(display):
    return column(display, "threshold")


def test_lines_are_the_numbers_of_the_curve_per_1000():
    display, known = default(), curve()
    name, end = "model 0", thresholds_of(default()).size
    np.testing.assert_allclose(line_of(display, name).get_ydata(), 1000 * known.net_benefit[name].value[:end])
    band = display.artists_[name]["band"].get_paths()[0].vertices[:, 1]
    assert band.min() == pytest.approx(1000 * known.net_benefit[name].low[:end].min())
    frame = display.to_frame(part="models")
    np.testing.assert_allclose(frame["high"], 1000 * known.net_benefit[name].high[:end])
    assert frame["loss"].isna().all()
    everybody = display.to_frame(part="treat all")["value"]
    np.testing.assert_allclose(everybody, 1000 * known.net_benefit["treat all"].value[:end], atol=1e-9)


def test_losses_are_drawn_where_they_are_asked_for():
    display, known, name = draw(show="loss"), curve(), "model 0"
    end = thresholds_of(display).size
    after = display.ax_.lines[-1]
    np.testing.assert_allclose(after.get_ydata(), 1000 * known.recalibrated[name][:end])
    assert after.get_linestyle() == "--"
    (loss,) = display.axes_[1].lines
    np.testing.assert_allclose(loss.get_ydata(), 1000 * known.loss[name][:end])
    assert "dashed: after recalibration (isotonic)" in display.second
    assert len(default().axes_) == 1
    assert len(default().ax_.lines) == 3


def test_the_band_is_that_of_the_first_model_unless_told_otherwise():
    display = draw(3)
    models = [f"model {k}" for k in range(3)]
    assert [display.artists_[name]["band"] is not None for name in models] == [True, False, False]
    assert "band: 95 % CI of model 0 at each threshold" in display.second
    every = draw(3, band="all", simultaneous=True)
    assert all(every.artists_[name]["band"] is not None for name in models)
    assert "band: 95 % CI at all thresholds at once" in every.second
    end = thresholds_of(every).size
    np.testing.assert_allclose(column(every, "low", "model 1"), 1000 * curve(3).net_benefit["model 1"].band_low[:end])
    bare = draw(band=None)
    assert bare.artists_["model 0"]["band"] is None
    assert "band" not in bare.second


def test_each_curve_has_its_name_and_its_colour():
    display = draw(6)
    assert {f"model {k}" for k in range(6)} | {"treat all", "treat none"} <= set(texts_of(display.ax_))
    assert len({line_of(display, f"model {k}").get_color() for k in range(6)}) == 6
    with plt.style.context("dark_background"):
        dark = draw(2, figure=blank)
    assert line_of(dark, "model 0").get_color() != line_of(display, "model 0").get_color()


def test_the_title_says_where_a_difference_is_shown():
    y, p = rows()
    known = fot.risk.decision_curve(y, {"sure": p["model 3"], "noise": np.full(300, 0.5)}, thresholds=GRID)
    display = known.diagram()
    end = thresholds_of(display).size
    shown = GRID[:end][known.difference("sure", "noise").band_low[:end] > 0]
    assert shown.size > 1
    first, last = (f"{100 * t:.3g}\N{NO-BREAK SPACE}%" for t in (shown[0], shown[-1]))
    assert display.title.startswith(f"sure has more net benefit than noise from {first}")
    assert "elsewhere no difference is shown; n = 300" in display.second
    assert display.title in display.text
    assert last in display.title or display.title.endswith(" on")
    alike = fot.risk.decision_curve(y, {"a": p["model 3"], "b": p["model 3"]}, thresholds=GRID).diagram()
    assert alike.title == "a and b: no difference is shown"
    one = known.diagram(models=["sure"])
    better = (
        np.minimum(known.against_all["sure"].band_low, known.net_benefit["sure"].band_low)[: thresholds_of(one).size]
        > 0
    )
    assert better.any()
    assert one.title.startswith("sure is better than treating all and none ")
    nothing = known.diagram(models=["noise"])
    assert nothing.title == "noise is not shown better than treating all and none"
    assert draw(3).title == "No model is shown to have more net benefit than all others"


def test_kinds_have_their_units():
    known = curve(2)
    standardised = draw(2, kind="standardised", show="loss")
    np.testing.assert_allclose(column(standardised, "value"), known.net_benefit["model 0"].value / known.base_rate)
    np.testing.assert_allclose(column(standardised, "loss"), known.loss["model 0"] / known.base_rate)
    avoided = draw(2, kind="interventions avoided")
    against = known.net_benefit["model 1"].value - known.net_benefit["treat all"].value
    np.testing.assert_allclose(column(avoided, "value", "model 1"), 1000 * against * (1 - GRID) / GRID, atol=1e-9)
    assert len(avoided.axes_) == 1
    np.testing.assert_array_equal(avoided.to_frame(part="treat all")["value"], 0)
    nobody = avoided.to_frame(part="treat none")["value"]
    np.testing.assert_allclose(nobody, -1000 * known.net_benefit["treat all"].value * (1 - GRID) / GRID, atol=1e-9)


def test_a_difference_is_paired():
    display = draw(2, kind="difference")
    known = curve(2).difference("model 0", "model 1")
    assert display.rows("models")[0]["model"] == "model 0 minus model 1"
    np.testing.assert_allclose(column(display, "value"), 1000 * known.value)
    np.testing.assert_allclose(column(display, "high"), 1000 * known.high)
    assert [*display.parts()] == ["models"]
    against = draw(2, kind="difference", models=["model 1", "treat all"])
    np.testing.assert_allclose(column(against, "value"), 1000 * curve(2).difference("model 1", "treat all").value)


def test_treat_all_is_cut_off_below_0_and_no_model_is_in_silence():
    display = default()
    low, high = display.ax_.get_ylim()
    assert -0.3 * high < low < 0
    assert line_of(display, "treat all").get_ydata().min() < low
    assert "below the axis" not in display.second
    y, p = rows()
    wrong = fot.risk.decision_curve(y, np.where(p["model 0"] > 0.3, 0.999, 0.001), thresholds=GRID).plot(plain())
    assert line_of(wrong, "model").get_ydata().min() < wrong.ax_.get_ylim()[0]
    assert "model goes on below the axis" in wrong.second


def test_the_axis_ends_at_the_highest_scores():
    y, p = rows()
    scores = 0.5 * p["model 0"]
    low = fot.risk.decision_curve(y, scores, thresholds=GRID).plot(plain())
    assert thresholds_of(low)[-1] == max(t for t in GRID if np.mean(scores >= t) >= 0.005)
    assert low.ax_.get_xlim() == pytest.approx((GRID[0], thresholds_of(low)[-1]))
    beyond = fot.risk.decision_curve(y, 0.1 * p["model 0"], thresholds=np.linspace(0.5, 0.9, 20)).plot(plain())
    assert thresholds_of(beyond).size == 20
    assert "from 50 % on no score is as high: nobody is treated" in beyond.second
    weights = np.where(scores > 0.3, 1e-4, 1.0)
    light = fot.risk.decision_curve(y, scores, thresholds=GRID, sample_weight=weights, weights="importances").diagram()
    assert thresholds_of(light)[-1] < thresholds_of(low)[-1]


def test_few_thresholds_are_points_with_intervals():
    display = draw(2, (0.1, 0.2, 0.4), band="all")
    assert line_of(display, "model 0").get_marker() == "o"
    segments = display.artists_["model 1"]["band"].get_segments()
    known = curve(2, (0.1, 0.2, 0.4)).net_benefit["model 1"]
    np.testing.assert_allclose([segment[:, 1] for segment in segments], 1000 * np.column_stack((known.low, known.high)))
    alone = draw(1, (0.2,))
    low, high = alone.ax_.get_xlim()
    assert low < 0.2 < high


def test_the_ticks_say_what_a_threshold_weighs():
    assert [format_cost_ratio(t) for t in (0.5, 0.1, 0.2, 0.9, 1 / 3, 0.0, 1.0)] == [
        "1:1", "1:9", "1:4", "9:1", "1:2", "", "",
    ]  # fmt: skip
    ticks = choose_cost_ticks(Scale("probability", 0.0, 1.0), 0.08)
    assert [format_cost_ratio(t) for t in ticks] == ["1:99", "1:9", "1:4", "1:2", "1:1", "2:1", "4:1", "9:1", "99:1"]
    display = draw(figure=blank)
    display.figure_.draw_without_rendering()
    assert "10 %\n1:9" in [text.get_text() for text in display.ax_.get_xticklabels()]


def test_rare_events_have_a_logit_axis_unless_told_otherwise():
    y, p = rows()
    known = fot.risk.decision_curve(y, p["model 0"] / 20, thresholds=np.linspace(0.001, 0.04, 30))
    assert known.plot(plain()).ax_.get_xscale() == "logit"
    assert known.plot(plain(), scale="probability").ax_.get_xscale() == "linear"
    assert draw(limits=(0.05, 0.5)).ax_.get_xlim() == (0.05, 0.5)


def test_thresholds_of_interest_are_shaded():
    display = draw(threshold_range=(0.1, 0.3))
    assert display.ax_.patches[0].get_bbox().intervalx == pytest.approx((0.1, 0.3))
    assert "thresholds of interest, 10 % to 30 %" in display.second


def test_too_few_groups_have_no_band():
    y, p = rows()
    display = fot.risk.decision_curve(y, p["model 0"], thresholds=GRID, groups=np.arange(300) % 4).plot(plain())
    assert display.artists_["model"]["band"] is None
    assert "no band: too few groups" in display.second
    assert "n = 300 in 4 groups" in display.second


@pytest.mark.parametrize("size", [(6.6, 5.6), (4.4, 6.0)])
@pytest.mark.parametrize("figure", [blank, plain])
def test_nothing_is_clipped_or_overlaps(figure, size):
    display = draw(2, figure=figure, size=size, show="loss")
    page = display.figure_
    page.draw_without_rendering()
    losses = display.axes_[1].get_tightbbox()
    assert losses.y0 >= page.bbox.y0 - 1
    names = [text for text in display.ax_.texts if text.get_text() in {"model 0", "model 1", "treat all", "treat none"}]
    boxes = [text.get_window_extent() for text in names]
    assert len(boxes) == 4
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    assert all(page.bbox.x0 <= box.x0 and box.x1 <= page.bbox.x1 for box in boxes)
    if figure is blank:
        assert display.ax_.get_tightbbox().y1 <= page.bbox.y1 + 1
    assert pixels(page)[..., :3].std() > 0.05


@pytest.mark.exhaustive
def test_files_are_the_same_every_time_and_nothing_global_changes(tmp_path):
    before = dict(plt.rcParams), plt.get_fignums()
    first = curve().diagram().save(tmp_path / "a.svg").read_bytes()
    assert first == curve().diagram().save(tmp_path / "b.svg").read_bytes()
    assert (dict(plt.rcParams), plt.get_fignums()) == before
    assert "model 0" in repr(curve().diagram())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "gain"}, "kind must be one of"),
        ({"band": "narrow"}, "band must be one of"),
        ({"show": "costs"}, "show must be one of"),
        ({"show": "loss", "kind": "interventions avoided"}, "show must be 'benefit' unless kind"),
        ({"models": ["model 9"]}, "models must be one of"),
        ({"models": ["model 0", "model 0"]}, "models must differ"),
        ({"kind": "difference"}, "models must be the two"),
        ({"threshold_range": (0.3, 0.1)}, "threshold_range must be two increasing"),
        ({"threshold_range": (-0.1, 0.1)}, "threshold_range must be two increasing"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        DecisionLines(curve(), **options)


def test_axes_that_hold_a_diagram_are_refused():
    display = draw()
    with pytest.raises(ValueError, match="ax must be empty axes"):
        display.plot(display.ax_)
    with pytest.raises(ValueError, match="ax must be"):
        curve().plot(Figure().add_subplot(projection="polar"))


def test_the_intervals_of_a_few_thresholds_are_seen_from_end_to_end():
    rng = np.random.default_rng(0)
    p = rng.random(25)
    display = fot.risk.decision_curve(rng.random(25) < p, p, thresholds=[0.5]).plot(Figure())
    low, high = display.ax_.get_ylim()
    assert low < column(display, "low")[0] < column(display, "high")[0] < high
