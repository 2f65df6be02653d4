"""Names that others use: each is answered with a call, and the call is the right one and runs."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from click.testing import CliRunner
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.results.other_names import ARGUMENTS, CALLS

rng = np.random.default_rng(0)
P = rng.random(300)
Y = (rng.random(300) < P**1.5).astype(int)
RUN = {
    "fitontest": fot,
    "y_true": Y,
    "y_prob": P,
    "before": (Y[:150], P[:150]),
    "after": (Y[150:], P[150:]),
    "estimator": GaussianNB(),
}
MEANT = {  # what each name is here
    "BetaCalibration": "fitontest.Beta",
    "CalibratedClassifierCV": "fitontest.CalibratedClassifier",
    "CalibrationDisplay": "ReliabilityDisplay.from_predictions",
    "calibration_curve": "fitontest.ece",
    "reliability_curve": "fitontest.ece",
    "ICI": "family='loess'",
    "E90": "norm='q90'",
    "brier_score": "'brier'",
    "psi": "monitor.compare_cells",
    "aurc": "'auc'",
    "dca": "risk.decision_curve",
    "val_prob": "risk.validate",
    "hosmer_lemeshow": "'hosmer_lemeshow'",
    "ECE": "fitontest.ece",
    "TemperatureScaling": "'temperature'",
    "sigmoid": "fitontest.Platt",
}
SPELLED = {
    "val_prob": ("valProb", "val.prob", "ValProb"),
    "ICI": ("ici", "IntegratedCalibrationIndex"),
    "psi": ("PSI", "population_stability_index"),
    "hosmer_lemeshow": ("hosmer-lemeshow", "Hosmer_Lemeshow", "hosmerlemeshow"),
    "BetaCalibration": ("beta_calibration", "betacalibration"),
    "dca": ("DCA", "decision_curve_analysis"),
}
OPTIONS = {
    "n_bins": "fitontest.ece",
    "bins": "fitontest.ece",
    "strategy": "fitontest.gce",
    "deciles": "fitontest.gce",
    "method": "fitontest.compare_calibrators",
    "ci": "level",
    "bootstrap": "draws",
}


@pytest.fixture(autouse=True)
def no_window():
    yield
    plt.close("all")


def hint(name):
    """Return what the package says of a name that it does not have."""
    with pytest.raises(AttributeError, match=re.escape(f"No fitontest attribute {name}: write ")) as caught:
        getattr(fot, name)
    return str(caught.value).partition(": write ")[2].partition("; ")[0]


@pytest.mark.parametrize("name", MEANT)
def test_a_name_is_answered_with_what_to_write_and_that_runs(name):
    assert MEANT[name] in hint(name)
    assert eval(hint(name), RUN) is not None
    for other in SPELLED.get(name, ()):
        assert MEANT[name] in hint(other)


@pytest.mark.parametrize("call", [*CALLS, *ARGUMENTS])
def test_every_call_of_the_tables_runs(call):
    assert eval(call.partition("; ")[0], RUN) is not None


def test_the_calls_are_the_numbers_that_these_names_mean():
    curve = eval(hint("calibration_curve"), RUN)
    inside = (P >= 0.2) & (P < 0.3)
    assert curve["mean_prediction"][2] == pytest.approx(P[inside].mean(), abs=1e-12)
    assert curve["empirical_probability"][2] == pytest.approx(Y[inside].mean(), abs=1e-12)
    assert float(eval(hint("brier_score"), RUN)) == pytest.approx(np.mean((Y - P) ** 2), abs=1e-12)
    ici = np.mean(np.abs(fot.families.make("loess").fit(P, Y).predict(P) - P))
    assert float(eval(hint("ICI"), RUN)) == pytest.approx(ici, abs=1e-12)


@pytest.mark.parametrize("function", [fot.evaluate, fot.compare_calibrators], ids=["evaluate", "compare_calibrators"])
@pytest.mark.parametrize("argument", OPTIONS)
def test_an_argument_of_another_call_is_answered_with_that_call(function, argument):
    with pytest.raises(TypeError, match=f"unexpected keyword argument {argument!r}: (write|did you mean)") as caught:
        function(Y, P, **{argument: 10})
    text = str(caught.value).partition(argument)[2]
    assert OPTIONS[argument] in text
    if "did you mean" in text:
        function(Y, P, **{OPTIONS[argument]: {"level": 0.9, "draws": 20}[OPTIONS[argument]]})


def test_a_function_that_has_the_argument_by_another_name_says_that_name():
    with pytest.raises(TypeError, match="'bins': did you mean 'n_bins'"):
        fot.gce(Y, P, bins=5)


def test_sigmoid_is_platt_wherever_a_family_is_named(tmp_path):
    assert isinstance(fot.families.make("sigmoid"), fot.Platt)
    assert float(fot.calibration_error(Y, P, family="sigmoid")) == float(fot.calibration_error(Y, P, family="platt"))
    compared = [fot.compare_calibrators(Y, P, families=[name]).chosen_.predict(P) for name in ("sigmoid", "platt")]
    np.testing.assert_array_equal(*compared)
    fitted = [fot.CalibratedClassifier(GaussianNB(), family=name).fit(P[:, None], Y) for name in ("sigmoid", "platt")]
    np.testing.assert_array_equal(*(each.predict_proba(P[:, None]) for each in fitted))
    with pytest.raises(ValueError, match="must differ"):
        fot.compare_calibrators(Y, P, families=["sigmoid", "platt"])
    path = tmp_path / "rows.csv"
    path.write_text("y,p\n" + "\n".join(f"{y},{p}" for y, p in zip(Y, P, strict=True)))
    given = ["--label", "y", "--prob", "p", "--family", "sigmoid", "--interval", "none"]
    found = CliRunner().invoke(main, ["evaluate", str(path), *given])
    assert found.exit_code == 0, found.output
