"""Values of many labellings at once: entries of several rows, and what entries remember between families."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.entries import Entries
from fitontest.data.weights import read_weights
from fitontest.families.base import Family, shares_fits
from tests.labellings import entries_of_columns, fit_predict_many
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

FAST = {
    "fixed": fot.Slope1(5),
    "other fixed": fot.Slope1(7),
    "flat": fot.Flat(5),
    "right": fot.Slope1(5, closed="right"),
    "width": fot.Flat(5, "equal_width"),
    "width right": fot.Flat(5, "equal_width", closed="right"),
    "edges": fot.Slope1([0.2, 0.5]),
    "edges right": fot.Slope1([0.2, 0.5], closed="right"),
    "cube_root": fot.Slope1("cube_root"),
    "sweep": fot.Slope1("sweep"),
    "sweep width": fot.Slope1("sweep", "equal_width"),
    "cv": fot.Slope1(),
    "flat cv": fot.Flat(),
    "cv right": fot.Slope1(closed="right"),
    "cv width": fot.Slope1(scheme="equal_width"),
    "few folds": fot.Slope1(cv=3),
    "few bins": fot.Slope1(max_bins=3),
    "other folds": fot.Slope1(random_state=1),
    "argmin": fot.Slope1(tolerance=0.0),
    "isotonic": fot.Isotonic(),
    "isotonic step": fot.Isotonic("step"),
    "pava_bc": fot.families.make("pava_bc"),
    "pava_bc small": fot.families.make("pava_bc", n_min=2, n_max=50),
    "knn": fot.families.make("knn"),
    "knn 3": fot.families.make("knn", k=3),
    "identity": fot.families.make("identity"),
    "kde": fot.families.make("kde"),
    "cumulative_spline": fot.families.make("cumulative_spline"),
    "kde atoms": fot.families.make("kde", atoms=True),
    "cumulative_spline atoms": fot.families.make("cumulative_spline", atoms=True),
    "lowess": fot.risk.Lowess(),
    "lowess narrow": fot.risk.Lowess(span=0.2, delta=0.0),
    "loess": fot.risk.Loess(),
    "loess lines": fot.risk.Loess(span=0.3, degree=1),
    "loess direct": fot.risk.Loess(surface="direct"),
    "stacking": fot.families.Stacking(["identity", "platt", "spline"], cv=4),
    "stacking other folds": fot.families.Stacking(["identity", "platt", "spline"], cv=4, random_state=1),
    "stacking brier": fot.families.Stacking(["identity", "platt", "isotonic"], cv=3, loss="brier", prior=0.0),
}
AT_OTHERS = {
    "identity": fot.families.make("identity"),
    "temperature": fot.families.make("temperature"),
    "platt": fot.families.make("platt"),
    "platt smoothed": fot.families.make("platt", smoothing=True),
    "platt identity": fot.families.make("platt", link="identity"),
    "beta": fot.families.make("beta"),
    "beta am": fot.families.make("beta", parameters="am"),
    "beta betacal": fot.families.make("beta", solver="betacal"),
    "spline": fot.families.make("spline"),
    "isotonic": fot.families.make("isotonic"),
    "rcs": fot.families.RestrictedCubicSpline(),
    "lowess": fot.risk.Lowess(),
    "loess": fot.risk.Loess(),
    "loess direct": fot.risk.Loess(surface="direct"),
}


def one_by_one(family, entries, positives):
    return Family.fit_many(family, entries, positives).at()


def several_rows(whole):
    """Return entries of one to four rows each, some tied, and labellings of them."""
    rng = np.random.default_rng(3)
    p, n = np.sort(np.round(rng.random(60), 2)), rng.integers(1, 5, 60)
    w = n.astype(float) if whole else n * rng.lognormal(size=60)
    positives = rng.binomial(n, p, size=(4, 60)).T
    positives[:, 0], positives[:, 1] = 0, n
    return Entries(p, w, n, whole), positives


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.filterwarnings("ignore::fitontest.results.exceptions.BlockSizeWarning")
def test_entries_of_several_rows(name, whole):
    """Folds are drawn of rows, which entries of other weights do not tell apart."""
    if not whole and getattr(FAST[name], "n_bins", None) == "cv":
        return
    entries, positives = several_rows(whole)
    expected = one_by_one(FAST[name], entries, positives)
    np.testing.assert_allclose(FAST[name].fit_many(entries, positives).at(), expected, rtol=0, atol=1e-12)


@pytest.mark.exhaustive
def test_settings_do_not_share_what_entries_remember():
    y, p = noisy(150)
    entries, order = entries_of_columns(p, read_weights(np.ones(p.size), "w"))
    positives = np.stack([y[order], 1 - y[order]], axis=1)
    expected = {name: one_by_one(family, entries, positives) for name, family in FAST.items()}
    for name in [*FAST, *reversed(FAST)]:
        values = FAST[name].fit_many(entries, positives).at()
        np.testing.assert_allclose(values, expected[name], rtol=0, atol=1e-12, err_msg=name)


@pytest.mark.parametrize("name", ["fixed", "cv", "knn", "cumulative_spline", "lowess", "loess"])
def test_what_depends_on_the_scores_is_made_once(name):
    y, p = noisy(150)
    entries, order = entries_of_columns(p, read_weights(np.ones(p.size), "w"))
    FAST[name].fit_many(entries, y[order, None]).at()
    before = dict(entries.memory)
    FAST[name].fit_many(entries, y[order, None]).at()
    assert before
    assert before.keys() == entries.memory.keys()
    assert all(entries.memory[key] is made for key, made in before.items())


@pytest.mark.parametrize("name", ["isotonic", "isotonic step", "pava_bc small", "knn 3"])
@pytest.mark.parametrize("start", [0.0, 0.3, 1.0 - 40 * 2.0**-53])
def test_neighbouring_floats(name, start):
    """Midpoints between them are rounded to one of the two."""
    p = start + np.arange(30) * (5e-324 if start == 0.0 else np.spacing(start))
    entries, _ = entries_of_columns(p, read_weights(np.ones(p.size), "w"))
    positives = np.random.default_rng(0).integers(0, 2, (30, 5))
    expected = one_by_one(FAST[name], entries, positives)
    np.testing.assert_allclose(FAST[name].fit_many(entries, positives).at(), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("family", "message"),
    [
        (fot.Isotonic("cubic"), "interpolation"),
        (fot.families.make("knn", k=0), "k must be a whole number"),
        (fot.families.make("pava_bc", n_min=9, n_max=3), "n_min"),
        (fot.Slope1(0), "n_bins"),
        (fot.Slope1(closed="both"), "closed"),
        (fot.Slope1([0.5], fot.partitions.EqualMass()), "n_bins must not be edges"),
    ],
)
def test_refusals_name_the_argument(family, message):
    entries, positives = several_rows(whole=True)
    with pytest.raises(ValueError, match=message):
        family.fit_many(entries, positives).at()


@pytest.mark.parametrize("name", FAST)
def test_no_labelling_has_no_values(name):
    entries, positives = several_rows(whole=True)
    assert FAST[name].fit_many(entries, positives[:, :0]).at().shape == (entries.distinct_p.size, 0)


@pytest.mark.parametrize("kind", ["rows", "ties", "weights", "several"])
def test_maps_of_splines_are_those_of_single_fits(kind):
    rng = np.random.default_rng(0)
    p = np.sort(rng.random(150) if kind in ("rows", "weights") else np.round(rng.random(150), 2))
    n = np.full(150, 3 if kind == "several" else 1)
    w = rng.lognormal(size=150) if kind == "weights" else n.astype(float)
    entries = Entries(p, w, n, kind != "weights")
    positives = rng.binomial(n, p, size=(5, 150)).T
    at = np.linspace(0, 1, 50)
    maps = [*fot.Spline().fit_many(entries, positives).maps()]
    expected = [fot.Spline().fit_map(entries.sample(labels)) for labels in positives.T]
    assert len(maps) == len(expected)
    for found, alone in zip(maps, expected, strict=True):
        np.testing.assert_allclose(found(at), alone(at), rtol=0, atol=1e-7)
        assert type(found) is type(alone)


@pytest.mark.parametrize("kind", ["rows", "ties", "weights", "several", "one score"])
@pytest.mark.parametrize("name", AT_OTHERS)
@pytest.mark.filterwarnings("ignore::fitontest.results.exceptions.CalibrationWarning")
def test_values_at_other_scores_are_those_of_single_fits(name, kind):
    """Also beyond the scores that were fitted to, and of labels of one class or separable ones."""
    rng = np.random.default_rng(1)
    p = np.sort(rng.uniform(0.2, 0.9, 120) if kind in ("rows", "weights") else np.round(rng.uniform(0.2, 0.9, 120), 2))
    if kind == "one score":
        p = np.full(120, 0.3)
    n = np.full(120, 3 if kind == "several" else 1)
    w = rng.lognormal(size=120) if kind == "weights" else n.astype(float)
    entries = Entries(p, w, n, kind != "weights")
    positives = np.stack([rng.binomial(n, p), rng.binomial(n, p**2), 0 * n, n, np.where(p > 0.5, n, 0)], axis=1)
    at = np.concatenate(([0.0, 1e-9], np.linspace(0.01, 0.99, 30), [1.0]))
    found = AT_OTHERS[name].fit_many(entries, positives).at(at)
    maps = [AT_OTHERS[name].fit_map(entries.sample(labels)) for labels in positives.T]
    np.testing.assert_allclose(found, np.stack([c_hat(at) for c_hat in maps], axis=1), rtol=0, atol=1e-7)


@pytest.mark.parametrize("kind", ["rows", "ties", "weights", "tied weights"])
def test_mixtures_of_many_labellings_are_those_of_single_fits(kind):
    y, p = noisy(200)
    rng = np.random.default_rng(2)
    p = np.round(p, 2) if "tie" in kind else p
    w = rng.lognormal(size=200) if "weights" in kind else None
    labels = np.stack([y, rng.random(200) < p], axis=1).astype(int)
    stacking = fot.families.Stacking(["identity", "platt", "beta", "spline"])
    assert shares_fits(stacking)
    found = fit_predict_many(stacking, p, labels, w)
    alone = [fot.families.Stacking(stacking.families).fit(p, column, w).predict(p) for column in labels.T]
    np.testing.assert_allclose(found, np.stack(alone, axis=1), rtol=0, atol=1e-9)


def test_mixtures_with_members_of_own_folds_are_fitted_one_by_one():
    assert shares_fits(fot.families.Stacking())
    mixture = fot.families.Stacking(["identity", "platt", "pl"])
    assert not shares_fits(mixture)
    assert shares_fits(mixture.stand_in())
    assert not shares_fits(fot.families.Stacking(["identity", "platt"], random_state=None))
