"""What a measure would be if the scores were calibrated: its values for labels drawn from the scores.

Bins are wide and labels are noisy, so hardly any error is 0 (or, for TCE, alpha) even for perfect scores. The spread of
these values is what an observed value has to be compared with. `fitontest.uncertainty.null` draws them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.results.text import count, short
from fitontest.results.typing import FloatArray

ROUNDING = 1e-12  # relative difference of values that are the same


@dataclass(frozen=True, eq=False)
class IfCalibrated:
    """What the error of calibrated scores would be: mean and spread over simulated labels, and the p-value.

    Attributes
    ----------
    observed : float
        The error of the real labels.
    values : array of shape (draws,)
        The errors of the drawn labels, in the unit of `observed`; NaN where the measure has no value for them.
    refitted : bool
        Whether what the error rests on was fitted anew to each draw.
    greater_is_better : bool
        Whether large values are good ones.
    held_fixed : str
        What was not fitted anew: "map", where one was given; "bins", where they were explicit edges or those of a
        fitted family; or "".
    two_sided : bool
        Whether values on either side of those of calibrated scores speak against calibration, as of a measure of
        accuracy: scores that are too cautious have a smaller 0/1 loss than they would have if they were calibrated.
    mean, sd : float
        Mean and standard deviation of `values`, those that there are (the deviation is NaN for a single one).
    without_value : int
        Draws for which the measure has no value, such as a slope where the drawn labels are of one class.
    p_value : float
        Share of draws, the observed labels counted as one more, with a value at least as bad as the observed one: small
        if the scores are unlikely to be calibrated. If `two_sided`, twice the smaller one of this share and that of the
        draws with a value at least as good, at most 1. Draws without a value count as at least as bad, and as good: so
        the p-value is never too small for their sake.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> null = fot.gce(rng.random(1000) < p**1.3, p, interval=None, null_draws=99).null
    >>> null
    IfCalibrated(mean=0.03158, sd=0.00861, draws=99)
    >>> null.p_value
    0.02
    """

    observed: float
    values: FloatArray
    refitted: bool
    greater_is_better: bool = False
    held_fixed: str = ""
    two_sided: bool = False

    @property
    def mean(self) -> float:
        """Expected error of calibrated scores."""
        return float(self._known.mean())

    @property
    def sd(self) -> float:
        """Standard deviation of the error of calibrated scores."""
        return float(self._known.std(ddof=1)) if self._known.size > 1 else float("nan")

    @property
    def without_value(self) -> int:
        """Draws for which the measure has no value."""
        return self.values.size - self._known.size

    @property
    def _known(self) -> FloatArray:
        """The values that there are."""
        return self.values[~np.isnan(self.values)]

    @property
    def p_value(self) -> float:
        """Share of simulations with a value at least as bad as the observed one.

        If `two_sided`, or twice that of as good.
        """
        known, missing = self._known, self.without_value
        rounding = ROUNDING * max(abs(self.observed), float(np.abs(known).max(initial=0.0)))
        worse = self.observed - known if self.greater_is_better else known - self.observed
        as_bad = missing + np.count_nonzero(worse >= -rounding)
        as_good = missing + np.count_nonzero(worse <= rounding)
        count = 1 + as_bad if not self.two_sided else 2 * (1 + min(as_bad, as_good))
        return float(min(1.0, count / (1 + self.values.size)))

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON-ready values."""
        return {
            "mean": self.mean,
            "sd": None if np.isnan(self.sd) else self.sd,
            "p_value": self.p_value,
            "draws": self.values.size,
            "refitted": self.refitted,
            **({"two_sided": True} if self.two_sided else {}),
            **({"without_value": self.without_value} if self.without_value else {}),
        }

    def in_words(self, printed: Callable[..., str] = short) -> str:
        """Return mean, spread and p-value for readers; `printed` writes a value, with a number of digits.

        Parameters
        ----------
        printed : callable, optional
            Called as ``printed(value)`` or ``printed(value, digits)``; returns a text. By default it writes three
            significant digits.
        """
        spread = f", s.d. {printed(self.sd, 2)}" if self._known.size > 1 else ""
        draws = f"{count(self.values.size)} draw{'s' if self.values.size > 1 else ''}"
        fixed = f", {self.held_fixed} held fixed" if self.held_fixed else ""
        fixed += f", {count(self.without_value)} of them without a value" if self.without_value else ""
        p_value = f"{'two-sided ' if self.two_sided else ''}p-value of the observed one {short(self.p_value, 2)}"
        return f"{printed(self.mean)}{spread}; {p_value} ({draws}{fixed})"

    def __repr__(self) -> str:
        return f"IfCalibrated(mean={self.mean:.4g}, sd={self.sd:.3g}, draws={self.values.size})"
