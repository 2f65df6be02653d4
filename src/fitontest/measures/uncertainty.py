"""The uncertainty of an estimate: what labels drawn anew tell of it, or what will tell it once it is asked for."""

from dataclasses import dataclass
from typing import Any, Protocol

from fitontest.data.dependence import Dependence
from fitontest.data.weights import Weighting
from fitontest.measures.error_limits import ErrorLimits
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.interval import ErrorInterval


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What labels drawn anew tell of an estimate.

    Attributes
    ----------
    null : IfCalibrated or None
        What the measure would be if the scores were calibrated.
    debiased : float or None
        The value without what label noise adds to it.
    interval : ErrorInterval or None
        Of the error of these scores.
    interval_reason : str
        Why there is none although it was asked for, or "".
    limits : ErrorLimits or None
        How large errors may be that persist over so many rows, whatever their shape.
    rows_note : str
        What was found of the rows on this occasion, such as that many look like copies of others, or "".
    weighting : Weighting or None
        What the weights of the rows were taken for, which may be in doubt on this occasion; None: as the estimate says.
    dependence : Dependence or None
        How alike the labels of a group are beyond their scores; None where rows are independent.

    Examples
    --------
    >>> import fitontest as fot
    >>> y, p = [0, 0, 1, 0, 1, 1, 1, 1], [0.1, 0.2, 0.2, 0.3, 0.6, 0.7, 0.8, 0.9]
    >>> error = fot.calibration_error(y, p, family="platt")
    >>> uncertainty = error.uncertainty  # computed now
    >>> uncertainty.interval.level, uncertainty.debiased == error.debiased
    (0.95, True)
    """

    null: IfCalibrated | None = None
    debiased: float | None = None
    interval: ErrorInterval | None = None
    interval_reason: str = ""
    limits: ErrorLimits | None = None
    rows_note: str = ""
    weighting: Weighting | None = None
    dependence: Dependence | None = None


class Origin(Protocol):
    """The rows that an estimate is of, and what else it takes to draw it, and to debias it when that is asked for."""

    def uncertainty(self, estimate: Any) -> Uncertainty:
        """Return what labels drawn anew tell of the estimate."""

    def plot(self, estimate: Any, ax: Any = None, **options: Any) -> Any:
        """Draw the estimate, or raise a ValueError that says why there is no diagram of it."""
