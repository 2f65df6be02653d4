"""Certified offsets: what a scan of conditions shows to be wrong is moved, and nothing else."""

from dataclasses import dataclass

import numpy as np

from fitontest.families.base import Solution
from fitontest.families.registry import register
from fitontest.numerics.random import one_seed
from fitontest.results.checks import check_level, false_alarms
from fitontest.results.docstrings import take_descriptions
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.features.search import FoundSegment
from fitontest.segments.maps.by_segment import SegmentOffsetsMap
from fitontest.segments.repair.feature_family import FeatureFamily
from fitontest.segments.repair.settings import check_at_least
from fitontest.segments.uncertainty.segment_scan import scan_segments
from fitontest.uncertainty.dependence import reason_of_groups

NO_CONDITION = "No column has a condition with enough rows to be tested."


@register("certified_offsets")
@take_descriptions(FeatureFamily, "Attributes", "Notes")
@dataclass(eq=False, repr=False)
class CertifiedOffsets(FeatureFamily):
    """Move the scores of segments that a test shows to be wrong, and leave all others as they are.

    A scan looks for segments at single conditions on the features, such as ``age > 50``, and at pairs of them. The one
    whose residuals stand out most gets an offset of its logits, and so on until nothing stands out. What is changed,
    for whom and by how much is a short list that a person can read (`map_`).

    Parameters
    ----------
    level : float in [0.5, 1), default=0.95
        With a probability of 1 - level, at most, any segment is changed where all scores are calibrated.
    draws : int, default=500
        Labels are simulated so often for the p-values, at least 1 / (1 - level) - 1 times: no p-value is below
        1 / (draws + 1).
    most : int, default=20
        Segments at most, 1 or more; `notes_` says where another stands out.

    Attributes
    ----------
    map_ : SegmentOffsetsMap
        The segments and their offsets.
    segments_ : tuple of FoundSegment
        The same in the order in which they were found, each with its statistic, p-value, rows and residual.
    notes_ : tuple of str
        What was left out, or why nothing was looked for; as a rule none.

    Notes
    -----
    Offsets are shrunk by 1 - 1 / z^2, with z the sum of the residuals of the segment in standard errors: of many
    segments the one that stands out most does so by chance as well. Scores that are wrong in the same way for all rows
    are not moved by one offset for all, but segment by segment: recalibrate them first.

    Labels of rows that belong to a group are simulated as alike as they are. Of too few groups that cannot be learnt,
    and nothing is changed.

    Rows whose labels contradict scores of exactly 0 or 1 are left out of all sums, and `notes_` says where they are: no
    offset could repair them, and no other rows are to be moved for them.

    With more than 400 conditions columns are cut less finely, and if that is not enough a random half of the rows
    chooses the columns that the other half tests.

    References
    ----------
    Hebert-Johnson, Kim, Reingold, Rothblum (2018), Multicalibration: calibration for the computationally-identifiable
    masses, ICML. https://doi.org/10.48550/arXiv.1711.08513
    Westfall, Young (1993), Resampling-based multiple testing, Wiley (no doi).

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> X, p = {"age": rng.integers(20, 80, 4000)}, rng.random(4000)
    >>> y = rng.random(4000) < np.where(X["age"] > 60, p**0.5, p)
    >>> calibrator = fot.segments.CertifiedOffsets().fit(X, y, scores=p)
    >>> print(calibrator.map_.rules[0], calibrator.map_.offsets.round(1))
    age > 62 [1.]
    """

    level: float = 0.95
    draws: int = 500
    most: int = 20

    def check_settings(self) -> None:
        """Raise ValueError for a parameter that cannot be used."""
        super().check_settings()
        check_level(self.level)
        check_at_least(self.draws, "draws", int(np.ceil(1.0 / false_alarms(self.level))) - 1)
        check_at_least(self.most, "most", 1)

    def solve(self, rows: FeatureRows) -> Solution:
        """Return the offsets of the segments that stand out, and these segments.

        Parameters
        ----------
        rows : FeatureRows
            Checked rows in an order of their own.
        """
        seed = one_seed(self.random_state)
        scan = scan_segments(rows, alarms=false_alarms(self.level), draws=self.draws, most=self.most, seed=seed)
        reason = reason_of_groups(scan.dependence)
        if reason:
            return _solution((), (f"Nothing was looked for: {reason}.",))
        notes = scan.cut.notes if scan.cut.columns else (*scan.cut.notes, NO_CONDITION)
        if scan.found.stopped:
            notes = (*notes, scan.found.stop_note(self.most))
        if scan.contradicted is not None:
            notes = (scan.contradicted.note, *notes)
        return _solution(scan.found.segments, notes)


def _solution(segments: tuple[FoundSegment, ...], notes: tuple[str, ...]) -> Solution:
    rules, offsets = tuple(one.rule for one in segments), np.array([one.offset for one in segments])
    return Solution(SegmentOffsetsMap(0.0, 1.0, rules, offsets), None, {"segments_": segments, "notes_": notes})
