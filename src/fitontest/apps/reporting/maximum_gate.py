"""Gates of many segments with one maximum: the ECCE of each is held against a limit by intervals that hold together."""

from collections.abc import Mapping
from dataclasses import replace

from fitontest.apps.reporting.bounds import Bounds
from fitontest.apps.reporting.checked_rows import CheckedRows
from fitontest.apps.reporting.criterion import Levels
from fitontest.apps.reporting.gate_outcome import Gate
from fitontest.apps.reporting.gate_rule import GateRule
from fitontest.apps.reporting.max_error import DEFAULT_FAMILY, MaxError
from fitontest.data.samples import Key, Samples
from fitontest.data.score_sample import as_importances
from fitontest.evaluation.measuring import measure_maxima
from fitontest.measures.measure import make as make_measure
from fitontest.numerics.random import one_seed
from fitontest.uncertainty.redrawing import MAXIMUM_DRAWS

MEASURE = "ecce"


def check_rule(rule: GateRule, family: object) -> MaxError:
    """Return the limit of a gate whose segments are tested by one maximum, or refuse limits that have none.

    Parameters
    ----------
    rule : GateRule
    family : object
        As the user gave it.

    Raises
    ------
    ValueError
        Another limit than that of the error, or a family.
    """
    for limit in rule.limits:
        if limit is not rule.of_error:
            raise ValueError(
                f"{limit.argument} must be left out with adjust='max', which holds the ECCE against a limit"
            )
    if not (isinstance(family, str) and family == DEFAULT_FAMILY):
        raise ValueError(f"family must be left out with adjust='max', whose errors are ECCE; got {family!r}")
    assert rule.of_error is not None  # a rule has a limit
    return rule.of_error


def gates_of_maximum(segments: Samples, rule: GateRule, names: Mapping[Key, str]) -> list[Gate]:
    """Return the outcome of each segment.

    Parameters
    ----------
    segments : Samples
        By segment, of one score in each row; they may overlap.
    rule : GateRule
        With a limit of the error alone.
    names : mapping
        What segments are called.
    """
    gates = _gates(segments, rule, names)
    weighting = segments.weighting
    if weighting is None or not weighting.copies:
        return gates
    others = _gates(segments.each(as_importances), rule, names)
    return [gate.unless_importances(other) for gate, other in zip(gates, others, strict=True)]


def _gates(segments: Samples, rule: GateRule, names: Mapping[Key, str]) -> list[Gate]:
    measure, limit = make_measure(MEASURE), rule.of_error
    assert limit is not None  # the only one
    evaluation = measure_maxima(segments, [measure], "scores", rule.level, MAXIMUM_DRAWS, one_seed(rule.random_state))
    estimates, p_values = evaluation.estimates[measure.name], evaluation.adjusted_p_values()
    levels = Levels.of(rule.level, 1, 1)
    exact = Levels.of(rule.level, len(segments), 1).to_pass  # of what the labels of few rows leave open
    gates = []
    for key, sample in segments.items():
        estimate = estimates[key]
        if estimate.groups is not None and estimate.groups.too_few:
            criterion = limit.open(estimate.groups.refusal, levels=levels, estimate=estimate)
        else:
            bounds = Bounds.of(sample, exact)
            found = replace(bounds, level=rule.level).around(estimate)
            criterion = limit.open(levels=levels).decided_by(estimate, found)
        rows = CheckedRows.of(sample, estimate.groups)
        gates.append(Gate(names[key], (criterion,), rows=rows, p_value=p_values.get(key)))
    return gates
