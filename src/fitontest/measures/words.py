"""How a measure is called: in tables, diagrams and JSON. What is not said follows from the fields of its dataclass."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fitontest.results.text import short


@dataclass(frozen=True)
class Words:
    """How a measure is called in tables and diagrams, where that does not follow from its settings.

    Attributes
    ----------
    title : str
        What tables and diagrams call it; "": its name.
    name : str
        What records call it; "": the registered name that stands for its settings, with those that it does not imply.
    longer_names : callable
        Returns what it is called beside others of its name, and beside those that share that one too, if anything.
    settings : mapping of str to object, optional
        JSON-ready settings by name; None: its fields.
    brief : mapping of str to object, optional
        Those of them that are worth saying in one line; None: those that are not the defaults.
    settings_in_words : str, optional
        These as readers see them; None: each name with its value.
    printed : callable
        ``printed(value, digits)``: a value as it is printed.
    needs_null : bool
        Whether a value means little to readers without what calibrated scores would have.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.measures.make("kernel").words.title, fot.measures.make("tce").words.printed(0.25, 3)
    ('SKCE', '25.0 %')
    """

    title: str = ""
    name: str = ""
    longer_names: Callable[[], tuple[str, ...]] = tuple
    settings: Mapping[str, Any] | None = None
    brief: Mapping[str, Any] | None = None
    settings_in_words: str | None = None
    printed: Callable[[float, int], str] = short
    needs_null: bool = False


def as_percent(value: float, digits: int) -> str:
    """Return a fraction as percent."""
    return f"{short(100.0 * value, digits)} %"


def in_nats(value: float, digits: int) -> str:
    """Return a value in nats."""
    return f"{short(value, digits)} nats"
