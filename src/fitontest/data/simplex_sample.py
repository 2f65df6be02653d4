"""Predictions as they are, a distribution over K classes in each row: what ``reduction="canonical"`` reads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from fitontest.data.arrays import check_same_length
from fitontest.data.columns import NAMES, Names
from fitontest.data.predictions import REDUCTIONS, Predictions, Reduction
from fitontest.data.row_groups import GROUP, RowGroups, places_of_rows
from fitontest.data.sample import NO_FACTS, Facts, Sample, changed, taken
from fitontest.data.samples import ClassSamples
from fitontest.data.score_sample import REPEATS, ScoreSample
from fitontest.data.simplex import on_simplex
from fitontest.data.top_label import TopLabels
from fitontest.data.weights import Weighting, Weights
from fitontest.numerics.distances import Distances
from fitontest.numerics.losses import find_loss
from fitontest.numerics.random import check_cv, folds_of_groups
from fitontest.numerics.row_order import order_of_rows
from fitontest.numerics.softmax import softmax
from fitontest.results.exceptions import without_warnings
from fitontest.results.text import count
from fitontest.results.typing import BoolArray, FloatArray, IntArray, Label, RandomState

CANONICAL: Final = "canonical"  # the reduction that reduces nothing
AnyReduction: TypeAlias = Reduction | Literal["canonical"]
ALL_REDUCTIONS: tuple[str, ...] = (*REDUCTIONS, CANONICAL)


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


@dataclass(frozen=True, eq=False, repr=False)
class SimplexSample(Sample):
    """Distributions over K classes with their labels and weights, checked.

    Attributes
    ----------
    scores : array of shape (n, K)
        Rows on the simplex, or with `logs` logits of which the softmax is meant. Probabilities stay as they are,
        because zeros are common among them and each kind of map has a rule of its own for those.
    codes : int array of shape (n,)
        The column of the class of each row's label.
    classes : list of length K
        The class of each column.
    weights : Weights or None
        The weights with their meaning; None where all are one.
    names : Names
        What the caller calls the arguments.
    logs : bool
        Whether `scores` are logits: logarithms of probabilities, up to a number in each row.
    facts : mapping of str to array of shape (n,) or more
        Columns that belong to the rows and travel with them.
    chosen : bool
        Whether the rows were chosen of others. Weights of one are written out then: sums over them round otherwise.
    """

    scores: FloatArray
    codes: IntArray
    classes: list[Label]
    weights: Weights | None = None
    names: Names = NAMES
    logs: bool = False
    facts: Facts = field(default_factory=lambda: NO_FACTS)
    reduction = CANONICAL
    base_rate = None  # several classes have none
    has_one_score = False
    has_distributions = True
    chosen: bool = False

    @classmethod
    def of(cls, predictions: Predictions, *, logs: bool = False) -> "SimplexSample":
        """Return the predictions after a check that their rows add up to 1, within a thousandth, unless class by class.

        Parameters
        ----------
        predictions : Predictions
        logs : bool, default=False
            Whether the scores are logits; these are not checked.
        """
        names, w = predictions.names, predictions.sample_weight
        p = predictions.scores if logs or cls.by_class else on_simplex(predictions.scores, names.y_prob)
        if w is not None:
            check_same_length(**{names.y_prob if logs else names.y_true: predictions.codes, names.sample_weight: w.w})
        sample = cls(p, predictions.codes, predictions.classes, w, names, logs, predictions.facts)
        return changed(sample, class_rows=predictions.about) if cls.by_class else sample

    def __len__(self) -> int:
        return self.codes.size

    def __repr__(self) -> str:
        weights = "" if self.unit else f", total weight {count(self.total)}"
        return f"{type(self).__name__}(n={self.n:,}{weights}, {self.n_classes} classes)"

    def either(self, of_scores: Any, of_distributions: Any) -> Any:  # noqa: ARG002 - the other is of scores
        """Return what serves distributions."""
        return of_distributions

    @property
    def n_classes(self) -> int:  # type: ignore[override]
        """K."""
        return int(self.scores.shape[1])

    @property
    def p(self) -> FloatArray:  # type: ignore[override]
        """The rows as points of the simplex."""
        return softmax(self.scores) if self.logs else self.scores

    @cached_property
    def w(self) -> FloatArray:  # type: ignore[override]
        """Weights; all ones take no memory before rows are chosen."""
        if self.weights is not None:
            return self.weights.w
        return np.ones(self.codes.size) if self.chosen else np.broadcast_to(np.float64(1.0), self.codes.shape)

    @property
    def whole(self) -> bool:  # type: ignore[override]
        """Whether weights count rows."""
        return self.weights is None or self.weights.counts

    @cached_property
    def unit(self) -> bool:  # type: ignore[override]
        """Whether all weights are one."""
        return self.weights is None or bool(np.all(self.w == 1.0))

    @cached_property
    def n(self) -> int:  # type: ignore[override]
        """Number of rows of positive weight."""
        return self.codes.size if self.weights is None else int(np.count_nonzero(self.w))

    @cached_property
    def total(self) -> float:  # type: ignore[override]
        """Sum of the weights."""
        return float(self.codes.size if self.weights is None else self.w.sum())

    @property
    def counted(self) -> float:
        """How many rows there are, the copies that whole weights stand for included."""
        return self.total if self.whole else float(self.n)

    @property
    def rows_note(self) -> str:  # type: ignore[override]
        """What must be known of the rows where something is concluded from them, or ""."""
        return getattr(self.confidence.memory.get(REPEATS), "note", "") if "confidence" in self.__dict__ else ""

    @cached_property
    def weighting(self) -> Weighting | None:  # type: ignore[override]
        """What the weights were taken for; None of rows of weight one."""
        if self.unit or (self.whole and self.total == self.n):  # rows of weight 0 are absent
            return None
        effective = self.total if self.whole else self.total**2 / float(self.w @ self.w)
        return Weighting("counts" if self.whole else "importances", self.n, self.total, effective)

    @cached_property
    def decided(self) -> bool:  # type: ignore[override]
        """Whether all rows of positive weight are decisions, of scores 0 and 1."""
        p = self.p[self.w > 0]
        return bool(np.all((p == 0.0) | (p == 1.0)))

    @cached_property
    def confidence(self) -> ScoreSample:
        """The largest score of each row, and how often its class is the label."""
        return TopLabels(self.p, self.codes, self.weights, self.facts).sample(self.class_rows)

    def against_each_rest(self) -> ClassSamples:
        """Return the samples of each class against the rest."""
        return ClassSamples.of(self.classes, self.against_rest, self, self.scores.size)

    def against_rest(self, column: int) -> ScoreSample:
        """Return one class against the rest, as a sample of two classes."""
        scores = np.ascontiguousarray(self.p[:, column])
        sample = ScoreSample(self.codes == column, scores, self.weights, names=self.names)
        return sample.with_facts(**self.facts)

    @property
    def of_weight(self) -> "SimplexSample":
        """The rows of positive weight, as `present` has them."""
        return self.present

    @property
    def merged(self) -> "SimplexSample":
        """The rows of positive weight, each of which is one row."""
        return self.present

    @property
    def rows(self) -> "SimplexSample":
        """The rows of positive weight, as `present` has them."""
        return self.present

    @cached_property
    def present(self) -> "SimplexSample":  # type: ignore[override]
        """The rows of positive weight, in the order in which they stand."""
        rows = self if self.n == len(self) else self.take(self.w > 0)
        return replace(rows, weights=None if rows.unit else rows.weights, chosen=True)

    def distances(self, g: Any, between: Callable[[FloatArray, FloatArray], FloatArray]) -> Distances:
        """Return d(g(p_i), p_i) of every row.

        Parameters
        ----------
        g : MulticlassMap
            The map of distributions.
        between : callable
            The distance d.
        """
        g.check_columns(self.p, self.names.y_prob)
        g.check_classes(self.classes, f"the classes of {self.names.y_prob}")
        return Distances(between(g.evaluate(self.p), self.p), self.w, self.w2)

    def take(self, rows: IntArray | BoolArray) -> "SimplexSample":
        """Return the chosen rows."""
        weights = None if self.weights is None else replace(self.weights, w=self.w[rows])
        scores, codes, facts = self.scores[rows], self.codes[rows], taken(self.facts, rows)
        return replace(self, scores=scores, codes=codes, weights=weights, facts=facts, chosen=True)

    def select(self, rows: IntArray | BoolArray, *, weighted: bool = True) -> "SimplexSample":
        """Return the chosen rows, of any weight and in any order, or with weight one each."""
        return self.take(rows) if weighted else replace(self.take(rows), weights=None)

    def rescored(self, p: FloatArray) -> "SimplexSample":
        """Return the same rows with other probabilities, unchecked."""
        return replace(self, scores=p, logs=False)

    def in_order(self) -> "SimplexSample":
        """Return the rows of positive weight in an order of their own.

        It does not depend on the order in which the rows arrived; and on that of the classes, and on the labels, only
        where rows hold the same scores.
        """
        order = order_of_rows(np.sort(self.p, axis=1), self.p, self.codes.astype(np.float64), self.w)
        return self.take(order[self.w[order] > 0])

    def in_repeated_folds(
        self, cv: int, repeats: int, random_state: RandomState
    ) -> tuple["SimplexSample", list[list[IntArray]]]:
        """Return the sample with the folds of several cross-validations, none where all rows are the same one.

        Equal rows share a fold, as the copies that a weight stands for do. The folds are drawn over the distinct rows
        in an order that depends neither on that of the rows nor, unless rows are equal up to the order of their
        entries, on that of the classes.

        Parameters
        ----------
        cv : int
            Number of folds.
        repeats : int
            How often folds are drawn, at least 1.
        random_state : int, RandomState or None
            Of the folds; the same seed draws the same ones.
        """
        if self.groups is not None:
            return self, folds_of_groups(self.groups.code, cv, repeats, random_state)
        check_cv(cv)
        kind = _equal_rows(self.scores, self.codes)
        if int(kind.max()) < 1:
            return self, [[] for _ in range(repeats)]
        return self, folds_of_groups(kind, cv, repeats, random_state)

    def _find_groups(self) -> RowGroups:
        """Return the groups of the rows of positive weight."""
        rows = self.present
        kind = _equal_rows(rows.scores, rows.codes)
        order = np.lexsort((rows.w, kind))
        place = np.empty(order.size, dtype=np.intp)
        place[order] = places_of_rows(kind[order].astype(np.float64), rows.w[order])
        counts = np.rint(rows.w).astype(np.intp) if rows.whole else np.ones(order.size, dtype=np.intp)
        return RowGroups.of(rows.facts[GROUP], place, counts, np.asarray(rows.w))

    @cached_property
    def row_weight(self) -> float:  # type: ignore[override]
        """The weight that counts as one row."""
        return 1.0 if self.whole else float(self.w @ self.w) / self.total

    def hold_out(self, family: Any, folds: Sequence[IntArray]) -> FloatArray:
        """Return the values, shape (n, K), of maps of the rows that were fitted without their fold."""
        rows = self.present
        values = np.full(rows.scores.shape, np.nan)
        with without_warnings():
            for held_out in folds:
                fitted = np.ones(len(rows), dtype=bool)
                fitted[held_out] = False
                values[held_out] = rows.predict(rows.take(fitted).fit(family), held_out)
        return values

    def fit(self, family: Any) -> Any:
        """Return the calibration map of an unfitted family of several classes that fits the rows best."""
        return family.fit_map(self.present)

    def predict(self, c_hat: Any, rows: BoolArray | IntArray | None = None) -> FloatArray:
        """Return the calibrated probabilities of the rows, or of chosen ones."""
        return np.asarray(c_hat.on_simplex(self.p if rows is None else self.p[rows]))

    def losses(self, name: str, predictions: FloatArray | None = None) -> FloatArray:
        """Return the loss of each row by its probabilities, or by others in their place."""
        return find_loss(name, "loss")(self.codes, self.p if predictions is None else predictions)


def _equal_rows(scores: FloatArray, codes: IntArray) -> IntArray:
    """Return a number for each row, the same for equal rows, in an order of their own."""
    own = scores[np.arange(codes.size), codes]
    ranked = -np.sort(-scores, axis=1)
    columns = np.column_stack([ranked, own, scores, codes])
    order = np.lexsort(columns.T[::-1])
    new = np.any(columns[order[1:]] != columns[order[:-1]], axis=1)
    group = np.empty(order.size, dtype=np.intp)
    group[order] = np.concatenate([[0], np.cumsum(new)])
    return group


def written_out(rows: SimplexSample) -> SimplexSample:
    """Return the rows without those of weight 0; whole weights become copies of the row, of weight 1 each."""
    if rows.unit:
        return rows
    if not rows.whole:
        return rows.take(rows.w > 0)
    copies = rows.take(np.repeat(np.arange(len(rows)), rows.w.astype(np.intp)))
    return replace(copies, weights=None, chosen=False)
