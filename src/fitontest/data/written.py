"""How scores are written where they are no probabilities yet, and what becomes of rows in which a value is missing.

Nothing of this is guessed: without being told, percents and logarithms are refused as scores outside [0, 1], and so is
a row in which a value is missing. What is changed or left out is said with its number, by a warning.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np

from fitontest.data.arrays import as_numbers, is_missing, is_score, of_single_values, take_rows
from fitontest.data.places import BadValueError
from fitontest.results.checks import brief, check_flag, choose, is_whole
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import BoolArray, IntArray

Scale: TypeAlias = Literal["probability", "percent", "log"]
Missing: TypeAlias = Literal["refuse", "drop"] | int
SCALES = ("probability", "percent", "log")


@dataclass(frozen=True)
class Written:
    """How scores are written, and whether rows in which a value is missing are left out.

    Parameters
    ----------
    scale : {"probability", "percent", "log"}, default="probability"
        Percents are divided by 100, of logarithms of probabilities the exponential is taken.
    clip : bool, default=False
        Whether scores outside [0, 1] become 0 or 1.
    missing : {"refuse", "drop"} or int, default="refuse"
        What becomes of rows in which a label, score, weight, group or segment is missing; with a number at most so many
        are left out.

    Examples
    --------
    >>> Written("percent").scores(np.array([0.0, 25.0]), "prob").tolist()
    [0.0, 0.25]
    """

    scale: Scale = "probability"
    clip: bool = False
    missing: Missing = "refuse"

    def __post_init__(self) -> None:
        choose(self.scale, SCALES, "scale")
        check_flag(self.clip, "clip")
        if self.missing not in ("refuse", "drop") and not (is_whole(self.missing) and self.missing >= 0):
            raise ValueError(f"missing must be 'refuse', 'drop' or a number of rows, got {brief(self.missing)}")

    @property
    def drops(self) -> bool:
        """Whether rows in which a value is missing are left out."""
        return self.missing != "refuse"

    @property
    def is_plain(self) -> bool:
        """Whether scores are what they are, and values that are missing are refused."""
        return self == PLAIN

    def scores(self, values: Any, name: str) -> Any:
        """Return a column of scores as probabilities.

        Parameters
        ----------
        values : array-like of shape (n,)
        name : str
            What the caller calls it.
        """
        if self.scale == "probability" and not self.clip:
            return values
        p = self.scaled(as_numbers(values, name).astype(np.float64))
        if not self.clip:
            return p
        self.say_clipped(int(np.count_nonzero(~is_score(p) & ~np.isnan(p))), p.size, name)
        return np.clip(p, 0.0, 1.0)

    def scaled(self, p: Any) -> Any:
        """Return scores, or an expression of them, on the scale of probabilities."""
        if self.scale == "log":
            return np.exp(p) if isinstance(p, np.ndarray) else p.exp()
        return p / 100.0 if self.scale == "percent" else p

    def say_clipped(self, count: int, n: int, name: str) -> None:
        """Warn that scores were clipped."""
        if count:
            warn_user(f"{name}: {count:,} of {n:,} scores are outside [0, 1], and clipped to it", CalibrationWarning)

    def say_dropped(self, counts: Mapping[str, int], dropped: int, n: int) -> None:
        """Warn that rows are left out, or refuse it if they are more than may be, or all.

        Parameters
        ----------
        counts : dict of str to int
            In how many rows a value is missing, by what the caller calls the column.
        dropped, n : int
            Rows in which any is missing, and rows in all.
        """
        if not dropped:
            return
        each = ", ".join(f"{count:,} without {name}" for name, count in counts.items() if count)
        rows = f"{dropped:,} of {n:,} rows"
        if isinstance(self.missing, int) and dropped > self.missing:
            rule = "missing must be at least the number of rows in which a value is missing"
            raise ValueError(f"{rule}, {rows} ({each}); got {self.missing}")
        if dropped == n:
            raise ValueError(f"missing must leave rows in which every value is there, got none of {n:,} rows ({each})")
        warn_user(f"{rows} are left out, in which a value is missing: {each}", CalibrationWarning)

    def kept_rows(self, columns: Mapping[str, Any]) -> IntArray | None:
        """Return the rows in which no value is missing, with a warning that says how many are not; None: all of them.

        Parameters
        ----------
        columns : dict of str to array-like of n rows
            By what the caller calls them; None is no column.
        """
        if not self.drops:
            return None
        masks = {name: missing_rows(column) for name, column in columns.items() if column is not None}
        if len({mask.size for mask in masks.values()}) != 1:
            return None  # which is refused where they are compared
        gone = np.logical_or.reduce([*masks.values()])
        self.say_dropped({name: int(mask.sum()) for name, mask in masks.items()}, int(gone.sum()), gone.size)
        return np.flatnonzero(~gone) if gone.any() else None


PLAIN = Written()


def taken_rows(columns: Mapping[str, Any], rows: IntArray | None) -> dict[str, Any]:
    """Return the chosen rows of all columns, each of its own type; all of None."""
    if rows is None:
        return dict(columns)
    return {name: None if column is None else take_rows(column, rows) for name, column in columns.items()}


@contextmanager
def counting_from(rows: IntArray | None) -> Iterator[None]:
    """Say of a value that is refused in the block where it stood before others were left out."""
    try:
        yield
    except BadValueError as error:
        if rows is None or not error.shape or error.shape[0] != rows.size:
            raise
        width = int(np.prod(error.shape[1:]))
        index = int(rows[error.row]) * width + error.index % width
        shape = (int(rows[-1]) + 1, *error.shape[1:])
        raise BadValueError(error.name, error.rule, error.got, index, shape, error.note) from error


def missing_rows(values: Any) -> BoolArray:
    """Return in which rows of a column, a matrix or a frame a value is missing: None, NaN or NA.

    Examples
    --------
    >>> missing_rows([0.1, None, float("nan")]).tolist(), missing_rows(np.array([[0.1, np.nan], [0.2, 0.8]])).tolist()
    ([False, True, True], [True, False])
    """
    values = of_single_values(values)
    if isinstance(values, np.ma.MaskedArray):
        return _of_rows(np.ma.getmaskarray(values) | _is_missing(np.asarray(values.data)))
    native = nw.from_native(values, eager_only=True, allow_series=True, pass_through=True)
    if isinstance(native, nw.DataFrame):
        return np.asarray(np.any([missing_rows(native[name].to_native()) for name in native.columns], axis=0))
    if isinstance(native, nw.Series):
        return np.asarray(native.is_null().to_numpy(), dtype=bool) | _is_missing(native.to_numpy())
    if type(values).__module__.startswith("pyarrow"):
        return missing_rows(values.to_pylist())
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    return _of_rows(_is_missing(np.asarray(values, dtype=object if isinstance(values, list | tuple) else None)))


def _is_missing(values: Any) -> BoolArray:
    array = np.asarray(values)
    if array.dtype.kind in "fc":
        return np.asarray(np.isnan(array))
    if array.dtype.kind in "mM":
        return np.asarray(np.isnat(array))
    if array.dtype != object:
        return np.zeros(array.shape, dtype=bool)
    return np.array([is_missing(value) for value in array.reshape(-1)], dtype=bool).reshape(array.shape)


def _of_rows(missing: BoolArray) -> BoolArray:
    return np.asarray(missing.reshape(missing.shape[0], -1).any(axis=1)) if missing.ndim > 1 else missing
