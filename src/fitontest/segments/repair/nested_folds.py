"""Folds within folds that share their work: what is fitted without two folds serves either of them.

A setting of a fit is chosen by the loss of rows that the fit did not see. For an honest prediction of a fold nothing
may have seen its labels, the choice included: it is made by the other folds, each predicted by a fit without it and
without the fold that is held out. Of K folds these are K (K - 1) / 2 fits beside the K without one fold.
"""

from collections.abc import Mapping
from itertools import combinations
from typing import TypeAlias

import numpy as np

from fitontest.results.typing import BoolArray, FloatArray
from fitontest.segments.features.folds import DealtRows

LeftOut: TypeAlias = tuple[int, ...]  # folds that a fit does not see
Losses: TypeAlias = Mapping[tuple[LeftOut, int], FloatArray]  # of the rows of a fold under a fit, for each setting


def sets_left_out(dealt: DealtRows, *, nested: bool) -> list[LeftOut]:
    """Return which folds the fits leave out: none; each, by which a setting is chosen; and each pair where `nested`.

    Parameters
    ----------
    dealt : DealtRows
    nested : bool
        Whether the rows of each fold are to be predicted, and the setting chosen without them.
    """
    if dealt.folds < 2:
        return [()]
    singles = [(fold,) for fold in range(dealt.folds)]
    pairs = combinations(range(dealt.folds), 2) if nested and dealt.folds > 2 else ()  # of two nothing would be left
    return [(), *singles, *pairs]


def seen(dealt: DealtRows, left_out: LeftOut) -> BoolArray:
    """Return which rows a fit sees."""
    return ~np.isin(dealt.fold, left_out)


def loss_of_choice(losses: Losses, dealt: DealtRows, outer: int | None = None) -> FloatArray | None:
    """Return the loss of each setting, by which it is chosen; None where there are no folds to choose by.

    Parameters
    ----------
    losses : mapping
    dealt : DealtRows
    outer : int, optional
        The fold that is to be predicted; None: the setting is for the fit to all rows.
    """
    others = [fold for fold in range(dealt.folds) if fold != outer]
    if len(others) < 2:
        return None
    total = np.zeros(len(next(iter(losses.values()))))
    for fold in others:
        left_out = (fold,) if outer is None else tuple(sorted((outer, fold)))
        total = total + losses[left_out, fold]
    return total
