"""Calibration errors as scorers, so that scikit-learn's searches and cross-validations can rank classifiers by them.

A scorer is called with a fitted classifier and labelled rows, and larger must be better: it returns minus the error.
"""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Self

from sklearn.utils.metadata_routing import UNCHANGED, MetadataRequest

from fitontest.data.estimators import probabilities
from fitontest.data.reading.read import read
from fitontest.data.simplex_sample import ALL_REDUCTIONS, CANONICAL
from fitontest.evaluation.measuring import measure_one
from fitontest.evaluation.metrics import calibration_error, gce, tce
from fitontest.families.base import read_family
from fitontest.families.multiclass.one_vs_rest import read_for_classes
from fitontest.maps.base import CalibrationMap
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure
from fitontest.measures.measure import make as make_measure
from fitontest.measures.measure import names as measure_names
from fitontest.results.checks import check_flag, check_known, choose
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import ArrayInput
from fitontest.uncertainty.redrawing import Redrawing

METRICS: dict[str, Callable[..., Any]] = {"calibration_error": calibration_error, "gce": gce, "tce": tce}
_OF_THE_SCORER = ("y_true", "y_prob", "sample_weight", "groups", "labels")  # what the scorer itself gives to the metric
_READING = ("reduction", "pos_label")  # options of a scorer whose metric is a measure


class CalibrationScorer:
    """A measure of a fitted classifier, signed so that greater is better, as `make_scorer` makes it.

    Parameters
    ----------
    metric : str or Measure
    options : dict
        Of the metric; of a measure how the probabilities are read.
    debiased : bool, default=False
        Whether the debiased value is given, and not the raw one.
    """

    def __init__(self, metric: str | Measure, options: Mapping[str, Any], *, debiased: bool = False) -> None:
        self.metric = metric
        self.options = dict(options)
        self.debiased = debiased
        self._requests: dict[str, Any] = {"sample_weight": None, "groups": None}  # where metadata is routed

    def __call__(
        self, estimator: Any, X: Any, y_true: ArrayInput, sample_weight: ArrayInput = None, groups: ArrayInput = None
    ) -> float:
        """Return minus the error of the estimator's probabilities (a measure of which greater is better, as it is).

        Parameters
        ----------
        estimator : fitted classifier with predict_proba
        X : array-like of shape (n, n_features)
        y_true : array-like of shape (n,)
        sample_weight, groups : array-like of shape (n,), optional
            As for `calibration_error`.

        Returns
        -------
        score : float
            Of an error 0 at best; above 0 only for one that may be negative, as an unbiased or debiased one may.
        """
        scores, reading = probabilities(estimator, X, self.options.get("reduction"), self.options.get("pos_label"))
        options = {**self.options, **reading}
        rows: dict[str, Any] = {"sample_weight": sample_weight, "groups": groups}
        with without_warnings():  # a score is one number of many, of folds that nobody looks at
            if isinstance(self.metric, Measure):
                data = read(y_true, scores, **rows, **options)
                value = self._value(measure_one(self.metric, data, Redrawing(interval="auto")))
                return value if self.metric.greater_is_better else -value
            no_null = {} if self.metric == "calibration_error" else {"null_draws": 0}  # it is no part of a score
            return -self._value(METRICS[self.metric](y_true, scores, **rows, **no_null | options))

    def _value(self, estimate: Estimate) -> float:
        """Return the raw value, or the debiased one."""
        if not self.debiased:
            return float(estimate)
        if estimate.debiased is None:
            reason = estimate.interval_reason or "it was asked for without an interval"
            raise ValueError(f"debiased must be False where there is no debiased value: {reason}")
        return estimate.debiased

    def set_score_request(
        self, *, sample_weight: bool | str | None = UNCHANGED, groups: bool | str | None = UNCHANGED
    ) -> Self:
        """Say whether weights and groups are wanted where metadata is routed: True, False, None (refuse), or a name."""
        wanted = {"sample_weight": sample_weight, "groups": groups}
        self._requests |= {name: request for name, request in wanted.items() if request is not UNCHANGED}
        return self

    def get_metadata_routing(self) -> MetadataRequest:
        """Return what is wanted of the metadata."""
        request = MetadataRequest(owner=type(self).__name__)
        for name, alias in self._requests.items():
            request.score.add_request(param=name, alias=alias)
        return request

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        which = f", debiased={self.debiased}" if _is_raw(self.metric, self.options) else ""
        return f"make_scorer({self.metric!r}{options}{which})"


def make_scorer(
    metric: str | Measure = "calibration_error", *, debiased: bool = False, **options: Any
) -> CalibrationScorer:
    """Return a scorer for scikit-learn's ``scoring=`` whose value is minus a calibration error.

    The probabilities are those of ``predict_proba``. Of two classes the positive one is `pos_label`, by default the
    second of ``classes_``; more than two need a `reduction`, and their columns are matched with ``classes_``, so that a
    fold may lack a class.

    Parameters
    ----------
    metric : {"calibration_error", "gce", "tce"}, name of a measure, or Measure, default="calibration_error"
        A measure of which greater is better keeps its sign.
    debiased : bool, default=False
        Whether the score is made of the debiased value. By default it is made of the raw one, which is quick, and to
        which label noise adds: the more the fewer rows a fold has, and as much for every model. The debiased value
        takes a second or so for each score. Of calibration errors and binned ones alone, not of means over classes.
    **options
        Of that function, such as ``family="beta"``, ``norm="l2"``, ``reduction="confidence"``; with the name of a
        measure its settings, `reduction` and `pos_label`; with a `Measure` only these two.

    Returns
    -------
    scorer : callable
        ``scorer(estimator, X, y, sample_weight=None, groups=None)``. Where metadata is routed, ask for weights and
        groups with ``scorer.set_score_request(sample_weight=True, groups=True)``.

    Raises
    ------
    ValueError
        For an unknown metric or option; when called, what the metric refuses.

    Notes
    -----
    A scorer gives no warnings. Where a family chooses its number of bins, folds may choose different ones, and a single
    bin in some, whose error is the difference of the means: fix the number, as ``family=Slope1(10)`` does.

    Do not choose models by a calibration error alone: it is 0 for a constant prediction of the base rate, and every
    estimate of it carries noise of its own. Choose by a proper score (``"neg_log_loss"``, ``"neg_brier_score"``), and
    report the error beside it.

    Examples
    --------
    >>> import fitontest as fot
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(500, random_state=0)
    >>> scoring = {"loss": "neg_log_loss", "ece": fot.make_scorer(family=fot.Slope1(10)), "tce": fot.make_scorer("tce")}
    >>> scores = cross_validate(GaussianNB(), X, y, scoring=scoring)
    >>> [bool((scores[f"test_{name}"] <= 0).all()) for name in scoring]
    [True, True, True]
    """
    _check_reading(options)
    check_flag(debiased, "debiased")
    if isinstance(metric, str) and metric in METRICS:
        known = [name for name in inspect.signature(METRICS[metric]).parameters if name not in _OF_THE_SCORER]
        check_known(options, known, f"options of {metric}")
        _check_family(options.get("family"), options.get("reduction"))
        _check_debiased(metric, options, debiased=debiased)
        return CalibrationScorer(metric, options, debiased=debiased)
    reading = {name: options.pop(name) for name in _READING if name in options}
    measure = _measure(metric, options)
    _check_debiased(measure, reading, debiased=debiased)
    return CalibrationScorer(measure, reading, debiased=debiased)


def _is_raw(metric: str | Measure, options: Mapping[str, Any]) -> bool:
    """Return whether the metric has a raw value, beside which there may be a debiased one."""
    if isinstance(metric, Measure):
        return metric.is_raw
    return metric != "tce" and options.get("loss", "bias") == "bias" and not options.get("debias", False)


def _check_debiased(metric: str | Measure, options: Mapping[str, Any], *, debiased: bool) -> None:
    """Raise ValueError where a debiased value is asked for and there is none, whatever the rows are."""
    if debiased and not _is_raw(metric, options):
        raise ValueError(f"debiased must be False for {metric!r}, which has no debiased value beside its own")
    if debiased and options.get("reduction") in ("classwise", CANONICAL):
        raise ValueError(f"debiased must be False with reduction={options['reduction']!r}, which has no debiased value")


def _measure(metric: object, settings: dict[str, Any]) -> Measure:
    """Return the measure of that name with the settings, or the one that was given."""
    if isinstance(metric, Measure):
        check_known(settings, _READING, "options of a Measure")
        return metric
    names = (*METRICS, *measure_names("two"), *measure_names("any"))
    choose(metric, dict.fromkeys(names), "metric")
    return make_measure(str(metric), **settings)


def _check_family(family: object, reduction: object) -> None:
    """Refuse at once what would only show as failed folds, and a family that never finds an error."""
    if family is None or isinstance(family, CalibrationMap | MulticlassMap):
        return
    found = read_for_classes(family) if reduction == CANONICAL else read_family(family, maps=True)
    if found.does_nothing:
        raise ValueError("family must not be the identity, whose error is 0 for every classifier")


def _check_reading(options: Mapping[str, Any]) -> None:
    reduction = options.get("reduction")
    if reduction is not None:
        choose(reduction, ALL_REDUCTIONS, "reduction")
    if reduction not in (None, "binary") and options.get("pos_label") is not None:
        raise ValueError(f"pos_label must be left out with reduction={reduction!r}, got {options['pos_label']!r}")
