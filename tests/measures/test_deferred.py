"""Estimates are numbers; what labels drawn anew tell of them is computed when it is first asked for; they are drawn."""

import copy
import json
import pickle
from dataclasses import replace

import joblib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from sklearn.metrics import make_scorer as sklearn_scorer
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.measures.estimate import RAW_NOTE
from fitontest.uncertainty import intervals
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

Y, P = noisy(300)


def three_classes(n=120):
    rng = np.random.default_rng(0)
    p = rng.dirichlet([2, 2, 2], n)
    return (p.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1), p


def test_an_estimate_is_a_float():
    error = fot.calibration_error(Y, P, family="platt")
    value = float(error)
    assert isinstance(error, float)
    assert type(value) is float
    assert json.dumps({"e": error}) == json.dumps({"e": value})
    assert error == value == error.value
    assert hash(error) == hash(value)
    assert error in {value}
    assert np.asarray([error, error]).dtype == np.float64
    assert np.mean([error, error]) == np.sqrt(error**2) == value
    assert pd.Series([error, 0.5]).dtype == np.float64
    assert f"{error:.3f}" == f"{value:.3f}"
    assert f"{error}" == str(error)
    assert type(error + 1) is type(-error) is type(round(error, 2)) is type(abs(error)) is float
    assert max([error, 2.0, 0.0]) == 2.0
    assert sorted([error, 0.0])[1] is error


def copied(error):
    yield pickle.loads(pickle.dumps(error))
    yield copy.copy(error)
    yield copy.deepcopy(error)
    yield replace(error)
    yield joblib.Parallel(n_jobs=1)([joblib.delayed(lambda: error)()])[0]


@pytest.mark.parametrize("asked", [False, True])
def test_copies_are_the_same_number_and_know_as_much(asked):
    error = fot.calibration_error(Y, P, family="platt")
    if asked:
        assert error.interval.level == 0.95
    copies = [*copied(error)]
    for one in copies:
        assert type(one) is fot.measures.Estimate
        assert float(one) == one.value == error
        assert one.map(0.3) == error.map(0.3)
    assert [one.known is None for one in copies] == [not asked] * 5
    for one in copies:
        assert one.debiased == pytest.approx(error.debiased, rel=1e-12)


def test_joblib_keeps_it_in_a_file(tmp_path):
    error = fot.calibration_error(Y, P, family="platt")
    joblib.dump(error, tmp_path / "error")
    assert joblib.load(tmp_path / "error") == error


@pytest.mark.exhaustive
@pytest.mark.parametrize("family", ["spline", "slope1", "beta"])
def test_it_is_what_evaluate_finds(family):
    error = fot.calibration_error(Y, P, family=family)
    assert error.known is None
    known = fot.evaluate(Y, P, families=[family])[family]
    assert (error.debiased, error.interval, error.limits) == (known.debiased, known.interval, known.limits)
    assert np.array_equal(error.null.values, known.null.values)
    assert error.note == known.note
    assert str(error) == str(known)
    assert error.to_dict() == known.to_dict()


def test_binned_errors_have_what_a_level_gives_them():
    error, known = (fot.ece(Y, P, interval=interval) for interval in ("auto", "always"))
    assert error.known is None
    assert (error.debiased, error.interval) == (known.debiased, known.interval)
    assert str(error) == str(known)


def test_it_is_computed_once_and_only_when_it_is_asked_for(monkeypatch):
    asked = []
    monkeypatch.setattr(intervals.Redrawn, "chain", lambda *_: asked.append(1))
    error = fot.calibration_error(Y, P, family="platt")
    assert "debiased" not in repr(error)
    assert float(error) + error > 0
    assert f"{error:.3f}" == f"{float(error):.3f}"
    assert error.note is None
    assert asked == []
    assert error.debiased is None
    assert "the same for all simulated labels" in error.interval_reason
    assert "the same for all simulated labels" in str(error)
    assert error.to_dict()["debiased"] is None
    assert asked == [1]


@pytest.mark.parametrize(
    "ask",
    [
        lambda error: error.debiased,
        lambda error: error.interval,
        lambda error: error.null,
        lambda error: error.limits,
        lambda error: error.limit(),
        lambda error: error.interval_reason,
        str,
        lambda error: error.to_dict(),
        lambda error: error.to_frame(),
        lambda error: error._repr_html_(),
        lambda error: error.plot(Figure()),
    ],
)
def test_what_asks_for_it(ask):
    error = fot.calibration_error(Y, P, family="platt")
    ask(error)
    assert error.known is not None
    assert "debiased=" in repr(error)


def test_without_an_interval_it_is_called_the_plug_in():
    error = fot.calibration_error(Y, P, family="platt", interval=None)
    assert error.null is error.debiased is error.interval is None
    first, settings, note = str(error).splitlines()
    assert first == f"calibration error: {float(error):.3f}, the plug-in"
    assert settings == "family platt, norm l1, n = 300"
    assert note == RAW_NOTE


def test_the_first_line_is_the_corrected_value_and_the_last_the_plug_in():
    error = fot.calibration_error(Y, P, family="platt")
    first, *_, last = str(error).splitlines()
    ends = f"95 % CI {error.interval.low:.3f} to {error.interval.high:.3f}"
    assert first == f"calibration error: {error.debiased:.3f} ({ends})"
    assert error._repr_html_().startswith(f"<p>{first}")
    assert f"{error.debiased:.3f}" != f"{error.value:.3f}"
    assert last == f"float(): {float(error):.3f}, the plug-in"


def test_the_ece_stands_before_what_is_corrected():
    error = fot.ece(Y, P)
    ends = f"95 % CI {error.interval.low:.3f} to {error.interval.high:.3f}"
    first = f"ECE: {error.value:.3f}; corrected for chance {error.debiased:.3f} ({ends})"
    if error.interval.low == 0:
        first = f"ECE: {error.value:.3f}; corrected for chance 0.000 to {error.interval.high:.3f} (95 % CI)"
    assert str(error).splitlines()[0] == first
    assert "float()" not in str(error)


def test_settings_stand_below_the_value():
    error = fot.calibration_error(Y, P, family="platt")
    _, settings, null, *_ = str(error).splitlines()
    assert settings == "family platt, norm l1, n = 300"
    assert null.startswith("expected if calibrated: 0.")


CUBES = fot.norms.Norm("l3", lambda g, w: float((w @ g**3 / w.sum()) ** (1 / 3)))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"norm": CUBES}, "the norm l3 is not one of"),
        ({"family": "venn_abers"}, "hundreds of refits"),
        ({"family": fot.maps.IdentityMap()}, "a map that is given"),
        ({"family": "slope1", "debias": True}, "the value is debiased already"),
    ],
)
@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
def test_why_there_is_none(options, reason):
    error = fot.calibration_error(Y, P, **options)
    assert error.known is not None
    assert error.interval is None
    assert reason in error.interval_reason
    assert f"no interval: {error.interval_reason}" in " ".join(str(error).split())


def test_why_there_is_none_of_several_classes():
    y, p = three_classes()
    means = fot.calibration_error(y, p, reduction="classwise", family="platt")
    assert "interval='always' gives each class one" in str(means)
    assert all(each.null is None for each in means.classes.values())
    assert "the ECE on the simplex has one" in str(fot.calibration_error(y, p, reduction="canonical"))
    assert "interval='always' computes it" in " ".join(str(fot.gce(y, p, reduction="canonical")).split())
    assert fot.gce(y, p, reduction="confidence").interval.level == 0.95
    assert fot.gce(Y, P, loss="deviation").interval_reason == ""
    assert "no interval" not in str(fot.gce(Y, P, loss="rejection"))


def test_copies_among_the_rows_are_told_of_when_labels_are_redrawn():
    y, p = np.tile(Y[:60], 3), np.tile(P[:60], 3)
    error = fot.calibration_error(y, p, family="platt")
    assert error.note is None
    with pytest.warns(fot.CalibrationWarning, match="look like copies"):
        text = str(error)
    assert "look like copies" in text
    assert "look like copies" in error.note


def test_numbers_of_scikit_learn():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    y = x[:, 0] + rng.normal(size=300) > 0
    scorer = sklearn_scorer(fot.calibration_error, greater_is_better=False, response_method="predict_proba")
    scores = cross_val_score(GaussianNB(), x, y, scoring=scorer, cv=3)
    assert scores.dtype == np.float64
    assert (scores < 0).all()


def test_a_scorer_gives_the_raw_value_or_the_debiased_one():
    x = np.random.default_rng(0).normal(size=(200, 2))
    y = x[:, 0] + x[:, 1] ** 2 > np.random.default_rng(1).normal(size=200)
    model = GaussianNB().fit(x, y)
    error = fot.calibration_error(y, model.predict_proba(x)[:, 1], family="platt")
    raw, debiased = (fot.make_scorer(family="platt", debiased=value) for value in (False, True))
    assert raw(model, x, y) == -float(error)
    assert debiased(model, x, y) == -error.debiased != raw(model, x, y)
    assert repr(debiased) == "make_scorer('calibration_error', family='platt', debiased=True)"
    ece = fot.make_scorer("ece", debiased=True)
    assert ece(model, x, y) == -fot.ece(y, model.predict_proba(x)[:, 1]).debiased
    assert repr(fot.make_scorer("auc")) == "make_scorer(AUC())"
    for refused in (lambda: fot.make_scorer("tce", debiased=True), lambda: fot.make_scorer("auc", debiased=True)):
        with pytest.raises(ValueError, match="debiased must be False for"):
            refused()
    with pytest.raises(ValueError, match="debiased must be False with reduction='classwise'"):
        fot.make_scorer(reduction="classwise", debiased=True)
    with pytest.raises(ValueError, match="debiased must be True or False"):
        fot.make_scorer(debiased="yes")
    with pytest.raises(ValueError, match="debiased must be False where there is no debiased value: the norm l3"):
        fot.make_scorer(norm=CUBES, debiased=True)(model, x, y)


@pytest.mark.exhaustive
def test_estimates_draw_themselves():
    error = fot.calibration_error(Y, P, family="platt", interval=None)
    display = error.plot(Figure(), name="model", scale="logit")
    assert isinstance(display, fot.ReliabilityDisplay)
    assert display.error is error
    assert [*display.diagrams] == ["model"]
    assert isinstance(fot.tce(Y, P, null_draws=0).plot(Figure()), fot.displays.TCEDisplay)
    y, p = three_classes()
    many = fot.calibration_error(y, p, reduction="classwise", family="platt", interval=None).plot(Figure(), classes=2)
    assert len(many.diagrams) == 2
    triangle = fot.calibration_error(y, p, reduction="canonical", family="temperature", interval=None).plot(Figure())
    assert isinstance(triangle, fot.displays.SimplexDisplay)


def test_what_cannot_be_drawn_says_why():
    with pytest.raises(ValueError, match="ECE has no calibration map to draw"):
        fot.ece(Y, P).plot(Figure())
    with pytest.raises(ValueError, match="AUC has no calibration map to draw"):
        fot.measure(Y, P, "auc").plot(Figure())
    with pytest.raises(ValueError, match="does not hold the rows"):
        fot.measures.make("ece").estimate(fot.ScoreSample(Y, P)).plot(Figure())


@pytest.mark.exhaustive
def test_weights_that_may_be_importances_are_told_of_as_evaluate_does():
    weights = np.random.default_rng(0).integers(1, 4, Y.size)
    error, known = (
        fot.calibration_error(Y, P, family="platt", sample_weight=weights, interval=i) for i in ("auto", "always")
    )
    assert "if the weights are importances" in known.note
    assert str(error) == str(known)
    assert error.to_dict() == known.to_dict()
    assert error.note == known.note
