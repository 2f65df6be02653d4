"""What tests of decisions share: the golden sets, and a population whose truth is known."""

import json
from functools import cache
from pathlib import Path

import numpy as np

FILE = Path(__file__).parent.parent / "reference" / "valprob.json"


@cache
def golden():
    """Return the golden sets by name."""
    return json.loads(FILE.read_text(encoding="utf-8"))["sets"]


def columns(name):
    """Return labels and scores of a golden set."""
    data = golden()[name]
    return np.array([int(label) for label in data["y"]]), np.array(data["p"])


def population(n=2000, seed=0):
    """Return labels, scores and true probabilities."""
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    c = 0.15 + 0.7 * p**1.5
    return (rng.random(n) < c).astype(int), p, c
