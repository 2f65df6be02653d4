"""What every text with an interval says of its rows."""

import numpy as np
import pytest

import fitontest as fot
from tests.few_draws import few_draws, no_pictures  # noqa: F401 - fixtures of this module

pytestmark = pytest.mark.multiplies

RNG = np.random.default_rng(0)
P = RNG.random(400)
Y = RNG.random(400) < P
PLATT = {"families": ["platt"], "interval": "always"}
ROWS = {"own rows": (Y, P), "copies": (np.tile(Y, 2), np.tile(P, 2))}
RESULTS = {
    "error": lambda y, p: fot.calibration_error(y, p, family="platt", interval="always", draws=15),
    "classes": lambda y, p: fot.calibration_error(
        y, np.stack([1 - p, p], axis=1), reduction="classwise", family="platt", interval="always", draws=15
    ),
    "verdict": lambda y, p: fot.evaluate(y, p, **PLATT),
    "measures": lambda y, p: fot.evaluate(y, p, measures=["ece"], interval="always"),
    "segments": lambda y, p: fot.evaluate(y, p, by=p < 0.5, **PLATT),
    "two models": lambda y, p: fot.compare_errors(y, p, p**2),
    "gate": lambda y, p: fot.check_calibration(y, p, max_error=0.1, family="platt"),
    "gates": lambda y, p: fot.check_calibration(y, p, max_error=0.1, family="platt", by=p < 0.5),
    "validation": lambda y, p: fot.risk.validate(y, p),
    "models": lambda y, p: fot.risk.validate(y, {"a": p, "b": p**2}),
    "decisions": lambda y, p: fot.risk.decision_curve(y, p, thresholds=[0.2, 0.5]),
    "found segments": lambda y, p: fot.segments.find_segments(y, p, {"low": p < 0.5}),
    "calibrators": lambda y, p: fot.compare_calibrators(y, p, families=["platt"], evaluators=[]),
}


@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
def test_rows_are_said_to_depend_on_each_other_where_copies_are_seen(name, rows):
    printed = str(RESULTS[name](*ROWS[rows]))
    assert ("look like copies" in " ".join(printed.split())) == (rows == "copies")
    assert "independent" not in printed
