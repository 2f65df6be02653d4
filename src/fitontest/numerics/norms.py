r"""Norms: how many distances, each with a share of the data, become one number.

With distances g_i and weights w_i of sum W: l1 is sum w |g| / W, squared is sum w g^2 / W, l2 its square root, max the
largest |g_i| of positive weight.

A norm may bring its influence: psi_i = W d value / d w_i, by how much one row moves the number. Then

    standard error^2 = sum_i w_i^2 psi_i^2 / W^2

holds the distances fixed and lets the rows vary. For a mean of h(g) it is psi_i = h(g_i) - mean, for its square root
(h(g_i) - mean) / (2 root). A maximum is no smooth function of the weights and has none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from fitontest.checks import is_real
from fitontest.registry import Registry, find_value
from fitontest.typing import FloatArray

Function: TypeAlias = Callable[[FloatArray, FloatArray], float]


@dataclass(frozen=True)
class Norm:
    """How distances are summed up to one error, such as mean, root mean square or maximum.

    Parameters
    ----------
    name : str
        What it is called in prints and by ``norm=``.
    value : callable
        ``value(g, w)``: the number for distances g and weights w >= 0, both of shape (m,), of positive sum. Entries may
        be bins or rows, so it must be the same if equal distances are pooled into one of their added weights.
    influence : callable, optional
        ``influence(g, w)``: psi of shape (m,), psi_i = W d value / d w_i, by how much one row moves the number, with W
        the sum of the weights; for the mean of |g| it is |g_i| - value. The squared standard error is
        sum_i w_i^2 psi_i^2 / W^2. Without it estimates under the norm have no standard error.
    reason : str, optional
        Why there is no influence, or where it has no finite value, for readers.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> def mean_cube(g, w):
    ...     return float(w @ abs(g) ** 3 / w.sum())
    >>> cubed = fot.norms.Norm("cubed", mean_cube, influence=lambda g, w: abs(g) ** 3 - mean_cube(g, w))
    >>> error = fot.calibration_error([0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8], family=fot.Slope1(2), norm=cubed)
    >>> round(float(error), 6), error.norm, round(error.se_map_fixed, 6)
    (0.02925, 'cubed', 0.006812)
    """

    name: str
    value: Function
    influence: Callable[[FloatArray, FloatArray], FloatArray] | None = None
    reason: str = ""

    def __str__(self) -> str:
        return self.name

    def __call__(self, g: FloatArray, w: FloatArray) -> float:
        """Return the number, which must be finite."""
        return as_number(self.value(g, w), "norm")


def l1(g: FloatArray, w: FloatArray) -> float:
    """Return the weighted mean of values."""
    return float(w @ g / w.sum())


def _l1(g: FloatArray, w: FloatArray) -> float:
    return l1(np.abs(g), w)


def _squared(g: FloatArray, w: FloatArray) -> float:
    return l1(g * g, w)


def _l2(g: FloatArray, w: FloatArray) -> float:
    return float(np.sqrt(_squared(g, w)))


def _maximum(g: FloatArray, w: FloatArray) -> float:
    return float(np.abs(g[w > 0]).max())


def _influence_of_l1(g: FloatArray, w: FloatArray) -> FloatArray:
    return np.abs(g) - l1(np.abs(g), w)


def _influence_of_squared(g: FloatArray, w: FloatArray) -> FloatArray:
    return np.asarray(g**2 - l1(g**2, w))


def _influence_of_l2(g: FloatArray, w: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):  # at 0 the root has no slope
        return np.asarray(_influence_of_squared(g, w) / (2.0 * _l2(g, w)))


registry: Registry[Norm, Norm] = Registry("norm", Norm, values=True)
unregister = registry.unregister
names = registry.names
make = registry.make


def register(norm: Norm) -> Norm:
    """Make a norm available under its name, wherever a function takes ``norm=``.

    Parameters
    ----------
    norm : Norm
        The norm, whose ``name`` is not that of another one.

    Returns
    -------
    Norm
        The same norm.

    Raises
    ------
    TypeError
        `norm` is no `Norm`.
    ValueError
        The name is taken.

    Examples
    --------
    >>> import fitontest as fot
    >>> fourth = fot.norms.register(fot.norms.Norm("l4", lambda g, w: float((w @ g**4 / w.sum()) ** 0.25)))
    >>> round(float(fot.gce([0, 1], [0.4, 0.6], n_bins=2, norm="l4")), 12)
    0.4
    >>> fot.norms.unregister("l4")
    """
    if not isinstance(norm, Norm):
        raise TypeError(f"norm must be a Norm, got {norm!r}")
    return registry.register(norm.name)(norm)


L1 = register(Norm("l1", _l1, _influence_of_l1))
register(Norm("l2", _l2, _influence_of_l2, reason="the square root has no slope at 0"))
register(Norm("squared", _squared, _influence_of_squared))
register(Norm("max", _maximum, reason="the largest distance is not a mean over rows"))


def find_norm(norm: object) -> Norm:
    """Return the norm that a name, a `Norm` or a callable ``norm(g, w)`` means."""
    return find_value(registry, norm, "norm", Norm)


def as_number(value: Any, argument: str, where: str = "") -> float:
    """Return what a user's callable returned as a float, if it is a finite real number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not is_real(value) or not np.isfinite(value):
        description = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
        raise ValueError(f"{argument} must return a finite number, got {description}{where}")
    return float(value)
