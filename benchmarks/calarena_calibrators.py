"""The calibrators of CalArena with its settings, from probmetrics, and the maps of this package that are entered.

Each is made anew for every experiment. The families of this package of two classes are entered as they are: they fit to
probabilities and labels and have `predict_proba`. With several classes a calibrator of two is fitted to each class
against the rest.
"""

from collections.abc import Callable
from typing import Any

import fitontest as fot
from league_peers import module, quiet

Make = Callable[[], Any]
BASE = "Base-model"


def of(kind: str, **settings: Any) -> Make:
    """Return what makes a calibrator of probmetrics."""
    return lambda: _calibrators(kind)(**settings)


def one_vs_rest(kind: str, **settings: Any) -> Make:
    """Return what makes a calibrator of probmetrics for one class against the rest."""
    return lambda: _calibrators("MulticlassOneVsRestCalibrator")(_calibrators(kind)(**settings))


def _calibrators(kind: str) -> Any:
    with quiet():
        return getattr(module("probmetrics.calibrators"), kind)


def _nothing() -> None:
    return None


class Entered:
    """A family of this package for as many classes as there are columns, also where some have no calibration row."""

    def __init__(self, family: Any) -> None:
        self.family = family

    def fit(self, p: Any, y: Any) -> None:
        """Fit the map."""
        self.family.fit(p, y, labels=range(p.shape[1]))

    def predict_proba(self, p: Any) -> Any:
        """Return the probabilities of the classes."""
        return self.family.predict_proba(p)


THEIRS: dict[str, dict[str, Make]] = {
    "binary": {
        BASE: _nothing,
        "Hist-uniform": of("BinaryHistogramBinningCalibrator", strategy="uniform"),
        "Hist-quantile": of("BinaryHistogramBinningCalibrator", strategy="quantile"),
        "Scaling-Binning": of("BinaryPlattBinnerCalibrator"),
        "BBQ": of("NetcalBBQCalibrator"),
        "Isotonic": of("SklearnCalibrator", method="isotonic", cv="prefit"),
        "CIR": of("CenteredIsotonicRegressionCalibrator"),
        "Venn-Abers": of("BinaryVennAbersCalibrator"),
        "TS": of("TemperatureScalingCalibrator"),
        "ETS": of("ETSCalibrator"),
        "Platt-probs": of("SklearnCalibrator", method="sigmoid", cv="prefit"),
        "Platt-logits": of("BinaryLogisticCalibrator", type="affine"),
        "Quadratic": of("BinaryLogisticCalibrator", type="quadratic"),
        "Beta": of("BetacalCalibrator"),
        "Spline": of("MLISplineCalibrator"),
        "CDF-Spline": of("CDFSplineCalibrator"),
        "Kernel": of("KernelCalibrator"),
        "XGBoost": of("XGBoostCalibrator"),
        "LightGBM": of("LightGBMCalibrator"),
        "CatBoost": of("CatBoostCalibrator"),
    },
    "multiclass": {
        BASE: _nothing,
        "Hist-uniform": one_vs_rest("BinaryHistogramBinningCalibrator", strategy="uniform"),
        "Hist-quantile": one_vs_rest("BinaryHistogramBinningCalibrator", strategy="quantile"),
        "Isotonic": of("SklearnCalibrator", method="isotonic", cv="prefit"),
        "CIR": one_vs_rest("CenteredIsotonicRegressionCalibrator"),
        "Venn-Abers": of("VennAbersCalibrator"),
        "BBQ": of("NetcalBBQCalibrator"),
        "Spline": of("MLISplineCalibrator"),
        "TS": of("TemperatureScalingCalibrator"),
        "ETS": of("ETSCalibrator"),
        "VS": of("VectorScalingCalibrator"),
        "SVS": of("SVSCalibrator"),
        "MS": of("MatrixScalingCalibrator"),
        "SMS": of("SMSCalibrator"),
        "Dirichlet": of("DirichletCalibrator", n_cv=0, reg_lambda=1e-3, reg_mu=1e-3),
        "Kernel": of("KernelCalibrator"),
        "XGBoost": of("XGBoostCalibrator"),
        "LightGBM": of("LightGBMCalibrator"),
        "CatBoost": of("CatBoostCalibrator"),
    },
}

OURS: dict[str, dict[str, Make]] = {
    "binary": {
        f"**fitontest {name}**": lambda name=name: fot.families.make(name)
        for name in ("stacking", "pl3", "spline", "temperature", "platt", "beta", "isotonic")
    },
    "multiclass": {
        f"**fitontest {name}**": lambda name=name: Entered(fot.families.make(name))
        for name in ("stacking", "temperature", "vector", "matrix", "dirichlet")
    }
    | {
        f"**fitontest {name}, one vs rest**": lambda name=name: Entered(fot.families.OneVsRest(name))
        for name in ("spline", "platt", "beta", "isotonic")
    },
}
