"""In which direction scores are wrong: the slope and the residual with their intervals."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import ndtri, stdtr, stdtrit

import fitontest as fot
from fitontest.measures.interval import Interval
from fitontest.measures.label_line import LabelLine
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.uncertainty.tendency import OVERCONFIDENT, Tendency, tendency_of
from tests.valprob import answer, rows_of

Z = ndtri(0.975)


def drawn(n, slope=1.0, shift=0.0, seed=0):
    rng = np.random.default_rng(seed)
    p = sigmoid(rng.normal(0, 1.5, n))
    return (rng.random(n) < sigmoid(slope * logit(p, 1e-16) + shift)).astype(float), p


def half(interval):
    return (interval.high - interval.low) / 2


def test_the_residual_is_the_difference_of_the_means_with_its_standard_error():
    y, p = drawn(400)
    w = np.random.default_rng(1).uniform(0.5, 2.0, 400)
    found = tendency_of(fot.ScoreSample(y, p, w))
    r, share = y - p, w / w.sum()
    residual = share @ r
    assert found.residual == pytest.approx(residual)
    line = LabelLine.of(fot.ScoreSample(y, p, w))
    c = np.interp(p, np.sort(p), line.c)
    freed = share**2 / (1 - share) @ (r - residual) ** 2
    of_line = share**2 @ (c * (1 - p - residual) ** 2 + (1 - c) * (p + residual) ** 2)
    q = stdtrit(1 / (share @ share) - 1, 0.975)
    error = np.sqrt(max(freed, of_line))
    assert half(found.residual_interval) == pytest.approx(q * error)
    assert found.residual_p_value == pytest.approx(2 * stdtr(1 / (share @ share) - 1, -abs(residual) / error))
    assert found.residual_interval.level == 0.95
    plain = tendency_of(fot.ScoreSample(y, p))
    assert half(plain.residual_interval) == pytest.approx(Z * np.sqrt(np.var(r) / 400))


@pytest.mark.parametrize("uneven", [False, True])
def test_the_slope_and_its_sandwich_error_are_those_of_the_likelihood(uneven):
    """Maximised by a general optimiser, with derivatives by differences."""
    y, p = drawn(400, slope=0.7, shift=0.4)
    w = np.random.default_rng(1).uniform(0.5, 2.0, 400) if uneven else np.ones(400)
    x = np.column_stack((logit(p, 1e-16), np.ones(p.size)))

    def losses(beta):
        z = x @ beta
        return w * (np.logaddexp(0, z) - y * z)

    best = minimize(lambda beta: losses(beta).sum(), [1.0, 0.0], method="BFGS", options={"gtol": 1e-8}).x
    step = 1e-4 * np.eye(2)
    gradients = np.column_stack([(losses(best + h) - losses(best - h)) / 2e-4 for h in step])
    curvature = np.array(
        [
            [
                (losses(best + h + k) - losses(best + h - k) - losses(best - h + k) + losses(best - h - k)).sum() / 4e-8
                for k in step
            ]
            for h in step
        ]
    )
    inverse = np.linalg.inv(curvature)
    found = tendency_of(fot.ScoreSample(y, p, w), 0.9)
    assert found.slope == pytest.approx(best[0], rel=1e-4)
    q = ndtri(0.95)
    if uneven:  # Student's t, each row freed of what it decides, and at least the error of a true line
        c = 1 / (1 + np.exp(-x @ best))
        own = w * c * (1 - c) * np.einsum("ij,jk,ik->i", x, inverse, x)
        gradients /= np.sqrt(1 - own)[:, None]
        true_line = (inverse @ (x.T @ (x * (w**2 * c * (1 - c))[:, None])) @ inverse)[0, 0]
        q = stdtrit(w.sum() ** 2 / (w @ w) - 1, 0.95)
    variance = (inverse @ (gradients.T @ gradients) @ inverse)[0, 0]
    se = np.sqrt(max(variance, true_line) if uneven else variance)
    assert half(found.slope_interval) == pytest.approx(q * se, rel=1e-3)


def test_the_intervals_are_as_wide_as_a_bootstrap_says():
    y, p = drawn(600, slope=0.8)
    rng, slopes, residuals = np.random.default_rng(2), [], []
    for _ in range(300):
        rows = rng.integers(0, 600, 600)
        one = tendency_of(fot.ScoreSample(y[rows], p[rows]))
        slopes.append(one.slope)
        residuals.append(one.residual)
    found = tendency_of(fot.ScoreSample(y, p))
    assert half(found.slope_interval) == pytest.approx(Z * np.std(slopes), rel=0.15)
    assert half(found.residual_interval) == pytest.approx(Z * np.std(residuals), rel=0.15)


def test_a_whole_weight_is_the_same_row_repeated():
    """The same estimates, and the same errors: a whole weight counts rows."""
    y, p = drawn(200)
    w = np.random.default_rng(3).integers(1, 4, 200)
    weighted = tendency_of(fot.ScoreSample(y, p, w))
    repeated = tendency_of(fot.ScoreSample(np.repeat(y, w), np.repeat(p, w)))
    assert weighted.slope == pytest.approx(repeated.slope, rel=1e-6)
    assert weighted.residual == pytest.approx(repeated.residual)
    assert half(weighted.slope_interval) == pytest.approx(half(repeated.slope_interval), rel=1e-9)


def test_cells_tell_what_their_rows_tell():
    y, p = drawn(500)
    p = p.round(2)
    rows, cells = tendency_of(fot.ScoreSample(y, p)), tendency_of(fot.Cells.of(y, p).sample())
    assert cells.slope == pytest.approx(rows.slope, rel=1e-4)
    assert half(cells.slope_interval) == pytest.approx(half(rows.slope_interval), rel=1e-4)
    assert half(cells.residual_interval) == pytest.approx(half(rows.residual_interval), rel=1e-6)


@pytest.mark.parametrize(
    ("y", "p"),
    [
        ([1], [0.3]),
        (np.ones(50), np.linspace(0.1, 0.9, 50)),
        (np.repeat([0, 1], 9), np.linspace(0.1, 0.9, 18)),  # fewer than ten of a class
        (np.tile([0, 1], 30), np.full(60, 0.4)),  # one score
    ],
    ids=["one row", "one class", "few rows", "one score"],
)
def test_there_is_no_slope_where_a_line_means_nothing(y, p):
    found = tendency_of(fot.ScoreSample(y, p))
    assert found.slope is None
    assert found.slope_interval is None
    assert found.residual == pytest.approx(np.mean(y) - np.mean(p))
    assert found.to_dict()["slope_interval"] is None


def test_a_threshold_that_separates_the_classes_has_an_infinite_slope():
    y, p = np.repeat([0, 1], 30), np.linspace(0.1, 0.9, 60)
    up, down = tendency_of(fot.ScoreSample(y, p)), tendency_of(fot.ScoreSample(1 - y, p))
    assert (up.slope, up.words) == (np.inf, ["underconfident"])
    assert up.slope_interval.low > 1
    assert up.slope_interval.high == np.inf
    assert up.slope_p_value < 1e-6
    assert "slope infinite, since a threshold separates the classes (at least" in up.slope_in_words
    assert (down.slope, down.words) == (-np.inf, ["ranks in reverse"])
    assert down.slope_interval.high == pytest.approx(-up.slope_interval.low)
    assert json.loads(json.dumps(up.to_dict(), allow_nan=False))["slope_interval"]["high"] is None
    calibrated = np.where(y, 0.99, 0.01)  # separated labels are no wonder
    assert tendency_of(fot.ScoreSample(y, calibrated)).words == []


def test_what_rounding_leaves_is_nothing():
    """Rows of p and 1 - p of one event: residuals cancel in each group, but for rounding."""
    y, p = drawn(300)
    for scores in (p.round(4), p.astype(np.float32)):
        both = np.concatenate((scores, 1 - scores))
        sample = fot.read(np.concatenate((y, 1 - y)), both, groups=np.tile(np.arange(300), 2))
        found = tendency_of(sample)
        assert (found.residual, found.residual_interval, found.residual_p_value) == (0.0, None, None)
        assert "mean residual 0.000 (0 is ideal; no interval: nothing varies)" in found.residual_in_words
        assert "scores too low" not in found.words


def test_words_say_only_what_is_sure():
    assert tendency_of(fot.ScoreSample(*drawn(2000, slope=0.6))).words == ["overconfident"]
    assert tendency_of(fot.ScoreSample(*drawn(2000, slope=1.6))).words == ["underconfident"]
    assert tendency_of(fot.ScoreSample(*drawn(2000, shift=-0.5))).words == ["scores too high"]
    assert tendency_of(fot.ScoreSample(*drawn(2000, shift=0.5))).words == ["scores too low"]
    assert tendency_of(fot.ScoreSample(*drawn(2000))).words == []
    assert tendency_of(fot.ScoreSample(*drawn(40, slope=0.8))).words == []


def test_few_events_have_an_exact_interval():
    found = tendency_of(fot.ScoreSample(np.zeros(200), np.full(200, 0.05))).residual_interval
    assert found.low == pytest.approx(-0.05)
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 200) - 0.05)
    weighted = tendency_of(fot.ScoreSample([0.0], [0.05], [200], weights="counts")).residual_interval
    assert (weighted.low, weighted.high) == pytest.approx((found.low, found.high))


def test_few_of_a_class_that_scores_tell_apart_have_a_narrow_interval():
    """Given the scores labels vary less than a binomial count, and no more than the labels of their line."""
    rng = np.random.default_rng(5)
    p = sigmoid(rng.normal(1.5, 4, 112))
    y = rng.random(112) < p
    found = tendency_of(fot.ScoreSample(y, p))
    low, high = share_interval(float(y.sum()), 112.0, 0.95)
    assert half(found.residual_interval) < 0.75 * (high - low) / 2
    assert half(found.residual_interval) == pytest.approx(Z * np.sqrt(np.mean(p * (1 - p)) / 112), rel=0.25)


def with_certain(n, slope, wrong, seed=0):
    """Return scores of which a third are 0 or 1, with a share of wrong labels, and a slope between the others."""
    y, p = drawn(n, slope=slope, seed=seed)
    rng = np.random.default_rng(seed + 1)
    certain = rng.random(n) < 0.34
    p[certain] = rng.integers(0, 2, certain.sum())
    y[certain] = np.where(rng.random(certain.sum()) < wrong, 1 - p[certain], p[certain])
    return y, p


def test_certain_scores_do_not_turn_the_direction_round():
    """Certain and wrong in 6 % of cases is overconfident; the other scores are not, and a map in logits is of them."""
    y, p = with_certain(4000, slope=1.4, wrong=0.06)
    assert fot.Platt(eps=1e-16).fit(p, y).slope_ < 0.2
    found = tendency_of(fot.ScoreSample(y, p))
    assert "underconfident" in found.words
    assert found.slope == pytest.approx(1.4, abs=0.15)
    assert [scores.refuted for scores in found.certain] == [True, True]
    assert [words.partition(" of the scores are exactly ")[2][0] for words in found.certain_words] == ["0", "1"]
    assert found.to_dict()["certain"] == [scores.to_dict() for scores in found.certain]
    json.dumps(found.to_dict())


def test_a_forest_of_few_positives_is_not_overconfident():
    """Most of its scores are 0, a few of them wrongly; the others rise too slowly."""
    rng = np.random.default_rng(0)
    p = np.round(rng.beta(0.08, 5.0, 20_000), 2)
    c = np.where(p == 0.0, 0.002, sigmoid(1.3 * logit(np.maximum(p, 0.01), 1e-16) + 0.5))
    y = (rng.random(p.size) < c).astype(int)
    assert y.mean() < 0.03
    assert fot.Platt(eps=1e-16).fit(p, y).slope_ < 0.3
    found = tendency_of(fot.ScoreSample(y, p))
    assert found.slope_interval.low < 1.3 < found.slope_interval.high
    assert "overconfident" not in found.words
    assert found.certain[0].wrong_interval.low < 0.002 < found.certain[0].wrong_interval.high


def test_the_slope_is_that_of_the_uncertain_rows_alone():
    y, p = with_certain(800, slope=0.8, wrong=0.02)
    w = np.random.default_rng(3).integers(0, 4, 800)
    inside = (p > 0) & (p < 1)
    whole, alone = tendency_of(fot.ScoreSample(y, p, w)), tendency_of(fot.ScoreSample(y[inside], p[inside], w[inside]))
    assert whole.slope == pytest.approx(alone.slope, rel=1e-12)
    assert half(whole.slope_interval) == pytest.approx(half(alone.slope_interval), rel=1e-9)
    assert alone.certain == ()
    assert whole.residual == pytest.approx(np.average(y - p, weights=w))  # of all rows
    repeated = tendency_of(fot.ScoreSample(np.repeat(y, w), np.repeat(p, w)))
    assert whole.slope == pytest.approx(repeated.slope, rel=1e-6)
    assert whole.certain == repeated.certain
    cells = tendency_of(fot.Cells.of(y, p.round(2), w).sample())
    rounded = tendency_of(fot.ScoreSample(y, p.round(2), w))
    assert cells.slope == pytest.approx(rounded.slope, rel=1e-4)


def test_too_few_uncertain_rows_of_a_class_have_no_slope():
    y, p = with_certain(2000, slope=1.0, wrong=0.1)
    inside = np.flatnonzero((p > 0) & (p < 1) & (y == 1))
    p[inside[9:]] = 1.0
    found = tendency_of(fot.ScoreSample(y, p))
    assert found.slope is None
    assert len(found.certain_words) == 2


@pytest.mark.parametrize("label", [0, 1])
def test_labels_of_one_class(label):
    found = tendency_of(fot.ScoreSample(np.full(100, label), np.repeat([0.0, 0.5, 1.0], [30, 40, 30])))
    assert found.slope is None
    assert [scores.wrong_share for scores in found.certain] == [label, 1 - label]
    assert [scores.refuted for scores in found.certain] == [label == 1, label == 0]


def test_the_slope_is_the_one_that_r_finds_of_the_same_rows():
    _, y, p, _ = rows_of("digits_tree")
    tendency = tendency_of(fot.ScoreSample(y, p))
    assert tendency.slope == pytest.approx(0.873516525265091, abs=1e-8)  # rms::val.prob, and glm of 0 < p < 1
    assert answer("digits_tree", "cox.slope") == pytest.approx(tendency.slope, abs=1e-8)
    assert tendency.words == ["overconfident"]
    assert [scores.rows for scores in tendency.certain] == [474, 474]


def test_decisions_have_no_slope():
    rng = np.random.default_rng(0)
    y = (rng.random(500) < 0.5).astype(int)
    h = np.where(rng.random(500) < 0.8, y, 1 - y).astype(float)
    assert tendency_of(fot.ScoreSample(y, h)).slope is None
    found = tendency_of(fot.ScoreSample(y, h))
    assert [scores.refuted for scores in found.certain] == [True, True]
    assert sum(scores.share for scores in found.certain) == pytest.approx(1.0)
    assert all("more than none" in words for words in found.certain_words)


def test_an_end_is_printed_on_its_side_of_the_ideal():
    ends = Interval(0.839, 0.99972, 0.95)
    tendency = Tendency(0.0, Interval(-0.1, 0.1, 0.95), 0.92, ends)
    assert tendency.words == [OVERCONFIDENT]
    assert tendency.slope_in_words == ("slope 0.92 (0.84 to 0.9997; 1 is ideal, below 1: predictions too extreme)")
    assert replace(tendency, slope_interval=Interval(1.0, 1.2, 0.95)).slope_in_words == (
        "slope 0.92 (1.00 to 1.20; 1 is ideal)"
    )


@pytest.mark.parametrize("weights", [1, 3])
def test_a_slope_asks_for_rows_that_counts_stand_for(weights):
    # ten rows of a class are needed: one row of weight 3 is three of them
    p = np.repeat([0.2, 0.3, 0.6, 0.7], 2)
    y = np.tile([0, 1], 4)
    w = np.full(8, weights)
    by_count = tendency_of(fot.ScoreSample(y, p, w))
    repeated = tendency_of(fot.ScoreSample(np.repeat(y, w), np.repeat(p, w)))
    assert (by_count.slope is None) == (repeated.slope is None) == (weights == 1)
    if weights > 1:
        assert by_count.slope == pytest.approx(repeated.slope, abs=1e-8)
        assert by_count.slope_interval.low == pytest.approx(repeated.slope_interval.low, abs=1e-6)
