"""The probabilistic Kendall tau: how often the scores put two rows in the order of their true probabilities.

KT = 1 - 2 P[(eta(x) - eta(x')) (f(x) - f(x')) < 0 | x != x'], where eta is the true probability of the positive class.
It needs eta, which is known for simulated data only.

Discordant pairs are counted in O(n log n). Sorted by one coordinate, and by the other where that is tied, a pair is
discordant where the second coordinate falls: an inversion. Inversions are counted bit by bit of the rank. Two ranks
differ first at one bit, and of two ranks that agree above it the one that has it is greater: what stands before a rank
without the bit and has it is inverted.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from fitontest.data.arrays import as_probabilities
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words
from fitontest.results.checks import brief
from fitontest.results.typing import ArrayInput, FloatArray, IntArray

MEANING = "a function of the score, or one true probability for each row, which are known for simulated data"


@register("probabilistic_kendall_tau")
@dataclass(frozen=True, eq=False)
class ProbabilisticKendallTau(Measure):
    """The rank correlation of the scores and the true probabilities, in which ties count as agreement.

    1 - 2 D / N, D the weight of the pairs that scores and true probabilities put in opposite orders, N that of all
    pairs of two rows. Greater is better; 1 says that no pair is put in the wrong order, which is also true of scores
    that are all equal. It does not use the labels.

    Parameters
    ----------
    truth : callable or array-like of shape (n,) or (n, K)
        The true probability at a score, c(p), or that of each row in the order of the rows. Without it there is no
        estimate. Of K classes, one against the rest (``reduction="classwise"``), a column for each. It is copied.

    Raises
    ------
    ValueError
        A truth outside [0, 1]. At ``estimate``, a truth that is missing or has another shape; a single row.

    Notes
    -----
    Whole weights count rows, and a row of weight 2 is a pair of its own. It takes O(n log n) time.

    References
    ----------
    Torabian, Urner (2024), Calibration through the lens of interpretability.
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    The true probabilities of four rows with one score, and of four rows with a higher one:

    >>> import fitontest as fot
    >>> eta = [0.1, 0.1, 0.1, 1.0, 0.2, 0.2, 0.2, 0.2]
    >>> sample = fot.ScoreSample([0, 0, 0, 1, 0, 0, 1, 0], [0.3] * 4 + [0.6] * 4)
    >>> round(fot.measures.ProbabilisticKendallTau(eta).estimate(sample).value, 6)  # 5 / 7
    0.714286
    """

    truth: Callable[[FloatArray], Any] | ArrayInput = None

    unit: ClassVar[Unit] = "correlation"
    greater_is_better = True
    uses_labels = False

    def __post_init__(self) -> None:
        if self.truth is not None and not callable(self.truth):
            eta = np.array(as_probabilities(self.truth, "truth"))
            eta.flags.writeable = False
            object.__setattr__(self, "truth", eta)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ProbabilisticKendallTau):
            return NotImplemented
        return bool(self._identity() == other._identity())

    def __hash__(self) -> int:
        return hash(self._identity())

    def _identity(self) -> Any:
        """Return what two measures of the same truth have in common."""
        return (self.truth.shape, self.truth.tobytes()) if isinstance(self.truth, np.ndarray) else self.truth

    def __repr__(self) -> str:
        truth = f"array of shape {self.truth.shape}" if isinstance(self.truth, np.ndarray) else brief(self.truth)
        return f"ProbabilisticKendallTau(truth={truth})"

    @property
    def words(self) -> Words:
        """Its name in the paper; the truth is no setting to print."""
        truth = None if self.truth is None else "function" if callable(self.truth) else "probabilities"
        name = "probabilistic_kendall_tau"
        return Words(title="probabilistic Kendall tau", name=name, settings={"truth": truth}, brief={})

    def estimate(self, sample: ScoreSample) -> Estimate:
        """Return one less twice the share of the discordant pairs.

        Raises
        ------
        ValueError
            No truth, a truth that does not belong to the rows, or fewer than two rows of positive weight.
        """
        eta = self._truth_of(sample)
        w = sample.w
        pairs = _weight_of_pairs(w, sample.w2)
        if pairs <= 0:
            raise ValueError(f"y_prob must have at least two rows for a Kendall tau, got {sample.n}")
        present = w > 0
        discordant = discordant_weight(sample.p[present], eta[present], w[present])
        return Estimate.of(self, sample, 1.0 - 2.0 * discordant / pairs)

    def _truth_of(self, sample: ScoreSample) -> FloatArray:
        """Return the true probability of each row."""
        if callable(self.truth):
            eta = as_probabilities(self.truth(sample.p), "truth")
        elif self.truth is not None and not sample.is_sorted:
            eta = np.asarray(self.truth)
        elif "truth" in sample.facts:
            eta = as_probabilities(sample.facts["truth"], "truth")
        elif self.truth is None:
            raise ValueError(f"truth must be {MEANING}; got None")
        else:
            raise ValueError("truth must be a function here: an array has that of the rows as they were given")
        if eta.shape != sample.p.shape:
            raise ValueError(f"truth must be {MEANING}; got shape {np.shape(eta)} for {sample.p.size} rows")
        return eta


def _weight_of_pairs(w: FloatArray, w2: FloatArray) -> float:
    """Return the sum of w_i w_j over all pairs of rows, w2 the sum of the squared weights of those behind each entry.

    The difference of the squared sum and the sum of the squares would cancel where one weight is far the largest.
    """
    ordered = np.sort(w)
    return float(ordered[1:] @ np.cumsum(ordered)[:-1]) + float((w * w - w2).sum()) / 2.0


def discordant_weight(a: FloatArray, b: FloatArray, w: FloatArray) -> float:
    """Return the sum of w_i w_j over the pairs i < j with (a_i - a_j) (b_i - b_j) < 0; a tie is not discordant.

    Examples
    --------
    >>> discordant_weight(np.array([1.0, 2.0, 3.0]), np.array([5.0, 4.0, 4.0]), np.array([1.0, 1.0, 2.0]))
    3.0
    """
    _, rank = np.unique(b, return_inverse=True)
    order = np.lexsort((w, rank, a))  # by weight too, so that the order of the points does not show
    return _inverted_weight(rank[order], w[order])


def _inverted_weight(rank: IntArray, w: FloatArray) -> float:
    """Return the sum of w_i w_j over the positions i < j with rank_i > rank_j."""
    total = 0.0
    for bit in range(int(rank.max()).bit_length()):
        node = rank >> (bit + 1)
        order = np.argsort(node, kind="stable")
        node, weight = node[order], w[order]
        has_bit = (rank[order] >> bit & 1).astype(bool)
        above = np.where(has_bit, weight, 0.0)
        before = np.cumsum(above) - above
        first = np.flatnonzero(np.diff(node, prepend=-1))  # where each set of ranks that agree above the bit begins
        before -= np.repeat(before[first], np.diff(first, append=node.size))
        total += float(weight[~has_bit] @ before[~has_bit])
    return total
