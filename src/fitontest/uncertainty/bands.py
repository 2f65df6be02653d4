"""The consistency band: where the fitted map of perfectly calibrated scores would lie.

The labels are redrawn as Bernoulli(p) from the scores themselves and the family is fitted again; the band holds the
middle `level` of these maps at each score. A map inside the band shows no more than noise does.
"""

from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from fitontest.checks import is_real
from fitontest.data.sample import Sample
from fitontest.exceptions import without_warnings
from fitontest.measures.base import Estimate
from fitontest.numerics.random import generator
from fitontest.progress import track
from fitontest.typing import FloatArray, RandomState
from fitontest.uncertainty.null import check_draws, redrawn

POINTS = 201


@dataclass(frozen=True, eq=False)
class ConsistencyBand:
    """Pointwise quantiles of the maps fitted to redrawn labels.

    Attributes
    ----------
    x, lower, upper : arrays of shape (M,)
        Scores, and between which values the middle `level` of the maps lies there.
    level : float
    draws : int
    """

    x: FloatArray
    lower: FloatArray
    upper: FloatArray
    level: float
    draws: int


def consistency_band(
    estimate: Estimate, sample: Sample, x: FloatArray, draws: int, level: float, random_state: RandomState
) -> ConsistencyBand:
    """Return the band of the estimate's family at the scores `x`."""
    check_band(draws, level, least=1)
    if estimate.estimator is None:
        raise ValueError(f"band_draws must be 0 for a map, which is not fitted again; got {draws}")
    rng = generator(random_state)
    maps = np.empty((draws, x.size))
    for draw in track(range(draws), "draws"):
        with without_warnings():  # of the real labels the user has been warned
            maps[draw] = clone(estimate.estimator).fit_sample(redrawn(sample, rng)).map_.evaluate(x)
    tail = (1 - level) / 2
    lower, upper = np.quantile(maps, (tail, 1 - tail), axis=0)
    return ConsistencyBand(x, lower, upper, float(level), draws)


def check_band(draws: object, level: object, least: int = 0) -> None:
    """Raise ValueError unless the arguments of a band make sense."""
    check_draws(draws, "band_draws", least)
    if not (is_real(level) and 0 < level < 1):
        raise ValueError(f"band_level must be a number in (0, 1), got {level!r}")
