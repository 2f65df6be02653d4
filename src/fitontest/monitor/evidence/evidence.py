"""The evidence of a monitor so far, as a table with a sentence first."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any

from fitontest.monitor.evidence.batch_table import name_of_ratio, ratio_in_words, table_of
from fitontest.monitor.evidence.brief import brief_of, explain_monitor
from fitontest.monitor.evidence.facts import Facts
from fitontest.monitor.evidence.numbers import e_in_words, ends_in_words, finite_e_value, rounded_down
from fitontest.monitor.evidence.pictures import pictures_of
from fitontest.monitor.evidence.wording import headline_of, notes_of, onset_in_words, size_in_words
from fitontest.monitor.history import Record
from fitontest.monitor.process import Process
from fitontest.monitor.settings import Settings
from fitontest.monitor.state import MonitorState
from fitontest.results.detailed import Detailed, explanation
from fitontest.results.frames import Records
from fitontest.results.table import Section, Table
from fitontest.results.text import count, key_in_words

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.monitor.displays.monitor import MonitorDisplay


@dataclass(frozen=True, eq=False, repr=False)
class MonitorEvidence(Facts, Table):
    """What the batches so far say on the calibration of a model, with a sentence first.

    Made by `Monitor.update` and `Monitor.evidence`. `rows` holds a record for each batch; with segments the records
    of each segment follow, under ``segment``.

    Attributes
    ----------
    settings : Settings
        What is tested, at which level, and who bets.
    process : Process
        The evidence of all rows together, or of those of one segment.
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
    >>> monitor = fot.monitor.Monitor()
    >>> for month in range(6):
    ...     p = rng.beta(1, 3, 500)
    ...     evidence = monitor.update(rng.random(500) < (p if month < 3 else np.sqrt(p)), p)
    >>> evidence.alarm, evidence.alarm_since, evidence.onset
    (True, 3, 3)
    >>> print(evidence.headline.partition(" (")[0])
    Calibration to within 10 % is refuted since batch 4
    """

    segments: Mapping[Any, "MonitorEvidence"] = field(default_factory=dict)

    @classmethod
    def of(cls, state: MonitorState) -> "MonitorEvidence":
        """Return the evidence of all that a monitor knows.

        Parameters
        ----------
        state : MonitorState
            After the last batch.
        """
        lives = len(state.lives)
        refuted = None if state.refuted_by is None else (state.refuted_by, state.refuted_at)
        segments = {
            key: cls(
                state.settings,
                process,
                tuple(record.log_e for record in process.records),
                prior=state.priors[key],
                refuted=_refuted(process, state.settings),
                lives=lives,
            )
            for key, process in state.segments.items()
        }
        return cls(state.settings, state.together, state.log_es, segments, state.named, refuted=refuted, lives=lives)

    @property
    def headline(self) -> str:
        """What the batches so far say, in a few sentences."""
        return headline_of(self)

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

    def _outcomes(self, record: Record) -> dict[str, Any]:
        """Return positives and the sum of the scores of a batch; None where every row is positive for one class."""
        known = self.events is not None
        return {"events": record.events if known else None, "expected": record.expected if known else None}

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
                    **self._outcomes(record),
                    "left_out": record.left_out,
                    "log_factor": record.log_factor,
                    "log_e": log_e,
                    "e_value": None if refuted else finite_e_value(log_e),
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
        """Return what is printed: whether there is an alarm and of which size, the last batches, and what to do."""
        return [brief_of(self)]

    def table(self) -> Table:
        """Return the sentence, the table of the batches, and that of segments where there are any.

        Returns
        -------
        Table
            With the same records; printing it shows more.
        """
        rows = self._rows(([], []))
        alarm_since = self.alarm_since
        onset = self.shown_onset
        ratios = [self.ratio_of([record]) for record in self.records]
        header, body = table_of(rows, ratios, onset, alarm_since) if rows else ([], [])
        lead = "\n".join([self.headline, *([size_in_words(self), onset_in_words(self)] if rows else [])])
        notes = "\n".join(notes_of(self))
        table = Section(lead=lead, header=header, body=body)
        parts = [table, *([self._segment_table()] if self.segments else [])]
        return Detailed(self, (*parts[:-1], replace(parts[-1], notes=notes)))

    def explain(self) -> Table:
        """Return what the words and columns of this monitor mean, in plain sentences.

        Returns
        -------
        Table
            With the same records; printing it shows the sentences.
        """
        return explanation(self, explain_monitor(self))

    def _segment_table(self) -> Section:
        """Return a row for each segment, the largest evidence first."""
        ratios = {key: self.ratio_of(each.records) for key, each in self.segments.items()}
        header = [
            self.settings.layout.keys,
            "n",
            "events",
            f"{name_of_ratio([*ratios.values()])} (95 % CI)",
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
                ratio_in_words(ratios[key], with_interval=True),
                "infinite" if each.is_infinite else e_in_words(each.log_e),
                ends_in_words(each.level),
                ends_in_words(each.slope),
                rounded_down(each.error_low),
                "yes" if key in self.named else "",
            ]
            for key, each in ranked
        ]
        return Section(f"{self.segments_in_words}, the largest evidence first", header, body)

    def plot(self, ax: "AxesOrFigure" = None, **options: Any) -> "MonitorDisplay":
        """Draw observed over expected events of each batch, the alarm, the evidence, and small panels of segments.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; with segments an empty figure. By default a new pyplot figure is made.
        **options
            Of `MonitorDisplay`, such as ``panels="segments"``.

        Returns
        -------
        MonitorDisplay
        """
        return self.diagram(**options).plot(ax)

    def diagram(self, **options: Any) -> "MonitorDisplay":
        """Return the diagram, not yet drawn; `MonitorDisplay.save` draws and saves it.

        Parameters
        ----------
        **options
            Of `MonitorDisplay`.
        """
        from fitontest.monitor.displays.monitor import MonitorDisplay

        return MonitorDisplay(self, **options)


def _refuted(process: Process, settings: Settings) -> tuple[str, int] | None:
    """Return the first labels of a segment that what is tested rules out, and the place of their batch."""
    if process.refuted_by is None or settings.max_error is not None:
        return None
    return process.refuted_by, process.refuted_at
