"""The text of a comparison, and its other forms."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit

import fitontest as fot
from fitontest.evaluation.comparison.paired import Difference
from fitontest.results.quoting import quote
from fitontest.results.text import short
from fitontest.uncertainty.fitted_map import FittedMap
from tests.evaluation.comparison.test_compare import draw, quick


def said(comparison):
    """Return what is printed, without the ends of lines."""
    return " ".join(str(comparison.table()).split())


@pytest.mark.exhaustive
def test_what_was_chosen_and_by_how_much():
    comparison = quick(*draw(2000), evaluators=["slope1", "isotonic"])
    text = str(comparison.table())
    assert repr(comparison) == str(comparison)
    assert str(comparison).splitlines()[-1] == "More: .table(), .explain(), .plot()"
    gain = comparison[comparison.chosen].held_out.to_identity
    amount = r"Held-out log loss: (\S+) \(s\.e\. (\S+)\) less than that of the scores as they are\."
    sentence = re.match(rf"Use (\w+) \(\S+ numbers?\)\. .* and keeps the ranking\. {amount}", said(comparison))
    assert sentence[1] == comparison.chosen
    assert float(sentence[2]) == pytest.approx(-gain.mean, abs=0.06 * gain.se)
    assert float(sentence[3]) == pytest.approx(gain.se, rel=0.06)
    assert "Log loss clips predictions to [1e-06, 1 - 1e-06]." in text
    for one in comparison:
        assert len(re.findall(rf"^{one.name}( \*)? ", text, flags=re.M)) == 2  # a row in each table
        assert short(one.held_out.score, 4) in text
        assert short(one.errors["isotonic"].quoted) in text


def test_a_debiased_error_of_a_rougher_map_says_so():
    """It may then be far from the raw one, which is that of the spline."""
    rng = np.random.default_rng(0)
    level = rng.integers(2, 18, 3000)
    y = rng.random(3000) < level / 20 + 0.1 * (-1.0) ** level
    rough = fot.compare_calibrators(y, level / 20, families=["temperature"], cv=3)
    before = rough.error_before.interval.roughness.in_words()
    assert f". Before, {before}; so is the debiased value." in said(rough)
    assert "so is the debiased value" not in said(quick(*draw(300)))


def test_other_forms_hold_the_same():
    comparison = quick(*draw(300))
    assert json.loads(comparison.to_json()) == json.loads(json.dumps(comparison.to_dict()))
    assert comparison.to_frame()["family"].tolist() == [one.name for one in comparison]
    html = comparison.table()._repr_html_()
    assert html.count("<table>") == 2
    assert f"<td>{comparison.chosen} *</td>" in html
    assert html.startswith(f"<p>Use {comparison.chosen} (")


def test_the_simplest_of_equals():
    kinds = set()
    for seed in range(8):
        comparison = quick(*draw(1000, seed), families=["temperature", "platt", "beta"])
        first = comparison.calibrators[0].name
        assert ("the fewest parameters" in said(comparison)) == (first not in (comparison.chosen, "identity"))
        near = [one.name for one in comparison if one.held_out.to_best.mean <= one.held_out.to_best.se]
        others = [name for name in near if name not in (comparison.chosen, first)]
        sentence = f"Not clearly worse than {first} either, by that measure: {', '.join(others)}."
        assert (sentence in said(comparison)) == bool(others)
        kinds.add((first == comparison.chosen, bool(others)))
    assert len(kinds) >= 2  # several of the cases were seen


def parameters(name, count):
    """Return a family of that name whose map, beta's, is said to have so many parameters."""
    return type(name, (fot.Beta,), {"n_parameters_": count})()


def test_the_sentence_on_the_simplest_is_true_of_what_is_chosen():
    y, p = draw(1000)
    beta, platt = parameters("First", 9), parameters("Second", 2)  # of equal loss
    comparison = quick(y, p, families=[beta, platt], rule="one_se")
    ranked = comparison.calibrators
    assert (comparison.chosen, ranked[0].name) == ("Second", "Second")
    assert "the fewest parameters" not in said(comparison)

    behind = replace(ranked[1], held_out=ranked[0].held_out)  # the one of nine parameters is a little better
    gap = Difference(1e-4, 1e-3)
    a, b = behind, replace(ranked[0], held_out=replace(ranked[0].held_out, to_best=gap))
    text = said(replace(comparison, calibrators=(a, b, *ranked[2:]), chosen="Second"))
    assert "less: within one standard error of it, Second has the fewest parameters." in text

    c = replace(b, name="Third", family=parameters("Third", 1).fit(p, y))
    text = said(replace(comparison, calibrators=(a, b, c, *ranked[2:]), chosen="Second"))
    expected = "Third has the fewest parameters, and Second the smallest log loss of those with at most 1 more."
    assert f"within one standard error of it, {expected}" in text


THREE = "between p = 0.100 and 0.200, between p = 0.300 and 0.400, between p = 0.500 and 0.600"


class Bent(fot.Family):
    """A polygon through given points."""

    def __init__(self, x, c):
        self.x = x
        self.c = c

    def fit_map(self, sample):
        return fot.maps.KnotsMap(self.x, self.c)


@pytest.mark.parametrize(
    ("x", "c", "words"),
    [
        ([0, 0.25, 0.5, 1], [0.0, 0.3, 0.2, 1.0], "between p = 0.250 and 0.500"),
        ([0, 0.9, 0.9991, 1], [0.0, 0.9, 0.8, 1.0], "between p = 0.900 and 0.999100"),
        (np.linspace(0, 1, 11), [0, 0.1, 0, 0.3, 0.2, 0.5, 0.4, 0.7, 0.8, 0.9, 1], THREE),
        (np.linspace(0, 1, 11), [0, 0.1, 0, 0.3, 0.2, 0.5, 0.4, 0.7, 0.6, 0.9, 1], f"{THREE} and elsewhere"),
    ],
)
def test_a_chosen_map_that_decreases_is_pointed_out(x, c, words):
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    y = (rng.random(3000) < np.interp(p, x, c)).astype(int)
    comparison = replace(quick(y, p, families=[Bent(x, c)]), chosen="Bent")
    note = f"Note: the map of Bent decreases {words}: it changes the order of scores there."
    assert note in said(comparison)
    assert "decreases" not in str(replace(comparison, chosen="identity"))


def test_a_jump_down_is_one_score():
    _, p = draw(600)
    comparison = quick((p < 0.5).astype(int), p, families=[fot.Flat([0.5])], rule="best")
    assert "Note: the map of flat decreases at p = 0.500: it changes" in said(comparison)


def test_a_monotone_map_is_not_said_to_decrease():
    comparison = quick(*draw(600))
    assert comparison.chosen != "identity"
    assert "decreases" not in said(comparison)


def test_doing_nothing():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    comparison = quick((rng.random(300) < p).astype(int), p)
    assert comparison.chosen == "identity"
    assert said(comparison).startswith("Use the scores as they are: they may well be calibrated. ")
    first = comparison.calibrators[0]
    if first.name != "identity":
        assert f"that of {first.name}, is only" in said(comparison)


def test_no_family_is_better_than_nothing():
    comparison = fot.compare_calibrators(
        [0, 1, 0, 1], [0.3, 0.6, 0.3, 0.6], families=[fot.families.Identity()], evaluators=[]
    )
    assert "No family has a smaller log loss." in said(comparison)


def test_on_a_test_set():
    comparison = quick(*draw(2000), test=draw(3000, seed=2))
    paired = comparison[comparison.chosen].test
    text = said(comparison)
    assert f"On the test set (3,000 rows): log loss {short(paired.score, 4)}" in text
    oracle = min(comparison, key=lambda one: one.test.score)
    expected = (
        "No family does better there." if oracle.name == comparison.chosen else f"The best there, {oracle.name}, is"
    )
    assert expected in text


def test_worse_on_the_test_set_is_in_capitals():
    y, p = draw(2000)
    fresh = np.random.default_rng(5).random(2000)
    comparison = quick(y, p, test=((np.random.default_rng(6).random(2000) < fresh).astype(int), fresh))
    assert "MORE than that of doing nothing" in said(comparison)


def test_few_rows_of_a_class_are_pointed_out():
    y, p = draw(300)
    rare = np.arange(300) < 20
    assert "only 20 rows are of the smaller class" in str(quick(rare.astype(int), p))
    assert "smaller class" not in str(quick(y, p))


def test_the_brier_score_is_not_clipped():
    text = str(quick(*draw(200), scoring="brier"))
    assert "clips" not in text
    assert "Brier score" in text


@pytest.mark.exhaustive
def test_the_error_before_and_after_is_that_of_the_scores_and_of_what_the_chosen_one_predicts():
    y, p = draw(600)
    comparison = quick(y, p, evaluators=["spline", "isotonic"])
    before = fot.calibration_error(y, p, interval="always")
    assert comparison.error_before.debiased == pytest.approx(before.debiased, abs=1e-12)
    assert comparison.error_after.value == pytest.approx(comparison[comparison.chosen].errors["spline"], abs=1e-12)
    after = comparison.error_after
    chosen, sample = comparison.chosen_, comparison.uncalibrated
    again = FittedMap(sample, chosen, fot.Spline(), 0).uncertainty(0.95)
    assert (after.debiased, after.interval) == (again.debiased, again.interval)
    texts = [quote(one.debiased, one.interval.low, one.interval.high) for one in (before, after)]
    assert f"Calibration error (spline): {texts[0]} before; {texts[1]} after, of the map of all rows." in said(
        comparison
    )


def test_an_error_after_has_no_interval_where_refits_take_long():
    class Slow(fot.Family):
        def fit_map(self, sample):
            return fot.families.make("platt").fit_map(sample)

    slow = quick(*draw(300), families=[Slow()], rule="best", evaluators=["spline"])
    assert slow.error_after.interval is None
    assert slow.error_after.debiased > 0
    reason = "After, there is no interval: hundreds of refits of Slow take long."
    assert reason in said(slow)
    assert "Calibration error" not in str(quick(*draw(300)))


def test_the_error_after_does_not_hang_on_the_folds():
    y, p = draw(300)
    once, other = (
        quick(y, p, families=["platt"], rule="best", evaluators=["spline"], **one) for one in ({}, {"repeats": 2})
    )
    assert once.error_after.debiased == other.error_after.debiased


@pytest.mark.exhaustive
def test_scores_of_several_classes_have_the_mean_error_of_their_maps():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1.0, 1.0, 1.0], 400)
    y = (P.cumsum(axis=1) > rng.random((400, 1))).argmax(axis=1)
    found = fot.compare_calibrators(
        y, P**2 / (P**2).sum(axis=1, keepdims=True), reduction="classwise", families=["platt"]
    )
    platt = found["platt"]
    each = [
        FittedMap(found.uncalibrated.against_rest(k), platt.family.families_[k], fot.Spline(), 0).uncertainty(0.95)
        for k in range(3)
    ]
    assert platt.errors["spline"].debiased == pytest.approx(np.mean([one.debiased for one in each]), rel=1e-12)


def test_each_candidate_that_looks_better_has_the_reason_why_it_was_not_taken():
    rng = np.random.default_rng(106)
    n = 1000
    segment = rng.choice(["a", "b", "c"], n)
    p = rng.beta(1, 2, n)
    y = (rng.random(n) < expit(logit(p) + 1.5 * (segment == "b") - 0.6 * (segment == "c"))).astype(int)
    found = fot.compare_calibrators(
        y, p, X={"segment": segment}, families=["platt", "segment_offsets", "tree_of_maps"], rule="stack",
        evaluators=[], cv=5,
    )  # fmt: skip
    mixture = next(one for one in found if one.name == "stacking")
    worse = replace(mixture, held_out=replace(mixture.held_out, to_identity=Difference(0.001, 0.001), score=9.0))
    stay = replace(found, calibrators=(*(one for one in found if one.name != "stacking"), worse), chosen="identity")
    better = [one for one in found if one.held_out.to_identity.mean < 0 and one.name != "stacking"]
    assert len(better) >= 2
    text = said(stay)
    assert 'The log loss of stacking is not smaller, and rule="stack" takes a mixture or nothing.' in text
    assert all(f"{one.name}, " in text for one in better)
    assert f'rule="best" takes {stay.choice("best")}.' in text


def test_a_mixture_says_its_members_and_how_to_get_one_family():
    y, p = draw(600)
    comparison = fot.compare_calibrators(y, p, rule="stack", evaluators=[])
    assert comparison.chosen == "stacking"
    first = said(comparison)
    weights = dict(zip(comparison.chosen_.members_, comparison.chosen_.weights_, strict=True))
    largest = max(weights, key=weights.get)
    assert first.startswith(f"Use stacking, a mixture of {100 * weights[largest]:.0f} % {largest}, ")
    assert 'For one family in place of a mixture: rule="one_se".' in first
    assert "in place of a mixture" not in said(quick(y, p))
