"""The block elimination against a dense solution."""

import jax
import numpy as np
import pytest

from fitontest.families.piecewise import block_tridiagonal
from fitontest.families.piecewise.block_tridiagonal import Diagonal, Pair, Upper, packed
from fitontest.families.piecewise.undisturbed import with_float64

pytestmark = pytest.mark.multiplies


@jax.jit  # as the program does; its operations alone are slow
def solve(diagonal, upper, right):
    return block_tridiagonal.solve(packed(diagonal, right, upper))


def dense(diagonal, upper):
    """Return the whole matrix, the unknowns in the order u_0, t_0, u_1, t_1, ..."""
    size = diagonal.uu.size
    a = np.zeros((2 * size, 2 * size))
    for k in range(size):
        i = 2 * k
        a[i : i + 2, i : i + 2] = [[diagonal.uu[k], diagonal.ut[k]], [diagonal.ut[k], diagonal.tt[k]]]
        if k < size - 1:
            block = np.array([[upper.uu[k], upper.ut[k]], [upper.tu[k], upper.tt[k]]])
            a[i : i + 2, i + 2 : i + 4] = block
            a[i + 2 : i + 4, i : i + 2] = block.T
    return a


@pytest.mark.parametrize("size", [2, 3, 17])
def test_equals_the_dense_solution(size):
    rng = np.random.default_rng(size)
    with with_float64():
        upper = Upper(*rng.normal(size=(4, size - 1)))
        diagonal = Diagonal(8 + rng.random(size), rng.normal(size=size), 8 + rng.random(size))
        right = rng.normal(size=(size, 2))
        x = solve(
            Diagonal(*map(jax.numpy.asarray, diagonal)),
            Upper(*map(jax.numpy.asarray, upper)),
            Pair(jax.numpy.asarray(right[:, 0]), jax.numpy.asarray(right[:, 1])),
        )
    expected = np.linalg.solve(dense(diagonal, upper), right.ravel()).reshape(size, 2)
    np.testing.assert_allclose(np.stack(x, axis=-1), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.exhaustive
def test_systems_side_by_side_are_those_alone():
    rng = np.random.default_rng(0)
    with with_float64():
        upper = Upper(*jax.numpy.asarray(rng.normal(size=(4, 3, 5))))
        diagonal = Diagonal(
            *(jax.numpy.asarray(a) for a in (8 + rng.random((3, 6)), rng.random((3, 6)), 8 + np.ones((3, 6))))
        )
        right = Pair(*jax.numpy.asarray(rng.normal(size=(2, 3, 6))))
        together = solve(diagonal, upper, right)
        for row in range(3):
            alone = solve(*(jax.tree.map(lambda a, row=row: a[row], part) for part in (diagonal, upper, right)))
            for a, b in zip(alone, together, strict=True):
                np.testing.assert_allclose(a, b[row], rtol=1e-12, atol=1e-14)
