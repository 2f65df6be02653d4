"""The curves and errors that packages of R give for eight data sets, as tests compare them."""

from functools import cache

import numpy as np

from tests.valprob import SETS, rows_of


@cache
def sets():
    """Return the data sets by name: labels, scores, and what R gives by key."""
    return {name: (rows_of(name).y, rows_of(name).p, data["expected"]) for name, data in SETS.items()}


def errors(c, p):
    """Return the errors of calibrated values c as R's packages compute them."""
    g = np.abs(c - p)
    return {
        "ICI": g.mean(),
        "E50": np.median(g),
        "E90": np.quantile(g, 0.9),
        "Emax": g.max(),
        "ECI": 100 * np.mean(g**2),
    }


def assert_agrees(c, p, expected, key, atol):
    """Compare calibrated values of all rows with R's errors and, where there is one, its curve."""
    for name, value in errors(c, p).items():
        assert abs(value - expected[key][name]) <= (100 if name == "ECI" else 1) * atol, (name, value)
    if "curve" in expected[key]:
        rows = np.array(expected["at"], dtype=int)
        curve = np.array(expected[key]["curve"], dtype=float)
        listed = ~np.isnan(curve)
        np.testing.assert_allclose(c[rows[listed]], curve[listed], rtol=0, atol=atol)
