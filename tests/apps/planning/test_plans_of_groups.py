"""Plans from a pilot whose rows belong to groups: whole groups are drawn, and answers count groups too."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

import fitontest as fot
from fitontest.apps.planning.pilot import Pilot

RNG = np.random.default_rng(0)
SITE = np.repeat(np.arange(30), 20)
P = RNG.random(SITE.size)
LATENT = np.sqrt(0.4) * RNG.standard_normal(30)[SITE] + np.sqrt(0.6) * RNG.standard_normal(SITE.size)
Y = (ndtr(LATENT) < P).astype(int)
QUICK = {"n": [600], "errors": [0, 0.1], "families": ["platt"], "draws": 20}


@pytest.fixture(scope="module")
def plan():
    return fot.apps.plan_evaluation(Y, P, groups=SITE, **QUICK)


def test_sizes_are_made_up_of_whole_groups_as_near_as_can_be():
    uneven = np.repeat(np.arange(40), RNG.integers(1, 30, 40))
    p = RNG.random(uneven.size)
    pilot = Pilot.of(fot.read(RNG.random(uneven.size) < p, p, groups=uneven))
    sizes = np.bincount(uneven)
    scores = [set(np.round(p[uneven == k], 12)) for k in range(40)]
    for n in (100, 500, 2000):
        drawn = pilot.drawn(n, np.random.default_rng(n))
        entries = drawn.entries
        assert abs(len(entries) - n) <= sizes.max() / 2 + 1
        for k in range(entries.group.max() + 1):
            assert set(np.round(entries.p[entries.group == k], 12)) in scores
        assert drawn.dependence.rows == len(entries)
        assert drawn.dependence.groups == entries.group.max() + 1
        assert drawn.degrees == pytest.approx(drawn.dependence.effective - 1)


def test_rows_without_groups_are_drawn_as_ever():
    plain, single = (fot.apps.plan_evaluation(Y, P, groups=groups, **QUICK) for groups in (None, np.arange(P.size)))
    assert plain.rows() == single.rows() == fot.apps.plan_evaluation(P, **QUICK).rows()
    assert "so that rows are independent" in str(single)
    assert "groups" not in plain.to_dict()


def test_intervals_of_dependent_rows_are_wider(plan):
    plain = fot.apps.plan_evaluation(P, **QUICK)
    for own, other in zip(plan.rows(), plain.rows(), strict=True):
        assert own["width"] > 1.15 * other["width"]
        assert own["raw_sd"] > other["raw_sd"]
    assert plan.rows()[0]["power"] <= 0.25  # false alarms


def test_the_answer_counts_groups_too(plan):
    assert plan.sentences[0].startswith("600 rows, that is 30 groups: an interval of +-")
    text = str(plan.table())
    assert text.count("groups: 30 (20 rows each), rho ") == 1
    assert "n is made up of whole groups of the pilot" in text
    wanted = replace(plan, width=0.9)
    assert wanted.sentences == ["At most 600 rows, that is 30 groups, for an interval of +-0.45, by platt."]
    record = json.loads(json.dumps(wanted.to_dict()))
    assert record["groups"]["count"] == record["needed"][0]["groups"] == 30
    assert replace(plan, width=1e-4).sentences[0].startswith("More than 600 rows, that is 30 groups, for an interval")


def test_the_order_of_rows_and_the_names_of_groups_change_nothing(plan):
    order = RNG.permutation(P.size)
    other = fot.apps.plan_evaluation(Y[order], P[order], groups=[f"site {k}" for k in SITE[order]], **QUICK)
    assert other.rows() == plan.rows()


def test_too_few_groups_are_refused():
    with pytest.raises(ValueError, match="groups must be more for a plan: dependence cannot"):
        fot.apps.plan_evaluation(Y, P, groups=SITE % 6, **QUICK)
    with pytest.raises(ValueError, match=r"n must be at least 200 rows, which 10 groups like these have.*got 100"):
        fot.apps.plan_evaluation(Y, P, groups=SITE, **QUICK | {"n": [100, 400]})
