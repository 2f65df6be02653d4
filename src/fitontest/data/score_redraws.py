"""Labels of scores redrawn from several truths: a row with the uniform number u has the label 1 where u < c."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from typing import Any

import numpy as np

from fitontest.data.dependence import Dependence, SharedNumbers
from fitontest.data.entries import NODES, Entries, labelled_entries
from fitontest.data.labels_of_scores import redrawn
from fitontest.data.ordering import Rows
from fitontest.data.parts import share_out
from fitontest.data.redraws import CHAIN, SHIFT, STILL, Redraws, Valued, value_or_nan
from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.random import MOST_DRAWN, generator
from fitontest.results.exceptions import without_warnings
from fitontest.results.progress import track
from fitontest.results.typing import BoolArray, FloatArray, IntArray, RandomState

BLOCK = 500_000  # labels that are drawn together
FEWEST = 8  # label columns that are drawn together, at least
MOST_KEPT = 8_000_000  # counts that are kept for other families: those of null and chain, by default


@dataclass(frozen=True, eq=False)
class ScoreRedraws(Redraws):
    """The scores of a sample, each row with a label of its own.

    Whole weights are rows, each with its own label; a row of any other weight has one. Large samples are pooled into
    entries of neighbouring scores, see `labelled_entries`. Entries that count many different rows are cut into about
    as many, since folds of redrawn labels hold out whole entries.

    Attributes
    ----------
    rows : ScoreSample
        The sample itself.
    nodes : int or None
        Entries that large samples are pooled into.
    entries : Entries
        The scores.
    dependence : Dependence or None
        How alike the labels of rows that belong together are; None of independent rows.
    """

    rows: ScoreSample
    nodes: int | None = None
    dependence: Dependence | None = None

    @classmethod
    def of(cls, sample: ScoreSample, dependence: Dependence | None = None) -> "ScoreRedraws":
        """Return the redraws of a sample, which it remembers for the next measure."""
        key = "redraws" if dependence is None else "dependent redraws"
        known = sample.memory.get(key)
        if not isinstance(known, ScoreRedraws):
            known = sample.memory[key] = cls(sample, dependence=dependence)
        return known

    @cached_property
    def _labelled(self) -> tuple[Entries, IntArray]:
        labelled = labelled_entries(self.rows, self.nodes)
        if self.rows.groups is not None:  # folds hold out whole groups, and cut no entry
            return labelled
        return _cut(*labelled, NODES if self.nodes is None else self.nodes)

    @cached_property
    def _shared(self) -> SharedNumbers | None:
        """What rows of a group share, or None where all are independent."""
        entries, groups, dependence = self.entries, self.rows.groups, self.dependence
        if dependence is None or groups is None or entries.group is None:
            return None
        rows = np.bincount(entries.group, entries.n)
        if rows.size < len(groups):  # groups were joined: all pairs of rows share as much as pairs of one group did
            share = float((groups.rows * (groups.rows - 1.0)).sum() / (rows * (rows - 1.0)).sum())
            parts = dependence.intercept * share, dependence.slope * share
            dependence = replace(dependence, intercept=parts[0], slope=parts[1])
        return SharedNumbers.of(entries.group, entries.p, entries.w, entries.n, dependence)

    @property
    def entries(self) -> Entries:
        """The scores with their weights."""
        return self._labelled[0]

    @property
    def points(self) -> FloatArray:  # type: ignore[override]
        """The scores."""
        return self.entries.p

    @cached_property
    def sample(self) -> ScoreSample:
        """The scores with their weights, without a positive label."""
        entries = self.entries
        rows = Rows.of(entries.p, np.zeros(len(entries)), entries.w, whole=entries.whole)
        return ScoreSample.of_rows(rows, whole=entries.whole)

    @property
    def observed(self) -> tuple["ScoreRedraws", IntArray]:  # type: ignore[override]
        """The labels of the sample itself, pooled as the redrawn ones are."""
        return self, self._labelled[1][:, None]

    @property
    def chain_stream(self) -> tuple[int, ...]:
        """The stream of random numbers of intervals, which hangs on how many rows and positives there are.

        Fifty labellings may be unlucky. Were they made of the seed alone, all data of as many rows would see the same
        ones, and one default seed would miss the truth in all of them: with 500 rows it did so in twice as many sets.
        """
        return (CHAIN, round(float(self.entries.n.sum())), round(float(self._labelled[1].sum())))

    @property
    def is_dependent(self) -> bool:
        """Whether labels of rows that belong together depend on each other."""
        return self._shared is not None

    @property
    def degrees(self) -> float:  # type: ignore[override]
        """The groups less one, where rows belong together."""
        return np.inf if self.dependence is None else self.dependence.degrees

    @property
    def block_size(self) -> int:  # type: ignore[override]
        """How many columns of labels are drawn together."""
        return max(FEWEST, BLOCK // len(self.entries))

    def draw(
        self, truths: Sequence[FloatArray], block: range, seed: Sequence[int], known: int = 0
    ) -> Iterator[IntArray]:
        """Yield labellings of shape (m, columns of the block), one truth after the other.

        Counts drawn from the scores are kept, `MOST_KEPT` at most: every family has them in its null, and at the start
        of its chain.
        """
        rng = np.random.default_rng([*seed, block.start])
        shape, n, shared = (len(self.entries), len(block)), self.entries.n, self._shared
        if shared is not None:
            part = shared.draw(len(block), [*seed, block.start])
            if self.entries.single:
                labels = _single_together(truths, rng.random(shape), shared, part)
            elif shared.mirrors is None:
                labels = _counts_together(n, truths, rng, shared, part)
            else:
                labels = _mirrored_counts(n, truths, rng, shared, part)
        elif self.entries.single:
            labels = _single(truths, shape, rng)
        elif np.array_equal(truths[0], self.points):
            first = self._counts_of_scores(shape, rng, (*seed, block.start, len(block)))
            labels = chain([first], _counts(n, truths[1:], first, self.points, rng))
        else:
            labels = _counts(n, truths, np.zeros(shape, dtype=np.intp), np.zeros(n.size), rng)
        return islice(labels, known, None)

    def _counts_of_scores(self, shape: tuple[int, int], rng: np.random.Generator, key: tuple[int, ...]) -> IntArray:
        """Return the counts that are drawn from the scores, and leave the generator behind their numbers."""
        known = self._kept.get(key)
        if known is None:
            nothing = np.zeros(shape, dtype=np.intp), np.zeros(shape[0])
            (counts,) = _counts(self.entries.n, [self.points], *nothing, rng)
            counts.flags.writeable = False  # others will be given the same
            known = counts, rng.bit_generator.state
            if counts.size + sum(kept.size for kept, _ in list(self._kept.values())) <= MOST_KEPT:
                self._kept[key] = known
        rng.bit_generator.state = known[1]
        return known[0]

    @cached_property
    def _kept(self) -> dict[tuple[int, ...], tuple[IntArray, Any]]:
        return {}

    def joined(self, labels: Sequence[IntArray]) -> IntArray:
        """Return labellings of several truths beside each other."""
        return labels[0] if len(labels) == 1 else np.concatenate(labels, axis=1)

    def samples(self, labels: IntArray) -> Iterator[ScoreSample]:
        """Yield the sample of each labelling."""
        return (self.entries.sample(positives) for positives in labels.T)

    def truth(self, g: FloatArray, length: float) -> FloatArray:
        """Return p + t (g - p), within [0, 1]."""
        return np.clip(self.points + length * (g - self.points), 0.0, 1.0)

    def moved(self, g: FloatArray) -> FloatArray:
        """Return a direction, or where it goes nowhere a shift of the logits."""
        w, p = self.entries.w, self.points
        return sigmoid(logit(p, 1e-16) + SHIFT) if float(w @ np.abs(g - p)) < STILL * float(w.sum()) else g

    def null_values(self, measure: Valued, draws: int, random_state: RandomState) -> FloatArray:
        """Return the values for labels drawn from the scores, each computed as that of the sample itself."""
        rng, values = generator(random_state), np.empty(draws)
        for draw in track(range(draws), "draws"):
            drawn = redrawn(self.rows, rng, self.dependence)
            with without_warnings():  # of the real labels the user has been warned
                values[draw] = value_or_nan(measure, drawn)
        return values


def _single(truths: Sequence[FloatArray], shape: tuple[int, int], rng: np.random.Generator) -> Iterator[IntArray]:
    u = rng.random(shape)
    for c in truths:
        yield (u < c[:, None]).astype(np.intp)


def _single_together(
    truths: Sequence[FloatArray], u: FloatArray, shared: SharedNumbers, part: FloatArray
) -> Iterator[IntArray]:
    """Yield labels of which those of a group depend on each other."""
    latent = shared.latent(u, part)
    for c in truths:
        yield (latent < shared.thresholds(c)[:, None]).astype(np.intp)


def _counts_together(
    n: IntArray, truths: Iterable[FloatArray], rng: np.random.Generator, shared: SharedNumbers, part: FloatArray
) -> Iterator[IntArray]:
    """Yield the numbers of positives as `_counts` does, with probabilities that depend on what the group shares."""
    count, before, given_before = np.zeros(part.shape, dtype=np.intp), np.zeros(n.size), np.zeros(part.shape)
    for c in truths:
        given = shared.given(c, part)
        up, down = (_rows(side) for side in (c > before, c < before))  # for any shared part
        more = count.copy()
        if up is not None:
            low = given_before[up]
            more[up] += rng.binomial(n[up, None] - count[up], _share(given[up] - low, 1.0 - low))
        if down is not None:
            more[down] = rng.binomial(count[down], _share(given[down], given_before[down]))
        yield more
        count, before, given_before = more, c, given


def _mirrored_counts(
    n: IntArray, truths: Sequence[FloatArray], rng: np.random.Generator, shared: SharedNumbers, part: FloatArray
) -> Iterator[IntArray]:
    """Yield the numbers of positives where entries mirror each other: of a mirror those that its partner leaves."""
    both = chain.from_iterable((c, shared.reflected(c)) for c in truths)
    counts = _counts_together(n, both, rng, shared, part)
    for count, reflected in zip(counts, counts, strict=True):
        yield shared.with_mirrors(count, reflected, n)


def _share(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Return part / whole, and 0 of nothing: given what a group shares, a label may be certain to rounding."""
    return np.clip(np.divide(part, whole, out=np.zeros_like(part), where=whole > 0.0), 0.0, 1.0)


def _rows(chosen: BoolArray) -> BoolArray | slice | None:
    """Return the chosen rows; all of them as a slice, which copies nothing, and None where there are none."""
    return slice(None) if chosen.all() else chosen if chosen.any() else None


def _counts(
    n: IntArray, truths: Sequence[FloatArray], count: IntArray, before: FloatArray, rng: np.random.Generator
) -> Iterator[IntArray]:
    """Yield the numbers of positives among n rows of one number u each, without drawing the numbers.

    Of the rows above one truth, u >= a, the share (b - a) / (1 - a) is below a larger truth b; of the rows below it the
    share b / a is below a smaller one. So counts go from truth to truth by binomial draws, as long as the truths of an
    entry only grow or only fall. The first step is from the `count` of rows below a truth `before`.
    """
    for c in truths:
        up, down = c > before, c < before
        more, fewer = count.copy(), count
        if up.any():
            share = np.clip((c[up] - before[up]) / (1.0 - before[up]), 0.0, 1.0)
            more[up] += rng.binomial(n[up, None] - fewer[up], share[:, None])
        if down.any():
            more[down] = rng.binomial(fewer[down], (c[down] / before[down])[:, None])
        yield more
        count, before = more, c


def _cut(entries: Entries, positives: IntArray, nodes: int) -> tuple[Entries, IntArray]:
    """Return entries of different rows in parts of equal numbers, about `nodes` of them, and their positives."""
    if not entries.counted and entries.behind is None:
        return entries, positives
    most = max(1, -(-int(entries.n.sum()) // nodes))
    parts = -(-entries.n // most)
    of = np.repeat(np.arange(len(entries)), parts)
    place = np.arange(of.size) - np.repeat(np.cumsum(parts) - parts, parts)
    size = np.minimum(entries.n[of] - most * place, most)
    behind = None if entries.behind is None else share_out(entries.behind[of], most * place, size, entries.n[of])
    w = size * (entries.w / entries.n)[of]
    cut = Entries(entries.p[of], w, size, entries.whole, entries.counted, behind, entries.pooled)
    return cut, _dealt(positives, entries.n, size, parts)


def _dealt(positives: IntArray, n: IntArray, size: IntArray, parts: IntArray) -> IntArray:
    """Return how many of the positives of each entry are in each of its parts, dealt at random but always alike."""
    rng = np.random.default_rng(0)
    first, dealt = np.cumsum(parts) - parts, np.empty_like(size)
    left, rows = positives.copy(), n.copy()
    for place in range(int(parts.max())):
        has = np.flatnonzero(parts > place)
        at = first[has] + place
        some, others, drawn = left[has], (rows - left)[has], size[at]
        if int(rows[has].max()) < MOST_DRAWN:
            dealt[at] = rng.hypergeometric(some, others, drawn)
        else:
            dealt[at] = np.clip(rng.binomial(drawn, some / (some + others)), drawn - others, np.minimum(drawn, some))
        left[has] -= dealt[at]
        rows[has] -= drawn
    return dealt
