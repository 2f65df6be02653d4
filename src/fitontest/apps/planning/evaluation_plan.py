"""The result of planning an evaluation: how well families evaluate calibration at numbers of rows."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fitontest.apps.planning.answer import answer, largest_by_size
from fitontest.apps.planning.prospect import CALIBRATED, Prospect
from fitontest.apps.planning.rows_needed import Noise, RowsNeeded, find_rows
from fitontest.data.known_groups import KnownGroups
from fitontest.results.checks import choose
from fitontest.results.detailed import Detailed, explanation
from fitontest.results.frames import Records, attributes
from fitontest.results.short_print import short_print
from fitontest.results.table import Section, Table, cell
from fitontest.results.text import count, short, signed

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.curve import CurveDisplay

RANGE = "In brackets: between which numbers other seeds of the simulation would put this one, in about 95 % of cases."
NOTES = (
    "false alarms: share of the evaluations of calibrated scores with a p-value of at most .05. power: that share of "
    "scores with the error, {truths}. width: mean width of the 95 % interval. bias: mean of the error as it is "
    "or corrected, less the true one; s.d.: of the corrected one. Width, biases and s.d.: the largest of all errors."
)

OF_GROUPS = (
    "n is made up of whole groups of the pilot, drawn with replacement, and labels have its rho, which is taken as "
    "known: where it is hardly known, so are these numbers."
)


@dataclass(frozen=True)
class Unreachable:
    """An error that scores of a size cannot have in one way of being wrong, and the largest that they can."""

    n: int
    error: float
    truth: str
    largest: float


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
    width_noise : float
        Standard deviation of a simulated mean width, as a share of it.
    groups : KnownGroups or None
        What is known of the groups of the pilot, of which sizes are made up; None where none were named.

    Examples
    --------
    >>> import fitontest as fot
    >>> plan = fot.apps.plan_evaluation(n=[400], base_rate=0.1, errors=[0.2], families=["isotonic"], draws=20)
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
    width_noise: float = 0.0
    groups: KnownGroups | None = None

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
        needed = [asdict(one) for one in self.needed]
        of_groups = {}
        if self.groups is not None:
            of_groups = {"groups": self.groups.to_dict()}
            needed = [{**one, "groups": self.groups.groups_of(one["n"])} for one in needed]
        return {
            "rows": self.rows(),
            "needed": needed,
            **of_groups,
            "unreachable": [asdict(one) for one in self.unreachable],
            **attributes(self, "base_rate", "own_scores", "width", "power", "draws"),
        }

    @property
    def sentences(self) -> list[str]:
        """The answer in words: how many rows what is wanted takes, with the calibration maps that need the fewest.

        Where nothing was wanted, what the smallest and the largest number of rows give.
        """
        return answer(self.prospects, self.needed, self.draws, self.groups)

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
        """Return what is printed: how many rows what is wanted takes, or what the numbers of rows give."""
        groups = [] if self.groups is None else self.groups.lines
        further = [f"For {self._scores}.", *self._range, *self.notes, *groups]
        return [short_print(self.sentences, further=further)]

    def table(self) -> Table:
        """Return the rows needed and a table by number of rows, of every family, with what their columns mean.

        Returns
        -------
        Table
            With the same records; printing it shows more.
        """
        first, *others = self.sentences or [""]
        parts = [Section(first, notes="\n".join(others))] if first else []
        parts += [self._needed_section()] if self.needed else []
        title = f"evaluations of {self._scores}"
        return Detailed(self, (*parts, Section(title, *self._tabulate(), "\n".join(self._explanation))))

    def explain(self) -> Table:
        """Return what the words and columns of this plan mean, in plain sentences.

        Returns
        -------
        Table
            With the same records; printing it shows the sentences.
        """
        return explanation(self, [*self.sentences, f"These are of {self._scores}.", *self._explanation])

    @property
    def _scores(self) -> str:
        """Of which scores the plan is, and how often evaluations of them were simulated."""
        scores = "the scores given" if self.own_scores else "beta-distributed scores"
        return f"{scores}, base rate {short(self.base_rate)}, {count(self.draws)} simulated for each figure"

    @property
    def _range(self) -> list[str]:
        """What numbers in brackets are, where there are any."""
        return [RANGE] if any("(" in sentence for sentence in self.sentences) else []

    @property
    def _explanation(self) -> list[str]:
        """What columns mean, and what must be known to read them."""
        truths = [truth for truth in dict.fromkeys(one.truth for one in self.prospects) if truth != CALIBRATED]
        groups = [] if self.groups is None else [*self.groups.lines, *self._note_on_groups]
        return [*self._range, *self.notes, *groups, NOTES.format(truths=" / ".join(truths) or "none here")]

    @property
    def _note_on_groups(self) -> list[str]:
        assert self.groups is not None  # else there is nothing to say
        return [] if self.groups.sizes.are_single else [OF_GROUPS]

    def plot(self, ax: "AxesOrFigure" = None) -> "CurveDisplay":
        """Draw the half-width of the 95 % interval and the power against the number of test rows.

        There is a line for each family of calibration maps, and a panel of the power for each true error. Each line is
        of the least favourable case: the widest interval over the true errors, the least power over the ways of being
        wrong. A grey line is what is wanted, with a ring where a family's line meets it: so many rows are needed. The
        title says what the families that need the fewest rows need.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; by default a new pyplot figure that is large enough.

        Returns
        -------
        CurveDisplay
            Its parts are "width", "power" and "needed".

        Raises
        ------
        ValueError
            There is neither a width nor a power to draw, as with the family "identity".

        Examples
        --------
        >>> import fitontest as fot
        >>> from matplotlib.figure import Figure
        >>> plan = fot.apps.plan_evaluation(n=[100, 400], errors=[0.1], families=["isotonic"], draws=20)
        >>> plan.plot(Figure()).to_frame(part="power")["n"].tolist()
        [100, 400]
        """
        return self.diagram().plot(ax)

    def diagram(self) -> "CurveDisplay":
        """Return the diagram, not yet drawn; `CurveDisplay.save` draws and saves it."""
        from fitontest.apps.displays.plan import plan_display

        return plan_display(self)

    def _needed(self, family: str) -> list[RowsNeeded]:
        own = [one for one in self.prospects if one.family == family]
        most, needed, noise = own[-1].n, [], Noise(self.draws, self.width_noise)
        if self.width is not None:
            rows = find_rows("width", self.width, largest_by_size(own, "width"), most, noise)
            needed.append(RowsNeeded(family, "width", self.width, None, None, *rows))
        if self.power is not None:
            positive = dict.fromkeys((one.error, one.truth) for one in own if one.error > 0 and one.power is not None)
            for error, truth in positive:
                against = [one for one in own if (one.error, one.truth) == (error, truth)]
                rows = find_rows("power", self.power, largest_by_size(against, "power"), most, noise)
                needed.append(RowsNeeded(family, "power", self.power, error, truth, *rows))
        return needed

    def _tabulate(self) -> tuple[list[str], list[list[str]]]:
        header = ["family", "n", *("false alarms" if error == 0 else f"power at {error:g}" for error in self.errors)]
        header += ["width", "bias uncorrected", "bias corrected", "s.d."]
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
        requirements = [] if self.width is None else [f"a mean width of {self.width:g}"]
        requirements += [] if self.power is None else [f"a power of {self.power:g} at the errors"]
        columns = list(dict.fromkeys((one.requirement, one.error) for one in self.needed))
        header = ["family", *("width" if error is None else f"{error:g}" for _, error in columns)]
        body = []
        for family in self.families:
            own = [one for one in self.needed if one.family == family]
            cells = [[str(one) for one in own if (one.requirement, one.error) == column] for column in columns]
            body.append([family, *(" / ".join(each) or "-" for each in cells)])
        return Section(f"rows needed for {', and for '.join(requirements)}", header, body)


def _percent(shares: Sequence[float | None]) -> str:
    numbers = " / ".join("-" if share is None else f"{100 * share:.0f}" for share in shares)
    return f"{numbers} %"


def _largest(values: Sequence[float | None]) -> float | None:
    """Return the value farthest from 0."""
    return max((value for value in values if value is not None), key=abs, default=None)
