"""The test-based reliability diagram: its panels are the table of the TCE."""

import numpy as np
import pytest
from hypothesis import given, settings
from matplotlib.colors import to_rgba

import fitontest as fot
from tests.displays.figures import blank, pixels, plain
from tests.strategies import WHOLE_WEIGHTS, noisy, samples

pytestmark = pytest.mark.multiplies


def draw(y, p, **options):
    drawn = {option: options.pop(option) for option in ("scale", "name") if option in options}
    ax = options.pop("ax", None) or blank()
    return fot.tce(y, p, **{"null_draws": 0, **options}).plot(ax, **drawn)


@pytest.mark.parametrize(
    "partition", [*fot.partitions.names("two"), fot.families.FamilyBins("pl3"), [0.2, 0.7]], ids=str
)
def test_panels_are_the_table(partition):
    y, p = noisy(700, ties=3)
    error = fot.tce(y, p, partition=partition, null_draws=0)
    for scale in ("probability", "logit"):
        display = fot.displays.TCEDisplay(error, fot.ScoreSample(y, p), scale=scale).plot(plain())
        check_panels(display, error)
    display.figure_.draw_without_rendering()


@pytest.mark.parametrize("scale", ["probability", "logit"])
def test_the_picture_of_the_scores(scale):
    y, p = noisy(700, ties=3)
    display = draw(y, p, scale=scale)
    assert float(display.error) == float(fot.tce(y, p))
    assert pixels(display.figure_)[..., :3].std() > 0.05


def check_panels(display, error):
    rows = error.rows()
    assert display.sizes_.get_data().values[::2].tolist() == [row["n"] for row in rows]
    assert display.rejected_sizes_.get_data().values[::2].tolist() == [row["rejected"] for row in rows]
    red = sum(display.rejected_sizes_.get_data().values)
    assert red / 700 == pytest.approx(float(error))
    lines = display.lines_.get_ydata()[::3].tolist()
    assert lines == [row["empirical_probability"] for row in rows if row["n"]]
    assert display.counts_.get_data().values.sum() == 700
    assert [row["bin"] for row in display.rows("bins")] == list(range(1, error.n_bins + 1))
    assert f"TCE {100 * float(error):#.3g}".rstrip(".") in display.ax_.get_title(loc="left")


@pytest.mark.exhaustive
@given(samples(weights=WHOLE_WEIGHTS))
@settings(max_examples=40)
def test_violins_hold_every_prediction_and_every_rejection(sample):
    y, p, w = sample
    drawn = fot.ScoreSample(y, p, w)
    display = fot.displays.TCEDisplay(
        fot.measures.make("tce", partition="equal_width", n_bins=4).estimate(drawn), drawn
    )
    cells = display.to_frame(part="violins").groupby("bin")[["weight", "rejected"]].sum()
    occupied = [row for row in display.rows("bins") if row["n"]]
    assert cells.index.tolist() == [row["bin"] for row in occupied]
    assert cells["weight"].tolist() == [row["weight"] for row in occupied]
    assert cells["rejected"].tolist() == [row["rejected"] for row in occupied]
    assert display.to_frame(part="histogram")["weight"].sum() == w.sum()


def test_violins_span_the_predictions_of_their_bin():
    y, p = noisy(800, seed=4)
    display = draw(y, p, partition="equal_mass", n_bins=5)
    at = display.partition_.locate(p)
    for b, violin in enumerate(display.violins):
        assert violin.lower[0] <= p[at == b].min() < violin.upper[0]
        assert violin.lower[-1] <= p[at == b].max() <= violin.upper[-1]
        assert violin.width.max() == 1
        outline = display.violins_.get_paths()[b].vertices
        assert outline[:, 0].max() - (b + 1) == pytest.approx((b + 1) - outline[:, 0].min())
    rejected = display.error.rejects(p)
    for b, violin in enumerate(display.violins):  # what is hatched is what is rejected
        hatched = np.zeros(p.size, dtype=bool)
        for low, high in violin.spans:
            hatched |= (low <= p) & (p <= high)
        np.testing.assert_array_equal(hatched[at == b], rejected[at == b])


def test_violins_are_cut_off_at_the_limits_of_acceptance():
    rng = np.random.default_rng(1)
    p = rng.uniform(0.1, 0.9, 400)
    display = draw(rng.random(400) < 0.5, p, partition=[0.5])
    error = display.error
    spans = display.rows("rejected")
    assert [span["bin"] for span in spans] == [1, 2]
    (low, high) = (display.violins[k].spans[0] for k in (0, 1))
    for limit, inward in ((low[1], 1), (high[0], -1)):  # the test changes its mind there
        assert error.rejects([limit - inward * 1e-7]).item()
        assert not error.rejects([limit + inward * 1e-7]).item()
    for b, path in enumerate(display.rejected_.get_paths()):
        x, height = path.vertices.T
        widest, violin = display.violins_.get_paths()[b].vertices.T
        end = (low[1], high[0])[b]
        assert (height.max(), height.min())[b] == end
        inside = np.abs(violin - end) < 0.006  # the cell of the violin there
        assert np.ptp(x[height == end]) == pytest.approx(np.ptp(widest[inside]), rel=0.1)  # as wide as the violin


def test_bins_that_are_wholly_rejected_are_shaded():
    p = np.repeat([0.02, 0.5, 0.97], 200)
    y = np.concatenate((np.arange(200) < 40, np.arange(200) < 100, np.arange(200) < 150))
    display = draw(y, p, partition=[0.3, 0.7])
    shaded = [path.vertices[:, 0].mean() for path in display.columns_.get_paths()]
    spans = [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in display.columns_.get_paths()]
    assert len(shaded) == 2
    assert spans == [(0.5, 1.5), (2.5, 3.5)]
    assert [text.get_text() for text in display.ax_.get_legend().get_texts()][-1] == "bin wholly\nrejected"
    assert all(violin.lower[0] in violin.spans for violin in display.violins if violin.wholly_rejected)
    calibrated = draw(np.arange(200) < 100, np.full(200, 0.5), partition=[0.3])
    assert calibrated.columns_.get_paths() == []
    assert len(calibrated.ax_.get_legend().get_texts()) == 2
    assert "rejected" not in calibrated.parts()


def test_the_second_line_says_how_many_rows_there_are_and_how_many_are_beyond_the_axis():
    p = np.linspace(0.01, 0.99, 100)
    error = fot.tce(p > 0.4, p, null_draws=0)
    display = error.plot(blank(), scale="probability", limits=(0.1, 1.0))
    below = f"{100 * np.mean(p < 0.1):.2g} % of the rows below the axis"
    assert display.second_.get_text().replace("\n", " ").endswith(f"n = 100, {below}")
    assert "rows" not in error.plot(blank(), scale="probability").second_.get_text()


def test_empty_bins_have_no_violin():
    y, p = [0, 1, 0, 1], [0.1, 0.15, 0.8, 0.9]
    display = draw(y, p, partition="equal_width", n_bins=10)
    assert [violin.bin + 1 for violin in display.violins] == [2, 9, 10]
    assert display.lines_.get_xdata()[::3].round().tolist() == [2, 9, 10]
    assert display.sizes_.get_data().values[::2].tolist() == [0, 2, 0, 0, 0, 0, 0, 0, 1, 1]


def test_the_legend_explains_line_and_hatching():
    main, *_ = draw(*noisy(300)).axes_
    line, patch = main.get_legend().legend_handles
    assert to_rgba(line.get_color()) == to_rgba(patch.get_edgecolor())
    assert patch.get_hatch()


def test_panels_share_their_axes():
    display = draw(*noisy(300))
    main, sizes, histogram = display.axes_
    assert main.get_shared_x_axes().joined(main, sizes)
    assert main.get_shared_y_axes().joined(main, histogram)


def test_the_title_tells_what_to_expect():
    y, p = noisy(300)
    display = draw(y, p, null_draws=9, name="mine")
    title = display.ax_.get_title(loc="left")
    assert title.startswith("mine: TCE ")
    assert f"if calibrated {display.error.measure.printed(display.error.null.mean)} (p = " in display.second_.get_text()
    assert "\n" not in title


def test_refusals():
    y, p = noisy(60)
    with pytest.raises(ValueError, match="error must be one that tce returns, a share of the predictions"):
        fot.displays.TCEDisplay(fot.gce(y, p), fot.ScoreSample(y, p))
    display = draw(y, p)
    for other in (display, fot.ReliabilityDisplay.from_predictions(y, p, ax=blank())):
        with pytest.raises(ValueError, match="ax must be axes that hold no diagram yet"):
            draw(y, p, ax=other.ax_)
    with pytest.raises(
        ValueError, match="error must be one that tce returns"
    ):  # a fraction, and the largest of the bins
        fot.displays.TCEDisplay(fot.gce(y, p, loss="rejection", partition="pava_bc", norm="max"), fot.ScoreSample(y, p))
    with pytest.raises(ValueError, match="sample_weight"):
        draw(y, p, sample_weight=np.full(60, 0.5))


@pytest.mark.parametrize(("y", "p"), [([1], [0.3]), ([0, 0], [0.0, 1.0]), ([0, 1, 1], [1.0, 1.0, 1.0])])
@pytest.mark.parametrize("scale", ["probability", "logit"])
@pytest.mark.filterwarnings("ignore:.*all scores are")
def test_few_and_extreme_scores(y, p, scale):
    display = draw(y, p, partition="equal_width", n_bins=2, scale=scale, ax=plain())
    display.figure_.draw_without_rendering()
    assert display.counts.sum() == len(y)
