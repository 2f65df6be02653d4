"""Random effects: published examples, the restricted likelihood on a grid, and what must hold of any centres."""

import numpy as np
import pytest
from scipy import stats

from fitontest.numerics.random_effects import RandomEffects

# trials of the BCG vaccine: cases and others among the vaccinated, then among the rest (Colditz et al. 1994)
BCG = """4 119 11 128; 6 300 29 274; 3 228 11 209; 62 13536 248 12619; 33 5036 47 5761; 180 1361 372 1079; 8 2537 10 619
    505 87886 499 87892; 29 7470 45 7232; 17 1699 65 1600; 186 50448 141 27197; 5 2493 3 2338; 27 16886 29 17825"""
# teachers' expectations (Raudenbush 1984): standardised mean differences and their variances
PUPILS = """0.03 0.0156; 0.12 0.0216; -0.14 0.0279; 1.18 0.1391; 0.26 0.1362; -0.06 0.0106; -0.02 0.0106; -0.32 0.0484
    0.27 0.0269; 0.80 0.0630; 0.54 0.0912; 0.18 0.0497; -0.02 0.0835; 0.23 0.0841; -0.18 0.0253; -0.06 0.0279
    0.30 0.0193; 0.07 0.0088; -0.07 0.0303"""
# diuretics in pregnancy: events and women, treated and not (Collins, Yusuf, Peto 1985)
DIURETICS = """14 131 14 136; 21 385 17 134; 14 57 24 48; 6 38 18 40; 12 1011 35 760; 138 1370 175 1336; 15 506 20 524
    6 108 2 103; 65 153 40 102"""


def table(text):
    return np.array([row.split() for row in text.replace("\n", ";").split(";")], dtype=float).T


def risk_ratios():
    a, b, c, d = table(BCG)
    return np.log(a / (a + b) / (c / (c + d))), 1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)


def odds_ratios():
    a, n, c, m = table(DIURETICS)
    return np.log(a / (n - a) * (m - c) / c), 1 / a + 1 / (n - a) + 1 / c + 1 / (m - c)


EXAMPLES = {"risk ratios": risk_ratios(), "differences": tuple(table(PUPILS)), "odds ratios": odds_ratios()}


def drawn(seed, centres=8, tau=0.3):
    rng = np.random.default_rng(seed)
    v = rng.uniform(0.01, 0.2, centres)
    return rng.normal(0.2, np.sqrt(v + tau**2)), v


def restricted_likelihood(y, v, tau2):
    """Return the density of K - 1 contrasts, in which the mean cancels, up to a constant of the contrasts."""
    contrasts = np.eye(y.size)[1:] - np.eye(y.size)[:1]
    covariance = contrasts @ np.diag(v + tau2) @ contrasts.T
    return stats.multivariate_normal(cov=covariance).logpdf(contrasts @ y)


def test_the_vaccine_as_metafor_has_it():
    y, v = EXAMPLES["risk ratios"]
    pooled = RandomEffects.of(y, v)
    assert (round(pooled.tau2, 4), round(pooled.mean, 4), round(pooled.standard_error, 4)) == (0.3132, -0.7145, 0.1808)
    assert 1 / np.sqrt(np.sum(1 / (v + pooled.tau2))) == pytest.approx(0.1798, abs=5e-5)  # without Hartung and Knapp
    assert pooled.interval(0.95) == pytest.approx((-1.1084, -0.3206), abs=5e-5)


BY_YEAR = [0, 1, 5, 2, 9, 8, 11, 4, 6, 10, 12, 3, 7]
CUMULATED = {  # the first trials, as metafor has them: mean, ends by Knapp and Hartung, tau^2
    3: (-0.972079931812824, -1.95119919485508, 0.00703933122943246, 0.087206792838218),
    7: (-0.901251100272772, -1.40314344022821, -0.399358760317336, 0.120459721860583),
    13: (-0.714532342158211, -1.10844371368566, -0.320620970630764, 0.313243258137274),
}


@pytest.mark.parametrize("trials", CUMULATED)
def test_the_first_trials_as_metafor_has_them(trials):
    y, v = (part[BY_YEAR[:trials]] for part in EXAMPLES["risk ratios"])
    pooled = RandomEffects.of(y, v)
    mean, low, high, tau2 = CUMULATED[trials]
    assert (pooled.mean, pooled.tau2) == pytest.approx((mean, tau2), abs=1e-8)
    if trials > 3:
        assert pooled.interval(0.95) == pytest.approx((low, high), abs=1e-8)
    else:  # these three agree by chance, and the interval is no narrower than that of known variances
        assert pooled.interval(0.95)[0] < low < high < pooled.interval(0.95)[1]


def test_the_other_published_examples():
    pupils = RandomEffects.of(*EXAMPLES["differences"])
    assert (round(pupils.tau2, 4), round(pupils.mean, 4)) == (0.0188, 0.0837)
    w = 1 / (EXAMPLES["differences"][1] + pupils.tau2)
    assert pupils.mean * np.sqrt(w.sum()) == pytest.approx(1.6208, abs=5e-5)
    assert round(RandomEffects.of(*EXAMPLES["odds ratios"]).tau2, 3) == 0.301


@pytest.mark.parametrize("example", [*EXAMPLES, *range(20)])
def test_no_other_spread_is_more_likely(example):
    y, v = EXAMPLES[example] if isinstance(example, str) else drawn(example, 2 + example % 7, tau=0.1 * (example % 4))
    pooled = RandomEffects.of(y, v)
    best = restricted_likelihood(y, v, pooled.tau2)
    grid = np.concatenate(([0.0], np.geomspace(1e-8, 30.0, 1500)))
    others = [restricted_likelihood(y, v, tau2) for tau2 in grid]
    assert best >= max(others) - 1e-10
    assert best - max(others) < 1e-4  # which is that of the same function
    w = 1 / (v + pooled.tau2)
    assert pooled.mean == pytest.approx(np.average(y, weights=w), abs=1e-12)
    factor = max(np.sum(w * (y - pooled.mean) ** 2) / (y.size - 1), 1.0)
    assert pooled.standard_error == pytest.approx(np.sqrt(factor / w.sum()), rel=1e-12)
    half = stats.t(y.size - 1).ppf(0.975) * pooled.standard_error
    assert pooled.interval(0.95) == pytest.approx((pooled.mean - half, pooled.mean + half), abs=1e-9)


def test_a_prediction_needs_five_centres_and_holds_the_interval():
    for centres in range(2, 9):
        y, v = drawn(centres, centres)
        pooled = RandomEffects.of(y, v)
        ends = pooled.prediction(0.9)
        assert (ends is None) == (centres < 5)
        if ends is not None:
            half = stats.t(centres - 2).ppf(0.95) * np.sqrt(pooled.tau2 + pooled.standard_error**2)
            assert ends == pytest.approx((pooled.mean - half, pooled.mean + half), abs=1e-9)
            low, high = pooled.interval(0.9)
            assert ends[0] < low < high < ends[1]


def test_equal_centres_have_no_spread_and_an_interval_of_some_width():
    v = np.array([0.01, 0.02, 0.03, 0.05, 0.01])
    pooled = RandomEffects.of(np.full(5, 0.3), v)
    assert (pooled.tau2, pooled.mean) == (0.0, pytest.approx(0.3))
    assert pooled.standard_error == pytest.approx(1 / np.sqrt(np.sum(1 / v)))  # that of known variances, not 0


@pytest.mark.parametrize("seed", range(10))
def test_order_place_and_unit_of_the_centres(seed):
    y, v = drawn(seed)
    pooled, order = RandomEffects.of(y, v), np.random.default_rng(seed).permutation(y.size)
    for other, place, unit in (
        (RandomEffects.of(y[order], v[order]), 0.0, 1.0),
        (RandomEffects.of(y + 3.0, v), 3.0, 1.0),
        (RandomEffects.of(-y, v), 0.0, -1.0),
        (RandomEffects.of(50.0 * y, 2500.0 * v), 0.0, 50.0),
    ):
        assert other.mean == pytest.approx(place + unit * pooled.mean, rel=1e-7, abs=1e-9)
        assert other.tau2 == pytest.approx(unit**2 * pooled.tau2, rel=1e-7, abs=1e-9)
        assert other.standard_error == pytest.approx(abs(unit) * pooled.standard_error, rel=1e-7)


@pytest.mark.exhaustive
def test_intervals_hold_the_mean_and_predictions_a_further_centre():
    rng = np.random.default_rng(0)
    held = []
    for _ in range(500):
        v = rng.uniform(0.01, 0.1, 8)
        pooled = RandomEffects.of(rng.normal(0.0, np.sqrt(v + 0.09)), v)
        (low, high), (least, most) = pooled.interval(0.95), pooled.prediction(0.95)
        held.append((low < 0.0 < high, least < rng.normal(0.0, 0.3) < most))
    interval, prediction = np.mean(held, axis=0)
    assert interval == pytest.approx(0.95, abs=0.03)
    assert prediction == pytest.approx(0.90, abs=0.03)  # known to be short of few centres


@pytest.mark.parametrize(
    ("y", "v", "message"),
    [
        ([0.1], [0.1], "at least 2 centres"),
        ([0.1, 0.2], [0.1], "with a variance each"),
        ([0.1, np.nan], [0.1, 0.1], "finite"),
        ([0.1, 0.2], [0.1, 0.0], "variances above 0"),
    ],
)
def test_bad_input(y, v, message):
    with pytest.raises(ValueError, match=message):
        RandomEffects.of(y, v)
