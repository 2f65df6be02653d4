"""A calibration map: a value that is a function c_hat from [0, 1] to the calibrated probability.

A map is frozen, vectorised, total on [0, 1], and can be written as plain JSON and read back bit by bit. Families
make maps; a map holds nothing of its fit.
"""

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from fitontest.data.arrays import as_numbers, as_probabilities, check_finite
from fitontest.data.score_sample import ScoreSample
from fitontest.maps.expressions import Choice, Column, Expression, Guarded, Number, score_limits
from fitontest.maps.frames import append_columns
from fitontest.maps.sql import to_sql
from fitontest.maps.stored import StoredMap
from fitontest.numerics.distances import Distances
from fitontest.partitions.partition import Partition
from fitontest.results.checks import brief, is_real
from fitontest.results.typing import ArrayInput, FloatArray


class CalibrationMap(StoredMap):
    """A fitted calibration map: a function that takes scores to calibrated probabilities.

    Base of all such maps; subclasses are frozen dataclasses of floats, arrays and partitions.

    A subclass names its ``kind``, lists its fields and defines ``evaluate``; the decorator ``fot.maps.register`` lets
    `from_dict` read what `to_dict` wrote. Calling a map with scores checks that they lie in [0, 1] and returns an
    array of the same shape (a float for a single score).

    A wrong sign in a file would turn the scores round. So a map whose parameters can do that says in `decreasing`
    whether they do, and its JSON says ``"decreasing": true`` then: to read a decreasing map without it is refused, and
    so is the word beside numbers that do not decrease. They are the logistic map (slope < 0) and the beta map (a < 0
    or b < 0). Maps that list their values, at knots, jumps or in bins, are never flagged.

    Raises
    ------
    ValueError
        When called with scores that are not numbers in [0, 1].

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> from typing import ClassVar
    >>> import fitontest as fot
    >>> @dataclass(frozen=True, eq=False)
    ... class Power(fot.CalibrationMap):
    ...     kind: ClassVar[str] = "power"
    ...     exponent: float
    ...     def evaluate(self, p):
    ...         return p**self.exponent
    >>> Power(2.0)([0.5, 1.0]), Power(2.0).to_dict()
    (array([0.25, 1.  ]), {'schema': 2, 'kind': 'power', 'exponent': 2.0})
    """

    kind: ClassVar[str]
    takes_classes: ClassVar[bool] = False

    def __call__(self, p: ArrayInput) -> FloatArray:
        """Return c_hat(p)."""
        scores = as_probabilities(p, "p")
        values = self.evaluate(scores)
        return values if scores.ndim else values[()]

    @abstractmethod
    def evaluate(self, p: FloatArray) -> FloatArray:
        """Return the calibrated probabilities of scores that are known to be valid.

        That is c_hat(p) for float64 scores p in [0, 1].

        Parameters
        ----------
        p : array
            Scores, of any shape; they are not checked.

        Returns
        -------
        c : array of the shape of `p`
            Not clipped: bins of slope 1 may leave [0, 1].
        """

    def expression(self, p: Expression) -> Expression:  # noqa: ARG002 - the signature of every map
        """Return the formula of `evaluate` as an expression, by which `apply_to` and `to_sql` compute it.

        A map of one's own writes it with the operators of `fitontest.maps.expressions.Expression` and the functions
        beside it.

        Parameters
        ----------
        p : Expression
            The score, which lies in [0, 1].

        Raises
        ------
        ValueError
            Of a map that defines none.
        """
        raise ValueError(
            f"a map of kind {self.kind!r} can be applied to arrays only: {type(self).__name__} defines no expression(p)"
        )

    def guarded(self, prob: str) -> Guarded:
        """Return the expression of a column, clipped to [0, 1], and NULL where the score is missing or invalid.

        Parameters
        ----------
        prob : str
            Name of the column of scores.

        Raises
        ------
        ValueError
            A map that defines no expression.
        """
        p = Column(prob)
        return Guarded((score_limits(p),), self.expression_near(p).clip(0.0, 1.0))

    def expression_near(self, p: Expression) -> Expression:
        """Return the formula of `evaluate` for scores that may miss [0, 1] by a rounding: they are 0 or 1.

        Parameters
        ----------
        p : Expression
            The score.
        """
        with np.errstate(all="ignore"):
            low, high = (Number(float(value)) for value in np.clip(self.evaluate(np.array([0.0, 1.0])), 0.0, 1.0))
        return Choice(p, "<", 0.0, low, Choice(p, "<=", 1.0, self.expression(p), high))

    def apply_to(self, frame: Any, prob: str, name: str = "calibrated", *, check: bool = True) -> Any:
        """Return a data frame with the calibrated probabilities of one of its columns as a new column.

        Frames are those of every library that narwhals reads: pandas, polars, pyarrow, and the lazy ones of polars,
        DuckDB (relations), Dask and Spark, which stay lazy. The engine computes the map by its own arithmetic.

        Parameters
        ----------
        frame : data frame
            With the column of scores.
        prob : str
            The column of scores in [0, 1]. Where a score is missing, so is the new value.
        name : str, default="calibrated"
            Name of the new column, of float64. Its values are clipped to [0, 1].
        check : bool, default=True
            Whether scores that are NaN or outside [0, 1] are counted first and refused, in a pass over the column that
            lazy frames make at once. Without it the new value is missing where the score is none, as a stream may
            want it. pandas and Dask do not tell NaN from a missing score.

        Returns
        -------
        data frame
            Of the type of `frame`.

        Raises
        ------
        ValueError
            What is no data frame, a column that is missing or holds no numbers, a name that is taken, scores that are
            not in [0, 1], with their counts; a map that defines no expression.

        Notes
        -----
        The values of identity, binned, step and knot maps are those of `evaluate` bit by bit. Those of logistic, beta
        and logit-knot maps depend on the engine's exponential: they differ by at most 1e-15 (1 + abs(z) / 100), where
        z is the logit of the value, while slopes are at most 20. A steeper slope s takes 1.1e-16 s, because it
        multiplies the rounding of the score's own logit.

        Examples
        --------
        >>> import pandas as pd
        >>> import fitontest as fot
        >>> fot.maps.KnotsMap([0, 1], [0.1, 0.9]).apply_to(pd.DataFrame({"p": [0.25, 0.5]}), "p")
              p  calibrated
        0  0.25         0.3
        1  0.50         0.5
        """
        return append_columns(frame, (prob,), (name,), (self.guarded(prob),), check=check)

    def to_sql(self, prob: str) -> str:
        """Return the map as one scalar expression in DuckDB's SQL, which can stand in any SELECT.

        Parameters
        ----------
        prob : str
            Name of the column of scores; it is quoted, so that it may be any text.

        Returns
        -------
        str
            Its value is a DOUBLE in [0, 1], and NULL where the score is missing, NaN or outside [0, 1]. A score that
            misses it by a rounding, at most 1e-6, is 0 or 1. The notes of `apply_to` say how precise it is.

        Raises
        ------
        ValueError
            A map that defines no expression.

        Examples
        --------
        >>> import fitontest as fot
        >>> print(fot.maps.StepsMap(x=[0.5], c=[0.2, 0.7], at=[0.7]).to_sql("p"))
        CASE WHEN "p"::DOUBLE BETWEEN (-1e-06) AND 1.000001e0 THEN greatest(least(CASE WHEN "p"::DOUBLE < 0.0e0 THEN
        0.2e0 ELSE CASE WHEN "p"::DOUBLE <= 1.0e0 THEN CASE WHEN "p"::DOUBLE < 0.5e0 THEN 0.2e0 ELSE 0.7e0 END ELSE
        0.7e0 END END, 1.0e0), 0.0e0) END
        """
        return to_sql(self.guarded(prob))

    @property
    def partition(self) -> Partition | None:
        """Bins on which the map is one straight line, where it is made of such bins."""
        return None

    @property
    def shifts_bins(self) -> bool:
        """Whether the map moves all scores of a bin by the same amount, as the bins of the ECE do."""
        return False

    @property
    def leaves_unit_interval(self) -> bool:
        """Whether values may be outside [0, 1], as those of bins that shift their scores may."""
        return self.shifts_bins

    def distances(self, sample: ScoreSample) -> Distances:
        """Return how far the calibrated probability of each row lies from its score.

        That is |c_hat(p_i) - p_i| of every row of the sample, or one value for rows that are equally far.

        Parameters
        ----------
        sample : ScoreSample
            Checked scores and weights.
        """
        return Distances(np.abs(self.evaluate(sample.p) - sample.p), sample.w, sample.w2)

    def split_atoms(self) -> tuple["CalibrationMap", FloatArray]:
        """Return the map without the values that it has at single scores only, and these scores.

        Most maps have none.
        """
        return self, np.empty(0)

    @property
    def kinks(self) -> FloatArray:
        """Scores at which the map bends or jumps, in increasing order, so that a drawing can include them."""
        return np.empty(0)


def frozen_array(values: ArrayInput, name: str) -> FloatArray:
    """Return a read-only float64 copy of a column of finite numbers, or refuse it."""
    array = np.array(as_numbers(values, name), dtype=np.float64)
    check_finite(array, name)
    array.flags.writeable = False
    return array


def finite_number(value: Any, name: str) -> float:
    """Return a parameter of a map as a float, or refuse it."""
    if not (is_real(value) and -1e308 < value < 1e308):
        raise ValueError(f"{name} must be a finite number, got {brief(value)}")
    return float(value)


def clipping(value: Any, name: str) -> float:
    """Return the distance from 0 and 1 at which a map clips scores, or refuse it."""
    if not 0 < finite_number(value, name) < 0.5:
        raise ValueError(f"{name} must be a number in (0, 0.5), got {brief(value)}")
    return float(value)
