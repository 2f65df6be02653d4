"""The diagrams of a report, as SVG with a text for readers who do not see them."""

from dataclasses import dataclass

from fitontest.comparison.comparison import Comparison
from fitontest.data.sample import Sample
from fitontest.displays.base import Display
from fitontest.displays.canvas import create_figure
from fitontest.displays.inline import inline_svg
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.scales import ScaleName
from fitontest.displays.tce import TCEDisplay
from fitontest.evaluation import Evaluation
from fitontest.measures.base import Estimate
from fitontest.results.text import short
from fitontest.segments.segmented_evaluation import SegmentedEvaluation
from fitontest.uncertainty.verdict import Verdict

SCALES: tuple[ScaleName, ...] = ("probability", "logit")
BAND_DRAWS = 200


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
    """Return the reliability diagram of the headline's family on both scales."""
    estimate, sample = verdict.estimate, evaluation.sample
    return [
        _drawn(_with_band(estimate, sample, scale, seed), f"{name}-{scale}", f"{scale} scale", _text(verdict, scale))
        for scale in SCALES
    ]


def tce_pictures(evaluation: Evaluation) -> list[Picture]:
    """Return the test-based diagram, where the evaluation has a TCE."""
    found = [one for one in evaluation if one.measure.made_as == "tce"]
    text = "Test-based diagram: in which bins, and for which of their scores, a test rejects the predicted probability."
    return [_drawn(TCEDisplay(one, evaluation.sample), "tce", "tests", text) for one in found]


def comparison_picture(comparison: Comparison) -> Picture:
    """Return the diagram of the calibrators that were compared."""
    text = "Calibrators by their held-out loss, less that of the best, with the standard error of the difference."
    return _drawn(comparison.diagram(), "calibrators", "calibrators", text)


def class_pictures(classes: Evaluation, family: str) -> Picture:
    """Return the reliability diagrams of the classes."""
    text = f"Reliability diagrams of each class against the rest, by {family}."
    return _drawn(classes.diagrams(family), "classes", "classes", text)


def segment_pictures(segments: SegmentedEvaluation[Evaluation]) -> Picture:
    """Return the reliability diagrams of the worst segments and of all rows."""
    text = f"Reliability diagrams of the worst segments and of all rows, by {segments.names[0]}."
    return _drawn(segments.diagrams(), "segments", "segments", text)


def _with_band(estimate: Estimate, sample: Sample, scale: ScaleName, seed: int) -> ReliabilityDisplay:
    display = ReliabilityDisplay(estimate, sample, scale=scale)
    display.add_band(sample, kind="confidence", draws=BAND_DRAWS, random_state=seed)
    return display


def _drawn(display: Display, name: str, title: str, text: str) -> Picture:
    figure = create_figure(display.size)
    display.plot(figure)
    return Picture(name, title, text, inline_svg(figure, name, text))


def _text(verdict: Verdict, scale: str) -> str:
    one = verdict.estimate
    assert one.interval is not None
    interval = f"{short(one.interval.low)} to {short(one.interval.high)}"
    return (
        f"Reliability diagram on the {scale} scale: the map of family {verdict.family} against the diagonal, with a "
        f"band for the true map and the histogram of the scores. {verdict.headline}; interval of the error {interval}."
    )
