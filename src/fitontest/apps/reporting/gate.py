"""A gate: whether a calibration error is at most a limit, is above it, or whether the rows cannot tell yet."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, Literal, Unpack

from fitontest.apps.reporting.calibration_check import CalibrationCheck
from fitontest.apps.reporting.gate_outcome import Gate
from fitontest.apps.reporting.gate_rule import GateOptions, GateRule, Limits
from fitontest.apps.reporting.maximum_gate import MEASURE, check_rule, gates_of_maximum
from fitontest.data.read import Data
from fitontest.data.reading.options import reading_of
from fitontest.data.reading.read import READ, read
from fitontest.data.repeated_rows import Repeats
from fitontest.data.samples import Key, Samples
from fitontest.data.score_sample import as_importances
from fitontest.data.segment_names import WHOLE, spellings, words_of
from fitontest.data.segment_unions import SEGMENTS_OF, SegmentsOf, segments_of
from fitontest.data.segments import check_few
from fitontest.data.weights import MOST_COPIES
from fitontest.results.checks import brief, choose
from fitontest.results.exceptions import held_warnings, warn_user
from fitontest.results.options import spell_out
from fitontest.results.progress import track
from fitontest.results.several import MANY, Kind
from fitontest.results.typing import ArrayInput
from fitontest.uncertainty.dependence import share_dependence


@spell_out("interval", "draws", "null_draws")
def check_calibration(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    by: ArrayInput = None,
    adjust: Literal["bonferroni", "max"] = "bonferroni",
    segments: SegmentsOf = "crossed",
    require: Sequence[object] = (),
    **options: Unpack[GateOptions],
) -> CalibrationCheck:
    """Check whether the calibration error is at most a limit: pass, fail, or undecided.

    The interval [low, high] of the error decides, and the limit B of the errors that may persist over a share of the
    rows, whatever their shape: pass where high <= max_error and B <= max_error, fail where low > max_error, undecided
    elsewhere. Undecided is no fault of the scores: there are too few rows to tell.

    The calibration slope and the decision loss may have limits too, beside that of the error or in its place. Rows pass
    where every limit is kept, and fail where one is surely not.

    Parameters
    ----------
    y_true, y_prob
        As for `calibration_error`. What `read` returns in place of both, `Cells`, or a dict of these by segment. With
        ``reduction="classwise"``, and of `ClassCells`, each class against the rest has an outcome of its own. With
        ``reduction="canonical"`` the ECE on the simplex decides, under the default partition and total variation; slope
        and decision loss, which are of two classes, are refused.
    weights : {"auto", "counts", "importances"}, default="auto"
        What `sample_weight` means: how often a row stands in the data, or how much it is to count, whose scale means
        nothing. "auto": counts where all are whole numbers of at most 10 on average, importances where they are not
        whole. Whole numbers that are larger may be either: a gate does not guess, and refuses them.
    by : array-like of shape (n,) or (n, k), optional
        The segment of each row, such as its region or its month: each has an outcome of its own. Not with
        ``reduction="classwise"``. Without it the outcome is of all rows together, not of each region or period. A
        segment whose rows all have weight 0 has "no rows" and is undecided.
    adjust : {"bonferroni", "max"}, default="bonferroni"
        How segments are held together. "bonferroni": the interval of each of k has the level 1 - (1 - level) / k.
        "max": labels are drawn for all segments at once, and the ECCE of each is held against the limit by intervals
        that hold together (`evaluate`), for many segments and for those that overlap. The ECCE is at most the mean
        distance: a segment that fails has a larger mean distance too, and one that passes may have.
    segments : {"crossed", "each", "pairs"}, default="crossed"
        What several columns in `by` make: a segment of each combination of values; of each value of each column; or
        these and each combination of two columns, which overlap.
    require : list, default=()
        Segments that must be there, named as they are printed ("north", or "north, 2024" by two columns). One that is
        absent is undecided, as one whose rows all have weight 0 is. With `by`, or a dict of `Cells`.

    Returns
    -------
    CalibrationCheck
        The outcome of each gate, as a table.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found; no limit at all; a family whose error has no interval; whole
        weights of more than 10 on average without `weights`.

    Notes
    -----
    The rows needed for the interval are n (h / d)^2, with h the half of the interval that reaches over the limit and d
    the distance of the debiased error from the limit: the halves shrink as 1 / sqrt(n). Those needed for B^2 = T + z sd
    bring its noise z sd below max_error^2 - T. B tends to the root mean square of the error, which a pass needs to be
    below the limit too: of an error that a few rows have it is larger than the mean.

    Several limits pass by intervals of the level itself: where one limit does not hold, its own pass is as rare as the
    level says, and all passing is rarer still (intersection-union test). Any of them could fail by chance: with m
    limits each fails by an interval of the level 1 - (1 - level) / m (Bonferroni), beside the correction for segments
    or classes. The interval that decided is printed with its level. A slope needs about n (h / d)^2 rows, with h the
    half of its interval and d its distance from the nearer limit.

    Where a class has fewer than 50 rows, the upper end of the error is at least what the exact interval of the share of
    positives leaves open for the distance of the means, which no error is below; with fewer than 50 rows in all,
    nothing fails unless that distance alone is above the limit. So few events are never taken for calibrated scores.

    The interval of a decision loss is that of `DecisionLoss`. It is cut off at an exact bound under maps that do not
    fall, the largest share of rows in a window from the threshold on, times the distance of the exact bound of their
    mean label from it: where a class has fewer than 50 rows, where redrawn labels change no decision, and where rows
    are independent and it is below the end by redrawn labels. So a loss of 0 passes where the labels rule out more than
    the limit. Where only levels of neighbouring rows fit the labels, the bound would lie below the loss, and nothing is
    cut off.

    Where rows belong to `groups`, labels are redrawn with the correlation that those of a group have, rows are counted
    by the design effect, and the rows needed are said in groups too. Below 10 effective groups the correlation cannot
    be learnt: the outcome is open, without an interval and a p-value.

    The isotonic map of the default can follow jumps, which a spline cannot. Where a spline does not fit the labels, the
    interval is widened to hold that of a map that does, for which a gate may say that it cannot tell. How often each
    outcome comes is measured by simulation, of smooth and of rough truths (`benchmarks/gate_rates.py`; the page "A
    report, and a gate" has its tables).

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p**1.5
    >>> check = fot.check_calibration(y, p, max_error=0.02)
    >>> print(check.gates[0].headline)
    Fail: calibration error 0.103 (95 % CI 0.088 to 0.117) is above 0.02
    >>> print(fot.check_calibration(y, p, slope=(0.8, 1.25)).gates[0].headline)
    Cannot tell: calibration slope 1.17 (95 % CI 1.07 to 1.27) may be inside or outside 0.8 to 1.25
    """
    limits: dict[str, Any] = {name: value for name, value in options.items() if name in Limits.__annotations__}
    rule = GateRule.of(**limits, level=options["level"], random_state=options["random_state"])
    reduction = options["reduction"]
    choose(adjust, ("bonferroni", "max"), "adjust")
    choose(segments, SEGMENTS_OF, "segments")
    if adjust == "max":
        check_rule(rule, options["family"])
    required = read_required(require)
    for name, value in (("by", by), ("require", required or None)):
        if reduction == "classwise" and value is not None:
            what = "reduction='classwise', whose classes have outcomes of their own"
            raise ValueError(f"{name} must be left out with {what}; got {brief(value)}")
    with held_warnings() as held:  # of weights that are refused there is nothing else to say
        data = read(y_true, y_prob, by=by, **reading_of(options))
    _refuse_doubt(data, "weights of Cells.of" if data is not y_true and isinstance(y_true, READ) else "weights")
    if data.has_distributions:
        rule = rule.of_distributions()
    parts = None if data.segments is None else segments_of(data, segments)
    if parts is not None and parts.all_rows.each_class:
        raise ValueError("by must be left out with classes, which have outcomes of their own")
    for name, value in (("require", required or None), ("adjust", None if adjust != "max" else adjust)):
        if value and parts is None:
            raise ValueError(f"{name} must be left out without by=, which makes the segments; got {value}")
    for message, category in held:
        warn_user(message, category)
    if parts is not None:
        return _check_segments(parts, rule, required, by_maximum=adjust == "max")
    return _check(data.each_class or {WHOLE: data}, rule)


def _refuse_doubt(data: Data, argument: str) -> None:
    """Raise ValueError where nothing says whether whole weights are counts; `argument` is what would say so."""
    shared = data.shared
    if shared.weights is not None and shared.weights.doubtful:
        effective = shared.weighting.effective_rows
        raise ValueError(
            f"{argument} must be 'counts' or 'importances' where weights are whole numbers of more than "
            f"{MOST_COPIES} on average, got weights of {shared.total / shared.n:,.3g} on average; as counts "
            f"{shared.n:,} rows stand for {shared.total:,.0f}, as importances for {effective:,.0f}: "
            "which is right cannot be seen from the data"
        )


def assert_calibrated(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    undecided: Literal["fail", "pass"] = "fail",
    **options: Any,
) -> None:
    """Raise AssertionError unless the calibration error is at most a limit, for test suites.

    Parameters
    ----------
    y_true, y_prob, **options
        As for `check_calibration`, with one limit at least.
    undecided : {"fail", "pass"}, default="fail"
        What to do where there are too few rows to tell.

    Raises
    ------
    AssertionError
        The error is above the limit, or that cannot be told and `undecided` is "fail".
    ValueError
        As for `check_calibration`.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(5000)
    >>> fot.assert_calibrated(rng.random(5000) < p, p, max_error=0.05)
    """
    choose(undecided, ("fail", "pass"), "undecided")
    found = check_calibration(y_true, y_prob, **options)
    refused = ("fail", "undecided") if undecided == "fail" else ("fail",)
    if found.outcome in refused:
        raise AssertionError(str(found))


def _check_segments(
    segments: Samples, rule: GateRule, required: Sequence[Key] = (), *, by_maximum: bool = False
) -> CalibrationCheck:
    """Return the outcomes of segments; those that have no rows, and required ones that are absent, come last."""
    names = words_of([*segments, *segments.empty], segments.columns)
    if by_maximum:
        found = CalibrationCheck(tuple(gates_of_maximum(segments, rule, names)), MEASURE, "segment")
    else:
        check_few(segments)
        share_dependence(segments)
        found = _check(segments, rule, names)
    known = {*names.values(), *(text for segment in names for text in spellings(segment))}
    absent = [one for one in required if not known & {one, *spellings(one)}]
    missing = [*(names[one] for one in segments.empty), *words_of(absent, segments.columns).values()]
    return replace(found, gates=(*found.gates, *(Gate(name, rule.without_rows()) for name in missing)))


def read_required(require: object) -> list[Key]:
    """Return the segments that must be there, by their names or as tuples of values, each once."""
    if isinstance(require, str) or not isinstance(require, Iterable):
        raise ValueError(f"require must be a list of names of segments, got {brief(require)}")
    return list(dict.fromkeys(require))


def _check(samples: Mapping[Key, Any], rule: GateRule, names: Mapping[Key, str] | None = None) -> CalibrationCheck:
    """Return the outcomes of samples, each under its name: by default as `words_of` prints it."""
    kind: Kind = getattr(samples, "kind", "segment")
    names = words_of(samples) if names is None else names
    gates, repeats = [], []
    for key in track(list(samples), MANY[kind]) if len(samples) > 1 else samples:
        sample = samples[key]
        repeats.append(Repeats.of(sample))
        gate = rule.gate(names[key], sample, len(samples))
        weighting = sample.weighting
        if weighting is not None and weighting.copies:
            gate = gate.unless_importances(rule.gate(gate.name, as_importances(sample), len(samples)))
        gates.append(gate)
    shared = max(repeats, key=lambda each: each.strength)  # classes share their rows, segments have their own
    (shared if kind == "class" else reduce(add, repeats)).warn()
    return CalibrationCheck(tuple(gates), rule.family, kind)
