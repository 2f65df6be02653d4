"""Several classes in a frame as scores and labels of two: the reductions as expressions that every engine has.

They are those of `fitontest.data.predictions`, without a matrix: the largest score is found by a tournament of pairs of
columns, and each class against the rest is a row of its own. The labels of the columns must be named, because one pass
cannot know them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any

import narwhals.stable.v2 as nw

from fitontest.cells.frame_labels import as_label, comparable
from fitontest.checks import brief, choose
from fitontest.data.arrays import is_score
from fitontest.data.labels import chosen_positive, coded_positive, listed
from fitontest.data.predictions import REDUCTIONS, Names, check_order
from fitontest.typing import Label

CLASS = "class"  # the column that says of each row which class is held against the rest
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
    if columns.reduction == "confidence":
        return _confidence(rows, columns, [*chosen]), []
    if columns.reduction == "classwise":
        return _classwise(rows, columns, [*chosen]), [CLASS]
    k = given.index(chosen_positive(given, columns.pos_label, coded_positive(given)))
    y = _label(columns, nw.col("label") == columns.classes[k])
    return rows.select(*chosen, p=nw.col(str(k)), y=y), []


def _label(columns: ClassColumns, hit: Any) -> Any:
    """Return 1 for a hit, 0 for another class, 2 for what is no class, and null where the label is missing."""
    label = nw.col("label")
    known = any_of([label == one for one in columns.classes])
    value = nw.when(hit).then(nw.lit(1.0)).otherwise(nw.when(known).then(nw.lit(0.0)).otherwise(nw.lit(OUTSIDE)))
    return nw.when(~label.is_null()).then(value)


def _confidence(rows: Any, columns: ClassColumns, chosen: list[str]) -> Any:
    scores = [nw.col(str(k)) for k in range(len(columns.probs))]
    missing = any_of([score.is_null() | score.is_nan() for score in scores])
    outside = any_of([~is_score(score) for score in scores])
    state = nw.when(missing).then(nw.lit(1)).otherwise(nw.when(outside).then(nw.lit(2)).otherwise(nw.lit(0)))
    rows = rows.with_columns(state=state, **{f"at{k}": nw.lit(float(k)) for k in range(len(scores))})
    left = list(range(len(scores)))
    while len(left) > 1:  # the first of a pair stays unless the second is larger, as argmax has it
        best = {}
        for first, second in zip(left[::2], left[1::2], strict=False):
            larger = nw.col(str(second)) > nw.col(str(first))
            for name in ("", "at"):
                best[f"{name}{first}"] = (
                    nw.when(larger).then(nw.col(f"{name}{second}")).otherwise(nw.col(f"{name}{first}"))
                )
        rows, left = rows.with_columns(**best), left[::2]
    label, place = nw.col("label"), nw.col("at0")
    hit = any_of([(place == float(k)) & (label == one) for k, one in enumerate(columns.classes)])
    bad = nw.when(nw.col("state") == 2).then(nw.lit(OUTSIDE)).otherwise(nw.col("0"))
    return rows.select(*chosen, p=nw.when(nw.col("state") != 1).then(bad), y=_label(columns, hit))


def _classwise(rows: Any, columns: ClassColumns, chosen: list[str]) -> Any:
    """Return the rows of each class against the rest, one class after the other.

    Not ``unpivot``, which narwhals cannot do with a relation of DuckDB that has a connection of its own. An engine of
    columns reads no score twice for it.
    """
    label = nw.col("label")
    parts = [
        rows.select(*chosen, **{CLASS: nw.lit(str(k))}, p=nw.col(str(k)), y=_label(columns, label == one))
        for k, one in enumerate(columns.classes)
    ]
    return nw.concat(parts)


def any_of(conditions: Sequence[Any]) -> Any:
    """Return whether any condition holds, as a balanced tree: engines limit how deep expressions are."""
    conditions = list(conditions)
    while len(conditions) > 1:
        pairs = [conditions[i : i + 2] for i in range(0, len(conditions), 2)]
        conditions = [reduce(lambda a, b: a | b, pair) for pair in pairs]
    return conditions[0]
