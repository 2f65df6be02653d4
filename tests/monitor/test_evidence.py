"""The face of a monitor: a sentence that says no more than its numbers, a table, and flat records."""

import json
from dataclasses import replace
from math import exp, inf, log
from types import SimpleNamespace

import numpy as np
import pytest

import fitontest as fot
from fitontest.monitor.batches.layout import Layout
from fitontest.monitor.evidence.batch_table import HEADER, LAST, table_of
from fitontest.monitor.evidence.direction import Direction
from fitontest.monitor.evidence.numbers import e_in_words, rounded_down
from fitontest.monitor.evidence.wording import headline_of, notes_of, onset_in_words
from fitontest.uncertainty.event_ratio import EventRatio
from tests.monitor.conftest import monitored, stream

LIMIT = log(20.0)


@pytest.fixture(scope="module")
def alarm(drifting):
    return monitored(drifting, tolerance=0).evidence


@pytest.fixture(scope="module")
def quiet(calibrated):
    return monitored(calibrated).evidence


@pytest.fixture(scope="module")
def refuted():
    drawn = stream(n=100, batches=4)
    y, p = drawn[2]
    drawn[2] = (np.concatenate(([True] * 3, y[3:])), np.concatenate(([0.0] * 3, p[3:])))
    return monitored(drawn, tolerance=0, families=["isotonic"]).evidence


def told(null=None, **known):
    """Return evidence by its facts alone: 6 batches, of which the fourth is the alarm and the onset."""
    direction = Direction("3", 400, 1.5, 0.81, (), "isotonic")
    settings = SimpleNamespace(
        alpha=0.05,
        max_error=known.pop("max_error", None),
        null=SimpleNamespace(in_brief=null or {"null": "exact"}),
        run_length=1000.0,
        layout=known.pop("layout", Layout()),
    )
    facts = {
        "log_es": (0.0, -0.5, 0.2, 4.0, 5.0, 6.7),
        "log_limit": LIMIT,
        "batches": [str(k) for k in range(6)],
        "n": 600,
        "events": 200,
        "alarm_since": 3,
        "onset": 3,
        "direction": direction,
        "since": EventRatio(1.5, None, "events"),
        "near": 0.1,
        "level": (-0.04, 0.05),
        "slope": (0.93, 1.06),
        "error_low": 0.0,
        "left_out": 60,
        "refuted_by": None,
        "is_infinite": False,
        "segments": {},
        "named": (),
        "log_cusum": 7.0,
        "cusum_alarm": True,
        "lives": 0,
    } | known
    return SimpleNamespace(settings=settings, log_e=facts["log_es"][-1], **facts)


def silent(**known):
    """Return the same without an alarm and an onset."""
    return told(**{"alarm_since": None, "direction": None, "cusum_alarm": False, "log_es": (0.0,) * 6, **known})


def test_the_sentence_quotes_the_numbers_that_programs_get(alarm, drifting):
    summary = alarm.to_dict()
    assert alarm.headline == summary["headline"]
    assert (alarm.alarm, alarm.alarm_since, alarm.onset) == (True, 3, 3)
    assert f"is refuted since batch 4 (E = {e_in_words(summary['log_e'])})" in alarm.headline
    y, p = (np.concatenate(column) for column in zip(*drifting[3:], strict=True))
    since = summary["since_onset"]
    assert since["ratio"] == pytest.approx(y.sum() / p.sum(), rel=1e-12)
    assert since["slope"] == pytest.approx(fot.Platt().fit(p, y).slope_, abs=0.01)  # cells lose the place of a score
    assert f"scores too low (O:E {y.sum() / p.sum():.2f})" in alarm.headline
    assert f"at least {rounded_down(summary['error_low'])} in some batch" in alarm.headline
    assert alarm.headline.endswith("Refit the calibrator on the batches since 4.")
    assert str(alarm).startswith("Alarm since batch 4: ")
    assert f"more events than predicted since batch 4 (O:E {y.sum() / p.sum():.2f})." in str(alarm)
    assert "Next: refit the calibrator on the batches since 4." in str(alarm)
    assert len(str(alarm).splitlines()) <= 8


def test_no_alarm_is_not_called_calibration(quiet):
    low, high = quiet.level
    assert not quiet.alarm
    assert quiet.headline.startswith(f"No alarm after 8 batches (E = {e_in_words(quiet.log_e)}).")
    assert f"level {low:.2f} to {high:.2f}" in quiet.headline
    assert str(quiet).startswith("No alarm after 8 batches.")
    assert "is calibrated" not in str(quiet.table())
    assert "no alarm is no evidence of calibration" in " ".join(str(quiet.explain()).split())
    assert quiet.direction is None
    assert list(quiet.samples()) == ["all batches"]


def test_records_are_flat_and_go_through_json_and_frames(alarm):
    rows = alarm.rows()
    assert all(value is None or isinstance(value, str | int | float) for row in rows for value in row.values())
    assert len({tuple(row) for row in rows}) == 1
    assert json.loads(alarm.to_json())["rows"] == rows
    assert alarm.to_frame()["log_e"].tolist() == list(alarm.log_es)
    es = np.exp(alarm.log_es)
    assert [row["e_value"] for row in rows] == pytest.approx(es)
    assert [row["p_value"] for row in rows] == pytest.approx(
        np.minimum(1 / np.maximum.accumulate(es), 1), rel=1e-12, abs=0
    )
    assert [row["alarm"] for row in rows] == [k >= 3 for k in range(8)]
    assert alarm.p_value == rows[-1]["p_value"]
    by_bettor = [name for name in rows[0] if name.startswith("log_factor_")]
    assert "log_factor_level" in by_bettor
    assert "log_gain_isotonic" in rows[0]


def test_labels_that_are_ruled_out_make_the_evidence_infinite_for_ever(refuted):
    assert refuted.headline.startswith(
        "Calibration is refuted by labels that it rules out (E infinite): 3 positive rows of score 0 in batch 3"
    )
    assert (refuted.e_value, refuted.p_value, refuted.alarm_since) == (inf, 0.0, 2)
    summary = json.loads(refuted.to_json())
    assert (summary["e_value"], summary["p_value"]) == (None, 0.0)
    assert summary["refuted_by"] == refuted.refuted_by
    assert [row["e_value"] is None for row in summary["rows"]] == [False, False, True, True]
    assert refuted.direction is None  # the other rows say nothing
    assert "Evidence infinite against" in str(refuted)
    assert "infinite" in str(refuted.table())


def test_what_is_tested_stands_in_the_sentence():
    assert headline_of(told()).startswith("Calibration is refuted since batch 3 (E = 812)")
    within = headline_of(told(null={"null": "tolerance", "eps": 0.01, "unit": "probability"}))
    assert within.startswith("Calibration to within 0.01 is refuted")
    ratio = headline_of(told(null={"null": "tolerance", "eps": 0.1, "unit": "ratio"}))
    assert ratio.startswith("Calibration to within 10 % is refuted")
    logits = headline_of(told(null={"null": "tolerance", "eps": 0.2, "unit": "logit"}))
    assert logits.startswith("Calibration to within 0.2 logits is refuted")
    band = headline_of(told(null={"null": "band"}))
    assert band.startswith("That rates are within the limits of the reference is refuted")
    error = headline_of(told(max_error=0.02, error_low=0.024))
    assert error.startswith("The mean error was above 0.02 in some batch (alarm since batch 3, E = 812)")
    assert "0.02 in every batch is not refuted" in headline_of(silent(max_error=0.02))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("overconfident",), "overconfident (slope 0.81)"),
        (("overconfident", "scores too high"), "scores too high (O:E 1.50) and overconfident"),
        ((), "the shape of the calibration curve changed, as bets on steps fitted to the batches before show most"),
    ],
)
def test_the_direction_is_that_of_the_rows_since_the_onset(words, said):
    text = headline_of(told(direction=Direction("3", 400, 1.5, 0.81, words, "isotonic")))
    assert said in text
    assert text.endswith("Refit the calibrator on the batches since 3.")


def test_a_ratio_within_the_tolerance_is_no_finding_beside_the_slope():
    since = EventRatio(1.08, None, "events")
    both = Direction("3", 400, 1.08, 0.81, ("overconfident", "scores too low"), "isotonic")
    assert ": overconfident (slope 0.81)" in headline_of(told(direction=both, since=since))
    level = Direction("3", 400, 1.08, 1.0, ("scores too low",), "isotonic")
    assert ": scores too low (O:E 1.08)" in headline_of(told(direction=level, since=since))


def test_a_model_that_has_recovered_keeps_its_alarm_and_is_looked_at_first():
    text = headline_of(told(log_es=(0.0, 6.0, 5.9, 5.8, 5.7, 5.6), alarm_since=1))
    assert "The last 4 batches add no evidence; the alarm stays." in text
    assert "Refit" not in text
    fallen = headline_of(told(log_es=(0.0, 7.0, 6.0, 5.0, 4.0, 1.0), direction=None, cusum_alarm=False, log_cusum=0.0))
    assert "(E = 1,097 after batch 1, 2.7 now)" in fallen
    assert "CUSUM 1.0, below its limit" in onset_in_words(told(direction=None, cusum_alarm=False, log_cusum=0.0))


def test_what_the_batches_leave_open_is_said_of_each_end():
    assert "level -0.04 to 0.05, slope 0.93 to 1.06." in headline_of(silent())
    assert "level at most 0.20, slope any." in headline_of(silent(level=(None, 0.2), slope=(None, None)))
    off = headline_of(silent(level=(0.02, 0.3)))
    assert "level 0.02 to 0.30 (not 0)" in off
    assert "By the level alone the scores are off" in off
    assert "alone" not in headline_of(silent(level=(0.02, 0.3), max_error=0.02))  # which allows it
    assert "No line of the logits agrees with all batches" in headline_of(silent(level=None, slope=None))
    assert "at least 0.010 in some batch" in headline_of(silent(level=None, slope=None, error_low=0.01)).lower()
    assert "But that of the batches since 3 alone is 1,097" in headline_of(silent(cusum_alarm=True))


def test_few_labels_many_rows_and_groups_are_spoken_of():
    assert "There are 4 positives and 596 negatives so far" in headline_of(silent(events=4))
    assert "There are 599 positives and 1 negative so far" in headline_of(silent(events=599))
    assert "so far" not in headline_of(silent())
    assert not any("no consequence" in note for note in notes_of(told()))
    (many,) = [note for note in notes_of(told(n=480_000, error_low=0.00219)) if "no consequence" in note]
    assert "480,000 rows" in many
    assert "at least 0.0021 in some batch" in many
    tolerant = told(n=480_000, null={"null": "tolerance", "eps": 0.01, "unit": "probability"})
    assert not any("no consequence" in note for note in notes_of(tolerant))
    told_rare = told()
    told_rare.settings.alpha = 0.001
    assert any("confidence of 99.9 %" in note for note in notes_of(told_rare))
    assert "groups must be independent" in notes_of(told(layout=Layout(groups="patient")))[-1]
    assert "left out (60 so far)" in notes_of(told(layout=Layout(groups=True, once=True)))[-1]
    assert notes_of(told(lives=2))[0].startswith("2 models before this one: their batches")
    assert notes_of(told(lives=1))[0].startswith("1 model before this one: its batches")


def test_an_alarm_of_segments_alone_says_where_to_refit():
    own = SimpleNamespace(is_infinite=False, log_e=9.0, onset=1, batches=["0", "2", "3"])
    silent_one = SimpleNamespace(is_infinite=True, log_e=0.0, onset=0, shown_onset=None, batches=["0"])
    segments = {"north": own, ("west", 3): own, "south": silent_one}
    by_segment = {"segments": segments, "segments_in_words": "3 segments", "direction": None, "cusum_alarm": False}
    advice = "Refit the calibrator by segment: north since batch 2, west, 3 since batch 2."
    assert headline_of(told(named=("north", "south", ("west", 3)), **by_segment)).endswith(advice)
    assert headline_of(told(named=("north",), **by_segment)).count("Refit") == 1
    assert "Refit" not in headline_of(told(named=("south",), **by_segment))
    faded = told(named=("north",), log_es=(0.0, 0.0, 9.0, 8.0, 7.0, 6.9), **by_segment)
    assert headline_of(faded).endswith(
        "The last 3 batches add no evidence; the alarm stays. Look at them before the calibrator is refit."
    )


def test_labels_that_are_ruled_out_come_with_advice(refuted):
    assert "Keep scores inside (0, 1), or begin a monitor with a tolerance in probability" in refuted.headline


def test_rows_of_a_group_and_entries_of_a_row_count_once_in_the_diagram():
    rng = np.random.default_rng(0)
    monitor, p = fot.monitor.Monitor(families=["isotonic"]), rng.uniform(0.1, 0.9, 300)
    evidence = monitor.update(rng.random(300) < p, p, groups=np.arange(300) // 3)
    assert evidence.samples()["all batches"].effective_rows == pytest.approx(100.0)
    monitor, p = fot.monitor.Monitor(families=["isotonic"], reduction="classwise"), rng.dirichlet([1, 1, 1], 300)
    evidence = monitor.update(np.array([rng.choice(3, p=each) for each in p]), p)
    (sample,) = evidence.samples().values()
    assert [*evidence.samples()] == ["3 entries a row, all batches"]
    assert (sample.n, sample.effective_rows) == (900, pytest.approx(300.0))


def test_where_all_scores_are_0_the_bettor_that_gained_most_is_said():
    gained = told(direction=Direction("3", 400, None, None, (), "level"), since=None)
    assert "bets on a constant shift of the logits gained most" in headline_of(gained)
    assert onset_in_words(gained).endswith("n = 400.")


def test_classes_are_named_and_rows_are_positive_for_none_of_them():
    rng = np.random.default_rng(0)
    monitor = fot.monitor.Monitor(families=["isotonic"], reduction="classwise", labels=["a", "b"])
    p = rng.dirichlet([1, 1], 400)
    evidence = monitor.update(np.where(rng.random(400) < p[:, 0] ** 2, "a", "b"), p)
    assert "of 2 classes: " in evidence.headline
    assert evidence.events is evidence.rows()[0]["events"] is None
    assert "positives" not in evidence.headline
    assert evidence.segments["a"].events == evidence.rows()[1]["events"] < 200
    assert "2 classes, the largest evidence first" in str(evidence.table())


def test_segments_are_named_with_their_evidence(drifting, calibrated):
    monitor = fot.monitor.Monitor(families=["isotonic"])
    for bad, good in zip(drifting[1:5], calibrated[1:5], strict=True):
        y, p = (np.concatenate(pair) for pair in zip(bad, good, strict=True))
        monitor.update(y, p, by=np.repeat(["north", "south"], 300))
    evidence = monitor.evidence
    north = evidence.segments["north"]
    assert evidence.named == ("north",)
    assert f"Named by e-BH, of 2 segments: north (E = {e_in_words(north.log_e)})." in evidence.headline
    assert [row["segment"] for row in evidence.rows()[::4]] == [None, "north", "south"]
    assert north.log_limit == pytest.approx(log(20.0 * 3.0))  # prior weights of two segments are a third each
    assert [part["segment"] for part in json.loads(evidence.to_json())["segments"]] == ["north", "south"]
    assert "2 segments, the largest evidence first" in str(evidence.table())
    assert evidence.to_frame().shape[0] == 12


@pytest.mark.parametrize(("onset", "mark"), [(None, None), (2, 4), (0, 1), (95, 97)])
def test_long_streams_print_the_last_batches_and_those_of_onset_and_alarm(quiet, onset, mark):
    rows, ratios = [quiet.rows()[0] | {"batch": f"b{k}"} for k in range(100)], [None] * 100
    header, body = table_of(rows, ratios, onset, mark)
    assert header == [name for name in HEADER if name != "time"]
    shown = [line[0] for line in body if not line[0].startswith("...")]
    left_out = sum(int(line[0].split()[1]) for line in body if line[0].startswith("..."))
    assert len(shown) + left_out == 100
    assert shown[-LAST:] == [f"b{k}" for k in range(88, 100)]
    assert [(line[0], line[-1]) for line in body if line[-1]] == [
        (f"b{place}", name) for place, name in ((onset, "onset"), (mark, "alarm")) if place is not None
    ]
    assert not any(line[0] == "... 1 batch" for line in body)
    assert [line[0] for line in table_of(rows[:13], ratios[:13], 1, 1)[1]] == [f"b{k}" for k in range(13)]


def test_a_lower_bound_is_never_rounded_up():
    for bound in np.random.default_rng(0).random(200) ** 4 * 0.9 + 1e-4:
        assert 0.9 * bound < float(rounded_down(bound)) <= bound * (1 + 1e-9)


def test_evidence_is_printed_with_two_digits_or_whole():
    for value in (1e-7, 0.0123, 0.5, 9.94, 9.96, 99_999.4, 1e5, 9.97e6, 1.0):
        printed = float(e_in_words(log(value)).replace(",", ""))
        assert printed == pytest.approx(value, rel=0.05)
    assert e_in_words(log(9.97e6)) == "1.0e+07"
    assert e_in_words(2000.0) == "3.9e+868"  # beyond the range of numbers


def test_a_monitor_without_batches_has_a_page_and_no_sentence_on_evidence():
    evidence = fot.monitor.Monitor().evidence
    assert str(evidence).startswith("No batch so far.")
    assert json.loads(evidence.to_json())["rows"] == []
    assert (evidence.e_value, evidence.p_value, evidence.alarm) == (1.0, 1.0, False)
    assert "No batch so far." in evidence.to_html()


def test_the_alarm_is_of_the_first_batch_that_reaches_the_limit(quiet):
    for log_es, since in (((0.0, LIMIT - 1e-9), None), ((0.0, LIMIT, 0.0), 1), ((3.5, 0.1), 0), ((70.0,), 0)):
        records = quiet.records[: len(log_es)]
        evidence = replace(quiet, process=replace(quiet.process, records=records), log_es=log_es)
        assert evidence.alarm_since == since
        assert evidence.p_value == pytest.approx(min(1.0, exp(-max(log_es))), abs=0.0)  # 4e-31 is not 0


def test_a_mean_error_of_a_segment_is_not_told_as_that_of_all_rows():
    own = SimpleNamespace(is_infinite=False, log_e=9.0, onset=1, batches=["0", "2"])
    by_segment = {"segments": {"c": own}, "segments_in_words": "8 segments", "named": ("c",), "max_error": 0.03}
    alarmed = headline_of(told(error_low=0.0062, direction=None, cusum_alarm=False, **by_segment))
    assert alarmed.startswith("The mean error of all rows or of a segment was above 0.03 in some batch (")
    assert "the error of all rows together was at least 0.0062 in some batch." in alarmed
    assert "in every batch, of all rows and of each segment, is not refuted." in headline_of(silent(**by_segment))
    of_classes = told(layout=Layout(reduction="classwise"), **by_segment)
    assert headline_of(of_classes).startswith("The mean error of all rows or of a class was above")
    assert "in every batch is not refuted." in headline_of(silent(max_error=0.03))
