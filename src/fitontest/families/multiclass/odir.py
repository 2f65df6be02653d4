"""Dirichlet and matrix scaling with the penalties of the Dirichlet paper, chosen as its experiments chose them."""

from dataclasses import dataclass
from typing import ClassVar

from fitontest.checks import check_flag
from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.docstrings import take_descriptions
from fitontest.families.multiclass.dirichlet import Dirichlet
from fitontest.families.multiclass.fitting import Scores
from fitontest.families.multiclass.regularised import GRID, Strengths
from fitontest.families.registry import register
from fitontest.maps.multiclass.softmax import SoftmaxMap
from fitontest.typing import FloatArray


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
