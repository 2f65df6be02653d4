"""The spline as a direction of truths where atoms have levels of their own: with levels only where there are any.

A level is as noisy as the labels of its rows, and so is the map of the few rows beside it. Truths that go towards that
noise have errors of both signs. A family sees more of such an error than of one of the same size and one sign, so that
the interval would end too low.
"""

import numpy as np

from fitontest.data.score_redraws import ScoreRedraws
from fitontest.families.atoms import Atoms
from fitontest.families.spline import Spline
from fitontest.measures.plug_in import SCORES
from fitontest.results.typing import BoolArray, FloatArray
from fitontest.uncertainty.goodness_of_fit import refitted

SHRINK, SMOOTH = 4, 8  # the streams of random numbers, beside those of intervals, bands and fit tests
DRAWS = 80  # labellings that tell how much of a distance is noise
LEVEL = 0.05  # of the test of levels
WITHOUT_LEVELS = Spline(atoms=False)


def direction_beside_atoms(g: FloatArray, redraws: ScoreRedraws, seed: int) -> FloatArray:
    """Return the spline at the entries where no score has a level of its own, else what truths go towards.

    That is the spline without levels, unless the spline with levels is further from it than labels that are drawn from
    it explain. Where levels are real, the spline beside them is drawn towards the scores: it is of the other rows
    alone, and its noise would pass for error.
    """
    entries = redraws.entries
    atoms = Atoms.of_entries(entries)
    if len(atoms) == 0:
        return g
    smooth = refitted(WITHOUT_LEVELS, entries, redraws.observed[1])[:, 0]
    at, p = g[entries.first], entries.distinct_p
    if _is_noise(at - smooth, smooth, redraws, seed):
        return smooth[entries.place]
    beside = np.ones(p.size, dtype=bool)
    beside[atoms.place] = False
    at[beside] += (1.0 - _share(at - p, redraws, beside, seed)) * (p - at)[beside]
    return at[entries.place]


def _is_noise(distance: FloatArray, smooth: FloatArray, redraws: ScoreRedraws, seed: int) -> bool:
    """Return whether labels that are drawn from the spline without levels make it as far from the one with levels."""
    entries, drawn = redraws.entries, []
    for block in redraws.blocks(DRAWS):
        (labels,) = redraws.draw([smooth[entries.place]], block, (seed, SMOOTH))
        apart = refitted(SCORES, entries, labels) - refitted(WITHOUT_LEVELS, entries, labels)
        drawn.append(entries.distinct_w @ apart**2)
    as_far = np.count_nonzero(np.concatenate(drawn) >= float(entries.distinct_w @ distance**2))
    return bool((1 + as_far) / (1 + DRAWS) > LEVEL)


def _share(distance: FloatArray, redraws: ScoreRedraws, part: BoolArray, seed: int) -> float:
    """Return the root of the share of the squared distance from the scores that is none of calibrated scores."""
    entries, drawn = redraws.entries, []
    w, p = entries.distinct_w[part], entries.distinct_p[part]
    square = float(w @ distance[part] ** 2)
    if not square > 0:
        return 0.0
    for block in redraws.blocks(DRAWS):
        (labels,) = redraws.draw([entries.p], block, (seed, SHRINK))
        drawn.append(w @ (refitted(SCORES, entries, labels)[part] - p[:, None]) ** 2)
    return float(np.sqrt(max(0.0, 1.0 - float(np.concatenate(drawn).mean()) / square)))
