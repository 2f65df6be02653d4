"""Any measures of any data: what `evaluate` reads, measures by default, and returns."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Literal, Unpack

from fitontest.data.cells.frame_rows import count_rows, frame_in_words, is_lazy
from fitontest.data.cells.plain_names import with_plain_names
from fitontest.data.read import Data
from fitontest.data.reading.models import by_model, is_of_models, read_models
from fitontest.data.reading.read import read
from fitontest.data.segment_unions import SEGMENTS_OF, SegmentsOf, segments_of
from fitontest.data.simplex_sample import CANONICAL
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.measuring import measure_data, measure_maxima, measure_models, measure_segments, warn_of_notes
from fitontest.evaluation.together import AGAINST, Against
from fitontest.families.base import Family
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.registry import names as family_names
from fitontest.families.registry import registered_class
from fitontest.maps.base import CalibrationMap
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.measures.measure import Measure, read_measure
from fitontest.measures.measure_names import names_of
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.norms import Norm
from fitontest.numerics.simplex_distances import DEFAULT_DISTANCE
from fitontest.results.checks import as_list, choose
from fitontest.results.docstrings import take_descriptions
from fitontest.results.exceptions import BlockSizeWarning, without_warnings_of
from fitontest.results.options import spell_out
from fitontest.results.several import MODEL, SEGMENT, Kind
from fitontest.results.typing import ArrayInput, RandomState
from fitontest.uncertainty.options import Options, split_options
from fitontest.uncertainty.redrawing import Redrawing
from fitontest.uncertainty.tolerance import NearEnough, Tolerance, read_tolerance

FamilyLike = str | Family | CalibrationMap | MulticlassFamily | MulticlassMap
ALL = "all"  # in place of a list of families
DEFAULT_FAMILIES = ("spline", "slope1", "isotonic", "beta")  # that scores are evaluated by unasked
DEFAULT_SEGMENTED = ("spline",)  # the family that segments are measured by unasked: they need one number each
DEFAULT_CANONICAL = ("temperature", "vector", "matrix")  # families of several classes that are evaluated unasked
DEFAULT_MEASURES = ("simplex_ece", "proper_error")  # beside them; beside families of two classes there are none
MOST_BY_ROW = 50_000  # rows of a frame, beyond which cells are quicker, and their numbers the same to five digits


@take_descriptions(Options)
@take_descriptions(NearEnough)
class EvaluationOptions(NearEnough, Options, total=False):
    """What is near enough, how labels and scores are read, and how labels are redrawn."""


@spell_out()
def evaluate(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    families: Iterable[FamilyLike] | Literal["all"] | None = None,
    measures: Iterable[str | Measure] | None = None,
    norm: str | Norm = "l1",
    by: ArrayInput = None,
    adjust: Literal["holm", "max"] = "holm",
    segments: SegmentsOf = "crossed",
    against: Against = "logistic",
    **options: Unpack[EvaluationOptions],
) -> Any:
    """Say whether scores are calibrated, and by how much and in which direction they are not.

    Plug-in calibration errors under several families of maps, and any other measures.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n,)
        Labels and predicted probabilities of the positive class; with `reduction` labels of any number of classes, and
        a matrix of shape (n, K). Several models for the same labels are a dict, ``{"forest": p_1, "tree": p_2}``, or a
        data frame with a column for each, which are not probabilities of classes that add up to 1. Or,
        in place of both, what `read` returns, `Cells`, a dict of these by segment, or a file or a data frame, eager or
        lazy, whose columns `label` and `prob` name.
    families : iterable of str, Family or CalibrationMap, or "all", optional
        ``families=F`` is ``measures=[fot.measures.PlugIn(f) for f in F]``. By default, unless there are `measures`,
        "spline", "slope1", "isotonic" and "beta"; "all" are all registered families but those whose class has
        ``evaluator = False`` (see `Family`), the polygons "pl" and "pl3" among them, whose fit takes some seconds.
    measures : iterable of str or Measure, optional
        Registered names (`fot.measures.names`) or measures, after the families.
    norm : str, Norm or callable, default="l1"
        How the distances |c_hat(p) - p| under the families become one number, see `calibration_error`; a measure has a
        norm of its own.
    null_draws : int or "auto", default=0
        How often everything is measured again with labels drawn from the scores, for what to expect of calibrated ones.
        "auto" draws what `tce` draws by default, and for the TCE alone. Where there is an `interval` there are 200, or
        the number given.
    reduction : {"confidence", "classwise", "binary", "canonical"}, optional
        How a matrix of scores is read, see `calibration_error`: the largest score of each row, as the probability that
        its class is the label; each class against the rest; the column of the positive class of two; or whole
        distributions, with families of several classes (by default temperature, vector and matrix, and beside them the
        ECE on the simplex and the proper error), or of two, fitted to each class against the rest, and measures of
        ``fot.measures.names("any")``.
    by : array-like of shape (n,) or (n, k), or str or sequence of str, optional
        The segment of each row, such as its region: every measure of each segment alone and of all rows, by default the
        error under the family spline. Of a data frame the names of columns. At most 100 segments; labels are drawn at
        least 40 times as often for the null, whatever `interval` is. Without it every number is of all rows together,
        not of each region, nor of each period in time.
    adjust : {"holm", "max"}, default="holm"
        How p-values of segments are adjusted for their number. "holm": each segment has a null of its own, and any
        measure. "max": labels are drawn for all segments at once, 1,000 times or `null_draws`, and held against the
        largest value of all of them; intervals hold together too. It is for many segments, and for segments that
        overlap; the measures are ``ecce`` (by default) and ``ks``. Segments whose sum of p (1 - p) is below 5 have too
        little to be tested.
    segments : {"crossed", "each", "pairs"}, default="crossed"
        What several columns in `by` make: a segment of each combination of values; of each value of each column; or
        these and each combination of two columns. The latter overlap, and are called by their texts, such as
        "region = north and sex = f".
    against : {"logistic", "scores"}, default="logistic"
        With ``adjust="max"``, what segments are tested against: scores after one logistic map of all rows, so that an
        error that all rows share makes no segment guilty; or the scores as they are.
    label, prob, weight : str, optional
        Columns of a file or data frame, of labels, scores and weights; of several models `prob` is a dict of columns. A
        lazy frame, and one of more than 50,000 rows, is reduced to `Cells` in one pass, and to those of each segment.

    Returns
    -------
    Evaluation
        With segments a `SegmentedEvaluation`. Of several models a table of a line each, ``result["forest"]`` of which
        is the `Evaluation` of that model.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Warns
    -----
    CalibrationWarning
        Where the data chose a single bin, so that the error of a family is the difference of the means, and where all
        scores are 0 or 1. `Evaluation.notes` and the printed table say it too.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p**1.3
    >>> print(fot.evaluate(y, p, families=["slope1", "isotonic"]))
    Underconfident. n = 1,000, 47 % events.
    Calibration error (spline, l1)  0.059  (95 % CI 0.034 to 0.082)
    O:E                             0.90   (0.85 to 0.95)   10 % fewer events than predicted
    Slope                           1.14   (1.00 to 1.28)   above 1: not extreme enough
    By family, l1: slope1 0.055 (95 % CI 0.011 to 0.081); isotonic 0.056 (95 % CI 0.030 to 0.080).
    More: .table(), .explain(), .plot()
    >>> print(fot.evaluate([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8], measures=["ece", "tce"]))
    n = 4, share of positives 0.500
    measure  value  bins
    -------  -----  ----
    ece      0.375    10
    tce        0 %     4
    tce: means little without its null: null_draws=100 draws it
    >>> region = np.where(p < 0.5, "north", "south")
    >>> by_region = fot.evaluate(y, p, by=region, families=["beta"])
    >>> [by_region[segment].sample.n for segment in by_region], by_region.total.sample.n
    ([473, 527], 1000)
    >>> models = fot.evaluate(y, {"as they are": p, "calibrated": p**1.3}, families=["spline"])
    >>> {name: models[name].verdict.headline for name in models}
    {'as they are': 'Underconfident', 'calibrated': 'No miscalibration shown'}
    """
    choose(adjust, ("holm", "max"), "adjust")
    choose(against, AGAINST, "against")
    choose(segments, SEGMENTS_OF, "segments")
    near = read_tolerance(options["tolerance"])
    reading, redrawing = split_options(options)
    prob, reduction, seed = reading["prob"], reading["reduction"], redrawing.random_state
    by_row = reading["label"] is None or reduction == CANONICAL or _has_few_rows(y_true)
    reading |= {"by": by, "cells": "auto" if by_row else "always"}
    y_prob = by_model(y_true, y_prob, reduction)
    if is_of_models(y_prob, prob):
        if by is not None:
            raise ValueError("by must be left out for several models; evaluate the segments of one model at a time")
        data = read_models(y_true, y_prob, **reading)
    else:
        data = read(y_true, y_prob, **reading)
    if segments != "crossed" and data.segments is None:
        raise ValueError(f"segments must be left out without by, whose columns make segments; got {segments!r}")
    data = segments_of(data, segments)
    if adjust == "max":
        if not data.is_by_segment or families is not None:
            what = "by must be given" if families is None else "families must be left out for measures"
            raise ValueError(f"{what} with adjust='max', which tests segments by ecce or ks")
        chosen = measures_of(data, None, ("ecce",) if measures is None else measures, norm, seed)
        return measure_maxima(data, chosen, against, *redrawing.of_maximum())
    chosen = measures_of(data, families, measures, norm, seed)
    unnamed = isinstance(families, str) and families == ALL and measures is None
    with without_warnings_of(BlockSizeWarning, wanted=unnamed):
        return _measured(data, chosen, redrawing, near)


def _measured(data: Data, measures: list[Measure], redrawing: Redrawing, tolerance: Tolerance) -> Any:
    """Return the measures of one sample, of segments or of several models."""
    found = MEASURED.get(data.kind, _measured_rows)(data, measures, redrawing)
    return found.within(tolerance)


def _measured_rows(data: Data, measures: list[Measure], redrawing: Redrawing) -> Evaluation:
    """Return the measures of one sample, or of the classes of one."""
    evaluation = measure_data(data, measures, redrawing)
    warn_of_notes(evaluation)
    return evaluation


MEASURED: dict[Kind | None, Callable[..., Any]] = {MODEL: measure_models, SEGMENT: measure_segments}


def _has_few_rows(source: object) -> bool:
    """Return whether it is a file, whose reader decides, or a frame so small that its rows are measured one by one.

    The numbers are then those of the same columns as arrays. Cells are quicker, but folds of their rows are drawn
    otherwise, which few rows show in the third digit.
    """
    if isinstance(source, str | Path):
        return True
    if frame_in_words(source) is None:
        return False
    frame, _ = with_plain_names(source, {})
    return not is_lazy(frame) and count_rows(frame) <= MOST_BY_ROW


def measures_of(
    data: Data,
    families: Iterable[FamilyLike] | Literal["all"] | None,
    measures: Iterable[str | Measure] | None,
    norm: str | Norm,
    random_state: RandomState,
) -> list[Measure]:
    """Return the measures of an evaluation of data: plug-in errors under the families, then the others."""
    segmented = data.is_by_segment
    distributions = data.has_distributions
    if families is None and measures is None:
        families, measures = defaults_of(segmented=segmented, distributions=distributions)
    if isinstance(families, str) and families == ALL:
        families = all_families("any" if distributions else "two")
    listed = [] if families is None else as_list(families, "families")
    others = [] if measures is None else as_list(measures, "measures")
    if not listed and norm != "l1" and not distributions:
        raise ValueError(f"norm must be left at 'l1' unless there are families: a measure has its own; got {norm!r}")
    chosen: list[Measure] = [
        PlugIn(family, norm, distance=DEFAULT_DISTANCE if distributions else None).seeded(random_state)
        for family in listed
    ]
    chosen += [read_measure(one, random_state) for one in others]
    return [measure.labelled(name) for measure, name in zip(chosen, names_of(chosen), strict=True)]


def defaults_of(*, segmented: bool = False, distributions: bool = False) -> tuple[Any, Any]:
    """Return the families and the measures of an evaluation that names none, in Python and on the command line."""
    if distributions:
        return (None, DEFAULT_MEASURES[:1]) if segmented else (DEFAULT_CANONICAL, DEFAULT_MEASURES)
    if segmented:
        return DEFAULT_SEGMENTED, None
    return DEFAULT_FAMILIES, None


def all_families(classes: Literal["two", "any"] = "two") -> list[str]:
    """Return the names of all registered families of two classes, or of any number, that are meant for evaluation."""
    return [name for name in family_names(classes) if getattr(registered_class(name), "evaluator", True)]
