"""``reduction="canonical"`` at the doors, and what every measure of whole distributions promises."""

import json
import pickle
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import fitontest as fot
from tests.measures.test_simplex_ece import drawn

pytestmark = pytest.mark.multiplies

NAMES = fot.measures.names("any")
VARIANTS = {
    **{name: fot.measures.make(name) for name in NAMES},
    "temperature": fot.measures.PlugIn("temperature", "l2", distance="squared_euclidean"),
    "bins": fot.measures.PlugIn(fot.families.SimplexBins(fot.partitions.MedianVariance(20), slope=0)),
    "grid": fot.measures.Binned("bias", fot.partitions.UniformGrid(2), "max", distance="cityblock"),
    "biased": fot.measures.KernelError("rbf", "biased", distributions=True),
    "block": fot.measures.KernelError(estimator="block", block_size=30, distributions=True),
    "best": fot.measures.ProperError(["temperature", "vector"], "brier", 3),
}


@pytest.fixture(params=VARIANTS)
def measure(request):
    return VARIANTS[request.param]


def evaluated(measure, y, P, **settings):
    labels = settings.pop("labels", list(range(P.shape[1])))
    return fot.evaluate(y, P, measures=[measure], reduction="canonical", labels=labels, **settings)


def test_the_names_of_measures_of_whole_distributions():
    assert {"canonical", "canonical_kernel", "proper_error", "simplex_ece"} <= set(NAMES)
    with pytest.raises(ValueError, match="classes must be one of 'two', 'any'; got 'several'"):
        fot.measures.names("several")


def test_estimates_are_presentable(measure):
    y, P = drawn(120, 3)
    evaluation = evaluated(measure, y, P, null_draws=3)
    (found,) = evaluation
    assert type(found.measure) is type(measure)
    assert found.measure.name == measure.name
    assert found.measure.settings() == measure.settings()
    assert found.reduction == "canonical"
    assert found.base_rate is None
    assert found.n == 120
    assert found.null.values.shape == (3,)
    assert np.isfinite(found.null.values).all()
    assert str(evaluation).startswith("reduction canonical, 3 classes, n = 120")
    assert str(found)
    assert evaluation._repr_html_().startswith("<")
    for table in (found, evaluation):
        json.loads(table.to_json(), parse_constant=pytest.fail)
        assert len(table.to_frame()) == len(table.rows()) > 0
    assert found.record()["unit"] == measure.unit
    again = evaluated(measure, y, P, null_draws=3)
    np.testing.assert_array_equal(next(iter(again)).null.values, found.null.values)


def test_measures_are_frozen_values(measure):
    for one in fields(measure):
        with pytest.raises(FrozenInstanceError):
            setattr(measure, one.name, None)
    settings = measure.settings()
    assert json.loads(json.dumps(settings)) == settings
    assert measure.classes != "two"
    assert measure.in_words() or not measure.brief()
    y, P = drawn(120, 3)
    copy = pickle.loads(pickle.dumps(measure))
    assert float(next(iter(evaluated(copy, y, P)))) == float(next(iter(evaluated(measure, y, P))))


def test_rows_of_weight_zero_and_the_order_of_rows(measure):
    y, P = drawn(120, 3)
    rng = np.random.default_rng(0)
    w, order = rng.integers(0, 3, 120), rng.permutation(120)
    value = float(next(iter(evaluated(measure, y, P, sample_weight=w))))
    for rows in (w > 0, order):
        again = evaluated(measure, y[rows], P[rows], sample_weight=w[rows])
        assert float(next(iter(again))) == pytest.approx(value, abs=1e-9)


def test_two_classes_are_refused_but_by_the_proper_error():
    y, P = drawn(120, 2)
    for name in NAMES:
        if fot.measures.registry[name].classes == "both":
            continue
        if name == "proper_error":
            by_door = fot.evaluate(y, P[:, 1], measures=[name])[name]
            assert float(by_door) == float(fot.evaluation.proper_error(y, P[:, 1]))
            continue
        with pytest.raises(ValueError, match=r"reduction must be 'canonical' for .*, got None"):
            fot.evaluate(y, P[:, 1], measures=[name])
        with pytest.raises(ValueError, match=r"reduction must be 'canonical' for .*, got 'confidence'"):
            fot.evaluate(y, P, measures=[name], reduction="confidence")


def test_measures_of_two_classes_are_refused():
    y, P = drawn(120, 3)
    with pytest.raises(ValueError, match=r"measure must be one of all classes at once .* got 'ece', which is of two"):
        fot.evaluate(y, P, measures=["ece"], reduction="canonical")


def test_what_is_evaluated_unasked():
    y, P = drawn(150, 3)
    evaluation = fot.evaluate(y, P, reduction="canonical")
    assert evaluation.names == ["temperature", "vector", "matrix", "simplex_ece", "proper_error"]
    assert float(evaluation["vector"]) == float(fot.calibration_error(y, P, reduction="canonical"))
    assert float(evaluation["simplex_ece"]) == float(fot.gce(y, P, reduction="canonical"))
    assert float(evaluation["proper_error"]) == float(fot.evaluation.proper_error(y, P))
    with pytest.raises(ValueError, match="reduction must not be 'canonical' for reliability diagrams"):
        evaluation.plot()
    with pytest.raises(AttributeError, match="sample: of several classes there is none"):
        _ = evaluation.sample
    assert evaluation.classes == {}


def test_two_settings_of_one_family_have_names_of_their_own():
    y, P = drawn(100, 3)
    listed = [fot.families.Vector(penalty=1.0), fot.families.Vector(penalty=None), "temperature"]
    names = fot.evaluate(y, P, families=listed, reduction="canonical").names
    assert len(set(names)) == 3
    assert names[2] == "temperature"


def test_other_reductions_are_as_they_were():
    y, P = drawn(100, 3)
    with pytest.raises(ValueError, match="reduction must be one of 'confidence', 'classwise', 'binary', 'canonical'"):
        fot.calibration_error(y, P, reduction="top")
    with pytest.raises(ValueError, match="measure must be one of all classes at once"):
        fot.tce(y, P, reduction="canonical")
    assert float(fot.gce(y, P, reduction="confidence")) == float(fot.gce(P.argmax(axis=1) == y, P.max(axis=1)))


def test_decisions_are_told():
    with pytest.warns(fot.CalibrationWarning, match="all scores are 0 or 1"):
        found = fot.calibration_error([0, 1, 2, 0], np.eye(3)[[0, 1, 2, 1]], family="identity", reduction="canonical")
    assert found.decided


class Rows(ClassifierMixin, BaseEstimator):
    """A classifier whose features are its probabilities."""

    classes_ = np.array(["a", "b", "c"])

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def predict_proba(self, X):
        return X


def test_scorers():
    y, P = drawn(120, 3)
    names = Rows.classes_[y]
    for metric, expected in (
        ("calibration_error", fot.calibration_error(y, P, reduction="canonical")),
        ("gce", fot.gce(y, P, reduction="canonical")),
        ("proper_error", fot.evaluation.proper_error(y, P)),
    ):
        score = fot.make_scorer(metric, reduction="canonical")(Rows(), P, names)
        assert score == pytest.approx(-float(expected), abs=1e-12)
    with pytest.raises(ValueError, match="family must not be the identity"):
        fot.make_scorer(family="identity", reduction="canonical")
    score = fot.make_scorer(family="beta", reduction="canonical")(Rows(), P, names)
    assert score == pytest.approx(-float(fot.calibration_error(y, P, family="beta", reduction="canonical")), abs=1e-12)
    with pytest.raises(ValueError, match="family must be one of"):
        fot.make_scorer(family="unheard", reduction="canonical")
