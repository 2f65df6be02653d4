"""The result of planning an evaluation: how well families evaluate calibration at numbers of rows."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from math import ceil, exp, floor, log, log10
from typing import Any, Literal, TypeAlias

from fitontest.checks import choose
from fitontest.results.frames import Records, attributes
from fitontest.results.table import Section, Table, cell
from fitontest.results.text import count, short, signed

CALIBRATED = "calibrated"  # the truth of error 0
NOTES = (
    "false alarms: share of the evaluations of calibrated scores with a p-value of at most .05. power: that share of "
    "scores with the error, {truths}. width: mean width of the 95 % interval. bias: mean of the raw or debiased error "
    "less the true one; s.d.: of the debiased error. Width, biases and s.d. are the largest over the true errors."
)
DIGITS = 2  # of rows needed
Relation: TypeAlias = Literal["about", "at most", "more than"]
RELATIONS: dict[Relation, str] = {"about": "{}", "at most": "<= {}", "more than": "> {}"}


@dataclass(frozen=True)
class Prospect:
    """What evaluations with one family, of one size, are like under one truth.

    Attributes
    ----------
    family : str
    n : int
    error : float
        The true calibration error.
    truth : str
        "calibrated", or how the scores are wrong.
    raw_bias, raw_sd : float or None
        Mean of the plug-in error less the true error, and standard deviation. None where the truth is out of reach.
    debiased_bias, debiased_sd : float or None
        Of the debiased error. None also where labels redrawn from the scores do not vary.
    width : float or None
        Mean width of the 95 % interval.
    power : float or None
        Share of evaluations whose p-value of calibration is at most .05; of calibrated scores the false alarms.
    """

    family: str
    n: int
    error: float
    truth: str
    raw_bias: float | None = None
    raw_sd: float | None = None
    debiased_bias: float | None = None
    debiased_sd: float | None = None
    width: float | None = None
    power: float | None = None


@dataclass(frozen=True)
class Unreachable:
    """An error that scores of a size cannot have in one way of being wrong, and the largest that they can."""

    n: int
    error: float
    truth: str
    largest: float


@dataclass(frozen=True)
class RowsNeeded:
    """How many rows a requirement takes with one family.

    Attributes
    ----------
    family : str
    requirement : {"width", "power"}
    wanted : float
    error, truth : float and str, or None
        Against what the power is; None for the width, which is that of the error where it is widest.
    relation : {"about", "at most", "more than"}
        "at most" where the smallest size tried meets it, "more than" where none does.
    n : int
    """

    family: str
    requirement: Literal["width", "power"]
    wanted: float
    error: float | None
    truth: str | None
    relation: Relation
    n: int

    @property
    def met(self) -> bool:
        """Whether a size that was tried meets the requirement."""
        return self.relation != "more than"

    def __str__(self) -> str:
        return RELATIONS[self.relation].format(f"{self.n:,}")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EvaluationPlan(Table):
    """How precisely a calibration error can be measured at several numbers of rows, as `plan_evaluation` returns it.

    Attributes
    ----------
    prospects : tuple of Prospect
        For each family, size, error and truth: bias and standard deviation of the raw and the debiased error, mean
        width of the 95 % interval, and power.
    unreachable : tuple of Unreachable
        Errors that the scores cannot have.
    needed : tuple of RowsNeeded
        The rows that the wanted width and power take, for each family.
    base_rate : float
        Mean of the scores that sizes were drawn from.
    own_scores : bool
        Whether these scores were given.
    width, power : float or None
        What was wanted.
    draws : int
        Simulated evaluations of each family, size and truth.

    Examples
    --------
    >>> import fitontest as fot
    >>> plan = fot.plan_evaluation(n=[400], base_rate=0.1, errors=[0.2], families=["isotonic"], draws=20)
    >>> plan.rows()[0]["power"], plan.unreachable[0].truth, round(plan.unreachable[0].largest, 2)
    (None, 'overconfident', 0.08)
    """

    prospects: tuple[Prospect, ...]
    unreachable: tuple[Unreachable, ...]
    base_rate: float
    own_scores: bool
    width: float | None
    power: float | None
    draws: int

    @property
    def families(self) -> list[str]:
        """The families of calibration maps, in the order given."""
        return list(dict.fromkeys(one.family for one in self.prospects))

    @property
    def errors(self) -> list[float]:
        """The true calibration errors that were simulated, in increasing order."""
        return sorted({one.error for one in self.prospects})

    @cached_property
    def needed(self) -> tuple[RowsNeeded, ...]:
        """How many rows the wanted precision and power take, under each family of calibration maps."""
        return tuple(one for family in self.families for one in self._needed(family))

    def meets(self, family: str) -> bool:
        """Return whether a family of calibration maps meets all that is wanted at one of the numbers of rows tried.

        Parameters
        ----------
        family : str
            One of `families`.

        Raises
        ------
        ValueError
            Another family.
        """
        return all(one.met for one in self._needed(choose(family, self.families, "family")))

    def rows(self) -> Records:
        """Return a record for each family of calibration maps, number of rows, true error and shape of it."""
        return [asdict(one) for one in self.prospects]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        return {
            "rows": self.rows(),
            "needed": [asdict(one) for one in self.needed],
            "unreachable": [asdict(one) for one in self.unreachable],
            **attributes(self, "base_rate", "own_scores", "width", "power", "draws"),
        }

    @property
    def sentences(self) -> list[str]:
        """The main findings in words.

        They are for the smallest positive error that can be planted, and for what was wanted.
        """
        return [*self._power_in_words(), *self._width_in_words()]

    @property
    def notes(self) -> list[str]:
        """Which true errors could not be simulated."""
        texts = []
        for error, truth in dict.fromkeys((one.error, one.truth) for one in self.unreachable):
            missed = [one for one in self.unreachable if (one.error, one.truth) == (error, truth)]
            sizes, largest = ", ".join(f"{one.n:,}" for one in missed), max(one.largest for one in missed)
            texts.append(
                f"An error of {error:g} is out of reach of {truth} scores of this distribution: theirs is at most "
                f"{short(largest)} (n = {sizes})."
            )
        return texts

    def sections(self) -> list[Section]:
        """Return what is printed: the rows needed, a table by number of rows, and the findings in words."""
        scores = "the scores given" if self.own_scores else "beta-distributed scores"
        title = (
            f"evaluations of {scores}, base rate {short(self.base_rate)}, {count(self.draws)} simulated for each figure"
        )
        truths = [truth for truth in dict.fromkeys(one.truth for one in self.prospects) if truth != CALIBRATED]
        explanation = NOTES.format(truths=" / ".join(truths) or "none here")
        notes = [f"Note: {note}" for note in self.notes]
        said = [*self.sentences, *notes]
        parts = [Section(title, *self._tabulate(), explanation)]
        if self.needed:
            parts.append(self._needed_section())
        return [*parts, Section(notes="\n".join(said))] if said else parts

    def _needed(self, family: str) -> list[RowsNeeded]:
        own = [one for one in self.prospects if one.family == family]
        most, needed = own[-1].n, []
        if self.width is not None:
            rows = _rows_needed("width", self.width, _largest_by_size(own, "width"), most)
            needed.append(RowsNeeded(family, "width", self.width, None, None, *rows))
        if self.power is not None:
            positive = dict.fromkeys((one.error, one.truth) for one in own if one.error > 0 and one.power is not None)
            for error, truth in positive:
                against = [one for one in own if (one.error, one.truth) == (error, truth)]
                rows = _rows_needed("power", self.power, _largest_by_size(against, "power"), most)
                needed.append(RowsNeeded(family, "power", self.power, error, truth, *rows))
        return needed

    def _tabulate(self) -> tuple[list[str], list[list[str]]]:
        header = ["family", "n", *("false alarms" if error == 0 else f"power at {error:g}" for error in self.errors)]
        header += ["width", "raw bias", "debiased bias", "s.d."]
        body = []
        for n in sorted({one.n for one in self.prospects}):
            for family in self.families:
                own = [one for one in self.prospects if (one.family, one.n) == (family, n)]
                if own:
                    shares = [_percent([one.power for one in own if one.error == error]) for error in self.errors]
                    largest = [_largest([getattr(one, key) for one in own]) for key in ("raw_bias", "debiased_bias")]
                    spread = cell(_largest([one.debiased_sd for one in own]))
                    width = cell(_largest([one.width for one in own]))
                    biases = ["-" if bias is None else f"{signed(bias)}" for bias in largest]
                    body.append([family, f"{n:,}", *shares, width, *biases, spread])
        return header, body

    def _needed_section(self) -> Section:
        """Return a table with a row for each family, and a column for the width and each error."""
        requirements = [] if self.width is None else [f"a mean width of {self.width}"]
        requirements += [] if self.power is None else [f"a power of {self.power} at the errors"]
        columns = list(dict.fromkeys((one.requirement, one.error) for one in self.needed))
        header = ["family", *("width" if error is None else f"{error:g}" for _, error in columns)]
        body = []
        for family in self.families:
            own = [one for one in self.needed if one.family == family]
            cells = [[str(one) for one in own if (one.requirement, one.error) == column] for column in columns]
            body.append([family, *(" / ".join(each) or "-" for each in cells)])
        return Section(f"rows needed for {', and for '.join(requirements)}", header, body)

    def _power_in_words(self) -> list[str]:
        """Say which family finds the smallest error most often at the smallest size, and how many rows it takes."""
        first = min(one.n for one in self.prospects)
        positive = [one for one in self.prospects if one.error > 0 and one.power is not None]
        here = [one for one in positive if one.n == first]
        if not here:
            return []
        error = min(one.error for one in here)
        truths = dict.fromkeys(one.truth for one in here if one.error == error)
        clauses = []
        for truth in truths:
            best = max((one for one in here if (one.error, one.truth) == (error, truth)), key=_power)
            clauses.append(f"in {_percent([best.power])} of evaluations if the scores are {truth} ({best.family})")
        place = f"At n = {first:,} and base rate {short(self.base_rate)}"
        said = [f"{place} an error of {error:g} is found at best {', '.join(clauses)}."]
        if len(truths) > 1:
            family, share = _best_for_all([one for one in here if one.error == error])
            said.append(f"The best of these families for both is {family}, with {_percent([share])} or more.")
        clauses = []
        for truth in truths:
            needed = [one for one in self.needed if (one.error, one.truth) == (error, truth)]
            if needed:
                clauses.append(f"{_fewest(needed)} if they are {truth}")
        if clauses and self.power is not None:
            said.append(f"To find it in {100 * self.power:g} % of them takes {', '.join(clauses)}.")
        return said

    def _width_in_words(self) -> list[str]:
        needed = [one for one in self.needed if one.requirement == "width"]
        return [f"A mean width of {self.width:g} takes {_fewest(needed)}."] if needed else []


def _largest_by_size(prospects: Sequence[Prospect], key: Literal["width", "power"]) -> dict[int, float]:
    """Return the largest of the values that exist, by the number of rows, which increases."""
    largest: dict[int, float] = {}
    for prospect in sorted(prospects, key=lambda prospect: prospect.n):
        value = getattr(prospect, key)
        if value is not None:
            largest[prospect.n] = max(value, largest.get(prospect.n, value))
    return largest


def _rows_needed(requirement: str, wanted: float, values: dict[int, float], most: int) -> tuple[Relation, int]:
    """Return the smallest size that meets a requirement, between the last that does not and the first that does.

    `most` is the largest size that was tried.
    """
    sizes = list(values)
    met = [n for n in sizes if (values[n] <= wanted if requirement == "width" else values[n] >= wanted)]
    if not met:
        return "more than", most
    after = sizes.index(met[0])
    if after == 0:
        return "at most", met[0]
    scale: Callable[[float], float] = log if requirement == "width" else float
    before, reached = scale(values[sizes[after - 1]]), scale(values[met[0]])
    share = (scale(wanted) - before) / (reached - before)
    between = exp(log(sizes[after - 1]) + share * log(met[0] / sizes[after - 1]))
    return "about", min(_rounded_up(between), met[0])


def _rounded_up(rows: float) -> int:
    """Return the number of rows with two significant digits, no smaller one."""
    unit = 10 ** max(floor(log10(rows)) + 1 - DIGITS, 0)
    return int(ceil(rows / unit - 1e-9) * unit)


def _best_for_all(prospects: Sequence[Prospect]) -> tuple[str, float]:
    """Return the family whose least power over the truths is the largest, and that power."""
    least: dict[str, float] = {}
    for one in prospects:
        least[one.family] = min(_power(one), least.get(one.family, 1.0))
    best = max(least, key=least.__getitem__)
    return best, least[best]


def _power(prospect: Prospect) -> float:
    return -1.0 if prospect.power is None else prospect.power


def _percent(shares: Sequence[float | None]) -> str:
    numbers = " / ".join("-" if share is None else f"{100 * share:.0f}" for share in shares)
    return f"{numbers} %"


def _largest(values: Sequence[float | None]) -> float | None:
    """Return the value farthest from 0."""
    return max((value for value in values if value is not None), key=abs, default=None)


def _fewest(needed: Sequence[RowsNeeded]) -> str:
    """Return the fewest rows that any family needs, and which that is."""
    met = [one for one in needed if one.met]
    if not met:
        most = max(one.n for one in needed)
        return f"more than {most:,} rows with each of these families"
    best = min(met, key=lambda one: one.n)
    return f"{best.relation} {best.n:,} rows ({best.family})"
