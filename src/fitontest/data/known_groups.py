"""What is known of the groups that rows belong to, as every output says it: in a line, in notes, and in JSON."""

from dataclasses import dataclass
from math import ceil, inf, isfinite
from typing import Any

from fitontest.data.dependence import FEWEST, Dependence, is_too_few
from fitontest.data.row_groups import FEW, GroupSizes
from fitontest.results.text import count, p_in_words, short

NOT_LEARNT = f"dependence cannot be learnt from fewer than {FEWEST} groups"
CANCELS = (
    "dependence cannot be learnt where the labels of each group add up to what its scores say, as rows do that exclude "
    "each other, such as all outcomes of some events: give one row of each event, or name the events"
)


@dataclass(frozen=True)
class KnownGroups:
    """The sizes of the groups, and how alike the labels of a group are, where that was estimated.

    Attributes
    ----------
    sizes : GroupSizes
    dependence : Dependence or None
        None: it was not estimated, or each group is one row.

    Examples
    --------
    >>> from fitontest.data.dependence import Dependence
    >>> from fitontest.data.row_groups import GroupSizes
    >>> sizes = GroupSizes(groups=100, rows=1000, effective=100.0, several=100, least=10, median=10.0, most=10)
    >>> dependence = Dependence(100, 1000, 100.0, 100, 0.05, 0.036, 0.04, 0.01, 0.03, 1.46)
    >>> print(KnownGroups(sizes, dependence).in_words())
    groups: 100 (10 rows each), rho 0.05 +- 0.04, design effect 1.5
    """

    sizes: GroupSizes
    dependence: Dependence | None = None

    @classmethod
    def of(cls, sample: Any, dependence: Dependence | None = None) -> "KnownGroups | None":
        """Return what is known of the groups of the rows, or None where none were named.

        Parameters
        ----------
        sample : Sample or Samples
        dependence : Dependence, optional
            As it was estimated of them.
        """
        sizes = sample.shared.group_sizes
        return None if sizes is None else cls(sizes, dependence)

    @property
    def too_few(self) -> bool:
        """Whether rows belong together in so few groups that nothing is concluded.

        Of a segment whose dependence was learnt from all rows these are meant.
        """
        if self.dependence is not None:
            return self.dependence.too_few
        return not self.sizes.are_single and is_too_few(self.learnt_from)

    @property
    def are_few(self) -> bool:
        """Whether there are enough groups to conclude, and few enough to say so."""
        return not (self.sizes.are_single or self.too_few) and self.learnt_from < FEW * (1.0 - 1e-9)

    @property
    def is_part(self) -> bool:
        """Whether the rows are a segment of few groups, whose dependence was learnt from all rows."""
        known = self.dependence
        return known is not None and known.effective * 1.001 < known.learnt_from < inf

    @property
    def learnt_from(self) -> float:
        """Groups from which dependence is learnt: of a segment of few those of all rows."""
        known, sizes = self.dependence, self.sizes
        if known is not None and known.learnt_from < inf:
            return known.learnt_from
        return sizes.effective if sizes.learnt_from is None else sizes.learnt_from

    def in_words(self) -> str:
        """Return the line that stands where the number of rows does."""
        return ", ".join(text for text in (self.how_many, self.how_alike) if text)

    @property
    def how_many(self) -> str:
        """Groups, and the rows of each."""
        sizes = self.sizes
        groups = f"{count(sizes.groups)} combinations" if sizes.columns else count(sizes.groups)
        if sizes.are_single:
            return f"groups: {groups} of one row each, so that rows are independent"
        each = f"{count(sizes.least)} rows each"
        if sizes.least < sizes.most:
            each = f"{count(sizes.least)} to {count(sizes.most)} rows each, median {count(sizes.median)}"
        return f"groups: {groups} ({each})"

    @property
    def how_alike(self) -> str:
        """How alike the labels of a group are, and what comes of that; "" where it is not known."""
        known = self.dependence
        if known is None or self.too_few or self.sizes.are_single:
            return ""
        more = f" ({_two_decimals(known.most)} where scores are extreme)" if known.grows else ""
        events = f"{count(known.events)} events of two rows" if known.events else ""
        rho = f"{rho_in_words(known)}{more}" if known.has_rho else ""
        return ", ".join(text for text in (events, rho, f"design effect {short(known.design_effect, 2)}") if text)

    @property
    def rho(self) -> str:
        """How alike the labels of a group are, as a cell of a table."""
        known = self.dependence
        if known is None or self.too_few or not known.has_rho:
            return "-"
        return _two_decimals(known.rho)

    def rows_in_words(self, rows: int) -> str:
        """Return a number of rows, which has yet to come, with as many groups of the same sizes.

        Examples
        --------
        >>> from fitontest.data.row_groups import GroupSizes
        >>> sizes = GroupSizes(groups=100, rows=1000, effective=100.0, several=100, least=10, median=10.0, most=10)
        >>> KnownGroups(sizes).rows_in_words(5200)
        '5,200 rows, that is 520 groups,'
        """
        return f"{count(rows)} rows, that is {count(self.groups_of(rows))} groups,"

    def groups_of(self, rows: int) -> int:
        """Return how many groups of the same sizes have so many rows."""
        return ceil(rows * self.sizes.groups / self.sizes.rows - 1e-9)

    @property
    def refusal(self) -> str:
        """Why nothing is concluded, or ""."""
        if not self.too_few:
            return ""
        return f"{self.reason}: no interval, no p-value"

    @property
    def reason(self) -> str:
        """Why dependence cannot be learnt, where it cannot."""
        if self.dependence is not None and self.dependence.cancels:
            return CANCELS
        kind = "effective" if self.learnt_from >= self.sizes.effective else "of several rows"
        return f"{NOT_LEARNT} (got {_in_groups(self.learnt_from)} {kind})"

    @property
    def notes(self) -> list[str]:
        """What makes intervals and p-values worth less than they seem; of rho nothing where it was not estimated."""
        sizes, known = self.sizes, self.dependence
        if known is None or sizes.are_single or self.too_few:
            return sizes.noted
        notes = [
            f"labels of rows that share {sizes.columns[place]} and nothing else are alike too ({p_in_words(p_value)}): "
            f"name {sizes.columns[place]} alone if such rows belong together"
            for place, p_value in known.alone
        ] + sizes.noted
        if self.is_part:
            known_from = self.learnt_from
            also = f", which have few too ({known_from:.0f}): it is hardly known" if known_from < FEW else ""
            notes.append(f"few groups ({count(sizes.groups)}), so that rho is that of all rows{also}")
        elif self.are_few:
            number = f"{count(sizes.groups)}"
            if self.learnt_from < sizes.effective:
                number += f", {self.learnt_from:.0f} of several rows"
            elif round(sizes.effective) < sizes.groups:
                number += f", {_in_groups(sizes.effective)} effective"
            notes.append(
                f"few groups ({number}): rho is hardly known; intervals may hold the truth less often than their level"
            )
        elif sizes.several < FEWEST:
            which = "one group has" if sizes.several == 1 else f"{sizes.several} groups have"
            notes.append(f"only {which} two rows or more: rho is hardly known, and hardly matters")
        if known.at_limit:
            what = "events" if known.events else "labels"
            notes.append(f"{what} of a group are as alike as can be: redrawn ones agree, as those of copies do")
        return notes

    @property
    def lines(self) -> list[str]:
        """All of it, a sentence each."""
        return [f"{text}." for text in (self.in_words(), *self.notes)]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready values; what was not estimated is None."""
        known = None if self.too_few else self.dependence
        rho = None if known is None or not known.has_rho else known.rho
        return {
            "count": self.sizes.groups,
            "rows": self.sizes.rows,
            "effective": self.sizes.effective,
            "rho": rho,
            "se": None if known is None or known.at_limit or not isfinite(known.se) else known.se,
            "design_effect": None if known is None else known.design_effect,
        }


def rows_in_words(rows: int, known: KnownGroups | None) -> str:
    """Return a number of rows that would tell more, where rows belong together with as many groups."""
    return f"{count(rows)} rows" if known is None or known.sizes.are_single else known.rows_in_words(rows)


def rho_in_words(known: Dependence) -> str:
    """Return the correlation of two labels of a group, with its standard error where that is known."""
    spread = f" +- {_two_decimals(known.se)}" if isfinite(known.se) else ""
    spread = " (at its limit)" if known.at_limit else spread
    return f"rho {_two_decimals(known.rho)}{spread}"


def groups_record(known: KnownGroups | None) -> dict[str, Any]:
    """Return what a record of a table says of groups; without any it has no such fields."""
    if known is None:
        return {}
    facts = known.to_dict()
    return {"groups": facts["count"], "effective_groups": facts["effective"], "rho": facts["rho"]} | {
        "design_effect": facts["design_effect"]
    }


def _two_decimals(value: float) -> str:
    """Return a correlation or its standard error, an exact zero as "0", with more decimals where two show nothing."""
    if value == 0.0:
        return "0"
    return f"{value:.2f}" if abs(value) >= 0.005 else short(value, 1)


def _in_groups(effective: float) -> str:
    """Return a number of effective groups, never rounded up to the number that would be enough."""
    return f"{int(effective * 10.0 + 1e-6) / 10.0:g}" if effective < FEWEST else f"{effective:.0f}"
