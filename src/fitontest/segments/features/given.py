"""The features of rows that were read: as many as there are labels, of rows that stand as they were given."""

from typing import Any

from fitontest.data.score_sample import ScoreSample
from fitontest.maps.rules.columns import CategoricalFeatures, Columns
from fitontest.segments.features.read_columns import read_columns


def columns_of(X: Any, sample: ScoreSample, categorical_features: CategoricalFeatures, name: str = "X") -> Columns:
    """Return the features of the rows of a sample.

    Parameters
    ----------
    X : data frame, dict of columns, or array of shape (n, d)
    sample : ScoreSample
    categorical_features
        As for `read_columns`.
    name : str
        What the caller calls `X`.

    Raises
    ------
    ValueError
        No features, those of another number of rows, or rows that were sorted or counted when they were read.
    """
    if X is None:
        raise ValueError(f"{name} must hold the features of the rows, got None")
    if sample.aggregated or sample.is_sorted:
        raise ValueError(
            f"y_true must be rows as they were given, whose features are the rows of {name}; got cells or sorted rows "
            f"of {sample.n:,}"
        )
    columns = read_columns(X, categorical_features)
    if columns.n != sample.p.size:
        raise ValueError(f"{name} must have a row for each of {sample.p.size:,} labels, got {columns.n:,} rows")
    return columns
