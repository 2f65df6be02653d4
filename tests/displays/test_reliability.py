"""Reliability diagrams: what is drawn is what was fitted, and the numbers are those of the errors."""

import pickle
import warnings
from functools import cache
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib.colors import to_rgb, to_rgba
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import fitontest as fot
from fitontest.displays.headline import describe_error
from fitontest.displays.palette import GAP, SERIES, blend_with_background, get_series_style
from fitontest.displays.reliability_artists import MAX_OPACITY, MIN_OPACITY
from fitontest.measures.interval import ErrorInterval
from fitontest.measures.plug_in import PlugIn
from fitontest.results.text import debiased_and_raw, short
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from tests.displays.figures import areas, blank, heights, pixels, plain
from tests.quick_families import quick
from tests.strategies import WHOLE_WEIGHTS, noisy, samples

pytestmark = pytest.mark.multiplies

FAMILIES = {
    **{name: quick(name) for name in fot.families.names("two")},
    "slope1-equal_width": fot.Slope1(10, "equal_width"),
    "slope1-right": fot.Slope1(7, closed="right"),
    "slope1-edge at 1": fot.Slope1([0.5, 1.0]),
    "slope1-500": fot.Slope1(500),
    "flat-10": fot.Flat(10),
    "isotonic-step": fot.Isotonic("step"),
    "pl-refit": fot.PL(3, ensemble=False),
    "pl3-refit": fot.PL3(3, ensemble=False),
}
SCORES = noisy(900, seed=3, ties=3)
SAMPLE = fot.ScoreSample(*SCORES)
SCALES = ("probability", "logit")
EACH_SHAPE = ("slope1", "isotonic", "pl3")  # of a line: knots, steps, a curve


@cache
def fitted(name):
    """Return the error of these scores under a family, which is fitted once for all tests."""
    return fot.calibration_error(*SCORES, family=FAMILIES[name], interval=None)


PLAIN = {"family": "slope1", "scale": "probability", "interval": None, "band": None}  # what most tests are not of


def draw(y, p, **options):
    return fot.ReliabilityDisplay.from_predictions(y, p, **{"ax": blank(), **PLAIN, **options})


def legend_of(display):
    return [text.get_text() for text in display.legend_.get_texts()]


@pytest.fixture(scope="module")
def scores():
    return SCORES


@pytest.fixture(scope="module")
def banded():
    """A diagram with every part: of a family with knots, with a band."""
    display = fot.ReliabilityDisplay(fitted("pl"), SAMPLE)
    display.add_band(SAMPLE, draws=3)
    return display.plot(blank())


@pytest.fixture(autouse=True)
def no_figure_is_left():
    before = plt.get_fignums()
    yield
    assert plt.get_fignums() == before


@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_can_be_drawn(name):
    error = fitted(name)
    for scale in SCALES:
        display = fot.ReliabilityDisplay(error, SAMPLE, scale=scale).plot(plain())
        if name in EACH_SHAPE or scale == "logit":  # the axes and the ticks of the others are like theirs
            display.figure_.draw_without_rendering()
        x, c = display.line_.get_data()
        assert np.isfinite(c).any()
        assert np.nanmin(x) < 0.05
        assert np.nanmax(x) > 0.95
    shown = legend_of(display)[0]
    assert f"{'ECE ' if isinstance(error.estimator, fot.Slope1) else ''}raw {short(float(error))}\nn = 900" in shown
    assert error.family in shown
    if error.n_bins is not None:
        assert f", {error.n_bins} {'segment' if error.family in ('pl', 'pl3') else 'bin'}" in shown


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("family", ["slope1", fot.Flat(5)])
def test_the_family_is_fitted_to_the_scores_and_drawn(family, scale, scores):
    display = draw(*scores, family=family, scale=scale)
    error = fot.calibration_error(*scores, family=family, interval=None)
    assert float(display.error) == float(error)
    assert display.map_ == error.map
    assert pixels(display.figure_)[..., :3].std() > 0.05  # an empty picture is white


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", FAMILIES)
def test_gaps_weighted_by_shares_add_up_to_the_error(name, scale):
    bins = fot.ReliabilityDisplay(fitted(name), SAMPLE, scale=scale).to_frame(part="bins")
    kept = bins[bins["n"] > 0]
    assert kept["share"].sum() == pytest.approx(1)
    assert (kept["share"] * kept["mean_gap"]).sum() == pytest.approx(float(fitted(name)))


@given(samples(weights=WHOLE_WEIGHTS))
@settings(max_examples=30)
def test_gaps_add_up_for_any_weighted_sample(sample):
    y, p, w = sample
    drawn = fot.ScoreSample(y, p, w)
    error = fot.measures.PlugIn(fot.Slope1(4, "equal_width")).estimate(drawn)
    display = fot.ReliabilityDisplay(error, drawn)
    rows = [row for row in display.rows("bins") if row["n"]]
    assert sum(row["share"] * row["mean_gap"] for row in rows) == pytest.approx(float(error), abs=1e-12)
    assert sum(row["weight"] for row in display.rows("histogram")) == pytest.approx(w.sum())
    repeated = fot.ScoreSample(np.repeat(y, w.astype(int)), np.repeat(p, w.astype(int)))
    again = fot.ReliabilityDisplay(fot.measures.PlugIn(error.map).estimate(repeated), repeated)
    np.testing.assert_allclose(again.counts, display.counts)


@pytest.mark.parametrize("scheme", ["equal_mass", "equal_width"])
def test_the_top_of_the_fill_is_the_slope_1_map(scheme, scores):
    y, p = scores
    display = draw(y, p, family=fot.Slope1(8, scheme))
    table = display.error.estimator.bin_table_
    tops = heights(display.fill_)
    assert len(tops) == 8
    for b, top in enumerate(tops):
        shown = top[(top[:, 1] > 0) & (top[:, 1] < 1)]
        assert np.all(np.diff(shown[:, 1]) == pytest.approx(np.diff(shown[:, 0])))  # at 45 degrees
        assert np.interp(table.mean_p[b], top[:, 0], top[:, 1]) == pytest.approx(table.mean_y[b])
        np.testing.assert_array_equal(display.map_(shown[:, 0]), shown[:, 1])
        inside = np.linspace(*top[[0, -1], 0], 7)  # cut off at 0 and 1
        expected = np.clip(display.map_(inside), 0, 1)
        np.testing.assert_allclose(expected, np.interp(inside, top[:, 0], top[:, 1]), atol=1e-15)
        assert display.fill_.get_paths()[b].vertices[[0, -1], 1].tolist() == [0, 0]
    np.testing.assert_array_equal(display.means_.get_xydata(), np.column_stack((table.mean_p, table.mean_y)))
    for b, bar in enumerate(display.outline_.get_segments()):  # flat, as in the classic diagram
        np.testing.assert_array_equal(bar[:, 1], [0, table.mean_y[b], table.mean_y[b], 0])
    assert float(display.error) == pytest.approx(np.sum(table.w / 900 * np.abs(table.mean_y - table.mean_p)))


def test_the_area_is_the_ece_where_bins_are_equally_wide_and_full():
    rng = np.random.default_rng(0)
    p = np.concatenate([(b + rng.random(50)) / 6 for b in range(6)])
    y = rng.random(300) < 0.2 + 0.6 * p  # so that no line leaves [0, 1]
    display = draw(y, p, family=fot.Slope1(6, "equal_width"))
    assert areas(display.gap_).sum() == pytest.approx(float(display.error), abs=1e-6)
    assert len({*map(tuple, display.gap_.get_facecolor().tolist())}) == 1  # and all equally dark


def test_the_shade_tells_the_share_of_the_data(scores):
    p = scores[1] ** 3
    y = np.random.default_rng(0).random(p.size) < 0.2 + 0.6 * p  # so that no line leaves [0, 1]
    display = draw(y, p, family=fot.Slope1(5, "equal_width"))
    share = display.shape.share
    red, green, blue, opaque = display.gap_.get_facecolor().T  # as the gap's colour of this opacity is seen on white
    opacity = MIN_OPACITY + (MAX_OPACITY - MIN_OPACITY) * share / share.max()
    for seen, color in zip((red, green, blue), to_rgb(GAP), strict=True):
        np.testing.assert_allclose(seen, 1 + opacity * (color - 1))
    assert np.all(opaque == 1)  # the same above the diagonal, over the fill, and below
    weighted = areas(display.gap_) * 5 * share  # every bin a fifth wide
    assert weighted.sum() == pytest.approx(float(display.error), abs=1e-5)


def test_flat_bars_stand_at_the_share_of_positives(scores):
    display = draw(*scores, family="flat")
    for row, top in zip(display.rows("bins"), heights(display.fill_), strict=True):
        assert top[:, 1] == pytest.approx(row["empirical_probability"])


@pytest.mark.parametrize("family", ["pl", "pl3", "isotonic", "platt", "beta"])
def test_curves_are_the_map_over_the_scores_and_dotted_beyond(family, scores):
    y, p = scores
    p = 0.2 + 0.5 * p
    display = draw(y, p, family=family)
    x, c = display.line_.get_data()
    core = np.sort(p)[4], np.sort(p)[-5]  # 900 rows, of which .5 % are 4.5
    assert (x[0], x[-1]) == core
    np.testing.assert_array_equal(display.map_(x), c)
    fine = np.linspace(x[0], x[-1], 5001)
    np.testing.assert_allclose(np.interp(fine, x, c), display.map_(fine), atol=4e-3)  # the width of the line
    beyond = display.extension_.get_xdata()
    assert np.nanmin(beyond) == 0
    assert np.nanmax(beyond) == 1
    assert not np.any((beyond > core[0]) & (beyond < core[1]))
    assert display.extension_.get_linestyle() == ":"
    (fill,) = display.fill_.get_paths()
    assert (fill.vertices[1, 0], fill.vertices[-3, 0]) == (p.min(), p.max())
    np.testing.assert_array_equal(display.map_(fill.vertices[1:-2, 0]), fill.vertices[1:-2, 1])


@pytest.mark.parametrize("name", ["pl", "pl3"])
@pytest.mark.parametrize("ensemble", [True, False])
def test_knots_are_marked(name, ensemble):
    error = fitted(name if ensemble else f"{name}-refit")
    display = fot.ReliabilityDisplay(error, SAMPLE).plot(blank())
    x, c = display.knots_.get_data()
    assert x.size
    np.testing.assert_array_equal(x, display.error.partition.edges)
    np.testing.assert_array_equal(c, display.map_(x))
    if not ensemble:
        np.testing.assert_allclose(x, display.error.estimator.knots_[0, 1:-1], rtol=1e-9)
    assert "knot" in legend_of(display)
    assert fot.ReliabilityDisplay(fitted("isotonic"), SAMPLE).plot(blank()).knots_ is None


def test_a_single_pl3_is_made_of_straight_lines_on_logit_axes():
    display = fot.ReliabilityDisplay(fitted("pl3-refit"), SAMPLE, scale="logit").plot(blank())
    assert display.ax_.get_xscale() == display.ax_.get_yscale() == "logit"
    x, c = display.line_.get_data()
    inside = (c > 0) & (c < 1) & (x > 0) & (x < 1)
    t, z = np.log(x / (1 - x))[inside], np.log(c / (1 - c))[inside]
    slopes = np.diff(z) / np.diff(t)
    piece = np.searchsorted(display.error.partition.edges, x[inside][:-1], side="right")
    for k in range(3):
        assert np.ptp(slopes[piece == k]) < 1e-6
    assert len(np.unique(slopes.round(4))) == 3


def test_the_histogram_counts_every_score():
    p = np.array([0.0, 0.0, 0.05, 0.5, 0.999, 1.0])
    y, w = np.array([0, 1, 0, 1, 1, 1]), np.array([1.0, 2.0, 0.0, 3.0, 1.0, 1.0])
    for scale in ("probability", "logit"):
        display = draw(y, p, scale=scale, family="identity", sample_weight=w)
        counts = display.counts_.get_data().values
        assert counts.sum() == 8
        rows = display.rows("histogram")
        assert [row["weight"] for row in rows] == counts.tolist()
        assert (rows[0]["lower"], rows[-1]["upper"]) == (0, 1)  # the outermost bars hold what is beyond the axis
        np.testing.assert_array_equal(counts, np.histogram(p, display.cells.borders, weights=w)[0])
        assert display.histogram_ax_.get_ylabel() == "Count"
    assert draw(y, p, sample_weight=w / 3).histogram_ax_.get_ylabel() == "Weight"


@pytest.mark.exhaustive
def test_the_frame_holds_every_number(banded):
    display = banded
    frame = display.to_frame()
    assert frame["part"].unique().tolist() == ["bins", "map", "knots", "histogram", "band"]
    course = display.to_frame(part="map")
    x, c = display.line_.get_data()
    at = course["x"].isin(x)
    np.testing.assert_array_equal(course[at].drop_duplicates("x")["y"], c[np.unique(x, return_index=True)[1]])
    assert display.to_frame("polars", part="histogram")["weight"].sum() == 900
    with pytest.raises(ValueError, match="part must be one of 'bins', 'map', 'knots', 'histogram', 'band'; got 'x'"):
        display.to_frame(part="x")


def test_narrow_bins_have_their_gap_as_a_line():
    y = np.array([0, 1] * 50 + [0] * 100)
    p = np.concatenate((np.linspace(0.1, 0.9, 100), np.ones(100)))
    display = draw(y, p, family=fot.Slope1([0.5, 1.0]))
    (stem,) = display.stems_.get_segments()
    assert stem.tolist() == [[1.0, 1.0], [1.0, 0.0]]
    np.testing.assert_allclose(
        display.stems_.get_colors()[0][:3], blend_with_background(display.ax_, GAP, MAX_OPACITY)
    )  # half of all scores
    assert draw(y, p, family=fot.Slope1(2, "equal_width")).stems_ is None


def test_the_band_is_where_maps_of_calibrated_scores_lie():
    rng = np.random.default_rng(2)
    p = rng.random(600)
    y = rng.random(600) < p
    display = draw(y, p, family="platt", band="consistency", band_draws=60, band_level=0.8, random_state=5)
    band = display.to_frame(part="band")
    assert (band["band_lower"] <= band["band_upper"]).all()
    middle = band[(band["x"] > 0.2) & (band["x"] < 0.8)]
    assert (middle["band_lower"] < middle["x"]).all()
    assert (middle["x"] < middle["band_upper"]).all()
    fitted = display.map_(band["x"])
    inside = (fitted >= band["band_lower"]) & (fitted <= band["band_upper"])
    assert inside.mean() > 0.5
    far = draw(rng.random(600) < p**3, p, family="platt", band="consistency", band_draws=60, band_level=0.8)
    outside = far.map_(middle["x"].to_numpy()) < far.to_frame(part="band")["band_lower"][middle.index]
    assert outside.all()
    one, again = (draw(y, p, family="platt", band="consistency", band_draws=4, random_state=5) for _ in range(2))
    np.testing.assert_array_equal(again.band.lower, one.band.lower)
    assert "if calibrated, 80 % (60 draws)" in legend_of(display)


def test_the_band_by_hand():
    """Without ties, one refit of the flat family with one bin is the mean of the redrawn labels."""
    p = np.linspace(0.05, 0.95, 40)
    y = (p > 0.5).astype(int)
    display = draw(y, p, family=fot.Flat(1), band="consistency", band_draws=200, band_level=0.5)
    rng = np.random.RandomState(0)
    means = [np.mean(rng.random_sample(40) < p) for _ in range(200)]
    np.testing.assert_allclose(display.band.lower, np.quantile(means, 0.25))
    np.testing.assert_allclose(display.band.upper, np.quantile(means, 0.75))


def test_bands_of_the_true_map(scores):
    y, p = scores
    texts = {"confidence": "each score", "simultaneous": "all scores"}
    for kind, where in texts.items():
        display = draw(y, p, family="platt", band=kind, band_draws=10)
        assert f"true map, 90 % at {where} (10 draws)" in legend_of(display)
        band = display.to_frame(part="band")
        assert (band["x"].iloc[0], band["x"].iloc[-1]) == (p.min(), p.max())
        inner = band.iloc[5:-5]
        assert (display.map_(inner["x"]) < inner["band_upper"]).all()
        assert (display.map_(inner["x"]) > inner["band_lower"]).all()
    slow = fot.ReliabilityDisplay(fitted("pl"), SAMPLE)
    slow.add_band(SAMPLE, kind="confidence", draws=10)
    assert "true map, 90 % at each score (10 draws, refitted: spline)" in legend_of(slow.plot(plain()))
    named, unnamed = (
        draw(y, p, family="platt", band="consistency", band_draws=4),
        draw(y, p, family="platt", band="consistency", band_draws=4),
    )
    np.testing.assert_array_equal(named.band.lower, unnamed.band.lower)
    assert legend_of(named) == legend_of(unnamed)


def test_a_band_of_the_true_map_leaves_the_gap_visible(scores):
    display = draw(*scores, family="platt", band="confidence", band_draws=10)
    assert display.band_.get_facecolor()[0][3] < 0.2 < display.band_.get_edgecolor()[0][3]
    np.testing.assert_array_equal(display.band_.get_facecolor()[0][:3], to_rgb(display.line_.get_color()))


def test_a_band_on_logit_axes_begins_at_the_first_score_they_show():
    p = np.array([0.0, 1e-4, 0.01, 0.02, 0.3, 1.0] * 5)
    display = draw(np.arange(30) % 2, p, family="platt", scale="logit", band="confidence", band_draws=10)
    assert (display.band.x[0], display.band.x[-1]) == display.scale.visible
    assert (np.diff(display.band.x) > 0).all()


def test_overlays_share_axes_and_differ_in_colour_and_line(scores):
    y, p = scores
    first = draw(y, p, family="slope1", name="one")
    second = draw(y, p**2, family="beta", name="two", ax=first.ax_)
    third = draw(y[:90], p[:90] ** 3, family="isotonic", name="three", ax=first.ax_, ref_line=True)
    assert first.ax_ is second.ax_ is third.ax_
    assert first.histogram_ax_ is third.histogram_ax_
    assert second.fill_ is third.gap_ is third.ref_line_ is None
    colors = {first.line_.get_color(), second.line_.get_color(), third.line_.get_color()}
    assert len(colors) == 3
    assert (
        len({get_series_style(k) for k in range(4)}) == len({get_series_style(k)[1] for k in range(4)}) == 4
    )  # told apart in grey too
    titles = [text.split("\n")[0] for text in legend_of(third)]
    assert [title for title in titles if title in ("one", "two", "three")] == ["one", "two", "three"]
    assert first.histogram_ax_.get_ylim()[1] >= max(d.counts.max() for d in (first, second, third))
    assert GAP not in SERIES[:4]  # no line looks like the gap of another diagram
    marks = [
        handle
        for handle, text in zip(third.legend_.legend_handles, legend_of(third), strict=True)
        if text == "mean of a bin"
    ]
    assert to_rgba(marks[-1].get_color()) == to_rgba("black")  # those of the first, which has bars
    with pytest.raises(ValueError, match="scale must be that of the diagram on the axes, 'probability'; got 'logit'"):
        draw(y, p, scale="logit", ax=first.ax_)


def test_the_same_scores_have_one_histogram(scores):
    first = draw(*scores, family="slope1")
    second = draw(*scores, family="beta", ax=first.ax_)
    assert (first.counts_.get_visible(), second.counts_.get_visible()) == (True, False)
    third = draw(scores[0], scores[1] / 2, family="beta", ax=first.ax_)
    assert third.counts_.get_visible()


@pytest.mark.exhaustive
def test_where_it_is_drawn(scores):
    figure = blank((9, 5))
    left, right = figure.subfigures(1, 2)
    display = draw(*scores, ax=left)
    assert display.figure_ is left
    ax = right.subplots()
    before = ax.get_position(original=True).bounds
    assert draw(*scores, ax=ax).ax_ is ax
    assert ax.get_position(original=True).bounds == before  # the layout of the user is left alone
    figure.draw_without_rendering()
    inside = figure.bbox
    for one in (display.ax_, display.histogram_ax_, ax):
        box = one.get_tightbbox()
        assert box.x0 >= -1
        assert box.x1 <= inside.x1 + 1
        assert box.y0 >= -1
        assert box.y1 <= inside.y1 + 1
    with pytest.raises(
        ValueError, match="ax must be rectilinear axes, a Figure or a SubFigure of matplotlib, or None; got 3"
    ):
        draw(*scores, ax=3)


def test_without_axes_pyplot_makes_a_figure(scores):
    display = fot.ReliabilityDisplay.from_predictions(*scores)
    assert plt.gcf() is display.figure_
    plt.close(display.figure_)


def test_no_global_state(scores):
    import matplotlib

    before = dict(matplotlib.rcParams)
    state = np.random.get_state()[1].tolist()
    display = draw(*scores, band="consistency", band_draws=2)
    pixels(display.figure_)
    assert dict(matplotlib.rcParams) == before
    assert np.random.get_state()[1].tolist() == state


def test_dark_styles(scores):
    with plt.style.context("dark_background"):
        display = draw(*scores)
    assert to_rgba(display.outline_.get_color()[0]) == to_rgba("white")
    assert to_rgba(display.means_.get_color()) == to_rgba("white")
    assert to_rgba(display.means_.get_markerfacecolor()) == to_rgba("black")
    assert to_rgba(display.ref_line_.get_color()) == to_rgba("white")


def test_maps_beyond_0_and_1_are_cut_off_and_marked():
    y = np.array([0] * 30 + [1] * 30)
    p = np.concatenate((np.linspace(0.1, 0.5, 30), np.linspace(0.5, 0.9, 30)))
    display = draw(y, p, family=fot.Slope1(2, "equal_width"))
    assert min(row["y"] for row in display.rows("map")) < -0.25  # the table says how far the map goes
    low, high = display.rows("cuts")
    means = display.error.estimator.bin_table_
    assert low == pytest.approx({"x": means.mean_p[0], "y": 0, "value": 0.1 - means.mean_p[0]})
    assert high == pytest.approx({"x": 1 + means.mean_p[1] - means.mean_y[1], "y": 1, "value": display.map_(0.9)})
    assert display.ax_.get_xlim() == display.ax_.get_ylim() == (-0.02, 1.02)
    assert display.ax_.get_box_aspect() == 1  # so that a slope of 1 is drawn at 45 degrees
    assert (np.nanmin(display.line_.get_ydata()), np.nanmax(display.line_.get_ydata())) == (0, 1)
    assert np.isnan(display.extension_.get_ydata()).all()  # beyond the scores the map is beyond the axes too
    for area in (display.fill_, display.gap_):
        vertices = np.concatenate([path.vertices for path in area.get_paths()])
        assert (vertices.min(), vertices.max()) == (0, 1)
    assert [mark.get_marker() for mark in display.cuts_] == ["v", "^"]
    assert [mark.get_xdata().tolist() for mark in display.cuts_] == [[low["x"]], [high["x"]]]
    assert legend_of(display).count("map goes on beyond the axis") == 1
    display.figure_.draw_without_rendering()
    box = display.ax_.get_window_extent()
    for mark, end in zip(display.cuts_, (box.y0, box.y1), strict=True):
        assert abs(mark.get_window_extent().y0 / 2 + mark.get_window_extent().y1 / 2 - end) < 8  # pixels


def test_a_given_map_that_is_beyond_1_everywhere_has_one_mark(scores):
    step = fot.Slope1([0.5]).fit([0.2, 0.3, 0.9, 0.95], [1, 1, 0, 1]).map_  # 1.05 at 0.3, but 0.85 at 0.1
    y, p = [0, 1, 1], [0.3, 0.35, 0.45]
    (cut,) = draw(y, p, family=step).rows("cuts")
    assert cut == pytest.approx({"x": 0.375, "y": 1, "value": 1.2})


def test_maps_within_the_axis_have_no_marks(scores):
    for scale in SCALES:
        display = draw(*scores, family="beta", scale=scale)
        assert display.cuts_ == []
        assert "cuts" not in display.parts()
        assert "map goes on beyond the axis" not in legend_of(display)


def test_one_bin_is_the_difference_of_the_means(scores):
    display = draw(*scores, family=fot.Slope1(1))
    assert legend_of(display)[0].startswith("slope1, 1 bin (difference of the means): ECE raw ")
    assert float(display.error) == pytest.approx(abs(np.mean(scores[0]) - np.mean(scores[1])))
    assert legend_of(draw(*scores, family=fot.Flat(1)))[0].startswith("flat, 1 bin: raw ")  # which is another error


@pytest.mark.parametrize(("side", "text"), [(0, "below 0.01"), (1, "above 0.99")])
def test_a_probability_scale_of_rare_events_advises_the_logit_scale(side, text):
    rng = np.random.default_rng(0)
    p = np.abs(side - np.concatenate((rng.uniform(1e-4, 0.0099, 901), rng.uniform(0.02, 0.9, 99))))
    y = rng.random(1000) < p
    display = draw(y, p, family="platt")
    (note,) = display.histogram_ax_.texts
    assert note.get_text() == f"most scores are {text}:\nscale='logit'"
    display.figure_.draw_without_rendering()
    box, around = note.get_window_extent(), display.histogram_ax_.get_window_extent()
    assert around.x0 < box.x0 < box.x1 < around.x1
    assert around.y0 < box.y0 < box.y1 < around.y1
    counts, edges, _ = display.counts_.get_data()
    bars = display.histogram_ax_.transData.transform(np.column_stack((edges[:-1], counts)))
    over = bars[(bars[:, 0] < box.x1) & (np.append(bars[1:, 0], around.x1) > box.x0)]
    assert over[:, 1].max() < box.y0  # above the bars
    assert draw(y, p, family="platt", scale="logit").histogram_ax_.texts[:] == []
    fewer = slice(3, None)  # 898 of 997 scores
    assert draw(y[fewer], p[fewer], family="platt").advice is not None
    fewer = slice(20, None)  # 881 of 980, less than 90 %
    assert draw(y[fewer], p[fewer], family="platt").advice is None


def test_limits(scores):
    display = draw(*scores, limits=(0, 0.25))
    assert display.ax_.get_xlim() == (0, 0.25)
    assert display.counts.sum() == 900
    for wrong, scale in (
        ((0, 1), "logit"),
        ((1e-9, 1e-8), "logit"),
        ((-np.inf, np.inf), "probability"),
        ((0.5, 0.2), "probability"),
        ((0.1,), "probability"),
        ((2, 3), "probability"),
    ):
        with pytest.raises(ValueError, match="limits must"):
            draw(*scores, limits=wrong, scale=scale)


def test_a_map_that_exists_is_drawn_as_it_is(scores):
    y, p = scores
    half = fot.families.make("beta").fit(p[:400], y[:400])
    display = draw(y[400:], p[400:], family=half.map_)
    assert display.map_ is half.map_
    assert float(display.error) == float(fot.calibration_error(y[400:], p[400:], family=half.map_))
    with pytest.raises(ValueError, match="band_draws must be 0 for a map, which is not fitted again; got 5"):
        draw(y, p, family=half.map_, band="consistency", band_draws=5)


def legend_of_error(y, p, **options):
    """Return the legend of the diagram of an error that `from_predictions` does not make."""
    error = fot.calibration_error(y, p, **options)
    return error, legend_of(fot.ReliabilityDisplay(error, fot.read(y, p)).plot(plain()))[0]


@pytest.mark.parametrize("norm", ["l2", "squared", "max"])
def test_norms_and_debiasing_are_named(norm, scores):
    y, p = scores
    error, text = legend_of_error(y, p, family="slope1", norm=norm, interval=None)
    assert f"error ({norm}) raw {short(float(error))}" in text
    error, text = legend_of_error(y, p, family="slope1", debias=True, interval=None)
    assert f"debiased ECE {short(float(error))}" in text


@pytest.mark.exhaustive
def test_an_interval_is_in_the_legend(scores):
    y, p = scores
    for options in ({"family": "platt"}, {"family": "platt", "norm": "l2"}):
        error, text = legend_of_error(y, p, **options, interval="always", level=0.8, random_state=3)
        ends = f"80 %: {short(error.interval.low)} to {short(error.interval.high)}"
        name = "error (l2) " if "norm" in options else ""
        assert text == f"platt: {name}{debiased_and_raw(error.debiased, float(error))}\n{ends}, n = 900"
    assert "95 %" in legend_of(draw(y, p, family="platt", interval="auto"))[0]
    assert (
        "debiased" not in legend_of(draw(y, p, family=error.map, interval="always", level=0.8))[0]
    )  # nothing is fitted
    own = estimate_of(
        PlugIn("platt"), fot.read(y, p), redrawing=Redrawing(interval="always", level=0.8, direction="own")
    )
    text = legend_of(fot.ReliabilityDisplay(own, SAMPLE).plot(plain()))[0]
    assert "\n80 % of its own error: " in text


def test_lines_of_a_description_are_not_longer_than_they_may_be():
    interval = ErrorInterval(0.02, 0.123, 0.8, "true error", 50, stand_in="spline")
    error = fitted("pl3-refit").with_uncertainty(interval=interval, debiased=0.05)
    facts = ["80 %: 0.0200 to 0.123", "refitted: spline", "n = 900"]
    quoted = debiased_and_raw(0.05, float(error))
    for width in (34, 40, 60, 200):
        first, *lines = describe_error(error, width)
        if first == "pl3, 3 segments":
            assert lines[0] == quoted
            assert len(f"{first}: {lines.pop(0)}") > width
        else:
            assert first == f"pl3, 3 segments: {quoted}"
        assert max(map(len, lines)) <= width
        text = ", ".join(lines)
        assert sorted(facts, key=text.index) == facts
        assert all(len(one) + len(", ") + len(other.split(", ")[0]) > width for one, other in pairwise(lines))


@pytest.mark.parametrize(
    ("y", "p"),
    [
        ([1], [0.3]),
        ([0, 0, 0], [0.2, 0.2, 0.7]),
        ([1, 1], [1.0, 1.0]),
        ([0, 1], [0.0, 1.0]),
        ([0, 1, 1], np.array([0.1, 0.5, 0.9], dtype=np.float32)),
        ([0, 1] * 20, [1e-12, 1 - 1e-12] * 20),
    ],
)
@pytest.mark.parametrize("family", ["slope1", "flat", "isotonic", "beta", "platt", "pl", "pl3", "pava_bc", "identity"])
def test_few_and_extreme_scores(y, p, family):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        error = fot.calibration_error(y, p, family=family, interval=None)
    for scale in SCALES:
        display = fot.ReliabilityDisplay(error, fot.ScoreSample(y, p), scale=scale).plot(plain())
        if family in EACH_SHAPE:  # the axes and the ticks of the others are like theirs
            display.figure_.draw_without_rendering()
        assert np.isfinite([*display.ax_.get_xlim(), *display.ax_.get_ylim()]).all()
        assert display.counts.sum() == len(y)


@pytest.mark.exhaustive
def test_estimators():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = np.where(x[:, 0] + rng.normal(size=300) > 0, "sick", "well")
    model = GaussianNB().fit(x, y)
    display = fot.ReliabilityDisplay.from_estimator(model, x, y, ax=blank(), family="beta")
    expected = fot.calibration_error(y, model.predict_proba(x)[:, 1], family="beta", pos_label="well")
    assert float(display.error) == float(expected)
    assert legend_of(display)[0].startswith("GaussianNB\n")
    assert display.ax_.get_xlabel() == "Predicted probability (positive: well)"
    other = fot.ReliabilityDisplay.from_estimator(model, x, y, pos_label="sick", name="mine", ax=blank())
    assert float(other.error) == float(
        fot.calibration_error(y, model.predict_proba(x)[:, 0], family="spline", pos_label="sick")
    )
    with pytest.raises(NotFittedError):
        fot.ReliabilityDisplay.from_estimator(LogisticRegression(), x, y)
    with pytest.raises(ValueError, match="estimator must have predict_proba"):
        fot.ReliabilityDisplay.from_estimator(LinearSVC(), x, y)
    with pytest.raises(ValueError, match="pos_label must be one of the classes"):
        fot.ReliabilityDisplay.from_estimator(model, x, y, pos_label="dead")
    three = GaussianNB().fit(x, rng.integers(0, 3, 300))
    with pytest.raises(ValueError, match="two classes, got one of 3"):
        fot.ReliabilityDisplay.from_estimator(three, x, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scale": "log"}, "scale must be one of 'auto', 'probability', 'logit'"),
        ({"band_draws": -1}, "band_draws must be a whole number, at least 0; got -1"),
        (
            {"band": "consistency", "band_draws": 2, "band_level": 1.0},
            r"band_level must be a number in \[0.5, 1\) such as 0.95, got 1.0",
        ),
        ({"band": "consistency", "band_draws": 2, "random_state": "a"}, "random_state must be"),
        ({"band": "both"}, "band must be one of 'consistency', 'confidence', 'simultaneous', 'new group'; got 'both'"),
        (
            {"band": "confidence", "band_draws": 5},
            "band_draws must be at least 10 for a confidence band of 90 %, got 5",
        ),
        ({"interval": 0.95}, "interval must be 'auto', 'always' or None, got 0.95"),
    ],
)
def test_refusals(options, message, scores):
    with pytest.raises(ValueError, match=message):
        draw(*scores, **options)


def test_names_that_matplotlib_would_hide(scores):
    display = draw(*scores, name="_score")
    assert legend_of(display)[0].startswith("_score\n")
    again = draw(scores[0], scores[1] / 2, name="_score", ax=display.ax_)
    assert sum(text.startswith("_score\n") for text in legend_of(again)) == 2


def test_bins_are_faded_where_there_are_no_scores():
    y, p = noisy(300)
    display = draw(y, 0.2 + 0.3 * p, family=fot.Slope1(2, "equal_mass"))
    low, high = 0.2 + 0.3 * p.min(), 0.2 + 0.3 * p.max()
    left, right = ((path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in display.veil_.get_paths())
    assert left[1] == pytest.approx(low)
    assert right[0] == pytest.approx(high)
    x = display.line_.get_xdata()
    assert (np.nanmin(x), np.nanmax(x)) == tuple(np.sort(0.2 + 0.3 * p)[[1, -2]])  # all but .5 % of 300 rows
    beyond = display.extension_.get_xdata()
    assert (np.nanmin(beyond), np.nanmax(beyond)) == (0, 1)


def test_scores_beyond_a_logit_axis_are_noted():
    y = [0, 1] * 50
    p = np.array([0.0, 1.0] * 20 + [0.3, 0.6] * 30)
    display = draw(y, p, family="isotonic", scale="logit")
    texts = [text.get_text() for text in display.histogram_ax_.texts]
    assert texts == ["20 % below", "20 % above"]
    assert 0.28 < display.ax_.get_xlim()[0] < 0.3  # the logits of 0 and 1 are infinite: they extend no axis
    assert 0.6 < display.ax_.get_xlim()[1] < 0.62
    assert display.rows("beyond") == [{"below": 0.2, "above": 0.2}]
    assert draw(y, p, family="isotonic").histogram_ax_.texts[:] == []


def test_logit_axes_end_where_the_scores_end():
    rng = np.random.default_rng(0)
    p = rng.uniform(1.5e-5, 6e-5, 2000)
    display = draw(rng.random(2000) < p, p, family="identity", scale="logit")
    for lower, upper in (display.ax_.get_xlim(), display.ax_.get_ylim()):
        assert 1.4e-5 < lower < p.min()
        assert p.max() < upper < 6.3e-5


def test_values_of_the_map_extend_the_logit_axis_of_frequencies_only():
    p = np.geomspace(1e-4, 1e-2, 400)
    display = draw(np.arange(400) % 4 == 0, p, family=fot.Slope1(2), scale="logit")  # far more events than predicted
    assert 0.9e-4 < display.ax_.get_xlim()[0] < display.ax_.get_xlim()[1] < 1.1e-2
    assert display.ax_.get_ylim()[0] > 0.9e-4  # where the scores end, so that the diagonal is seen
    assert 0.25 < display.ax_.get_ylim()[1] < 0.3
    assert display.ax_.lines.index(display.ref_line_) >= 0
    below = draw(np.arange(400) == 399, p, family=fot.Slope1(2), scale="logit")  # bins without events
    assert below.ax_.get_ylim()[0] > 0.9e-4  # a mean of 0 has no place on the axis
    assert [cut["y"] for cut in below.rows("cuts")][:1] == [below.y_scale.lower]


@pytest.mark.exhaustive
def test_axes_that_are_cleared_and_drawn_on_again_keep_their_size(scores):
    figure = blank()
    ax = figure.subplots()
    heights = []
    for _ in range(3):
        ax.clear()
        draw(*scores, ax=ax)
        figure.draw_without_rendering()
        heights.append(ax.get_position().height)
    assert heights[1] == pytest.approx(heights[0], rel=0.02)
    assert heights[2] == pytest.approx(heights[1], rel=2e-3)


@pytest.mark.exhaustive
def test_tight_layouts_and_pickles(scores):
    figure = Figure()
    left, right = figure.subplots(1, 2)
    display = draw(*scores, ax=left, scale="logit")
    fot.displays.TCEDisplay.from_predictions(*scores, ax=right)
    figure.tight_layout()
    again = pickle.loads(pickle.dumps(display))
    assert float(again.error) == float(display.error)
    np.testing.assert_array_equal(pixels(again.figure_), pixels(figure))


def test_the_x_label_is_under_the_histogram_and_can_be_changed(scores):
    display = draw(*scores)
    display.ax_.set_xlabel("Forecast")
    display.figure_.draw_without_rendering()
    label = display.ax_.xaxis.label.get_window_extent()
    ticks = [tick.get_window_extent() for tick in display.histogram_ax_.get_xticklabels()]
    assert label.y1 <= min(tick.y0 for tick in ticks)
    assert label.y0 >= 0


def test_the_diagonal_is_drawn_once_and_reaches_to_the_corners(scores):
    first = draw(*scores, ref_line=False)
    second = draw(scores[0], scores[1] / 2, ax=first.ax_)
    third = draw(*scores, family="beta", ax=first.ax_)
    assert (first.ref_line_, third.ref_line_) == (None, None)
    assert second.ref_line_.get_xdata()[0] < second.ax_.get_xlim()[0]
    assert second.ref_line_.get_xdata()[1] > second.ax_.get_xlim()[1]


def test_errors_of_other_samples_and_other_kinds_are_refused(scores):
    y, p = scores
    error, sample = fot.calibration_error(y, p), fot.ScoreSample(y, p)
    with pytest.raises(ValueError, match="sample must be the one on which error was measured, n = 900"):
        fot.ReliabilityDisplay(error, fot.ScoreSample(y[:50], p[:50]))
    with pytest.raises(ValueError, match="error must be one that calibration_error returns, with a map to draw"):
        fot.ReliabilityDisplay(fot.gce(y, p), sample)
    with pytest.raises(ValueError, match="sample must be a ScoreSample, got None"):
        fot.ReliabilityDisplay(error, None)
    with pytest.raises(ValueError, match="band_draws must be a whole number, at least 1; got 0"):
        fot.ReliabilityDisplay(error, sample).add_band(sample, draws=0)
    assert repr(fot.ReliabilityDisplay(error, sample)) == f"ReliabilityDisplay({error!r})"


def test_axes_of_other_kinds_are_refused(scores):
    figure = Figure()
    with pytest.raises(ValueError, match="ax must be rectilinear axes, got polar axes"):
        draw(*scores, ax=figure.add_subplot(projection="polar"))
    with pytest.raises(ValueError, match="ax must be a figure without axes, got one with 1; pass its axes instead"):
        draw(*scores, ax=figure)
    tests = fot.displays.TCEDisplay.from_predictions(*scores, ax=blank())
    with pytest.raises(ValueError, match="ax must not hold a test-based diagram"):
        draw(*scores, ax=tests.ax_)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_of_every_library(backend, banded):
    for display in (banded, fot.displays.TCEDisplay(fot.tce(*SCORES), SAMPLE)):
        assert len(display.to_frame(backend)) == len(display.rows())
        for part in display.parts():
            assert len(display.to_frame(backend, part=part)) == len(display.rows(part))
