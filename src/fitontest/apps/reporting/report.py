"""A report: what the rows say of the calibration of their scores, as one page for readers."""

import json
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, Unpack

from fitontest.apps.reporting.advice import Advice, Adviser, Step, advise_on_drift, advise_on_segments
from fitontest.apps.reporting.data_facts import data_facts, reading_notes
from fitontest.apps.reporting.figures import (
    Picture,
    class_pictures,
    comparison_picture,
    pair_pictures,
    period_pictures,
    reliability_pictures,
    segment_pictures,
    tce_pictures,
    triangle_pictures,
)
from fitontest.apps.reporting.first_screen import FirstScreen, ratio_quoted, size_of, source_in_words
from fitontest.apps.reporting.found_section import HEADING as FOUND
from fitontest.apps.reporting.found_section import advise_on_found, found_in, found_pictures, found_sentence
from fitontest.apps.reporting.key_figures import KeyFigure, means_in_words
from fitontest.apps.reporting.monitoring_section import HEADING as MONITORING
from fitontest.apps.reporting.monitoring_section import (
    advise_on_stream,
    monitoring_pictures,
    monitoring_sentence,
    read_monitor,
)
from fitontest.apps.reporting.one_map import PartAfter, apply_one_map
from fitontest.apps.reporting.options import PageOptions, Provenance, ReportOptions
from fitontest.apps.reporting.page import render
from fitontest.apps.reporting.parts_table import Part, table_of_parts
from fitontest.apps.reporting.periods import Drift, find_drift, read_periods
from fitontest.apps.reporting.several_classes import ClassesVerdict
from fitontest.apps.reporting.summary import ClassesSummary, Summary
from fitontest.apps.reporting.validation_section import HEADING as VALIDATION
from fitontest.apps.reporting.validation_section import (
    decision_pictures,
    decisions_sentence,
    validation_of,
    validation_sections,
)
from fitontest.data.known_groups import KnownGroups
from fitontest.data.read import Data
from fitontest.data.reading.options import reading_of
from fitontest.data.reading.read import read
from fitontest.data.repeated_rows import Repeats
from fitontest.data.sample import changed
from fitontest.data.samples import Key, Samples
from fitontest.data.segment_names import WHOLE, words_of
from fitontest.evaluation.comparison.compare import compare_calibrators
from fitontest.evaluation.comparison.comparison import Comparison
from fitontest.evaluation.comparison.fitted_maps import FittedMaps
from fitontest.evaluation.evaluate import FamilyLike, measures_of
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.measuring import measure_data, measure_segments
from fitontest.evaluation.segmented_evaluation import SegmentedEvaluation
from fitontest.evaluation.worst_segment import outside_segments
from fitontest.maps.rules.columns import FROM_DTYPE, CategoricalFeatures
from fitontest.measures.measure import make as make_measure
from fitontest.measures.plug_in import PlugIn
from fitontest.monitor.evidence.evidence import MonitorEvidence
from fitontest.results.checks import choose
from fitontest.results.exceptions import without_warnings
from fitontest.results.options import spell_out
from fitontest.results.quoting import split_quoted
from fitontest.results.table import PAGES, Section
from fitontest.results.text import capital, sentence
from fitontest.results.typing import ArrayInput
from fitontest.results.writing import write_text
from fitontest.risk.validation.validation import Validation
from fitontest.segments.found_segments import FoundSegments
from fitontest.uncertainty.event_ratio import rarer_label
from fitontest.uncertainty.redrawing import MOST_JUDGED, Redrawing
from fitontest.uncertainty.tolerance import read_tolerance
from fitontest.uncertainty.verdict import FAMILY, Verdict

TCE_ROWS = 100_000  # rows above which the test of each score is left out, because it then rejects nearly all
TCE_DRAWS = 100
MEASURES, CONFIDENCE, COMPARED = "Error by family of maps", "Confidence", "Calibrators compared"  # headings
CLASSES, SEGMENTS, PERIODS = "Classes", "Segments", "When"
OPEN = (PERIODS, CLASSES, SEGMENTS, FOUND, MONITORING)  # headings that are not collapsed
TIMES = "fit (s)"  # a column that differs from run to run
PACKAGES = ("fitontest", "numpy", "scipy", "scikit-learn", "matplotlib")


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A report on the calibration of scores: a verdict, what to do, diagrams and tables, as one HTML page.

    All classes at once are judged by their ECE in joint bins (`gce`), `ClassCells` class by class: cells of classes do
    not keep which scores belong to one row, so that there is no confidence.

    Attributes
    ----------
    title : str
        The heading of the page.
    evaluation : Evaluation
        Of the rows that are judged.
    comparison : Comparison or None
        Of calibrators.
    classes : Evaluation or None
        Of each class against the rest, of several classes.
    confidence : Evaluation or None
        Of the confidence, where all classes are judged at once.
    segments : SegmentedEvaluation or None
        Of each segment, where asked.
    options : dict
        With which it was made.
    after : Evaluation or None
        Of the predictions of the chosen calibrator for rows that it was not fitted to: the error of the verdict, and of
        whole distributions that of the confidence.
    data_facts : dict of str
        What the data are: rows, scores, weights.
    provenance : dict
        Date, model and notes.
    not_compared : str
        Why there is no comparison, where none could be made, or "".
    validation : Validation or None
        Of scores of a positive class: what reports on risk models list, and decisions at `thresholds`.
    monitoring : MonitorEvidence or None
        Of the stream that the model is monitored in, where a monitor is given; it is of other rows than the verdict.
    found : FoundSegments or None
        Segments of the features in which scores are wrong, where features are given.
    periods : Samples or None
        The rows by month, or by another period, where their times are given.

    Notes
    -----
    In a notebook it shows itself. ``report.save("report.html")`` writes a page that needs no other file and asks for
    nothing from anywhere; the same data, options, date and versions give the same bytes.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> report = fot.report(rng.random(1000) < p, p, families=["platt"], compare=False)
    >>> report.verdict.headline, report.advice.title
    ('No miscalibration shown', 'No need to calibrate')
    >>> report.evaluation.names, report.comparison
    (['platt', 'tce'], None)
    """

    title: str
    evaluation: Evaluation
    comparison: Comparison | None = None
    classes: Evaluation | None = None
    segments: SegmentedEvaluation | None = None
    options: dict[str, Any] = field(default_factory=dict)
    confidence: Evaluation | None = None
    after: Evaluation | None = None
    data_facts: dict[str, str] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)
    not_compared: str = ""
    validation: Validation | None = None
    monitoring: MonitorEvidence | None = None
    found: FoundSegments | None = None
    periods: Samples | None = None

    @cached_property
    def verdict(self) -> Verdict | ClassesVerdict:
        """What the rows say, in words."""
        verdict: Verdict | ClassesVerdict = self._summary.verdict
        return verdict

    @cached_property
    def advice(self) -> Advice:
        """What to do, in this order: about a drift, about segments, and with one map for all rows."""
        after = None if self.after is None else self.after.estimates[0]
        names = self._segment_names
        drifted = {} if self.drift is None else {f"rows before {self.drift.since}": self._after_drift.get("before")}
        parts = {**drifted, **{names[key]: part for key, part in self._after_segments.items()}}
        return Adviser(
            self.verdict,
            self.comparison,
            after,
            self.evaluation.data.base_rate,
            self.not_compared,
            self._first_steps(),
            {name: part for name, part in parts.items() if part is not None},
        ).advice

    def _first_steps(self) -> tuple[Step, ...]:
        """Return what is to be done before one map for all rows: about a drift, and about segments."""
        of_drift = advise_on_drift(self.drift, self._after_drift.get("since")) or advise_on_stream(self.monitoring)
        of_segments: dict[str, tuple[str, str]] = {}
        if self.segments is not None:
            parts, names, after = self.segments.segments, self._segment_names, self._after_segments
            left = {key: part.sample for key, part in after.items()}
            still = outside_segments(Samples.of_segments(left, parts.whole), self.segments.tolerance) if left else ()
            of = rarer_label(parts.whole)
            for one in self.segments.outside:
                if not left or one.segment in {other.segment for other in still}:
                    size = f"{one.name} {size_of(parts[one.segment], one.name, of)}"
                    rest = split_quoted(size_of(left[one.segment], one.name, of))[0] if left else ""
                    of_segments[names[one.segment]] = size, rest
        return (*of_drift, *advise_on_segments(of_segments), *advise_on_found(self.found))

    @cached_property
    def drift(self) -> Drift | None:
        """Since when events are more or fewer than before, where times are given and that is sure."""
        return None if self.periods is None else find_drift(self.periods, self.evaluation.tolerance)

    @property
    def _segment_names(self) -> dict[Key, str]:
        return {} if self.segments is None else words_of([*self.segments], self.segments.segments.columns)

    @cached_property
    def _after_segments(self) -> dict[Key, PartAfter]:
        """What the chosen calibrator makes of each segment, out of fold; nothing where none changes a score."""
        return {} if self.segments is None else self._after_one_map(self.segments.segments)

    @cached_property
    def _after_drift(self) -> dict[Key, PartAfter]:
        """What it makes of the rows before a drift and since then."""
        if self.drift is None or self.periods is None:
            return {}
        parts: dict[Key, Any] = {"before": self.drift.before, "since": self.drift.after}
        return self._after_one_map(Samples.of_segments(parts, self.periods.whole))

    def _after_one_map(self, parts: Samples) -> dict[Key, PartAfter]:
        chosen = None if self.comparison is None else self.comparison.chosen
        if self.comparison is None or chosen == self.comparison.do_nothing or not parts.has_one_score:
            return {}
        return apply_one_map(self.comparison.chosen_, parts, self.options["random_state"])

    @property
    def sentences(self) -> list[str]:
        """What a reader wants to know, a sentence or two each, after the headline of the verdict."""
        others = (
            found_sentence(self.found),
            decisions_sentence(self.validation),
            monitoring_sentence(self.monitoring),
        )
        return [*self._doubts, *self._summary.sentences, *(text for text in others if text)]

    @property
    def _of_scores(self) -> Evaluation:
        """The evaluation whose verdict is on one score in each row: of distributions that of their confidence."""
        return self.evaluation if self.confidence is None else self.confidence

    @property
    def _doubts(self) -> list[str]:
        """What casts doubt on the verdict, and comes before its reasons."""
        judged = self._of_scores
        if judged.verdict is None:
            return []
        said = () if judged.groups is None else judged.groups.notes  # on the page, below the verdict
        return [sentence(text) for text in judged.doubts if text not in said]

    @cached_property
    def figures(self) -> list[KeyFigure]:
        """The error, slope, mean residual, AUC, Brier score and log loss, each with a plain phrase."""
        return self._summary.figures(self.evaluation, self.after)

    @cached_property
    def _summary(self) -> Summary:
        return _summary_of(self.evaluation, self.confidence, self.segments)

    @cached_property
    def html(self) -> str:
        """The page."""
        groups, first = self.evaluation.groups, self.first_screen
        means = means_in_words(self.evaluation.data)
        parts = {
            "title": self.title,
            "source": source_in_words(self.title, self.provenance, self.evaluation.data, self.periods),
            "sentence": first.sentence,
            "numbers": first.numbers,
            "where_by": "features" if self.segments is None else self.segments.segments.name,
            "period": "" if self.periods is None else self.periods.name,
            "doubts": self._doubts,
            "verdict": self.verdict,
            "advice": self.advice,
            "findings": [*([means] if means else []), *self.sentences[len(self._doubts) :]],
            "figures": self.figures,
            "calibrator": "" if self.after is None or self.comparison is None else self.comparison.chosen,
            "groups": "" if groups is None else " ".join(map(capital, groups.lines)),
            "reading_notes": [] if groups is None else reading_notes(groups),
            "method": self._summary.method,
            "tables": self._tables(),
            "open_tables": self._open,
            "data_facts": {**self.data_facts, **self.provenance["notes"]},
            "facts": self.facts,
        }
        with without_warnings():
            pictures = self._pictures()
        tabs = [
            *pictures["diagrams"],
            *(one for each in map(pictures["pictures"].get, self._open) for one in each or []),
        ]
        return render({**parts, **pictures, "shown_by_tabs": [picture.name for picture in tabs]})

    @cached_property
    def first_screen(self) -> FirstScreen:
        """The sentence and the numbers that a reader sees first."""
        return FirstScreen(self.verdict, self._of_scores.data, self.segments, self.drift)

    def _pictures(self) -> dict[str, Any]:
        """Return the diagrams of the page: those of the first screen, all others, and those of the further tables."""
        seed, of_scores = self.options["random_state"], self._of_scores
        where = self._where()
        first: list[Picture] = []
        more = [*tce_pictures(self.evaluation), *triangle_pictures(self.evaluation)]
        if of_scores.verdict is not None:
            before = of_scores.verdict.estimate, of_scores.sample
            after = None if self.after is None else (self.after.estimates[-1], self.after.data.confidence)
            calibrator = "" if self.comparison is None else self.comparison.chosen
            first = reliability_pictures(of_scores, of_scores.verdict, "map", seed)
            if after is not None:
                pair = pair_pictures(before, after, calibrator, seed)
                first, more = (first, [*pair, *more]) if where else (pair, [*first, *more])
        picked: dict[str, list[Picture]] = {}
        if self.comparison is not None:
            picked[COMPARED] = [comparison_picture(self.comparison)]
        if self.periods is not None:
            picked[PERIODS] = period_pictures(self.periods, self.evaluation.tolerance.ratio)
        if self.classes is not None:
            picked[CLASSES] = class_pictures(self.classes, seed)
        if self.validation is not None:
            picked[VALIDATION] = decision_pictures(self.validation)
        if self.monitoring is not None:
            picked[MONITORING] = monitoring_pictures(self.monitoring)
        if self.found is not None and self.segments is not None:
            picked[FOUND] = found_pictures(self.found)
        return {"where": where, "first": first, "diagrams": more, "pictures": {k: v for k, v in picked.items() if v}}

    def _where(self) -> list[Picture]:
        """Return the dot plot of the segments, named or else found, which stands on the first screen."""
        if self.segments is not None and self.segments.segments.has_one_score:
            return segment_pictures(self.segments)
        return [] if self.found is None or self.segments is not None else found_pictures(self.found)

    @property
    def _open(self) -> tuple[str, ...]:
        """The headings that are not collapsed: that of the validation where thresholds were asked for."""
        return (VALIDATION, *OPEN) if self.validation is not None and self.validation.thresholds else OPEN

    def _tables(self) -> dict[str, list[Section]]:
        """Return the tables by their headings, those that are not collapsed first."""
        tables = {}
        if self.periods is not None:
            tables[PERIODS] = [_period_table(self.periods, self.drift)]
        if self.validation is not None:
            tables[VALIDATION] = validation_sections(self.validation)
        if self.segments is not None:
            of_scores = self.segments.segments.has_one_score
            tables[SEGMENTS] = [_segment_table(self.segments)] if of_scores else self.segments.table().sections()
        if self.found is not None:
            tables[FOUND] = self.found.table().sections()
        if self.classes is not None:
            tables[CLASSES] = [_class_table(self.classes)]
        if self.monitoring is not None:
            tables[MONITORING] = self.monitoring.table().sections()
        tables[MEASURES] = [part for part in self.evaluation.table().sections() if part.header]
        if self.confidence is not None:
            tables[CONFIDENCE] = [part for part in self.confidence.table().sections() if part.header]
        if self.comparison is not None:
            tables[COMPARED] = [_without(part, TIMES) for part in self.comparison.sections()]
        groups = self.evaluation.groups
        said = set() if groups is None else {*groups.lines, *groups.notes}
        return {heading: [_without_lines(part, said) for part in parts] for heading, parts in tables.items()}

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
        choose(target.suffix.lower(), PAGES, "the ending of path")
        write_text(target, self.html)
        return target

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the pictures as JSON-ready values."""
        record: dict[str, Any] = {"title": self.title, **self.provenance, "verdict": self.verdict.to_dict()}
        record |= {"advice": self.advice.to_dict(), "sentences": self.sentences}
        record |= {"figures": [figure.to_dict() for figure in self.figures], "data": self.data_facts}
        if self.evaluation.groups is not None:
            record["groups"] = self.evaluation.groups.to_dict()
        record["evaluation"] = self.evaluation.to_dict()
        for name in ("confidence", "comparison", "after", "classes", "segments", "validation"):
            part = getattr(self, name)
            record[name] = None if part is None else part.to_dict()
        for name in ("monitoring", "found"):
            part = getattr(self, name)
            record |= {} if part is None else {name: part.to_dict()}
        return {**record, "facts": self.facts}

    def _repr_html_(self) -> str:
        """Return the page in a frame of its own, so that its style does not touch the notebook."""
        return (
            f'<iframe title="{escape(self.title, quote=True)}" srcdoc="{escape(self.html, quote=True)}" '
            'style="width:100%;height:46em;border:1px solid #8888"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Report({self.title!r}: {self.verdict.headline}. {self.advice.title})"


@spell_out("interval", "draws", "null_draws")
def report(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    families: Iterable[FamilyLike] | Literal["all"] | None = None,
    compare: bool | Literal["auto"] = "auto",
    by: ArrayInput = None,
    X: Any = None,
    categorical_features: CategoricalFeatures = FROM_DTYPE,
    thresholds: float | Sequence[float] | None = None,
    **options: Unpack[PageOptions],
) -> Report:
    """Return a page on the calibration of scores: whether they are wrong, what to do, and what it gains.

    It says in words whether miscalibration is shown, how large it is, how sure that is and in which direction the
    scores are wrong; whether to calibrate, with which calibrator, and the error and the diagram before and after; AUC,
    Brier score, log loss, slope and mean residual; which errors cannot be ruled out. Segments, tables, the data and all
    settings follow.

    Parameters
    ----------
    y_true, y_prob
        As for `calibration_error`; what `read` returns in place of both, `Cells`, `ClassCells`, or a dict of these by
        segment. Or a file or a data frame, whose columns `label`, `prob`, `weight` and `by` name.
    families : iterable of str, Family or MulticlassFamily, or "all", optional
        Whose errors are listed; by default spline, slope1, isotonic and beta, and of all classes at once temperature,
        vector and matrix; "all" are all that are registered for evaluation.
    compare : bool or "auto", default="auto"
        Whether calibrators of these scores are compared by `compare_calibrators`, with its default
        candidates, rule and number of folds; of all classes at once temperature, vector
        and matrix. "auto": where it can be done; where not the page says why.
    by : array-like of shape (n,) or (n, k), or names of columns, optional
        The segment of each row, such as its region or its month: each is listed with the error of the family that is
        quoted. The verdict is of all rows together, not of each.
    X : data frame, dict of columns, or array of shape (n, d), optional
        Features of the rows: the page lists the segments of them in which scores are wrong though nobody named them,
        see `find_segments`. Of one column of scores, or of the confidence.
    categorical_features : "from_dtype", or iterable of str, int or bool, default="from_dtype"
        Which columns of `X` are categories whatever they hold.
    thresholds : float or sequence of float, optional
        Scores from which on a row is treated, in (0, 1), increasing: the page has the net benefit there, what
        miscalibration costs of it, and the decision curve; see `validate`.
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

    Notes
    -----
    The advice comes in the order drift, segments, one map for all rows. A drift is named where the ratio of observed to
    expected events since some period is outside the tolerance and surely another one than before; a segment where it
    is outside the tolerance, and still is after one map of all rows, on rows that this was not fitted to. What that map
    makes worse there, by its log loss, is named too.

    The last step is to calibrate where miscalibration is shown and the calibrator that the rule chooses lowers the
    held-out loss by more than two standard errors, and the error. It is "no need" where no error above a small one is
    left open by the interval and no calibrator gains so much; small is at most 0.05, and a fifth of the share of the
    rarer outcome. Otherwise the rows cannot tell.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> report = fot.report(rng.random(1000) < p**1.5, p, title="Model A", compare=False)
    >>> report
    Report('Model A': Underconfident, and scores too high. Calibrate the scores)
    >>> report.save("report.html")  # doctest: +SKIP
    """
    monitoring, near = read_monitor(options["monitor"]), read_tolerance(options["tolerance"])
    provenance = Provenance.of(options["date"], options["model"], options["notes"])
    reading = reading_of(options)
    of_page: dict[str, Any] = {name: options[name] for name in ("title", "level", "random_state", "reduction")}
    page = ReportOptions.of(provenance=provenance, families=families, compare=compare, thresholds=thresholds, **of_page)
    if page.judged == "confidence":
        reading["reduction"] = "classwise"
    data = read(y_true, y_prob, by=by, **reading)
    page = page.for_data(data)
    periods = read_periods(y_true, y_prob, options["time"], reading)
    parts, whole = data.segments, data.all_rows
    judged, classes = whole.judged_together, whole.against_each_rest()
    _refuse_few_groups(judged)
    if not judged.is_by_class:
        Repeats.of(judged).warn()
    columns = {
        **{name: reading[name] for name in ("label", "prob", "weight", "groups")},
        "by": by,
        "time": options["time"],
    }
    with without_warnings():  # the tables of the page say what warnings say
        evaluation = replace(_evaluated(judged, page), tolerance=near)
        confidence = _of_confidence(judged, page)
        verdict = _summary_of(evaluation, confidence).verdict
        comparison, not_compared = _compared(judged, page)
        return Report(
            page.title,
            evaluation,
            comparison,
            None if classes is None else _by_class(classes, verdict, page),
            None if parts is None else replace(_by_segment(parts, judged, verdict, page), tolerance=near),
            page.to_dict(),
            confidence,
            _after(comparison, judged, page),
            data_facts(judged, whole, parts, evaluation.groups),
            _with_columns(provenance, y_true, columns).to_dict(),
            not_compared,
            validation_of(judged, verdict, page),
            monitoring,
            found_in(judged, X, categorical_features, page),
            periods,
        )


def _with_columns(provenance: Provenance, source: Any, columns: dict[str, Any]) -> Provenance:
    """Return the provenance with the name of the file and of the columns that were read, where these were named."""
    if columns["label"] is None:
        return provenance
    names = {
        key: name if isinstance(name, str) else ", ".join(map(str, name))
        for key, name in columns.items()
        if isinstance(name, str | list | tuple) and name
    }
    called = {
        "label": "column of labels",
        "prob": "columns of scores",
        "weight": "column of weights",
        "groups": "column of groups",
        "by": "by",
        "time": "column of times",
    }
    facts = {"file": Path(source).name} if isinstance(source, str | Path) else {}
    return replace(
        provenance, notes={**facts, **{called[key]: name for key, name in names.items()}, **provenance.notes}
    )


def _refuse_few_groups(data: Data) -> None:
    """Raise ValueError where rows belong to so few groups that there is no verdict to report."""
    known = KnownGroups.of(data)
    if known is not None and known.too_few:
        raise ValueError(
            f"groups must be more for a report: {known.reason}, so that there is no verdict; evaluate has the point "
            "estimates"
        )


def _summary_of(
    evaluation: Evaluation, confidence: Evaluation | None, segments: SegmentedEvaluation | None = None
) -> Summary:
    """Return the verdict on the rows of an evaluation, with what follows from it."""
    if confidence is not None:
        return ClassesSummary(ClassesVerdict.of_distributions(evaluation, confidence), segments)
    if evaluation.classes:
        return ClassesSummary(ClassesVerdict.of_classes(evaluation), segments)
    if evaluation.verdict is None:
        raise ValueError("families must hold one whose error has an interval, got none")
    return Summary(evaluation.verdict, segments)


def _evaluated(data: Data, options: ReportOptions) -> Evaluation:
    """Return the errors under the families, with that which is quoted, and the test-based one of rows to be tested."""
    measures = measures_of(data, options.families, None, "l1", options.seed)
    if data.has_distributions:
        measures = [make_measure("simplex_ece"), *measures]
    elif data.is_by_class:
        others = [measure for measure in measures if measure.name != FAMILY]
        measures = [PlugIn(FAMILY).seeded(options.seed), *others]
    evaluation = measure_data(data, measures, options.redrawing)
    if not data.has_one_score or not data.whole or data.n > TCE_ROWS:
        return evaluation
    drawn = Redrawing(TCE_DRAWS, random_state=options.seed)
    return evaluation.joined(measure_data(data, [make_measure("tce")], drawn))


def _of_confidence(data: Data, options: ReportOptions) -> Evaluation | None:
    """Return the error of the confidence of whole distributions under the family that is quoted."""
    if not data.has_distributions:
        return None
    return measure_data(data.confidence, [PlugIn(FAMILY).seeded(options.seed)], options.redrawing)


def _compared(data: Data, options: ReportOptions) -> tuple[Comparison | None, str]:
    """Return the comparison of calibrators, or None and why there is none, unless it was asked for."""
    if not options.compare:
        return None, ""
    try:
        settings: dict[str, Any] = {"families": options.candidates, "evaluators": (), "random_state": options.seed}
        return compare_calibrators(data, **settings), ""
    except ValueError as error:  # such as labels of one class, and cells of classes
        if options.compare != "auto":
            raise
        return None, f"Calibrators were not compared: {error}."


def _after(comparison: Comparison | None, judged: Data, options: ReportOptions) -> Evaluation | None:
    """Return the error of the map that was chosen, with the held-out predictions that its diagram shows."""
    if comparison is None or comparison.calibrated is None or comparison.chosen == comparison.do_nothing:
        return None
    sample: Any = changed(comparison.calibrated, reduction=judged.reduction)
    quoted, redrawing = PlugIn(FAMILY).seeded(options.seed), replace(options.redrawing, interval=None)
    if judged.has_distributions:
        of_confidence = measure_data(sample.confidence, [quoted], redrawing)
        return measure_data(sample, [make_measure("simplex_ece")], redrawing).joined(of_confidence)
    measured = measure_data(sample, [quoted], redrawing)
    maps, (raw,) = FittedMaps.of(comparison.uncalibrated, comparison.chosen_, options.seed), measured.estimates
    if maps is None:
        return measured
    return replace(measured, estimates=(replace(raw, known=maps.uncertainty(raw, options.level)),))


def _without(part: Section, column: str) -> Section:
    """Return a section without a column, if it has one of that name."""
    kept = [k for k, text in enumerate(part.header) if text != column]
    return replace(part, header=[part.header[k] for k in kept], body=[[row[k] for k in kept] for row in part.body])


def _without_lines(part: Section, lines: Collection[str]) -> Section:
    """Return a section without those lines of its notes that the page says once, above all of them."""
    return replace(part, notes="\n".join(text for text in part.notes.splitlines() if text not in lines))


def _by_class(classes: Samples, verdict: Verdict | ClassesVerdict, options: ReportOptions) -> Evaluation:
    """Return the error of every class against the rest under the family that is quoted."""
    measure = verdict.estimate.measure
    quoted = measure if measure.is_family_error else PlugIn(FAMILY).seeded(options.seed)
    many = len(classes) > MOST_JUDGED
    redrawing = replace(options.redrawing, interval=None) if many else options.redrawing
    return measure_data(classes, [quoted], redrawing)


def _period_table(periods: Samples, drift: Drift | None) -> Section:
    """Return a row for each period, in the order of time."""
    since = "No drift is sure."
    if drift is not None:
        since = f"{drift.ratio.title} {ratio_quoted(drift.ratio)} since {drift.since}."
    parts = (Part(str(name), sample) for name, sample in periods.items())
    return table_of_parts(periods.name, parts, rarer_label(periods.whole), since)


def _class_table(classes: Evaluation) -> Section:
    """Return a row for each class against the rest, the worst first."""
    (mean,) = classes
    each = {label: one[classes.names[0]] for label, one in classes.classes.items()}
    worst = sorted(each, key=lambda label: -each[label].quoted)
    parts = (Part(str(label), classes.classes[label].sample, each[label]) for label in worst)
    lead = f"Each class against the rest, the worst first; errors by {mean.measure.in_words()}."
    return table_of_parts("class", parts, "events", lead)


def _segment_table(segments: SegmentedEvaluation) -> Section:
    """Return a row for each segment, the worst first, and one for all rows."""
    found = segments.measured()
    adjusted = found.adjusted_joint_p_values if found.is_joint else found.adjusted_p_values
    parts = [Part(found.texts[k], segments.segments[k], found.estimates.get(k), adjusted.get(k)) for k in found.worst]
    parts.append(Part(WHOLE, segments.segments.whole, found.total))
    return table_of_parts(
        segments.segments.name, parts, rarer_label(segments.segments.whole), notes="\n".join(found.notes)
    )


def _by_segment(
    segments: Samples, whole: Data, verdict: Verdict | ClassesVerdict, options: ReportOptions
) -> SegmentedEvaluation:
    """Return the error of every segment that is quoted of all rows."""
    judged = {segment: data.judged_together for segment, data in segments.items()}
    samples = Samples.of_segments(judged, whole, segments.name, segments.empty, segments.columns)
    return measure_segments(samples, [verdict.estimate.measure], options.redrawing)
