"""Several diagrams in one figure."""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

import fitontest as fot
from fitontest.results.text import debiased_and_raw, short
from tests.displays.figures import blank
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies


@pytest.fixture(scope="module")
def evaluation():
    return fot.evaluate(*noisy(500, ties=2), families="all", interval=None)


@pytest.mark.exhaustive
@pytest.mark.parametrize("scale", ["probability", "logit"])
def test_evaluation_draws_every_family_on_the_same_axes(scale, evaluation, monkeypatch):
    monkeypatch.setattr(fot.ReliabilityDisplay, "add_band", lambda *_, **__: None)  # which are tested by themselves
    several = evaluation.plot(scale=scale, figure=blank((12, 14)))
    drawn = [error.family for error in evaluation if error.family != "identity"]  # whose diagram is the diagonal
    assert [*several.axes_] == drawn
    assert len({ax.get_xlim() for ax in several.axes_.values()}) == 1
    assert len({ax.get_ylim() for ax in several.axes_.values()}) == 1
    for family, display in several.displays.items():
        assert display.error is evaluation[family]
        title = several.axes_[family].get_title()
        assert title.startswith(family)
        assert f"{float(evaluation[family]):#.3g}".rstrip(".") in title
    frame = several.to_frame(part="bins")
    kept = frame[frame["n"] > 0]
    errors = (kept["share"] * kept["mean_gap"]).groupby(kept["panel"]).sum()
    for family in drawn:
        assert errors[family] == pytest.approx(float(evaluation[family]))


@pytest.mark.exhaustive
def test_panels_do_not_overlap(evaluation):
    some = evaluation.only(["slope1", "flat", "isotonic", "beta", "knn"])
    again = some.only(["beta"]).diagrams().displays["beta"]
    several = fot.displays.SmallMultiples({**some.diagrams().displays, "beta again": again})
    several.plot(blank((9, 9)))  # two rows
    several.figure_.draw_without_rendering()
    boxes = [ax.get_tightbbox() for ax in several.axes_.values()]
    boxes.append(several.legend_.get_tightbbox())
    for i, one in enumerate(boxes):
        for other in boxes[:i]:
            assert not (one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1)


@pytest.mark.parametrize(
    ("count", "shape"), [(1, (1, 1)), (5, (1, 5)), (6, (2, 3)), (7, (2, 4)), (9, (3, 3)), (10, (2, 5)), (13, (3, 5))]
)
def test_grids_are_balanced(count, shape):
    beta = fot.evaluate(*noisy(50), interval=None, families=["beta"]).diagrams().displays["beta"]
    several = fot.displays.SmallMultiples({str(k): beta for k in range(count)})
    assert several._grid_shape() == shape


def test_no_row_of_a_grid_is_less_than_half_full():
    beta = fot.evaluate(*noisy(50), interval=None, families=["beta"]).diagrams().displays["beta"]
    for n in range(6, 17):
        rows, columns = fot.displays.SmallMultiples({str(k): beta for k in range(n)})._grid_shape()
        assert rows * columns - n <= columns / 2


def test_the_identity_has_a_panel_only_where_it_is_alone():
    y, p = noisy(60)
    evaluation = fot.evaluate(y, p, interval=None, families=["identity", "beta", fot.maps.IdentityMap()])
    assert [*evaluation.diagrams().displays] == ["beta"]
    assert [*evaluation.diagrams("identity").displays] == ["identity"]
    assert [*fot.evaluate(y, p, interval=None, families=["identity"]).diagrams().displays] == ["identity"]


@pytest.mark.exhaustive
def test_a_layout_converges_when_it_is_executed_once(evaluation):
    for scale in ("probability", "logit"):
        display = evaluation.only(["beta", "isotonic", "flat", "slope1"]).diagrams(scale=scale)
        figure = display.plot(blank(display.size)).figure_
        places = []
        for _ in range(2):
            figure.get_layout_engine().execute(figure)
            places.append([ax.get_position(original=True).bounds for ax in display.axes_.values()])
        inches = np.abs(np.subtract(*places)) * np.tile(display.size, 2)
        assert inches.max() < 0.02


def test_the_advice_of_a_logit_scale_is_written_once_per_scores():
    rng = np.random.default_rng(0)
    p = rng.uniform(0, 0.01, 300)
    several = fot.evaluate(rng.random(300) < p, p, families=["platt", "beta"], interval=None).plot(
        scale="probability", figure=blank((7, 5))
    )
    assert [len(display.histogram_ax_.texts) for display in several.displays.values()] == [1, 0]


def test_two_settings_of_a_family_and_a_pyplot_figure():
    y, p = noisy(300)
    several = fot.evaluate(y, p, interval=None, families=[fot.Slope1(5), fot.Slope1(9)]).plot()
    assert plt.gcf() is several.figure_
    plt.close(several.figure_)
    assert [*several.axes_] == ["Slope1(n_bins=5)", "Slope1(n_bins=9)"]


@pytest.mark.exhaustive
def test_titles_with_intervals_fit_into_their_panels(tmp_path):
    y, p = noisy(300)
    families = ["slope1", "isotonic", "platt", "beta"]
    evaluation = fot.evaluate(y, p, families=families, draws=15)
    several = evaluation.diagrams()
    several.save(tmp_path / "a.png", dpi=60)
    assert several.size[1] > fot.evaluate(y, p, interval=None, families=families).diagrams().size[1]
    boxes = []
    for name, ax in several.axes_.items():
        interval = evaluation[name].interval
        ends = f"95 %: {short(interval.low)} to {short(interval.high)}"
        quoted = debiased_and_raw(evaluation[name].debiased, float(evaluation[name]))
        assert f"{quoted}\n{ends}" in ax.get_title()
        boxes.append(ax.title.get_window_extent())
    assert all(one.x1 < other.x0 for one, other in pairwise(boxes))
    assert max(box.y1 for box in boxes) <= several.figure_.bbox.y1
    assert min(box.x0 for box in boxes) >= 0
    assert max(box.x1 for box in boxes) <= several.figure_.bbox.x1


def test_refusals():
    y, p = noisy(50)
    error, sample = fot.calibration_error(y, p, family="beta", interval=None), fot.ScoreSample(y, p)
    with pytest.raises(ValueError, match="displays must hold at least one diagram"):
        fot.displays.SmallMultiples({})
    mixed = {scale: fot.ReliabilityDisplay(error, sample, scale=scale) for scale in ("probability", "logit")}
    with pytest.raises(ValueError, match="displays must all be on one scale"):
        fot.displays.SmallMultiples(mixed)


def test_logit_panels_share_their_histograms():
    y, p = noisy(500)
    evaluation = fot.evaluate(y, p**4 / 50, families=["slope1", "beta", "isotonic"], interval=None)
    several = evaluation.plot(scale="logit", figure=blank())
    first, *others = several.displays.values()
    for other in others:
        assert other.counts.tolist() == first.counts.tolist()
        assert other.scale == first.scale


@pytest.mark.exhaustive
def test_titles():
    y, p = noisy(300)
    families = ["slope1", "slope1", fot.Slope1(10), "beta"]
    several = fot.evaluate(y, p, interval=None, families=families).plot(figure=blank((12, 5)))
    titles = [ax.get_title() for ax in several.axes_.values()]
    assert titles[0].split("\n")[0].startswith("slope1, ")
    assert titles[1].startswith("slope1 (2)\nslope1, ")
    assert titles[2].startswith("Slope1(n_bins=10), 10 bins\nECE raw ")
    alike = fot.evaluate(y, p, interval=None, families=["platt", "pl", "pl", "pl"]).diagrams()
    assert [*alike.displays] == ["platt", "pl", "pl (2)", "pl (3)"]  # platt is no pl
    beta = several.displays["beta"]
    named = fot.displays.SmallMultiples({"b": beta, "beta of mine": beta}).plot(blank())
    assert [ax.get_title().split(": ")[0] for ax in named.axes_.values()] == ["b\nbeta", "beta of mine\nbeta"]
    assert repr(named) == "SmallMultiples(['b', 'beta of mine'])"
    with pytest.raises(ValueError, match="figure must be a Figure or a SubFigure of matplotlib, or None; got 'x'"):
        named.plot("x")


@pytest.mark.parametrize("count", [2, 3])
def test_the_first_picture_is_laid_out(count, tmp_path):
    y, p = noisy(300)
    families = [fot.Slope1(10, "equal_width"), fot.Slope1(9, closed="right"), "beta"][:count]
    several = fot.evaluate(y, p, interval=None, families=families).diagrams()
    several.save(tmp_path / "a.png", dpi=100)
    whole = several.figure_.bbox
    legend = several.legend_.get_window_extent()
    for ax in several.axes_.values():
        assert ax.title.get_window_extent().y1 <= whole.y1 + 1
        assert ax.xaxis.label.get_window_extent().y0 >= legend.y1 - 1


def test_names_with_dollars_are_drawn_as_they_are():
    rng = np.random.default_rng(0)
    p = rng.random(200)
    by = np.where(np.arange(200) % 2, "$50_{x-$100", "$0")
    found = fot.evaluate(rng.random(200) < p, p, by=by, families=["platt"], interval=None)
    figure = Figure()
    found.plot(figure=figure)
    figure.canvas.draw()
    display = fot.ReliabilityDisplay.from_predictions(rng.random(200) < p, p, name="$a_{", ax=Figure())
    display.figure_.canvas.draw()


def test_titles_and_legend_have_room_on_a_figure_without_a_layout(evaluation):
    display = evaluation.only(["beta", "isotonic"]).diagrams(scale="probability").plot(Figure())
    display.figure_.draw_without_rendering()
    figure, legend = display.figure_.bbox, display.legend_.get_window_extent()
    assert legend.x0 >= figure.x0
    assert legend.x1 <= figure.x1
    for panel in display.displays.values():
        assert panel.ax_.title.get_window_extent().y1 <= figure.y1
        assert panel.histogram_ax_.get_tightbbox().y0 >= legend.y1
