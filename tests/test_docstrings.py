"""The docstrings of public names: every parameter is described, and every name has an example."""

import inspect
import re
from collections.abc import Iterator
from itertools import pairwise

import fitontest as fot
import fitontest.datasets
import fitontest.truth

HEAD = re.compile(r"^([A-Z][A-Za-z ]+)\n-{3,}$", re.MULTILINE)
ENTRY = re.compile(r"(?:\*{0,2}\w+)(?:, \*{0,2}\w+)*(?: : .*)?")
RESULTS = "Attributes"  # of results, which users do not make: their fields are parameters too


def public_things() -> Iterator[tuple[str, object]]:
    for module in (fot, fitontest.datasets, fitontest.truth):
        things = ((name, getattr(module, name)) for name in module.__all__)
        yield from ((name, thing) for name, thing in things if callable(thing))


def sections(doc: str) -> dict[str, str]:
    """Return the text below each underlined heading of a cleaned docstring."""
    heads = [*HEAD.finditer(doc)]
    ends = [*(head.start() for head in heads), len(doc)][1:]
    return {head[1]: doc[head.end() : end] for head, end in zip(heads, ends, strict=True)}


def described(thing: object) -> set[str]:
    """Return the names that have an entry in the docstring, those of parameters with a description below it."""
    parts = sections(inspect.getdoc(thing) or "")
    names = set()
    for title in ("Parameters", RESULTS):
        lines = [*parts.get(title, "").strip("\n").splitlines(), ""]
        for line, following in pairwise(lines):
            if ENTRY.fullmatch(line) and (title == RESULTS or following.startswith("    ")):
                names |= {name.strip().lstrip("*") for name in line.partition(" : ")[0].split(",")}
    return names


def parameters(thing: object) -> list[str]:
    return [name for name in inspect.signature(thing).parameters if name != "self"]


def undescribed(name: str, thing: object) -> Iterator[str]:
    """Yield the parameters of a callable, of a class also those of its methods, that no docstring describes."""
    own = described(thing)
    if not (inspect.isclass(thing) and issubclass(thing, Warning)):
        yield from (f"{name}({one})" for one in parameters(thing) if one not in own)
    if not inspect.isclass(thing):
        return
    for method, value in inspect.getmembers(thing, lambda one: inspect.isfunction(one) or inspect.ismethod(one)):
        if method.startswith("_") or not value.__module__.startswith(("fitontest", __name__)):
            continue  # private, or of scikit-learn
        told = [described(vars(base)[method]) for base in thing.__mro__ if method in vars(base)]
        yield from (f"{value.__qualname__}({one})" for one in parameters(value) if one not in own.union(*told))


def test_every_parameter_of_a_public_callable_is_described():
    missing = sorted({one for name, thing in public_things() for one in undescribed(name, thing)})
    assert not missing, "these parameters have no entry with a description in their docstrings"


def test_every_public_name_has_an_example():
    without = [name for name, thing in public_things() if ">>>" not in (inspect.getdoc(thing) or "")]
    assert not without, "these names have no example in their docstrings"


class Base:
    """A class with a setting.

    Parameters
    ----------
    known : int
        Described.
    bare : int
    """

    def __init__(self, known: int, bare: int, absent: int) -> None:
        """Take them."""

    def method(self, p: int) -> None:
        """Take p.

        Parameters
        ----------
        p : int
            Described.
        """


class Derived(Base):
    """Another one.

    Attributes
    ----------
    known, bare, absent
    """

    def method(self, p: int, q: int = 0, known: int = 0) -> None:
        """Take p as the base says, known as the class says, and q, of which nobody says anything."""


def test_parameters_without_a_description_are_found():
    assert [*undescribed("Base", Base)] == ["Base(bare)", "Base(absent)"]
    assert [*undescribed("Derived", Derived)] == ["Derived.method(q)"]
    assert [*undescribed("parameters", parameters)] == ["parameters(thing)"]
