"""Labels redrawn from several truths: with the same random numbers under each, so that truths can be compared.

Each row has a uniform number u, and its label under the truth c is 1 where u < c. Numbers come from the seed and are
made anew where they are needed: no more than a few label columns are in memory at a time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fitontest.data.entries import NODES, Entries
from fitontest.data.parts import share_out
from fitontest.data.score_sample import ScoreSample
from fitontest.numerics.random import MOST_DRAWN
from fitontest.typing import FloatArray, IntArray

BLOCK = 500_000  # labels that are drawn together
FEWEST = 8  # label columns that are drawn together, at least


@dataclass(frozen=True, eq=False)
class Redraws:
    """Where labels are redrawn: the scores of a sample, each row with a label of its own.

    Whole weights are rows, each with its own label; a row of any other weight has one. Large samples are pooled into
    entries of neighbouring scores, see `Entries.labelled`. Entries that count many different rows are cut into about
    as many, since folds of redrawn labels hold out whole entries.

    Attributes
    ----------
    entries : Entries
        The scores.
    observed : tuple of Entries and int array of shape (m, 1)
        The entries and labels of the sample itself, pooled as the redrawn ones are.
    """

    entries: Entries
    observed: tuple[Entries, IntArray]

    @classmethod
    def of(cls, sample: ScoreSample) -> "Redraws":
        """Return the redraws of a sample, which it remembers for the next measure."""
        known = sample.memory.get("redraws")
        if not isinstance(known, Redraws):
            known = sample.memory["redraws"] = cls(*_cut(*Entries.labelled(sample)))
        return known

    def blocks(self, draws: int) -> list[range]:
        """Return which columns are drawn together."""
        size = max(FEWEST, BLOCK // len(self.entries))
        return [range(start, min(start + size, draws)) for start in range(0, draws, size)]

    def draw(self, truths: Sequence[FloatArray], block: range, seed: Sequence[int]) -> Iterator[IntArray]:
        """Yield labellings of shape (m, columns of the block), one truth after the other.

        Parameters
        ----------
        truths : sequence of arrays of shape (m,)
            True probabilities of the entries.
        block : range
            Of `blocks`.
        seed : sequence of int
            What the numbers are made of, with the place of the block.
        """
        rng = np.random.default_rng([*seed, block.start])
        shape = (len(self.entries), len(block))
        return _single(truths, shape, rng) if self.entries.single else _counts(self.entries.n, truths, shape, rng)


def _single(truths: Sequence[FloatArray], shape: tuple[int, int], rng: np.random.Generator) -> Iterator[IntArray]:
    u = rng.random(shape)
    for c in truths:
        yield (u < c[:, None]).astype(np.intp)


def _counts(
    n: IntArray, truths: Sequence[FloatArray], shape: tuple[int, int], rng: np.random.Generator
) -> Iterator[IntArray]:
    """Yield the numbers of positives among n rows of one number u each, without drawing the numbers.

    Of the rows above one truth, u >= a, the share (b - a) / (1 - a) is below a larger truth b; of the rows below it the
    share b / a is below a smaller one. So counts go from truth to truth by binomial draws, as long as the truths of an
    entry only grow or only fall.
    """
    count, before = np.zeros(shape, dtype=np.intp), np.zeros(n.size)
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


def _cut(entries: Entries, positives: IntArray) -> tuple[Entries, tuple[Entries, IntArray]]:
    """Return entries of different rows in parts of equal numbers, about `NODES` of them, and their positives."""
    if not entries.counted and entries.behind is None:
        return entries, (entries, positives[:, None])
    most = max(1, -(-int(entries.n.sum()) // NODES))
    parts = -(-entries.n // most)
    of = np.repeat(np.arange(len(entries)), parts)
    place = np.arange(of.size) - np.repeat(np.cumsum(parts) - parts, parts)
    size = np.minimum(entries.n[of] - most * place, most)
    behind = None if entries.behind is None else share_out(entries.behind[of], most * place, size, entries.n[of])
    w = size * (entries.w / entries.n)[of]
    cut = Entries(entries.p[of], w, size, entries.whole, entries.counted, behind, entries.pooled)
    return cut, (cut, _dealt(positives, entries.n, size, parts)[:, None])


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
