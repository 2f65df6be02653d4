r"""Norms: how many distances, each with a share of the data, become one number.

With distances g_i and weights w_i of sum W: l1 is sum w |g| / W, squared is sum w g^2 / W, l2 its square root, max the
largest |g_i| of positive weight. q90 is the .9 quantile of the |g_i|, and so for any other share.

A norm may bring its influence: psi_i = W d value / d w_i, by how much one row moves the number. Then

    standard error^2 = sum_i w_i^2 psi_i^2 / W^2

holds the distances fixed and lets the rows vary. For a mean of h(g) it is psi_i = h(g_i) - mean, for its square root
(h(g_i) - mean) / (2 root). A maximum is no smooth function of the weights and has none, and that of a quantile hangs
on the density of the distances.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from fitontest.numerics.quantiles import quantiles_of_columns
from fitontest.results.checks import brief, is_real
from fitontest.results.registry import Registry, find_value, register_value
from fitontest.results.typing import FloatArray

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
    is_order_statistic : bool, default=False
        Whether it is the distance at a place in the order of the distances: a quantile, or the largest.

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
    is_order_statistic: bool = False

    def __str__(self) -> str:
        return self.name

    def __call__(self, g: FloatArray, w: FloatArray, *, counts: bool | None = None) -> float:  # noqa: ARG002 - of others
        """Return the number, which must be finite.

        Parameters
        ----------
        g, w : arrays of shape (m,)
            Distances and their weights.
        counts : bool, optional
            Whether the weights are whole numbers that count rows, which only quantiles ask. None: they are where all
            are whole.
        """
        return as_number(self.value(g, w), "norm")

    def of_columns(self, g: FloatArray, w: FloatArray, *, counts: bool | None = None) -> FloatArray:
        """Return the number of each column of distances, shape (B,).

        Parameters
        ----------
        g : array of shape (m, B)
        w : array of shape (m,)
        counts : bool, optional
            As above.
        """
        return np.array([self(column, w, counts=counts) for column in np.ascontiguousarray(g.T)])


@dataclass(frozen=True, init=False, repr=False)
class Quantile(Norm):
    """A quantile of the distances, such as the error that nine tenths of the rows do not exceed.

    By name it is "q90" for the share .9, "q50" for the median, "q97.5" for .975. Under the family ``loess`` q50 and q90
    are what clinicians call E50 and E90.

    Parameters
    ----------
    share : float in (0, 1)
        Of the rows whose distances are at most as large.

    Notes
    -----
    Where weights count rows it is type 7 of R and numpy of the repeated rows; of other weights the inverse of the
    weighted step function, the smallest distance up to which there is that share of the weight. So equal importances
    give a value up to the gap between two neighbouring distances away from that of rows without weights. There is no
    standard error with the map held fixed, which would hang on the density of the distances.

    References
    ----------
    Austin, Steyerberg (2019), The Integrated Calibration Index (ICI) and related metrics for quantifying the
    calibration of logistic regression models, Statistics in Medicine 38(21). https://doi.org/10.1002/sim.8281

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> norm = fot.norms.Quantile(0.9)
    >>> norm.name, round(norm(np.array([0.1, 0.2, 0.4]), np.ones(3)), 12)
    ('q90', 0.36)
    >>> y, p = [0, 1, 1, 1], [0.1, 0.2, 0.7, 0.8]
    >>> round(float(fot.calibration_error(y, p, family=fot.Slope1(2), norm="q50")), 12)
    0.3
    """

    value: Function = field(init=False, compare=False)
    share: float = field(init=False)

    def __init__(self, share: float) -> None:
        if not (is_real(share) and 0.0 < share < 1.0):
            other = ": the largest distance is norm='max'" if is_real(share) and share == 1 else ""
            raise ValueError(f"share must be a number in (0, 1), got {brief(share)}{other}")
        put = object.__setattr__
        put(self, "share", float(share))
        put(self, "name", f"q{(100 * Decimal(repr(float(share)))).normalize():f}")
        put(self, "value", partial(_quantile, share=float(share)))
        put(self, "influence", None)
        put(self, "is_order_statistic", True)
        put(self, "reason", "that of a quantile hangs on the density of the distances")

    def __repr__(self) -> str:
        return f"Quantile({self.share!r})"

    def __call__(self, g: FloatArray, w: FloatArray, *, counts: bool | None = None) -> float:
        """Return the quantile of |g|; see `Norm`."""
        return as_number(_quantile(g, w, share=self.share, counts=counts), "norm")

    def of_columns(self, g: FloatArray, w: FloatArray, *, counts: bool | None = None) -> FloatArray:
        """Return the quantile of each column of |g|, shape (B,)."""
        return quantiles_of_columns(np.abs(g), w, self.share, counts=_count_rows(w) if counts is None else counts)


def _quantile(g: FloatArray, w: FloatArray, *, share: float, counts: bool | None = None) -> float:
    kind = _count_rows(w) if counts is None else counts
    return float(quantiles_of_columns(np.abs(g)[:, None], w, share, counts=kind)[0])


def _count_rows(w: FloatArray) -> bool:
    """Return whether weights may be counts as far as they tell: whole numbers."""
    return bool(np.all(w == np.rint(w)))


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


PERCENT = re.compile(r"q(\d+(?:\.\d*)?|\.\d+)")  # the name of a quantile, with its share in percent
NAMES_OF_QUANTILES = ", or a quantile such as 'q50', 'q90' or 'q97.5', of more than 0 and less than 100 percent"


class NormRegistry(Registry[Norm, Norm]):
    """The registry of norms, in which any quantile is found by its name."""

    def __getitem__(self, name: str) -> Norm:
        """Return the norm of a name; KeyError where there is none."""
        quantile = quantile_by_name(name)
        return super().__getitem__(name) if quantile is None else quantile

    def __contains__(self, name: object) -> bool:
        """Return whether there is a norm of that name."""
        return quantile_by_name(name) is not None or super().__contains__(name)

    def _check_new(self, *names: str) -> None:
        for name in names:
            if isinstance(name, str) and PERCENT.fullmatch(name):
                raise ValueError(f"name must not be that of a quantile, such as 'q90'; got {name!r}")
        super()._check_new(*names)


def quantile_by_name(name: object) -> Quantile | None:
    """Return the quantile that a name such as "q90" means, or None where it means none."""
    percent = PERCENT.fullmatch(name) if isinstance(name, str) else None
    share = 0.0 if percent is None else float(Decimal(percent[1]) / 100)
    return Quantile(share) if 0.0 < share < 1.0 else None


registry: Registry[Norm, Norm] = NormRegistry("norm", Norm, values=True)
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
    return register_value(registry, norm, "norm")


L1 = register(Norm("l1", _l1, _influence_of_l1))
register(Norm("l2", _l2, _influence_of_l2, reason="the square root has no slope at 0"))
register(Norm("squared", _squared, _influence_of_squared))
register(Norm("max", _maximum, reason="the largest distance is not a mean over rows", is_order_statistic=True))


def find_norm(norm: object) -> Norm:
    """Return the norm that a name, a `Norm` or a callable ``norm(g, w)`` means."""
    return find_value(registry, norm, "norm", Norm, NAMES_OF_QUANTILES)


def is_order_statistic(norm: Norm | None) -> bool:
    """Return whether there is a norm, and it is the distance at a place in the order of the distances."""
    return norm is not None and norm.is_order_statistic


def as_number(value: Any, argument: str, where: str = "") -> float:
    """Return what a user's callable returned as a float, if it is a finite real number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if not is_real(value) or not np.isfinite(value):
        description = f"an array of shape {value.shape}" if isinstance(value, np.ndarray) else repr(value)
        raise ValueError(f"{argument} must return a finite number, got {description}{where}")
    return float(value)
