"""What every batch of a stream holds: said when its monitor is made, or else by the first batch that has rows."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from fitontest.data.predictions import REDUCTIONS
from fitontest.data.weights import WEIGHT_TYPES, WeightType
from fitontest.results.checks import as_plain, brief, check_flag, choose, is_real
from fitontest.results.several import CLASS, SEGMENT, Kind
from fitontest.results.typing import Label

Columns: TypeAlias = tuple[str, ...]

HEAVIER = (
    "a weight is the exponent of the factor of its row, and one above 1 is not valid: at the score .1 a bet on .3 with "
    "the exponent 2 has a mean of 1.44 under the null hypothesis"
)
CALLED = {"weight": "weights"}  # in messages
CLASSWISE = "classwise"


@dataclass(frozen=True)
class Layout:
    """What every batch holds, and how it is read.

    Attributes
    ----------
    by : tuple of str, bool or None
        The columns that make segments; of arrays whether there are any. None: no batch has said it yet.
    groups : str, tuple of str, bool or None
        The column of the groups of rows, or those whose combinations they are; of arrays whether there are any. None as
        above.
    weights : {"auto", "counts", "importances"}
        What weights mean.
    max_weight : float or None
        Of importances the largest that there may be, by which they are divided.
    reduction : {"confidence", "classwise", "binary"} or None
        How a matrix of scores is read.
    labels : tuple of labels, or None
        The classes in the order of the columns.
    pos_label : label or None
        The positive class.
    exact : bool
        Whether each distinct score of a batch is a cell of its own.
    once : bool
        Whether rows of groups that an earlier batch had are left out; else they are refused.
    label : str or None
        The column of the labels, where batches are frames or files.
    prob : tuple of str, or None
        The columns of the scores.
    weight : str, bool or None
        The column of weights; of arrays whether there are any. None as above.
    """

    by: Columns | bool | None = None
    groups: str | Columns | bool | None = None
    weights: WeightType = "auto"
    max_weight: float | None = None
    reduction: str | None = None
    labels: tuple[Label, ...] | None = None
    pos_label: Label | None = None
    exact: bool = False
    once: bool = False
    label: str | None = None
    prob: Columns | None = None
    weight: str | bool | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "by", _read_columns(self.by))
        of_groups = _read_columns(self.groups, "groups")
        put(self, "groups", of_groups[0] if isinstance(of_groups, tuple) and len(of_groups) == 1 else of_groups)
        choose(self.weights, WEIGHT_TYPES, "weights")
        put(self, "max_weight", _read_max_weight(self.max_weight, self.weights))
        if self.reduction is not None:
            choose(self.reduction, REDUCTIONS, "reduction")
        put(self, "labels", _read_labels(self.labels, self.reduction))
        put(self, "pos_label", as_plain(self.pos_label))
        if not (self.pos_label is None or isinstance(self.pos_label, str | int | float)):
            raise ValueError(f"pos_label must be a text, a number or a boolean, got {brief(self.pos_label)}")
        if self.pos_label is not None and self.reduction in ("confidence", CLASSWISE):
            raise ValueError(f"pos_label must be left out with reduction={self.reduction!r}, got {self.pos_label!r}")
        if self.by and self.keys == CLASS:
            raise ValueError(
                f"by must be left out with reduction='classwise', where each class is a segment; got {brief(self.by)}"
            )
        check_flag(self.exact, "exact")
        if check_flag(self.once, "once") and self.groups is False:
            raise ValueError("once must be False where there are no groups, got True")
        put(self, "prob", _read_columns(self.prob, "prob"))
        for name, others in (("label", ()), ("prob", (tuple,)), ("weight", (bool,))):
            value = getattr(self, name)
            if not (value is None or isinstance(value, (str, *others))):
                raise ValueError(f"{name} must be the name of a column, got {brief(value)}")

    @property
    def keys(self) -> Kind:
        """What the keys of its streams are: segments, or classes, each against the rest."""
        return CLASS if self.reduction == CLASSWISE else SEGMENT

    def entries_per_row(self, streams: int) -> int:
        """Return in how many of the streams each row is: of classes in each, of segments in one."""
        return max(streams, 1) if self.keys == CLASS else 1

    @property
    def divisor(self) -> float:
        """What weights are divided by to become exponents."""
        return 1.0 if self.max_weight is None else self.max_weight

    @property
    def of_another_model(self) -> "Layout":
        """The layout for another model of the same rows, whose scores may stand in other columns."""
        return replace(self, prob=None)

    def after(self, batch: Mapping[str, Any]) -> "Layout":
        """Return the layout with what a batch holds, or refuse a batch that holds something else.

        Parameters
        ----------
        batch : mapping from str to object
            What the batch holds, by attribute: by, groups, weight, label, prob and labels, as far as it tells.

        Raises
        ------
        ValueError
            Columns that are missing in the batch, that it has unexpectedly, or that have another name.
        """
        held = {**vars(self), "groups": True} if self.once and self.groups is None else vars(self)
        return replace(self, **{name: _agreed(name, held[name], value) for name, value in batch.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return the layout as JSON-ready values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Layout":
        """Return the layout that `to_dict` returned."""
        return cls(**values)


def _read_columns(value: Any, argument: str = "by") -> Columns | bool | None:
    """Return the names of columns, or whether there are any."""
    if value is None or isinstance(value, bool):
        return value
    names = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, list | tuple) else ()
    if not names or not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        rule = f"{argument} must be the name of a column, or a list of several"
        raise ValueError(f"{rule}{'' if argument == 'prob' else ', True or False'}; got {brief(value)}")
    return names


def _read_max_weight(value: Any, weights: str) -> float | None:
    """Return the largest weight that there may be."""
    if value is None:
        if weights == "importances":
            raise ValueError(
                "max_weight must say the largest weight that a row may ever have with weights='importances', by which "
                f"they are divided, got None: {HEAVIER}"
            )
        return None
    if weights == "counts":
        raise ValueError(f"max_weight must be left out with weights='counts', got {brief(value)}")
    if not is_real(value) or not 0.0 < value < np.inf:
        raise ValueError(f"max_weight must be a positive finite number, got {brief(value)}")
    return float(value)


def _read_labels(labels: Any, reduction: str | None) -> tuple[Label, ...] | None:
    """Return the classes of the columns of a matrix."""
    if labels is None:
        return None
    if reduction is None:
        raise ValueError(f"labels must be left out unless reduction is given, got {brief(labels)}")
    if isinstance(labels, str) or not hasattr(labels, "__iter__"):
        raise ValueError(f"labels must be a list of the classes, got {brief(labels)}")
    classes = tuple(map(as_plain, labels))
    if not all(isinstance(label, str | int | float) for label in classes):
        raise ValueError(f"labels must be texts, numbers or booleans, got {brief([*classes])}")
    if len(set(classes)) < max(len(classes), 2):
        raise ValueError(f"labels must be two different classes or more, got {brief([*classes])}")
    return classes


def _agreed(name: str, known: Any, batch: Any) -> Any:
    """Return what the batches so far and another one say of one thing, or refuse the batch."""
    name = CALLED.get(name, name)
    if known is None or batch is None:
        return batch if known is None else known
    if bool(known) != bool(batch):
        if known:
            called = "" if known is True else f", by {_listed(known)}"
            raise ValueError(
                f"{name} must be given with every batch, as with the batches before or where the monitor was made"
                f"{called}; got a batch without"
            )
        raise ValueError(
            f"{name} must be left out, as of the batches before or where the monitor was made; got a batch with it"
        )
    if known is True or batch is True:
        return batch if known is True else known
    if known != batch:
        raise ValueError(
            f"{name} must be the same for every batch, {_listed(known)} as of those before; got {_listed(batch)}"
        )
    return known


def _listed(names: Any) -> str:
    return ", ".join(map(repr, (names,) if isinstance(names, str) else names))
