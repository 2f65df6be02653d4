"""What every text with an interval says of it."""

from functools import cache

import numpy as np
import pytest

import fitontest as fot
from fitontest.measures.interval import INDEPENDENT, INDEPENDENT_ROWS
from tests.few_draws import few_draws, no_pictures  # noqa: F401 - fixtures of this module

pytestmark = pytest.mark.multiplies

RNG = np.random.default_rng(0)
P = RNG.random(400)
Y = RNG.random(400) < P
PLATT = {"families": ["platt"], "interval": "always"}
WITH_INTERVALS = {
    "error": lambda: fot.calibration_error(Y, P, family="platt", interval="always", draws=15),
    "classes": lambda: fot.calibration_error(
        Y, np.stack([1 - P, P], axis=1), reduction="classwise", family="platt", interval="always", draws=15
    ),
    "cells of the simplex": lambda: fot.gce(
        Y, np.stack([1 - P, P], axis=1), reduction="canonical", interval="always", draws=15
    ),
    "table": lambda: fot.evaluate(Y, P, **PLATT),
    "measures": lambda: fot.evaluate(Y, P, measures=["ece"], interval="always"),
    "segments": lambda: fot.evaluate(Y, P, by=P < 0.5, **PLATT),
    "two models": lambda: fot.compare_errors(Y, P, P**2),
    "gate": lambda: fot.check_calibration(Y, P, max_error=0.1, family="platt"),
    "gates": lambda: fot.check_calibration(Y, P, max_error=0.1, family="platt", by=P < 0.5),
}
WITHOUT = {
    "error": lambda: fot.calibration_error(Y, P, family="platt", interval=None),
    "table": lambda: fot.evaluate(Y, P, families=["platt"], interval=None),
}


@cache
def with_interval(name):
    return WITH_INTERVALS[name]()


SHORT = ("table", "segments")  # whose prints of a few lines leave it to the tables at length


@pytest.mark.parametrize("name", [name for name in WITH_INTERVALS if name not in SHORT])
@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
def test_every_text_with_an_interval_says_that_rows_must_be_independent(name):
    result = with_interval(name)
    assert sum(line.startswith(INDEPENDENT) for line in str(result).splitlines()) == 1
    assert INDEPENDENT in result._repr_html_()


@pytest.mark.parametrize("name", SHORT)
@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
def test_tables_at_length_say_why(name):
    assert INDEPENDENT not in str(with_interval(name))
    assert str(with_interval(name).table()).splitlines().count(INDEPENDENT_ROWS) == 1


@pytest.mark.parametrize("name", WITHOUT)
def test_texts_without_one_do_not(name):
    assert "independent" not in str(WITHOUT[name]())


@pytest.mark.exhaustive
def test_a_report_says_it_once():
    report = fot.report(Y, P, families=["platt"], by=P < 0.5, compare=False)
    assert report.html.count(INDEPENDENT_ROWS) == 1
