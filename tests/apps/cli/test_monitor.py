"""``fitontest monitor``: batches that are added to a file, exit codes, and what is refused without a change."""

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import main
from fitontest.apps.cli.writing import brief

pytestmark = pytest.mark.multiplies

COLUMNS = ("--label", "y", "--prob", "p")
SEVERAL = ("--label", "k", "--prob", "p_0", "--prob", "p_1", "--prob", "p_2")


def batch(seed, shift=0.0, n=120):
    rng = np.random.default_rng(seed)
    z = rng.normal(-0.5, 1.0, n)
    p = 1 / (1 + np.exp(-z))
    several = rng.dirichlet([1, 1, 1], n)
    columns = {f"p_{k}": several[:, k] for k in range(3)}
    labels = [rng.choice(3, p=row) for row in several]
    day = [f"2026-{seed + 1:02d}-{1 + k % 28:02d}" for k in range(n)]
    y = (rng.random(n) < 1 / (1 + np.exp(-z - shift))).astype(int)
    return pd.DataFrame({"y": y, "p": p, "k": labels, **columns, "region": rng.choice(["n", "s"], n), "day": day})


@pytest.fixture(scope="module")
def frames():
    return [batch(0), batch(1), batch(2, shift=2.0)]


@pytest.fixture
def folder(tmp_path, monkeypatch, frames):
    """Return a folder with a file of each batch, where the command runs."""
    for k, frame in enumerate(frames):
        frame.to_csv(tmp_path / f"month {k}.csv", index=False)
    frames[0][:15].to_csv(tmp_path / "few.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, stdin=b""):
    return CliRunner().invoke(main, ["monitor", *map(str, arguments)], input=stdin)


def test_batches_are_added_one_after_another(folder, frames):
    results = [
        run("a.json", "month 0.csv", *COLUMNS, "--level", 0.99),
        *(run("a.json", f"month {k}.csv") for k in (1, 2)),
    ]
    assert [each.exit_code for each in results] == [0, 0, 1]
    monitor = fot.monitor.Monitor(level=0.99)
    for k, frame in enumerate(frames):
        evidence = monitor.update(frame, label="y", prob="p", batch=f"month {k}")
    assert (folder / "a.json").read_text() == f"{monitor.to_json()}\n"
    events = int(frames[1]["y"].sum())
    assert results[1].stdout.startswith(f"month 1: n = 120, {events} events, E = 0.")
    assert results[1].stdout.endswith(", no alarm\n")
    assert results[2].stdout.count("\n") == 1
    assert results[2].stdout.endswith(f", alarm: {evidence.headline}\n")
    assert not any(each.stderr for each in results)
    shown = run("a.json")
    assert (shown.exit_code, shown.stdout) == (1, f"{brief(evidence, '--table')}\n")
    as_json = run("a.json", "--json")
    assert (as_json.exit_code, json.loads(as_json.stdout)) == (1, json.loads(evidence.to_json()))


@pytest.mark.exhaustive
def test_the_table_and_a_page_on_request(folder):
    found = run("a.json", "month 0.csv", *COLUMNS, "--table", "--html", "a.html")
    assert found.exit_code == 0
    assert found.stdout == f"{fot.monitor.Monitor.load('a.json').evidence.table()}\n"
    assert found.stderr == "Wrote a.html\n"
    page = (folder / "a.html").read_text(encoding="utf-8")
    assert "<title>Monitor a</title>" in page
    assert "month 0" in page
    before = (folder / "a.json").read_bytes()
    (folder / "a.html").unlink()
    (folder / "a.html").symlink_to(folder / "no" / "a.html")
    failed = run("a.json", "month 1.csv", "--html", "a.html")
    assert (failed.exit_code, (folder / "a.json").read_bytes()) == (2, before)


def test_few_labels_tell_little(folder):
    found = run("a.json", "few.csv", *COLUMNS)
    assert found.exit_code == 3
    assert "no alarm: " in found.stdout
    assert found.stdout.endswith(" negatives so far tell little\n")
    assert run("a.json").exit_code == 3


def test_the_latest_time_in_a_column_is_that_of_the_batch(folder, frames):
    for k in (0, 1):
        assert run("a.json", f"month {k}.csv", *COLUMNS, "--time", "day").exit_code == 0
    assert [row["time"] for row in fot.monitor.Monitor.load("a.json").evidence.rows()] == ["2026-01-28", "2026-02-28"]
    earlier = frames[2].assign(day="2026-01-31")
    earlier.to_csv("earlier.csv", index=False)
    found = run("a.json", "earlier.csv", "--time", "day")
    assert (found.exit_code, found.stderr.count("--time must not be before that of the last batch")) == (2, 1)
    mixed = earlier.assign(day=["2026-03-31", *["spring"] * 119])
    mixed.to_csv("mixed.csv", index=False)
    assert "--time column 'day' must hold times of one kind, got " in run("a.json", "mixed.csv", "--time", "day").stderr
    mixed.assign(day=mixed["day"].where(mixed.index != 4)).to_csv("missing.csv", index=False)
    assert "must have a time in every row, got 1 without" in run("a.json", "missing.csv", "--time", "day").stderr
    hours = pd.Timestamp("2026-03-01") + pd.to_timedelta(np.arange(120), unit="h")
    mixed.assign(day=hours, text=[f"{hour:%Y-%m-%d}" for hour in hours]).to_parquet("last.parquet")
    for column, time in (("day", "2026-03-05T23:00:00"), ("text", "2026-03-05")):
        found = run(f"{column}.json", "last.parquet", *COLUMNS, "--time", column, "--json")
        assert json.loads(found.stdout)["rows"][0]["time"] == time
    mixed.assign(day=hours.where(hours > hours[0])).to_parquet("last.parquet")
    assert (
        "must have a time in every row, got 1 without"
        in run("b.json", "last.parquet", *COLUMNS, "--time", "day").stderr
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--batch", "month 0"), "--batch must be new, got 'month 0', which was counted before"),
        (("--level", 0.9), "--level must be as the monitor was made, 0.95; got 0.9: what is tested cannot change"),
        (("--max-error", 0.1), "--max-error must be left out, as when it was made; got 0.1"),
        (("--tolerance", 0.01), "--tolerance must be as the monitor was made, 0.02 in ratio; got 0.01 in ratio"),
        (("--tolerance-unit", "logit"), "--tolerance must be given with --tolerance-unit logit"),
        (("--max-weight", 2), "--max-weight must be left out, as when it was made; got 2.0"),
        (("--reduction", "confidence"), "--reduction must be left out, as when it was made; got 'confidence'"),
        (("--once",), "--once must be as the monitor was made, False; got True"),
        (("--label", "day"), "--label must be the same for every batch, 'y' as of those before; got 'day'"),
        (("--prob", "p_0"), "--prob must be the same for every batch, 'p' as of those before; got 'p_0'"),
        (("--by", "region"), "--by must be left out, as of the batches before"),
        (("--group", "day"), "--group must be left out, as of the batches before"),
        (("--time", "hour"), "--time must be a column of"),
        (("--html", "a.txt"), "--html must end in .html or .htm, got 'a.txt'"),
        (("--html", "a.json"), "--html must end in .html or .htm, got 'a.json'"),
        (("--sep", ";"), "must be a column of"),
    ],
)
def test_what_is_refused_changes_nothing(folder, options, message):
    assert run("a.json", "month 0.csv", *COLUMNS, "--tolerance", 0.02).exit_code == 0
    before = (folder / "a.json").read_bytes()
    found = run("a.json", "month 1.csv", *options)
    assert found.exit_code == 2
    assert message in found.stderr
    assert (folder / "a.json").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("none.json",), "STATE must be an existing file, got 'none.json'"),
        (("month 0.csv",), "STATE must hold the state of a monitor, got 'month 0.csv': text must be JSON"),
        (("month 0.csv", "month 1.csv", *COLUMNS), "STATE must hold the state of a monitor, got 'month 0.csv'"),
        (("month 0.csv", "month 0.csv", *COLUMNS), "STATE must be another file than FILE, got 'month 0.csv'"),
        (("no/a.json", "month 0.csv", *COLUMNS), "STATE must be a file in a folder that exists, got 'no/a.json'"),
        (("a.json", "month 0.csv"), "--label and --prob must be given with the first batch"),
        (("a.json", "month 9.csv", *COLUMNS), "FILE must be an existing file, got month 9.csv"),
        (("a.json", "--label", "y"), "--label must be left out without FILE, got y"),
        (("a.json", "--level", 0.9), "--level must be left out without FILE, got 0.9"),
        (("a.json", "--sep", ";"), "--sep, --encoding, --decimal and --max-unpacked must be left out without FILE"),
        (("a.json", "-", *COLUMNS), "--batch must be given where FILE is standard input"),
        (("a.json", "*.parquet", *COLUMNS), "--batch must be given where FILE is a pattern of several files"),
        (
            ("a.json", "month 0.csv", *COLUMNS, "--level", 2),
            "--level must be a number in [0.5, 1) such as 0.95, got 2.0",
        ),
    ],
)
def test_bad_input_makes_no_state(folder, arguments, message):
    found = run(*arguments)
    assert found.exit_code == 2
    assert message in found.stderr
    assert not (folder / "a.json").exists()


def test_weights_and_groups_are_refused_in_the_words_of_the_command_line(folder, frames):
    weighted = frames[0].assign(w=np.linspace(0.5, 2.0, 120), patient=np.arange(120) // 2)
    weighted.to_csv("w.csv", index=False)
    for options, message in (
        (
            (),
            "left out unless --weight-type counts says that they count independent rows, or --max-weight declares the",
        ),
        (("--max-weight", 1.5), "must be at most 1.5, the largest that was declared by --max-weight, got "),
        (
            ("--weight-type", "importances"),
            "--max-weight must say the largest weight that a row may ever have with --weig",
        ),
    ):
        found = run("w.json", "w.csv", *COLUMNS, "--weight", "w", *options)
        assert (found.exit_code, found.stderr.count(message)) == (2, 1), found.stderr
    assert run("g.json", "w.csv", *COLUMNS, "--group", "patient").exit_code == 0
    frames[1].assign(patient=np.arange(120)).to_csv("again.csv", index=False)
    assert "with --once a group enters once, and its later rows are left out" in run("g.json", "again.csv").stderr
    assert run("once.json", "w.csv", *COLUMNS, "--group", "patient", "--once").exit_code == 0
    assert run("once.json", "again.csv").stdout.startswith("again: n = 60, ")


def test_segments_classes_and_standard_input(folder, frames):
    first = run("by.json", "month 0.csv", *COLUMNS, "--by", "region")
    assert first.exit_code == 0
    assert sorted(fot.monitor.Monitor.load("by.json").evidence.segments) == ["n", "s"]
    for k in (0, 1):
        options = (*SEVERAL, "--reduction", "classwise", "--labels", "0,1,2")
        assert run("classes.json", f"month {k}.csv", *options).exit_code == 0
    assert list(fot.monitor.Monitor.load("classes.json").evidence.segments) == [0, 1, 2]
    several = run("several.json", "month 0.csv", *SEVERAL)
    assert several.exit_code == 2
    assert "--prob must be one column unless the monitor has a --reduction, one of" in several.stderr
    raw = frames[1].to_csv(index=False, sep=";", decimal=",").encode()
    layout = ("--sep", ";", "--decimal", ",")
    assert run("a.json", "-", *COLUMNS, "--batch", "month 1", *layout, stdin=raw).exit_code == 0
    assert run("b.json", "month 1.csv", *COLUMNS).exit_code == 0
    assert (folder / "a.json").read_text() == (folder / "b.json").read_text()
