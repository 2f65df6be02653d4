"""Scales and ticks: probabilities are where they belong, and their texts do not touch."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.displays.logit_ticks import choose_ticks, format_probability
from fitontest.displays.scales import EPS, Scale, choose_scale, make_scale
from tests.displays.figures import blank
from tests.strategies import SCORES, noisy

LOGITS = st.tuples(st.floats(-16, 16), st.floats(0.01, 30)).map(lambda z: (z[0], min(z[0] + z[1], 16.1)))


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (0.5, "0.5"),
        (0.001, "0.001"),
        (0.999, "0.999"),
        (1e-5, "1e\N{MINUS SIGN}5"),
        (2e-5, "2e\N{MINUS SIGN}5"),
        (1.35e-5, "1.35e\N{MINUS SIGN}5"),
        (1 - 1e-5, "1\N{MINUS SIGN}1e\N{MINUS SIGN}5"),
    ],
)
def test_texts(p, text):
    assert format_probability(p) == text


@given(LOGITS.filter(lambda z: z[1] - z[0] > 0.01), st.floats(0.05, 0.4))
def test_ticks_have_room(z, room):
    lower, upper = (1 / (1 + np.exp(-one)) for one in z)
    ticks = choose_ticks(lower, upper, room)
    assert len(ticks) >= 2
    assert lower - 1e-12 <= ticks[0]
    assert ticks[-1] <= upper + 1e-12
    for p in ticks:  # what is written is what is meant, and no two texts are the same
        text = format_probability(p).replace("\N{MINUS SIGN}", "-")
        written = 1 - float(text[2:]) if text.startswith("1-") else float(text)
        assert written == pytest.approx(p, rel=1e-3)
        assert 1 - written == pytest.approx(1 - p, rel=1e-3)
    assert len({format_probability(p) for p in ticks}) == len(ticks)
    place = np.log(ticks) - np.log1p(-np.array(ticks))
    if len(ticks) > 3:
        assert np.diff(place).min() >= (room - 1e-9) * (z[1] - z[0])


def test_ticks_are_no_less_round_than_need_be():
    assert choose_ticks(1e-7, 1 - 1e-7, 0.07) == pytest.approx(
        [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.5, 0.99, 0.999, 1 - 1e-4, 1 - 1e-5, 1 - 1e-6, 1 - 1e-7], rel=1e-9
    )
    assert choose_ticks(0.05, 0.6, 0.2) == [0.05, 0.1, 0.2, 0.5]
    assert choose_ticks(0.3, 0.35, 0.2) == pytest.approx([0.3048, 0.3245, 0.3448])  # nothing rounder fits


def test_rare_events_have_round_ticks():
    rng = np.random.default_rng(0)
    p = 10 ** rng.uniform(-5, -1, 2000)
    display = fot.ReliabilityDisplay.from_predictions(rng.random(2000) < p, p, family="beta", scale="logit", ax=blank())
    display.figure_.draw_without_rendering()
    texts = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert {"0.001", "0.01"} <= set(texts)
    boxes = [tick.get_window_extent() for tick in display.ax_.get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


@given(st.lists(SCORES, min_size=1, max_size=20), st.sampled_from(["probability", "logit"]))
def test_cells_hold_every_score_and_end_with_the_axis(p, name):
    sample = fot.ScoreSample([1] * len(p), p)
    scale = choose_scale(name, sample)
    cells = scale.cells(20)
    assert cells.summarise(sample).n.sum() == len(p)
    ends = scale.ends(cells)
    assert np.all(np.diff(ends) > 0)
    assert ends[0] == max(scale.lower, 0)
    assert ends[-1] == min(scale.upper, 1)
    if name == "logit":
        assert EPS <= scale.lower < scale.upper <= 1 - EPS
        finite = [score for score in p if 0 < score < 1]  # the logits of the others are infinite
        shown = np.clip(finite or p, EPS, 1 - EPS)
        assert scale.lower <= shown.min()
        assert shown.max() <= scale.upper


def test_places_along_the_axis():
    np.testing.assert_allclose(Scale("probability", 0.0, 1.0).at(np.array([0.0, 0.25, 1.0])), [0, 0.25, 1])
    np.testing.assert_allclose(Scale("logit", 0.01, 0.99).at(np.array([0.01, 0.5, 0.99])), [0, 0.5, 1])
    np.testing.assert_allclose(make_scale("logit", (0.1, 0.9)).grid(3), [0.1, 0.5, 0.9])


def test_the_ticks_of_the_axes_are_chosen_as_they_are_drawn():
    display = fot.ReliabilityDisplay.from_predictions(*noisy(200), scale="logit", ax=blank())
    display.ax_.set_xlim(1e-6, 1 - 1e-6)
    display.figure_.draw_without_rendering()
    texts = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert any(text.startswith("1e") for text in texts)
