"""``fit`` takes scores and labels by the names of the metrics too, and stays an estimator of scikit-learn."""

import inspect
import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

import fitontest as fot
from tests.strategies import noisy

MATRIX = np.random.default_rng(4).dirichlet([1, 1, 1], 120)
LETTERS = np.array(["a", "b", "c"])[(MATRIX.cumsum(axis=1) > np.random.default_rng(5).random((120, 1))).argmax(axis=1)]
KINDS = {
    "column": (fot.Beta(), *noisy(120)),
    "matrix": (fot.families.Vector(), LETTERS, MATRIX),
    "either, of a column": (fot.families.Temperature(), *noisy(120)),
    "either, of a matrix": (fot.families.Temperature(), LETTERS, MATRIX),
}


@pytest.fixture(params=KINDS)
def problem(request):
    return KINDS[request.param]


def test_names_of_metrics_and_of_scikit_learn(problem):
    family, y, p = problem
    expected = clone(family).fit(p, y).transform(p)
    own = "P" if isinstance(family, fot.families.Vector) else "p"
    for arguments in (
        {"y_prob": p, "y_true": y},
        {"y_true": y, "y_prob": p},
        {"X": p, "y": y},
        {own: p, "y_true": y},
        {"y_prob": p, "y": y, "sample_weight": np.ones(len(y))},
    ):
        assert np.array_equal(clone(family).fit(**arguments).transform(p), expected)
    assert np.array_equal(clone(family).fit(p, y_true=y).transform(p), expected)


def test_one_argument_by_two_names_is_refused(problem):
    family, y, p = problem
    own = "P" if isinstance(family, fot.families.Vector) else "p"
    with pytest.raises(ValueError, match=f"y_prob must be left out where {own} is given"):
        clone(family).fit(p, y, y_prob=p)
    with pytest.raises(ValueError, match="y_true must be left out where y is given"):
        clone(family).fit(p, y=y, y_true=y)
    with pytest.raises(ValueError, match=r"must be left out where [pP] is given"):
        clone(family).fit(y_prob=p, X=p, y=y)
    with pytest.raises(TypeError, match="y_score"):
        clone(family).fit(y_score=p, y=y)


def test_the_signature_is_that_of_an_estimator(problem):
    family = problem[0]
    names = list(inspect.signature(family.fit).parameters)
    assert names[:3] == ["P" if isinstance(family, fot.families.Vector) else "p", "y", "sample_weight"]
    assert not {"y_prob", "y_true", "X"} & {*names}
    with sklearn.config_context(enable_metadata_routing=True):
        requests = family.get_metadata_routing().fit.requests
        assert not {"y_prob", "y_true", "X"} & requests.keys()
        assert clone(family).set_fit_request(sample_weight=True).get_metadata_routing().fit.requests["sample_weight"]


def test_the_tools_of_scikit_learn_fit_it(problem):
    family, y, p = problem
    column = p if p.ndim == 2 else p[:, None]
    assert np.isfinite(cross_val_score(family, column, y, cv=3)).all()
    grid = GridSearchCV(family, {}, cv=3).fit(column, y)
    assert np.array_equal(grid.best_estimator_.transform(p), clone(family).fit(p, y).transform(p))
    assert make_pipeline(clone(family)).fit(column, y).transform(column).shape[0] == len(y)
    assert pickle.loads(pickle.dumps(clone(family).fit(y_prob=p, y_true=y))).map_ is not None
    with sklearn.config_context(enable_metadata_routing=True):
        weighted = GridSearchCV(
            clone(family).set_fit_request(sample_weight=True).set_score_request(sample_weight=True), {}, cv=3
        )
        assert weighted.fit(column, y, sample_weight=np.ones(len(y))).best_estimator_ is not None
