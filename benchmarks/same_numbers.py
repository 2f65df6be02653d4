"""Whether two versions of the package give the same numbers, bit by bit.

Run it with each version and name the other's file:

    python benchmarks/same_numbers.py -o before.json
    python benchmarks/same_numbers.py -o after.json --against before.json
    python benchmarks/same_numbers.py --only canonical --only cells -o some.json --against before.json

Each group of numbers is a function below; `--only GROUP`, which may be repeated, runs those alone. Without a folder
scikit-learn's bundled tables are scored, and other rows are simulated with fixed seeds. FOLDER as first argument holds
npz files of real predictions as `real_predictions` reads them, for the group "tables". Floats are kept as hexadecimal,
in which they differ if a single bit does. Fitted maps are compared at 101 scores, or at fixed distributions.

What may be renamed in the package is used only in the first functions.
"""

import argparse
import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # before numpy is imported: sums in another order may differ in the last bit
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from real_predictions import problems

Numbers = dict[str, list[Any]]

GRID = np.linspace(0, 1, 101)
ROWS, CLASS_ROWS = 400, 240  # of the simulated predictions
DRAWS, NULL_DRAWS = 15, 20
FEW = ["spline", "isotonic", "slope1", "platt"]
SLOW = {"pl", "pl3", "stacking"}  # families that are left out where another one shows the same
LATER = ("lowess", "loess", "rcs")  # families that came later: one more would change the joint test of all
FORMER = {"cv": 3, "rule": "one_se", "evaluators": ("slope1", "isotonic")}  # as comparisons were made by default
BINNED = {
    "gce": {},
    "mce": {"norm": "max"},
    "ace": {"partition": "equal_mass", "n_bins": 15},
    "pde": {"loss": "deviation", "partition": "equal_mass"},
    "l2": {"norm": "l2", "partition": "sweep"},
}
NORMS = ("l1", "l2", "squared", "max")
DISTANCES = ("total_variation", "cityblock", "squared_euclidean")
CONCLUSIONS = {"headline", "outcome", "chosen", "better"}  # texts that are no numbers and yet must be the same
VOLATILE = {"fit_seconds", "schema"}
LABELS = ("family", "measure", "class", "segment", "name", "cell")  # what tells records of a list apart


# The names of the package that may move, in one place.


def family(name: str, **settings: Any) -> Any:
    return fot.families.make(name, **settings)


def family_names(classes: str) -> list[str]:
    return fot.families.names(classes)


def error_towards(direction: Any, y: Any, p: Any, **options: Any) -> Any:
    from fitontest.uncertainty.redrawing import Redrawing, estimate_of

    return estimate_of(
        measure("plug_in", family="isotonic"), fot.read(y, p), None, Redrawing(**options, direction=direction)
    )


def measure(name: str, **settings: Any) -> Any:
    return fot.measures.make(name, **settings)


def measure_names(classes: str) -> list[str]:
    return fot.measures.names(classes)


def cells_of(y: Any, p: Any, w: Any = None, **options: Any) -> Any:
    return fot.Cells.of(y, p, w, **options)


def class_cells_of(y: Any, p: Any, w: Any = None, **options: Any) -> Any:
    names = [f"class_{k}" for k in range(p.shape[1])]
    frame = {"y": np.asarray(names)[y], **dict(zip(names, p.T, strict=True))}
    columns = {"label": "y", "prob": names, "labels": names, "reduction": "classwise"}
    if w is not None:
        frame["w"], columns["weight"] = w, "w"
    return fot.Cells.of_frame(_data_frame(frame), **columns, **options)


def simplex_partition(name: str, **settings: Any) -> Any:
    return fot.partitions.make(name, **settings)


def tree(name: str, **settings: Any) -> Any:
    return {"features": fot.segments.TreeCalibrator, "scores": fot.segments.ProbabilityCalibrationTree}[name](
        **settings
    )


def reliability_band(y: Any, p: Any, **options: Any) -> Any:
    (diagram,) = fot.ReliabilityDisplay.from_predictions(y, p, **options).diagrams.values()
    return diagram.band


def calibration_error(*rows: Any, **options: Any) -> Any:
    return fot.calibration_error(*rows, **{"interval": None} | options)


def gce(*rows: Any, **options: Any) -> Any:
    return fot.gce(*rows, **{"interval": None} | options)


def canonical_kernel(**settings: Any) -> Any:
    return fot.measures.make("canonical_kernel", **settings)


def partition_of_rows(cells: Any) -> Any:
    return fot.partitions.CellPartition(cells)


def evaluated_frame(frame: Any, **options: Any) -> Any:
    columns = {name: options.pop(name) for name in ("label", "prob", "weight", "by") if name in options}
    return fot.evaluate(fot.read(frame, cells="always", **columns), **options)


def cells_of_file(path: Path, **options: Any) -> Any:
    return fot.Cells.of_file(path, **options)


def shapes() -> Iterable[str]:
    from fitontest.datasets import SHAPES

    return SHAPES


def published_draw(shape: str, error: float, n: int, seed: int) -> tuple[Any, Any, Any]:
    from fitontest.datasets import Derivate

    return Derivate(shape, error).draw_as_published(n, seed)


def true_error(p: Any, c: Any) -> float:
    from fitontest.truth import true_error as error_of

    return error_of(p, c)


def calibration_warning() -> type[Warning]:
    return fot.CalibrationWarning


# The groups of numbers.


def tables(folder: Path | None = None) -> Numbers:
    """Return the errors of real predictions under every family, all rows and with weights."""
    found: Numbers = {}
    for problem in problems(folder, 0):
        sample, data = problem.test, f"{problem.data} {problem.model}"
        found |= _under(data, real(sample.y, sample.p))
        weights = np.random.default_rng(0).integers(0, 3, sample.p.size)
        few = slice(0, 2000)
        if np.unique(sample.y[few]).size == 2:
            found |= _under(f"{data}, weights", real(sample.y[few], sample.p[few], weights[few]))
    return found


def real(y: Any, p: Any, w: Any = None) -> Numbers:
    """Return every plain number of one set of predictions."""
    found: Numbers = {}
    for name in ("beta", "flat", "identity", "isotonic", "pava_bc", "pl", "pl3", "platt", "slope1", "temperature"):
        error = calibration_error(y, p, family=name, sample_weight=w)
        found[name] = [*_hex(error.value, error.se_map_fixed, error.n_bins, error.base_rate), *_hex(*error.map(GRID))]
    for norm in ("l2", "squared", "max"):
        found[f"slope1 {norm}"] = _hex(calibration_error(y, p, norm=norm, sample_weight=w).value)
    for norm in ("l1", "l2", "squared"):
        slope1 = family("slope1", n_bins=15)
        debiased = calibration_error(y, p, norm=norm, family=slope1, debias=True, sample_weight=w)
        found[f"debiased {norm}"] = _hex(debiased.value)
    for name, options in BINNED.items():
        error = gce(y, p, sample_weight=w, **options)
        found[name] = _hex(error.value, *error.losses, *error.table.sum_p)
    tce = fot.tce(y, p, null_draws=3, sample_weight=w)
    found["tce"] = _hex(100.0 * tce.value, *(100.0 * tce.null.values), *tce.losses)
    within = fot.measure(y, p, "within_bin", interval=None, sample_weight=w)
    found["within_bin"] = _hex(within.total, within.averaged, *within.per_bin)
    return found


def intervals() -> Numbers:
    """Return debiased values, intervals and nulls under the families of two classes, of rows of every kind."""
    options = {"interval": "always", "level": 0.9, "draws": DRAWS, "null_draws": NULL_DRAWS}
    y, p, _ = two_classes()
    found: Numbers = {}
    for name in family_names("two"):
        found |= _under(name, of_estimate(calibration_error(y, p, family=name, **options)))
    for norm in ("l2", "squared"):
        found |= _under(f"slope1 {norm}", of_estimate(calibration_error(y, p, norm=norm, family="slope1", **options)))
    found |= _under("max, no interval", of_estimate(calibration_error(y, p, norm="max", null_draws=NULL_DRAWS)))
    for norm in ("l1", "l2", "squared"):
        settings = {"family": family("slope1", n_bins=10), "norm": norm, "debias": True}
        found |= _under(f"debias {norm}", of_estimate(calibration_error(y, p, **settings, **options)))
    for direction in ("own", "platt"):
        towards = direction if direction == "own" else family(direction)
        error = error_towards(towards, y, p, **options)
        found |= _under(f"direction {direction}", of_estimate(error))
    for kind, w in weights_of(y.size).items():
        for name in ("spline", "slope1", "isotonic", "beta"):
            error = calibration_error(y, p, family=name, sample_weight=w, **options)
            found |= _under(f"{name}, {kind}", of_estimate(error))
    for data, (y_other, p_other) in awkward_rows().items():
        for name in ("spline", "isotonic", "flat"):
            error = calibration_error(y_other, p_other, family=name, **options)
            found |= _under(f"{name}, {data}", of_estimate(error))
    return found


def binned() -> Numbers:
    """Return intervals and nulls of the binned errors, and the TCE with both tests."""
    y, p, w = two_classes()
    options = {"interval": "always", "level": 0.9, "draws": DRAWS, "null_draws": NULL_DRAWS}
    found: Numbers = {}
    for name, settings in {**BINNED, "pava": {"partition": "pava"}, "pava_bc": {"partition": "pava_bc"}}.items():
        with_interval = {"null_draws": NULL_DRAWS} if settings.get("norm") == "max" else options
        found |= _under(name, of_estimate(gce(y, p, **settings, **with_interval)))
    for test in ("binomial", "t"):
        found |= _under(f"tce {test}", of_estimate(fot.tce(y, p, test=test, null_draws=NULL_DRAWS)))
    found |= _under("tce, counts", of_estimate(fot.tce(y, p, sample_weight=w, null_draws=NULL_DRAWS)))
    of_rows = partition_of_rows((7 * np.arange(y.size)) % 6)
    for kind, weights in {"rows": None, "counts": w}.items():
        error = gce(y, p, partition=of_rows, sample_weight=weights, null_draws=NULL_DRAWS)
        found |= _under(f"cells of rows, {kind}", of_estimate(error))
    found["tce p-values"] = _hex(*fot.tce(y, p, null_draws=0).p_values(GRID))
    for kind, weights in weights_of(y.size).items():
        found |= _under(f"ece, {kind}", of_estimate(gce(y, p, sample_weight=weights, **options)))
    return found


def measures() -> Numbers:
    """Return every registered measure with its default settings and its null, plain and under both kinds of weights.

    A measure that refuses a kind of weights is told as refused.
    """
    y, p, _ = two_classes()
    options = {"interval": None, "null_draws": NULL_DRAWS}
    found: Numbers = {}
    for kind, w in {"rows": None, **weights_of(y.size)}.items():
        for name in measure_names("two"):
            settings = {"truth": _truth} if name == "probabilistic_kendall_tau" else {}
            try:
                evaluation = fot.evaluate(y, p, measures=[measure(name, **settings)], sample_weight=w, **options)
            except ValueError:
                found[f"{name}, {kind}"] = ["refused"]
            else:
                found |= _under(f"{name}, {kind}", of_evaluation(evaluation))
    for loss in ("log_loss", "brier"):
        for kind, w in {"rows": None, **weights_of(y.size)}.items():
            error = fot.evaluation.proper_error(y, p, loss=loss, sample_weight=w, null_draws=5)
            found |= _under(f"proper {loss}, {kind}", of_estimate(error))
    found |= _under(
        "proper, chosen", of_estimate(fot.evaluation.proper_error(y, p, family=["beta", "platt", "isotonic"]))
    )
    for estimator in ("unbiased", "biased", "block"):
        for kernel in ("exponential", "rbf"):
            of_kernel = measure("kernel", kernel=kernel, estimator=estimator)
            for kind, w in {"rows": None, **weights_of(y.size)}.items():
                try:
                    evaluation = fot.evaluate(y, p, measures=[of_kernel], sample_weight=w, **options)
                except ValueError:
                    found[f"{kernel} {estimator}, {kind}"] = ["refused"]
                else:
                    found |= _under(f"{kernel} {estimator}, {kind}", of_evaluation(evaluation))
    return found


def _truth(scores: Any) -> Any:
    return scores**1.4


def evaluations() -> Numbers:
    """Return what `evaluate` prints: records, verdict, joint test, tendency, roughness."""
    y, p, _ = two_classes()
    options = {"draws": DRAWS}
    families = [name for name in family_names("two") if name not in LATER]
    quick = [name for name in families if name not in SLOW]
    not_evaluators = {"cumulative_spline", "kde", "scaling_binning", "stacking", "venn_abers"}
    former = [name for name in families if name not in not_evaluators]  # that were measured by default
    found = _under("defaults", of_evaluation(fot.evaluate(y[:150], p[:150], families=former)))
    found |= _under("all", of_evaluation(fot.evaluate(y, p, families=quick, **options)))
    found |= _under("measures", of_evaluation(fot.evaluate(y, p, measures=["ece", "smooth_ece", "pairs"], **options)))
    for kind, w in weights_of(y.size).items():
        found |= _under(kind, of_evaluation(fot.evaluate(y, p, families=FEW, sample_weight=w, **options)))
    for data, (y_other, p_other) in awkward_rows().items():
        found |= _under(data, of_evaluation(fot.evaluate(y_other, p_other, families=FEW, **options)))
    calibrated = np.random.default_rng(5).random(p.size) < p
    found |= _under("many rows", of_evaluation(fot.evaluate(*many_rows(), families=FEW, **options)))
    found |= _under("calibrated", of_evaluation(fot.evaluate(calibrated, p, families=FEW, **options)))
    return found


def several_classes() -> Numbers:
    """Return errors and evaluations of the confidence and of each class."""
    y, p, w = three_classes()
    found: Numbers = {}
    options = {"interval": "always", "level": 0.9, "draws": DRAWS, "null_draws": NULL_DRAWS}
    for reduction in ("confidence", "classwise"):
        for name in ("spline", "slope1", "isotonic", "beta"):
            error = calibration_error(y, p, family=name, reduction=reduction, **options)
            found |= _under(f"{reduction} {name}", of_estimate(error))
        for kind, weights in weights_of(y.size).items():
            error = calibration_error(
                y, p, family="slope1", reduction=reduction, sample_weight=weights, null_draws=NULL_DRAWS
            )
            found |= _under(f"{reduction} {kind}", of_estimate(error))
        found |= _under(f"{reduction} gce", of_estimate(gce(y, p, reduction=reduction, null_draws=NULL_DRAWS)))
        tce = fot.tce(y, p, reduction=reduction, sample_weight=w, null_draws=NULL_DRAWS)
        found |= _under(f"{reduction} tce", of_estimate(tce))
        evaluation = fot.evaluate(y, p, families=FEW, measures=["ece", "pairs"], reduction=reduction, draws=DRAWS)
        found |= _under(f"{reduction} evaluate", of_evaluation(evaluation))
    two = np.column_stack([p[:, 0], 1 - p[:, 0]])
    error = calibration_error(y == 1, two, family="slope1", reduction="binary", labels=[False, True], **options)
    return found | _under("binary", of_estimate(error))


def canonical() -> Numbers:
    """Return errors of whole distributions: plug-in, kernel, cells, proper error, with nulls, intervals and weights."""
    y, p, _ = three_classes()
    found: Numbers = {}
    whole = {"reduction": "canonical"}
    for name in family_names("any"):
        error = calibration_error(y, p, family=name, null_draws=5, **whole)
        found |= _under(name, of_estimate(error))
        found[f"{name}: map"] = _hex(*np.ravel(error.map(distributions())))
    for name in ("beta", "isotonic"):
        error = calibration_error(y, p, family=name, null_draws=5, **whole)
        found |= _under(f"one against the rest, {name}", of_estimate(error))
    for distance in DISTANCES:
        for norm in NORMS:
            error = calibration_error(y, p, family="vector", distance=distance, norm=norm, **whole)
            found |= _under(f"vector {distance} {norm}", of_estimate(error))
    for kind, w in {"rows": None, **weights_of(y.size)}.items():
        error = calibration_error(y, p, sample_weight=w, null_draws=5, **whole)
        found |= _under(f"plug-in, {kind}", of_estimate(error))
        for partition in ({}, {"partition": "uniform_grid", "n_bins": 3}):
            options = {"interval": "always", "level": 0.9, "draws": DRAWS, "null_draws": NULL_DRAWS}
            error = gce(y, p, sample_weight=w, **partition, **options, **whole)
            found |= _under(f"simplex cells {'grid' if partition else 'median'}, {kind}", of_estimate(error))
        for loss in ("log_loss", "brier"):
            error = fot.evaluation.proper_error(y, p, loss=loss, sample_weight=w, null_draws=3)
            found |= _under(f"proper {loss}, {kind}", of_estimate(error))
        evaluation = fot.evaluate(y, p, sample_weight=w, null_draws=5, draws=DRAWS, **whole)
        found |= _under(f"evaluate, {kind}", of_evaluation(evaluation))
    for distance in DISTANCES:
        partition = simplex_partition("median_variance", min_size=15)
        error = gce(
            y, p, partition=partition, distance=distance, norm="l2", interval="always", level=0.9, draws=DRAWS, **whole
        )
        found |= _under(f"median {distance} l2", of_estimate(error))
    for name in measure_names("any"):
        evaluation = fot.evaluate(y, p, measures=[name], null_draws=NULL_DRAWS, interval=None, **whole)
        found |= _under(f"measure {name}", of_evaluation(evaluation))
    for kernel in ("exponential", "rbf"):
        for estimator in ("unbiased", "biased", "block"):
            of_kernel = canonical_kernel(kernel=kernel, estimator=estimator)
            evaluation = fot.evaluate(y, p, measures=[of_kernel], null_draws=NULL_DRAWS, interval=None, **whole)
            found |= _under(f"{kernel} {estimator}", of_evaluation(evaluation))
    y_ten, p_ten = ten_classes()
    found |= _under("ten classes", of_evaluation(fot.evaluate(y_ten, p_ten, null_draws=3, draws=DRAWS, **whole)))
    return found


def cells() -> Numbers:
    """Return errors and evaluations of cells of one score and of classes."""
    y, p, _ = two_classes()
    y_classes, p_classes, w_classes = three_classes()
    edges = [0.1, 0.3, 0.5, 0.7, 0.9]
    batches = {
        "fine": cells_of(y, p),
        "edges": cells_of(y, p, edges=edges),
        "exact": cells_of(y, p.round(2), exact=True),
        "sum": cells_of(y[:150], p[:150]) + cells_of(y[150:], p[150:]),
        "discounted": cells_of(y[:150], p[:150]).discounted(0.5) + cells_of(y[150:], p[150:]),
        **{kind: cells_of(y, p, w) for kind, w in weights_of(y.size).items()},
    }
    found: Numbers = {}
    for name, batch in batches.items():
        for of in ("spline", "slope1", "isotonic", "beta"):
            options = {"interval": "always", "level": 0.9, "draws": DRAWS, "null_draws": NULL_DRAWS}
            found |= _under(f"{name} {of}", of_estimate(calibration_error(batch, family=of, **options)))
        found |= _under(f"{name} gce", of_estimate(gce(batch, partition=[0.3, 0.7] if name == "edges" else None)))
        found |= _under(f"{name} text", of_values(json.loads(batch.to_json())))
    found |= _under("evaluate", of_evaluation(fot.evaluate(batches["fine"], families=FEW, draws=DRAWS)))
    found |= _under("gate", of_result(fot.check_calibration(batches["fine"], max_error=0.1)))
    for kind, w in {"rows": None, "counts": w_classes}.items():
        of_classes = class_cells_of(y_classes, p_classes, w)
        error = calibration_error(of_classes, family="slope1", null_draws=NULL_DRAWS)
        found |= _under(f"classes {kind}", of_estimate(error))
        evaluation = fot.evaluate(of_classes, families=FEW, draws=DRAWS)
        found |= _under(f"classes {kind} evaluate", of_evaluation(evaluation))
        found |= _under(f"classes {kind} gate", of_result(fot.check_calibration(of_classes, max_error=0.2)))
    return found


def segments() -> Numbers:
    """Return evaluations and gates by segment."""
    y, p, _ = two_classes()
    by = np.array(["a", "b", "c"])[np.random.default_rng(3).integers(0, 3, y.size)]
    found: Numbers = {}
    for kind, w in {"rows": None, **weights_of(y.size)}.items():
        evaluation = fot.evaluate(
            y, p, families=["spline", "isotonic"], measures=["ece", "pairs"], by=by, sample_weight=w, draws=DRAWS
        )
        found |= _under(f"evaluate, {kind}", of_result(evaluation))
        found |= _under(f"gate, {kind}", of_result(fot.check_calibration(y, p, max_error=0.1, by=by, sample_weight=w)))
    nulls = {"interval": None, "null_draws": 120, "by": by}  # at least 40 for each segment
    found |= _under("nulls", of_result(fot.evaluate(y, p, families=["spline"], measures=["ece", "pairs"], **nulls)))
    by_cells = {name: cells_of(y[by == name], p[by == name]) for name in np.unique(by).tolist()}
    found |= _under("cells", of_result(fot.evaluate(by_cells, families=["spline", "isotonic"], draws=DRAWS)))
    y_classes, p_classes, _ = three_classes()
    confidence = {"reduction": "confidence", "by": by[: y_classes.size], "draws": DRAWS}
    return found | _under(
        "confidence", of_result(fot.evaluate(y_classes, p_classes, families=["spline"], **confidence))
    )


def gates() -> Numbers:
    """Return the outcome and the numbers of gates."""
    y, p, _ = two_classes()
    found: Numbers = {}
    for limit in (0.02, 0.1, 0.3):
        found |= _under(f"at most {limit}", of_result(fot.check_calibration(y, p, max_error=limit)))
    for name in ("spline", "slope1"):
        check = fot.check_calibration(y, p, max_error=0.1, family=name, resolution=None)
        found |= _under(name, of_result(check))
    for kind, w in weights_of(y.size).items():
        found |= _under(kind, of_result(fot.check_calibration(y, p, max_error=0.1, sample_weight=w)))
    y_classes, p_classes, w = three_classes()
    for reduction in ("confidence", "classwise"):
        check = fot.check_calibration(y_classes, p_classes, max_error=0.1, reduction=reduction, sample_weight=w)
        found |= _under(reduction, of_result(check))
    return found


def comparisons() -> Numbers:
    """Return comparisons of calibrators, of two classes and of several, and of the errors of two models."""
    y, p, w = two_classes()
    found: Numbers = {}
    plain = [name for name in family_names("two") if name not in SLOW]
    found |= _under("two", of_result(fot.compare_calibrators(y, p, families=plain, **FORMER)))
    few = {"families": ["beta", "platt", "isotonic"], **FORMER}
    for rule in ("best", "stack"):
        found |= _under(rule, of_result(fot.compare_calibrators(y, p, scoring="brier", **few | {"rule": rule})))
    found |= _under("repeats", of_result(fot.compare_calibrators(y, p, repeats=2, **few)))
    found |= _under("test rows", of_result(fot.compare_calibrators(y[:200], p[:200], test=(y[200:], p[200:]), **few)))
    found |= _under("truth", of_result(fot.compare_calibrators(y, p, truth=_truth(p), **few)))
    found |= _under("interpretability", of_result(fot.compare_calibrators(y, p, interpretability=True, **few)))
    found |= _under("cells", of_result(fot.compare_calibrators(cells_of(y, p), **few)))
    for kind, weights in weights_of(y.size).items():
        found |= _under(kind, of_result(fot.compare_calibrators(y, p, sample_weight=weights, **few)))
    y_classes, p_classes, w_classes = three_classes()
    for kind, weights in {"rows": None, "counts": w_classes}.items():
        options = {"reduction": "canonical", "sample_weight": weights, **FORMER}
        comparison = fot.compare_calibrators(y_classes, p_classes, **options)
        found |= _under(f"canonical, {kind}", of_result(comparison))
        for loss in ("log_loss", "brier"):
            of_rows = {"family": fot.Slope1(15), "sample_weight": None if weights is None else w}
            errors = fot.compare_errors(y, p, p**1.2, loss=loss, **of_rows)
            found |= _under(f"errors {loss}, {kind}", of_result(errors))
    options = {"reduction": "canonical", **FORMER, "scoring": "brier", "rule": "best"}
    half = CLASS_ROWS // 2
    comparison = fot.compare_calibrators(
        y_classes[:half], p_classes[:half], test=(y_classes[half:], p_classes[half:]), **options
    )
    return found | _under("canonical, test rows", of_result(comparison))


def frames() -> Numbers:
    """Return what is read of data frames and of files: evaluations, gates and cells, with segments and weights."""
    y, p, w = two_classes()
    columns = {"y": y, "p": p, "w": w, "s": np.array(["a", "b"])[(p > 0.4).astype(int)]}
    frame, found = _data_frame(columns), {}
    options = {"families": ["spline", "isotonic"], "draws": DRAWS}
    found |= _under("frame", of_evaluation(evaluated_frame(frame, label="y", prob="p", **options)))
    found |= _under("weights", of_evaluation(evaluated_frame(frame, label="y", prob="p", weight="w", **options)))
    found |= _under("segments", of_result(evaluated_frame(frame, label="y", prob="p", by="s", **options)))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        frame.to_parquet(path)
        read = cells_of_file(path, label="y", prob="p", weight="w")
    return found | _under("file", of_values(json.loads(read.to_json())))


def simulations() -> Numbers:
    """Return simulated data sets of the published study, and their true errors."""
    found: Numbers = {}
    for shape in shapes():
        y, p, c = published_draw(shape, 0.05, 200, 0)
        found[shape] = _hex(*y, *p, *c, true_error(p, c))
    return found


def plans() -> Numbers:
    """Return plans of evaluations from scores of one's own and from a base rate."""
    _, p, _ = two_classes()
    options = {"n": [100, 200], "draws": 20, "families": ["slope1", "beta"], "errors": (0, 0.05), "thorough": True}
    found = _under("scores", of_result(fot.apps.plan_evaluation(p, width=0.1, **options)))
    return found | _under("base rate", of_result(fot.apps.plan_evaluation(base_rate=0.2, power=0.8, **options)))


def drift() -> Numbers:
    """Return comparisons of the cells of two spans of time."""
    y, p, w = two_classes()
    moved = p**1.1
    found: Numbers = {}
    pairs = {
        "fine": (cells_of(y[:200], p[:200]), cells_of(y[200:], moved[200:])),
        "edges": tuple(cells_of(y, scores, edges=np.linspace(0, 1, 11)[1:-1]) for scores in (p, moved)),
        "counts": (cells_of(y, p, w), cells_of(y, moved, w)),
    }
    for name, (before, after) in pairs.items():
        found |= _under(
            name, of_result(fot.monitor.compare_cells(before, after, family=fot.Slope1(15), draws=99, regions=5))
        )
    return found | _under(
        "norm", of_result(fot.monitor.compare_cells(*pairs["fine"], family="slope1", norm="l2", draws=49))
    )


def maps() -> Numbers:
    """Return fitted maps: of two classes at a grid of scores, through JSON, and of several at fixed distributions."""
    y, p, _ = two_classes()
    y_classes, p_classes, _ = three_classes()
    found: Numbers = {}
    for kind, w in {"rows": None, **weights_of(y.size)}.items():
        for name in family_names("two"):
            if name not in SLOW or kind == "rows":
                fitted = calibration_error(y, p, family=name, sample_weight=w).map
                found[f"{name}, {kind}"] = _hex(*fitted(GRID))
        for name in family_names("any"):
            error = calibration_error(
                y_classes,
                p_classes,
                family=name,
                reduction="canonical",
                sample_weight=None if w is None else w[: y_classes.size],
            )
            found[f"several {name}, {kind}"] = _hex(*np.ravel(error.map(distributions())))
    return found


def classifiers() -> Numbers:
    """Return probabilities of calibrated classifiers and of the trees."""
    x, y = load_breast_cancer(return_X_y=True)
    x, rows = x[:, :6], np.random.default_rng(0).permutation(y.size)
    train, held_out = rows[:250], rows[250:300]
    found: Numbers = {}
    for name in ("beta", "isotonic", "spline", "platt"):
        for ensemble in (True, False):
            model = fot.CalibratedClassifier(GaussianNB(), family=name, cv=3, ensemble=ensemble)
            found[f"{name}, ensemble {ensemble}"] = _probabilities(model.fit(x[train], y[train]), x[held_out])
    weights = np.random.default_rng(1).integers(1, 4, train.size)
    model = fot.CalibratedClassifier(GaussianNB(), family="beta", cv=3).fit(x[train], y[train], sample_weight=weights)
    found["weights"] = _probabilities(model, x[held_out])
    several_x, several_y = load_iris(return_X_y=True)
    for name in ("vector", "matrix", "temperature", "beta"):
        model = fot.CalibratedClassifier(GaussianNB(), family=name, cv=3).fit(several_x, several_y)
        found[f"several {name}"] = _probabilities(model, several_x[::5])
    features = tree("features", max_depth=3).fit(x[train], y[train])
    found["tree of features"] = _probabilities(features, x[held_out])
    scores = GaussianNB().fit(x[train], y[train]).predict_proba(x)[:, 1]
    of_scores = tree("scores", max_depth=3).fit(x[train], y[train], scores=scores[train])
    found["tree of scores"] = _hex(*of_scores.predict_proba(x[held_out], scores=scores[held_out])[:, 1])
    return found


def reports() -> Numbers:
    """Return the numbers of reports, and bands of reliability diagrams."""
    y, p, w = two_classes()
    y_classes, p_classes, _ = three_classes()
    found = _under("two", of_result(fot.report(y, p, families=["spline", "isotonic"])))
    report = fot.report(y_classes, p_classes, reduction="classwise", families=["slope1"])
    found |= _under("several", of_result(report))
    for kind, weights in {"rows": None, "counts": w}.items():
        for band in ("consistency", "confidence", "simultaneous"):
            drawn = reliability_band(y, p, family="isotonic", band=band, band_draws=30, sample_weight=weights)
            found[f"{band} band, {kind}"] = _hex(*np.ravel(drawn.lower), *np.ravel(drawn.upper))
    return found


# The predictions.


@cache
def two_classes() -> tuple[Any, Any, Any]:
    """Return simulated labels, scores and counts."""
    rng = np.random.default_rng(0)
    p = rng.random(ROWS)
    return (rng.random(ROWS) < p**1.4).astype(int), p, rng.integers(0, 3, ROWS)


@cache
def awkward_rows() -> dict[str, tuple[Any, Any]]:
    """Return rows with ties, with scores of 0 and 1, with rare positives, and with a truth in steps."""
    rng = np.random.default_rng(1)
    p = rng.random(ROWS)
    ties, certain, rare = p.round(1) * 0.9 + 0.05, np.where(p < 0.1, 0.0, np.where(p > 0.9, 1.0, p)), p**3 / 5
    steps = np.where(np.floor(10 * p) % 2 == 0, p / 2, (1 + p) / 2)
    truths = {"ties": (ties, ties**1.2), "certain": (certain, 0.03 + 0.94 * certain), "rare": (rare, rare * 0.8)}
    truths["steps"] = (p, steps)
    return {name: ((rng.random(ROWS) < truth).astype(int), scores) for name, (scores, truth) in truths.items()}


@cache
def many_rows() -> tuple[Any, Any]:
    """Return labels and scores of many rows, where other ways of computing serve."""
    rng = np.random.default_rng(7)
    p = rng.beta(0.6, 1.5, 12_000)
    return (rng.random(p.size) < 0.9 * p + 0.02).astype(int), p


@cache
def ten_classes() -> tuple[Any, Any]:
    """Return simulated labels of ten classes and distributions."""
    rng = np.random.default_rng(8)
    p = rng.dirichlet(np.full(10, 0.3), 600)
    y = (rng.random(600)[:, None] > p.cumsum(axis=1)).sum(axis=1)
    return np.minimum(y, 9), p


@cache
def three_classes() -> tuple[Any, Any, Any]:
    """Return simulated labels of three classes, distributions and counts."""
    rng = np.random.default_rng(2)
    p = rng.dirichlet([1, 1, 1], CLASS_ROWS)
    truth = p**1.4 / (p**1.4).sum(axis=1, keepdims=True)
    y = (rng.random(CLASS_ROWS)[:, None] > truth.cumsum(axis=1)).sum(axis=1)
    return np.minimum(y, 2), p, rng.integers(0, 3, CLASS_ROWS)


def weights_of(n: int) -> dict[str, Any]:
    """Return weights of both kinds."""
    rng = np.random.default_rng(4)
    return {"counts": rng.integers(0, 3, n), "importances": rng.random(n) + 0.25}


def distributions() -> Any:
    """Return fixed distributions over three classes, with corners and edges of the simplex."""
    inner = np.random.default_rng(6).dirichlet([1, 1, 1], 20)
    return np.vstack([inner, np.eye(3), np.full((1, 3), 1 / 3), [[0.5, 0.5, 0.0]]])


def _data_frame(columns: Mapping[str, Any]) -> Any:
    import pandas as pd

    return pd.DataFrame(columns)


# Numbers of results.


def of_estimate(estimate: Any) -> Numbers:
    """Return every number of an estimate, its map and its null included."""
    found = of_values(estimate.to_dict())
    if estimate.null is not None:
        found["null values"] = _hex(*estimate.null.values)
    if estimate.classes is not None:
        for label, each in estimate.classes.items():
            found |= _under(f"class {label}", of_estimate(each))
    return found


def of_evaluation(evaluation: Any) -> Numbers:
    """Return every number of an evaluation, with the values of each null and the whole verdict."""
    whole = {name: value for name, value in evaluation.to_dict().items() if name != "estimates"}
    found = of_values(whole)
    for i, estimate in enumerate(evaluation.estimates):  # by their place, as names of measures may change
        found |= _under(f"estimate {i}", of_estimate(estimate))
    return found


def of_result(result: Any) -> Numbers:
    """Return every number of a result."""
    return of_values(result.to_dict())


def of_values(values: Any) -> Numbers:
    """Return the numbers of nested JSON-ready values by their path; texts only where they are conclusions."""
    found: Numbers = {}
    for path, value in _leaves(values, ()):
        is_text = isinstance(value, str)
        if not is_text or path[-1] in CONCLUSIONS:
            found.setdefault(" / ".join(path), []).append(value if is_text else _hex(value)[0])
    return {path: numbers for path, numbers in found.items() if any(number is not None for number in numbers)}


def _leaves(value: Any, path: tuple[str, ...]) -> Iterable[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            if name not in VOLATILE:
                yield from _leaves(inner, (*path, str(name)))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, (*path, *_label(inner)))
    else:
        yield path, value


def _label(record: Any) -> tuple[str, ...]:
    """Return what a record of a list is called, so that the order of records does not matter."""
    if not isinstance(record, Mapping):
        return ()
    return (" ".join(str(record[name]) for name in LABELS if isinstance(record.get(name), str | int)),)


def _under(name: str, numbers: Numbers) -> Numbers:
    return {f"{name}: {key}": values for key, values in numbers.items()}


def _probabilities(model: Any, x: Any) -> list[str | None]:
    return _hex(*np.ravel(model.predict_proba(x)))


def _hex(*values: Any) -> list[str | None]:
    return [None if value is None else float(value).hex() for value in values]


# The command.

GROUPS: dict[str, Callable[..., Numbers]] = {
    group.__name__: group
    for group in (
        tables,
        intervals,
        binned,
        measures,
        evaluations,
        several_classes,
        canonical,
        cells,
        segments,
        gates,
        comparisons,
        frames,
        simulations,
        plans,
        drift,
        maps,
        classifiers,
        reports,
    )
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", action="append", choices=GROUPS, metavar="GROUP", help=", ".join(GROUPS))
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", calibration_warning())
    found = {}
    for name in arguments.only or GROUPS:
        start = time.perf_counter()
        found[name] = GROUPS[name](arguments.folder) if name == "tables" else GROUPS[name]()
        numbers = sum(map(len, found[name].values()))
        print(f"{name:16} {len(found[name]):6,} results {numbers:8,} numbers {time.perf_counter() - start:6.1f} s")
        sys.stdout.flush()
    arguments.output.write_text(json.dumps(found, indent=1))
    if arguments.against is not None and differences(found, json.loads(arguments.against.read_text())):
        sys.exit(1)


def differences(found: Mapping[str, Numbers], other: Mapping[str, Numbers]) -> int:
    """Print what differs, group by group, and return how many results do."""
    total = 0
    for group, results in found.items():
        before = other.get(group, {})
        keys = {"new": results.keys() - before.keys(), "gone": before.keys() - results.keys()}
        changed = [key for key, values in results.items() if key in before and values != before[key]]
        counts = ", ".join(f"{len(names)} {kind}" for kind, names in keys.items())
        print(f"{group}: {len(changed)} of {len(results)} results differ, {counts}")
        for key in changed[:20]:
            print(f"  {key}: {_first_difference(results[key], before[key])}")
        for kind, names in keys.items():
            for key in sorted(names)[:5]:
                print(f"  {kind}: {key}")
        total += len(changed) + len(keys["gone"])
    return total


def _first_difference(values: list[Any], before: list[Any]) -> str:
    if len(values) != len(before):
        return f"{len(values)} numbers, were {len(before)}"
    now, was = next(pair for pair in zip(values, before, strict=True) if pair[0] != pair[1])
    return f"{_readable(now)}, was {_readable(was)}"


def _readable(value: Any) -> str:
    try:
        return repr(float.fromhex(value))
    except (TypeError, ValueError):
        return repr(value)


if __name__ == "__main__":
    main()
