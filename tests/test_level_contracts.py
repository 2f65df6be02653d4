"""`level` is coverage and `interval` a word, at every public door: Python's and the command line's."""

import inspect
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import fitontest as fot
from fitontest.apps.cli.main import COMMANDS, main
from fitontest.uncertainty.options import Redraws

SOURCE = Path(fot.__file__).parent
FACES = sorted(".".join(("fitontest", *face.parent.relative_to(SOURCE).parts)) for face in SOURCE.rglob("__init__.pyi"))
RESULTS = {"Validation"}  # made by functions that check the level
BAD_LEVELS = (0.05, 0.4, 1.0)

RNG = np.random.default_rng(0)
P = RNG.random(200)
Y = (RNG.random(200) < P).astype(int)
X = {"age": np.arange(200) % 50}


def doors(option):
    """Return the public functions, classes and methods that take an option with a default, by how users call them."""
    found = {}
    for face in map(import_module, FACES):
        for name in face.__all__:
            thing = getattr(face, name)
            found |= {name: thing} if callable(thing) else {}
            if inspect.isclass(thing):
                methods = {key: getattr(thing, key) for key in dir(thing) if not key.startswith("_")}
                found |= {f"{name}.{key}": method for key, method in methods.items() if callable(method)}
    return {name: door for name, door in found.items() if name not in RESULTS and _default(door, option)}


def _default(door, option):
    """Return whether a door has the option with a default; hooks that get it from a door have none."""
    try:
        parameters = inspect.signature(door).parameters
    except ValueError:  # of built-in types
        return False
    return option in parameters and parameters[option].default is not inspect.Parameter.empty


LEVEL_DOORS, INTERVAL_DOORS = doors("level"), doors("interval")


CALLS = {  # of doors that take more, or other things, than labels and scores
    "measure": lambda level: fot.measure(Y, P, "brier", level=level),
    "compare_errors": lambda level: fot.compare_errors(Y, {"one": P, "other": P**1.1}, level=level),
    "check_calibration": lambda level: fot.check_calibration(Y, P, max_error=0.1, level=level),
    "decision_curve": lambda level: fot.risk.decision_curve(Y, P, thresholds=[0.2], level=level),
    "DecisionCurve.of": lambda level: fot.risk.DecisionCurve.of({"p": fot.read(Y, P)}, [0.2], level=level),
    "find_segments": lambda level: fot.segments.find_segments(Y, P, X, level=level),
    "CertifiedOffsets": lambda level: fot.segments.CertifiedOffsets(level=level).fit(X, Y, scores=P),
    "Monitor": lambda level: fot.monitor.Monitor(level=level),
}


def test_the_doors_are_found():
    assert {"evaluate", "calibration_error", "gce", "ece", "measure", "report", "check_calibration"} <= {*LEVEL_DOORS}
    assert {"validate", "decision_curve", "find_segments", "CertifiedOffsets", "Monitor"} <= {*LEVEL_DOORS}
    assert {"ReliabilityDisplay.from_predictions"} <= {*LEVEL_DOORS}
    assert {"evaluate", "calibration_error", "gce", "ece", "measure"} <= {*INTERVAL_DOORS}
    assert {*CALLS} <= {*LEVEL_DOORS}


@pytest.mark.parametrize("level", BAD_LEVELS)
@pytest.mark.parametrize("name", LEVEL_DOORS)
def test_every_level_is_coverage(name, level):
    call = CALLS.get(name, lambda level: LEVEL_DOORS[name](Y, P, level=level))
    with pytest.raises(ValueError, match=r"^level must be a number in \[0\.5, 1\) such as 0\.95, got ") as refusal:
        call(level)
    assert ("level is coverage: write" in str(refusal.value)) is (level < 0.5)


@pytest.mark.parametrize("name", LEVEL_DOORS)
def test_every_level_is_095_unless_it_is_of_the_band_of_a_diagram(name):
    default = inspect.signature(LEVEL_DOORS[name]).parameters["level"].default
    assert default == 0.95


def test_doors_without_a_signature_refuse_it_too(tmp_path):
    with pytest.raises(ValueError, match=r"^level must be .* level is coverage: write \.95"):
        fot.assert_calibrated(Y, P, max_error=0.1, level=0.05)
    with pytest.raises(ValueError, match=r"^level must be .* level is coverage: write \.95"):
        fot.monitor.Monitor.updating(tmp_path / "state.json", level=0.05).__enter__()
    with pytest.raises(ValueError, match=r"^band_level must be .* level is coverage: write \.95"):
        fot.ReliabilityDisplay.from_predictions(Y, P, band_level=0.05)


@pytest.mark.parametrize("name", INTERVAL_DOORS)
@pytest.mark.parametrize(("interval", "hint"), [(0.9, "; write level= for its level"), ("never", ""), (True, "")])
def test_every_interval_is_a_word(name, interval, hint):
    more = {"name": "brier"} if name == "measure" else {}
    with pytest.raises(ValueError, match=rf"^interval must be 'auto', 'always' or None, got {interval!r}{hint}"):
        INTERVAL_DOORS[name](Y, P, interval=interval, **more)


@pytest.mark.parametrize("name", INTERVAL_DOORS)
def test_every_interval_is_described_by_the_text_that_all_share(name):
    shared = inspect.cleandoc(Redraws.__doc__).partition("interval : ")[2].partition("\nlevel : ")[0]
    assert '"always":' in shared
    assert f"interval : {shared}\n" in inspect.getdoc(INTERVAL_DOORS[name])


def commands():
    """Return the commands of the command line that have --level."""
    found = {name: getattr(import_module(f"fitontest.apps.cli.{name}"), name) for name in COMMANDS}
    return [name for name, each in found.items() if any(option.name == "level" for option in each.params)]


def test_the_commands_are_found():
    assert {"evaluate", "check", "report", "validate", "segments", "monitor"} <= {*commands()}


@pytest.mark.parametrize("level", BAD_LEVELS)
@pytest.mark.parametrize("name", commands())
def test_every_command_refuses_it(name, level, tmp_path):
    path = tmp_path / "scores.csv"
    lines = (f"{y},{p},{age}" for y, p, age in zip(Y, P, X["age"], strict=True))
    path.write_text("\n".join(["y,p,age", *lines]))
    more = {
        "check": ("--max-error", "0.1"),
        "report": ("-o", str(tmp_path / "report.html")),
        "segments": ("--columns", "age"),
    }
    state = [str(tmp_path / "state.json")] if name == "monitor" else []
    columns = ["--label", "y", "--prob", "p", "--level", str(level)]
    result = CliRunner().invoke(main, [name, *state, str(path), *columns, *more.get(name, ())])
    assert result.exit_code == 2
    assert f"--level must be a number in [0.5, 1) such as 0.95, got {level}" in result.stderr
