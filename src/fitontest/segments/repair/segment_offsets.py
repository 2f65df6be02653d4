"""Offsets of segments with random effects: every level of every column moves the logit a little, or not at all."""

from dataclasses import dataclass

import numpy as np

from fitontest.families.base import Solution
from fitontest.families.registry import register
from fitontest.results.docstrings import take_descriptions
from fitontest.segments.features.levels import level_columns
from fitontest.segments.features.rows import FeatureRows
from fitontest.segments.maps.by_segment import SegmentOffsetsMap
from fitontest.segments.maps.reach import cut_logits
from fitontest.segments.repair.feature_family import FeatureFamily
from fitontest.segments.repair.logits import reach_of
from fitontest.segments.repair.variance_components import fit_effects


@register("segment_offsets")
@take_descriptions(FeatureFamily, "Attributes", "Notes")
@dataclass(eq=False, repr=False)
class SegmentOffsets(FeatureFamily):
    """Move the scores of each category, and of each fifth of a number, by as much as the labels ask for.

    logit q = a + b logit p + sum_c u_{c, level}, with u_c ~ N(0, tau_c^2).

    The levels of a column are those of a category, or the fifths of a number; missing values are a level of their own.
    Offsets u maximise the likelihood less sum_c |u_c|^2 / (2 tau_c^2). The variance of each column is learnt from the
    same rows, so that a column that says nothing moves no score: tau_c^2 rests where

    tau_c^2 = |u_c|^2 / (k_c - tr(H^-1)_cc / tau_c^2),

    with k_c the levels of the column and H the Hessian, penalty included.

    Attributes
    ----------
    map_ : SegmentOffsetsMap
        Intercept, slope, and the offset of each level of the columns that did not vanish.
    spreads_ : dict of str to float
        tau of each column with two levels at least; 0 where it vanished.

    Notes
    -----
    Columns may cross in any way: there are no interactions. Of a category the 100 levels of the most weight have an
    offset; all others are like levels that were not seen. Intercept and slope are drawn to 0 and 1 by as much
    information as one row has, which keeps them finite where a threshold separates the labels.

    Time grows with the cube of the number of levels, of all columns together that have not vanished.

    Beside few rows some of many columns that say nothing keep a small spread by chance. `Multicalibrated` weighs the
    offsets by held-out rows.

    The step for tau_c^2 is the one of Wood and Fasiolo for a penalty that is a multiple of the identity in each column.
    It leaves out, as they do, that H changes with tau.

    References
    ----------
    Wood, Fasiolo (2017), A generalized Fellner-Schall method for smoothing parameter optimization with application to
    Tweedie location, scale and shape models, Biometrics 73(4). https://doi.org/10.1111/biom.12666

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> X = {"sex": rng.choice(["f", "m"], 4000), "noise": rng.choice(["a", "b", "c"], 4000)}
    >>> p = rng.random(4000)
    >>> y = rng.random(4000) < np.where(X["sex"] == "f", p**0.5, p)
    >>> calibrator = fot.segments.SegmentOffsets().fit(X, y, scores=p)
    >>> [str(rule) for rule in calibrator.map_.rules], calibrator.map_.offsets.round(1)
    (['sex = f', 'sex = m'], array([ 0.5, -0.4]))
    """

    def solve(self, rows: FeatureRows) -> Solution:
        """Return the offsets of all levels, and the spreads of the columns.

        Parameters
        ----------
        rows : FeatureRows
            Checked rows in an order of their own.
        """
        reach = reach_of(rows.logits)
        levels = level_columns(rows.columns, rows.w)
        codes, sizes = [column.code for column in levels], [len(column.rules) for column in levels]
        effects = fit_effects(cut_logits(rows.logits, reach), codes, sizes, rows.y, rows.w)
        rules = [rule for column in levels for rule in column.rules]
        offsets = np.concatenate([*effects.offsets, np.empty(0)])
        kept = np.flatnonzero(offsets)
        fitted = SegmentOffsetsMap(
            effects.intercept, effects.slope, tuple(rules[place] for place in kept.tolist()), offsets[kept], reach
        )
        spreads = {column.name: float(np.sqrt(tau2)) for column, tau2 in zip(levels, effects.variances, strict=True)}
        return Solution(fitted, None, {"spreads_": spreads})
