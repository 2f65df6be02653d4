"""Notes: what a reader must know before reading a value, one sentence each.

Cross-validation may choose a single bin, a value may mean little without its null, the labels may all be of one class,
and scores may be decisions. Such values are computed as any others, and every output of them carries the note.
"""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from fitontest.data.known_groups import KnownGroups
from fitontest.data.samples import Key
from fitontest.data.weights import Weighting
from fitontest.families.base import Family
from fitontest.maps.base import CalibrationMap
from fitontest.results.exceptions import Held, warn_user
from fitontest.results.several import MANY, Kind
from fitontest.results.text import sentence, short
from fitontest.results.typing import FloatArray

AUTO_DRAWS = 100  # enough for the mean of a null to a tenth of its spread
AUTO_ROWS = 10_000  # a second or two for that many draws of them
AUTO_CLASSES = 5  # each takes as long: a draw of few rows takes hardly less than one of many
CLEARLY_BEYOND = 1.01  # distance of a map from a score, which is at most 1 if both are probabilities
MOST_LISTED = 5  # classes named in a note
OF_NOISE = (
    "label noise is taken off as that of independent rows, and rows of one group are not: the value is too large where "
    "their labels are alike"
)
DECISIONS = "all scores are 0 or 1: these are decisions, not probabilities"


def one_bin_note(c_hat: CalibrationMap, fitted: Family | None, norm: str, *, debias: bool = False) -> str:
    """Return what the error is of where the data chose a single bin, and "" elsewhere.

    Segments are no bins: one segment is a line, or a curve.
    """
    bins = getattr(c_hat, "bins", None)
    if fitted is None or fitted.has_knots or bins is None or bins.n_bins > 1:
        return ""
    rule = getattr(fitted, "n_bins", None)
    by_rule = isinstance(rule, str) and rule != "cv"  # such as "sweep"; what "cv" has chosen from has scores
    if not (by_rule or hasattr(fitted, "cv_scores_")):
        return ""
    if c_hat.shifts_bins:
        return _difference_of_means(norm, debias=debias)
    return "1 bin: the error is the distance of the scores from the mean label"


def one_bin_of_rule_note(rule: object, n_bins: int, norm: str) -> str:
    """Return what the bias of bins is where a rule chose a single one, and "" for a given number and given edges."""
    rule = getattr(rule, "family", rule)  # `FamilyBins` has the bins of a family
    number = getattr(rule, "n_bins", "by the rule")  # a rule without one chooses it
    if n_bins > 1 or getattr(rule, "explicit", False) or not isinstance(number, str):
        return ""
    return _difference_of_means(norm)


def _difference_of_means(norm: str, *, debias: bool = False) -> str:
    kind = f"{'debiased ' if debias else ''}{'squared ' if norm == 'squared' else ''}"
    return f"1 bin: the error is the {kind}difference of the means"


def beyond_note(distances: FloatArray) -> str:
    """Return that a map is farther from a score than any probability is, and "" where it is not.

    A polynomial that is fitted to scores which differ in their seventh digit may be anything a thousandth beside them.
    """
    farthest = float(np.max(distances, initial=0.0))
    if farthest < CLEARLY_BEYOND:
        return ""
    away = f"the map is up to {short(farthest)} from a score"
    return f"{away}, where no probability is more than 1 away: read another family"


def noise_of_groups_note(sample: Any) -> str:
    """Return what a value is that takes off the label noise of independent rows, where rows belong to groups, or ""."""
    return "" if sample.groups is None else OF_NOISE


def tests_note(groups: KnownGroups | None, *, has_null: bool) -> str:
    """Return what tests are worth that take rows as independent, where rows belong to groups, or ""."""
    if groups is None or groups.sizes.are_single:
        return ""
    compare = ": compare the value with its null, which does not" if has_null else ""
    return f"its tests take rows as independent{compare}"


def no_null_note(rows: int, classes: int, groups: KnownGroups | None = None) -> str:
    """Return that a value which means little without its null stands alone."""
    if groups is not None and groups.too_few:
        return "means little without its null, which cannot be drawn of so few groups"
    most = f"{AUTO_CLASSES} classes" if classes > AUTO_CLASSES else f"{AUTO_ROWS:,} rows"
    limit = f", which is drawn unasked up to {most} only" if classes > AUTO_CLASSES or rows > AUTO_ROWS else ""
    return f"means little without its null{limit}: null_draws={AUTO_DRAWS} draws it"


def one_class_note(base_rate: float | None, reduction: str | None) -> str:
    """Return that all labels are of one class, or ""."""
    if base_rate not in (0.0, 1.0):
        return ""
    if reduction == "confidence":
        what = f"{'no' if base_rate == 0.0 else 'every'} prediction is right"
    elif reduction == "classwise":
        what = f"{'no' if base_rate == 0.0 else 'every'} label is of this class"
    else:
        what = f"all labels are {base_rate:.0f}"
    return f"{what}: an error only tells how far the scores are from {base_rate:.0f}"


def data_notes(decided: bool, weighting: Weighting | None, rows: str = "") -> list[str]:
    """Return what the scores are, if not probabilities, what the weights were taken for, and what is said of rows."""
    notes = [DECISIONS if decided else "", "" if weighting is None else str(weighting), rows]
    return [note for note in notes if note]


def lines_on_rows(groups: KnownGroups | None) -> list[str]:
    """Return how rows hang together by their groups, a sentence each.

    Parameters
    ----------
    groups : KnownGroups or None
        None: no groups were named.
    """
    if groups is None:
        return []
    return [*([sentence(groups.refusal)] if groups.too_few else []), *groups.lines]


def of_several(keys: Sequence[Hashable], total: int, kind: Kind = "class") -> str:
    """Return the classes, segments or models that a note is of, in words.

    Examples
    --------
    >>> of_several(["a", "b"], 3), of_several([0], 3), of_several(range(7), 10, "segment")
    ("classes 'a', 'b'", 'class 0', '7 of 10 segments')
    """
    many = MANY[kind]
    if len(keys) > MOST_LISTED:
        return f"{len(keys)} of {total} {many}"
    return f"{many if len(keys) > 1 else kind} {', '.join(map(repr, keys))}"


def warn_of_several(held: Mapping[Key, list[Held]], kind: Kind) -> None:
    """Warn of what was found in several samples: once of each kind of warning, in the words of the first one."""
    kinds: dict[tuple[type[Warning], str], dict[Any, str]] = {}
    for key, warnings in held.items():
        for message, category in warnings:
            kinds.setdefault((category, message.partition(":")[0]), {}).setdefault(key, message)
    for (category, _), messages in kinds.items():
        first, *others = messages
        also = f" The like is true of {of_several(others, len(held), kind)}." if others else ""
        stop = "." if also and not messages[first].endswith(".") else ""
        warn_user(f"{kind} {first!r}: {messages[first]}{stop}{also}", category)
