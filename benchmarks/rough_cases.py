"""Problems whose true map is rough, with smooth ones beside them: waves, teeth, levels, stairs, piles, atoms, a bump.

Each case draws scores p and true probabilities c with a generator. The scores are uniform (waves, teeth, stairs 4, the
bump, the rest of piles), Beta(.7, .7) (the others), or a few values. "square .05" and "sqrt .03" are inverses of the
maps of `Derivate`, mixed in until the error over Beta(.7, .7) scores is .05 and .03 on average. Calibrated cases have
c = p. This module imports nothing of the package, since it is used beside two versions of it.
"""

from collections.abc import Callable
from functools import partial
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from group_cases import Groups, labels_of

Array = NDArray[np.float64]
Truth = tuple[Array, Array]
STANDARD = "standard: "  # before the name of a case of `interval_coverage.py`
SQUARE, SQRT = 0.341466, 0.200598  # amounts that give errors of .05 and .03 over Beta(.7, .7) scores
PILE = 0.4  # of the rows, at either end
ATOM = 0.05  # of the rows, at each of three scores
ROWS, CELLS, GROUPS = READINGS = ("rows", "cells", "groups")  # how a problem is handed to the package
GROUP_COUNT, ICC, ICC_OF_SCORES = 100, 0.15, 0.3  # where rows belong together


def bathtub(rng: np.random.Generator, n: int) -> Array:
    return rng.beta(0.7, 0.7, n)


def calibrated(rng: np.random.Generator, n: int) -> Truth:
    p = bathtub(rng, n)
    return p, p


def calibrated_values(rng: np.random.Generator, n: int) -> Truth:
    p = rng.random(40)[rng.integers(0, 40, n)]
    return p, p


def calibrated_rare(rng: np.random.Generator, n: int) -> Truth:
    p = rng.beta(0.5, 20.0, n)
    return p, p


def calibrated_decimals(rng: np.random.Generator, n: int) -> Truth:
    p = np.round(bathtub(rng, n), 2)
    return p, p


def square(rng: np.random.Generator, n: int) -> Truth:
    """Scores p = (1 - a) c + a c^2."""
    p, a = bathtub(rng, n), SQUARE
    return p, (np.sqrt((1 - a) ** 2 + 4 * a * p) - (1 - a)) / (2 * a)


def root(rng: np.random.Generator, n: int) -> Truth:
    """Scores p = (1 - a) c + a sqrt(c)."""
    p, a = bathtub(rng, n), SQRT
    return p, ((np.sqrt(a**2 + 4 * (1 - a) * p) - a) / (2 * (1 - a))) ** 2


def overconfident(rng: np.random.Generator, n: int) -> Truth:
    """Logits of the truth are .7 of those of the scores."""
    p = bathtub(rng, n)
    return p, p**0.7 / (p**0.7 + (1 - p) ** 0.7)


def stairs(rng: np.random.Generator, n: int, scores: Callable[[np.random.Generator, int], Array]) -> Truth:
    """Truths are the middles of the quarters of [0, 1] in which the scores lie."""
    p = scores(rng, n)
    return p, (np.minimum(np.floor(4 * p), 3) + 0.5) / 4


def uniform(rng: np.random.Generator, n: int) -> Array:
    return rng.random(n)


def inside(p: Array) -> Array:
    """Return by what errors are multiplied, to be 0 at the ends and whole from .1 off them."""
    return np.minimum(np.minimum(p, 1 - p) / 0.1, 1.0)


def waves(rng: np.random.Generator, n: int, count: int) -> Truth:
    p = rng.random(n)
    return p, p + 0.1 * np.sin(2 * np.pi * count * p) * inside(p)


def teeth(rng: np.random.Generator, n: int) -> Truth:
    """Twelve teeth, over each of which the error rises from -.12 to .12."""
    p = rng.random(n)
    return p, np.clip(p + 0.12 * (2 * (12 * p % 1) - 1) * inside(p), 0.0, 1.0)


def leaves(rng: np.random.Generator, n: int, values: int) -> Truth:
    """Few values, new ones for each data set, with errors of their own."""
    v = rng.random(values)
    level = np.clip(v + rng.normal(0.0, 0.08, values), 0.0, 1.0)
    leaf = rng.integers(0, values, n)
    return v[leaf], level[leaf]


def piles(rng: np.random.Generator, n: int, end: float, error: float) -> Truth:
    """Two piles of scores next to or at 0 and 1; the rest is calibrated."""
    p, place = rng.random(n), rng.random(n)
    low, high = place < PILE, place >= 1 - PILE
    p = np.where(low, end, np.where(high, 1 - end, p))
    return p, p + error * low - error * high


def bump(rng: np.random.Generator, n: int) -> Truth:
    """Large errors of 3 % of the rows."""
    p = rng.random(n)
    return p, p + 0.35 * ((p > 0.40) & (p < 0.43))


def atoms(rng: np.random.Generator, n: int) -> Truth:
    """Three scores that many rows share, with errors of their own; the rest is calibrated."""
    p, place = bathtub(rng, n), rng.random(n)
    c = p.copy()
    for k, (atom, error) in enumerate(((0.1, 0.12), (0.5, -0.15), (0.9, -0.12))):
        here = (place >= k * ATOM) & (place < (k + 1) * ATOM)
        p[here], c[here] = atom, atom + error
    return p, c


CASES: dict[str, Callable[[np.random.Generator, int], Truth]] = {
    "calibrated": calibrated,
    "cal 40 values": calibrated_values,
    "cal piles": partial(piles, end=0.002, error=0.0),
    "cal rare": calibrated_rare,
    "cal 2 decimals": calibrated_decimals,
    "square .05": square,
    "sqrt .03": root,
    "overconfident .7": overconfident,
    "stairs .1": partial(stairs, scores=bathtub),
    "wavy8": partial(waves, count=8),
    "wavy20": partial(waves, count=20),
    "leaves 40": partial(leaves, values=40),
    "leaves 100": partial(leaves, values=100),
    "piles .05": partial(piles, end=0.0, error=0.05),
    "piles .003": partial(piles, end=0.0, error=0.003),
    "stairs 4": partial(stairs, scores=uniform),
    "sawtooth": teeth,
    "bump 3 %": bump,
    "atoms": atoms,
}
CALIBRATED = ("calibrated", "cal 40 values", "cal piles", "cal rare", "cal 2 decimals")
SMOOTH = (*CALIBRATED, "square .05", "sqrt .03", "overconfident .7")


def generator_of(first_seed: int, case: str, n: int, number: int) -> np.random.Generator:
    """Return the generator of one data set, which no other shares."""
    return np.random.default_rng([first_seed, crc32(case.encode()), n, number])


def draw(case: str, n: int, rng: np.random.Generator) -> tuple[NDArray[np.bool_], Array, Array]:
    """Return (y, p, c): labels, scores, and the true probabilities of the rows."""
    p, c = CASES[case](rng, n)
    return rng.random(n) < c, p, c


def draw_in_groups(case: str, n: int, rng: np.random.Generator) -> tuple[NDArray[np.bool_], Array, Array, NDArray]:
    """Return (y, p, c, group): labels of a group are alike beyond their scores, and its scores are alike too."""
    p, c = CASES[case](rng, n)
    place = np.argsort(np.lexsort((rng.random(n), p)))  # ties in random order
    latent = np.sqrt(ICC_OF_SCORES) * ndtri((place + 0.5) / n) + np.sqrt(1 - ICC_OF_SCORES) * rng.standard_normal(n)
    group = np.argsort(np.argsort(latent)) * GROUP_COUNT // n
    groups = Groups(GROUP_COUNT, n // GROUP_COUNT, ICC, ICC_OF_SCORES)
    return labels_of(groups, p, c, group, rng).astype(bool), p, c, group
