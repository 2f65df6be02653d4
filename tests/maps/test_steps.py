"""Step maps: the value of every place, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot

UNIT = st.sampled_from([0.0, 5e-324, 0.5, np.nextafter(1, 0), 1.0]) | st.floats(0, 1)


@st.composite
def steps(draw):
    x = draw(st.lists(UNIT, unique=True, max_size=8).map(sorted))
    column = [draw(st.lists(UNIT, min_size=size, max_size=size)) for size in (len(x) + 1, len(x))]
    return fot.maps.StepsMap(x, *column)


@given(c=steps(), p=st.lists(UNIT, max_size=10))
def test_values_one_by_one(c, p):
    p = np.concatenate((p, c.x, np.nextafter(c.x, 0), np.nextafter(c.x, 1)))
    jumps = c.x.tolist()
    expected = [c.at[jumps.index(q)] if q in jumps else c.c[sum(x < q for x in jumps)] for q in p]
    np.testing.assert_array_equal(c(p), expected)
    np.testing.assert_array_equal([c(q) for q in p], expected)


def test_many_unsorted_scores_have_the_same_values_as_few():
    rng = np.random.default_rng(0)
    x = np.sort(rng.random(500))
    c = fot.maps.StepsMap(x, rng.random(501), rng.random(500))
    p = rng.permutation(np.concatenate((rng.random(50_000), x)))
    np.testing.assert_array_equal(c(p), np.concatenate([c(part) for part in np.array_split(p, 10)]))
    np.testing.assert_array_equal(c(x), c.at)


def test_any_shape():
    c = fot.maps.StepsMap([0.5], [0.1, 0.9], [0.4])
    assert c(0.5) == 0.4
    assert type(c(0.5)) is np.float64
    assert c([[0.0, 0.5, 1.0], [0.2, 0.7, 0.5]]).tolist() == [[0.1, 0.4, 0.9], [0.1, 0.9, 0.4]]
    assert c([]).shape == (0,)


def test_no_jumps():
    c = fot.maps.StepsMap([], [0.3], [])
    assert c([0.0, 0.5, 1.0]).tolist() == [0.3] * 3
    assert c.to_json() == '{"schema": 2, "kind": "steps", "x": [], "c": [0.3], "at": []}'
    again = fot.CalibrationMap.from_json(c.to_json())
    assert again == c
    assert hash(again) == hash(c)
    assert not again.x.flags.writeable
    assert again.kinks.size == 0


def test_jumps_at_the_ends():
    c = fot.maps.StepsMap([0.0, 1.0], [0.5, 0.2, 0.5], [0.1, 0.9])
    assert c([0.0, 5e-324, np.nextafter(1, 0), 1.0]).tolist() == [0.1, 0.2, 0.2, 0.9]
    assert c.partition is None


def test_a_line_through_the_kinks_has_the_steps_and_no_point_between_them():
    c = fot.maps.StepsMap([0.25, 0.5], [0.1, 0.9, 0.9], [0.4, 0.0])
    assert c(c.kinks).tolist() == [0.1, 0.9, 0.9, 0.9]
    np.testing.assert_allclose(c.kinks, [0.25, 0.25, 0.5, 0.5], rtol=0, atol=1e-15)
    ends = fot.maps.StepsMap([0.0, 1.0], [0.5, 0.2, 0.5], [0.1, 0.9]).kinks
    assert ends.tolist() == [0.0, 5e-324, np.nextafter(1, 0), 1.0]


@pytest.mark.parametrize(
    ("x", "c", "at", "message"),
    [
        ([0.5, 0.5], [0, 0, 0], [0, 0], "x must be strictly increasing jumps in"),
        ([0.6, 0.5], [0, 0, 0], [0, 0], "x must be strictly increasing jumps in"),
        ([-0.1], [0, 0], [0], "x must be strictly increasing jumps in"),
        ([1.1], [0, 0], [0], "x must be strictly increasing jumps in"),
        ([np.nan], [0, 0], [0], "x must be finite, got nan at row 1"),
        ([0.5], [0], [0], r"c must hold one value in \[0, 1\] per piece \(2\), got \[0\.\]"),
        ([0.5], [0, 1.5], [0], r"c must hold one value in \[0, 1\] per piece \(2\), got \[0\.  1\.5\]"),
        ([0.5], [0, -0.5], [0], "c must hold one value in"),
        ([], [], [], r"c must hold one value in \[0, 1\] per piece \(1\), got \[\]"),
        ([0.5], [0, 1], [], r"at must hold one value in \[0, 1\] per jump \(1\), got \[\]"),
        ([], [0], [0.5], r"at must hold one value in \[0, 1\] per jump \(0\), got \[0\.5\]"),
        ([0.5], [0, 1], [2], "at must hold one value in"),
        ("", [0], [], "x must"),
        (None, [0], [], "x must"),
        ([[]], [0], [], "x must"),
        ([[0], [0.1, 0.2]], [0], [], "x must"),
        (["0.5"], [0, 1], [0], "x must hold real numbers"),
    ],
)
def test_refusals(x, c, at, message):
    with pytest.raises(ValueError, match=message):
        fot.maps.StepsMap(x, c, at)
