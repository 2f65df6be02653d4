"""Dirichlet calibration and its variants: softmax maps with the penalties of the Dirichlet paper.

`Dirichlet` leaves the diagonal free and divides the penalties by the numbers of their terms (ODIR). `DirODIR`, `DirL2`
and `MSODIR` are as the experiments of the paper have them.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.cutting import Eps
from fitontest.families.multiclass.base import Input
from fitontest.families.multiclass.fitting import Scores
from fitontest.families.multiclass.penalties import read_penalty
from fitontest.families.multiclass.regularised import GRID, RegularisedSoftmax, Strengths
from fitontest.families.multiclass.structured import StructuredFamily
from fitontest.families.registry import register
from fitontest.maps.multiclass.softmax import SoftmaxMap
from fitontest.results.checks import check_flag
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import FloatArray, RandomState


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


@register("dir_odir", aliases=("dirODIR",))
@take_descriptions(Dirichlet, "Attributes", "References")
@dataclass(eq=False, repr=False)
class DirODIR(Dirichlet):
    """Fit Dirichlet calibration with off-diagonal and intercept regularisation, as published: Dir-ODIR.

    The map is softmax(W ln p + b), and W and b minimise

        mean(-ln g_y(p)) + lambda sum_{j != k} W_jk^2 + mu sum_k b_k^2

    with lambda and mu chosen from all pairs of 10, 1, ..., 1e-5 by held-out log loss.

    Parameters
    ----------
    lambda_, mu : float or "cv", default="cv"
        Strengths of the penalties. Where both are "cv", one of the 49 pairs is chosen; where one is a number, the other
        is chosen from seven.
    divide : bool, default=False
        Whether the sums are divided by the numbers of their terms, as the paper's text does and its programs do not.

    Warns
    -----
    SeparableDataWarning
        As of `Dirichlet`.

    Notes
    -----
    `Dirichlet` is the one to use: one number for both penalties costs a seventh and is hardly ever worse. This one is
    by name alone, in no default, since 49 pairs in 5 folds are 245 fits. Where it differs from the authors' programs:
    the map is refitted to all rows, where they average those of the folds, and no row of W is subtracted from the
    others before it is penalised.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> P = rng.dirichlet([1, 1, 1], 300)
    >>> y = (rng.random((300, 1)) > (P**2 / (P**2).sum(1, keepdims=True)).cumsum(1)).sum(1)
    >>> family = fot.families.make("dir_odir", cv=3).fit(P, y)
    >>> len(family.held_out_.candidates), family.predict_proba([[0.6, 0.3, 0.1]]).sum().round(12)
    (49, np.float64(1.0))
    """

    calibrator = False
    evaluator: ClassVar[bool] = False  # its fit is slow
    noun: ClassVar[str] = "dir_odir"

    divide: bool = False

    def _candidates(self) -> list[Strengths]:
        """Return the pairs of lambda and mu, from the strongest.

        Each shares a number with the next, whose fit starts where its own ended.
        """
        check_flag(self.divide, "divide")
        if self.lambda_ != "cv" or self.mu != "cv":
            return super()._candidates()
        return [(GRID[k], mu) for k in range(len(GRID)) for mu in (GRID if k % 2 == 0 else GRID[::-1])]


@register("msodir", aliases=("MSODIR",))
@take_descriptions(DirODIR, "Attributes", "References")
class MSODIR(DirODIR):
    """Fit matrix scaling with off-diagonal and intercept regularisation: MS-ODIR.

    The map is softmax(W z + b) of the logits z, and W and b minimise the same as for `DirODIR`:

        mean(-ln g_y(p)) + lambda sum_{j != k} W_jk^2 + mu sum_k b_k^2

    Logits are known up to a number that is added to all classes alike, of which the penalty must not depend: z has
    the sum 0 in each row. Where probabilities are given, z = ln p less its mean.

    Warns
    -----
    SeparableDataWarning
        As of `Dirichlet`.

    Notes
    -----
    The authors give the logits of their networks as they are. Without a penalty it is `DirODIR`, which sees ln p: the
    two differ by what the penalty holds back. ``map_.W`` is that of ln p, W (I - 1/K).

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=(300, 3))
    >>> P = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    >>> y = (rng.random((300, 1)) > P.cumsum(1)).sum(1)
    >>> family = fot.families.make("msodir", lambda_=0.01, mu=0.01, input="logits").fit(z, y)
    >>> bool(np.allclose(family.predict_proba(z + 5.0), family.predict_proba(z)))
    True
    """

    noun: ClassVar[str] = "msodir"

    def _scores(self, rows: SimplexSample, eps: float) -> Scores:
        return Scores.of_differences(rows, eps)

    def _map(self, scores: Scores, W: FloatArray, b: FloatArray) -> SoftmaxMap:
        return scores.map(W - W.mean(axis=1, keepdims=True), b)
