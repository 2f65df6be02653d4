"""The diagram of a monitor: its lines are the records, every batch has its place, and nothing covers anything."""

from functools import cache

import numpy as np
import pytest
from matplotlib.dates import num2date

import fitontest as fot
from fitontest.monitor.displays.monitor import MonitorDisplay
from fitontest.monitor.displays.monitor_artists import TimeAxis
from tests.displays.figures import blank, plain
from tests.monitor.conftest import monitored, stream

SIZE = (10.6, 7.2)


@cache
def drifting():
    return monitored(stream(shift=1.0, since=3), max_error=None).evidence


@pytest.fixture(autouse=True, scope="module")
def few_draws():
    """All draws are made here: a fit test of few draws rejects the spline that is drawn, and legends say so."""


@cache
def segmented():
    monitor = fot.monitor.Monitor(families=["isotonic"], max_error=0.02)
    for bad, good in zip(stream(shift=1.0, since=3), stream(seed=1), strict=True):
        y, p = (np.concatenate(pair) for pair in zip(bad, good, strict=True))
        monitor.update(y, p, by=np.repeat(["north", "south"], 300))
    return monitor.evidence


@cache
def drawn():
    return drifting().plot(plain(SIZE))


def line_of(ax, label):
    (line,) = [line for line in ax.lines if line.get_label() == label]
    return line


def test_the_lines_are_the_records():
    display, rows = drawn(), drifting().rows()
    e = line_of(display.axes_["evidence"], "E")
    assert e.get_ydata()[0] == 0.0  # it begins at 1
    np.testing.assert_allclose(e.get_ydata()[1:], np.array([row["log_e"] for row in rows]) / np.log(10))
    (limit,) = [
        line for line in display.axes_["evidence"].lines if line.get_ydata() == pytest.approx([np.log10(20)] * 2)
    ]
    assert limit.get_linestyle() != "-"
    low = display.axes_["error"].lines[0].get_ydata()
    assert list(low) == [row["error_low"] for row in [*rows, rows[-1]]]  # the last one holds until the next batch
    lower = display.axes_["slope"].lines[1].get_ydata()
    np.testing.assert_array_equal(np.isfinite(lower), [row["line_agrees"] for row in rows])
    assert lower[0] == rows[0]["slope_low"]
    frame = display.to_frame(part="batches")
    assert frame["log10_e"].tolist() == list(e.get_ydata()[1:])
    assert frame["alarm"].tolist() == [row["alarm"] for row in rows]
    assert "alarm since batch 4" in repr(display)


def test_alarm_and_onset_are_marked_in_all_panels():
    display = drawn()
    panels = [display.axes_[name] for name in ("evidence", "level", "slope", "error")]
    assert all(any(list(line.get_xdata()) == [3.0, 3.0] for line in ax.lines) for ax in panels)
    assert "onset, alarm" in [text.get_text() for text in panels[0].texts]
    quiet = monitored(stream(n=60, batches=2), families=["isotonic"]).evidence.plot(plain(SIZE))
    assert [text.get_text() for text in quiet.axes_["evidence"].texts] == ["alarm at E = 20"]


def test_the_reliability_diagram_is_of_the_rows_since_the_onset_and_before():
    display = drawn()
    diagrams = display.diagrams.diagrams
    assert list(diagrams) == ["before batch 4", "since batch 4"]
    assert (diagrams["since batch 4"].error.n, diagrams["before batch 4"].error.n) == (1500, 900)
    assert {row["panel"] for row in display.rows("curve")} == set(diagrams)


def test_parts_can_be_drawn_alone():
    display = MonitorDisplay(drifting(), panels="batches")
    assert list(display.plot(plain(display.size)).axes_) == ["evidence", "level", "slope", "error"]
    assert display.size < drawn().size


@pytest.mark.exhaustive
def test_nothing_covers_anything():
    display = segmented().plot(blank(SIZE))
    display.figure_.draw_without_rendering()
    boxes = [ax.get_tightbbox() for ax in display.axes_.values()]
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    width, height = display.figure_.bbox.size
    assert all(box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1 for box in boxes)
    names = [text.get_text() for text in display.legend_.get_texts()]
    assert names == ["E", "CUSUM of all rows", "north", "other segments"]
    assert "limit 0.02" in [text.get_text() for text in display.axes_["error"].texts]


def test_names_of_batches_are_thinned():
    evidence = monitored([], families=["isotonic"])
    for k, (y, p) in enumerate(stream(n=20, batches=30)):
        evidence.update(y, p, batch=f"$coring run {k} of the year$")
    display = evidence.evidence.diagram(panels="batches").plot(blank((6.4, 7.2)))
    display.figure_.draw_without_rendering()
    ticks = [text.get_window_extent() for text in display.axes_["error"].get_xticklabels() if text.get_text()]
    assert len(ticks) >= 2
    assert not any(one.overlaps(other) for k, one in enumerate(ticks) for other in ticks[:k])


def rows_at(*times):
    return [{"batch": f"b{k}", "time": time} for k, time in enumerate(times)]


def test_the_axis_is_one_of_time_where_times_increase():
    dates = TimeAxis.of(rows_at("2024-01-01", "2024-02-01", "2024-03-01T12:00"))
    assert dates.are_dates
    assert num2date(dates.x[1]).month == 2
    numbers = TimeAxis.of(rows_at("1", "2.5", "10"))
    assert numbers.x.tolist() == [1.0, 2.5, 10.0]
    assert numbers.at(["b2", "b0"]).tolist() == [10.0, 1.0]
    texts = TimeAxis.of(rows_at("spring", "summer"))
    assert (texts.x.tolist(), texts.labels, texts.name) == ([0.0, 1.0], ["spring", "summer"], "Time")
    assert TimeAxis.of(rows_at("2024-01-01", "2024-01-01")).x.tolist() == [0.0, 1.0]
    assert TimeAxis.of(rows_at("2024-01-01", None)).labels == ["b0", "b1"]


def test_infinite_evidence_is_marked_above_all():
    y, p = stream(n=50, batches=1)[0]
    monitor = fot.monitor.Monitor(families=["isotonic"])
    evidence = monitor.update(np.append(y, True), np.append(p, 0.0))
    display = evidence.diagram(panels="batches").plot(plain((6.4, 7.2)))
    assert list(line_of(display.axes_["evidence"], "E infinite").get_ydata()) == [1.0]
    assert np.all(np.isfinite(display.axes_["evidence"].get_ylim()))


def test_evidence_without_batches_and_other_things_are_refused():
    for bad in (fot.monitor.Monitor().evidence, [1.0, 2.0], None):
        with pytest.raises(ValueError, match=r"evidence must be what Monitor\.update returns, of at least one batch"):
            MonitorDisplay(bad)
    with pytest.raises(ValueError, match="panels must be"):
        MonitorDisplay(drifting(), panels="some")
