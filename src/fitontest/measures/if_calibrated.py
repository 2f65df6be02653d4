"""What an error would be if the scores were calibrated: labels redrawn from the scores themselves.

Bins are wide and labels are noisy, so hardly any error is 0 (or, for TCE, alpha) even for perfect scores. The labels
are redrawn as Bernoulli(p), the partition is made anew from them, and the error is measured again; the spread of these
values is what an observed value has to be compared with.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from fitontest.checks import is_whole
from fitontest.data.ordering import Rows
from fitontest.data.sample import Sample
from fitontest.results.text import short
from fitontest.typing import FloatArray


@dataclass(frozen=True, eq=False)
class IfCalibrated:
    """An error's values for labels drawn from the scores.

    Attributes
    ----------
    observed : float
        The error of the real labels.
    values : array of shape (draws,)
        The errors of the drawn labels, in the unit of `observed`.
    refitted : bool
        Whether the partition was made anew for each draw. Explicit edges and the bins of a fitted family are held
        fixed.
    mean, sd : float
        Mean and standard deviation of `values` (the deviation is NaN for a single draw).
    p_value : float
        Share of draws, the observed labels counted as one more, with an error at least as large as the observed one:
        small if the scores are unlikely to be calibrated.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> null = fot.gce(rng.random(1000) < p**1.3, p, null_draws=99).null
    >>> null
    IfCalibrated(mean=0.03158, sd=0.00861, draws=99)
    >>> null.p_value
    0.02
    """

    observed: float
    values: FloatArray
    refitted: bool

    @property
    def mean(self) -> float:
        """Expected error of calibrated scores."""
        return float(self.values.mean())

    @property
    def sd(self) -> float:
        """Standard deviation of the error of calibrated scores."""
        return float(self.values.std(ddof=1)) if self.values.size > 1 else float("nan")

    @property
    def p_value(self) -> float:
        """Share of draws with an error at least as large as the observed one."""
        return float((1 + np.count_nonzero(self.values >= self.observed)) / (1 + self.values.size))

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as JSON-ready values."""
        return {
            "mean": self.mean,
            "sd": None if np.isnan(self.sd) else self.sd,
            "p_value": self.p_value,
            "draws": self.values.size,
            "partition_refitted": self.refitted,
        }

    def in_words(self, unit: str = "") -> str:
        """Return mean, spread and p-value for readers."""
        spread = f", s.d. {short(self.sd, 2)}" if self.values.size > 1 else ""
        draws = f"{self.values.size} draw{'s' if self.values.size > 1 else ''}"
        fixed = "" if self.refitted else ", bins held fixed"
        return (
            f"{short(self.mean)}{unit}{spread}; p-value of the observed one {short(self.p_value, 2)} ({draws}{fixed})"
        )

    def __repr__(self) -> str:
        return f"IfCalibrated(mean={self.mean:.4g}, sd={self.sd:.3g}, draws={self.values.size})"


def redrawn(sample: Sample, rng: np.random.RandomState) -> Sample:
    """Return the sample with labels drawn as Bernoulli(p).

    Whole weights are rows, each with a label of its own; a row of any other weight gets one label.
    """
    if not sample.whole:
        rows = sample.rows
        y = (rng.random_sample(len(rows)) < rows.p).astype(np.float64)
        order = np.lexsort((rows.w, y, rows.p))
        return Sample.of_rows(Rows(rows.p[order], y[order], rows.w[order]))
    groups = sample.groups
    if groups.w.max() == 1.0:  # no ties: a row each, and a faster draw
        y = (rng.random_sample(len(groups)) < groups.p).astype(np.float64)
        return Sample.of_rows(Rows(groups.p, y, np.broadcast_to(np.float64(1.0), y.shape)))
    count = groups.w.astype(np.int64)
    positive = rng.binomial(count, groups.p)
    pair = np.stack((count - positive, positive), axis=1).ravel()
    p, y = np.repeat(groups.p, 2), np.tile([0.0, 1.0], len(groups))
    if sample.unit:
        p, y = np.repeat(p, pair), np.repeat(y, pair)
        return Sample.of_rows(Rows(p, y, np.broadcast_to(np.float64(1.0), p.shape)))
    present = pair > 0
    return Sample.of_rows(Rows(p[present], y[present], pair[present].astype(np.float64)))


def check_draws(draws: object, name: str = "null_draws", least: int = 0) -> None:
    """Raise ValueError unless `draws` is a whole number, at least `least`."""
    if not is_whole(draws) or draws < least:
        raise ValueError(f"{name} must be a whole number, at least {least}; got {draws!r}")


def generator(random_state: object) -> np.random.RandomState:
    """Return the generator of the draws that a user's `random_state` means."""
    try:
        return check_random_state(random_state)  # type: ignore[no-any-return]
    except ValueError as error:
        raise ValueError(
            f"random_state must be a whole number, at least 0, a RandomState or None, got {random_state!r}"
        ) from error
