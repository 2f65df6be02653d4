"""Evidence against small mean errors: its mean under the hypothesis by enumeration, and what its bound says."""

import json
from itertools import product

import numpy as np
import pytest

from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.capital import ERRORS, NO_STAKE, STAKES, ErrorCapital
from fitontest.monitor.monitor import Monitor
from fitontest.monitor.nulls.rates import Exact
from fitontest.monitor.process import Process
from fitontest.monitor.settings import Settings
from tests.monitor.conftest import monitored, stream

pytestmark = pytest.mark.multiplies


def batch_of(y, p, w=None):
    p, y = np.asarray(p, dtype=float), np.asarray(y, dtype=float)
    return Batch.of(CellSums.of_rows(p, y, None if w is None else np.asarray(w, dtype=float), Resolution()))


def after(capital, y, p, sign=None, w=None):
    """Return the capital after rows, the map of "spline" being above (1) or below (-1) the score of each cell."""
    batch = batch_of(y, p, w)
    return capital.after(batch, {} if sign is None else {"spline": batch.z + np.asarray(sign)})


def probability(y, c):
    return np.prod(np.where(np.asarray(y) == 1, c, 1.0 - np.asarray(c)))


SCORES = [0.0, 0.1, 0.3, 0.32, 1.0]  # five cells
RATES = {
    "as bet": ([0.2, 0.2, 0.2, 0.22, 0.9], [1, 1, -1, -1, -1]),
    "one row": ([0.0, 0.1, 0.9, 0.32, 1.0], [1, -1, 1, -1, -1]),
    "against the bets": ([0.2, 0.2, 0.2, 0.22, 0.9], [-1, -1, 1, 1, 1]),
    "no map": ([0.2, 0.2, 0.2, 0.22, 0.9], [0, 0, 0, 0, 0]),
    "higher by one number": ([0.12, 0.22, 0.42, 0.44, 1.0], [1, 1, 1, 1, 0]),
}


@pytest.mark.parametrize("case", RATES)
def test_mean_capital_is_at_most_one_where_the_mean_error_is_at_its_edge(case):
    """All labels of two batches; the sign of the second depends on the labels of the first."""
    rates, sign = np.array(RATES[case][0]), np.array(RATES[case][1])
    edge = float(np.abs(rates - SCORES).mean())
    first, mean, below = ErrorCapital.first(("spline",), edge), 0.0, 0.0
    for y in product((0, 1), repeat=5):
        if (of_first := probability(y, rates)) == 0.0:
            continue
        once = after(first, y, SCORES, sign)
        for z in product((0, 1), repeat=3):
            twice = after(once, z, SCORES[1:4], sign[1:4] if sum(y) < 3 else -sign[1:4])
            q = np.clip(np.array(SCORES[1:4]) + edge * (-1) ** sum(y), 0.0, 1.0)  # rates may depend on the past
            chance = of_first * probability(z, q)
            mean += chance * np.exp(twice.log_at(edge))
            below += chance * np.exp(twice.logs[0])
    assert mean <= 1.0
    assert mean >= 0.3
    if case == "as bet":  # so that the mean would tell a bet that is too large
        assert below > 1.02


def test_mean_capital_is_at_most_one_for_groups_by_their_exponents():
    """Ten rows of one group, whose labels rise together: the k last are positive."""
    p = np.linspace(0.2, 0.29, 10)
    first, mean, independent = ErrorCapital.first(("spline",), 0.2), 0.0, 0.0
    edges = np.r_[0.0, p + 0.2, 1.0]  # of a number in (0, 1) that is below the rate of each positive row
    for k, chance in zip(range(10, -1, -1), np.diff(edges), strict=True):
        y = np.arange(10) >= 10 - k
        mean += chance * np.exp(after(first, y, p, 1, np.full(10, 0.1)).log_at(0.2))
        independent += chance * np.exp(after(first, y, p, 1).log_at(0.2))
    assert mean <= 1.0
    assert independent > 1.02


def test_factors_are_those_of_the_rows_one_by_one():
    """Of few distinct scores, so that no two of them share a cell."""
    rng = np.random.default_rng(0)
    values = np.array([0.0, 0.05, 0.2, 0.45, 0.7, 1.0])
    p = values[rng.integers(0, 6, 60)]
    y = (rng.random(60) < 0.4).astype(float)
    sign = np.array([1, 1, -1, 0, 1, -1])
    z = sign[np.searchsorted(values, p)] * (y - p)
    capital = ErrorCapital.first((), 0.0123)
    found = capital._log_factors(batch_of(y, p), sign.astype(float))
    for k, delta in enumerate(capital.errors):
        stakes = STAKES / (1.0 + delta)
        assert np.all(stakes * (1.0 + delta) < 1.0)
        rows = np.log1p(stakes * (z[:, None] - delta)).sum(axis=0)
        assert found[k] == pytest.approx(rows, abs=1e-11)


def test_rows_that_share_a_cell_of_one_sign_lose_hardly_anything():
    y, p = stream(2000, 1, shift=0.5)[0]
    batch = Batch.of(CellSums.of_rows(p, y.astype(float), None, Resolution()), exact=True)
    sign = np.where(batch.z < -1.0, 1.0, -1.0)
    z = np.where(p < 1.0 / (1.0 + np.e), 1.0, -1.0) * (y - p)
    delta, stake = 0.02, STAKES[5]
    found = ErrorCapital.first((), delta)._log_factors(batch, sign)[np.searchsorted(ERRORS, delta), 5]
    assert found == pytest.approx(np.log1p(stake / (1 + delta) * (z - delta)).sum(), abs=0.02)


def test_capital_falls_as_the_error_rises_and_rests_on_no_order_of_rows():
    capital = turned = ErrorCapital.first(("spline",), 0.0321)
    for k, (y, p) in enumerate(stream(200, 6, shift=0.8)):
        sign = np.where(np.arange(len(batch_of(y, p))) % 5 < k, 1, -1)
        capital, turned = after(capital, y, p, sign), after(turned, y[::-1], p[::-1], sign)
        assert np.all(np.diff(capital.logs) <= 1e-4)  # weights are rounded
        assert np.all(np.diff(capital.against) <= 0.0)
        assert np.all(capital.weights.sum(axis=1) <= 1.0 + 1e-12)
        assert turned.logs == pytest.approx(capital.logs, abs=1e-3)  # rounding of weights may differ by a millionth
    assert capital.lower_bound(0.05) > 0.02


def test_rows_twice_with_exponents_of_a_half_are_the_rows():
    y, p = stream(150, 1, shift=0.5)[0]
    first = ErrorCapital.first(())
    twice = after(first, np.repeat(y, 2), np.repeat(p, 2), w=np.full(300, 0.5))
    assert twice.logs == pytest.approx(after(first, y, p).logs, abs=1e-9)


def test_a_map_that_moves_no_score_makes_no_bet():
    y, p = stream(500, 1)[0]
    capital = after(ErrorCapital.first(("spline",)), y, p, 0.0)
    assert capital.logs[-1] > np.log(NO_STAKE + 0.8 * (1 - NO_STAKE)) - 1e-4  # the largest error loses the other bets
    assert after(ErrorCapital.first(("spline",)), [], []).logs.tolist() == [0.0] * ERRORS.size


@pytest.mark.parametrize("max_error", [0.02, 0.0201, 0.9])
def test_the_alarm_is_that_the_bound_has_reached_the_largest_error(drifting, calibrated, max_error):
    for drawn in (drifting, calibrated):
        evidence = monitored(drawn, max_error=max_error, families=()).evidence
        reached = [k for k, row in enumerate(evidence.rows()) if row["error_low"] >= max_error]
        assert evidence.alarm_since == (reached[0] if reached else None)
        assert evidence.alarm == (drawn is drifting and max_error < 0.9)


def test_bound_is_below_the_error_and_stays(drifting):
    """The rates of the last five batches are 1 logit above the scores: a mean error of .197."""
    bounds = [row["error_low"] for row in monitored(drifting).evidence.rows()]
    assert bounds[:3] == [0.0] * 3
    assert bounds == sorted(bounds)
    assert 0.1 < bounds[-1] < 0.197


def test_certain_scores_that_are_wrong_count():
    """Where a score is 0 or 1 any label is possible, as far as mean errors go."""
    p = np.r_[np.zeros(100), np.full(300, 0.5), np.ones(100)]
    y = np.r_[np.arange(100) < 40, np.arange(300) < 150, np.arange(100) < 80]
    monitor = monitored([(y[k:], p[k:]) for k in range(4)], max_error=0.05)  # the same rows again would be refused
    assert monitor.alarm
    assert np.isfinite(monitor.evidence.log_e)
    assert 0.05 <= monitor.evidence.rows()[-1]["error_low"] <= 0.12


@pytest.mark.parametrize("rows", [([1], [0.3]), ([0], [1.0]), ([1] * 20, [0.0] * 20), ([0] * 9, [1e-300] * 9)])
def test_tiny_batches_of_one_class_leave_everything_finite(rows):
    capital = ErrorCapital.first(("spline",))
    for _ in range(30):
        capital = after(capital, *rows, sign=1)
    assert np.all(np.isfinite(capital.logs))
    assert np.all(np.isfinite(capital.weights))
    assert capital.logs.min() > -2.0


def test_millions_of_rows_leave_everything_finite():
    sums = batch_of([0, 1, 0, 1], [0.1, 0.1, 0.6, 0.6], np.array([9e9, 1e9, 2e9, 8e9])).sums
    capital = ErrorCapital.first(("spline",))
    for _ in range(5):
        capital = capital.after(Batch(sums), {"spline": Batch(sums).z + 1.0})
    assert np.all(np.isfinite(capital.logs))
    assert np.all(capital.weights > 0.0)
    assert capital.lower_bound(0.05) == 0.095  # the largest below .1, the mean error


def test_state_goes_through_json_bit_by_bit(drifting):
    capital = Process.first(Settings(0.05, Exact(), 0.0321, {"spline": 1.0}, 1000.0)).capital
    for y, p in drifting[:4]:
        capital = after(capital, y, p, 1)
    text = json.dumps(capital.to_dict())
    assert len(text) < 30_000
    read = ErrorCapital.from_dict(json.loads(text))
    assert read.families == capital.families
    y, p = drifting[4]
    left, right = after(capital, y, p, 1), after(read, y, p, 1)
    for name in ("errors", "logs", "weights", "highest"):
        assert np.array_equal(getattr(left, name), getattr(right, name))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("errors", [0.5, 0.1], r"capital\.errors must increase, from above 0 to below 1"),
        ("errors", [0.0, 0.1], r"capital\.errors must increase"),
        ("errors", [], r"capital\.errors must hold 1 numbers"),
        ("weights", [[10**6] + [1] * 18] * 2, r"capital\.weights must be counts of millionths"),
        ("weights", [[0.5] * 3] * 2, r"capital\.weights must hold 2 x 19 numbers"),
    ],
)
def test_a_state_that_no_capital_has_is_refused(name, value, expected):
    values = {
        "families": [],
        "errors": [0.1, 0.5],
        "logs": [0, 0],
        "highest": [0, 0],
        "weights": [[10**6] + [0] * 18] * 2,
    }
    assert ErrorCapital.from_dict(values).lower_bound(0.05) == 0.0
    with pytest.raises(ValueError, match=expected):
        ErrorCapital.from_dict(values | {name: value})


def test_a_capital_of_other_settings_is_refused(drifting):
    stored = monitored(drifting[:2], max_error=0.0123, families=["platt"]).to_dict()
    capital = stored["together"]["capital"]
    capital["families"] = ["beta"]
    with pytest.raises(ValueError, match=r"capital\.families must be those of the settings, got \['beta'\]"):
        Monitor.from_dict(stored)
    capital["families"], capital["errors"] = ["platt"], [1.1 * each for each in capital["errors"]]
    with pytest.raises(ValueError, match=r"capital\.errors must hold the max_error of the settings, 0\.0123"):
        Monitor.from_dict(stored)


def test_without_families_two_signs_are_left():
    drawn = stream(500, 4, shift=0.6)
    assert monitored(drawn, families=()).evidence.rows()[-1]["error_low"] > 0.05
    assert monitored(drawn, families=["platt"]).evidence.rows()[-1]["error_low"] > 0.05


def test_mean_errors_that_are_not_bet_against_are_refused():
    with pytest.raises(ValueError, match=r"max_error must be one of .*, got 0\.0123"):
        ErrorCapital.first(()).log_at(0.0123)
