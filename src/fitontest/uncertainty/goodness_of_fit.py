"""Whether a map fits the labels of a sample: the pair statistic of their distance, under labels drawn from the map."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.redraws import Redraws
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family, read_family
from fitontest.families.reading import fit_map_to
from fitontest.measures.pairs import EntryPairs
from fitontest.typing import FloatArray, IntArray

FIT = 3  # the stream of random numbers, beside those of intervals and bands
FIT_DRAWS = 80  # labellings of a fit test
FEWEST = 100  # rows, below which no fit is tested


@dataclass(frozen=True)
class FitTest:
    """Whether a map fits the labels, and the place of the scale at which it fits worst."""

    p_value: float
    scale: int


def run_fit_test(family: str, g: FloatArray, redraws: ScoreRedraws, seed: int) -> FitTest | None:
    """Return whether a map fits the labels, with the family refitted to labels that are drawn from the map."""
    entries = redraws.entries
    pairs = EntryPairs.of(entries)
    if pairs.windows.rows < FEWEST or entries.first.size == 1:
        return None
    observed = pairs.windows.statistics(pairs.of_units(redraws.observed[1]), pairs.from_entries(g))
    drawn = []
    for block in redraws.blocks(FIT_DRAWS):
        (labels,) = redraws.draw([g], block, (seed, FIT))
        drawn.append(
            pairs.windows.statistics(pairs.of_units(labels), pairs.at_units(refitted(family, entries, labels)))
        )
    values = np.concatenate(drawn, axis=1)
    spread = values.std(axis=1, ddof=1)
    if not spread.max() > 0:
        return None
    mean, spread = values.mean(axis=1)[:, None], np.where(spread > 0, spread, np.inf)[:, None]
    worst = (observed - mean) / spread
    as_bad = int(np.count_nonzero(((values - mean) / spread).max(axis=0) >= worst.max()))
    return FitTest((1 + as_bad) / (1 + FIT_DRAWS), int(np.argmax(worst)))


def refitted(family: str | Family, entries: Entries, labels: IntArray) -> FloatArray:
    """Return the maps of several labellings at the distinct scores, within [0, 1], shape (G, B)."""
    with without_warnings():
        return np.clip(read_family(family).fit_many(entries, labels).at(), 0.0, 1.0)


def fit_at_points(family: Any, redraws: Redraws) -> FloatArray:
    """Return a family's map of the real labels at the points, within [0, 1], or a map there as it is."""
    with without_warnings():
        c_hat = family if hasattr(family, "evaluate") else fit_map_to(redraws.observed_sample(), family)
        return np.asarray(np.clip(c_hat.evaluate(redraws.points), 0.0, 1.0))
