"""Redrawn labels of rows with features, of which those of one group depend on each other as the real ones do."""

import numpy as np

from fitontest.data.dependence import Dependence, SharedNumbers
from fitontest.data.row_groups import GROUP, RowGroups
from fitontest.data.row_labels import RowLabels
from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import Weights
from fitontest.segments.features.rows import FeatureRows
from fitontest.uncertainty.dependence import dependence_of


def dependence_of_rows(rows: FeatureRows) -> Dependence | None:
    """Return how alike labels of a group are; None where rows are independent.

    Parameters
    ----------
    rows : FeatureRows
    """
    if rows.groups is None:
        return None
    return dependence_of(ScoreSample(rows.y, rows.q, Weights(rows.w, rows.whole)).with_facts(**{GROUP: rows.groups}))


def labels_of_rows(rows: FeatureRows) -> tuple[RowLabels, Dependence | None]:
    """Return the labels of rows to be drawn, and how alike those of a group are; None where rows are independent.

    Parameters
    ----------
    rows : FeatureRows
        In an order of their own: what is drawn for a row depends on its place.
    """
    dependence = dependence_of_rows(rows)
    if rows.groups is None or dependence is None or dependence.too_few:
        return RowLabels.of(rows.q, rows.w, whole=rows.whole), dependence
    groups = RowGroups.of(rows.groups, np.arange(len(rows)), rows.copies, rows.w)
    shared = SharedNumbers.of(groups.code, rows.q, rows.w, rows.copies, dependence)
    return RowLabels.of(rows.q, rows.w, whole=rows.whole, shared=shared), dependence
