"""Maps of every kind, and the scores at which engines may differ from `evaluate`."""

import numpy as np

import fitontest as fot
from fitontest.maps.atoms import AtomsMap

RNG = np.random.default_rng(21)
_X = np.unique(RNG.random(40))
MAPS = {
    "identity": fot.maps.IdentityMap(),
    "binned": fot.maps.BinnedMap(fot.partitions.Partition([0.2, 0.7], "right"), [0.1, 0.5, -0.1], [1.0, 0.0, 1.0]),
    "binned, shifted": fot.maps.BinnedMap(
        fot.partitions.Partition([0.1, 0.29, 0.5]), [-0.3, 0.3, 0.0, 0.5], np.ones(4)
    ),
    "binned, equal width": fot.maps.BinnedMap(
        fot.partitions.Partition(np.arange(1, 100) / 100), RNG.normal(0, 0.1, 100), np.ones(100)
    ),
    "binned, point at 1": fot.maps.BinnedMap(fot.partitions.Partition([0.5, 1.0]), [0.1, 0.2, 0.9], [0.5, 0.0, 0.0]),
    "constant": fot.maps.BinnedMap(fot.partitions.Partition([]), [0.3], [0.0]),
    "steps": fot.maps.StepsMap([0.1, 0.5, 0.8], [0.0, 0.4, 0.2, 0.9], [0.1, 0.2, 0.2]),
    "steps, many": fot.maps.StepsMap(_X, np.sort(RNG.random(_X.size + 1)), RNG.random(_X.size)),
    "steps, none": fot.maps.StepsMap([], [0.3], []),
    "steps, ends": fot.maps.StepsMap([0.0, 1.0], [0.2, 0.4, 0.6], [0.1, 0.9]),
    "knots": fot.maps.KnotsMap([0.1, 0.3, 0.8], [0.0, 0.2, 0.9]),
    "knots, many": fot.maps.KnotsMap(_X, RNG.random(_X.size)),
    "knots, one": fot.maps.KnotsMap([0.5], [0.25]),
    "knots, jump": fot.maps.KnotsMap([0.0, 1e-309, 0.5, 1.0], [0.0, 0.5, 0.3, 1.0]),
    "knots, unbounded": fot.maps.KnotsMap([0.1, 0.3, 0.8], [-0.1, 0.2, 1.3], unbounded=True),
    "hermite": fot.maps.HermiteMap([0.1, 0.3, 0.8], [-0.1, 0.2, 1.1], [0.3, 0.4], [0.2, -0.5]),
    "hermite, short": fot.maps.HermiteMap([0.0, 1e-309, 0.5, 1.0], [0.0, 0.5, 0.3, 1.0], [0.1] * 3, [0.2] * 3),
    "logistic": fot.maps.LogisticMap(1.3, -0.2, "logit", 1e-16),
    "logistic, falling": fot.maps.LogisticMap(-2.0, 0.5, "logit", 1e-12),
    "logistic, identity": fot.maps.LogisticMap(4.0, -2.0, "identity", 1e-16),
    "logistic, least eps": fot.maps.LogisticMap(0.5, 3.0, "logit", 1e-320),
    "beta": fot.maps.BetaMap(0.7, 1.9, 0.1, 2.2e-16),
    "beta, least eps": fot.maps.BetaMap(0.3, 2.5, -0.4, 1e-300),
    "beta, one exponent": fot.maps.BetaMap(0.0, 1.0, 0.0, 1e-16),
    "logit_knots": fot.maps.LogitKnotsMap([[-3.0, -1.0, 2.0], [-4.0, 0.5, 3.0]], [[-2.0, -1.5, 2.5], [-5.0, 1.0, 1.5]]),
    "logit_knots, line": fot.maps.LogitKnotsMap([[-3.0, 3.0]], [[-1.0, 2.0]]),
    "restricted_cubic": fot.maps.RestrictedCubicMap([-3.0, -1.0, 0.5, 2.0], [-2.0, -1.5, 1.0, 2.5]),
    "restricted_cubic, line": fot.maps.RestrictedCubicMap([-3.0, 3.0], [-1.0, 2.0], 1e-12),
    "mixture": fot.maps.MixtureMap(
        [0.2, 0.5, 0.3, 0.0],
        [
            fot.maps.LogisticMap(1.3, -0.2, "logit", 1e-16),
            fot.maps.LogitKnotsMap([[-3.0, 0.1, 3.0]], [[-1.0, 0.2, 2.0]]),
            fot.maps.BinnedMap(fot.partitions.Partition([0.5]), [-0.3, 0.3], [1.0, 1.0]),
            fot.maps.IdentityMap(),
        ],
    ),
    "atoms": AtomsMap([0.0, 0.3, 0.7, 1.0], [0.05, 0.9, 0.2, 0.4], fot.maps.LogisticMap(1.3, -0.2, "logit", 1e-16)),
    "atoms, one": AtomsMap([0.5], [0.25], fot.maps.IdentityMap()),
    "atoms, at the edges of bins": AtomsMap(
        [0.2, 0.7], [1.0, 0.0], fot.maps.StepsMap([0.2, 0.7], [0.1, 0.4, 0.9], [0.2, 0.3])
    ),
}
for _seed in range(5):  # polygons with slopes up to 20, as fits have them
    _rng = np.random.default_rng(_seed)
    _x = np.cumsum(_rng.uniform(0.3, 3, (4, 6)), axis=1) - 6
    MAPS[f"polygon {_seed}"] = fot.maps.LogitKnotsMap(_x, np.cumsum(_rng.exponential(1, (4, 6)), axis=1) - 4)
STEEP = {  # a slope s of the logit multiplies its rounding of 4.4e-16: 1.1e-16 s of the value
    "logistic, steep": fot.maps.LogisticMap(80.0, -12.0, "logit", 1e-16),
    "polygon, steep": fot.maps.LogitKnotsMap([[-3.0, 0.7, 0.72, 3.0]], [[-2.0, -1.0, 0.6, 1.0]]),
}
EXACT = ("identity", "binned", "steps", "knots", "hermite")  # kinds whose values are those of `evaluate` bit by bit


def edge_set(c_hat):
    """Return uniform scores, extreme ones, and the edges and bends of a map with their neighbours."""
    rng = np.random.default_rng(0)
    z = rng.normal(0, 12, 500)
    extreme = [0.0, -0.0, 1.0, 5e-324, 1e-300, 1e-17, 1 - 2.0**-53, 0.5]
    edges = c_hat.kinks if c_hat.partition is None else c_hat.partition.edges
    at = np.concatenate((edges, getattr(c_hat, "x", np.empty(0)).ravel()))
    beside = np.nextafter(at, [[-1.0], [2.0]]).ravel()
    return np.clip(np.concatenate((rng.random(500), 1 / (1 + np.exp(-z)), extreme, at, beside)), 0.0, 1.0)


def assert_promised(found, c_hat, p, slack=1.0):
    """Compare values with those of `evaluate`, within the promise."""
    expected = np.clip(c_hat.evaluate(p), 0.0, 1.0)
    if c_hat.kind in EXACT:
        np.testing.assert_array_equal(found, expected)
        return
    with np.errstate(divide="ignore"):
        z = np.minimum(np.abs(np.log(expected) - np.log1p(-expected)), 745.0)
    excess = np.abs(found - expected) / (slack * 1e-15 * (1 + z / 100))
    worst = int(np.argmax(excess))
    assert excess[worst] <= 1, f"{found[worst]!r} for {expected[worst]!r} at {p[worst]!r}: {excess[worst]:.2f}"
