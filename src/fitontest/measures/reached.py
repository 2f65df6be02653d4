"""Attributes that an estimate has from what it was computed from: declared, so that completion and type checkers know.

Not every estimate has each of them: a bandwidth is one of the smooth ECE, and to ask another for it is an
AttributeError, as for any name that there is not.
"""

from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class OfEvidence(Generic[T]):
    """An attribute of the evidence of an estimate, under the same name."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, estimate: None, owner: type) -> Self: ...

    @overload
    def __get__(self, estimate: Any, owner: type) -> T: ...

    def __get__(self, estimate: Any, owner: type) -> Any:
        if estimate is None:
            return self
        if not hasattr(estimate.evidence, self.name):
            raise AttributeError(
                f"{owner.__name__!r} object has no attribute {self.name!r}: this is none of its evidence"
            )
        return getattr(estimate.evidence, self.name)


class OfMeasure(OfEvidence[T]):
    """A setting of the measure of an estimate, under the same name."""

    def __get__(self, estimate: Any, owner: type) -> Any:
        if estimate is None:
            return self
        settings = estimate.measure.settings()
        if self.name not in settings:
            raise AttributeError(
                f"{owner.__name__!r} object has no attribute {self.name!r}: this is none of its settings"
            )
        return settings[self.name]


def _missing(owner: type, name: str, reason: str) -> AttributeError:
    return AttributeError(f"{owner.__name__!r} object has no attribute {name!r}: {reason}")
