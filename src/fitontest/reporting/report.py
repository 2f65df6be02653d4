"""A report: what the rows say of the calibration of their scores, as one page for readers."""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fitontest.checks import as_list, choose
from fitontest.comparison.compare import compare_calibrators
from fitontest.comparison.comparison import Comparison
from fitontest.data.predictions import REDUCTIONS
from fitontest.data.read import Data
from fitontest.data.repeated_rows import Repeats
from fitontest.data.sample import refuse_groups
from fitontest.data.samples import Samples
from fitontest.data.simplex_sample import CANONICAL, AnyReduction
from fitontest.evaluation.evaluate import DEFAULT_CANONICAL, FamilyLike, measures_of
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.measuring import measure_data, measure_segments
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.exceptions import without_warnings
from fitontest.families.base import read_family
from fitontest.measures.interval import INDEPENDENT_ROWS
from fitontest.measures.measure import make as make_measure
from fitontest.measures.plug_in import PlugIn
from fitontest.measures.side_by_side import interval_columns
from fitontest.numerics.random import one_seed
from fitontest.reading.read import read
from fitontest.reporting.figures import (
    Picture,
    class_pictures,
    comparison_picture,
    reliability_pictures,
    segment_pictures,
    tce_pictures,
    triangle_pictures,
)
from fitontest.reporting.page import render
from fitontest.reporting.several_classes import ClassesVerdict
from fitontest.reporting.summary import ClassesSummary, Summary
from fitontest.results.table import Section
from fitontest.results.text import short
from fitontest.results.writing import write_text
from fitontest.typing import ArrayInput, Label, RandomState
from fitontest.uncertainty.intervals import check_interval
from fitontest.uncertainty.redrawing import Redrawing
from fitontest.uncertainty.verdict import FAMILY, Verdict

DEFAULT_FAMILIES = ("spline", "slope1", "isotonic", "beta", "platt")
CANDIDATES = ("platt", "beta", "spline", "isotonic", "temperature")  # none needs jax, so that a report takes seconds
INTERVAL_CLASSES = 20  # classes above which they have no intervals, which would take long
FOLDS = 10
TCE_ROWS = 100_000  # rows above which the test of each score is left out, because it then rejects nearly all
TCE_DRAWS = 100
MEASURES, CONFIDENCE, COMPARED = "Measures", "Confidence", "Calibrators compared"  # headings
CLASSES, SEGMENTS = "Classes", "Segments"
ENDINGS = (".html", ".htm")
TIMES = "fit (s)"  # a column that differs from run to run
PACKAGES = ("fitontest", "numpy", "scipy", "scikit-learn", "matplotlib")


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A report on calibration as one HTML page: a verdict in words, diagrams and tables.

    All classes at once are judged by their ECE in joint bins (`gce`), `ClassCells` class by class: cells of classes do
    not keep which scores belong to one row, so that there is no confidence.

    Attributes
    ----------
    title : str
        The heading of the page.
    evaluation : Evaluation
        Of the rows that are judged.
    comparison : Comparison or None
        Of calibrators, where asked.
    classes : Evaluation or None
        Of each class against the rest, of several classes.
    confidence : Evaluation or None
        Of the confidence, where all classes are judged at once.
    segments : SegmentedEvaluation or None
        Of each segment, where asked.
    options : dict
        With which it was made.

    Notes
    -----
    In a notebook it shows itself. ``report.save("report.html")`` writes a page that needs no other file and asks for
    nothing from anywhere; the same data, options and versions give the same bytes.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> report = fot.report(rng.random(1000) < p, p, families=["platt"])
    >>> report.verdict.headline, report.evaluation.names, report.comparison
    ('No miscalibration shown', ['platt', 'tce'], None)
    """

    title: str
    evaluation: Evaluation
    comparison: Comparison | None = None
    classes: Evaluation | None = None
    segments: SegmentedEvaluation | None = None
    options: dict[str, Any] = field(default_factory=dict)
    confidence: Evaluation | None = None

    @cached_property
    def verdict(self) -> Verdict | ClassesVerdict:
        """What the data say about calibration, in words."""
        return _verdict_of(self.evaluation, self.confidence)

    @property
    def sentences(self) -> list[str]:
        """What a reader wants to know, a sentence or two each, after the headline of the verdict."""
        return self._summary.sentences

    @property
    def _summary(self) -> Summary:
        make = Summary if isinstance(self.verdict, Verdict) else ClassesSummary
        return make(self.verdict, self.evaluation.data, self.comparison, self.segments)

    @cached_property
    def html(self) -> str:
        """The page as text."""
        parts = {
            "title": self.title,
            "verdict": self.verdict,
            "sentences": self.sentences,
            "glance": self._summary.glance,
            "independent_rows": INDEPENDENT_ROWS,
            "method": self._summary.method,
            "tables": self._tables(),
            "facts": self.facts,
        }
        with without_warnings():
            return render({**parts, "diagrams": self._diagrams(), "pictures": self._pictures()})

    def _diagrams(self) -> list[Picture]:
        """Return the reliability diagrams, and the test-based one or the triangle where there is one."""
        seed = self.options["random_state"]
        of_scores = self.evaluation if self.confidence is None else self.confidence
        pictures = [] if of_scores.verdict is None else reliability_pictures(of_scores, of_scores.verdict, "map", seed)
        return [*pictures, *tce_pictures(self.evaluation), *triangle_pictures(self.evaluation)]

    def _pictures(self) -> dict[str, Picture]:
        """Return the diagrams of the further tables, by their headings."""
        found = {}
        if self.comparison is not None:
            found[COMPARED] = comparison_picture(self.comparison)
        if self.classes is not None:
            found[CLASSES] = class_pictures(self.classes, self.classes.names[0])
        if self.segments is not None and self.segments.segments.classes is None:
            found[SEGMENTS] = segment_pictures(self.segments)
        return found

    def _tables(self) -> dict[str, list[Section]]:
        """Return the tables by their headings."""
        found = {MEASURES: [part for part in self.evaluation.sections() if part.header]}
        if self.confidence is not None:
            found[CONFIDENCE] = [part for part in self.confidence.sections() if part.header]
        if self.comparison is not None:
            found[COMPARED] = [_without(part, TIMES) for part in self.comparison.sections()]
        if self.classes is not None:
            found[CLASSES] = [_class_table(self.classes)]
        if self.segments is not None:
            found[SEGMENTS] = self.segments.sections()
        return {heading: [_without_line(part, INDEPENDENT_ROWS) for part in parts] for heading, parts in found.items()}

    @property
    def facts(self) -> dict[str, str]:
        """Versions and options: enough to repeat the report."""
        python = ".".join(map(str, sys.version_info[:3]))
        versions = {"Python": python, **{name: version(name) for name in PACKAGES}}
        options = {name: json.dumps(value, default=str) for name, value in self.options.items()}
        return {**versions, **options}

    def save(self, path: str | Path) -> Path:
        """Write the page to a file whose name ends in .html, and return its path.

        Parameters
        ----------
        path : str or Path
            A file, which is replaced where there is one.

        Raises
        ------
        ValueError
            Another ending of the name.
        """
        target = Path(path)
        choose(target.suffix.lower(), ENDINGS, "the ending of path")
        write_text(target, self.html)
        return target

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the pictures as JSON-ready values."""
        found: dict[str, Any] = {"title": self.title, "verdict": self.verdict.to_dict(), "sentences": self.sentences}
        found["evaluation"] = self.evaluation.to_dict()
        for name in ("confidence", "comparison", "classes", "segments"):
            part = getattr(self, name)
            found[name] = None if part is None else part.to_dict()
        return {**found, "facts": self.facts}

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style does not touch the notebook."""
        return (
            f'<iframe title="{escape(self.title, quote=True)}" srcdoc="{escape(self.html, quote=True)}" '
            'style="width:100%;height:46em;border:1px solid #8888"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Report({self.title!r}: {self.verdict.headline})"


@dataclass(frozen=True)
class ReportOptions:
    """What a report holds, checked before anything is read."""

    title: str
    families: tuple[FamilyLike, ...]
    compare: bool
    interval: float
    seed: int
    reduction: str | None
    candidates: tuple[str, ...] = CANDIDATES

    @classmethod
    def of(
        cls,
        title: str,
        families: Iterable[FamilyLike] | None,
        compare: bool,
        interval: float,
        random_state: RandomState,
        reduction: str | None,
    ) -> "ReportOptions":
        """Return the options that a user gave, or refuse what are none."""
        if not isinstance(title, str) or not title.strip():
            raise ValueError(f"title must be a text, got {title!r}")
        if not isinstance(compare, bool):
            raise ValueError(f"compare must be True or False, got {compare!r}")
        chosen = () if families is None else tuple(as_list(families, "families"))
        check_interval(interval)
        if reduction is not None:
            choose(reduction, (*REDUCTIONS, CANONICAL), "reduction")
        return cls(title, chosen, compare, interval, one_seed(random_state), reduction)

    def for_data(self, data: Data) -> "ReportOptions":
        """Return the options with the families and calibrators that are of this kind of data."""
        if data.reduction == CANONICAL:
            return replace(self, families=self.families or DEFAULT_CANONICAL, candidates=DEFAULT_CANONICAL)
        for family in self.families:
            read_family(family)
        return replace(self, families=self.families or DEFAULT_FAMILIES)

    @property
    def redrawing(self) -> Redrawing:
        """How labels are redrawn for intervals."""
        return Redrawing(interval=self.interval, random_state=self.seed)

    @property
    def judged(self) -> str | None:
        """The reduction to the one sample that is judged."""
        return "confidence" if self.reduction == "classwise" else self.reduction

    def to_dict(self) -> dict[str, Any]:
        """Return what the page says of the options."""
        return {
            "families": [str(one) for one in self.families],
            "interval": self.interval,
            "compare": self.compare,
            "reduction": self.reduction,
            "random_state": self.seed,
        }


def report(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    title: str = "Calibration report",
    families: Iterable[FamilyLike] | None = None,
    compare: bool = False,
    by: ArrayInput = None,
    interval: float = 0.95,
    random_state: RandomState = 0,
    reduction: AnyReduction | None = None,
    labels: ArrayInput = None,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> Report:
    """Return a report on the calibration of scores: one HTML page with a verdict, diagrams and tables.

    It says in words whether miscalibration is shown, how large it is, how sure that is and in which direction the
    scores are wrong, which errors cannot be ruled out, what a calibrator would gain, and how many rows would say more.
    Diagrams, tables and all settings follow.

    Parameters
    ----------
    y_true, y_prob, labels, sample_weight, pos_label
        As for `calibration_error`; what `read` returns in place of both, `Cells`, `ClassCells`, or a dict of these by
        segment.
    title : str
        The heading of the page.
    families : iterable of str, Family or MulticlassFamily, optional
        Whose errors are listed; by default spline, slope1, isotonic, beta and platt, and of all classes at once
        temperature, vector and matrix.
    compare : bool, default=False
        Compare platt, beta, spline, isotonic and temperature as calibrators of these scores, out of fold; of whole
        distributions temperature, vector and matrix.
    by : array-like of shape (n,) or (n, k), optional
        The segment of each row, such as its region or its month: each is listed with the error of the family that is
        quoted. The verdict is of all rows together, not of each.
    interval : float in (0, 1), default=0.95
        Level of the intervals.
    random_state : int, RandomState or None, default=0
        Seed of the folds and of all draws.
    reduction : {"confidence", "classwise", "binary", "canonical"}, optional
        How a matrix of scores is read. "confidence" and "classwise" judge the confidence, and list the classes.
        "canonical" judges all classes at once by the ECE in joint bins, and lists the confidence and the classes.

    Returns
    -------
    Report
        The page, with its parts as results; ``save(path)`` writes it.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.
    ImportError
        When the page is made, without jinja2.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> report = fot.report(rng.random(1000) < p**1.5, p, title="Model A")
    >>> report
    Report('Model A': Underconfident, scores too high)
    >>> report.save("report.html")  # doctest: +SKIP
    """
    options = ReportOptions.of(title, families, compare, interval, random_state, reduction)
    data = read(
        y_true,
        y_prob,
        sample_weight=sample_weight,
        reduction="classwise" if options.judged == "confidence" else reduction,
        labels=labels,
        pos_label=pos_label,
        by=by,
    )
    refuse_groups(data, "reports")
    options = options.for_data(data)
    segments = data if data.is_by_segment else None
    whole = data if segments is None else segments.whole
    judged, classes = _judged(whole), _classes(whole)
    if not judged.is_by_class:
        Repeats.of(judged).warn()
    with without_warnings():  # the tables of the page say what warnings say
        evaluation = _evaluated(judged, options)
        confidence = _of_confidence(judged, options)
        verdict = _verdict_of(evaluation, confidence)
        comparison = _compared(judged, options) if options.compare else None
        of_classes = None if classes is None else _by_class(classes, verdict, options)
        of_segments = None if segments is None else _by_segment(segments, judged, verdict, options)
    return Report(options.title, evaluation, comparison, of_classes, of_segments, options.to_dict(), confidence)


def _judged(data: Data) -> Data:
    """Return what the page judges: of a matrix of scores that is read class by class the confidence of its rows."""
    return data.whole.confidence() if data.is_by_class and data.whole.keeps_rows else data


def _classes(data: Data) -> Any:
    """Return the samples of the classes; None of one score."""
    return data.against_each_rest() if data.reduction == CANONICAL else data if data.is_by_class else None


def _verdict_of(evaluation: Evaluation, confidence: Evaluation | None) -> Verdict | ClassesVerdict:
    """Return the verdict on the rows of an evaluation."""
    if confidence is not None:
        return ClassesVerdict.of_distributions(evaluation, confidence)
    if evaluation.data.is_by_class:
        return ClassesVerdict.of_classes(evaluation)
    if evaluation.verdict is None:
        raise ValueError("families must hold one whose error has an interval, got none")
    return evaluation.verdict


def _evaluated(data: Data, options: ReportOptions) -> Evaluation:
    """Return the errors under the families, with that which is quoted, and the test-based one of rows to be tested."""
    measures = measures_of(data, options.families, None, "l1", options.seed)
    if data.reduction == CANONICAL:
        measures = [make_measure("simplex_ece"), *measures]
    elif data.is_by_class:
        others = [measure for measure in measures if measure.name != FAMILY]
        measures = [PlugIn(FAMILY).seeded(options.seed), *others]
    evaluation = measure_data(data, measures, options.redrawing)
    if data.classes is not None or not data.whole or data.n > TCE_ROWS:
        return evaluation
    drawn = Redrawing(TCE_DRAWS, random_state=options.seed)
    return evaluation.joined(measure_data(data, [make_measure("tce")], drawn))


def _of_confidence(data: Data, options: ReportOptions) -> Evaluation | None:
    """Return the error of the confidence of whole distributions under the family that is quoted."""
    if data.reduction != CANONICAL:
        return None
    return measure_data(data.confidence, [PlugIn(FAMILY).seeded(options.seed)], options.redrawing)


def _compared(data: Data, options: ReportOptions) -> Comparison:
    return compare_calibrators(data, families=options.candidates, cv=FOLDS, evaluators=(), random_state=options.seed)


def _without(part: Section, column: str) -> Section:
    """Return a section without a column, if it has one of that name."""
    kept = [k for k, text in enumerate(part.header) if text != column]
    return replace(part, header=[part.header[k] for k in kept], body=[[row[k] for k in kept] for row in part.body])


def _without_line(part: Section, line: str) -> Section:
    """Return a section without a line of its notes, which the page says once, above all of them."""
    return replace(part, notes="\n".join(text for text in part.notes.splitlines() if text != line))


def _by_class(classes: Samples, verdict: Verdict | ClassesVerdict, options: ReportOptions) -> Evaluation:
    """Return the error of every class against the rest under the family that is quoted."""
    measure = verdict.estimate.measure
    quoted = measure if measure.fitting is not None else PlugIn(FAMILY).seeded(options.seed)
    many = len(classes) > INTERVAL_CLASSES
    redrawing = replace(options.redrawing, interval=None) if many else options.redrawing
    return measure_data(classes, [quoted], redrawing)


def _class_table(classes: Evaluation) -> Section:
    """Return a row for each class, the worst first."""
    (mean,) = classes
    each = {label: one[classes.names[0]] for label, one in classes.classes.items()}
    spreads = interval_columns([(str(label), one) for label, one in each.items()])
    header = ["class", "share of rows", "mean score", "error", *(spreads.header if spreads else ())]
    body = []
    for label in sorted(each, key=lambda label: -each[label].quoted):
        one, sample = each[label], classes.classes[label].sample
        line = [str(label), short(sample.base_rate), short(sample.mean_score), short(one.value)]
        body.append([*line, *(spreads.cells(one) if spreads else ())])
    title = f"calibration error of each class against the rest ({mean.measure.in_words()}), mean {short(mean.value)}"
    return Section(title, header, body, f"Worst first. {spreads.note if spreads else ''}".strip())


def _by_segment(
    segments: Samples, whole: Data, verdict: Verdict | ClassesVerdict, options: ReportOptions
) -> SegmentedEvaluation:
    """Return the error of every segment that is quoted of all rows."""
    judged = {segment: _judged(data) for segment, data in segments.items()}
    samples = Samples.of_segments(judged, whole, segments.name, segments.empty)
    return measure_segments(samples, [verdict.estimate.measure], options.redrawing)
