r"""The squared kernel calibration error: how alike the residuals of alike predictions are, with neither bins nor a map.

Of scores of two classes

    SKCE = E h(i, j),    h(i, j) = f k(p_i, p_j) (y_i - p_i) (y_j - p_j)

over independent rows i and j, and of distributions over K classes, with the label y as a unit vector e_y,

    h(i, j) = k(p_i, p_j) (e_{y_i} - p_i) . (e_{y_j} - p_j)

It is 0 if the predictions are calibrated, and only then.

* ``"exponential"``: k(p, q) = exp(-TV(p, q) / l) of the total variation distance, which is |p - q| of scores, with the
  white kernel on labels: f = 2. Of two classes both formulas are the same.
* ``"rbf"``: k(p, q) = exp(-|p - q|^2 / (2 l^2)). Of scores f = 2 (1 - exp(-1 / (2 l^2))): the tensor product of two
  squared-exponential kernels of length scale l, on scores and on labels 0 and 1. The label kernel is
  a + (1 - a) [y = y'] with a = exp(-1 / (2 l^2)). Its constant part cancels, because the residuals of the two classes
  add up to 0. What is left is 1 - a times the white kernel.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from scipy.spatial.distance import cdist

from fitontest.data.ordering import Rows, pooled
from fitontest.data.redraws import Labels, Redraws
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import Labelling, SimplexSample, written_out
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.kernel_tests import bound_of_biased, bound_of_unbiased, of_blocks, of_signs
from fitontest.measures.measure import Measure, register
from fitontest.measures.notes import noise_of_groups_note
from fitontest.measures.words import Words
from fitontest.numerics.distances import farthest
from fitontest.numerics.random import check_seed, generator
from fitontest.results.checks import choose, is_real, is_whole
from fitontest.results.registry import plain_setting, settings_of
from fitontest.results.table import Section
from fitontest.results.text import p_in_words
from fitontest.results.typing import FloatArray, IntArray, RandomState

KernelName: TypeAlias = Literal["exponential", "rbf"]
EstimatorName: TypeAlias = Literal["unbiased", "biased", "block"]
TestName: TypeAlias = Literal["redraws", "asymptotic", "distribution_free"]

MOST_SCORES = 20_000  # distinct ones of which all pairs are taken
MOST_COUNTED_OUT = 10**7  # rows that counts are made into
SHORTEST = 1e-6  # length scale
PAIRS_AT_ONCE = 2**20
ENTRIES = 10_000_000  # of the residuals of several labellings at once
MOST_SKEWED = 0.15  # sums of labels: at .3 the law of many rows rejects three times too often at 1 %, at .5 ten times
SIGNS = 1000  # drawings of the signs of all rows, for the law of many rows
SIGNS_AT_ONCE = 100
SPAN = 300.0  # length scales: exp(300) is far from the largest float


@register("canonical_kernel", distributions=True)
@register("kernel")
@dataclass(frozen=True)
class KernelError(Measure):
    r"""The squared kernel calibration error (SKCE): how much the errors of similar predictions agree.

    It is a squared quantity and cannot be compared with an ECE: compare it with its null, `null_draws`. The true value
    of calibrated predictions is 0, and unbiased estimates of it are often negative.

    Of scores h(i, j) = f k(p_i, p_j) (y_i - p_i) (y_j - p_j), where k(p, q) = exp(-|p - q| / l) and f = 2 for the
    exponential kernel, k(p, q) = exp(-(p - q)^2 / (2 l^2)) and f = 2 (1 - exp(-1 / (2 l^2))) for the rbf kernel. Of
    whole distributions h(i, j) = k(p_i, p_j) (e_{y_i} - p_i) . (e_{y_j} - p_j), with exp(-TV / l) and
    exp(-\|p - q\|^2 / (2 l^2)). With weights w of sum W:

    * biased: sum_ij w_i w_j h(i, j) / W^2, in [0, 2].
    * unbiased: the mean over pairs of different rows, sum_{i != j} w_i w_j h(i, j) / (W^2 - sum_i w_i^2). It may be
      negative. Whole weights count rows: the copies of a row are different rows, and their pairs count.
    * block: the unbiased estimates of blocks of rows, drawn with a seed and weighted by their pairs. It varies more and
      takes O(n) time; the exponential kernel of scores needs no blocks.

    Parameters
    ----------
    kernel : {"exponential", "rbf"}, default="exponential"
        How alike two predictions are: the k above.
    estimator : {"unbiased", "biased", "block"}, default="unbiased"
        "unbiased" and "block" need two rows.
    length_scale : float, default=1.0
        l, at least 1e-6. One length scale apart, two scores have the similarity exp(-1) (rbf: exp(-1/2)).
    block_size : int, default=100
        Rows of a block, from 2 to 20,000; a last block of a single row joins the one before.
    random_state : int, RandomState or None, default=0
        Seed of the blocks, which are drawn of the sorted rows, and of random signs.
    test : {"redraws", "asymptotic", "distribution_free"}, default="redraws"
        Where a p-value comes from. "redraws": labels redrawn from the predictions, `null_draws` of them
        (``estimate.null``). "asymptotic": the law of many rows (``evidence.asymptotic_p_value``), for blocks the normal
        one, else that of 1,000 random signs of the residuals, unless labels of one kind are too few (some 40 positive
        ones where they are rare). "distribution_free": a bound that holds for any law and
        any number of rows, mostly a weak one (``evidence.p_value_bound``).
    distributions : bool, default=False
        Whether predictions are whole distributions. The sample says: False does not refuse them.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found. More than 20,000 distinct scores are refused with the rbf
        kernel, and more than 20,000 distributions with either, unless the estimator is "block".

    Notes
    -----
    Redrawn labels know the predictions and are right for few rows too. The other tests take predictions for random
    ones and rows for independent: of rows of groups they give no p-value. A bound for any law needs weights that count
    rows, unless the estimator is "biased".

    The exponential kernel takes O(n) time for sorted scores: sums over the lower scores decay from one score to the
    next. The rbf kernel takes all pairs, O(n^2) time and O(n) memory, and so does either kernel of distributions. Ties
    are pooled first. Blocks are drawn of single rows: whole weights are counted out, which takes memory for as many
    rows.

    References
    ----------
    Widmann, Lindsten, Zachariah (2019), Calibration tests in multi-class classification: a unifying framework, NeurIPS.
    https://doi.org/10.48550/arXiv.1910.11385

    Examples
    --------
    >>> import fitontest as fot
    >>> sample = fot.ScoreSample([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8])
    >>> for estimator in ("unbiased", "biased"):
    ...     error = fot.measures.make("kernel", estimator=estimator).estimate(sample)
    ...     print(error)
    SKCE 0.063: n = 4
    SKCE 0.145: estimator biased, n = 4
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
    test: TestName = "redraws"
    distributions: bool = field(default=False, repr=False)

    def __post_init__(self) -> None:
        choose(self.kernel, get_args(KernelName), "kernel")
        choose(self.test, get_args(TestName), "test")
        choose(self.estimator, get_args(EstimatorName), "estimator")
        scale, rows = self.length_scale, self.block_size
        if not (is_real(scale) and SHORTEST <= scale < np.inf):
            raise ValueError(f"length_scale must be a finite number, at least {SHORTEST:g}; got {scale!r}")
        if not (is_whole(rows) and 2 <= rows <= MOST_SCORES):
            raise ValueError(f"block_size must be a whole number from 2 to {MOST_SCORES}; got {rows!r}")
        check_seed(self.random_state)  # refuses what is no seed

    @property
    def classes(self) -> Literal["two", "any"]:  # type: ignore[override]
        """How many classes it measures: any number, where predictions are probabilities of all classes."""
        return "any" if self.distributions else "two"

    @property
    def words(self) -> Words:
        """Its abbreviation in the literature, and its settings without the kind of data."""
        settings = {name: plain_setting(value) for name, value in settings_of(self).items() if name != "distributions"}
        return Words(title="canonical SKCE" if self.distributions else "SKCE", settings=settings)

    @property
    def squared(self) -> bool:
        """Whether the value is a square: it is the squared kernel calibration error."""
        return True

    def for_sample(self, sample: Any) -> "KernelError":
        """Return the measure for the probabilities of all classes where the data hold these."""
        return self if sample.has_one_score or self.distributions else self.changed(distributions=True)

    def estimate(self, sample: Any) -> Estimate:
        """Return the error as a mean over pairs of rows.

        It is the mean of h.

        Raises
        ------
        ValueError
            Fewer than two rows, unless ``estimator="biased"``.
        """
        measure = self.for_sample(sample)
        value = sample.either(self._of_scores, self._of_rows)(sample)
        return Estimate.of(measure, sample, value, measure._evidence(sample))

    def _of_rows(self, sample: SimplexSample) -> float:
        rows = sample.take(np.flatnonzero(sample.w > 0))
        labels = [Labelling(np.arange(len(rows)), rows.codes, rows.w)]
        return float(self._of_distributions(rows, labels)[0])

    def _evidence(self, sample: Any) -> Evidence:
        """Return that pairs of rows of one group have label noise in common, which no pair of the "biased" lacks."""
        note = "" if self.estimator == "biased" else noise_of_groups_note(sample)
        return Evidence(note=note) if self.test == "redraws" else OfKernelTest(note=note, measure=self, sample=sample)

    @property
    def bound(self) -> float:
        """The largest |h(i, j)|."""
        return 2.0 if self.distributions else _factor(self)

    def values(self, redraws: Redraws, labels: Labels) -> FloatArray:
        """Return the values for several sets of labels of the same predictions.

        Of distributions one kernel serves all of them.
        """
        sample = redraws.sample
        if sample.has_one_score or (self._in_blocks(sample) and redraws.several.size):  # type: ignore[attr-defined]
            return super().values(redraws, labels)  # blocks are of rows: each labelling has its own
        return self._of_distributions(sample, labels)

    def target(self, sample: Any, c: FloatArray) -> float | None:
        """Return what the error would be if the true probabilities were known.

        That is the mean of h over all pairs with c in place of y, which has no label noise to correct for.
        """
        return self._of_residuals(sample, c - sample.p) if sample.has_one_score else None

    def ceiling(self, sample: Any) -> float:
        """Return the value of the largest residuals with one sign for all: no product of two residuals is larger."""
        if sample.has_distributions:
            return super().ceiling(sample)
        return self._of_residuals(sample, np.abs(farthest(sample.p) - sample.p))

    def _of_residuals(self, sample: ScoreSample, residuals: FloatArray) -> float:
        """Return the mean of the kernel of two scores times both residuals, over all pairs."""
        kept = np.flatnonzero(sample.w > 0)
        order = kept[np.lexsort((sample.w[kept], residuals[kept], sample.p[kept]))]
        p, w = sample.p[order], sample.w[order]
        first = np.flatnonzero(np.concatenate(([True], p[1:] != p[:-1])))
        none = np.zeros(first.size)
        weights, sums = np.add.reduceat(w, first), np.add.reduceat(w * residuals[order], first)
        return self._over_all_pairs(_Residuals(p[first], weights, sums, none, none))

    def _of_scores(self, sample: ScoreSample) -> float:
        if self.estimator == "biased":
            return self._over_all_pairs(_Residuals.of(sample.rows, unit=sample.unit))
        self._refuse_single_row(sample.total if sample.whole else sample.n)
        values, pairs, _ = self.of_blocks(sample)
        return float(np.dot(values, pairs) / np.sum(pairs))

    def of_blocks(self, sample: Any) -> tuple[list[float], list[float], list[float]]:
        """Return the unbiased estimates of the blocks, and the pairs and the rows of each; of all rows without blocks.

        Parameters
        ----------
        sample : ScoreSample or SimplexSample
        """
        if sample.has_one_score:
            parts = list(self._parts(sample))
            sums = [_factor(self) * (_between(self, part) + float(part.product_within.sum())) for part in parts]
            pairs = [part.pairs for part in parts]
            rows = [float(part.weight.sum()) for part in parts]
        else:
            several = self._in_blocks(sample)
            blocks = [block for block, _ in self._blocks(sample)] if several else [sample]
            own = [Labelling(np.arange(len(block)), block.codes, block.w) for block in blocks]
            sums = [float(_sums(self, b, [one], own=False)[0]) for b, one in zip(blocks, own, strict=True)]
            pairs, rows = [_pairs(block) for block in blocks], [float(block.total) for block in blocks]
        return [total / all_ for total, all_ in zip(sums, pairs, strict=True)], pairs, rows

    def _refuse_single_row(self, rows: float) -> None:
        if self.estimator != "biased" and rows < 2:
            raise ValueError(f"estimator must be 'biased' for fewer than two rows, got {self.estimator!r} for {rows:g}")

    def _parts(self, sample: ScoreSample) -> "Iterator[_Residuals]":
        """Yield the residuals of the blocks; all rows are one block unless the estimator draws some."""
        rows, unit = sample.rows, sample.unit
        if self.estimator == "block":
            rows, unit = _counted_out(sample, "estimator must not be 'block'")
        if self.estimator != "block" or len(rows) <= self.block_size:
            yield _Residuals.of(rows, unit=unit)
            return
        for block in _drawn_blocks(self, len(rows)):
            yield _Residuals.of(rows.at(np.sort(block)), unit=unit)

    def _over_all_pairs(self, parts: "_Residuals") -> float:
        total = _between(self, parts) + float(parts.residual @ parts.residual)
        return _factor(self) * total / float(parts.weight.sum()) ** 2

    def _of_distributions(self, sample: SimplexSample, labels: Sequence[Labelling]) -> FloatArray:
        """Return the values for several labellings of the same entries, of one row each where there are blocks."""
        if not self._in_blocks(sample):
            own = self.estimator == "biased"
            return np.asarray(_sums(self, sample, labels, own=own) / (sample.total**2 if own else _pairs(sample)))
        total, pairs = np.zeros(len(labels)), 0.0
        for block, rows in self._blocks(sample):
            of_block = [Labelling(np.arange(rows.size), one.codes[rows], block.w) for one in labels]
            total += _sums(self, block, of_block, own=False)
            pairs += _pairs(block)
        return np.asarray(total / pairs)

    def _in_blocks(self, sample: SimplexSample) -> bool:
        """Return whether there are several blocks, or refuse rows of which there is no pair."""
        self._refuse_single_row(sample.counted)
        return self.estimator == "block" and sample.counted > self.block_size

    def _blocks(self, sample: SimplexSample) -> Iterator[tuple[SimplexSample, IntArray]]:
        """Yield blocks of rows, drawn of an order that does not depend on the one in which they came."""
        local = sample.with_facts(row=np.arange(len(sample)))
        single = written_out(local).in_order()
        for block in _drawn_blocks(self, len(single)):
            yield single.take(block), single.facts["row"][block]


@dataclass(frozen=True, kw_only=True, eq=False)
class OfKernelTest(Evidence):
    """A p-value of the kernel error without redrawn labels.

    Attributes
    ----------
    measure : KernelError
        With what is tested, and how.
    sample : ScoreSample or SimplexSample
    """

    recorded = ("asymptotic_p_value", "p_value_bound")

    measure: KernelError
    sample: Any

    @cached_property
    def asymptotic_p_value(self) -> float | None:
        """The p-value by the law of many rows; None where `why_none` says why, or if not asked for."""
        measure, sample = self.measure, self.sample
        if measure.test != "asymptotic" or self.why_none:
            return None
        if measure.estimator == "block":
            values, pairs, _ = self._blocks
            return of_blocks(values, pairs)
        signed = sample.either(_signed_scores, _signed_rows)(measure, sample)
        return of_signs(*signed)

    @cached_property
    def _blocks(self) -> Any:
        """The estimates of the blocks, their weights, and their rows."""
        return self.measure.of_blocks(self.sample)

    @cached_property
    def why_none(self) -> str:
        """Why the test that was asked for has no p-value, or ""."""
        measure, sample = self.measure, self.sample
        if measure.test == "redraws":
            return ""
        if sample.groups is not None:
            return "rows belong to groups, and the test takes them as independent"
        if measure.test != "asymptotic":
            return ""
        if measure.estimator == "block":
            return "" if len(self._blocks[0]) >= 2 else "a single block has no spread"
        if (skew := _asymmetry(sample)) > MOST_SKEWED:
            few = "positive or negative labels are too few for the law of many rows"
            return f"{few} (skewness {skew:.2f}, at most {MOST_SKEWED}); null_draws=1000 redraws them"
        return ""

    @cached_property
    def p_value_bound(self) -> float | None:
        """The bound for any law; None of rows of groups, or if not asked for."""
        measure, sample = self.measure, self.sample
        if measure.test != "distribution_free" or sample.groups is not None:
            return None
        if measure.estimator == "biased":
            rows = sample.total**2 / float(sample.w2.sum())
            return bound_of_biased(measure.estimate(sample).value, rows, measure.bound)
        if not sample.whole:
            rule = "test='distribution_free' must have weights that count rows, unless estimator='biased'"
            raise ValueError(f"{rule}; got {sample.weighting}")
        values, pairs, of_each = self._blocks
        value = float(np.dot(values, pairs) / np.sum(pairs))
        return bound_of_unbiased(value, of_each, pairs, measure.bound)

    def section(self) -> Section:
        """Return the p-value in a line."""
        if self.asymptotic_p_value is not None:
            return Section(notes=f"by the law of many rows: {p_in_words(self.asymptotic_p_value)}")
        if self.p_value_bound is not None:
            return Section(notes=f"whatever the law, at most: {p_in_words(self.p_value_bound)}")
        return Section(notes=f"no p-value: {self.why_none}" if self.why_none else "")


def _asymmetry(sample: Any) -> float:
    """Return how skewed the sums of labels are if they have the predicted law: third moments over variances^(3/2).

    Third moments are taken without their signs, since a kernel sums the labels of similar scores alone.
    """
    rows = sample.of_weight
    w, p = rows.w, rows.p if rows.p.ndim == 2 else np.stack([rows.p, 1.0 - rows.p], axis=1)
    variance = p * (1.0 - p)
    summed = 0.5 * float(w @ variance.sum(axis=1))
    third = 0.5 * float(w @ (variance * np.abs(1.0 - 2.0 * p)).sum(axis=1))
    per_row = 1.0 if sample.whole else float(w @ w) / float(w.sum())  # of weight, so that their scale means nothing
    return third / summed * float(np.sqrt(per_row / summed)) if summed > 0.0 else np.inf


def _signed_scores(measure: KernelError, sample: ScoreSample) -> tuple[float, FloatArray]:
    """Return the sum over pairs of different rows of scores, and what random signs of the residuals make of it."""
    rows, _ = _counted_out(sample, "test must not be 'asymptotic'")
    x, r = rows.p / measure.length_scale, rows.w * (rows.y - rows.p)
    if measure.kernel == "rbf":
        if r.size > MOST_SCORES:
            rule = f"test must not be 'asymptotic' for the rbf kernel of more than {MOST_SCORES:,} rows"
            raise ValueError(f"{rule}, got {r.size:,}")
        return _signed(measure, r[:, None], lambda at: np.exp(-0.5 * (x[at, None] - x) ** 2))
    rng = generator(measure.random_state)
    drawn = [_exponential_sum(x, r * (2.0 * rng.randint(0, 2, r.size) - 1.0)) for _ in range(SIGNS)]
    return _exponential_sum(x, r), np.array(drawn)


def _signed_rows(measure: KernelError, sample: SimplexSample) -> tuple[float, FloatArray]:
    """Return the same for rows of distributions."""
    rows = written_out(sample).in_order()
    residual = _residual(rows, Labelling(np.arange(len(rows)), rows.codes, rows.w))
    return _signed(measure, residual, lambda at: _similar(measure, rows.p[at], rows.p))


def _signed(
    measure: KernelError, residual: FloatArray, similar: Callable[[slice], FloatArray]
) -> tuple[float, FloatArray]:
    """Return the sum of k r_i . r_j over pairs of different rows in both orders, and what random signs make of it.

    Parameters
    ----------
    measure : KernelError
    residual : array of shape (n, K)
    similar : callable
        The kernel of some rows with all.
    """
    rng, n = generator(measure.random_state), len(residual)
    own = float(np.einsum("ik,ik->", residual, residual))
    found: list[FloatArray] = []
    for start in range(0, SIGNS, SIGNS_AT_ONCE):
        signs = 2.0 * rng.randint(0, 2, (n, min(SIGNS_AT_ONCE, SIGNS - start))) - 1.0
        if start == 0:
            signs = np.concatenate((np.ones((n, 1)), signs), axis=1)  # what was observed
        total = np.zeros(signs.shape[1])
        step = max(PAIRS_AT_ONCE // n, 1)
        for first in range(0, n, step):
            at = slice(first, first + step)
            h = similar(at) * (residual[at] @ residual.T)
            total += np.einsum("ib,ib->b", signs[at], h @ signs)
        found.append(total - own)
    values = np.concatenate(found)
    return float(values[0]), values[1:]


def _drawn_blocks(measure: KernelError, rows: int) -> list[IntArray]:
    """Return the positions of the rows of each block; a last row alone would have no pair."""
    starts = np.arange(measure.block_size, rows - 1, measure.block_size)
    return np.split(generator(measure.random_state).permutation(rows), starts)


def _factor(measure: KernelError) -> float:
    """Return f."""
    return 2.0 if measure.kernel == "exponential" else float(-2.0 * np.expm1(-0.5 / measure.length_scale**2))


def _between(measure: KernelError, groups: "_Residuals") -> float:
    """Return the sum of k(p, q) r_p r_q over pairs of different scores, each in both orders."""
    scaled = groups.p / measure.length_scale
    if measure.kernel == "exponential":
        return 2.0 * _exponential_sum(scaled, groups.residual)
    if scaled.size > MOST_SCORES:
        raise ValueError(
            f"estimator must be 'block' for the rbf kernel of more than {MOST_SCORES} distinct scores, "
            f"got {measure.estimator!r} for {scaled.size}"
        )
    return 2.0 * _rbf_sum(scaled, groups.residual)


def _sums(measure: KernelError, data: SimplexSample, labellings: Sequence[Labelling], *, own: bool) -> FloatArray:
    """Return the sums of w_i w_j h(i, j) over all pairs, or over those of different rows."""
    n = len(data)
    if n > MOST_SCORES:
        raise ValueError(
            f"estimator must be 'block' for more than {MOST_SCORES} rows, got {measure.estimator!r} for {n}"
        )
    most = max(1, ENTRIES // data.p.size)
    if len(labellings) > most:  # as many residuals as memory bears
        parts = (labellings[k : k + most] for k in range(0, len(labellings), most))
        return np.concatenate([_sums(measure, data, part, own=own) for part in parts])
    residuals = [_residual(data, one) for one in labellings]
    totals: FloatArray = np.zeros(len(residuals))
    start = 0
    while start < n:  # each pair once: the kernel is symmetric
        rows = slice(start, start + max(PAIRS_AT_ONCE // (n - start), 1))
        similar = _similar(measure, data.p[rows], data.p[start:])
        similar[:, rows.stop - start :] *= 2.0
        for b, residual in enumerate(residuals):
            totals[b] += np.einsum("ik,ik->", residual[rows], similar @ residual[start:])
        start = rows.stop
    if own:
        return totals
    return np.asarray(totals - np.array([_alone(data, one) for one in labellings]))


def _similar(measure: KernelError, p: FloatArray, q: FloatArray) -> FloatArray:
    """Return the kernel of each pair of rows."""
    if measure.kernel == "exponential":
        return np.asarray(np.exp(cdist(p, q, "cityblock") * (-0.5 / measure.length_scale)))
    return np.asarray(np.exp(cdist(p, q, "sqeuclidean") * (-0.5 / measure.length_scale**2)))


def _counted_out(sample: ScoreSample, rule: str) -> tuple[Rows, bool]:
    """Return the single rows of a sample, of which blocks or signs are drawn: whole weights are rows, each by itself.

    Blocks of weighted entries would keep nearly all pairs within an entry, and lose most pairs between entries of one
    score: they would be biased.
    """
    rows = sample.rows
    if sample.aggregated and sample.total > MOST_COUNTED_OUT:
        rule = f"{rule} for cells that count more than {MOST_COUNTED_OUT:,} rows"
        raise ValueError(f"{rule}, which would be listed one by one; got {sample.total:,.0f}")
    if sample.whole:
        p, y = (np.repeat(column, rows.w.astype(np.intp)) for column in (rows.p, rows.y))
        return Rows.of(p, y, np.broadcast_to(np.float64(1.0), p.shape), whole=True), True
    if not rows.single:
        raise ValueError(f"{rule} for cells whose rows have fractional weights")
    return rows, sample.unit


@dataclass(frozen=True, eq=False)
class _Residuals:
    """The residuals at distinct scores, and what the pairs of different rows of one score add.

    Attributes
    ----------
    p, weight, residual : arrays of shape (G,)
        Increasing scores, total weights, and sums of w (y - p).
    product_within, pairs_within : arrays of shape (G,)
        Sums over pairs of different rows of one score: of w_i w_j (y_i - p) (y_j - p), and of w_i w_j.
    """

    p: FloatArray
    weight: FloatArray
    residual: FloatArray
    product_within: FloatArray
    pairs_within: FloatArray

    @classmethod
    def of(cls, rows: Rows, *, unit: bool) -> "_Residuals":
        """Return those of sorted rows."""
        groups = pooled(rows, unit=unit)
        residual = groups.wy - groups.w * groups.p
        own = np.add.reduceat(rows.w2 * (rows.y - rows.p) ** 2, groups.first)
        paired = groups.w * groups.w != groups.w2  # exactly 0 elsewhere: a difference would be its rounding
        product = np.where(paired, residual * residual - own, 0.0)
        return cls(groups.p, groups.w, residual, product, np.where(paired, groups.w**2 - groups.w2, 0.0))

    @property
    def pairs(self) -> float:
        """The sum of w_i w_j over pairs of different rows, without the cancellation of W^2 - sum w^2."""
        below = np.cumsum(self.weight[:-1])
        return float(2.0 * (self.weight[1:] @ below) + self.pairs_within.sum())


def _exponential_sum(x: FloatArray, r: FloatArray) -> float:
    """Return the sum of exp(x_h - x_g) r_g r_h over h < g, for increasing x.

    The sums s_g = sum_{h < g} exp(x_h - x_g) r_h come from cumulative sums of exp(x_h) r_h, over stretches of x so
    short that the exponential does not overflow. One stretch hands on its last sum, which decays to the next.
    """
    total, carried, origin = 0.0, 0.0, 0.0
    starts = np.flatnonzero(np.diff(np.floor(x / SPAN))) + 1
    for begin, end in zip([0, *starts], [*starts, x.size], strict=True):
        here, residuals = x[begin:end], r[begin:end]
        carried *= np.exp(origin - here[0])
        origin = here[0]
        growth = np.exp(here - origin)
        sums = carried + np.cumsum(growth * residuals)
        total += residuals[0] * carried + float((residuals[1:] / growth[1:]) @ sums[:-1])
        carried = float(sums[-1])
    return float(total)


def _rbf_sum(x: FloatArray, r: FloatArray) -> float:
    """Return the sum of exp(-(x_g - x_h)^2 / 2) r_g r_h over h < g, a few rows of the matrix at a time."""
    total, begin = 0.0, 0
    while begin < x.size - 1:
        end = min(begin + max(PAIRS_AT_ONCE // (x.size - begin), 1), x.size)
        similar = np.exp(-0.5 * (x[begin:end, None] - x[None, begin:]) ** 2)
        similar[:, : end - begin] = np.triu(similar[:, : end - begin], 1)
        total += float(r[begin:end] @ (similar @ r[begin:]))
        begin = end
    return total


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
