"""Which class a column of scores is of, by its name.

A column may be called after its class, with a prefix and a suffix that all names share: ``p_cat``, ``p_dog``. Where the
prefix ends is not known: of ``p_cat`` and ``p_car`` the longest common one is ``p_ca``. So every cut is tried under
which a name holds the longest label, and one counts if what it leaves of the names are the labels. If labels do not
occur, the names hold more than these; then the cut must not part two letters or two digits, and what is left must be of
the type of the labels. Cuts that disagree say nothing.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fitontest.data.labels import SHOWN, listed
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import Label


def read_class_order(columns: Sequence[str] | None, occurring: list[Label], y_prob: str, labels: str) -> list[Label]:
    """Return the class of each column: what its name says, with a warning of another order, or the sorted labels.

    Parameters
    ----------
    columns : sequence of str or None
        The names, None where the columns have none.
    occurring : list
        The labels that occur, sorted.
    y_prob, labels : str
        What the caller calls the scores, and the argument that names the classes.

    Raises
    ------
    ValueError
        Labels that are texts, and columns of other names.
    """
    if columns is None:
        return occurring
    classes = classes_by_name(columns, occurring)
    if classes is None:
        if len(columns) == len(occurring) and all(isinstance(label, str) for label in occurring):
            raise ValueError(
                f"{y_prob} must have columns that are called after the classes, but for a prefix and a suffix of all, "
                f"unless {labels} says which class each is of; got the columns [{listed(list(columns))}] and the "
                f"classes [{listed(occurring)}]"
            )
        return occurring
    if classes != occurring:
        each = [f"{column!r} is class {label!r}" for column, label in zip(columns, classes, strict=True)]
        shown = ", ".join(each[:SHOWN]) + (", ..." if len(each) > SHOWN else "")
        warn_user(f"the columns of {y_prob} are read by their names: {shown}", CalibrationWarning)
    return classes


def classes_by_name(columns: Sequence[str], occurring: Sequence[Label]) -> list[Label] | None:
    """Return the class of each column as its name says it, or None where the names do not.

    Examples
    --------
    >>> classes_by_name(["p_cat", "p_car"], ["car", "cat"])
    ['cat', 'car']
    >>> classes_by_name(["p0", "p1", "p2"], [0, 2])
    [0, 1, 2]
    >>> classes_by_name(["p_true", "p_false"], [False, True])
    [True, False]
    >>> classes_by_name(["a", "b"], [0, 1]) is None
    True
    """
    label_of = dict(zip(label_texts(occurring), occurring, strict=True))
    if len(columns) < len(label_of) or len(set(columns)) < len(columns):
        return None
    if all(isinstance(label, bool) for label in occurring):  # files and other languages write them as true and TRUE
        columns = [column.lower() for column in columns]
        label_of = {text.lower(): label for text, label in label_of.items()}
    read = _all_labels if len(columns) == len(label_of) else _more_labels
    found = [read(columns, cut, label_of) for cut in _cuts(columns, max(label_of, key=len))]
    agreed = [classes for classes in found if classes is not None]
    return agreed[0] if agreed and all(classes == agreed[0] for classes in agreed) else None


def in_order_of_names(columns: Sequence[str] | None, classes: Sequence[Label]) -> bool:
    """Return whether the names of the columns say nothing of the classes, or the same."""
    by_name = None if columns is None or len(columns) != len(classes) else classes_by_name(columns, classes)
    return by_name is None or by_name == list(classes)


def label_texts(labels: Iterable[Label], classes: Iterable[Label] | None = None) -> list[str]:
    """Return labels as texts, numbers that are whole without a point; what are numbers the classes say."""
    given = list(labels)
    numbers = all(isinstance(label, int | float) for label in (given if classes is None else classes))
    return [str(one).removesuffix(".0" if numbers else "") for one in given]


def _cuts(columns: Sequence[str], text: str) -> Iterator[tuple[int, int]]:
    """Yield the lengths of prefix and suffix that all names share, and under which one of them holds the text."""
    prefix = _common(columns)
    suffix = _common([column[::-1] for column in columns])
    shortest = min(map(len, columns))
    found = set()
    for column in columns:
        rest = len(column) - len(text)
        for start in range(max(rest - suffix, 0), min(prefix, rest) + 1):
            if column.startswith(text, start) and rest < shortest:  # something is left of every name
                found.add((start, rest - start))
    yield from sorted(found)


def _common(texts: Sequence[str]) -> int:
    """Return how many characters all texts begin with."""
    first, last = min(texts), max(texts)
    differing = (at for at, (one, other) in enumerate(zip(first, last, strict=False)) if one != other)
    return next(differing, min(len(first), len(last)))


def _all_labels(columns: Sequence[str], cut: tuple[int, int], label_of: dict[str, Label]) -> list[Label] | None:
    """Return the labels that a cut leaves of the names, where it leaves each of them."""
    parts = _parts(columns, cut)
    return [label_of[part] for part in parts] if set(parts) == label_of.keys() else None


def _more_labels(columns: Sequence[str], cut: tuple[int, int], label_of: dict[str, Label]) -> list[Label] | None:
    """Return the labels that a cut leaves of the names, where all that occur are among them."""
    parts = _parts(columns, cut)
    start, end = cut
    for column, part in zip(columns, parts, strict=True):
        if (start and _is_one_word(column[start - 1], part[0])) or (end and _is_one_word(part[-1], column[-end])):
            return None
    if not label_of.keys() <= set(parts):
        return None
    like = list(label_of.values())
    labels = [label_of[part] if part in label_of else _as_label(part, like) for part in parts]
    return None if any(label is None for label in labels) else labels


def _parts(columns: Sequence[str], cut: tuple[int, int]) -> list[str]:
    start, end = cut
    return [column[start : len(column) - end] for column in columns]


def _is_one_word(left: str, right: str) -> bool:
    return (left.isalpha() and right.isalpha()) or (left.isdigit() and right.isdigit())


def _as_label(text: str, like: list[Label]) -> Any:
    """Return a text as a label of the type of others, or None where it is none."""
    if all(isinstance(label, str) for label in like):
        return text
    if any(isinstance(label, bool) for label in like):
        return {"true": True, "false": False}.get(text.lower())
    for kind in (int, float):
        if all(isinstance(label, kind) for label in like):
            try:
                label = kind(text)
            except ValueError:
                return None
            return label if label_texts([label]) == [text] else None
    return None
