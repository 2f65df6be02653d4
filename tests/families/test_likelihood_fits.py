"""Platt and beta: the optimum of the likelihood, against brute force, on ordinary and nasty data."""

import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

import fitontest as fot
from tests.strategies import samples

pytestmark = pytest.mark.multiplies


def columns(p, eps):
    q = np.clip(p, eps, 1 - eps)
    return np.log(q), -np.log1p(-q)


def design(family, p):
    """Return the features of a family's likelihood, the slopes' bounds, and whether there is an intercept."""
    if isinstance(family, fot.Platt):
        up, down = columns(p, family.map_.eps)
        return np.stack([p if family.link == "identity" else up + down], 1), None, True
    up, down = columns(p, family.map_.eps)
    half = 0.0 if "m" in family.parameters else np.log(2.0)
    two = "b" in family.parameters
    features = np.stack([up + half, down - half], 1) if two else (up + down)[:, None]
    return features, 0.0, "m" in family.parameters


def gradient(family, p, y, w):
    """Return the projected gradient per unit weight at the fitted parameters, recomputed from the map."""
    x, bound, intercept = design(family, p)
    r = w * (family.map_(p) - y) / w.sum()
    slopes = r @ x
    if bound is not None:
        theta = np.array([family.a_, family.b_])[: slopes.size]
        slopes = np.where((theta <= 0) & (slopes > 0), 0.0, slopes)
    return np.abs(np.append(slopes, r.sum() if intercept else 0.0)).max()


def brute_force(family, p, y, w):
    """Return the map at p of the same likelihood, minimised by a general optimiser."""
    x, bound, intercept = design(family, p)
    center, scale = x.mean(0) * intercept, np.maximum(x.std(0), 1e-300)
    z = (x - center) / scale
    z = np.column_stack([z, np.ones(len(p))]) if intercept else z
    share = w / w.sum()

    def loss(theta):
        eta = z @ theta
        return share @ (np.logaddexp(0, eta) - y * eta), z.T @ (share * (1 / (1 + np.exp(-eta)) - y))

    bounds = [(bound, None)] * x.shape[1] + [(None, None)] * intercept
    start = np.zeros(z.shape[1])
    for _ in range(20):  # restarts: L-BFGS-B stops by its own tolerance
        minimum = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B", options={"ftol": 0, "gtol": 1e-14})
        if np.allclose(minimum.x, start, rtol=1e-15, atol=0):
            break
        start = minimum.x
    free = np.array([bound is None or value > 0 for (bound, _), value in zip(bounds, start, strict=True)])
    for _ in range(5 * bool(free.any())):  # L-BFGS-B cannot see below the rounding of the loss, Newton can
        q = 1 / (1 + np.exp(-(z @ start)))
        x_free = z[:, free]
        hessian = x_free.T @ (x_free * (share * q * (1 - q))[:, None])
        start[free] -= np.linalg.lstsq(hessian, x_free.T @ (share * (q - y)), rcond=None)[0]
    return 1 / (1 + np.exp(-(z @ start)))


VARIANTS = {
    "platt": fot.Platt(),
    "platt-identity": fot.Platt("identity"),
    "abm": fot.Beta(),
    "am": fot.Beta("am"),
    "ab": fot.Beta("ab"),
    "a": fot.Beta("a"),
}
every = pytest.mark.parametrize("name", VARIANTS)


def data(kind, seed=0):
    """Return (p, y, w) of one kind of difficulty."""
    rng = np.random.default_rng(seed)
    n = 3000
    w = np.ones(n)
    p = rng.random(n)
    c = p**1.3
    if kind == "weights":
        w = rng.exponential(size=n) * rng.integers(0, 2, n)
    elif kind == "rare":  # a base rate of 1e-3 in scores of that order
        p = rng.beta(0.5, 500, n)
        c = p
    elif kind == "sharp":
        p = rng.beta(0.05, 0.05, n)
        c = 0.05 + 0.9 * p
    elif kind == "ties":
        p = np.round(p, 1)
        c = p * 0.8 + 0.1
    elif kind == "anti-calibrated":
        c = 1 - p
    elif kind == "narrow":
        p = 0.5 + 1e-4 * p
        c = (p - 0.5) * 1e4
    elif kind == "one-sided":  # an optimum with b at its bound
        c = np.sqrt(p)
    y = (rng.random(n) < c).astype(int)
    return p, y, w


KINDS = ["plain", "weights", "rare", "sharp", "ties", "anti-calibrated", "narrow", "one-sided"]


@every
@pytest.mark.parametrize("kind", KINDS)
def test_the_fit_is_the_optimum(name, kind):
    p, y, w = data(kind)
    family = VARIANTS[name].fit(p, y, w)
    assert gradient(family, p, y, w) <= 1e-10
    kept = w > 0
    np.testing.assert_allclose(family.predict(p)[kept], brute_force(family, p, y, w)[kept], rtol=0, atol=1e-8)


@every
@given(drawn=samples(weights=st.floats(-4, 4).map(lambda power: 10.0**power), min_size=4))
@example(drawn=(np.array([0, 0, 0, 1]), np.array([0.0, 0.0, 1.0, 0.0]), np.ones(4)))
@example(drawn=(np.array([1, 1, 0, 1]), np.array([0.48, 0.61, 0.49, 0.71]), np.array([0.226, 0.0743, 289.5, 0.0122])))
@settings(max_examples=40)
def test_random_small_data_have_a_vanishing_gradient(name, drawn):
    y, p, w = drawn
    with warnings.catch_warnings():
        warnings.simplefilter("error", fot.results.SeparableDataWarning)
        try:
            family = VARIANTS[name].fit(p, y, w)
        except fot.results.SeparableDataWarning:
            return
    if isinstance(family.map_, fot.maps.BinnedMap):
        return
    assert gradient(family, p, y, w) <= 1e-10


@pytest.mark.parametrize(("rate", "n"), [(1e-2, 30_000), (1e-4, 250_000)])
@pytest.mark.parametrize("name", ["platt", "abm", "am"])
def test_large_rare_data_through_the_histogram_start(rate, n, name):
    """Above 20,000 rows the first guess comes from a histogram; the optimum must not know."""
    rng = np.random.default_rng(1)
    p = rng.beta(0.5, 0.5 / rate, n)
    y = (rng.random(p.size) < np.minimum(1, p**1.1 * 1.2)).astype(int)
    assert y.sum() > 10
    family = VARIANTS[name].fit(p, y)
    assert gradient(family, p, y, np.ones(p.size)) <= 1e-10
    np.testing.assert_allclose(family.predict(p), brute_force(family, p, y, np.ones(p.size)), rtol=0, atol=1e-8)


def test_platt_on_logits_is_a_logistic_regression():
    p, y, w = data("weights")
    x = np.log(p / (1 - p))[:, None]
    exact = LogisticRegression(C=1e15, solver="newton-cholesky", tol=1e-12).fit(x, y, w)
    family = fot.Platt().fit(p, y, w)
    assert family.slope_ == pytest.approx(exact.coef_[0, 0], abs=1e-8)
    assert family.intercept_ == pytest.approx(exact.intercept_[0], abs=1e-8)


def test_calibrated_scores_are_left_alone():
    """With exact label shares as weights, the logit link has slope 1 and intercept 0, beta has a = b = 1."""
    p = np.linspace(0.01, 0.99, 99)
    both, y = np.concatenate((p, p)), np.repeat([1, 0], 99)
    w = np.concatenate((p, 1 - p))
    platt, beta = fot.Platt().fit(both, y, w), fot.Beta().fit(both, y, w)
    assert (platt.slope_, platt.intercept_) == pytest.approx((1, 0), abs=1e-9)
    assert (beta.a_, beta.b_, beta.intercept_) == pytest.approx((1, 1, 0), abs=1e-8)
    assert np.abs(fot.Platt("identity").fit(both, y, w).predict(p) - p).max() > 0.01


def test_smoothed_targets():
    p, y, w = data("weights")
    n1, n0 = w[y == 1].sum(), w[y == 0].sum()
    family = fot.Platt(smoothing=True).fit(p, y, w)
    targets = np.where(y == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    r = w * (family.predict(p) - targets) / w.sum()
    assert abs(r.sum()) < 1e-10
    assert abs(r @ np.log(p / (1 - p))) < 1e-10
    one_class = fot.Platt(smoothing=True).fit([0.2, 0.7], [1, 1])
    np.testing.assert_allclose(one_class.predict([0.1, 0.9]), 3 / 4)


def test_constant_scores_and_one_class_give_the_base_rate():
    for family in VARIANTS.values():
        family.fit(np.full(10, 0.3), np.arange(10) < 4)
        np.testing.assert_allclose(family.predict([0.0, 0.3, 1.0]), 0.4)
        family.fit([0.2, 0.4, 0.9], [1, 1, 1])
        assert family.predict([0.0, 1.0]).tolist() == [1.0, 1.0]
        assert family.n_iter_ == 0


def test_two_distinct_scores_cannot_tell_the_slopes_apart():
    p = np.repeat([0.2, 0.7], 50)
    y = np.r_[np.arange(50) < 20, np.arange(50) < 30]
    family = fot.Beta().fit(p, y)
    assert family.a_ == family.b_
    np.testing.assert_allclose(family.predict([0.2, 0.7]), [0.4, 0.6], atol=1e-10)


@pytest.mark.parametrize("name", ["platt", "platt-identity", "abm", "am"])
@pytest.mark.parametrize("touching", [False, True], ids=["apart", "one tied score"])
def test_separable_data_give_a_steep_map_and_a_warning(name, touching):
    p = np.linspace(0.1, 0.9, 81)
    y = (p > 0.5).astype(int)
    if touching:  # both classes at the threshold, apart everywhere else
        p, y = np.append(p, p[40]), np.append(y, 1)
    with pytest.warns(fot.results.SeparableDataWarning, match="the scores separate the labels"):
        family = VARIANTS[name].fit(p, y)
    value = family.predict(p)
    assert np.isfinite(value).all()
    away = np.abs(p - p[40]) > 1e-9
    np.testing.assert_allclose(value[away], y[away], atol=0.02)
    if touching:
        np.testing.assert_allclose(value[~away], 0.5, atol=0.02)


def test_downward_separation_is_separation_for_platt_only():
    p = np.linspace(0.1, 0.9, 81)
    y = (p < 0.5).astype(int)
    with pytest.warns(fot.results.SeparableDataWarning):
        assert fot.Platt().fit(p, y).slope_ < 0
    beta = fot.Beta().fit(p, y)  # a, b >= 0: the best is a constant
    assert (beta.a_, beta.b_) == (0, 0)
    np.testing.assert_allclose(beta.predict(p), y.mean())


@pytest.mark.parametrize("parameters", ["ab", "a"])
def test_without_an_intercept_only_one_half_separates(parameters):
    p = np.linspace(0.1, 0.9, 80)
    with pytest.warns(fot.results.SeparableDataWarning):
        fot.Beta(parameters).fit(p, p > 0.5)
    assert fot.Beta(parameters).fit(p, p > 0.3).b_ > 0  # no warning: a finite optimum exists


def test_beta_is_never_decreasing():
    for kind in KINDS:
        for parameters in ("abm", "am", "ab", "a"):
            p, y, w = data(kind)
            value = fot.Beta(parameters).fit(p, y, w).predict(np.linspace(0, 1, 1001))
            assert np.all(np.diff(value) >= -1e-15)


def test_an_optimum_at_the_bound_exists_in_the_data():
    p = np.linspace(0.02, 0.98, 49)  # with c = 1 - 1.2 (1 - p)^2 ... the unconstrained a is negative
    both, y = np.concatenate((p, p)), np.repeat([1, 0], 49)
    c = 0.2 + 0.6 * np.maximum(p - 0.5, 0) ** 2
    w = np.concatenate((c, 1 - c))
    beta = fot.Beta().fit(both, y, w)
    assert beta.a_ == 0 < beta.b_
    assert gradient(beta, both, y, w) <= 1e-10
    p, y, w = data("anti-calibrated")
    assert fot.Beta().fit(p, y, w).a_ == 0


@pytest.mark.parametrize("kind", ["plain", "ties", "sharp", "weights"])
def test_betacal_agrees_where_it_converges(kind):
    p, y, w = data(kind)
    """The package always clips at the machine epsilon, certain scores too."""
    eps = float(np.finfo(float).eps)
    ours, theirs = fot.Beta(eps=eps).fit(p, y, w), fot.Beta(solver="betacal").fit(p, y, w)
    np.testing.assert_allclose(ours.predict(p), theirs.predict(p), rtol=0, atol=1e-3)
    assert gradient(ours, p, y, w) < 1e-2 * gradient(theirs, p, y, w) + 1e-12


def test_betacal_leaves_the_warning_filters_alone():
    p, y, _ = data("plain")
    before = list(warnings.filters)
    fot.Beta(solver="betacal").fit(p, y)
    assert warnings.filters == before
    with pytest.warns(UserWarning, match="still heard"):
        warnings.warn("still heard", stacklevel=1)


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (fot.Platt(link="probit"), "link must be one of 'logit', 'identity'; got 'probit'"),
        (fot.Platt(eps=0.7), r'eps must be a number in \(0, 0.5\) or "auto", got 0.7'),
        (fot.Platt(eps="none"), r'eps must be a number in \(0, 0.5\) or "auto", got \'none\''),
        (fot.Beta("b"), "parameters must be one of 'abm', 'am', 'ab', 'a'; got 'b'"),
        (fot.Beta(solver="adam"), "solver must be one of 'mle', 'betacal'; got 'adam'"),
        (fot.Beta(eps=0), "eps must be a number"),
        (fot.Beta([]), "parameters must be one of"),
        (fot.Platt(smoothing="no"), "smoothing must be True or False, got 'no'"),
    ],
)
def test_refusals(family, message):
    with pytest.raises(ValueError, match=message):
        family.fit([0.2, 0.6], [0, 1])


def test_separability_is_that_of_the_clipped_scores():
    """Scores below eps are one score to the likelihood: a positive among them does not undo the separation."""
    p = [1e-40, 1e-35, 1e-30, 1e-25, 1e-20, 0.3, 0.8, 0.99]
    with pytest.warns(fot.results.SeparableDataWarning):
        fot.Platt().fit(p, [0, 0, 0, 1, 0, 1, 1, 1])
    constant = fot.Platt().fit([0.0, 1e-17], [0, 1])  # and two of them are one constant score
    assert constant.predict([0.0, 1.0]).tolist() == [0.5, 0.5]


def test_many_scores_below_the_clipping():
    rng = np.random.default_rng(0)
    p = 10.0 ** rng.uniform(-30, -17, 30_000)
    y = rng.random(30_000) < 0.3
    for family in (fot.Platt(), fot.Beta()):
        np.testing.assert_allclose(family.fit(p, y).predict([0.1]), y.mean())


def test_a_class_of_vanishing_weight():
    family = fot.Platt().fit([0.1, 0.4, 0.6, 0.9], [1, 0, 1, 1], [1, 1e-16, 1, 1])
    assert np.all(family.predict([0.1, 0.6, 0.9]) > 1 - 1e-15)


def test_every_separable_data_set_warns_by_itself():
    code = "import fitontest as fot\nfor shift in (0, 0.1):\n"
    code += "    fot.Platt().fit([0.1, 0.2, 0.7 + shift], [0, 0, 1])\nfot.Platt().fit([0.1, 0.9], [0, 1])\n"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(compile(code, "<code of a user>", "exec"), {})
    places = [(one.category, one.filename, one.lineno) for one in caught]  # the user's lines, not ours
    assert places == [(fot.results.SeparableDataWarning, "<code of a user>", line) for line in (3, 3, 4)]


def test_scores_too_close_for_the_promise_say_so():
    rng = np.random.default_rng(0)
    p = 0.3 + 3e-16 * rng.standard_normal(2000)
    with pytest.warns(ConvergenceWarning, match="projected gradient"):
        fot.Platt("identity").fit(p, rng.random(2000) < 0.4)


@pytest.mark.parametrize("distance", [1e-12, 4e-13])  # at 1e-13 the sums of some processors leave 2e-9 of the loss
def test_a_gradient_that_rounding_leaves_is_no_warning_where_the_loss_is_the_least(distance):
    """Scores so close are far from 0, whose slope and intercept cancel: the gradient is 1e-9, the loss is the least."""
    rng = np.random.default_rng(0)
    p, y = 0.3 + distance * rng.standard_normal(2000), rng.random(2000) < 0.4
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        fitted = fot.Platt("identity").fit(p, y)
    apart = (p - 0.3) / (8 * distance) + 0.5  # the same scores, exactly, where nothing cancels
    least = log_loss(y, fot.Platt("identity").fit(apart, y).predict(apart))
    assert log_loss(y, fitted.predict(p)) <= least * (1 + 1e-9)


@pytest.mark.parametrize("family", [fot.Platt(), fot.Beta(), fot.families.Temperature()], ids=str)
def test_a_fit_that_has_not_converged_says_so(family, monkeypatch):
    monkeypatch.setattr("fitontest.numerics.newton.MAX_STEPS", 2)
    rng = np.random.default_rng(0)
    p = rng.random(500)
    with pytest.warns(ConvergenceWarning, match="stopped after 2 steps at a projected gradient"):
        family.fit(p, rng.random(500) < p**3)


@pytest.mark.parametrize("kind", ["plain", "ties", "sharp", "weights"])
def test_temperature_is_beta_with_one_parameter(kind):
    p, y, w = data(kind)
    eps = 2.2e-16
    fitted = fot.families.Temperature(eps).fit(p, y, w)
    np.testing.assert_allclose(fitted.predict(p), fot.Beta("a", eps=eps).fit(p, y, w).predict(p), rtol=0, atol=1e-10)
    assert fitted.map_.intercept == 0.0
    assert fitted.map_.slope == pytest.approx(1 / fitted.temperature_)


@pytest.mark.parametrize(
    ("p", "y", "temperature"),
    [
        ([0.5, 0.5, 0.5], [0, 1, 1], 1.0),  # nothing to learn
        ([0.9, 0.8, 0.2], [0, 0, 1], np.inf),  # the wrong way round: 1/2 everywhere
        ([0.8, 0.8, 0.8, 0.8], [1, 1, 1, 0], np.log(4) / np.log(3)),  # one score: its mean label, if on its side of 1/2
    ],
)
def test_temperatures_in_closed_form(p, y, temperature):
    assert fot.families.Temperature().fit(p, y).temperature_ == pytest.approx(temperature, rel=1e-9)


def test_temperature_on_separable_labels_warns():
    with pytest.warns(fot.results.SeparableDataWarning, match="temperature: the scores separate"):
        fitted = fot.families.Temperature().fit([0.2, 0.5, 0.9], [0, 1, 1])
    assert 0 < fitted.temperature_ < 0.2
