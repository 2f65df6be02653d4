"""Stages of boosting of all sets of rows that folds leave, and the choice of their number."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fitontest.families.base import Solution
from fitontest.numerics.links import sigmoid
from fitontest.numerics.losses import log_loss
from fitontest.results.typing import FloatArray
from fitontest.segments.features.bins import Binned, binned_columns, codes_of_numbers, cuts_of
from fitontest.segments.features.folds import DealtRows
from fitontest.segments.maps.boosted import INNER, LEAVES, NO_SPLIT, BoostedMap
from fitontest.segments.maps.reach import cut_logits
from fitontest.segments.repair.bin_table import BinTable
from fitontest.segments.repair.boosting import Boosting, OwnBins, Tree
from fitontest.segments.repair.logits import reach_of
from fitontest.segments.repair.nested_folds import LeftOut, loss_of_choice, seen
from fitontest.segments.repair.split_search import Growth

MOST_BINS = 32
RIDGE = 1.0
LOWEST = float(np.finfo(float).min)  # a threshold that no number is at most


@dataclass(frozen=True)
class Stage:
    """What a stage is.

    Attributes
    ----------
    trees : int
    rate : float
        Learning rate.
    rows : float
        Of a leaf, in rows of average information.
    """

    trees: int
    rate: float
    rows: float


class BoostedStages:
    """Fits to all rows and to those that folds leave, which get one stage after the other.

    Parameters
    ----------
    dealt : DealtRows
    left_out : sequence of tuples of int
        The folds that each fit does not see; none of the first.
    stage : Stage
    """

    def __init__(self, dealt: DealtRows, left_out: Sequence[LeftOut], stage: Stage) -> None:
        rows = dealt.rows
        self.dealt, self.left_out, self.stage = dealt, left_out, stage
        self.reach = reach_of(rows.logits)
        start = cut_logits(rows.logits, self.reach)
        q = sigmoid(start)
        least = stage.rows * float(rows.w @ (q * (1.0 - q))) / float(rows.w.sum())
        self.columns = binned_columns(rows.columns, rows.w, MOST_BINS)
        self.w = np.stack([rows.w * seen(dealt, each) for each in left_out], axis=1)
        table = BinTable.of(self.columns, len(rows))
        self.boosting = Boosting(table, rows.y, self.w, Growth(stage.rate, least, RIDGE))
        self.logits = np.repeat(start[:, None], len(left_out), axis=1)
        self.trees: list[tuple[FloatArray, list[Tree]]] = []  # of the first fit: cuts of the logit, and trees
        self.losses: dict[tuple[LeftOut, int], list[float]] = {(each, fold): [] for each in left_out for fold in each}
        self.values: list[FloatArray] = []  # of rows by a fit without their fold, after each number of stages
        self._judge()

    @property
    def count(self) -> int:
        """How many stages there are."""
        return len(self.trees)

    @property
    def may_gain(self) -> bool:
        """Whether the last stage was the best for one of the choices."""
        if self.dealt.folds < 2:
            return False
        nested = any(len(each) > 1 for each in self.left_out)
        return any(self.best(outer) == self.count for outer in (None, *(range(self.dealt.folds) if nested else ())))

    def add(self) -> None:
        """Add a stage to all fits."""
        codes = np.empty(self.logits.shape, dtype=np.int16)
        cuts = [cuts_of(x[w > 0], w[w > 0], MOST_BINS) for x, w in zip(self.logits.T, self.w.T, strict=True)]
        for place, each in enumerate(cuts):
            codes[:, place] = codes_of_numbers(self.logits[:, place], each)
        self.logits, trees = self.boosting.stage(self.logits, OwnBins(codes, MOST_BINS), self.stage.trees)
        self.trees.append((cuts[0], trees))
        self._judge()

    def best(self, outer: int | None) -> int:
        """Return the number of stages of the least loss of held-out rows, the first of equals; 0 without such rows.

        Parameters
        ----------
        outer : int or None
            The fold whose rows have no say, as they are to be predicted; None: all have.
        """
        losses = self._losses(outer)
        return 0 if losses is None else int(losses.argmin())

    def solution(self) -> Solution:
        """Return the fit to all rows as a map, and how the number of its stages was chosen."""
        stages, losses = self.best(None), self._losses(None)
        writer = _MapWriter(self.columns)
        for cuts, trees in self.trees[:stages]:
            for tree in trees:
                writer.add(tree, cuts)
        means = np.full(1, np.nan) if losses is None else losses / float(self.dealt.rows.w.sum())
        fitted = writer.map(self.stage.trees, self.reach)
        return Solution(fitted, None, {"n_stages_": stages, "held_out_losses_": means})

    def held_out(self) -> FloatArray:
        """Return the probability of each row by the fit without its fold, with stages chosen by other folds."""
        found = np.empty(len(self.dealt.rows))
        for fold in range(self.dealt.folds):
            at = self.dealt.fold == fold
            found[at] = self.values[self.best(fold)][at]
        return found

    def _losses(self, outer: int | None) -> FloatArray | None:
        return loss_of_choice({key: np.array(each) for key, each in self.losses.items()}, self.dealt, outer)

    def _judge(self) -> None:
        """Note the losses of held-out rows, and what they are predicted, as the fits are now."""
        y, w = self.dealt.rows.y, self.dealt.rows.w
        values = np.full(y.size, np.nan)
        for place, left_out in enumerate(self.left_out):
            for fold in left_out:
                at = self.dealt.fold == fold
                q = sigmoid(self.logits[at, place])
                self.losses[left_out, fold].append(float(w[at] @ log_loss(y[at], q)))
                if left_out == (fold,):
                    values[at] = q
        self.values.append(values)


class _MapWriter:
    """Writes the trees of the first fit as arrays of splits."""

    def __init__(self, columns: Sequence[Binned]) -> None:
        self.columns = columns
        self.feature: list[list[int]] = []
        self.threshold: list[list[float]] = []
        self.missing_right: list[list[int]] = []
        self.values: list[FloatArray] = []
        self.sets: dict[tuple[int, ...], int] = {}

    def add(self, tree: Tree, cuts: FloatArray) -> None:
        """Add a tree of a stage whose logits were cut there."""
        feature = tree.feature.tolist()
        splits = [self._split(each, tree.right[place], cuts) for place, each in enumerate(feature)]
        self.feature.append(feature)
        self.threshold.append([threshold for threshold, _ in splits])
        self.missing_right.append([missing for _, missing in splits])
        self.values.append(tree.values)

    def _split(self, feature: int, right: NDArray[np.bool_], cuts: FloatArray) -> tuple[float, int]:
        """Return the threshold, or the place of the set, and whether a missing number goes to the right."""
        if feature == NO_SPLIT:
            return 0.0, 0
        column = self.columns[feature] if feature < len(self.columns) else None
        if column is not None and not column.is_number:
            left = tuple(np.flatnonzero(~right[: column.bins]).tolist())
            return float(self.sets.setdefault(left, len(self.sets))), 0
        cuts = cuts if column is None else column.cuts
        lower = int(np.count_nonzero(~right[1 : cuts.size + 2]))  # bins of known values on the left
        return float(cuts[lower - 1]) if lower else LOWEST, int(right[0])

    def map(self, trees: int, reach: float | None) -> BoostedMap:
        """Return the map, of so many trees a stage."""
        return BoostedMap(
            tuple(column.name for column in self.columns),
            tuple(column.levels for column in self.columns),
            trees,
            np.array(self.feature, dtype=np.intp).reshape(-1, INNER),
            np.array(self.threshold, dtype=np.float64).reshape(-1, INNER),
            np.array(self.missing_right, dtype=np.intp).reshape(-1, INNER),
            tuple(self.sets),
            np.array(self.values, dtype=np.float64).reshape(-1, LEAVES),
            reach,
        )
