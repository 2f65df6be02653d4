"""Maps of features and scores: what a calibrator that sees the features of the rows becomes when it is fitted."""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from fitontest.data.arrays import as_scores, check_same_length
from fitontest.maps.expressions import Column, Expression, Guarded, logit_of, score_limits
from fitontest.maps.frames import append_columns
from fitontest.maps.rules.columns import Columns
from fitontest.maps.sql import to_sql
from fitontest.maps.stored import StoredMap
from fitontest.numerics.links import LOGIT_EPS, logit
from fitontest.results.typing import ArrayInput, FloatArray
from fitontest.segments.features.read_columns import read_columns


class FeatureMap(StoredMap):
    """A calibration map that sees the features of a row beside its score; base of all such maps.

    Subclasses are frozen dataclasses with a ``kind`` and with ``evaluate``, as `CalibrationMap` has them. Calling a map
    with features and scores checks both.

    Attributes
    ----------
    features : tuple of str
        The columns that the map looks at, by name; data frames may have others beside them.

    Examples
    --------
    >>> import fitontest as fot
    >>> older = {"conditions": [{"column": "age", "relation": ">", "value": 50.0}]}
    >>> c_hat = fot.segments.SegmentOffsetsMap(0.0, 1.0, [older], [0.5])
    >>> c_hat({"age": [20, 60]}, [0.5, 0.5]).round(3)
    array([0.5  , 0.622])
    """

    takes_features: ClassVar[bool] = True
    takes_classes: ClassVar[bool] = False

    def __call__(self, X: Any, p: ArrayInput) -> FloatArray:
        """Return the calibrated probabilities of rows, shape (n,).

        Parameters
        ----------
        X : data frame, dict of columns, or array of shape (n, d)
            Features; of an array the columns are called x0, x1, ...
        p : array-like of shape (n,)
            Scores in [0, 1].
        """
        columns, scores = read_columns(X), as_scores(p, "p")
        check_same_length(X=np.empty(columns.n, dtype=bool), p=scores)
        return self.evaluate(columns, logit(scores, LOGIT_EPS))

    @property
    @abstractmethod
    def features(self) -> tuple[str, ...]:
        """The columns that the map looks at, by name."""

    @abstractmethod
    def evaluate(self, columns: Columns, logits: FloatArray) -> FloatArray:
        """Return the calibrated probabilities, shape (n,).

        Parameters
        ----------
        columns : Columns
            Features. A value that is missing meets only the condition that it is, and a level that was not seen in the
            fit only that it is there; trees of a `BoostedMap` have a side for either.
        logits : array of shape (n,)
            Of the scores, which are clipped to [1e-16, 1 - 1e-16] before.
        """

    def expression(self, x: Expression) -> Expression:  # noqa: ARG002 - the signature of every map
        """Return the formula of `evaluate` as an expression of the logit of the score and of columns.

        Parameters
        ----------
        x : Expression
            The logit.

        Raises
        ------
        ValueError
            Of a map that defines none.
        """
        raise ValueError(f"a map of kind {self.kind!r} has no formula for SQL and data frames, only for arrays")

    def guarded(self, prob: str) -> Guarded:
        """Return the expression of a column of scores, NULL where the score is missing or invalid.

        Parameters
        ----------
        prob : str
            Name of the column of scores.
        """
        p = Column(prob)
        return Guarded((score_limits(p),), self.expression(logit_of(p, LOGIT_EPS)).clip(0.0, 1.0))

    def to_sql(self, prob: str) -> str:
        """Return the map as one scalar expression in DuckDB's SQL, which can stand in any SELECT.

        Parameters
        ----------
        prob : str
            Name of the column of scores. Columns of features have their names.

        Raises
        ------
        ValueError
            A map that defines no expression.
        """
        return to_sql(self.guarded(prob))

    def apply_to(self, frame: Any, prob: str, name: str = "calibrated", *, check: bool = True) -> Any:
        """Return a data frame with the calibrated probabilities of its rows as a new column.

        Parameters
        ----------
        frame : data frame
            Of every library that narwhals reads; lazy ones stay lazy. With the column of scores and `features`.
        prob : str
            The column of scores in [0, 1]. Where a score is missing, so is the new value.
        name : str, default="calibrated"
            Name of the new column.
        check : bool, default=True
            Whether scores that are NaN or outside [0, 1] are counted first and refused.

        Raises
        ------
        ValueError
            As `CalibrationMap.apply_to`; columns of features that the frame does not have.
        """
        value = self.guarded(prob)
        return append_columns(frame, (prob,), (name,), (value,), check=check, others=self.features)
