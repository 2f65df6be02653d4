"""Truths of a wanted calibration error: scores that are wrong in a known way, by a known amount.

A distortion moves the logits of the scores p to those of the true probabilities c:

    overconfident   logit c = (1 - s) logit p + b                0 <= s <= 1
    wavy            logit c = logit p + s sin(3 pi r(p)) + b     0 <= s <= 2

r(p) is the share of the scores below p, those equal to p counted half. b makes the mean of c that of p: scores that are
right on average are the hard case, since a wrong base rate is seen by every evaluator, and the rows keep their base
rate. The strength s is solved for the wanted error, the mean of abs(c - p) over these very scores.

The truth of overconfident scores is a line in the logit, as Platt scaling and beta calibration have it. The wave has
no slope, so that lines cannot follow it: it goes up, down and up again over thirds of the scores.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.optimize import brentq

from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.norms import l1
from fitontest.results.typing import FloatArray

EPS = 1e-16  # keeps the logits of 0 and 1 finite
KNOTS = 21  # between which r(p) is straight in the logit
APART = 1e-6  # by which a bracket is widened, so that rounding cannot leave its root outside
TIGHT = {"xtol": 1e-15, "rtol": 1e-15}


@dataclass(frozen=True)
class Distortion:
    """A way in which scores are wrong.

    Attributes
    ----------
    name : str
    strongest : float
        The largest strength s.
    move : callable
        ``move(z, r, s)`` returns the moved logits, before b is added.

    Examples
    --------
    >>> import numpy as np
    >>> p, w = np.array([0.1, 0.4, 0.7]), np.ones(3)
    >>> c = DISTORTIONS["overconfident"].plant(p, w, 0.05)
    >>> c.round(3), round(float(abs(c - p).mean()), 12)
    (array([0.165, 0.41 , 0.625]), 0.05)
    """

    name: str
    strongest: float
    move: Callable[[FloatArray, FloatArray, float], FloatArray]

    def truth(self, p: FloatArray, w: FloatArray, strength: float) -> FloatArray:
        """Return the true probabilities c, of shape (n,), at scores p of weights w."""
        return self._truths(p, w)(strength)

    def largest_error(self, p: FloatArray, w: FloatArray) -> float:
        """Return the error at the largest strength."""
        return l1(np.abs(self.truth(p, w, self.strongest) - p), w)

    def plant(self, p: FloatArray, w: FloatArray, error: float) -> FloatArray | None:
        """Return the truth of that error, or None where no strength has as large a one."""
        if error == 0.0:
            return p.copy()
        if self.largest_error(p, w) < error:
            return None
        truth = self._truths(p, w)
        strength = brentq(lambda s: l1(np.abs(truth(s) - p), w) - error, 0.0, self.strongest, **TIGHT)
        return truth(float(strength))

    def _truths(self, p: FloatArray, w: FloatArray) -> Callable[[float], FloatArray]:
        """Return the function that gives the truth of a strength."""
        z, mean = logit(p, EPS), float(w @ p / w.sum())
        r = _ranks(z, w)
        return lambda strength: p.copy() if strength == 0.0 else _of_mean(self.move(z, r, strength), w, mean)


def _ranks(z: FloatArray, w: FloatArray) -> FloatArray:
    """Return the share of the weight below each logit, that of its own value counted half, as a smooth function."""
    values, group = np.unique(z, return_inverse=True)
    weight = np.bincount(group, w)
    share = (np.cumsum(weight) - weight / 2.0) / weight.sum()
    levels = np.linspace(share[0], share[-1], KNOTS)
    knots, first = np.unique(np.interp(levels, share, values), return_index=True)
    return np.asarray(np.interp(z, knots, levels[first]))


def _of_mean(z: FloatArray, w: FloatArray, mean: float) -> FloatArray:
    """Return sigmoid(z + b) with the b that makes its weighted mean as given."""
    middle = float(logit(np.array(mean), EPS))
    share = w / w.sum()

    def excess(b: float) -> float:
        return float(share @ sigmoid(z + b)) - mean

    low, high = middle - float(z.max()) - APART, middle - float(z.min()) + APART
    if not excess(low) < 0.0 < excess(high):  # scores that are all 0, or all 1
        return np.asarray(sigmoid(z + (low + high) / 2.0))
    return np.asarray(sigmoid(z + brentq(excess, low, high, **TIGHT)))


def _shrunk(z: FloatArray, r: FloatArray, strength: float) -> FloatArray:  # noqa: ARG001 - the signature of `move`
    return (1.0 - strength) * z


def _waved(z: FloatArray, r: FloatArray, strength: float, *, half_waves: int) -> FloatArray:
    return np.asarray(z + strength * np.sin(half_waves * np.pi * r))


DISTORTIONS = {
    distortion.name: distortion
    for distortion in (
        Distortion("overconfident", 1.0, _shrunk),
        Distortion("wavy", 2.0, partial(_waved, half_waves=3)),
    )
}
