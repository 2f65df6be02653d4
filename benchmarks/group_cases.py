"""Rows that belong together and whose true map is known: their labels, and their scores, are alike within groups.

A label is 1 where a latent normal number is below a threshold, and rows of a group share a part of that number:

    sqrt(icc) Z0_k + sqrt(1 - icc) e_i + s x_i Z1_k < sqrt(1 + s^2 x_i^2) Phi^-1(c(p_i)),   x_i = Phi^-1(p_i)

with Z0_k, Z1_k and e_i independent and standard normal. Over all groups each label has exactly the probability c(p_i),
whatever the latent correlation icc of two labels of a group, and whatever the standard deviation s of the groups'
slopes. The truth is c, that of rows of all groups like these, not that of these very groups.

Logits of scores are normal with a standard deviation of 1.5, of whose variance a share lies between groups.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

SEED = 36_2026
SPREAD = 1.5  # standard deviation of the logits
Array: TypeAlias = NDArray[np.float64]


def overconfident(p: Array) -> Array:
    return expit(0.713 * logit(p))


def too_high(p: Array) -> Array:
    return p - 0.283 * p * (1 - p)


SHAPES: dict[str, Callable[[Array], Array]] = {"overconfident": overconfident, "too high": too_high}  # errors of .05
ERRORS = (0.0, 0.05)


@dataclass(frozen=True)
class Groups:
    """How rows belong together.

    Parameters
    ----------
    number, rows : int
        Groups, and the rows of each; where `geometric`, their mean.
    icc : float
        Latent correlation of two labels of a group, beyond what their scores say.
    icc_of_scores : float
        Correlation of the logits of two scores of a group.
    slopes : float
        Standard deviation of the slopes of the groups' own maps, as a share of the common slope.
    geometric : bool
        Whether sizes are geometric.
    importances : float
        Standard deviation of the logarithms of the weights; 0: none.
    """

    number: int
    rows: int
    icc: float = 0.0
    icc_of_scores: float = 0.3
    slopes: float = 0.0
    geometric: bool = False
    importances: float = 0.0


CASES: dict[str, Groups] = {  # in the order of their importance
    "100 x 30, ICC .15": Groups(100, 30, icc=0.15),
    "100 x 30, independent": Groups(100, 30),
    "100 x 30, scores alike": Groups(100, 30, icc=0.15, icc_of_scores=0.9),
    "100 x 10, ICC .05": Groups(100, 10, icc=0.05),
    "20 x 50, ICC .15": Groups(20, 50, icc=0.15),
    "100 x 30, random slopes": Groups(100, 30, slopes=0.35),
    "10 x 100, ICC .05": Groups(10, 100, icc=0.05),
    "100 of geometric sizes": Groups(100, 12, icc=0.15, geometric=True),
    "100 x 30, one score each": Groups(100, 30, icc=0.15, icc_of_scores=1.0),
    "100 x 30, importances": Groups(100, 30, icc=0.15, importances=0.5),
    "100 x 10, independent": Groups(100, 10),
    "200 x 5, one score each, ICC .8": Groups(200, 5, icc=0.8, icc_of_scores=1.0),
    "200 x 5, copies": Groups(200, 5, icc=1.0, icc_of_scores=1.0),
    "200 x 5, ICC .8": Groups(200, 5, icc=0.8),
}


@dataclass(frozen=True)
class Rows:
    """Rows of which the truth is known.

    Attributes
    ----------
    y, p, c : arrays of shape (n,)
        Labels, scores, and the true probabilities given the scores.
    group : int array of shape (n,)
    weight : array of shape (n,) or None
    shape : str
        Of the true map: "calibrated", or one of `SHAPES`.
    """

    y: NDArray[np.intp]
    p: Array
    c: Array
    group: NDArray[np.intp]
    weight: Array | None
    shape: str

    @property
    def error(self) -> float:
        """The mean of abs(c - p) over the rows."""
        return float(np.average(np.abs(self.c - self.p), weights=self.weight))


def draw(case: str, error: float, number: int, offset: int = 0) -> Rows:
    """Return one data set of a case; where there is an error, shapes take turns."""
    groups, shape = CASES[case], [*SHAPES][number % len(SHAPES)] if error else "calibrated"
    rng = np.random.default_rng([SEED, offset, crc32(case.encode()), round(1e6 * error), number])
    p, group = scores_of(groups, rng)
    c = SHAPES[shape](p) if error else p
    weight = np.exp(groups.importances * rng.standard_normal(p.size)) if groups.importances else None
    return Rows(labels_of(groups, p, c, group, rng), p, c, group, weight, shape)


def scores_of(groups: Groups, rng: np.random.Generator) -> tuple[Array, NDArray[np.intp]]:
    """Return the scores, and the group of each."""
    rows = np.full(groups.number, groups.rows)
    if groups.geometric:
        rows = rng.geometric(1 / groups.rows, groups.number)
    group = np.repeat(np.arange(groups.number), rows)
    between = np.sqrt(groups.icc_of_scores) * rng.standard_normal(groups.number)[group]
    within = np.sqrt(1 - groups.icc_of_scores) * rng.standard_normal(group.size)
    return expit(SPREAD * (between + within)), group


def labels_of(
    groups: Groups, p: Array, c: Array, group: NDArray[np.intp], rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return labels with the probabilities `c`, alike within groups."""
    z0, z1 = rng.standard_normal((2, groups.number))
    own = rng.standard_normal(p.size)
    x = groups.slopes * ndtri(p) if groups.slopes else np.zeros(p.size)  # logits of scores of 0 and 1 are infinite
    latent = np.sqrt(groups.icc) * z0[group] + np.sqrt(1 - groups.icc) * own + x * z1[group]
    return (latent < np.sqrt(1 + x**2) * ndtri(c)).astype(np.intp)
