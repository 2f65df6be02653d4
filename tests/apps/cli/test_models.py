"""Several --prob columns without --reduction: several models for the same rows."""

import json

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from tests.apps.cli.test_evaluate_and_plot import run

pytestmark = pytest.mark.multiplies

GIVEN = ("--label", "y", "--prob", "old", "--prob", "new")


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    y = (rng.random(300) < p).astype(int)
    return pd.DataFrame({"y": y, "old": p**2, "new": p, "rest": 1 - p, "three": rng.permutation(300) % 3})


@pytest.fixture(scope="module")
def file(tmp_path_factory, scores):
    path = tmp_path_factory.mktemp("models") / "scores.csv"
    scores.to_csv(path, index=False)
    return path


def models_of(scores):
    return {"old": scores.old, "new": scores.new}


@pytest.mark.exhaustive
def test_evaluate_prints_the_models_of_python(file, scores):
    families = ["spline", "platt"]
    found = run("evaluate", file, *GIVEN, *(word for family in families for word in ("--family", family)))
    assert (found.exit_code, found.stderr) == (0, "")
    expected = str(fot.evaluate(scores.y, models_of(scores), families=families))
    assert found.stdout == f"{expected.replace('.table(), .explain(), .plot()', '--verbose')}\n"
    assert found.stdout.startswith("Calibration is rejected for old; not rejected for new.")


@pytest.mark.exhaustive
def test_other_measures_of_the_models_follow(file, scores):
    options = ("--family", "platt", "--measure", "ece", "--null-draws", "5")
    printed = run("evaluate", file, *GIVEN, *options).stdout.split("\n\n")[-1].split()
    errors = [fot.ece(scores.y, p, null_draws=0) for p in models_of(scores).values()]
    shown = [error.measure.printed(float(error)) for error in errors]
    assert [word for word in printed if set(word) != {"-"}] == [
        *("model", "ece", "old", shown[0], "new", shown[1]),
        *("More:", "--verbose"),
    ]
    read = json.loads(run("evaluate", file, *GIVEN, *options, "--format", "json").stdout)["models"]
    assert [one["model"] for one in read] == ["old", "new"]
    assert [one["measures"]["ece"]["value"] for one in read] == [float(error) for error in errors]
    expected = fot.evaluate(scores.y, models_of(scores), families=["platt"])
    assert [one["estimates"][0]["value"] for one in read] == [float(expected[name]["platt"]) for name in expected]
    verbose = run("evaluate", file, *GIVEN, *options, "--verbose").stdout
    assert all(f"{name}: calibration error (l1), n = 300" in verbose for name in expected)


def test_plot_draws_the_models(file, scores, tmp_path):
    found = run("plot", file, *GIVEN, "--family", "platt", "-o", tmp_path / "a.svg")
    assert found.stdout == f"Wrote {tmp_path / 'a.svg'}\n"
    samples = fot.evaluate(scores.y, models_of(scores), families=["platt"])
    panels = [(name, samples[name]["platt"], samples[name].sample) for name in samples]
    verdicts = {name: samples[name].verdict for name in samples}
    fot.ReliabilityDisplay.of_models(panels, verdicts=verdicts).save(tmp_path / "mine.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "mine.svg").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evaluate", "--prob", "old", "--prob", "new", "--by", "three"), "--by must be left out with several models"),
        (("evaluate", "--prob", "old", "--prob", "old"), "--prob must name every column once, got old, old"),
        (("evaluate", "--prob", "new", "--prob", "rest"), "got new, rest, which add up to 1 in each row"),
        (
            ("validate", "--prob", "new", "--prob", "rest"),
            "unless --reduction says how the columns of classes",
        ),
        (("plot", "--prob", "new", "--prob", "rest"), "which add up to 1 in each row"),
        (("plot", "--prob", "old", "--prob", "new", "--kind", "tce"), "--prob must be one column with --kind tce"),
        (
            ("plot", "--prob", "old", "--prob", "new", "--family", "all"),
            "--family must be one family with several models, got all",
        ),
        (("compare", "--prob", "old", "--prob", "new"), "evaluate takes several models"),
    ],
)
def test_what_several_models_refuse(file, tmp_path, words, message):
    command, *options = words
    output = ("-o", tmp_path / "a.svg") if command == "plot" else ()
    found = run(command, file, "--label", "y", *options, *output)
    assert (found.exit_code, found.stdout) == (2, "")
    assert message in found.stderr
    assert found.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["evaluate", "validate", "plot", "compare"])
def test_labels_of_several_classes_need_a_reduction(file, tmp_path, command):
    output = ("-o", tmp_path / "a.svg") if command == "plot" else ()
    found = run(command, file, "--label", "three", "--prob", "old", "--prob", "new", *output)
    assert (found.exit_code, found.stdout) == (2, "")
    assert "--reduction" in found.stderr
    assert found.stderr.count("\n") == 1
