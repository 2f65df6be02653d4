"""Whether families agree with the error that is quoted."""

from dataclasses import replace

import numpy as np
import pytest

import fitontest as fot
from fitontest.measures.interval import Roughness
from fitontest.uncertainty.agreement import agreement_of


@pytest.fixture(scope="module")
def named():
    rng = np.random.default_rng(0)
    p = rng.random(400)
    evaluation = fot.evaluate(rng.random(400) < p**2, p, families=["spline", "platt", "beta"], draws=15)
    return dict(evaluation.named)


def moved(estimate, debiased=None, low=None, high=None, **others):
    ends = {name: value for name, value in (("low", low), ("high", high)) if value is not None}
    new = estimate.with_uncertainty(interval=replace(estimate.interval, **ends, **others))
    return new if debiased is None else new.with_uncertainty(debiased=debiased)


def test_estimates_in_the_quoted_interval_agree(named):
    quoted = named["spline"]
    inside = (quoted.interval.low + quoted.interval.high) / 2
    found = agreement_of([*named.items(), ("mine", moved(named["platt"], inside))], quoted)
    assert found.compared == ("platt", "beta", "mine")
    assert "mine" not in found.outside
    agree = agreement_of([("spline", quoted), ("mine", moved(named["platt"], inside))], quoted)
    assert str(agree) == "The families agree: each debiased value lies in the interval above."


def test_outside_is_noise_where_the_intervals_overlap(named):
    quoted = named["spline"]
    beyond = quoted.interval.high + 0.01
    mine = moved(named["platt"], beyond, low=quoted.interval.low, high=beyond + 0.1)
    found = agreement_of([("mine", mine)], quoted)
    assert (found.outside, found.apart) == (("mine",), ())
    assert str(found).startswith("The families agree up to noise: mine lies outside the interval above")
    apart = moved(mine, low=quoted.interval.high + 0.005)
    found = agreement_of([("mine", mine), ("other", apart)], quoted)
    assert found.apart == ("other",)
    assert str(found).startswith("The families disagree: other lies outside the interval above by more than noise;")


def test_an_interval_that_was_widened_to_hold_a_rough_one_is_no_agreement(named):
    rough = Roughness(0.01, "levels", 16.0)
    quoted = moved(named["spline"], roughness=rough)
    beyond = quoted.interval.high + 0.01
    held = moved(named["platt"], beyond, low=0.0, high=beyond, widened_by="levels", roughness=rough)
    found = agreement_of([("mine", held)], quoted)
    assert found.apart == ("mine",)
    assert str(found).endswith("the true map is rough.")
    inside = moved(held, quoted.interval.low)
    assert agreement_of([("mine", inside)], quoted).apart == ()


def test_what_is_of_another_error_is_not_compared(named):
    quoted = named["spline"]
    other = moved(named["platt"], target="the family's own")
    without = named["beta"].with_uncertainty(interval=None)
    found = agreement_of([("a", other), ("b", without), ("c", quoted)], quoted)
    assert found.compared == ()
    assert str(found) == ""
