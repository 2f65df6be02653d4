"""One measure in every segment of the data, beside that of all rows: the records and the table of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from fitontest.data.known_groups import KnownGroups, groups_record
from fitontest.data.samples import Key, Samples
from fitontest.data.segment_names import NO_ROWS, WHOLE, enumerate_names, words_of
from fitontest.data.weights import weighting_record
from fitontest.evaluation.together import Maximum
from fitontest.measures.estimate import Estimate, notes_of_labels, notes_of_value
from fitontest.measures.notes import data_notes
from fitontest.measures.side_by_side import UNLIKELY, Named, interval_columns, note_lines, reason_lines
from fitontest.numerics.significance.holm import holm_adjusted
from fitontest.results.checks import is_real
from fitontest.results.frames import Records, attributes
from fitontest.results.several import grouped
from fitontest.results.table import Section, cell
from fitontest.results.text import sentence, short, signed
from fitontest.uncertainty.joint import JointTest

RESIDUAL_NOTE = "mean residual: share of positives less mean score."
BY_LOWER_END = "Worst first, by the lower end of the interval."
BY_EXCESS = "Worst first, by the value less its mean if calibrated and two of its s.d."
OF_RAW = "Values that are not debiased are larger in smaller segments, of calibrated scores too."
BY_VALUE = "Largest first: how much of it is label noise, which is larger in smaller segments, was not asked."
BY_QUALITY = "Worst first, by the value alone."
OF_IDEAL = "Worst first, by the distance from the ideal value that is sure: that of the interval, where there is one."
OF_ONE_GROUP = (
    "each segment is one group: without groups each has an interval for these very segments, of its own rows alone"
)
BY_MAXIMUM = f"Those that stand out most first, by the value in standard deviations. {RESIDUAL_NOTE}"
NOISE = 2.0  # standard deviations that a value exceeds its mean by for sure
MOST_NAMED = 10  # segments in a sentence
MOST_PRINTED = 40  # segments in a table that is to be read at once
MANY_NUMBERS = 20  # segments, beyond which numbers rather measure rows than name them


def smallest_p_value(draws: int) -> float:
    """Return the smallest p-value that so many draws of the labels can give."""
    return 1.0 / (1.0 + draws)


@dataclass(frozen=True)
class MeasuredSegments:
    """One measure in every segment and in all rows.

    Attributes
    ----------
    name : str
        Of the measure.
    segments : Samples
        By segment.
    estimates : dict of Estimate
        By segment; one that cannot be measured is not among them.
    total : Estimate
        Of all rows.
    failures : dict of str
        By segment why it cannot be measured.
    tests : dict of JointTest
        By segment the joint test of calibration; empty without.
    maximum : Maximum or None
        What p-values and intervals of all segments together are; None: they are adjusted by Holm.
    """

    name: str
    segments: Samples
    estimates: Mapping[Key, Estimate]
    total: Estimate
    failures: Mapping[Key, str]
    tests: Mapping[Key, JointTest]
    maximum: Maximum | None = None

    @cached_property
    def worst(self) -> list[Key]:
        """The segments, the worst first; unmeasured ones last."""
        measured = [segment for segment in self.segments if segment in self.estimates]
        measured.sort(key=self._badness, reverse=True)
        return measured + [segment for segment in self.segments if segment not in self.estimates]

    def _badness(self, segment: Key) -> tuple[float, ...]:
        """Return how bad a segment is: by one maximum how much it stands out, else how large its value is."""
        if self.maximum is not None:
            refuted = segment in self.maximum.contradicted
            return (float(refuted), self.maximum.standardised.get(segment, -1.0))
        estimate = self.estimates[segment]
        return _badness(estimate) if _is_sure(estimate) or not self._some_are_sure else (-math.inf, estimate.quoted)

    @cached_property
    def _some_are_sure(self) -> bool:
        """Whether it is known of some segments how much of the value is noise; others come last then."""
        return any(map(_is_sure, self.estimates.values()))

    @property
    def _order_note(self) -> str:
        """How the segments are ordered."""
        if self.maximum is not None:
            return BY_MAXIMUM
        measure = self.total.measure
        if measure.ideal is not None:
            order = OF_IDEAL
        elif any(estimate.interval is not None for estimate in self.estimates.values()):
            order = BY_LOWER_END
        elif self._some_are_sure:
            order = BY_EXCESS
        else:
            order = BY_VALUE if measure.is_family_error else BY_QUALITY
        return f"{order} {RESIDUAL_NOTE}"

    @property
    def adjusted_p_values(self) -> dict[Key, float]:
        """The p-values of the segments that were tested, adjusted for their number: by Holm, or by one maximum."""
        if self.maximum is not None:
            return self.maximum.adjusted_p_values
        nulls = {segment: estimate.null for segment, estimate in self.estimates.items()}
        return _adjusted({segment: null.p_value for segment, null in nulls.items() if null is not None})

    @property
    def adjusted_joint_p_values(self) -> dict[Key, float]:
        """Those of the joint tests."""
        return _adjusted({segment: test.p_value for segment, test in self.tests.items()})

    @property
    def is_joint(self) -> bool:
        """Whether the p-values beside the measure are those of the joint tests."""
        return bool(self.tests) and self.total.measure.is_family_error

    @cached_property
    def texts(self) -> dict[Key, str]:
        """The segments as they are printed, each different from the others."""
        return words_of([*self.segments, *self.segments.empty], self.segments.columns)

    @property
    def notes(self) -> list[str]:
        """The notes on the estimates, and why segments have none."""
        refused = [f"{enumerate_names(names, MOST_NAMED)}: not measured: {why}" for why, names in self._refused.items()]
        empty = [f"{self.texts[segment]}: {NO_ROWS}" for segment in self.segments.empty]
        return [*note_lines(self._named, _notes_of), *refused, *empty, *self._notes_on_groups]

    @property
    def _refused(self) -> dict[str, list[str]]:
        """The segments that were not measured, by the reason."""
        return grouped((why, self.texts[segment]) for segment, why in self.failures.items())

    @property
    def _known_groups(self) -> dict[Key, KnownGroups]:
        """What is known of the groups of the segments that are measured, the worst first."""
        known = {key: self.estimates[key].groups for key in self.worst if key in self.estimates}
        return {key: one for key, one in known.items() if one is not None}

    @property
    def _notes_on_groups(self) -> list[str]:
        """Which segments have too few groups to conclude, and which have few."""
        groups = self.total.groups
        if groups is None or groups.sizes.are_single:
            return []
        if groups.too_few:
            return [groups.refusal]
        notes = groups.notes
        if all(len(sample.groups or ()) == 1 for sample in self.segments.values()):
            notes.append(OF_ONE_GROUP)
        parts = [key for key, known in self._known_groups.items() if known.is_part]
        if parts:
            named = enumerate_names([self.texts[key] for key in parts], MOST_NAMED)
            notes.append(f"{named}: few groups, so that rho is that of all rows")
        return notes

    def sentence(self) -> str:
        """Return in which segments miscalibration is shown."""
        groups = self.total.groups
        if groups is not None and groups.too_few:
            return sentence(groups.refusal)
        adjusted = self.adjusted_joint_p_values if self.is_joint else self.adjusted_p_values
        of = "Holm p-value of the joint test" if self.is_joint else f"{self._method} p-value"
        shown = [self.texts[segment] for segment in self.worst if adjusted.get(segment, 1.0) <= UNLIKELY]
        if not adjusted:
            return f"Whether calibration is missed in any of {self._count} cannot be said: none was tested."
        if not shown:
            least = min(adjusted.values())
            return f"No miscalibration is shown in any of {self._count}: the smallest {of} is {short(least, 2)}."
        named = enumerate_names(shown, MOST_NAMED)
        return f"Miscalibration is shown in {len(shown)} of {self._count}: {named} ({of} at most {UNLIKELY})."

    def records(self) -> Records:
        """Return a record for each segment, the worst first, for those without rows, and for all rows."""
        adjusted, joint = self.adjusted_p_values, self.adjusted_joint_p_values
        of_groups = [*groups_record(self.total.groups)]
        measured = [
            _record(
                self.name,
                self.texts[segment],
                self.segments[segment],
                self.estimates.get(segment),
                adjusted_p_value=adjusted.get(segment),
                joint_p_value=self.tests[segment].p_value if segment in self.tests else None,
                adjusted_joint_p_value=joint.get(segment),
                failure=self.failures.get(segment),
                of_groups=of_groups,
                **self._standardised(segment),
            )
            for segment in self.worst
        ]
        empty = [
            _record(
                self.name, self.texts[key], None, None, failure=NO_ROWS, of_groups=of_groups, **self._standardised(key)
            )
            for key in self.segments.empty
        ]
        of_total = {} if self.maximum is None else attributes(self.total.evidence, "standardised")
        whole = _record(self.name, WHOLE, self.segments.whole, self.total, of_groups=of_groups, **of_total)
        return [*measured, *empty, {**whole, "total": True}]

    def _standardised(self, segment: Key) -> dict[str, Any]:
        """Return the record of a value in standard deviations, where there is one maximum of them."""
        return {} if self.maximum is None else {"standardised": self.maximum.standardised.get(segment)}

    @property
    def _method(self) -> str:
        """By what p-values are adjusted, in tables and sentences."""
        return "Holm" if self.maximum is None else "adjusted"

    @property
    def _count(self) -> str:
        return f"{len(self.segments)} segment{'s' if len(self.segments) > 1 else ''}"

    @property
    def _named(self) -> Named:
        """The estimates by the printed segments, the worst first, and that of all rows."""
        measured = [segment for segment in self.worst if segment in self.estimates]
        return [*((self.texts[segment], self.estimates[segment]) for segment in measured), (WHOLE, self.total)]

    def section(self, draws: int, *, full: bool = False) -> Section:
        """Return the table, of measures whose labels were drawn so often, below a sentence on what stands out.

        Parameters
        ----------
        draws : int
        full : bool, default=False
            With every column, and with notes on how they came about.
        """
        measure, records, named = self.total.measure, self.records(), dict(self._named)
        spreads = interval_columns([*named.items()])
        prefix = "joint_" if self.is_joint else ""
        needs_null = full or not spreads  # a raw value alone tells little
        p_header = [
            *(["if calibrated"] if draws and needs_null else []),
            *(["joint p" if prefix else "p-value"] if draws and full else []),
            *([f"{self._method} p"] if draws else []),
        ]
        by_groups = self.total.groups is not None
        refusal = "" if self.total.groups is None else self.total.groups.refusal
        header = [self.segments.name, "n", *(["groups"] if by_groups else [])]
        header += ["positives", "mean score", "mean residual"]
        header += [*(spreads.header if spreads else ()), "raw" if measure.is_family_error else "value"]
        header += [*([] if self.maximum is None else ["in s.d."]), *p_header]
        body = []
        for record in records:
            estimate = named.get(record["segment"])
            line = [record["segment"], f"{record['n']:,}"]
            line += [cell(record["groups"])] if by_groups else []
            line += [cell(record[key]) for key in ("base_rate", "mean_score")]
            line.append("-" if record["mean_residual"] is None else signed(record["mean_residual"]))
            if spreads:
                line += ["-" for _ in spreads.header] if estimate is None else [*spreads.cells(estimate)]
            line.append("-" if estimate is None else measure.printed(estimate.value))
            line += [] if self.maximum is None else [cell(record["standardised"])]
            if draws:
                mean, each, adjusted = (
                    record[key] for key in ("if_calibrated", f"{prefix}p_value", f"adjusted_{prefix}p_value")
                )
                line += [cell(mean) if mean is None else measure.printed(mean)] if needs_null else []
                line += [_p_value(each)] if full else []
                line.append(_p_value(adjusted))
            body.append(line)
        what = f"{measure.title} ({measure.in_words()})" if measure.is_family_error else self.name
        title = f"{what} in {self._count}, n = {self.segments.whole.n:,}"
        lead = f"{self.sentence()}\n{title}" if draws or refusal else title
        lines = [self._order_note, *([OF_RAW, spreads.note if spreads else ""] if full else [])]
        lines += [] if self.maximum is None else self.maximum.notes
        if not full and len(body) > MOST_PRINTED + 1:
            lines.append(f"{len(body) - 1 - MOST_PRINTED} segments more: print(evaluation.table()), or --verbose.")
            body = [*body[:MOST_PRINTED], body[-1]]
        lines += [*reason_lines([*named.items()]), *([self._draws_note(draws)] if full else [])]
        lines += [note for note in self.notes if note != refusal]
        lines += [self._many_numbers_note()]
        lines += data_notes(False, self.total.weighting, self.total.rows_note)
        return Section("", header, body, "\n".join(line for line in lines if line), lead)

    def explanation(self, draws: int) -> list[str]:
        """Return what the order, the columns and the p-values mean, of labels drawn so often, a sentence each.

        Parameters
        ----------
        draws : int
        """
        spreads = interval_columns(self._named)
        of_values = [OF_RAW, "" if spreads is None else spreads.note]
        together = [] if self.maximum is None else self.maximum.notes
        return [self.sentence(), self._order_note, *of_values, self._draws_note(draws), *together]

    def _many_numbers_note(self) -> str:
        """Return how many numbers, such as ages, become few segments; empty for names or few numbers."""
        if len(self.segments) <= MANY_NUMBERS or not all(is_real(segment) for segment in self.segments):
            return ""
        ranges = "ranges of numbers, such as pd.qcut(values, 5) makes, have more rows"
        return f"{self._count}, one for each number: {ranges}."

    def _draws_note(self, draws: int) -> str:
        if not draws:
            return ""
        if self.maximum is not None:
            return ""  # its own note says how often
        two_sided = self.total.measure.two_sided
        least = smallest_p_value(draws) * (2 if two_sided else 1)
        kind = "Two-sided p-value" if two_sided else "p-value"
        return (
            f"{kind}: from {draws:,} draws of the labels, so at least {short(least, 2)}; Holm p: adjusted for "
            f"{self._count}, so at least {short(min(1.0, least * len(self.segments)), 2)}."
        )


def _p_value(value: float | None) -> str:
    return "-" if value is None else short(value, 2)


def _adjusted(p_values: dict[Key, float]) -> dict[Key, float]:
    return dict(zip(p_values, holm_adjusted(np.array([*p_values.values()])).tolist(), strict=True))


def _notes_of(estimate: Estimate) -> list[tuple[str, str]]:
    """Return the notes of an estimate; the rows of each segment are others, so that they have notes too."""
    of_scores = [("", note) for note in data_notes(estimate.decided, None)]
    return [*notes_of_value(estimate), *notes_of_labels(estimate), *of_scores]


def _is_sure(estimate: Estimate) -> bool:
    """Return whether it is known how much of a value is noise."""
    return estimate.interval is not None or estimate.null is not None


def _badness(estimate: Estimate) -> tuple[float, float]:
    """Return how bad a value is for sure, and how little chance explains it, which decides where that is equal."""
    measure, interval, null = estimate.measure, estimate.interval, estimate.null
    by_chance = 1.0 if null is None else null.p_value
    if (ideal := measure.ideal) is not None:
        low, high = (estimate.value,) * 2 if interval is None else (interval.low, interval.high)
        return max(0.0, low - ideal, ideal - high), -by_chance
    sign = -1.0 if measure.greater_is_better else 1.0
    if interval is not None:
        return min(sign * interval.low, sign * interval.high), -by_chance
    noise = 0.0 if null is None else sign * null.mean + NOISE * float(np.nan_to_num(null.sd))
    return sign * estimate.value - noise, -by_chance


def _record(
    name: str,
    segment: str,
    sample: Any,
    estimate: Estimate | None,
    *,
    adjusted_p_value: float | None = None,
    of_groups: Sequence[str] = (),
    **others: Any,
) -> dict[str, Any]:
    """Return the record of a segment; what it does not have is None."""
    scores = sample if sample is not None and sample.base_rate is not None else None
    known = None if sample is None else KnownGroups.of(sample) if estimate is None else estimate.groups
    null, interval = (None, None) if estimate is None else (estimate.null, estimate.interval)
    return {
        "measure": name,
        "segment": segment,
        "n": 0 if sample is None else sample.n,
        **weighting_record(None if sample is None else sample.weighting),
        **dict.fromkeys(of_groups),
        **groups_record(known),
        **attributes(scores, "base_rate", "mean_score"),
        "mean_residual": None if scores is None else scores.mean_residual,
        **attributes(estimate, "value", "debiased"),
        **attributes(interval, "low", "high", "level"),
        "if_calibrated": None if null is None else null.mean,
        **attributes(null, "p_value"),
        "adjusted_p_value": adjusted_p_value,
        **attributes(estimate, "note"),
        **dict.fromkeys(("joint_p_value", "adjusted_joint_p_value")),
        "total": False,
        "failure": None,
        **others,
    }
