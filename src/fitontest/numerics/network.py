"""A fully connected network of a few layers: how its numbers are laid out, and its outputs by numpy.

Layer l takes a row a to tanh(a W_l + b_l), the last one to a W_l + b_l. All numbers stand in one array: W_1 row by row,
b_1, W_2 and so on.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from fitontest.results.typing import FloatArray


def count_weights(sizes: Sequence[int]) -> int:
    """Return how many numbers a network has whose layers, from the inputs to the outputs, have these sizes."""
    return sum((a + 1) * b for a, b in pairwise(sizes))


def layers(theta: FloatArray, sizes: Sequence[int]) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield W and b of each layer; of a numpy array they are views."""
    start = 0
    for a, b in pairwise(sizes):
        yield theta[start : start + a * b].reshape(a, b), theta[start + a * b : start + (a + 1) * b]
        start += (a + 1) * b


def outputs(theta: FloatArray, sizes: Sequence[int], inputs: FloatArray) -> FloatArray:
    """Return the outputs of the network for rows of inputs."""
    values = inputs
    for layer, (W, b) in enumerate(layers(theta, sizes)):
        values = (np.tanh(values) if layer else values) @ W
        values += b
    return values


def draw_weights(sizes: Sequence[int], rng: np.random.Generator) -> FloatArray:
    """Return numbers under which all outputs are 0: the last layer is 0, and so are the offsets.

    The other weights are normal with variance 1 over the number of inputs of their layer.
    """
    theta = np.zeros(count_weights(sizes))
    for W, _ in list(layers(theta, sizes))[:-1]:
        W[:] = rng.normal(size=W.shape) / np.sqrt(W.shape[0])
    return theta
