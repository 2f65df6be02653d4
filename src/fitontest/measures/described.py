"""What a measure is to readers: its title and name, its settings in words, its values in print.

All of it follows from the fields of the dataclass, and from the `Words` of a measure that is called otherwise.
"""

from abc import ABC, abstractmethod
from typing import Any

from fitontest.measures.words import Words
from fitontest.results.registry import changed_settings, plain_setting, settings_of
from fitontest.results.text import without_noise


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
