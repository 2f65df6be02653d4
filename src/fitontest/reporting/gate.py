"""A gate: whether a calibration error is at most a limit, is above it, or whether the rows cannot tell yet."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import Any, Literal, TypeAlias, get_args
from xml.etree import ElementTree

from fitontest.checks import brief, choose, is_real
from fitontest.data.known_groups import KnownGroups, groups_record, rows_in_words
from fitontest.data.read import Data
from fitontest.data.repeated_rows import Repeats
from fitontest.data.samples import MANY, Key, Kind, Samples
from fitontest.data.score_sample import as_importances
from fitontest.data.segment_names import NO_ROWS, WHOLE, spellings, words_of
from fitontest.data.simplex_sample import CANONICAL, AnyReduction, SimplexSample
from fitontest.data.weights import MOST_COPIES, WeightType, weighting_record
from fitontest.exceptions import held_warnings, warn_user
from fitontest.families.base import Family, read_family
from fitontest.families.docstrings import take_descriptions
from fitontest.measures.error_limits import ErrorLimit, check_resolution
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import INDEPENDENT_ROWS, Interval
from fitontest.measures.measure import Measure
from fitontest.measures.measure import make as make_measure
from fitontest.measures.notes import data_notes
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.random import one_seed
from fitontest.progress import track
from fitontest.reading.read import READ, read
from fitontest.reporting.bounds import FEWEST, Bounds
from fitontest.reporting.rows_needed import rows_needed
from fitontest.results.frames import Records, attributes
from fitontest.results.table import Section, Table
from fitontest.results.text import capital, count, debiased_and_raw, percent, same_decimals, short, visible
from fitontest.typing import ArrayInput, Label, RandomState
from fitontest.uncertainty.dependence import share_dependence
from fitontest.uncertainty.intervals import NULL_DRAWS, reason_against
from fitontest.uncertainty.joint import joint_test
from fitontest.uncertainty.redrawing import Redrawing, estimate_of

Outcome: TypeAlias = Literal["pass", "fail", "undecided"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
WHY = {"isotonic": ", whose intervals hold where the error jumps, too"}  # why not by the default of other functions
NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MOST_NAMED = 5  # segments or classes in a headline
DEFAULT_RESOLUTION = 20  # parts of the rows: errors in waves are seen that persist over a twentieth, or nearly
DEFAULT_FAMILY = "isotonic"  # whose outcomes are as rarely wrong as the level says, where the truth jumps too


@dataclass(frozen=True)
class Gate:
    """The outcome of a calibration check for one set of rows: pass, fail or undecided, with the numbers behind it.

    Of a segment without rows it is undecided, and nothing else is known.

    Attributes
    ----------
    name : str
        What the rows are called: of a segment its value.
    outcome : {"pass", "fail", "undecided"}
        Pass where the upper end of the interval and the error that may persist over a share of the rows are at most the
        limit, fail where the lower end is above.
    estimate : Estimate or None
        Of the family; None without rows.
    interval : Interval or None
        That decides; None without rows. Where a class has fewer than 50 rows it reaches to the exact bound that the
        mean of the labels alone leaves open; see `check_calibration`.
    max_error : float
        The limit.
    rows_needed : int or None
        About how many rows would decide it, where it is undecided; None where more than 10,000 times as many would not.
    persistent : ErrorLimit or None
        The largest error that cannot be ruled out of those that persist over a share of the rows, whatever their shape;
        None without a resolution, and where there is no interval.
    p_value : float or None
        The joint p-value of calibration (`JointTest`); it decides nothing here. None without rows.
    groups : KnownGroups or None
        What is known of the groups that the rows belong to; None where none were named. Of fewer than 10 effective ones
        nothing is concluded: the outcome is open, and there is neither an interval nor a p-value.
    if_importances : Gate or None
        Where nobody said that whole weights are counts, and labels suggest that they are not: the gate by importances,
        if it decides otherwise. Then the outcome is open.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(300)
    >>> (gate,) = fot.check_calibration(rng.random(300) < p, p, max_error=0.05).gates
    >>> gate.name, gate.outcome, gate.rows_needed > 300
    ('all rows', 'undecided', True)
    """

    name: str
    outcome: Outcome
    estimate: Estimate | None
    interval: Interval | None
    max_error: float
    rows_needed: int | None
    persistent: ErrorLimit | None
    p_value: float | None
    groups: KnownGroups | None = None
    if_importances: "Gate | None" = None

    @classmethod
    def without_rows(cls, name: str, max_error: float) -> "Gate":
        """Return the outcome of a segment that has no rows of positive weight.

        Parameters
        ----------
        name : str
            Of the segment.
        max_error : float
            The limit.
        """
        return cls(name, "undecided", None, None, max_error, None, None, None)

    @property
    def n(self) -> int:
        """Rows of positive weight."""
        return 0 if self.estimate is None else self.estimate.n

    def __str__(self) -> str:
        return "; ".join([self.headline, *self.details])

    @property
    def headline(self) -> str:
        """The outcome in words, with the debiased and the raw error and the interval that decides."""
        limit, verdict = f"{self.max_error:g}", _in_words(self.outcome)
        if self.estimate is None:
            return f"{verdict}: {NO_ROWS}, limit {limit}"
        if self.interval is None:
            raw = debiased_and_raw(None, self.estimate.value)
            return f"{verdict}: {self._refusal}; calibration error {raw}, limit {limit}"
        place = {"pass": "at most", "fail": "above", "undecided": "may be above or below"}[self.outcome]
        error = debiased_and_raw(self.estimate.debiased, self.estimate.value)
        interval = f"{100 * self.interval.level:.4g} % interval {self._ends}"
        return f"{verdict}: calibration error {place} {limit}; {error}, {interval}"

    @property
    def details(self) -> list[str]:
        """What would decide, where nothing does, and what the numbers are of; nothing without rows."""
        one = self.estimate
        if one is None:
            return []
        why = "" if self.interval is None else WHY.get(one.measure.name, "")
        parts = [self._hint, f"by {one.measure.name}{why}"]
        parts.append(f"n = {count(one.n)}" + ("" if one.weighting is None else f" ({one.weighting})"))
        parts += [] if self.groups is None else [self.groups.in_words()]
        if self.p_value is not None:
            p_value = "p-value" if one.reduction == CANONICAL else "joint p-value"
            parts.append(f"{p_value} of calibration {short(self.p_value, 2)}")
        if one.interval is not None and one.interval.roughness is not None and one.interval.source:
            parts.append(one.interval.source)
        if self.outcome == "pass" and self.persistent is not None:
            share = percent(self.persistent.share)
            parts.append(f"no error above {self.max_error:g} persists over {share} of the rows or more")
        return [part for part in parts if part]

    @property
    def _hint(self) -> str:
        """What would decide where the outcome is open."""
        if self.outcome != "undecided" or self.interval is None:
            return ""
        if self.if_importances is not None:
            return f"by importances {self.if_importances._ends}: say what the weights are"
        reason = ""
        if self.interval is not None and self.interval.high <= self.max_error and self.persistent is not None:
            share = percent(self.persistent.share)  # undecided by the resolution alone
            largest = f"errors of up to {short(self.persistent.value)} that persist over {share} of the rows"
            reason = f"{largest} cannot be ruled out; "
        if self.rows_needed is None:
            return f"{reason}more rows will not help: the estimate is near the limit or above it"
        return f"{reason}about {rows_in_words(self.rows_needed, self.groups)} would tell"

    @property
    def _needed(self) -> str:
        """About how many rows would decide, and how many groups, as a cell of a table."""
        if self.rows_needed is None:
            return "-"
        groups = "" if self.groups is None else f" ({count(self.groups.groups_of(self.rows_needed))} groups)"
        return f"{count(self.rows_needed)}{groups}"

    @property
    def _refusal(self) -> str:
        """Why nothing is concluded on rows, or ""."""
        return "" if self.groups is None else self.groups.refusal

    @property
    def _ends(self) -> str:
        """The ends of the interval in words."""
        return "" if self.interval is None else f"{short(self.interval.low)} to {short(self.interval.high)}"

    def record(self) -> dict[str, Any]:
        """Return the outcome as JSON-ready values; those that are of rows are None without any."""
        one = self.estimate
        notes = [] if one is None else data_notes(one.decided, one.weighting, one.rows_note)
        notes += [] if self.groups is None else [note for note in (self.groups.refusal, *self.groups.notes) if note]
        return {
            "name": self.name,
            "outcome": self.outcome,
            "error": None if one is None else one.value,
            **attributes(one, "debiased"),
            **attributes(self.interval, "low", "high", "level"),
            "max_error": self.max_error,
            "resolution": None if self.persistent is None else self.persistent.resolution,
            "persistent": None if self.persistent is None else self.persistent.value,
            "persistent_share": None if self.persistent is None else self.persistent.share,
            "joint_p_value": self.p_value,
            "n": self.n,
            **weighting_record(None if one is None else one.weighting),
            "rows_needed": self.rows_needed,
            **self._groups_record,
            "note": "; ".join(notes) or None,
        }

    @property
    def _groups_record(self) -> dict[str, Any]:
        """What a record says of groups, with how many of them would decide; nothing where none were named."""
        if self.groups is None:
            return {}
        needed = None if self.rows_needed is None else self.groups.groups_of(self.rows_needed)
        return {**groups_record(self.groups), "groups_needed": needed}


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationCheck(Table):
    """Whether the calibration error is at most a limit: pass, fail or undecided, overall or in each segment.

    Attributes
    ----------
    gates : tuple of Gate
        One for all rows, or one for each segment or class.
    family : str
        Whose error is held against the limit.
    kind : {"segment", "class"}
        Of what there is one.

    Notes
    -----
    One segment or class that fails makes the whole fail; otherwise one that is undecided leaves it undecided. With k of
    them each interval, and each limit at a resolution, has the level 1 - (1 - level) / k, so that the promise holds for
    all together (Bonferroni). A segment without rows of positive weight has an outcome too, "undecided": what is not
    there is not calibrated.

    Printing it shows the table. ``bool(check)`` is refused, because there are three outcomes: compare `outcome`.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p, region = rng.random(4000), np.repeat(["north", "south"], 2000)
    >>> y = rng.random(4000) < np.where(region == "south", p**1.5, p)
    >>> check = fot.check_calibration(y, p, by=region, max_error=0.05)
    >>> check.outcome, {gate.name: gate.outcome for gate in check.gates}
    ('fail', {'north': 'pass', 'south': 'fail'})
    """

    gates: tuple[Gate, ...]
    family: str
    kind: Kind = "segment"

    @property
    def outcome(self) -> Outcome:
        """The overall outcome: pass, fail or undecided."""
        found = {gate.outcome for gate in self.gates}
        return "fail" if "fail" in found else "undecided" if "undecided" in found else "pass"

    def __bool__(self) -> bool:
        raise TypeError("a check has three outcomes; compare check.outcome with 'pass', 'fail' or 'undecided'")

    def rows(self) -> Records:
        """Return a record for each set of rows that was checked."""
        return [gate.record() for gate in self.gates]

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome and the records as JSON-ready values."""
        return {"outcome": self.outcome, "family": self.family, "kind": self.kind, "gates": self.rows()}

    def to_junit(self) -> str:
        """Return the outcome as JUnit XML: a failure where it fails, an error where it is undecided, else its text."""
        counts = {kind: sum(gate.outcome == kind for gate in self.gates) for kind in OUTCOMES}
        suite = ElementTree.Element(
            "testsuite",
            name="fitontest",
            tests=str(len(self.gates)),
            failures=str(counts["fail"]),
            errors=str(counts["undecided"]),
        )
        for gate in self.gates:
            case = ElementTree.SubElement(suite, "testcase", classname="calibration", name=_printable(gate.name))
            if gate.outcome == "pass":
                ElementTree.SubElement(case, "system-out").text = _printable(str(gate))
            else:
                kind = "failure" if gate.outcome == "fail" else "error"
                ElementTree.SubElement(case, kind, message=_printable(str(gate)), type=gate.outcome)
        return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)

    def sections(self) -> list[Section]:
        """Return the outcome in words, and the table of the outcomes where there are several."""
        if len(self.gates) == 1 and self.gates[0].name == str(WHOLE):
            estimate = self.gates[0].estimate
            notes = [estimate.rows_note] if estimate is not None and estimate.rows_note else []
            (gate,) = self.gates
            notes += [INDEPENDENT_ROWS] if gate.groups is None else [capital(line) for line in gate.groups.lines]
            apart = (gate._hint, "" if gate.groups is None else gate.groups.in_words())  # which have lines of their own
            hint, others = ([gate._hint] if gate._hint else []), [text for text in gate.details if text not in apart]
            said = [f"{text[0].upper()}{text[1:]}." for text in [*hint, "; ".join(others)] if text]
            return [Section(gate.headline, notes="\n".join([*said, *notes]))]  # a title is one line
        levels = [gate.interval.level for gate in self.gates if gate.interval is not None]
        level = f"{100 * levels[0]:.4g} % interval" if levels else "interval"
        by_groups = any(gate.groups is not None for gate in self.gates)
        resolved = any(gate.persistent is not None for gate in self.gates)
        header = [self.kind, "outcome", "debiased (raw)", level, *(["persistent"] if resolved else [])]
        header += ["joint p-value", "n", *(["groups", "rho"] if by_groups else []), "rows needed"]
        body = []
        for gate in self.gates:
            row = gate.record()
            if gate.estimate is None:
                absent = ["-", "-"] if by_groups else []
                body.append([gate.name, NO_ROWS, *["-"] * (len(header) - 4 - len(absent)), "0", *absent, "-"])
                continue
            values = [value for value in (gate.estimate.debiased, gate.estimate.value) if value is not None]
            debiased, raw = ["-", *same_decimals(values)][-2:]
            persistent = [] if not resolved else ["-" if row["persistent"] is None else short(row["persistent"])]
            p_value = "-" if gate.p_value is None else short(gate.p_value, 2)
            of_groups = ["-", "-"] if gate.groups is None else [count(gate.groups.sizes.groups), gate.groups.rho]
            of_groups = of_groups if by_groups else []
            body.append(
                [
                    *(gate.name, _in_words(gate.outcome), f"{debiased} ({raw})", gate._ends or "-", *persistent),
                    *(p_value, f"{row['n']:,}", *of_groups, gate._needed),
                ]
            )
        notes = [self._resolution_note] if resolved else []
        notes += [f"Measured by {self.family}{WHY[self.family]}."] if self.family in WHY else []
        of_rows = [(gate.name, gate.estimate) for gate in self.gates if gate.estimate is not None]
        for name, one in of_rows:
            notes += [f"{name}: {note}." for note in data_notes(False, one.weighting, one.rows_note)]
        notes += self._notes_on_groups
        notes += [] if by_groups else [INDEPENDENT_ROWS]
        return [Section(self._headline, header, body, "\n".join(notes))]

    @property
    def _notes_on_groups(self) -> list[str]:
        """What must be known of groups, with the rows that it is of; not what the headline says."""
        names: dict[str, list[str]] = {}
        for gate in self.gates:
            for note in [] if gate.groups is None else [gate.groups.refusal, *gate.groups.notes]:
                names.setdefault(note, []).append(gate.name)
        said = {"", self._shared_refusal}
        return [f"{_listed(of)}: {note}." for note, of in names.items() if note not in said]

    @property
    def _shared_refusal(self) -> str:
        """Why nothing is concluded on any of the rows, where that is one reason, or ""."""
        reasons = {gate._refusal for gate in self.gates if gate.estimate is not None}
        return reasons.pop() if len(reasons) == 1 else ""

    @property
    def _headline(self) -> str:
        """The outcome of several in words."""
        if self._shared_refusal:
            return f"{_in_words(self.outcome)}: {self._shared_refusal}"
        names = [gate.name for gate in self.gates if gate.outcome == self.outcome]
        limit = f"{self.gates[0].max_error:g} (errors by {self.family})"
        if self.outcome == "pass":
            return f"pass: calibration errors at most {limit}"
        place = "above" if self.outcome == "fail" else "may be above or below"
        plural = "" if len(names) == 1 else "s"
        return f"{_in_words(self.outcome)}: calibration error{plural} {place} {limit}: {_listed(names)}"

    @property
    def _resolution_note(self) -> str:
        """What the limits at the resolution are of."""
        shares = [gate.persistent.share for gate in self.gates if gate.persistent is not None]
        least, most = (percent(share) for share in (min(shares), max(shares)))
        of = least if least == most else f"{least} to {most}"
        return f"persistent: errors up to there that persist over {of} of the rows cannot be excluded."


@take_descriptions(read)
def check_calibration(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    max_error: float,
    level: float = 0.95,
    resolution: float | None = DEFAULT_RESOLUTION,
    family: str | Family = DEFAULT_FAMILY,
    by: ArrayInput = None,
    require: Sequence[object] = (),
    reduction: AnyReduction | None = None,
    labels: ArrayInput = None,
    sample_weight: ArrayInput = None,
    groups: ArrayInput = None,
    weights: WeightType = "auto",
    pos_label: Label | None = None,
    random_state: RandomState = 0,
) -> CalibrationCheck:
    """Check whether the calibration error is at most a limit: pass, fail, or undecided.

    The interval [low, high] of the error decides, and the limit B of the errors that may persist over a share of the
    rows, whatever their shape: pass where high <= max_error and B <= max_error, fail where low > max_error, undecided
    elsewhere. Undecided is no fault of the scores: there are too few rows to tell.

    Parameters
    ----------
    y_true, y_prob, reduction, labels, sample_weight, pos_label
        As for `calibration_error`. What `read` returns in place of both, `Cells`, or a dict of these by segment. With
        ``reduction="classwise"``, and of `ClassCells`, each class against the rest has an outcome of its own. With
        ``reduction="canonical"`` the ECE on the simplex decides, under the default partition and total variation.
    max_error : float in (0, 1)
        The largest mean distance |c(p) - p| that is accepted.
    weights : {"auto", "counts", "importances"}, default="auto"
        What `sample_weight` means: how often a row stands in the data, or how much it is to count, whose scale means
        nothing. "auto": counts where all are whole numbers of at most 10 on average, importances where they are not
        whole. Whole numbers that are larger may be either: a gate does not guess, and refuses them.
    level : float in (0, 1), default=0.95
        Of the interval, and of the limit B.
    resolution : float or None, default=20
        J, at least 20: B holds for errors that keep their sign over windows of 1 / (2 J) to 1 / J of the rows
        (`Estimate.limit`). 40 is stricter, and needs more rows. None: the interval alone decides, which no error that
        an isotonic map cannot follow is seen by.
    family : str or Family, default="isotonic"
        Whose error is held against the limit.
    by : array-like of shape (n,) or (n, k), optional
        The segment of each row, such as its region or its month: each has an outcome of its own. Not with
        ``reduction="classwise"``. Without it the outcome is of all rows together, not of each region or period. A
        segment whose rows all have weight 0 has "no rows" and is undecided.
    require : list, default=()
        Segments that must be there, named as they are printed ("north", or "north, 2024" by two columns). One that is
        absent is undecided, as one whose rows all have weight 0 is. With `by`, or a dict of `Cells`.
    random_state : int, RandomState or None, default=0
        Seed of the draws behind the interval.

    Returns
    -------
    CalibrationCheck
        The outcome of each gate, as a table.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found; a family whose error has no interval; whole weights of more
        than 10 on average without `weights`.

    Notes
    -----
    The rows needed for the interval are n (h / d)^2, with h the half of the interval that reaches over the limit and d
    the distance of the debiased error from the limit: the halves shrink as 1 / sqrt(n). Those needed for B^2 = T + z sd
    bring its noise z sd below max_error^2 - T. B tends to the root mean square of the error, which a pass needs to be
    below the limit too: of an error that a few rows have it is larger than the mean.

    Where a class has fewer than 50 rows, the upper end is at least what the exact interval of the share of positives
    leaves open for the distance of the means, which no error is below; with fewer than 50 rows in all, nothing fails
    unless that distance alone is above the limit. So few events are never taken for calibrated scores.

    Where rows belong to `groups`, labels are redrawn with the correlation that those of a group have, rows are counted
    by the design effect, and the rows needed are said in groups too. Below 10 effective groups the correlation cannot
    be learnt: the outcome is open, without an interval and a p-value.

    The isotonic map of the default can follow jumps, which a spline cannot. Where a spline does not fit the labels, the
    interval is widened to hold that of a map that does, for which a gate may say that it cannot tell. How often each
    outcome comes is measured by simulation, of smooth and of rough truths (`benchmarks/gate_rates.py`; the page "A
    report, and a gate" has its tables).

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p**1.5
    >>> check = fot.check_calibration(y, p, max_error=0.02)
    >>> print(check.gates[0].headline)
    fail: calibration error above 0.02; debiased 0.104 (raw 0.104), 95 % interval 0.0853 to 0.121
    """
    rule = GateRule.of(max_error, level, family, random_state, resolution)
    required = read_required(require)
    for name, value in (("by", by), ("require", required or None)):
        if reduction == "classwise" and value is not None:
            what = "reduction='classwise', whose classes have outcomes of their own"
            raise ValueError(f"{name} must be left out with {what}; got {brief(value)}")
    with held_warnings() as held:  # of weights that are refused there is nothing else to say
        data = read(
            y_true,
            y_prob,
            sample_weight=sample_weight,
            groups=groups,
            weights=weights,
            reduction=reduction,
            labels=labels,
            pos_label=pos_label,
            by=by,
        )
    _refuse_doubt(data, "weights of Cells.of" if data is not y_true and isinstance(y_true, READ) else "weights")
    if data.reduction == CANONICAL:
        rule = rule.of_distributions()
    segments = data if data.is_by_segment else None
    if segments is not None and segments.whole.is_by_class:
        raise ValueError("by must be left out with classes, which have outcomes of their own")
    if required and segments is None:
        raise ValueError(f"require must be left out without by=, which makes the segments; got {required}")
    for message, category in held:
        warn_user(message, category)
    if segments is not None:
        return _check_segments(segments, rule, required)
    return _check(data if data.is_by_class else {WHOLE: data}, rule)


def _refuse_doubt(data: Data, argument: str) -> None:
    """Raise ValueError where nothing says whether whole weights are counts; `argument` is what would say so."""
    shared = data.shared
    if shared.weights is not None and shared.weights.doubtful:
        effective = shared.weighting.effective_rows
        raise ValueError(
            f"{argument} must be 'counts' or 'importances' where weights are whole numbers of more than "
            f"{MOST_COPIES} on average, got weights of {shared.total / shared.n:,.3g} on average; as counts "
            f"{shared.n:,} rows stand for {shared.total:,.0f}, as importances for {effective:,.0f}: "
            "which is right cannot be seen from the data"
        )


def assert_calibrated(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    max_error: float,
    undecided: Literal["fail", "pass"] = "fail",
    **options: Any,
) -> None:
    """Raise AssertionError unless the calibration error is at most a limit, for test suites.

    Parameters
    ----------
    y_true, y_prob, max_error, **options
        As for `check_calibration`.
    undecided : {"fail", "pass"}, default="fail"
        What to do where there are too few rows to tell.

    Raises
    ------
    AssertionError
        The error is above the limit, or that cannot be told and `undecided` is "fail".
    ValueError
        As for `check_calibration`.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(5000)
    >>> fot.assert_calibrated(rng.random(5000) < p, p, max_error=0.05)
    """
    choose(undecided, ("fail", "pass"), "undecided")
    found = check_calibration(y_true, y_prob, max_error=max_error, **options)
    refused = ("fail", "undecided") if undecided == "fail" else ("fail",)
    if found.outcome in refused:
        raise AssertionError(str(found))


@dataclass(frozen=True)
class GateRule:
    """By which rule errors pass, checked before anything is read."""

    max_error: float
    level: float
    measure: Measure
    random_state: RandomState
    resolution: float | None = DEFAULT_RESOLUTION

    @classmethod
    def of(
        cls,
        max_error: object,
        level: object,
        family: str | Family,
        random_state: RandomState,
        resolution: object = DEFAULT_RESOLUTION,
    ) -> "GateRule":
        """Return the rule that a user gave, or refuse what is none."""
        measure = PlugIn(read_family(family))
        if measure.family.does_nothing:
            raise ValueError("family must be fitted to the labels, got identity, whose error is 0 whatever they are")
        if reason := reason_against(measure):
            raise ValueError(f"family must be one whose error has an interval, got {measure.name}: {reason}")
        parts = None if resolution is None else check_resolution(resolution)
        return cls(check_limit(max_error), check_level(level), measure, random_state, parts)

    def of_distributions(self) -> "GateRule":
        """Return the rule for whole distributions: of the ECE on the simplex, whose error alone has an interval."""
        if self.measure.name != DEFAULT_FAMILY:
            raise ValueError(
                f"family must be left at {DEFAULT_FAMILY!r} with reduction='canonical', where the ECE in joint bins of "
                f"all classes decides, since no family of several classes has an interval; got {self.measure.name!r}"
            )
        return replace(self, measure=make_measure("simplex_ece"), resolution=None)


def _check_segments(segments: Samples, rule: GateRule, required: Sequence[str] = ()) -> CalibrationCheck:
    """Return the outcomes of segments; those that have no rows, and required ones that are absent, come last."""
    names = words_of([*segments, *segments.empty])
    share_dependence(segments)
    found = _check(segments, rule, names)
    known = {*names.values(), *(text for segment in names for text in spellings(segment))}
    missing = [*(names[one] for one in segments.empty), *(one for one in required if one not in known)]
    return replace(found, gates=(*found.gates, *(Gate.without_rows(name, rule.max_error) for name in missing)))


def read_required(require: object) -> list[str]:
    """Return the printed names of the segments that must be there, each once."""
    if isinstance(require, str) or not isinstance(require, Iterable):
        raise ValueError(f"require must be a list of names of segments, got {brief(require)}")
    return list(dict.fromkeys(word for one in require for word in words_of([one]).values()))


def _check(samples: Mapping[Key, Any], rule: GateRule, names: Mapping[Key, str] | None = None) -> CalibrationCheck:
    """Return the outcomes of samples, each under its name: by default as `words_of` prints it."""
    kind: Kind = getattr(samples, "kind", "segment")
    share = 1.0 - (1.0 - rule.level) / len(samples)
    names = words_of(samples) if names is None else names
    gates, repeats = [], []
    for key in track(list(samples), MANY[kind]) if len(samples) > 1 else samples:
        sample = samples[key]
        repeats.append(Repeats.of(sample))
        gate = _gate_of_rows(names[key], sample, rule, share)
        weighting = sample.weighting
        if weighting is not None and weighting.copies:
            importances = _gate_of_rows(gate.name, as_importances(sample), rule, share)
            gate = _unless_importances(gate, importances)
        gates.append(gate)
    shared = max(repeats, key=lambda each: each.strength)  # classes share their rows, segments have their own
    (shared if kind == "class" else reduce(add, repeats)).warn()
    return CalibrationCheck(tuple(gates), rule.measure.name, kind)


def _gate_of_rows(name: str, sample: Any, rule: GateRule, level: float) -> Gate:
    """Return the outcome of one sample."""
    seed = one_seed(rule.random_state)
    if sample.reduction == CANONICAL:
        return _gate_of_distributions(name, sample, rule, Redrawing(interval=level, random_state=seed))
    estimate = estimate_of(rule.measure, sample, sample.reduction, Redrawing(interval=level, random_state=seed))
    if estimate.groups is not None and estimate.groups.too_few:  # which leave everything open
        return Gate(name, "undecided", estimate, None, rule.max_error, None, None, None, estimate.groups)
    p_value = joint_test(sample, NULL_DRAWS, seed, [estimate]).p_value
    return gate_of(name, estimate, rule, Bounds.of(sample, level), p_value)


def _gate_of_distributions(name: str, sample: SimplexSample, rule: GateRule, redrawing: Redrawing) -> Gate:
    """Return the outcome of whole distributions, of which fewer than 50 rows leave every error open."""
    estimate = estimate_of(rule.measure, sample, CANONICAL, redrawing)
    assert estimate.null is not None  # there is one where there is an interval
    assert isinstance(redrawing.interval, float)
    known = None if sample.n < FEWEST else estimate.interval
    interval = Interval(0.0, 1.0, redrawing.interval) if known is None else known
    return _decided(name, estimate, interval, rule.max_error, None, estimate.null.p_value)


def _unless_importances(counts: Gate, importances: Gate) -> Gate:
    """Return the gate by counts, or an open one where that by importances decides otherwise: a gate does not guess."""
    if counts.outcome == importances.outcome:
        return counts
    return replace(counts, outcome="undecided", rows_needed=None, if_importances=importances)


def check_level(level: object) -> float:
    """Return the level, or refuse what is none."""
    if not is_real(level) or not 0.0 < level < 1.0:
        raise ValueError(f"level must be a number in (0, 1) such as 0.95, got {level!r}")
    return float(level)


def check_limit(max_error: object) -> float:
    """Return the limit, or refuse what is none."""
    if not is_real(max_error) or not 0.0 < max_error < 1.0:
        raise ValueError(f"max_error must be a fraction in (0, 1) such as 0.02, never percent; got {max_error!r}")
    return float(max_error)


def gate_of(name: str, estimate: Estimate, rule: GateRule, bounds: Bounds, p_value: float) -> Gate:
    """Return the outcome of an estimate."""
    persistent = None
    if rule.resolution is not None and estimate.limits is not None:
        persistent = bounds.at_least(estimate.limit_at(rule.resolution))
    return _decided(name, estimate, bounds.around(estimate), rule.max_error, persistent, p_value)


def _decided(
    name: str, estimate: Estimate, interval: Interval, limit: float, persistent: ErrorLimit | None, p_value: float
) -> Gate:
    """Return the outcome that an interval and the limit of persistent errors decide."""
    passes = interval.high <= limit and (persistent is None or persistent.value <= limit)
    outcome: Outcome = "pass" if passes else "fail" if interval.low > limit else "undecided"
    needed = rows_needed(estimate, interval, limit, persistent) if outcome == "undecided" else None
    return Gate(name, outcome, estimate, interval, limit, needed, persistent, p_value, estimate.groups)


def _printable(text: str) -> str:
    """Return a text without the characters that XML must not hold."""
    return NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", visible(text, "\t\n\r"))


def _listed(names: Sequence[str]) -> str:
    """Return the names of segments or classes, of many the first ones."""
    return f"{', '.join(names[:MOST_NAMED])}{', ...' if len(names) > MOST_NAMED else ''}"


def _in_words(outcome: Outcome) -> str:
    return "cannot tell" if outcome == "undecided" else outcome
