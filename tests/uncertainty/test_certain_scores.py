"""Scores of exactly 0 or 1: how many there are, how many of their labels are wrong, and the exact interval."""

import json

import numpy as np
import pytest
from scipy.stats import binomtest

import fitontest as fot
from fitontest.uncertainty.certain_scores import certain_scores


def test_the_numbers_and_the_sentences():
    y = [0] * 995 + [1] * 5 + [0] * 2 + [1] * 498 + [0, 1] * 500
    p = [0.0] * 1000 + [1.0] * 500 + [0.5] * 1000
    zeros, ones = certain_scores(fot.ScoreSample(y, p))
    assert (zeros.score, zeros.rows, zeros.share, zeros.wrong_share) == (0, 1000, 0.4, 0.005)
    assert (ones.score, ones.rows, ones.share, ones.wrong_share) == (1, 500, 0.2, 0.004)
    assert str(zeros) == (
        "40 % of the scores are exactly 0; 0.5 % of those rows are positive (95 % CI 0.16 to 1.2 %), more than "
        "none: no map in logits can use them as they are."
    )
    assert str(ones) == (
        "20 % of the scores are exactly 1; 0.4 % of those rows are negative (95 % CI 0.048 to 1.4 %), more than "
        "none: no map in logits can use them as they are."
    )


def test_what_is_not_refuted():
    (zeros,) = certain_scores(fot.ScoreSample([0] * 200 + [1], [0.0] * 200 + [0.4]), 0.9)
    assert not zeros.refuted
    assert str(zeros) == (
        "more than 99 % of the scores are exactly 0; none of those rows is positive (90 % CI 0 to 1.5 %)."
    )
    assert certain_scores(fot.ScoreSample([0, 1, 1], [0.2, 0.4, 0.4])) == ()


@pytest.mark.parametrize(("wrong", "level"), [(0, 0.95), (1, 0.95), (7, 0.9), (120, 0.99)])
def test_the_interval_is_that_of_the_exact_binomial_test(wrong, level):
    y = np.repeat([1, 0], [wrong, 120 - wrong])
    (zeros,) = certain_scores(fot.ScoreSample([*y, 1, 0], [0.0] * 120 + [0.3, 0.7]), level)
    expected = binomtest(wrong, 120).proportion_ci(level, "exact")
    found = zeros.wrong_interval
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert found.level == level
    assert zeros.refuted == (binomtest(wrong, 120, 0.0, "greater").pvalue < 1e-12)


def test_a_whole_weight_is_the_row_repeated():
    rng = np.random.default_rng(0)
    p = rng.choice([0.0, 0.3, 1.0], 300)
    y, w = (rng.random(300) < 0.1 + 0.8 * p).astype(int), rng.integers(0, 4, 300)
    weighted, repeated = (
        certain_scores(fot.ScoreSample(y, p, w)),
        certain_scores(fot.ScoreSample(np.repeat(y, w), np.repeat(p, w))),
    )
    cells = certain_scores(fot.Cells.of(y, p, w).sample())
    for one, other, third in zip(weighted, repeated, cells, strict=True):
        assert one.to_dict() == other.to_dict()
        assert (third.share, third.wrong_share) == pytest.approx((one.share, one.wrong_share))


def test_importances_count_as_effective_rows():
    """On any scale, and fewer than there are rows."""
    rng = np.random.default_rng(0)
    y, w = (rng.random(400) < 0.05).astype(int), rng.lognormal(0.0, 1.0, 400)
    p = np.repeat([0.0, 0.5], 200)
    (zeros,) = certain_scores(fot.ScoreSample(y, p, w))
    (scaled,) = certain_scores(fot.ScoreSample(y, p, 1e-3 * w))
    inside = w[:200]
    assert zeros.rows == pytest.approx(inside.sum() ** 2 / (inside**2).sum())
    assert zeros.rows < 150
    assert zeros.share == pytest.approx(inside.sum() / w.sum())
    assert zeros.wrong_share == pytest.approx(inside @ y[:200] / inside.sum())
    assert vars(scaled.wrong_interval) == pytest.approx(vars(zeros.wrong_interval))
    assert zeros.wrong_interval.low < zeros.wrong_share < zeros.wrong_interval.high


def test_json():
    (zeros,) = certain_scores(fot.ScoreSample([0] * 9 + [1], [0.0] * 10))
    assert json.loads(json.dumps(zeros.to_dict())) == {
        "score": 0,
        "rows": 10.0,
        "share": 1.0,
        "wrong_share": 0.1,
        "wrong_interval": zeros.wrong_interval.to_dict(),
        "refuted": True,
        "step": 0.0,
        "beyond_rounding": True,
    }
    assert str(zeros).startswith("100 % of the scores are exactly 0; 10 % of")


def test_the_short_line_speaks_of_what_is_judged():
    """Of positives and negatives, or of predictions that are right or wrong."""
    p = [1.0] * 8
    (ones,) = certain_scores(fot.ScoreSample([1] * 6 + [0] * 2, p))
    assert ones.brief == (
        "100 % of the scores are exactly 1, and 25 % of those rows are negative: of calibrated scores none would be."
    )
    confidence = fot.read([0] * 6 + [1] * 2, np.column_stack([p, np.zeros(8)]), reduction="confidence")
    (ones,) = certain_scores(confidence)
    assert ones.brief == (
        "100 % of the confidences are exactly 1, and 25 % of those rows are wrong: of calibrated confidences none "
        "would be."
    )


def test_rounded_scores_are_not_refuted_by_what_rounding_did():
    """Calibrated scores that are rounded to two decimals have positives at 0: a 0 may stand for .005."""
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    y = rng.random(20_000) < p
    zeros, ones = certain_scores(fot.ScoreSample(np.append(y, [1, 0]), np.append(np.round(p, 2), [0.0, 1.0])))
    for kind in (zeros, ones):
        assert kind.refuted
        assert kind.step == pytest.approx(0.01)
        assert not kind.beyond_rounding
        assert "rounding to steps of 0.0100 may have brought about" in str(kind)
    wrong = np.append(y, [1] * 20)
    (zeros, _) = certain_scores(fot.ScoreSample(wrong, np.append(np.round(p, 2), [0.0] * 20)))
    assert zeros.beyond_rounding
    assert certain_scores(fot.ScoreSample(np.append(y, 1), np.append(p, 0.0)))[0].step == 0.0  # on no grid
    single = np.float32(np.round(p, 2)).astype(float)
    assert certain_scores(fot.ScoreSample(y, single))[0].step == pytest.approx(0.01)
