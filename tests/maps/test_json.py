"""Calibration maps as JSON text: bit by bit there and back, and nothing else is read."""

import json
import struct
import warnings
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fitontest as fot
from fitontest.maps.atoms import AtomsMap
from fitontest.results.serialising import DEEPEST
from tests.maps.test_maps import MAPS
from tests.quick_families import quick
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies

GRID = np.concatenate((np.linspace(0, 1, 201), [5e-324, 1e-300, np.nextafter(1, 0)]))
AWKWARD = [-0.0, 5e-324, -5e-324, 2.225073858507201e-308, 0.1 + 0.2, 1 / 3, 1e22, 123456789.12345679, 1e300]
NUMBERS = st.sampled_from(AWKWARD) | st.floats(-1e300, 1e300)
UNIT = st.sampled_from([0.0, -0.0, 5e-324, 0.1 + 0.2, np.nextafter(1, 0), 1.0]) | st.floats(0, 1)
EPS = st.sampled_from([5e-324, 1e-16, 0.1 + 0.2]) | st.floats(1e-300, 0.49)


@st.composite
def partitions(draw):
    edges = draw(st.lists(UNIT.filter(lambda e: 0 < e < 1), unique=True, max_size=6).map(sorted))
    return fot.partitions.Partition(edges, draw(st.sampled_from(["left", "right"])))


@st.composite
def binned(draw):
    bins = draw(partitions())
    line = st.tuples(NUMBERS, st.just(1.0)) | st.tuples(UNIT, st.sampled_from([0.0, -0.0, 5e-324]))
    lines = draw(
        st.lists(line.filter(lambda one: one[0] < 1 or one[1] != 5e-324), min_size=bins.n_bins, max_size=bins.n_bins)
    )
    return fot.maps.BinnedMap(bins, *np.transpose(lines))


@st.composite
def knots(draw):
    x = draw(st.lists(UNIT, unique=True, min_size=1, max_size=8).map(sorted))
    return fot.maps.KnotsMap(x, draw(st.lists(UNIT, min_size=len(x), max_size=len(x))))


@st.composite
def unbounded(draw):
    x = draw(st.lists(UNIT, unique=True, min_size=1, max_size=8).map(sorted))
    return fot.maps.KnotsMap(x, draw(st.lists(NUMBERS, min_size=len(x), max_size=len(x))), unbounded=True)


@st.composite
def hermite(draw):
    x = draw(st.lists(UNIT, unique=True, min_size=2, max_size=8).map(sorted))
    c, left, right = (draw(st.lists(NUMBERS, min_size=m, max_size=m)) for m in (len(x), len(x) - 1, len(x) - 1))
    return fot.maps.HermiteMap(x, c, left, right)


@st.composite
def steps(draw):
    x = draw(st.lists(UNIT, unique=True, max_size=8).map(sorted))
    c, at = (draw(st.lists(UNIT, min_size=size, max_size=size)) for size in (len(x) + 1, len(x)))
    return fot.maps.StepsMap(x, c, at)


@st.composite
def logit_knots(draw):
    m, logits = draw(st.integers(2, 5)), st.floats(-700, 700)
    row = st.lists(st.integers(-99, 99), unique=True, min_size=m, max_size=m).map(sorted)
    x = draw(st.lists(row, min_size=1, max_size=3))
    shift = draw(st.floats(0, 0.5))  # of all knots: they stay in order and get digits
    column = st.lists(logits | st.sampled_from([-0.0, 5e-324]), min_size=m, max_size=m)
    z = draw(st.lists(column, min_size=len(x), max_size=len(x)))
    return fot.maps.LogitKnotsMap(np.array(x) / 3 + shift, z, draw(EPS))


@st.composite
def restricted_cubic(draw):
    m = draw(st.integers(2, 5))
    row = draw(st.lists(st.integers(-99, 99), unique=True, min_size=m, max_size=m).map(sorted))
    z = draw(st.lists(st.floats(-700, 700) | st.sampled_from([-0.0, 5e-324]), min_size=m, max_size=m))
    return fot.maps.RestrictedCubicMap(np.array(row) / 3 + draw(st.floats(0, 0.5)), z, draw(EPS))


@st.composite
def mixtures(draw):
    parts = draw(
        st.lists(
            st.one_of(knots(), logit_knots(), st.just(fot.maps.LogisticMap(-2.0, 0.5, "logit", 1e-16))),
            min_size=1,
            max_size=3,
        )
    )
    shares = np.array(draw(st.lists(st.integers(1, 9), min_size=len(parts), max_size=len(parts))))
    return fot.maps.MixtureMap(shares / shares.sum(), parts)


@st.composite
def atoms(draw):
    at = draw(st.lists(UNIT, unique=True, min_size=1, max_size=6).map(sorted))
    levels = draw(st.lists(UNIT, min_size=len(at), max_size=len(at)))
    return AtomsMap(at, levels, draw(st.one_of(knots(), logit_knots(), mixtures())))


OF_KIND = {
    "identity": st.just(fot.maps.IdentityMap()),
    "binned": binned(),
    "hermite": hermite(),
    "knots": st.one_of(knots(), unbounded()),
    "logistic": st.builds(fot.maps.LogisticMap, NUMBERS, NUMBERS, st.sampled_from(["logit", "identity"]), EPS),
    "beta": st.builds(fot.maps.BetaMap, NUMBERS, NUMBERS, NUMBERS, EPS),
    "logit_knots": logit_knots(),
    "restricted_cubic": restricted_cubic(),
    "steps": steps(),
    "mixture": mixtures(),
    "atoms": atoms(),
}


def bits(value):
    """Return every bit of a map, a partition or a number; 0.0 and -0.0 differ."""
    if isinstance(value, fot.CalibrationMap):
        return (type(value), *(bits(getattr(value, field.name)) for field in fields(value)))
    if isinstance(value, fot.partitions.Partition):
        return (value.closed, bits(value.edges))
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    if isinstance(value, np.ndarray):
        return (value.dtype, value.shape, value.tobytes())
    return struct.pack("<d", value) if isinstance(value, float) else value


def test_every_kind_is_drawn():
    classes = dict(fot.maps.registry)
    ours = {kind for kind, one in classes.items() if one.__module__.startswith("fitontest.")}
    ours = {kind for kind in ours if issubclass(classes[kind], fot.CalibrationMap)}
    assert set(OF_KIND) == ours  # other tests register maps of their own


@given(st.one_of(*OF_KIND.values()))
def test_round_trip_keeps_every_bit(c):
    text = c.to_json()
    for again in (fot.CalibrationMap.from_json(text), type(c).from_json(text)):
        assert bits(again) == bits(c)
        assert again.to_json() == text
    assert bits(fot.CalibrationMap.from_dict(c.to_dict())) == bits(c)


def test_round_trip_keeps_minus_zero():
    c = fot.maps.KnotsMap([-0.0, 0.5], [-0.0, 0.0])
    assert bits(c) != bits(fot.maps.KnotsMap([0.0, 0.5], [0.0, 0.0]))
    assert c.to_json() == '{"schema": 2, "kind": "knots", "x": [-0.0, 0.5], "c": [-0.0, 0.0]}'
    assert bits(fot.maps.KnotsMap.from_json(c.to_json())) == bits(c)


@pytest.mark.parametrize("name", fot.families.names("two"))
def test_maps_of_every_family_keep_every_bit(name):
    y, p = noisy(ties=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        c = quick(name).fit(p, y).map_
    again = fot.CalibrationMap.from_json(c.to_json())
    assert bits(again) == bits(c)
    np.testing.assert_array_equal(again(GRID), c(GRID))


def test_the_text_is_one_line_of_plain_json():
    c = fot.maps.LogisticMap(1.5, -0.25, "logit", 1e-16)
    assert c.to_json() == (
        '{"schema": 2, "kind": "logistic", "slope": 1.5, "intercept": -0.25, "link": "logit", "eps": 1e-16}'
    )
    for drawn in MAPS.values():
        assert json.loads(drawn.to_json()) == drawn.to_dict()
        assert "\n" not in drawn.to_json()


KNOTS = '{"schema": 2, "kind": "knots", "x": %s, "c": %s}'
BETA = '{"schema": 2, "kind": "beta", "a": %s, "b": 1, "intercept": 0, "eps": 1e-16}'
BINNED = '{"schema": 2, "kind": "binned", "bins": %s, "offset": [0, 0], "slope": [1, 1]}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "text must be JSON, got '': Expecting value"),
        ("{'schema': 1}", "text must be JSON, got .*: Expecting property name"),
        (
            '{"schema": 2, "kind": "logit_knots", "x": [[100, 101]], "z": [[1e308, 0]], "eps": 1e-16}',
            "z must have lines whose values at the scores are finite",
        ),
        ('{"schema": 2, "kind": "identity"} x', "text must be JSON, got .*: Extra data"),
        ('{"schema": 2, "kind": "identity",}', "text must be JSON, got"),
        (b'{"schema": 2, "kind": "identity"}', "text must be a str of JSON, got one bytes"),
        (None, "text must be a str of JSON, got one NoneType"),
        ("[1, 2]", r"text must be a JSON object, got \[1, 2\]"),
        ('"identity"', "text must be a JSON object, got 'identity'"),
        ("null", "text must be a JSON object, got None"),
        ('{"kind": "identity"}', "text must be a dict of schema 2, got none"),
        ('{"schema": 3, "kind": "identity"}', "schema 2, got 3, which a newer version of fitontest wrote"),
        ('{"schema": 1, "kind": "identity"}', "schema 2, got 1$"),
        ('{"schema": 0, "kind": "identity"}', "schema 2, got 0$"),
        ('{"schema": true, "kind": "identity"}', "schema 2, got True$"),
        ('{"schema": 1.0, "kind": "identity"}', "schema 2, got 1.0$"),
        ('{"schema": "1", "kind": "identity"}', "schema 2, got '1'$"),
        ('{"schema": 2, "kind": "spline"}', "kind must be one of .*; got 'spline'"),
        ('{"schema": 2, "kind": "%s"}' % ("k" * 10**6), "kind must be one of .{,400}; got 'k{17}...k{18}'$"),
        ('{"schema": 2, "kind": {"%s": 1}}' % ("k" * 10**6), "kind must be the name of a .{,80}$"),
        ('{"schema": 2, "kind": "identity", "%s": 1}' % ("k" * 10**6), r"the fields \[\], got .{,60}$"),
        ('{"schema": 2, "%s": 1, "%s": 2}' % (("k" * 10**6,) * 2), "occur once in its object, got .{,60} 2 times$"),
        (BETA % ('"%s"' % ("k" * 10**6)), "a must be a finite number, got .{,60}$"),
        (BETA % ([[0] * 10] * 10**5), "a must be a finite number, got .{,200}$"),
        (KNOTS % ([0] * 10**5, [0]), "x must be strictly increasing knots in .{,60}$"),
        (BINNED % ('{"edges": [0.5], "closed": "%s"}' % ("k" * 10**6)), "closed must be one of .{,70}$"),
        (BINNED % ('{"edges": [0.5], "%s": 1}' % ("k" * 10**6)), "a partition must have the fields .{,90}$"),
        (BINNED % '{"edges": [0, 0.5, 1], "closed": "left"}', "edges must be the inner edges of the bins, got"),
        (KNOTS % ("[0, 1]", "[0, 1.5]"), r"c must lie in \[0, 1\], got 1.5 at"),
        (KNOTS % ("[0, 1]", "[-5e-324, 0]"), r"c must lie in \[0, 1\], got -5e-324 at"),
        ('{"schema": 2, "kind": ["identity"]}', "kind must be the name of a calibration map"),
        ('{"schema": 2, "kind": "identity", "p": 1}', r"text must have the fields \[\], got \['p'\]"),
        ('{"schema": 2, "kind": "knots", "x": [0, 1]}', r"text must have the fields \['c', 'x'\], got \['x'\]"),
        (
            '{"schema": 2, "kind": "identity", "kind": "beta"}',
            "a key must occur once in its object, got 'kind' 2 times",
        ),
        (BINNED % '{"edges": [0.5], "edges": [0.4], "closed": "left"}', "must occur once in its object, got 'edges'"),
        (KNOTS % ("[0, 1]", "[0, NaN]"), "text must be strict JSON: numbers must be finite, got NaN"),
        (KNOTS % ("[0, 1]", "[0, Infinity]"), "numbers must be finite, got Infinity"),
        (BETA % "-Infinity", "numbers must be finite, got -Infinity"),
        (KNOTS % ("[0, 1]", "[0, 1e999]"), "c must be finite, got inf at row 2"),
        (BETA % "1e999", "a must be a finite number, got inf"),
        (BETA % ("9" * 5000), "text must be strict JSON: .*digits"),
        (BETA % '"1"', "a must be a finite number, got '1'"),
        (BETA % "true", "a must be a finite number, got True"),
        (BETA % "null", "a must be a finite number, got None"),
        (BETA % "[1]", r"a must be a finite number, got \[1\]"),
        (KNOTS % ('["0", "1"]', "[0, 1]"), "x must hold real numbers, got str values such as '0'"),
        (KNOTS % ("[0, 1]", "[false, true]"), "c must be a list of numbers, got False"),
        (KNOTS % ("[0, 1]", "[0.5, true]"), "c must be a list of numbers, got True"),
        (KNOTS % ("[0, 1]", "[0, null]"), "c must not have missing values"),
        (KNOTS % ("[[0], [1]]", "[0, 1]"), r"x must be a list of numbers, got \[0\]"),
        (KNOTS % ("[]", "[]"), "x must not be empty"),
        (KNOTS % ("[0, 1]", "[0]"), "c must hold one finite value per knot"),
        (KNOTS % ("{}", "[0]"), "a partition must have the fields"),
        (BINNED % '{"edges": [true], "closed": "right"}', "edges must be"),
        (BINNED % '{"edges": [[0.5]], "closed": "left"}', "edges must be a list of numbers, got"),
        (BINNED % '{"edges": ["0.5"], "closed": "left"}', "edges must hold real numbers"),
        (BINNED % '{"edges": [0.5], "closed": "both"}', "closed must be one of"),
        (
            '{"schema": 2, "kind": "logit_knots", "x": [[[0], [1]]], "z": [[0, 1]], "eps": 1e-16}',
            r"x must be rows of numbers, got \[0\]",
        ),
        (
            '{"schema": 2, "kind": "logit_knots", "x": [[0, 1]], "z": [[false, true]], "eps": 1e-16}',
            "z must be rows of numbers, got False",
        ),
        (KNOTS % ("[" * 60 + "]" * 60, "[0]"), f"text must not be nested deeper than {DEEPEST} brackets"),
        ("[" * 200_000, f"text must not be nested deeper than {DEEPEST} brackets"),
    ],
)
def test_refuses_what_it_does_not_know(text, message):
    with pytest.raises(ValueError, match=message):
        fot.CalibrationMap.from_json(text)


LOGISTIC = '{"schema": 2, "kind": "logistic", %s"slope": %s, "intercept": 0, "link": "logit", "eps": 1e-16}'
DECREASING = {
    "logistic": fot.maps.LogisticMap(-1.5, 0.0, "logit", 1e-16),
    "beta, both": fot.maps.BetaMap(-1.0, -2.0, 0.0, 1e-16),
    "beta, below": fot.maps.BetaMap(-1.0, 2.0, 0.0, 1e-16),
    "beta, above": fot.maps.BetaMap(1.0, -2.0, 0.0, 1e-16),
}


@pytest.mark.parametrize("c", DECREASING.values(), ids=DECREASING)
def test_a_decreasing_map_says_so(c):
    text = c.to_json()
    assert '"decreasing": true, ' in text
    assert np.diff(c(GRID[:201])).min() < 0
    again = fot.CalibrationMap.from_json(text)
    assert again.decreasing
    assert bits(again) == bits(c)
    with pytest.raises(ValueError, match="must say that it is decreasing, got a decreasing map of kind"):
        fot.CalibrationMap.from_json(text.replace('"decreasing": true, ', ""))
    with pytest.raises(ValueError, match=r"^d must say that it is decreasing"):
        fot.CalibrationMap.from_dict({key: value for key, value in c.to_dict().items() if key != "decreasing"})


@pytest.mark.parametrize("slope", ["1.5", "0", "-0.0"])
def test_a_map_that_is_not_decreasing_must_not_say_so(slope):
    assert "decreasing" not in fot.CalibrationMap.from_json(LOGISTIC % ("", slope)).to_json()
    for said, message in (
        ("true", "decreasing must be left out, got true for a map of kind 'logistic' that is not"),
        ("false", "decreasing must be true or left out, got False"),
        ("1", "decreasing must be true or left out, got 1"),
    ):
        with pytest.raises(ValueError, match=message):
            fot.CalibrationMap.from_json(LOGISTIC % (f'"decreasing": {said}, ', slope))


def test_a_fit_to_reversed_labels_says_that_it_is_decreasing():
    y, p = noisy()
    assert fot.families.make("platt").fit(p, 1 - y).map_.to_dict()["decreasing"] is True
    assert "decreasing" not in fot.families.make("platt").fit(p, y).map_.to_dict()


def test_text_beyond_10_mb_is_refused_before_it_is_parsed():
    c = fot.maps.KnotsMap([0.0, 0.3, 1.0], [0.1, 0.2, 0.9])
    text = c.to_json() + 10_000_000 * " "
    assert len(text) > 10_000_000
    with pytest.raises(ValueError, match=f"text must have at most 10000000 bytes, got {len(text)}; allow more by max"):
        fot.CalibrationMap.from_json(text)
    with pytest.raises(ValueError, match="at most 10000000 bytes"):  # and not JSON, which it is not either
        fot.CalibrationMap.from_json("[" * 10_000_001)
    assert (
        fot.CalibrationMap.from_json(text, max_bytes=len(text))
        == fot.maps.KnotsMap.from_json(text, max_bytes=None)
        == c
    )


def test_bytes_are_counted_not_characters():
    text = '{"schema": 2, "kind": "ééé"}'
    with pytest.raises(ValueError, match="kind must be one of"):
        fot.CalibrationMap.from_json(text, max_bytes=len(text) + 3)
    with pytest.raises(ValueError, match=f"text must have at most {len(text) + 2} bytes, got {len(text) + 3};"):
        fot.CalibrationMap.from_json(text, max_bytes=len(text) + 2)
    for bad in (0, -1, 1.5, True, "10"):
        with pytest.raises(ValueError, match="max_bytes must be a whole number, at least 1, or None"):
            fot.CalibrationMap.from_json(text, max_bytes=bad)


def test_a_class_reads_only_its_own_kind():
    with pytest.raises(ValueError, match="kind must be one that BetaMap can read, got 'identity'"):
        fot.maps.BetaMap.from_json(fot.maps.IdentityMap().to_json())


def test_from_dict_is_as_strict():
    deep = []
    for _ in range(5000):
        deep = [deep]
    for d, message in (
        ({"schema": True, "kind": "identity"}, "d must be a dict of schema 2, got True"),
        ({"schema": 2, "kind": "knots", "x": [0, 1], "c": [True, False]}, "c must be a list of numbers, got True"),
        ({"schema": 2, "kind": "knots", "x": np.array([[0.0], [1.0]]), "c": [0, 1]}, "x must be a list of numbers"),
        ({"schema": 2, "kind": "knots", "x": deep, "c": [0, 1]}, "d must not be nested deeper"),
        (deep, "d must be a dict of schema 2"),
    ):
        with pytest.raises(ValueError, match=message):
            fot.CalibrationMap.from_dict(d)


def test_from_dict_takes_arrays_and_partitions_as_they_are():
    bins = fot.partitions.Partition([0.5])
    d = {"schema": 2, "kind": "binned", "bins": bins, "offset": np.array([0.1, 0.2]), "slope": (1, 1)}
    assert fot.CalibrationMap.from_dict(d) == fot.maps.BinnedMap(bins, [0.1, 0.2], [1, 1])


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(-2, 2)
    | st.text('a0é"\\', max_size=3)
    | st.sampled_from([10**400, 1]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["edges", "closed", "x"]), inner),
    max_leaves=6,
)


@given(st.sampled_from(list(MAPS)), st.data())
def test_any_other_value_is_refused_or_read_and_never_fails_otherwise(name, data):
    """Whatever stands in the place of one field, a map comes of it that writes what was read, or a ValueError."""
    d = MAPS[name].to_dict()
    key = data.draw(st.sampled_from(sorted(d)))
    value = data.draw(VALUES)
    text = json.dumps({**d, key: value})
    try:
        c = fot.CalibrationMap.from_json(text)
    except ValueError:
        return
    written = json.loads(c.to_json())
    assert written.keys() == d.keys()
    assert {n: v for n, v in written.items() if n != key} == {n: v for n, v in d.items() if n != key}
    assert written[key] == value or np.array_equal(np.asarray(value, dtype=float), written[key])


def test_a_map_of_ones_own_is_written_and_read():
    @dataclass(frozen=True, eq=False)
    class Power(fot.CalibrationMap):
        kind: ClassVar[str] = "power_in_json"
        exponent: float

        def evaluate(self, p):
            return p**self.exponent

    fot.maps.register(Power)
    try:
        assert fot.CalibrationMap.from_json(Power(2.0).to_json()) == Power(2.0)
        with pytest.raises(ValueError, match="the map of kind 'power_in_json' must hold finite numbers"):
            Power(np.nan).to_json()
    finally:
        fot.maps.unregister("power_in_json")
