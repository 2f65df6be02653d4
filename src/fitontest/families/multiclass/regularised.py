"""Softmax maps with penalties of a few strengths, which held-out log loss chooses: what Dirichlet's variants share."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.base import Solution
from fitontest.families.cutting import read_eps
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.multiclass.fitting import Scores, find_optimum, full_start
from fitontest.families.multiclass.penalties import hold_out
from fitontest.families.multiclass.softmax_full import full_objective
from fitontest.families.multiclass.softmax_objective import AIM, Penalty
from fitontest.maps.multiclass.softmax import SoftmaxMap
from fitontest.numerics.newton import Optimum
from fitontest.numerics.random import check_cv
from fitontest.results.typing import FloatArray, RandomState

HELD_OUT_AIM = 1e-7  # gradient of fits that only compare penalties, whose losses it changes by less than 1e-6
GRID = tuple(10.0**k for k in range(1, -6, -1))  # of strengths, from the largest
Strengths: TypeAlias = tuple[float, ...]


class RegularisedSoftmax(MulticlassFamily):
    """Base of the families softmax(W x + b) with penalties towards 0 whose strengths are given or chosen."""

    noun: ClassVar[str]

    cv: int
    random_state: RandomState
    eps: Any

    def _count_parameters(self) -> float:
        """Return K^2 - 1: a column added to all classes alike changes nothing."""
        return float(self.classes_.size**2 - 1)

    def solve(self, rows: SimplexSample) -> Solution:
        """Return the calibration map, and how its penalties were chosen."""
        candidates = self._candidates()
        check_cv(self.cv)
        read_eps(self.eps)
        chosen: dict[str, Any] = {}
        best = candidates[0]
        if len(candidates) > 1:
            folds = rows.in_folds(self.cv, self.random_state)[1]
            if folds:
                held_out = hold_out(self._maps, candidates, rows, folds)
                best, chosen = candidates[held_out.best], {"held_out_": held_out}
        (fitted, optimum), *_ = self.path(rows, [best])
        attributes = {**self._named(best), "objective_": optimum.objective, "n_iter_": optimum.n_iter}
        return Solution(fitted, None, {**chosen, **attributes})

    def path(
        self, rows: SimplexSample, candidates: Sequence[Strengths], aim: float = AIM
    ) -> list[tuple[SoftmaxMap, Optimum]]:
        """Return the maps for several penalties, each fit started from the one before.

        Parameters
        ----------
        rows : SimplexSample
            As for `fit_map`.
        candidates : sequence of tuples of float
            Strengths of the penalties, at least 0.
        aim : float, optional
            The gradient at which the Newton steps end.

        Returns
        -------
        list of (SoftmaxMap, Optimum)
            For each of them the map, and what the optimisation found.
        """
        scores, K = self._scores(rows, self._smallest(rows)), rows.n_classes
        theta, found = full_start(scores), []
        for strengths in candidates:
            penalty = Penalty(self._strength(K, *strengths), np.zeros(theta.shape))
            optimum = find_optimum(full_objective, scores, penalty, theta, self.noun, aim)
            theta = optimum.theta
            found.append((self._map(scores, theta[:, :-1], theta[:, -1]), optimum))
        return found

    def _maps(self, rows: SimplexSample, candidates: Sequence[Strengths]) -> list[SoftmaxMap]:
        return [fitted for fitted, _ in self.path(rows, candidates, HELD_OUT_AIM)]

    def _scores(self, rows: SimplexSample, eps: float) -> Scores:
        """Return what W and b are fitted to."""
        return Scores.plain(rows, eps)

    def _map(self, scores: Scores, W: FloatArray, b: FloatArray) -> SoftmaxMap:
        """Return the map of probabilities that W and b on these scores are."""
        return scores.map(W, b)

    @abstractmethod
    def _candidates(self) -> list[Strengths]:
        """Return the strengths to choose from, the strongest first."""

    @abstractmethod
    def _strength(self, K: int, *strengths: float) -> FloatArray:
        """Return the strength of the penalty on each entry of W and b, shape (K, K + 1)."""

    @abstractmethod
    def _named(self, strengths: Strengths) -> dict[str, float]:
        """Return the strengths of the fit as fitted attributes."""
