"""Comparisons of calibrators where rows belong together: folds and standard errors by group."""

import json

import numpy as np
import pytest

import fitontest as fot
from fitontest.numerics.losses import find_loss
from fitontest.results.exceptions import without_warnings

RNG = np.random.default_rng(0)
K = 25
IDS = np.repeat(np.arange(K), 12)
N = IDS.size
P = RNG.random(N)
Y = (RNG.random(N) < P**1.7).astype(int)
QUICK = {"families": ["platt", "isotonic"], "rule": "one_se", "evaluators": []}


def numbers(comparison):
    """Return every number but the seconds."""
    record = comparison.to_dict()
    for row in record["calibrators"]:
        del row["fit_seconds"]
    return record


def by_hand(losses, w, ids):
    """Return the mean and the standard error of sums over groups."""
    mean = np.average(losses, weights=w)
    sums = [(w * (losses - mean))[ids == k].sum() for k in np.unique(ids)]
    return mean, np.sqrt(len(sums) / (len(sums) - 1) * np.sum(np.square(sums))) / w.sum()


@pytest.mark.parametrize("w", [None, RNG.exponential(size=N)])
def test_differences_are_of_whole_groups_held_out_with_errors_of_sums_over_groups(w):
    found = fot.compare_calibrators(Y, P, groups=IDS, sample_weight=w, cv=5, **QUICK)
    rows, folds = fot.read(Y, P, groups=IDS, sample_weight=w).in_folds(5, 0)
    ids, y, p, weights = rows.present.facts["group"], rows.rows.y, rows.rows.p, rows.rows.w
    q = np.empty(N)
    for fold in folds:
        rest = np.setdiff1d(np.arange(N), fold)
        assert not set(ids[fold]) & set(ids[rest])
        part = fot.read(y[rest], p[rest], sample_weight=None if w is None else weights[rest])
        q[fold] = fot.Platt().fit_map(part)(p[fold])
    loss = find_loss("log_loss")
    expected = by_hand(loss(y, q) - loss(y, p), weights, ids)
    gain = found["platt"].held_out.to_identity
    assert (gain.mean, gain.se) == pytest.approx(expected, rel=1e-6)
    assert found.cv == 5


@pytest.mark.exhaustive
def test_groups_of_one_row_each_are_no_groups():
    options = QUICK | {"families": ["platt", "spline"], "rule": "stack"}
    single = numbers(fot.compare_calibrators(Y, P, groups=np.arange(N)[::-1], **options))
    plain = numbers(fot.compare_calibrators(Y, P, **options))
    assert {name: single[name] for name in plain} == plain


def test_neither_order_nor_names_of_groups_matter():
    order = np.random.default_rng(3).permutation(N)
    found = numbers(fot.compare_calibrators(Y, P, groups=IDS, **QUICK))
    other = numbers(
        fot.compare_calibrators(Y[order], P[order], groups=[("site", int(k)) for k in -IDS[order]], **QUICK)
    )
    for one, same in zip(found["calibrators"], other["calibrators"], strict=True):
        assert one.pop("family") == same.pop("family")
        assert one == pytest.approx(same, rel=1e-9)


def test_copies_that_weights_count_are_rows_of_one_group():
    w = np.random.default_rng(4).integers(1, 4, N)
    counted = fot.compare_calibrators(Y, P, groups=IDS, sample_weight=w, **QUICK)
    with without_warnings():  # of rows that look like copies
        written = fot.compare_calibrators(
            *(np.repeat(column, w) for column in (Y, P)), groups=np.repeat(IDS, w), **QUICK
        )
    for one in counted:
        other = written[one.name].held_out
        assert one.held_out.to_identity.mean == pytest.approx(other.to_identity.mean, abs=1e-9)
        assert one.held_out.to_identity.se == pytest.approx(other.to_identity.se, rel=1e-6)


def test_rows_of_one_group_in_other_folds_would_flatter_a_rough_map():
    rng = np.random.default_rng(6)
    score, label = rng.random(40), rng.integers(0, 2, 40)  # labels of a group are alike, and its scores nearly so
    y, p = np.repeat(label, 15), np.repeat(score, 15) + 1e-6 * rng.random(600)
    bins = {"families": [fot.Flat(40)], "rule": "one_se", "evaluators": [], "scoring": "brier"}
    with pytest.warns(fot.CalibrationWarning, match="rows come in runs of nearly equal ones"):
        apart = fot.compare_calibrators(y, p, **bins).calibrators
    together = fot.compare_calibrators(y, p, groups=np.repeat(np.arange(40), 15), **bins).calibrators
    assert min(one.loss for one in apart) < 0.15
    assert all(one.loss > 0.2 for one in together)


@pytest.mark.parametrize("reduction", ["confidence", "classwise", "canonical"])
def test_several_classes_hold_out_whole_groups_too(reduction):
    P3 = np.random.default_rng(5).dirichlet([1, 1, 1], N)
    y = (P3.cumsum(axis=1) > RNG.random((N, 1))).argmax(axis=1)
    options = QUICK | {"families": ["temperature"], "reduction": reduction}
    found = fot.compare_calibrators(y, P3, groups=IDS, **options)
    plain = fot.compare_calibrators(y, P3, **options)
    se, of_rows = (one["temperature"].held_out.to_identity.se for one in (found, plain))
    assert found.groups.sizes.groups == K
    assert se != of_rows
    assert se == pytest.approx(of_rows, rel=0.9)


def test_test_sets_have_groups_of_their_own():
    test = (Y[::-1], P, None, IDS)
    found = fot.compare_calibrators(Y, P, groups=IDS, test=test, **QUICK)
    read = fot.compare_calibrators(fot.read(Y, P, groups=IDS), test=fot.read(*test[:2], groups=IDS), **QUICK)
    assert numbers(read) == numbers(found)
    rows = fot.read(Y[::-1], P, groups=IDS).present
    q = found["platt"].family.map_(rows.rows.p)
    loss = find_loss("log_loss")
    expected = by_hand(loss(rows.rows.y, q) - loss(rows.rows.y, rows.rows.p), np.ones(N), rows.facts["group"])
    gain = found["platt"].test.to_identity
    assert (gain.mean, gain.se) == pytest.approx(expected)
    plain = fot.compare_calibrators(Y, P, groups=IDS, test=test[:2], **QUICK)
    assert plain["platt"].test.to_identity.se != gain.se
    assert plain.test_groups is None


def test_groups_are_printed_and_recorded():
    found = fot.compare_calibrators(Y, P, groups=IDS, **QUICK)
    assert "groups: 25 (12 rows each)" in str(found.table())
    assert "Whole groups are held out, and standard errors are of sums over groups" in str(found.table())
    assert json.loads(json.dumps(found.to_dict()))["groups"] == K
    few = fot.compare_calibrators(Y, P, groups=IDS % 5, test=(Y, P, None, IDS % 12), **QUICK)
    assert few.cv == 5
    assert "dependence cannot be learnt from fewer than 10 groups: standard errors are hardly known" in str(few)
    assert "few groups (12 effective): standard errors of the test set are not known well" in str(few)
    plain = fot.compare_calibrators(Y, P, **QUICK)
    assert "group" not in str(plain)
    assert "groups" not in plain.to_dict()


def test_bad_groups_are_refused_by_name():
    with pytest.raises(ValueError, match="groups must be at least 2 for cross-validation"):
        fot.compare_calibrators(Y, P, groups=np.zeros(N), **QUICK)
    with pytest.raises(ValueError, match="groups has 5"):
        fot.compare_calibrators(Y, P, groups=IDS[:5], **QUICK)
    with pytest.raises(ValueError, match="test must have rows of at least 2 groups"):
        fot.compare_calibrators(Y, P, test=(Y, P, None, np.zeros(N)), **QUICK)
    with pytest.raises(ValueError, match=r"test\[0\] has 300, test\[3\] has 4"):
        fot.compare_calibrators(Y, P, test=(Y, P, None, IDS[:4]), **QUICK)
    with pytest.raises(ValueError, match=r"test must be a tuple \(y, p\).* got 5 entries"):
        fot.compare_calibrators(Y, P, test=(Y, P, None, IDS, IDS), **QUICK)
