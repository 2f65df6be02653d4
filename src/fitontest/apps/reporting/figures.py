"""The diagrams of a report, as SVG with a text for readers who do not see them."""

from dataclasses import dataclass

from fitontest.data.samples import Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import Display
from fitontest.displays.canvas import create_figure
from fitontest.displays.diagram import Diagram
from fitontest.displays.inline import inline_svg
from fitontest.displays.ratio_dots import LEVEL, ratio_dot
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.simplex import CORNERS, SimplexDisplay
from fitontest.displays.tce import TCEDisplay
from fitontest.evaluation.comparison.comparison import Comparison
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.measures.estimate import Estimate
from fitontest.monitor.displays.monitor_artists import TimeAxis, draw_ratios, ends_of
from fitontest.uncertainty.event_ratio import rarer_label
from fitontest.uncertainty.verdict import Verdict

SMALL = (4.8, 5.4)  # inches, of a diagram that stands beside another
NARROW = 6.4  # width of a dot plot whose letters are read on a phone
WIDE = (5.2, 2.9)  # of one along the time
MOST_PICKED = 8  # diagrams of segments or classes on a page, each of which takes some 80 kB


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
    """

    name: str
    title: str
    text: str
    svg: str


def reliability_pictures(evaluation: Evaluation, verdict: Verdict, name: str, seed: int) -> list[Picture]:
    """Return the reliability diagram of the headline's family."""
    band = {"kind": "auto", "random_state": seed}
    display = ReliabilityDisplay.from_estimate(verdict.estimate, evaluation.sample, verdict=verdict, band=band)
    return [drawn_picture(display, name, "diagram", display.text)]


def tce_pictures(evaluation: Evaluation) -> list[Picture]:
    """Return the test-based diagram, where the evaluation has a TCE."""
    found = [one for one in evaluation if one.measure.made_as == "tce"]
    text = "Test-based diagram: in which bins, and for which of their scores, a test rejects the predicted probability."
    return [drawn_picture(TCEDisplay(estimate, evaluation.sample), "tce", "tests", text) for estimate in found]


def triangle_pictures(evaluation: Evaluation) -> list[Picture]:
    """Return the triangle of the predictions of whole distributions of three classes, and nothing of others."""
    sample = evaluation.data
    if not sample.has_distributions or sample.n_classes != len(CORNERS):
        return []
    estimate = evaluation.estimates[-1]
    by = estimate.measure.name
    text = f"Triangle of the predictions: an arrow leads from a prediction to the one that is calibrated by {by}."
    return [drawn_picture(SimplexDisplay(estimate, sample), "triangle", "triangle", text)]


def comparison_picture(comparison: Comparison) -> Picture:
    """Return the diagram of the calibrators that were compared."""
    text = "Calibrators by their held-out loss, less that of the best, with the standard error of the difference."
    return drawn_picture(comparison.diagram(), "calibrators", "calibrators", text)


def pair_pictures(
    before: tuple[Estimate, ScoreSample], after: tuple[Estimate, ScoreSample], calibrator: str, seed: int
) -> list[Picture]:
    """Return the reliability diagram of the scores as they are, and that of the calibrated ones, on the same scale.

    Parameters
    ----------
    before : tuple of Estimate and ScoreSample
    after : tuple of Estimate and ScoreSample
        Of predictions for rows that the calibrator was not fitted to.
    calibrator : str
        Its name.
    seed : int
        Of the bands.
    """
    titles = {"before": "Now", "after": f"After {calibrator}, held-out rows"}
    diagrams = ReliabilityDisplay.side_by_side(
        [(name, *measured) for name, measured in zip(titles, (before, after), strict=True)],
        band={"kind": "auto", "random_state": seed},
    ).diagrams  # with the same axes, so that the eye can compare
    return [_small_picture(diagrams[name], name, title) for name, title in titles.items()]


def _small_picture(diagram: Diagram, name: str, title: str) -> Picture:
    """Return a reliability diagram without a key."""
    diagram.name = title
    display = ReliabilityDisplay({title: diagram})
    figure = create_figure(SMALL)
    display.plot(figure, legend=False)
    return Picture(name, title, display.text, inline_svg(figure, name, display.text))


def period_pictures(periods: Samples, tolerance: float) -> list[Picture]:
    """Return the ratio of observed to expected events in the order of time."""
    of = rarer_label(periods.whole)
    dots = [dot for name, sample in periods.items() if (dot := ratio_dot(str(name), sample, LEVEL, of)) is not None]
    if not dots:
        return []
    axis = TimeAxis.of([{"batch": name, "time": name} for name in periods])
    figure = create_figure(WIDE)
    ax = figure.add_subplot()
    draw_ratios(ax, axis, dots, (1.0 - tolerance, 1.0 + tolerance), ends_of(dots, headroom=False))
    axis.apply(ax)
    ax.set_ylabel(f"Observed / expected{'' if of == 'events' else f' {of}'}")
    text = f"Observed over expected {of} by {periods.name}, with 95 % intervals; grey: within {100 * tolerance:g} %."
    return [Picture("periods", periods.name, text, inline_svg(figure, "periods", text))]


def class_pictures(classes: Evaluation, seed: int) -> list[Picture]:
    """Return a reliability diagram for each of the worst classes, the worst first."""
    each = {label: evaluation.estimates[0] for label, evaluation in classes.classes.items()}
    worst = sorted(each, key=lambda label: -each[label].quoted)[:MOST_PICKED]
    measured = [(f"class {label}", each[label], classes.classes[label].sample) for label in worst]
    drawn = ReliabilityDisplay.side_by_side(measured, band={"kind": "auto", "random_state": seed})
    return [_small_picture(one, f"class-{k}", name) for k, (name, one) in enumerate(drawn.diagrams.items())]


def segment_pictures(segments: SegmentedEvaluation) -> list[Picture]:
    """Return the dot plot of the segments, and last that of all rows."""
    display = segments.dots()
    text = f"Observed over expected events of segments, with intervals. {display.title}."
    return [drawn_picture(display, "segments-dots", "segments", text, NARROW)]


def drawn_picture(display: Display, name: str, title: str, text: str, width: float | None = None) -> Picture:
    """Return a display as a picture of the page, of its own width or another one."""
    figure = create_figure((display.size[0] if width is None else width, display.size[1]))
    display.plot(figure)
    return Picture(name, title, text, inline_svg(figure, name, text))
