"""The reliability diagram: what is drawn is what was fitted and counted, where there are rows, and all is seen."""

import pickle

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import beta
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

import fitontest as fot
from fitontest.displays.diagram import Diagram
from fitontest.displays.palette import SERIES
from fitontest.displays.planes import choose_plane
from fitontest.displays.rows_along import LEAST_WIDTH, MOST_DENSE, WIDER
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.uncertainty.effective_rows import effective_rows
from tests.displays.figures import blank, pixels, plain
from tests.quick_families import quick
from tests.strategies import noisy

SCORES = noisy(900, seed=3)
SAMPLE = fot.ScoreSample(*SCORES)
QUICK = {"interval": None, "band": None}


def draw(y, p, **options):
    return fot.ReliabilityDisplay.from_predictions(y, p, **{"ax": plain((5.2, 6.2)), **QUICK, **options})


def one(display):
    """Return the only diagram of a display."""
    (diagram,) = display.diagrams.values()
    return diagram


def drawn(display):
    """Return the artists of the only diagram."""
    (artists,) = display.artists_.values()
    return artists


def rare(n=4000, factor=1.5, seed=0):
    """Return rare events that are more frequent than their scores by a factor."""
    rng = np.random.default_rng(seed)
    p = 10.0 ** rng.uniform(-3, -1, n)
    return rng.random(n) < factor * p, p


@pytest.fixture(autouse=True)
def no_figure_is_left():
    before = plt.get_fignums()
    yield
    assert plt.get_fignums() == before


@pytest.mark.parametrize("scale", ["probability", "logit", "ratio"])
@pytest.mark.parametrize("name", fot.families.names("two"))
def test_every_family_can_be_drawn_on_all_axes(name, scale):
    error = fot.measures.PlugIn(quick(name)).estimate(SAMPLE)
    display = fot.ReliabilityDisplay.from_estimate(error, SAMPLE, scale=scale, band={"kind": None}).plot(plain())
    assert one(display).plane.name == scale
    assert pixels(display.figure_)[..., :3].std() > 0.05  # an empty picture is white
    assert display.ax_.get_ylabel().startswith("Observed")


def test_a_curve_is_the_mean_of_the_map_over_the_rows_of_each_cell():
    y, p = SCORES
    diagram = one(draw(y, p, family="beta"))
    curve, cell = diagram.curve, np.minimum((p * 100).astype(int), 99)
    for k in range(100):
        own = p[cell == k]
        x = own.mean() if own.size else (k + 0.5) / 100
        c = diagram.error.map(own).mean() if own.size else diagram.error.map(np.array([x]))[0]
        assert curve.x[k] == pytest.approx(x)
        assert curve.y[k] == pytest.approx(c)


def test_there_is_no_curve_without_rows():
    rng = np.random.default_rng(0)
    p = np.concatenate((rng.uniform(0, 0.3, 1000), rng.uniform(0.7, 1.0, 1000), [0.45, 0.5, 0.55]))
    display = draw(rng.random(2003) < p, p)
    curve = one(display).curve
    assert not curve.drawn[(curve.x > 0.36) & (curve.x < 0.64)].any()
    assert curve.drawn[(curve.x > 0.02) & (curve.x < 0.28)].all()
    for segment in drawn(display)["curve"].get_segments():
        assert segment[1, 0] - segment[0, 0] < 0.05  # no line leads over the gap
    least, most = np.quantile(p, (0.005, 0.995))
    shown = curve.x[curve.drawn]
    assert least - 0.01 <= shown.min()
    assert shown.max() <= most + 0.01


def test_few_rows_have_a_curve_where_ten_are_near_and_weights_count_as_effective_rows():
    rng = np.random.default_rng(0)
    p = np.linspace(0.005, 0.995, 100)
    y = rng.random(100) < p
    assert one(draw(y, p)).curve.drawn.mean() > 0.9  # within a tenth of the axis
    w = np.where(np.arange(100) % 10 == 0, 1000.0, 0.1)  # two of twenty near rows bear nearly all of the weight
    assert not one(draw(y, p, sample_weight=w, weights="importances")).curve.drawn.any()


def test_a_line_is_as_wide_as_rows_are_dense_on_the_same_scale_everywhere():
    rng = np.random.default_rng(0)
    p = np.concatenate((rng.uniform(0, 0.5, 8000), rng.uniform(0.5, 1, 2000)))
    curve = one(draw(rng.random(10_000) < p, p)).curve
    for middle, dense in ((0.25, 1.6), (0.75, 0.4)):
        width = curve.width[np.argmin(np.abs(curve.x - middle))]
        assert width == pytest.approx(LEAST_WIDTH + WIDER * np.sqrt(dense), rel=0.05)
    heap = np.concatenate((np.full(900, 0.5), rng.random(100)))
    assert one(draw(rng.random(1000) < heap, heap)).curve.width.max() == LEAST_WIDTH + WIDER * np.sqrt(MOST_DENSE)


def test_points_are_of_bins_of_equal_width_and_small_ones_are_merged():
    y, p = SCORES
    points = one(draw(y, p)).points
    assert points.p.size == 10
    for k, row in enumerate(points.to_records()):
        own = (p >= k / 10) & ((p < (k + 1) / 10) | (k == 9))
        assert row["mean_prediction"] == pytest.approx(p[own].mean())
        assert row["empirical_probability"] == pytest.approx(y[own].mean())
        low, high = share_interval(int(y[own].sum()), int(own.sum()), 0.95)
        assert (row["low"], row["high"]) == (pytest.approx(low), pytest.approx(high))
    rng = np.random.default_rng(0)
    q = np.concatenate((rng.uniform(0, 0.1, 500), rng.uniform(0.9, 1, 300), rng.uniform(0.2, 0.8, 19)))
    merged = one(draw(rng.random(819) < q, q)).points
    assert merged.weight.tolist() == [500.0, 319.0]  # the smaller neighbour
    assert merged.weight.sum() == 819


def test_counts_are_rows_and_importances_and_groups_count_less():
    y, p = SCORES
    twice = one(draw(y, p, sample_weight=np.full(y.size, 2))).points
    again = one(draw(np.tile(y, 2), np.tile(p, 2))).points
    np.testing.assert_allclose(twice.low, again.low)
    w = np.random.default_rng(0).gamma(0.4, 1, y.size)
    weighted = one(draw(y, p, sample_weight=w)).points
    own = p < 0.1
    n = w[own].sum() ** 2 / (w[own] ** 2).sum()
    share = w[own] @ y[own] / w[own].sum()
    assert weighted.high[0] == pytest.approx(share_interval(share * n, n, 0.95)[1])
    groups = np.repeat(np.arange(90), 10)  # whose labels agree
    rng = np.random.default_rng(1)
    y = np.repeat(rng.random(90) < 0.5, 10)
    q = np.repeat(rng.uniform(0.3, 0.7, 90), 10) + rng.uniform(-0.02, 0.02, 900)
    alone, grouped = one(draw(y, q)).points, one(draw(y, q, groups=groups))
    assert np.all(grouped.points.high - grouped.points.low > 1.5 * (alone.high - alone.low))
    sample = grouped.sample
    at = slice(0, int(np.searchsorted(sample.rows.p, grouped.points.upper[0])))
    assert effective_rows(sample, at) < 0.5 * at.stop
    few = one(draw(y, q, groups=np.arange(900) % 6)).points
    assert np.isnan(few.low).all()


def test_few_distinct_scores_are_points_with_exact_intervals_and_no_curve():
    rng = np.random.default_rng(0)
    p = rng.integers(0, 11, 500) / 10
    y = (rng.random(500) < 0.1 + 0.7 * p).astype(int)
    display = draw(y, p)
    diagram = one(display)
    assert (diagram.form, diagram.curve) == ("points", None)
    rows = display.rows("points")
    assert [row["mean_prediction"] for row in rows] == pytest.approx(np.unique(p).tolist())
    for row in rows:
        own = p == row["lower"]
        k, n = int(y[own].sum()), int(own.sum())
        assert row["low"] == pytest.approx(beta.ppf(0.025, k, n - k + 1) if k else 0.0)
        assert row["high"] == pytest.approx(beta.ppf(0.975, k + 1, n - k) if k < n else 1.0)
    areas = drawn(display)["points"].get_sizes()
    assert np.argmax(areas) == np.argmax([row["weight"] for row in rows])
    assert {round(bar.get_x() + bar.get_width() / 2, 6) for bar in drawn(display)["histogram"]} == {
        *np.unique(p).round(6)
    }
    assert one(draw(*noisy(20))).form == "curve"  # 20 scores of a row each are none of few


@pytest.mark.parametrize(("most", "end"), [(0.04, 0.05), (0.38, 0.4), (0.55, 0.6), (0.7, 1.0)])
def test_axes_end_where_the_scores_do(most, end):
    rng = np.random.default_rng(0)
    p = np.concatenate((rng.uniform(0, most, 50_000), [0.9]))
    diagram = one(draw(rng.random(50_001) < p, p, scale="probability"))
    assert (diagram.plane.x.lower, diagram.plane.x.upper) == (0.0, end)
    assert diagram.plane.x == diagram.plane.y
    assert diagram.notes == ([f"axes end at {end:.2g}; 1 row beyond"] if end < 1 else [])


def test_axes_show_what_is_observed_above_low_scores():
    rng = np.random.default_rng(0)
    p = rng.uniform(0, 0.09, 5000)
    diagram = one(draw(rng.random(5000) < 0.4, p))
    assert diagram.plane.y.upper >= diagram.points.share.max()


def test_logit_axes_are_asked_for_and_named():
    y, p = SCORES
    assert one(draw(y, p**6, scale="auto")).plane.name == "probability"
    display = draw(y, p, scale="logit")
    assert display.ax_.get_xscale() == display.ax_.get_yscale() == "logit"
    assert display.histogram_ax_.get_xlabel() == "Predicted probability (logit axis)"
    assert display.ax_.get_ylabel() == "Observed frequency (logit axis)"


def test_rare_events_are_observed_over_expected_on_logarithmic_axes():
    y, p = rare()
    display = draw(y, p)
    diagram = one(display)
    assert (diagram.plane.name, display.ax_.get_xscale(), display.ax_.get_yscale()) == ("ratio", "log", "log")
    points, total = diagram.points, p.sum()
    expected = [p[(p >= row["lower"]) & (p < row["upper"])].sum() for row in points.to_records()]
    assert len(expected) == min(10, int(total // 10))
    np.testing.assert_allclose(expected, total / len(expected), atol=0.1)
    heights = drawn(display)["points"].get_ydata()
    np.testing.assert_allclose(heights, points.share / points.p)
    curve = diagram.curve
    lines = np.array(drawn(display)["curve"].get_segments())
    np.testing.assert_allclose(np.interp(lines[:, 0, 0], curve.x, curve.y / curve.x), lines[:, 0, 1], rtol=1e-6)
    near = [p[(p > x / 1.25) & (p < x * 1.25)].sum() >= 5 for x in curve.x]
    assert not curve.drawn[~np.array(near)].any()
    low, high = display.ax_.get_ylim()
    assert low <= 0.5
    assert high >= 2
    ratio = fot.measure(y, p, "observed_expected")
    assert diagram.second.startswith(f"O:E {float(ratio):.2f} (95 % CI ")
    assert diagram.second.endswith(f"n = 4,000, {y.sum()} events")
    assert "(log axis)" in display.ax_.get_ylabel()


def test_rare_non_events_are_drawn_in_the_same_way_and_the_square_can_be_had():
    y, p = rare()
    events, others = one(draw(y, p, family="beta")), one(draw(1 - y, 1 - p, family="beta"))
    assert others.plane.of_non_events
    assert others.labels[0] == "Predicted probability of no event (log axis)"
    np.testing.assert_allclose(others.points.share, events.points.share, atol=1e-9)
    np.testing.assert_allclose(others.curve.y, events.curve.y, rtol=1e-3)
    assert "non-events" in others.second
    assert one(draw(y, p, scale="probability")).plane.name == "probability"
    assert one(draw(y, p, family="slope1")).plane.name == "probability"
    half = one(draw(np.tile([0, 1], 50), np.linspace(0.1, 0.9, 100), scale="ratio"))
    assert half.plane.is_ratio


def test_few_distinct_rare_scores_are_points_on_the_square():
    rng = np.random.default_rng(0)
    p = rng.choice([0.01, 0.02, 0.05], 3000)
    assert choose_plane("auto", fot.ScoreSample(rng.random(3000) < p, p)).name == "probability"


def test_title_and_second_line_are_verdict_and_error():
    y, p = noisy(600)
    display = fot.ReliabilityDisplay.from_predictions(y, p**2, name="model", ax=plain())
    evaluation = fot.evaluate(y, p**2, families=["spline"])
    headline = evaluation.verdict.headline
    assert drawn(display)["title"].get_text().replace("\n", " ") == f"model: {headline[0].lower()}{headline[1:]}"
    interval = display.error.interval
    ends = f"(95 % CI {interval.low:.3f} to {interval.high:.3f}), n = 600"
    second = drawn(display)["second"].get_text().replace("\n", " ")
    assert second == f"calibration error {display.error.debiased:.3f} {ends}"
    same = evaluation.plot(ax=plain())
    assert one(same).second == one(display).second
    assert one(same).title == headline
    assert one(draw(y, p)).second == f"calibration error {float(one(draw(y, p)).error):.3f}, n = 600"
    assert "calibration error (beta) " in one(draw(y, p, family="beta", interval="always")).second


def test_an_interval_that_begins_at_zero_is_quoted_without_a_value():
    rng = np.random.default_rng(1)
    p = rng.random(500)
    diagram = one(draw(rng.random(500) < p, p, interval="always"))
    assert diagram.error.interval.low == 0
    assert diagram.second == f"calibration error 0.000 to {diagram.error.interval.high:.3f} (95 % CI), n = 500"


BINNED = [fot.Slope1(6), fot.Slope1(7, "equal_width"), fot.Slope1([0.5, 1.0]), "flat", fot.Isotonic("step")]


@pytest.mark.parametrize("family", BINNED)
def test_gaps_weighted_by_shares_add_up_to_the_error(family):
    w = np.random.default_rng(0).integers(0, 3, SCORES[0].size)
    display = draw(*SCORES, family=family, sample_weight=w)
    bins = display.to_frame(part="bins")
    kept = bins[bins["n"] > 0]
    assert kept["share"].sum() == pytest.approx(1)
    assert (kept["share"] * kept["mean_gap"]).sum() == pytest.approx(float(display.error))
    strokes = one(display).strokes
    assert strokes.weight @ strokes.gap / strokes.weight.sum() == pytest.approx(float(display.error))


def test_the_fill_is_the_gap_and_its_area_the_ece_where_bins_are_alike():
    rng = np.random.default_rng(0)
    p = np.concatenate([(b + rng.random(50)) / 6 for b in range(6)])
    y = rng.random(300) < 0.2 + 0.6 * p  # so that no line leaves [0, 1]
    display = draw(y, p, family=fot.Slope1(6, "equal_width"))
    gap = drawn(display)["gap"]
    areas = []
    for path in gap.get_paths():
        x, h = path.vertices[:-1].T
        areas.append(abs(np.sum(x * np.roll(h, 1) - np.roll(x, 1) * h)) / 2)
    assert sum(areas) == pytest.approx(float(display.error), abs=1e-6)
    assert len({*map(tuple, gap.get_facecolor().tolist())}) == 1  # and all equally dark
    table = display.error.estimator.bin_table_
    for line, mean_p, mean_y in zip(drawn(display)["curve"].get_segments(), table.mean_p, table.mean_y, strict=True):
        assert np.diff(line[:, 1]) == pytest.approx(np.diff(line[:, 0]))  # at 45 degrees
        assert np.interp(mean_p, *line.T) == pytest.approx(mean_y)
    ticks = [tick for tick in display.ax_.get_xticks(minor=True) if 0 < tick < 1]
    assert ticks == pytest.approx([k / 6 for k in range(1, 6)])


def test_the_shade_tells_the_share_of_the_rows():
    p = np.concatenate((np.linspace(0.01, 0.49, 300), np.linspace(0.51, 0.99, 100)))
    y = np.random.default_rng(0).random(400) < 0.2 + 0.6 * p
    shades = drawn(draw(y, p, family=fot.Slope1(2, "equal_width")))["gap"].get_facecolor()
    assert shades[0, :3].sum() < shades[-1, :3].sum()  # darker on white


def test_narrow_bins_are_drawn_together():
    rng = np.random.default_rng(0)
    p = np.concatenate((rng.beta(0.3, 8, 3000), 1 - rng.beta(0.3, 8, 3000), rng.random(300)))
    display = draw(rng.random(6300) < p, p, family=fot.Slope1(27))
    strokes = one(display).strokes
    several = strokes.bins > 1
    assert strokes.bins.sum() == 27
    assert several.any()
    assert np.all((strokes.upper - strokes.lower)[several] <= 0.04)
    rows = 100 * strokes.weight[several].sum() / 6300
    note = one(display).strokes.note.replace("\n", " ")
    assert note.startswith("squares: ")
    assert note.endswith(f"bins narrower than 0.02, drawn together; {rows:.0f} % of the rows")
    squares = next(mark for mark in drawn(display)["marks"] if mark.get_marker() == "s")
    assert squares.get_xdata() == pytest.approx(strokes.p[several])
    assert "squares" in drawn(display)["key"].get_text()


@pytest.mark.parametrize("name", ["pl", "pl3"])
def test_polygons_have_diamonds_at_their_knots_and_a_gap(name):
    error = fot.measures.PlugIn(quick(name)).estimate(SAMPLE)
    display = fot.ReliabilityDisplay.from_estimate(error, SAMPLE).plot(plain())
    diagram = one(display)
    assert (diagram.form, diagram.band) == ("polygon", None)
    knots = drawn(display)["marks"]
    np.testing.assert_allclose(knots.get_xdata(), error.partition.edges)
    np.testing.assert_allclose(knots.get_ydata(), np.clip(error.map(error.partition.edges), 0, 1))
    assert knots.get_marker() == "D"
    line = np.array(drawn(display)["curve"].get_segments())[:, 0]
    np.testing.assert_allclose(np.clip(error.map(line[:, 0]), 0, 1), line[:, 1], atol=1e-12)
    assert len(drawn(display)["gap"].get_paths()) == len(line)


def test_a_single_pl3_is_made_of_straight_lines_on_logit_axes():
    error = fot.measures.PlugIn(fot.PL3(3, ensemble=False)).estimate(SAMPLE)
    display = fot.ReliabilityDisplay.from_estimate(error, SAMPLE, scale="logit").plot(plain())
    assert display.ax_.get_xscale() == "logit"
    x, c = np.array(drawn(display)["curve"].get_segments())[:, 0].T
    inside = (c > 1e-6) & (c < 1 - 1e-6)
    t, z = np.log(x / (1 - x))[inside], np.log(c / (1 - c))[inside]
    slopes, piece = np.diff(z) / np.diff(t), np.searchsorted(error.partition.edges, x[inside][:-1], side="right")
    for k in range(3):
        assert np.ptp(slopes[piece == k][1:-1]) < 1e-4


def test_the_band_is_under_the_curve_alone_and_holds_it():
    rng = np.random.default_rng(0)
    p = np.concatenate((rng.uniform(0, 0.3, 500), rng.uniform(0.7, 1.0, 500)))
    display = draw(rng.random(1000) < p, p, band="auto")
    diagram = one(display)
    assert (diagram.band.kind, diagram.band.level) == ("confidence", 0.95)
    curve = diagram.banded(diagram.band)
    inside = curve.drawn & np.isfinite(curve.lower)
    assert np.all(curve.lower[inside] <= curve.y[inside] + 1e-12)
    assert np.all(curve.upper[inside] >= curve.y[inside] - 1e-12)
    corners = np.concatenate([path.vertices[:, 0] for path in drawn(display)["band"].get_paths()])
    assert not np.any((corners > 0.36) & (corners < 0.64))


@pytest.mark.parametrize("kind", ["consistency", "confidence", "simultaneous"])
def test_bands_that_are_named(kind):
    display = draw(*SCORES, family="platt", band=kind, band_draws=20, band_level=0.9)
    band = one(display).band
    assert (band.kind, band.level, band.draws) == (kind, 0.9, 20)
    assert any("90 %" in line for line in one(display).key)
    frame = display.to_frame(part="band")
    assert (frame["lower"] <= frame["upper"]).all()
    bins = draw(*SCORES, family=fot.Slope1(5), band=kind, band_draws=20)
    assert drawn(bins)["band"] is not None


def test_the_band_by_hand():
    """Without ties, one refit of the flat family with one bin is the mean of the redrawn labels."""
    p = np.linspace(0.05, 0.95, 40)
    band = one(draw(p > 0.5, p, family=fot.Flat(1), band="consistency", band_draws=200, band_level=0.5)).band
    rng = np.random.RandomState(0)
    means = [np.mean(rng.random_sample(40) < p) for _ in range(200)]
    np.testing.assert_allclose(band.lower, np.quantile(means, 0.25))
    np.testing.assert_allclose(band.upper, np.quantile(means, 0.75))


def test_a_band_of_new_groups_is_dashed():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 10)
    p = rng.random(600)
    y = rng.random(600) < 1 / (1 + np.exp(-np.log(p / (1 - p)) - rng.normal(0, 1, 60)[groups]))
    display = draw(y, p, groups=groups, band="new group", band_draws=20)
    parts = display.parts()
    wider = np.array([row["upper"] - row["lower"] for row in parts["new_group"]])
    assert wider.mean() > 0.1
    assert any(line.startswith("dashed: 95 %") for line in one(display).key)
    with pytest.raises(ValueError, match="band must be None: "):
        draw(y, p, groups=np.arange(600) % 6, band="confidence", band_draws=20)


def test_a_curve_that_is_too_smooth_is_said_to_be():
    rng = np.random.default_rng(0)
    p = rng.random(4000)
    display = draw(rng.random(4000) < np.where(np.sin(60 * p) > 0, 0.9, 0.1), p, band="auto")
    assert one(display).band.misfit is not None
    assert any(line.startswith("curve and band too smooth in places (p = 0.0") for line in one(display).key)


def test_the_key_is_in_the_emptier_corner_and_can_be_left_out():
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    above, below = draw(rng.random(2000) < p**0.3, p), draw(rng.random(2000) < p**4, p)
    assert drawn(above)["key"].get_position()[0] > 0.5 > drawn(above)["key"].get_position()[1]
    assert drawn(below)["key"].get_position()[0] < 0.5 < drawn(below)["key"].get_position()[1]
    assert drawn(draw(*SCORES, legend=False))["key"] is None
    low = draw(rng.random(2000) < p / 5, p / 5, legend=False)
    assert drawn(low)["key"].get_text().startswith("axes end at 0.")
    assert "reference" not in drawn(draw(*SCORES, ref_line=False))


def boxes(display):
    """Return the places of all texts of a diagram."""
    display.figure_.draw_without_rendering()
    texts = [drawn(display)[part] for part in ("title", "second", "key")]
    return [text.get_window_extent() for text in texts] + [display.histogram_ax_.xaxis.label.get_window_extent()]


@pytest.mark.parametrize("figure", [blank, plain])
@pytest.mark.parametrize("size", [(5.2, 6.2), (3.4, 4.4)])
def test_texts_are_on_the_figure_and_do_not_overlap(figure, size):
    rng = np.random.default_rng(0)
    p = rng.random(2000) ** 3
    display = draw(rng.random(2000) < p**0.4, p, name="a model with a long name", ax=figure(size), interval="always")
    found, whole = boxes(display), display.figure_.bbox
    for k, box in enumerate(found):
        assert box.x0 >= -2
        assert box.y0 >= -2
        assert box.x1 <= whole.x1 + 2
        assert box.y1 <= whole.y1 + 2
        assert not any(box.overlaps(other) for other in found[:k])


def test_where_it_is_drawn():
    figure = blank((9, 5))
    left, right = figure.subfigures(1, 2)
    display = draw(*SCORES, ax=left)
    assert display.figure_ is left
    ax = right.subplots()
    before = ax.get_position(original=True).bounds
    assert draw(*SCORES, ax=ax).ax_ is ax
    assert ax.get_position(original=True).bounds == before  # the layout of the user is left alone
    with pytest.raises(ValueError, match="ax must be rectilinear axes, a Figure or a SubFigure of matplotlib, or None"):
        draw(*SCORES, ax=3)
    with pytest.raises(ValueError, match="ax must be axes that hold no diagram yet; several models in one diagram"):
        draw(*SCORES, ax=ax)
    display = draw(*SCORES, ax=None)
    assert plt.get_fignums()
    plt.close(display.figure_)


def test_the_frame_holds_every_number():
    display = draw(*SCORES, family="beta", band="confidence", band_draws=20)
    assert display.to_frame()["part"].unique().tolist() == ["curve", "points", "histogram", "band"]
    assert display.to_frame("polars", part="histogram")["weight"].sum() == 900
    with pytest.raises(ValueError, match="part must be one of 'curve', 'points', 'histogram', 'band'; got 'x'"):
        display.to_frame(part="x")
    assert pickle.loads(pickle.dumps(one(display))).parts() == display.parts()


def test_given_maps_and_other_errors():
    y, p = SCORES
    identity = draw(y, p, family=fot.maps.IdentityMap(), band="auto")
    assert one(identity).band is None
    with pytest.raises(ValueError, match="error must be one that calibration_error returns, with a map to draw"):
        Diagram(fot.measure(y, p, "pairs"), SAMPLE)
    with pytest.raises(ValueError, match="sample must be the one on which error was measured"):
        Diagram(identity.error, fot.ScoreSample(y[:10], p[:10]))
    with pytest.raises(ValueError, match="diagrams must hold at least one diagram, got none"):
        fot.ReliabilityDisplay({})


def test_limits_are_the_ends_of_both_axes():
    display = draw(*SCORES, limits=(0.2, 0.6))
    plane = one(display).plane
    assert (plane.x.lower, plane.x.upper, plane.y.lower, plane.y.upper) == (0.2, 0.6, 0.2, 0.6)
    assert "beyond" in one(display).notes[0]
    with pytest.raises(ValueError, match="limits must be two increasing numbers"):
        draw(*SCORES, limits=(0.6, 0.2))


@pytest.mark.exhaustive
def test_estimators():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = np.array(["no", "yes"])[(x[:, 0] + rng.normal(size=300) > 0).astype(int)]
    model = LogisticRegression().fit(x, y)
    display = fot.ReliabilityDisplay.from_estimator(model, x, y, ax=plain(), **QUICK)
    assert one(display).name == "LogisticRegression"
    assert display.histogram_ax_.get_xlabel() == "Predicted probability (positive: yes)"
    with pytest.raises(NotFittedError):
        fot.ReliabilityDisplay.from_estimator(GaussianNB(), x, y)
    with pytest.raises(ValueError, match="predict_proba"):
        fot.ReliabilityDisplay.from_estimator(LinearSVC().fit(x, y), x, y)


def test_names_are_drawn_as_they_are():
    display = draw(*SCORES, name="$x_1$ \x1b[31m", ax=Figure())
    display.figure_.draw_without_rendering()
    assert "\x1b" not in drawn(display)["title"].get_text()
    assert "$x_1$" in drawn(display)["title"].get_text()


def test_on_dark_ground_lines_are_lighter_and_texts_light():
    light = draw(*SCORES, band="confidence", band_draws=20)
    with plt.style.context("dark_background"):
        dark = draw(*SCORES, band="confidence", band_draws=20)
    for part, color in (("curve", lambda line: line.get_colors()[0][:3].sum()), ("second", _brightness)):
        assert color(drawn(dark)[part]) > color(drawn(light)[part])


def _brightness(text):
    return sum(text.get_color())


def test_colours_are_told_apart_by_colour_blind_readers():
    """By the matrices of Machado, Oliveira and Fernandes (2009) for the three kinds of colour blindness."""
    rgb = np.array([[int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)] for color in SERIES[:4]])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    blind = {
        "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    }
    for matrix in blind.values():
        seen = np.clip(linear @ np.array(matrix).T, 0, 1) ** (1 / 2.4)
        apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)[np.triu_indices(4, 1)]
        assert apart.min() > 0.1
