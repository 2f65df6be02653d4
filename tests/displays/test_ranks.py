"""The bump chart of ranks: that it shows the ranks of the values, and what it refuses."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

import fitontest as fot
from fitontest.displays.ranks import rank_curves
from tests.displays.figures import blank, pixels

MODELS = ("beta", "vector scaling", "Platt", "PL3", "scaling-binning", "isotonic")


def values(evaluators=5, seed=0, decimals=8):
    rng = np.random.default_rng(seed)
    return {f"evaluator {i}": {m: round(rng.random(), decimals) for m in MODELS} for i in range(evaluators)}


@pytest.mark.parametrize("largest_first", [False, True])
@pytest.mark.parametrize("decimals", [8, 1], ids=["distinct", "tied"])
def test_ranks_are_those_of_scipy(largest_first, decimals):
    table = values(decimals=decimals)
    frame = rank_curves(table, largest_first=largest_first).to_frame(part="ranks")
    for name, column in table.items():
        numbers = np.array([column[m] for m in MODELS])
        expected = rankdata(-numbers if largest_first else numbers).tolist()
        assert frame.loc[frame["evaluator"] == name, "rank"].tolist() == expected
    assert frame["value"].tolist() == [column[m] for column in table.values() for m in MODELS]


def test_a_line_for_each_model_at_its_ranks():
    display = rank_curves(values())
    display.plot(blank(display.size))
    assert [*display.artists_] == list(MODELS)
    rows = display.rows("ranks")
    for model, drawn in display.artists_.items():
        assert drawn["line"].get_ydata().tolist() == [row["rank"] for row in rows if row["model"] == model]
    low, high = display.ax_.get_ylim()
    assert low > high  # rank 1 is at the top
    last = sorted((row for row in rows if row["evaluator"] == rows[-1]["evaluator"]), key=lambda row: row["rank"])
    heights = {text.get_text(): text.xy[1] for text in display.ax_.texts if text.get_text() in MODELS}
    assert sorted(heights, key=lambda name: -heights[name]) == [row["model"] for row in last]


def test_the_title_says_whether_evaluators_agree_on_the_first():
    alike = rank_curves({"e": {"a": 0.1, "b": 0.2}, "f": {"a": 3, "b": 4}})
    assert alike.title == "All evaluators rank a first"
    for other in ({"a": 4, "b": 3}, {"a": 3, "b": 3}):
        chart = rank_curves({"e": {"a": 0.1, "b": 0.2}, "f": other})
        assert chart.title == "No model is ranked first by all evaluators"


def test_models_of_one_rank_are_all_seen():
    display = rank_curves({"one": dict.fromkeys(MODELS, 0.1), "two": dict.fromkeys(MODELS, 0.2)}).plot(blank())
    heights = [float(drawn["line"].get_ydata()[0]) for drawn in display.artists_.values()]
    assert len(set(heights)) == len(MODELS)
    assert np.mean(heights) == pytest.approx(3.5)
    assert np.ptp(heights) < 1


@pytest.mark.parametrize("decimals", [8, 0], ids=["distinct", "tied"])
def test_nothing_overlaps(decimals):
    display = rank_curves(values(evaluators=9, decimals=decimals))
    display.plot(blank(display.size))
    figure = display.figure_
    figure.draw_without_rendering()
    names = [text.get_window_extent() for text in display.ax_.texts if text.get_text() in MODELS]
    names.sort(key=lambda box: box.y0)
    assert all(one.y1 <= other.y0 + 2 for one, other in pairwise(names))
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in names)
    assert all(text.get_window_extent().y0 >= figure.bbox.y0 for text in display.ax_.get_xticklabels())
    assert pixels(figure)[..., :3].std() > 0.05


def test_a_frame_is_read_like_a_dict():
    table = values()
    assert rank_curves(pd.DataFrame(table)).rows("ranks") == rank_curves(table).rows("ranks")


def test_the_file_is_the_same_every_time(tmp_path):
    one = rank_curves(values()).save(tmp_path / "a.svg").read_bytes()
    assert one == rank_curves(values()).save(tmp_path / "b.svg").read_bytes()


def evaluated(**options):
    rng = np.random.default_rng(1)
    c = rng.random(300)
    models = {"calibrated": c, "squared": c**2, "half": c / 2}
    return fot.evaluate(rng.random(300) < c, models, families=["beta", "isotonic"], **options)


@pytest.mark.parametrize(("interval", "key"), [(None, "value"), ("always", "debiased")])
def test_an_evaluation_is_ranked_by_the_number_that_it_quotes(interval, key):
    found = evaluated(interval=interval)
    display = found.plot_ranks(blank())
    expected = {(row["measure"], row["model"]): row[key] for row in found.rows()}
    drawn = {(row["evaluator"], row["model"]): row["value"] for row in display.parts()["ranks"]}
    assert drawn == expected


def test_refusals():
    two = {"a": 0.1, "b": 0.2}
    for frame, words in (
        (pd.DataFrame({"e": [0.1, 0.2, 0.3]}, index=["a", "a", "b"]), "data frame whose index differ, got 'a' twice"),
        (pd.DataFrame([[0.1, 0.2], [0.3, 0.4]], columns=["e", "e"]), "data frame whose columns differ, got 'e' twice"),
        ({"e": {1: 0.1, "1": 0.2}}, "values must have models that differ as texts, got '1' twice"),
    ):
        with pytest.raises(ValueError, match=words):
            rank_curves(frame)
    for wrong, words in (
        ([1, 2], "values must be a dict of dicts"),
        ({"e": [1, 2]}, "values must be a dict of dicts"),
        ({}, "values must have at least one evaluator, got none"),
        ({"e": {"a": 1}}, "values must have at least two models, got .'a'."),
        ({"e": two, "f": {"a": 1, "c": 2}}, "same models for each evaluator, got .'a', 'c'. for 'f'"),
        ({"e": {**two, "b": np.nan}}, "values must be finite numbers, got nan for 'b' by 'e'"),
        ({"e": {**two, "b": "much"}}, "values must be finite numbers, got 'much' for 'b' by 'e'"),
    ):
        with pytest.raises(ValueError, match=words):
            rank_curves(wrong)
    y, p = [0, 1, 1, 0, 1], [0.2, 0.6, 0.3, 0.4, 0.7]
    others = fot.evaluate(y, {"a": p, "b": p}, measures=["brier"], interval=None)
    with pytest.raises(ValueError, match="there are other measures alone"):
        others.plot_ranks()
    single = fot.evaluate(y, {"a": p}, families=["isotonic"], interval=None)
    with pytest.raises(ValueError, match="at least two models"):
        single.plot_ranks()
    classes = np.random.default_rng(0).dirichlet([1, 1, 1], 30)
    several = fot.evaluate(np.arange(30) % 3, {"a": classes, "b": classes}, reduction="canonical", interval=None)
    with pytest.raises(ValueError, match="reduction='confidence'"):
        several.plot_ranks()
    with pytest.raises(ValueError, match="part must be"):
        rank_curves({"e": two}).rows("other")
