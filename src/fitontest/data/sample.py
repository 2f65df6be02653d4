"""A sample: rows that keep what is known of them, of one score or of a distribution over several classes each.

Measures, families, redrawn labels and comparisons take samples. What differs between a score and a distribution is
behind the members of this class, so that nothing above asks which kind it holds.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import check_same_length
from fitontest.data.class_rows import NOT_OF_CLASSES, ClassRows
from fitontest.data.group_hint import NO_HINT, GroupHint
from fitontest.data.row_groups import GROUP, GroupSizes, RowGroups
from fitontest.data.weights import Weighting
from fitontest.numerics.norms import l1
from fitontest.results.typing import BoolArray, FloatArray, IntArray, Label, RandomState

Facts = Mapping[str, NDArray[Any]]
NO_FACTS: Facts = {}
S = TypeVar("S", bound="Sample")
COMPUTED = {"memory", "present", "merged", "confidence", "named_groups"}  # of a sample, of which copies are not kept


class Sample(ABC):
    """Checked rows: predictions, labels and weights, and whatever else is known of each row.

    Positions of rows, as `take` and folds have them, are those of `present`: the rows of positive weight, scores in
    increasing order, distributions in the order in which they were given. Of a sample of distributions that has rows of
    weight 0, take them of `present`.

    Attributes
    ----------
    p : array of shape (m,) or (m, K)
        Predictions.
    classes : list or None
        The class of each column of a distribution; None of one score.
    n : int
        Rows of positive weight.
    total : float
        Sum of the weights.
    w, w2 : arrays of shape (m,)
        Weights and squared weights; of whole weights, which count rows, both are the weights.
    unit, whole : bool
        Whether all weights are one, whether they count rows.
    base_rate : float or None
        Weighted share of positives; None: several classes have no base rate.
    row_weight : float
        The weight that counts as one row: 1 of whole weights, else sum w^2 / sum w.
    codes : array of shape (m,)
        The labels: 0.0 or 1.0, or the columns of their classes.
    aggregated, has_pooled_scores : bool
        Whether entries stand for many rows, and for rows whose scores differ, at their mean.
    decided : bool
        Whether all predictions of positive weight are 0 or 1: decisions, not probabilities.
    by_class : bool
        Whether the classes are judged one by one, each against the rest.
    resolution : None
        Of cells that rows were put into; a sample keeps its rows.
    weighting : Weighting or None
        What the weights were taken for; None of rows of weight one.
    rows_note : str
        What must be known of the rows where something is concluded from them, or "".
    present : Sample
        The rows of positive weight in the order that positions of rows mean.
    reduction : str or None
        What made the rows of a matrix of scores; None of a column of scores.
    groups : RowGroups or None
        Which rows belong together; None where rows are independent.
    kind : None
        What the keys of several samples are, see `Samples`; None of one.
    is_by_class, is_by_segment : bool
        Whether there are several samples, by class or by segment: False.
    segments : None
        The samples by segment; None of one sample.
    each_class : dict
        The samples of the classes, where these are judged one by one: empty.
    has_one_score, has_distributions : bool
        Whether a row has one score, or whole distributions.
    n_classes : int
        2 of one score, else the number of columns.
    of_weight : Sample
        The rows as they stand, of distributions without those of weight 0, which `rows` of scores leave out.
    merged : Sample
        These rows with entries of the same score and label as one, where entries stand for many rows.
    rows : Rows or Sample
        The rows of positive weight, in the order of `present`, with columns p, w and w2.
    confidence : ScoreSample
        One score in each row: its own, or the largest one with how often its class is the label.
    facts : mapping of str to array of shape (m,) or more
        Columns that belong to the rows and travel with them, such as "cell", "group", "truth", "time" and "score2".
    hint : GroupHint
        What names groups where the rows were read, and which column looks like one of them.
    class_rows : ClassRows
        What is to be known of the rows of a score for each class that they were made of; nothing of other rows.
    split : SplitRows or None
        The rows as they were given, where some are split between tied classes; n counts these.
    rows_each : int array of shape (G,) or None
        The rows of each distinct score, where some are split.
    """

    classes: list[Label] | None
    n: int
    total: float
    unit: bool
    whole: bool
    w: FloatArray
    row_weight: float
    p: FloatArray
    base_rate: float | None
    decided: bool
    weighting: Weighting | None
    rows_note: str
    present: Self
    by_class: bool = False
    resolution: ClassVar[None] = None
    aggregated: bool = False
    has_pooled_scores: bool = False
    codes: NDArray[Any]
    facts: Facts = NO_FACTS
    hint: GroupHint = NO_HINT
    class_rows: ClassRows = NOT_OF_CLASSES
    split: Any = None
    rows_each: IntArray | None = None
    reduction: str | None
    kind: ClassVar[None] = None
    is_by_class: ClassVar[bool] = False
    is_by_segment: ClassVar[bool] = False
    segments: ClassVar[None] = None
    each_class: ClassVar[Mapping[Any, Any]] = {}
    has_one_score: ClassVar[bool]
    has_distributions: ClassVar[bool]
    n_classes: int
    rows: Any
    confidence: Any
    of_weight: Any
    merged: Any

    @abstractmethod
    def either(self, of_scores: Any, of_distributions: Any) -> Any:
        """Return what serves one score in each row, or what serves distributions: the one place that tells them apart.

        Parameters
        ----------
        of_scores, of_distributions : object
            Such as two functions of a sample, the second of which takes those of whole distributions.
        """

    @property
    def all_rows(self) -> Self:
        """The data of all rows together, without segments: these."""
        return self

    @property
    def judged_together(self) -> Self:
        """The rows that one verdict is of: these."""
        return self

    def against_each_rest(self) -> Any:
        """Return the samples of each class against the rest; None of one score."""
        return None

    @property
    def shared(self) -> Self:
        """The data that hold the weights of all rows: these."""
        return self

    @property
    def size(self) -> int:
        """Number of predictions that are measured: one for each row."""
        return self.n

    @property
    def why_not_whole(self) -> str:
        """Why weights do not count rows, where they do not."""
        return "rows are split between tied classes" if self.class_rows.split else "the weights are importances"

    @cached_property
    def w2(self) -> FloatArray:
        """Squared weights, or where weights are counts of rows, the weights themselves."""
        return self.w if self.whole else self.w * self.w

    @cached_property
    def named_groups(self) -> RowGroups | None:
        """The groups that the rows of `present` belong to, or None where none were named."""
        return self._find_groups() if GROUP in self.facts else None

    @property
    def n_cells(self) -> int:
        """The length of the table of counts that the rows were reduced to: 0 of rows that are kept."""
        return 0

    @property
    def by_group(self) -> bool:
        """Whether groups were named, if only of single rows."""
        return self.named_groups is not None

    @property
    def groups(self) -> RowGroups | None:
        """The groups that the rows of `present` belong to; None where rows are independent.

        That is where no groups were named, or each of them is a single row.
        """
        named = self.named_groups
        return None if named is None or named.are_single else named

    @property
    def group_sizes(self) -> GroupSizes | None:
        """How many groups were named, of how many rows; None where none were."""
        named = self.named_groups
        if named is None:
            return None
        count, known = len(named.of_columns), self.hint.combined
        columns = known if len(known) == count else tuple(f"part {place + 1}" for place in range(count))
        return replace(named.sizes, columns=columns)

    @abstractmethod
    def _find_groups(self) -> RowGroups:
        """Return the groups of the rows of `present`, whose fact says them."""

    @abstractmethod
    def take(self, rows: BoolArray | IntArray) -> Self:
        """Return the chosen rows of `present`: a mask, or positions in increasing order."""

    @abstractmethod
    def select(self, rows: BoolArray | IntArray, *, weighted: bool = True) -> "Sample":
        """Return the chosen rows as they were given, of any weight and in any order, or with weight one each."""

    @abstractmethod
    def rescored(self, p: FloatArray) -> Self:
        """Return the rows of `present` with other predictions."""

    @abstractmethod
    def in_repeated_folds(self, cv: int, repeats: int, random_state: RandomState) -> tuple[Self, list[list[IntArray]]]:
        """Return the sample with the folds of several cross-validations, as positions held out.

        Entries that stand for many rows are cut by the folds, so that the sample returned may have other entries.

        Parameters
        ----------
        cv : int
            Number of folds.
        repeats : int
            How often folds are drawn, at least 1.
        random_state : int, RandomState or None
            Of the folds; the same seed draws the same ones.

        Returns
        -------
        sample : Sample
            The same rows, with an entry for each part.
        folds : list of lists of int arrays
            For each repeat positions, ascending, of the entries that each fold holds out; no fold of distributions
            that are all equal.
        """

    def in_folds(self, cv: int, random_state: RandomState) -> tuple[Self, list[IntArray]]:
        """Return the sample with the folds of one cross-validation.

        Parameters
        ----------
        cv : int
            Number of folds.
        random_state : int, RandomState or None
            Of the folds; the same seed draws the same ones.

        Returns
        -------
        sample, folds
            As of `in_repeated_folds`, of the one repeat.
        """
        sample, repeats = self.in_repeated_folds(cv, 1, random_state)
        return sample, repeats[0]

    @abstractmethod
    def fit(self, family: Any) -> Any:
        """Return the calibration map that fits the rows best, for an unfitted family of calibration maps."""

    @abstractmethod
    def predict(self, c_hat: Any, rows: BoolArray | IntArray | None = None) -> FloatArray:
        """Return what a calibration map makes of the predictions as they stand, or of chosen ones."""

    @abstractmethod
    def losses(self, name: str, predictions: FloatArray | None = None) -> FloatArray:
        """Return the loss of each row as it stands, by its predictions or by others in their place.

        Parameters
        ----------
        name : {"log_loss", "brier"}
        predictions : array of the shape of `p`, optional
        """

    def mean_loss(self, name: str, c_hat: Any = None) -> float:
        """Return the weighted mean loss of the predictions, or of what a calibration map makes of them.

        Parameters
        ----------
        name : {"brier", "log_loss"}
            The loss.
        c_hat : CalibrationMap or MulticlassMap, optional
            By default the predictions are judged as they are.
        """
        return l1(self.losses(name, None if c_hat is None else self.predict(c_hat)), self.w)

    def in_order(self) -> Self:
        """Return the rows in an order of their own, whatever the one in which they arrived; scores are taken sorted."""
        return self

    @abstractmethod
    def hold_out(self, family: Any, folds: Sequence[IntArray]) -> FloatArray:
        """Return out-of-fold predictions: for each row those of a calibration map fitted without its fold.

        The rows are those of `present`.

        Warnings of these fits are suppressed: a fit to all rows warns of the same data.

        Parameters
        ----------
        family : Family or MulticlassFamily
            Unfitted.
        folds : sequence of int arrays
            Positions of the rows that are held out together.
        """

    def with_hint(self, hint: GroupHint) -> Self:
        """Return the data with what names their groups.

        Parameters
        ----------
        hint : GroupHint
            Found where the rows were read.
        """
        return changed(self, hint=hint)

    def with_facts(self, **facts: NDArray[Any]) -> Self:
        """Return the data with further columns that belong to its rows.

        Parameters
        ----------
        **facts : arrays of shape (n,) or more
            An entry for each row as it stands, by the name of the fact.
        """
        if not facts:
            return self
        check_same_length(rows=self.p, **facts)
        return changed(self, facts={**self.facts, **facts})

    def keep_facts(self, *names: str) -> Self:
        """Return the data with only these of the columns that belong to its rows, and with their groups.

        Which rows belong together is kept whatever is measured, unless each group is one row.

        Parameters
        ----------
        *names : str
            Of the facts; those that it does not have are passed over.
        """
        names = names if self.groups is None else (*names, GROUP)
        facts = {name: column for name, column in self.facts.items() if name in names}
        return self if len(facts) == len(self.facts) else changed(self, facts=facts)

    def __getstate__(self) -> dict[str, Any]:
        """Copy and pickle without what can be computed again, which may hold the facts too."""
        return {name: value for name, value in self.__dict__.items() if name not in COMPUTED}


def changed(sample: S, **attributes: Any) -> S:
    """Return a copy of a sample with other attributes."""
    other = copy(sample)
    for name, value in attributes.items():
        object.__setattr__(other, name, value)  # samples are frozen
    return other


def taken(facts: Facts, rows: Any) -> Facts:
    """Return the facts of the chosen rows."""
    return {name: np.asarray(column[rows]) for name, column in facts.items()} if facts else NO_FACTS
