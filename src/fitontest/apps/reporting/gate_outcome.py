"""What a gate says of one set of rows: pass, fail or undecided, with the criteria that decide."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from fitontest.apps.reporting.checked_rows import CheckedRows, rows_record
from fitontest.apps.reporting.criterion import Criterion
from fitontest.apps.reporting.max_error import ErrorCriterion
from fitontest.apps.reporting.outcome import Outcome, in_words, overall
from fitontest.data.known_groups import KnownGroups
from fitontest.data.segment_names import NO_ROWS
from fitontest.measures.error_limits import ErrorLimit
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import Interval
from fitontest.results.frames import attributes
from fitontest.results.text import capital, short


@dataclass(frozen=True)
class Gate:
    """The outcome of a calibration check for one set of rows: pass, fail or undecided, with the numbers behind it.

    Of a segment without rows it is undecided, and nothing else is known.

    Attributes
    ----------
    name : str
        What the rows are called: of a segment its value.
    criteria : tuple of Criterion
        One for each limit: each has an `outcome`, the `interval` that decides it, `rows_needed` and a `headline`.
    rows : CheckedRows or None
        What is known of the rows; None without any.
    p_value : float or None
        The joint p-value of calibration (`JointTest`); it decides nothing here. None without rows, and without a limit
        of the error.

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
    criteria: tuple[Criterion, ...]
    rows: CheckedRows | None = None
    p_value: float | None = None

    @property
    def outcome(self) -> Outcome:
        """Pass where every criterion passes, fail where one fails, else undecided."""
        return overall(criterion.outcome for criterion in self.criteria)

    @property
    def n(self) -> int:
        """Rows of positive weight."""
        return 0 if self.rows is None else self.rows.n

    @property
    def groups(self) -> KnownGroups | None:
        """What is known of the groups that the rows belong to; None where none were named.

        Of fewer than 10 effective ones nothing is concluded: the outcome is open, and there is neither an interval nor
        a p-value.
        """
        return None if self.rows is None else self.rows.groups

    @property
    def of_error(self) -> ErrorCriterion | None:
        """The criterion of the calibration error; None without ``max_error``."""
        return next((criterion.of_error for criterion in self.criteria if criterion.of_error is not None), None)

    @property
    def max_error(self) -> float | None:
        """The limit of the calibration error; None without one."""
        return None if self.of_error is None else self.of_error.most

    @property
    def estimate(self) -> Estimate | None:
        """The calibration error; None without rows, and without a limit of it."""
        return None if self.of_error is None else self.of_error.estimate

    @property
    def interval(self) -> Interval | None:
        """The interval of the calibration error that decides; None without rows, and without a limit of it.

        Where a class has fewer than 50 rows it reaches to the exact bound that the mean of the labels alone leaves
        open; see `check_calibration`.
        """
        return None if self.of_error is None else self.of_error.interval

    @property
    def persistent(self) -> ErrorLimit | None:
        """The largest error over at least a share of the rows that cannot be ruled out, whatever its shape.

        None without a resolution, where there is no interval, and without a limit of the error.
        """
        return None if self.of_error is None else self.of_error.persistent

    @property
    def rows_needed(self) -> int | None:
        """About how many rows would decide what is undecided.

        None where nothing is, and where more than 100 times as many would not.
        """
        needed = [criterion.rows_needed for criterion in self.criteria if criterion.outcome == "undecided"]
        return None if None in needed else max((rows for rows in needed if rows is not None), default=None)

    @property
    def if_importances(self) -> Criterion | None:
        """The first criterion by importances whose outcome differs from that by counts.

        Only where nobody said that whole weights are counts, and labels suggest that they are not. Then the outcome is
        open.
        """
        others = (criterion.if_importances for criterion in self.criteria)
        return next((criterion for criterion in others if criterion is not None), None)

    @property
    def deciding(self) -> tuple[Criterion, ...]:
        """The criteria that make the outcome: all of a pass, else those that fail, or are open."""
        return tuple(criterion for criterion in self.criteria if criterion.outcome == self.outcome)

    def __str__(self) -> str:
        return "; ".join([self.headline, *self.details])

    @property
    def headline(self) -> str:
        """The outcome in words: of one limit with the number and the interval that decides, of several which decide."""
        if len(self.criteria) == 1:
            return self.criteria[0].headline
        verdict = capital(in_words(self.outcome))
        if self.rows is None:
            return f"{verdict}: {NO_ROWS}, {', '.join(criterion.accepted for criterion in self.criteria)}"
        if self.refusal:
            return f"{verdict}: {self.refusal}"
        return f"{verdict}: {', '.join(criterion.claim for criterion in self.deciding)}"

    @property
    def details(self) -> list[str]:
        """What would decide, where nothing does, and what the numbers are of; nothing without rows.

        Of several limits the outcome of each comes first.
        """
        if self.rows is None:
            return []
        of_each = self.criteria if len(self.criteria) > 1 else ()
        parts = [criterion.headline for criterion in of_each]
        parts += [*self.hints, *self.facts]
        return [part for part in parts if part]

    @property
    def hints(self) -> list[str]:
        """What is to be known of a criterion that is open; of several why each is, if not only for few rows."""
        if len(self.criteria) > 1:
            return self.doubts
        hint = self.criteria[0].hint(self.groups)
        return [hint] if hint else []

    @property
    def doubts(self) -> list[str]:
        """Why criteria are open, where that is not only for few rows."""
        return self._of_each(self._doubt(criterion) for criterion in self.criteria)

    def _doubt(self, criterion: Criterion) -> str:
        reason = self._reason(criterion)
        if reason or criterion.outcome != "undecided":
            return reason
        return criterion.why_open if criterion.if_importances is None else criterion.hint(self.groups)

    def _reason(self, criterion: Criterion) -> str:
        """Return why a criterion has no interval, where the gate does not say it already, or ""."""
        return "" if self.rows is None or self.refusal else criterion.reason

    def _of_each(self, texts: Iterable[str]) -> list[str]:
        """Return texts on each criterion, with what it is of."""
        pairs = zip(self.criteria, texts, strict=True)
        return [f"{criterion.subject}: {text}" for criterion, text in pairs if text]

    @property
    def facts(self) -> list[str]:
        """What the numbers are of: by which calibration maps, of how many rows."""
        if self.rows is None:
            return []
        methods = list(dict.fromkeys(criterion.method for criterion in self.criteria))
        parts = [*methods, *self.rows.in_words()]
        if self.p_value is not None:
            parts.append(f"{self._kind_of_p_value}p-value of calibration {short(self.p_value, 2)}")
        parts += [remark for criterion in self.criteria for remark in criterion.remarks]
        return [part for part in parts if part]

    @property
    def _kind_of_p_value(self) -> str:
        """What kind of p-value it is: joint, of several segments by one maximum adjusted, or of one measure."""
        if self.estimate is not None and self.estimate.measure.is_seminorm:
            return "adjusted "
        return "" if self.estimate is not None and self.estimate.has_distributions else "joint "

    @property
    def refusal(self) -> str:
        """Why nothing is concluded on rows, or ""."""
        return "" if self.groups is None else self.groups.refusal

    def unless_importances(self, importances: "Gate") -> "Gate":
        """Return the outcome by counts, with those criteria open that importances decide otherwise.

        Parameters
        ----------
        importances : Gate
            Of the same rows and limits.
        """
        pairs = zip(self.criteria, importances.criteria, strict=True)
        return replace(self, criteria=tuple(counts.unless_importances(other) for counts, other in pairs))

    def record(self) -> dict[str, Any]:
        """Return the outcome as JSON-ready values; those that are of rows are None without any."""
        notes = [] if self.rows is None else self.rows.notes
        return {
            "name": self.name,
            "outcome": self.outcome,
            "error": None if self.estimate is None else self.estimate.value,
            **attributes(self.estimate, "debiased"),
            **attributes(self.interval, "low", "high", "level"),
            "max_error": self.max_error,
            "resolution": None if self.persistent is None else self.persistent.resolution,
            "persistent": None if self.persistent is None else self.persistent.value,
            "persistent_share": None if self.persistent is None else self.persistent.share,
            "joint_p_value": self.p_value,
            **rows_record(self.rows),
            "rows_needed": self.rows_needed,
            **({} if self.rows is None else self.rows.groups_record(self.rows_needed)),
            "note": "; ".join(notes) or None,
        }

    def limits(self) -> list[dict[str, Any]]:
        """Return a record of each criterion."""
        return [criterion.record() for criterion in self.criteria]
