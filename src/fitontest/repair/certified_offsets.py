"""Certified offsets: what a scan of conditions shows to be wrong is moved, and nothing else."""

from dataclasses import dataclass

import numpy as np

from fitontest.families.registry import register
from fitontest.features.cuts import cut_columns
from fitontest.features.redrawn_maxima import redrawn_maxima
from fitontest.features.rows import FeatureRows
from fitontest.features.search import search
from fitontest.maps.features.offsets import SegmentOffsetsMap
from fitontest.repair.feature_family import FeatureFamily
from fitontest.uncertainty.row_redraws import labels_of_rows


@register("certified_offsets")
@dataclass(eq=False, repr=False)
class CertifiedOffsets(FeatureFamily):
    """Move the scores of segments that a test shows to be wrong, and leave all others as they are.

    A scan looks for segments at single conditions on the features, such as ``age > 50``, and at pairs of them. The one
    whose residuals stand out most gets an offset of its logits, and so on until nothing stands out. What is changed,
    for whom and by how much is a short list that a person can read (`map_`).

    Parameters
    ----------
    level : float in (0, 1), default=0.05
        With this probability, at most, any segment is changed where all scores are calibrated.
    draws : int, default=500
        Labels are simulated so often for the p-values.
    most : int, default=20
        Segments at most.
    random_state : int, default=0
        Seed of the simulated labels.

    Attributes
    ----------
    classes_ : array of shape (2,)
        The labels, sorted.
    map_ : SegmentOffsetsMap
        The segments and their offsets.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Offsets are shrunk by 1 - 1 / z^2, with z the sum of the residuals of the segment in standard errors: of many
    segments the one that stands out most does so by chance as well. Scores that are wrong in the same way for all rows
    are not moved by one offset for all, but segment by segment: recalibrate them first.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> X, p = {"age": rng.integers(20, 80, 4000)}, rng.random(4000)
    >>> y = rng.random(4000) < np.where(X["age"] > 60, p**0.5, p)
    >>> calibrator = fot.CertifiedOffsets().fit(X, y, scores=p)
    >>> print(calibrator.map_.rules[0], calibrator.map_.offsets.round(1))
    age > 62 [1.]
    """

    level: float = 0.05
    draws: int = 500
    most: int = 20
    random_state: int = 0

    def fit_map(self, rows: FeatureRows) -> SegmentOffsetsMap:
        """Return the offsets of the segments that stand out.

        Parameters
        ----------
        rows : FeatureRows
            Checked rows of both labels.
        """
        rows = rows.take(rows.order)
        cut = cut_columns(rows.columns, rows.w, rows.variances)
        if not cut.columns:
            return SegmentOffsetsMap(0.0, 1.0, (), np.empty(0))
        labels, _ = labels_of_rows(rows)
        maxima = redrawn_maxima(cut, rows, labels, self.draws, self.random_state)
        found = search(cut, rows, maxima, self.level, self.most)
        offsets = np.array([segment.offset for segment in found.segments])
        return SegmentOffsetsMap(0.0, 1.0, tuple(segment.rule for segment in found.segments), offsets)
