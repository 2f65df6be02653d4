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
from dataclasses import dataclass, replace

import numpy as np

from fitontest.data.labels import listed
from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.multiclass.softmax_diagonal import Diagonal
from fitontest.families.multiclass.softmax_objective import (
    AIM,
    Penalty,
    SoftmaxObjective,
    score_size,
    warn_unless_exact,
)
from fitontest.families.multiclass.softmax_slope import fit_slope
from fitontest.maps.multiclass.first_step import first_step, logs_of, logs_of_logits
from fitontest.maps.multiclass.softmax import SoftmaxMap
from fitontest.numerics.newton import SEPARABLE_RIDGE, Optimum, minimise
from fitontest.numerics.softmax import SoftmaxProblem, log_softmax, row_blocks
from fitontest.numerics.threads import one_blas_thread
from fitontest.results.exceptions import SeparableDataWarning, warn_user
from fitontest.results.typing import FloatArray, IntArray, Label

STEEP = 1e3  # slope of scores that hardly differ
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
    start : float
        The slope of all scores with which a fit begins: whatever their unit, it is neither flat nor a step there.
    """

    problem: SoftmaxProblem
    classes: list[Label]
    n: float
    beta: float
    mix: float
    eps: float
    start: float = 1.0

    @classmethod
    def plain(cls, rows: SimplexSample, eps: float) -> "Scores":
        """Return x = ln max(p, eps)."""
        problem = problem_of(rows, eps)
        if rows.logs:
            problem = replace(problem, x=log_softmax(problem.x))
        return cls(problem, rows.classes, rows.counted, 1.0, 0.0, eps, fit_slope(problem).start)

    @classmethod
    def of_differences(cls, rows: SimplexSample, eps: float) -> "Scores":
        """Return the same less the mean of each row, of which nothing depends where one slope multiplies all scores."""
        problem = problem_of(rows, eps)
        problem = replace(problem, x=problem.x - problem.x.mean(axis=1, keepdims=True))
        return cls(problem, rows.classes, rows.counted, 1.0, 0.0, eps, fit_slope(problem).start)

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
    """Return the problem on x = ln max(p, eps), of logits up to a number in each row."""
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
            # where no penalty holds the biases they make up for the means of scores, which hide how small logits differ
            free = not penalty.strength[:, -1].any()
            middle = np.average(problem.x, axis=0, weights=problem.w)
            objective = make(replace(problem, x=problem.x - middle) if free else problem, penalty)
            optimum = minimise(objective, seen_from(-middle, start) if free else start, aim)
            if optimum.settled:
                optimum = warn_unless_exact(objective, optimum, aim)
                return replace(optimum, theta=seen_from(middle, optimum.theta)) if free else optimum
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


def seen_from(middle: FloatArray, theta: FloatArray) -> FloatArray:
    """Return the parameters of scores less their middle as those of the scores themselves.

    The biases are b - W middle less their mean: steep slopes would make all of them so large that they round W x.
    """
    W, moved = theta[:, :-1], theta.copy()
    b = theta[:, -1] - (W[:, 0] * middle if W.shape[1] == 1 else W @ middle)
    moved[:, -1] = b - b.mean()
    return moved


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


def one_slope(problem: SoftmaxProblem, penalty: Penalty) -> Diagonal:
    """Return the objective of the map softmax(s x + b)."""
    return Diagonal(problem, penalty, shared=True)


def full_start(scores: Scores) -> FloatArray:
    """Return W and b from which a fit sets out: one slope for all scores.

    Where they hardly differ beside their size, as the log-softmax of small logits does, it is the best slope beside
    free biases: all that such scores tell of the slope is lost among the squares of which a Hessian is made.
    """
    problem, K = scores.problem, len(scores.classes)
    theta = scores.start * full_identity(K)
    if scores.start > STEEP and problem.class_weights.all():
        x = problem.x - problem.x.mean(axis=1, keepdims=True)
        free = Penalty(np.zeros((K, 2)), diagonal_identity(K))
        optimum = minimise(one_slope(replace(problem, x=x), free), scores.start * diagonal_identity(K), AIM)
        if optimum.settled:
            theta = optimum.theta[0, 0] * full_identity(K)
            theta[:, -1] = optimum.theta[:, 1] - optimum.theta[:, 1].mean()
    return theta


def diagonal_identity(K: int) -> FloatArray:
    """Return the parameters v = 1, b = 0."""
    return np.stack([np.ones(K), np.zeros(K)], axis=1)


def full_identity(K: int) -> FloatArray:
    """Return the parameters W = I, b = 0."""
    return np.eye(K, K + 1)


def log_probabilities(rows: SimplexSample, eps: float) -> FloatArray:
    """Return ln max(p, eps) as a new array, of logits that have no floor up to a number in each row."""
    return (logs_of_logits if rows.logs else logs_of)(rows.scores, eps)
