"""A checked sample: all labels, scores and weights enter the package through this module.

A `ScoreSample` is checked once and never changes. It keeps the rows as they came; the sorted rows and the pooled
groups of tied scores are made on demand, once, because sorting takes time that not every result needs (binning
by equal width never does).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import as_column, hint_of_scores, in_unit_interval, to_real
from fitontest.data.class_rows import ClassRows
from fitontest.data.columns import NAMES, Columns, Names
from fitontest.data.labels import is_binary_coded, read_labels
from fitontest.data.ordering import DistinctScores, Rows, pooled, sorted_rows
from fitontest.data.row_groups import GROUP, RowGroups, coded_ids, places_of_rows, ranks_of_groups
from fitontest.data.sample import Sample, taken
from fitontest.data.weights import Weighting, Weights, WeightType
from fitontest.numerics.distances import Distances
from fitontest.numerics.losses import find_loss
from fitontest.numerics.random import folds_of_groups, repeated_folds
from fitontest.numerics.rounding import without_rounding
from fitontest.numerics.search import BLOCK
from fitontest.results.checks import brief, is_whole
from fitontest.results.text import count, short
from fitontest.results.typing import ArrayInput, BoolArray, FloatArray, IntArray, Label, RandomState

REPEATS = "repeats"  # where a sample remembers what `Repeats` tell of its rows


@dataclass(frozen=True, eq=False, init=False, repr=False)
class ScoreSample(Sample):
    """Checked labels, scores and weights of two classes, which every function takes in place of arrays.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes: bool, {0, 1}, {-1, 1}, or any values with `pos_label`.
    y_prob : array-like of shape (n,)
        Predicted probabilities of the positive class, in [0, 1].
    sample_weight : array-like of shape (n,), optional
        Finite non-negative weights with a positive sum. A row of weight 0 is absent.
    weights : {"auto", "counts", "importances"}, default="auto"
        What the weights mean: of counts a row of weight 2 is that row twice, of importances the scale means nothing.
        "auto": counts where all are whole numbers of at most 10 on average, else importances; see `read_weights`.
    pos_label : bool, int, float or str, optional
        The positive class.
    names : Names, optional
        What the caller calls the arguments, for error messages.
    reduction : str, optional
        What made scores of one class of a matrix, for the results to tell.

    Attributes
    ----------
    p, y, w : float64 arrays of shape (n,), read-only
        Scores, labels (0.0 or 1.0) and weights (a constant view of ones without `sample_weight`).
    n : int
        Number of rows of positive weight.
    total : float
        Sum of the weights.
    base_rate : float
        Weighted share of positives.
    unit, whole : bool
        Whether all weights are one, whether weights count rows.
    doubtful : bool
        Whether the weights are whole numbers that "auto" took for importances, because they are large.
    said : bool
        Whether the user said what the weights mean.
    weighting : Weighting or None
        What the weights were taken for, in numbers; None of rows of weight one.
    w2 : float64 array of shape (n,)
        Squared weights; of whole weights, which count rows, the weights themselves.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found: NaN, infinite or missing values, scores outside [0, 1],
        more than two classes, lengths that differ, indices of pandas in another order, empty input, negative weights or
        weights without a positive finite sum, arguments that look swapped.

    Notes
    -----
    A float64 column is not copied: ten million rows need no second copy of themselves. Do not change the array while
    a sample of it is in use.

    Examples
    --------
    >>> sample = ScoreSample([0, 1, 1], [0.2, 0.2, 0.9])
    >>> sample.n, sample.total
    (3, 3.0)
    >>> sample.distinct.p, sample.distinct.wy
    (array([0.2, 0.9]), array([1., 1.]))
    """

    classes = None  # one score has no columns
    n_classes = 2
    has_one_score = True
    has_distributions = False
    aggregated: bool  # whether entries stand for many rows, which only `rows` and `distinct` know
    has_pooled_scores: bool  # whether entries stand for rows whose scores differ, at their mean
    doubtful: bool
    said: bool
    is_sorted: bool
    _scores: NDArray[Any]
    _labels: NDArray[Any]
    weights: Weights | None  # None where all are one
    reduction: str | None

    def __init__(
        self,
        y_true: ArrayInput,
        y_prob: ArrayInput,
        sample_weight: ArrayInput = None,
        *,
        pos_label: Label | None = None,
        names: Names = NAMES,
        weights: WeightType = "auto",
        reduction: str | None = None,
    ) -> None:
        columns = Columns.read(y_true, y_prob, sample_weight, weights=weights, names=names)
        self._read(columns, y_prob, pos_label, reduction)

    @classmethod
    def of_columns(cls, columns: Columns, y_prob: ArrayInput, pos_label: Label | None = None) -> Self:
        """Return the sample of columns that have been read, and their scores.

        Parameters
        ----------
        columns : Columns
            Labels, weights and facts.
        y_prob : array-like of shape (n,)
            Scores of the positive class, in [0, 1].
        pos_label : label, optional
            The positive class.
        """
        sample = object.__new__(cls)
        sample._read(columns, y_prob, pos_label)
        return sample.with_facts(**columns.facts)

    def _read(
        self, columns: Columns, y_prob: ArrayInput, pos_label: Label | None, reduction: str | None = None
    ) -> None:
        labels, names = columns.labels, columns.names
        scores = as_column(y_prob, names.y_prob, hint_of_scores)
        coded = pos_label is None and is_binary_coded(labels)
        if not coded:
            _refuse_swapped(labels, scores, names.of_sample)
        scores = to_real(scores, names.y_prob)
        columns.check_length(scores)
        scores = in_unit_interval(scores, names.y_prob)
        classes: list[Any] = []
        if not coded:
            labels, classes = read_labels(labels, names.y_true, pos_label)
        self._fill(scores, labels, columns.weights)
        object.__setattr__(self, "reduction", reduction)
        if len(classes) > 2:
            object.__setattr__(self, "class_rows", ClassRows(positive=brief(pos_label)))

    def _fill(self, scores: NDArray[Any], labels: NDArray[Any], read: Weights | None) -> None:
        weights = None if read is None or bool(np.all(read.w == 1.0)) else replace(read, w=_frozen(read.w))
        put = object.__setattr__  # the dataclass is frozen: these are the only assignments there will be
        put(self, "_scores", _frozen(scores))
        put(self, "_labels", _frozen(labels))
        put(self, "weights", weights)
        put(self, "unit", weights is None)
        put(self, "whole", read is None or read.counts)
        put(self, "doubtful", read is not None and read.doubtful)
        put(self, "said", read is not None and read.said)
        put(self, "is_sorted", False)
        put(self, "reduction", None)
        put(self, "aggregated", False)
        put(self, "has_pooled_scores", False)
        put(self, "n", scores.size if weights is None else int(np.count_nonzero(weights.w)))
        put(self, "total", float(scores.size if weights is None else weights.w.sum()))

    def either(self, of_scores: Any, of_distributions: Any) -> Any:  # noqa: ARG002 - the other is of distributions
        """Return what serves one score in each row."""
        return of_scores

    @property
    def of_weight(self) -> Self:
        """The sample itself, whose `rows` leave out those of weight 0."""
        return self

    @property
    def confidence(self) -> Self:
        """The sample itself, of one score in each row."""
        return self

    @cached_property
    def p(self) -> FloatArray:  # type: ignore[override]
        """Scores as float64."""
        return _frozen(self._scores.astype(np.float64, copy=False))

    @cached_property
    def y(self) -> FloatArray:
        """Labels as float64, 0.0 or 1.0."""
        return _frozen(self._labels.astype(np.float64, copy=False))

    @cached_property
    def w(self) -> FloatArray:  # type: ignore[override]
        """Weights as float64; all ones take no memory."""
        return np.broadcast_to(np.float64(1.0), self._scores.shape) if self.weights is None else self.weights.w

    @property
    def weighting(self) -> Weighting | None:  # type: ignore[override]
        """Whether weights were taken for counts or importances; None where rows have no weights."""
        if self.unit or (self.whole and self.total == self.n):
            return None
        if self.class_rows.tied and not self.class_rows.weighted:  # the note on ties says what is split
            return None
        copies = self.whole and not self.said and getattr(self.memory.get(REPEATS), "are_unnamed_copies", False)
        kind = "counts" if self.whole else "importances"
        return Weighting(kind, self.n, self.total, self.effective_rows, copies)  # type: ignore[arg-type]

    @property
    def rows_note(self) -> str:  # type: ignore[override]
        """What must be known of the rows before something is concluded from them, or ""."""
        return "; ".join(filter(None, (self.class_rows.note, getattr(self.memory.get(REPEATS), "note", ""))))

    @cached_property
    def rows(self) -> Rows:
        """Rows of positive weight, sorted by score.

        The order is that of (p, y, w).
        """
        if self.weights is None:
            return sorted_rows(self.p, self._labels, None, whole=True)
        present = self.w > 0
        return sorted_rows(self.p[present], self._labels[present], self.w[present], whole=self.whole)

    @cached_property
    def distinct(self) -> DistinctScores:
        """The distinct scores in increasing order, with the weights and labels of all rows that share one."""
        found = pooled(self.rows, unit=self.unit)
        return found if self.rows_each is None else replace(found, n=self.rows_each)

    @cached_property
    def row_weight(self) -> float:  # type: ignore[override]
        """The weight that counts as one row.

        1 for whole weights, which are repetitions. The scale of other weights, which are importances, means nothing:
        they count as (sum w)^2 / sum w^2 rows in all.
        """
        if self.whole:
            return 1.0
        if self.aggregated:
            return float(self.rows.w2.sum() / self.rows.w.sum())
        w = self.rows.w / self.rows.w.max()  # keeps squares within the range of floats; in an order of its own
        return float(self.rows.w.max() * (w @ w) / w.sum())

    @property
    def is_pooled(self) -> bool:
        """Whether the rows have been grouped by score already, so that sums over groups cost next to nothing.

        That is whether `distinct` is there.
        """
        return "distinct" in self.__dict__

    @cached_property
    def base_rate(self) -> float:  # type: ignore[override]
        """Weighted share of positives."""
        return int(np.count_nonzero(self._labels)) / self.n if self.unit else float(self.w @ self.y / self.total)

    @cached_property
    def mean_score(self) -> float:
        """Weighted mean of the scores, the same in any order of the rows."""
        return float(self.rows.w @ self.rows.p / self.rows.w.sum())

    @cached_property
    def mean_residual(self) -> float:
        """Weighted mean of label less score, 0 where it is rounding alone."""
        rows = self.rows
        return without_rounding(
            float(rows.w @ (rows.y - rows.p)) / float(rows.w.sum()), self.base_rate + self.mean_score
        )

    @property
    def effective_rows(self) -> float:
        """How many rows of weight one would tell as much (effective sample size).

        Those that whole weights count, or (sum w)^2 / sum w^2.
        """
        return self.total / self.row_weight

    @cached_property
    def decided(self) -> bool:  # type: ignore[override]
        """Whether every score of positive weight is 0 or 1: a decision, not a probability."""
        if self.unit and 0 < self._scores[0] < 1:  # as in most samples
            return False
        return all(_decided(p if w is None else p[w > 0]) for p, _, w in self.blocks())

    def blocks(self) -> Iterator[tuple[FloatArray, FloatArray, FloatArray | None]]:
        """Yield (p, y, w) in float64 pieces that fit the cache, for one pass over the rows in their own order.

        The weights are None when all are one. No float64 copy of a whole column is made.
        """
        for start in range(0, self._scores.size, BLOCK):
            piece = slice(start, start + BLOCK)
            yield (
                self._scores[piece].astype(np.float64, copy=False),
                self._labels[piece].astype(np.float64, copy=False),
                None if self.weights is None else self.w[piece],
            )

    @cached_property
    def present(self) -> Self:  # type: ignore[override]
        """The sorted rows of positive weight."""
        if self.is_sorted:
            return self
        weights = Weights(self.rows.w, self.whole, self.doubtful, self.said)
        facts = taken(self.facts, self._order) if self.facts else self.facts
        return sample_of_columns(self.rows.y, self.rows.p, weights, is_sorted=True, rows=self.rows, facts=facts)  # type: ignore[return-value]

    @property
    def _order(self) -> IntArray:
        """Which of the rows as they stand each entry of `rows` is; equal rows in the order of their groups."""
        present = np.flatnonzero(self.w > 0)
        order = present[np.lexsort((self.w[present], self.y[present], self.p[present]))]
        if GROUP not in self.facts:
            return order
        place = places_of_rows(self.p[order], self.y[order], self.w[order])
        if place[-1] == place.size - 1:
            return order
        code = coded_ids(self.facts[GROUP][order])[1]
        return order[np.lexsort((ranks_of_groups(code, place)[code], place))]

    def _find_groups(self) -> RowGroups:
        """Return the groups of the sorted rows."""
        rows = self.rows
        behind = np.rint(rows.w).astype(np.intp) if self.whole else rows.n
        return RowGroups.of(self.present.facts[GROUP], places_of_rows(rows.p, rows.y, rows.w), behind, rows.w)

    def take(self, rows: BoolArray | IntArray) -> Self:
        """Return the data of chosen sorted rows.

        They are unchecked because these were checked.

        Parameters
        ----------
        rows : bool array of shape (m,) or int array
            Which entries of `rows`: a mask, or their positions in increasing order.
        """
        own, weights = self.rows, Weights(self.rows.w[rows], self.whole, self.doubtful, self.said)
        facts = taken(self.present.facts, rows) if self.facts else self.facts
        return sample_of_columns(own.y[rows], own.p[rows], weights, is_sorted=True, facts=facts)  # type: ignore[return-value]

    def in_repeated_folds(
        self, cv: int, repeats: int, random_state: RandomState
    ) -> tuple["ScoreSample", list[list[IntArray]]]:
        """Return the sample with the folds of several cross-validations; the first are those of `in_folds`.

        The folds are those of `fitontest.numerics.random.held_out_rows`. Copies of a row, which a whole weight counts,
        share a fold, unless the sample is that of `fitontest.data.counted_sample.count_rows`. Rows of one group share a
        fold.

        Parameters
        ----------
        cv : int
            Number of folds, at most n.
        repeats : int
            How often folds are drawn, at least 1.
        random_state : int, RandomState or None
            Of the folds; the same seed draws the same ones.

        Returns
        -------
        sample : ScoreSample
            The sample itself.
        folds : list of lists of int arrays
            For each repeat positions, ascending, of the sorted rows that each fold holds out.
        """
        if self.groups is not None:
            return self, folds_of_groups(self.groups.code, cv, repeats, random_state)
        known = self.memory.get(folds_key(cv, repeats, random_state))  # of single rows that are parts of entries
        return known or (self, repeated_folds(len(self.rows), cv, repeats, random_state))

    @property
    def merged(self) -> Self:
        """The data with rows of the same score and label as one of their summed weight.

        Only where entries stand for many rows.
        """
        return self

    def select(self, rows: BoolArray | IntArray, *, weighted: bool = True) -> "ScoreSample":
        """Return the sample of the chosen rows as they were given, of any weight and in any order.

        Parameters
        ----------
        rows : bool array of shape (n,) or int array
            Which of the rows.
        weighted : bool, default=True
            Whether they keep their weights; else each has weight one.
        """
        w = replace(self.weights, w=self.w[rows]) if weighted and self.weights is not None else None
        part = ScoreSample(self.y[rows], self.p[rows], w, reduction=self.reduction)
        return part.with_facts(**taken(self.facts, rows))

    def rescored(self, p: FloatArray) -> "ScoreSample":
        """Return the data with other scores in [0, 1] for the sorted rows, unchecked.

        Parameters
        ----------
        p : array of shape (m,)
            Scores in [0, 1], one for each entry of `rows`.
        """
        rows = self.rows
        sample = ScoreSample(rows.y, p, Weights(rows.w, self.whole, self.doubtful, self.said))
        return sample.with_facts(**self.present.facts)

    def fit(self, family: Any) -> Any:
        """Return the calibration map that fits the rows best.

        Parameters
        ----------
        family : Family
            Of two classes; it stays unfitted.
        """
        return family.fit_map(self.merged)

    def distances(self, c_hat: Any, between: Any) -> Distances:  # noqa: ARG002 - the signature of every sample
        """Return how far the calibrated probability of each row lies from its score.

        That is |c_hat(p_i) - p_i| of every row, or one value for rows that are equally far.

        Parameters
        ----------
        c_hat : CalibrationMap
            Of two classes.
        between : callable
            Unused: a score has one distance.
        """
        distances: Distances = c_hat.distances(self)
        return distances

    def predict(self, c_hat: Any, rows: BoolArray | IntArray | None = None) -> FloatArray:
        """Return the calibrated scores of the rows as they stand, in [0, 1].

        Parameters
        ----------
        c_hat : CalibrationMap
            Of two classes.
        rows : bool or int array, optional
            Which of them; by default all.
        """
        p = self.p if rows is None else self.p[rows]
        return np.asarray(np.clip(c_hat.evaluate(p), 0.0, 1.0))

    def losses(self, name: str, predictions: FloatArray | None = None) -> FloatArray:
        """Return the loss of each row as it stands.

        Parameters
        ----------
        name : {"log_loss", "brier"}
            The loss.
        predictions : array of shape (m,), optional
            By default the scores.
        """
        return find_loss(name, "loss")(self.y, self.p if predictions is None else predictions)

    def hold_out(self, family: Any, folds: Sequence[IntArray]) -> FloatArray:
        """Return out-of-fold calibrated values: for each sorted row that of a map fitted without its fold.

        They may leave [0, 1].
        """
        return family.hold_out(self, folds)  # type: ignore[no-any-return]

    @property
    def codes(self) -> NDArray[Any]:  # type: ignore[override]
        """The labels, 0.0 or 1.0."""
        return self.y

    @staticmethod
    def of_rows(rows: Rows, *, whole: bool) -> "ScoreSample":
        """Return the data of rows that are checked and sorted already.

        They are single rows, in the order of (p, y, w).

        Parameters
        ----------
        rows : Rows
            Columns p in [0, 1], y in {0, 1} and w.
        whole : bool
            Whether weights count rows.
        """
        return sample_of_columns(rows.y, rows.p, Weights(rows.w, whole), is_sorted=True, rows=rows)

    @cached_property
    def memory(self) -> dict[str, Any]:
        """Values computed from the data that may be wanted again, by name."""
        return {}

    def __repr__(self) -> str:
        weights = "" if self.unit else f", total weight {count(self.total)}"
        return f"{type(self).__name__}(n={self.n:,}{weights}, share of positives {short(self.base_rate)})"


def sample_of_columns(
    labels: NDArray[Any], scores: NDArray[Any], weights: Weights | None, **attributes: Any
) -> ScoreSample:
    """Return the sample of columns that have been checked, which stay as they are.

    Parameters
    ----------
    labels : array of shape (n,)
        False and True, or 0 and 1.
    scores : array of shape (n,)
        In [0, 1].
    weights : Weights or None
    **attributes
        What else is known of the sample, such as its facts.
    """
    sample = object.__new__(ScoreSample)
    sample._fill(scores, labels, weights)
    for name, value in attributes.items():
        object.__setattr__(sample, name, value)
    return sample


def as_importances(sample: ScoreSample) -> ScoreSample:
    """Return the same rows with weights that are importances."""
    weights = Weights(sample.w, counts=False, said=True)
    return sample_of_columns(sample.y, sample.p, weights, reduction=sample.reduction, facts=sample.facts)


def folds_key(cv: int, repeats: int, random_state: RandomState) -> str:
    """Return what the folds of these settings are called in the memory of a sample; "" where a seed is no number."""
    return f"folds {cv!r} {repeats!r} {int(random_state)}" if is_whole(random_state) else ""


def refuse_pooled_scores(sample: Sample, name: str) -> None:
    """Raise ValueError where entries stand for rows whose scores differ; `name` is of what needs every score."""
    if sample.has_pooled_scores:
        raise ValueError(
            f"{name} must have every score, and cells keep one for all rows of a cell, got cells whose scores differ; "
            "Cells made with exact=True keep every score"
        )


def _refuse_swapped(labels: NDArray[Any], scores: NDArray[Any], names: tuple[str, str, str]) -> None:
    """Raise when the second argument reads like labels and the first like probabilities."""
    if labels.dtype.kind not in "fui" or is_binary_coded(labels) or not np.isfinite(labels).all():
        return
    labels_like_scores = np.all((labels >= 0) & (labels <= 1)) or np.unique(labels).size > 2
    scores_like_labels = scores.dtype.kind in "USOb" or is_binary_coded(scores) or _is_two_valued(scores)
    if labels_like_scores and scores_like_labels:
        raise ValueError(
            f"{names[0]} and {names[1]} look swapped: {names[0]} must hold the labels of two classes, got values "
            f"such as {labels[0]!s}, and {names[1]} the probabilities, got values such as {scores[0]!s}"
        )


def _decided(p: FloatArray) -> bool:
    return bool(np.all((p == 0.0) | (p == 1.0)))


def _is_two_valued(scores: NDArray[Any]) -> bool:
    """Return whether there are exactly two values and one is outside [0, 1]; two tied scores within it are normal."""
    return bool(scores.dtype.kind in "fui" and np.any((scores < 0) | (scores > 1)) and np.unique(scores).size == 2)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
