"""Distances between distributions: their formulas, their registry, and what a distance of one's own must return."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.numerics.simplex_distances import find_distance

P = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
Q = np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 1.0]])


@pytest.mark.parametrize(
    ("name", "expected"),
    [("total_variation", [0.3, 1.0]), ("cityblock", [0.6, 2.0]), ("squared_euclidean", [0.18, 2.0])],
)
def test_formulas(name, expected):
    np.testing.assert_allclose(find_distance(name)(P, Q), expected, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(find_distance(name)(P, P), [0, 0])


def test_a_callable_is_a_distance_of_its_own_name():
    def largest(p, q):
        return np.abs(p - q).max(axis=1)

    found = find_distance(largest)
    assert found.name == str(found) == "largest"
    np.testing.assert_allclose(found(P, Q), [0.3, 1.0])
    assert find_distance(found) is found


@pytest.mark.parametrize("returned", [0.5, np.array([[0.1, 0.2]]), np.array([np.nan, 0.0]), np.array(["a", "b"])])
def test_what_a_distance_must_return(returned):
    with pytest.raises(ValueError, match="distance must return one finite number for each of the 2 rows"):
        find_distance(lambda p, q: returned)(P, Q)


def test_refusals():
    with pytest.raises(ValueError, match=r"distance must be one of 'cityblock', .*; got 'euclid'"):
        find_distance("euclid")
    with pytest.raises(ValueError, match="a Distance or a callable; got 3"):
        find_distance(3)
    with pytest.raises(TypeError, match="distance must be a Distance"):
        fot.distances.register("largest")
    with pytest.raises(ValueError, match="there is a distance called 'cityblock' already"):
        fot.distances.register(fot.distances.Distance("cityblock", lambda p, q: p[:, 0]))
    with pytest.raises(ValueError, match="must be that of a registered distance, got 'none'"):
        fot.distances.unregister("none")


@pytest.mark.parametrize("shape", [(5, 3), (3, 3), (1, 3)])
def test_a_function_of_one_pair_of_rows_is_refused_unless_it_is_wrapped(shape):
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(shape[1]), shape[0]), rng.dirichlet(np.ones(shape[1]), shape[0])
    for of_a_pair in (lambda a, b: abs(a - b).max(), lambda a, b: sum(abs(a - b)), lambda a, b: a @ b.T):
        if shape[0] == 1 and np.shape(of_a_pair(p, q)) == (1,):
            continue
        with pytest.raises(ValueError, match=r"wrap a function d of one pair of rows as lambda P, Q"):
            find_distance(of_a_pair)(p, q)
    wrapped = find_distance(lambda P, Q: [max(abs(a - b)) for a, b in zip(P, Q, strict=True)])
    np.testing.assert_array_equal(wrapped(p, q), abs(p - q).max(axis=1))
