"""Comparing calibrators: the numbers by brute force, the rules, and what must not change them."""

import json
import warnings
from inspect import signature

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import KFold

import fitontest as fot
from fitontest.evaluation.comparison.compare import compare_calibrators
from fitontest.evaluation.comparison.kinds import OF_SCORES
from fitontest.families.base import read_family
from fitontest.families.mixing import likelihood_weights
from fitontest.numerics.losses import log_loss as log_loss_of_rows
from fitontest.numerics.random import held_out_rows
from fitontest.results.exceptions import PrintedWarning
from tests.golden.test_peers import peer_values, sample_of
from tests.published import figures

pytestmark = pytest.mark.multiplies

FLAT = fot.Flat(8)  # without the choice of a number of bins, which takes most of the time
CHEAP = ("identity", "temperature", "platt", "beta", "isotonic", "flat")
FAMILIES = (*CHEAP[:-1], FLAT)
FORMER = {"cv": 5, "rule": "one_se"}  # one family, on fewer folds than by default


def draw(n=600, seed=0, bend=lambda p: p**2 / (p**2 + (1 - p) ** 2)):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < bend(p)).astype(int), p


def quick(y, p, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        return compare_calibrators(y, p, **{"families": FAMILIES, "evaluators": [], **FORMER, **options})


def out_of_fold(name, y, p, w, cv, seed):
    """Return predictions by scikit-learn's own folds over the rows sorted by (p, y, w)."""
    order = np.lexsort((w, y, p))
    q = np.empty(p.size)
    for train, held_out in KFold(cv, shuffle=True, random_state=seed).split(order):
        family = read_family(FLAT if name == "flat" else name, seed)
        family.fit(p[order][train], y[order][train], w[order][train])
        q[order[held_out]] = family.transform(p[order][held_out])
    return q


@pytest.mark.parametrize("scoring", ["log_loss", "brier"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_numbers_by_brute_force(scoring, weighted):
    y, p = draw()
    w = np.random.default_rng(1).choice([0.5, 1.0, 2.5], p.size) if weighted else np.ones(p.size)
    comparison = quick(y, p, scoring=scoring, sample_weight=w if weighted else None, random_state=3)
    metric = brier_score_loss if scoring == "brier" else log_loss
    rows = {}
    for name in CHEAP:
        q = out_of_fold(name, y, p, w, 5, 3)
        q = np.clip(q, 1e-6, 1 - 1e-6) if scoring == "log_loss" else q
        assert comparison[name].held_out.score == pytest.approx(metric(y, q, sample_weight=w), rel=1e-9)
        rows[name] = (y - q) ** 2 if scoring == "brier" else -np.log(np.where(y == 1, q, 1 - q))
    best = comparison.calibrators[0].name
    for name in CHEAP:
        for other, gap in (
            ("identity", comparison[name].held_out.to_identity),
            (best, comparison[name].held_out.to_best),
        ):
            d = rows[name] - rows[other]
            mean = np.average(d, weights=w)
            assert gap.mean == pytest.approx(mean, abs=1e-9)
            assert gap.se == pytest.approx(np.sqrt(np.sum(w**2 * (d - mean) ** 2)) / w.sum(), abs=1e-9)


def test_on_a_test_set():
    y, p = draw()
    other_y, other_p = draw(900, seed=5)
    comparison = quick(y, p, test=(other_y, other_p))
    oracle = min(comparison, key=lambda one: one.test.score)
    assert oracle.test.to_best.mean == 0
    for one in comparison:
        family = clone(one.family).fit(p, y)
        q = np.clip(family.transform(other_p), 1e-6, 1 - 1e-6)
        assert one.test.score == pytest.approx(log_loss(other_y, q), rel=1e-9)
        assert one.parts.calibration + one.parts.refinement == pytest.approx(one.test.score, rel=1e-12)
        assert one.family.map_ == family.map_
    plain = quick(y, p)
    assert comparison.chosen == plain.chosen  # the test rows play no part in the choice
    assert [one.held_out for one in comparison] == [one.held_out for one in plain]


def test_errors_after_calibration_are_those_of_the_held_out_predictions():
    y, p = draw()
    comparison = quick(y, p, evaluators=["isotonic", fot.Slope1(10), fot.Slope1(5)], random_state=3)
    for name in ("identity", "platt"):
        q = out_of_fold(name, y, p, np.ones(p.size), 5, 3)
        for evaluator, family in (("isotonic", "isotonic"), ("Slope1(n_bins=10)", fot.Slope1(10))):
            expected = fot.calibration_error(y, q, family=family)
            assert comparison[name].errors[evaluator] == pytest.approx(float(expected), abs=1e-12)


def test_repeats_average_the_losses_of_a_row():
    y, p = draw(200)
    together = quick(y, p, random_state=7, repeats=3)
    for name in ("platt", "beta", "isotonic"):
        rng = np.random.RandomState(7)  # one generator for the three, one after the other
        predictions = [out_of_fold(name, y, p, np.ones(p.size), 5, rng) for _ in range(3)]
        scores = [log_loss(y, np.clip(q, 1e-6, 1 - 1e-6)) for q in predictions]
        assert together[name].held_out.score == pytest.approx(np.mean(scores), rel=1e-12)


@pytest.mark.parametrize("loss", ["brier", "log_loss"])
@pytest.mark.parametrize("name", figures("golden_peers")["results"])
def test_decomposition_agrees_with_a_peer(name, loss, monkeypatch):
    """The identity's loss under isotonic regression is the CORP decomposition."""
    from fitontest.evaluation.comparison.decomposition import decompose
    from fitontest.numerics.losses import LOSSES
    from fitontest.numerics.losses import log_loss as log_loss_of

    sample = sample_of(name)
    theirs = peer_values(name, "metrics")["model-diagnostics", "corp_brier" if loss == "brier" else "corp_logloss"]
    monkeypatch.setitem(LOSSES, "log_loss", lambda y, q: log_loss_of(y, q, 1e-15))
    parts = decompose([sample], fot.Isotonic(), loss, sample.mean_loss(loss))
    assert parts.calibration + parts.refinement == pytest.approx(theirs["score"], rel=1e-9)
    assert parts.calibration == pytest.approx(theirs["miscalibration"], abs=1e-9)
    assert parts.refinement == pytest.approx(theirs["uncertainty"] - theirs["discrimination"], abs=1e-9)


@pytest.mark.parametrize("as_array", [True, False])
def test_known_truth(as_array):
    y, p = draw(4000)
    p = np.round(p, 3)  # ties

    def true(p):
        return p**2 / (p**2 + (1 - p) ** 2)

    comparison = quick(y, p, truth=true(p) if as_array else true)
    for one in comparison:
        q = one.family.transform(p)
        assert one.quality.map_error == pytest.approx(np.mean(np.abs(q - true(p))), abs=1e-12)
        assert one.quality.error_after <= one.quality.map_error + 1e-12
    flat = comparison["flat"].family.transform(p)
    given = np.array([true(p)[flat == level].mean() for level in flat])
    assert comparison["flat"].quality.error_after == pytest.approx(np.mean(np.abs(flat - given)), abs=1e-12)
    assert comparison["flat"].quality.error_after < 0.7 * comparison["flat"].quality.map_error
    assert comparison["temperature"].quality.map_error < comparison["identity"].quality.map_error / 5


def test_truth_of_tied_rows_is_their_mean():
    from fitontest.evaluation.comparison.known_truth import read_truth

    sample = fot.ScoreSample([0, 1, 0, 1], [0.2, 0.7, 0.2, 0.4])
    np.testing.assert_allclose(read_truth([0.1, 0.9, 0.3, 0.5], sample, sample), [0.2, 0.2, 0.5, 0.9])
    weighted = fot.ScoreSample([0, 1, 0, 1, 1], [0.2, 0.7, 0.2, 0.4, 0.2], [3, 1, 1, 1, 0])
    np.testing.assert_allclose(read_truth([0.1, 0.9, 0.3, 0.5, 1.0], weighted, weighted), [0.15, 0.15, 0.5, 0.9])


def test_weights_of_a_known_truth_count_rows():
    y, p = draw(300)
    p, c = np.round(p, 1), np.random.default_rng(3).random(300)
    w = np.random.default_rng(1).integers(0, 4, p.size)
    test = np.repeat(y, w), np.repeat(p, w)
    a = quick(y, p, test=(y, p, w), truth=c)
    b = quick(y, p, test=test, truth=np.repeat(c, w))
    for one, other in zip(a, b, strict=True):
        assert vars(one.quality) == pytest.approx(vars(other.quality), abs=1e-12)
        assert one.certain == pytest.approx(other.certain, abs=1e-12)


def test_scores_do_not_depend_on_the_other_families():
    y, p = draw(100)
    for seed in (0, None, np.random.RandomState(3)):
        state = seed.get_state() if isinstance(seed, np.random.RandomState) else None
        first = quick(y, p, families=["slope1", "flat"], random_state=3 if seed is None else seed)
        if state is not None:
            seed.set_state(state)
        second = quick(y, p, families=["flat", "slope1"], random_state=3 if seed is None else seed)
        assert first["slope1"].held_out.score == second["slope1"].held_out.score


def test_scores_of_the_other_class_are_pointed_out():
    y, p = draw(600)
    assert not quick(y, p).ranks_in_reverse
    comparison = quick(y, 1 - p)
    assert comparison.ranks_in_reverse
    assert "Are these of the other class?" in str(comparison)


def test_maps_that_are_certain_are_pointed_out():
    y, p = draw(600)
    comparison = quick(y, p, families=["isotonic"], rule="best")
    q = comparison["isotonic"].family.transform(p)
    assert comparison["isotonic"].certain == pytest.approx(np.mean((q == 0) | (q == 1)))
    assert comparison["isotonic"].certain > 0
    assert ("isotonic predicts exactly 0 or 1 for" in str(comparison)) == (comparison.chosen == "isotonic")


def test_small_folds_are_pointed_out_where_there_is_no_test_set():
    y, p = draw(300)
    assert "the folds are small" in str(quick(y, p))
    assert "the folds are small" not in str(quick(y, p, test=(y, p)))
    assert "the folds are small" not in str(quick(*draw(600)))


def test_row_order_does_not_matter():
    y, p = draw(300)
    w = np.random.default_rng(1).choice([0.5, 1.0, 2.0], p.size)
    order = np.random.default_rng(2).permutation(p.size)
    a, b = quick(y, p, sample_weight=w), quick(y[order], p[order], sample_weight=w[order])
    assert [one.held_out for one in a] == [one.held_out for one in b]
    assert a.chosen == b.chosen


def test_a_weight_of_zero_is_the_row_absent():
    y, p = draw(300)
    w = np.random.default_rng(1).choice([0.0, 1.0, 2.0], p.size)
    a, b = quick(y, p, sample_weight=w), quick(y[w > 0], p[w > 0], sample_weight=w[w > 0])
    assert [one.held_out for one in a] == [one.held_out for one in b]
    assert a.n == np.count_nonzero(w)


def test_whole_weights_count_rows_on_a_test_set():
    y, p = draw(300)
    other_y, other_p = draw(200, seed=4)
    w = np.random.default_rng(1).integers(0, 4, other_p.size)
    a = quick(y, p, test=(other_y, other_p, w))
    b = quick(y, p, test=(np.repeat(other_y, w), np.repeat(other_p, w)))
    for one, other in zip(a, b, strict=True):
        assert one.test.score == pytest.approx(other.test.score, rel=1e-12)
        assert one.test.to_identity.se == pytest.approx(other.test.to_identity.se, rel=1e-9, abs=1e-15)


def test_the_identity_is_always_a_candidate_and_named_as_given():
    y, p = draw(200)
    assert {one.name for one in quick(y, p, families=["platt"])} == {"identity", "platt"}
    comparison = quick(y, p, families=[fot.families.Identity(), fot.Flat(2), fot.Flat(3), "platt"])
    assert {one.name for one in comparison} == {"identity", "Flat(n_bins=2)", "Flat(n_bins=3)", "platt"}


def test_default_candidates_are_quick_families():
    found = OF_SCORES.read_candidates(None, 0, None)
    assert set(found) == {"identity", "temperature", "platt", "beta", "isotonic", "spline", "venn_abers"}
    assert all(family.calibrator for family in found.values())
    assert signature(compare_calibrators).parameters["evaluators"].default == ("spline",)


@pytest.mark.parametrize("calibrator", [True, False])
def test_a_family_of_ones_own_is_a_default_candidate_where_it_says_so(calibrator):
    class Mine(fot.Family):
        def fit_map(self, sample):
            return fot.maps.KnotsMap([0, 1], [sample.base_rate, sample.base_rate])

    if calibrator:
        Mine.calibrator = True
    fot.families.register("mine")(Mine)
    try:
        assert ("mine" in OF_SCORES.read_candidates(None, 0, None)) == calibrator
        assert "mine" in OF_SCORES.read_candidates(["mine"], 0, None)
    finally:
        fot.families.unregister("mine")
    assert "Mine" in {one.name for one in quick(*draw(60), families=[Mine()])}  # what is given is always taken


def test_families_given_are_left_alone():
    family = fot.Flat(3)
    quick(*draw(100), families=[family])
    assert not hasattr(family, "map_")


def test_random_state_reaches_families_given_by_name():
    comparison = quick(*draw(100), families=["flat", fot.Slope1(random_state=8)], random_state=5)
    assert comparison["flat"].family.random_state == 5
    assert comparison["slope1"].family.random_state == 8


def test_best_is_fitted_to_all_rows():
    y, p = draw()
    comparison = quick(y, p)
    assert comparison.chosen in ("temperature", "platt")
    np.testing.assert_array_equal(comparison.chosen_.predict(p), clone(comparison.chosen_).fit(p, y).predict(p))
    assert comparison.chosen_ is comparison[comparison.chosen].family


@pytest.mark.parametrize(
    ("p", "y", "slow"),
    [
        ([0.3, 0.6], [0, 1], ()),
        (np.full(40, 0.4), np.arange(40) % 3 == 0, ()),
        (np.arange(40) % 2, np.arange(40) % 3 == 0, (fot.PL3(1, cv=2),)),
        (np.linspace(0.1, 0.9, 40), np.linspace(0.1, 0.9, 40) > 0.35, ()),
    ],
    ids=["n=2", "constant", "p in {0, 1}", "separable"],
)
def test_hard_inputs(p, y, slow):
    """With families of every kind of map; tests/test_contracts.py fits pl and pl3 to all such data."""
    families = ["temperature", "platt", "beta", "isotonic", "slope1", "flat", "pava_bc", "knn", *slow]
    comparison = quick(np.asarray(y), np.asarray(p), families=families, evaluators=["slope1", "isotonic"], cv=3)
    assert len(comparison) == len(families) + 1
    assert json.dumps(comparison.to_dict(), allow_nan=False)
    assert str(comparison).startswith(("Use ", "Nothing is chosen"))
    assert np.all(
        np.isfinite([[one.held_out.score, one.held_out.to_best.se, *one.errors.values()] for one in comparison])
    )


@pytest.mark.parametrize(("y", "w"), [([1, 0], [1, 0]), ([1, 1], None), ([0, 1, 0], [1, 0, 1])])
def test_one_class_is_refused(y, w):
    with pytest.raises(ValueError, match=r"y_true must have rows of both classes, got .* of one"):
        quick(y, [0.5, 0.2, 0.4][: len(y)], sample_weight=w)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"families": "platt"}, "families must be a list"),
        ({"families": [3]}, "families must be names of families or families, got 3"),
        (
            {"families": [fot.families.Identity().fit([0.5], [1]).map_]},
            "families must be names of families or families",
        ),
        ({"families": ["no_such"]}, "'no_such'"),
        ({"families": ["platt", "platt"]}, "families must differ"),
        ({"cv": 1}, "cv must be a whole number of folds, at least 2; got 1"),
        ({"repeats": 0}, "repeats must be a whole number, at least 1; got 0"),
        ({"scoring": "ece"}, "scoring must be one of 'log_loss', 'brier'; got 'ece'"),
        ({"rule": "first"}, "rule must be one of 'auto', 'best', 'one_se'"),
        ({"evaluators": "pl"}, "evaluators must be a list"),
        ({"test": ([0, 1],)}, "test must be a tuple .* got 1 entries"),
        ({"test": "file"}, "test must be a tuple .* got one str"),
        ({"test": ([0, 1], [0.5, 2])}, r"test\[1\] must lie in \[0, 1\], got 2.0 at row 2"),
        ({"truth": [0.5]}, "truth and y_prob must have the same number of rows"),
        ({"truth": [0.5], "test": ([0, 1], [0.2, 0.4])}, r"truth and test\[1\] must have the same number of rows"),
        ({"truth": lambda p: p * 2}, r"truth\(p\) must lie in \[0, 1\]"),
        ({"random_state": "x"}, "random_state must be"),
    ],
)
def test_refusals(options, message):
    y, p = draw(50)
    with pytest.raises(ValueError, match=message):
        quick(y, p, **options)


def column_and_matrix(classes):
    rng = np.random.default_rng(0)
    return rng.integers(0, classes, 40), rng.dirichlet(np.ones(classes), 40)


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, np.ndarray.tolist], ids=["array", "frame", "list"])
def test_a_matrix_of_scores_is_refused_with_what_to_do_instead(form):
    y, scores = column_and_matrix(3)
    instead = "reduction='canonical' compares .* one class against the rest"
    message = rf"must be one column unless a reduction is given, got 3 columns; .*{instead}"
    with pytest.raises(ValueError, match=f"y_prob {message}"):
        compare_calibrators(y, form(scores))
    with pytest.raises(ValueError, match=rf"test\[1\] {message}"):
        compare_calibrators(*draw(50), test=(y, form(scores)))


@pytest.mark.parametrize("form", [np.asarray, pd.DataFrame, np.ndarray.tolist], ids=["array", "frame", "list"])
def test_two_columns_that_add_up_to_one_are_a_column(form):
    y, p = draw(50)
    both = form(np.column_stack((1 - p, p)))
    found = quick(y, both, families=["platt"], test=(y, both))
    assert found.chosen_.map_ == quick(y, p, families=["platt"], test=(y, p)).chosen_.map_
    assert "the second one is read, that of class 1" in " ".join(str(found).split())
    with pytest.warns(PrintedWarning, match="two columns of y_prob the second one is read"):
        compare_calibrators(y, both, families=["platt"], evaluators=[], **FORMER)


def test_a_matrix_of_one_column_is_a_column():
    y, p = draw(50)
    matrix, column = (quick(y, scores, families=["platt"]) for scores in (p[:, None], p))
    assert matrix.chosen_.map_ == column.chosen_.map_


def test_the_mixture_is_judged_on_folds_that_its_weights_did_not_see():
    y, p = draw(300)
    order = np.lexsort((y, p))
    y, p = y[order], p[order]
    names = ["platt", "isotonic", "identity"]
    comparison = fot.compare_calibrators(y, p, families=names, rule="stack", evaluators=[])
    assert comparison.chosen == "stacking"
    assert list(comparison.chosen_.members_) == names
    assert comparison.chosen_.map_ == fot.families.Stacking(names).fit(p, y).map_
    folds = held_out_rows(300, 10, 0)
    q = np.stack([fot.families.make(name).hold_out(fot.ScoreSample(y, p), folds) for name in names], axis=1)
    clipped = q.clip(1e-6, 1 - 1e-6)
    likelihoods = np.where(y[:, None] == 1, clipped, 1 - clipped)
    losses = np.empty(300)
    for held_out in folds:
        others = np.setdiff1d(np.arange(300), held_out)
        rows = np.concatenate((likelihoods[others], np.eye(3)))
        weights = likelihood_weights(rows, np.append(np.ones(others.size), np.full(3, 1 / 3)))
        losses[held_out] = log_loss_of_rows(y[held_out], q[held_out] @ weights)
    assert comparison["stacking"].held_out.score == pytest.approx(losses.mean(), abs=1e-9)
    assert "Use stacking, a mixture of " in str(comparison)


def test_settings_of_a_mixture_are_checked_before_anything_is_fitted(monkeypatch):
    monkeypatch.setattr(fot.Platt, "fit_map", lambda *_: pytest.fail("it was fitted"))
    y, p = draw(100)
    for stacking, message in (
        (fot.families.Stacking(["platt"], loss="hinge"), "loss must be one of"),
        (fot.families.Stacking(["plat"]), "plat"),
        (fot.families.Stacking(["platt"], prior=None), "prior must be a finite number"),
    ):
        with pytest.raises(ValueError, match=message):
            fot.compare_calibrators(y, p, families=["platt", stacking], evaluators=[])


def test_the_mixture_minimises_the_scoring_of_the_comparison():
    y, p = draw(300)
    names = ["platt", "isotonic"]
    comparison = fot.compare_calibrators(
        y, p, families=names, rule="stack", scoring="brier", random_state=3, evaluators=[]
    )
    mixture = next(one.family for one in comparison if one.name == "stacking")
    expected = fot.families.Stacking(["identity", *names], loss="brier", random_state=3).fit(p, y)
    np.testing.assert_allclose(mixture.weights_, expected.weights_, atol=1e-12)
    assert (mixture.loss, mixture.random_state) == ("brier", 3)


def test_the_mixture_is_chosen_where_it_is_better_than_nothing():
    rng = np.random.default_rng(0)
    p = rng.random(400)
    names = ["platt", "isotonic"]
    kept = fot.compare_calibrators(rng.random(400) < p, p, families=names, rule="stack", evaluators=[])
    assert kept["stacking"].held_out.to_identity.mean >= 0
    assert kept.chosen == "identity"
    text = (
        "The log loss of stacking is " if kept.calibrators[0].name != "identity" else "No family has a smaller log loss"
    )
    assert str(kept).startswith(f"Use the scores as they are: they may well be calibrated. {text}")
    clear = fot.compare_calibrators(rng.random(400) < p**3, p, families=names, rule="stack", evaluators=[])
    assert clear.chosen == "stacking"


class Table(fot.Family):
    """A map of given values, too many to be printed."""

    def __init__(self, values):
        self.values = values

    def fit_map(self, sample):
        return fot.maps.KnotsMap(np.linspace(0, 1, len(self.values)), self.values)


def test_a_mixture_is_judged_with_the_predictions_of_its_own_members():
    y, p = draw(200)
    good = np.linspace(0, 1, 2001)
    good = good**2 / (good**2 + (1 - good) ** 2)
    bad = good.copy()
    bad[3:-3] = 1 - good[3:-3]
    alone = fot.compare_calibrators(y, p, families=[fot.families.Stacking([Table(good)])], evaluators=[])
    beside = fot.compare_calibrators(y, p, families=[Table(bad), fot.families.Stacking([Table(good)])], evaluators=[])
    name = next(one.name for one in beside if one.name.startswith("stacking"))
    assert beside[name].held_out.score == alone["stacking"].held_out.score


@pytest.mark.parametrize(
    "families", [["identity", "platt", "beta"], [fot.families.Stacking(["platt", "identity"]), "beta", "platt"]]
)
def test_a_mixture_says_nothing_that_candidates_have_said_and_what_is_its_own(families, monkeypatch):
    monkeypatch.setattr("fitontest.families.mixing.MAX_STEPS", 0)
    p = np.linspace(0.01, 0.99, 60)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fot.compare_calibrators(p > 0.5, p, families=families, rule="stack", cv=3, evaluators=[])
    found = [(one.category, str(one.message).split()[0]) for one in caught]
    own = [text for category, text in found if category is fot.results.SeparableDataWarning]
    assert sorted(own) == ["beta:", "platt:"]
    assert ConvergenceWarning in {category for category, _ in found}


def test_a_mixture_must_be_there_to_be_chosen():
    y, p = draw(600)
    comparison = fot.compare_calibrators(y, p, families=["platt"], rule="one_se", evaluators=[])
    with pytest.raises(ValueError, match="rule must be 'best' or 'one_se' unless a Stacking is among the candidates"):
        comparison.choice("stack")
    given = fot.compare_calibrators(y, p, families=["platt", fot.families.Stacking(["platt", "beta"])], rule="stack")
    assert given.chosen == "stacking"
    assert set(given["stacking"].family.members_) == {"platt", "beta"}


def test_the_chosen_mixture_is_a_map_that_is_saved_and_written_as_sql():
    y, p = draw(400)
    best = fot.compare_calibrators(y, p, rule="stack", evaluators=[]).chosen_
    assert isinstance(best, fot.families.Stacking)
    assert list(best.members_) == ["beta", "identity", "isotonic", "platt", "spline", "temperature", "venn_abers"]
    np.testing.assert_array_equal(fot.CalibrationMap.from_json(best.map_.to_json())(p), best.predict(p))
    assert best.map_.to_sql("p").startswith("CASE WHEN")
