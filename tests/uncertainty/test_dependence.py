"""Labels of rows that belong together: learnt dependence, redrawn labels, and what must not change without it."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import multivariate_normal

import fitontest as fot
from fitontest.data.dependence import Dependence, SharedNumbers, standardised_logits
from fitontest.data.labels_of_scores import redrawn
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.uncertainty.dependence import dependence_of, reason_of_groups, score_redraws, share_dependence
from fitontest.uncertainty.intervals import with_interval
from fitontest.uncertainty.joint import joint_test

pytestmark = pytest.mark.multiplies

QUANTILE = float(ndtri(0.3))
BOTH = float(multivariate_normal.cdf([QUANTILE, QUANTILE], cov=[[1.0, 0.3], [0.3, 1.0]]))  # two labels are positive
LEARNT = Dependence(40, 400, 40.0, 40, 0.3, 0.05, 0.3, 0.0, 0.2, 2.8)


def grouped(groups=40, rows=10, icc=0.3, seed=0, digits=None, sizes=None):
    """Calibrated scores, alike within groups, whose labels are too."""
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(groups), rows if sizes is None else sizes)
    x = 1.5 * (np.sqrt(0.3) * rng.standard_normal(groups)[code] + np.sqrt(0.7) * rng.standard_normal(code.size))
    p = 1 / (1 + np.exp(-x)) if digits is None else np.round(1 / (1 + np.exp(-x)), digits)
    latent = np.sqrt(icc) * rng.standard_normal(groups)[code] + np.sqrt(1 - icc) * rng.standard_normal(code.size)
    return (latent < ndtri(np.clip(p, 1e-9, 1 - 1e-9))).astype(int), p, code


Y, P, CODE = grouped()
SAMPLE = fot.read(Y, P, groups=CODE)


def all_values(y, p, family, **columns):
    error = fot.calibration_error(fot.read(y, p, **columns), family=family, interval="always")
    return [float(error), error.debiased, error.interval.low, error.interval.high, *error.null.values]


@pytest.mark.parametrize("family", ["spline", "isotonic", fot.Slope1(10), "platt"])
def test_groups_of_one_row_change_nothing(family):
    one = all_values(Y, P, family)
    assert all_values(Y, P, family, groups=np.arange(Y.size)) == one
    sample = fot.read(Y, P, groups=np.arange(Y.size))
    assert dependence_of(sample) is None
    assert joint_test(sample, 39).p_value == joint_test(fot.read(Y, P), 39).p_value


def test_without_correlation_labels_are_those_of_independent_rows():
    free = Dependence(40, 400, 40.0, 40, 0.0, 0.1, 0.0, 0.0, 0.0, 1.0)
    plain, tied = ScoreRedraws(fot.read(Y, P)), ScoreRedraws(SAMPLE, dependence=free)
    truths = [plain.points, plain.points**1.2]
    drawn = [list(each.draw(truths, range(20), (0, 0))) for each in (plain, tied)]
    for one, other in zip(*drawn, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not tied.is_dependent


def test_rows_alone_in_their_group_keep_their_labels():
    code = np.where(np.arange(400) < 100, CODE, np.arange(400))  # the last 300 rows are groups of their own
    sample = fot.read(Y, P, groups=code)
    redraws = ScoreRedraws(sample, dependence=LEARNT)
    alone = sample.groups.rows[sample.groups.code] == 1
    (one,) = ScoreRedraws(fot.read(Y, P)).draw([sample.rows.p], range(30), (0, 0))
    (other,) = redraws.draw([sample.rows.p], range(30), (0, 0))
    np.testing.assert_array_equal(one[alone], other[alone])
    assert (one[~alone] != other[~alone]).any()


@pytest.mark.parametrize("weights", ["unit", "counts", "importances"])
def test_every_label_has_its_probability_and_its_correlation(weights):
    w = {"unit": None, "counts": np.tile([1, 2], 200), "importances": np.linspace(0.5, 1.5, 400)}[weights]
    sample = fot.read(Y, np.full(400, 0.3), groups=CODE, sample_weight=w)
    redraws = ScoreRedraws(sample, dependence=LEARNT)
    entries = redraws.entries
    (labels,) = redraws.draw([entries.p], range(2000), (1, 0))
    share = labels / entries.n[:, None]
    np.testing.assert_allclose(share.mean(axis=1), 0.3, atol=5 * np.sqrt(0.21 / 2000))
    code = entries.group
    sums = np.array([np.bincount(code, column) for column in labels.T])
    rows = np.bincount(code, entries.n)
    pairs = (sums**2 - sums).sum() / (2000 * (rows**2 - rows).sum())
    assert pairs == pytest.approx(BOTH, abs=0.004)


def test_counts_go_from_truth_to_truth():
    """Of entries of many rows more are positive under a larger truth, with the right mean."""
    sample = fot.read(np.tile([0, 1], 20), np.repeat([0.2, 0.6], 20), groups=np.repeat(np.arange(20), 2))
    cells = fot.read(
        np.tile([0, 1], 20), np.repeat([0.2, 0.6], 20), groups=np.repeat(np.arange(20), 2), sample_weight=np.full(40, 9)
    )
    redraws = ScoreRedraws(cells, dependence=LEARNT)
    assert len(redraws.entries) == sample.groups.rows.size
    lower, upper = redraws.points, np.minimum(redraws.points + 0.2, 1)
    first, second, certain = redraws.draw([lower, upper, np.ones(lower.size)], range(3000), (0, 0))
    assert (second >= first).all()
    assert (certain == redraws.entries.n[:, None]).all()
    np.testing.assert_allclose(first.mean(axis=1) / redraws.entries.n, lower, atol=0.03)
    np.testing.assert_allclose(second.mean(axis=1) / redraws.entries.n, upper, atol=0.03)


def test_counts_of_labels_that_the_group_makes_certain_go_on():
    """Of a strong dependence Phi of what a group shares is 1 to rounding, before and after."""
    p = np.tile(np.linspace(0.01, 0.999, 20), 50)
    cells = fot.read(p > 0.5, p, groups=np.repeat(np.arange(50), 20), sample_weight=np.full(1000, 9))
    redraws = ScoreRedraws(cells, dependence=Dependence(50, 9000, 50.0, 50, 0.95, 0.1, 0.6, 0.08, 0.9, 8.4))
    truths = [redraws.points, np.minimum(redraws.points + 0.0005, 1.0), redraws.points]
    first, second, third = redraws.draw(truths, range(200), (0, 0))
    assert (first <= second).all()
    assert (second >= third).all()
    for counts, c in zip((first, second, third), truths, strict=True):
        assert counts.mean() / 9 == pytest.approx(c.mean(), abs=0.02)


@pytest.mark.filterwarnings("ignore::fitontest.results.exceptions.PrintedWarning")
@pytest.mark.parametrize("family", ["spline", "slope1"])
def test_neither_row_order_nor_names_matter(family):
    y, p, code = grouped(30, 5, digits=1, seed=3)
    rng = np.random.default_rng(1)
    order, names = rng.permutation(y.size), np.array([f"site {k}" for k in rng.permutation(30)])
    for w in (None, rng.integers(1, 4, y.size)):
        one = all_values(y, p, family, groups=code, sample_weight=w)
        moved = None if w is None else w[order]
        other = all_values(y[order], p[order], family, groups=names[code][order], sample_weight=moved)
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


def test_whole_weights_are_rows_of_one_group():
    w = np.random.default_rng(2).integers(1, 4, Y.size)
    of = np.repeat(np.arange(Y.size), w)
    weighted = dependence_of(fot.read(Y, P, groups=CODE, sample_weight=w))
    repeated = dependence_of(fot.read(Y[of], P[of], groups=CODE[of]))
    assert weighted.to_dict() == pytest.approx(repeated.to_dict())
    scaled = dependence_of(fot.read(Y, P, groups=CODE, sample_weight=w * 0.37, weights="importances"))
    same = dependence_of(fot.read(Y, P, groups=CODE, sample_weight=w * 5.0, weights="importances"))
    assert scaled.to_dict() == pytest.approx(same.to_dict())


def test_dependence_is_found_again():
    found = [
        dependence_of(fot.read(y, p, groups=k)) for y, p, k in (grouped(100, 10, 0.15, s) for s in range(1000, 1030))
    ]
    rho = np.array([each.rho for each in found])
    assert abs(rho.mean() - 0.15) < 4 * rho.std() / np.sqrt(30)
    assert np.mean([each.se for each in found]) == pytest.approx(rho.std(), rel=0.5)


def test_few_groups_are_told_nothing():
    y, p, code = grouped(6, 40)
    sample = fot.read(y, p, groups=code)
    dependence = dependence_of(sample)
    assert dependence.too_few
    assert np.isinf(dependence.se)
    assert reason_of_groups(dependence) == "dependence cannot be learnt from fewer than 10 groups, got 6"
    error = fot.calibration_error(sample, interval="always", null_draws=50)
    assert error.interval is None
    assert error.null is None
    assert error.interval_reason == reason_of_groups(dependence)
    with pytest.raises(ValueError, match="band must be None: dependence cannot be learnt"):
        fot.ReliabilityDisplay.from_predictions(sample, family="isotonic", band="confidence")


def test_unequal_groups_count_as_fewer():
    y, p, code = grouped(12, sizes=[400, *[4] * 11])
    assert dependence_of(fot.read(y, p, groups=code)).too_few


def test_labels_that_agree_within_groups_have_the_limit():
    code = np.repeat(np.arange(30), 5)
    y, p = np.repeat(np.tile([0, 1], 15), 5), np.random.default_rng(0).uniform(0.3, 0.7, 150)
    dependence = dependence_of(fot.read(y, p, groups=code))
    assert dependence.at_limit
    assert dependence.rho == 0.95


@pytest.mark.parametrize("seed", [9, 20])
def test_redrawn_labels_differ_where_those_of_a_group_do(seed):
    """Residuals of few groups may be as large by chance as those of labels that agree."""
    y, p, code = grouped(12, 20, 0.75, seed)
    known = dependence_of(fot.read(y, p, groups=code))
    assert known.intercept == known.rho == 0.95
    assert not known.at_limit


def test_redrawn_labels_are_as_alike_as_those_of_the_rows():
    y, p, code = grouped(60, 10, 0.75)
    known = dependence_of(fot.read(y, p, groups=code))
    assert known.intercept == known.rho
    assert 0.6 < known.rho < 0.95
    assert not known.at_limit


def test_no_score_shares_all_of_its_number():
    rng = np.random.default_rng(0)
    for seed in range(8):
        y, p, code = grouped(30, 8, 0.9, seed)
        known = dependence_of(fot.read(y, np.clip(p + 0.02 * rng.random(p.size), 0, 1), groups=code))
        assert known.intercept + 4 * known.slope < 1.0


@pytest.mark.exhaustive
@pytest.mark.parametrize("rho", [0.8, 1.0])
def test_calibrated_rows_of_one_score_and_label_are_not_called_miscalibrated(rho):
    rejected = 0
    for seed in range(5):
        rng = np.random.default_rng([seed, 3])
        code = np.repeat(np.arange(250), rng.integers(1, 5, 250))
        p = rng.random(250)[code]
        shared, own = rng.normal(size=250)[code], rng.normal(size=code.size)
        y = (ndtr(np.sqrt(rho) * shared + np.sqrt(1 - rho) * own) < p).astype(int)
        evaluation = fot.evaluate(y, p, families=["spline"], groups=code)
        rejected += evaluation.verdict.shown
        assert evaluation["spline"].debiased < 0.1
    assert rejected <= 1


def test_segments_of_few_groups_share_the_dependence_of_all_rows():
    by = CODE >= 30  # ten groups of forty
    segments = fot.read(Y, P, groups=CODE, by=by)
    share_dependence(segments)
    whole, small, large = (dependence_of(each) for each in (segments.whole, segments[True], segments[False]))
    assert (small.groups, large.groups) == (10, 30)
    assert small.rho == whole.rho != large.rho
    assert small.degrees == 9.0
    assert not small.too_few


def test_a_segment_of_one_group_has_nothing_to_share():
    segments = fot.read(Y, P, groups=CODE, by=CODE == 7)
    share_dependence(segments)
    assert dependence_of(segments[True]).too_few
    assert not dependence_of(segments[False]).too_few


def test_rows_with_further_facts_have_the_dependence_that_was_shared():
    segments = fot.read(Y, P, groups=CODE, by=CODE >= 34)
    share_dependence(segments)
    few = segments[True]
    measure = fot.measures.PlugIn("isotonic")
    expected = measure.estimate(few)
    expected = with_interval(expected, few, 0.95)
    facts = few.with_facts(truth=few.p)
    facts.memory["dependence"] = dependence_of(few)
    got = with_interval(measure.estimate(facts), facts, 0.95)
    assert got.interval == expected.interval
    assert (got.null.values == expected.null.values).all()


def test_intervals_and_nulls_are_wider():
    y, p, code = grouped(100, 30, 0.15, seed=4)
    plain = fot.calibration_error(y, p, family="platt", interval="always")
    error = fot.calibration_error(fot.read(y, p, groups=code), family="platt", interval="always")
    assert float(error) == pytest.approx(float(plain))
    assert error.null.mean > 1.3 * plain.null.mean
    assert error.interval.high > 1.2 * plain.interval.high


def test_rows_drawn_one_set_at_a_time_depend_on_each_other_too():
    sample, rng = SAMPLE, np.random.RandomState(0)
    flat = fot.read(Y, np.full(400, 0.3), groups=CODE)
    sums = np.array([np.bincount(d.groups.code, d.rows.y) for d in (redrawn(flat, rng, LEARNT) for _ in range(600))])
    assert sums.mean() == pytest.approx(3.0, abs=0.1)
    assert (sums**2 - sums).mean() / 90 == pytest.approx(BOTH, abs=0.012)
    drawn = redrawn(sample, rng, LEARNT)
    assert sorted(drawn.facts["group"].tolist()) == sorted(CODE.tolist())


def test_pooled_rows_stay_in_their_groups():
    rng = np.random.default_rng(0)
    p, code = rng.random(220_000), rng.integers(0, 50, 220_000)
    redraws = score_redraws(fot.read(rng.random(220_000) < p, p, groups=code))
    entries, positives = redraws.entries, redraws.observed[1][:, 0]
    assert len(entries) < 25_000
    np.testing.assert_array_equal(np.sort(np.bincount(entries.group, entries.n)), np.sort(np.bincount(code)))
    assert positives.sum() == redraws.rows.rows.y.sum()
    assert np.diff(entries.p).min() >= 0
    assert entries.w @ entries.p == pytest.approx(p.sum())


def test_many_small_groups_are_joined_and_share_as_many_pairs():
    rng = np.random.default_rng(0)
    p, code = rng.random(220_000), rng.integers(0, 60_000, 220_000)
    sample = fot.read(rng.random(220_000) < p, p, groups=code)
    redraws = ScoreRedraws(sample, dependence=LEARNT)
    rows = np.bincount(redraws.entries.group, redraws.entries.n)
    assert rows.size <= 1000
    assert len(redraws.entries) < 25_000
    assert rows.sum() == 220_000
    pairs = (sample.groups.rows * (sample.groups.rows - 1.0)).sum()
    assert redraws._shared.first.max() ** 2 * (rows * (rows - 1)).sum() == pytest.approx(0.3 * pairs)


def test_shared_numbers_are_standardised():
    p = np.array([0.0, 0.001, 0.5, 0.5, 0.999, 1.0])
    h = standardised_logits(p, np.ones(6))
    assert h.tolist() == pytest.approx([-2, h[1], 0, 0, -h[1], 2])
    assert standardised_logits(np.full(3, 0.4), np.ones(3)).tolist() == [0, 0, 0]
    shared = SharedNumbers.of(np.zeros(6, dtype=int), p, np.ones(6), np.ones(6, dtype=int), LEARNT)
    np.testing.assert_allclose(shared.own**2 + shared.first**2 + shared.second**2, 1.0)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", [0, 1])
def test_scores_that_many_rows_share_do_not_make_intervals_short(seed):
    """Where the noise of groups hid the map beside such scores, truths could not leave the diagonal elsewhere."""
    rng = np.random.default_rng(seed)
    code = np.repeat(np.arange(100), 30)
    p = 1 / (1 + np.exp(-0.84 * rng.standard_normal(3000) - 0.55 * rng.standard_normal(100)[code]))
    shared, own = rng.standard_normal(100)[code], rng.standard_normal(3000)
    y = (np.sqrt(0.15) * shared + np.sqrt(0.85) * own < ndtri(p)).astype(int)
    whole, rounded = (
        fot.calibration_error(y, scores, groups=code, interval="always").interval.high for scores in (p, p.round(2))
    )
    assert rounded > 0.85 * whole
