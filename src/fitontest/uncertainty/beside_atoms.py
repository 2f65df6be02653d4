"""The spline as a direction of truths where atoms have levels of their own: with less of the noise of its labels.

Few rows stand behind a level and behind the map beside it, and truths that go towards their noise have errors of both
signs. A family sees more of such an error than of one of the same size and one sign, so that the interval would end
too low.
"""

from collections.abc import Callable

import numpy as np

from fitontest.data.entries import Entries
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.exceptions import without_warnings
from fitontest.families.atoms import Atoms
from fitontest.families.spline import Spline
from fitontest.typing import BoolArray, FloatArray, IntArray

SHRINK, SMOOTH = 4, 8  # the streams of random numbers, beside those of intervals, bands and fit tests
DRAWS = 50  # labellings that tell how much of a distance is noise


def shrink_beside_atoms(g: FloatArray, redraws: ScoreRedraws, seed: int) -> FloatArray:
    """Return the spline at the entries with less noise where atoms have levels of their own.

    Beside levels the spline is of the other rows alone, and is drawn towards the scores first. Then the levels, and the
    spline beside them, are drawn towards the spline that has no levels. Each distance shrinks by the share of its
    square that is there where it is noise alone: of calibrated scores, and of labels that follow the second spline.
    """
    entries = redraws.entries
    atoms = Atoms.of_entries(entries)
    if len(atoms) == 0:
        return g
    at, p = g[entries.first], entries.distinct_p
    beside = np.ones(p.size, dtype=bool)
    beside[atoms.place] = False
    shrunk = at.copy()
    if beside.any():
        noise = _mean_squares(p, redraws, (seed, SHRINK), lambda labels: _values(entries, labels) - p[:, None])
        shrunk[beside] += (1.0 - _share(entries, at - p, noise, beside)) * (p - at)[beside]
    smooth = _values(entries, redraws.observed[1], atoms=False)[:, 0]
    noise = _mean_squares(
        smooth,
        redraws,
        (seed, SMOOTH),
        lambda labels: _values(entries, labels) - _values(entries, labels, atoms=False),
    )
    for part in (beside, ~beside):
        shrunk[part] += (1.0 - _share(entries, at - smooth, noise, part)) * (smooth - shrunk)[part]
    return shrunk[entries.place]


def _values(entries: Entries, labels: IntArray, *, atoms: bool = True) -> FloatArray:
    """Return the splines of labellings at the distinct scores, with levels of atoms or without."""
    with without_warnings():
        return np.clip(Spline(atoms=atoms).fit_many(entries, labels).at(), 0.0, 1.0)


def _mean_squares(
    truth: FloatArray, redraws: ScoreRedraws, seed: tuple[int, int], distances: Callable[[IntArray], FloatArray]
) -> FloatArray:
    """Return the mean squares of distances at the distinct scores, of labels that are drawn from a truth there."""
    squares = np.zeros(truth.size)
    for block in redraws.blocks(DRAWS):
        (labels,) = redraws.draw([truth[redraws.entries.place]], block, seed)
        squares += (distances(labels) ** 2).sum(axis=1)
    return squares / DRAWS


def _share(entries: Entries, distance: FloatArray, noise: FloatArray, part: BoolArray) -> float:
    """Return by what the distances of a part of the distinct scores are multiplied, given their squares by noise."""
    w = entries.distinct_w[part]
    square = float(w @ distance[part] ** 2)
    return float(np.sqrt(max(0.0, 1.0 - float(w @ noise[part]) / square))) if square > 0 else 0.0
