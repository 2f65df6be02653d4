"""Whether a map fits the labels of a sample: the pair statistic of their distance, under labels drawn from the map."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fitontest.data.entries import Entries, count_effective_rows
from fitontest.data.redraws import Redraws
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.families.base import Family, read_family
from fitontest.families.reading import fit_map_to
from fitontest.measures.pairs import EntryPairs
from fitontest.numerics.significance.drawn_p_value import DrawnPValue
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import FloatArray, IntArray

FIT = 3  # the stream of random numbers, beside those of intervals and bands
LEVEL = 0.05  # of the test
FIT_DRAWS = 80  # labellings of a fit test
MOST_DRAWS = 640  # where so few do not tell the p-value from the level
FEWEST = 100  # rows, below which no fit is tested


@dataclass(frozen=True)
class FitTest:
    """Whether a map fits the labels, and the place of the scale at which it fits worst."""

    drawn: DrawnPValue
    scale: int

    @property
    def p_value(self) -> float:
        """How often labels that are drawn from the map are as far from the map that is fitted to them."""
        return self.drawn.value


def run_fit_test(family: str, g: FloatArray, pairs: EntryPairs, redraws: ScoreRedraws, seed: int) -> FitTest | None:
    """Return whether a map fits the labels, with the family refitted to labels that are drawn from the map.

    Parameters
    ----------
    family : str
    g : array of shape (m,)
        The map of the real labels, fitted as it is to the redrawn ones (`fit_at_entries`).
    pairs : EntryPairs
        The pair statistic of the entries that it is tested by.
    redraws : ScoreRedraws
    seed : int
    """
    if count_effective_rows(redraws.entries) < FEWEST or redraws.entries.first.size == 1:
        return None
    observed = pairs.windows.statistics(pairs.of_units(redraws.observed[1]), pairs.from_entries(g))
    values = _drawn_statistics(family, g, pairs, redraws, range(FIT_DRAWS), seed)
    test = _ranked(observed, values)
    while test is not None and test.drawn.leaves_open(LEVEL) and test.drawn.draws < MOST_DRAWS:
        draws = range(test.drawn.draws, 2 * test.drawn.draws)
        values = np.append(values, _drawn_statistics(family, g, pairs, redraws, draws, seed), axis=1)
        test = _ranked(observed, values)
    return test


def _drawn_statistics(
    family: str, g: FloatArray, pairs: EntryPairs, redraws: ScoreRedraws, draws: range, seed: int
) -> FloatArray:
    """Return the pair statistic at every scale of labels that are drawn from g less their own map, shape (R, B)."""
    entries, drawn = redraws.entries, []
    for block in redraws.blocks(draws):
        (labels,) = redraws.draw([g], block, (seed, FIT))
        c_star = pairs.at_units(refitted(family, entries, labels))
        drawn.append(pairs.windows.statistics(pairs.of_units(labels), c_star))
    return np.concatenate(drawn, axis=1)


def _ranked(observed: FloatArray, values: FloatArray) -> FitTest | None:
    """Return the rank of the largest standardised statistic among those of the draws; None where none varies."""
    spread = values.std(axis=1, ddof=1)
    if not spread.max() > 0:
        return None
    mean, spread = values.mean(axis=1)[:, None], np.where(spread > 0, spread, np.inf)[:, None]
    worst = (observed - mean) / spread
    as_bad = int(np.count_nonzero(((values - mean) / spread).max(axis=0) >= worst.max()))
    return FitTest(DrawnPValue(as_bad, values.shape[1]), int(np.argmax(worst)))


def refitted(family: str | Family, entries: Entries, labels: IntArray) -> FloatArray:
    """Return the maps of several labellings at the distinct scores, within [0, 1], shape (G, B)."""
    with without_warnings():
        return np.clip(read_family(family).fit_many(entries, labels).at(), 0.0, 1.0)


def fit_at_entries(family: str, redraws: ScoreRedraws) -> FloatArray:
    """Return the map of the real labels at the entries, fitted as it is to redrawn ones.

    Folds of pooled rows hold out whole entries, and those of the rows themselves do not: of calibrated scores a map of
    the other folds is refuted in 17 % of sets of 100,000 rows.
    """
    entries = redraws.entries
    return np.asarray(refitted(family, entries, redraws.observed[1])[entries.place, 0])


def fit_at_points(family: Any, redraws: Redraws) -> FloatArray:
    """Return a family's map of the real labels at the points, within [0, 1], or a map there as it is."""
    with without_warnings():
        c_hat = family if hasattr(family, "evaluate") else fit_map_to(redraws.observed_sample(), family)
        return np.asarray(np.clip(c_hat.evaluate(redraws.points), 0.0, 1.0))
