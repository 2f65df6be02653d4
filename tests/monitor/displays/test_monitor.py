"""The diagram of a monitor: its dots are the records, every batch has its place, and nothing covers anything."""

from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.dates import num2date
from scipy.stats import beta

import fitontest as fot
from fitontest.monitor.displays.monitor import MonitorDisplay
from fitontest.monitor.displays.monitor_artists import TimeAxis
from tests.displays.figures import blank, plain
from tests.monitor.conftest import monitored, stream

SIZE = (8.6, 4.8)


@cache
def drifting():
    return monitored(stream(shift=1.0, since=3), max_error=None).evidence


@cache
def segmented():
    monitor = fot.monitor.Monitor(families=["isotonic"], max_error=0.02)
    for bad, good in zip(stream(shift=1.0, since=3), stream(seed=1), strict=True):
        y, p = (np.concatenate(pair) for pair in zip(bad, good, strict=True))
        monitor.update(y, p, by=np.repeat(["north", "south"], 300))
    return monitor.evidence


@cache
def classwise():
    rng = np.random.default_rng(0)
    monitor = fot.monitor.Monitor(reduction="classwise", families=["isotonic"])
    for _ in range(3):
        p = rng.dirichlet([2, 2, 2], 200)
        monitor.update(np.array([rng.choice(3, p=row) for row in p]), p)
    return monitor.evidence


@cache
def drawn():
    return drifting().plot(plain(SIZE))


def texts_of(ax):
    return [text.get_text() for text in ax.texts]


def steps_of(ax):
    (line,) = [line for line in ax.lines if line.get_drawstyle() == "steps-post"]
    return line.get_ydata()


def dots_of(ax):
    return [line for line in ax.lines if line.get_marker() == "o"]


def test_the_dots_are_observed_over_expected_with_the_exact_interval():
    display, records = drawn(), drifting().records
    rows = display.rows("batches")
    assert [row["ratio"] for row in rows] == [record.events / record.expected for record in records]
    last, record = rows[-1], records[-1]
    low = beta.ppf(0.025, record.events, record.n - record.events + 1) * record.n / record.expected
    assert last["low"] == pytest.approx(low)
    heights = [line.get_ydata()[0] for line in dots_of(display.axes_["ratio"])]
    np.testing.assert_allclose(heights, [row["ratio"] for row in rows])
    colors = [line.get_color() for line in dots_of(display.axes_["ratio"])]
    assert (len(set(colors[:3])), len(set(colors[3:])), len(set(colors))) == (1, 1, 2)
    assert [row["state"] == "outside" for row in rows] == [False] * 3 + [True] * 5


def test_rows_of_a_group_widen_the_interval_as_one_row_each():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.2, 0.6, 300)
    y = rng.random(300) < p
    grouped = fot.monitor.Monitor(families=["isotonic"]).update(y, p, groups=np.arange(300) // 3)
    (row,) = grouped.diagram().rows("batches")
    share, ratio = y.mean(), y.mean() / p.mean()
    assert row["high"] == pytest.approx(beta.ppf(0.975, 100 * share + 1, 100 * (1 - share)) / p.mean())
    assert row["ratio"] == pytest.approx(ratio)


def test_the_evidence_is_cut_off_and_the_alarm_has_its_line():
    display, rows = drawn(), drifting().rows()
    strip = display.axes_["evidence"]
    e = np.array([row["log_e"] for row in rows]) / np.log(10)
    assert e.max() > 6.0
    steps = steps_of(strip)
    assert steps[0] == 0.0  # it begins at 1
    np.testing.assert_allclose(steps[1:-1], np.clip(e, -1.0, 6.0))
    (triangles,) = [line for line in strip.lines if line.get_marker() == "^"]
    assert list(triangles.get_xdata()) == np.flatnonzero(e > 6.0).tolist()
    assert ">1e6" in [text.get_text() for text in strip.get_yticklabels()]
    assert "alarm at 20" in texts_of(strip)
    assert any(list(line.get_ydata()) == pytest.approx([np.log10(20)] * 2) for line in strip.lines)
    for ax in display.axes_.values():
        assert any(list(line.get_xdata()) == [3.0, 3.0] for line in ax.lines)
    assert texts_of(display.axes_["ratio"])[:2] == ["alarm batch 4", "likely since batch 4"]
    assert display.rows("batches")[3]["alarm"]


def test_the_title_is_the_size_and_not_the_evidence():
    records = drifting().records[3:]
    ratio = sum(record.events for record in records) / sum(record.expected for record in records)
    change = f"{100 * (ratio - 1):.0f} % more events than predicted since batch 4"
    assert drawn().title == f"Alarm since batch 4: {change}"
    assert change in drawn().text
    assert change in repr(drawn())
    steep = monitored(stream(n=2000, batches=4, slope=0.4, since=0, centre=0.0), families=["isotonic"]).evidence
    assert "overconfident since batch 1 (slope 0.4" in steep.diagram().title
    quiet = monitored(stream(n=60, batches=2), families=["isotonic"]).evidence
    assert quiet.diagram().title.startswith("No alarm after 2 batches: O:E ")
    y, p = stream(n=50, batches=1)[0]
    ruled_out = fot.monitor.Monitor(families=["isotonic"]).update(np.append(y, True), np.append(p, 0.0)).diagram()
    assert ruled_out.title == "Alarm since batch 1: labels that the scores rule out"
    assert steps_of(ruled_out.plot(plain(SIZE)).axes_["evidence"])[-1] == 6.0


def test_the_strip_says_what_the_evidence_is_against():
    rows = stream(n=60, batches=1)
    for settings, words in (
        ({}, "\N{LEFT DOUBLE QUOTATION MARK}within \N{PLUS-MINUS SIGN}10 %\N{RIGHT DOUBLE QUOTATION MARK}"),
        ({"tolerance": 0}, "exact calibration"),
        ({"max_error": 0.02}, "a mean error of at most 0.02"),
        (
            {"tolerance": 0.1, "tolerance_unit": "probability"},
            "\N{LEFT DOUBLE QUOTATION MARK}within \N{PLUS-MINUS SIGN}0.1\N{RIGHT DOUBLE QUOTATION MARK}",
        ),
        (
            {"tolerance": 0.1, "tolerance_unit": "logit"},
            "\N{LEFT DOUBLE QUOTATION MARK}within \N{PLUS-MINUS SIGN}0.1 logits",
        ),
        ({"reference": stream(n=200, batches=1, seed=2)[0]}, "the limits of the reference"),
    ):
        display = monitored(rows, families=["isotonic"], **settings).evidence.plot(plain(SIZE))
        assert any(f"evidence against {words}" in text for text in texts_of(display.axes_["evidence"])), words


def test_the_band_is_the_tolerance_in_ratio_and_else_that_of_verdicts():
    rows = stream(n=60, batches=1)
    for settings, near in (
        ({"tolerance": 0.3}, 0.3),
        ({"tolerance": 0.3, "tolerance_unit": "logit"}, 0.1),
        ({"max_error": 0.3}, 0.1),
    ):
        display = monitored(rows, families=["isotonic"], **settings).evidence.plot(plain(SIZE))
        (band,) = display.axes_["ratio"].patches
        assert (band.get_y(), band.get_height()) == pytest.approx((1.0 - near, 2.0 * near))
        assert f"grey: within {100 * near:g} %" in display.second


def test_rare_non_events_are_drawn_named_and_tested():
    """Of rates of .975 at scores of .95 O:E is 1.03, and that of non-events .5."""
    p = np.full(4000, 0.95)
    y = np.arange(4000) % 40 > 0
    evidence = fot.monitor.Monitor(families=["isotonic"]).update(y, p)
    display = evidence.plot(plain(SIZE))
    (row,) = display.rows("batches")
    assert row["ratio"] == pytest.approx(100 / 200)
    assert row["high"] == pytest.approx(beta.ppf(0.975, 101, 3900) / 0.05)
    assert row["state"] == "outside"
    assert display.axes_["ratio"].get_ylabel() == "Observed / expected non-events"
    assert display.title == "Alarm since batch 1: 50 % fewer non-events than predicted since batch 1"
    assert "Last O:E of non-events" in str(evidence)
    assert "    0.50  " in str(evidence.table())


def test_segments_have_panels_with_what_the_last_batches_come_to():
    display = segmented().plot(plain((8.6, 7.4)))
    assert [*display.axes_] == ["ratio", "evidence", "north", "south"]
    records = segmented().segments["north"].records[-3:]
    ratio = sum(record.events for record in records) / sum(record.expected for record in records)
    assert display.title.endswith("; refuted in north")
    assert f"last 3 batches O:E {ratio:.2f}" in texts_of(display.axes_["north"])
    rows = [row for row in display.rows("segments") if row["segment"] == "north"]
    assert rows[0]["ratio"] == pytest.approx(
        segmented().segments["north"].records[0].events / segmented().segments["north"].records[0].expected
    )
    alone = segmented().plot(plain((5, 3)), panels="segments")
    assert [*alone.axes_] == ["north", "south"]
    assert "1 of 2 segments outside" in alone.figure_.get_suptitle()
    without = segmented().diagram(panels="batches")
    assert [*without.plot(plain(SIZE)).axes_] == ["ratio", "evidence"]
    assert without.size < display.size


def test_classes_have_panels_and_no_ratio_of_all_together():
    display = classwise().plot(plain((8.6, 5)))
    assert [*display.axes_] == ["evidence", "0", "1", "2"]
    assert "3 classes" in display.second
    assert display.rows("batches")[0]["ratio"] is None


def test_axes_of_the_user_hold_all_rows():
    figure = blank((12, 5))
    left, right = figure.subplots(1, 2)
    display = segmented().plot(left)
    assert [*display.axes_] == ["ratio", "evidence"]
    assert display.axes_["ratio"] is left
    drifting().plot(right)
    with pytest.raises(ValueError, match="ax must be empty axes"):
        drifting().plot(right)
    with pytest.raises(ValueError, match="ax must be a Figure or a SubFigure of segments"):
        segmented().plot(left, panels="segments")


@pytest.mark.parametrize("size", [(8.6, 7.4), (5.0, 8.0)])
@pytest.mark.parametrize("of", [segmented, classwise])
def test_nothing_covers_anything(of, size):
    display = of().plot(blank(size))
    display.figure_.draw_without_rendering()
    boxes = [ax.get_tightbbox() for name, ax in display.axes_.items() if name != "evidence" or of is classwise]
    assert not any(one.overlaps(other) for k, one in enumerate(boxes) for other in boxes[:k])
    width, height = display.figure_.bbox.size
    assert all(box.x0 >= -1 and box.y0 >= -1 and box.x1 <= width + 1 and box.y1 <= height + 1 for box in boxes)


def test_dark_pages_have_lighter_colours():
    with plt.style.context("dark_background"):
        dark = drifting().plot(blank(SIZE))
    colors = {line.get_color() for line in dots_of(dark.axes_["ratio"])}
    assert colors.isdisjoint(line.get_color() for line in dots_of(drawn().axes_["ratio"]))


def test_names_of_batches_are_thinned():
    evidence = monitored([], families=["isotonic"])
    for k, (y, p) in enumerate(stream(n=20, batches=30)):
        evidence.update(y, p, batch=f"$coring run {k} of the year$")
    display = evidence.evidence.diagram().plot(blank((6.4, 7.2)))
    display.figure_.draw_without_rendering()
    ticks = [text.get_window_extent() for text in display.axes_["evidence"].get_xticklabels() if text.get_text()]
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


def test_evidence_without_batches_and_other_things_are_refused():
    for bad in (fot.monitor.Monitor().evidence, [1.0, 2.0], None):
        with pytest.raises(ValueError, match=r"evidence must be what Monitor\.update returns, of at least one batch"):
            MonitorDisplay(bad)
    with pytest.raises(ValueError, match="panels must be"):
        MonitorDisplay(drifting(), panels="some")
    with pytest.raises(ValueError, match="panels must be 'all' or 'batches'"):
        MonitorDisplay(drifting(), panels="segments")
