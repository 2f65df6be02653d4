"""What the families share whose maps never change the order within a row: a penalty towards temperature scaling."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.base import Solution
from fitontest.families.cutting import Eps, read_eps
from fitontest.families.multiclass.base import Input, MulticlassFamily
from fitontest.families.multiclass.penalties import hold_out, read_penalty
from fitontest.families.multiclass.ranked_rows import RankedRows
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.numerics.random import check_cv, check_seed
from fitontest.results.typing import RandomState

PENALTIES = (100.0, 30.0, 10.0, 3.0, 1.0)  # to choose from, from the strongest


@dataclass(eq=False, repr=False)
class IntraOrderFamily(MulticlassFamily):
    """Base of the families whose maps never change the order within a row; it describes what they share.

    Parameters
    ----------
    penalty : float or "cv", default="cv"
        Strength of the penalty; "cv" takes one of 100, 30, 10, 3 and 1: the largest that is worse than the best, in
        held-out log loss, by at most a standard error of the difference. A fit starts where that of the next larger one
        of these ended.
    cv : int, default=3
        Folds for ``penalty="cv"``; equal rows share one.
    random_state : int, RandomState or None, default=0
        For the folds, and for the weights at which a network starts.
    eps : float or "auto", default="auto"
        Smaller probabilities are taken for it; not used with logits. "auto" is 1e-16 where no probability is exactly
        0; otherwise exp(-L), where -L is one below the smallest logit of the others. The map holds the number.
    input : {"probabilities", "logits"}, default="probabilities"
        What `fit` and `predict_proba` are given. Of logits ln p is their log-softmax.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The class of each column.
    temperature_ : float
        Of the first step; inf where the scores point the wrong way, so that the map is uniform.
    penalty_, held_out_ : float, HeldOut
        The chosen penalty, and the held-out losses, with ``penalty="cv"``.
    objective_ : float
        What is minimised, where the fit ended.
    n_iter_ : int
        Steps of L-BFGS, of the last penalty of those that lead to it.

    Raises
    ------
    RuntimeError
        By ``fit``, in a process that was forked after jax had been started (`fitontest.families.piecewise.process`).

    References
    ----------
    Rahimi, Shaban, Cheng, Boots, Hartley (2020), Intra order-preserving functions for calibration of multi-class neural
    networks, NeurIPS. https://doi.org/10.48550/arXiv.2003.06820
    """

    calibrator = False  # loads jax, and `Matrix` predicts better
    evaluator: ClassVar[bool] = False
    noun: ClassVar[str]
    by_rank: ClassVar[bool]

    penalty: float | Literal["cv"] = "cv"
    cv: int = 3
    random_state: RandomState = 0
    eps: Eps = "auto"
    input: Input = "probabilities"

    def solve(self, rows: SimplexSample) -> Solution:
        """Return the calibration map, and how its penalty was chosen."""
        penalty = read_penalty(self.penalty, "penalty", none=False)
        check_cv(self.cv)
        check_seed(self.random_state)
        read_eps(self.eps)
        self._check()
        chosen: dict[str, Any] = {}
        if penalty == "cv":
            folds = rows.in_folds(self.cv, self.random_state)[1]
            held_out = hold_out(self._maps, PENALTIES, rows, folds) if folds else None
            penalty = PENALTIES[held_out.within_one_error] if held_out else PENALTIES[0]
            chosen = {"penalty_": penalty, **({"held_out_": held_out} if held_out else {})}
        ranked = self._ranked(rows)
        path = [
            *(one for one in PENALTIES if one > penalty),
            penalty,
        ]  # a fit starts where that of the one before ended
        *_, (fitted, attributes) = self._path(ranked, path, held_out=False)
        first = {"temperature_": 1.0 / ranked.beta if ranked.beta > 0 else np.inf}
        return Solution(fitted, None, {**chosen, **first, **attributes})

    def _ranked(self, rows: SimplexSample) -> RankedRows:
        return RankedRows.of(rows, self._smallest(rows), by_rank=self.by_rank)

    def _maps(self, rows: SimplexSample, penalties: Sequence[float]) -> list[MulticlassMap]:
        return [fitted for fitted, _ in self._path(self._ranked(rows), penalties, held_out=True)]

    def _check(self) -> None:
        """Refuse further settings that are wrong."""

    @abstractmethod
    def _path(
        self, rows: RankedRows, penalties: Sequence[float], *, held_out: bool
    ) -> list[tuple[MulticlassMap, dict[str, Any]]]:
        """Return a map for each penalty, each fit started from the one before, with what was found."""
