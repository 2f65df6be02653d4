"""The result of a check: the outcomes of all rows, or of each segment or class, as one table."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from fitontest.apps.reporting.criterion import Criterion
from fitontest.apps.reporting.gate_outcome import Gate
from fitontest.apps.reporting.max_error import WHY
from fitontest.apps.reporting.outcome import OUTCOMES, Outcome, in_words, overall
from fitontest.data.segment_names import NO_ROWS, WHOLE, enumerate_names
from fitontest.measures.notes import data_notes
from fitontest.results.frames import Records
from fitontest.results.quoting import confidence, in_decimals, without_level
from fitontest.results.several import SEGMENT, Kind, Several, grouped
from fitontest.results.table import Section
from fitontest.results.text import capital, count, percent, sentence, short, visible

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MOST_NAMED = 5  # segments or classes in a headline


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationCheck(Several[str, Gate]):
    """Whether the calibration error is at most a limit: pass, fail or undecided, overall or in each segment.

    Other limits, of the slope and of the decision loss, may stand beside it or in its place.

    Attributes
    ----------
    gates : tuple of Gate
        One for all rows, or one for each segment or class.
    family : str or None
        Whose error is held against the limit; None where no error has one.
    kind : {"segment", "class"}
        Of what there is one.

    Notes
    -----
    One segment or class that fails makes the whole fail; otherwise one that is undecided leaves it undecided. With k of
    them each interval, and each limit at a resolution, has the level 1 - (1 - level) / k, so that the promise holds for
    all together (Bonferroni). A segment without rows of positive weight has an outcome too, "undecided": what is not
    there is not calibrated.

    With several limits a set of rows passes where each limit passes by its interval of that level: if one limit does
    not hold, already its own pass is as unlikely as the level says, so that passing needs no correction
    (intersection-union test). It fails where one limit fails, and each of m limits fails by an interval of the level
    1 - (1 - level) / (k m), so that all of them together fail as rarely as the level says (Bonferroni).

    It is a mapping from the name of each set of rows to its `Gate`. Printing it shows the table. ``bool(check)`` is
    refused, because there are three outcomes: compare `outcome`.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p, region = rng.random(4000), np.repeat(["north", "south"], 2000)
    >>> y = rng.random(4000) < np.where(region == "south", p**1.5, p)
    >>> check = fot.check_calibration(y, p, by=region, max_error=0.05)
    >>> check.outcome, {name: gate.outcome for name, gate in check.items()}
    ('fail', {'north': 'pass', 'south': 'fail'})
    """

    gates: tuple[Gate, ...]
    family: str | None
    kind: Kind = SEGMENT

    @property
    def _results(self) -> Mapping[str, Gate]:
        return {gate.name: gate for gate in self.gates}

    @property
    def outcome(self) -> Outcome:
        """The overall outcome: pass, fail or undecided."""
        return overall(gate.outcome for gate in self.gates)

    def __bool__(self) -> bool:
        raise TypeError("a check has three outcomes; compare check.outcome with 'pass', 'fail' or 'undecided'")

    def rows(self) -> Records:
        """Return a record for each set of rows that was checked; with several limits one for each of these."""
        if self._of_error_alone:
            return [gate.record() for gate in self.gates]
        return [{"name": gate.name, **limit, "n": gate.n} for gate in self.gates for limit in gate.limits()]

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome and the records as JSON-ready values."""
        gates = [gate.record() | {"limits": gate.limits()} for gate in self.gates]
        return {"outcome": self.outcome, "family": self.family, "kind": self.kind, "gates": gates}

    def to_junit(self) -> str:
        """Return the outcome as JUnit XML: a failure where it fails, an error where it is undecided, else its text.

        With several limits there is a test case for each of them.
        """
        cases = [case for gate in self.gates for case in _test_cases(gate)]
        counts = {kind: sum(outcome == kind for _, outcome, _ in cases) for kind in OUTCOMES}
        suite = ElementTree.Element(
            "testsuite",
            name="fitontest",
            tests=str(len(cases)),
            failures=str(counts["fail"]),
            errors=str(counts["undecided"]),
        )
        for name, outcome, text in cases:
            case = ElementTree.SubElement(suite, "testcase", classname="calibration", name=_printable(name))
            if outcome == "pass":
                ElementTree.SubElement(case, "system-out").text = _printable(text)
            else:
                kind = "failure" if outcome == "fail" else "error"
                ElementTree.SubElement(case, kind, message=_printable(text), type=outcome)
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)

    def sections(self) -> list[Section]:
        """Return the outcome in words, and the table of the outcomes where there are several."""
        if len(self.gates) == 1 and self.gates[0].name == str(WHOLE):
            (gate,) = self.gates
            header, body = _table_of_limits(self.gates) if len(gate.criteria) > 1 else ((), ())
            return [Section("", header, body, "\n".join(self._notes_on_all_rows), lead=gate.headline)]
        header, body = self._table_of_errors() if self._of_error_alone else _table_of_limits(self.gates, self.kind)
        notes = [self._resolution_note] if self._of_error_alone and self._is_resolved else []
        notes += [f"Measured by {self.family}{WHY[self.family]}."] if self.family in WHY else []
        notes += [] if self._of_error_alone else self._notes_on_limits
        for gate in self.gates:
            rows = gate.rows
            of_rows = [] if rows is None else data_notes(False, rows.weighting, rows.note)
            notes += [f"{gate.name}: {note}." for note in of_rows]
        notes += self._notes_on_groups
        return [Section(self._headline, header, body, "\n".join(notes))]

    @property
    def _of_error_alone(self) -> bool:
        """Whether the calibration error alone has a limit."""
        return all(criterion is gate.of_error for gate in self.gates for criterion in gate.criteria)

    @property
    def _is_resolved(self) -> bool:
        """Whether there are limits of persistent errors."""
        return any(gate.persistent is not None for gate in self.gates)

    @property
    def _notes_on_all_rows(self) -> list[str]:
        """What stands below the outcome of all rows together."""
        (gate,) = self.gates
        groups = "" if gate.groups is None else gate.groups.in_words()  # which has a line of its own
        facts = "; ".join(text for text in gate.facts if text != groups)
        said = [sentence(text) for text in [*gate.hints, facts] if text]
        said += _notes_on_levels(gate.criteria)
        said += [gate.rows.note] if gate.rows is not None and gate.rows.note else []
        lines = [] if gate.groups is None else [capital(line) for line in gate.groups.lines]
        return [*said, *lines]

    def _table_of_errors(self) -> tuple[list[str], list[list[str]]]:
        """Return header and body of the table where the calibration error alone has a limit."""
        levels = [gate.interval.level for gate in self.gates if gate.interval is not None]
        level = confidence(levels[0]) if levels else "interval"
        by_groups = any(gate.groups is not None for gate in self.gates)
        resolved = self._is_resolved
        header = [self.kind, "outcome", f"error ({level})", *(["persistent"] if resolved else [])]
        header += [
            "adjusted p" if self.family == "ecce" else "joint p-value",
            "n",
            *(["groups", "rho"] if by_groups else []),
            "rows needed",
        ]
        body = []
        for gate in self.gates:
            (criterion,) = gate.criteria
            if gate.rows is None:
                absent = ["-", "-"] if by_groups else []
                body.append([gate.name, NO_ROWS, *["-"] * (len(header) - 4 - len(absent)), "0", *absent, "-"])
                continue
            limit = gate.persistent
            persistent = [] if not resolved else ["-" if limit is None else in_decimals([limit.value])[0]]
            p_value = "-" if gate.p_value is None else short(gate.p_value, 2)
            of_groups = _cells_of_groups(gate) if by_groups else []
            body.append(
                [
                    *(gate.name, in_words(gate.outcome), _cell(criterion), *persistent),
                    *(p_value, f"{gate.n:,}", *of_groups, criterion.needed(gate.groups)),
                ]
            )
        return header, body

    @property
    def _notes_on_limits(self) -> list[str]:
        """What else is said of criteria, with the rows that it is of."""
        notes = [
            f"{gate.name}: {text}."
            for gate in self.gates
            if gate.rows is not None
            for text in [*gate.doubts, *(remark for criterion in gate.criteria for remark in criterion.remarks)]
        ]
        return [*notes, *_notes_on_levels(self.gates[0].criteria)]

    @property
    def _notes_on_groups(self) -> list[str]:
        """What must be known of groups, with the rows that it is of; not what the headline says."""
        known = [(gate.name, gate.groups) for gate in self.gates if gate.groups is not None]
        names = grouped((note, name) for name, groups in known for note in (groups.refusal, *groups.notes))
        said = {"", self._shared_refusal}
        return [f"{enumerate_names(of, MOST_NAMED)}: {note}." for note, of in names.items() if note not in said]

    @property
    def _shared_refusal(self) -> str:
        """Why nothing is concluded on any of the rows, where that is one reason, or ""."""
        reasons = {gate.refusal for gate in self.gates if gate.rows is not None}
        return reasons.pop() if len(reasons) == 1 else ""

    @property
    def _headline(self) -> str:
        """The outcome of several in words."""
        verdict = capital(in_words(self.outcome))
        if self._shared_refusal:
            return f"{verdict}: {self._shared_refusal}"
        names = [gate.name for gate in self.gates if gate.outcome == self.outcome]
        if not self._of_error_alone:
            return f"{verdict}: {self._claims(names)}"
        limit = f"{self.gates[0].max_error:g} (errors by {self.family})"
        subject = self.gates[0].criteria[0].subject
        if self.outcome == "pass":
            return f"{verdict}: {subject}{'s' * subject.islower()} at most {limit}"
        place = "above" if self.outcome == "fail" else "may be above or below"
        plural = "" if len(names) == 1 or not subject.islower() else "s"
        return f"{verdict}: {subject}{plural} {place} {limit}: {enumerate_names(names, MOST_NAMED)}"

    def _claims(self, names: Sequence[str]) -> str:
        """Return what the criteria say that decide, each with the rows that it is of."""
        claims = grouped(
            (criterion.claim if gate.rows is not None else NO_ROWS, gate.name)
            for gate in self.gates
            if gate.name in names
            for criterion in gate.deciding
        )
        if self.outcome == "pass":
            return ", ".join(claims)
        return ", ".join(
            f"{claim} ({enumerate_names(list(dict.fromkeys(of)), MOST_NAMED)})" for claim, of in claims.items()
        )

    @property
    def _resolution_note(self) -> str:
        """What the limits at the resolution are of."""
        shares = [gate.persistent.share for gate in self.gates if gate.persistent is not None]
        least, most = (percent(share) for share in (min(shares), max(shares)))
        of = least if least == most else f"{least} to {most}"
        return f"persistent: errors up to there that persist over {of} of the rows cannot be excluded."


def _table_of_limits(gates: Sequence[Gate], kind: str = "") -> tuple[list[str], list[list[str]]]:
    """Return header and body of a table with a row for each limit, of segments or classes in each of these."""
    by_groups = bool(kind) and any(gate.groups is not None for gate in gates)
    named = [kind, "limit"] if kind else ["limit"]
    header = [*named, "outcome", "value", *(["n"] if kind else [])]
    header += [*(["groups", "rho"] if by_groups else []), "rows needed"]
    body = []
    for gate in gates:
        for criterion in gate.criteria:
            outcome = NO_ROWS if gate.rows is None else in_words(criterion.outcome)
            cells = [f"{criterion.subject}, {criterion.accepted}", outcome, criterion.number or "-"]
            cells = [gate.name, *cells, f"{gate.n:,}"] if kind else cells
            cells += _cells_of_groups(gate) if by_groups else []
            body.append([*cells, criterion.needed(gate.groups)])
    return header, body


def _cell(criterion: Criterion) -> str:
    """Return the number with its interval, whose level the header has; "-" without one."""
    if criterion.interval is None:
        return criterion.number or "-"
    return without_level(criterion.number, criterion.interval.level)


def _cells_of_groups(gate: Gate) -> list[str]:
    """Return how many groups the rows belong to, and how alike the labels of a group are, as cells of a table."""
    return ["-", "-"] if gate.groups is None else [count(gate.groups.sizes.groups), gate.groups.rho]


def _notes_on_levels(criteria: Sequence[Criterion]) -> list[str]:
    """Return by which intervals each of several limits passes and fails; nothing of a single one."""
    levels = criteria[0].levels
    if len(criteria) == 1 or levels is None or all(criterion.interval is None for criterion in criteria):
        return []
    to_pass, to_fail = (f"{100 * level:.4g} %" for level in (levels.to_pass, levels.to_fail))
    fails = f"fails by its {to_fail} interval, since there are {levels.criteria}"
    return [f"Each limit passes by its {to_pass} interval, and {fails}."]


def _test_cases(gate: Gate) -> list[tuple[str, Outcome, str]]:
    """Return name, outcome and text of the test cases of a gate: of several limits one for each."""
    if len(gate.criteria) == 1:
        return [(gate.name, gate.outcome, str(gate))]
    facts = gate.facts
    cases: list[tuple[str, Outcome, str]] = []
    for criterion in gate.criteria:
        parts = [criterion.headline, criterion.hint(gate.groups), *facts]
        text = "; ".join(part for part in parts if part)
        cases.append((f"{gate.name}: {criterion.subject}", criterion.outcome, text))
    return cases


def _printable(text: str) -> str:
    """Return a text without the characters that XML must not hold."""
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", visible(text, "\t\n\r"))
