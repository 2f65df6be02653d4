"""Continuous piecewise-linear calibration maps: PL in probabilities, PL3 in logits."""

from typing import ClassVar

from fitontest.families.piecewise.base import PiecewiseFamily, fold_average
from fitontest.families.piecewise.fitting import Polygons
from fitontest.families.piecewise.grid import EPS
from fitontest.families.registry import register
from fitontest.maps.base import CalibrationMap
from fitontest.maps.knots import KnotsMap
from fitontest.maps.logit_knots import LogitKnotsMap
from fitontest.numerics.links import IDENTITY, LOGIT, Link
from fitontest.results.docstrings import take_descriptions


@register("pl")
@take_descriptions(PiecewiseFamily, "Attributes", "Raises", "Warns", "Notes", "References")
class PL(PiecewiseFamily):
    """Fit a polygon, whose corners are fitted too and whose number of segments cross-validation chooses.

    It is straight in the plane of score and probability.

    On the segment between the knots t_k and t_{k+1}, with l = (p - t_k) / (t_{k+1} - t_k),

        c_hat(p) = (1 - l) v_k + l v_{k+1},      0 = t_0 < ... < t_b = 1,  v_k in (0, 1).

    It assumes little about the true map and never jumps: a good evaluator where a map may have any shape. It need not
    be increasing. `PL3` is the same in logits and, on average, a little closer to the truth: start with that one.

    Parameters
    ----------
    tolerance : float or "auto", default="auto"
        The fewest segments are taken whose score is at most (1 + tolerance) times the best; 0 is the plain minimum.
        "auto" is 0.0005 min(1, 10^4 / n): half of the paper's 0.1 % up to n = 10^4, finer beyond.

    Attributes
    ----------
    map_ : KnotsMap
        (A constant BinnedMap for labels of one class without priors; with `atoms` an AtomsMap around it, where there
        are any.)
    partition_ : Partition
        The `n_bins_` segments; the edges are the fold means of the inner knots of maps of that number.

    Examples
    --------
    >>> import numpy as np
    >>> import fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < np.interp(p, [0, 0.4, 1], [0, 0.1, 1])  # a polygon with one inner knot
    >>> pl = fot.families.make("pl").fit(p, y)
    >>> pl.predict([0.2, 0.4, 0.7]).round(1), pl.cv_scores_.candidates
    (array([0.1, 0.1, 0.5]), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
    """

    _link: ClassVar[Link] = IDENTITY
    _tolerance_up_to_papers_rows: ClassVar[float] = 5e-4

    def _map_of(self, polygons: Polygons) -> CalibrationMap:
        return KnotsMap(*fold_average(polygons.x, LOGIT.inverse(polygons.u)))


@register("pl3")
@take_descriptions(PiecewiseFamily, "Attributes", "Raises", "Warns", "Notes", "References")
class PL3(PiecewiseFamily):
    """Fit a polygon between logits, whose corners are fitted too and whose number of segments cross-validation chooses.

    It is straight in the plane of the logits of score and probability.

    With x = logit p (p clipped to [1e-16, 1 - 1e-16]) and l = (x - t_k) / (t_{k+1} - t_k) on the segment between the
    knots t_k and t_{k+1},

        c_hat(p) = sigmoid((1 - l) u_k + l u_{k+1}),

    where t_0 and t_b are the smallest and the largest logit of the data, within +-16; outer segments go straight on.
    One segment is Platt scaling of the logit, two come close to beta calibration; more follow any shape, with the
    finest resolution next to 0 and 1.

    Parameters
    ----------
    tolerance : float or "auto", default="auto"
        The fewest segments are taken whose score is at most (1 + tolerance) times the best; 0 is the plain minimum.
        "auto" is 0.001 min(1, 10^4 / n): the paper's 0.1 % up to n = 10^4, finer beyond.

    Attributes
    ----------
    map_ : LogitKnotsMap
        (A constant BinnedMap for labels of one class without priors; with `atoms` an AtomsMap around it, where there
        are any.)
    partition_ : Partition
        The `n_bins_` segments; the edges are the fold means of the inner knots of maps of that number, averaged as
        logits.

    Notes
    -----
    *Ends.* The outer knots stand at the ends of the data, at most at logits of +-16, not at +-36.8 as in the paper.

    Examples
    --------
    >>> import numpy as np
    >>> import fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p**1.5
    >>> pl3 = fot.families.make("pl3").fit(p, y)
    >>> pl3.predict([0.0, 0.5]).round(2), pl3.cv_scores_.candidates, pl3.n_bins_
    (array([0.  , 0.36]), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11), 1)
    """

    _link: ClassVar[Link] = LOGIT
    _tolerance_up_to_papers_rows: ClassVar[float] = 1e-3

    def _map_of(self, polygons: Polygons) -> CalibrationMap:
        return LogitKnotsMap(polygons.x, polygons.u, EPS)
