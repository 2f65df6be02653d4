"""The probabilistic Kendall tau: how often the scores put two rows in the order of their true probabilities.

KT = 1 - 2 P[(eta(x) - eta(x')) (f(x) - f(x')) < 0 | x != x'], where eta is the true probability of the positive class.
It needs eta, which is known for simulated data only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fitontest.data.arrays import as_probabilities
from fitontest.data.sample import Sample
from fitontest.measures.base import Estimate, Measure, Unit, register_measure
from fitontest.numerics.discordance import discordant_weight
from fitontest.typing import ArrayInput, FloatArray

MEANING = "a function of the score, or one true probability for each row, which are known for simulated data"


@register_measure("probabilistic_kendall_tau")
@dataclass(frozen=True, eq=False)
class ProbabilisticKendallTau(Measure):
    """The rank correlation of the scores and the true probabilities, in which ties count as agreement.

    1 - 2 D / N, D the weight of the pairs that scores and true probabilities put in opposite orders, N that of all
    pairs of two rows. Greater is better; 1 says that no pair is put in the wrong order, which is also true of scores
    that are all equal. It does not use the labels.

    Parameters
    ----------
    truth : callable or array-like of shape (n,)
        The true probability at a score, c(p), or that of each row in the order of the rows. Without it there is no
        estimate.

    Raises
    ------
    ValueError
        At ``estimate``, a truth that is missing, has another length or lies outside [0, 1]; a single row.

    Notes
    -----
    Whole weights count rows, and a row of weight 2 is a pair of its own. It takes O(n log n) time.

    References
    ----------
    Torabian, Urner (2024), Calibration through the lens of interpretability.

    Examples
    --------
    The true probabilities of four rows with one score, and of four rows with a higher one:

    >>> import fitontest as fot
    >>> eta = [0.1, 0.1, 0.1, 1.0, 0.2, 0.2, 0.2, 0.2]
    >>> sample = fot.Sample([0, 0, 0, 1, 0, 0, 1, 0], [0.3] * 4 + [0.6] * 4)
    >>> fot.ProbabilisticKendallTau(eta).estimate(sample).value.__round__(6)  # 5 / 7
    0.714286
    """

    truth: Callable[[FloatArray], Any] | ArrayInput = None

    unit: ClassVar[Unit] = "correlation"
    greater_is_better = True
    uses_labels = False

    @property
    def title(self) -> str:
        """Its name in the paper."""
        return "probabilistic Kendall tau"

    @property
    def name(self) -> str:
        """The registered name; the truth is no setting to print."""
        return "probabilistic_kendall_tau"

    def settings(self) -> dict[str, Any]:
        """Return what the truth is, in a word."""
        given = "function" if callable(self.truth) else "probabilities"
        return {"truth": None if self.truth is None else given}

    def brief(self) -> dict[str, Any]:
        """Return nothing: the measure has no other settings."""
        return {}

    def estimate(self, sample: Sample) -> Estimate:
        """Return one less twice the share of the discordant pairs."""
        eta = self._truth_of(sample)
        w = sample.w
        pairs = (sample.total**2 - float(sample.w2.sum())) / 2.0
        if pairs <= 0:
            raise ValueError(f"y_prob must have at least two rows for a Kendall tau, got {sample.n}")
        present = w > 0
        discordant = discordant_weight(sample.p[present], eta[present], w[present])
        return Estimate.of(self, sample, 1.0 - 2.0 * discordant / pairs)

    def _truth_of(self, sample: Sample) -> FloatArray:
        """Return the true probability of each row."""
        if self.truth is None:
            raise ValueError(f"truth must be {MEANING}; got None")
        eta = as_probabilities(self.truth(sample.p) if callable(self.truth) else self.truth, "truth")
        if eta.shape != sample.p.shape:
            raise ValueError(f"truth must be {MEANING}; got shape {np.shape(eta)} for {sample.p.size} rows")
        return eta
