"""How softmax maps are fitted: the first step of structured scaling, and what is done where there is no optimum.

Without a penalty the likelihood grows for ever if a class has no rows, or if the scores separate the classes. Then,
and only then, a ridge of 1e-10 on the standardised parameters picks a steep but finite map, and a warning says so, as
for two classes.

References
----------
Berta, Holzmueller, Jordan, Bach (2025), Structured matrix scaling for multi-class calibration.
https://doi.org/10.48550/arXiv.2511.03685
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from fitontest.data.labels import listed
from fitontest.data.simplex_sample import SimplexSample
from fitontest.exceptions import SeparableDataWarning, warn_user
from fitontest.families.multiclass.softmax_objective import (
    AIM,
    Penalty,
    SoftmaxObjective,
    score_size,
    warn_unless_exact,
)
from fitontest.families.multiclass.softmax_slope import fit_slope
from fitontest.maps.multiclass.softmax import SoftmaxMap, first_step
from fitontest.numerics.newton import SEPARABLE_RIDGE, Optimum, minimise
from fitontest.numerics.softmax import SoftmaxProblem, row_blocks
from fitontest.numerics.threads import one_blas_thread
from fitontest.typing import FloatArray, IntArray, Label

ObjectiveMaker = Callable[[SoftmaxProblem, Penalty], SoftmaxObjective]


@dataclass(frozen=True, eq=False)
class Scores:
    """The scores that W and b are fitted to, and the first step that makes them of the probabilities.

    Attributes
    ----------
    problem : SoftmaxProblem
    classes : list of length K
    n : float
        Number of rows, as penalties count them.
    beta, mix, eps : float
        As in `SoftmaxMap`.
    """

    problem: SoftmaxProblem
    classes: list[Label]
    n: float
    beta: float
    mix: float
    eps: float

    @classmethod
    def plain(cls, rows: SimplexSample, eps: float) -> "Scores":
        """Return x = ln max(p, eps)."""
        return cls(problem_of(rows, eps), rows.classes, rows.counted, 1.0, 0.0, eps)

    @classmethod
    def structured(cls, rows: SimplexSample, eps: float) -> "Scores":
        """Return x = ln q: p scaled by its best temperature, then mixed with the uniform distribution."""
        problem = problem_of(rows, eps)
        beta, mix = fit_slope(problem).beta, 1.0 / (rows.counted + 1.0)
        for piece in row_blocks(*problem.x.shape):
            problem.x[piece] = first_step(problem.x[piece], beta, mix)
        return cls(problem, rows.classes, rows.counted, beta, mix, eps)

    def map(self, W: FloatArray, b: FloatArray) -> SoftmaxMap:
        """Return the map with these parameters on these scores, b less its mean."""
        return SoftmaxMap(W, b - b.mean(), self.beta, self.mix, self.eps)


def problem_of(rows: SimplexSample, eps: float) -> SoftmaxProblem:
    """Return the problem on x = ln max(p, eps)."""
    return SoftmaxProblem(
        log_probabilities(rows, eps), rows.codes, None if rows.weights is None else rows.w, rows.total
    )


def find_optimum(
    make: ObjectiveMaker,
    scores: Scores,
    penalty: Penalty,
    start: FloatArray,
    family: str,
    aim: float = AIM,
) -> Optimum:
    """Minimise the loss plus the penalty, and where that has no optimum plus a ridge as well.

    Parameters
    ----------
    make : callable
        From a problem and a penalty to what is minimised.
    scores : Scores
        What it is fitted to.
    start : array
        Parameters to start from.
    family : str
        For the warning.
    aim : float
        The gradient to stop at.
    """
    problem = scores.problem
    bounded = bool(penalty.strength[:, -1].any() or problem.class_weights.all())
    with one_blas_thread():
        if bounded:
            objective = make(problem, penalty)
            optimum = minimise(objective, start, aim)
            if optimum.settled:
                return warn_unless_exact(objective, optimum, aim)
        absent = np.flatnonzero(problem.class_weights == 0)
        reason = (
            f"{named_classes(absent, scores.classes)} no rows" if absent.size else "the scores separate the classes"
        )
        left = ", which leaves what has no rows hardly any probability" if absent.size else ""
        warn_user(
            f"{family}: {reason}, so the likelihood has no finite optimum; a ridge of 1e-10 on the "
            f"standardised parameters gives a steep finite map{left}",
            SeparableDataWarning,
        )
        objective = make(problem, with_ridge(penalty, problem))
        return warn_unless_exact(objective, minimise(objective, start, aim), aim)


def named_classes(columns: IntArray, classes: Iterable[Label]) -> str:
    """Return "class 'a' has", or "the classes 'a', 'b' have", for a message."""
    known = list(classes)
    chosen = [known[k] for k in columns]
    return f"class {chosen[0]!r} has" if len(chosen) == 1 else f"the classes {listed(chosen)} have"


def with_ridge(penalty: Penalty, problem: SoftmaxProblem) -> Penalty:
    """Return the penalty plus a ridge where it has none, towards the same centre."""
    size = score_size(problem)
    diagonal = penalty.strength.shape[1] == 2
    sizes = np.stack([size[:-1], np.ones(size.size - 1)], axis=1) if diagonal else size
    ridge = np.broadcast_to(SEPARABLE_RIDGE / 2.0 * sizes * sizes, penalty.strength.shape)
    return Penalty(np.where(penalty.strength > 0, penalty.strength, ridge), penalty.centre)


def diagonal_identity(K: int) -> FloatArray:
    """Return the parameters v = 1, b = 0."""
    return np.stack([np.ones(K), np.zeros(K)], axis=1)


def full_identity(K: int) -> FloatArray:
    """Return the parameters W = I, b = 0."""
    return np.eye(K, K + 1)


def log_probabilities(rows: SimplexSample, eps: float) -> FloatArray:
    """Return the logarithms of the probabilities, of at least eps."""
    if rows.logs:
        return np.maximum(rows.scores, np.log(eps))
    x = np.maximum(rows.scores, eps)
    return np.asarray(np.log(x, out=x))
