"""The evidence of a monitor so far, as a table with a sentence first."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, inf, log
from typing import TYPE_CHECKING, Any

from fitontest.cells.cell_sums import CellSums
from fitontest.data.score_sample import ScoreSample
from fitontest.monitoring.evidence.batch_table import table_of
from fitontest.monitoring.evidence.direction import Direction, sample_of
from fitontest.monitoring.evidence.pictures import pictures_of
from fitontest.monitoring.evidence.wording import (
    Ends,
    e_in_words,
    ends_in_words,
    headline_of,
    key_in_words,
    notes_of,
    onset_in_words,
    rounded_down,
    size_in_words,
)
from fitontest.monitoring.history import Record
from fitontest.monitoring.process import Process
from fitontest.monitoring.settings import Settings
from fitontest.monitoring.state import MonitorState
from fitontest.results.frames import Records
from fitontest.results.table import Section, Table
from fitontest.results.text import count, short

if TYPE_CHECKING:
    from fitontest.displays.canvas import SomeFigure
    from fitontest.displays.monitor import MonitorDisplay

LARGEST_LOG = 300.0 * log(10.0)  # of an E that is written as a number


@dataclass(frozen=True, eq=False, repr=False)
class MonitorEvidence(Table):
    """What the batches so far say on the calibration of a model, with a sentence first.

    Made by `Monitor.update` and `Monitor.evidence`. `rows` holds a record for each batch; with segments the records
    of each segment follow, under ``segment``.

    Attributes
    ----------
    settings : Settings
        What is tested, at which level, and who bets.
    process : Process
        The evidence of all rows together, or of those of one segment; of whole distributions a `VectorProcess`.
    log_es : tuple of float
        The evidence after each batch, as a natural logarithm; with segments that of all rows and segments together.
    segments : mapping from key to MonitorEvidence
        That of each segment; empty without segments.
    named : tuple of keys
        The segments that the e-BH procedure names by the evidence now, the share of false ones among them being at most
        `alpha` on average.
    prior : float
        The prior weight of a segment; its alarm is at E >= 1 / (alpha prior).
    refuted : tuple of (str, int), or None
        The first labels that what is tested rules out, in words, and the place of their batch.
    lives : int
        Models that were monitored before this one, see `Monitor.restart`.

    Notes
    -----
    E is the product of the gains of bets against the scores, each fixed before the labels it is paid by. If the scores
    are calibrated it ever reaches 1 / alpha with probability at most alpha, however often one looks (Ville's
    inequality), and p = 1 / max E is a p-value at any time. The alarm is of the first such batch, and stays.

    What stands of the rows since the likeliest onset are point estimates: the onset was chosen by the same labels.

    References
    ----------
    Ramdas, Grunwald, Vovk, Shafer (2023), Game-theoretic statistics and safe anytime-valid inference, Statistical
    Science 38. https://doi.org/10.1214/23-STS894

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(1)
    >>> monitor = fot.Monitor()
    >>> for month in range(6):
    ...     p = rng.beta(1, 3, 500)
    ...     evidence = monitor.update(rng.random(500) < (p if month < 3 else np.sqrt(p)), p)
    >>> evidence.alarm, evidence.alarm_since, evidence.onset
    (True, 3, 3)
    >>> print(evidence.headline.partition(" (")[0])
    Calibration is refuted since batch 4
    """

    settings: Settings
    process: Process
    log_es: tuple[float, ...]
    segments: Mapping[Any, "MonitorEvidence"] = field(default_factory=dict)
    named: tuple[Any, ...] = ()
    prior: float = 1.0
    refuted: tuple[str, int] | None = None
    lives: int = 0

    @classmethod
    def of(cls, state: MonitorState) -> "MonitorEvidence":
        """Return the evidence of all that a monitor knows.

        Parameters
        ----------
        state : MonitorState
            After the last batch.
        """
        lives, refuted = len(state.lives), None
        together: Any = state.together
        parts: Mapping[Any, Any] = state.segments
        if state.refuted_by is not None:
            refuted = state.refuted_by, state.refuted_at
        segments = {
            key: cls(
                state.settings,
                process,
                tuple(record.log_e for record in process.records),
                prior=state.priors[key],
                refuted=_refuted(process, state.settings),
                lives=lives,
            )
            for key, process in parts.items()
        }
        return cls(state.settings, together, state.log_es, segments, state.named, refuted=refuted, lives=lives)

    @property
    def alpha(self) -> float:
        """The probability of a false alarm, at any time."""
        return self.settings.alpha

    @property
    def max_error(self) -> float | None:
        """The mean error that is tested, if one is."""
        return self.settings.max_error

    @property
    def log_limit(self) -> float:
        """The evidence of an alarm, as a natural logarithm."""
        return self.settings.log_limit - log(self.prior)

    @property
    def records(self) -> tuple[Record, ...]:
        """What each batch came to, of all rows together."""
        return self.process.records

    @property
    def batches(self) -> list[str]:
        """The names of the batches."""
        return [record.batch for record in self.records]

    @property
    def n(self) -> int:
        """Rows so far."""
        return self.process.n

    @property
    def left_out(self) -> int:
        """Rows that were not counted, since an earlier batch had their groups."""
        return sum(record.left_out for record in self.records)

    @property
    def events(self) -> int | None:
        """Rows so far that are positive; None of several classes together."""
        return None if self.is_by_class else self.process.events

    @property
    def is_by_class(self) -> bool:
        """Whether segments are classes, each against the rest, so that every row is positive for one of them."""
        return bool(self.segments) and self.settings.layout.is_by_class

    @property
    def segments_in_words(self) -> str:
        """How many segments or classes there are."""
        many = len(self.segments)
        return f"{many} {'class' if self.is_by_class else 'segment'}{('es' if self.is_by_class else 's') * (many != 1)}"

    @property
    def keeps_lines(self) -> bool:
        """Whether lines of the logits and mean errors are known: not of probabilities of all classes at once."""
        return not self.records or self.records[-1].error_low is not None

    @property
    def log_e(self) -> float:
        """The natural logarithm of the evidence now, always finite.

        Where labels are impossible, see `refuted_by`, it is that of all others.
        """
        return self.log_es[-1] if self.log_es else 0.0

    @property
    def e_value(self) -> float:
        """The evidence now; infinite after labels that what is tested rules out."""
        return inf if self.is_infinite or self.log_e > LARGEST_LOG else exp(self.log_e)

    @property
    def p_value(self) -> float:
        """A p-value that holds at any time: one over the largest evidence so far."""
        return self.settings.p_value(inf if self.is_infinite else max(self.log_es, default=0.0))

    @property
    def is_infinite(self) -> bool:
        """Whether there were labels that what is tested rules out, such as a positive row of score 0."""
        return self.refuted is not None

    @property
    def refuted_by(self) -> str | None:
        """The first labels that what is tested rules out, in words."""
        return None if self.refuted is None else self.refuted[0]

    @property
    def alarm(self) -> bool:
        """Whether there was an alarm so far."""
        return self.alarm_since is not None

    @property
    def alarm_since(self) -> int | None:
        """The place, from 0, of the batch of the first alarm; None without one. Of a segment, among its own batches."""
        limit = self.log_limit
        first = next((k for k, log_e in enumerate(self.log_es) if log_e >= limit), None)
        if self.refuted is None:
            return first
        return self.refuted[1] if first is None else min(first, self.refuted[1])

    @property
    def level(self) -> Ends:
        """The shifts of the logits that all batches leave open, at all times, if there is one and it never changed.

        An end is None where it is not known; None where no line agrees with all batches.
        """
        return self.records[-1].level if self.records else (None, None)

    @property
    def slope(self) -> Ends:
        """The slopes of the logits that all batches leave open, in the same way."""
        return self.records[-1].slope if self.records else (None, None)

    @property
    def error_low(self) -> float:
        """In at least one batch so far the mean of abs(c - p) over its rows was at least this, c being the true rates.

        It holds at all times with probability 1 - alpha, of all rows together where there are segments. It is no bound
        on the error now, and stays where it is when a model recovers.
        """
        return (self.records[-1].error_low or 0.0) if self.records else 0.0

    @property
    def onset(self) -> int | None:
        """The place, from 0, of the batch since which the evidence grew most, a point estimate; None without growth."""
        return self.process.onset

    @property
    def log_cusum(self) -> float:
        """The natural logarithm of the evidence since the likeliest onset.

        It falls while scores are calibrated again, after a strong alarm for long.
        """
        return max(self.process.log_cusum, 0.0)

    @property
    def cusum_alarm(self) -> bool:
        """Whether the evidence since the onset is one that calibrated scores reach once in `run_length` batches."""
        return self.process.log_cusum >= log(self.settings.run_length)

    @property
    def shown_onset(self) -> int | None:
        """The onset where the evidence since then is one of an alarm; else None: calibrated scores have one too."""
        least = min(self.log_limit, log(self.settings.run_length))
        return self.onset if self.log_cusum >= least and (self.alarm or self.cusum_alarm) else None

    @cached_property
    def direction(self) -> Direction | None:
        """What the rows since the onset that is shown say of the direction, as point estimates; None without one."""
        if self.shown_onset is None:
            return None
        return Direction.of(self.process, self.settings.layout.labels, shared=self._shares_rows)

    @property
    def headline(self) -> str:
        """What the batches so far say, in a few sentences."""
        return headline_of(self)

    def samples(self) -> dict[str, ScoreSample]:
        """Return the rows before and since the likeliest onset, by name, or without an alarm all rows.

        They are by cell of the score, of 1/32 in probability and in logit.
        """
        before, since, onset = self.process.before, self.process.since, self.shown_onset
        if before is None or since is None:  # whole distributions, of which no rows are kept
            return {}
        if onset is None:
            sums = CellSums.added((before, since))
            parts = {"all batches": sums}
        else:
            name = self.batches[onset]
            parts = {f"before batch {name}": before, f"since batch {name}": since}
        entries = f"{len(self.segments)} entries a row, " if self.is_by_class else ""
        shared = self._shares_rows
        return {f"{entries}{name}": sample_of(sums, shared=shared) for name, sums in parts.items() if len(sums)}

    @property
    def _shares_rows(self) -> bool:
        """Whether several rows of a group, or entries of a row, count as one row together."""
        return bool(self.settings.layout.groups) or self.is_by_class

    def rows(self) -> Records:
        """Return a record for each batch, and with segments one for each segment and batch below them.

        ``log_e``, ``e_value`` (None where it is infinite or above 1e300) and ``p_value`` are what alarms are of;
        ``log_factor`` and those of bettors are of the batch, and ``log_gain_spline`` and so on what the map of a family
        gained in log loss, summed over the rows. With segments the first records have None under ``segment``.
        """
        bettors = [name for record in self.records for name in record.log_factors]
        gains = [name for record in self.records for name in record.log_gains]
        columns = [*dict.fromkeys(bettors)], [*dict.fromkeys(gains)]
        rows = self._rows(columns)
        if not self.segments:
            return rows
        return [{"segment": None, **row} for row in rows] + [
            {"segment": key_in_words(key), **row} for key, each in self.segments.items() for row in each._rows(columns)
        ]

    def _rows(self, columns: tuple[list[str], list[str]]) -> Records:
        highest, alarm_since, rows = 0.0, self.alarm_since, []
        for k, (record, log_e) in enumerate(zip(self.records, self.log_es, strict=True)):
            highest = max(highest, log_e)
            refuted = self.refuted is not None and k >= self.refuted[1]
            low, high = record.level or (None, None)
            slope_low, slope_high = record.slope or (None, None)
            rows.append(
                {
                    "batch": record.batch,
                    "time": record.time,
                    "n": record.n,
                    "events": None if self.is_by_class else record.events,
                    "expected": None if self.is_by_class else record.expected,
                    "left_out": record.left_out,
                    "log_factor": record.log_factor,
                    "log_e": log_e,
                    "e_value": None if refuted or log_e > LARGEST_LOG else exp(log_e),
                    "refuted": refuted,
                    "p_value": self.settings.p_value(inf if refuted else highest),
                    "alarm": alarm_since is not None and k >= alarm_since,
                    "log_cusum": max(record.log_cusum, 0.0),
                    "level_low": low,
                    "level_high": high,
                    "slope_low": slope_low,
                    "slope_high": slope_high,
                    "line_agrees": record.level is not None and record.slope is not None,
                    "error_low": record.error_low,
                    **{f"log_factor_{name}": record.log_factors.get(name) for name in columns[0]},
                    **{f"log_gain_{name}": record.log_gains.get(name) for name in columns[1]},
                }
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return the evidence now, the estimates since the onset, and the records as JSON-ready values."""
        return {**self._summary(), "rows": self.rows()}

    def _summary(self) -> dict[str, Any]:
        direction = self.direction
        e_value = self.e_value
        return {
            "headline": self.headline,
            "alpha": self.alpha,
            "max_error": self.max_error,
            **self.settings.null.in_brief,
            "n": self.n,
            "events": self.events,
            "batches": len(self.records),
            "log_e": self.log_e,
            "e_value": None if e_value == inf else e_value,
            "refuted_by": self.refuted_by,
            "p_value": self.p_value,
            "alarm": self.alarm,
            "alarm_since": self.alarm_since,
            "level": None if self.level is None else [*self.level],
            "slope": None if self.slope is None else [*self.slope],
            "error_low": self.error_low,
            "onset": self.onset,
            "since_onset": None if direction is None else direction.to_dict(),
            "log_cusum": self.log_cusum,
            "cusum_alarm": self.cusum_alarm,
            "named": [key_in_words(key) for key in self.named],
            "segments": [{"segment": key_in_words(key), **each._summary()} for key, each in self.segments.items()],
        }

    def _pictures(self) -> list[tuple[str, str]]:
        """Return the values after each batch and the calibration, for a page."""
        return self.pictures()

    def pictures(self, prefix: str = "") -> list[tuple[str, str]]:
        """Return the values after each batch and the calibration as SVG for a page, each with what it shows.

        Parameters
        ----------
        prefix : str, default=""
            Before the identifiers in the pictures, which must differ from all others on the page.
        """
        return pictures_of(self, prefix) if self.n else []

    def sections(self) -> list[Section]:
        """Return the sentence, the table of the batches, and that of segments where there are any."""
        rows = self._rows(([], []))
        alarm_since = self.alarm_since
        onset = self.shown_onset
        header, body = table_of(rows, onset, alarm_since) if rows else ([], [])
        lead = "\n".join([self.headline, *([size_in_words(self), onset_in_words(self)] if rows else [])])
        notes = "\n".join(notes_of(self, lives=self.lives))
        table = Section(lead=lead, header=header, body=body)
        parts = [table, *([self._segment_table()] if self.segments else [])]
        return [*parts[:-1], Section(parts[-1].title, parts[-1].header, parts[-1].body, notes, parts[-1].lead)]

    def _segment_table(self) -> Section:
        """Return a row for each segment, the largest evidence first."""
        header = [
            "class" if self.is_by_class else "segment",
            "n",
            "events",
            "O:E",
            "E",
            "level",
            "slope",
            "error >=",
            "named",
        ]
        ranked = sorted(self.segments.items(), key=lambda item: (not item[1].is_infinite, -item[1].log_e))
        body = [
            [
                key_in_words(key),
                count(each.n),
                "-" if each.events is None else count(each.events),
                each._ratio_in_words,
                "infinite" if each.is_infinite else e_in_words(each.log_e),
                ends_in_words(each.level),
                ends_in_words(each.slope),
                rounded_down(each.error_low),
                "yes" if key in self.named else "",
            ]
            for key, each in ranked
        ]
        return Section(f"{self.segments_in_words}, the largest evidence first", header, body)

    @property
    def _ratio_in_words(self) -> str:
        expected = sum(record.expected or 0.0 for record in self.records)
        return short((self.events or 0) / expected, 2) if expected else "-"

    def plot(self, figure: "SomeFigure" = None, **options: Any) -> "MonitorDisplay":
        """Draw the evidence, level and slope, the lower bound of the error, and diagrams before and since the onset.

        Parameters
        ----------
        figure : matplotlib Figure or SubFigure, optional
            An empty figure to draw in. By default a new pyplot figure is made.
        **options
            Of `MonitorDisplay`, such as ``panels="batches"``.

        Returns
        -------
        MonitorDisplay
        """
        return self.diagram(**options).plot(figure)

    def diagram(self, **options: Any) -> "MonitorDisplay":
        """Return the diagram, not yet drawn; `MonitorDisplay.save` draws and saves it.

        Parameters
        ----------
        **options
            Of `MonitorDisplay`.
        """
        from fitontest.displays.monitor import MonitorDisplay

        return MonitorDisplay(self, **options)


def _refuted(process: Process, settings: Settings) -> tuple[str, int] | None:
    """Return the first labels of a segment that what is tested rules out, and the place of their batch."""
    if process.refuted_by is None or settings.max_error is not None:
        return None
    return process.refuted_by, process.refuted_at
