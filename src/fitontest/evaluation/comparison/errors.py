"""Whether two models that scored the same rows differ in calibration error: a paired difference of held-out gains.

The gain of a row is the loss of its score less that of the score recalibrated by a map that was fitted without the
row. Its mean estimates the squared calibration error (Brier score) or the excess log loss, less what fitting costs. Two
models on the same rows share the noise of the labels and most of that cost, so that both nearly cancel in the
difference.
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, Unpack

import numpy as np
from scipy.special import stdtr, stdtrit

from fitontest.data.arrays import check_same_length
from fitontest.data.columns import Names
from fitontest.data.dependence import are_too_few
from fitontest.data.indices import check_same_order
from fitontest.data.known_groups import KnownGroups
from fitontest.data.reading.models import by_model
from fitontest.data.reading.options import reading_of
from fitontest.data.reading.read import READ, read
from fitontest.data.repeated_rows import Repeats
from fitontest.data.simplex_sample import CANONICAL
from fitontest.data.weights import read_weights
from fitontest.evaluation.comparison.error_comparison import ErrorComparison, HeldOutMean
from fitontest.evaluation.comparison.kinds import KINDS, OF_SCORES
from fitontest.evaluation.comparison.rows import check_two_classes, sample_of
from fitontest.evaluation.comparison.two_models import TwoModels, compute_gains
from fitontest.families.base import Family, check_family
from fitontest.families.listed import is_family
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.measures.estimate import Estimate, mean_over_classes
from fitontest.measures.interval import Interval
from fitontest.measures.measure import Measure
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.losses import LOSSES
from fitontest.numerics.random import check_cv, folds_of_groups, held_out_rows, one_seed
from fitontest.numerics.simplex_distances import DEFAULT_DISTANCE
from fitontest.numerics.standard_error import mean_and_error
from fitontest.results.checks import brief, check_level, choose, two_names
from fitontest.results.options import spell_out
from fitontest.results.progress import track
from fitontest.results.typing import ArrayInput, FloatArray, IntArray, RandomState
from fitontest.uncertainty.options import Options
from fitontest.uncertainty.redrawing import Redrawing, estimate_of, has_quick_interval

#: Predictions of one model, or those of two by their names.
Models: TypeAlias = ArrayInput | Mapping[str, ArrayInput]
FAMILY, CLASS_FAMILY = "spline", "vector"  # by default
DEFAULT_NAMES = ("p1", "p2")
LEAST = 2  # rows, and effective rows, without which nothing can be held out and nothing varies


@spell_out("interval", "draws", "null_draws", "label", "prob", "weight")
def compare_errors(
    y_true: ArrayInput,
    p1: Models,
    p2: ArrayInput = None,
    *,
    family: str | Family | MulticlassFamily | None = None,
    loss: Literal["brier", "log_loss"] = "brier",
    cv: int = 10,
    names: tuple[str, str] | None = None,
    **options: Unpack[Options],
) -> ErrorComparison:
    r"""Return which of two models is better calibrated on the same rows, and by how much, with an interval.

    With c_hat_j the map of the family that is fitted to the scores of model j on all folds but that of row i,

    gain_ji = loss(y_i, p_ji) - loss(y_i, c_hat_j(p_ji)), d_i = gain_1i - gain_2i.

    The difference is the mean of d_i, the interval that mean +- t s.d.(d) / sqrt(n), with Student's t of n - 1 degrees
    of freedom, and the p-value that of the t-test of equality. With `groups`, of which there are K, the standard error
    is sqrt(K / (K - 1) sum_k (sum_{i in k} (d_i - mean))^2) / n, and t has K - 1 degrees.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels, of two classes without a reduction; at least two classes must occur.
    p1, p2 : array-like of shape (n,) or (n, K)
        Probabilities of the positive class, in [0, 1], that the two models predict for these rows; with `reduction`
        those of all classes, in the order of the sorted labels or of `labels`. In place of both a dict of two models,
        as in ``{"naive Bayes": p1, "logistic": p2}``, whose keys the result calls them by.
    family : str, Family or MulticlassFamily, optional
        The family of the maps, by default "spline"; with ``reduction="canonical"`` "vector". It is fitted to every
        model and fold anew, so a map that exists is refused.
    loss : {"brier", "log_loss"}, default="brier"
        What is compared. "brier": the squared calibration error, the mean of (c - p)^2, where c is the true probability
        of a positive given the score. "log_loss": the excess log loss, the mean of the Kullback-Leibler divergence of p
        from c, in nats. Log loss clips predictions to [1e-6, 1 - 1e-6].
    cv : int, default=10
        Number of folds, at most n: the same for both models. Ten, as in all comparisons: each map is fitted to nine
        tenths of the rows, nearly as many as in use. They are drawn over sorted rows, so they do not depend on
        the row order; nor do they depend on which model is p1, so that swapping the models changes the sign and nothing
        else. (Swapping may change the folds only where it merely reorders the rows: each has a mirror image.)
    names : tuple of two str, optional
        What the result calls the models, by default "p1" and "p2"; a dict of models has its own.
    random_state : int, RandomState or None, default=0
        Seed of the folds, and of a family given by name that draws anything.
    sample_weight : array-like of shape (n,), optional
        Counts where all are whole numbers of at most 10 on average, weight 2 being the row twice; else importances,
        whose scale means nothing. A row of weight 0 is absent. Counts are written out: the
        result is that of the repeated rows. Of importances n is (sum w)^2 / sum w^2 in the standard errors.
    reduction : {"confidence", "classwise", "binary", "canonical"}, optional
        How matrices of scores are read. "canonical": all classes at once, of which the gains are those of proper
        calibration errors (`proper_error`), with a family of several classes; the Brier score is the sum over the
        classes. "confidence": the largest score of each row, and whether it is that of the label, which may differ
        between the models. "classwise": each class against the rest; a gain is the mean over the classes. "binary": the
        column of the positive class, of two.
    groups : array-like of shape (n,), optional
        What each row belongs to, such as a patient or a user, where several rows belong together; any ids that can be
        hashed. Folds hold out whole groups, at most K of them, and in the degrees of freedom K is the number of
        effective groups, (sum_k w_k)^2 / sum_k w_k^2 with w_k the weight of a group. Of groups of one row each the
        result is that without groups.

    Returns
    -------
    ErrorComparison
        Printing it says which model is better calibrated, or that the data cannot tell.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found. Labels of one class are refused, since they do not show how
        much labels vary, and fewer than 2 rows, or groups.

    Notes
    -----
    The interval is for these two models on rows like these: it covers neither other training data nor a shift of the
    rows. Rows must be independent, or belong to `groups` that are, and it is of all of them together, not of each
    period in time. Of fewer than 10 effective groups there is neither interval nor p-value.

    The mean gain of one model is less than its error by what fitting a map to few rows costs, and may be negative.
    In the difference the costs nearly cancel, the more so the more alike the scores are. A family that cannot
    follow one of the true maps misses a part of that model's error.

    The standard error holds the maps fixed, which is too little where both models are calibrated and nearly all of the
    gains is due to fitting. There, and where two models have the same error with teeth, levels or atoms, equality,
    tested at 5 %, was rejected in 2 to 5 % of 300 simulated data sets of 1,000 rows with "spline", in 1 to 6 % with
    ``Slope1(n_bins=15)``, and in 7 to 16 % with isotonic regression, which is therefore not the default. The intervals
    of the first two are alike where errors differ, and cover the true difference in 94 to 96 %. Small stairs are the
    exception, which the spline smooths: the difference of a calibrated model and one that is .03 off by stairs was
    covered in 77 % with it, and in 96 % with ``Slope1(n_bins=15)`` (`benchmarks/paired_coverage.py`).

    Of three classes at once and 400 rows, equality of two calibrated models was rejected at 5 % in 1 to
    3 % of 150 simulated data sets with "vector" and with "temperature", and the true difference of two others was
    covered in 95 to 96 %; with "confidence" and "classwise" these were 1 to 2 % and 95 to 97 %
    (`benchmarks/class_comparisons.py`).

    Where labels of a group are alike beyond their scores (latent correlation .05 or .15), and one model is as much too
    high as the other is too low, which is the worst case, the interval of `groups` held the true difference in 92 to
    98 % of 200 simulated data sets with ``Slope1(n_bins=15)``, of 10 to 100 groups of 10 to 100 rows and of uneven
    ones, and without groups in 56 to 96 %; with "spline" these were 92 to 98 % and 61 to 94 % of 85. Of 5 groups, or 8
    uneven ones, of which none is given, it would have held it in 94 to 97 % (`benchmarks/grouped_comparisons.py`).

    Importances of which few rows dominate may make the test too sure: with lognormal and Pareto weights that leave 80
    to 120 of 300 rows, 2 to 3 % of 200 simulated pairs of calibrated models were rejected at 5 % with "spline", and 6
    to 10 % with ``Slope1(n_bins=15)`` (pairs of `benchmarks/weight_kinds.py`). Below 200 effective rows the result
    says so.

    The norm l1, that of the ECE, is not compared. Plug-in l1 errors are biased by label noise, by an amount that
    depends on the error itself, and so are their differences. Of four ways to an interval for the difference of two l1
    errors, each covered the true difference in far fewer than 95 % of simulated data sets for some pair of models: 3,
    25, 63 and 78 % for the worst pair. The difference of held-out Brier gains was covered in 90 to 98 %
    (`benchmarks/paired_coverage.py` measures it).

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> c = rng.random(2000)
    >>> y = rng.random(2000) < c
    >>> comparison = fot.compare_errors(y, {"squared": c**2, "true": c})
    >>> comparison.better, bool(comparison.interval.low > 0)
    ('true', True)
    >>> print(comparison.sentence.replace(": ", ":\n"))
    true is better calibrated than squared:
    its calibration error (squared) is smaller by 0.0336 (95 % CI 0.0263 to 0.0409; p-value 5.5e-19).
    """
    reduction, random_state = options["reduction"], options["random_state"]
    sample_weight, groups = options["sample_weight"], options["groups"]
    if isinstance(y_true, READ):
        raise ValueError(
            f"y_true must be the labels of rows that both models scored, got {type(y_true).__name__}, which hold the "
            "scores of one"
        )
    if p2 is None and names is None:
        p1 = by_model(y_true, p1, reduction)
    p1, p2, named = _read_models(p1, p2, names)
    own = CLASS_FAMILY if reduction == CANONICAL else FAMILY
    measure = _read_measure(own if family is None else family, reduction, random_state)
    choose(loss, LOSSES, "loss")
    check_cv(cv)
    level = check_level(options["level"])
    weights = None if sample_weight is None else read_weights(sample_weight, "sample_weight", options["weights"])
    columns = reading_of(options) | {"sample_weight": weights, "weights": "auto"}
    data = [read(y_true, p, **columns, names=Names(y_prob=name)) for name, p in (("p1", p1), ("p2", p2))]
    samples = [sample_of(each) for each in data]
    check_same_order(y_true=y_true, p1=p1, p2=p2, sample_weight=sample_weight, groups=groups)
    for name, sample in zip(("p1", "p2"), samples, strict=True):
        if sample.split is not None:
            raise ValueError(
                f"{name} must have one largest score in each row with reduction='confidence', since two models are "
                f"compared row by row; {sample.class_rows.tied:,} of {sample.n:,} rows have several"
            )
    check_same_length(p1=samples[0].p, p2=samples[1].p)
    models = TwoModels.of(*samples)
    _check_rows(models)
    for sample in reversed(models.given):
        Repeats.of(sample)  # which the error of the second tells of
    Repeats.of(models.given[0]).warn()
    folds = _draw_folds(models, cv, random_state)
    fitted = KINDS.get(reduction, OF_SCORES).read_one(measure.family, "family", random_state)
    redrawing = Redrawing.at(_level(measure, reduction, level), random_state=one_seed(random_state))
    gains, errors = [], []
    for sample, each in zip(track(models.scored, "models"), data, strict=True):
        gains.append(compute_gains(sample, fitted, folds, loss))
        errors.append(_estimate(measure, each, reduction, redrawing))
    difference = _summarise(gains[0] - gains[1], models, level)
    return ErrorComparison(
        names=named,
        difference=difference.mean,
        se=difference.se,
        interval=difference.interval,
        p_value=_test_equality(difference, models),
        gains={name: _summarise(each, models, level) for name, each in zip(named, gains, strict=True)},
        errors=dict(zip(named, errors, strict=True)),
        loss=loss,
        family=measure.name,
        cv=len(folds),
        n=models.given[0].n,
        base_rate=models.given[0].base_rate,
        reduction=reduction,
        groups=KnownGroups.of(models.given[0]),
    )


def _draw_folds(models: TwoModels, cv: int, random_state: RandomState) -> list[IntArray]:
    """Return the positions of the rows that each fold holds out, of whole groups where rows belong together."""
    if models.groups is None:
        return held_out_rows(models.w.size, cv, random_state)
    return folds_of_groups(models.groups.code, cv, 1, random_state)[0]


def _read_models(first: Any, second: Any, names: Any) -> tuple[Any, Any, tuple[str, str]]:
    """Return the predictions of two models and their names, from a dict of both or from one after the other."""
    if not isinstance(first, Mapping):
        if second is None:
            raise ValueError("p2 must be the predictions of the second model, or p1 a dict of both models; got None")
        return first, second, two_names(DEFAULT_NAMES if names is None else names)
    if second is not None or names is not None:
        argument, value = ("p2", second) if second is not None else ("names", names)
        raise ValueError(f"{argument} must be left out where p1 is a dict of both models, got {brief(value)}")
    if len(first) != len(DEFAULT_NAMES):
        raise ValueError(f"p1 must hold two models, got {len(first)}: {brief(list(first))}")
    return *first.values(), two_names(list(first))


def _level(measure: Measure, reduction: str | None, level: float) -> float | None:
    """Return the level of the intervals of the plug-in errors, None where they have none."""
    return None if reduction in (CANONICAL, "classwise") or not has_quick_interval(measure) else level


def _estimate(measure: Measure, data: Any, reduction: str | None, redrawing: Redrawing) -> Estimate:
    """Return the plug-in error of a model."""
    if reduction != "classwise":
        return estimate_of(measure, data, reduction, redrawing)
    return mean_over_classes({label: estimate_of(measure, sample, reduction) for label, sample in data.items()})


def _summarise(values: FloatArray, models: TwoModels, level: float) -> HeldOutMean:
    """Return the weighted mean of a number per row with its standard error and its interval."""
    groups, degrees = models.groups, _degrees(models)
    mean, se = mean_and_error(values, models.w, models.w2, None if groups is None else groups.code)
    if are_too_few(groups):
        return HeldOutMean(mean, se, None)
    if groups is None:
        se *= float(np.sqrt(1.0 + 1.0 / degrees))  # the rows are n - 1 independent deviations from their own mean
    half = float(-stdtrit(degrees, (1.0 - level) / 2.0) * se)
    return HeldOutMean(mean, float(se), Interval(mean - half, mean + half, float(level)))


def _test_equality(difference: HeldOutMean, models: TwoModels) -> float | None:
    """Return the two-sided p-value of the t-test that the mean is 0; where nothing varies it is 1 or 0."""
    if difference.interval is None:
        return None
    if difference.se == 0.0:
        return float(difference.mean == 0.0)
    return float(2.0 * stdtr(_degrees(models), -abs(difference.mean) / difference.se))


def _degrees(models: TwoModels) -> float:
    """Return the degrees of freedom of Student's t: effective rows less one, or effective groups less one."""
    return (_count_effective(models) if models.groups is None else models.groups.effective) - 1.0


def _count_effective(models: TwoModels) -> float:
    """Return how many rows of equal weight tell as much: those that whole weights count, or (sum w)^2 / sum w^2."""
    return float(models.w.sum()) ** 2 / float(models.w2.sum())


def _read_measure(family: Any, reduction: str | None, random_state: RandomState) -> PlugIn:
    """Return the plug-in error of the family, which draws with that seed if it was given by name."""
    seed = one_seed(random_state)
    if reduction != CANONICAL:
        check_family(family)  # a map, which `PlugIn` takes too, could not be fitted without a fold
        return PlugIn(family).seeded(seed)
    if not is_family(family):
        raise ValueError(f"family must be the name of a family, a Family or a MulticlassFamily, got {family!r}")
    return PlugIn(family, distance=DEFAULT_DISTANCE).seeded(seed)


def _check_rows(models: TwoModels) -> None:
    """Raise ValueError where nothing could be held out, or labels or rows do not vary."""
    n = models.given[0].n
    if n < LEAST:
        raise ValueError(f"y_true must have at least {LEAST} rows of positive weight, got {n}")
    for sample in models.given:
        check_two_classes(sample, "which do not show how much labels vary")
    effective = _count_effective(models)
    if effective < LEAST * (1 - 1e-9):
        rule = f"sample_weight must leave at least {LEAST} effective rows, (sum w)^2 / sum w^2"
        raise ValueError(f"{rule}; got {effective:.3g}: one row outweighs all others")
