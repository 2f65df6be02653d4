"""The first sentence of every public docstring and command is one that a data scientist understands at once.

It stands alone in completion pop-ups, in the tables of the reference and in the help of the command line. What is exact
(formulas, shapes, the package's own terms) stands below it.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cached_property

import click
import pytest

import fitontest as fot
from fitontest.apps.cli.main import main

ROOMS = ("families", "measures", "partitions", "maps", "norms", "distances", "bin_losses", "datasets", "truth")
MAX_WORDS = 25
WIDTH = 120

# Words of this package, each with what a reader who does not know the package would take it for.
IN_HOUSE = {
    r"cells?": "a cell of a spreadsheet or a notebook; say bin, or table of counts",
    r"labellings?": "the work of annotators; say several sets of labels",
    r"redraw(?:s|n|ing)?": "drawing a figure again; say simulated labels",
    r"plug-?in": "an extension; say the error, measured by a fitted calibration map",
    r"fit-on-test": "a mistake in machine learning; say fitted to the test data",
    r"entry|entries": "a row? a key? say row, value or name",
    r"atoms?": "say a score that many rows share",
    r"stand-?ins?": "say a faster approximation",
    r"door": "say where data are read",
    r"facts?": "say column, or versions and settings",
    r"gates?": "say a check against a limit",
    r"simplex": "say probabilities of all classes",
    r"whole distributions?": "say probabilities of all classes",
    r"certain scores?": "say scores of exactly 0 or 1",
    r"(?:too )?bold|(?:too )?timid|backwards": "say overconfident, underconfident, ranks in reverse",
    r"refuted?|refit": "say contradicted by a label; fitted again",
    r"pair statistics?": "say by comparing rows with similar scores",
    r"persists?|resolution": "say errors over at least a share of the rows",
    r"pooled": "say rows of equal scores taken together",
    r"c_hat|ybar|pbar|sum_\w+|sqrt": "a formula; it follows the sentence",
}
FAMILY = re.compile(r"\bfamil(?:y|ies)\b", re.IGNORECASE)
EXPLAINED = re.compile(r"calibration maps?|calibrators?", re.IGNORECASE)  # what a family is one of
CODE = re.compile(r"``[^`]*``|`[^`]*`")  # a name in backticks can be looked up
ENDS = re.compile(r"\.(?=\s|$)")


def first_paragraph(doc: str) -> str:
    return inspect.cleandoc(doc).split("\n\n")[0].split("\n>>>")[0]


def first_sentence(doc: str) -> str:
    """Return the first sentence with its full stop, or the first paragraph where there is none."""
    text = " ".join(first_paragraph(doc).split())
    end = ENDS.search(text)
    return text[: end.end()] if end else text


def faults(doc: str | None) -> list[str]:
    """Return what is wrong with the first sentence of a docstring."""
    if not doc:
        return ["there is no docstring"]
    sentence = first_sentence(doc)
    plain = CODE.sub("NAME", sentence)
    found = [f"{word[0]!r}: {why}" for term, why in IN_HOUSE.items() if (word := whole_word(term).search(plain))]
    if FAMILY.search(plain) and not EXPLAINED.search(plain):
        found.append("a family of what? say calibration maps")
    if "=" in plain:
        found.append("'=': a formula; it follows the sentence")
    if not sentence.endswith("."):
        found.append("it does not end with a full stop")
    if not sentence[0].isupper() and sentence[0] != "`":
        found.append("it does not start with a capital")
    if (n := len(sentence.split())) > MAX_WORDS:
        found.append(f"{n} words, at most {MAX_WORDS} can be read at a glance")
    return found


def whole_word(term: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{term})(?![\w-])", re.IGNORECASE)


def public() -> dict[str, object]:
    """Return the public classes, functions and methods of this package by their full names."""
    found: dict[str, object] = {}
    for module in (fot, *(importlib.import_module(f"fitontest.{room}") for room in ROOMS)):
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing) or inspect.isfunction(thing) or inspect.ismethod(thing):
                found.update(described(thing))
    return found


def described(thing: object) -> Iterator[tuple[str, object]]:
    """Yield a function, or a class with its own and inherited public methods and properties."""
    yield f"{thing.__module__}.{thing.__qualname__}", thing
    if inspect.isclass(thing):
        for base in thing.__mro__:
            for name, member in vars(base).items():
                if not name.startswith("_") and base.__module__.startswith("fitontest"):
                    member = getattr(member, "__func__", member)  # of class methods and static ones
                    if inspect.isfunction(member) or isinstance(member, property | cached_property):
                        yield f"{base.__module__}.{base.__qualname__}.{name}", member


def commands() -> Iterator[tuple[str, str | None]]:
    yield "fitontest", main.help
    for name in main.list_commands(click.Context(main)):
        command = main.get_command(click.Context(main), name)
        yield name, command.help


def test_first_sentences_are_plain():
    wrong = {name: found for name, thing in public().items() if (found := faults(thing.__doc__))}
    assert not wrong, "\n".join(f"{name}: {'; '.join(found)}" for name, found in wrong.items())


def test_first_sentences_of_commands_are_plain():
    wrong = {name: found for name, text in commands() if (found := faults(text))}
    assert not wrong


def test_public_names_are_found_with_their_methods():
    names = public()
    assert len(names) > 500
    for name in ("fitontest.evaluation.evaluate.evaluate", "fitontest.results.table.Table.to_frame"):
        assert name in names
    assert {"fitontest", "evaluate", "plan"} <= dict(commands()).keys()


@pytest.mark.parametrize(
    ("doc", "fault"),
    [
        (None, "no docstring"),
        ("Return the number of cells.", "cells"),
        ("Return a map of the family.", "a family of what"),
        ("The mean, c = y / n.", "a formula"),
        ("Return the mean", "full stop"),
        ("return the mean.", "capital"),
        ("Return " + "very " * 25 + "much.", "words"),
        ("Scores that are too bold.", "bold"),
    ],
)
def test_faults_are_found(doc, fault):
    assert any(fault in found for found in faults(doc))


@pytest.mark.parametrize(
    "doc",
    [
        "Return the `Cells` of a file, see ``cells=True``.",
        "Fit a family of calibration maps.\n\n    The cells of the family are redrawn: c_hat(p) = p.",
        "Return the share of 1.5 positives. The plug-in value is another matter.",
        "Excellent words, miscellaneous factors, and a cellular one.",
    ],
)
def test_good_sentences_have_no_fault(doc):
    assert faults(doc) == []
