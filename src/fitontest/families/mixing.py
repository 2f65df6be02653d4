"""The weights of a mixture: the point of the simplex with the largest likelihood, or with the least square.

Both are convex, and a mixture has few members. So each step solves a quadratic problem over the non-negative weights
exactly, as non-negative least squares.
"""

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls
from sklearn.exceptions import ConvergenceWarning

from fitontest.results.exceptions import warn_user
from fitontest.results.typing import FloatArray

GAP = 1e-10  # duality gap of the log likelihood, per unit weight
MAX_STEPS = 100
SUFFICIENT = 1e-4  # share of the promised decrease that a step must bring
SPECK = 1e-12  # of the largest curvature, that members which predict the same need to be told apart
SAMPLED = 20_000  # rows that the first steps are made with


def likelihood_weights(likelihoods: FloatArray, w: FloatArray) -> FloatArray:
    """Return the v on the simplex that maximises sum_i w_i log(sum_j v_j l_ij).

    The maximum is certified: with a_ij = l_ij / sum_k v_k l_ik, the largest weighted mean of a column of a exceeds 1 by
    at most 1e-10, and no v has a larger mean log likelihood by more than that. Otherwise a warning says so.

    Parameters
    ----------
    likelihoods : array of shape (n, J)
        l, not negative, and positive for a member at least in each row.
    w : array of shape (n,)
        Weights of the rows, of positive sum.

    References
    ----------
    Kim, Carbonetto, Stephens, Anitescu (2020), A fast algorithm for maximum likelihood estimation of mixture
    proportions using sequential quadratic programming, Journal of Computational and Graphical Statistics 29(2).
    https://doi.org/10.1080/10618600.2019.1689985

    Examples
    --------
    >>> import numpy as np
    >>> likelihood_weights(np.array([[0.8, 0.2], [0.8, 0.2], [0.2, 0.8]]), np.ones(3)).round(4)
    array([0.7778, 0.2222])
    """
    v = np.full(likelihoods.shape[1], 1.0 / likelihoods.shape[1])
    if v.size == 1:
        return v
    step = w.size // SAMPLED
    if step > 1:  # most of the way is cheap on a part of the rows
        v = 0.99 * _maximise(likelihoods[::step], w[::step], v) + 0.01 * v
    return _maximise(likelihoods, w, v)


def _maximise(likelihoods: FloatArray, w: FloatArray, v: FloatArray) -> FloatArray:
    share = w / w.sum()
    for _ in range(MAX_STEPS):
        mixed = likelihoods @ v
        a = likelihoods / mixed[:, None]
        pull = share @ a
        if pull.max() - 1.0 <= GAP:
            return v
        # with the sum of v as a Lagrangian term the weights need only be non-negative: at the maximum they sum to 1
        curvature = (a * share[:, None]).T @ a
        curvature[np.diag_indices(v.size)] += SPECK * curvature.max()
        direction = _least(curvature, curvature @ v + pull - 1.0) - v
        v = _shortened(likelihoods, share, mixed, v, direction, float((1.0 - pull) @ direction))
        v = v / v.sum()
    warn_user(f"the weights of the mixture were not solved to a duality gap of {GAP:g}", ConvergenceWarning)
    return v


def _shortened(
    likelihoods: FloatArray, share: FloatArray, mixed: FloatArray, v: FloatArray, direction: FloatArray, slope: float
) -> FloatArray:
    """Return the point after a step that is halved until the loss falls as a fair share of the slope promises."""
    along, length = likelihoods @ direction, 1.0
    while True:
        with np.errstate(invalid="ignore", divide="ignore"):
            change = length * float(direction.sum()) - float(share @ np.log1p(length * along / mixed))
        if change <= SUFFICIENT * length * slope or length < np.finfo(float).eps:
            return v + length * direction
        length /= 2.0


def square_weights(residuals: FloatArray, w: FloatArray) -> FloatArray:
    """Return the v on the simplex that minimises sum_i w_i (sum_j v_j r_ij)^2.

    The minimum over the simplex is the minimum of v' G v / 2 - sum_j v_j over all v >= 0, with G = sum_i w_i r_i r_i',
    divided by its sum.

    Parameters
    ----------
    residuals : array of shape (n, J)
        r. Predictions q_ij of labels y_i have the residuals y_i - q_ij.
    w : array of shape (n,)
        Weights of the rows, of positive sum.

    Examples
    --------
    >>> import numpy as np
    >>> square_weights(np.array([[1.0, 0.0], [0.0, 2.0]]), np.ones(2)).round(3)
    array([0.8, 0.2])
    """
    gram = residuals.T @ (residuals * (w / w.sum())[:, None])
    largest = float(gram.max())
    if not largest > 0:
        return np.full(gram.shape[0], 1.0 / gram.shape[0])
    gram[np.diag_indices(gram.shape[0])] += SPECK * largest
    v = _least(gram / largest, np.ones(gram.shape[0]))
    return np.asarray(v / v.sum())


def _least(matrix: FloatArray, linear: FloatArray) -> FloatArray:
    """Return the v >= 0 that minimises v' matrix v / 2 - linear' v, for a positive definite matrix."""
    root = cholesky(matrix)
    return np.asarray(nnls(root, solve_triangular(root, linear, trans="T"))[0])
