"""Whether differential evolution finds better knots for PL than our optimiser: ten sets, four segments, the same loss.

Usage: ``python benchmarks/differential_evolution.py [--n 1000] [--segments 4] [--sets 10]``.

The paper's PL_DE places the knots of a polygon in probability by differential evolution. Here scipy's places them
too, and for each proposal the values at the knots are fitted by L-BFGS, a convex problem of log loss for given knots.
Ours is one fit to all rows, `PL(segments, ensemble=False)`, bare (the same loss and no prior) and with its prior.
Printed are the mean log loss and the mean distance of the maps from the truth at the scores, in thousandths, and
seconds.
"""

import argparse
from time import perf_counter

import numpy as np
from scipy.optimize import differential_evolution, minimize

import fitontest as fot
from fitontest.datasets import SHAPES, Derivate
from report import machine_facts, markdown

CLIP = 1e-9


def hats(p: np.ndarray, knots: np.ndarray) -> np.ndarray:
    """Return the values at p of the polygons that are 1 at one knot and 0 at the others, shape (n, knots)."""
    return np.stack([np.interp(p, knots, row) for row in np.eye(knots.size)], axis=1)


def best_values(p: np.ndarray, y: np.ndarray, knots: np.ndarray) -> tuple[float, np.ndarray]:
    """Return the least mean log loss of polygons with these knots, and the values that have it."""
    features = hats(p, knots)

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        q = np.clip(features @ values, CLIP, 1 - CLIP)
        slope = (q - y) / (q * (1 - q)) / y.size
        return -float(np.mean(np.where(y > 0, np.log(q), np.log1p(-q)))), features.T @ slope

    found = minimize(loss, knots, jac=True, bounds=[(1e-6, 1 - 1e-6)] * knots.size, method="L-BFGS-B")
    return float(found.fun), found.x


def by_evolution(p: np.ndarray, y: np.ndarray, segments: int, seed: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Return loss, knots and values of the best polygon that differential evolution finds."""

    def knots_of(inner: np.ndarray) -> np.ndarray:
        return np.concatenate(([0.0], np.sort(inner), [1.0]))

    def loss(inner: np.ndarray) -> float:
        knots = knots_of(inner)
        return np.inf if np.diff(knots).min() < 1e-3 else best_values(p, y, knots)[0]

    found = differential_evolution(
        loss, [(0.0, 1.0)] * (segments - 1), seed=seed, maxiter=60, popsize=12, tol=0, polish=False
    )
    knots = knots_of(found.x)
    return float(found.fun), knots, best_values(p, y, knots)[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--segments", type=int, default=4)
    parser.add_argument("--sets", type=int, default=10)
    given = parser.parse_args()
    print(machine_facts())
    rows = []
    for k in range(given.sets):
        shape = list(SHAPES)[k % len(SHAPES)]
        y, p, c = Derivate(shape, error=0.05).draw(given.n, np.random.default_rng([5, k]))
        start = perf_counter()
        evolved, knots, values = by_evolution(p, y, given.segments, k)
        middle = perf_counter()
        regular = fot.PL(given.segments, ensemble=False).fit(p, y)
        bare = fot.PL(given.segments, ensemble=False, alpha=0, kappa=0).fit(p, y)
        stop = perf_counter()
        loss = [-float(np.mean(np.log(np.where(y > 0, q, 1 - q)))) for q in (bare.predict(p), regular.predict(p))]
        away = [np.abs(q - c).mean() for q in (np.interp(p, knots, values), bare.predict(p), regular.predict(p))]
        losses, distances = (
            (f"{1e3 * value:.3f}" for value in (evolved, *loss)),
            (f"{1e3 * value:.1f}" for value in away),
        )
        rows.append([shape, *losses, *distances, f"{middle - start:.1f}", f"{stop - middle:.2f}"])
    header = ("shape", "loss: evolution", "ours, bare", "ours", "map: evolution", "ours, bare", "ours", "s", "s, both")
    print(markdown(header, rows))


if __name__ == "__main__":
    main()
