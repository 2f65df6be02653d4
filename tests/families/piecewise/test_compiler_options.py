"""Options that a release of jax does not know are left out; a failure of another kind is not taken for that."""

import jax
import pytest

from fitontest.families.piecewise import compiler_options
from fitontest.families.piecewise.compiler_options import known_options
from fitontest.families.piecewise.undisturbed import undisturbed


def test_unknown_options_are_left_out():
    with undisturbed():
        found = known_options({"xla_no_such_option": True, "xla_backend_optimization_level": 1})
    assert found == {"xla_backend_optimization_level": 1}


def test_options_that_are_all_known_are_tried_once(monkeypatch):
    tried = []
    monkeypatch.setattr(compiler_options, "_are_known", lambda options: tried.append(options) or True)
    options = {"xla_one": True, "xla_other": 1}
    assert known_options(options) == options
    assert tried == [options]


def test_other_failures_are_raised(monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("no device")

    monkeypatch.setattr(compiler_options.jax, "jit", fail)
    with pytest.raises(RuntimeError, match="no device"):
        known_options({"xla_backend_optimization_level": 1})
    monkeypatch.undo()
    assert jax.jit(lambda: 1)() == 1
