"""Maps of one family fitted to many labellings of the same scores: what `Family.fit_many` returns."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_sample import ScoreSample
from fitontest.maps.base import CalibrationMap
from fitontest.results.typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Fits:
    """The maps fitted to each labelling, one after the other, when they are asked for.

    Parameters
    ----------
    fit_map : callable
        `Family.fit_map` of the family.
    entries : Entries
        Sorted scores.
    positives : int array of shape (m, B)
        How many of the rows behind each entry are positive, in each labelling.

    Attributes
    ----------
    shared : bool
        Of the class: whether the labellings share most of the work.
    """

    shared: ClassVar[bool] = False

    fit_map: Callable[[ScoreSample], CalibrationMap]
    entries: Entries
    positives: IntArray

    def at(self, scores: FloatArray | None = None) -> FloatArray:
        """Return the values of the maps, shape (scores, B).

        Parameters
        ----------
        scores : array, optional
            Scores in [0, 1]; by default the distinct scores that the maps are fitted to.
        """
        at = self.entries.distinct_p if scores is None else scores
        values = np.empty((at.size, self.positives.shape[1]))
        for column, c_hat in enumerate(self.maps()):
            values[:, column] = c_hat.evaluate(at)
        return values

    def maps(self) -> Iterator[CalibrationMap]:
        """Yield the maps."""
        return (self.fit_map(self.entries.sample(labelling)) for labelling in self.positives.T)


@dataclass(frozen=True, eq=False)
class SharedFits(Fits):
    """Fits whose values are computed for all labellings at once.

    Parameters
    ----------
    fit_map, entries, positives
        As for `Fits`.
    own_values : callable
        Of entries and positives: the values at the distinct scores, shape (G, B). They must be those of `fit_map`.
    values_at : callable, optional
        Of entries, positives and other scores: the values there. By default the maps are fitted one by one.
    """

    shared: ClassVar[bool] = True

    own_values: Callable[[Entries, IntArray], FloatArray]
    values_at: Callable[[Entries, IntArray, FloatArray], FloatArray] | None = None

    def at(self, scores: FloatArray | None = None) -> FloatArray:
        """Return the values of the maps, shape (scores, B), as `Fits.at` does."""
        if scores is None:
            return self.own_values(self.entries, self.positives)
        if self.values_at is None:
            return super().at(scores)
        return self.values_at(self.entries, self.positives, scores)
