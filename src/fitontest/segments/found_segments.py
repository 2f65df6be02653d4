"""The segments that a search found, as a table: which they are, how wrong their scores are, and how sure that is."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fitontest.data.arrays import as_scores, check_same_length
from fitontest.data.known_groups import KnownGroups, groups_record
from fitontest.data.score_sample import ScoreSample
from fitontest.data.segment_names import WHOLE, enumerate_names
from fitontest.data.weights import weighting_record
from fitontest.maps.rules.conditions import Rule, distinct_texts
from fitontest.maps.sql import number, rule_to_sql
from fitontest.measures.notes import data_notes
from fitontest.measures.observed_expected import ObservedExpected
from fitontest.results.detailed import Detailed, explanation
from fitontest.results.exceptions import NoValueError
from fitontest.results.frames import Records, attributes
from fitontest.results.number_lines import NumberLine, number_lines
from fitontest.results.quoting import confidence, in_decimals
from fitontest.results.short_print import MORE, NO_PICTURE, short_print
from fitontest.results.table import Section, Table
from fitontest.results.text import count, sentence, short, signed
from fitontest.results.typing import ArrayInput, IntArray
from fitontest.segments.features.contradicted import Contradicted
from fitontest.segments.features.cuts import CutColumns
from fitontest.segments.features.read_columns import read_columns
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.features.search import FoundSegment
from fitontest.segments.maps.by_segment import SegmentOffsetsMap

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.comparison import ComparisonDisplay

#: O:E and the ends of its interval; None where no event is expected, or nothing varies.
Ratio: TypeAlias = tuple[float | None, float | None, float | None]
Against: TypeAlias = Literal["logistic", "scores"]
LEVEL = 0.95  # of the intervals of O:E
RATIO = ("observed_expected", "observed_expected_low", "observed_expected_high")
MOST_PRINTED = 4  # segments, of more the others are named
MOST_NAMED = 4
OF_RATIO = (
    "O:E: events observed over those that the scores predict in the segment; its interval is of this segment alone."
)
OF_KIND = {"level": "", "shape": ", wrong along the score", "tree": ", of a tree"}
OTHERS = "others"  # rows that are in no segment
ORDER_NOTE = (
    "In the order in which they were found, each beside those before it. residual: share of positives less mean score, "
    "shrunk, since the largest of many is larger than the truth."
)
SHAPE_NOTE = "shape: the residuals add up along the score within the segment, up or down in places, whatever their sum."
TREE_NOTE = (
    "tree: a node of a tree that was grown in one half of the rows; p-value and standard errors are those of the other "
    "half, of how residuals add up along the score."
)
NOTHING = "No segment has enough rows to be tested."


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class FoundSegments(Table):
    """Segments whose scores are wrong, in the order in which they were found, as `find_segments` returns them.

    ``len(found)`` is their number, 0 where none stands out; iterating it gives them, and ``found[0]`` is the first.

    Attributes
    ----------
    items : tuple of FoundSegment
        Each with its `rule`, its statistic in standard errors, its adjusted p-value, its rows and what they are off by.
    nearest : FoundSegment or None
        The best that does not stand out; None where nothing could be tested, or the search stopped before.
    against : {"logistic", "scores"}
        What was tested: scores after one logistic map of all rows, or as they are.
    map_ : SegmentOffsetsMap
        That repairs the scores: the logistic map, where that was tested against, and the offsets of the segments whose
        level is off.
    scanned : int
        Segments that were large enough to be tested.
    critical : float
        The sum of residuals, in standard errors, that would have stood out first.
    critical_shape : float
        The range of residuals that add up along the score, in standard errors, that would have.
    level : float
        Of all segments together.
    draws : int
    cut : CutColumns
        The conditions that were looked at.
    sample : ScoreSample
        The rows.
    rows_ : FeatureRows
        Those of positive weight, with the probabilities that were tested.
    groups : KnownGroups or None
        What is known of the groups that rows belong to.
    contradicted : Contradicted or None
        Rows that were left out of all sums, since their labels contradict scores of exactly 0 or 1.
    stopped_at : int or None
        The argument `most` of a search that stopped though more stood out; None where it came to its end.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> X, p = {"age": rng.integers(20, 80, 4000)}, rng.random(4000)
    >>> y = rng.random(4000) < np.where(X["age"] > 60, p**0.5, p)
    >>> found = fot.segments.find_segments(y, p, X)
    >>> len(found), str(found[0].rule), found.segments({"age": [25, 75]}).tolist()
    (2, 'age > 62', ['others', 'age > 62'])
    """

    items: tuple[FoundSegment, ...]
    nearest: FoundSegment | None
    against: Against
    map_: SegmentOffsetsMap
    scanned: int
    critical: float
    level: float
    draws: int
    cut: CutColumns
    sample: ScoreSample
    rows_: FeatureRows
    groups: KnownGroups | None = None
    contradicted: Contradicted | None = None
    stopped_at: int | None = None
    critical_shape: float = float("inf")

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[FoundSegment]:
        return iter(self.items)

    def __getitem__(self, place: int) -> FoundSegment:
        return self.items[place]

    def __bool__(self) -> bool:
        """Return whether a segment was found."""
        return bool(self.items)

    @property
    def refusal(self) -> str:
        """Why nothing is concluded, as of too few groups, or ""."""
        return "" if self.groups is None else self.groups.refusal

    def sentence(self) -> str:
        """Return how many segments stand out, or how large an error would have."""
        if self.refusal:
            return sentence(self.refusal)
        if self.contradicted is None:
            return self._of_others
        if self.scanned == 0:
            return f"{self.contradicted.lead}. Of the other rows no segment has enough to be tested."
        return f"{self.contradicted.lead}. Of the other rows: {self._of_others[0].lower()}{self._of_others[1:]}"

    @property
    def _of_others(self) -> str:
        """The sentence, of the rows whose labels do not contradict certain scores."""
        if self.scanned == 0:
            return NOTHING
        if not self.items:
            return f"No segment stands out among {count(self.scanned)}; an error {self._critical} would have."
        several = len(self.items) > 1
        what = "differ from the map of all rows" if self.against == "logistic" else "are miscalibrated"
        if not several:
            what = what.replace("differ", "differs").replace("are", "is")
        which = f"{len(self.items)} segment{'s' * several}"
        return f"{which} {what} ({count(self.scanned)} tried, family-wise {100 * (1.0 - self.level):g} %)."

    @property
    def _critical(self) -> str:
        """How large an error of the kind of the nearest would have stood out."""
        of_shape = self.nearest is not None and self.nearest.by == "shape"
        of_tree = self.nearest is not None and self.nearest.by == "tree"
        critical = short(self.critical_shape if of_shape else self.critical, 2)
        kind = "along the score of" if of_shape else "of the level of" if of_tree else "of"
        return f"{kind} {critical} of its standard errors"

    def rows(self) -> Records:
        """Return a record for each segment."""
        return [self._record(item) for item in self.items]

    def to_dict(self) -> dict[str, Any]:
        """Return the records, the nearest that does not stand out, and what was looked at, as JSON-ready values."""
        return {
            **attributes(self, "against", "level", "draws", "scanned"),
            "critical": self.critical if np.isfinite(self.critical) else None,
            "critical_shape": self.critical_shape if np.isfinite(self.critical_shape) else None,
            "n": self.sample.n,
            **weighting_record(self.sample.weighting),
            **groups_record(self.groups),
            "contradicted_rows": 0 if self.contradicted is None else self.contradicted.rows,
            "stopped_at": self.stopped_at,
            "segments": self.rows(),
            "nearest": None if self.nearest is None else self._record(self.nearest),
            "rules": self.rules(),
            "map": self.map_.to_dict(),
            "dropped_columns": list(self.cut.dropped),
            "notes": self._notes,
        }

    def rules(self) -> list[dict[str, Any]]:
        """Return the conditions of each segment, with the offset of its logits, as JSON-ready values."""
        return [
            {"segment": self._names[item.rule], "by": item.by, **item.rule.to_dict(), "offset": item.offset}
            for item in self.items
        ]

    def to_sql(self, prob: str | None = None) -> str:
        """Return the repaired probability of a row in DuckDB's SQL, or the sum of the offsets of its segments alone.

        logit q = intercept + slope logit p + offsets, with intercept and slope those of `map_`. They are 0 and 1 where
        the scores were tested as they are; else the sum of offsets by itself is no repair.

        Parameters
        ----------
        prob : str, optional
            The column of scores p: the expression is then the repaired probability q, that of `map_`. By default it is
            only the sum of the offsets of the segments that a row is in, 0 in others.

        Returns
        -------
        str
            An expression that can stand in any SELECT.
        """
        if prob is not None:
            return self.map_.to_sql(prob)
        pairs = zip(self.map_.rules, self.map_.offsets.tolist(), strict=True)
        terms = [f"CASE WHEN {rule_to_sql(rule)} THEN {number(offset)} ELSE 0.0e0 END" for rule, offset in pairs]
        return f"({' + '.join(terms)})" if terms else number(0.0)

    def segments(self, X: Any) -> NDArray[Any]:
        """Return the segment of each row, for ``evaluate(..., by=)``: the first that was found of those that it is in.

        Parameters
        ----------
        X : data frame, dict of columns, or array of shape (n, d)
            Features, with the columns of the conditions.

        Returns
        -------
        segments : array of shape (n,)
            Texts; "others" of rows that are in none.
        """
        columns = read_columns(X)
        named = np.full(columns.n, OTHERS, dtype=object)
        for item in reversed(self.items):
            named[item.rule.meets(columns)] = self._names[item.rule]
        return named

    def sections(self) -> list[Section]:
        """Return what is printed: the sentence, and the first segments with their O:E and rows."""
        shown = self.items if len(self.items) <= MOST_PRINTED else self.items[: MOST_PRINTED - 1]
        parts = [
            (self._names[item.rule], self._ratios[item.rule], f"{item.n:,} rows{OF_KIND[item.by]}") for item in shown
        ]
        if shown and self.against == "logistic":  # whose O:E is that of the map
            parts.append((str(WHOLE), _ratio_of(self.sample), f"{self.sample.n:,} rows"))
        width = max((len(name) for name, *_ in parts), default=0)
        body = number_lines([_number_line(f"{name:<{width}}  O:E", ratio, rows) for name, ratio, rows in parts])
        others = [self._names[item.rule] for item in self.items[len(shown) :]]
        more = f"{count(len(others))} more: {enumerate_names(others, MOST_NAMED)}" if others else ""
        data = [sentence(note) for note in self._data_notes]
        further = [more, *self._findings, *self._group_lines]
        return [short_print([self.sentence()], body, data, further, MORE if self.items else NO_PICTURE)]

    def table(self) -> Table:
        """Return all segments with every column, and notes on how they were found.

        Returns
        -------
        Table
            With the same records; printing it shows more.
        """
        header = ["segment", "by", "n", "O:E", confidence(LEVEL), "positives", "mean score", "residual", "in s.e."]
        body = [self._line(item) for item in self.items]
        notes = "\n".join([*([ORDER_NOTE] if self.items else []), *self._notes])
        return Detailed(self, (Section("", [*header, "adjusted p"] if body else (), body, notes, self.sentence()),))

    def explain(self) -> Table:
        """Return what the words and columns of this search mean, in plain sentences.

        Returns
        -------
        Table
            With the same records; printing it shows the sentences.
        """
        tried = f"Tried: all conditions on one column, and pairs of them, that have enough rows: {count(self.scanned)}."
        share = f"{100 * (1.0 - self.level):g} %"
        alarms = f"Family-wise {share}: where no segment is wrong, one is found in at most {share} of searches."
        return explanation(
            self, [self.sentence(), tried, alarms, *([OF_RATIO, ORDER_NOTE] if self else []), *self._notes]
        )

    @property
    def _findings(self) -> list[str]:
        """What was found beside the segments, and where the search ended."""
        lines = [] if self.contradicted is None else [self.contradicted.note]
        too = [self._names[item.rule] for item in self.items if item.shape_too]
        if too:
            lines.append(f"Their residuals add up along the score even beside their offset: {'; '.join(too)}.")
        if self.stopped_at is not None:
            at = f"{len(self)} segments (most = {count(self.stopped_at)})"
            lines.append(f"The search stopped at {at}, though more stands out.")
        if self.nearest is not None and not self.items:
            lines.append(f"The nearest: {self._in_words(self.nearest)}.")
        return lines

    @property
    def _notes(self) -> list[str]:
        """What must be known to read the table."""
        shown = {item.by for item in self.items}
        lines = [note for by, note in (("shape", SHAPE_NOTE), ("tree", TREE_NOTE)) if by in shown]
        lines += self._findings
        if self.against == "logistic":
            line = f"intercept {short(self.map_.intercept)}, slope {short(self.map_.slope)}"
            beside = " beside the segments found" if self.map_.rules else ""
            lines.append(
                f"Tested beyond one logistic map of all rows ({line}{beside}); against='scores' tests the scores."
            )
        lines += [note if note.endswith(".") else f"{note}." for note in self.cut.notes]
        if self.cut.dropped:
            names = ", ".join(self.cut.dropped)
            lines.append(f"Without a condition: {names} (constant, as another column, or too little to test).")
        return [*lines, *self._data_notes, *self._group_lines]

    @property
    def _data_notes(self) -> list[str]:
        """What must be known of the rows: that some look like copies, for example."""
        return data_notes(self.sample.decided, self.sample.weighting, self.sample.rows_note)

    @property
    def _group_lines(self) -> list[str]:
        """How the rows hang together, a sentence each."""
        return [] if self.groups is None else self.groups.lines

    def plot(self, ax: "AxesOrFigure" = None, *, after: ArrayInput = None) -> "ComparisonDisplay":
        """Draw the ratio of observed to expected events of each segment, and of all rows.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram. By default a new pyplot figure is made.
        after : array-like of shape (n,), optional
            Repaired scores of the same rows, of which the same segments are drawn below each. Rows that a repair was
            fitted to look better than others.

        Returns
        -------
        ComparisonDisplay

        Raises
        ------
        ValueError
            No segment was found; scores that are none.
        """
        return self.diagram(after=after).plot(ax)

    def diagram(self, *, after: ArrayInput = None) -> "ComparisonDisplay":
        """Return the diagram, which is yet to be drawn, or to be saved.

        Parameters
        ----------
        after : array-like of shape (n,), optional
            As for `plot`.

        Raises
        ------
        ValueError
            As `plot`.
        """
        from fitontest.displays.ratio_dots import ratio_display

        if not self.items:
            raise ValueError("a segment must have been found for a diagram, got none")
        repaired = None if after is None else self._rescored(after)
        parts = []
        for item in self.items:
            name, own = self._names[item.rule], self._places(item)
            parts.append((name, self.sample.select(own)))
            if repaired is not None:
                parts.append((f"{name}, after", repaired.select(own)))
        return ratio_display(parts, self.sample, keep_order=after is not None)

    def _places(self, item: FoundSegment) -> IntArray:
        """Return the places of the rows of a segment."""
        return np.flatnonzero(self.sample.w > 0)[item.rule.meets(self.rows_.columns)]

    @cached_property
    def _ratios(self) -> dict[Rule, Ratio]:
        """O:E of each segment that is named, with its interval."""
        named = self.items if self.nearest is None else (*self.items, self.nearest)
        return {item.rule: _ratio_of(self.sample.select(self._places(item))) for item in named}

    def _rescored(self, after: ArrayInput) -> ScoreSample:
        """Return the rows with other scores."""
        scores = as_scores(after, "after")
        check_same_length(y_true=self.sample.y, after=scores)
        return ScoreSample(self.sample.y, scores, self.sample.weights).with_facts(**self.sample.facts)

    @cached_property
    def _names(self) -> dict[Rule, str]:
        """The text of each rule, which no other has."""
        shown = self.items if self.nearest is None else (*self.items, self.nearest)
        return distinct_texts(item.rule for item in shown)

    def _record(self, item: FoundSegment) -> dict[str, Any]:
        return {
            "segment": self._names[item.rule],
            "by": item.by,
            "n": item.n,
            **dict(zip(RATIO, self._ratios[item.rule], strict=True)),
            "base_rate": item.base_rate,
            "mean_score": item.mean_score,
            "residual": item.residual,
            "standardised": item.statistic,
            "adjusted_p_value": item.p_value,
            "offset": item.offset,
        }

    def _line(self, item: FoundSegment) -> list[str]:
        ratio, *ends = self._ratios[item.rule]
        value = "-" if ratio is None else in_decimals([ratio], "ratio")[0]
        known = [end for end in ends if end is not None]
        cells = [self._names[item.rule], item.by, f"{item.n:,}", value, " to ".join(in_decimals(known, "ratio")) or "-"]
        cells += [short(item.base_rate), short(item.mean_score)]
        return [*cells, signed(item.residual), short(item.statistic), short(item.p_value, 2)]

    def _in_words(self, item: FoundSegment) -> str:
        by = {"level": "", "shape": " along the score", "tree": " along the score in a node of a tree"}[item.by]
        error = f"{short(abs(item.statistic), 2)} standard errors{by}"
        return f"{self._names[item.rule]} ({item.n:,} rows, {error}, adjusted p-value {short(item.p_value, 2)})"


def _ratio_of(sample: ScoreSample) -> Ratio:
    """Return O:E of rows with its interval."""
    try:
        ratio = ObservedExpected().estimate(sample)
    except NoValueError:
        return None, None, None
    ends = ratio.evidence.interval_at(LEVEL)
    return (ratio.value, None, None) if ends is None else (ratio.value, ends.low, ends.high)


def _number_line(label: str, ratio: Ratio, rows: str) -> NumberLine:
    """Return O:E and the number of rows."""
    value, low, high = ratio
    ends = None if low is None or high is None else (low, high)
    return NumberLine(label, value, ends, LEVEL, "ratio", rows)
