"""A calibration map for a model whose calibration is refuted, and what such maps would have gained."""

from dataclasses import dataclass
from typing import Any

from fitontest.families.base import Family, read_family
from fitontest.families.registry import family_name
from fitontest.maps.base import CalibrationMap
from fitontest.monitor.past import FEWEST
from fitontest.monitor.process import Process
from fitontest.results.exceptions import without_warnings
from fitontest.results.frames import Records, records
from fitontest.results.table import Section, Table
from fitontest.results.text import count, short


@dataclass(frozen=True, eq=False)
class Proposal(Table):
    """A calibration map fitted to the discounted past of a monitor, and what it would have gained.

    What is gained is measured on labels that no map had seen: before each batch a map of the family was fitted to what
    was past, and followed for 0.8 of the way. Its gain is the mean of log(q / p) at positives and log((1 - q) / (1 -
    p)) at negatives, q its rates and p the scores, in nats per row: the log loss of the scores less that of the map.

    Attributes
    ----------
    map : CalibrationMap
        The map, for `Monitor.restart` and for use behind the model.
    family : str
        The family that it is of.
    weight : float
        The discounted weight of the rows that it was fitted to.
    gain : float or None
        What maps of the family gained per row since `since`; None if they did not bet, see ``families=`` of `Monitor`,
        or where there is no batch yet since a restart.
    since : str or None
        The batch from which on: the likeliest onset, or the first batch where there is no sign of one.
    n : int
        Rows since then.
    gains : tuple of (str, float)
        The gain per row of each batch since then, by its name.
    """

    map: CalibrationMap
    family: str
    weight: float
    gain: float | None
    since: str | None
    n: int
    gains: tuple[tuple[str, float], ...]

    def rows(self) -> Records:
        """Return a record for each batch since the onset: what maps fitted before it gained per row."""
        return records(batch=[name for name, _ in self.gains], gain=[gain for _, gain in self.gains])

    def to_dict(self) -> dict[str, Any]:
        """Return the map and the gains as JSON-ready values."""
        facts = {"family": self.family, "weight": self.weight, "gain": self.gain, "since": self.since, "n": self.n}
        return {**facts, "map": self.map.to_dict(), **super().to_dict()}

    def sections(self) -> list[Section]:
        """Return a sentence, and the gain of each batch."""
        header = ["batch", "gain per row (nats)"]
        return [Section(lead=self._headline, header=header, body=[[name, short(gain, 2)] for name, gain in self.gains])]

    @property
    def _headline(self) -> str:
        made = f"A map of family {self.family!r}, fitted to past rows of discounted weight {count(round(self.weight))}."
        if self.gain is None:
            why = "the family did not bet" if self.n else "there is no batch yet since the restart"
            return f"{made} What such maps would have gained is not known: {why}."
        verb = "gained" if self.gain >= 0.0 else "lost"
        return (
            f"{made} Such maps, each fitted before the batch, {verb} {short(abs(self.gain), 2)} nats per row in log "
            f"loss over the scores since batch {self.since} ({self.n:,} rows)."
        )


def propose(process: Process, family: str | Family) -> Proposal:
    """Return a map of a family fitted to the past of a process, with what maps of the family have gained.

    Raises
    ------
    ValueError
        Fewer than 10 positives or negatives so far; all classes against the rest, each of which has a map of its own.
    """
    if process.events is None:
        raise ValueError("a map is proposed for one score; with several classes fit a family to rows of your own")
    if not process.past.is_enough:
        raise ValueError(
            f"a map needs {FEWEST} positives and {FEWEST} negatives in the batches so far, got "
            f"{process.events} positives and {process.n - process.events} negatives"
        )
    with without_warnings():
        fitted = read_family(family).fit_map(process.past.sample())
    name = family_name(family)
    filled = [record for record in process.records[process.onset or 0 :] if record.n]
    weight = float(process.past.sums.w.sum())
    if not filled:  # a past that another life of the monitor left
        return Proposal(fitted, name, weight, None, None, 0, ())
    n = sum(record.n for record in filled)
    if name not in filled[0].log_gains:
        return Proposal(fitted, name, weight, None, filled[0].batch, n, ())
    gains = tuple((record.batch, record.log_gains[name] / record.weight) for record in filled)
    gain = sum(record.log_gains[name] for record in filled) / sum(record.weight for record in filled)
    return Proposal(fitted, name, weight, gain, filled[0].batch, n, gains)
