"""A mean at each of several thresholds, with its intervals at each of them and at all at once."""

from dataclasses import dataclass

import numpy as np

from fitontest.numerics.significance.normal import quantile
from fitontest.numerics.simultaneous import simultaneous_quantile
from fitontest.results.typing import FloatArray


@dataclass(frozen=True, eq=False)
class Curve:
    """A mean gain at each threshold, with intervals.

    Attributes
    ----------
    value : array of shape (T,)
    standard_error : array of shape (T,) or None
        Exact: of a mean over rows, or of sums over groups. This and the ends are None of fewer than 10 effective
        groups.
    low, high : arrays of shape (T,) or None
        Of the interval at each threshold by itself.
    band_low, band_high : arrays of shape (T,) or None
        Of the band that holds the true curve at all these thresholds at once.

    Notes
    -----
    Where hardly a row is decided on, as beyond all scores, an interval by the standard error would be far too sure.
    Ends are those of a variance with two rows more of each label, as `NetBenefit` has them.

    Both are symmetric, but for ends that are cut to what there can be. The band reaches the quantile of the largest
    deviation in standard errors, by Gaussian multipliers of the rows' influence (`fitontest.numerics.simultaneous`), in
    place of that of one threshold.
    """

    value: FloatArray
    standard_error: FloatArray | None
    low: FloatArray | None = None
    high: FloatArray | None = None
    band_low: FloatArray | None = None
    band_high: FloatArray | None = None

    @classmethod
    def of(
        cls,
        value: FloatArray,
        covariance: FloatArray | None,
        added: FloatArray,
        limits: tuple[FloatArray, FloatArray],
        level: float,
        degrees: float = np.inf,
        seed: int = 0,
    ) -> "Curve":
        """Return the curve of means with these covariances.

        Parameters
        ----------
        value : array of shape (T,)
        covariance : array of shape (T, T) or None
            Of the means; None of too few groups.
        added : array of shape (T,)
            What two rows more of each label add to each variance.
        limits : pair of arrays of shape (T,)
            The least and the largest value that there can be, to which ends are cut.
        level : float in (0, 1)
        degrees : float, optional
            Of Student's t.
        seed : int, default=0
            Of the draws of the band.
        """
        if covariance is None:
            return cls(value, None)
        error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        reach = np.sqrt(error**2 + added)
        one = quantile(level, degrees)
        every = max(one, simultaneous_quantile(covariance, level, degrees=degrees, seed=seed))
        ends = (np.clip(value + times * reach, *limits) for times in (-one, one, -every, every))
        return cls(value, error, *ends)

    def times(self, factor: FloatArray) -> "Curve":
        """Return the curve in another unit: every number times a factor, at least 0, at each threshold."""
        return Curve(*(None if part is None else part * factor for part in vars(self).values()))  # type: ignore[arg-type]

    def columns(self) -> dict[str, FloatArray]:
        """Return the numbers by name, NaN where there are none."""
        nothing = np.full(self.value.size, np.nan)
        return {name: nothing if part is None else part for name, part in vars(self).items()}
