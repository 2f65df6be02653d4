"""Columns of rows as a user gives them, each read and checked once; scores join them as a column or as a matrix."""

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from fitontest.data.arrays import as_ids, check_same_length
from fitontest.data.indices import check_same_order
from fitontest.data.labels import as_labels
from fitontest.data.row_groups import GROUP
from fitontest.data.sample import NO_FACTS, Facts
from fitontest.data.weights import Weights, WeightType, check_kind, read_weights
from fitontest.results.checks import brief
from fitontest.results.typing import ArrayInput


@dataclass(frozen=True)
class Names:
    """What the caller calls the arguments, for error messages, and the columns of a matrix that has no names."""

    y_true: str = "y_true"
    y_prob: str = "y_prob"
    sample_weight: str = "sample_weight"
    labels: str = "labels"
    pos_label: str = "pos_label"
    reduction: str = "reduction"
    columns: tuple[str, ...] | None = None
    weights: str = "weights"
    by: str = "by"
    groups: str = "groups"

    @property
    def of_sample(self) -> tuple[str, str, str]:
        """The names of what a sample is made of."""
        return self.y_true, self.y_prob, self.sample_weight


NAMES = Names()


@dataclass(frozen=True, eq=False)
class Columns:
    """What rows have beside their scores.

    Attributes
    ----------
    labels : array of shape (n,)
        As they were given, of any dtype.
    weights : Weights or None
    facts : mapping of str to array of shape (n,)
        Columns that travel with the rows, such as "group".
    names : Names
        What the caller calls the arguments, for error messages.
    """

    labels: NDArray[Any]
    weights: Weights | None
    facts: Facts
    names: Names

    @classmethod
    def read(
        cls,
        y_true: ArrayInput,
        y_prob: ArrayInput,
        sample_weight: ArrayInput = None,
        *,
        weights: WeightType = "auto",
        by: ArrayInput = None,
        groups: ArrayInput = None,
        names: Names = NAMES,
    ) -> "Columns":
        """Return the columns, of one order with the scores and the segments.

        Parameters
        ----------
        y_true, y_prob, sample_weight, weights, by, groups
            As for `fitontest.data.reading.read.read`.
        names : Names
            What the caller calls the arguments.

        Raises
        ------
        ValueError
            Indices of pandas in another order; weights and groups that are none, or not as many as labels.
        """
        check_kind(weights, names.weights, has_weights=sample_weight is not None)
        keys = (*names.of_sample, names.by, names.groups)
        check_same_order(**dict(zip(keys, (y_true, y_prob, sample_weight, by, groups), strict=True)))
        w = None if sample_weight is None else read_weights(sample_weight, names.sample_weight, weights, names.weights)
        labels = as_labels(y_true, names.y_true)
        return cls(labels, w, read_groups(groups, labels, names), names)

    def check_length(self, scores: NDArray[Any]) -> None:
        """Raise ValueError unless there are as many scores and weights as labels."""
        w = None if self.weights is None else self.weights.w
        check_same_length(**dict(zip(self.names.of_sample, (self.labels, scores, w), strict=True)))


def read_groups(groups: ArrayInput, labels: NDArray[Any], names: Names = NAMES) -> Facts:
    """Return the group of each row as a fact of the rows, after a check that there is one; none without groups.

    Parameters
    ----------
    groups : array-like of shape (n,), optional
        Ids of any hashable type.
    labels : array of shape (n,)
        Of which there must be as many.
    names : Names
        What the caller calls the arguments, for error messages.
    """
    if groups is None:
        return NO_FACTS
    if isinstance(groups, str):
        raise ValueError(
            f"{names.groups} must have an id for each row of arrays, got the text {brief(groups)}, which can name a "
            f"column where {names.y_true} is a data frame or a file"
        )
    column = as_ids(groups, names.groups)
    check_same_length(**{names.y_true: labels, names.groups: column})
    return {GROUP: column}
