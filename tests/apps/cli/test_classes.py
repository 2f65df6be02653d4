"""The command line for scores of several classes."""

import csv
import io
import json

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import fitontest as fot
from fitontest.displays.canvas import create_figure
from fitontest.measures.plug_in import PlugIn
from fitontest.results.text import short
from fitontest.uncertainty.redrawing import Redrawing
from tests.apps.cli import printed
from tests.apps.cli.test_evaluate_and_plot import run

pytestmark = pytest.mark.multiplies

PROBS = ("a", "b", "c")
GIVEN = tuple(word for prob in PROBS for word in ("--prob", prob))
NAMED = (*GIVEN, "--labels", "cat,dog,eel")


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 2, 3], 300)
    codes = (rng.random(300)[:, None] > np.cumsum(p, axis=1)[:, :2]).sum(axis=1)
    names = np.array(["cat", "dog", "eel"])
    table = {"y": names[codes], "code": codes, "abc": np.array(PROBS)[codes], "w": rng.integers(0, 3, 300)}
    return pd.DataFrame({**table, "half": table["w"] / 2, "two": codes > 0, **dict(zip(PROBS, p.T, strict=True))})


@pytest.fixture(scope="module", params=["scores.csv", "scores.parquet"])
def file(request, tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("classes") / request.param
    if path.suffix == ".parquet":
        scores.to_parquet(path)
    else:
        scores.to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def csv_file(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("classes") / "scores.csv"
    scores.to_csv(path, index=False)
    return path


def matrix(scores):
    return scores[list(PROBS)].to_numpy()


FAMILIES = ("--family", "isotonic", "--family", "platt", "--measure", "tce")


@pytest.mark.exhaustive
def test_confidence_prints_the_table_of_the_library(file, scores):
    found = run(
        "evaluate", file, "--label", "y", *NAMED, "--reduction", "confidence", *FAMILIES, "--weight", "w", "--verbose"
    )
    assert (found.exit_code, found.stderr) == (0, "")
    verdict, table, tce = found.stdout.rstrip("\n").split("\n\n")
    options = {"reduction": "confidence", "sample_weight": scores.w}
    expected = fot.evaluate(scores.y, matrix(scores), families=["isotonic", "platt"], **options)
    assert f"{verdict}\n\n{table}" == str(expected.table())
    error = fot.tce(scores.y, matrix(scores), null_draws=100, **options)
    header, _, row, note = tce.splitlines()
    assert note == "p-value: from 100 draws of the labels, so at least 0.0099."
    assert header.split() == ["measure", "value", "bins", "if", "calibrated", "s.d.", "p-value"]
    values = ["tce", error.measure.printed(error.value), str(error.n_bins), error.measure.printed(error.null.mean)]
    assert " ".join(row.split()).startswith(" ".join(values))


def test_classwise_prints_the_means(file, scores):
    quick = ("--reduction", "classwise", *FAMILIES, "--null-draws", "3", "--interval", "none")
    found = run("evaluate", file, "--label", "code", *GIVEN, *quick)
    assert (found.exit_code, found.stderr) == (0, "")
    table, tce = found.stdout.rstrip("\n").split("\n\n")
    options = {"reduction": "classwise"}
    families = {"families": ["isotonic", "platt"], "interval": None}
    assert table == str(fot.evaluate(scores.code, matrix(scores), **families, **options))
    error = fot.tce(scores.code, matrix(scores), null_draws=3, **options)
    row = tce.splitlines()[-1]
    assert " ".join(row.split()).startswith(f"tce {short(100 * float(error))} % ")
    worst = max(error.classes, key=lambda label: float(error[label]))
    null = np.mean([each.null.mean for each in error.classes.values()])
    assert " ".join(row.split()).endswith(f"{short(100 * float(error[worst]))} % {worst} {short(100 * null)} %")


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:slope1, class")  # whose data choose a single bin
def test_classes_have_the_verdicts_of_python(csv_file, scores):
    options = ("--label", "code", *GIVEN, "--reduction", "classwise")
    expected = fot.evaluate(scores.code, matrix(scores), reduction="classwise")
    assert run("evaluate", csv_file, *options).stdout == printed(expected)
    read = json.loads(run("evaluate", csv_file, *options, "--format", "json").stdout)
    assert [one["verdict"]["p_value"] for one in read["classes"]] == [
        verdict.p_value for verdict in expected.class_verdicts.verdicts.values()
    ]
    assert all({"debiased", "low", "high", "null_mean"} <= one["estimates"][0].keys() for one in read["classes"])


def test_json_and_csv_of_the_classes(csv_file, scores):
    quick = ("--null-draws", "0", "--interval", "none", "--format")
    options = ("--label", "code", *GIVEN, "--reduction", "classwise", *FAMILIES, *quick)
    chosen = {"families": ["isotonic", "platt"], "interval": None}
    expected = fot.evaluate(scores.code, matrix(scores), reduction="classwise", **chosen)
    read = json.loads(run("evaluate", csv_file, *options, "json").stdout)
    tce = read.pop("measures")["tce"]
    error = fot.tce(scores.code, matrix(scores), reduction="classwise", null_draws=0)
    assert read.pop("means") == {**expected.means, "tce": float(error)}
    assert read.pop("notes") == ["tce: means little without its null: null_draws=100 draws it"]
    facts = {key: value for key, value in expected.to_dict().items() if key not in ("means", "notes")}
    assert read == json.loads(json.dumps(facts))
    assert tce == json.loads(json.dumps(error.to_dict()))
    rows = list(csv.DictReader(io.StringIO(run("evaluate", csv_file, *options, "csv").stdout)))
    rejected = [float(row["value"]) for row in rows if row["measure"] == "tce"]
    assert rejected == [float(each) for each in error.classes.values()]
    rows = [row for row in rows if row["measure"] != "tce"]
    assert [(row["class"], row["family"], float(row["value"])) for row in rows] == [
        (str(row["class"]), row["family"], row["value"]) for row in expected.rows()
    ]


def test_json_of_the_confidence(csv_file, scores):
    options = ("--label", "y", *NAMED, "--reduction", "confidence", "--family", "platt")
    options += ("--measure", "tce", "--null-draws", "1", "--format", "json")
    read = json.loads(run("evaluate", csv_file, *options).stdout)
    assert (read["reduction"], read["measures"]["tce"]["reduction"]) == ("confidence", "confidence")
    expected = fot.calibration_error(scores.y, matrix(scores), family="platt", reduction="confidence")
    assert read["estimates"][0]["value"] == float(expected)


@pytest.mark.parametrize(
    ("label", "positive"), [("two", ()), ("two", ("--pos-label", "true")), ("two", ("--pos-label", "false"))]
)
def test_binary_reads_the_column_of_the_positive_class(csv_file, scores, label, positive):
    options = ("--label", label, "--prob", "a", "--prob", "b", "--reduction", "binary", *positive, "--family", "platt")
    read = json.loads(run("evaluate", csv_file, *options, "--format", "json").stdout)
    turned = positive[1:] == ("false",)
    expected = fot.calibration_error(scores.two != turned, scores.a if turned else scores.b, family="platt")
    assert read["estimates"][0]["value"] == float(expected)
    assert read["reduction"] == "binary"


@pytest.mark.exhaustive
def test_one_label_of_several_is_held_against_the_rest(csv_file, scores, tmp_path):
    options = ("--label", "y", "--prob", "c", "--pos-label", "eel")
    found = run("evaluate", csv_file, *options, "--family", "platt")
    note = "labels are of more than two classes: 'eel' is positive, all others are the rest"
    expected = str(fot.evaluate(scores.y == "eel", scores.c, families=["platt"]))
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.splitlines()[:4] == expected.splitlines()[:4]
    assert note in found.stdout.splitlines()
    for command in ("validate", "compare"):
        assert note[1:] in " ".join(run(command, csv_file, *options).stdout.split())
    assert run("plot", csv_file, *options, "-o", tmp_path / "eel.svg").exit_code == 0
    unknown = run("evaluate", csv_file, *options[:-1], "eal")
    assert "pos-label must be one of the labels in label column 'y', ['cat', 'dog', 'eel']" in unknown.stderr


def test_classes_name_the_columns(csv_file, scores):
    turned = ("--prob", "c", "--prob", "a", "--prob", "b")
    options = ("--reduction", "confidence", "--family", "platt", "--interval", "none", "--format", "json")
    for label, classes in (("y", "eel,cat,dog"), ("code", "2, 0, 1"), ("y", '"eel", cat,dog')):
        found = run("evaluate", csv_file, "--label", label, *turned, "--labels", classes, *options)
        expected = fot.calibration_error(scores.y, matrix(scores), family="platt", reduction="confidence")
        assert json.loads(found.stdout)["estimates"][0]["value"] == float(expected)
    contradicted = run("evaluate", csv_file, "--label", "abc", *turned, "--labels", "a,b,c", *options)
    assert contradicted.exit_code == 2
    assert (
        "--prob must have its columns in the order of the classes, ['a', 'b', 'c'], got ['c', 'a', 'b']"
        in contradicted.stderr
    )
    named = run("evaluate", csv_file, "--label", "abc", *turned, "--labels", "c,a,b", *options)
    assert json.loads(named.stdout)["estimates"][0]["value"] == float(expected)
    by_name = run("evaluate", csv_file, "--label", "abc", *turned, *options)
    assert by_name.stdout == named.stdout
    assert by_name.stderr == (
        "Note: the columns of --prob are read by their names: 'c' is class 'c', 'a' is class 'a', 'b' is class 'b'\n"
    )


def test_texts_that_the_columns_are_not_called_after_need_classes(file):
    found = run("evaluate", file, "--label", "y", *GIVEN, "--reduction", "confidence", "--family", "platt")
    assert found.exit_code == 2
    assert "unless --labels says which class each is of; got the columns ['a', 'b', 'c'] and" in found.stderr
    numbers = run("evaluate", file, "--label", "code", *GIVEN, "--reduction", "confidence", "--family", "platt")
    assert (numbers.exit_code, numbers.stderr) == (0, "")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_columns_are_read_by_their_names(tmp_path, scores, ending):
    named = scores.rename(columns={"a": "p_cat", "b": "p_dog", "c": "p_eel"})
    path = tmp_path / f"scores.{ending}"
    named.to_csv(path, index=False) if ending == "csv" else named.to_parquet(path)
    columns = ("--prob", "p_eel", "--prob", "p_cat", "--prob", "p_dog")
    note = "'p_eel' is class 'eel', 'p_cat' is class 'cat', 'p_dog' is class 'dog'"
    for reduction in ("confidence", "classwise", "canonical"):
        options = ("--reduction", reduction, "--format", "json", "--family", "temperature", "--interval", "none")
        found = run("evaluate", path, "--label", "y", *columns, *options)
        right = run("evaluate", path, "--label", "y", *columns, *options, "--labels", "eel,cat,dog")
        assert (found.exit_code, found.stdout) == (0, right.stdout)
        assert found.stderr == f"Note: the columns of --prob are read by their names: {note}\n" + right.stderr
    if ending == "parquet":
        cells = run("evaluate", path, "--label", "y", *columns, *options[:1], "confidence", "--cells", "always")
        assert (cells.exit_code, cells.stderr.count(note)) == (0, 1)
        turned = ("--labels", "cat,dog,eel", "--cells", "always", "--reduction", "confidence")
        refused = run("evaluate", path, "--label", "y", *columns, *turned)
        assert "prob must have its columns in the order of the classes" in refused.stderr


@pytest.mark.exhaustive
def test_weights_that_count_no_rows_have_no_tce(csv_file):
    options = ("--label", "y", *NAMED, "--weight", "half", "--family", "platt", "--measure", "tce", "--reduction")
    for reduction in ("confidence", "classwise"):
        found = run("evaluate", csv_file, *options, reduction)
        assert "TCE" not in found.stdout
        assert found.stderr.count("no TCE, because a test counts rows") == 1


REFUSED = [
    (
        GIVEN,
        "--prob must be one column of scores unless --reduction is given, got 3 columns. --reduction='confidence':",
    ),
    (("--prob", "a", "--reduction", "confidence"), "prob column 'a' must be several columns, one for each class"),
    ((*NAMED, "--reduction", "binary", "--pos-label", "cat"), "--prob must have exactly two columns"),
    (
        (*GIVEN, "--reduction", "confidence", "--pos-label", "cat"),
        "--pos-label must be None with --reduction='confidence'",
    ),
    (
        (*GIVEN, "--reduction", "classwise", "--labels", "cat,dog"),
        "--labels must list every class in label column 'y'",
    ),
    ((*GIVEN, "--reduction", "classwise", "--labels", "cat,dog,eel,fox"), "3 columns and 4 classes in --labels"),
    (("--prob", "a", "--prob", "b", "--reduction", "classwise"), "name the classes of the columns by --labels"),
    (("--prob", "a", "--prob", "a", "--reduction", "confidence"), "--prob must name every column once, got a, a"),
    (("--prob", "a", "--prob", "q", "--reduction", "confidence"), "--prob q must be a column of"),
    (("--prob", "a", "--prob", "code", "--reduction", "confidence"), "prob column 'code' must lie in [0, 1], got 2"),
    (("--prob", "a", "--prob", "y", "--reduction", "confidence"), "prob column 'y' must hold real numbers"),
    (("--prob", "a", "--labels", "cat,dog"), "--labels must be left out unless --reduction is given"),
]


@pytest.mark.parametrize("command", ["evaluate", "plot"])
@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_wrong_combinations_are_one_line(csv_file, tmp_path, command, options, message):
    output = ("-o", tmp_path / "a.png") if command == "plot" else ()
    found = run(command, csv_file, "--label", "y", *options, *output)
    assert found.exit_code == 2
    assert found.stdout == ""
    assert found.stderr.count("\n") == 1
    assert message in found.stderr


def test_missing_probabilities_are_refused(tmp_path, scores):
    scores.assign(b=scores.b.where(scores.index != 7)).to_csv(tmp_path / "holes.csv", index=False)
    found = run("evaluate", tmp_path / "holes.csv", "--label", "y", *GIVEN, "--reduction", "confidence")
    assert found.exit_code == 2
    assert "must not have missing values (None, NaN or NA), got 1, the first at line 9 (the header" in found.stderr


@pytest.mark.exhaustive
def test_plot_of_the_confidence(csv_file, tmp_path, scores):
    options = ("--label", "y", *NAMED, "--reduction", "confidence", "--name", "model")
    assert run("plot", csv_file, *options, "-o", tmp_path / "a.svg").exit_code == 0
    display = fot.ReliabilityDisplay.from_predictions(
        scores.y, matrix(scores), reduction="confidence", name="model", ax=Figure()
    )
    display.plot(create_figure(display.size)).save(tmp_path / "mine.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "mine.svg").read_bytes()
    found = run("plot", csv_file, *options, "--kind", "tce", "-o", tmp_path / "tce.svg")
    assert found.stdout == f"Wrote {tmp_path / 'tce.svg'}\n"


@pytest.mark.exhaustive
def test_plot_of_the_classes(csv_file, tmp_path, scores):
    options = ("--label", "y", *NAMED, "--reduction", "classwise", "--family", "beta", "-o", tmp_path / "a.svg")
    assert run("plot", csv_file, *options, "--scale", "logit").exit_code == 0
    samples = fot.read(scores.y, matrix(scores), reduction="classwise")
    mine = fot.ReliabilityDisplay.of_classes(samples, PlugIn("beta"), Redrawing(random_state=0), scale="logit")
    mine.save(tmp_path / "mine.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "mine.svg").read_bytes()
    banded = run("plot", csv_file, *options, "--band-draws", "20")
    assert banded.exit_code == 0
    assert (tmp_path / "a.svg").read_bytes() != (tmp_path / "mine.svg").read_bytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ("--family", "beta", "--family", "platt"),
            "--family must be one family with --reduction classwise, got beta, platt",
        ),
        (("--family", "all"), "--family must be one family with --reduction classwise, got all"),
        (("--family", "betta"), "betta"),
        (("--kind", "tce"), "--reduction must be confidence or binary with --kind tce, got classwise"),
    ],
)
def test_plot_of_the_classes_refuses(csv_file, tmp_path, options, message):
    found = run(
        "plot", csv_file, "--label", "y", *GIVEN, "--reduction", "classwise", *options, "-o", tmp_path / "a.png"
    )
    assert found.exit_code == 2
    assert message in found.stderr
    assert found.stderr.count("\n") == 1


WHOLE = (*NAMED, "--reduction", "canonical")


def test_whole_distributions_print_the_table_of_the_library(file, scores):
    found = run("evaluate", file, "--label", "y", *WHOLE, "--weight", "w", "--null-draws", "0")
    assert (found.exit_code, found.stderr) == (0, "")
    expected = fot.evaluate(scores.y, matrix(scores), reduction="canonical", sample_weight=scores.w)
    assert found.stdout == printed(expected)


def test_whole_distributions_with_nulls_and_an_interval(csv_file, scores):
    chosen = ("--family", "temperature", "--measure", "simplex_ece", "--measure", "canonical_kernel")
    found = run(
        "evaluate",
        csv_file,
        "--label",
        "y",
        *WHOLE,
        *chosen,
        "--interval",
        "always",
        "--level",
        "0.9",
        "--format",
        "json",
    )
    assert (found.exit_code, found.stderr) == (0, "")
    table = json.loads(found.stdout)
    assert table["reduction"] == "canonical"
    assert [one["family"] for one in table["estimates"]] == ["temperature"]
    assert "of plug-in errors held the true one in" in table["estimates"][0]["interval_reason"]
    ece, kernel = table["measures"]["simplex_ece"], table["measures"]["canonical_kernel"]
    expected = fot.gce(scores.y, matrix(scores), reduction="canonical", interval="always", level=0.9, null_draws=100)
    assert ece["interval"] == expected.to_dict()["interval"]
    assert ece["if_calibrated"]["mean"] == expected.null.mean
    assert "is not defined" in kernel["interval_reason"]


def test_the_proper_error_has_a_null_where_one_is_asked_for(csv_file):
    options = ("--label", "y", *WHOLE, "--family", "identity", "--measure", "proper_error", "--format", "json")
    found = json.loads(run("evaluate", csv_file, *options).stdout)["measures"]["proper_error"]
    assert found["if_calibrated"] is None
    assert found["standard_error"] > 0
    found = json.loads(run("evaluate", csv_file, *options, "--null-draws", "2").stdout)["measures"]["proper_error"]
    assert found["if_calibrated"]["draws"] == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--measure", "tce"), "must be one of all classes at once with --reduction canonical"),
        (("--pos-label", "cat"), "--pos-label must be None with --reduction='canonical', got 'cat'"),
        (("--labels", "cat,dog,fox"), "--labels must list every class in label column 'y'"),
        (("--alpha", "0.1"), "--alpha must be left out without --measure tce"),
        (("--measure", "none", "--null-draws", "3"), "--null-draws must be left out without --measure, got 3"),
    ],
)
def test_refusals_of_whole_distributions(csv_file, options, message):
    columns = [*WHOLE]
    if "--labels" in options:
        del columns[columns.index("--labels") : columns.index("--labels") + 2]
    found = run("evaluate", csv_file, "--label", "y", *columns, *options)
    assert found.exit_code == 2
    assert message in found.stderr


@pytest.mark.exhaustive
def test_columns_in_another_order_and_repeated_rows_are_noted(tmp_path, scores):
    given = (*GIVEN, "--label", "code", "--reduction", "confidence")
    turned = scores.rename(columns={"a": "b", "b": "c", "c": "a"})
    turned.to_csv(tmp_path / "turned.csv", index=False)
    found = run("evaluate", tmp_path / "turned.csv", *given, "--family", "platt")
    assert found.stderr.count("Note: another order of the columns of --prob is far more accurate (") == 1
    assert "of [2, 0, 1]; name the class of each column by --labels" in found.stderr
    pd.concat([scores] * 3).to_csv(tmp_path / "joined.csv", index=False)
    for command in (
        ("evaluate",),
        ("check", "--max-error", "0.1"),
        ("report", "--no-compare", "-o", tmp_path / "a.html"),
    ):
        found = run(command[0], tmp_path / "joined.csv", *given, "--family", "platt", *command[1:])
        told = " ".join(f"{found.stdout} {found.stderr}".split())
        assert told.count("600 of 900 rows look like copies") == 1
