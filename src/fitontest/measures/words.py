"""What a measure is to readers: its title and name, its settings in words, its values in print.

All of it follows from the fields of the dataclass, and from the `Words` of a measure that is called otherwise.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from fitontest.results.registry import changed_settings, plain_setting, settings_of
from fitontest.results.text import short, without_noise


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


class Described(ABC):
    """The words of a measure, apart from its numbers; subclasses are frozen dataclasses of their settings."""

    @property
    def words(self) -> Words:
        """How the measure is called, where that does not follow from its fields."""
        return Words()

    @property
    def title(self) -> str:
        """What tables and diagrams call the measure."""
        return self.words.title or self.name

    @property
    @abstractmethod
    def name(self) -> str:
        """What records call it."""

    def settings(self) -> dict[str, Any]:
        """Return the settings as JSON-ready values by name."""
        settings = self.words.settings
        if settings is None:
            return {name: plain_setting(value) for name, value in settings_of(self).items()}
        return dict(settings)

    def brief(self) -> dict[str, Any]:
        """Return the settings worth saying in one line; by default those that are not the defaults."""
        brief = self.words.brief
        if brief is None:
            changed = changed_settings(self)
            return {name: value for name, value in self.settings().items() if name in changed}
        return dict(brief)

    def in_words(self) -> str:
        """Return the brief settings as readers see them."""
        words = self.words.settings_in_words
        return ", ".join(f"{name} {value}" for name, value in self.brief().items()) if words is None else words

    def printed(self, value: float, digits: int = 3) -> str:
        """Return a value of the measure as it is printed.

        Parameters
        ----------
        value : float
            In the unit of the measure.
        digits : int, default=3
            Significant digits.
        """
        return self.words.printed(without_noise(value), digits)
