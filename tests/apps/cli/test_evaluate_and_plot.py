"""The command line: what it prints, where, and how it ends."""

import csv
import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from matplotlib import rc_context
from matplotlib.figure import Figure

import fitontest as fot
from fitontest.apps.cli import demo
from fitontest.apps.cli.main import main
from fitontest.displays.canvas import create_figure
from fitontest.results.text import short
from tests.apps.cli import printed
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies


@pytest.fixture
def scores():
    y, p = noisy(300, ties=3)
    w = np.random.default_rng(0).integers(0, 4, 300)
    return pd.DataFrame({"y": y, "p": p, "w": w, "name": np.where(y == 1, "sick", "well"), 'odd "name"': p})


@pytest.fixture(params=["scores.csv", "scores.csv.gz", "scores.tsv", "scores.parquet"])
def file(request, tmp_path, scores):
    path = tmp_path / request.param
    if path.suffix == ".parquet":
        scores.to_parquet(path)
    else:
        scores.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return path


@pytest.fixture
def csv_file(tmp_path, scores):
    scores.to_csv(tmp_path / "scores.csv", index=False)
    return tmp_path / "scores.csv"


CLASSIFIERS = ["Gaussian naive Bayes", "Random forest"]


def run(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def test_single_quotes_are_text(tmp_path):
    rows = [f"'{k},{k % 2},{(k + 1) / 42}" for k in range(40)]
    (tmp_path / "odd.csv").write_text("\n".join(["id,y,p", *rows]) + "\n")
    result = run("evaluate", tmp_path / "odd.csv", "--label", "y", "--prob", "p", "--family", "isotonic")
    assert result.exit_code == 0
    assert "n = 40," in result.stdout


def test_every_kind_of_file_is_read(file, scores):
    result = run("evaluate", file, "--label", "y", "--prob", "p", "--family", "slope1", "--interval", "none")
    assert result.exit_code == 0
    assert result.stdout.rstrip("\n") == str(fot.evaluate(scores.y, scores.p, families=["slope1"], interval=None))


def test_evaluate_prints_what_the_library_prints(csv_file, scores):
    result = run("evaluate", csv_file, "--label", "y", "--prob", "p")
    assert result.exit_code == 0
    assert result.stdout == printed(fot.evaluate(scores.y, scores.p))


@pytest.mark.exhaustive
def test_a_measure_follows_with_what_to_expect_of_it(csv_file, scores):
    result = run("evaluate", csv_file, "--label", "y", "--prob", "p", "--measure", "tce")
    lines, expected = result.stdout.splitlines(), printed(fot.evaluate(scores.y, scores.p)).splitlines()
    assert [line for line in lines if not line.startswith("Other measures: tce ")] == expected
    error = fot.tce(scores.y, scores.p, null_draws=100)
    assert f"Other measures: tce {short(100 * float(error))} % (if calibrated {short(100 * error.null.mean)} %;" in (
        result.stdout
    )


@pytest.mark.exhaustive
def test_with_verbose_it_prints_the_tables(csv_file, scores):
    result = run("evaluate", csv_file, "--label", "y", "--prob", "p", "--measure", "tce", "--verbose")
    verdict, table, tce = result.stdout.rstrip("\n").split("\n\n")
    assert f"{verdict}\n\n{table}" == str(fot.evaluate(scores.y, scores.p).table())
    error = fot.tce(scores.y, scores.p, null_draws=100)
    header, _, row, note = tce.splitlines()
    assert note == "p-value: from 100 draws of the labels, so at least 0.0099."
    assert header.split() == ["measure", "value", "bins", "if", "calibrated", "s.d.", "p-value"]
    values = [f"{short(100 * float(error))} %", str(error.n_bins), f"{short(100 * error.null.mean)} %"]
    assert " ".join(row.split()) == " ".join(
        ["tce", *values, f"{short(100 * error.null.sd, 2)} %", short(error.null.p_value, 2)]
    )


def test_weights_families_and_norm(csv_file, scores):
    found = run(
        "evaluate", csv_file, "--label", "y", "--prob", "p", "--weight", "w", "--family", "beta", "--family", "pava",
        "--norm", "l2", "--format", "json",
    )  # fmt: skip
    errors = json.loads(found.stdout)["estimates"]
    assert [e["family"] for e in errors] == ["beta", "pava"]
    for e in errors:
        expected = fot.calibration_error(scores.y, scores.p, family=e["family"], norm="l2", sample_weight=scores.w)
        assert e["value"] == float(expected)
        assert e["n"] == int((scores.w > 0).sum())


def test_a_norm_may_be_a_quantile(csv_file, scores):
    found = run(
        "evaluate", csv_file, "--label", "y", "--prob", "p", "--family", "platt", "--norm", "q90", "--interval", "none",
        "--format", "json",
    )  # fmt: skip
    (error,) = json.loads(found.stdout)["estimates"]
    assert error["norm"] == "q90"
    assert error["value"] == float(fot.calibration_error(scores.y, scores.p, family="platt", norm="q90"))
    refused = run("evaluate", csv_file, "--label", "y", "--prob", "p", "--norm", "q100")
    assert refused.exit_code == 2
    assert "or a quantile such as 'q90': did you mean 'max', the largest distance?" in " ".join(refused.stderr.split())


def test_json_holds_the_test_based_error(csv_file, scores):
    options = ("--weight", "w", "--family", "identity", "--measure", "tce", "--alpha", "0.1", "--null-draws", "7")
    options += ("--format", "json")
    found = json.loads(run("evaluate", csv_file, "--label", "y", "--prob", "p", *options).stdout)["measures"][
        "tce(alpha=0.1)"
    ]
    expected = fot.tce(scores.y, scores.p, sample_weight=scores.w, alpha=0.1, null_draws=7)
    assert found == json.loads(json.dumps(expected.to_dict()))
    assert (found["unit"], found["if_calibrated"]["draws"]) == ("fraction", 7)


def test_weights_that_count_no_rows_have_no_tce(tmp_path, scores):
    scores.assign(w=scores.w / 2).head(60).to_csv(tmp_path / "half.csv", index=False)
    options = ("--label", "y", "--prob", "p", "--weight", "w", "--family", "platt", "--measure", "tce")
    found = run("evaluate", tmp_path / "half.csv", *options)
    assert "tce" not in found.stdout
    assert "no TCE, because a test counts rows" in found.stderr
    assert json.loads(run("evaluate", tmp_path / "half.csv", *options, "--format", "json").stdout)["measures"] == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--alpha", "5"), "alpha must be a fraction"),
        (("--alpha", "0.1", "--measure", "none"), "--alpha must be left out without --measure tce, got 0.1"),
        (("--alpha", "0.1", "--measure", "ece"), "--alpha must be left out without --measure tce, got 0.1"),
        (("--alpha", "0.1", "--family", "beta"), "--alpha must be left out without --measure tce, got 0.1"),
        (("--null-draws", "9", "--family", "beta"), "--null-draws must be left out without --measure, got 9"),
    ],
)
def test_options_without_an_effect_are_refused(csv_file, options, message):
    found = run("evaluate", csv_file, "--label", "y", "--prob", "p", *options)
    assert found.exit_code == 2
    assert message in found.stderr


@pytest.mark.exhaustive
def test_a_chosen_family_brings_no_other_measure(tmp_path):
    p = np.concatenate((np.linspace(0.01, 0.99, 60), np.ones(60)))  # too heavy a tie for the blocks of the TCE
    pd.DataFrame({"y": np.arange(120) % 3 == 0, "p": p}).to_csv(tmp_path / "ties.csv", index=False)
    options = ("--label", "y", "--prob", "p", "--family", "beta")
    found = run("evaluate", tmp_path / "ties.csv", *options)
    assert (found.exit_code, found.stderr) == (0, "")
    assert "tce" not in found.stdout
    assert "pava_bc" in run("evaluate", tmp_path / "ties.csv", *options, "--measure", "tce").stderr


@pytest.mark.parametrize("command", ["evaluate", "validate", "compare", "check", "report", "plot"])
def test_a_note_is_said_once(tmp_path, command):
    rng = np.random.default_rng(0)
    p = rng.random(60)
    table = pd.DataFrame({"y": (rng.random(60) < p).astype(int), "p": p})
    pd.concat([table] * 3).to_csv(tmp_path / "copies.csv", index=False)
    options = {
        "evaluate": ("--family", "platt"),
        "compare": ("--family", "platt"),
        "check": ("--max-error", "0.1"),
        "report": ("--family", "platt", "--no-compare", "-o", tmp_path / "a.html"),
        "plot": ("-o", tmp_path / "a.svg"),
    }.get(command, ())
    found = run(command, tmp_path / "copies.csv", "--label", "y", "--prob", "p", *options)
    both = " ".join(f"{found.stdout} {found.stderr}".split())
    assert both.count("120 of 180 rows look like copies") == 1
    assert ("look like copies" in found.stderr) == (command in ("report", "plot"))
    if command in ("evaluate", "validate", "check"):
        found = run(command, tmp_path / "copies.csv", "--label", "y", "--prob", "p", *options, "--format", "json")
        assert "look like copies" in found.stdout
        assert found.stderr == ""


def test_families_that_nobody_named_say_nothing_of_their_blocks(tmp_path):
    rng = np.random.default_rng(0)
    p = np.round(rng.random(300))
    pd.DataFrame({"y": (rng.random(300) < 0.2 + 0.6 * p).astype(int), "p": 0.1 + 0.8 * p}).to_csv(
        tmp_path / "ties.csv", index=False
    )
    given = ("evaluate", tmp_path / "ties.csv", "--label", "y", "--prob", "p", "--interval", "none")
    assert "pava_bc: ties are too heavy" in run(*given, "--family", "pava_bc").stderr
    found = run(*given, "--family", "all")
    assert "pava_bc" in found.stdout
    assert "too heavy" not in found.stdout + found.stderr
    assert "too heavy" not in run(*given).stderr


def test_notes_are_in_the_table_and_in_the_json(tmp_path):
    y, p = noisy(60, power=1.0)
    pd.DataFrame({"y": y, "p": p}).to_csv(tmp_path / "calibrated.csv", index=False)
    options = ("--label", "y", "--prob", "p", "--family", "slope1", "--measure", "tce", "--null-draws", "0")
    lines = [
        "slope1: 1 bin: the error is the difference of the means",
        "tce: means little without its null: null_draws=100 draws it",
    ]
    printed = run("evaluate", tmp_path / "calibrated.csv", *options, "--verbose").stdout.splitlines()
    assert [line for line in printed if line in lines] == lines
    assert (
        json.loads(run("evaluate", tmp_path / "calibrated.csv", *options, "--format", "json").stdout)["notes"] == lines
    )


@pytest.mark.exhaustive
def test_csv_output_is_readable_and_exact(csv_file, scores):
    found = run("evaluate", csv_file, "--label", "y", "--prob", "p", "--measure", "tce", "--format", "csv")
    *rows, tce = csv.DictReader(io.StringIO(found.stdout))
    assert (tce["measure"], float(tce["value"])) == ("tce", float(fot.tce(scores.y, scores.p, null_draws=0)))
    for row, expected in zip(rows, fot.evaluate(scores.y, scores.p), strict=True):
        assert row["family"] == expected.family
        assert float(row["value"]) == float(expected)
        assert row["n_bins"] == ("" if expected.n_bins is None else str(expected.n_bins))


def test_names_of_classes_and_odd_column_names(csv_file, scores):
    found = run(
        "evaluate", csv_file, "--label", "name", "--pos-label", "sick", "--prob", 'odd "name"', "--family", "slope1",
        "--format", "json",
    )  # fmt: skip
    assert json.loads(found.stdout)["estimates"][0]["value"] == float(
        fot.calibration_error(scores.y, scores.p, family="slope1")
    )


@pytest.mark.parametrize("spelling", [("yes", "no"), ("true", "false")])
def test_booleans_however_spelt(tmp_path, spelling):
    y, p = noisy(50)
    pd.DataFrame({"y": np.where(y == 1, *spelling), "p": p}).to_csv(tmp_path / "b.csv", index=False)
    options = ("evaluate", tmp_path / "b.csv", "--label", "y", "--prob", "p", "--family", "platt", "--format", "json")
    expected = float(fot.calibration_error(y, p, family="platt"))
    assert json.loads(run(*options).stdout)["estimates"][0]["value"] == expected
    named = run(*options, "--pos-label", spelling[0])
    assert json.loads(named.stdout)["estimates"][0]["value"] == expected
    assert run(*options, "--pos-label", "sick").exit_code == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--label", "y", "--prob", "q"], "--prob must be a column of .*, got 'q'; its columns are"),
        (["--label", "p", "--prob", "y"], "label column 'p' and prob column 'y' look swapped"),
        (["--label", "y", "--prob", "w"], r"prob column 'w' must lie in \[0, 1\], got [123].0 at line"),
        (["--label", "name", "--prob", "p"], "label column 'name' must be labelled 0 and 1, .* got the classes"),
        (["--label", "name", "--prob", "p", "--pos-label", "ill"], "--pos-label must be one of the labels"),
        (["--label", "y", "--prob", "p", "--pos-label", "ill"], "--pos-label must be a number"),
        (["--label", "y", "--prob", "p", "--family", "cubic"], "family must be one of .*; got 'cubic'"),
        (["--label", "y", "--prob", "name"], "prob column 'name' must hold real numbers"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(csv_file, options, message):
    result = run("evaluate", csv_file, *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("Error: ")
    with pytest.raises(ValueError, match=message):
        raise ValueError(result.stderr)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("none.csv", None, "FILE must be an existing file, got"),
        (
            "scores.txt",
            "a",
            "FILE must end in one of .csv, .tsv, .jsonl, .ndjson, .parquet, .pq, .npz, .xlsx, or .* and .gz",
        ),
        ("scores.xlsx", "a", "FILE must be read(able| by openpyxl)"),
        ("broken.parquet", "not parquet", "FILE must be readable as parquet"),
        ("many[1].parquet", "y,p\n1,0.5\n", r"FILE must be readable as parquet, got \S*many\[1\]\.parquet"),
        ("empty.csv", "y,p\n", "FILE must have rows, got .*empty.csv, which has no rows below its header"),
        ("gaps.csv", "y,p\n1,0.5\n0,\n1,NA\n", "prob column 'p' must not have missing values .*, got 2"),
        ("nan.csv", "y,p\n1,0.5\n0,nan\n", "prob column 'p' must be finite, got nan at line 3"),
        ("three.csv", "y,p\n0,0.5\n1,0.4\n2,0.3\n", "label column 'y' must have at most two classes, got 3: 0, 1, 2"),
    ],
)
def test_bad_files(tmp_path, name, content, message):
    if content is not None:
        (tmp_path / name).write_text(content)
    result = run("evaluate", tmp_path / name, "--label", "y", "--prob", "p")
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    with pytest.raises(ValueError, match=message):
        raise ValueError(result.stderr)


def test_wrong_options_end_with_exit_code_2(csv_file):
    assert run("evaluate", csv_file, "--label", "y").exit_code == 2
    assert run("evaluate", csv_file, "--label", "y", "--prob", "p", "--norm", "l3").exit_code == 2
    assert run("nothing").exit_code == 2


def test_warnings_become_notes_on_standard_error(tmp_path):
    p = np.concatenate((np.linspace(0.01, 0.99, 60), np.ones(60)))
    pd.DataFrame({"y": np.arange(120) % 3 == 0, "p": p}).to_csv(tmp_path / "ties.csv", index=False)
    result = run("evaluate", tmp_path / "ties.csv", "--label", "y", "--prob", "p", "--family", "pava_bc")
    assert result.exit_code == 0
    assert result.stderr.startswith("Note: pava_bc: ties are too heavy for the default n_max")
    assert "Note" not in result.stdout


@pytest.mark.exhaustive
def test_demo_shows_two_classifiers_and_draws_them(tmp_path, monkeypatch):
    monkeypatch.setattr(
        demo, "_scored_classifiers", lambda: [(name, fot.ScoreSample(*noisy(80))) for name in CLASSIFIERS]
    )
    result = run("demo", "-o", tmp_path / "figures")
    assert result.exit_code == 0
    written = sorted((tmp_path / "figures").iterdir())
    assert [path.name.split("_")[-1] for path in written] == ["reliability.png"] * 2
    assert len(result.stdout.splitlines()) <= 40
    for name, sample in zip(CLASSIFIERS, [fot.ScoreSample(*noisy(80))] * 2, strict=True):
        assert f"{name}\n{fot.evaluate(sample)}\n" in result.stdout
    for path in written:
        assert str(path) in result.stdout
        assert path.read_bytes().startswith(b"\x89PNG")
    assert "fitontest report scores.csv" in result.stdout


@pytest.mark.exhaustive
def test_the_classifiers_of_the_demo():
    scored = dict(demo._scored_classifiers())
    assert [*scored] == CLASSIFIERS
    for sample in scored.values():
        assert (sample.n, round(sample.base_rate, 4)) == (1797, 0.5042)


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")])
def test_plot_writes_a_picture(csv_file, tmp_path, name, start):
    result = run("plot", csv_file, "--label", "y", "--prob", "p", "-o", tmp_path / name)
    assert result.stdout == f"Wrote {tmp_path / name}\n"
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.exhaustive
@pytest.mark.parametrize("file", ["scores.csv", "scores.parquet"], indirect=True)
def test_plot_draws_what_the_library_draws(file, tmp_path, scores):
    assert run("plot", file, "--label", "y", "--prob", "p", "-o", tmp_path / "plain.svg").exit_code == 0
    display = fot.ReliabilityDisplay.from_predictions(scores.y, scores.p, name="p", ax=Figure(layout="constrained"))
    display.plot(create_figure(display.size)).save(tmp_path / "mine.svg")
    assert (tmp_path / "plain.svg").read_bytes() == (tmp_path / "mine.svg").read_bytes()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--family", "all"), "pl3"),
        (
            (
                "--family",
                "beta",
                "--family",
                "isotonic",
                "--scale",
                "logit",
                "--band",
                "consistency",
                "--band-draws",
                "3",
            ),
            "line: fitted curve",
        ),
        (("--family", "platt", "--band", "simultaneous", "--band-draws", "20"), "band: 95 % CI at all scores at once"),
        (("--kind", "tce", "--partition", "equal_mass", "--scale", "logit"), "p: TCE "),
        (("--weight", "w", "--pos-label", "1", "--name", "mine"), "mine"),
    ],
)
def test_options_of_plot(csv_file, tmp_path, options, text):
    with rc_context({"svg.fonttype": "none"}):  # texts as texts
        result = run("plot", csv_file, "--label", "y", "--prob", "p", "-o", tmp_path / "a.svg", *options)
    assert result.exit_code == 0
    picture = (tmp_path / "a.svg").read_text()
    assert f">{text}" in picture
    assert (">identity" in picture) is False


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-o", "a.gif"), "the ending of --output must be one of '.svg', '.pdf', '.png'; got '.gif'"),
        (("-o", "nowhere/a.png"), "--output must be in a folder that exists, got 'nowhere/a.png'"),
        (("-o", "a.png", "--family", "betta"), "betta"),
        (("-o", "a.png", "--kind", "tce", "--partition", "x"), "partition must be"),
        (("-o", "a.png", "--family", "all", "--family", "nope"), "'nope'"),
        (
            ("-o", "a.png", "--kind", "tce", "--family", "beta"),
            "--family must be left out unless --kind is reliability",
        ),
        (("-o", "a.png", "--kind", "tce", "--band-draws", "5"), "--band-draws must be left out unless"),
        (("-o", "a.png", "--kind", "tce", "--band", "confidence"), "--band must be left out unless"),
        (("-o", "a.png", "--band", "confidence", "--band-draws", "5"), "--band-draws must be at least 20 for a confid"),
        (("-o", "a.png", "--partition", "pava"), "--partition must be left out unless --kind is tce, got pava"),
        (("-o", "a.png", "--alpha", "0.1"), "--alpha must be left out unless --kind is tce, got 0.1"),
    ],
)
def test_plot_refuses(csv_file, options, message):
    result = run("plot", csv_file, "--label", "y", "--prob", "p", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.exhaustive
def test_as_a_command_and_a_module(csv_file):
    command = [sys.executable, "-m", "fitontest", "evaluate", str(csv_file), "--label", "y", "--prob", "p"]
    command += ["--family", "platt"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.startswith("Underconfident, and scores too high. n = 300, 44 % events.")
    assert "families" not in found.stderr  # no progress bar in a pipe
    assert fot.__version__ in run("--version").stdout


def test_without_the_extra_it_says_what_to_install(tmp_path):
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError(\"No module named 'click'\", name='click')\n")
    code = "import runpy, sys; sys.argv = ['fitontest']; runpy.run_module('fitontest', run_name='__main__')"
    found = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode != 0
    assert "pip install 'fitontest[cli]'" in found.stderr


def test_a_column_that_turns_decimal_far_down_is_not_rounded(tmp_path):
    rng = np.random.default_rng(0)
    p = np.concatenate(((np.arange(30_000) % 2).astype(float), np.round(rng.random(5_000), 4)))
    y = (rng.random(p.size) < p).astype(int)
    lines = [f"{label},{score:g}" for label, score in zip(y, p, strict=True)]
    (tmp_path / "late.csv").write_text("\n".join(["y,p", *lines]) + "\n")
    options = ("--label", "y", "--prob", "p", "--family", "flat", "--interval", "none", "--format", "json")
    found = json.loads(run("evaluate", tmp_path / "late.csv", *options).stdout)["estimates"][0]
    assert found["value"] == float(fot.calibration_error(y, p, family="flat"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--level", "2"], "--level must be a number in [0.5, 1)"),
        (["--by", "p"], "distinct numbers in 60 rows; group numbers first\n"),
        (["--reduction", "confidence"], "must be several columns, one for each class, where --reduction is given"),
    ],
)
def test_messages_speak_of_options(tmp_path, options, message):
    p = np.linspace(0.01, 0.99, 60)
    pd.DataFrame({"y": np.arange(60) % 2, "p": p}).to_csv(tmp_path / "s.csv", index=False)
    result = run("evaluate", tmp_path / "s.csv", "--label", "y", "--prob", "p", *options)
    assert result.exit_code == 2
    assert message in result.stderr
