"""The evaluations of segments of the data, beside that of the whole, as one table for each measure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from fitontest.data.samples import ByKey, Key, Samples
from fitontest.data.segment_names import NO_ROWS, WHOLE, words_of
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.explained import explained
from fitontest.evaluation.measured_segments import MeasuredSegments, smallest_p_value
from fitontest.evaluation.together import Maximum
from fitontest.evaluation.worst_segment import OutsideSegment, outside_segments
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure
from fitontest.results.checks import brief, choose
from fitontest.results.detailed import Detailed, explanation
from fitontest.results.frames import Records
from fitontest.results.several import SEGMENT, Kind, Several
from fitontest.results.short_print import MORE
from fitontest.results.table import Section, Table
from fitontest.results.text import sentence
from fitontest.uncertainty.event_ratio import rarer_label
from fitontest.uncertainty.joint import JointTest
from fitontest.uncertainty.tolerance import DEFAULT_TOLERANCE, Tolerance

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.comparison import ComparisonDisplay
    from fitontest.displays.reliability import ReliabilityDisplay

OF_ALL = "Of all rows together:"
SHOWN = 5  # segments in the diagrams, beside the whole
MOST_SHOWN = 15  # more panels are too small to be compared


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SegmentedEvaluation(Several[Key, Evaluation]):
    """Calibration errors and other measures of each segment and of all rows, as ``evaluate(..., by=...)`` returns them.

    ``evaluation[segment]`` is the `Evaluation` of that segment, ``evaluation.total`` that of all rows. Iterating it
    gives the segments.

    Attributes
    ----------
    segments : Samples
        By segment; segments whose rows all have weight 0 are listed as having no rows.
    measures : tuple of Measure
        Of different names.
    estimates : dict of dict
        The estimates by measure, then by segment; a segment that cannot be measured is not among them.
    totals : dict of Estimate
        Those of all rows, by measure.
    failures : dict of dict
        Why a segment cannot be measured, by measure, then by segment.
    tests : dict of JointTest
        By segment the joint test of calibration, which verdicts rest on; empty without intervals of plug-in errors.
    maxima : dict of Maximum
        By measure what is known of all segments together, with ``adjust="max"``; empty without.
    tolerance : Tolerance
        Of verdicts: what is near enough.

    Notes
    -----
    A p-value says how often calibrated scores would look as bad as those of the segment do. Of many segments some have
    a small one by chance. The adjusted p-values (Holm) account for that: the probability that any calibrated segment
    has one of at most 0.05 is at most 0.05. Where there are intervals, the sentence on the segments and the p-values
    printed beside errors are those of the joint test (`JointTest`), whichever family is measured. Labels are drawn at
    least 40 times as often as there are segments, so that adjusted p-values down to 0.025 can appear. The total is no
    test among these.

    The mean residual of each group is what *multiaccuracy* bounds (Kim et al. 2019), the error of each group what
    *multicalibration* bounds (Hebert-Johnson et al. 2018).

    References
    ----------
    Hebert-Johnson, Kim, Reingold, Rothblum (2018), Multicalibration: calibration for the (computationally-identifiable)
    masses, ICML. https://doi.org/10.48550/arXiv.1711.08513

    Kim, Ghorbani, Zou (2019), Multiaccuracy: black-box post-processing for fairness in classification, AIES.
    https://doi.org/10.1145/3306618.3314287

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p, region = rng.random(3000), rng.choice(["north", "south", "west"], 3000)
    >>> y = rng.random(3000) < np.where(region == "south", p**1.5, p)
    >>> evaluation = fot.evaluate(y, p, by=region, families=["beta"], interval=None)
    >>> evaluation.to_frame()[["segment", "n"]].values.tolist()
    [['south', 970], ['north', 1026], ['west', 1004], ['all rows', 3000]]
    >>> {segment: p_value < 0.05 for segment, p_value in evaluation.adjusted_p_values().items()}
    {'north': False, 'south': True, 'west': False}
    >>> evaluation["south"]["beta"] > evaluation["north"]["beta"]
    True
    """

    segments: Samples
    measures: tuple[Measure, ...]
    estimates: Mapping[str, Mapping[Key, Estimate]]
    totals: Mapping[str, Estimate]
    failures: Mapping[str, Mapping[Key, str]] = field(default_factory=dict)
    tests: Mapping[Key, JointTest] = field(default_factory=dict)
    maxima: Mapping[str, Maximum] = field(default_factory=dict)
    tolerance: Tolerance = DEFAULT_TOLERANCE

    @property
    def names(self) -> list[str]:
        """What the measures are called."""
        return list(self.totals)

    @property
    def total(self) -> Evaluation:
        """The evaluation of all rows."""
        return Evaluation(tuple(self.totals.values()), self.segments.whole, self.tolerance)

    def within(self, tolerance: Tolerance) -> Self:
        """Return the same results, whose verdicts take a tolerance for near enough."""
        return replace(self, tolerance=tolerance)

    @property
    def kind(self) -> Kind:
        """What the keys are: segments."""
        return SEGMENT

    @property
    def _results(self) -> Mapping[Key, Evaluation]:
        return ByKey(self.segments.labels, self._evaluation)

    def _evaluation(self, place: int) -> Evaluation:
        """Return the evaluation of a segment, by its place."""
        segment = self.segments.labels[place]
        found = tuple(each[segment] for each in self.estimates.values() if segment in each)
        return Evaluation(found, self.segments[segment], self.tolerance)

    def _absent(self, key: Key) -> str:
        return f"{key!r} has {NO_ROWS} of positive weight" if key in self.segments.empty else super()._absent(key)

    def measured(self, name: str | None = None) -> MeasuredSegments:
        """Return one measure in every segment and in all rows.

        Parameters
        ----------
        name : str, optional
            Of the measure, by default the first.
        """
        chosen = self.names[0] if name is None else choose(name, self.names, "name")
        failures = self.failures.get(chosen, {})
        return MeasuredSegments(
            chosen,
            self.segments,
            self.estimates[chosen],
            self.totals[chosen],
            failures,
            self.tests,
            self.maxima.get(chosen),
        )

    def worst(self, name: str | None = None) -> list[Key]:
        """Return the segments from the worst to the best by a measure.

        It is the first measure by default; unmeasured segments come last.

        Parameters
        ----------
        name : str, optional
            Of the measure, by default the first.
        """
        return self.measured(name).worst

    def adjusted_p_values(self, name: str | None = None) -> dict[Key, float]:
        """Return the p-values of a measure in the segments, adjusted for their number: by Holm, or by one maximum.

        Parameters
        ----------
        name : str, optional
            Of the measure, by default the first.

        Returns
        -------
        dict
            From each segment that was tested to its p-value in [0, 1]; empty without `null_draws`.
        """
        return self.measured(name).adjusted_p_values

    @cached_property
    def opening(self) -> str:
        """The verdict on all rows, with the worst segment outside the tolerance; "" where there is no verdict."""
        verdict = self.total.verdict
        if verdict is None:
            return ""
        return "; ".join(part for part in (verdict.opening, self.worst_in_words) if part)

    @cached_property
    def outside(self) -> list[OutsideSegment]:
        """The segments whose O:E or slope is outside the tolerance for sure, the farthest first."""
        return outside_segments(self.segments, self.tolerance)

    @property
    def worst_in_words(self) -> str:
        """The segment that is farthest outside the tolerance, as it follows the verdict on all rows; "" without one."""
        verdict = self.total.verdict
        if not self.outside or verdict is None:
            return ""
        worst = self.outside[0]
        name = words_of([*self.segments], self.segments.columns)[worst.segment]
        return f"{name} is not ({worst.size})" if verdict.close else f"the worst segment is {name} ({worst.size})"

    @property
    def draws(self) -> int:
        """How often labels were simulated from the scores."""
        return max((each.null.values.size for each in self.totals.values() if each.null is not None), default=0)

    @property
    def notes(self) -> list[str]:
        """What must be known to read the values: that all labels of a segment are of one class, for example."""
        lines = []
        for name in self.names:
            prefix = f"{name}: " if len(self.names) > 1 else ""
            lines += [f"{prefix}{line}" for line in self.measured(name).notes]
        return list(dict.fromkeys(lines))

    def rows(self) -> Records:
        """Return a record for each measure and segment, the worst first, and then one for all rows.

        A segment without rows of positive weight has a record of n = 0, in which nothing is measured.
        """
        return [record for name in self.names for record in self.measured(name).records()]

    def to_dict(self) -> dict[str, Any]:
        """Return the records as JSON-ready values, with the number of draws and the smallest possible p-value.

        Adjusted it is times the number of segments; two-sided ones, of measures of accuracy, are at least twice that.
        """
        return {
            "by": self.segments.name,
            "n_segments": len(self),
            "draws": self.draws,
            "smallest_p_value": smallest_p_value(self.draws),
            **({} if self.total.groups is None else {"groups": self.total.groups.to_dict()}),
            "segments": self.rows(),
            "notes": self.notes,
            **({"maxima": {name: one.record() for name, one in self.maxima.items()}} if self.maxima else {}),
        }

    def sections(self) -> list[Section]:
        """Return what is printed: for each measure in which segments miscalibration is shown, and a table."""
        sections = [self.measured(name).section(self.draws) for name in self.names]
        if self.opening:
            sections[0] = replace(sections[0], lead=f"{self.opening}.\n{sections[0].lead}")
        last = "\n".join([*self._on_groups, MORE])
        return [*sections[:-1], replace(sections[-1], notes=f"{sections[-1].notes}\n{last}")]

    def table(self) -> Table:
        """Return all columns of every measure, with notes on how they came about.

        Returns
        -------
        Table
            With the same records; printing it shows more.
        """
        *others, last = [self.measured(name).section(self.draws, full=True) for name in self.names]
        return Detailed(self, (*others, replace(last, notes="\n".join([last.notes, *self._on_groups]))))

    def explain(self) -> Table:
        """Return what the words and columns of this result mean, in plain sentences.

        Returns
        -------
        Table
            With the same records; printing it shows the sentences.
        """
        verdict = self.total.verdict
        words = [one for name in self.names for one in self.measured(name).explanation(self.draws)]
        of_all = [] if verdict is None else [OF_ALL, *explained(self.total.named, verdict, ())]
        opening = f"{self.opening}." if self.opening else ""
        return explanation(self, [opening, *words, *of_all, *map(sentence, self.notes), *self._on_groups])

    @property
    def _on_groups(self) -> list[str]:
        """The groups of all rows; what must be known of them stands among the notes."""
        return [] if self.total.groups is None else [f"{self.total.groups.in_words()}."]

    def plot(
        self,
        segments: Sequence[Key] | None = None,
        *,
        scale: str = "auto",
        ax: "AxesOrFigure" = None,
    ) -> "ComparisonDisplay | ReliabilityDisplay":
        """Draw the ratio of observed to expected events of every segment and of all rows as dots with intervals.

        Parameters
        ----------
        segments : sequence, optional
            Segments whose reliability diagrams are drawn instead, beside that of all rows; at most 15.
        scale : {"auto", "probability", "logit", "ratio"}, default="auto"
            What the axes of these are, see `ReliabilityDisplay`.
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; by default a new pyplot figure that is large enough.

        Returns
        -------
        ComparisonDisplay or ReliabilityDisplay
        """
        if segments is not None:
            return self.diagrams(segments=segments, scale=scale).plot(ax)
        return self.dots().plot(ax)

    def dots(self) -> "ComparisonDisplay":
        """Return the dot plot of the segments, which is yet to be drawn, or to be saved."""
        from fitontest.displays.ratio_dots import ratio_display

        if not self.segments.has_one_score:
            raise ValueError("reduction must be one of a single score for the diagrams of segments")
        texts = self.measured().texts
        parts = [(texts[key], self.segments[key]) for key in self.segments]
        of = rarer_label(self.segments.whole)
        return ratio_display(parts, self.segments.whole, of=of, tolerance=self.tolerance.ratio)

    def diagrams(
        self, name: str | None = None, *, segments: Sequence[Key] | None = None, scale: str = "auto"
    ) -> "ReliabilityDisplay":
        """Return the reliability diagrams of segments, which are yet to be drawn, or to be saved.

        Parameters
        ----------
        name : str, optional
            Of the family, by default the first.
        segments : sequence, optional
            Which segments, at most 15; by default the five worst.
        scale : {"auto", "probability", "logit", "ratio"}, default="auto"
            What the axes are, see `ReliabilityDisplay`.

        Raises
        ------
        ValueError
            Estimates without a map, an unknown name, segments that were not measured, none of them or more than 15.
        """
        from fitontest.displays.reliability import ReliabilityDisplay

        if not self.segments.has_one_score:
            raise ValueError("reduction must be one of a single score for the diagrams of segments")
        with_map = [each for each, estimate in self.totals.items() if estimate.map is not None]
        if not with_map:
            raise ValueError(f"families must be given for diagrams: none of {self.names} has a map to draw")
        chosen = with_map[0] if name is None else choose(name, with_map, "name")
        of_measure = self.measured(chosen)
        estimates, texts = of_measure.estimates, of_measure.texts
        shown = [key for key in of_measure.worst if key in estimates][:SHOWN] if segments is None else list(segments)
        if not 0 < len(shown) <= MOST_SHOWN:
            raise ValueError(f"segments must name 1 to {MOST_SHOWN} segments, got {len(shown)}")
        for segment in shown:
            if segment not in estimates:
                raise ValueError(f"segments must be among those measured, {brief([*estimates])}; got {segment!r}")
        measured = [(texts[segment], estimates[segment], self.segments[segment]) for segment in shown]
        measured.append((WHOLE, self.totals[chosen], self.segments.whole))
        return ReliabilityDisplay.side_by_side(measured, scale, title=chosen)
