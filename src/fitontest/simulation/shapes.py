"""The five shapes of miscalibration of the fit-on-test paper: increasing functions f of [0, 1] onto itself.

The order of the operations matters: with another, the authors' data sets come out different in their last bits.
"""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from fitontest.results.typing import FloatArray

Shape: TypeAlias = Callable[[FloatArray], FloatArray]


def _beta(m: float, a: float, b: float) -> Shape:
    """Return the beta calibration map with exponents a and b that is 1/2 at m."""
    k = b * np.log(1 - m) - a * np.log(m)

    def shape(x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):  # the ends are 1 / inf = 0 and 1 / (1 + 1 / inf) = 1
            return np.asarray(1 / (1 + 1 / (np.exp(k) * (x**a / (1 - x) ** b))))

    return shape


def _stairs(x: FloatArray) -> FloatArray:
    return np.asarray(_steps(x + 1 / 3) - _steps(np.float64(1 / 3)))


def _steps(x: FloatArray | np.float64) -> FloatArray | np.float64:
    """Return steps of width and height 2/3, smoothed: flat at the multiples of 2/3 and steep half-way."""
    height = width = 2 / 3
    return _ramp(_ramp(x * 2 * np.pi / width)) * height / (2 * np.pi)


def _ramp(t: FloatArray | np.float64) -> FloatArray | np.float64:
    return t - np.sin(t)


#: The shapes by name: x^2, x^(1/2), two beta calibration maps, and stairs.
SHAPES: dict[str, Shape] = {
    "square": lambda x: x**2,
    "sqrt": lambda x: x**0.5,
    "beta1": _beta(0.4, 0.4, 0.45),
    "beta2": _beta(0.48, 2, 2.2),
    "stairs": _stairs,
}
