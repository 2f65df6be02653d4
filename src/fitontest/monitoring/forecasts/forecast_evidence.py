"""The result of comparing two forecasts row by row: the running evidence that the other one is better, as a table."""

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Any

import numpy as np

from fitontest.monitoring.evidence.numbers import e_in_words, e_value_of, finite_e_value
from fitontest.monitoring.forecasts.interleaved import factor_of_lag
from fitontest.results.frames import Records
from fitontest.results.table import Section, Table
from fitontest.results.text import count, p_alone, p_in_words, percent
from fitontest.typing import FloatArray

PRINTED = 10  # rows of the table that is printed


@dataclass(frozen=True, eq=False, repr=False)
class ForecastEvidence(Table):
    """The evidence that another forecast is better than the scores by the Brier score, from `forecast_evidence`.

    What is tested is "in no row is the other forecast nearer to the true rate than the score".

    Attributes
    ----------
    log_es : array of shape (n,)
        The natural logarithm of the evidence after each row; -inf after a bet that was sure and wrong.
    log_sups : array of shape (n,)
        That of the mean over the products of the largest value so far of each, what p-values at any time are of.
    n_labels : int
        Rows with a label.
    weight : float
        Of the other forecast in the bet.
    lag : int
        After how many rows a label is known.
    alpha : float
        The probability of a false alarm, at any time.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> c = rng.random(500)
    >>> evidence = fot.forecast_evidence(rng.random(500) < c, 0.5 * c + 0.25, c)
    >>> evidence.alarm, len(evidence.to_frame())
    (True, 500)
    """

    log_es: FloatArray
    log_sups: FloatArray
    n_labels: int
    weight: float
    lag: int
    alpha: float

    @property
    def n(self) -> int:
        """Rows, those without a label among them."""
        return self.log_es.size

    @property
    def log_e(self) -> float:
        """The natural logarithm of the evidence after the last row."""
        return float(self.log_es[-1])

    @property
    def e_value(self) -> float:
        """The evidence after the last row; its mean is at most 1 if the other forecast is never better.

        With a lag above 1 that is so where the number of rows was fixed beforehand; at other times see `p_values`.
        """
        return e_value_of(self.log_e)

    @cached_property
    def p_values(self) -> FloatArray:
        """The p-value after each row, which holds at any time: it may be looked at after every row, shape (n,).

        1 / (the largest evidence so far); with a lag h above 1 a_h / (the mean over the products of the largest of each
        so far), see `factor_of_lag`, since labels that are known late are known to the rows in between.
        """
        return np.minimum(1.0, factor_of_lag(self.lag) * np.exp(-self.log_sups))

    @property
    def p_value(self) -> float:
        """The p-value after the last row, which holds at any time."""
        return float(self.p_values[-1])

    @property
    def alarm(self) -> bool:
        """Whether the p-value is at most alpha: there were rows where the other forecast is better."""
        return self.alarm_since is not None

    @cached_property
    def alarm_since(self) -> int | None:
        """The place, from 0, of the first row after which the p-value is at most alpha; None without one.

        With a lag of 1 that is where the evidence reaches 1 / alpha.
        """
        reached = np.flatnonzero(self.p_values <= self.alpha)
        return int(reached[0]) if reached.size else None

    @property
    def sentence(self) -> str:
        """What the labels say, in a sentence."""
        if self.alarm_since is None:
            found = f"E = {e_in_words(self.log_e)}, {p_in_words(self.p_value)} at any time"
            return f"That the other forecast is never better than the scores is not refuted ({found})."
        found = f"now E = {e_in_words(self.log_e)}, {p_in_words(self.p_value)}"
        return (
            "The other forecast is better than the scores by the Brier score, at least in some rows: refuted is that "
            f"it never is, since row {self.alarm_since + 1:,} ({found})."
        )

    def rows(self) -> Records:
        """Return a record for each row: its place from 0, the evidence and the p-value after it.

        ``log_e`` is None where the evidence is 0, and ``e_value`` where it is above 1e300.
        """
        return [self._row(place) for place in range(self.n)]

    def _row(self, place: int) -> dict[str, Any]:
        log_e, p_value = float(self.log_es[place]), float(self.p_values[place])
        return {
            "row": place,
            "log_e": None if log_e == -inf else log_e,
            "e_value": finite_e_value(log_e),
            "p_value": p_value,
            "alarm": self.alarm_since is not None and place >= self.alarm_since,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence after the last row, what it is of, and the records as JSON-ready values."""
        last = self._row(self.n - 1)
        return {
            "sentence": self.sentence,
            "n": self.n,
            "n_labels": self.n_labels,
            **{name: last[name] for name in ("log_e", "e_value", "p_value", "alarm")},
            "alarm_since": self.alarm_since,
            "weight": self.weight,
            "lag": self.lag,
            "alpha": self.alpha,
            "rows": self.rows(),
        }

    def sections(self) -> list[Section]:
        """Return what is printed: the sentence, the evidence after some of the rows, and what it rests on."""
        missing = "" if self.n_labels == self.n else f", {count(self.n - self.n_labels)} of them without a label"
        body = [
            [f"{place + 1:,}", e_in_words(float(self.log_es[place])), p_alone(float(self.p_values[place]))]
            for place in np.unique(np.linspace(0, self.n, PRINTED + 1).astype(int)[1:].clip(1) - 1)
        ]
        return [
            Section(
                title=f"another forecast against the scores by the Brier score, {count(self.n)} rows in order{missing}",
                lead=self.sentence,
                header=["after row", "E", "p-value"],
                body=body,
                notes=self._notes,
            )
        ]

    @property
    def _notes(self) -> str:
        share, rest = percent(self.weight), percent(1.0 - self.weight)
        bet = f"The bet is {share} of the other forecast and {rest} of the score."
        if self.weight == 1.0:
            bet = "The bet is the other forecast."
        false = f"If it is never better, a false alarm ever has a probability of at most {percent(self.alpha)}."
        if self.lag == 1:
            return f"{bet} {false}"
        products = (
            f"E is the mean of {self.lag} products over rows that are {self.lag} apart, as labels are known so late"
        )
        return f"{bet} {products}; p-values are of the largest values of these products so far. {false}"
