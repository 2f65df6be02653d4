"""How the peers are asked for a calibrator: an entry for each peer and kind of map.

An entry fits to (p, y) and returns the function that calibrates other scores, so that fitting, predicting and accuracy
all come from one entry. As for the errors, the form that a peer takes is part of the call, and what it prints or
warns is held back.
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
from scipy.special import logit

from comparison import Array, Fit
from league_peers import BINS, SPLITS_TIES, UC, Entry, module, quiet, two_columns

Predict = Callable[[Array], Array]
OTHER = "others"


def column(p: Array) -> Array:
    return p[:, None]


def logits(p: Array) -> Array:
    return logit(np.clip(p, 1e-15, 1 - 1e-15))[:, None]


def of(package: str, kind: str, *arguments: Any, **settings: Any) -> Callable[[], Any]:
    """Return what makes a model, importing its package then."""
    return lambda: getattr(module(package), kind)(*arguments, **settings)


def calibrator(
    make: Callable[[], Any],
    predict: str = "predict",
    form: Callable[[Array], Array] = np.asarray,
    *,
    positive: bool = False,
    loud: bool = False,
) -> Fit:
    """Return a calibrator whose models take scores in a form of theirs, and may answer a column for each class."""
    around = quiet if loud else nullcontext

    def fit(p: Array, y: Array) -> Predict:
        model = make()
        with around():
            model.fit(form(p), y)
        return calibrate_by(model)

    def calibrate_by(model: Any) -> Predict:
        def calibrate(q: Array) -> Array:
            with around():
                found = getattr(model, predict)(form(q))
            return found[:, 1] if positive else found

        return calibrate

    return fit


def netcal_model(kind: str, *arguments: Any, loud: bool = False, **settings: Any) -> Fit:
    return calibrator(
        of(f"netcal.{kind.split('.')[0]}", kind.split(".")[1], *arguments, **settings), "transform", loud=loud
    )


def pycalib_model(kind: str, **settings: Any) -> Fit:
    return calibrator(of("pycalib.models.calibrators", kind, **settings), "predict_proba", positive=True, loud=True)


def probmetrics_model(name: str) -> Fit:
    made = of("probmetrics.calibrators", "get_calibrator", name)
    return calibrator(made, "predict_proba", two_columns, positive=True, loud=True)


def sklearn_logistic(solver: str, tol: float = 1e-4) -> Fit:
    made = of("sklearn.linear_model", "LogisticRegression", C=np.inf, solver=solver, tol=tol)
    return calibrator(made, "predict_proba", logits, positive=True, loud=True)


def uc_model(kind: str) -> Fit:
    def fit(p: Array, y: Array) -> Predict:
        model = getattr(module("calibration"), kind)(p.size, BINS)
        model.train_calibration(p, y)
        return lambda q: np.asarray(model.calibrate(q))

    return fit


def probcal_model(kind: str, **settings: Any) -> Fit:
    return calibrator(of("probcal", kind, **settings), "predict_proba")


def calibre_model(kind: str, **settings: Any) -> Fit:
    return calibrator(of("calibre", kind, **settings), "transform", loud=True)


def mcgrad_model(kind: str) -> Fit:
    """Return a calibrator of MCGrad, which takes data frames and the names of their columns."""

    def fit(p: Array, y: Array) -> Predict:
        frame = module("pandas").DataFrame
        model = getattr(module("mcgrad.methods"), kind)()
        model.fit(frame({"p": p, "y": y}), "p", "y")
        return lambda q: model.predict(frame({"p": q}), "p")

    return fit


def venn_abers_model(p: Array, y: Array) -> Predict:
    model = module("venn_abers").VennAbers()
    model.fit(two_columns(p), y)
    return lambda q: model.predict_proba(two_columns(q))[0][:, 1]


def pwlf_model(p: Array, y: Array) -> Predict:
    model = module("pwlf").PiecewiseLinFit(p, y.astype(np.float64), seed=0)
    with quiet():
        model.fit(3)
    return model.predict


ON_SCORES = "a logistic curve in p, not in logit p, with Platt's targets"
SMOOTHED = "adds a row of each label to a bin; bins from the lowest score to the highest"
SMOOTHED_QUANTILES = "adds a row of each label to a bin; cuts at quantiles of its own"
CALIBRATORS: dict[str, list[Entry]] = {
    "isotonic": [
        Entry(
            "scikit-learn",
            calibrator(of("sklearn.isotonic", "IsotonicRegression", y_min=0, y_max=1, out_of_bounds="clip")),
        ),
        Entry("netcal", netcal_model("binning.IsotonicRegression")),
        Entry("pycalib", pycalib_model("IsotonicCalibration")),
        Entry("probmetrics", probmetrics_model("isotonic")),
        Entry("probcal", probcal_model("IsotonicCalibrator")),
        Entry("calibre", calibre_model("IsotonicCalibrator")),
        Entry("MCGrad", mcgrad_model("IsotonicRegression")),
    ],
    "Venn-Abers": [
        Entry("venn-abers", venn_abers_model),
        Entry("probmetrics", probmetrics_model("ivap")),
        Entry("probcal", probcal_model("VennAbersCalibrator")),
    ],
    "Platt": [
        Entry("scikit-learn", sklearn_logistic("lbfgs"), "lbfgs", remark="stops at a tolerance of 1e-4"),
        Entry("scikit-learn", sklearn_logistic("newton-cholesky", 1e-10), "newton-cholesky"),
        Entry("netcal", netcal_model("scaling.LogisticCalibration", temperature_only=False, loud=True)),
        Entry(UC, uc_model("PlattCalibrator")),
        Entry("probmetrics", probmetrics_model("affine-scaling")),
        Entry("pycalib", pycalib_model("LogisticCalibration"), "logistic"),
        Entry("pycalib", pycalib_model("SigmoidCalibration"), "sigmoid", ON_SCORES),
        Entry("scikit-learn", calibrator(of("sklearn.calibration", "_SigmoidCalibration")), "sigmoid", ON_SCORES),
        Entry("probcal", probcal_model("PlattCalibrator"), remark="with Platt's targets"),
        Entry("MCGrad", mcgrad_model("PlattScaling"), remark="stops at a tolerance of 1e-4"),
    ],
    "beta": [
        Entry("betacal", calibrator(of("betacal", "BetaCalibration", "abm"), form=column, loud=True)),
        Entry("netcal", netcal_model("scaling.BetaCalibration", loud=True)),
        Entry("pycalib", calibrator(of("pycalib.models.calibrators", "BetaCalibration"), form=column, loud=True)),
        Entry("probmetrics", probmetrics_model("beta")),
        Entry("probcal", probcal_model("BetaCalibrator")),
    ],
    "temperature": [
        Entry("scikit-learn", calibrator(of("sklearn.calibration", "_TemperatureScaling"), form=logits, positive=True)),
        Entry("netcal", netcal_model("scaling.TemperatureScaling", loud=True)),
        Entry("probmetrics", probmetrics_model("temp-scaling")),
        Entry("probcal", probcal_model("TemperatureCalibrator")),
    ],
    "histogram, equal width": [
        Entry("netcal", netcal_model("binning.HistogramBinning", BINS)),
        Entry("pycalib", pycalib_model("BinningCalibration", n_bins=BINS), remark=SMOOTHED),
        Entry("probcal", probcal_model("HistogramBinningCalibrator", n_bins=BINS, strategy="width", shrinkage=None)),
    ],
    "histogram, equal mass": [
        Entry("netcal", netcal_model("binning.HistogramBinning", BINS, equal_intervals=False), remark=SPLITS_TIES),
        Entry(UC, uc_model("HistogramCalibrator"), remark=SPLITS_TIES),
        Entry(
            "pycalib", pycalib_model("BinningCalibration", n_bins=BINS, strategy="quantile"), remark=SMOOTHED_QUANTILES
        ),
        Entry("probcal", probcal_model("HistogramBinningCalibrator", n_bins=BINS, shrinkage=None), remark=SPLITS_TIES),
    ],
    "scaling-binning": [
        Entry(UC, uc_model("PlattBinnerCalibrator"), remark="Platt's curve to a tolerance of 1e-4"),
        Entry(
            "probcal",
            probcal_model("ScalingBinningCalibrator", n_bins=BINS),
            remark="with Platt's targets; " + SPLITS_TIES,
        ),
    ],
    "polygon of 3": [
        Entry("pwlf", pwlf_model, remark="values may leave [0, 1]; searches at random; ends at the ends of the data")
    ],
    OTHER: [
        Entry("probmetrics", probmetrics_model("cir"), "cir"),
        Entry("probcal", probcal_model("CenteredIsotonicCalibrator"), "centred isotonic"),
        Entry("calibre", calibre_model("CenteredIsotonicCalibrator"), "centred isotonic"),
        Entry("calibre", calibre_model("NearlyIsotonicCalibrator"), "nearly isotonic"),
        Entry("calibre", calibre_model("SplineCalibrator"), "spline"),
        Entry("probcal", probcal_model("SplineCalibrator"), "spline"),
        Entry("probcal", probcal_model("BBQCalibrator"), "BBQ"),
        Entry("probcal", probcal_model("ENIRCalibrator"), "ENIR"),
        Entry("netcal", netcal_model("binning.BBQ", loud=True), "BBQ"),
        Entry("netcal", netcal_model("binning.ENIR", loud=True), "ENIR"),
        *(
            Entry("probmetrics", probmetrics_model(name), name)
            for name in ("ts-mix", "logistic-mix", "quadratic-scaling", "svs", "sms")
        ),
    ],
}
