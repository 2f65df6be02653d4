"""Data sets whose true calibration map is known, drawn afresh at any size.

Five shapes of the fit-on-test paper (uniform true probabilities, expected error .10 or .05) and three of our own where
scores are as hard as they come in practice: nearly all of them next to 0 and 1, events of 1.5 %, and the confidence
of an overconfident classifier, which starts at one half.
"""

import numpy as np
from numpy.typing import NDArray

from fitontest.datasets import Confidence, Derivate, Rare, Sharp

Array = NDArray[np.float64]
SHAPES = ("square", "sqrt", "beta1", "beta2", "stairs")
SIX = ("square .10", "stairs .10", "beta1 .05", "sharp", "rare", "confidence")


def draw(name: str, n: int, seed: int) -> tuple[Array, Array, Array]:
    """Return (y, p, c): labels, scores, and the true probabilities at the scores."""
    if " " in name:
        shape, error = name.split()
        return Derivate(shape, float(error)).draw_as_published(n, seed)
    problem = {"sharp": Sharp(), "rare": Rare(), "confidence": Confidence()}[name]
    return problem.draw(n, np.random.default_rng([n, seed]))
