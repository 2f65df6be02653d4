"""Links: the scale on which a map is a straight line.

The logit is the scale of Platt scaling, beta calibration and PL3; the identity is that of binning, isotonic
regression and PL. A link is a value, so that a map can carry it.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from fitontest.results.checks import choose
from fitontest.results.typing import FloatArray

LOGIT_EPS = 1e-16  # of scores whose logits are taken: a decision value of up to 36 that became a score is itself again
CERTAIN = 36.0  # size of a logit from which on scores are not told apart, nor by floats near 1: as good as 0 or 1
SAME = 1e-12  # difference of logits that may be rounding: they are computed to some 1e-15
BELOW_ONE = float(np.nextafter(1.0, 0.0))  # the largest float with a finite logit


@dataclass(frozen=True)
class Link:
    """A scale for probabilities.

    Attributes
    ----------
    name : str
    forward : callable
        ``forward(p, eps)``: from [0, 1] to the scale; `eps` keeps infinite values away.
    inverse : callable
        From the scale back to [0, 1].
    """

    name: str
    forward: Callable[[FloatArray, float], FloatArray]
    inverse: Callable[[FloatArray], FloatArray]


def clip_unit(p: FloatArray, eps: float) -> FloatArray:
    """Return p within [eps, 1 - eps], and below 1 for an eps so small that 1 - eps is rounded to 1."""
    return np.clip(p, eps, min(1.0 - eps, BELOW_ONE))


def logit(p: FloatArray, eps: float) -> FloatArray:
    """Return log(p / (1 - p)) of p clipped to [eps, 1 - eps], precise at both ends."""
    q = clip_unit(p, eps)
    return np.log(q) - np.log1p(-q)


def sigmoid(z: FloatArray) -> FloatArray:
    """Return 1 / (1 + exp(-z)), 0 where the exponential overflows (z below -709)."""
    with np.errstate(over="ignore"):
        return np.asarray(1.0 / (1.0 + np.exp(-z)))


def _unchanged(p: FloatArray, eps: float = 0.0) -> FloatArray:  # noqa: ARG001 - the signature of every link
    return p


IDENTITY = Link("identity", _unchanged, _unchanged)
LOGIT = Link("logit", logit, sigmoid)
LINKS = {link.name: link for link in (LOGIT, IDENTITY)}


def find_link(name: str, argument: str = "link") -> Link:
    """Return the link called `name`."""
    return LINKS[choose(name, LINKS, argument)]


def signed_root(values: FloatArray) -> FloatArray:
    """Return the root of each value with its sign, as estimates of squares may be negative."""
    return np.asarray(np.sign(values) * np.sqrt(np.abs(values)))
