"""The diagrams of a report, as SVG with a text for readers who do not see them."""

from dataclasses import dataclass

from fitontest.data.score_sample import ScoreSample
from fitontest.data.segment_names import WHOLE
from fitontest.displays.base import Display
from fitontest.displays.canvas import create_figure
from fitontest.displays.inline import inline_svg
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.scales import ScaleName, name_scale
from fitontest.displays.segments import SegmentsDisplay
from fitontest.displays.simplex import CORNERS, SimplexDisplay
from fitontest.displays.tce import TCEDisplay
from fitontest.evaluation.comparison.comparison import Comparison
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.measures.estimate import Estimate
from fitontest.results.text import short
from fitontest.uncertainty.verdict import Verdict, both_values

SCALES: tuple[ScaleName, ...] = ("probability", "logit")
NEARLY_ALL, END = 0.9, 0.1  # share of the rows, and how near to 0 or 1
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
    """Return the reliability diagram of the headline's family on both scales, the one that shows more first."""
    estimate, sample = verdict.estimate, evaluation.sample
    displays = {scale: ReliabilityDisplay(estimate, sample, scale=scale) for scale in SCALES}
    order = SCALES[::-1] if _is_at_one_end(sample) else SCALES
    for display in displays.values():
        display.add_band(sample, kind="auto", random_state=seed)
    displays["probability"].advice = None  # that there is another scale the page shows
    return [
        drawn_picture(displays[scale], f"{name}-{scale}", f"{scale} scale", _text(verdict, displays[scale]))
        for scale in order
    ]


def tce_pictures(evaluation: Evaluation) -> list[Picture]:
    """Return the test-based diagram, where the evaluation has a TCE."""
    found = [one for one in evaluation if one.measure.made_as == "tce"]
    text = "Test-based diagram: in which bins, and for which of their scores, a test rejects the predicted probability."
    displays = [TCEDisplay(estimate, evaluation.sample) for estimate in found]
    displays = [
        display if display.advice is None else TCEDisplay(display.error, evaluation.sample, scale="logit")
        for display in displays
    ]
    return [drawn_picture(display, "tce", "tests", text) for display in displays]


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
    measured = [before] if after is None else [before, after]
    name = name_scale("auto", [sample for _, sample in measured])
    displays = [ReliabilityDisplay(*each, scale=name) for each in measured]
    if name == "logit":  # whose ends are those of the scores: of both, so that the eye can compare
        ends = min(each.scale.lower for each in displays), max(each.scale.upper for each in displays)
        displays = [ReliabilityDisplay(*each, scale=name, limits=ends) for each in measured]
    texts = [("now", "Now", "")]
    if after is not None:
        title = f"After: calibrated by {calibrator}"
        texts = [("before", "Before", ""), ("after", title, "on rows that it was not fitted to")]
    pairs = zip(displays, measured, texts, strict=True)
    return [_small_picture(display, sample, *text, seed) for display, (_, sample), text in pairs]


def _small_picture(
    display: ReliabilityDisplay, sample: ScoreSample, name: str, title: str, detail: str, seed: int
) -> Picture:
    """Return a reliability diagram without a legend, whose numbers stand in its caption."""
    estimate = display.error
    display.add_band(sample, kind="auto", random_state=seed)
    display.advice = None
    figure = create_figure(SMALL)
    display.plot(figure, legend=False)
    caption = f"{both_values(estimate)}, n = {estimate.n:,}"
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
    pictures = []
    for k, label in enumerate(worst):
        sample = classes.classes[label].sample
        display = ReliabilityDisplay(each[label], sample, scale=name_scale("auto", [sample]))
        pictures.append(_small_picture(display, sample, f"class-{k}", f"class {label}", "", seed))
    return pictures


def segment_pictures(segments: SegmentedEvaluation, seed: int) -> list[Picture]:
    """Return a reliability diagram for each of the worst segments, the worst first, and last that of all rows."""
    if segments.maxima:
        text = "Errors of segments, by increasing p-value, with intervals that hold for all of them together."
        return [drawn_picture(SegmentsDisplay(segments), "segments-dots", "segments", text)]
    of_measure = segments.measured()
    measured = [segment for segment in of_measure.worst if segment in of_measure.estimates]
    if not measured:
        raise ValueError("by must make a segment that can be measured, got none")
    whole = segments.segments.whole
    scale = name_scale("auto", [whole])
    panels = [
        (of_measure.estimates[segment], segments.segments[segment], f"segment-{k}", of_measure.texts[segment])
        for k, segment in enumerate(measured[:MOST_PICKED])
    ]
    panels.append((of_measure.total, whole, "segment-all", WHOLE))
    return [
        _small_picture(ReliabilityDisplay(estimate, sample, scale=scale), sample, name, title, "", seed)
        for estimate, sample, name, title in panels
    ]


def _is_at_one_end(sample: ScoreSample) -> bool:
    """Return whether nearly all scores are at one end of the probability scale, which then shows little of them."""
    return any(float(sample.w @ far) >= NEARLY_ALL * sample.total for far in (sample.p < END, sample.p > 1.0 - END))


def drawn_picture(display: Display, name: str, title: str, text: str) -> Picture:
    """Return a display as a picture of the page."""
    figure = create_figure(display.size)
    display.plot(figure)
    return Picture(name, title, text, inline_svg(figure, name, text), text)


def _text(verdict: Verdict, display: ReliabilityDisplay) -> str:
    one = verdict.estimate
    assert one.interval is not None
    interval = f"{short(one.interval.low)} to {short(one.interval.high)}"
    band = "for the true map" if one.interval.roughness is None else "of the spline, which does not fit,"
    beside = "" if display.band is None else f"with a band {band} and "
    return (
        f"Reliability diagram on the {display.scale.name} scale: the map of family {verdict.family} against the "
        f"diagonal, {beside or 'with '}the histogram of the scores. {verdict.headline}; interval of the error "
        f"{interval}."
    )
