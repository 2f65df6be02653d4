"""Rows with features of every kind, that the tests of features and of calibrators that see them share."""

import numpy as np

from fitontest.numerics.links import sigmoid
from fitontest.segments.features.read_columns import read_columns
from fitontest.segments.features.rows import FeatureRows


def mixed(n, seed=0, missing=0.1):
    """Return a dict of columns: numbers with and without missing values, texts, booleans, and one constant."""
    rng = np.random.default_rng(seed)
    city = rng.choice(["Bern", "Oslo", "Rom"], n, p=[0.5, 0.3, 0.2]).astype(object)
    city[rng.random(n) < missing] = None
    hours = np.round(rng.gamma(2.0, 3.0, n), 1)
    hours[rng.random(n) < missing] = np.nan
    return {
        "age": rng.integers(20, 80, n).astype(float),
        "hours": hours,
        "city": city,
        "member": rng.random(n) < 0.4,
        "one": np.ones(n),
    }


def labelled(n, seed=0, offset=1.0):
    """Return features, scores, and labels whose logits are too low for the old and too high for one city."""
    rng = np.random.default_rng([seed, 1])
    X = mixed(n, seed)
    p = rng.random(n)
    wrong = offset * (X["age"] > 55) - offset * (X["city"] == "Oslo")
    y = (rng.random(n) < sigmoid(np.log(p / (1 - p)) + wrong)).astype(float)
    return X, p, y


def rows_of(n, seed=0, w=None, whole=True, groups=None, offset=1.0):
    """Return the same as rows, of which the order is that in which they were drawn."""
    X, p, y = labelled(n, seed, offset)
    w = np.ones(n) if w is None else np.asarray(w, dtype=float)
    return FeatureRows(read_columns(X), y, np.log(p / (1 - p)), w, whole, groups)
