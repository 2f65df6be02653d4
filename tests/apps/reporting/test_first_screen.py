"""The first screen of a report: one sentence, five numbers, and advice in the order drift, segments, one map."""

from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.apps.reporting.one_map import apply_one_map
from fitontest.apps.reporting.periods import find_drift, read_periods
from fitontest.numerics.links import logit, sigmoid
from fitontest.uncertainty.tolerance import DEFAULT_TOLERANCE

MONTHS = [f"2026-{month:02}" for month in range(1, 13)]


def drifting(n=24_000, shift=0.8, since=7):
    """Return rows of a year with more events from a month on, and a segment of too few events in all months."""
    rng = np.random.default_rng(3)
    month, segment = rng.integers(0, 12, n), rng.choice(["card", "auto"], n, p=[0.8, 0.2])
    p = sigmoid(rng.normal(-2.0, 0.8, n))
    moved = logit(p, 1e-9) + np.where(month >= since, shift, 0.0) - np.where(segment == "auto", 1.2, 0.0)
    y = (rng.random(n) < sigmoid(moved)).astype(int)
    day = [date(2026, int(k) + 1, int(d)) for k, d in zip(month, rng.integers(1, 29, n), strict=True)]
    return pd.DataFrame({"y": y, "p": p, "segment": segment, "day": day, "month": np.array(MONTHS)[month]})


def periods(frame, time="month"):
    return read_periods(frame.y, frame.p, frame[time], {})


@pytest.mark.exhaustive
def test_the_advice_comes_in_order_with_what_it_repairs_and_what_it_would_make_worse():
    page = fot.report(
        drifting(), label="y", prob="p", by="segment", time="day", families=["platt"], date="2027-01-01", model="m 2"
    )
    assert [step.kind for step in page.advice.steps] == ["recalibrate", "repair", "calibrate"]
    drift, segments, last = page.advice.steps
    assert drift.title == "Drift: recalibrate on rows from 2026-08 on"
    assert drift.sentences[0] == "O:E 1.59 (95 % CI 1.53 to 1.64) since then, 0.87 before."
    assert drift.sentences[1].startswith("One map for all rows leaves it at 1.")
    assert segments.title == "Segments: a map of its own for each of auto, card"
    assert last.title == "One map for all rows: not now"
    assert last.sentences[0].startswith("It would make worse, on held-out rows: ")
    assert "rows before 2026-08 (O:E 0." in last.sentences[0]
    first = page.first_screen
    assert [number.name for number in first.numbers] == [
        "observed / expected", "auto", "since 2026-08", "calibration slope", "AUC"
    ]  # fmt: skip
    assert (
        first.numbers[1].value
        == f"{page.segments['auto'].sample.base_rate / page.segments['auto'].sample.mean_score:.2f}"
    )
    assert first.sentence.endswith(" % more than predicted since 2026-08.")
    html = page.html
    assert "<p>Calibration report · m 2 · 24,000 rows, " in html
    assert "events, 2026-01 to 2026-12 · 2027-01-01</p>" in html
    assert "<h2>When: by month</h2>" in html
    assert html.index("Drift: recalibrate") < html.index("a map of its own") < html.index("not now")


def test_a_drift_is_found_where_it_began_and_none_where_the_ratio_is_the_same():
    found = find_drift(periods(drifting()), DEFAULT_TOLERANCE)
    assert found.since == "2026-08"
    assert found.ratio.value == pytest.approx(found.after.base_rate / found.after.mean_score)
    assert found.before.n + found.after.n == 24_000
    assert find_drift(periods(drifting(shift=0.8, since=0)), DEFAULT_TOLERANCE) is None  # as wrong before
    assert find_drift(periods(drifting(shift=0.0)), DEFAULT_TOLERANCE) is None


def test_a_change_within_the_tolerance_is_no_drift():
    rng = np.random.default_rng(0)
    p, month = rng.beta(8, 12, 200_000), rng.integers(0, 6, 200_000)
    y = rng.random(200_000) < np.where(month >= 3, 1.05 * p, p)
    assert find_drift(read_periods(y, p, month, {}), DEFAULT_TOLERANCE) is None


@pytest.mark.parametrize(
    ("times", "noun", "first", "last"),
    [
        ([date(2026, 1, 1) + timedelta(k) for k in range(30)], "day", "2026-01-01", "2026-01-30"),
        ([date(2026, 1, 1) + timedelta(k) for k in range(60)], "week", "2026-W01", "2026-W09"),
        ([datetime(2024, 1, 1, 12) + timedelta(20 * k) for k in range(37)], "month", "2024-01", "2025-12"),
        ([f"{2019 + k // 12}-{k % 12 + 1:02}-01" for k in range(84)], "quarter", "2019-Q1", "2025-Q4"),
        ([f"{1950 + k}-06-30" for k in range(36)], "year", "1950", "1985"),
        ([f"2026-{k:02}-01" for k in range(1, 13)], "month", "2026-01", "2026-12"),
        ([2000 + k for k in range(30)], "period", "2000", "2029"),
        ([f"{2024 + k // 12}-{k % 12 + 1:02}" for k in range(24)], "period", "2024-01", "2025-12"),
    ],
)
def test_dates_are_joined_to_periods_in_order(times, noun, first, last):
    order = np.random.default_rng(0).permutation(2 * len(times))
    given = [times[k % len(times)] for k in order]
    found = read_periods(order % 2, np.linspace(0.1, 0.9, order.size), given, {})
    assert (found.name, next(iter(found)), list(found)[-1]) == (noun, first, last)
    assert sum(sample.n for sample in found.values()) == found.whole.n == order.size


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([f"batch {k}" for k in range(50)] * 2, "time must hold dates, or at most 36 values; got 50 such as"),
        (["2026-01-01", "spring"] * 50, "time must hold times of one kind, got the date and the text"),
        (["2026-01-01"] * 99, "time must have a row for each|y_true"),
    ],
)
def test_other_times_are_refused(times, message):
    with pytest.raises(ValueError, match=message):
        fot.report([0, 1] * 50, np.linspace(0.05, 0.95, 100), time=times, compare=False)


def test_one_map_of_all_rows_is_judged_in_each_part_on_rows_it_was_not_fitted_to():
    frame = drifting(shift=0.0)
    parts = fot.read(frame.y, frame.p, by=frame.segment)
    after = apply_one_map(fot.families.Platt(), parts, 0)
    assert {name: part.is_worse for name, part in after.items()} == {"auto": False, "card": True}
    for name, part in after.items():
        assert part.sample.n == parts[name].n
        assert part.before.value == pytest.approx(parts[name].base_rate / parts[name].mean_score)
        assert part.loss.mean == pytest.approx(part.sample.mean_loss("log_loss") - parts[name].mean_loss("log_loss"))
    together = sum(part.sample.mean_score * part.sample.n for part in after.values())
    assert together == pytest.approx(frame.y.sum(), rel=0.01)  # the map of all rows has the right level on the whole


def test_an_area_that_nobody_knows_stands_nowhere():
    rng = np.random.default_rng(1)
    p = rng.random(40_000)
    page = fot.report(fot.Cells.of(rng.random(40_000) < p**1.2, p), families=["platt"], compare=False)
    assert page.evaluation.sample.has_pooled_scores
    assert "AUC" not in [figure.name for figure in page.figures] + [number.name for number in page.first_screen.numbers]


@pytest.mark.exhaustive
def test_the_command_takes_a_column_of_dates(tmp_path):
    drifting(4000).to_csv(tmp_path / "book.csv", index=False)
    page = tmp_path / "page.html"
    options = ["--label", "y", "--prob", "p", "--time", "day", "--family", "platt", "--no-compare", "-o", str(page)]
    answer = CliRunner().invoke(main, ["report", str(tmp_path / "book.csv"), *options])
    assert answer.exit_code == 0, answer.output
    assert "<h2>When: by month</h2>" in page.read_text()
    assert "<dt>column of times</dt><dd>day</dd>" in page.read_text()
