"""How the peers are asked for an error: an entry for each peer and question, imported only when it is asked.

An entry takes (p, y) and returns a number. Bringing scores into the form that a peer takes (a matrix of two columns,
tensors) is part of the call. What a peer prints or warns is held back here, for the time of its call alone. The remark
of an entry says what it computes differently.
"""

import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from typing import Any

import numpy as np

from comparison import Array, Fit

BINS = 15
UC = "uncertainty-calibration"


@dataclass(frozen=True)
class Entry:
    """One way to ask one peer; `variant` tells two ways to ask the same peer apart."""

    peer: str
    answer: Fit
    variant: str = ""
    remark: str = ""

    @property
    def name(self) -> str:
        """The peer, and which way where there are several."""
        return f"{self.peer} {self.variant}".strip()


@contextmanager
def quiet() -> Iterator[None]:
    """Hold back what is printed or warned inside; the filters of the process are put back afterwards."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def module(name: str) -> Any:
    """Return a module, imported quietly when it is first asked for."""
    if name not in sys.modules:
        with quiet():
            import_module(name)
    return sys.modules[name]


# ----------------------------------------------------------------------------------- the forms that scores are taken in


def two_columns(p: Array) -> Array:
    return np.column_stack((1 - p, p))


def tensors(p: Array, y: Array) -> tuple[Any, Any]:
    from_numpy = module("torch").from_numpy
    return from_numpy(p), from_numpy(y)


# ------------------------------------------------------------------------------------------------------- estimators


def sklearn_sum(strategy: str) -> Fit:
    """Return the error that the points of a calibration curve add up to; the counts it leaves out are made again."""

    def error(p: Array, y: Array) -> float:
        observed, predicted = module("sklearn.calibration").calibration_curve(y, p, n_bins=BINS, strategy=strategy)
        shares = np.linspace(0, 1, BINS + 1)
        edges = shares if strategy == "uniform" else np.percentile(p, 100 * shares)
        counts = np.bincount(np.searchsorted(edges[1:-1], p), minlength=BINS)
        return float(np.abs(observed - predicted) @ counts[counts > 0] / p.size)

    return error


def probmetrics_metric(name: str, binary: bool = True) -> Fit:
    def error(p: Array, y: Array) -> float:
        metrics = module("probmetrics.metrics").Metrics.from_names([name])
        scores, labels = tensors(two_columns(p) if binary else p, y)
        with quiet():
            return float(metrics.compute_all_from_labels_probs(labels, scores)[name])

    return error


def torchmetrics_error(norm: str) -> Fit:
    def error(p: Array, y: Array) -> float:
        compute = module("torchmetrics.functional.classification").binary_calibration_error
        return float(compute(*tensors(p, y), n_bins=BINS, norm=norm))

    return error


def torchmetrics_confidence(p: Array, y: Array) -> float:
    compute = module("torchmetrics.functional.classification").multiclass_calibration_error
    return float(compute(*tensors(p, y), num_classes=p.shape[1], n_bins=BINS))


def diagnostics_bias(p: Array, y: Array) -> float:
    bias = module("model_diagnostics.calibration").compute_bias
    with quiet():
        table = bias(y, p, feature=p, n_bins=BINS, bin_method="quantile")
    return float(np.abs(table["bias_mean"].to_numpy()) @ table["bias_count"].to_numpy() / p.size)


def diagnostics_part(loss: str) -> Fit:
    def miscalibration(p: Array, y: Array) -> float:
        scoring = module("model_diagnostics.scoring")
        return float(scoring.decompose(y, p, scoring_function=getattr(scoring, loss)())["miscalibration"][0])

    return miscalibration


def corp_part(loss: str) -> Fit:
    """Return the miscalibration that probcal finds of one score; it computes that of both, and more of each row."""
    return lambda p, y: float(getattr(module("probcal").corp_reliability(y, p, bands=None), f"{loss}_mcb"))


def calibre_part(score: str) -> Fit:
    return lambda p, y: float(module("calibre.evaluation").score_decomposition(y, p, score=score)["miscalibration"])


def debiased(power: int) -> Fit:
    """Return uncertainty-calibration's debiased error: over bins of equal mass, the root where the power is 2."""
    return lambda p, y: float(module("calibration").lower_bound_scaling_ce(p, y, p=power, debias=True, num_bins=BINS))


def _ask(name: str, function: str, **settings: Any) -> Fit:
    """Return a function that takes (scores, labels)."""
    return lambda p, y: float(getattr(module(name), function)(p, y, **settings))


def _ask_labels_first(name: str, function: str, **settings: Any) -> Fit:
    return lambda p, y: float(getattr(module(name), function)(y, p, **settings))


def _netcal(kind: str, **settings: Any) -> Fit:
    return lambda p, y: float(getattr(module("netcal.metrics"), kind)(BINS, **settings).measure(p, y))


SPLITS_TIES = "cuts at quantiles of its own"
OTHER_CUTS = "cuts at other rows where n is no multiple of 15"
BOTH_SCORES = "computes the parts of both scores"
ESTIMATORS: dict[str, list[Entry]] = {
    "ECE, equal width": [
        Entry(
            "scikit-learn",
            sklearn_sum("uniform"),
            remark="calibration_curve; the counts of its bins found and summed here",
        ),
        Entry("netcal", _netcal("ECE")),
        Entry("relplot", _ask("relplot.metrics", "binnedECE", nbins=BINS)),
        Entry(UC, _ask("calibration", "get_ece", num_bins=BINS)),
        Entry("torchmetrics", torchmetrics_error("l1")),
        Entry("pycalib", _ask_labels_first("pycalib.metrics", "binary_ECE", bins=BINS)),
        Entry("probmetrics", probmetrics_metric("ece-15"), remark="computes in float32"),
        Entry("probcal", _ask_labels_first("probcal.metrics", "ece", n_bins=BINS, strategy="width")),
        Entry("calibre", _ask_labels_first("calibre.metrics", "expected_calibration_error", n_bins=BINS)),
        Entry("MCGrad", _ask_labels_first("mcgrad.metrics", "expected_calibration_error", num_bins=BINS)),
    ],
    "ECE, equal mass": [
        Entry(
            "scikit-learn",
            sklearn_sum("quantile"),
            remark=f"{SPLITS_TIES}; calibration_curve; counts found and summed here",
        ),
        Entry("netcal", _netcal("ECE", equal_intervals=False), remark=SPLITS_TIES),
        Entry(UC, _ask("calibration", "get_ece_em", num_bins=BINS), remark=SPLITS_TIES),
        Entry("model-diagnostics", diagnostics_bias, remark=f"{SPLITS_TIES}; compute_bias, summed here"),
        Entry("probcal", _ask_labels_first("probcal.metrics", "ece", n_bins=BINS), remark=SPLITS_TIES),
        Entry(
            "calibre",
            _ask_labels_first("calibre.metrics", "plugin_calibration_error", n_bins=BINS, norm=1),
            remark=OTHER_CUTS,
        ),
        Entry(
            "MCGrad",
            _ask_labels_first("mcgrad.metrics", "adaptive_calibration_error", num_bins=BINS),
            remark=SPLITS_TIES,
        ),
    ],
    "ECE, sweep": [
        Entry(
            "probcal",
            _ask_labels_first("probcal.metrics", "ece_sweep"),
            remark="stops at 100 bins; " + SPLITS_TIES,
        ),
        Entry("calibre", _ask_labels_first("calibre.metrics", "sweep_calibration_error", norm=1)),
    ],
    "debiased l2": [
        Entry(UC, debiased(2)),
        Entry(
            "calibre",
            _ask_labels_first("calibre.metrics", "debiased_calibration_error", n_bins=BINS),
            remark=OTHER_CUTS,
        ),
    ],
    "debiased l1": [
        Entry(UC, debiased(1), remark="draws random numbers where ours is in closed form"),
        Entry(
            "probcal",
            _ask_labels_first("probcal.metrics", "ece_debiased", n_bins=BINS),
            remark="roots of the debiased squared gaps of the bins, not below 0",
        ),
    ],
    "MCE": [
        Entry("netcal", _netcal("MCE")),
        Entry("torchmetrics", torchmetrics_error("max")),
        Entry("pycalib", _ask_labels_first("pycalib.metrics", "binary_MCE", bins=BINS)),
        Entry("probmetrics", probmetrics_metric("mce-15"), remark="computes in float32"),
        Entry("probcal", _ask_labels_first("probcal.metrics", "ece", n_bins=BINS, strategy="width", norm="max")),
        Entry("calibre", _ask_labels_first("calibre.metrics", "maximum_calibration_error", n_bins=BINS)),
    ],
    "smooth ECE": [
        Entry("relplot", _ask("relplot", "smECE")),
        Entry("probmetrics", probmetrics_metric("smece")),
        Entry("probcal", _ask_labels_first("probcal.metrics", "smooth_ece"), remark="smooths over the logit"),
        Entry("calibre", _ask_labels_first("calibre.metrics", "smooth_calibration_error")),
    ],
    "ICI by loess": [
        Entry(
            "probcal",
            _ask_labels_first("probcal.metrics", "ici"),
            remark="local lines, not the parabolas of R's loess; at 512 scores, and lines between them",
        ),
    ],
    "ECE, class-wise": [
        Entry("pycalib", _ask_labels_first("pycalib.metrics", "classwise_ECE", bins=BINS)),
        Entry(UC, _ask("calibration", "get_ece", num_bins=BINS, mode="marginal")),
    ],
    "debiased l2, class-wise": [
        Entry("calibre", _ask_labels_first("calibre.multiclass", "classwise_ece", n_bins=BINS), remark=OTHER_CUTS),
    ],
    "ECE, confidence": [
        Entry("netcal", _netcal("ECE")),
        Entry("torchmetrics", torchmetrics_confidence, remark="computes in float32"),
        Entry("pycalib", _ask_labels_first("pycalib.metrics", "conf_ECE", bins=BINS)),
        Entry(UC, _ask("calibration", "get_ece", num_bins=BINS)),
        Entry("probmetrics", probmetrics_metric("ece-15", binary=False), remark="computes in float32"),
    ],
    "debiased l2, confidence": [
        Entry("calibre", _ask_labels_first("calibre.multiclass", "top_label_ece", n_bins=BINS), remark=OTHER_CUTS),
    ],
    "Brier score in parts": [
        Entry("model-diagnostics", diagnostics_part("SquaredError")),
        Entry("probcal", corp_part("brier"), remark=BOTH_SCORES),
        Entry("calibre", calibre_part("brier")),
    ],
    "log loss in parts": [
        Entry("model-diagnostics", diagnostics_part("LogLoss")),
        Entry("probcal", corp_part("log_loss"), remark=BOTH_SCORES),
        Entry("calibre", calibre_part("log")),
    ],
}
