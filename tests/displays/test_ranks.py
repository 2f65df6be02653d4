"""The bump chart of ranks: that it shows the ranks of the values, and what it refuses."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import rankdata

import fitontest as fot
from fitontest.displays.ranks import RankDisplay
from tests.displays.figures import blank, pixels

MODELS = ("beta", "vector scaling", "Platt", "PL3", "scaling-binning", "isotonic")


def values(evaluators=5, seed=0, decimals=8):
    rng = np.random.default_rng(seed)
    return {f"evaluator {i}": {m: round(rng.random(), decimals) for m in MODELS} for i in range(evaluators)}


@pytest.mark.parametrize("largest_first", [False, True])
@pytest.mark.parametrize("decimals", [8, 1], ids=["distinct", "tied"])
def test_ranks_are_those_of_scipy(largest_first, decimals):
    table = values(decimals=decimals)
    display = RankDisplay(table, largest_first=largest_first)
    for row, column in zip(display.ranks, table.values(), strict=True):
        numbers = np.array([column[m] for m in MODELS])
        assert row.tolist() == rankdata(-numbers if largest_first else numbers).tolist()
    frame = display.to_frame(part="ranks")
    assert frame["value"].tolist() == [column[m] for column in table.values() for m in MODELS]
    assert frame["rank"].tolist() == display.ranks.ravel().tolist()


def test_a_line_for_each_model_at_its_ranks():
    display = RankDisplay(values()).plot(blank(RankDisplay(values()).size))
    lines = {line.get_label(): line for line in display.ax_.lines if not line.get_label().startswith("_")}
    assert list(lines) == list(MODELS)
    for k, line in enumerate(lines.values()):
        assert line.get_ydata().tolist() == display.ranks[:, k].tolist()
    low, high = display.ax_.get_ylim()
    assert low > high  # rank 1 is at the top
    last = [MODELS[k] for k in np.argsort(display.ranks[-1])]
    assert [text.get_text() for text in display.ax_.child_axes[0].get_yticklabels()] == last


def test_models_of_one_rank_are_all_seen():
    display = RankDisplay({"one": dict.fromkeys(MODELS, 0.1), "two": dict.fromkeys(MODELS, 0.2)}).plot(blank())
    heights = [float(line.get_ydata()[0]) for line in display.ax_.lines if not line.get_label().startswith("_")]
    assert len(set(heights)) == len(MODELS)
    assert np.mean(heights) == pytest.approx(3.5)
    assert np.ptp(heights) < 1


def test_nothing_overlaps():
    display = RankDisplay(values(evaluators=9))
    display.plot(blank(display.size))
    figure = display.figure_
    figure.draw_without_rendering()
    names = [text.get_window_extent() for text in display.ax_.child_axes[0].get_yticklabels()]
    assert all(one.y1 <= other.y0 or other.y1 <= one.y0 for one, other in pairwise(names))
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in names)
    assert all(text.get_window_extent().y0 >= figure.bbox.y0 for text in display.ax_.get_xticklabels())
    assert pixels(figure)[..., :3].std() > 0.05


def test_a_frame_is_read_like_a_dict():
    table = values()
    assert (RankDisplay(pd.DataFrame(table)).ranks == RankDisplay(table).ranks).all()


def test_the_file_is_the_same_every_time(tmp_path):
    one = RankDisplay(values()).save(tmp_path / "a.svg").read_bytes()
    assert one == RankDisplay(values()).save(tmp_path / "b.svg").read_bytes()


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
            RankDisplay(frame)
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
            RankDisplay(wrong)
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
        RankDisplay({"e": two}).rows("other")
