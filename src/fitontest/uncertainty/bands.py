"""The consistency band: where the fitted map of perfectly calibrated scores would lie.

The labels are redrawn as Bernoulli(p) from the scores themselves and the family is fitted again; the band holds the
middle `level` of these maps at each score. A map inside the band shows no more than noise does.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from fitontest.checks import is_real
from fitontest.data.sample import Sample
from fitontest.exceptions import without_warnings
from fitontest.measures.if_calibrated import check_draws, generator, redrawn
from fitontest.measures.plug_in_error import PlugInError
from fitontest.typing import FloatArray, RandomState

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
    error: PlugInError,
    sample: Sample,
    x: FloatArray,
    draws: int,
    level: float,
    random_state: RandomState,
    follow: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> ConsistencyBand:
    """Return the band of the error's family at the scores `x`; `follow` may watch the draws go by (a progress bar)."""
    check_band(draws, level, least=1)
    if error.estimator is None:
        raise ValueError(f"band_draws must be 0 for a map, which is not fitted again; got {draws}")
    rng = generator(random_state)
    maps = np.empty((draws, x.size))
    for draw in follow(range(draws)):
        with without_warnings():  # about the real labels the user has heard
            maps[draw] = clone(error.estimator).fit_sample(redrawn(sample, rng)).map_.evaluate(x)
    tail = (1 - level) / 2
    lower, upper = np.quantile(maps, (tail, 1 - tail), axis=0)
    return ConsistencyBand(x, lower, upper, float(level), draws)


def check_band(draws: object, level: object, least: int = 0) -> None:
    """Raise ValueError unless the arguments of a band make sense."""
    check_draws(draws, "band_draws", least)
    if not (is_real(level) and 0 < level < 1):
        raise ValueError(f"band_level must be a number in (0, 1), got {level!r}")
