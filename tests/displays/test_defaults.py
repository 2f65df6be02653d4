"""What a diagram shows unless told otherwise: spline, band, scale, few scores, one bin, legends beside the data."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy.stats import beta

import fitontest as fot
from fitontest.displays.reliability_artists import ATOM_LABEL, MAP_WIDTH, ONE_BIN, THIN_WIDTH, TOO_HIGH, TOO_LOW
from fitontest.displays.scales import advise_logit, choose_scale, name_scale
from fitontest.results.text import debiased_and_raw
from fitontest.uncertainty.bands import QUICK_DRAWS
from tests.displays.figures import blank, plain
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies


def draw(y, p, **options):
    return fot.ReliabilityDisplay.from_predictions(y, p, **{"ax": plain(), **options})


def legend_of(display):
    return [text.get_text() for text in display.legend_.get_texts()]


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    """All draws are made here."""


@pytest.fixture(scope="module")
def default():
    return draw(*noisy(400))


@pytest.fixture(scope="module")
def stated():
    rng = np.random.default_rng(0)
    p = rng.integers(0, 11, 500) / 10
    return (rng.random(500) < 0.1 + 0.7 * p).astype(int), p


def test_a_spline_with_its_band_and_both_values(default):
    error = fot.calibration_error(*noisy(400), family="spline", interval="always")
    assert default.error.family == "spline"
    assert (default.error.debiased, float(default.error)) == (error.debiased, float(error))
    assert (default.band.kind, default.band.draws) == ("confidence", QUICK_DRAWS)
    quoted = debiased_and_raw(error.debiased, float(error))
    assert legend_of(default)[0].startswith(f"spline: {quoted}\n95 %: ")
    assert np.all(default.band.lower <= default.band.upper)


def test_the_band_can_be_left_out_or_named():
    y, p = noisy(200)
    assert draw(y, p, band=None, interval=None).band is None
    named = draw(y, p, band="confidence", band_draws=20, interval=None).band
    assert (named.kind, named.draws) == ("confidence", 20)
    assert draw(y, p, band_draws=20, interval=None).band.draws == 20
    with pytest.raises(ValueError, match="band_draws must be 0 with band=None"):
        draw(y, p, band=None, band_draws=5)


def test_a_map_that_was_given_has_no_band_by_default_and_rows_in_groups_have_one():
    y, p = noisy(200)
    assert draw(y, p, family=fot.maps.IdentityMap()).band is None
    grouped = draw(fot.read(y, p, groups=np.arange(200) // 2), None, family="isotonic")
    assert grouped.band is not None
    assert grouped.error.interval is not None
    few = draw(fot.read(y, p, groups=np.arange(200) % 6), None, family="isotonic")
    assert (few.band, few.error.interval) == (None, None)


def test_many_rows_are_drawn_without_what_takes_seconds():
    y, p = noisy(25_000)
    display = draw(y, p)
    assert display.error.interval is None
    assert display.band.misfit is None
    assert "raw " in legend_of(display)[0]
    assert "debiased" not in legend_of(display)[0]


@pytest.mark.parametrize(
    ("scores", "name"),
    [
        (np.linspace(0, 1, 101), "probability"),
        (np.concatenate((np.full(60, 0.01), np.linspace(0.1, 0.9, 40))), "logit"),
        (np.concatenate((np.full(60, 0.99), np.linspace(0.1, 0.9, 40))), "logit"),
        (np.concatenate((np.full(50, 0.01), np.linspace(0.1, 0.9, 50))), "probability"),
        (np.repeat([0.0, 1.0, 0.01, 0.02, 0.03], 20), "logit"),
        (np.repeat([1e-9, 1 - 1e-9, 0.01], 20), "probability"),  # two of three would be in the outermost bars
        (np.repeat([0.0, 1.0, 1.0, 1.0, 0.01], 20), "probability"),  # on a logit axis 4 of 5 would have no place
    ],
)
def test_the_scale_is_logit_where_most_scores_are_near_an_end(scores, name):
    sample = fot.ScoreSample(np.random.default_rng(0).integers(0, 2, scores.size), scores)
    assert name_scale("auto", [sample]) == name
    assert name_scale("auto", [sample], (0, 0.25)) == "probability"
    for asked in ("probability", "logit"):
        assert name_scale(asked, [sample]) == asked


def test_the_scale_of_a_display_is_the_one_chosen():
    y, p = noisy(200)
    error = fot.calibration_error(y, p / 50, family="isotonic")
    assert fot.ReliabilityDisplay(error, fot.ScoreSample(y, p / 50)).scale.name == "logit"
    assert fot.ReliabilityDisplay(error, fot.ScoreSample(y, p / 50), scale="probability").scale.name == "probability"


def test_an_overlaid_diagram_takes_the_scale_of_the_first():
    y, p = noisy(200)
    first = draw(y, p, interval=None, band=None)
    second = draw(y, p / 50, interval=None, band=None, ax=first.ax_)
    assert (first.scale.name, second.scale.name) == ("probability", "probability")


def test_maps_are_dotted_beyond_all_but_half_a_per_cent_on_either_side():
    y, p = noisy(1000)
    display = draw(y, p, band=None, interval=None, family="beta")
    inside, ordered = display.line_.get_xdata(), np.sort(p)
    assert (inside.min(), inside.max()) == (ordered[4], ordered[-5])
    dotted = display.extension_.get_xdata()
    assert display.extension_.get_linestyle() == ":"
    assert np.nanmax(dotted[dotted < 0.5]) == ordered[4]
    assert np.nanmin(dotted[dotted > 0.5]) == ordered[-5]


def test_few_scores_are_points_with_exact_intervals(stated):
    y, p = stated
    display = draw(y, p)
    rows = display.rows("scores")
    assert [row["score"] for row in rows] == np.unique(p).tolist()
    for row in rows:
        k, n = int(y[p == row["score"]].sum()), int((p == row["score"]).sum())
        assert row["empirical_probability"] == pytest.approx(k / n)
        assert row["low"] == pytest.approx(beta.ppf(0.025, k, n - k + 1) if k else 0.0)
        assert row["high"] == pytest.approx(beta.ppf(0.975, k + 1, n - k) if k < n else 1.0)
    np.testing.assert_allclose(display.scores_.get_offsets()[:, 1], [row["empirical_probability"] for row in rows])
    ends = np.array([segment[:, 1] for segment in display.whiskers_.get_segments()])
    np.testing.assert_allclose(ends, [(row["low"], row["high"]) for row in rows])
    assert display.band is None
    assert "share of positives at one score, exact 95 % interval" in legend_of(display)


def test_few_scores_are_points_beside_bins_and_counts_are_rows(stated):
    y, p = stated
    assert draw(y, p, family=fot.Slope1(2), interval=None).scores_ is not None
    twice = draw(y, p, sample_weight=np.full(y.size, 2), interval=None).rows("scores")
    repeated = draw(np.tile(y, 2), np.tile(p, 2), interval=None).rows("scores")
    assert [row["low"] for row in twice] == pytest.approx([row["low"] for row in repeated])
    assert draw(*noisy(20), interval=None).single is None  # 20 scores of a row each are none of few


def test_one_bin_is_a_point():
    y, p = noisy(300)
    display = draw(y, p, family=fot.Slope1(1), interval=None)
    assert display.line_.get_xdata().size == 0
    assert display.note_.get_text() == ONE_BIN
    assert display.means_.get_xydata().tolist() == [[pytest.approx(p.mean()), pytest.approx(np.mean(y))]]
    assert display.band is display.fill_ is None
    assert draw(y, p, family=fot.Slope1(2), interval=None, band=None).note_ is None


def test_the_words_are_on_their_sides_of_the_diagonal(default):
    (low, high) = default.words_
    assert (low.get_text(), high.get_text()) == (TOO_LOW, TOO_HIGH)
    assert low.get_position()[0] < 0.5 < low.get_position()[1]
    assert high.get_position()[1] < 0.5 < high.get_position()[0]


@pytest.mark.parametrize("figure", [blank, plain])
def test_legends_of_overlaid_diagrams_cover_no_data(figure):
    y, p = noisy(300)
    whole = figure((5.2, 6.4))
    first = draw(y, p, name="one", ax=whole, band=None, interval=None)
    second = draw(y, p**2, name="other", ax=first.ax_, band=None, interval=None)
    whole.draw_without_rendering()
    legend = second.legend_.get_window_extent()
    assert legend.y1 < first.histogram_ax_.get_window_extent().y0
    assert legend.y0 >= 0


def test_lines_are_lighter_than_their_fill_on_dark_ground(default):
    assert to_rgb(default.line_.get_color()) == tuple(default.fill_.get_facecolor()[0, :3])
    with plt.style.context("dark_background"):
        dark = draw(*noisy(200), interval=None, band=None)
    line, fill = to_rgb(dark.line_.get_color()), dark.fill_.get_facecolor()[0, :3]
    assert all(one > other for one, other in zip(line, fill, strict=True) if other < 1)


def test_maps_that_go_up_and_down_are_thin():
    y, p = noisy(600)
    assert draw(y, p, family=fot.families.KNN(3), interval=None, band=None).line_.get_linewidth() == THIN_WIDTH
    assert draw(y, p, family="isotonic", interval=None, band=None).line_.get_linewidth() == MAP_WIDTH


@pytest.mark.exhaustive
def test_panels_have_bands_and_one_legend_in_a_free_place():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(7), 400)
    y = (P.cumsum(axis=1) > rng.random((400, 1))).argmax(axis=1)
    several = fot.ReliabilityDisplay.from_predictions(y, P, reduction="classwise", ax=Figure(layout="constrained"))
    assert all(display.band is not None for display in several.displays.values())
    several.plot(blank(several.size)).figure_.draw_without_rendering()
    boxes = [ax.get_tightbbox() for ax in several.axes_.values()] + [several.legend_.get_window_extent()]
    for k, one in enumerate(boxes):
        assert not any(one.overlaps(other) for other in boxes[:k])
    last = [*several.axes_.values()][-1].get_window_extent()
    assert boxes[-1].x0 > last.x1  # right of the last panel, in its row
    assert last.y0 - 100 < boxes[-1].y0 < boxes[-1].y1 < last.y1


def test_no_logit_scale_is_advised_where_most_scores_would_have_no_place_on_it():
    scores = np.concatenate((np.full(70, 1 - 1e-9), np.full(25, 0.995), np.linspace(0.1, 0.9, 5)))
    sample = fot.ScoreSample(np.arange(100) % 2, scores)
    assert name_scale("auto", [sample]) == "probability"
    assert advise_logit(choose_scale("auto", sample), sample) is None
    shown = fot.ScoreSample(np.arange(100) % 2, np.where(scores > 0.999, 0.995, scores))
    assert "scale='logit'" in advise_logit(choose_scale("probability", shown), shown)


@pytest.mark.exhaustive
def test_panels_of_classes_show_the_spline_among_the_families_of_an_evaluation():
    rng = np.random.default_rng(0)
    scores = rng.dirichlet([1.0, 1.0, 1.0], 300)
    y = (scores.cumsum(axis=1) > rng.random((300, 1))).argmax(axis=1)
    drawn = fot.evaluate(y, scores, reduction="classwise", families=[fot.Slope1(5), "spline"], interval=None).diagrams()
    assert {display.error.measure.name for display in drawn.displays.values()} == {"spline"}
    drawn = fot.evaluate(y, scores, reduction="classwise", families=["isotonic"], interval=None).diagrams()
    assert {display.error.measure.name for display in drawn.displays.values()} == {"isotonic"}


def test_the_legend_of_panels_explains_scores_that_many_rows_share():
    rng = np.random.default_rng(0)
    scores = np.concatenate((np.ones(200), rng.uniform(0.1, 0.9, 200)))
    y = (rng.random(400) < 0.8 * scores).astype(int)
    drawn = fot.evaluate(y, scores, families=["spline", "isotonic"], interval=None).plot(figure=Figure())
    assert any(display.atoms_ is not None for display in drawn.displays.values())
    assert ATOM_LABEL in [text.get_text() for text in drawn.legend_.get_texts()]


@pytest.mark.parametrize("width", [3.2, 4.0, 5.2])
def test_the_legend_of_a_narrow_figure_is_not_cut_off(width):
    figure = Figure(figsize=(width, 6.4), layout="constrained")
    display = draw(*noisy(400), ax=figure, name="a name of a model that is quite long")
    figure.draw_without_rendering()
    legend = display.legend_.get_window_extent()
    assert figure.bbox.x0 <= legend.x0
    assert legend.x1 <= figure.bbox.x1
    assert legend.y0 >= figure.bbox.y0


def test_panels_share_the_logit_scale_only_where_each_shows_most_of_its_rows():
    rng = np.random.default_rng(0)
    hidden, shown = (fot.ScoreSample(rng.integers(0, 2, 100), np.full(100, p)) for p in (1 - 1e-9, 0.99))
    assert name_scale("auto", [shown]) == name_scale("auto", [shown, shown]) == "logit"
    assert name_scale("auto", [shown, shown, shown, hidden]) == "probability"
