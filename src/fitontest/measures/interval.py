"""Intervals of errors, and of which errors they are."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

from fitontest.results.frames import finite_or_none
from fitontest.results.quoting import Kind, in_decimals, quote
from fitontest.results.text import percent, short

BY_LABELS = "cut off at what the labels beside the threshold leave open"
BY_NOISE = "as far as the noise of labels reaches on either side, whatever the shape of the error"
POPULATION = "the population"  # what intervals by a formula are of


@dataclass(frozen=True)
class Interval:
    """Between which values the true one lies with a confidence of `level`."""

    low: float
    high: float
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Return the interval as JSON-ready values; an end that is infinite is None."""
        return {**asdict(self), "low": finite_or_none(self.low), "high": finite_or_none(self.high)}


def quote_with(interval: Interval | None, value: float, kind: Kind = "error") -> str:
    """Return a value as texts quote it, with its interval if there is one.

    Parameters
    ----------
    interval : Interval or None
    value : float
    kind : {"error", "score", "ratio", "slope", "benefit"}, default="error"
        Of the statistic, whose decimals are used.

    Examples
    --------
    >>> quote_with(Interval(1.05, 1.131, 0.95), 1.094, "ratio"), quote_with(None, 1.094, "ratio")
    ('1.09 (95 % CI 1.05 to 1.13)', '1.09')
    """
    if interval is None:
        return in_decimals([value], kind)[0]
    return quote(value, interval.low, interval.high, interval.level, kind)


@dataclass(frozen=True)
class Roughness:
    """That the true map is rougher than a spline can follow, and where the interval comes from instead.

    Attributes
    ----------
    p_value : float
        Of the fit test of the spline.
    by : {"isotonic", "levels"}
        The map that the truths go towards: an isotonic map, which may jump, or the means of neighbouring rows.
    near_rows : float
        Rows over which neighbours are looked for, on average: fewer where events are frequent and more where they are
        rare; 0: rows of equal score.
    few_rows : float or None
        The share of the rows that hold all of the error, where that is small; None elsewhere.
    of_single_groups : bool
        Whether most rows are in levels that single groups have alone.
    """

    p_value: float
    by: Literal["isotonic", "levels"]
    near_rows: float
    few_rows: float | None = None
    of_single_groups: bool = False

    def in_words(self, *, widened: bool = False) -> str:
        """Return a sentence for readers; `widened`: of an interval that holds another one beside that of the map.

        Parameters
        ----------
        widened : bool, default=False
            Whether the family's own interval was widened; else the interval is that of the map alone.
        """
        does = "was widened to hold that of" if widened else "is that of"
        test = f"a spline does not fit (p = {short(self.p_value, 2)}): the interval {does}"
        if self.by == "isotonic":
            return f"{test} an isotonic map, which may jump"
        rows = f"about {self.near_rows:,.0f} neighbouring rows" if self.near_rows else "the rows of each score"
        levels = f"{test} levels of {rows}"
        if self.few_rows is None:
            return levels
        return f"{levels}, which differ from the scores in {percent(self.few_rows)} of the rows"


@dataclass(frozen=True)
class ErrorInterval(Interval):
    """Between which values the error of these scores lies, by redrawn labels.

    Attributes
    ----------
    low, high : float
    level : float
    target : str
        Of which error: "true error"; "the family's own", the distance of the scores from what the family would fit to
        endless data; "towards" the family or map that was given as direction; or "the population", the value for the
        population that the rows are drawn from, of a measure with a formula.
    draws : int
        Labellings redrawn from each truth; 0 of a formula.
    seed : int
        Of these labellings.
    stand_in : str or None
        The family that was refitted to them, where it was not the measure's own.
    widened_by : str or None
        Whose interval this one holds too, where the measure's own family cannot follow the scores, or was not refitted
        itself: "spline", "isotonic" or "levels".
    replaced : bool
        Whether it is the interval of `widened_by` alone, as of a spline that does not fit.
    fit_p_value : float or None
        Of the test whether a spline fits the labels; None where it was not made.
    roughness : Roughness or None
        What the interval comes from where the spline does not fit.
    cut : bool
        Whether an end is the exact bound of what labels alone leave open, as of decision losses.
    method : str
        The formula of the interval, of a measure that has one; "": labels were redrawn.
    """

    target: str
    draws: int
    seed: int = 0
    stand_in: str | None = None
    widened_by: str | None = None
    replaced: bool = False
    fit_p_value: float | None = None
    roughness: Roughness | None = None
    method: str = ""
    cut: bool = False

    @classmethod
    def by_formula(cls, low: float, high: float, level: float, method: str) -> "ErrorInterval":
        """Return the interval of a measure that has a formula for it, of which no label is redrawn.

        Parameters
        ----------
        low, high : float
        level : float
        method : str
            What the formula is called, such as "of the logarithm, by the normal approximation".
        """
        return cls(low, high, level, target=POPULATION, draws=0, method=method)

    @property
    def follows_badly(self) -> bool:
        """Whether it was widened because the family follows the scores badly, though a spline fits them."""
        return self.widened_by is not None and self.roughness is None and self.stand_in is None

    @property
    def source(self) -> str:
        """What the interval holds beside the family's own or leaves out of it, and why, or ""."""
        if self.widened_by is None:
            return BY_LABELS if self.cut else ""
        if self.roughness is not None:
            return self.roughness.in_words(widened=not self.replaced)
        return f"widened to hold the interval of {self.widened_by}"
