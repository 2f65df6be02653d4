"""All rows of segments in the order of their scores, as the labels of all of them are redrawn together.

Rows of one score in one part, as cells of them are, are one entry with so many labels: what is drawn depends neither on
the order of the rows nor on whether a weight of 2 is two rows.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fitontest.data.dependence import Dependence, SharedNumbers
from fitontest.data.parts import countable
from fitontest.data.row_groups import GROUP, RowGroups
from fitontest.data.row_labels import RowLabels
from fitontest.data.samples import Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.results.typing import BoolArray, FloatArray, IntArray
from fitontest.segments.features.rows import FeatureRows

ROUNDING = 1e-12  # relative, of sums of weights


@dataclass(frozen=True, eq=False)
class SegmentEntries:
    """Entries of the parts that segments are made of.

    Attributes
    ----------
    p, w, w2, wy : arrays of shape (m,)
        Scores in increasing order, weights, squared weights, and the weight of the positives.
    count : int array of shape (m,)
        Labels of each entry.
    part : int array of shape (m,)
        Which part it is of.
    groups : RowGroups or None
        Which rows belong together.
    members : tuple of tuples of int
        The parts of each segment.
    """

    p: FloatArray
    w: FloatArray
    w2: FloatArray
    wy: FloatArray
    count: IntArray
    part: IntArray
    groups: RowGroups | None
    members: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, segments: Samples) -> "SegmentEntries":
        """Return the entries of segments, which may overlap.

        Importances are in units of one row, since their scale means nothing.
        """
        unions = segments.unions
        parts = list((segments if unions is None else unions.parts).values())
        members = tuple((place,) for place in range(len(parts))) if unions is None else unions.members
        grouped = segments.whole.groups is not None
        each = [_columns(part, grouped=grouped) for part in parts]
        part = np.repeat(np.arange(len(parts)), [columns[0].size for columns in each])
        p, w, w2, wy, count = (np.concatenate([columns[k] for columns in each]) for k in range(5))
        unit = segments.whole.row_weight
        w, w2, wy = w / unit, w2 / unit / unit, wy / unit
        order = np.lexsort((wy, part, p))
        groups = None
        if grouped:
            ids = np.concatenate([sample.present.facts[GROUP] for sample in parts])
            order = np.lexsort((w, wy, part, p))
            groups = RowGroups.of(ids[order], np.arange(order.size), count[order], w[order])
        return cls(p[order], w[order], w2[order], wy[order], count[order], part[order], groups, members)

    @classmethod
    def of_rows(cls, rows: FeatureRows, part: IntArray, members: tuple[tuple[int, ...], ...]) -> "SegmentEntries":
        """Return the entries of rows with features.

        Parameters
        ----------
        rows : FeatureRows
            As `FeatureRows.canonical` orders them.
        part : int array of shape (n,)
            Which part each row is of.
        members : tuple of tuples of int
            The parts of each segment.
        """
        order = np.lexsort((rows.y, part, rows.q))
        rows, part = rows.take(order), part[order]
        groups = None
        if rows.groups is not None:
            groups = RowGroups.of(rows.groups, np.arange(len(rows)), rows.copies, rows.w)
        return cls(rows.q, rows.w, rows.w2, rows.w * rows.y, rows.copies, part, groups, members)

    @cached_property
    def contradicted(self) -> BoolArray:
        """Whether a label of each entry contradicts its score of exactly 0 or 1."""
        short = self.wy < self.w * (1.0 - ROUNDING)
        return np.asarray((self.p == 0.0) & (self.wy > 0.0) | (self.p == 1.0) & short)

    def __len__(self) -> int:
        return self.p.size

    @cached_property
    def rows(self) -> list[IntArray]:
        """The entries of each segment, ascending."""
        by_part = np.argsort(self.part, kind="stable")
        ends = np.cumsum(np.bincount(self.part, minlength=1 + max(map(max, self.members))))
        of_part = np.split(by_part, ends[:-1])
        return [np.sort(np.concatenate([of_part[part] for part in of])) for of in self.members]

    def labels(self, q: FloatArray, dependence: Dependence | None) -> RowLabels:
        """Return the labels of all entries to be drawn.

        Parameters
        ----------
        q : array of shape (m,)
            Probabilities that they are drawn from.
        dependence : Dependence or None
            How alike labels of a group are.
        """
        shared = None
        if self.groups is not None and dependence is not None and not dependence.too_few:
            shared = SharedNumbers.of(self.groups.code, q, self.w, self.count, dependence)
        count = None if bool(np.all(self.count == 1)) else self.count
        return RowLabels(q, self.w, count, shared)


def _columns(sample: ScoreSample, *, grouped: bool) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, IntArray]:
    """Return p, w, w2, wy and the number of labels of the entries of a part."""
    if sample.whole and not grouped:
        distinct = sample.distinct
        return distinct.p, distinct.w, distinct.w2, distinct.wy, distinct.w.astype(np.intp)
    rows = sample.rows
    count = np.rint(rows.w).astype(np.intp) if sample.whole else countable(rows, whole=False)
    return rows.p, rows.w, rows.w2, rows.w * rows.y, count
