"""The ladder: which map the truths go towards, and that intervals of rough maps hold the error."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.families.base import read_family
from fitontest.families.isotonic import Isotonic
from fitontest.measures.pairs import EntryPairs
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.norms import L1
from fitontest.uncertainty.chain import DebiasedInterval, Redrawn
from fitontest.uncertainty.goodness_of_fit import FIT, FIT_DRAWS, fit_at_entries, refitted, run_fit_test
from fitontest.uncertainty.ladder import Ladder
from fitontest.uncertainty.redrawing import Redrawing, estimate_of

pytestmark = pytest.mark.multiplies


def waves(p, number=8):
    return p + 0.1 * np.sin(2 * number * np.pi * p) * np.clip(np.minimum(p, 1 - p) / 0.1, 0, 1)


def stairs(p):
    return (np.floor(4 * p) + 0.5) / 4


def bump(p):
    return p + 0.35 * ((p > 0.4) & (p < 0.43))


def drawn(truth, n=4000, seed=0):
    rng = np.random.default_rng([seed, 20261123])
    p = rng.random(n)
    return rng.random(n) < truth(p), p


NEAR = 8  # a seed whose fit test is near its level


def ladder_of(truth, n=4000, seed=0):
    return Ladder.of(fot.ScoreSample(*drawn(truth, n, seed)), 0)


@pytest.mark.parametrize(
    ("truth", "rung"), [(lambda p: p**1.2, "spline"), (stairs, "isotonic"), (lambda p: waves(p, 20), "levels")]
)
def test_the_first_map_that_fits_is_taken(truth, rung):
    ladder = ladder_of(truth, seed=4)
    assert ladder.rung == rung
    assert (ladder.roughness is None) == (rung == "spline")


@pytest.mark.exhaustive
@pytest.mark.parametrize("truth", [stairs, waves, lambda p: waves(p, 20), bump])
def test_the_interval_holds_the_error_of_rough_maps(truth):
    """A spline alone finds .011 to .044 of the .057 of eight waves, and is sure of it."""
    y, p = drawn(truth, seed=4)
    true = float(np.mean(np.abs(truth(p) - p)))
    for error in fot.evaluate(y, p, families=["spline", "beta", "slope1"], interval="always"):
        assert error.interval.low <= true <= error.interval.high
        assert error.limit(40) >= true
        assert error.interval.fit_p_value <= 0.05


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", [0, 1])
def test_the_seed_of_the_folds_makes_no_other_family(seed):
    """By name the spline has the seed of the draws, and is still the family that the ladder replaces."""
    y, p = drawn(waves, 2000, seed=4)
    by_name, made = (
        fot.calibration_error(y, p, family=family, interval="always", random_state=seed)
        for family in ("spline", fot.Spline(random_state=seed))
    )
    assert by_name.interval.replaced
    assert (by_name.debiased, by_name.interval) == (made.debiased, made.interval)
    found = Ladder.of(fot.ScoreSample(y, p), seed).interval(L1, 50, 0.95)
    assert (by_name.debiased, by_name.interval.low, by_name.interval.high) == (found.value, found.low, found.high)


@pytest.mark.exhaustive
def test_whose_interval_is_widened_and_whose_replaced():
    y, p = drawn(lambda p: waves(p, 20), seed=4)
    spline, platt = (
        fot.calibration_error(y, p, family=name, interval="always").interval for name in ("spline", "platt")
    )
    assert (spline.widened_by, spline.replaced) == ("levels", True)
    assert "the interval is that of levels of" in spline.source
    assert platt.replaced is False
    assert platt.widened_by == "levels"
    assert "the interval was widened to hold that of levels of" in platt.source
    assert platt.low <= spline.low
    assert platt.high >= spline.high


def test_where_the_spline_fits_all_is_as_without_a_ladder():
    y, p = drawn(lambda p: p**1.2, 1000)
    error = fot.calibration_error(y, p, interval="always")
    redraws = ScoreRedraws.of(fot.ScoreSample(y, p))
    g = fot.Spline().fit(np.sort(p), y[np.argsort(p)]).predict(np.sort(p))
    found = Redrawn(PlugIn("spline"), redraws, 0).chain(g, 50, 0.95)
    ends = found.value, found.low, found.high
    assert (error.debiased, error.interval.low, error.interval.high) == pytest.approx(ends, rel=1e-12)
    assert error.interval.roughness is None
    assert error.interval.fit_p_value > 0.05


@pytest.mark.exhaustive
def test_the_fit_test_refits_the_map_to_each_labelling():
    """By brute force: the largest standardised pair statistic of y less the refitted map."""
    ladder = ladder_of(waves, 400)
    points, labels = ladder.redraws.observed
    entries = points.entries
    pairs, g = ladder.pairs_by_events, ladder.smooth
    drawn_values = []
    for block in ladder.redraws.blocks(FIT_DRAWS):
        (redrawn,) = ladder.redraws.draw([g], block, (0, FIT))
        for labelling in redrawn.T:
            refitted = read_family("spline").fit_map(entries.sample(labelling)).evaluate(entries.p)
            drawn_values.append(pairs.windows.statistics(labelling[:, None], np.clip(refitted, 0, 1))[:, 0])
    values = np.array(drawn_values)
    mean, spread = values.mean(axis=0), values.std(axis=0, ddof=1)
    worst = (pairs.windows.statistics(labels, g)[:, 0] - mean) / spread
    as_bad = np.count_nonzero(((values - mean) / spread).max(axis=1) >= worst.max())
    assert ladder.smooth_fit.p_value == pytest.approx((1 + as_bad) / 81)
    assert ladder.smooth_fit.scale == np.argmax(worst)


@pytest.mark.parametrize(("p", "y"), [(np.linspace(0.1, 0.9, 99), None), (np.full(300, 0.3), None)])
def test_few_rows_and_one_score_ask_nothing(p, y):
    y = np.random.default_rng(0).random(p.size) < p if y is None else y
    ladder = Ladder.of(fot.ScoreSample(y, p), 0)
    assert ladder.smooth_fit is None
    assert ladder.rung == "spline"


def test_jumps_hold_the_ends_of_both_rungs():
    ladder = ladder_of(stairs, seed=4)
    assert ladder.rung == "isotonic"
    found = ladder.interval(L1, 50, 0.95)
    alone = Redrawn(PlugIn("isotonic"), ladder.redraws, 0).chain(ladder.isotonic, 50, 0.95)
    assert found.value == alone.value
    assert found.low <= alone.low
    assert found.high >= alone.high


def test_the_interval_of_a_spline_that_fits_is_computed_once_for_all_families():
    y, p = drawn(lambda p: p**1.2, n=500)
    sample = fot.read(y, p)
    fot.evaluate(sample, families=[fot.Flat(40), fot.Isotonic()], interval="always")
    ladder = Ladder.of(sample, 0)
    spline = fot.calibration_error(y, p, family=fot.Spline(), interval="always")
    ((key, found),) = ladder.intervals.items()
    assert key == ("spline", L1, 50, 0.95)
    assert (found.low, found.high) == (spline.interval.low, spline.interval.high)


@pytest.mark.exhaustive
def test_an_error_of_few_rows_is_of_these_alone():
    ladder = ladder_of(bump, 8000)
    assert 0.02 < ladder.levels.few_rows < 0.06  # the bump has 3 % of the rows, and windows reach beyond it
    changed = ladder.levels.at_entries != ladder.entries.p
    assert np.average(changed) == pytest.approx(ladder.levels.few_rows)
    assert ladder.entries.p[changed].min() > 0.36
    assert ladder.entries.p[changed].max() < 0.47
    assert f"differ from the scores in {100 * ladder.levels.few_rows:.2g} % of the rows" in ladder.roughness.in_words()
    for truth in (waves, stairs, lambda p: waves(p, 20)):
        assert ladder_of(truth).levels.few_rows is None


@pytest.mark.exhaustive
def test_a_direction_of_ones_own_has_no_ladder():
    y, p = drawn(waves, 1500)
    assert fot.calibration_error(y, p, interval="always").interval.roughness is not None
    for direction in ("own", Isotonic(), fot.maps.IdentityMap()):
        redrawing = Redrawing(interval="always", direction=direction)
        interval = estimate_of(PlugIn(), fot.read(y, p), redrawing=redrawing).interval
        assert (interval.roughness, interval.fit_p_value) == (None, None)


@pytest.mark.exhaustive
def test_squares_are_inverted_as_squares():
    """The pair statistic is a mean square: under l2 and squared no ratio of norms is needed."""
    y, p = drawn(waves, seed=4)
    l2, squared = (fot.calibration_error(y, p, norm=norm, interval="always") for norm in ("l2", "squared"))
    true = float(np.sqrt(np.mean((waves(p) - p) ** 2)))
    assert l2.interval.low <= true <= l2.interval.high
    np.testing.assert_allclose(
        [squared.debiased, squared.interval.low, squared.interval.high],
        np.square([l2.debiased, l2.interval.low, l2.interval.high]),
        rtol=1e-6,
    )
    assert squared.limit() == pytest.approx(l2.limit() ** 2)


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:rows come in runs")  # as repeated rows do
@pytest.mark.parametrize("truth", [waves, bump])
def test_whole_weights_are_repeated_rows(truth):
    rng = np.random.default_rng(1)
    p = np.round(rng.random(700), 3)
    w = rng.integers(1, 9, 700)
    k = rng.binomial(w, truth(p))
    twice_p, twice_y = np.append(p, p), np.repeat([1, 0], 700)
    weighted = fot.calibration_error(twice_y, twice_p, sample_weight=np.append(k, w - k), interval="always")
    rows_p, rows_y = np.repeat(p, w), np.concatenate([np.arange(n) < ones for n, ones in zip(w, k, strict=True)])
    repeated = fot.calibration_error(rows_y, rows_p, interval="always")
    assert weighted.limit(20) == pytest.approx(repeated.limit(20), rel=0.05)  # the spline's folds hold other rows out
    assert weighted.limits.squares == pytest.approx(repeated.limits.squares, rel=1e-9)


@pytest.mark.exhaustive
def test_the_scale_of_importances_means_nothing_and_cells_are_rows():
    y, p = drawn(waves, 1500)
    w = np.random.default_rng(0).gamma(3.0, size=1500)
    a, b = (fot.calibration_error(y, p, sample_weight=factor * w, interval="always") for factor in (1.0, 3.7))
    assert a.limits.squares == pytest.approx(b.limits.squares, rel=1e-9)
    assert a.interval.high == pytest.approx(b.interval.high, rel=1e-6)
    rounded = np.round(p, 2)
    of_rows = fot.calibration_error(y, rounded, interval="always")
    of_cells = fot.calibration_error(fot.Cells.of(y, rounded, exact=True), interval="always")
    assert of_cells.limits.squares == pytest.approx(of_rows.limits.squares, rel=1e-9)


def test_a_limit_needs_an_interval():
    y, p = drawn(waves, 300)
    with pytest.raises(ValueError, match="limit must be asked of a calibration error that has an interval"):
        fot.calibration_error(y, p, interval=None).limit()
    with pytest.raises(ValueError, match="resolution must be a number of at least 20"):
        fot.calibration_error(y, p, interval="always").limit(2)


def test_pooled_rows_are_fitted_as_the_labels_that_are_redrawn_for_them():
    """Of other folds the real labels had another map, and calibrated scores were refuted too often."""
    redraws = ScoreRedraws(fot.ScoreSample(*drawn(lambda p: p**1.2, 41_000)), 300)
    ladder, labels = Ladder(redraws, 0), redraws.observed[1]
    ((drawn_labels,),) = [redraws.draw([ladder.smooth], range(2), (0, FIT))]
    together = refitted("spline", redraws.entries, np.concatenate([labels, drawn_labels], axis=1))
    assert redraws.entries.pooled
    np.testing.assert_allclose(ladder.smooth, together[:, 0], rtol=1e-9)


@pytest.mark.parametrize(("high", "rung"), [(0.0315, "spline"), (0.0325, "levels")])
def test_a_spline_that_does_not_fit_stays_where_no_end_of_the_interval_moves(high, rung, monkeypatch):
    """By less than a tenth of the width of the interval along the spline."""
    ladder = ladder_of(lambda p: waves(p, 20), 2000, seed=4)
    ends = {"spline": (0.01, 0.03), "levels": (0.009, high)}

    def interval(ladder, rung, norm, draws, level):
        assert (norm, draws, level) == (L1, 50, 0.95)
        return DebiasedInterval(0.02, *ends[rung], misread=False)

    monkeypatch.setattr(Ladder, "_interval", interval)
    assert ladder.smooth_fit.p_value <= 0.05
    assert ladder.rung == rung
    assert (ladder.roughness is None) == (rung == "spline")
    assert (ladder.direction is ladder.levels.at_entries) == (rung == "levels")


def test_a_fit_test_near_its_level_is_of_more_draws():
    redraws = ScoreRedraws.of(fot.ScoreSample(*drawn(waves, 300, seed=NEAR)))
    g = fit_at_entries("spline", redraws)
    pairs = EntryPairs.of(redraws.entries)
    tests = [run_fit_test("spline", g, pairs, redraws, seed) for seed in range(2)]
    assert max(test.drawn.draws for test in tests) > FIT_DRAWS
    for test in tests:
        assert test.drawn.draws == 640 or not test.drawn.leaves_open(0.05)
