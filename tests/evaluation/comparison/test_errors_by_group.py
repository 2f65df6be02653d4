"""Comparisons of two models where rows belong together: by brute force, and what must not change them."""

import json

import numpy as np
import pytest
from matplotlib.figure import Figure
from scipy.stats import t as student

import fitontest as fot
from fitontest.numerics.random import folds_of_groups
from fitontest.results.exceptions import without_warnings

pytestmark = pytest.mark.multiplies

RNG = np.random.default_rng(0)
K = 24
IDS = np.repeat(np.arange(K), np.arange(1, K + 1))
N = IDS.size
C = RNG.random(N)
Y = (RNG.random(N) < C).astype(int)
P1, P2 = C**0.5, C**1.2
BINS = fot.Slope1(4)
LETTERS = np.array(["a", "b", "c"])


def by_hand(y, p1, p2, ids, w, cv=10, seed=0):
    """Return difference, standard error and degrees of freedom, with maps fitted without whole groups."""
    order = np.lexsort((w, y, p2, p1))  # rows sorted by both scores: that of the first model is the larger
    if P1.min() > P2.min():
        order = np.lexsort((w, y, p1, p2))
    y, p1, p2, ids, w = (column[order] for column in (y, p1, p2, ids, w))
    names = list(dict.fromkeys(ids.tolist()))  # by the first row: scores are distinct, so that there are no ties
    code = np.array([names.index(name) for name in ids])
    d = np.zeros(y.size)
    for fold in folds_of_groups(code, cv, 1, seed)[0]:
        assert not set(code[fold]) & set(np.delete(code, fold))
        for sign, p in ((1, p1), (-1, p2)):
            training = fot.read(np.delete(y, fold), np.delete(p, fold), sample_weight=np.delete(w, fold))
            q = np.clip(fot.Slope1(4).fit_map(training)(p[fold]), 0, 1)
            d[fold] += sign * ((y[fold] - p[fold]) ** 2 - (y[fold] - q) ** 2)
    mean = np.average(d, weights=w)
    sums, size = np.bincount(code, w * (d - mean)), len(names)
    weights = np.bincount(code, w)
    effective = weights.sum() ** 2 / (weights @ weights)
    return mean, np.sqrt(size / (size - 1) * sums @ sums) / w.sum(), effective - 1


@pytest.mark.parametrize("w", [None, RNG.choice([0.5, 1.0, 2.5], N)])
def test_the_standard_error_is_that_of_sums_over_groups(w):
    found = fot.compare_errors(Y, P1, P2, family=BINS, groups=IDS, sample_weight=w)
    mean, se, degrees = by_hand(Y, P1, P2, IDS, np.ones(N) if w is None else w)
    assert (found.difference, found.se) == pytest.approx((mean, se), rel=1e-9)
    half = student.ppf(0.975, degrees) * se
    assert (found.interval.low, found.interval.high) == pytest.approx((mean - half, mean + half), rel=1e-9)
    assert found.p_value == pytest.approx(2 * student.sf(abs(mean) / se, degrees))


@pytest.mark.parametrize("family", [BINS, "spline"])
def test_groups_of_one_row_each_are_no_groups(family):
    single = fot.compare_errors(Y, P1, P2, family=family, groups=RNG.permutation(N))
    plain = fot.compare_errors(Y, P1, P2, family=family)
    assert (single.difference, single.se, single.p_value) == (plain.difference, plain.se, plain.p_value)
    assert single.interval == plain.interval
    assert single.cv == plain.cv
    assert "of one row each, so that rows are independent" in str(single)


@pytest.mark.parametrize("family", [BINS, "spline"])
def test_neither_order_nor_names_nor_the_first_model_matter(family):
    found = fot.compare_errors(Y, P1, P2, family=family, groups=IDS)
    order = np.random.default_rng(3).permutation(N)
    names = [("patient", int(k)) for k in (K - IDS)[order]]
    other = fot.compare_errors(Y[order], P2[order], P1[order], family=family, groups=names)
    assert (other.difference, other.se) == pytest.approx((-found.difference, found.se), rel=1e-9)


@pytest.mark.exhaustive
def test_copies_that_weights_count_are_rows_of_one_group():
    w = np.random.default_rng(4).integers(0, 4, N)
    counted = fot.compare_errors(Y, P1, P2, family=BINS, groups=IDS, sample_weight=w)
    y, p1, p2, ids = (np.repeat(column, w) for column in (Y, P1, P2, IDS))
    with without_warnings():  # of rows that look like copies
        written = fot.compare_errors(y, p1, p2, family=BINS, groups=ids)
    assert (counted.difference, counted.se, counted.p_value) == (written.difference, written.se, written.p_value)
    each_its_own = fot.compare_errors(Y, P1, P2, family=BINS, groups=np.arange(N), sample_weight=w)
    assert each_its_own.groups.sizes.most == 3  # copies of a row belong together
    assert each_its_own.se != fot.compare_errors(Y, P1, P2, family=BINS, sample_weight=w).se


@pytest.mark.parametrize("reduction", ["confidence", "classwise", "canonical"])
def test_several_classes_have_it_too(reduction):
    P = np.random.default_rng(5).dirichlet([1, 1, 1], N)
    y = LETTERS[(P.cumsum(axis=1) > RNG.random((N, 1))).argmax(axis=1)]
    Q = P**2 / (P**2).sum(axis=1, keepdims=True)
    options = {"reduction": reduction, "family": "temperature" if reduction == "canonical" else "platt"}
    found = fot.compare_errors(y, P, Q, groups=IDS, **options)
    plain = fot.compare_errors(y, P, Q, **options)
    assert found.groups.sizes.groups == K
    assert found.se != plain.se
    assert found.se == pytest.approx(plain.se, rel=0.6)  # labels are independent


def test_groups_are_printed_and_recorded():
    found = fot.compare_errors(Y, P1, P2, family=BINS, groups=IDS)
    assert "groups: 24 (1 to 24 rows each, median 12" in str(found)
    assert "Note: few groups (18 effective): Student's t allows" in str(found)
    assert str(found).count("few groups (24, 18 effective): rho is hardly known") == 1  # and not of each model
    assert "Whole groups are held out, and standard errors are of sums over groups" in str(found)
    assert "several of one patient" not in str(found)
    assert found.to_dict()["groups"] == K
    assert "groups" not in fot.compare_errors(Y, P1, P2, family=BINS).to_dict()


def test_below_ten_effective_groups_there_is_neither_interval_nor_p_value():
    few = fot.compare_errors(Y, P1, P2, family=BINS, groups=IDS % 9)
    assert (few.interval, few.p_value, few.better) == (None, None, None)
    assert few.difference > 0
    assert "dependence cannot be learnt from fewer than 10 groups" in few.sentence
    assert "effective): no interval, no p-value" in few.sentence
    assert few.notes == []  # the sentence has said why
    assert "interval" not in str(few).split("\n\n")[1]
    json.dumps(few.to_dict())
    display = few.plot(Figure())
    assert display.second == "difference: too few groups for a p-value"
    ten = fot.compare_errors(Y, P1, P2, family=BINS, groups=np.arange(N) % 10)
    assert ten.interval is not None
    uneven = np.where(np.arange(N) < N // 2, 0, np.arange(N))  # many groups, of which one outweighs all others
    assert fot.compare_errors(Y, P1, P2, family=BINS, groups=uneven).interval is None


def test_bad_groups_are_refused_by_name():
    with pytest.raises(ValueError, match="groups has 5"):
        fot.compare_errors(Y, P1, P2, groups=IDS[:5])
    with pytest.raises(ValueError, match="groups must not have missing values"):
        fot.compare_errors(Y, P1, P2, groups=[None, *IDS[1:]])
    with pytest.raises(ValueError, match="groups must be at least 2 for cross-validation"):
        fot.compare_errors(Y, P1, P2, groups=np.zeros(N))
