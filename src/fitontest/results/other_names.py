"""What others call a thing, an argument or a function: the name or the call that it has here, all in one place."""

from collections.abc import Iterable

NAMES = {  # of what is registered and of options: what it is called here, with a remark where they differ
    "sigmoid": "platt",
    "platt_scaling": "platt",
    "platt_calibration": "platt",
    "logistic": "platt",
    "logistic_regression": "platt",
    "logistic_calibration": "platt",
    "isotonic_regression": "isotonic",
    "pav": "isotonic",
    "beta_calibration": "beta",
    "temperature_scaling": "temperature",
    "temp_scaling": "temperature",
    "vector_scaling": "vector",
    "matrix_scaling": "matrix",
    "dirichlet_calibration": "dirichlet",
    "histogram_binning": "flat, which gives a bin its share of positives",
    "binning": "flat, which gives a bin its share of positives",
    "platt_binning": "scaling_binning",
    "splines": "spline",
    "cubic_spline": "spline",
    "piecewise_linear": "pl",
    "nearest_neighbors": "knn",
    "nearest_neighbours": "knn",
    "kernel_density": "kde",
    "ivap": "venn_abers",
    "ensemble": "stacking",
    "uncalibrated": "identity",
    "none": "identity",
    "ovr": "one_vs_rest",
    "one_vs_all": "one_vs_rest",
    "ece": "slope1, the family whose error is the ECE",
    "expected_calibration_error": "ece",
    "maximum_calibration_error": "mce",
    "adaptive_calibration_error": "ace",
    "calibration_error": "plug_in",
    "brier_score": "brier",
    "brier_score_loss": "brier",
    "neg_brier_score": "brier, which is smaller where it is better",
    "mse": "brier",
    "mean_squared_error": "brier",
    "neg_log_loss": "log_loss, which is smaller where it is better",
    "logloss": "log_loss",
    "cross_entropy": "log_loss",
    "nll": "log_loss",
    "roc_auc": "auc",
    "roc_auc_score": "auc",
    "auroc": "auc",
    "zero_one_loss": "zero_one",
    "skce": "kernel",
    "smece": "smooth_ece",
    "uniform": "equal_width",
    "fixed_width": "equal_width",
    "quantile": "equal_mass",
    "adaptive": "equal_mass",
    "equal_frequency": "equal_mass",
    "equal_size": "equal_mass",
    "linf": "max",
    "inf": "max",
    "emax": "max",
    "q100": "max, the largest distance",
    "rms": "l2",
    "mean": "l1",
    "tv": "total_variation",
    "manhattan": "cityblock",
    "top_label": "confidence",
    "toplabel": "confidence",
    "marginal": "classwise",
    "class_wise": "classwise",
    "multiclass": "canonical",
    "joint": "canonical",
    "frequency": "counts",
    "sampling": "importances",
    "min": "best",
    "one_standard_error": "one_se",
    "ci": "level, how often intervals hold",
    "confidence_level": "level, how often intervals hold",
    "bootstrap": "draws, how often labels are redrawn",
    "n_bootstrap": "draws, how often labels are redrawn",
}
ECE = "fitontest.ece(y_true, y_prob, n_bins=10)"
DIAGRAM = "fitontest.ReliabilityDisplay.from_predictions(y_true, y_prob)"
ICI = "fitontest.calibration_error(y_true, y_prob, family='loess')"
CALLS = {  # what to write for a function, a number or a picture, with a remark, and what others call it
    f"{ECE}.to_frame(); its columns mean_prediction and empirical_probability are the curve": (
        "calibration_curve",
        "reliability_curve",
    ),
    DIAGRAM: ("calibration_display", "calibration_plot", "reliability_diagram", "reliability_plot"),
    "fitontest.CalibratedClassifier(estimator, family='platt')": ("calibrated_classifier_cv",),
    ICI: ("ici", "eavg", "integrated_calibration_index"),
    ICI.replace(")", ", norm='q50')"): ("e50",),
    ICI.replace(")", ", norm='q90')"): ("e90",),
    ICI.replace(")", ", norm='max')"): ("emax",),
    "fitontest.measure(y_true, y_prob, 'hosmer_lemeshow')": ("hosmer_lemeshow_test", "hl_test", "hoslem_test"),
    "fitontest.measure(y_true, y_prob, 'auc'); it judges the ranking as AURC does, which is not here": ("aurc",),
    "fitontest.monitor.compare_cells(before, after); it asks whether the calibration changed, whatever the scores did: "
    "PSI, which is of the scores alone, is not here": ("psi", "population_stability_index"),
    "fitontest.risk.decision_curve(y_true, y_prob)": ("dca", "decision_curve_analysis"),
    "fitontest.risk.validate(y_true, y_prob)": ("val_prob", "val_prob_ci_2", "val_prob_ggplot"),
}
ARGUMENTS = {  # the call that takes such an argument, and what others call the argument
    ECE: ("bins", "n_bins", "num_bins"),
    "fitontest.gce(y_true, y_prob, partition='equal_mass', n_bins=10)": ("deciles", "quantiles", "strategy"),
    "fitontest.compare_calibrators(y_true, y_prob, families=['platt', 'isotonic'])": ("method",),
    "fitontest.evaluate(y_true, y_prob, level=0.95)": ("ci", "confidence_level"),
    "fitontest.evaluate(y_true, y_prob, draws=50)": ("bootstrap", "n_bootstrap"),
}


def _plain(name: str) -> str:
    """Return a name however it is spelled: ValProb, val.prob and val_prob are the same."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


_NAMES = {_plain(name): meant for name, meant in NAMES.items()}
_CALLS = {_plain(name): call for call, names in CALLS.items() for name in names}
_ARGUMENTS = {_plain(name): call for call, names in ARGUMENTS.items() for name in names}


def spelled(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that this is another spelling of.

    Examples
    --------
    >>> spelled("Hosmer-Lemeshow", ["ece", "hosmer_lemeshow"]), spelled("hl", ["ece", "hosmer_lemeshow"])
    ('hosmer_lemeshow', None)
    """
    return next((one for one in known if _plain(one) == _plain(name)), None)


def other_name(name: str) -> tuple[str, str]:
    """Return what a thing is called here and a remark, or twice "" of a name that nobody is known to use.

    Examples
    --------
    >>> other_name("Platt scaling"), other_name("histogram-binning"), other_name("beta")
    (('platt', ''), ('flat', 'which gives a bin its share of positives'), ('', ''))
    """
    called, _, remark = _NAMES.get(_plain(name), "").partition(", ")
    return called, remark


def other_call(name: str, *, argument: bool = False) -> str:
    """Return ": write ..." with the call for what others call a function, or take as an argument; or "".

    Examples
    --------
    >>> other_call("val.prob"), other_call("n_bins", argument=True), other_call("n_bins")
    (': write fitontest.risk.validate(y_true, y_prob)', ': write fitontest.ece(y_true, y_prob, n_bins=10)', '')
    """
    call, _, remark = (_ARGUMENTS if argument else _CALLS).get(_plain(name), "").partition("; ")
    return f": write {call}{f'; {remark}' if remark else ''}" if call else ""
