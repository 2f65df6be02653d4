"""CrossValidated: any hyper-parameter of any family."""

import numpy as np
import pytest

import fitontest as fot
from tests.strategies import noisy


@pytest.mark.parametrize("family", ["slope1", "flat"])
def test_it_makes_the_same_choice_of_bins_as_the_family_itself(family):
    y, p = noisy(700, ties=2)
    tuned = fot.families.CrossValidated(family, candidates=range(1, 16), random_state=3).fit(p, y)
    direct = fot.families.make(family, max_bins=15, random_state=3).fit(p, y)
    assert tuned.n_bins_ == direct.n_bins_
    assert tuned.map_ == direct.map_
    np.testing.assert_allclose(tuned.cv_scores_.folds, direct.cv_scores_.folds, atol=1e-12)


def test_the_default_tries_1_to_40():
    y, p = noisy(120)
    tuned = fot.families.CrossValidated(cv=2).fit(p, y)
    assert tuned.cv_scores_.candidates == tuple(range(1, 41))
    assert tuned.best_family_.n_bins == tuned.best_value_


def test_any_parameter_of_any_family():
    y, p = noisy(600)
    tuned = fot.families.CrossValidated("platt", "link", ["identity", "logit"], scoring="log_loss", tolerance=0).fit(
        p, y
    )
    assert tuned.best_value_ in ("identity", "logit")
    assert tuned.map_ == fot.Platt(link=tuned.best_value_).fit(p, y).map_
    assert not hasattr(tuned, "partition_")
    best = tuned.cv_scores_.candidates[int(np.argmin(tuned.cv_scores_.mean))]
    assert tuned.best_value_ == best
    nested = fot.families.CrossValidated(fot.PavaBlocks(n_max=200), "n_min", [100, 50, 10]).fit(p, y)
    assert nested.best_family_.n_max == 200
    assert nested.partition_.n_bins == nested.n_bins_


def test_the_family_is_cloned():
    y, p = noisy(100)
    inner = fot.Flat(7)
    tuned = fot.families.CrossValidated(inner, candidates=[1, 2], cv=2).fit(p, y)
    assert inner.n_bins == 7
    assert not hasattr(inner, "map_")
    assert tuned.family is inner


def test_a_single_row_leaves_the_first_candidate():
    tuned = fot.families.CrossValidated(candidates=[3, 5]).fit([0.3], [1])
    assert tuned.best_value_ == 3
    assert not hasattr(tuned, "cv_scores_")


def test_as_an_evaluator():
    y, p = noisy(200)
    error = fot.calibration_error(y, p, family=fot.families.CrossValidated("flat", candidates=[1, 4], cv=3))
    assert error.family == "CrossValidated"
    assert error.n_bins in (1, 4)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"family": 3}, "family must be the name of a family or a Family, got 3"),
        ({"family": "cubic"}, "family must be one of"),
        ({"parameter": "bins"}, "parameter must be a parameter of Slope1"),
        ({"candidates": []}, "candidates must not be empty"),
        ({"cv": 0}, "cv must be a whole number of folds"),
        ({"tolerance": None}, "tolerance must be a finite number"),
        ({"scoring": "accuracy"}, "scoring must be one of"),
    ],
)
def test_refusals(params, message):
    with pytest.raises(ValueError, match=message):
        fot.families.CrossValidated(**params).fit([0.2, 0.4, 0.9], [0, 1, 1])
