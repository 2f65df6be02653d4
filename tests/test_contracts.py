"""What every family promises, checked over the registry: a new family is tested by existing.

Values are compared as maps at the data and on a grid, not as parameters: at low base rates the likelihood is so flat
that parameters may differ where the maps do not.
"""

import pickle
import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import NotFittedError

import fitontest as fot
from tests.labellings import fit_predict_many
from tests.quick_families import quick
from tests.strategies import noisy

GRID = np.linspace(0, 1, 101)
FITTED_KNOTS = fot.PL, fot.PL3, type(quick("pl_de"))
NAMES = fot.families.names("two")
VARIANTS = {
    **{name: quick(name) for name in NAMES},
    "pl_de-parabolas": fot.families.make("pl_de", n_bins=2, degree=2),
    "slope1-15": fot.Slope1(15),
    "slope1-equal_width": fot.Slope1(7, "equal_width"),
    "slope1-right": fot.Slope1(7, closed="right"),
    "slope1-edges": fot.Slope1([0.1, 0.4, 0.9]),
    "slope1-sweep": fot.Slope1("sweep"),
    "slope1-cube_root": fot.Slope1("cube_root"),
    "slope1-log_loss": fot.Slope1(scoring="log_loss"),
    "slope1-pava": fot.Slope1(scheme=fot.partitions.Pava()),
    "flat-10": fot.Flat(10),
    "flat-width-cv": fot.Flat(scheme="equal_width"),
    "platt-identity": fot.Platt(link="identity"),
    "platt-smoothing": fot.Platt(smoothing=True),
    "beta-am": fot.Beta("am"),
    "beta-ab": fot.Beta("ab"),
    "beta-a": fot.Beta("a"),
    "isotonic-step": fot.Isotonic("step"),
    "pl-brier": fot.PL(2, loss="brier", scoring="brier", cv=3),  # more settings in tests/families/piecewise
    "pl-bare": fot.PL(2, alpha=0, kappa=0, ensemble=False),
    "pl3-refit": fot.PL3(ensemble=False, cv=3),
    "pl3-refit-4": fot.PL3(4, ensemble=False),
    "spline-3": fot.Spline(3),
    "stacking": fot.families.Stacking(["identity", "platt", "isotonic"]),  # members that are quick
    "stacking-brier": fot.families.Stacking([fot.Slope1(5), "beta"], cv=3, loss="brier", prior=2.0),
    "scaling_binning-3": fot.families.ScalingBinning(3),
    "cumulative_spline-3": fot.families.CumulativeSpline(3, kind="parabolic"),
    "cumulative_spline-cubic": fot.families.CumulativeSpline(kind="cubic", monotone=True),
    "kde-narrow": fot.families.KDE(0.01),
    "lowess-narrow": fot.risk.Lowess(span=0.2, delta=0.0),
    "loess-lines": fot.risk.Loess(span=0.3, degree=1),
    "loess-direct": fot.risk.Loess(surface="direct"),
    "rcs-3": fot.families.RestrictedCubicSpline(3),
    "pl-atoms": fot.PL(2, ensemble=False, atoms=True),
    "pl3-atoms": fot.PL3(2, cv=3, atoms=True),
    "cumulative_spline-atoms": fot.families.CumulativeSpline(atoms=True),
    "kde-atoms": fot.families.KDE(atoms=True),
    "cross_validated": fot.families.CrossValidated("flat", candidates=[1, 2, 4, 8], cv=3),
}


def chooses_by_rows(family):
    """Tell whether the family counts rows (folds, cube root), so that a row of weight 2 is not that row twice."""
    params = family.get_params()
    counted = params.get("n_bins") in ("cv", "cube_root") or params.get("ensemble", False)
    segments = params.get("n_segments")
    counted = counted or np.size(segments) > 1 or isinstance(segments, str)
    return counted or isinstance(family, fot.families.CrossValidated | fot.families.Stacking)


def by_name(names):
    return pytest.mark.parametrize("name", names)


every_family = by_name(VARIANTS)
every_class = by_name(NAMES)  # what `fit` and the checks of the input do, whatever the settings
WEIGHTED = [name for name, family in VARIANTS.items() if not chooses_by_rows(family)]
# pava_bc bounds are weights and the smoothed targets count weight: there scaling the weights is another question
scalable = by_name([name for name in VARIANTS if name not in ("pava_bc", "platt-smoothing")])
IS_SLOW = {name: isinstance(family, FITTED_KNOTS) for name, family in VARIANTS.items()}


def with_ties(names):
    """Return pairs of a name and of the decimals that scores are rounded to: none and 1.

    Scores of 2 decimals are tied and alone, and do for families whose fit is slow.
    """
    return pytest.mark.parametrize(
        ("name", "ties"), [(name, ties) for name in names for ties in ([2] if IS_SLOW[name] else [None, 1])]
    )


def fitted(name, p, y, w=None, family=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        return clone(VARIANTS[name] if family is None else family).fit(p, y, w)


@cache
def standard(name):
    """Return the family fitted to the rows that most tests look at; nobody changes it."""
    y, p = noisy(ties=2)
    return fitted(name, p, y)


def assert_same_map(a, b, at, atol=1e-12):
    for scores in (at, GRID):
        np.testing.assert_allclose(a.predict(scores), b.predict(scores), rtol=0, atol=atol)
    assert hasattr(a, "partition_") == hasattr(b, "partition_")
    if hasattr(a, "partition_"):
        assert a.n_bins_ == b.n_bins_
        assert a.partition_.closed == b.partition_.closed
        edges = a.partition_.edges, b.partition_.edges  # of bins made by rules exact, of fitted knots as the values
        np.testing.assert_allclose(*edges, rtol=0, atol=atol if isinstance(a, FITTED_KNOTS) else 0)


def tolerance(name):
    """Likelihood fits agree to their gradient tolerance, sums of weights to rounding."""
    return 1e-9 if name.startswith(("platt", "beta", "pl", "scaling_binning", "rcs")) else 1e-12


@every_family
def test_outputs(name):
    _, p = noisy(ties=2)
    family = standard(name)
    assert isinstance(family.map_, fot.CalibrationMap)
    assert family.predict(p).shape == p.shape
    assert family.predict(p).dtype == np.float64
    proba = family.predict_proba(p)
    assert proba.shape == (p.size, 2)
    assert np.all((proba >= 0) & (proba <= 1))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-15)
    np.testing.assert_array_equal(family.transform(p), np.clip(family.predict(p), 0, 1))
    np.testing.assert_array_equal(family.transform(p), family.predict(p, clip=True))
    np.testing.assert_array_equal(proba[:, 1], family.transform(p))
    assert np.isfinite(family.predict(GRID)).all()


@every_family
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_only_shifts_leave_the_unit_interval(name, share):
    """Weights of all sizes, and labels of one class, so that a mean of labels may be rounded past 0 or 1."""
    y, p = noisy(80, ties=2)
    w = np.random.default_rng(3).random(80) ** 9 / 3
    c = fitted(name, p, (y * 2 * share > 0.5) | (share == 1.0), w).map_
    at = np.concatenate((GRID, p))
    assert c.leaves_unit_interval or np.all((c(at) >= 0) & (c(at) <= 1))
    assert c.decreasing == (c.to_dict().get("decreasing") is True)


@every_family
def test_scikit_learn_conventions(name):
    family = VARIANTS[name]
    assert not hasattr(family, "map_")
    again = clone(family)
    assert repr(again) == repr(family)
    assert repr(again.get_params()) == repr(family.get_params())
    assert again.set_params(**family.get_params()) is again
    with pytest.raises(NotFittedError):
        again.predict([0.5])


@every_family
def test_fit_leaves_the_parameters_alone(name):
    family = standard(name)
    assert repr(family.get_params()) == repr(VARIANTS[name].get_params())


@every_family
def test_fit_map_is_pure(name):
    y, p = noisy(ties=2)
    sample, family = fot.ScoreSample(y, p), clone(VARIANTS[name])
    before = repr(vars(family))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        found = family.fit_map(sample)
    assert repr(vars(family)) == before
    assert found == standard(name).map_


@every_family
def test_refit_is_idempotent(name):
    y, p = noisy(ties=2)
    once = standard(name)
    other_y, other_p = noisy(150, seed=9)
    twice = fitted(name, other_p, other_y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        assert twice.fit(p, y) is twice
    assert vars(once).keys() == vars(twice).keys()
    assert once.map_ == twice.map_


@every_family
def test_pickle(name):
    _, p = noisy(ties=2)
    family = standard(name)
    again = pickle.loads(pickle.dumps(family))
    assert again.map_ == family.map_
    assert_same_map(family, again, p, atol=0)


@every_family
def test_the_map_survives_json(name):
    import json

    found = standard(name).map_
    again = fot.CalibrationMap.from_dict(json.loads(json.dumps(found.to_dict(), allow_nan=False)))
    assert again == found
    np.testing.assert_array_equal(again(GRID), found(GRID))


@with_ties(VARIANTS)
def test_row_order_does_not_matter(name, ties):
    y, p = noisy(ties=ties)
    w = np.random.default_rng(1).choice([0.5, 1.0, 2.0, 0.3], p.size) if ties else np.ones(p.size)
    order = np.random.default_rng(2).permutation(p.size)
    assert_same_map(fitted(name, p, y, w), fitted(name, p[order], y[order], w[order]), p)


@with_ties(WEIGHTED)
def test_a_weight_of_two_is_the_row_twice(name, ties):
    y, p = noisy(ties=ties)
    w = np.random.default_rng(1).integers(0, 4, p.size)
    assert_same_map(fitted(name, p, y, w), fitted(name, np.repeat(p, w), np.repeat(y, w)), p, tolerance(name))


@with_ties(VARIANTS)
def test_a_weight_of_zero_is_the_row_absent(name, ties):
    y, p = noisy(ties=ties)
    w = np.random.default_rng(1).choice([0.0, 1.0, 2.5], p.size)
    kept = w > 0
    assert_same_map(fitted(name, p, y, w), fitted(name, p[kept], y[kept], w[kept]), p, tolerance(name))


@scalable
def test_scaling_the_weights_changes_nothing(name):
    y, p = noisy(ties=2)
    w = np.random.default_rng(1).choice([0.5, 1.0, 2.0, 0.3], p.size)
    plain = fitted(name, p, y, w)
    for factor in (7.3, 1e-6):
        assert_same_map(plain, fitted(name, p, y, factor * w), p, 100 * tolerance(name))


@every_class
def test_float32_is_its_float64_value(name):
    y, p = noisy()
    single = p.astype(np.float32)
    assert_same_map(fitted(name, single, y), fitted(name, single.astype(np.float64), y), p, atol=0)


@every_class
def test_labels_of_any_kind(name):
    y, p = noisy(50)
    expected = fitted(name, p, y)
    for labels in (y.astype(bool), y.astype(np.int8), y.astype(np.float32), 2 * y - 1, list(y)):
        assert_same_map(fitted(name, p, labels), expected, p, atol=0)
    strings = np.where(y == 1, "sick", "well")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        assert_same_map(clone(VARIANTS[name]).fit(p, strings, pos_label="sick"), expected, p, atol=0)


HARD = {
    "n=1": ([0.3], [1]),
    "n=1 at 0": ([0.0], [0]),
    "n=2": ([0.3, 0.6], [1, 0]),
    "all positive": (np.linspace(0, 1, 50), np.ones(50)),
    "all negative": (np.linspace(0, 1, 50), np.zeros(50)),
    "constant p": (np.full(60, 0.4), np.arange(60) % 3 == 0),
    "constant p = 1": (np.full(60, 1.0), np.arange(60) % 3 == 0),
    "p in {0, 1}": (np.arange(60) % 2, np.arange(60) % 3 == 0),
    "p = y": (np.arange(60) % 2, np.arange(60) % 2),
    "p = 1 - y": (1 - np.arange(60) % 2, np.arange(60) % 2),
    "separable": (np.linspace(0.1, 0.9, 80), np.linspace(0.1, 0.9, 80) > 0.35),
    "separable downward": (np.linspace(0.1, 0.9, 80), np.linspace(0.1, 0.9, 80) < 0.35),
    "tiny p": (np.linspace(1e-12, 1e-9, 50), np.arange(50) % 7 == 0),
    "denormal p": (np.linspace(5e-324, 5e-320, 50), np.arange(50) % 7 == 0),
    "near 1": (1 - np.linspace(1e-15, 1e-13, 50), np.arange(50) % 7 != 0),
    "anti-calibrated": (np.linspace(0, 1, 90), np.arange(90) % 90 < 45),
    "heavy tie": (np.concatenate((np.linspace(0, 0.9, 40), np.full(200, 1.0))), np.arange(240) % 4 != 0),
}


@by_name([name for name in VARIANTS if not name.startswith(("pl-", "pl3-"))])  # those in tests/families/piecewise
@pytest.mark.parametrize("case", HARD)
def test_hard_inputs(name, case):
    p, y = (np.asarray(column) for column in HARD[case])
    weights = [None, np.linspace(0, 3, p.size) if p.size > 1 else [2.0]]
    for w in weights if name in NAMES and not IS_SLOW[name] else weights[1:]:
        with warnings.catch_warnings():
            if (name, case) == ("platt-identity", "near 1"):  # spread over 1e-13, no float slope is exact
                warnings.simplefilter("ignore", ConvergenceWarning)
            family = fitted(name, p, y, w)
        assert np.isfinite(family.predict(GRID)).all()
        assert np.isfinite(family.predict(p.astype(float))).all()
        error = fot.measures.PlugIn(family.map_).estimate(fot.ScoreSample(y, p, w))
        assert 0 <= float(error) <= 1 + 1e-12


@every_family
@pytest.mark.parametrize("value", [0, 1])
def test_one_class_is_predicted_at_the_data(name, value):
    """Every family that fits labels predicts the only label there is; slope-1 bins do on average."""
    p = np.linspace(0.05, 0.95, 40)
    family = fitted(name, p, np.full(40, value))
    shrinks = getattr(family, "kappa", 0) > 0 or getattr(family, "prior", 0) > 0  # a few rows of the identity are added
    shrinks = shrinks or name == "venn_abers"  # and there a row of either label
    if name in ("identity", "platt-smoothing", "temperature") or shrinks:  # one parameter cannot move 1/2
        return
    if name.startswith("cumulative_spline"):  # a smooth curve through the sums follows them nearly
        assert np.mean(family.predict(p)) == pytest.approx(value, abs=0.03)
        return
    mean_of_bins = name.startswith("slope1")
    got = np.mean(family.predict(p)) if mean_of_bins else family.predict(p)
    np.testing.assert_allclose(got, value, atol=1e-12)


@every_class
def test_refusals_name_the_argument(name):
    family = clone(VARIANTS[name])
    with pytest.raises(ValueError, match=r"p must lie in \[0, 1\], got 1.5 at row 2"):
        family.fit([0.5, 1.5], [0, 1])
    with pytest.raises(ValueError, match="y must have at most two classes, got 3"):
        family.fit([0.5, 0.7, 0.2], [0, 1, 2])
    with pytest.raises(ValueError, match="look swapped"):
        family.fit([0, 1, 1], [0.2, 0.5, 0.7])
    with pytest.raises(ValueError, match=r"sample_weight must not be negative, got -1\.0 at row 1"):
        family.fit([0.5, 0.7], [0, 1], [-1, 2])
    family = standard(name)
    with pytest.raises(ValueError, match="p must"):
        family.predict([0.5, np.nan])
    with pytest.raises(ValueError, match="p must"):
        family.predict([-0.1])


@every_family
def test_as_an_evaluator(name):
    y, p = noisy(ties=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        error = fot.calibration_error(y, p, family=VARIANTS[name])
    assert not hasattr(VARIANTS[name], "map_")  # it was cloned
    c_hat = standard(name)
    assert float(error) == pytest.approx(np.mean(np.abs(c_hat.predict(p) - p)), abs=1e-12)
    assert error.map == c_hat.map_
    assert error.fitted_on_these_rows


def shares_work(name):
    """Tell whether the family fits many labellings in another way than one after the other."""
    return type(VARIANTS[name]).fit_many is not fot.Family.fit_many


@pytest.mark.parametrize(
    ("name", "case"),
    [
        (name, case)
        for name in VARIANTS
        for case in (["plain", "ties", "whole weights", "weights"] if shares_work(name) else ["ties", "weights"])
    ],
)
def test_many_labellings_at_once_are_as_each_by_itself(name, case):
    """Also a labelling of one class, and one that a threshold separates."""
    n = 120
    y, p = noisy(n, ties=2 if case == "ties" else None)
    rng = np.random.default_rng(5)
    w = {"whole weights": rng.integers(0, 4, n).astype(float), "weights": rng.lognormal(size=n)}.get(case)
    labels = np.stack([y, np.ones(n), p > 0.4], axis=1).astype(int)
    family = VARIANTS[name]
    if not shares_work(name):
        labels = labels[:, :1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        values = fit_predict_many(family, p, labels, w)
    assert values.shape == labels.shape
    for column, labelling in enumerate(labels.T):
        expected = fitted(name, p, labelling, w).predict(p)
        np.testing.assert_allclose(values[:, column], expected, rtol=0, atol=1e-10)
