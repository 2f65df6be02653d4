"""Samples whose entries stand for many rows of one score and label, as cells and labels drawn for tied scores do."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.data.ordering import Rows
from fitontest.data.parts import countable, cut, merged, order_of_scores
from fitontest.data.sample import NO_FACTS, Facts, Sample, taken
from fitontest.data.score_sample import ScoreSample, folds_key
from fitontest.data.weights import Weights
from fitontest.numerics.random import counted_folds
from fitontest.results.typing import BoolArray, FloatArray, IntArray, RandomState


@dataclass(frozen=True, eq=False, init=False, repr=False)
class CountedSample(ScoreSample):
    """Entries in increasing order of the scores that stand for many rows each.

    Parameters
    ----------
    entries : Rows
        Sorted by (p, y, w), with the rows behind each entry and their squared weights.
    whole : bool
        Whether weights count rows.
    has_pooled_scores : bool
        Whether entries stand for rows whose scores differ, at their mean.
    doubtful : bool
        Whether the weights are whole numbers that "auto" took for importances.
    facts : mapping
        Columns with an entry for each of the entries.

    Attributes
    ----------
    entries, has_pooled_scores
        As above; all others are those of `ScoreSample`. p, y and w are those of the entries, n is the number of rows.
    """

    entries: Rows

    def __init__(
        self,
        entries: Rows,
        *,
        whole: bool,
        has_pooled_scores: bool = False,
        doubtful: bool = False,
        facts: Facts = NO_FACTS,
    ) -> None:
        super()._fill(entries.p, entries.y, Weights(entries.w, whole, doubtful))
        put = object.__setattr__
        put(self, "entries", entries)
        put(self, "has_pooled_scores", has_pooled_scores)
        put(self, "facts", facts)
        put(self, "is_sorted", True)
        put(self, "n", int(entries.n.sum()))
        put(self, "aggregated", not entries.single)
        put(self, "unit", self.unit and entries.single)

    @property
    def n_cells(self) -> int:
        """How many cells the rows were reduced to; 0 of rows that are kept, as those are that ties split."""
        return len(np.unique(self.p)) if self.split is None else 0

    @property
    def rows(self) -> Rows:
        """The entries."""
        return self.entries

    @property
    def w2(self) -> FloatArray:
        """Sums of the squared weights of the rows behind each entry."""
        return self.entries.w2 if self.aggregated or not self.whole else self.w

    def take(self, rows: BoolArray | IntArray) -> ScoreSample:  # type: ignore[override]
        """Return the sample of the chosen entries: a mask, or their positions in increasing order."""
        return sample_of_rows(self.entries.at(rows), whole=self.whole, facts=taken(self.facts, rows))

    def in_repeated_folds(  # type: ignore[override]
        self, cv: int, repeats: int, random_state: RandomState
    ) -> tuple[ScoreSample, list[list[IntArray]]]:
        """Return the sample with the folds of several cross-validations; the first are those of `in_folds`.

        An entry is cut into at most cv parts, one for each fold that holds out some of its rows; the numbers of rows
        have the law that they have where the rows are dealt to the folds one by one. Entries are cut by the folds of
        all repeats, of which there may be at most 4.

        Parameters
        ----------
        cv, repeats, random_state
            See `ScoreSample.in_repeated_folds`.

        Returns
        -------
        sample : ScoreSample
            The same rows, with an entry for each part.
        folds : list of lists of int arrays
            For each repeat positions, ascending, of the entries that each fold holds out.
        """
        if self.groups is not None:  # which entries do not share, so that none is cut
            return super().in_repeated_folds(cv, repeats, random_state)
        key = folds_key(cv, repeats, random_state)
        if key in self.memory:
            known: tuple[ScoreSample, list[list[IntArray]]] = self.memory[key]
            return known
        if not self.aggregated:
            return super().in_repeated_folds(cv, repeats, random_state)
        units = countable(self.entries, whole=self.whole)
        drawn = counted_folds(units, cv, repeats, random_state)
        rows, fold, entry = cut(self.entries, units, drawn, whole=self.whole)
        parts = sample_of_rows(rows, whole=self.whole, facts=taken(self.facts, entry))
        folds = [[np.flatnonzero(each == number) for number in range(int(each.max()) + 1)] for each in fold]
        if key:  # the parts know their folds: the same settings cut them no further
            self.memory[key] = parts.memory[key] = parts, folds
        return parts, folds

    @cached_property
    def merged(self) -> ScoreSample:  # type: ignore[override]
        """The sample with entries of one score and label as one; those that facts tell apart stay apart."""
        rows = self.entries if self.facts else merged(self.entries, whole=self.whole)
        return self if rows is self.entries else sample_of_rows(rows, whole=self.whole)

    def rescored(self, p: FloatArray) -> ScoreSample:  # type: ignore[override]
        """Return the sample with other scores in [0, 1] for the entries, unchecked."""
        order = order_of_scores(self.entries, p)
        old = self.entries.at(order)
        rows = Rows(p[order] + 0.0, old.y, old.w, old.n, old.w2)
        return sample_of_rows(rows, whole=self.whole, facts=taken(self.facts, order))


def sample_of_rows(rows: Rows, *, whole: bool, facts: Facts = NO_FACTS) -> ScoreSample:
    """Return the sample of entries that are sorted by (p, y, w) already, unchecked.

    Parameters
    ----------
    rows : Rows
        Columns p in [0, 1], y in {0, 1} and w, with the rows behind each entry.
    whole : bool
        Whether weights count rows.
    facts : mapping of str to arrays
        Of the entries.
    """
    if not rows.single:
        return CountedSample(rows, whole=whole, facts=facts)
    return ScoreSample.of_rows(rows, whole=whole).with_facts(**facts)


def count_rows(sample: Sample) -> Sample:
    """Return the sample whose rows of whole weight stand for the rows that they count, as different ones.

    Held out with its copies, a row would be missing from the others, and what is held out would look worse. Equal
    distributions share a fold whatever their weights, and a sample of them stays as it is.
    """
    if not isinstance(sample, ScoreSample) or sample.aggregated or sample.unit or not sample.whole:
        return sample
    rows = sample.rows
    entries = Rows(rows.p, rows.y, rows.w, rows.w.astype(np.intp), rows.w)
    return sample_of_rows(entries, whole=True, facts=sample.present.facts).merged
