"""The fit-on-test paper's synthetic data, drawn again from its description: bit-identical to the authors' sets.

c is uniform, y ~ Bernoulli(c), and the score is p = d(c) = (1 - a) c + a f(c) with a shape f and an amount a that sets
the calibration error. So the true calibration map is known: c at every p.
"""

from collections.abc import Callable

import numpy as np


def _beta_shape(m: float, a: float, b: float) -> Callable[[np.ndarray], np.ndarray]:
    k = b * np.log(1 - m) - a * np.log(m)

    def shape(x: np.ndarray) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return 1 / (1 + 1 / (np.exp(k) * x**a / (1 - x) ** b))

    return shape


def _stairs(x: np.ndarray) -> np.ndarray:
    def step(t: np.ndarray | float) -> np.ndarray | float:
        def s(v: np.ndarray | float) -> np.ndarray | float:
            return v - np.sin(v)

        return (2 / 3) / (2 * np.pi) * s(s(2 * np.pi * t / (2 / 3)))

    return step(x + 1 / 3) - step(1 / 3)


SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "square": lambda x: x**2,
    "sqrt": lambda x: x**0.5,
    "beta1": _beta_shape(0.4, 0.4, 0.45),
    "beta2": _beta_shape(0.48, 2, 2.2),
    "stairs": _stairs,
}


def draw(shape: str, amount: float, n: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (y, p, c) of one of the authors' data sets."""
    rng = np.random.RandomState(seed + n)
    c = np.sort(rng.dirichlet([1, 1], size=n)[:, 0])
    y = rng.binomial(1, c)
    return y, (1 - amount) * c + amount * SHAPES[shape](c), c
