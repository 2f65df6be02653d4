"""The search for segments that nobody named, with all that makes its p-values honest.

Conditions are cut from the rows, labels are redrawn from the probabilities that are tested, and what stands out is
taken one after the other. Where there are too many conditions, columns are chosen by one half of the rows and tested in
the other.
"""

from dataclasses import dataclass, replace

from fitontest.data.dependence import Dependence
from fitontest.maps.rules.columns import Columns
from fitontest.segments.features.contradicted import Contradicted
from fitontest.segments.features.cuts import MOST_CONDITIONS, CutColumns, cut_columns, fewer_columns
from fitontest.segments.features.pooling import halves, ordered, pooled
from fitontest.segments.features.redrawn_maxima import redrawn_maxima
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.features.search import Found, search
from fitontest.segments.features.walks import WalkNodes
from fitontest.segments.uncertainty.row_redraws import labels_of_rows


@dataclass(frozen=True, eq=False)
class SegmentScan:
    """What a search found, and in what.

    Attributes
    ----------
    found : Found
    rows : FeatureRows
        That were tested, in an order of their own.
    cut : CutColumns
        Their conditions.
    dependence : Dependence or None
        How alike labels of rows that belong together are; None of independent rows.
    contradicted : Contradicted or None
        The rows that were left out, since their labels contradict certain scores.
    """

    found: Found
    rows: FeatureRows
    cut: CutColumns
    dependence: Dependence | None
    contradicted: Contradicted | None = None

    @property
    def is_refused(self) -> bool:
        """Whether rows belong to so few groups that nothing is concluded."""
        return self.dependence is not None and self.dependence.too_few


def scan_segments(
    rows: FeatureRows,
    *,
    alarms: float,
    draws: int,
    most: int,
    seed: int,
    walks: bool = False,
    line: tuple[float, float] | None = None,
) -> SegmentScan:
    """Return the segments whose residuals stand out.

    Parameters
    ----------
    rows : FeatureRows
        With the probabilities that are tested.
    alarms : float in (0, 1)
        The share of false alarms, of the scan and of the walks by themselves.
    draws : int
        Of the labels.
    most : int
        Segments at most.
    seed : int
    walks : bool, default=False
        Whether errors that change along the score are looked for within single conditions too.
    line : tuple of float, optional
        Intercept and slope of the line in the logits of scores that was fitted to the rows, and is to be fitted again
        beside what is found.
    """
    contradicted, certain = Contradicted.of(rows), rows.contradicted
    start = (0.0, 1.0) if line is None else line
    if certain.all():
        nothing = Found((), None, 0, float("inf"), start, rows.logits)
        return SegmentScan(nothing, rows, CutColumns(()), None, contradicted)
    rows, cut = tested_rows(rows.take(~certain) if contradicted is not None else rows, seed)
    labels, dependence = labels_of_rows(rows)
    if not cut.columns or (dependence is not None and dependence.too_few):
        nothing = Found((), None, 0, float("inf"), start, rows.logits)
        return SegmentScan(nothing, rows, cut, dependence, contradicted)
    nodes = WalkNodes.of(cut, rows) if walks else None
    maxima = redrawn_maxima(cut, rows, labels, draws, seed, nodes)
    found = search(cut, rows, maxima, alarms, most, nodes, line)
    return SegmentScan(found, rows, cut, dependence, contradicted)


def tested_rows(rows: FeatureRows, seed: int) -> tuple[FeatureRows, CutColumns]:
    """Return the rows in which segments are looked for, in an order of their own, and their conditions.

    Parameters
    ----------
    rows : FeatureRows
        With the probabilities that are tested.
    seed : int
        Of the halves where there are too many conditions.
    """
    cut = cut_columns(rows.columns, rows.w, rows.variances)
    rows, cut = ordered(replace(rows, columns=Columns((), len(rows))), cut)  # of features the cells tell all
    rows, cut = pooled(rows, cut)
    return _tested_half(rows, cut, seed) if cut.conditions > MOST_CONDITIONS else (rows, cut)


def _tested_half(rows: FeatureRows, cut: CutColumns, seed: int) -> tuple[FeatureRows, CutColumns]:
    """Return one half of the rows, with those columns in which a condition stands out most in the other half."""
    choosing, testing, at, others = halves(rows, seed)
    kept = fewer_columns(cut.take(at), choosing.residuals, choosing.variances)
    chosen = f"{len(kept)} of {len(cut.columns)} columns are looked at"
    cut = cut.only(kept, f"{chosen}, chosen by one half of the rows; tested in the other.").take(others)
    return testing, cut.testable(testing.variances)
