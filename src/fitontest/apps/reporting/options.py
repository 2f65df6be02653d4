"""What a report holds and says, checked before anything is read."""

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, TypedDict

from fitontest.data.read import Data
from fitontest.data.simplex_sample import ALL_REDUCTIONS
from fitontest.evaluation.evaluate import ALL, DEFAULT_CANONICAL, DEFAULT_FAMILIES, FamilyLike, all_families
from fitontest.families.base import read_family
from fitontest.monitor.evidence.evidence import MonitorEvidence
from fitontest.monitor.monitor import Monitor
from fitontest.numerics.random import one_seed
from fitontest.results.checks import as_list, brief, check_level, choose
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import RandomState
from fitontest.risk.validation.thresholds import read_thresholds
from fitontest.uncertainty.options import Options
from fitontest.uncertainty.redrawing import Redrawing
from fitontest.uncertainty.tolerance import NearEnough


class Headings(TypedDict, total=False):
    """What a report says of itself.

    Parameters
    ----------
    title : str
        The heading of the page.
    date : date or str, optional
        Of the report; by default today.
    model : str, optional
        What made the scores, such as the name and the version of a model.
    notes : str, or mapping of str to str, optional
        What else is known of the model and of the data, such as where they come from.
    """

    title: Annotated[str, "Calibration report"]
    date: datetime.date | str | None
    model: str | None
    notes: str | Mapping[str, str] | None


class OverTime(TypedDict, total=False):
    """What a report knows of the time.

    Parameters
    ----------
    time : array-like of shape (n,), or name of a column, optional
        The date of each row, or up to 36 other values in order, such as years: the page has observed over expected
        events by day, week, month, quarter or year, the shortest of which there are at most 36, and says since when
        they drift. Where `y_true` is what `read` returned: what it returned ``by=`` the dates.
    monitor : Monitor or MonitorEvidence, optional
        Of the stream that the model is monitored in: the page has a part with its sentence, its batches and pictures,
        and an alarm comes first in what to do. It changes nothing else, since the rows of a stream are other ones.
    """

    time: Any
    monitor: Monitor | MonitorEvidence | None


@take_descriptions(Options)
@take_descriptions(NearEnough)
@take_descriptions(OverTime)
@take_descriptions(Headings)
class PageOptions(Headings, OverTime, NearEnough, Options, total=False):
    """What a report says of itself and of the time, what is near enough, how rows are read and labels redrawn."""


@dataclass(frozen=True)
class Provenance:
    """Where a report comes from.

    Attributes
    ----------
    date : str
    model : str
        What made the scores, or "".
    notes : dict of str
        What else is known of model and data, by what it is called.
    """

    date: str
    model: str
    notes: dict[str, str]

    @classmethod
    def of(cls, date: Any, model: Any, notes: Any) -> "Provenance":
        """Return the provenance that a user gave, or raise ValueError.

        Parameters
        ----------
        date : date, str or None
            None: today.
        model : str or None
        notes : str, mapping of str to str, or None
        """
        day = datetime.date.today() if date is None else date
        if isinstance(day, datetime.date):
            day = day.strftime("%Y-%m-%d")
        if not isinstance(day, str) or not day.strip():
            raise ValueError(f"date must be a date or a text, got {brief(date)}")
        if model is not None and (not isinstance(model, str) or not model.strip()):
            raise ValueError(f"model must be a text, got {brief(model)}")
        said = {"notes": notes} if isinstance(notes, str) else {} if notes is None else notes
        if not isinstance(said, Mapping) or not all(
            isinstance(text, str) and text.strip() for pair in said.items() for text in pair
        ):
            raise ValueError(f"notes must be a text, or texts by their names, got {brief(notes)}")
        return cls(day, model or "", dict(said))

    def to_dict(self) -> dict[str, Any]:
        """Return the provenance as JSON-ready values."""
        return dict(vars(self))


@dataclass(frozen=True)
class ReportOptions:
    """What a report holds."""

    title: str
    provenance: Provenance
    families: tuple[FamilyLike, ...] | str
    compare: bool | Literal["auto"]
    level: float
    seed: int
    reduction: str | None
    candidates: tuple[str, ...] | None = None  # as `compare_calibrators` chooses them
    thresholds: tuple[float, ...] = ()

    @classmethod
    def of(
        cls,
        title: str,
        provenance: Provenance,
        families: Iterable[FamilyLike] | str | None,
        compare: bool | Literal["auto"],
        level: float,
        random_state: RandomState,
        reduction: str | None,
        thresholds: float | Sequence[float] | None = None,
    ) -> "ReportOptions":
        """Return the options that a user gave, or raise ValueError."""
        if not isinstance(title, str) or not title.strip():
            raise ValueError(f"title must be a text, got {title!r}")
        if not (isinstance(compare, bool) or (isinstance(compare, str) and compare == "auto")):
            raise ValueError(f"compare must be True, False or 'auto', got {compare!r}")
        chosen: tuple[FamilyLike, ...] | str
        if isinstance(families, str) and families == ALL:
            chosen = ALL
        else:
            chosen = () if families is None else tuple(as_list(families, "families"))
        check_level(level)
        if reduction is not None:
            choose(reduction, ALL_REDUCTIONS, "reduction")
        at = () if thresholds is None else tuple(read_thresholds(thresholds).tolist())
        return cls(title, provenance, chosen, compare, level, one_seed(random_state), reduction, thresholds=at)

    def for_data(self, data: Data) -> "ReportOptions":
        """Return the options with the families and calibrators that are of this kind of data."""
        canonical = data.has_distributions
        families = tuple(all_families("any" if canonical else "two")) if self.families == ALL else self.families
        if canonical:
            return replace(self, families=families or DEFAULT_CANONICAL, candidates=DEFAULT_CANONICAL)
        for family in families:
            read_family(family)
        return replace(self, families=families or DEFAULT_FAMILIES)

    @property
    def redrawing(self) -> Redrawing:
        """How labels are redrawn for intervals."""
        return Redrawing.at(self.level, random_state=self.seed)

    @property
    def judged(self) -> str | None:
        """The reduction to the one sample that is judged."""
        return "confidence" if self.reduction == "classwise" else self.reduction

    def to_dict(self) -> dict[str, Any]:
        """Return what the page says of the options."""
        return {
            "families": [str(family) for family in self.families],
            "level": self.level,
            "compare": self.compare,
            "reduction": self.reduction,
            "random_state": self.seed,
            **({"thresholds": list(self.thresholds)} if self.thresholds else {}),
        }
