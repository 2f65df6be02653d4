"""Thirty prints and thirty pictures that a user meets first, as code that two versions of the package run.

Each version runs the code in processes of its own, so this module is imported late (see `two_versions`). What an
earlier version cannot run is shown with its error.
"""

import io
import warnings
from contextlib import redirect_stdout
from functools import cache
from typing import Any

import numpy as np


@cache
def rows() -> dict[str, Any]:
    """Return the data by name: y and p of seven kinds, features, groups, months, several models and classes."""
    rng = np.random.default_rng(0)

    def drawn(n: int, true: Any, scores: Any = None) -> tuple[Any, Any]:
        p = rng.beta(1.2, 2.0, n) if scores is None else scores(n)
        return (rng.random(n) < true(p)).astype(int), p

    def logistic(slope: float, shift: float) -> Any:
        return lambda p: 1 / (1 + np.exp(-(slope * np.log(p / (1 - p)) + shift)))

    over, calibrated = drawn(4000, logistic(0.6, 0.0)), drawn(4000, lambda p: p)
    few, shifted = drawn(60, lambda p: p), drawn(20_000, logistic(1.0, 0.2))
    rare = drawn(30_000, lambda p: np.clip(1.4 * p, 0, 1), lambda n: rng.beta(0.8, 80, n))
    stated = drawn(800, lambda p: 0.5 + 0.6 * (p - 0.5), lambda n: rng.choice([0.5, 0.6, 0.7, 0.8, 0.9, 0.95], n))
    site = rng.choice(["north", "south", "east", "west"], 4000)
    month = np.sort(rng.choice([f"2025-{k:02d}" for k in range(1, 13)], 4000))
    y_site = (rng.random(4000) < np.clip(calibrated[1] * np.where(site == "west", 1.5, 1.0), 0, 1)).astype(int)
    patient = np.repeat(np.arange(400), 10)
    y_patient = (rng.random(4000) < np.clip(calibrated[1] * rng.gamma(4, 0.25, 400)[patient], 0, 1)).astype(int)
    P = rng.dirichlet([1, 1, 1], 2000)
    powers = P**0.6 / (P**0.6).sum(axis=1, keepdims=True)
    letters = np.array(["a", "b", "c"])[(powers.cumsum(axis=1) > rng.random((2000, 1))).argmax(axis=1)]
    X = np.column_stack([rng.normal(50, 15, 4000), rng.integers(0, 2, 4000)])
    y_x = (rng.random(4000) < np.clip(calibrated[1] * np.where(X[:, 0] > 65, 1.6, 1.0), 0, 1)).astype(int)
    return {
        "over": over, "calibrated": calibrated, "few": few, "shifted": shifted, "rare": rare, "stated": stated,
        "sites": (y_site, calibrated[1]), "site": site, "month": month, "patient": patient,
        "patients": (y_patient, calibrated[1]), "P": P, "letters": letters, "X": X, "searched": (y_x, calibrated[1]),
        "models": {"old": over[1], "new": np.clip(logistic(0.6, 0.0)(over[1]), 0.001, 0.999)},
    }  # fmt: skip


WATCHED = """m = fot.monitor.Monitor()
for k in range(10):
    found = m.update(*(each[400 * k : 400 * (k + 1)] for each in over), batch=f"week {k + 1}")
"""
PRINTS = {
    "evaluate: overconfident": "print(fot.evaluate(*over))",
    "evaluate: calibrated": "print(fot.evaluate(*calibrated))",
    "evaluate: 60 rows": "print(fot.evaluate(*few))",
    "evaluate: too few events predicted": "print(fot.evaluate(*shifted))",
    "evaluate: rare events": "print(fot.evaluate(*rare))",
    "evaluate: stated confidences": "print(fot.evaluate(*stated))",
    "evaluate: patients": "print(fot.evaluate(*patients, groups=patient))",
    "evaluate: segments": "print(fot.evaluate(*sites, by=site))",
    "evaluate: months": "print(fot.evaluate(*sites, by=month))",
    "evaluate: classes": "print(fot.evaluate(letters, P, reduction='classwise'))",
    "evaluate: confidence": "print(fot.evaluate(letters, P, reduction='confidence'))",
    "evaluate: models": "print(fot.evaluate(over[0], models))",
    "evaluate: measures": "print(fot.evaluate(*over, measures=['ece', 'tce', 'brier'], null_draws=100))",
    "calibration_error": "print(fot.calibration_error(*over))",
    "ece": "print(fot.ece(*over))",
    "tce": "print(fot.tce(*over))",
    "compare_calibrators: overconfident": "print(fot.compare_calibrators(*over))",
    "compare_calibrators: calibrated": "print(fot.compare_calibrators(*calibrated))",
    "compare_calibrators: 60 rows": "print(fot.compare_calibrators(*few))",
    "compare_errors": "print(fot.compare_errors(over[0], models))",
    "validate": "print(fot.risk.validate(*over))",
    "validate: 60 rows": "print(fot.risk.validate(*few))",
    "validate: sites": "print(fot.risk.validate(*sites, by=site))",
    "decision_curve": "print(fot.risk.decision_curve(*over, thresholds=[0.1, 0.2, 0.3]))",
    "plan_evaluation": "print(fot.apps.plan_evaluation(over[1], n=[1000, 5000]))",
    "find_segments": "print(fot.segments.find_segments(*searched, X))",
    "Monitor": WATCHED + "print(found)",
    "check_calibration: fails": "print(fot.check_calibration(*over, max_error=0.02))",
    "check_calibration: cannot tell": "print(fot.check_calibration(*few, max_error=0.02))",
    "check_calibration: passes": "print(fot.check_calibration(*calibrated, max_error=0.05))",
}
PICTURES = {
    "overconfident": "fot.evaluate(*over).plot()",
    "calibrated": "fot.evaluate(*calibrated).plot()",
    "60 rows": "fot.evaluate(*few).plot()",
    "too few events predicted": "fot.evaluate(*shifted).plot()",
    "rare events": "fot.evaluate(*rare).plot()",
    "stated confidences": "fot.evaluate(*stated).plot()",
    "patients": "fot.evaluate(*patients, groups=patient).plot()",
    "sites": "fot.evaluate(*sites, by=site).plot()",
    "months": "fot.evaluate(*sites, by=month).plot()",
    "patients, each": "fot.evaluate(*patients, groups=patient).plot_groups()",
    "classes": "fot.evaluate(letters, P, reduction='classwise').plot()",
    "confidence": "fot.evaluate(letters, P, reduction='confidence').plot()",
    "models": "fot.evaluate(over[0], models).plot()",
    "a diagram from predictions": "fot.ReliabilityDisplay.from_predictions(*over)",
    "slope-1 bins": "fot.ReliabilityDisplay.from_predictions(*over, family='slope1')",
    "PL": "fot.ReliabilityDisplay.from_predictions(*over, family='pl')",
    "PL3 on logit axes": "fot.ReliabilityDisplay.from_predictions(*over, family='pl3', scale='logit')",
    "isotonic": "fot.ReliabilityDisplay.from_predictions(*over, family='isotonic')",
    "panels by family": "fot.evaluate(*over).plot('all')",
    "TCE": "fot.tce(*over).plot()",
    "compared calibrators": "fot.compare_calibrators(*over).plot()",
    "compared errors": "fot.compare_errors(over[0], models).plot()",
    "validation": "fot.risk.validate(*over).plot()",
    "decision curve": "fot.risk.decision_curve(*over).plot()",
    "decision curves of models": "fot.risk.decision_curve(over[0], models).plot()",
    "planned rows": "fot.apps.plan_evaluation(over[1], n=[500, 2000, 8000]).plot()",
    "found segments": "fot.segments.find_segments(*searched, X).plot()",
    "Monitor": WATCHED + "found.plot()",
    "residuals along the scores": "fot.measure(*over, 'ecce').plot()",
    "validity": "fot.measure(*over, 'auc_v').plot()",
}


def _run(code: str) -> tuple[str, Any]:
    """Return what code prints, or its error, and the figure that it drew if any."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    import fitontest as fot

    plt.close("all")
    printed = io.StringIO()
    with redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(code, {"fot": fot, **rows()})
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
    return printed.getvalue(), plt.gcf() if plt.get_fignums() else None


def printed(name: str) -> str:
    """Return what a case of `PRINTS` prints."""
    return _run(PRINTS[name])[0]


def drawn(name: str) -> bytes | str:
    """Return the picture of a case of `PICTURES` as PNG, or the error."""
    text, figure = _run(PICTURES[name])
    if figure is None:
        return text
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=80)
    return file.getvalue()
