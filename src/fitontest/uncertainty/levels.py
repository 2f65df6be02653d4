"""Levels: the means of neighbouring rows, where the true map is rougher than maps of a family can follow."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.data.score_redraws import ScoreRedraws
from fitontest.measures.pairs import EntryPairs
from fitontest.results.typing import BoolArray, FloatArray

FEW = 0.1  # share of the rows, below which an error is taken for one of few rows
CLEAR = 3.5  # standard errors by which the mean label of near rows is clear of the scores, of any of many windows
TOLD = 10.0  # mean square of errors by that of the noise of local means, from which these tell the signs of errors
NOISE = 6  # the stream of random numbers, beside those of intervals, bands and fit tests
NOISE_DRAWS = 100  # labellings that tell how much local means of rows that belong together vary
LEAST_SIGNAL = 1.0 / 20.0  # share of the squares of local means that is taken for error, at least


@dataclass(frozen=True, eq=False)
class Levels:
    """The means of neighbouring rows of one sample, as far as they are no noise.

    Parameters
    ----------
    redraws : ScoreRedraws
    smooth : array of shape (m,)
        A spline at the entries, about which the levels lie.
    pairs : EntryPairs
        The pair statistic whose windows hold as many events each.
    scale : int
        The place of the scale over which means are taken.
    """

    redraws: ScoreRedraws
    smooth: FloatArray
    pairs: EntryPairs
    scale: int

    @classmethod
    def of(cls, redraws: ScoreRedraws, smooth: FloatArray, pairs: EntryPairs, worst: int) -> "Levels":
        """Return the levels at the finest scale that tells errors from noise, at most that where the spline fits worst.

        Noise is found worst in wide windows, which smooth jumps away. Of rows that belong together the pairs of one
        group would pass for error at small scales.

        Parameters
        ----------
        redraws : ScoreRedraws
        smooth : array of shape (m,)
        pairs : EntryPairs
        worst : int
            The place of the scale where the spline fits worst.
        """
        if redraws.is_dependent:
            return cls(redraws, smooth, pairs, worst)
        windows, g = pairs.windows, pairs.from_entries(smooth)
        w = windows.n * windows.mass
        positives = pairs.of_units(redraws.observed[1])
        for scale in range(worst):
            noise = float(w @ windows.local_means(g, g * (1.0 - g), scale)[1] / w.sum())
            if float(windows.statistic(positives, pairs.p, scale)[0]) >= TOLD * noise:
                return cls(redraws, smooth, pairs, scale)
        return cls(redraws, smooth, pairs, worst)

    @cached_property
    def at_entries(self) -> FloatArray:
        """The means of neighbouring rows as far as they are no noise, at the entries: about the spline, or the scores.

        Where a few rows hold all of the error, it is of the scores, and of the rows whose mean is clear of them alone:
        the noise of all other rows would pass for error.
        """
        windows, p = self.pairs.windows, self.pairs.p
        if self.few_rows is not None:
            h, noise = self._residuals(p)
            return self.pairs.to_entries(np.where(_clear(h, noise), np.clip(p + windows.variance * h, 0.0, 1.0), p))
        g = self.pairs.from_entries(self.smooth)
        h, noise = self._residuals(g)
        w = windows.n * windows.mass
        squares = float(w @ h**2 / w.sum())
        signal = max(float(w @ (h**2 - noise) / w.sum()), LEAST_SIGNAL * squares)
        total = signal + noise
        levels = g + windows.variance * h * np.divide(signal, total, out=np.zeros_like(total), where=total > 0)
        return self.pairs.to_entries(np.clip(levels, 0.0, 1.0))

    @cached_property
    def few_rows(self) -> float | None:
        """The share of the rows that are clear of their scores, where the error is theirs alone; None elsewhere.

        It has to be theirs whether rows are counted, or masses and errors by how much labels vary: errors of the same
        share of all rare probabilities are the largest for a few rows, and so small an error as .1 is the whole of a
        score near 0.
        """
        windows, v = self.pairs.windows, self.pairs.windows.variance
        h, noise = self._residuals(self.pairs.p)
        rows = windows.n * windows.each
        if not (_are_of_few(windows.n * windows.mass, h, noise) and _are_of_few(rows, v * h, v * v * noise)):
            return None
        return float(rows @ _clear(h, noise) / rows.sum()) or None

    @property
    def are_of_single_groups(self) -> bool:
        """Whether most rows are in levels that single groups have alone: these tell nothing of other groups."""
        entries = self.redraws.entries
        if entries.group is None:
            return False
        level = self.pairs.levels(self.scale)
        size = int(entries.group.max()) + 1
        groups = np.bincount(np.unique(level * size + entries.group) // size)
        rows = np.bincount(level, entries.n)
        return bool(rows[(groups == 1) & (rows > 1)].sum() > rows.sum() / 2.0)

    def _residuals(self, g: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean label less g near each unit, by how much labels vary there, and the variance of that mean.

        They are those of one scale.
        """
        windows = self.pairs.windows
        mean_label = self.pairs.of_units(self.redraws.observed[1])[:, 0] / windows.n
        h, noise = windows.local_means(mean_label - g, g * (1.0 - g), self.scale)
        return h, self._noise_of_groups(g) if self.redraws.is_dependent else noise

    def _noise_of_groups(self, g: FloatArray) -> FloatArray:
        """Return the variance of these means where labels of rows that belong together depend on each other."""
        windows, squares = self.pairs.windows, np.zeros(g.size)
        for block in self.redraws.blocks(NOISE_DRAWS):
            (labels,) = self.redraws.draw([self.pairs.to_entries(g)], block, (NOISE,))
            for mean_label in (self.pairs.of_units(labels) / windows.n[:, None]).T:
                squares += windows.local_means(mean_label - g, g * (1.0 - g), self.scale)[0] ** 2
        return squares / NOISE_DRAWS


def _are_of_few(w: FloatArray, h: FloatArray, noise: FloatArray) -> bool:
    """Return whether errors are of less than a tenth of the weight.

    With the variance v of the local mean h, the means of h^2 - v and h^4 - 6 h^2 v + 3 v^2 estimate those of d^2 and
    d^4. The square of the one by the other is the share of the weight of an error that is level where it is not 0.
    """
    w = w / float(w.sum())
    second, fourth = float(w @ (h**2 - noise)), float(w @ (h**4 - 6.0 * h**2 * noise + 3.0 * noise**2))
    return second > 0 and fourth > 0 and second**2 < FEW * fourth


def _clear(h: FloatArray, noise: FloatArray) -> BoolArray:
    return np.asarray((h != 0.0) & (h**2 > CLEAR**2 * noise))
