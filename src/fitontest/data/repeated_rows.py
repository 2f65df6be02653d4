"""Copies of rows, and rows that mirror each other: what a table has twice, and what weights would count.

Tied scores are common: rounded ones, leaves of a tree, blocks of an isotonic map, shares of neighbours. Their labels
are drawn row by row, so that some agree and some do not. Copies, which a join or oversampling has made, always agree.
How often independent labels would agree is told by neighbours: where the true probability q hardly differs between
neighbouring values of the score, two rows of one value differ in label with probability 2 q (1 - q), and so do two rows
of neighbouring values. So two sums are compared over the values that occur several times, in the order of the scores:

* within: the shares of pairs of rows of one value that differ in label,
* between: the shares of pairs that differ in label, of a row of that value and one of a neighbouring value.

Of independent rows both have the same mean, whether the scores are calibrated or not. Rows count as copies where
"between" is at least 16, and "within" at most a twentieth of it, and at least a tenth of all rows has a score that
occurs several times. Where hardly any label differs from its neighbours', as with nearly perfect scores or a hundred
rows, nothing can be told.

The rows that a weight counts are rows of one score too. Where whole weights were taken for counts unasked, and these
rows agree as copies do, they may be importances, such as those of a survey: the result says so. Nothing is said of
weights that the user calls counts.

Two rows of one event, such as both sides of a game, are found by `fitontest.data.mirrored_rows`.

Rows that are alike without being copies may belong together, as the visits of a patient do: `Runs` tells of those of
near scores that follow each other, `LabelRuns` of those of one label, and a `GroupHint` of a column within which labels
agree. What is said is one note, of the strongest evidence: of copies, else of mirrored rows, else of runs, which name
the column too, else of the column. Of rows whose groups were named it is said only that they look like copies, unless
each group is one row and its copies, or both rows of one event and theirs: redrawn labels of a group of several scores
do not agree, and those of other groups are independent.

Before all of that `LabelOrigin` asks whether labels are outcomes, and of rows that the scores have not learnt from.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from fitontest.data.group_hint import NO_HINT, GroupHint
from fitontest.data.label_origin import NO_ORIGIN, LabelOrigin
from fitontest.data.label_runs import NO_LABEL_RUNS, LabelRuns
from fitontest.data.mirrored_rows import MirroredRows, mirrored_rows
from fitontest.data.row_groups import GROUP, places_of_rows
from fitontest.data.row_runs import NO_RUNS, Runs
from fitontest.data.score_sample import REPEATS, ScoreSample
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import FloatArray, IntArray

SPARE = 1.1  # scores of a group, and groups of a score, that count as one, on average
SHARE = 0.1  # of the rows that have a score of others
LEAST = 16.0  # pairs of neighbouring values that differ in label
RATIO = 0.05  # of those within values to those between
INDEPENDENT = "intervals and p-values take rows for independent"


@dataclass(frozen=True)
class Repeats:
    """What tells that rows are copies, or belong together; parts of the rows, such as segments, add up.

    Attributes
    ----------
    n : int
        Rows.
    repeated : int
        Rows whose score is that of others.
    values : int
        Their distinct scores.
    within, between : float
        Shares of pairs that differ in label: of one score, and of a score and its neighbours.
    counted : bool
        Whether the rows are those that weights are taken to count.
    grouped : bool
        Whether groups were named.
    covered : bool
        Whether the groups that were named are of one score each, and the rows of a score of one group.
    events : int
        Where rows mirror each other the events that they are of; else 0.
    runs : Runs
    labels : LabelRuns
        What the order of the rows tells, of scores that are near and of labels.
    hint : GroupHint
        What names groups, and which column looks like one of them.
    origin : LabelOrigin
        Where the labels come from.
    """

    n: int
    repeated: int = 0
    values: int = 0
    within: float = 0.0
    between: float = 0.0
    counted: bool = False
    grouped: bool = False
    covered: bool = True
    events: int = 0
    runs: Runs = NO_RUNS
    labels: LabelRuns = NO_LABEL_RUNS
    hint: GroupHint = NO_HINT
    origin: LabelOrigin = NO_ORIGIN

    @classmethod
    def of(cls, sample: Any) -> "Repeats":
        """Return what the rows of a sample tell, which remembers it; cells tell nothing of their rows.

        Of distributions the confidences tell it.
        """
        scores: ScoreSample = sample.confidence
        if REPEATS not in scores.memory:
            rows = scores if scores.split is None else scores.split.given
            scores.memory[REPEATS] = replace(cls._of(rows), hint=sample.hint)
        repeats: Repeats = scores.memory[REPEATS]
        return repeats

    @classmethod
    def of_fitted(cls, sample: ScoreSample) -> "Repeats":
        """Return the same of rows that the scores are said to be fitted to, which the labels need not tell."""
        sample.memory[REPEATS] = replace(cls.of(sample), origin=NO_ORIGIN)
        return cls.of(sample)

    @classmethod
    def _of(cls, sample: ScoreSample) -> "Repeats":
        grouped = GROUP in sample.facts
        if sample.aggregated or sample.has_pooled_scores:
            return cls(sample.n, grouped=grouped)
        distinct, origin = sample.distinct, LabelOrigin.of(sample.rows, of_classes=sample.reduction == "confidence")
        counted = sample.whole and not sample.unit and not sample.said
        rows = distinct.w if counted else distinct.n
        tied, mirrored = np.flatnonzero(rows > 1), _mirrored(sample)
        found = cls(sample.n, grouped=grouped, events=0 if mirrored is None else mirrored.events, origin=origin)
        if not grouped:
            found = replace(found, runs=Runs.of(sample), labels=LabelRuns.of(sample))
        if not tied.size:
            return found
        weighted = counted or sample.unit
        positives = distinct.wy if weighted else np.add.reduceat(sample.rows.y, distinct.first)
        share, n = positives / rows, rows[tied].astype(np.float64)
        within = 2.0 * share[tied] * (n - positives[tied]) / (n - 1.0)
        return replace(
            found,
            n=int(rows.sum()),
            repeated=int(n.sum()),
            values=tied.size,
            within=float(within.sum()),
            between=float(_differ_from_neighbours(share, tied).sum()),
            counted=counted,
            covered=not grouped or _are_covered(sample, mirrored),
        )

    def __add__(self, other: "Repeats") -> "Repeats":
        """Return what the rows of both tell."""
        return Repeats(
            self.n + other.n,
            self.repeated + other.repeated,
            self.values + other.values,
            self.within + other.within,
            self.between + other.between,
            self.counted or other.counted,
            self.grouped or other.grouped,
            self.covered and other.covered,
            self.events + other.events,
            self.runs + other.runs,
            self.labels + other.labels,
            other.hint if self.hint.column is None else self.hint,
            self.origin + other.origin,
        )

    @property
    def are_copies(self) -> bool:
        """Whether the labels agree as those of copies do."""
        return self.repeated >= SHARE * self.n and self.between >= LEAST and self.within <= RATIO * self.between

    @property
    def are_unnamed_copies(self) -> bool:
        """Whether labels agree as those of copies do, and no groups were named that are copies of one row each."""
        return self.are_copies and not (self.grouped and self.covered)

    @property
    def is_doubt(self) -> bool:
        """Whether what is said casts doubt on whatever is concluded from these rows."""
        return bool(self.origin.note) or self.are_unnamed_copies or (self.events > 0 and not self.grouped)

    @property
    def note(self) -> str:
        """What is to be said of labels and of rows that are not independent; what weights count is said with these."""
        return "; ".join(filter(None, (self._of_dependence, self.origin.note)))

    @property
    def _of_dependence(self) -> str:
        way = "" if self.grouped else f", or name what belongs together by {self.hint}"
        events = "look like two rows of one event each, p and 1 - p with opposite labels"
        if self.are_unnamed_copies and not self.counted:
            return (
                f"{self.repeated - self.values:,} of {self.n:,} rows look like copies: they repeat a score and its "
                "label, as a join or oversampling does; errors come out too large, intervals and p-values too sure; "
                f"leave the copies out{way}{f'; rows also {events}' if self.events and not self.grouped else ''}"
            )
        if self.grouped:
            return ""
        if self.events:
            return f"{self.n:,} rows {events}: intervals and p-values are too sure; give one row of each event{way}"
        column = self.hint.column
        runs = next((runs.in_words for runs in (self.runs, self.labels) if runs.are_there), "")
        if runs:
            values = "" if column is None else f" ({column})"
            together = f"rows that belong together, such as visits of one patient, may need {self.hint}{values}"
            return f"{runs}: {together}; {INDEPENDENT}"
        if column is not None:
            agree = f"labels agree within column {column.name!r} ({column}) beyond what scores say"
            return f"{agree}: rows that belong together may need {self.hint}; {INDEPENDENT}"
        return ""

    @property
    def strength(self) -> tuple[bool, float]:
        """By which the evidence of several samples that share their rows, such as classes, is compared."""
        return bool(self.note), self.between

    def warn(self) -> None:
        """Warn of labels in doubt, and of rows that are not independent."""
        if self.note:
            warn_user(self.note, CalibrationWarning)


def _are_covered(sample: ScoreSample, mirrored: MirroredRows | None) -> bool:
    """Return whether groups of several rows have one score each, and the rows of one score are of one group.

    Of rows that mirror each other p and 1 - p are one score.
    """
    groups, p = sample.groups, sample.rows.p
    if groups is None:  # of one row each
        return False
    score = places_of_rows(p) if mirrored is None else MirroredRows.of(p).place
    of_group, of_score = np.divmod(np.unique(groups.code * p.size + score), p.size)
    for rows, pairs in ((groups.rows, of_group), (np.bincount(score), of_score)):
        several = rows > 1
        if np.count_nonzero(several[pairs]) > SPARE * np.count_nonzero(several):
            return False
    return True


def _mirrored(sample: ScoreSample) -> MirroredRows | None:
    """Return which rows mirror each other, or None; rows that were named as groups of their own are independent."""
    rows, groups = sample.rows, sample.groups
    if groups is None and GROUP in sample.facts:
        return None
    n = np.rint(rows.w).astype(np.intp) if sample.whole else rows.n
    return mirrored_rows(rows.p, np.rint(rows.y * n).astype(np.intp), None if groups is None else groups.code, n)


def _differ_from_neighbours(share: FloatArray, at: IntArray) -> FloatArray:
    """Return how often a label at these values differs from one at the value before or after it, on average."""
    if share.size == 1:
        return np.zeros(at.size)
    before, after = np.maximum(at - 1, 0), np.minimum(at + 1, share.size - 1)
    before, after = np.where(before == at, after, before), np.where(after == at, before, after)
    near = (share[before] + share[after]) / 2.0
    return share[at] + near - 2.0 * share[at] * near
