"""The diagrams of a report, as SVG with a text for readers who do not see them."""

from dataclasses import dataclass, replace

import numpy as np

from fitontest.comparison.comparison import Comparison
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import CANONICAL
from fitontest.displays.base import Display
from fitontest.displays.canvas import create_figure
from fitontest.displays.inline import inline_svg
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.scales import ScaleName
from fitontest.displays.simplex import CORNERS, SimplexDisplay
from fitontest.displays.tce import TCEDisplay
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.measures.estimate import Estimate
from fitontest.results.text import short
from fitontest.uncertainty.bands import BAND_DRAWS, BAND_LEVEL, POINTS, band_of
from fitontest.uncertainty.verdict import Verdict

SCALES: tuple[ScaleName, ...] = ("probability", "logit")
NEARLY_ALL, END = 0.9, 0.1  # share of the rows, and how near to 0 or 1
WIDE = 9.0  # inches
MOST_PANELS = 4  # diagrams side by side that can be read on a page


@dataclass(frozen=True)
class Picture:
    """A diagram on the page.

    Attributes
    ----------
    name : str
        Its identifier.
    title : str
        What its tab is called.
    text : str
        What it shows.
    svg : str
    wide : bool
        Whether it is of panels side by side, which are not to shrink.
    """

    name: str
    title: str
    text: str
    svg: str
    wide: bool = False


def reliability_pictures(evaluation: Evaluation, verdict: Verdict, name: str, seed: int) -> list[Picture]:
    """Return the reliability diagram of the headline's family on both scales, the one that shows more first."""
    estimate, sample = verdict.estimate, evaluation.sample
    displays = {scale: ReliabilityDisplay(estimate, sample, scale=scale) for scale in SCALES}
    order = SCALES[::-1] if _is_at_one_end(sample) else SCALES
    _add_bands(estimate, sample, list(displays.values()), seed)
    displays["probability"].advice = None  # that there is another scale the page shows
    return [_drawn(displays[scale], f"{name}-{scale}", f"{scale} scale", _text(verdict, scale)) for scale in order]


def tce_pictures(evaluation: Evaluation) -> list[Picture]:
    """Return the test-based diagram, where the evaluation has a TCE."""
    found = [one for one in evaluation if one.measure.made_as == "tce"]
    text = "Test-based diagram: in which bins, and for which of their scores, a test rejects the predicted probability."
    displays = [TCEDisplay(estimate, evaluation.sample) for estimate in found]
    displays = [
        display if display.advice is None else TCEDisplay(display.error, evaluation.sample, scale="logit")
        for display in displays
    ]
    return [_drawn(display, "tce", "tests", text) for display in displays]


def triangle_pictures(evaluation: Evaluation) -> list[Picture]:
    """Return the triangle of the predictions of whole distributions of three classes, and nothing of others."""
    sample = evaluation.data
    if sample.reduction != CANONICAL or len(sample.classes) != len(CORNERS):
        return []
    estimate = evaluation.estimates[-1]
    by = estimate.measure.name
    text = f"Triangle of the predictions: an arrow leads from a prediction to the one that is calibrated by {by}."
    return [_drawn(SimplexDisplay(estimate, sample), "triangle", "triangle", text)]


def comparison_picture(comparison: Comparison) -> Picture:
    """Return the diagram of the calibrators that were compared."""
    text = "Calibrators by their held-out loss, less that of the best, with the standard error of the difference."
    return _drawn(comparison.diagram(), "calibrators", "calibrators", text)


def class_pictures(classes: Evaluation, family: str) -> Picture:
    """Return the reliability diagrams of the classes."""
    text = f"Reliability diagrams of each class against the rest, by {family}."
    if len(classes.classes) > MOST_PANELS:
        text = f"Reliability diagrams of the {MOST_PANELS} classes with the largest errors by {family}."
    return _drawn(classes.diagrams(family, classes=MOST_PANELS), "classes", "classes", text)


def segment_pictures(segments: SegmentedEvaluation) -> Picture:
    """Return the reliability diagrams of the worst segments and of all rows."""
    name = segments.names[0]
    measured = [one for one in segments.worst(name) if one in segments.estimates[name]]
    if not measured:
        raise ValueError("by must make a segment that can be measured, got none")
    shown = measured[: MOST_PANELS - 1]
    which = "worst segments" if len(measured) > len(shown) else "segments"
    text = f"Reliability diagrams of the {which} and of all rows, by {name}."
    return _drawn(segments.diagrams(name, segments=shown), "segments", "segments", text)


def _is_at_one_end(sample: ScoreSample) -> bool:
    """Return whether nearly all scores are at one end of the probability scale, which then shows little of them."""
    return any(float(sample.w @ far) >= NEARLY_ALL * sample.total for far in (sample.p < END, sample.p > 1.0 - END))


def _add_bands(estimate: Estimate, sample: ScoreSample, displays: list[ReliabilityDisplay], seed: int) -> None:
    """Give the displays of one estimate on several scales the bands of one set of redrawn labels."""
    grids = [display.scale.grid(POINTS) for display in displays]
    x = np.unique(np.concatenate(grids))
    band = band_of(estimate, sample, x, kind="confidence", draws=BAND_DRAWS, level=BAND_LEVEL, random_state=seed)
    for display, grid in zip(displays, grids, strict=True):
        on_axis = (grid[0] <= band.x) & (band.x <= grid[-1])
        display.band = replace(band, x=band.x[on_axis], lower=band.lower[on_axis], upper=band.upper[on_axis])


def _drawn(display: Display, name: str, title: str, text: str) -> Picture:
    figure = create_figure(display.size)
    display.plot(figure)
    return Picture(name, title, text, inline_svg(figure, name, text), display.size[0] > WIDE)


def _text(verdict: Verdict, scale: str) -> str:
    one = verdict.estimate
    assert one.interval is not None
    interval = f"{short(one.interval.low)} to {short(one.interval.high)}"
    band = "for the true map" if one.interval.roughness is None else "of the spline, which does not fit,"
    return (
        f"Reliability diagram on the {scale} scale: the map of family {verdict.family} against the diagonal, with a "
        f"band {band} and the histogram of the scores. {verdict.headline}; interval of the error {interval}."
    )
