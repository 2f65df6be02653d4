"""Structured scaling: what `Vector` and `Matrix` share, which differ only in the form of W and in the penalty."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.exceptions import CalibrationWarning, warn_user
from fitontest.families.base import Solution
from fitontest.families.cutting import Eps, read_eps
from fitontest.families.multiclass.base import Input, MulticlassFamily
from fitontest.families.multiclass.fitting import Scores, find_optimum, named_classes
from fitontest.families.multiclass.penalties import MULTIPLES, hold_out, read_penalty
from fitontest.families.multiclass.softmax_objective import Penalty, SoftmaxObjective
from fitontest.maps.multiclass.softmax import SoftmaxMap
from fitontest.numerics.newton import Optimum
from fitontest.numerics.random import check_cv
from fitontest.numerics.softmax import SoftmaxProblem
from fitontest.typing import FloatArray, Label, RandomState


@dataclass(eq=False, repr=False)
class StructuredFamily(MulticlassFamily):
    """Base of the families softmax(W x + b) with a penalty that draws them towards temperature scaling.

    Parameters
    ----------
    penalty : float, "cv" or None, default=1.0
        A multiple; "cv" takes one of 10, 3, 1, 0.3 and 0.1: the largest that is worse than the best, in held-out log
        loss, by at most a standard error of the difference.
    cv : int, default=5
        Folds for ``penalty="cv"``; equal rows share one.
    random_state : int, RandomState or None, default=0
        For the folds.
    eps : float or "auto", default="auto"
        Smaller probabilities are taken for it; not used with logits. "auto" is 1e-16 where no probability is exactly
        0; otherwise exp(-L), where -L is one below the smallest logit of the others. The map holds the number.
    input : {"probabilities", "logits"}, default="probabilities"
        What `fit` and `predict_proba` are given. Of logits ln p is their log-softmax.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The class of each column.
    objective_ : float
        What is minimised, at the optimum.
    temperature_ : float
        Of the first step, where there is one.
    penalty_, held_out_ : float, HeldOut
        The chosen multiple, and the held-out losses, with ``penalty="cv"``.
    n_iter_ : int
        Newton steps.

    Warns
    -----
    SeparableDataWarning
        Without a penalty: a class has no rows, or the scores separate the classes.

    Notes
    -----
    A whole weight repeats its row, so that n is the sum of whole weights; of others it is the number of rows.

    References
    ----------
    Guo, Pleiss, Sun, Weinberger (2017), On calibration of modern neural networks, ICML.
    https://doi.org/10.48550/arXiv.1706.04599
    Berta, Holzmueller, Jordan, Bach (2025), Structured matrix scaling for multi-class calibration (the penalty).
    https://doi.org/10.48550/arXiv.2511.03685
    """

    calibrator = True
    noun: ClassVar[str]
    _objective: "ClassVar[staticmethod[[SoftmaxProblem, Penalty], SoftmaxObjective]]"
    _identity: "ClassVar[staticmethod[[int], FloatArray]]"  # the parameters that leave the scores alone

    penalty: float | Literal["cv"] | None = 1.0
    cv: int = 5
    random_state: RandomState = 0
    eps: Eps = "auto"
    input: Input = "probabilities"

    def solve(self, rows: SimplexSample) -> Solution:
        """Return the calibration map, and how it was found."""
        penalty = read_penalty(self.penalty, "penalty")
        check_cv(self.cv)
        read_eps(self.eps)
        chosen: dict[str, Any] = {}
        if penalty == "cv":
            folds = rows.in_folds(self.cv, self.random_state)[1]
            held_out = hold_out(self._maps, MULTIPLES, rows, folds) if folds else None
            penalty = MULTIPLES[held_out.within_one_error] if held_out else 1.0
            chosen = {"penalty_": penalty, **({"held_out_": held_out} if held_out else {})}
        (fitted, optimum), *_ = self.path(rows, [penalty])
        self._warn_of_slopes(fitted, rows.classes)
        first = {} if penalty is None else {"temperature_": 1.0 / fitted.beta if fitted.beta > 0 else np.inf}
        return Solution(fitted, None, {**chosen, **first, "objective_": optimum.objective, "n_iter_": optimum.n_iter})

    def path(self, rows: SimplexSample, multiples: Sequence[float | None]) -> list[tuple[SoftmaxMap, Optimum]]:
        """Return the maps for several multiples of the penalty, each fit started from the one before.

        Parameters
        ----------
        rows : SimplexSample
            As for `fit_map`.
        multiples : sequence of float or None
            Multiples of the penalty, at least 0; None is no penalty, and no temperature scaling before it either.

        Returns
        -------
        list of (SoftmaxMap, Optimum)
            For each multiple the map, and what the optimisation found.
        """
        eps, K = self._smallest(rows), rows.n_classes
        structured = all(multiple is not None for multiple in multiples)
        scores = Scores.structured(rows, eps) if structured else Scores.plain(rows, eps)
        theta = scores.start * self._identity(K)
        found = []
        for multiple in multiples:
            strength = np.zeros(theta.shape) if multiple is None else multiple * self._strength(K, scores.n)
            penalty = Penalty(strength, self._identity(K))
            optimum = find_optimum(self._objective, scores, penalty, theta, self.noun)
            theta = optimum.theta
            found.append((scores.map(self._weights(theta), theta[:, -1]), optimum))
        return found

    def _warn_of_slopes(self, fitted: SoftmaxMap, classes: list[Label]) -> None:
        """Warn of classes that become no likelier as their scores rise."""
        W = fitted.W
        others = 0.0 if W.ndim == 1 else (W.sum(axis=0) - np.diag(W)) / (W.shape[0] - 1)  # a column may be shifted
        slopes = fitted.beta * ((W if W.ndim == 1 else np.diag(W)) - others)
        flat = np.flatnonzero(slopes <= 0)
        if flat.size:
            warn_user(
                f"{self.noun}: {named_classes(flat, classes)} a slope of 0 or less: what the scores of such a class "
                "say of it is lost or turned round. Do the columns stand in the order of the classes?",
                CalibrationWarning,
            )

    def _maps(self, rows: SimplexSample, multiples: Sequence[float]) -> list[SoftmaxMap]:
        return [fitted for fitted, _ in self.path(rows, multiples)]

    @abstractmethod
    def _strength(self, K: int, n: float) -> FloatArray:
        """Return the strength of the penalty of multiple 1 on each parameter."""

    @abstractmethod
    def _weights(self, theta: FloatArray) -> FloatArray:
        """Return W as the map holds it."""
