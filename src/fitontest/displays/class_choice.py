"""Which classes are drawn side by side: all of a few; of many those with the largest errors, or those asked for.

An error of one class against the rest is of all rows, so that the errors of the classes can be compared. That of a
predicted class is of the rows in which it is predicted, and of few rows it is mostly noise. Predicted classes are
therefore ranked by the error times the share of their rows: by what they add to the mean over the rows.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from fitontest.data.labels import listed
from fitontest.data.predictions import PREDICTED
from fitontest.data.samples import Samples
from fitontest.displays.titles import name_error
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure
from fitontest.results.checks import as_list, as_plain, is_whole
from fitontest.results.exceptions import without_warnings
from fitontest.results.typing import ArrayInput, FloatArray, Label
from fitontest.uncertainty.redrawing import estimate_of

MOST_CLASSES = 9  # more panels are too small to be compared

#: How many classes, or the labels of those that are wanted; None is 9.
ClassChoice: TypeAlias = int | ArrayInput


def read_class_choice(wanted: ClassChoice, labels: Sequence[Label], name: str = "classes") -> int | list[int]:
    """Return the number of classes wanted, or the places of those named.

    Raises
    ------
    ValueError
        A number below 1; labels that are unknown or named twice.
    """
    if wanted is None:
        return MOST_CLASSES
    if is_whole(wanted):
        if wanted < 1:
            raise ValueError(f"{name} must be at least 1, got {wanted}")
        return int(wanted)
    chosen = [as_plain(one) for one in as_list(wanted, name)]
    known = list(labels)
    unknown = [label for label in chosen if label not in known]
    if unknown:
        raise ValueError(f"{name} must be among [{listed(known)}], got [{listed(unknown)}]")
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"{name} must be distinct, got [{listed(chosen)}]")
    return [known.index(label) for label in chosen]


def pick_classes(
    wanted: ClassChoice, labels: Sequence[Label], values: Callable[[], Sequence[float]]
) -> tuple[list[int], bool]:
    """Return the places of the classes to draw, and whether their values chose them, which are computed only then."""
    choice = read_class_choice(wanted, labels)
    if isinstance(choice, list):
        return choice, False
    ranked = len(labels) > choice
    return (choose_largest(values(), choice) if ranked else [*range(len(labels))]), ranked


def choose_largest(values: Sequence[float], count: int) -> list[int]:
    """Return the places of the largest values, the largest first."""
    ranks: FloatArray = -np.asarray(values, dtype=np.float64)
    return [int(k) for k in np.argsort(ranks, kind="stable")[:count]]  # the first of equal ones, NaN last


def choose_worst(errors: Mapping[Label, Estimate], wanted: ClassChoice) -> tuple[list[Label], list[str]]:
    """Return the classes to draw, by their errors against the rest, and what a title must say of the choice."""
    labels = [*errors]
    places, ranked = pick_classes(wanted, labels, lambda: [*map(float, errors.values())])
    chosen = [labels[k] for k in places]
    said = [describe_worst(len(chosen), len(labels), name_error(errors[chosen[0]]))] if ranked else []
    return chosen, said


def choose_classes(samples: Samples, measure: Measure, wanted: ClassChoice) -> tuple[list[Label], bool]:
    """Return the classes to draw of those that are not measured yet, and whether their errors chose them."""
    places, ranked = pick_classes(wanted, samples.labels, lambda: _weigh(samples, measure))
    return [samples.labels[place] for place in places], ranked


def describe_choice(samples: Samples, count: int, error: str, *, ranked: bool) -> list[str]:
    """Return what a title must say of the choice of classes."""
    describe = describe_heaviest if samples.name == PREDICTED else describe_worst
    said, total = [describe(count, len(samples), error)] if ranked else [], len(samples.whole.classes)
    if len(samples) < total:
        said.append(f"{total - len(samples)} of {total} classes never predicted")
    return said


def _weigh(samples: Samples, measure: Measure) -> list[float]:
    """Return by what the classes are ranked: see above."""
    with without_warnings():  # those that are drawn warn when they are fitted once more
        return [
            float(estimate_of(measure, sample)) * (sample.total if samples.name == PREDICTED else 1.0)
            for sample in samples.values()
        ]


def join_title(name: str | None, facts: Iterable[str]) -> str | None:
    """Return the title of a figure: the name of the scores and what must be said of the choice of panels."""
    said = "; ".join(facts)
    return ": ".join(part for part in (name, said) if part) or None


def describe_worst(count: int, total: int, error: str) -> str:
    """Return the title of the worst of many classes, each against the rest."""
    return f"the {'' if count == 1 else f'{count} '}worst of {total} classes by {error}"


def describe_heaviest(count: int, total: int, error: str) -> str:
    """Return the title of the predicted classes that contribute most to an error."""
    which, adds = ("that", "adds") if count == 1 else (f"the {count}", "add")
    return f"{which} of {total} predicted classes that {adds} most to the {error}"
