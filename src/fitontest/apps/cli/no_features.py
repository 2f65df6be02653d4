"""Columns that describe no rows, though nobody named them otherwise: other scores, and ids."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kstest, spearmanr

from fitontest.results.typing import FloatArray

FEWEST = 20  # rows, below which nothing is concluded
LEVELS = 10  # distinct values at most that numbers in [0, 1] of categories have
ALIKE = 0.95  # rank correlation of a column and a score, from which on one is the other on another scale
OWN = 0.9  # share of the rows from which on nearly each has a number of its own
FEW_EACH = 10.0  # rows of each value on average, below which no segment can be made of it
EVEN = 0.01  # p-value of numbers that are spread as evenly as ids

SCORES, IDS = "scores", "ids"


def find_no_features(columns: Mapping[str, NDArray[Any]], scores: Mapping[str, NDArray[Any]]) -> dict[str, str]:
    """Return the columns that look like "scores" or "ids" by their values.

    Numbers look like scores where all are in [0, 1], more than ten of them different, or where they rank the rows as a
    score does. Texts look like ids where a value has fewer than ten rows on average; whole numbers where the rows of
    each value, also so few, stand together, or where nearly each row has its own and these are in order, or spread
    evenly, as amounts are not.

    Parameters
    ----------
    columns : dict of str to array of shape (n,)
    scores : dict of str to array of shape (n,)
        The columns of scores that were named.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> score, n = rng.random(200), 200
    >>> columns = {"old": np.sqrt(score), "logit": np.log(score / (1 - score)), "row": np.arange(n)}
    >>> columns |= {"age": rng.integers(20, 80, n), "income": np.exp(rng.normal(10, 1, n)).round()}
    >>> find_no_features(columns, {"p": score})
    {'old': 'scores', 'logit': 'scores', 'row': 'ids'}
    """
    ranked = [score.astype(np.float64) for score in scores.values() if score.dtype.kind in "iuf"]
    found = {name: _look_of(column, ranked) for name, column in columns.items()}
    return {name: look for name, look in found.items() if look}


def _look_of(column: NDArray[Any], scores: Sequence[FloatArray]) -> str:
    if column.dtype.kind not in "iuf":
        return IDS if _are_text_ids(column) else ""
    x = column.astype(np.float64)
    known = np.isfinite(x)
    values = np.unique(x[known])
    if known.sum() < FEWEST or values.size <= LEVELS:
        return ""
    if (values[0] >= 0.0 and values[-1] <= 1.0) or any(_are_ranked_alike(x, score) for score in scores):
        return SCORES
    return IDS if _are_number_ids(x[known], values) else ""


def _are_ranked_alike(x: FloatArray, score: FloatArray) -> bool:
    known = np.isfinite(x) & np.isfinite(score)
    if np.ptp(x[known]) == 0.0 or np.ptp(score[known]) == 0.0:
        return False
    return bool(abs(spearmanr(x[known], score[known]).statistic) >= ALIKE)


def _are_number_ids(x: FloatArray, values: FloatArray) -> bool:
    """Return whether whole numbers are those of rows, or of a few rows each that stand together."""
    if np.any(values % 1.0 != 0.0):
        return False
    steps = np.diff(x)
    if values.size < OWN * x.size:
        return bool(np.count_nonzero(steps) + 1 == values.size and x.size < FEW_EACH * values.size)
    in_order = np.all(steps >= 0.0) or np.all(steps <= 0.0)
    return bool(in_order or kstest((values - values[0]) / np.ptp(values), "uniform").pvalue >= EVEN)


def _are_text_ids(column: NDArray[Any]) -> bool:
    texts = [value for value in column.tolist() if isinstance(value, str)]
    return len(texts) >= FEWEST and len(texts) < FEW_EACH * len(set(texts))
