"""Debiased errors and intervals: what they promise for every measure, and that mistaken redraws are caught."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

import fitontest as fot
from fitontest.data import entries as data_entries
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.data.weights import Weights
from fitontest.datasets import Derivate, Sharp
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.norms import L1
from fitontest.results.exceptions import without_warnings
from fitontest.uncertainty.intervals import with_interval
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

QUICK = ("slope1", "flat", "isotonic", "pava_bc", "platt", "temperature", "beta", "spline", "knn", "kde")


def ends(e):
    return e.debiased, e.interval.low, e.interval.high, e.null.p_value


@pytest.mark.parametrize("family", QUICK)
def test_the_order_of_the_rows_does_not_show_in_a_bit(family):
    y, p = noisy(300, ties=2)
    order = np.random.default_rng(1).permutation(300)
    options = {"family": family, "interval": "always", "level": 0.9, "draws": 15, "null_draws": 19}
    a, b = (fot.calibration_error(y[at], p[at], **options) for at in (np.arange(300), order))
    assert ends(a) == ends(b)
    assert a.interval.level == 0.9


def test_the_seed_decides():
    y, p = noisy(300)
    a, b, c = (
        ends(fot.calibration_error(y, p, family="beta", interval="always", random_state=seed)) for seed in (0, 0, 1)
    )
    assert a == b != c


@pytest.mark.filterwarnings("ignore:rows come in runs")  # as repeated rows do
@pytest.mark.parametrize("family", ["platt", fot.Slope1(5), "isotonic"])
def test_whole_weights_are_rows(family):
    """Redraws of rows and of counts differ by chance alone: by less than their standard error allows."""
    y, p = noisy(200, ties=2)
    w = np.random.default_rng(2).integers(0, 4, 200)
    weighted = fot.calibration_error(y, p, family=family, sample_weight=w, interval="always", draws=200)
    rows = fot.calibration_error(np.repeat(y, w), np.repeat(p, w), family=family, interval="always", draws=200)
    assert float(weighted) == pytest.approx(float(rows), abs=1e-9)
    np.testing.assert_allclose(ends(weighted)[:3], ends(rows)[:3], atol=0.02)


def test_a_constant_importance_is_none():
    y, p = noisy(200)
    plain, scaled = (
        fot.calibration_error(y, p, family="spline", sample_weight=w, interval="always")
        for w in (None, np.full(200, 0.3))
    )
    np.testing.assert_allclose(ends(plain), ends(scaled), rtol=1e-6)


def test_what_a_chain_of_truths_must_hold():
    """An error far from 0 is excluded from calibration, and the interval lies around the debiased value."""
    y, p = noisy(1000, seed=1, power=2.0)
    e = fot.calibration_error(y, p, family=fot.Slope1(10), interval="always")
    true = float(np.mean(np.abs(p**2 - p)))
    assert e.interval.low < true < e.interval.high
    assert 0 < e.interval.low < e.debiased < e.interval.high < 1
    assert e.null.p_value == 1 / 201
    assert e.null.values.size == 200
    assert (e.interval.target, e.interval.draws, e.interval.stand_in) == ("true error", 50, None)


def test_squared_is_the_square_of_l2():
    y, p = noisy(400)
    squared, root = (
        fot.calibration_error(y, p, family="beta", norm=norm, interval="always") for norm in ("squared", "l2")
    )
    np.testing.assert_allclose(np.sqrt(ends(squared)[:3]), ends(root)[:3], rtol=1e-9)


PLATT = PlugIn("platt")


def towards(direction, y, p, measure=PLATT, **options):
    """Return the error with an interval whose truths lie in a direction."""
    return estimate_of(measure, fot.read(y, p), redrawing=Redrawing(interval="always", direction=direction, **options))


def test_the_own_target_is_what_a_family_can_see():
    """Platt's curve cannot follow stairs: the smooth direction finds the whole error, its own direction a part."""
    y, p, _ = Derivate("stairs", error=0.1).draw(2000, 0)
    smooth, own = (towards(direction, y, p) for direction in ("smooth", "own"))
    assert own.interval.target == "the family's own"
    assert own.debiased < 0.06 < 0.08 < smooth.debiased
    by_map = towards(fot.Platt().fit(p, y).map_, y, p)
    by_family = towards(fot.Platt(), y, p)
    np.testing.assert_allclose(ends(by_map), ends(own), rtol=1e-6)
    np.testing.assert_allclose(ends(by_family), ends(own), rtol=1e-12)


def test_a_direction_is_called_by_the_name_of_its_family_whatever_its_settings():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    direction = fot.families.make("cumulative_spline")  # which has a setting `kind`, as maps have a kind
    error = towards(direction, rng.random(300) < p, p)
    assert error.interval.target == "towards cumulative_spline"


def test_pl_has_a_stand_in_which_is_said():
    y, p = noisy(300)
    e = fot.calibration_error(y, p, family=fot.PL3(2, cv=2), interval="always")
    assert e.interval.stand_in == "spline"
    assert "refitted: spline" in str(e)
    spline = fot.calibration_error(y, p, family=fot.Spline(2), interval="always")
    np.testing.assert_array_equal(e.null.values, spline.null.values)


def test_an_interval_by_a_stand_in_holds_that_of_the_stand_in():
    """Where its own error is smaller, as PL's is on average, it would be sure of too small a one."""
    y, p = noisy(300)
    e = fot.evaluate(y, p, families=[fot.PL3(1, cv=2), fot.Spline()], interval="always")
    own, spline = (one.interval for one in e.estimates)
    assert e.estimates[0].value < e.estimates[1].value
    assert own.low <= spline.low
    assert own.high >= spline.high
    assert own.widened_by == "spline"
    assert "follows the scores badly" not in str(e)


@pytest.mark.parametrize(
    ("measure", "reason"),
    [
        (fot.measures.PlugIn(fot.maps.IdentityMap()), "a map that is given is not fitted to the labels"),
        (
            fot.measures.PlugIn("beta", fot.norms.Norm("mean", L1.value, L1.influence)),
            "the norm mean is not one of l1, l2, squared, max or a quantile",
        ),
        (fot.measures.PlugIn(fot.Slope1(4), debias=True), "the value is debiased already"),
        (fot.measures.make("tce"), "what tce would be under given probabilities is not defined"),
        (fot.measures.PlugIn("identity"), "the error is the same for all simulated labels"),
    ],
)
def test_what_has_no_interval_says_why(measure, reason):
    y, p = noisy(150)
    sample = fot.ScoreSample(y, p)
    e = with_interval(measure.estimate(sample), sample, 0.95, null_draws=20)
    assert e.interval is None
    assert e.interval_reason == reason
    assert f"no interval: {reason}" in str(e)
    assert (e.null is None) == (measure.held_fixed == "map")


def test_a_given_map_has_the_null_that_was_asked_for():
    y, p = noisy(150)
    e = fot.calibration_error(y, p, family=fot.maps.IdentityMap(), interval="always", null_draws=7)
    assert (e.interval, e.null.values.size) == (None, 7)
    alone = towards("own", y, p, fot.measures.Binned())
    assert alone.interval_reason == "it fits no family whose own target there could be"


def test_the_largest_error_there_can_be_bounds_the_interval():
    e = fot.calibration_error([0, 1, 1, 0], [0.4, 0.5, 0.6, 0.5], family="isotonic", interval="always", level=0.99)
    assert e.interval.high <= np.mean([0.6, 0.5, 0.6, 0.5])


@pytest.mark.exhaustive
def test_entries_of_many_rows_are_judged_as_the_redrawn_ones_are():
    """Cross-validation holds out all copies of a score in both, or calibrated scores look bad."""
    alarms = 0
    for seed in range(10):
        rng = np.random.default_rng([9, seed])
        p = (rng.integers(0, 20, 2000) + 0.5) / 20
        rows, counts = np.unique(np.c_[p, rng.random(2000) < p], axis=0, return_counts=True)
        with without_warnings():
            e = fot.calibration_error(
                rows[:, 1].astype(int),
                rows[:, 0],
                family="flat",
                sample_weight=Weights(counts.astype(float), counts=True),
                interval="always",
                level=0.9,
                null_draws=39,
            )
        alarms += e.null.p_value <= 0.05
    assert alarms <= 2


def test_a_family_that_sees_little_of_the_error_has_a_wide_interval():
    rng = np.random.default_rng(3)
    p = rng.random(1000)
    e = fot.calibration_error(rng.random(1000) < p**2, p, family="temperature", interval="always")
    assert e.interval.high > np.mean(p - p**2)


@pytest.mark.exhaustive
def test_a_family_that_cannot_follow_the_scores_is_widened_to_the_spline():
    """Platt reads the scores of Sharp as half as wrong again, by an amount that hangs on the shape of the truth."""
    y, p, _ = Sharp().draw(3000, np.random.default_rng(1))
    platt, spline, isotonic = (
        fot.calibration_error(y, p, family=family, interval="always") for family in ("platt", "spline", "isotonic")
    )
    assert platt.interval.widened_by == "spline"
    assert isotonic.interval.widened_by is spline.interval.widened_by is None
    assert platt.interval.low <= spline.interval.low < spline.interval.high <= platt.interval.high
    assert "widened to hold the interval of spline" in platt.interval_in_words()
    own = towards("own", y, p)
    assert own.interval.widened_by is None
    line = fot.calibration_error(y, p, family=fot.Spline(1), interval="always")  # the same curve by another name
    assert line.interval.widened_by == "spline"
    root, square = (
        fot.calibration_error(y, p, family="platt", interval="always", norm=norm) for norm in ("l2", "squared")
    )
    assert square.interval.low == pytest.approx(root.interval.low**2)
    table = fot.evaluate(y, p, families=["platt", "isotonic"], null_draws=20, interval="always", draws=15)
    assert "platt: follows the scores badly" in str(table.table())
    assert "isotonic: follows" not in str(table)


def test_threads_leave_blas_as_it_was():
    y, p = noisy(200)
    before = [one["num_threads"] for one in threadpool_info()]

    def measure(draws):
        fot.calibration_error(y, p, family="isotonic", interval="always", level=0.9, draws=draws)

    threads = [threading.Thread(target=measure, args=(draws,)) for draws in (15, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one["num_threads"] for one in threadpool_info()] == before


@pytest.mark.parametrize("name", ["ece", "ace", "kernel", "smooth_ece"])
def test_other_measures_with_a_target_have_one(name):
    y, p = noisy(250, power=2.0)
    found = fot.evaluate(y, p, measures=[name], interval="always", draws=15, null_draws=30)
    e = found[name]
    assert e.interval.low <= e.debiased <= e.interval.high
    assert e.null.p_value == pytest.approx(1 / 31)
    assert "95 % CI" in str(found)


def test_auto_is_for_what_is_quick():
    y, p = noisy(120)
    found = fot.evaluate(
        y, p, families=["platt", fot.Slope1(scheme=fot.partitions.Pava()), fot.maps.IdentityMap()], measures=["ece"]
    )
    assert [e.interval is not None for e in found] == [True, False, False, False]
    record = found.rows()[0]
    assert (record["low"], record["high"], record["level"]) == (*ends(found["platt"])[1:3], 0.95)
    assert record["debiased"] == found["platt"].debiased
    assert [e.interval for e in fot.evaluate(y, p, families=["platt"], interval=None)] == [None]


@pytest.mark.exhaustive
def test_each_class_by_itself():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 2, 3], 300)
    y = (rng.random(300)[:, None] > np.cumsum(p, axis=1)[:, :2]).sum(axis=1)
    top = fot.calibration_error(y, p, family="beta", reduction="confidence", interval="always")
    assert top.interval.low <= top.debiased <= top.interval.high
    by_class = fot.calibration_error(y, p, family="beta", reduction="classwise", interval="always")
    assert by_class.interval is None
    alone = fot.calibration_error(y == 1, p[:, 1], family="beta", interval="always")
    assert ends(by_class[1]) == ends(alone)
    assert [e.interval for e in fot.evaluate(y, p, families=["beta"], reduction="classwise")] == [None]


@pytest.mark.parametrize("scores", ["constant", "two", "decided", "one class", "next to 1", "float32"])
@pytest.mark.parametrize("family", ["slope1", "isotonic", "platt", "spline"])
def test_hard_scores(family, scores):
    y, p = noisy(120)
    if scores == "one class":
        y = np.ones(120)
    p = {
        "constant": np.full(120, 0.3),
        "two": np.where(p < 0.5, 0.2, 0.9),
        "decided": np.round(p),
        "one class": p,
        "next to 1": 1 - np.arange(120) * 1e-16,
        "float32": p.astype(np.float32),
    }[scores]
    with without_warnings():
        e = fot.evaluate(y, p, families=[family], interval="always", draws=15, null_draws=19).estimates[0]
    if e.interval is None:
        assert e.interval_reason == "the error is the same for all simulated labels"
    else:
        assert 0 <= e.interval.low <= e.debiased <= e.interval.high < np.inf
    assert 0 < e.null.p_value <= 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"interval": 0.9}, "interval must be 'auto', 'always' or None, got 0.9; write level= for its level, such as"),
        ({"interval": True}, "interval must be 'auto', 'always' or None, got True"),
        ({"level": 0.05}, "got 0.05; level is coverage: write .95 for 5 % false alarms"),
        ({"level": 95}, r"level must be a number in \[0.5, 1\) such as 0.95, got 95"),
        ({"level": True}, r"level must be a number in \[0.5, 1\)"),
        ({"interval": "always", "draws": 10}, "draws must be a whole number, at least 15; got 10"),
        ({"interval": "always", "null_draws": -1}, "null_draws must be a whole number, at least 0"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        fot.calibration_error([0, 1], [0.2, 0.7], **options)


def test_a_direction_that_is_none_is_refused():
    with pytest.raises(ValueError, match="direction must be 'smooth', 'own', a Family or a CalibrationMap, got 'up'"):
        Redrawing(direction="up")


def test_many_rows_may_be_pooled(monkeypatch):
    """The ends move by little when neighbouring scores are one entry with binomial labels."""
    y, p = noisy(6000)
    exact = fot.calibration_error(y, p, family="platt", interval="always", draws=100)
    monkeypatch.setattr(data_entries, "MOST_ROWS", 2000)
    monkeypatch.setattr(data_entries, "NODES", 1000)
    pooled = fot.calibration_error(y, p, family="platt", interval="always", draws=100)
    width = exact.interval.high - exact.interval.low
    np.testing.assert_allclose(ends(pooled)[:3], ends(exact)[:3], atol=0.15 * width)


# --------------------------------------------------------------------------------------- mistakes that must be caught


class Held(fot.Family):
    """Fits the real labels by one family and redrawn ones by another, which holds something of the first fit."""

    def __init__(self, family, hold):
        self.family = family
        self.hold = hold

    def fit_map(self, sample):
        return self.family.fit_sample(sample).map_

    def fit_many(self, entries, positives):
        if positives.shape[1] == 1:
            return self.family.fit_many(entries, positives)
        return self.hold(self.family).fit_many(entries, positives)

    def __sklearn_clone__(self):
        return self


def of_calibrated(make, n, sets, **draws):
    """Return the estimate of each of some calibrated data sets."""
    found = []
    for seed in range(sets):
        rng = np.random.default_rng([7, seed])
        p = rng.random(n)
        with without_warnings():  # in a direction of its own, of which no fit is tested: half the time
            found.append(towards(fot.Spline(), rng.random(n) < p, p, PlugIn(make()), **draws))
    return found


@pytest.mark.exhaustive
def test_a_number_of_bins_held_fixed_is_caught():
    """Redrawn labels that cannot choose another number of bins look too calm: the interval leaves 0 out too often."""

    def false_alarms(make):
        return np.mean([e.interval.low > 0 for e in of_calibrated(make, 1000, 40, null_draws=39)])

    proper = false_alarms(fot.Slope1)
    assert 0 < proper <= 0.05
    assert false_alarms(lambda: Held(fot.Slope1(), lambda fitted: fot.Slope1(fitted.n_bins_))) > 2 * proper


@pytest.mark.exhaustive
def test_blocks_held_fixed_are_caught():
    """The p-values of calibrated scores are spread over [0, 1] only if the blocks are those of the redrawn labels."""

    def mean_p_value(make):
        return np.mean([e.null.p_value for e in of_calibrated(make, 300, 40, draws=15, null_draws=39)])

    assert 0.35 < mean_p_value(fot.Isotonic) < 0.65
    assert mean_p_value(lambda: Held(fot.Isotonic(), lambda fitted: fot.Flat(fitted.partition_.edges))) > 0.7


@pytest.mark.exhaustive
def test_rows_redrawn_in_place_of_labels_are_caught(monkeypatch):
    """A bootstrap of rows starts from the observed error, and so lies above it whatever the truth is."""
    few = {"draws": 15, "null_draws": 39}
    proper = [e.null.p_value for e in of_calibrated(lambda: fot.Slope1(15), 300, 20, **few)]
    assert 0.3 < np.mean(proper) < 0.7
    observed = PlugIn.values

    def bootstrap(self, redraws, labels):
        if labels.shape[1] == 1:
            monkeypatch.setattr(PlugIn, "rows", next(redraws.samples(labels)).rows, raising=False)
            return observed(self, redraws, labels)
        rng = np.random.default_rng(0)
        rows = [self.rows.at(np.sort(rng.integers(0, len(self.rows), len(self.rows)))) for _ in labels.T]
        return np.array([self.estimate(fot.ScoreSample(each.y, each.p)).value for each in rows])

    monkeypatch.setattr(PlugIn, "values", bootstrap)
    assert np.mean([e.null.p_value for e in of_calibrated(lambda: fot.Slope1(15), 300, 5, **few)]) > 0.8


def test_entries_of_a_measure_are_its_estimates():
    """The quick values for many labellings are those of the estimates one by one, under every norm."""
    y, p = noisy(80, ties=1)
    sample = fot.ScoreSample(y, p)
    redraws = ScoreRedraws.of(sample)
    labels = np.stack([sample.rows.y, 1 - sample.rows.y], axis=1).astype(int)
    for norm in ("l1", "l2", "squared"):
        measure = fot.measures.PlugIn("isotonic", norm)
        expected = [measure.estimate(sample).value for sample in redraws.samples(labels)]
        np.testing.assert_allclose(measure.values(redraws, labels), expected, rtol=1e-12)


@pytest.mark.parametrize("family", [fot.Slope1(1), "spline", "isotonic"])
def test_rare_events_scored_far_too_high(family):
    """Truths beyond the fitted one have next to no events, so that their labels hardly vary."""
    rng = np.random.default_rng(3)
    z = rng.normal(-5.0, 1.3, 5000)
    c, p = 1 / (1 + np.exp(-z)), 1 / (1 + np.exp(-z - 4.0))
    y = rng.random(5000) < c
    e = fot.calibration_error(y, p, family=family, interval="always")
    gap, se = p.mean() - y.mean(), np.sqrt(np.mean(c * (1 - c)) / 5000)  # all that can be seen here is the mean gap
    assert e.debiased == pytest.approx(gap, abs=0.5 * se)
    assert e.interval.low == pytest.approx(gap - 2 * se, abs=0.7 * se)
    assert e.interval.high == pytest.approx(gap + 2 * se, abs=0.7 * se)


class _Counted(fot.Slope1):
    """A family that is slow, and counts how often it is fitted."""

    fits: list = []

    def stand_in(self):
        return fot.Spline(random_state=0)

    def solve(self, sample):
        self.fits.append(len(sample.rows))
        return super().solve(sample)

    def fit_many(self, entries, positives):
        return fot.Family.fit_many(self, entries, positives)


@pytest.mark.parametrize(("settings", "fits"), [({}, 1), ({"sample_weight": np.arange(200) % 3 + 1}, 2)])
def test_a_slow_family_is_fitted_to_the_real_labels_once_where_the_rows_are_as_redrawn(monkeypatch, settings, fits):
    monkeypatch.setattr(_Counted, "fits", [])
    y, p = noisy(200)
    estimate = fot.calibration_error(y, p, family=_Counted(5), interval="always", **settings)
    assert len(_Counted.fits) == fits
    if fits == 1:
        assert estimate.null.observed == pytest.approx(float(estimate), abs=1e-14)
