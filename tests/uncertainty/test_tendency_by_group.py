"""Slope, residual and certain scores where rows belong together: against statsmodels, and by their properties."""

import json

import numpy as np
import pytest
from scipy.special import stdtrit

import fitontest as fot
from fitontest.data.known_groups import NOT_LEARNT
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.significance.exact_share import share_interval
from fitontest.uncertainty import effective_rows
from fitontest.uncertainty.certain_scores import certain_scores
from fitontest.uncertainty.dependence import dependence_of, share_dependence
from fitontest.uncertainty.tendency import tendency_of

K = 40
# Slope and standard error by `statsmodels_slope`, statsmodels 0.15.0: of `drawn()`, and with `weights()`.
STATSMODELS = (0.7080589951922623, 0.07966541464222732)
OF_WEIGHTS = (0.694658352077186, 0.09318674017131617)


def drawn(seed=5, times=1, spread=0.7):
    rng = np.random.default_rng(seed)
    size = times * rng.integers(1, 20, K)
    ids = np.repeat(np.arange(K), size)
    p = sigmoid(rng.normal(0, 1.5, ids.size))
    shift = rng.normal(0, spread, K)[ids]
    return (rng.random(ids.size) < sigmoid(0.8 * logit(p, 1e-16) + shift)).astype(float), p, ids


def statsmodels_slope(y, p, ids, w=None):
    """Return the slope of a logistic regression on the logit, and its standard error by statsmodels."""
    api = pytest.importorskip("statsmodels.api")
    x = np.column_stack((logit(p, 1e-16), np.ones(p.size)))
    if w is None:
        options = {"disp": 0, "method": "newton", "tol": 1e-14, "maxiter": 100}
        fitted = api.Logit(y, x).fit(**options, cov_type="cluster", cov_kwds={"groups": ids})
    else:
        model = api.GLM(y, x, family=api.families.Binomial(), freq_weights=w)
        with pytest.warns(UserWarning, match="cov_type not fully supported with freq_weights"):
            fitted = model.fit(
                tol=1e-15, maxiter=100, cov_type="cluster", cov_kwds={"groups": ids, "use_correction": False}
            )
    return fitted.params[0], fitted.bse[0]


def spread(interval, degrees):
    return (interval.high - interval.low) / 2 / stdtrit(degrees, 0.975)


def effective(ids, w=None):
    weights = np.bincount(ids, w)
    return weights.sum() ** 2 / (weights @ weights)


def weights():
    return np.random.default_rng(1).exponential(size=drawn()[2].size)


def test_the_sandwich_of_the_slope_is_that_of_statsmodels():
    y, p, ids = drawn()
    found = tendency_of(fot.read(y, p, groups=ids))
    se, n = spread(found.slope_interval, effective(ids) - 1), ids.size
    assert (found.slope, se * np.sqrt((n - 1) / (n - 2))) == pytest.approx(STATSMODELS, rel=1e-8)


def test_so_it_is_with_weights():
    y, p, ids = drawn()
    found = tendency_of(fot.read(y, p, groups=ids, sample_weight=weights(), weights="importances"))
    se = spread(found.slope_interval, effective(ids, weights()) - 1)
    assert (found.slope, se / np.sqrt(K / (K - 1))) == pytest.approx(OF_WEIGHTS, rel=1e-8)


def test_statsmodels_gives_these_numbers():
    y, p, ids = drawn()
    assert statsmodels_slope(y, p, ids) == pytest.approx(STATSMODELS, rel=1e-10)
    assert statsmodels_slope(y, p, ids, weights()) == pytest.approx(OF_WEIGHTS, rel=1e-10)


def test_the_residual_is_that_of_sums_over_groups():
    y, p, ids = drawn()
    found = tendency_of(fot.read(y, p, groups=ids))
    r = y - p
    sums = np.bincount(ids, r - r.mean())
    se = np.sqrt(K / (K - 1) * sums @ sums) / r.size
    assert spread(found.residual_interval, effective(ids) - 1) == pytest.approx(se)
    assert found.residual == tendency_of(fot.read(y, p)).residual


def test_groups_of_one_row_each_change_nothing():
    y, p, ids = drawn()
    assert tendency_of(fot.read(y, p, groups=np.arange(ids.size)[::-1])) == tendency_of(fot.read(y, p))


def test_copies_are_rows_of_one_group():
    y, p, ids = drawn()
    w = np.random.default_rng(2).integers(1, 4, ids.size)
    counted = tendency_of(fot.read(y, p, groups=ids, sample_weight=w))
    written = tendency_of(fot.read(*(np.repeat(column, w) for column in (y, p)), groups=np.repeat(ids, w)))
    for name in ("residual_interval", "slope_interval"):
        one, other = getattr(counted, name), getattr(written, name)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-7)


def test_below_ten_effective_groups_there_is_no_interval_and_no_word():
    y, p, ids = drawn()
    found = tendency_of(fot.read(y, p - p / 2, groups=ids % 9))
    plain = tendency_of(fot.read(y, p - p / 2))
    assert plain.words
    assert (found.residual_interval, found.slope_interval, found.words) == (None, None, [])
    assert (found.residual, found.slope, found.reason) == (plain.residual, plain.slope, NOT_LEARNT)
    assert f"no interval: {NOT_LEARNT}" in found.slope_in_words
    assert f"no interval: {NOT_LEARNT}" in found.residual_in_words
    record = json.loads(json.dumps(found.to_dict()))
    assert record["residual_interval"] is record["slope_interval"] is None


def of_segment(y, p, ids, kept):
    """Return a segment of some groups that knows the dependence of all rows."""
    samples = fot.read(y, p, groups=ids, by=np.where(np.isin(ids, kept), "kept", "other"))
    share_dependence(samples)
    return samples["kept"], dependence_of(samples.whole).icc


def test_a_segment_of_few_groups_learns_from_all_rows():
    y, p, ids = drawn(times=10, spread=0.3)
    segment, icc = of_segment(y, p, ids, range(3, 12))
    assert icc > 0.005
    found = tendency_of(segment)
    rows, w = segment.rows, np.ones(segment.n)
    of_group = segment.present.facts["group"]
    r, v = rows.y - rows.p, np.sqrt(rows.p * (1 - rows.p))
    alike = of_group[:, None] == of_group[None, :]
    product = np.where(alike, icc * np.outer(v, v), 0.0)
    variance = ((r - r.mean()) ** 2).sum() + product.sum() - np.trace(product)
    degrees = segment.groups.effective - 1
    assert spread(found.residual_interval, degrees) == pytest.approx(np.sqrt(variance) / w.sum())
    x = np.column_stack((logit(rows.p, 1e-16), w))
    line = fot.Platt().fit(rows.p, rows.y)
    c = line.map_(rows.p)
    v = np.sqrt(c * (1 - c))
    middle = np.where(alike, icc * np.outer(v, v), 0.0)
    np.fill_diagonal(middle, (rows.y - c) ** 2)
    inverse = np.linalg.inv(x.T @ (x * (c * (1 - c))[:, None]))
    sandwich = inverse @ x.T @ middle @ x @ inverse
    assert spread(found.slope_interval, degrees) == pytest.approx(np.sqrt(sandwich[0, 0]), rel=1e-6)
    assert found.reason == ""


@pytest.fixture
def icc(monkeypatch):
    monkeypatch.setattr(effective_rows, "icc_of", lambda sample: 0.2)
    return 0.2


def test_the_exact_interval_of_few_events_is_that_of_fewer_rows(icc):
    rng = np.random.default_rng(0)
    ids, p = np.repeat(np.arange(30), 10), np.full(300, 0.05)
    y = (rng.random(300) < 0.05).astype(int)
    sample = fot.read(y, p, groups=ids)
    n = 300 / (1 + 9 * icc)
    low, high = share_interval(n * y.mean(), n, 0.95)
    found, plain = (tendency_of(each).residual_interval for each in (sample, fot.read(y, p)))
    assert (found.low, found.high) == pytest.approx((low - 0.05, high - 0.05))
    assert plain.low > low - 0.05
    assert plain.high < high - 0.05


def test_certain_scores_count_the_rows_that_tell_as_much(icc):
    ids = np.repeat(np.arange(20), 20)
    p = np.where(np.arange(400) % 2, 0.0, 0.5)
    y = np.where(np.arange(400) % 2, 0, np.arange(400) % 4 > 1)
    y[1] = 1
    (zeros,) = certain_scores(fot.read(y, p, groups=ids))
    n = 200 / (1 + 9 * icc)  # ten rows of each group have a score of 0
    assert zeros.rows == pytest.approx(n)
    low, high = share_interval(n * 0.005, n, 0.95)
    assert (zeros.wrong_interval.low, zeros.wrong_interval.high) == pytest.approx((low, high))
    assert zeros.refuted
    (few,) = certain_scores(fot.read(y, p, groups=ids % 5))
    assert few.wrong_interval is None
    assert few.refuted
    assert few.beyond_rounding  # one positive refutes calibrated scores of 0, however labels depend on each other
    assert f"no interval: {NOT_LEARNT}" in str(few)
    assert few.to_dict()["wrong_interval"] is None


def test_the_design_effect_is_that_of_equal_groups_and_never_below_one():
    ids, ones = np.repeat(np.arange(5), 7), np.ones(35)
    assert effective_rows.design_effect(ids, ones, ones, 0.1) == pytest.approx(1.6)
    assert effective_rows.design_effect(ids, 2 * ones, 4 * ones, 0.1) == pytest.approx(1.6)  # no scale of importances
    assert effective_rows.design_effect(np.arange(35), ones, ones, 0.5) == 1.0
