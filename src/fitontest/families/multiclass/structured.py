"""Structured scaling, softmax maps that are drawn towards temperature scaling: `Vector`, `Matrix`, `BiasCorrected`.

They differ in the form of W, a diagonal, a matrix or one slope, and in the penalty.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.base import Solution
from fitontest.families.cutting import Eps, read_eps
from fitontest.families.multiclass.base import Input, MulticlassFamily
from fitontest.families.multiclass.fitting import (
    Scores,
    diagonal_identity,
    find_optimum,
    full_identity,
    named_classes,
    one_slope,
)
from fitontest.families.multiclass.penalties import MULTIPLES, hold_out, read_penalty
from fitontest.families.multiclass.softmax_diagonal import diagonal_objective
from fitontest.families.multiclass.softmax_full import full_objective
from fitontest.families.multiclass.softmax_objective import Penalty, SoftmaxObjective
from fitontest.families.registry import register
from fitontest.maps.multiclass.softmax import SoftmaxMap
from fitontest.numerics.newton import Optimum
from fitontest.numerics.random import check_cv
from fitontest.numerics.softmax import SoftmaxProblem
from fitontest.results.docstrings import take_descriptions
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import FloatArray, Label, RandomState


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


@register("vector")
@take_descriptions(StructuredFamily, "Attributes", "Warns", "Notes", "References")
class Vector(StructuredFamily):
    """Fit vector scaling: a slope and a bias for each class, then a softmax.

    The map is softmax(v * x + b), by maximum likelihood, with a penalty that draws it towards temperature scaling.

    With a penalty, x = ln q, where q is p scaled by the best temperature and then mixed with the uniform distribution
    by 1 / (n + 1), and v and b minimise

        mean(-ln g_y(p)) + penalty K / n [sum_k (v_k - 1)^2 + sum_k b_k^2]

    Without one x = ln p, and v and b minimise the mean log loss alone: vector scaling, which is Dirichlet calibration
    with a diagonal matrix. With few rows it is then worse than doing nothing. Of two classes it is beta calibration,
    the signs of whose slopes are free.

    Attributes
    ----------
    map_ : SoftmaxMap
        Its ``W`` is a diagonal.

    Warns
    -----
    CalibrationWarning
        A class has a slope of 0 or less: it becomes no likelier as its scores rise.

    Notes
    -----
    Solved by Newton's method to a gradient of 1e-9.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 500)
    >>> y = (rng.random((500, 1)) > (P**2 / (P**2).sum(1, keepdims=True)).cumsum(1)).sum(1)
    >>> vector = fot.families.make("vector").fit(P, y)
    >>> vector.predict_proba([[0.6, 0.3, 0.1]]).round(2)
    array([[0.82, 0.17, 0.01]])
    """

    noun = "vector"

    def _count_parameters(self) -> float:
        """Return 2K - 1: a constant added to all biases changes nothing."""
        return float(2 * self.classes_.size - 1)

    _objective = staticmethod(diagonal_objective)
    _identity = staticmethod(diagonal_identity)

    def _strength(self, K: int, n: float) -> FloatArray:
        return np.full((K, 2), K / n)

    def _weights(self, theta: FloatArray) -> FloatArray:
        return theta[:, 0]


@register("matrix")
@take_descriptions(StructuredFamily, "Attributes", "Warns", "Notes", "References")
class Matrix(StructuredFamily):
    """Fit matrix scaling: a linear layer and a softmax on the scores of several classes.

    The map is softmax(W x + b), by maximum likelihood, with a penalty that draws it towards temperature scaling.

    With a penalty, x = ln q, where q is p scaled by the best temperature and then mixed with the uniform distribution
    by 1 / (n + 1), and W and b minimise

        mean(-ln g_y(p)) + penalty [K (K - 1) / n sum_{j != k} W_jk^2 + K / n (sum_k (W_kk - 1)^2 + sum_k b_k^2)]

    Without one x = ln p, and W and b minimise the mean log loss alone: matrix scaling, which is Dirichlet calibration.
    It follows the rows fitted to far too closely unless there are very many of them for K^2 numbers.

    Attributes
    ----------
    map_ : SoftmaxMap
        Without a penalty a column added to all classes alike changes nothing: the columns of W have the sum 1.

    Warns
    -----
    CalibrationWarning
        A class has a slope of 0 or less, so that it becomes no likelier as its scores rise: its diagonal entry of W is
        at most the mean of the others in its column.

    Notes
    -----
    It is the map to try first with many rows, as it is the only one here that mends classes which are taken for one
    another. A pass over the rows takes n K^2 operations: above some 200 classes `Vector` is the one to use.

    Solved by Newton's method to a gradient of 1e-9, in memory of n times K.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 500)
    >>> y = (rng.random((500, 1)) > (P**2 / (P**2).sum(1, keepdims=True)).cumsum(1)).sum(1)
    >>> matrix = fot.families.make("matrix", penalty=1.0).fit(P, y)
    >>> matrix.map_.W.shape, matrix.predict_proba([[0.6, 0.3, 0.1]]).sum().round(12)
    ((3, 3), np.float64(1.0))
    """

    noun = "matrix"

    def _count_parameters(self) -> float:
        """Return K^2 - 1: a column added to all classes alike changes nothing."""
        return float(self.classes_.size**2 - 1)

    _objective = staticmethod(full_objective)
    _identity = staticmethod(full_identity)

    def _strength(self, K: int, n: float) -> FloatArray:
        strength = np.full((K, K + 1), K * (K - 1) / n)
        strength[np.arange(K), np.arange(K)] = K / n
        strength[:, -1] = K / n
        return strength

    def _weights(self, theta: FloatArray) -> FloatArray:
        return theta[:, :-1]


@register("bias_corrected")
@take_descriptions(StructuredFamily)
@dataclass(eq=False, repr=False)
class BiasCorrected(MulticlassFamily):
    """Fit temperature scaling with a bias for each class, for several classes.

    The map is softmax(s ln p + b) with one slope s, by maximum likelihood; a penalty draws the biases towards 0.

    It minimises mean(-ln g_y(p)) + penalty K / n sum_k b_k^2. Without the penalty it is Platt scaling where K = 2.

    Parameters
    ----------
    penalty : float or None, default=1.0
        A multiple.

    Attributes
    ----------
    map_ : SoftmaxMap
        Its ``W`` is s on the diagonal.
    classes_ : array of shape (K,)
        The class of each column.
    slope_ : float
        s.
    biases_ : array of shape (K,)
        b, of sum 0.
    objective_ : float
        What is minimised, at the optimum.
    n_iter_ : int
        Newton steps.

    Warns
    -----
    SeparableDataWarning
        The scores separate the classes; or, without a penalty, a class has no rows.

    Notes
    -----
    A whole weight repeats its row, so that n is the sum of whole weights; of others it is the number of rows.

    References
    ----------
    Alexandari, Kundaje, Shrikumar (2020), Maximum likelihood with bias-corrected calibration is hard-to-beat at label
    shift adaptation, ICML (without the penalty). https://doi.org/10.48550/arXiv.1901.06852

    Examples
    --------
    >>> import fitontest as fot
    >>> P = [[0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]] * 20
    >>> y = [0, 1, 1, 2] * 10 + [1, 1, 0, 2] * 10
    >>> family = fot.families.make("bias_corrected", penalty=None).fit(P, y)
    >>> round(family.slope_, 3), family.biases_.round(2)
    (0.643, array([-0.5 ,  0.46,  0.03]))
    """

    calibrator = True

    penalty: float | None = 1.0
    eps: Eps = "auto"
    input: Input = "probabilities"

    def _count_parameters(self) -> float:
        """Return K: a constant added to all biases changes nothing."""
        return float(self.classes_.size)

    def solve(self, rows: SimplexSample) -> Solution:
        """Return the calibration map and its parameters."""
        multiple = read_penalty(self.penalty, "penalty", cv=False)
        read_eps(self.eps)
        scores, K = Scores.of_differences(rows, self._smallest(rows)), rows.n_classes
        identity = diagonal_identity(K)
        strength = np.zeros(identity.shape)
        strength[:, 1] = 0.0 if multiple is None else multiple * K / scores.n
        optimum = find_optimum(
            one_slope, scores, Penalty(strength, identity), scores.start * identity, "bias_corrected"
        )
        fitted = scores.map(optimum.theta[:, 0], optimum.theta[:, 1])
        attributes = {"slope_": float(fitted.W[0]), "biases_": fitted.b, "objective_": optimum.objective}
        return Solution(fitted, None, {**attributes, "n_iter_": optimum.n_iter})
