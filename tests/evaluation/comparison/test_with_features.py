"""Calibrators that see features beside those of scores: held out by hand, in any order of the rows, on a test set."""

import json

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from fitontest.data.score_sample import ScoreSample
from fitontest.segments.compared_rows import Features
from fitontest.segments.uncertainty.worst_segment import worst_segment
from tests.segments.test_find import rows

QUICK = {"evaluators": [], "rule": "best", "cv": 3}
FEW = ["segment_offsets", "certified_offsets"]


@pytest.fixture(scope="module")
def problem():
    return rows(900, shift=1.5)


@pytest.fixture(scope="module")
def comparison(problem):
    y, p, X = problem
    return fot.compare_calibrators(y, p, X=X, families=[*FEW, "platt"], **QUICK)


def test_candidates_are_those_of_scores_and_of_features(comparison):
    assert {one.name for one in comparison} == {"identity", "platt", *FEW}
    assert comparison.chosen in FEW
    proba = comparison["segment_offsets"].family.predict_proba(rows(5)[2], scores=[0.1, 0.2, 0.3, 0.4, 0.5])
    assert proba.shape == (5, 2)
    text = str(comparison.table())
    assert "Worst segment: " in text
    assert "by chance" in text
    assert "multicalibration error" in text


def test_losses_are_those_of_maps_that_were_fitted_without_the_fold(problem, comparison):
    y, p, X = problem
    features = Features.of(X, ScoreSample(y, p), "from_dtype")
    sample, repeats = features.ordered.in_order().in_repeated_folds(3, 1, 0)
    row = sample.present.facts["row"]
    losses = np.empty(row.size)
    for held_out in repeats[0]:
        others = np.setdiff1d(np.arange(row.size), held_out)
        family = fot.segments.SegmentOffsets().fit(X.iloc[row[others]], y[row[others]], scores=p[row[others]])
        at = row[held_out]
        q = family.predict_proba(X.iloc[at], scores=p[at])[:, 1]
        losses[held_out] = -np.log(np.where(y[at] == 1, q, 1 - q))
    assert comparison["segment_offsets"].held_out.score == pytest.approx(losses.mean(), rel=1e-9)


def test_the_worst_segment_is_the_largest_of_all_pairs(problem, comparison):
    y, p, X = problem
    worst = comparison["identity"].worst_segment
    inside = worst.rule.meets(Features.of(X, ScoreSample(y, p), "from_dtype").columns("from_dtype"))
    z = (y - p)[inside].sum() / np.sqrt((p * (1 - p))[inside].sum())
    assert worst.standardised == pytest.approx(z, rel=1e-9)
    assert worst.residual == pytest.approx((y - p)[inside].mean(), rel=1e-9)
    assert worst.n == inside.sum()
    assert worst.multicalibration_error >= abs(z) * np.sqrt((p * (1 - p)).sum()) / p.size * (1 - 1e-12)
    found = fot.segments.find_segments(y, p, X, against="scores", draws=39)
    assert str(found[0].rule) == str(worst.rule)


def test_what_is_by_chance_is_that_of_calibrated_labels(problem):
    y, p, X = problem
    comparison = fot.compare_calibrators(y, p, X=X, families=["platt"], **QUICK)
    error, multicalibration_error = comparison.worst_if_calibrated
    rng, drawn, of_all = np.random.default_rng(0), [], []
    scores = comparison.calibrated
    at = scores.facts["row"]
    for _ in range(20):
        sample = ScoreSample((rng.random(p.size) < scores.p).astype(int), scores.p)
        features = Features.of(X.iloc[at], sample, "from_dtype")
        worst = worst_segment(features.rows(features.ordered), 0)
        drawn.append(abs(worst.standardised))
        of_all.append(worst.multicalibration_error)
    assert error == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / np.sqrt(20))
    assert multicalibration_error == pytest.approx(np.mean(of_all), abs=4 * np.std(of_all) / np.sqrt(20))


def test_the_order_of_the_rows_changes_nothing(problem):
    y, p, X = problem
    p = p.round(1).clip(0.1, 0.9)  # ties, whose rows differ in their features
    order = np.random.default_rng(0).permutation(p.size)
    one = fot.compare_calibrators(y, p, X=X, families=FEW, **QUICK)
    y, p, X = np.asarray(y)[order], np.asarray(p)[order], X.iloc[order].reset_index(drop=True)
    other = fot.compare_calibrators(y, p, X=X, families=FEW, **QUICK)
    for name in FEW:
        assert one[name].held_out.score == pytest.approx(other[name].held_out.score, rel=1e-12)
        assert one[name].to_dict()["worst_segment"] == other[name].to_dict()["worst_segment"]


def test_a_test_set_has_its_own_features(problem):
    y, p, X = problem
    y2, p2, X2 = rows(500, seed=4, shift=1.5)
    given = fot.compare_calibrators(y, p, X=X, families=FEW, test=(y2, p2, None, None, X2), **QUICK)
    family = given["certified_offsets"].family
    q = family.predict_proba(X2, scores=p2)[:, 1]
    assert given["certified_offsets"].test.score == pytest.approx(
        -np.mean(np.log(np.where(y2 == 1, q, 1 - q))), rel=1e-9
    )
    worst = given["identity"].worst_segment
    assert worst.n <= 500
    read = fot.compare_calibrators(y, p, X=X, families=FEW, test=(fot.read(y2, p2), X2), **QUICK)
    assert read["certified_offsets"].test.score == given["certified_offsets"].test.score


def test_true_probabilities_are_those_of_the_rows(problem):
    _, p, X = problem
    off = ((X.age > 50) & (X.site == "west")).to_numpy()
    c = np.where(off, np.sqrt(p), p)
    y = (np.random.default_rng(0).random(p.size) < c).astype(int)
    given = fot.compare_calibrators(y, p, X=X, families=["certified_offsets"], truth=c, **QUICK)
    assert given["identity"].quality.map_error == pytest.approx(np.mean(np.abs(c - p)), rel=1e-9)
    q = given["certified_offsets"].family.predict_proba(X, scores=p)[:, 1]
    assert given["certified_offsets"].quality.map_error == pytest.approx(np.mean(np.abs(c - q)), rel=1e-9)


def test_groups_are_held_out_whole_and_codes_are_categories(problem):
    y, p, X = problem
    coded = X.assign(site=X.site.map({"north": 1, "south": 2, "west": 3}))
    groups = np.arange(p.size) // 3
    settings = {"families": FEW, "groups": groups, "categorical_features": ["site"], **QUICK}
    given = fot.compare_calibrators(y, p, X=coded, **settings)
    family = given["certified_offsets"].family
    assert family.categorical_features == ["site"]
    assert any("site = 3" in str(rule) for rule in family.map_.rules)
    assert "site = 3" in str(given["identity"].worst_segment.rule)


def test_a_mixture_of_features_is_what_the_rule_stack_may_choose(problem):
    y, p, X = problem
    mixture = fot.segments.Multicalibrated(["identity", "segment_offsets", "certified_offsets"], folds=2)
    given = fot.compare_calibrators(y, p, X=X, families=["platt", mixture], rule="stack", cv=3, evaluators=[])
    assert given.chosen == "multicalibrated"
    assert "Use multicalibrated, a mixture of" in str(given)
    mixed = given["stacking"].family
    assert list(mixed.members_) == ["identity", "platt"]


def test_json_has_the_map_and_the_segments(comparison):
    record = json.loads(comparison.to_json())
    assert fot.segments.FeatureMap.from_dict(record["map"]).features
    assert record["worst_segment_if_calibrated"] > 1.0
    (first, *_) = record["calibrators"]
    assert {"worst_segment", "worst_segment_standardised", "multicalibration_error"} <= first.keys()


@pytest.mark.exhaustive
def test_default_candidates_see_features():
    y, p, X = rows(160)
    small = X[["age", "site"]]
    given = fot.compare_calibrators(y, p, X=small, cv=2, evaluators=[])
    names = {one.name for one in given}
    assert {"multicalibrated", "boosted", "tree_of_maps", "segment_offsets", "certified_offsets", "beta"} <= names


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"X": pd.DataFrame({"a": [1.0]})}, "X must have a row for each of 60 labels, got 1 rows"),
        ({"families": ["tree"]}, "tree"),
        ({"families": ["boostd"]}, "boosted"),
        ({"test": ([0, 1], [0.2, 0.3])}, r"test must be \(y, p, sample_weight, groups, X\).*got 2 entries"),
        ({"test": ([0, 1], [0.2, 0.3], None, None, None)}, r"test\[4\] must hold the features"),
        ({"reduction": "canonical"}, "X must be left out with reduction='canonical'"),
        ({"X": None, "categorical_features": ["a"]}, "categorical_features must be left out without X"),
        ({"X": None, "families": ["boosted"]}, "boosted"),
    ],
)
def test_refusals(settings, message):
    y, p, _ = rows(60)
    given = {"X": {"a": np.arange(60.0)}, **settings}
    scores = np.stack((1 - p, p), axis=1) if "reduction" in settings else p
    with pytest.raises(ValueError, match=message):
        fot.compare_calibrators(y, scores, **given)


def test_cells_have_no_features():
    y, p, X = rows(60)
    with pytest.raises(ValueError, match="y_true must be rows as they were given"):
        fot.compare_calibrators(fot.Cells.of(y, p), X=X)
