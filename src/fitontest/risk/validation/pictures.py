"""The pictures of a validation on a page, as SVG with a text for readers who do not see them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.results.typing import FloatArray
from fitontest.risk.validation.decision_curve import DecisionCurve

STEPS = 99  # thresholds of a curve, beside those of the validation
LARGEST = 0.99


def thresholds_around(thresholds: tuple[float, ...]) -> FloatArray:
    """Return thresholds from near 0 to twice the largest one, and those that are given.

    Examples
    --------
    >>> around = thresholds_around((0.1, 0.2))
    >>> round(float(around[0]), 3), float(around[-1]), around.size
    (0.004, 0.4, 101)
    """
    end = min(2.0 * max(thresholds), LARGEST)
    grid = end * np.arange(1, STEPS + 1) / STEPS
    known = np.array(thresholds)
    apart = np.abs(grid[:, None] - known).min(axis=1) > 1e-9
    return np.sort(np.concatenate((grid[apart], known)))


def curve_picture(display: Any) -> tuple[str, str]:
    """Return a diagram of calibration curves as SVG, and what it shows.

    Parameters
    ----------
    display : ReliabilityDisplay
    """
    from fitontest.displays.inline import svg_of

    return svg_of(display, "curve", display.text), display.text


def decision_picture(
    samples: Mapping[str, ScoreSample], thresholds: tuple[float, ...], *, level: float, seed: int
) -> tuple[str, str]:
    """Return the decision curves of models around thresholds as SVG, and what they show.

    Parameters
    ----------
    samples : dict of ScoreSample
        By model, of the same rows.
    thresholds : tuple of float
        At least one, increasing; they are shaded from the first to the last.
    level : float
        Of the band.
    seed : int
        Of its draws.
    """
    from fitontest.displays.inline import svg_of

    curve = DecisionCurve.of(samples, thresholds_around(thresholds), level=level, random_state=seed)
    spread = (thresholds[0], thresholds[-1]) if len(thresholds) > 1 else None
    display = curve.diagram(threshold_range=spread)
    return svg_of(display, "decisions", display.text), display.text
