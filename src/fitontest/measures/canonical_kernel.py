r"""The squared kernel calibration error of K classes: how alike the residuals of alike predictions are.

    SKCE = E h(i, j),    h(i, j) = k(p_i, p_j) (e_{y_i} - p_i) . (e_{y_j} - p_j)

over independent rows i and j, with the label y as a unit vector e_y. It is 0 if the predictions are calibrated, and
only then. Kernels: exp(-TV / l) of the total variation distance, and exp(-|p - q|^2 / (2 l^2)). Of two classes the
first is the exponential kernel of `fitontest.measures.kernel`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from fitontest.data.simplex_sample import Labelling, SimplexSample
from fitontest.measures.canonical import CanonicalEvidence, CanonicalMeasure
from fitontest.measures.estimate import Estimate
from fitontest.measures.kernel import MOST_SCORES, EstimatorName, KernelName, check_kernel
from fitontest.measures.measure import register
from fitontest.numerics.random import check_seed, generator
from fitontest.typing import FloatArray, IntArray, RandomState

PAIRS_AT_ONCE = 2**20
ENTRIES = 10_000_000  # of the residuals of several labellings at once


@register("canonical_kernel")
@dataclass(frozen=True)
class CanonicalKernelError(CanonicalMeasure):
    r"""The squared kernel calibration error (SKCE) of predictions of K classes.

    It is a squared quantity and cannot be compared with an ECE: compare it with its null, `null_draws`. With
    h(i, j) = k(p_i, p_j) (e_{y_i} - p_i) . (e_{y_j} - p_j) and weights w of sum W:

    * biased: sum_ij w_i w_j h(i, j) / W^2, in [0, 2].
    * unbiased: sum_{i != j} w_i w_j h(i, j) / (W^2 - sum_i w_i^2), which may be negative. Whole weights count rows: the
      copies of a row are different rows.
    * block: the unbiased estimates of blocks of rows, drawn with a seed and weighted by their pairs. It varies more,
      and takes O(n) time where the others take O(n^2).

    Parameters
    ----------
    kernel : {"exponential", "rbf"}, default="exponential"
        exp(-TV / l) or exp(-\|p - q\|^2 / (2 l^2)).
    estimator : {"unbiased", "biased", "block"}, default="unbiased"
        "unbiased" and "block" need two rows.
    length_scale : float, default=1.0
        l, at least 1e-6.
    block_size : int, default=100
        Rows of a block, from 2 to 20,000; a last block of a single row joins the one before.
    random_state : int, RandomState or None, default=0
        Seed of the blocks.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found. More than 20,000 rows are refused unless the estimator is
        "block".

    References
    ----------
    Widmann, Lindsten, Zachariah (2019), Calibration tests in multi-class classification: a unifying framework, NeurIPS.
    https://doi.org/10.48550/arXiv.1910.11385

    Examples
    --------
    >>> import fitontest as fot
    >>> P = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]
    >>> evaluation = fot.evaluate([0, 1, 1, 2], P, measures=["canonical_kernel"], reduction="canonical")
    >>> round(float(evaluation["canonical_kernel"]), 4)
    -0.012
    """

    kernel: KernelName = "exponential"
    estimator: EstimatorName = "unbiased"
    length_scale: float = 1.0
    block_size: int = 100
    random_state: RandomState = 0

    def __post_init__(self) -> None:
        check_kernel(self.kernel, self.estimator, self.length_scale, self.block_size)
        check_seed(self.random_state)

    @property
    def title(self) -> str:
        """Its abbreviation in the literature."""
        return "canonical SKCE"

    @property
    def squared(self) -> bool:
        """It is: the squared kernel calibration error."""
        return True

    def estimate(self, sample: SimplexSample) -> Estimate:
        """Return the mean of h over pairs of rows."""
        evidence = CanonicalEvidence(n_classes=sample.n_classes)
        return Estimate.of(self, sample, float(self.values_of(sample, sample.codes[None])[0]), evidence)

    def values_of(self, data: SimplexSample, labellings: IntArray) -> FloatArray:
        """Return the values for several labellings, with one kernel for all of them."""
        kept = np.flatnonzero(data.w > 0)
        data, labellings = data.take(kept), labellings[:, kept]
        if not self._in_blocks(data):
            rows = np.arange(len(data))
            return self._values(data, [Labelling(rows, codes, data.w) for codes in labellings])
        total, pairs = np.zeros(labellings.shape[0]), 0.0
        for block, columns in self._blocks(data, labellings):
            rows = np.arange(len(block))
            total += self._sums(block, [Labelling(rows, codes, block.w) for codes in columns], own=False)
            pairs += _pairs(block)
        return np.asarray(total / pairs)

    def values_of_entries(self, data: SimplexSample, labellings: Sequence[Labelling]) -> FloatArray:
        """Return the values for several labellings of entries, with one kernel for all of them; blocks are of rows."""
        return super().values_of_entries(data, labellings) if self._in_blocks(data) else self._values(data, labellings)

    def _in_blocks(self, data: SimplexSample) -> bool:
        """Return whether there are several blocks, or refuse rows of which there is no pair."""
        if self.estimator != "biased" and data.counted < 2:
            rows = f"{data.counted:g}"
            raise ValueError(f"estimator must be 'biased' for fewer than two rows, got {self.estimator!r} for {rows}")
        return self.estimator == "block" and data.counted > self.block_size

    def _values(self, data: SimplexSample, labellings: Sequence[Labelling]) -> FloatArray:
        """Return the mean of h over all pairs of rows."""
        own = self.estimator == "biased"
        return np.asarray(self._sums(data, labellings, own=own) / (data.total**2 if own else _pairs(data)))

    def _blocks(self, data: SimplexSample, labellings: IntArray) -> Iterator[tuple[SimplexSample, IntArray]]:
        """Yield blocks of rows, drawn of an order that does not depend on the one in which they came."""
        local = data.with_facts(row=np.arange(len(data)))
        single = local.counted_out().in_order()
        drawn = generator(self.random_state).permutation(len(single))
        starts = np.arange(self.block_size, len(single) - 1, self.block_size)  # a last row alone has no pair
        for block in np.split(drawn, starts):
            yield single.take(block), labellings[:, single.facts["row"][block]]

    def _sums(self, data: SimplexSample, labellings: Sequence[Labelling], *, own: bool) -> FloatArray:
        """Return the sums of w_i w_j h(i, j) over all pairs, or over those of different rows."""
        n = len(data)
        if n > MOST_SCORES:
            raise ValueError(
                f"estimator must be 'block' for more than {MOST_SCORES} rows, got {self.estimator!r} for {n}"
            )
        most = max(1, ENTRIES // data.p.size)
        if len(labellings) > most:  # as many residuals as memory bears
            parts = (labellings[k : k + most] for k in range(0, len(labellings), most))
            return np.concatenate([self._sums(data, part, own=own) for part in parts])
        residuals = [_residual(data, one) for one in labellings]
        totals: FloatArray = np.zeros(len(residuals))
        start = 0
        while start < n:  # each pair once: the kernel is symmetric
            rows = slice(start, start + max(PAIRS_AT_ONCE // (n - start), 1))
            similar = self._similar(data.p[rows], data.p[start:])
            similar[:, rows.stop - start :] *= 2.0
            for b, residual in enumerate(residuals):
                totals[b] += np.einsum("ik,ik->", residual[rows], similar @ residual[start:])
            start = rows.stop
        if own:
            return totals
        return np.asarray(totals - np.array([_alone(data, one) for one in labellings]))

    def _similar(self, p: FloatArray, q: FloatArray) -> FloatArray:
        """Return the kernel of each pair of rows."""
        if self.kernel == "exponential":
            return np.asarray(np.exp(cdist(p, q, "cityblock") * (-0.5 / self.length_scale)))
        return np.asarray(np.exp(cdist(p, q, "sqeuclidean") * (-0.5 / self.length_scale**2)))


def _residual(data: SimplexSample, labelling: Labelling) -> FloatArray:
    """Return the sum of w (e_y - p) of each entry."""
    n, K = data.p.shape
    return np.bincount(labelling.at * K + labelling.codes, labelling.w, n * K).reshape(n, K) - data.w[:, None] * data.p


def _alone(data: SimplexSample, labelling: Labelling) -> float:
    """Return the sum of w^2 |e_y - p|^2 over the rows; of whole weights, which count rows, that of w |e_y - p|^2."""
    at, codes, w = labelling
    size = (data.p**2).sum(axis=1)[at] - 2.0 * data.p[at, codes] + 1.0
    return float((w if data.whole else w * w) @ size)


def _pairs(data: SimplexSample) -> float:
    """Return the sum of w_i w_j over pairs of different rows."""
    return data.total**2 - float(data.w2.sum())
