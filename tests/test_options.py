"""Options that many functions share: each shows them in its signature, describes each once and refuses all others."""

import inspect
import re
from importlib import import_module
from typing import Unpack

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.reading.options import Reading
from fitontest.results.options import described_options, spell_out
from fitontest.uncertainty.options import Options, Redraws

SHARED = {*Options.__annotations__}
MOST = 10  # parameters that a public function writes of its own, with ** as one


def functions():
    """Return the public functions that have shared options, by how users call them."""
    rooms = ["fitontest", *(f"fitontest.{room}" for room in ("evaluation", "risk", "segments", "apps", "data"))]
    found = {}
    for room in map(import_module, rooms):
        for name in room.__all__:
            thing = getattr(room, name)
            if inspect.isfunction(thing) and SHARED & {*inspect.signature(thing).parameters}:
                found[name] = thing
    found["ReliabilityDisplay.from_predictions"] = fot.ReliabilityDisplay.from_predictions
    found["validity_curves"] = fot.displays.validity_curves
    return found | {"Cells.of_frame": fot.Cells.of_frame}


FUNCTIONS = functions()


def entries(text):
    """Return the names that the section of parameters has an entry for, each as often as it has."""
    _, _, rest = inspect.cleandoc(text).partition("Parameters\n----------\n")
    section = re.split(r"\n\n[A-Z]\w+\n-{3,}\n", rest)[0]
    heads = re.findall(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: : .*)?$", section, re.MULTILINE)
    return [name.lstrip("*") for head in heads for name in head.split(", ")]


def test_the_functions_are_found():
    assert {"evaluate", "calibration_error", "gce", "tce", "measure", "compare_calibrators", "report"} <= {*FUNCTIONS}
    assert {"check_calibration", "validate", "find_segments", "plan_evaluation", "read"} <= {*FUNCTIONS}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_option_is_in_the_signature_and_once_in_the_help(name):
    function = FUNCTIONS[name]
    shown = [one for one in inspect.signature(function).parameters if one not in ("self", "cls")]
    described = entries(function.__doc__)
    assert sorted(described) == sorted(shown)
    for option, each in inspect.signature(function).parameters.items():
        if option in SHARED:
            assert each.kind is each.KEYWORD_ONLY


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_option_that_a_function_does_not_have_is_refused(name):
    function = FUNCTIONS[name]
    y, p = [0, 1, 1, 0], [0.2, 0.8, 0.6, 0.4]
    with pytest.raises((TypeError, ValueError), match="no_such_option"):
        function(y, p, no_such_option=1, **({"name": "brier"} if name == "measure" else {}))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_writes_few_parameters_of_its_own(name):
    function = inspect.unwrap(getattr(FUNCTIONS[name], "__func__", FUNCTIONS[name]))
    assert len([one for one in inspect.signature(function).parameters if one != "cls"]) <= MOST


def test_a_mistyped_option_is_told_which_one_may_be_meant():
    with pytest.raises(TypeError, match=r"evaluate\(\) got an unexpected .* 'intervall': did you mean 'interval'\?"):
        fot.evaluate([0, 1], [0.2, 0.8], intervall=None)


def test_options_are_described_where_they_are_typed():
    for options in (Reading, Redraws):
        assert set(entries(options.__doc__)) == {*options.__annotations__}


def test_defaults_are_those_of_the_options_unless_a_function_has_its_own():
    known = {name: default for name, (_, default) in described_options(Redraws).items()}
    spelled = {one.name: one.default for one in inspect.signature(fot.gce).parameters.values()}
    assert {name: spelled[name] for name in known} == known
    assert inspect.signature(fot.tce).parameters["null_draws"].default == "auto"


def test_options_that_are_left_out_are_neither_shown_nor_taken():
    @spell_out("draws", random_state=3)
    def spread(**options: Unpack[Redraws]):
        """Return them."""
        return options

    assert "draws" not in inspect.signature(spread).parameters
    assert (spread()["random_state"], spread(random_state=1)["random_state"]) == (3, 1)
    with pytest.raises(TypeError, match=r"spread\(\) got an unexpected keyword argument 'draws'"):
        spread(draws=5)


def test_positional_arguments_pass():
    rng = np.random.default_rng(0)
    p = rng.random(50)
    y = rng.random(50) < p
    assert float(fot.measure(y, p, "brier")) == float(fot.measure(y, p, name="brier"))
