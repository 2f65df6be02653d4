"""Members of a mixture that look at no feature: the scores as they are, and the logistic line of all rows."""

import numpy as np

from fitontest.numerics.adjusting import line_of
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.maps.offsets import SegmentOffsetsMap
from fitontest.segments.maps.reach import cut_logits
from fitontest.segments.repair.feature_family import FeatureFamily
from fitontest.segments.repair.logits import reach_of


class Unchanged(FeatureFamily):
    """Leave the scores as they are."""

    def fit_map(self, rows: FeatureRows) -> SegmentOffsetsMap:  # noqa: ARG002 - rows of any kind
        """Return the identity."""
        return SegmentOffsetsMap(0.0, 1.0, (), np.empty(0))


class LogisticLine(FeatureFamily):
    """Recalibrate by a logistic line in the logit of the score, near the identity where rows are few."""

    def fit_map(self, rows: FeatureRows) -> SegmentOffsetsMap:
        """Return the line."""
        reach = reach_of(rows.logits)
        intercept, slope = line_of(rows.y, cut_logits(rows.logits, reach), rows.w)
        return SegmentOffsetsMap(intercept, slope, (), np.empty(0), reach)
