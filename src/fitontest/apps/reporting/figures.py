"""The diagrams of a report, as SVG with a text for readers who do not see them."""

from dataclasses import dataclass

from fitontest.data.score_sample import ScoreSample
from fitontest.displays.base import Display
from fitontest.displays.canvas import create_figure
from fitontest.displays.diagram import Diagram
from fitontest.displays.inline import inline_svg
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.simplex import CORNERS, SimplexDisplay
from fitontest.displays.tce import TCEDisplay
from fitontest.evaluation.comparison.comparison import Comparison
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.measures.estimate import Estimate
from fitontest.uncertainty.verdict import Verdict

SMALL = (4.2, 5.0)  # inches, of a diagram that stands beside another
MOST_PICKED = 8  # diagrams of segments or classes on a page, each of which takes some 80 kB
KEY = (
    "Blue line: the frequency observed at each {score}, with a band or bars for the true one. Dashed diagonal: "
    "calibrated {score}s. Bars below: rows by {score}."
)


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
    caption : str
        What stands below it; by default the text.
    """

    name: str
    title: str
    text: str
    svg: str
    caption: str = ""


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
    before: tuple[Estimate, ScoreSample], after: tuple[Estimate, ScoreSample] | None, calibrator: str, seed: int
) -> list[Picture]:
    """Return the reliability diagram of the scores as they are, and that of the calibrated ones, on the same scale.

    Parameters
    ----------
    before : tuple of Estimate and ScoreSample
    after : tuple of Estimate and ScoreSample, or None
        Of predictions for rows that the calibrator was not fitted to.
    calibrator : str
        Its name.
    seed : int
        Of the bands.
    """
    measured = {"now": ("Now", "", *before)} if after is None else {"before": ("Before", "", *before)}
    if after is not None:
        title = f"After: calibrated by {calibrator}"
        measured["after"] = (title, "on rows that it was not fitted to", *after)
    diagrams = ReliabilityDisplay.side_by_side(
        [(name, error, sample) for name, (_, _, error, sample) in measured.items()],
        band={"kind": "auto", "random_state": seed},
    ).diagrams  # with the same axes, so that the eye can compare
    return [_small_picture(diagrams[name], name, title, detail) for name, (title, detail, *_) in measured.items()]


def _small_picture(diagram: Diagram, name: str, title: str, detail: str = "") -> Picture:
    """Return a reliability diagram without a key, whose numbers stand in its caption."""
    estimate, diagram.name = diagram.error, title
    figure = create_figure(SMALL)
    display = ReliabilityDisplay({title: diagram})
    display.plot(figure, legend=False)
    caption = f"{estimate.in_words}, n = {estimate.n:,}"
    caption += f"; {detail}" if detail else ""
    text = f"{title}: reliability diagram by {estimate.measure.name}; calibration error {caption}."
    return Picture(name, title, text, inline_svg(figure, name, text), caption)


def key_of(sample: ScoreSample) -> str:
    """Return what the marks of a small diagram mean."""
    return KEY.format(score="confidence" if sample.reduction == "confidence" else "score")


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
    return [drawn_picture(display, "segments-dots", "segments", text)]


def drawn_picture(display: Display, name: str, title: str, text: str) -> Picture:
    """Return a display as a picture of the page."""
    figure = create_figure(display.size)
    display.plot(figure)
    return Picture(name, title, text, inline_svg(figure, name, text), text)
