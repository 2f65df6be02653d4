"""The band of a new group in a reliability diagram, and the curves of groups side by side."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.special import ndtri

import fitontest as fot
from fitontest.displays.groups import GroupsDisplay
from fitontest.displays.reliability_artists import NEW_GROUP_LABEL, TRUTH_LABEL
from fitontest.uncertainty.dependence import dependence_of
from fitontest.uncertainty.group_maps import group_maps
from fitontest.uncertainty.new_group import rho_at, spread
from tests.displays.figures import blank, pixels, plain

pytestmark = pytest.mark.multiplies

SEVERAL, SIZE = 24, 15


def rows_of_groups(several=SEVERAL, size=SIZE, seed=0):
    """Return labels, scores and groups, whose curves differ."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(several), size)
    p = rng.beta(1, 1, group.size)
    c = p ** np.exp(0.9 * rng.standard_normal(several))[group]
    return (rng.random(group.size) < c).astype(int), p, np.array([f"ward {k}" for k in group])


Y, P, WARD = rows_of_groups()
SAMPLE = fot.read(Y, P, groups=WARD)
ERROR = fot.calibration_error(SAMPLE, family="platt", interval=None)
EVALUATION = fot.evaluate(SAMPLE, families=["platt", "isotonic"], interval=None, null_draws=0)
QUICK = {"family": "platt", "interval": None, "band_draws": 20}


def draw(y=Y, p=P, **options):
    return fot.ReliabilityDisplay.from_predictions(y, p, **{"groups": WARD, "band": "new group", **QUICK, **options})


def test_the_band_of_a_new_group_is_drawn_beside_the_confidence_band():
    display = draw(ax=plain())
    assert (display.band.kind, display.new_group.kind) == ("confidence", "new group")
    assert display.new_group.dependence == dependence_of(SAMPLE)
    parts = display.parts()
    known, new = display.band, display.new_group
    assert [row["x"] for row in parts["band"]] == [row["x"] for row in parts["new_group"]] == known.x.tolist()
    assert [row["new_group_lower"] for row in parts["new_group"]] == new.lower.tolist()
    assert [row["new_group_upper"] for row in parts["new_group"]] == new.upper.tolist()
    middle = (known.x > 0.2) & (known.x < 0.8)
    assert (new.lower < known.lower)[middle].all()
    assert (new.upper > known.upper)[middle].all()
    assert display.band_.get_linestyle() != display.new_group_.get_linestyle()
    texts = [text.get_text().replace("\n", " ") for text in display.legend_.get_texts()]
    assert sum(text.startswith(TRUTH_LABEL) for text in texts) == 1
    (said,) = [text for text in texts if text.startswith(NEW_GROUP_LABEL)]
    assert "90 % at each score (rho 0." in said


def test_it_is_seen():
    without, with_it = blank(), blank()
    draw(ax=without, band="confidence", legend=False)
    draw(ax=with_it, legend=False)
    differ = np.abs(pixels(without) - pixels(with_it)).max(axis=2) > 0.02
    assert differ.mean() > 0.005


def test_another_band_takes_it_away():
    display = draw(ax=plain())
    display.add_band(SAMPLE, kind="consistency", draws=5)
    assert display.new_group is None
    assert display.plot(plain()).new_group_ is None


def test_of_a_given_map_there_is_no_confidence_band():
    display = draw(family=ERROR.map, ax=plain())
    assert display.band is None
    assert display.new_group is not None
    assert "new_group" in display.parts()


def test_it_says_that_no_spread_is_seen():
    rng = np.random.default_rng(5)
    group = np.repeat(np.arange(30), 10)
    for seed in range(20):
        p = rng.random(300)
        y = np.random.default_rng(seed).random(300) < p
        known = dependence_of(fot.read(y, p, groups=group))
        if known.intercept == known.slope == 0.0:
            break
    display = draw(y, p, groups=group, ax=plain())
    np.testing.assert_allclose(display.new_group.upper, display.band.upper, atol=1e-9)
    assert any(
        "no spread over groups is seen" in text.get_text().replace("\n", " ") for text in display.legend_.get_texts()
    )


def test_rows_without_groups_are_refused():
    with pytest.raises(ValueError, match="groups must be given, with several rows in a group, for band='new group'"):
        draw(groups=None)


def test_panels_have_one_entry_of_the_legend():
    scores = {"one": P, "other": P**0.8}
    display = draw(Y, scores, ax=Figure())
    texts = [text.get_text() for text in display.legend_.get_texts()]
    assert sum(text.startswith(NEW_GROUP_LABEL) for text in texts) == 1


def test_groups_have_a_panel_each():
    display = EVALUATION.plot_groups("platt", figure=plain())
    assert isinstance(display, GroupsDisplay)
    assert display.title == "the 20 of 24 groups whose curves lie farthest from the shared map"
    maps = group_maps(ERROR.map, SAMPLE)
    signed, absolute = maps.offsets
    farthest = set(maps.groups.ids[np.argsort(-absolute)[:20]])
    names = [each.name for each in display.curves]
    assert set(names) == farthest
    offsets = dict(zip(maps.groups.ids.tolist(), signed.tolist(), strict=True))
    assert names == sorted(names, key=lambda name: -offsets[name])  # from scores too low to scores too high
    assert [*display.axes_] == ["all groups", *names]
    titles = [ax.get_title() for ax in display.axes_.values()]
    assert titles[0].startswith("all 24 groups, rho 0.")
    first = display.curves[0]
    assert titles[1] == f"{first.name}\nn = 15, shrunk by {100 * first.shrunk:.0f} %"
    assert len(display.axes_["all groups"].collections[0].get_paths()) == 24


def test_the_numbers_of_the_panels():
    display = EVALUATION.plot_groups("platt", groups=["ward 3", "ward 20"], figure=plain())
    assert display.title == "2 of 24 groups"
    maps, parts = group_maps(ERROR.map, SAMPLE), display.parts()
    assert len(parts["groups"]) == 24
    assert {row["n"] for row in parts["groups"]} == {15}
    np.testing.assert_allclose([row["y"] for row in parts["shared"]], ERROR.map.evaluate(display.x), atol=1e-12)
    lower, upper = spread(ERROR.map.evaluate(display.x), rho_at(display.x, SAMPLE, maps.dependence), 0.9)
    np.testing.assert_allclose([row["lower"] for row in parts["shared"]], lower)
    np.testing.assert_allclose([row["upper"] for row in parts["shared"]], upper)
    number = maps.groups.ids.tolist().index("ward 3")
    curve = [row["y"] for row in parts["curves"] if row["group"] == "ward 3"]
    np.testing.assert_allclose(curve, maps.curves(np.array([number]), display.x)[0])
    own = WARD == "ward 3"
    points = [row for row in parts["points"] if row["group"] == "ward 3"]
    assert sum(row["weight"] for row in points) == 15
    assert sum(row["y"] * row["weight"] for row in points) == pytest.approx(Y[own].sum())
    assert sum(row["x"] * row["weight"] for row in points) == pytest.approx(P[own].sum())


def test_the_largest_groups():
    sizes = np.repeat([f"ward {k}" for k in range(13)], [40, 35, 30, 50, *[20] * 9])
    sample = fot.read(Y[: sizes.size], P[: sizes.size], groups=sizes)
    display = fot.evaluate(sample, families=["platt"], interval=None, null_draws=0).plot_groups(
        groups=3, largest=True, figure=plain()
    )
    assert display.title == "the 3 of 13 groups with the most rows"
    assert {each.name for each in display.curves} == {"ward 0", "ward 1", "ward 3"}


@pytest.mark.parametrize("groups", [1, 2, 5, 12])
def test_any_number_of_panels_has_a_place(groups):
    display = EVALUATION.plot_groups(groups=groups, figure=blank((8, 6)))
    assert len(display.axes_) == groups + 1
    pixels(display.figure_)
    boxes = [ax.get_position().bounds for ax in display.axes_.values()]
    assert len(set(boxes)) == groups + 1
    assert all(width > 0.05 and height > 0.05 for _, _, width, height in boxes)


@pytest.mark.parametrize("style", ["default", "dark_background"])
def test_rare_scores_have_logit_axes_and_are_saved(tmp_path, style):
    import matplotlib.pyplot as plt

    y, p, ward = rows_of_groups(several=16, size=40, seed=3)
    with plt.style.context(style):
        evaluation = fot.evaluate(fot.read(y, p / 20, groups=ward), families=["platt"], interval=None, null_draws=0)
        display = evaluation.plot_groups(groups=4, figure=Figure(figsize=(7, 5)))
    assert display.scale.name == "logit"
    assert display.save(tmp_path / "groups.png").stat().st_size > 1000
    assert repr(display) == "GroupsDisplay(16 groups, 4 with a panel)"


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="groups must be given, with several rows in a group, for curves of groups"):
        fot.evaluate(Y, P, families=["platt"], interval=None, null_draws=0).plot_groups()
    with pytest.raises(ValueError, match="groups must be among"):
        EVALUATION.plot_groups(groups=["ward 99"])
    with pytest.raises(ValueError, match="family must be"):
        EVALUATION.plot_groups("beta")
    both = np.stack([1 - P, P], axis=1)
    of_classes = fot.evaluate(
        fot.read(Y, both, reduction="classwise", groups=WARD), families=["platt"], interval=None, null_draws=0
    )
    with pytest.raises(ValueError, match="of several classes"):
        of_classes.plot_groups()
    assert of_classes.classes[1].plot_groups(groups=2, figure=plain()).title.startswith("the 2 of 24 groups")


def test_legends_say_the_groups_and_single_scores_have_ends_only_of_enough_groups():
    rng = np.random.default_rng(0)
    site = np.repeat(np.arange(40), 15)
    p = np.round(rng.uniform(0.1, 0.9, site.size), 1)
    y = (np.sqrt(0.4) * rng.standard_normal(40)[site] + np.sqrt(0.6) * rng.standard_normal(site.size)) < ndtri(p)
    options = {"family": "isotonic", "band": None}
    plain, grouped, few = (
        fot.ReliabilityDisplay.from_predictions(y, p, groups=groups, **options) for groups in (None, site, site % 6)
    )
    widths = [np.subtract(each.single.high, each.single.low) for each in (grouped, plain)]
    assert np.all(widths[0] > widths[1])
    assert all(row["low"] is None for row in few.single.to_records())

    def legend_texts(display):
        return [text.get_text().replace("\n", " ") for text in display.plot(Figure()).legend_.get_texts()]

    assert any("groups: 40 (15 rows each) rho " in text for text in legend_texts(grouped))
    assert any("groups: 6 (90 to 105 rows each, median 105)" in text for text in legend_texts(few))
    assert not any("exact 95 % interval" in text for text in legend_texts(few))
    assert any("exact 95 % interval" in text for text in legend_texts(grouped))
