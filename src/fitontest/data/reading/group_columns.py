r"""Columns within whose values labels agree, such as a patient's number, in tables that are read without naming them.

Rows that belong together share what their scores do not say. So of each column that was not named the residuals
r = y - g are compared within its values, with g the share of positives among rows of near scores, whatever the scores
are worth. What columns are called is not looked at. With v = g (1 - g), s = sqrt(v), and pairs of rows of one value,

    agreement = sum r_i r_j / sum s_i s_j,   of independent labels 0 +- sqrt(sum v_i v_j) / sum s_i s_j

A column may say which rows belong together where all of this is true, in its first 20,000 rows:

* it has at least 10 values, which repeat, 1.2 rows each or more; none of them is a truth value, nor a number that is
  not whole;
* the agreement is at least 6 + 50 / values of these standard errors, and the sum of s_i s_j at least 16;
* pairs of one value leave at least a tenth less to chance than pairs of one value and the next one in order, or all
  labels of each value are one: of an age, a price or a date, on which labels depend smoothly, the next value says
  nearly as much.

So codes of what was measured raise none unless labels agree within them far more than scores say. Of several columns
the one is told of within which labels agree most; of those that come near it, the one of fewest values.

Only tables whose rows are kept are looked at: not lazy frames, and not what is reduced to cells. Of a file the first
rows are read again.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from fitontest.data.arrays import is_hashable
from fitontest.data.cells.frame_rows import column_names, first_rows, is_lazy
from fitontest.data.group_hint import GroupColumn
from fitontest.data.label_shares import near_shares
from fitontest.data.score_sample import ScoreSample
from fitontest.results.typing import FloatArray, IntArray

D = TypeVar("D")

MOST_ROWS = 20_000  # that are looked at
FEWEST_VALUES = 10  # nothing is concluded from fewer groups
ROWS_EACH = 1.2
CERTAIN, MORE_OF_FEW = 6.0, 50.0  # standard errors: sums over few values are skewed
LEAST_PAIRS = 16.0
LESS = 0.9  # of what pairs of one value and the next leave to chance, that is left by pairs of one value
NEARLY = 0.9  # of the largest agreement


def find_group_column(
    source: Any, data: Any, used: Mapping[str, str], layout: Any, rows: IntArray | None = None
) -> GroupColumn | None:
    """Return the column of a frame or file within whose values labels agree most, or None.

    Parameters
    ----------
    source : data frame, str or Path
    data : ScoreSample, SimplexSample or Samples
        What was read of it. Of distributions the confidences count, of several classes the first one.
    used : dict of str to str
        What the caller calls the columns that were named, and their names.
    layout : Layout or None
        How a CSV file is written; None of a frame.
    rows : int array, optional
        The rows that were read, where others were left out.
    """

    def choose(names: Sequence[str]) -> list[str]:
        return [name for name in names if name not in used.values() and names.count(name) == 1]

    if isinstance(source, str | Path):
        from fitontest.data.files.tables import first_cells  # imports DuckDB, which frames do without

        columns = first_cells(Path(source), choose, MOST_ROWS + 1, used, layout)
    elif is_lazy(source):
        return None
    else:
        columns = first_rows(source, choose(column_names(source)), MOST_ROWS + 1)
    scores: ScoreSample = data.shared.confidence
    if rows is not None:
        columns = {name: [column[k] for k in rows[rows < len(column)]] for name, column in columns.items()}
    candidates = [_as_groups(name, column, scores) for name, column in columns.items() if len(column)]
    found = [column for column in candidates if column is not None]
    most = max((column.agreement for column in found), default=0.0)
    near = [column for column in found if column.agreement >= NEARLY * most]
    return min(near, key=lambda column: column.values, default=None)


def _as_groups(name: str, column: Sequence[Any], scores: ScoreSample) -> GroupColumn | None:
    """Return what a column tells if labels agree within its values."""
    cells = column[: min(scores.p.size, MOST_ROWS)]
    if not all(map(is_hashable, cells)):  # such as records of JSON
        return None
    values = [value for value in dict.fromkeys(cells) if not _is_missing(value)]
    if not (FEWEST_VALUES <= len(values) <= len(cells) / ROWS_EACH and all(map(_is_id, values))):
        return None
    place_of = dict(zip(values, _in_order(values).tolist(), strict=True))
    code = np.array([place_of.get(value, -1) for value in cells])
    rows = np.flatnonzero(code >= 0)
    if rows.size < ROWS_EACH * len(values):
        return None
    agreement = agreement_within(code[rows], scores.p[rows], scores.y[rows])
    if agreement is None:
        return None
    return GroupColumn(name, len(values), rows.size, agreement, of_all=len(column) <= MOST_ROWS)


def agreement_within(code: IntArray, p: FloatArray, y: FloatArray) -> float | None:
    """Return how much labels agree within values, or None where that may be chance, or smooth in the values.

    Parameters
    ----------
    code : int array of shape (n,)
        The value of each row, a number from 0 to K - 1 in the order of the values.
    p, y : arrays of shape (n,)
        Scores, and labels 0.0 or 1.0.
    """
    g = near_shares(p, y)
    v = g * (1.0 - g)
    residual, variance, spread = (np.bincount(code, column) for column in (y - g, v, np.sqrt(v)))
    products = float(residual @ residual - (y - g) @ (y - g))
    pairs = float(spread @ spread - v.sum())
    deviation = math.sqrt(max(2.0 * float(variance @ variance - v @ v), 0.0))
    if pairs < 2.0 * LEAST_PAIRS or products < (CERTAIN + MORE_OF_FEW / residual.size) * deviation:
        return None
    agreement, shares = min(products / pairs, 1.0), np.bincount(code, y) / np.bincount(code)
    if np.all((shares == 0.0) | (shares == 1.0)):
        return agreement
    beside = float(residual[1:] @ residual[:-1]) / max(float(spread[1:] @ spread[:-1]), 1e-300)
    return agreement if 1.0 - agreement <= LESS * (1.0 - min(max(beside, 0.0), 1.0)) else None


def _in_order(values: Sequence[Any]) -> IntArray:
    """Return the place of each value in their order: numbers, or texts of numbers, by size, others by letters."""
    try:
        keys = np.array([float(value) for value in values])
    except (TypeError, ValueError):
        keys = np.array(list(map(str, values)))
    place = np.empty(keys.size, dtype=np.intp)
    place[np.argsort(keys, kind="stable")] = np.arange(keys.size)
    return place


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or bool(value != value)


def _is_id(value: Any) -> bool:
    """Return whether a value may be an id: no truth value, and no number, or text of one, that is not whole."""
    if isinstance(value, str) and "." in value:
        try:
            value = float(value)
        except ValueError:
            return True
    if isinstance(value, float):
        return math.isfinite(value) and value.is_integer()
    return not isinstance(value, bool)
