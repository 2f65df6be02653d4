"""Which null hypothesis the arguments of a monitor mean, and which a stored state names."""

from collections.abc import Mapping
from math import inf
from typing import Any

from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.data.cells.cells import Cells, sums_of_sample
from fitontest.data.reading.read import read
from fitontest.data.score_sample import ScoreSample
from fitontest.monitor.batches.layout import CLASSWISE
from fitontest.monitor.nulls.rates import OF_BAND, UNITS, Band, Exact, Null, Tolerance
from fitontest.monitor.nulls.reference_band import band_of_reference
from fitontest.monitor.past import FEWEST
from fitontest.results.checks import brief, choose, is_real
from fitontest.uncertainty.tolerance import DEFAULT_TOLERANCE


def read_null(
    tolerance: object = None,
    tolerance_unit: object = "ratio",
    reference: Any = None,
    max_error: object = None,
    alpha: float = 0.05,
    **classes: Any,
) -> Null:
    """Return the hypothesis on the rates, or refuse arguments that do not go together.

    Parameters
    ----------
    tolerance : float, optional
        In [0, 1) in ratio and in probability, 0 or more in logits; 0 means that rates equal scores. By default the
        ratio of verdicts, and 0 with `reference` or `max_error`.
    tolerance_unit : {"ratio", "probability", "logit"}
    reference : ScoreSample, Cells or tuple (y_true, y_prob), optional
        Rates lie in the band of this sample then.
    max_error : float, optional
        Where given, neither of the others may be.
    alpha : float
        The probability of false alarms, half of which is spent on the band.
    **classes
        ``reduction``, ``labels`` and ``pos_label``, by which a reference of arrays is read as batches are.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.
    """
    unit = choose(tolerance_unit, UNITS, "tolerance_unit")
    if tolerance is None:
        if unit != "ratio":
            raise ValueError(f"tolerance must be given with tolerance_unit={unit!r}, got None")
        tolerance = DEFAULT_TOLERANCE.ratio if reference is None and max_error is None else 0.0
    most = inf if unit == "logit" else 1.0
    if not is_real(tolerance) or not 0.0 <= tolerance < most:
        rule = "a finite number of logits, 0 or more" if unit == "logit" else "a number in [0, 1)"
        raise ValueError(f"tolerance must be {rule}, got {brief(tolerance)}")
    if max_error is not None and (tolerance > 0.0 or reference is not None):
        other = f"tolerance={tolerance:g}" if tolerance > 0.0 else "a reference"
        raise ValueError(f"max_error must be None with {other}: they are different hypotheses; got {brief(max_error)}")
    if reference is None:
        return Tolerance(float(tolerance), unit) if tolerance > 0.0 else Exact()
    if tolerance > 0.0:
        raise ValueError(f"tolerance must be 0 with a reference, whose band says what rates may be; got {tolerance:g}")
    if classes.get("reduction") == CLASSWISE:
        raise ValueError(
            "reference must be left out with reduction='classwise': its limits are of one column of scores"
        )
    return read_band_of(reference, OF_BAND * alpha, **classes)


def read_band_of(reference: Any, alpha: float, **classes: Any) -> Band:
    """Return the band of a reference, which holds all its true rates with probability 1 - alpha, or refuse it."""
    sums = _sums_of(reference, classes)
    negatives, positives = sums.w.sum(axis=0)
    if min(negatives, positives) < FEWEST:
        found = f"{positives:g} and {negatives:g}"
        raise ValueError(f"reference must have {FEWEST} positives and {FEWEST} negatives at least, got {found}")
    return band_of_reference(sums, alpha)


def _sums_of(reference: Any, classes: Mapping[str, Any]) -> CellSums:
    """Return the counts by cell of the score of a reference."""
    is_pair = isinstance(reference, tuple) and len(reference) == 2
    if not is_pair and not isinstance(reference, ScoreSample | Cells):
        raise ValueError(
            "reference must be what fitontest.read returns of one column of scores, Cells, or a tuple of labels and "
            f"scores, got {brief(reference)}"
        )
    sample = read(*reference, **classes) if is_pair else reference
    if sample.groups is not None:
        raise ValueError("reference must have independent rows: its band is not valid for rows that belong to groups")
    if not sample.whole:
        raise ValueError("reference must have weights that count rows, whose labels are independent, got importances")
    return sample.sums if isinstance(sample, Cells) else sums_of_sample(sample, Resolution())


NULLS: dict[str, type[Null]] = {"exact": Exact, "tolerance": Tolerance, "band": Band}


def null_of(values: Mapping[str, Any]) -> Null:
    """Return the hypothesis of what its `to_dict` returned."""
    return NULLS[choose(values.get("null"), NULLS, "null")].from_dict(values)
