"""Predictions as they are, a distribution over K classes in each row: what ``reduction="canonical"`` reads."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from fitontest.checks import choose
from fitontest.data.arrays import check_same_length
from fitontest.data.class_rows import ClassRows
from fitontest.data.predictions import (
    NAMES,
    REDUCTIONS,
    ClassSamples,
    Columns,
    Names,
    Predictions,
    ReadBefore,
    Reduction,
    read_classes,
    read_data,
)
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex import on_simplex
from fitontest.data.weights import Weighting, Weights
from fitontest.numerics.row_order import order_of_rows
from fitontest.typing import ArrayInput, BoolArray, FloatArray, IntArray, Label

CANONICAL = "canonical"  # the reduction that reduces nothing
AnyReduction: TypeAlias = Reduction | Literal["canonical"]


class Labelling(NamedTuple):
    """Labels of entries that stand for several rows: how many rows of which entry have which label.

    Attributes
    ----------
    at : int array of shape (m,)
        Entries; one whose rows have several labels is named once for each.
    codes : int array of shape (m,)
        Columns of the classes of the labels.
    w : array of shape (m,)
        How many rows.
    """

    at: IntArray
    codes: IntArray
    w: FloatArray


@dataclass(frozen=True, eq=False)
class SimplexSample:
    """Distributions over K classes with their labels and weights, checked.

    Attributes
    ----------
    classes : list of length K
        The class of each column.
    p : array of shape (n, K)
        Rows on the simplex.
    codes : int array of shape (n,)
        The column of the class of each row's label.
    w : array of shape (n,)
        Weights, 1 each where none were given.
    whole : bool
        Whether weights count rows.
    rows : int array of shape (n,)
        Which of the rows given each row is.
    names : Names
        What the caller calls the arguments.
    """

    classes: list[Label]
    p: FloatArray
    codes: IntArray
    w: FloatArray
    whole: bool
    rows: IntArray
    names: Names

    @classmethod
    def of(cls, predictions: Predictions) -> "SimplexSample":
        """Return the predictions after a check that their rows add up to 1, within a thousandth."""
        p, names = on_simplex(predictions.scores, predictions.names.y_prob), predictions.names
        w, whole = np.broadcast_to(np.float64(1.0), p.shape[:1]), True
        if predictions.sample_weight is not None:
            w, whole = predictions.sample_weight.w, predictions.sample_weight.counts
            check_same_length(**{names.y_true: predictions.codes, names.sample_weight: w})
        return cls(predictions.classes, p, predictions.codes, w, whole, np.arange(p.shape[0]), names)

    @classmethod
    def of_rows(cls, rows: ClassRows, names: Names = NAMES) -> "SimplexSample":
        """Return rows of positive weight that have been checked already."""
        n = rows.codes.size
        w = np.broadcast_to(np.float64(1.0), (n,)) if rows.w is None else rows.w
        return cls(rows.classes, rows.probabilities, rows.codes, w, rows.whole, np.arange(n), names)

    def __len__(self) -> int:
        return self.codes.size

    @property
    def n_classes(self) -> int:
        """K."""
        return len(self.classes)

    @cached_property
    def n(self) -> int:
        """Number of rows of positive weight."""
        return int(np.count_nonzero(self.w))

    @cached_property
    def total(self) -> float:
        """Sum of the weights."""
        return float(self.w.sum())

    @property
    def w2(self) -> FloatArray:
        """Squared weights; of whole weights, which count rows, the weights themselves."""
        return self.w if self.whole else self.w * self.w

    @cached_property
    def unit(self) -> bool:
        """Whether all weights are one."""
        return bool(np.all(self.w == 1.0))

    @property
    def weights(self) -> Weights | None:
        """The weights with their meaning; None where all are one."""
        return None if self.unit else Weights(self.w, self.whole)

    @property
    def rows_note(self) -> str:
        """What must be known of the rows where something is concluded from them, or ""."""
        return self.confidence.rows_note if "confidence" in self.__dict__ else ""

    @cached_property
    def weighting(self) -> Weighting | None:
        """What the weights were taken for; None of rows of weight one."""
        if self.unit:
            return None
        effective = self.total if self.whole else self.total**2 / float(self.w @ self.w)
        return Weighting("counts" if self.whole else "importances", self.n, self.total, effective)

    @property
    def counted(self) -> float:
        """How many rows there are, the copies that whole weights stand for included."""
        return self.total if self.whole else float(self.n)

    @property
    def base_rate(self) -> None:
        """There is none of several classes."""
        return

    @cached_property
    def decided(self) -> bool:
        """Whether all rows of positive weight are decisions, of scores 0 and 1."""
        p = self.p[self.w > 0]
        return bool(np.all((p == 0.0) | (p == 1.0)))

    @cached_property
    def confidence(self) -> ScoreSample:
        """The largest score of each row, and whether the first class that has it is the label."""
        return ScoreSample(self.p.argmax(axis=1) == self.codes, np.minimum(self.p.max(axis=1), 1.0), self.weights)

    @property
    def onehot(self) -> FloatArray:
        """The labels as distributions, shape (n, K)."""
        return np.eye(self.n_classes)[self.codes]

    def take(self, rows: IntArray | BoolArray) -> "SimplexSample":
        """Return the chosen rows."""
        return replace(self, p=self.p[rows], codes=self.codes[rows], w=self.w[rows], rows=self.rows[rows])

    def with_codes(self, codes: IntArray) -> "SimplexSample":
        """Return the same rows with other labels."""
        return replace(self, codes=codes)

    def labelled(self, labelling: Labelling) -> "SimplexSample":
        """Return the rows of whole weight with the labels that their copies have, an entry for each label."""
        return replace(self.take(labelling.at), codes=labelling.codes, w=labelling.w)

    def pooled(self, keys: IntArray | None = None) -> "SimplexSample":
        """Return one entry for equal rows of whole weights, which add up; of other weights all rows.

        The rows must be in order (`in_order`), so that equal ones are neighbours. The label of an entry means nothing.

        Parameters
        ----------
        keys : int array of shape (n,), optional
            Rows of different keys are not equal.
        """
        if not self.whole:
            return self
        new = np.concatenate(([True], np.any(self.p[1:] != self.p[:-1], axis=1)))
        group = np.cumsum(new) - 1
        if keys is not None:
            group = np.unique(np.stack((group, keys)), axis=1, return_inverse=True)[1].reshape(-1)
        n_groups = int(group.max()) + 1
        if n_groups == len(self):
            return self
        first, rows = np.zeros(n_groups, dtype=np.intp), np.zeros(n_groups, dtype=np.intp)
        first[group[::-1]] = np.arange(len(self))[::-1]
        np.maximum.at(rows, group, self.rows)
        w = np.bincount(group, self.w, n_groups).astype(np.float64)
        return replace(self, p=self.p[first], codes=self.codes[first], w=w, rows=rows)

    def counted_out(self) -> "SimplexSample":
        """Return the rows without those of weight 0; whole weights become copies of the row, of weight 1 each."""
        if self.unit:
            return self
        if not self.whole:
            return self.take(self.w > 0)
        chosen = self.take(np.repeat(np.arange(len(self)), self.w.astype(np.intp)))
        return replace(chosen, w=np.broadcast_to(np.float64(1.0), chosen.codes.shape))

    def in_order(self) -> "SimplexSample":
        """Return the rows of positive weight in an order of their own.

        It does not depend on the order in which the rows arrived; and on that of the classes, and on the labels, only
        where rows hold the same scores.
        """
        order = order_of_rows(np.sort(self.p, axis=1), self.p, self.codes.astype(np.float64), self.w)
        return self.take(order[self.w[order] > 0])

    @property
    def class_rows(self) -> ClassRows:
        """The rows of positive weight, as families of several classes are fitted to them."""
        kept = self if self.w.min() > 0 else self.take(self.w > 0)
        return ClassRows(kept.p, kept.codes, None if kept.unit else kept.w, kept.classes, whole=self.whole)


def read_any(
    columns: Columns,
    reduction: str | None,
    labels: ArrayInput = None,
    pos_label: Label | None = None,
    names: Names = NAMES,
) -> ScoreSample | ClassSamples | SimplexSample:
    """Return what (y_true, y_prob, sample_weight) are under any reduction, "canonical" included."""
    if reduction is not None:
        choose(reduction, (*REDUCTIONS, CANONICAL), names.reduction)
    if reduction != CANONICAL:
        return read_data(columns, reduction, labels, pos_label, names)
    if pos_label is not None:
        raise ValueError(f"{names.pos_label} must be None with {names.reduction}={reduction!r}, got {pos_label!r}")
    if isinstance(columns[0], ReadBefore):
        raise ValueError(
            f"{names.reduction} must be left out where {names.y_true} is {type(columns[0]).__name__}, which do not "
            f"hold whole distributions; got {reduction!r}"
        )
    return SimplexSample.of(read_classes(columns, labels, names))
