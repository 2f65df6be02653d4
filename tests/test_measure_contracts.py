"""What every measure promises, checked over the registry: a new measure is tested by existing."""

import json
import pickle
import warnings
from dataclasses import FrozenInstanceError, dataclass, fields, is_dataclass
from typing import get_args

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.base import BaseEstimator, ClassifierMixin

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.measures.measure import Unit
from fitontest.uncertainty.redrawing import Redrawing, estimate_of
from tests.strategies import noisy

NEW = "a new one"


def squares(p):
    """Return true probabilities of scores, as simulated data have them."""
    return p**2


NEEDED = {"probabilistic_kendall_tau": {"truth": squares}}  # settings without which a measure has no value
VARIANTS = {
    **{name: fot.measures.make(name, **NEEDED.get(name, {})) for name in fot.measures.names("two")},
    "slope1-5": fot.measures.PlugIn(fot.Slope1(5)),
    "slope1-debiased": fot.measures.PlugIn(fot.Slope1(5), debias=True),
    "flat-squared": fot.measures.PlugIn(fot.Flat(5), norm="squared"),
    "isotonic-max": fot.measures.PlugIn("isotonic", norm="max"),
    "beta-l2": fot.measures.PlugIn("beta", norm="l2"),
    "platt": fot.measures.PlugIn("platt"),
    "pava_bc": fot.measures.PlugIn("pava_bc"),
    "a map": fot.measures.PlugIn(fot.maps.BetaMap(1.2, 0.9, 0.1, 1e-16)),
    "ece-right": fot.measures.make("ece", partition=fot.partitions.EqualWidth(7, "right")),
    "ace-l2": fot.measures.make("ace", norm="l2", n_bins=7),
    "mce-edges": fot.measures.make("mce", partition=[0.2, 0.7]),
    "tce-t": fot.measures.make("tce", partition="equal_mass", test="t", alpha=0.1),
    "a callable": fot.measures.Binned(
        loss=lambda y, p, sample_weight=None: float(np.average(y, weights=sample_weight))
    ),
    "within_bin-pava": fot.measures.WithinBin("pava"),
    "kernel-biased": fot.measures.KernelError(estimator="biased", length_scale=0.1),
    "kernel-signs": fot.measures.KernelError(test="asymptotic"),
    "kernel-block": fot.measures.KernelError(estimator="block", block_size=20, random_state=3),
    "kernel-rbf": fot.measures.KernelError("rbf"),
    "kernel-rbf-block": fot.measures.KernelError("rbf", "block"),
    "smooth_ece-0.1": fot.measures.SmoothECE(0.1),
    "auc_v-3": fot.measures.ValidityArea(k=3),
    "eci-platt": fot.measures.ECI("platt"),
    "eci-isotonic-normalised": fot.measures.ECI("isotonic", normalised=True),
    "hosmer_lemeshow-5": fot.measures.HosmerLemeshow(5),
    "zero_one-0.3": fot.measures.ZeroOneLoss(threshold=0.3),
    "net_benefit-standardised": fot.risk.NetBenefit(0.3, standardised=True),
    "net_benefit-all": fot.risk.NetBenefit(0.3, against="all"),
    "decision_loss-platt": fot.risk.DecisionLoss(0.3, "platt"),
    "cost_weighted_error-beta": fot.risk.CostWeightedError(2, 8),
}
CANNOT_PICKLE = {"a callable"}  # a lambda, whoever holds it


@dataclass(frozen=True)
class Agreement(fot.Measure):
    "The weighted share of rows whose label is on the side of their score: one class and one method."

    greater_is_better = True
    unit = "correlation"
    threshold: float = 0.5

    def estimate(self, sample):
        rows = sample.rows
        agrees = (rows.p > self.threshold) == (rows.y == 1.0)
        return fot.measures.Estimate.of(self, sample, rows.w @ agrees / rows.w.sum())


@pytest.fixture(params=[*VARIANTS, NEW])
def name(request):
    if request.param != NEW:
        yield request.param
        return
    fot.measures.register(NEW)(Agreement)
    yield NEW
    fot.measures.unregister(NEW)


@pytest.fixture
def measure(name):
    return Agreement() if name == NEW else VARIANTS[name]


@pytest.fixture(autouse=True)
def _without_notes():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        yield


def counts_rows(measure):
    """Tell whether the measure draws folds or blocks of rows: a row of weight 2 is then not that row twice."""
    if isinstance(measure, fot.measures.PlugIn | fot.measures.ECI):
        return measure.family in (None, "slope1", "spline")  # by name: chosen by cross-validation
    return isinstance(measure, fot.measures.KernelError) and measure.estimator == "block"


def needs_whole_weights(measure):
    tests = isinstance(measure, fot.measures.Binned) and measure.bin_loss.significance is not None
    return tests or getattr(measure, "debias", False)


def tolerance(measure):
    """Likelihood fits agree to their gradient tolerance, sums of weights to rounding."""
    if isinstance(measure, fot.measures.ECI):  # 100 times the mean
        return 1e-7
    return 1e-9 if isinstance(measure, fot.measures.PlugIn) else 1e-12


def value(measure, y, p, w=None):
    return measure.estimate(fot.ScoreSample(y, p, w)).value


def three_classes(n=240):
    rng = np.random.default_rng(5)
    scores = rng.dirichlet([1, 1, 1], n)
    labels = np.array(["<i>a", "b&b", "c"])
    return labels[[rng.choice(3, p=row**1.5 / (row**1.5).sum()) for row in scores]], scores, labels.tolist()


def strict(text):
    return json.loads(text, parse_constant=pytest.fail)


def assert_presentable(found):
    json.dumps(found.to_dict(), allow_nan=False)
    strict(found.to_json())
    frame = found.to_frame("pandas")
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == len(found.rows()) > 0
    assert str(found)
    assert repr(found)
    assert found._repr_html_().startswith("<")


def test_the_estimate(measure):
    y, p = noisy(250, ties=2)
    found = measure.estimate(fot.ScoreSample(y, p))
    assert isinstance(found, fot.measures.Estimate)
    assert isinstance(found.value, float)
    assert np.isfinite(found.value)
    assert float(found) == found.value
    assert found.measure is measure
    assert found.n == 250
    assert found.base_rate == y.mean()
    assert isinstance(found.evidence, fot.measures.Evidence)
    assert_presentable(found)
    assert {"measure", "value", "unit", "n", "base_rate"} <= found.record().keys()
    if measure.unit == "fraction":
        assert -1 <= found.value <= 1


def test_what_the_class_declares(measure):
    assert measure.unit in get_args(Unit)
    assert type(measure).unit == measure.unit
    assert type(measure).greater_is_better is measure.greater_is_better
    assert measure.greater_is_better in (True, False)
    assert type(measure).uses_labels is measure.uses_labels
    assert measure.classes in ("two", "any", "both")
    assert isinstance(measure.refits, bool)
    assert measure.__doc__
    for text in (measure.title, measure.name, measure.printed(0.1234)):
        assert isinstance(text, str)
        assert text
    assert isinstance(measure.in_words(), str)


def test_it_is_frozen_and_keeps_its_settings(measure):
    assert is_dataclass(measure)
    for one in fields(measure):
        with pytest.raises(FrozenInstanceError):
            setattr(measure, one.name, None)
    settings = measure.settings()
    assert json.loads(json.dumps(settings, allow_nan=False)) == settings
    assert settings.keys() >= measure.brief().keys()
    y, p = noisy(250)
    measure.estimate(fot.ScoreSample(y, p))
    assert measure.settings() == settings


def test_registered_names():
    for name in fot.measures.names("two"):
        measure = fot.measures.make(name, **NEEDED.get(name, {}))
        if name not in ("plug_in", "gce"):  # by the name of its family; with these settings it is the ECE
            assert measure.name == name
        assert fot.evaluate(*noisy(60), measures=[measure], interval=None)[measure.name].measure == measure
        with pytest.raises(ValueError, match=f"settings of {name} must be among"):
            fot.measures.make(name, nonsense=1)


def test_row_order_does_not_matter(measure):
    y, p = noisy(250, ties=2)
    weights = [None, np.random.default_rng(1).integers(0, 3, 250)]
    if not needs_whole_weights(measure):
        weights.append(np.random.default_rng(1).choice([0.5, 0.1, 1.7], 250))
    order = np.random.default_rng(2).permutation(250)
    for w in weights:
        first, again = value(measure, y, p, w), value(measure, y[order], p[order], None if w is None else w[order])
        if measure.fitting is not None or measure.classes == "both":  # means over the rows as they came
            assert again == pytest.approx(first, abs=1e-15)
        else:
            assert again == first  # bit by bit


def test_a_weight_of_two_is_the_row_twice(measure):
    if counts_rows(measure):
        pytest.skip("it draws folds or blocks of rows")
    y, p = noisy(250, ties=2)
    w = np.random.default_rng(1).integers(0, 4, 250)
    repeated = value(measure, np.repeat(y, w), np.repeat(p, w))
    assert value(measure, y, p, w) == pytest.approx(repeated, abs=tolerance(measure))


def test_a_weight_of_zero_is_the_row_absent(measure):
    y, p = noisy(250, ties=2)
    w = np.random.default_rng(1).integers(0, 3, 250)
    kept = w > 0
    found = measure.estimate(fot.ScoreSample(y, p, w))
    assert found.n == kept.sum()
    assert found.value == pytest.approx(value(measure, y[kept], p[kept], w[kept]), abs=tolerance(measure))


def test_types_of_scores_and_labels(measure):
    y, p = noisy(250)
    single = p.astype(np.float32)
    assert value(measure, y, single) == value(measure, y, single.astype(float))
    expected = value(measure, y, p)
    for labels in (y.astype(bool), y.astype(np.int8), 2 * y - 1, list(y)):
        assert value(measure, labels, p) == expected


HARD = {
    "n=1": ([0.3], [1]),
    "n=1 at 0": ([0.0], [1]),
    "n=2": ([0.3, 0.6], [1, 0]),
    "all positive": (np.linspace(0, 1, 50), np.ones(50)),
    "all negative": (np.linspace(0, 1, 50), np.zeros(50)),
    "constant p": (np.full(60, 0.4), np.arange(60) % 3 == 0),
    "constant p = 1": (np.full(60, 1.0), np.arange(60) % 3 == 0),
    "p in {0, 1}": (np.arange(60) % 2, np.arange(60) % 3 == 0),
    "p = y": (np.arange(60) % 2, np.arange(60) % 2),
    "p = 1 - y": (np.arange(60) % 2, 1 - np.arange(60) % 2),
    "tiny p": (np.linspace(5e-324, 5e-320, 50), np.arange(50) % 7 == 0),
    "near 1": (1 - np.linspace(1e-15, 1e-13, 50), np.arange(50) % 7 != 0),
}


def test_hard_inputs(measure):
    """An estimate, or a refusal that names a setting or an argument."""
    arguments = [*measure.settings(), "y_true", "y_prob", "sample_weight"]
    for case, (p, y) in HARD.items():
        found, refusal = outcome(measure, y, p)
        if found is None:
            assert refusal.split(" must ", maxsplit=1)[0] in arguments, (case, refusal)
        else:
            assert np.isfinite(found.value), case
            json.dumps(found.evidence.to_dict(), allow_nan=False)


def outcome(measure, y, p):
    """Return the estimate, or why there is none."""
    try:
        return measure.estimate(fot.ScoreSample(y, p)), ""
    except ValueError as error:
        return None, str(error)


def test_class_wise_and_confidence(measure):
    labels, scores, names = three_classes()
    asked = {"measures": [measure], "labels": names}
    found = fot.evaluate(labels, scores, **asked, reduction="classwise", null_draws=2, interval=None)
    (mean,) = found
    each = [measure.estimate(fot.ScoreSample(labels == label, scores[:, k])).value for k, label in enumerate(names)]
    assert [one.value for one in mean.classes.values()] == pytest.approx(each, abs=1e-15)
    assert mean.value == pytest.approx(np.mean(each), abs=1e-15)
    assert_presentable(mean)
    for html in (found._repr_html_(), mean._repr_html_()):
        assert "<i>" not in html
    assert "&lt;i&gt;a" in mean._repr_html_()
    top = fot.evaluate(labels, scores, **asked, reduction="confidence")
    (confidence,) = top
    hits = np.array(names)[scores.argmax(axis=1)] == labels
    assert confidence.value == value(measure, hits, scores.max(axis=1))
    assert confidence.reduction == "confidence"
    assert str(top)


def test_null_draws(measure):
    y, p = noisy(250, ties=2)
    found = estimate_of(measure, fot.ScoreSample(y, p), redrawing=Redrawing(4))
    again = estimate_of(measure, fot.ScoreSample(y, p), redrawing=Redrawing(4))
    if not measure.uses_labels:
        assert found.null is None
        assert measure.estimate(fot.ScoreSample(1 - y, p)).value == found.value
        return
    np.testing.assert_array_equal(found.null.values, again.null.values)
    assert np.isfinite(found.null.values).all()
    assert 0 < found.null.p_value <= 1
    assert_presentable(found)
    assert value(measure, y, p) == found.value
    if not counts_rows(measure):
        w = np.random.default_rng(1).integers(0, 3, 250)
        weighted = estimate_of(measure, fot.ScoreSample(y, p, w), redrawing=Redrawing(4)).null.values
        repeated = estimate_of(
            measure, fot.ScoreSample(np.repeat(y, w), np.repeat(p, w)), redrawing=Redrawing(4)
        ).null.values
        np.testing.assert_allclose(weighted, repeated, rtol=0, atol=tolerance(measure))


class Column(ClassifierMixin, BaseEstimator):
    """A classifier whose only feature is its score."""

    classes_ = np.array([0, 1])

    def fit(self, x, y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def predict_proba(self, x):
        return np.column_stack([1 - x[:, 0], x[:, 0]])


def test_the_scorer_is_the_signed_value(measure, name):
    y, p = noisy(250)
    w = np.random.default_rng(1).integers(0, 3, 250)
    sign = 1 if measure.greater_is_better else -1
    for weights in (None, w):
        score = fot.make_scorer(measure)(Column(), p[:, None], y, sample_weight=weights)
        assert score == sign * value(measure, y, p, weights)
    by_name = name in fot.measures.names("two") and name not in NEEDED
    if by_name and name != "tce":  # a function of this name is older, and in percent
        assert fot.make_scorer(name)(Column(), p[:, None], y) == sign * value(measure, y, p)


def test_the_target(measure):
    y, p = noisy(250, ties=2)
    w = np.random.default_rng(1).integers(0, 3, 250)
    for sample in (fot.ScoreSample(y, p), fot.ScoreSample(y, p, w)):
        at_truth, elsewhere = measure.target(sample, sample.p), measure.target(sample, sample.p**1.4)
        if at_truth is None:
            assert elsewhere is None
            continue
        assert at_truth == 0
        assert isinstance(elsewhere, float)
        assert np.isfinite(elsewhere)
        assert elsewhere > 0
        order = np.random.default_rng(2).permutation(250)
        other = fot.ScoreSample(y[order], p[order], None if sample.unit else w[order])
        assert measure.target(other, other.p**1.4) == pytest.approx(elsewhere, abs=1e-14)


def test_pickles(measure, name):
    if name in CANNOT_PICKLE:
        pytest.skip("it holds a lambda")
    y, p = noisy(250, ties=2)
    found = measure.estimate(fot.ScoreSample(y, p))
    again = pickle.loads(pickle.dumps(found))
    assert again.value == found.value
    assert again.to_json() == found.to_json()
    assert pickle.loads(pickle.dumps(measure)).settings() == measure.settings()
    assert value(pickle.loads(pickle.dumps(measure)), y, p) == found.value


def test_in_the_command_line(name, measure, tmp_path):
    if name not in fot.measures.names("two") or name in NEEDED:
        pytest.skip("the command line knows registered names")
    y, p = noisy(250, ties=2)
    file = tmp_path / "scores.csv"
    pd.DataFrame({"y": y, "p": p}).to_csv(file, index=False)
    options = [
        "--label",
        "y",
        "--prob",
        "p",
        "--family",
        "identity",
        "--measure",
        name,
        "--null-draws",
        "2",
        "--format",
        "json",
    ]
    result = CliRunner().invoke(main, ["evaluate", str(file), *options])
    assert result.exit_code == 0, result.output
    printed = strict(result.stdout)
    expected = value(fot.measures.make(name), y, p)
    if name == "plug_in":
        assert printed["estimates"][-1]["value"] == expected
        assert printed["estimates"][-1]["null_mean"] is not None
    else:
        (detail,) = printed["measures"].values()
        assert detail["value"] == expected
        if measure.uses_labels:
            assert detail["if_calibrated"]["draws"] == 2
        else:
            assert detail["if_calibrated"] is None


def test_texts_are_escaped():
    @dataclass(frozen=True)
    class Hostile(fot.Measure):
        label: str = "<b>&"

        @property
        def title(self):
            return "<script>"

        def estimate(self, sample):
            return fot.measures.Estimate.of(self, sample, 0.5)

    (found,) = evaluation = fot.evaluate([0, 1], [0.2, 0.7], measures=[Hostile(label="<u>")])
    for html in (found._repr_html_(), evaluation._repr_html_()):
        assert "<script>" not in html
        assert "<u>" not in html
