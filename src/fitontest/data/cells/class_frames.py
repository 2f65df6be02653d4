"""Several classes in a frame as scores and labels of two: the reductions as expressions that every engine has.

They are those of `fitontest.data.predictions`, without a matrix: each class against the rest is a row of its own. What
is to be known of the rows of probabilities travels with them: the sum of their scores, and how many classes share the
largest one (`fitontest.data.class_rows`). The labels of the columns must be named, because one pass cannot know them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add, or_
from typing import Any

import narwhals.stable.v2 as nw

from fitontest.data.arrays import is_score
from fitontest.data.cells.frame_labels import as_label, comparable
from fitontest.data.columns import Names
from fitontest.data.labels import chosen_positive, coded_positive, listed
from fitontest.data.predictions import REDUCTIONS, check_order
from fitontest.results.checks import brief, choose
from fitontest.results.typing import Label

CLASS = "class"  # the column that says of each row which class is held against the rest
SUM = "sum"  # that of the sums of the scores of each row
WAYS = "ways"  # that of how many classes share the largest score
OUTSIDE = 2.0  # a score that is none


@dataclass(frozen=True)
class ClassColumns:
    """The columns of K classes in a frame, and how they are read.

    Attributes
    ----------
    reduction : {"confidence", "classwise", "binary"}
    probs : tuple of K str
    label : str
    labels : sequence of K labels
    pos_label : label, optional
        With ``reduction="binary"``.
    """

    reduction: str
    probs: tuple[str, ...]
    label: str
    labels: Sequence[Label] | None
    pos_label: Label | None = None

    def __post_init__(self) -> None:
        choose(self.reduction, REDUCTIONS, "reduction")
        if self.labels is None:
            raise ValueError("labels must name the class of each column of prob where reduction is given, got None")
        labels = list(self.labels)
        if len(labels) != len(self.probs) or len(labels) < 2 or len(set(labels)) != len(labels):
            raise ValueError(
                f"labels must be distinct, at least two, and as many as the columns of prob, got [{listed(labels)}] "
                f"for {len(self.probs)} {'column' if len(self.probs) == 1 else 'columns'}"
            )
        check_order(self.probs, labels, Names(y_prob="prob"))
        if self.pos_label is not None and self.reduction != "binary":
            raise ValueError(f"pos_label must be None with reduction={self.reduction!r}, got {brief(self.pos_label)}")
        if self.reduction == "binary" and len(labels) != 2:
            raise ValueError(f"prob must be exactly two columns with reduction='binary', got {len(labels)}")

    @property
    def classes(self) -> list[Label]:
        """The class of each column."""
        return list(self.labels or ())


def reduced_frame(frame: Any, dtype: Any, columns: ClassColumns, chosen: dict[str, Any]) -> tuple[Any, list[str]]:
    """Return a frame of score p, label y (2 where it is none of the classes) and the chosen columns.

    And the names of further columns by which its rows are segments: that of the class, where the reduction is
    class-wise, whose values are "0" to "K - 1".
    """
    given = columns.classes
    columns = replace(columns, labels=[as_label(one, dtype, "labels", columns.label) for one in given])
    rows = frame.select(
        label=comparable(columns.label, dtype),
        **{str(k): nw.col(name).cast(nw.Float64) for k, name in enumerate(columns.probs)},
        **chosen,
    )
    rows = rows.with_columns(**{SUM: _joined(_scores(columns), add)})
    kept = [*chosen, SUM]
    if columns.reduction == "confidence":
        return _confidence(rows, columns, kept), []
    if columns.reduction == "classwise":
        return _classwise(rows, columns, kept), [CLASS]
    k = given.index(chosen_positive(given, columns.pos_label, coded_positive(given)))
    y = _label(columns, nw.col("label") == columns.classes[k])
    return rows.select(*kept, p=nw.col(str(k)), y=y), []


def _scores(columns: ClassColumns) -> list[Any]:
    """Return the scores of each class."""
    return [nw.col(str(k)) for k in range(len(columns.probs))]


def _label(columns: ClassColumns, hit: Any) -> Any:
    """Return 1 for a hit, 0 for another class, 2 for what is no class, and null where the label is missing."""
    label = nw.col("label")
    known = any_of([label == one for one in columns.classes])
    value = nw.when(hit).then(nw.lit(1.0)).otherwise(nw.when(known).then(nw.lit(0.0)).otherwise(nw.lit(OUTSIDE)))
    return nw.when(~label.is_null()).then(value)


def _confidence(rows: Any, columns: ClassColumns, kept: list[str]) -> Any:
    scores, top = _scores(columns), nw.col("top")
    missing = any_of([score.is_null() | score.is_nan() for score in scores])
    outside = any_of([~is_score(score) for score in scores])
    state = nw.when(missing).then(nw.lit(1)).otherwise(nw.when(outside).then(nw.lit(2)).otherwise(nw.lit(0)))
    rows = rows.with_columns(top=nw.max_horizontal(*scores), state=state)
    largest = [nw.when(score == top).then(nw.lit(1.0)).otherwise(nw.lit(0.0)) for score in scores]
    right = [nw.col("label") == one for one in columns.classes]
    hit = any_of([(score == top) & is_label for score, is_label in zip(scores, right, strict=True)])
    bad = nw.when(nw.col("state") == 2).then(nw.lit(OUTSIDE)).otherwise(top)
    p = nw.when(nw.col("state") != 1).then(bad)
    return rows.select(*kept, p=p, y=_label(columns, hit), **{WAYS: _joined(largest, add)})


def _classwise(rows: Any, columns: ClassColumns, kept: list[str]) -> Any:
    """Return the rows of each class against the rest, one class after the other.

    Not ``unpivot``, which narwhals cannot do with a relation of DuckDB that has a connection of its own. An engine of
    columns reads no score twice for it.
    """
    label = nw.col("label")
    parts = [
        rows.select(*kept, **{CLASS: nw.lit(str(k))}, p=nw.col(str(k)), y=_label(columns, label == one))
        for k, one in enumerate(columns.classes)
    ]
    return nw.concat(parts)


def any_of(conditions: Sequence[Any]) -> Any:
    """Return whether any condition holds."""
    return _joined(conditions, or_)


def _joined(terms: Sequence[Any], operator: Callable[[Any, Any], Any]) -> Any:
    """Return all terms joined by an operator, as a balanced tree: engines limit how deep expressions are."""
    terms = list(terms)
    while len(terms) > 1:
        terms = [reduce(operator, terms[i : i + 2]) for i in range(0, len(terms), 2)]
    return terms[0]
