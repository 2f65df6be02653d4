"""Validate a risk model: what reports on one list, in one call."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Unpack

from fitontest.data.read import Data, is_one_sample
from fitontest.data.reading.models import by_model, is_of_models, read_models
from fitontest.data.reading.options import reading_of
from fitontest.data.reading.read import read
from fitontest.data.repeated_rows import Repeats
from fitontest.data.samples import Key, Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segment_names import WHOLE, words_of
from fitontest.data.segments import check_few
from fitontest.families.base import Family, check_family
from fitontest.families.registry import family_name
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure
from fitontest.measures.notes import warn_of_several
from fitontest.measures.plug_in import SCORES
from fitontest.numerics.random import one_seed
from fitontest.results.checks import check_level
from fitontest.results.docstrings import take_descriptions
from fitontest.results.exceptions import Held, held_warnings, without_warnings
from fitontest.results.options import spell_out
from fitontest.results.progress import track
from fitontest.results.several import MANY
from fitontest.results.typing import ArrayInput
from fitontest.risk.validation.optimism import optimism_of
from fitontest.risk.validation.statistics import ERRORS, ICI, at_threshold, measures_of, statistics_of
from fitontest.risk.validation.thresholds import read_thresholds, threshold_of_cost
from fitontest.risk.validation.validation import Validation
from fitontest.risk.validation.validations import Validations
from fitontest.uncertainty.dependence import share_dependence
from fitontest.uncertainty.options import Options
from fitontest.uncertainty.tolerance import NearEnough, Tolerance, read_tolerance

DRAWS = 200  # bootstrap samples that a model is refitted to


@take_descriptions(Options)
@take_descriptions(NearEnough)
class ValidationOptions(NearEnough, Options, total=False):
    """What is near enough, how labels and scores are read, and how labels are redrawn."""


@spell_out("interval", "draws", "null_draws", "labels")
def validate(
    y_true: ArrayInput,
    y_prob: ArrayInput | Mapping[str, ArrayInput] = None,
    *,
    X: Any = None,
    estimator: Any = None,
    optimism: int = DRAWS,
    thresholds: float | Sequence[float] | None = None,
    cost: float | None = None,
    family: str | Family = SCORES,
    by: ArrayInput = None,
    **options: Unpack[ValidationOptions],
) -> Any:
    """Validate a risk model: calibration, discrimination and decisions, as reports on prediction models list them.

    The statistics of TRIPOD+AI, with a sentence first. Errors under a calibration map are debiased, and have intervals
    that hold 0 where calibrated risks would look as these do.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n,)
        Labels, and predicted risks of the positive class. Several models for the same labels are a dict,
        ``{"old": p_1, "new": p_2}``, or a data frame with a column for each. Or, in place of both, what
        `read` returns, `Cells`, a dict of these by segment, or a file or a data frame whose columns `label` and `prob`
        name.
    X : array-like or data frame with n rows, optional
        With `estimator`, in place of `y_prob`: the inputs that the model is fitted to, and then validated on.
    estimator : classifier, optional
        The model. It is cloned and fitted to `X` and the labels. Its risks of these very rows look better than those of
        others, by its *optimism*.
    optimism : int, default=200
        How often the model is fitted to a bootstrap sample, to correct the statistics for that (Harrell).
    thresholds : float or sequence of float, optional
        Risks from which on somebody acts on a row, such as treats a patient or refuses a loan, in [0, 1), increasing:
        net benefit, and what miscalibration costs of it, are given there. Below, such a row is called treated.
    cost : float, optional
        In place of a threshold: the harm of treating a row that is negative, in units of the benefit of treating one
        that is positive; the threshold is then cost / (1 + cost).
    family : str or Family, default="spline"
        Of the calibration map that ICI, E50, E90 and Emax are distances from. The default is that of the verdict of
        `evaluate`; "loess" is that of the ICI's authors.
    by : array-like of shape (n,) or (n, k), or str or sequence of str, optional
        The segment of each row, such as its hospital: each is validated alone, and their O:E, slope and AUC are pooled
        by random effects (`Validations.pooled`). Not with several models.
    reduction : {"confidence", "binary", "classwise"}, optional
        How a matrix of scores is read, see `calibration_error`; with "classwise" each class is validated against the
        rest.
    label, prob, weight : str, optional
        Columns of a data frame or file; of several models `prob` is a dict of the columns.

    Returns
    -------
    Validation
        Printing it shows the verdict with O:E, slope, ICI and AUC; ``table`` has all statistics, ``explain`` says what
        they mean, ``text`` is the paragraph of a paper and ``tripod`` the checklist; ``to_frame``, ``to_json``,
        ``to_html`` and ``plot`` show them elsewhere. Of several models, segments or classes `Validations`: a mapping to
        these by name.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found: thresholds that are not in [0, 1) or do not increase; whole
        distributions. A statistic that has no value, such as a slope where a threshold separates the classes, is left
        out, and a note says why.

    Notes
    -----
    O:E are the events observed over those that the risks add up to; calibration in the large and slope are of lines in
    the logits of the risks. ICI, E50, E90 and Emax are the mean, the median, the .9 quantile and the maximum, over the
    rows, of the distance of the risk from the calibration map: that from the share of events at this risk.

    The net benefit is the share of true positives among all rows, less that of false ones times t / (1 - t), what one
    costs at the threshold t. It is that of the very risks. The loss is what recalibration would add to it
    (`DecisionLoss`), which is 0 where an error changes no decision.

    References
    ----------
    Collins et al. (2024), TRIPOD+AI statement, BMJ 385. https://doi.org/10.1136/bmj-2023-078378
    Van Calster et al. (2016), A calibration hierarchy for risk models was defined, Journal of Clinical Epidemiology 74.
    https://doi.org/10.1016/j.jclinepi.2015.12.005

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(-1, 1.5, 2000)
    >>> y = rng.random(2000) < 1 / (1 + np.exp(-0.5 * x))
    >>> validation = fot.risk.validate(y, 1 / (1 + np.exp(-x)), thresholds=0.2)
    >>> round(float(validation["calibration_slope"]), 1)
    0.5
    """
    level = check_level(options["level"])
    if estimator is None and optimism != DRAWS:
        raise ValueError(f"optimism must be left out without an estimator, which is refitted for it; got {optimism!r}")
    if estimator is None and X is not None:
        raise ValueError("X must be left out without an estimator, which is fitted to it")
    chosen = _thresholds(thresholds, cost)
    check_family(family)
    rule = _Rule(family, chosen, level, one_seed(options["random_state"]), read_tolerance(options["tolerance"]))
    reading = reading_of(options)
    reduction, prob = reading["reduction"], reading["prob"]
    if estimator is not None:
        of_rows = {name: reading.pop(name) for name in ("sample_weight", "groups", "weights", "pos_label")}
        _refuse_beside_estimator({"y_prob": y_prob, "by": by, **reading})
        return rule.of_estimator(estimator, X, y_true, optimism, **of_rows)
    if by is not None and reduction == "classwise":
        raise ValueError("by must be left out with reduction='classwise'; validate the segments of one class at a time")
    y_prob = by_model(y_true, y_prob, reduction)
    if is_of_models(y_prob, prob):
        if by is not None:
            raise ValueError("by must be left out for several models; validate the segments of one model at a time")
        return _several(read_models(y_true, y_prob, **reading), rule)
    data = read(y_true, y_prob, by=by, **reading)
    return _several(data, rule) if data.kind else rule.validation(data)


@dataclass(frozen=True, eq=False)
class _Rule:
    """How rows are validated."""

    family: str | Family
    thresholds: tuple[float, ...]
    level: float
    seed: int
    tolerance: Tolerance

    @cached_property
    def measures(self) -> dict[str, Measure]:
        """The statistics by name."""
        return measures_of(self.family, self.thresholds, self.seed)

    def values(self, sample: ScoreSample) -> dict[str, float | None]:
        """Return the statistics of a sample by name; those without a value are None."""
        with without_warnings():
            estimates = statistics_of(sample, self.measures, None, self.seed).estimates
        return {name: float(estimates[name]) if name in estimates else None for name in self.measures}

    def of_estimator(self, estimator: Any, X: Any, y: Any, draws: int, **of_rows: Any) -> Validation:
        """Return the validation of a model on the rows that it is fitted to, with its optimism."""
        optimism = optimism_of(estimator, X, y, self.values, draws=draws, random_state=self.seed, **of_rows)
        Repeats.of_fitted(optimism.sample)
        return replace(self.validation(optimism.sample), optimism=optimism)

    def validation(self, data: Data, name: str | None = None, *, warned: bool = False) -> Validation:
        """Return the validation of one set of rows."""
        if not is_one_sample(data):
            raise ValueError(
                "reduction must be 'confidence', 'binary' or 'classwise' for a validation, which is of one risk for "
                f"each row; got {data.reduction!r}"
            )
        if not warned:
            Repeats.of(data).warn()
        statistics = statistics_of(data, self.measures, self.level, self.seed)
        return Validation(
            name=name,
            sample=data,
            statistics=statistics.estimates,
            reasons=statistics.reasons,
            level=self.level,
            family=family_name(self.family),
            thresholds=self.thresholds,
            random_state=self.seed,
            tolerance=self.tolerance,
        )


def validation_of_error(sample: ScoreSample, error: Estimate, level: float, seed: int) -> Validation:
    """Return the validation of rows whose calibration error is known, with what takes no further refits beside it.

    E50, E90 and Emax are left out.

    Parameters
    ----------
    sample : ScoreSample
    error : Estimate
        The mean distance from a calibration map, with its interval.
    level : float
    seed : int
        Of the draws behind the interval.
    """
    family = family_name(error.measure.family)  # type: ignore[attr-defined] # of an error under a map
    measures = measures_of(family, (), seed)
    found = statistics_of(sample, {name: one for name, one in measures.items() if name not in ERRORS}, level, seed)
    known = {**found.estimates, ICI: error}
    return Validation(
        sample=sample,
        statistics={name: known[name] for name in measures if name in known},  # in the order of a report
        reasons=found.reasons,
        level=level,
        family=family,
        random_state=seed,
    )


def _several(samples: Samples, rule: _Rule) -> Validations:
    """Return the validations of models or classes, or of segments with that of all rows."""
    names = words_of(samples, samples.columns)
    total = None
    if samples.is_by_segment:
        check_few(samples)
        share_dependence(samples)
        total = rule.validation(samples.whole, WHOLE)
    else:  # models and classes share their rows
        Repeats.of(samples[samples.labels[0]]).warn()
    held: dict[Key, list[Held]] = {}
    validations = {}
    for key, sample in track(list(samples.items()), MANY[samples.kind]):
        with held_warnings() as held[key]:
            validations[key] = rule.validation(sample, names[key], warned=True)
    warn_of_several(held, samples.kind)
    return Validations(validations, samples, total)


def _refuse_beside_estimator(arguments: Mapping[str, Any]) -> None:
    """Raise ValueError for what an estimator, whose risks are computed here, leaves no room for."""
    for name, value in arguments.items():
        if value is not None:
            raise ValueError(f"{name} must be left out with an estimator, whose risks of X are validated")


def _thresholds(thresholds: float | Sequence[float] | None, cost: float | None) -> tuple[float, ...]:
    """Return the thresholds that a user gave, or that of a cost."""
    if cost is None:
        chosen = () if thresholds is None else tuple(map(float, read_thresholds(thresholds)))
        for before, after in pairwise(chosen):
            if at_threshold("", before) == at_threshold("", after):
                rule = "thresholds must differ in six digits, by which statistics are called"
                raise ValueError(f"{rule}; got {before!r} and {after!r}")
        return chosen
    if thresholds is not None:
        raise ValueError(f"cost must be left out where thresholds are given; got {cost!r}")
    return (threshold_of_cost(cost),)
