"""Dot plots: what each dot says of the tolerance, the order of the rows, and the columns beside them."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex

import fitontest as fot
from fitontest.displays.comparison import ComparisonDisplay, Dot
from fitontest.displays.palette import FILL, GAP
from fitontest.displays.ratio_dots import ratio_display
from tests.displays.figures import blank, pixels

ROWS = [
    Dot("web", 1.01, 0.95, 1.06, {"O:E": "1.01", "rows": "109,923"}),
    Dot("phone", 1.40, 1.28, 1.53, {"O:E": "1.40", "rows": "30,048"}),
    Dot("shop", 1.10, 1.02, 1.18, {"O:E": "1.10", "rows": "60,029"}),
    Dot("all rows", 1.09, 1.05, 1.13, {"O:E": "1.09", "rows": "200,000"}, is_whole=True),
]
RATIO = {"label": "O:E", "reference": 1.0, "tolerance": (0.9, 1.1), "is_ratio": True}


def names(display):
    return [label.get_text() for label in display.ax_.get_yticklabels()]


def dots_of(ax):
    return [line for line in ax.lines if line.get_marker() == "o"]


def test_dots_tell_within_outside_and_open():
    display = ComparisonDisplay(ROWS, **RATIO).plot(blank())
    assert names(display) == ["phone", "shop", "web", "all rows"]
    assert [row["state"] for row in display.rows("dots")] == ["outside", "open", "within", "open"]
    faces = [to_hex(dot.get_markerfacecolor()) for dot in dots_of(display.ax_)]
    assert faces == [GAP, "#ffffff", FILL, "#ffffff"]
    assert {to_hex(dot.get_color()) for dot in dots_of(display.ax_)} == {GAP, FILL}
    assert display.ax_.get_yticklabels()[-1].get_fontweight() == "bold"
    assert display.ax_.get_xscale() == "log"
    assert Dot("x", 1.0).state((0.9, 1.1)) == "open"
    assert Dot("x", 5.0, 4.0, 6.0).state(None) == "within"


def test_dates_and_ordered_rows_keep_their_order():
    months = [Dot(f"2024-{k:02}", 1.0 + k / 10, 0.9 + k / 10, 1.1 + k / 10) for k in range(1, 6)]
    assert names(ComparisonDisplay(months).plot(blank())) == [f"2024-{k:02}" for k in range(1, 6)]
    assert names(ComparisonDisplay(ROWS[:3], keep_order=True).plot(blank())) == ["web", "phone", "shop"]


def test_of_many_rows_the_farthest_are_drawn():
    many = [Dot(f"s{k}", 1 + k / 100, 1 + k / 100 - 0.05, 1 + k / 100 + 0.05) for k in range(-60, 60)]
    display = ComparisonDisplay([*many, ROWS[-1]], **RATIO)
    assert len(display.dots) == 21
    assert display.second == "20 of 120 shown"
    assert {dot.name for dot in display.dots[:-1]} <= {f"s{k}" for k in (*range(-60, -20), *range(50, 60))}


@pytest.mark.parametrize("figure", ["blank", None])
def test_all_of_it_is_on_the_figure(figure):
    display = ComparisonDisplay(ROWS, title="phone: 40 % more", second="grey: tolerance", **RATIO)
    display.plot(blank(display.size) if figure else None)
    plt.close(display.figure_)
    display.figure_.draw_without_rendering()
    whole = display.figure_.bbox
    for text in [*display.ax_.texts, *display.ax_.get_yticklabels(), display.ax_.title]:
        box = text.get_window_extent()
        assert whole.x0 - 1 <= box.x0
        assert box.x1 <= whole.x1 + 1
    assert {"109,923", "rows", "1.40"} <= {text.get_text() for text in display.ax_.texts}


def test_no_rows_are_refused():
    with pytest.raises(ValueError, match="dots must hold at least one row, got none"):
        ComparisonDisplay([])


def grouped():
    rng = np.random.default_rng(0)
    p, site = rng.beta(2, 6, 6000), rng.choice(["a", "b", "c"], 6000)
    return rng.random(6000) < np.where(site == "b", 1.5 * p, p).clip(0, 1), p, site


def test_segments_are_drawn_by_observed_over_expected():
    y, p, site = grouped()
    evaluation = fot.evaluate(y, p, by=site, families=["beta"], interval=None)
    display = evaluation.plot(ax=blank())
    rows = {row["name"]: row for row in display.rows("dots")}
    assert [*rows] == ["b", *sorted("ac", key=lambda name: -rows[name]["value"]), "all rows"]
    for name in "abc":
        own = site == name
        ratio = fot.measure(y[own], p[own], "observed_expected")
        assert rows[name]["value"] == pytest.approx(float(ratio))
        low, high = ratio.evidence.ends(0.95)
        assert (rows[name]["low"], rows[name]["high"]) == (pytest.approx(low), pytest.approx(high))
        assert rows[name]["rows"] == f"{own.sum():,}"
        assert rows[name]["events"] == f"{y[own].sum():,}"
    assert rows["b"]["state"] == "outside"
    assert display.title.startswith("b: ")
    assert "% more events than predicted" in display.title
    assert "of each by itself" in display.second
    wider = fot.evaluate(y, p, by=site, families=["beta"], interval=None, tolerance=0.9).dots()
    assert wider.title == "None of 3 shown outside \N{PLUS-MINUS SIGN}90 %"
    panels = evaluation.plot(segments=["b"], ax=blank((9, 5)))
    assert [*panels.diagrams] == ["b", "all rows"]


def test_of_many_segments_intervals_hold_together():
    rng = np.random.default_rng(0)
    p = rng.random(2500)
    parts = [(f"s{k}", fot.ScoreSample(rng.random(100) < p[:100], p[:100])) for k in range(25)]
    together, alone = ratio_display(parts), ratio_display(parts[:3])
    assert "hold for all 25 together" in together.second
    wide, narrow = ({dot.name: dot.high - dot.low for dot in one.dots}["s0"] for one in (together, alone))
    assert wide > 1.2 * narrow
    assert together.title == "None of 25 shown outside \N{PLUS-MINUS SIGN}10 %"


def test_groups_are_dots_too():
    y, p, site = grouped()
    display = fot.evaluate(fot.read(y, p, groups=site), families=["beta"], interval=None).plot_groups(blank())
    assert {dot.name for dot in display.dots} == {"a", "b", "c", "all rows"}
    with pytest.raises(ValueError, match="groups must be named for a diagram of groups"):
        fot.evaluate(y, p, families=["beta"], interval=None).plot_groups()


def test_calibrators_are_dots_from_the_best_on():
    y, p, _ = grouped()
    comparison = fot.compare_calibrators(y[:900], p[:900], families=["platt", "beta"], evaluators=["flat"], cv=5)
    display = comparison.plot(blank())
    rows = display.rows("dots")
    assert rows[0]["value"] == 0
    assert [row["value"] for row in rows] == sorted(row["value"] for row in rows)
    assert sum(row["name"].endswith("(chosen)") for row in rows) == 1
    by_name = {row["name"].removesuffix(" (chosen)"): row for row in rows}
    for record in comparison.rows():
        own = by_name[record["family"]]
        assert own["high"] - own["value"] == pytest.approx(1.959964 * record["to_best_se"])
        assert own["error left"] == f"{record['error_flat']:.3f}"


def test_errors_of_two_models_are_dots_with_the_difference_last():
    y, p, _ = grouped()
    compared = fot.compare_errors(y[:900], p[:900], p[:900] ** 2, family=fot.Slope1(5))
    display = compared.plot(blank())
    assert names(display)[:2] == ["p1", "p2"]
    assert display.dots[-1].is_whole
    assert display.dots[-1].value == pytest.approx(compared.difference)
    assert "p-value" in display.second
    assert pixels(display.figure_)[..., :3].std() > 0.02


def test_on_dark_ground_lines_are_lighter():
    light = dots_of(ComparisonDisplay(ROWS, **RATIO).plot(blank()).ax_)
    with plt.style.context("dark_background"):
        dark = dots_of(ComparisonDisplay(ROWS, **RATIO).plot(blank()).ax_)
    for one, other in zip(light, dark, strict=True):
        assert sum(int(to_hex(other.get_color())[k : k + 2], 16) for k in (1, 3, 5)) > sum(
            int(to_hex(one.get_color())[k : k + 2], 16) for k in (1, 3, 5)
        )
