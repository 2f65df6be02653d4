"""What a gate says of the rows that it checked: how many, what their weights mean, and which belong together."""

from dataclasses import dataclass
from typing import Any

from fitontest.data.known_groups import KnownGroups, groups_record
from fitontest.data.sample import Sample
from fitontest.data.weights import Weighting, weighting_record
from fitontest.measures.notes import data_notes
from fitontest.results.text import count


@dataclass(frozen=True)
class CheckedRows:
    """The rows of one gate.

    Attributes
    ----------
    n : int
        Rows of positive weight.
    decided : bool
        Whether all scores are 0 or 1.
    weighting : Weighting or None
        What weights were taken for; None: all rows weigh one.
    note : str
        What must be known of the rows, such as that many look like copies of others, or "".
    groups : KnownGroups or None
        What is known of the groups that they belong to; None where none were named.
    """

    n: int
    decided: bool = False
    weighting: Weighting | None = None
    note: str = ""
    groups: KnownGroups | None = None

    @classmethod
    def of(cls, sample: Sample, groups: KnownGroups | None) -> "CheckedRows":
        """Return what is known of the rows of a sample."""
        return cls(sample.n, sample.decided, sample.weighting, sample.rows_note, groups)

    def in_words(self) -> list[str]:
        """Return the number of rows with the meaning of their weights, and their groups."""
        weighting = "" if self.weighting is None else f" ({self.weighting})"
        return [f"n = {count(self.n)}{weighting}", *([] if self.groups is None else [self.groups.in_words()])]

    @property
    def notes(self) -> list[str]:
        """What must be known of the rows to read an outcome."""
        groups = [] if self.groups is None else [self.groups.refusal, *self.groups.notes]
        return [*data_notes(self.decided, self.weighting, self.note), *(note for note in groups if note)]

    def groups_record(self, rows_needed: int | None) -> dict[str, Any]:
        """Return what a record says of groups, with how many of them would decide; nothing where none were named."""
        if self.groups is None:
            return {}
        needed = None if rows_needed is None else self.groups.groups_of(rows_needed)
        return {**groups_record(self.groups), "groups_needed": needed}


def rows_record(rows: CheckedRows | None) -> dict[str, Any]:
    """Return what a record says of the number of rows and of their weights; of no rows these are 0 and None."""
    return {"n": 0 if rows is None else rows.n, **weighting_record(None if rows is None else rows.weighting)}
