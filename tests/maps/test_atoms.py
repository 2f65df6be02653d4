"""Maps with values of their own at single scores: they hold at these scores and nowhere else."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.maps.atoms import AtomsMap
from tests.maps.scores import assert_promised
from tests.maps.test_sql import executed

REST = fot.maps.LogisticMap(1.3, -0.2, "logit", 1e-16)
AT, LEVELS = np.array([0.0, 0.1 + 0.2, 0.7, 1.0]), np.array([0.05, 0.9, 0.2, 0.4])
MAP = AtomsMap(AT, LEVELS, REST)
BESIDE = np.array([5e-324, *np.nextafter(AT[1:3], 0.0), *np.nextafter(AT[1:3], 1.0), 1 - 2.0**-53])


def test_levels_hold_at_their_scores_and_the_rest_one_ulp_beside():
    np.testing.assert_array_equal(MAP(AT), LEVELS)
    np.testing.assert_array_equal(MAP(-0.0), LEVELS[0])
    np.testing.assert_array_equal(MAP(BESIDE), REST(BESIDE))
    assert MAP(0.3) == REST(0.3) != MAP(0.1 + 0.2)  # 0.3 is another float


def test_sql_gives_the_levels_at_their_scores_alone():
    np.testing.assert_array_equal(executed(MAP.to_sql("p"), p=AT), LEVELS)
    assert_promised(executed(MAP.to_sql("p"), p=BESIDE), MAP, BESIDE)
    assert not np.isin(MAP(BESIDE), LEVELS).any()


def test_a_map_of_atoms_may_stand_in_another():
    inner = AtomsMap([0.3], [0.5], REST)
    outer = AtomsMap([0.3, 0.6], [0.1, 0.2], inner)
    p = np.array([0.2, 0.3, 0.6])
    np.testing.assert_array_equal(outer(p), [REST(0.2), 0.1, 0.2])
    assert fot.CalibrationMap.from_json(outer.to_json()) == outer


def test_its_kinks_are_the_atoms_and_those_of_the_rest():
    made = AtomsMap([0.5], [0.2], fot.maps.KnotsMap([0.1, 0.5, 0.8], [0.0, 0.2, 0.9]))
    np.testing.assert_array_equal(made.kinks, np.unique([0.5, *made.rest.kinks]))
    assert 0.5 in AtomsMap([0.5], [0.2], REST).kinks


def test_it_leaves_the_unit_interval_where_the_rest_does():
    beyond = fot.maps.BinnedMap(fot.partitions.Partition([0.5]), [-0.3, 0.3], [1.0, 1.0])
    assert AtomsMap([0.1], [0.2], beyond).leaves_unit_interval
    assert not MAP.leaves_unit_interval
    np.testing.assert_array_equal(AtomsMap([0.1], [0.2], beyond).evaluate(np.array([0.05, 0.1])), [-0.25, 0.2])


def test_equal_maps_are_equal():
    assert AtomsMap(AT.tolist(), LEVELS.tolist(), REST) == MAP
    assert AtomsMap(AT, LEVELS, fot.maps.IdentityMap()) != MAP
    assert AtomsMap(AT, LEVELS[::-1], REST) != MAP


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], [], REST), "at must not be empty"),
        (([0.5, 0.5], [0.1, 0.2], REST), "at must hold strictly increasing scores"),
        (([0.5, 0.2], [0.1, 0.2], REST), "at must hold strictly increasing scores"),
        (([-0.1], [0.1], REST), "at must hold strictly increasing scores"),
        (([1.1], [0.1], REST), "at must hold strictly increasing scores"),
        (([0.5, 0.6], [0.1], REST), r"levels must hold one value per score, shape \(2,\); got shape \(1,\)"),
        (([0.5], [1.1], REST), r"levels must lie in \[0, 1\]"),
        (([0.5], [-0.1], REST), r"levels must lie in \[0, 1\]"),
        (([0.5], [np.nan], REST), "levels must"),
        (([0.5], [0.1], "identity"), "rest must be a calibration map, got 'identity'"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        AtomsMap(*arguments)


def test_maps_are_split_into_the_rest_and_the_scores_with_values_of_their_own():
    inner = AtomsMap(at=[0.2], levels=[0.9], rest=fot.maps.IdentityMap())
    mixture = fot.maps.MixtureMap(
        [0.5, 0.5], [inner, AtomsMap(at=[0.2, 0.7], levels=[0.1, 0.1], rest=fot.maps.IdentityMap())]
    )
    rest, at = mixture.split_atoms()
    np.testing.assert_array_equal(at, [0.2, 0.7])
    np.testing.assert_array_equal(rest([0.2, 0.5, 0.7]), [0.2, 0.5, 0.7])
    np.testing.assert_allclose(mixture([0.2, 0.7]), [0.5, 0.4])
    plain = fot.maps.MixtureMap([1.0], [fot.maps.IdentityMap()])
    assert plain.split_atoms()[0] is plain
    assert plain.split_atoms()[1].size == 0
