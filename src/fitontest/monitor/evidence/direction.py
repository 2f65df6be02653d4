"""In which direction the scores are wrong since the likeliest onset: point estimates of the rows since then."""

from dataclasses import dataclass, replace
from typing import Any

from fitontest.data.cells.cell_sums import CellSums
from fitontest.data.cells.cells import Cells
from fitontest.data.score_sample import ScoreSample
from fitontest.monitor.past import OF_PAST
from fitontest.monitor.process import Process
from fitontest.results.exceptions import without_warnings
from fitontest.results.frames import finite_or_none
from fitontest.uncertainty.tendency import tendency_of

SURE = 0.99  # level of the intervals by which words are chosen: the onset was chosen by the same rows


@dataclass(frozen=True)
class Direction:
    """What the rows since the likeliest onset say of the direction, as point estimates.

    Attributes
    ----------
    batch : str
        The name of the batch of the onset.
    n : int
        Rows since then.
    ratio : float or None
        Observed events for each expected one, by the weights of the rows; None where all scores are 0.
    slope : float or None
        Of the most likely line of the logits; None where a class has fewer than 10 rows, or a threshold separates the
        classes.
    words : tuple of str
        Those of `Tendency` that 99 % intervals of these rows show.
    bettor : str
        The bettor that gained most since then.
    """

    batch: str
    n: int
    ratio: float | None
    slope: float | None
    words: tuple[str, ...]
    bettor: str

    @classmethod
    def of(cls, process: Process, *, shared: bool = False) -> "Direction | None":
        """Return the direction; None where there is no onset.

        Parameters
        ----------
        process : Process
        shared : bool, default=False
            As in `sample_of`.
        """
        onset = process.onset
        if onset is None:
            return None
        records = process.records[onset:]
        gains: dict[str, float] = {}
        for record in records:
            for name, gain in record.log_factors.items():
                gains[name] = gains.get(name, 0.0) + gain
        sample = sample_of(process.since, shared=shared)
        tendency = tendency_of(sample, SURE)
        ratio = sample.base_rate / sample.mean_score if sample.mean_score > 0.0 else None
        n = sum(record.n for record in records)
        best = max(gains, key=lambda name: gains[name])
        return cls(records[0].batch, n, ratio, finite_or_none(tendency.slope), tuple(tendency.words), best)

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates as JSON-ready values."""
        return {**vars(self), "words": [*self.words]}


def sample_of(sums: CellSums, *, shared: bool = False) -> ScoreSample:
    """Return cells of batches as data; their weights are the exponents of the rows.

    Parameters
    ----------
    sums : CellSums
    shared : bool, default=False
        Whether an exponent is a share, of a group of rows or of a row with an entry for each class. Those who share
        depend on each other and count as one: with 1 / m of each the sum of their squared weights is taken to be 1 and
        not 1 / m, so that effective rows are groups and not rows.
    """
    if shared:
        sums = replace(sums, w2=sums.w)
    cells = Cells(sums, OF_PAST, "counts" if sums.whole else "importances")
    with without_warnings():
        return cells.sample()
