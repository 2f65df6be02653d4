"""Data sets whose true calibration map is known, drawn afresh at any size.

Five shapes of the fit-on-test paper (uniform true probabilities, expected error .10 or .05) and three of our own where
scores are as hard as they come in practice: nearly all of them next to 0 and 1, events of 1 %, and the confidence
of an overconfident classifier, which starts at one half.
"""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).parents[1]))  # the tests draw the paper's sets too
from tests.synthetic import draw as draw_shape

Array = NDArray[np.float64]
AMOUNTS = {  # how much of the shape is mixed in, by shape and expected calibration error
    ("square", 0.05): 0.299999,
    ("square", 0.10): 0.599998,
    ("sqrt", 0.05): 0.299999,
    ("sqrt", 0.10): 0.599998,
    ("beta1", 0.05): 0.416588,
    ("beta1", 0.10): 0.833176,
    ("beta2", 0.05): 0.484039,
    ("beta2", 0.10): 0.968086,
    ("stairs", 0.05): 0.438454,
    ("stairs", 0.10): 0.8769,
}
SHAPES = ("square", "sqrt", "beta1", "beta2", "stairs")
SIX = ("square .10", "stairs .10", "beta1 .05", "sharp", "rare", "confidence")


def draw(name: str, n: int, seed: int) -> tuple[Array, Array, Array]:
    """Return (y, p, c): labels, scores, and the true probabilities at the scores."""
    if " " in name:
        shape, error = name.split()
        return draw_shape(shape, AMOUNTS[shape, float(error)], n, seed)
    rng = np.random.default_rng([n, seed])
    p, c = {"sharp": _sharp, "rare": _rare, "confidence": _confidence}[name](rng, n)
    return (rng.random(n) < c).astype(int), p, c


def _sharp(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    z = rng.normal(0, 4, n)
    return _sigmoid(z), _sigmoid(0.6 * z + 0.5 * np.sin(z))


def _rare(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    p = rng.beta(0.6, 40, n)
    return p, p * (0.5 + 1.2 * np.exp(-30 * p))


def _confidence(rng: np.random.Generator, n: int) -> tuple[Array, Array]:
    p = 1 - 0.5 * rng.beta(0.5, 1.5, n)
    return p, p - 0.8 * (p - 0.5) * (1 - p) - 0.1 * (p - 0.5)


def _sigmoid(z: Array) -> Array:
    return 1 / (1 + np.exp(-z))
