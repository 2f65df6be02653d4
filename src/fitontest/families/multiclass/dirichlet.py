"""Dirichlet calibration with off-diagonal and intercept regularisation (ODIR)."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fitontest.checks import check_flag
from fitontest.families.cutting import Eps
from fitontest.families.docstrings import take_descriptions
from fitontest.families.multiclass.base import Input
from fitontest.families.multiclass.penalties import read_penalty
from fitontest.families.multiclass.regularised import GRID, RegularisedSoftmax, Strengths
from fitontest.families.multiclass.structured import StructuredFamily
from fitontest.families.registry import register
from fitontest.typing import FloatArray, RandomState


@register("dirichlet")
@take_descriptions(StructuredFamily)
@dataclass(eq=False, repr=False)
class Dirichlet(RegularisedSoftmax):
    """Fit Dirichlet calibration (Kull et al.), the beta calibration of several classes.

    The map is softmax(W ln p + b), with penalties on the off-diagonal entries of W and on b.

    It minimises

        mean(-ln g_y(p)) + lambda / (K (K - 1)) sum_{j != k} W_jk^2 + mu / K sum_k b_k^2

    with the diagonal of W free. If the probabilities of each class are Dirichlet distributed, the calibrated map has
    this form.

    Parameters
    ----------
    lambda_, mu : float or "cv", default="cv"
        Strengths of the penalties. Where both are "cv", one number is chosen for both, lambda = mu: the one of 10, 1,
        ..., 1e-5 that has the smallest held-out log loss. Where one is a number and the other "cv", the other is chosen
        from these seven alone.
    divide : bool, default=True
        Whether the sums are divided by the numbers of their terms, as in the formula. The paper's text divides them,
        its authors' programs do not.
    cv : int, default=5
        Folds; equal rows share one.

    Attributes
    ----------
    map_ : SoftmaxMap
        Its ``W`` is a full matrix.
    classes_ : array of shape (K,)
        The class of each column.
    best_lambda_, best_mu_ : float
        The penalties of the fit: those given, or those chosen.
    held_out_ : HeldOut
        Held-out losses of the pairs (lambda, mu), with "cv".
    objective_ : float
        What is minimised, at the optimum.
    n_iter_ : int
        Newton steps.

    Warns
    -----
    SeparableDataWarning
        The diagonal, which has no penalty, alone separates the classes, or a class of `labels` has no rows; a ridge of
        1e-10 on it gives a steep finite map. A class without rows is left hardly any probability: `Vector` and
        `Matrix`, whose penalties hold all entries, leave it some.

    Notes
    -----
    Where it differs from the authors' programs: the map is refitted to all rows, where they average those of the
    folds; no row of W is subtracted from the others before it is penalised, which would make the penalty depend on
    which class comes last; lambda and mu are chosen as one number, where theirs are chosen from all pairs, as `DirODIR`
    chooses them.

    References
    ----------
    Kull, Perelló-Nieto, Kängsepp, Silva Filho, Song, Flach (2019), Beyond temperature scaling: obtaining
    well-calibrated multiclass probabilities with Dirichlet calibration, NeurIPS.
    https://doi.org/10.48550/arXiv.1910.12656

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 500)
    >>> y = (rng.random((500, 1)) > (P**2 / (P**2).sum(1, keepdims=True)).cumsum(1)).sum(1)
    >>> dirichlet = fot.families.make("dirichlet").fit(P, y)
    >>> dirichlet.predict_proba([[0.6, 0.3, 0.1]]).round(2)
    array([[0.81, 0.18, 0.01]])
    """

    calibrator = True
    noun: ClassVar[str] = "dirichlet"

    lambda_: float | Literal["cv"] = "cv"
    mu: float | Literal["cv"] = "cv"
    divide: bool = True
    cv: int = 5
    random_state: RandomState = 0
    eps: Eps = "auto"
    input: Input = "probabilities"

    def _candidates(self) -> list[Strengths]:
        """Return the pairs of lambda and mu to choose from, the strongest first."""
        check_flag(self.divide, "divide")
        lambda_, mu = (read_penalty(getattr(self, name), name, none=False) for name in ("lambda_", "mu"))
        if lambda_ != "cv" and mu != "cv":
            return [(lambda_, mu)]
        return [(one if lambda_ == "cv" else lambda_, one if mu == "cv" else mu) for one in GRID]

    def _named(self, strengths: Strengths) -> dict[str, float]:
        return {"best_lambda_": strengths[0], "best_mu_": strengths[1]}

    def _strength(self, K: int, *strengths: float) -> FloatArray:
        lambda_, mu = strengths
        strength = np.full((K, K + 1), lambda_ / (K * (K - 1)) if self.divide else lambda_)
        strength[np.arange(K), np.arange(K)] = 0.0
        strength[:, -1] = mu / K if self.divide else mu
        return strength
