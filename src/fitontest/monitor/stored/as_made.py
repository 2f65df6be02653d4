"""What a monitor was made with cannot change: settings that are given again must be those of before."""

from collections.abc import Iterable
from typing import Any

from fitontest.monitor.state import MonitorState
from fitontest.results.checks import brief

OF_NULL = ("tolerance", "tolerance_unit", "reference")  # arguments that together make the hypothesis
LEARNT = ("by", "groups", "labels")  # what the first batch says where the monitor was not told


def check_as_made(state: MonitorState, again: MonitorState, given: Iterable[str]) -> None:
    """Refuse settings of a monitor that was made already, unless they are those that it was made with.

    Parameters
    ----------
    state : MonitorState
        Of the monitor.
    again : MonitorState
        Of a new one, made with the settings.
    given : iterable of str
        The names of the settings; others are not compared.
    """
    for name in given:
        held, asked = _value(state, name), _value(again, name)
        if held != asked and not (asked is None and name in LEARNT):
            rule = (
                f"as the monitor was made, {_in_words(held, name)}"
                if held is not None
                else "left out, as when it was made"
            )
            got = _in_words(asked, name)
            raise ValueError(f"{name} must be {rule}; got {got}: what is tested cannot change, begin another monitor")


def _value(state: MonitorState, name: str) -> Any:
    if name in OF_NULL:
        return state.settings.null.to_dict()
    settings = state.settings
    value = getattr(settings if hasattr(settings, name) else settings.layout, name)
    return dict(value) if name == "families" else value


def _in_words(value: Any, name: str) -> str:
    """Return a setting as a message has it: of a hypothesis how far rates may be from the scores."""
    if name not in OF_NULL:
        return brief(value)
    kind = value["null"]
    if kind == "tolerance":
        return f"{value['eps']:g} in {value['unit']}"
    if kind == "exact":
        return "0"
    fails = f"which fails with a probability of at most {value['band_alpha']:g}"
    return f"the band of a reference of {value['reference_n']} rows, {fails}"
