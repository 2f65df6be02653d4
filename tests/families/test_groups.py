"""Families and rows that belong together: whole groups are held out wherever a fit cross-validates, at every depth."""

import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import fitontest as fot
from fitontest.data.counted_sample import CountedSample
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample
from tests.multiclass import draw
from tests.strategies import noisy
from tests.test_contracts import VARIANTS as OF_SCORES
from tests.test_multiclass_contracts import VARIANTS as OF_CLASSES

pytestmark = pytest.mark.multiplies

Y, P = noisy(200, ties=2)
GROUPS = np.random.default_rng(3).integers(0, 40, size=200)
MATRIX, LABELS = draw()
CLASS_GROUPS = np.random.default_rng(3).integers(0, 40, size=len(LABELS))
NESTED = {
    "cross-validated slope1": fot.families.CrossValidated(fot.Slope1(), "max_bins", candidates=[2, 5], cv=3),
    "cross-validated stacking": fot.families.CrossValidated(
        fot.families.Stacking(["spline", "platt"]), "cv", candidates=[2, 3], cv=3
    ),
    "stacking of what cross-validates": fot.families.Stacking(["slope1", "spline", fot.Spline(cv=3)], cv=4),
}
NESTED_CLASSES = {
    "one against the rest": fot.families.OneVsRest("spline"),
    "stacking of classes": fot.families.Stacking([fot.families.Vector(penalty="cv", cv=3), "spline"], cv=3),
}
OWN_FOLDS = {"slope1", "flat", "pl", "pl3", "spline", "stacking", "cross_validated"}


def fitted(family, *data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of single bins, and of fits that end before they have converged
        return clone(family).fit(*data, **options)


@pytest.fixture
def drawn(monkeypatch):
    """Give a list of all cross-validations of a test: the ids of the rows, and the folds."""
    found = []
    for kind in (ScoreSample, CountedSample, SimplexSample):
        made = kind.in_repeated_folds

        def spy(self, *arguments, made=made):
            sample, repeats = made(self, *arguments)
            found.extend((sample.present.facts.get("group"), folds) for folds in repeats)
            return sample, repeats

        monkeypatch.setattr(kind, "in_repeated_folds", spy)
    return found


def check_whole_groups(cross_validations):
    for ids, folds in cross_validations:
        assert ids is not None, "the groups were lost"
        for rows in folds:
            others = np.setdiff1d(np.arange(len(ids)), rows)
            assert not set(ids[rows].tolist()) & set(ids[others].tolist())


@pytest.mark.parametrize("name", OF_SCORES | NESTED)
def test_families_of_scores_hold_out_whole_groups(name, drawn):
    family = (OF_SCORES | NESTED)[name]
    grouped = fitted(family, P, Y, groups=GROUPS)
    plain_folds = len(drawn)
    check_whole_groups(drawn)
    if name in OWN_FOLDS | set(NESTED):
        assert plain_folds > 0
    if not plain_folds:
        np.testing.assert_array_equal(grouped.predict(P), fitted(family, P, Y).predict(P))


@pytest.mark.parametrize("name", OF_CLASSES | NESTED_CLASSES)
def test_families_of_classes_hold_out_whole_groups(name, drawn):
    family = (OF_CLASSES | NESTED_CLASSES)[name]
    grouped = fitted(family, MATRIX, LABELS, groups=CLASS_GROUPS)
    check_whole_groups(drawn)
    if name in {"vector-cv", "matrix-cv", "dirichlet", "stacking", *NESTED_CLASSES}:
        assert drawn
    if not drawn:
        np.testing.assert_array_equal(
            grouped.predict_proba(MATRIX), fitted(family, MATRIX, LABELS).predict_proba(MATRIX)
        )


@pytest.mark.parametrize("name", sorted(OWN_FOLDS))
def test_groups_of_one_row_each_are_no_groups(name):
    plain = fitted(OF_SCORES[name], P, Y).predict(P)
    for groups in (None, np.arange(200), [f"row {i}" for i in range(200)]):
        np.testing.assert_array_equal(fitted(OF_SCORES[name], P, Y, groups=groups).predict(P), plain)


@pytest.mark.parametrize("name", ["spline", "slope1", "stacking"])
def test_neither_names_of_groups_nor_the_order_of_rows_matter(name):
    family = OF_SCORES[name]
    expected = fitted(family, P, Y, groups=GROUPS).predict(P)
    order = np.random.default_rng(5).permutation(200)
    names = [("site", int(39 - group)) for group in GROUPS[order]]
    np.testing.assert_allclose(
        fitted(family, P[order], Y[order], groups=names).predict(P), expected, rtol=0, atol=1e-12
    )


def test_weights_and_groups_go_together(drawn):
    w = np.random.default_rng(0).integers(0, 3, size=200)
    fitted(fot.Spline(), P, Y, w, GROUPS)
    check_whole_groups(drawn)
    assert len(drawn[0][0]) == np.count_nonzero(w)


def test_groups_are_read_by_the_names_of_metrics_too():
    by_name = fot.Spline().fit(y_true=Y, y_prob=P, groups=GROUPS)
    np.testing.assert_array_equal(by_name.predict(P), fot.Spline().fit(P, Y, groups=GROUPS).predict(P))


@pytest.mark.parametrize(
    ("family", "data"), [(fot.Spline(), (P, Y)), (fot.Beta(), (P, Y)), (fot.families.Vector(), (MATRIX, LABELS))]
)
def test_bad_groups_are_refused_by_every_family(family, data):
    for groups, message in (
        (GROUPS[:5], "y and groups must have the same number of rows"),
        ([None] * len(data[1]), "groups must not have missing values"),
        ("patient", "groups must have an id for each row of arrays"),
    ):
        with pytest.raises(ValueError, match=message):
            clone(family).fit(*data, groups=groups)


def test_one_group_cannot_be_held_out():
    with pytest.raises(ValueError, match="groups must be at least 2 for cross-validation"):
        fot.Spline().fit(P, Y, groups=np.zeros(200))


@pytest.mark.parametrize("name", ["spline", "beta", "vector", "temperature"])
def test_groups_are_routed(name):
    family = fot.families.make(name)
    with config_context(enable_metadata_routing=True):
        asked = family.set_fit_request(groups=True)
        assert asked.get_metadata_routing().fit.requests["groups"] is True
        data = (P, Y) if name in ("spline", "beta") else (MATRIX, LABELS)
        groups = GROUPS if name in ("spline", "beta") else CLASS_GROUPS
        column = data[0] if name == "vector" or name == "temperature" else data[0][:, None]
        pipeline = make_pipeline("passthrough", asked).fit(column, data[1], groups=groups)
        expected = fot.families.make(name).fit(*data, groups=groups)
    np.testing.assert_array_equal(pipeline.predict_proba(column), expected.predict_proba(data[0]))
