"""Validity curves: for which share of the rows the scores are no further than eps from what they stand for."""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np

from fitontest.data.labels_of_scores import redrawn
from fitontest.data.reading.models import by_model, is_of_models, read_models
from fitontest.data.reading.options import Reading
from fitontest.data.reading.read import read
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.curve import CurveDisplay, Panel
from fitontest.displays.lines import Line
from fitontest.displays.palette import SERIES
from fitontest.displays.scaling import Scaling
from fitontest.displays.titles import rows_in_words
from fitontest.measures.validity import DEFAULT_K, ValidityArea, ValidityCurve
from fitontest.numerics.random import generator
from fitontest.results.frames import Records, records
from fitontest.results.options import spell_out
from fitontest.results.typing import ArrayInput, FloatArray, RandomState
from fitontest.uncertainty.dependence import dependence_of, reason_of_groups
from fitontest.uncertainty.null import check_draws

MOST_STEPS = 2000  # of a curve that is drawn: more are closer than a pixel
ROOM = 1.04  # of the longest distance, the end of the axis
NULL_DRAWS = 20  # labellings of calibrated scores
MOST_REDRAWN = 2_000_000  # rows of all labellings together: there are fewer of very many rows, for less noise
LEAST_DRAWS = 2
NULL_POINTS = 101  # distances at which they are read
NULL_LEVEL = 0.9  # of the band of calibrated scores


@spell_out()
def validity_curves(
    y_true: ArrayInput,
    y_prob: ArrayInput | Mapping[str, ArrayInput] = None,
    *,
    k: int = DEFAULT_K,
    null_draws: int | None = None,
    random_state: RandomState = 0,
    **options: Unpack[Reading],
) -> CurveDisplay:
    """Return the validity curves of labels and the scores of one or several models; ``plot`` draws them.

    V(eps) is the share of the rows whose score is at most eps away from the mean label of its nearest neighbours. The
    area under the curve is AUC_V. The area over it is the mean distance, which is the plug-in l1 error of the k nearest
    neighbours: the curve also says whether a few scores are far off, or all of them a little.

    Few neighbours make distances of their own, as labels scatter: of perfectly calibrated scores around 0.5 they are
    about 0.4 / sqrt(k). So compare curves of the same k, and each with the dashed line of its colour: the curve that
    the scores would have if they were calibrated, with the band that holds 90 % of such curves.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n,)
        Labels of two classes, and predicted probabilities of the positive class; or as given by `reduction`; or what
        `read` returns in place of both. The scores of several models are a dict.
    k : int, default=10
        Number of neighbours, see `KNN`.
    null_draws : int, optional
        Labellings drawn from the scores, for the curve of calibrated scores; 0 for none. By default 20, of more than
        100,000 rows fewer, and none of too few groups of rows.
    random_state : int, RandomState or None, default=0
        Of these labellings.
    reduction : {"confidence", "binary"}, optional
        How a matrix of scores is reduced, see `calibration_error`.

    Returns
    -------
    CurveDisplay
        Its parts are "curve", the steps by model, and "if_calibrated".

    Raises
    ------
    ValueError
        The message names the argument, the rule and the value.

    References
    ----------
    Gupta, Ramdas (2021), Distribution-free calibration guarantees for histogram binning without sample splitting,
    ICML. https://doi.org/10.48550/arXiv.2105.04656
    Torabian, Urner (2024), Calibration through the lens of interpretability.
    https://doi.org/10.48550/arXiv.2412.00943

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p**1.5
    >>> calibrated = fot.families.make("beta").fit(p, y).predict(p)
    >>> fot.displays.validity_curves(y, {"raw": p, "beta": calibrated}, k=50).title
    'raw: AUC_V 0.914; beta: AUC_V 0.958'
    """
    ValidityArea(k)
    given = by_model(y_true, y_prob, options["reduction"])
    if is_of_models(given, options["prob"]):
        samples = {str(name): sample for name, sample in read_models(y_true, given, **options).items()}
    else:
        samples = {"": read(y_true, given, **options)}
    for sample in samples.values():
        if sample.base_rate is None:
            rule = "reduction must be 'confidence' or 'binary' for a validity diagram"
            raise ValueError(f"{rule}; draw the curve of each class by itself, got {sample.reduction!r}")
    return validity_display(samples, k, null_draws, random_state)


def validity_display(
    samples: Mapping[str, ScoreSample], k: int, null_draws: int | None = None, random_state: RandomState = 0
) -> CurveDisplay:
    """Return the validity curves of checked samples, by the names of their scores; see `validity_curves`."""
    lines, titles = [], []
    parts: dict[str, Records] = {"curve": [], "if_calibrated": []}
    longest = 0.0
    for place, (name, sample) in enumerate(samples.items()):
        color, error = SERIES[place % len(SERIES)], ValidityArea(k).estimate(sample)
        curve: ValidityCurve = error.curve
        drawn = _if_calibrated(sample, k, null_draws, random_state)
        which: dict[str, Any] = {"model": name} if name else {}
        if drawn:
            eps, mean, lower, upper = (np.append(column, 1.0) for column in drawn.values())
            lines.append(Line("", eps, mean, lower, upper, color, 0.9, dashed=True))
            parts["if_calibrated"] += [{**which, **row} for row in records(**drawn)]
        lines.append(Line(name, *_course(curve), color=color, steps=True))
        parts["curve"] += [{**which, **row} for row in curve.rows()]
        longest = max(longest, float(curve.eps[-1]))
        area = f"{error.measure.title} {error.measure.printed(error.value)}"
        titles.append(f"{name}: {area}" if name else area)
    rows = f"{rows_in_words(error)}, {error.measure.words.settings_in_words}"
    dashed = f"; dashed: if calibrated, with the band of {100 * NULL_LEVEL:g} % of such curves"
    end = min(1.0, ROOM * longest) or 1.0  # where all scores are exact
    return CurveDisplay(
        [Panel(lines, Scaling("Share of rows within eps, V(eps)", (0.0, 1.01)))],
        Scaling("Distance |score \N{MINUS SIGN} mean label of its neighbours|, eps", (0.0, end)),
        {part: rows for part, rows in parts.items() if rows}, title="; ".join(titles),
        second=rows + (dashed if parts["if_calibrated"] else ""), kind="Validity curve",
    )  # fmt: skip


def _if_calibrated(sample: ScoreSample, k: int, draws: int | None, random_state: RandomState) -> dict[str, FloatArray]:
    """Return the columns of the curves of labels drawn from the scores: their mean, and between which 90 % are."""
    rng, dependence = generator(random_state), dependence_of(sample)
    if draws is None:
        most = max(LEAST_DRAWS, min(NULL_DRAWS, MOST_REDRAWN // sample.n))
        draws = 0 if reason_of_groups(dependence) else most
    check_draws(draws, "null_draws", 0)
    if draws == 0:
        return {}
    curves = [ValidityCurve.of(redrawn(sample, rng, dependence), k) for _ in range(draws)]
    eps = np.linspace(0.0, max(float(curve.eps[-1]) for curve in curves), NULL_POINTS)
    shares = np.array([curve.at(eps) for curve in curves])
    lower, upper = np.quantile(shares, ((1.0 - NULL_LEVEL) / 2.0, (1.0 + NULL_LEVEL) / 2.0), axis=0)
    return {"eps": eps, "share_if_calibrated": shares.mean(axis=0), "lower": lower, "upper": upper}


def _course(curve: ValidityCurve) -> tuple[FloatArray, FloatArray]:
    """Return the corners of the steps, from eps = 0 to 1; of very many steps some."""
    eps, share = curve.eps, curve.share
    if eps.size > MOST_STEPS:
        kept = np.unique(np.linspace(0, eps.size - 1, MOST_STEPS).astype(int))
        eps, share = eps[kept], share[kept]
    return np.concatenate(([0.0], eps, [1.0])), np.concatenate((np.atleast_1d(curve.at(0.0)), share, [1.0]))
