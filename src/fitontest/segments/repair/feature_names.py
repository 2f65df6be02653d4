"""The features of a fit, and the same features at predict time: names, their order, and which are categories.

Frames and matrices are checked as scikit-learn checks them. A dict of columns has no order: its names must be those of
the fit.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data

from fitontest.maps.rules.columns import CategoricalFeatures, Columns
from fitontest.results.checks import brief, meant
from fitontest.segments.features.read_columns import read_columns


def read_features(estimator: Any, X: Any, categorical_features: CategoricalFeatures) -> tuple[Columns, dict[str, Any]]:
    """Return the columns that an estimator is fitted to, and the attributes by which it knows them again.

    Parameters
    ----------
    estimator : FeatureFamily
    X : data frame, dict of columns, or array of shape (n, d)
    categorical_features : "from_dtype", or iterable of str, int or bool
    """
    columns = read_columns(X, categorical_features)
    results: dict[str, Any] = {"columns_": {column.name: column.is_number for column in columns}}
    if isinstance(X, Mapping):
        results |= {"n_features_in_": len(columns), "feature_names_in_": np.array(columns.names, dtype=object)}
        return columns, results
    validate_data(estimator, X, skip_check_array=True)
    return columns, results | {
        name: getattr(estimator, name) for name in ("n_features_in_", "feature_names_in_") if hasattr(estimator, name)
    }


def read_known_features(estimator: Any, X: Any) -> Columns:
    """Return the columns of rows to be predicted, called as in the fit.

    Parameters
    ----------
    estimator : FeatureFamily
        Fitted.
    X : data frame, dict of columns, or array of shape (n, d)

    Raises
    ------
    ValueError
        Names, or a number of features, that are not those of the fit.
    """
    known = list(estimator.columns_)
    if isinstance(X, Mapping):
        given = {str(name): values for name, values in X.items()}
        for name in known:
            if name not in given:
                raise ValueError(f"X must have the columns of the fit, got none called {name!r}{meant(name, given)}")
        if len(given) > len(known):
            unseen = next(name for name in given if name not in known)
            raise ValueError(f"X must have the columns of the fit, {brief(known)}; got {unseen!r} too")
        X = {name: given[name] for name in known}
    elif getattr(X, "ndim", 2) == 2:  # else `read_columns` says what it must be
        validate_data(estimator, X, skip_check_array=True, reset=False)
    columns = read_columns(X, [place for place, name in enumerate(known) if not estimator.columns_[name]])
    return Columns(tuple(replace(column, name=name) for column, name in zip(columns, known, strict=True)), columns.n)
