"""What tests of decisions share: a population whose truth is known."""

import numpy as np


def population(n=2000, seed=0):
    """Return labels, scores and true probabilities."""
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    c = 0.15 + 0.7 * p**1.5
    return (rng.random(n) < c).astype(int), p, c
