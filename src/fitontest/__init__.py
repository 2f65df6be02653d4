"""Evaluate and repair classifier calibration with families of calibration maps fitted on the test data itself.

Every calibration error here is one formula, the mean distance between a prediction p and a calibration map
c_hat(p), with the map chosen from a registry of families and fitted on the test data (fit-on-test). The same
family fitted on validation data is a post-hoc calibrator.
"""

from importlib import import_module
from typing import Any

import lazy_loader

from fitontest.companions import HOOKS, MODULES
from fitontest.results.companions import announce

__version__ = "0.2.0.dev0"

announce(MODULES, HOOKS)
# The names stand in __init__.pyi, beside this file. Each is imported when it is first used (SPEC 1): scikit-learn and
# the heavy parts of scipy take longer to import than a small evaluation takes to compute.
_public, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
_ROOMS = ("data", "evaluation", "results", "uncertainty")  # whose nouns are typed now and then
_FACES = ("families", "measures", "maps", "displays", *_ROOMS, "monitor", "risk", "segments", "apps")


def __getattr__(name: str) -> Any:
    """Return a public name, or say what to write in place of one that is not there."""
    if name in _ROOMS:
        return import_module(f"{__name__}.{name}")
    try:
        return _public(name)
    except AttributeError as error:
        if name in __all__ or name.startswith("_"):
            raise
        raise AttributeError(f"{error}{_in_place_of(name)}") from None


def _in_place_of(name: str) -> str:
    """Return how a measure, a family or a public name is written that was looked for in the package; or ""."""
    from fitontest.families import registry as families
    from fitontest.measures.measure import registry as measures
    from fitontest.results.checks import meant
    from fitontest.results.other_names import other_call, other_name, spelled

    for room in _FACES:
        if name in import_module(f"{__name__}.{room}").__all__:
            return f": write fitontest.{room}.{name}"
    if call := other_call(name):
        return call
    for called in (name, other_name(name)[0]):
        if public := spelled(called, __all__):
            return f": write fitontest.{public}"
        if known := spelled(called, measures):
            return f": write fitontest.measure(y_true, y_prob, {known!r})"
        if known := spelled(called, families):
            return f": write fitontest.families.make({known!r})"
    longer = [known for known in __all__ if known.startswith(f"{name}_")]
    if longer:
        return f": did you mean {' or '.join(map(repr, longer))}?"
    return meant(name, __all__)
