"""A calibration map of several classes: a value that is a function from the simplex to the simplex.

It takes the probabilities of K classes, a row for each prediction, to calibrated ones. Like a map of two classes it is
frozen and vectorised, can be written as plain JSON, and holds nothing of its fit. Zeros and ones are ordinary input.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from typing import Any, ClassVar, Self

import numpy as np

from fitontest.data.arrays import as_matrix
from fitontest.data.columns import Names
from fitontest.data.labels import listed
from fitontest.data.predictions import check_order
from fitontest.data.simplex import SUM_TOLERANCE, on_simplex
from fitontest.maps.expressions import Column, Expression, Guarded, score_limits, shared, total
from fitontest.maps.frames import append_columns
from fitontest.maps.sql import to_sql
from fitontest.maps.stored import StoredMap
from fitontest.numerics.softmax import softmax
from fitontest.results.checks import as_list, as_plain, brief, is_real
from fitontest.results.typing import ArrayInput, FloatArray, Label

NAMES = Names(y_prob="P", labels="the columns")


@dataclass(frozen=True, eq=False, kw_only=True)
class MulticlassMap(StoredMap):
    """A fitted calibration map of several classes: it takes predicted probabilities to calibrated ones.

    Base of all such maps; subclasses are frozen dataclasses.

    A subclass names its ``kind``, lists its fields and defines ``evaluate`` and ``n_classes``; the decorator
    ``fot.maps.register`` lets `from_dict` read what `to_dict` wrote. Calling a map with a matrix checks that its
    rows are probabilities that add up to 1 (rows that miss it by at most 1e-3 are divided by their sums). A
    subclass that has a ``__post_init__`` calls the one of this class at its end.

    Parameters
    ----------
    classes : sequence of K labels, optional
        The class of each column, by keyword: booleans, numbers or texts. A fitted family gives its map those of the
        rows, and the JSON holds them. Then the columns of a data frame that are named after the classes must stand in
        their order, and the map is not applied to data of other classes. By default they are not known.

    Attributes
    ----------
    n_classes : int or None
        The number of columns K, None where any is taken.
    keeps_argmax : bool
        Whether the class of the largest probability stays the one of the largest, whatever the row.

    Raises
    ------
    ValueError
        When called with what is no matrix of K probabilities in each row, or with a data frame whose columns are the
        classes in another order.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> import fitontest as fot
    >>> @dataclass(frozen=True, eq=False)
    ... class Halfway(fot.maps.MulticlassMap):
    ...     kind: ClassVar[str] = "halfway"
    ...     share: float
    ...     def evaluate(self, P):
    ...         return (1 - self.share) * P + self.share / P.shape[1]
    >>> Halfway(0.5)([[0.5, 0.25, 0.25], [1, 0, 0]]).round(3)
    array([[0.417, 0.292, 0.292],
           [0.667, 0.167, 0.167]])
    """

    takes_column: ClassVar[bool] = False  # as families say what they are of
    takes_classes: ClassVar[bool] = True
    optional: ClassVar[tuple[str, ...]] = ("classes",)

    classes: tuple[Label, ...] | None = dataclass_field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.classes is not None:
            object.__setattr__(self, "classes", _frozen_labels(self.classes, self.n_classes))

    def __call__(self, P: ArrayInput) -> FloatArray:
        """Return the calibrated probabilities of each row, shape (n, K)."""
        scores, headers = as_matrix(P, "P")
        simplex = on_simplex(scores, "P")
        self.check_columns(simplex, "P")
        if self.classes:
            check_order(headers, list(self.classes), NAMES, fitted=True)
        return self.evaluate(simplex)

    @abstractmethod
    def evaluate(self, P: FloatArray) -> FloatArray:
        """Return the calibrated probabilities of rows that are known to be valid: they add up to 1.

        Parameters
        ----------
        P : array of shape (n, K)
            Rows on the simplex; they are not checked.

        Returns
        -------
        Q : array of shape (n, K)
            Rows that add up to 1.
        """

    def on_simplex(self, P: FloatArray) -> FloatArray:
        """Return calibrated probabilities that are never negative and add up to 1.

        Those of a map that leaves the simplex are clipped and rescaled.

        Parameters
        ----------
        P : array of shape (n, K)
            As for `evaluate`.

        Returns
        -------
        Q : array of shape (n, K)
            Values in [0, 1]; the rows add up to 1.
        """
        q = self.evaluate(P)
        if float(q.min(initial=0.0)) >= 0.0:
            return q
        clipped = np.maximum(q, 0.0)
        return np.asarray(clipped / clipped.sum(axis=1, keepdims=True))

    def evaluate_log(self, log_p: FloatArray) -> FloatArray:
        """Return the calibrated probabilities of rows given as logarithms, or as logits, as networks give them.

        Parameters
        ----------
        log_p : array of shape (n, K)
            Real numbers of which the softmax is meant, such as natural logarithms of rows on the simplex.
        """
        return self.evaluate(softmax(log_p))

    def expressions(self, p: Sequence[Expression]) -> list[Expression]:  # noqa: ARG002 - the signature of every map
        """Return the formula of `evaluate` as an expression for each class, of probabilities that add up to 1.

        Parameters
        ----------
        p : sequence of K Expression
            The probabilities of the classes.

        Raises
        ------
        ValueError
            Of a map that defines none.
        """
        raise ValueError(
            f"a map of kind {self.kind!r} can be applied to arrays only: {type(self).__name__} defines no "
            f"expressions(p)"
        )

    def guarded(self, probs: Sequence[str]) -> list[Guarded]:
        """Return the expressions of columns divided by their sum, and NULL in rows that hold invalid probabilities.

        Parameters
        ----------
        probs : sequence of K str
            Names of the columns of probabilities, one for each class in the order of the map.

        Raises
        ------
        ValueError
            Fewer than two names, a name that occurs twice, another number of names than of classes; a map that defines
            no expressions.
        """
        columns = self.read_columns(probs)
        limits = (*map(score_limits, columns), (total(columns), 1.0 - SUM_TOLERANCE, 1.0 + SUM_TOLERANCE))
        near = [p.clip(0.0, 1.0) for p in columns]
        whole = total(near).clip(low=0.5)  # no division by 0, not even where the guard gives NULL
        values = self.expressions(shared([p / whole for p in near]))
        return [Guarded(limits, value.clip(0.0, 1.0)) for value in values]

    def read_columns(self, probs: Sequence[str]) -> list[Column]:
        """Return the columns of these names, one for each class of the map.

        Parameters
        ----------
        probs : sequence of K str
            As for `guarded`.
        """
        names = as_list(probs, "probs")
        if len(set(names)) < len(names) or len(names) < 2:
            raise ValueError(f"probs must name a column for each of two classes or more, each once, got {brief(names)}")
        if self.n_classes not in (None, len(names)):
            raise ValueError(
                f"probs must name a column for each of the map's {self.n_classes} classes, got {brief(names)}"
            )
        return [Column(name) for name in names]

    def apply_to(
        self, frame: Any, probs: Sequence[str], names: Sequence[str] | None = None, *, check: bool = True
    ) -> Any:
        """Return a data frame with the calibrated probabilities of K of its columns as K new columns.

        As `CalibrationMap.apply_to`, with a column for each class.

        Parameters
        ----------
        frame : data frame
            Of a library that narwhals reads, eager or lazy.
        probs : sequence of K str
            The columns of probabilities, which add up to 1 in each row (rows that miss it by at most 1e-3 are divided
            by their sums). In a row where one is missing, so are the new values.
        names : sequence of K str, optional
            Names of the new columns; by default those of `probs` after ``calibrated_``.
        check : bool, default=True
            Whether rows that are no probabilities are counted first and refused; else the new values are missing there.

        Returns
        -------
        data frame
            Of the type of `frame`.

        Raises
        ------
        ValueError
            As `CalibrationMap.apply_to`; another number of columns or names than classes.

        Examples
        --------
        >>> import pandas as pd
        >>> import fitontest as fot
        >>> c_hat = fot.maps.SoftmaxMap(W=[2, 2], b=[0, 0])
        >>> c_hat.apply_to(pd.DataFrame({"a": [0.75, 0.5], "b": [0.25, 0.5]}), ["a", "b"])
              a     b  calibrated_a  calibrated_b
        0  0.75  0.25           0.9           0.1
        1  0.50  0.50           0.5           0.5
        """
        values = self.guarded(probs)
        given = [f"calibrated_{prob}" for prob in probs] if names is None else as_list(names, "names")
        if len(given) != len(values):
            raise ValueError(f"names must hold a name for each of the {len(values)} classes, got {brief(given)}")
        return append_columns(frame, list(probs), given, values, check=check)

    def to_sql(self, probs: Sequence[str]) -> list[str]:
        """Return the map as K scalar expressions in DuckDB's SQL, each of which can stand in any SELECT.

        As `CalibrationMap.to_sql`. The length of an expression grows with K, and with K squared where a matrix of
        weights is full.

        Parameters
        ----------
        probs : sequence of K str
            Names of the columns of probabilities, which are quoted.

        Returns
        -------
        list of K str
            NULL in rows that are no probabilities of all classes.

        Raises
        ------
        ValueError
            A map that defines no expressions; another number of columns than classes.

        Examples
        --------
        >>> import fitontest as fot
        >>> len(fot.maps.SoftmaxMap(W=[2, 2], b=[0, 0]).to_sql(["a", "b"]))
        2
        """
        return [to_sql(value) for value in self.guarded(probs)]

    @property
    def n_classes(self) -> int | None:
        """The number of columns; None where any number is taken."""
        return None

    def for_classes(self, classes: Iterable[Label] | None) -> Self:
        """Return the same map for the classes of these labels, or, with None, for any.

        Parameters
        ----------
        classes : iterable of K labels or None
            Booleans, finite numbers or texts that differ, one for each column.

        Raises
        ------
        ValueError
            Other labels, or another number of them.
        """
        named = copy(self)
        labels = None if classes is None else _frozen_labels(classes, self.n_classes)
        object.__setattr__(named, "classes", labels)
        return named

    @property
    def keeps_argmax(self) -> bool:
        """Whether the most likely class of every row stays the same."""
        return False

    def check_columns(self, P: FloatArray, name: str) -> None:
        """Raise ValueError unless the matrix has a column for each class of the map.

        Parameters
        ----------
        P : array of shape (n, K)
            The matrix.
        name : str
            What the caller calls it, for the message.

        Raises
        ------
        ValueError
            As said.
        """
        if self.n_classes not in (None, P.shape[1]):
            raise ValueError(
                f"{name} must have a column for each of the map's {self.n_classes} classes, got {P.shape[1]} columns"
            )

    def check_classes(self, classes: Iterable[Label], name: str) -> None:
        """Raise ValueError where the map knows its classes, and these are others or stand in another order.

        Parameters
        ----------
        classes : iterable of labels
            The classes of the data, in the order of the columns.
        name : str
            What the caller calls them, for the message.

        Raises
        ------
        ValueError
            As said.
        """
        given = list(classes)
        if self.classes and given != list(self.classes):
            raise ValueError(
                f"{name} must be the classes that the map was fitted for, in their order, "
                f"[{listed(list(self.classes))}]; got [{listed(given)}]"
            )


def is_label(value: object) -> bool:
    """Return whether a map can hold a value as the label of a class: a boolean, a finite number or a text."""
    return isinstance(value, str | bool | np.bool_) or (is_real(value) and bool(np.isfinite(value)))


def _frozen_labels(classes: object, K: int | None) -> tuple[Label, ...]:
    """Return distinct labels, one for each column, as Python values."""
    listed_values: list[Any] = classes.tolist() if isinstance(classes, np.ndarray) else as_list(classes, "classes")
    labels = tuple(as_plain(one) for one in listed_values)
    odd = [label for label in labels if not is_label(label)]
    if odd:
        raise ValueError(f"classes must be booleans, finite numbers or texts, got {brief(odd[0])}")
    if len(labels) < 2 or K not in (None, len(labels)) or len(set(labels)) < len(labels):
        rule = "two labels or more" if K is None else f"{K} labels"
        raise ValueError(f"classes must be {rule} that differ, one for each column, got [{listed(list(labels))}]")
    return labels


def divided(q: FloatArray) -> FloatArray:
    """Divide the rows by their sums, in place."""
    q /= q.sum(axis=1, keepdims=True)
    return q
