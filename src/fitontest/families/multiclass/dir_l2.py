"""Dirichlet calibration with a penalty on all parameters alike (Dir-L2)."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fitontest.checks import check_flag
from fitontest.families.cutting import Eps
from fitontest.families.docstrings import take_descriptions
from fitontest.families.multiclass.base import Input
from fitontest.families.multiclass.dirichlet import Dirichlet
from fitontest.families.multiclass.penalties import read_penalty
from fitontest.families.multiclass.regularised import GRID, RegularisedSoftmax, Strengths
from fitontest.families.registry import register
from fitontest.typing import FloatArray, RandomState


@register("dir_l2", aliases=("dirL2",))
@take_descriptions(Dirichlet, "References")
@dataclass(eq=False, repr=False)
class DirL2(RegularisedSoftmax):
    """Fit Dirichlet calibration with a penalty on all parameters alike, as published: Dir-L2.

    The map is softmax(W ln p + b), and W and b minimise

        mean(-ln g_y(p)) + lambda (sum_jk W_jk^2 + sum_k b_k^2)

    so that predictions are drawn towards equal probabilities, whatever the scores are.

    Parameters
    ----------
    lambda_ : float or "cv", default="cv"
        Strength of the penalty; "cv" takes the one of 10, 1, ..., 1e-5 with the smallest held-out log loss.
    divide : bool, default=False
        Whether the sum is divided by the number of its terms, K (K + 1).
    cv : int, default=5
        Folds; equal rows share one.

    Attributes
    ----------
    map_ : SoftmaxMap
        Its ``W`` is a full matrix.
    classes_ : array of shape (K,)
        The class of each column.
    best_lambda_ : float
        The strength of the fit: the one given, or the one chosen.
    held_out_ : HeldOut
        Held-out losses of the strengths, with "cv".
    objective_ : float
        What is minimised, at the optimum.
    n_iter_ : int
        Newton steps.

    Notes
    -----
    Where it differs from the authors' programs: the map is refitted to all rows, where they average those of the folds.
    The paper found that it needs more rows than the penalty of `Dirichlet`, which leaves the diagonal free. By name
    alone, in no default.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 500)
    >>> y = (rng.random((500, 1)) > (P**2 / (P**2).sum(1, keepdims=True)).cumsum(1)).sum(1)
    >>> fot.families.make("dir_l2", lambda_=0.001).fit(P, y).predict_proba([[0.6, 0.3, 0.1]]).round(2)
    array([[0.8 , 0.19, 0.01]])
    """

    calibrator = False
    evaluator: ClassVar[bool] = False
    noun: ClassVar[str] = "dir_l2"

    lambda_: float | Literal["cv"] = "cv"
    divide: bool = False
    cv: int = 5
    random_state: RandomState = 0
    eps: Eps = "auto"
    input: Input = "probabilities"

    def _candidates(self) -> list[Strengths]:
        """Return the strengths to choose from, the strongest first."""
        check_flag(self.divide, "divide")
        lambda_ = read_penalty(self.lambda_, "lambda_", none=False)
        return [(one,) for one in GRID] if lambda_ == "cv" else [(lambda_,)]

    def _strength(self, K: int, *strengths: float) -> FloatArray:
        return np.full((K, K + 1), strengths[0] / (K * (K + 1)) if self.divide else strengths[0])

    def _named(self, strengths: Strengths) -> dict[str, float]:
        return {"best_lambda_": strengths[0]}
