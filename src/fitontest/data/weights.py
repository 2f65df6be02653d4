"""Weights of rows, and what they mean: how often a row stands in the data, or how much it is to count.

A weight that is a *count* is the row repeated: a weight of 2 is the row twice, and sums of weights are numbers of rows.
Weights that are *importances*, such as those of a survey, give rows their share of a mean; their scale means nothing,
and n rows tell as much as (sum w)^2 / sum w^2 rows of equal weight. Numbers alone do not say which they are. It is
decided once, where the weights are read, and kept with them.
"""

from dataclasses import dataclass
from math import frexp
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from fitontest.data.arrays import as_numbers, check_finite
from fitontest.data.places import BadValueError, such
from fitontest.results.checks import choose
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import ArrayInput, FloatArray

WeightType: TypeAlias = Literal["auto", "counts", "importances"]
WEIGHT_TYPES: tuple[WeightType, ...] = get_args(WeightType)
MOST_COPIES = 10  # rows that whole weights may stand for, on average, to be taken for counts
EXACT_COUNT = 2.0**53  # whole numbers up to here are floats
OF_COPIES = (
    ", whose labels agree as those of copies do; if the weights are importances, such as those of a survey, say so, or "
    "divide them by their mean: intervals are too narrow now"
)
SAFE = 1e150  # importances whose sum is beyond, or below its inverse, are scaled: squares stay in the range of floats


@dataclass(frozen=True, eq=False)
class Weights:
    """Checked weights of n rows, with their meaning; taken wherever weights are, without being judged anew.

    Attributes
    ----------
    w : array of shape (n,)
        Finite, not negative, with a positive sum.
    counts : bool
        Whether a weight is a number of rows; else weights are importances.
    doubtful : bool
        Whether they are whole numbers that were taken for importances because they are too large for counts.
    said : bool
        Whether the user said what they mean.

    Examples
    --------
    >>> read_weights([1, 2, 5], "sample_weight").counts
    True
    >>> read_weights([1, 2, 5], "sample_weight", "importances").counts
    False
    """

    w: FloatArray
    counts: bool
    doubtful: bool = False
    said: bool = False

    def __len__(self) -> int:
        return self.w.size


@dataclass(frozen=True)
class Weighting:
    """What the weights of some rows were taken for, in numbers.

    Attributes
    ----------
    kind : {"counts", "importances"}
    rows : int
        Rows of positive weight.
    total : float
        Sum of the weights: of counts the rows that they stand for.
    effective_rows : float
        How many rows of weight one tell as much: the sum of counts, (sum w)^2 / sum w^2 of importances.
    copies : bool
        Whether the labels of the rows that weights are taken to count agree as those of copies do, so that the weights
        may be importances.

    Examples
    --------
    >>> print(Weighting("counts", 3, 8.0, 8.0))
    weights are counts: 3 rows stand for 8
    >>> print(Weighting("importances", 300, 9876.0, 121.4))
    weights are importances: 300 rows tell as much as 121 of equal weight
    """

    kind: Literal["counts", "importances"]
    rows: int
    total: float
    effective_rows: float
    copies: bool = False

    def __str__(self) -> str:
        if self.copies:
            return f"weights are taken for counts: {self.rows:,} rows stand for {self._effective}{OF_COPIES}"
        if self.kind == "counts":
            return f"weights are counts: {self.rows:,} rows stand for {self._effective}"
        return f"weights are importances: {self.rows:,} rows tell as much as {self._effective} of equal weight"

    @property
    def brief(self) -> str:
        """The same in two words, beside a number of rows."""
        return f"{'counts of' if self.kind == 'counts' else 'effectively'} {self._effective}"

    @property
    def _effective(self) -> str:
        return f"{self.effective_rows:,.0f}" if self.effective_rows >= 10 else f"{self.effective_rows:.2g}"


def weighting_record(weighting: Weighting | None) -> dict[str, Any]:
    """Return what the weights were taken for as JSON-ready values: the kind, their sum, and the effective rows.

    Examples
    --------
    >>> weighting_record(Weighting("counts", 3, 8.0, 8.0))
    {'weights': 'counts', 'total_weight': 8.0, 'effective_rows': 8.0}
    """
    if weighting is None:
        return {"weights": None, "total_weight": None, "effective_rows": None}
    return {
        "weights": weighting.kind,
        "total_weight": weighting.total,
        "effective_rows": weighting.effective_rows,
    }


def read_weights(
    values: ArrayInput, name: str, kind: object = "auto", argument: str = "weights", *, rescale: bool = True
) -> Weights:
    """Return weights after a check: finite, not negative, with a positive sum.

    Parameters
    ----------
    values : array-like of shape (n,), or Weights
        Weights that have been read stay as they are.
    name : str
        What the caller calls them.
    kind : {"auto", "counts", "importances"}, default="auto"
        What they mean. "auto": counts where all are whole numbers and the rows of positive weight stand for 10 rows
        each on average, at most; else importances, and of whole numbers there is a warning.
    argument : str
        What the caller calls `kind`.
    rescale : bool, default=True
        Whether importances whose squares would leave the range of floats are scaled; else they are refused, where they
        are to be added to others.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found; counts that are not whole numbers.
    """
    kind = choose(kind, WEIGHT_TYPES, argument)
    if isinstance(values, Weights):
        return values
    with np.errstate(over="ignore"):  # a long double beyond the range becomes inf, which is refused
        w = as_numbers(values, name).astype(np.float64, copy=False)
    check_finite(w, name)
    if w.min() < 0:
        bad = np.flatnonzero(w < 0)
        raise BadValueError(name, "not be negative", str(w[bad[0]]), int(bad[0]), w.shape, such(bad.size))
    with np.errstate(over="ignore"):
        total = float(w.sum())
    (_check_positive if rescale else check_total)(total, name)
    if kind == "counts":
        _check_counts(w, total, name, argument)
    whole = are_whole(w, total) and (kind != "importances" or bool(np.all(w == 1.0)))
    if not whole:
        return Weights(_within_range(w, total), counts=False, said=kind != "auto")
    counts = kind == "counts" or are_plausible(total, int(np.count_nonzero(w)))
    if not counts:
        warn_user(in_doubt(name, total, int(np.count_nonzero(w)), argument), CalibrationWarning)
    return Weights(w, counts, doubtful=not counts, said=kind != "auto")


def check_kind(kind: object, argument: str = "weights", *, has_weights: bool) -> None:
    """Raise ValueError for no kind of weights, and for a claim about weights that there are not."""
    choose(kind, WEIGHT_TYPES, argument)
    if kind != "auto" and not has_weights:
        raise ValueError(f"{argument} must be left out where there are no weights, got {kind!r}")


def are_whole(w: FloatArray, total: float) -> bool:
    """Return whether every weight is a whole number and their sums are exact."""
    return total <= EXACT_COUNT and bool(np.all(w == np.floor(w)))


def are_plausible(total: float, rows: int) -> bool:
    """Return whether whole weights of that sum may well be counts: at most 10 rows for each row, on average."""
    return total <= MOST_COPIES * rows


def are_counts(w: FloatArray) -> bool:
    """Return whether weights that have been checked are counts by the rule of "auto"."""
    total = float(w.sum())
    return are_whole(w, total) and are_plausible(total, int(np.count_nonzero(w)))


def in_doubt(name: str, total: float, rows: int, argument: str = "weights") -> str:
    """Return what is to be said of whole weights that are too large for counts."""
    claim = "weights='counts', to check_calibration or to Cells.of, whose cells stand for rows,"
    claim = f"{argument} counts" if argument.startswith("-") else claim
    return (
        f"{name}: whole numbers of {total / rows:,.3g} on average are taken for importances, whose scale means "
        f"nothing, not for counts, by which {rows:,} rows would stand for {total:,.0f}; {claim} says that they are "
        "counts"
    )


def check_total(total: float, name: str) -> None:
    """Raise ValueError where the sum of weights that cannot be scaled is none that can be reckoned with."""
    _check_positive(total, name)
    if not 1e-150 < total < 1e150:  # squares of weights would leave the range of floats
        raise ValueError(f"{name} must have a sum between 1e-150 and 1e150, got {total!s}; multiply by a constant")


def _check_positive(total: float, name: str) -> None:
    if not 0 < total < np.inf:
        raise ValueError(f"{name} must have a positive finite sum, got {total!s}")


def _check_counts(w: FloatArray, total: float, name: str, argument: str) -> None:
    """Raise ValueError unless weights can be numbers of rows."""
    bad = np.flatnonzero(w != np.floor(w))
    if bad.size:
        rule = f"be whole numbers with {argument}='counts'"
        raise BadValueError(name, rule, str(w[bad[0]]), int(bad[0]), w.shape, such(bad.size))
    if total > EXACT_COUNT:
        raise ValueError(f"{name} must have a sum of at most 2**53 with {argument}='counts', got {total!s}")


def _within_range(w: FloatArray, total: float) -> FloatArray:
    """Return importances, times a power of two where the squares of their sum would leave the range of floats."""
    return w if 1.0 / SAFE < total < SAFE else np.ldexp(w, -frexp(total)[1])
