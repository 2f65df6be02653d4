"""PL: continuous piecewise-linear calibration maps in probability space."""

from typing import ClassVar

from fitontest.families.base import register_family
from fitontest.families.piecewise.base import PiecewiseFamily, fold_average
from fitontest.families.piecewise.fitting import Polygons
from fitontest.maps.base import CalibrationMap
from fitontest.maps.knots import KnotsMap
from fitontest.numerics.links import IDENTITY, LOGIT, Link


@register_family("pl")
class PL(PiecewiseFamily):
    """Fit a polygon in probability space, its knots as well as its values, with the number of segments by CV.

    On the segment between the knots t_k and t_{k+1}, with l = (p - t_k) / (t_{k+1} - t_k),

        c_hat(p) = (1 - l) v_k + l v_{k+1},      0 = t_0 < ... < t_b = 1,  v_k in (0, 1).

    It assumes little about the true map and never jumps: a good evaluator where a map may have any shape. It need not
    be increasing. `PL3` is the same in logits and, on average, a little closer to the truth: start with that one.

    Parameters
    ----------
    n_bins : int or "cv", default="cv"
        Number of segments b. "cv" takes the fewest within `tolerance` of the best of 1, ...,
        min(`max_bins`, n // 200 + 1).
    loss : {"log_loss", "brier"}, default="log_loss"
        What a fit minimises.
    scoring : {"log_loss", "brier"}, default="log_loss"
        Held-out loss that chooses the number of segments; the log loss clips predictions to [1e-6, 1 - 1e-6].
    cv : int, default=10
        Folds, shuffled over the sorted rows.
    max_bins : int, default=16
        Largest number of segments to try.
    tolerance : float or "auto", default="auto"
        The fewest segments are taken whose score is at most (1 + tolerance) times the best; 0 is the plain minimum.
        "auto" is 0.0005 min(1, 10^4 / n): half of the paper's 0.1 % up to n = 10^4, finer beyond.
    ensemble : bool, default=True
        Predict with the average of the maps fitted with one fold left out each (the paper's way), or with one map
        fitted to all rows.
    alpha : float, default=1.0
        Strength of a Dirichlet prior on the shares of the data in the segments: keeps knots apart. 0 is the paper's
        bare objective.
    kappa : float, default=2.0
        Rows of pseudo-observations of the identity, spread as the scores are: a weak pull to c_hat(p) = p, which
        also keeps values off 0 and 1. 0 is the paper's bare objective.
    random_state : int, RandomState or None, default=0
        Seed of the folds.
    exact : bool, default=False
        Finish the chosen maps on all distinct scores instead of on a grid of at most 4096 nodes, with time and memory
        in proportion to n times the folds. It changes c_hat by some 1e-4 on average.
    vary_bins : bool, default=True
        With ``n_bins="cv"`` and the average: let the averaged maps differ in their number of segments. The choice is
        made 200 times with random weights of the folds (the Bayesian bootstrap of their mean losses), and each number
        is given to so many of the maps as it was chosen; with few folds the shares are coarse. False gives all maps
        `n_bins_` segments, the paper's way.
    atoms : bool, default=False
        Whether scores that many rows share have levels of their own: the mean label there, with their share of the
        `kappa` rows. These are scores of at least 2 % of the rows and at least 30 rows, if there are at most ten; else
        those of at least 10 % of the rows. The polygons are fitted to the other rows, unless all scores are such.

    Attributes
    ----------
    map_ : KnotsMap
        (A constant BinnedMap for labels of one class without priors; with `atoms` an AtomsMap around it, where there
        are any.)
    partition_ : Partition
        The `n_bins_` segments; the edges are the fold means of the inner knots of maps of that number.
    n_bins_ : int
        Number of segments: what cross-validation chose.
    cv_scores_ : CVScores
        Mean and standard error of the held-out loss per number of segments; only with ``n_bins="cv"`` where there was
        a choice.
    map_n_bins_ : array of shape (F,)
        Number of segments of each of the F averaged maps.
    knots_, knots_logit_, values_ : arrays of shape (F, B + 1)
        Knots of the averaged maps, as scores and as logits, and the values there: one row per map, which is not
        the polygon of the mean knots. B is the largest number of segments; a map of fewer has points on its widest
        segment that make up the number. To draw the map, draw ``predict(grid)``.
    converged_ : bool
        Whether, for all of these maps, no step found could gain more than 1e-6 per unit weight: neither of all
        parameters nor, with the knots fixed, of the values alone. The optimum is a local one: maps of as many segments
        with knots far from these may have a lower loss.
    n_iter_ : int
        The most optimiser steps that any of these maps took.

    Raises
    ------
    RuntimeError
        By ``fit``, in a process that was forked after jax had been started (`fitontest.families.piecewise.process`).

    Warns
    -----
    ConvergenceWarning
        `converged_` is False; the best point found is used.

    Notes
    -----
    The first fit in a process imports jax and compiles, which takes two or three seconds; after that the whole
    cross-validation takes some tenths of a second for any n up to 10^6 with the default arguments, since the rows are
    first reduced to masses on 1024 nodes (`fitontest.families.piecewise.grid`); nothing is lost where there are at most
    1024 distinct scores. Places for the knots are found on 256 or 512 nodes; the chosen maps are finished on 4096. Time
    grows with `cv` times `max_bins`; each family and loss, each further 18 segments and each further 16 folds compile
    anew, as does every worker process. The arithmetic is float64, on the CPU, and leaves jax's configuration alone.

    *Processes.* jax has threads, and a fork copies none. Of multiprocessing take the start method "spawn" or
    "forkserver"; joblib's default, loky, does not fork.

    *Objective.* Knots and values minimise

        sum_i w_i loss(y_i, c_hat(p_i)) + kappa / W sum_i w_i loss(p_i, c_hat(p_i)) - alpha sum_k ln(tau_(k+1) - tau_k)

    with loss(t, q) that of the label t, or of a share t of positive and 1 - t of negative rows, and t_k = Q(tau_k). Q
    is the quantile function of .99 of the distribution of the scores and .01 of the uniform one, straight between the
    shares 0, 1/64, ..., 1.

    *Local optima.* As a function of the knots the loss has many local minima. Where two segments are asked for, by
    ``n_bins=2`` or by the choice of a single map (``ensemble=False``), their one knot is tried at 64 places, at each
    with its best values, and the fit goes on from the best four. In 22 samples of 40 to 500 rows without priors a scan
    of all places found no better one. Of more segments, and while their number is chosen, each map is fitted from two
    starting points.

    *Numbers of segments.* At least 200 rows stand behind each candidate; where `n_bins_` is the last of
    ``cv_scores_.candidates``, that limit has decided. At most `n` folds are made. A single distinct score determines a
    level and no slope: the map is then constant. Separable labels give no warning: the priors, or without them the
    limits of the values (1e-7 from 0 and 1 for PL, logits of 40 for PL3), bound the map.

    *Weights.* Whole weights are repeated rows, and the priors count them so: with weights of 1000 each, the priors all
    but vanish. Any other weights are taken as importances, whose scale means nothing: the n rows then count as
    (sum w)^2 / sum w^2 rows in all against the priors, and multiplying the weights by a constant changes nothing
    (unless it makes them whole). Folds and the candidates for `n_bins` count rows in both cases, so with
    ``n_bins="cv"`` or the fold average a row of weight 2 is not quite that row twice: its copies share a fold, and the
    choice of the number may come out another.

    *Deviations from the paper.* The fit starts at the identity map and is optimised by Levenberg-Marquardt steps to
    convergence, not by Adam with early stopping; knots keep their order by construction; the priors; log loss instead
    of the Brier score to choose the number of segments; the finer tolerance for n > 10^4; averaged maps of several
    numbers of segments.

    *Why these defaults.* Mean |c_hat - c| over six sets of data with known c, uniform, sharp and rare scores among them
    (benchmarks/README.md):

        n       defaults  isotonic  beta
        10^3      .0201    .0283   .0291
        10^4      .0074    .0127   .0239
        10^5      .0029    .0059   .0230
        10^6      .0012    .0028   .0230

    Averaging maps of several numbers of segments is for few rows: over eight such sets, n = 10^3, mean |c_hat - c|
    falls from .0242 to .0223 (paired difference .0019 +- .0006) for PL, and the log loss in excess of the true
    map's from .0050 to .0042. For n = 10^4 no difference can be seen.

    Other settings were compared with one number of segments for all maps, and 0.001 min(1, 10^4 / n) as "auto":

        n       auto      tolerance .001  tolerance 0  Brier scoring  isotonic
        10^3      .0214       .0214          .0211        .0212        .0280
        10^4      .0081       .0081          .0075        .0080        .0126
        10^5      .0033       .0050          .0029        .0035        .0060
        10^6      .0013       .0046          .0014        .0014        .0028

    The tolerance of the paper costs most of the accuracy for n > 10^4; no tolerance at all gives more segments for
    little. With the number of segments chosen by cross-validation the priors change these figures by less than 4 % in
    either direction; they are there for what cross-validation does not see: values at 0 or 1 and knots on top of one
    another where few rows stand.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of classifiers,
    Machine Learning 114. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import numpy as np
    >>> import fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < np.interp(p, [0, 0.4, 1], [0, 0.1, 1])  # a polygon with one inner knot
    >>> pl = fot.make_family("pl").fit(p, y)
    >>> pl.predict([0.2, 0.4, 0.7]).round(1), pl.cv_scores_.candidates
    (array([0.1, 0.1, 0.5]), (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11))
    """

    _link: ClassVar[Link] = IDENTITY
    _tolerance_up_to_papers_rows: ClassVar[float] = 5e-4

    def _map_of(self, polygons: Polygons) -> CalibrationMap:
        return KnotsMap(*fold_average(polygons.x, LOGIT.inverse(polygons.u)))
