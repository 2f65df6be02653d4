"""Columns that look like those of groups, such as "patient_id", in tables that are read without naming them.

A column is taken for one of groups by its name and by how often its values repeat; nothing else of it is looked at.

The name. It is cut into words where letters become digits or capitals and at any other sign ("patientID", "patient-id"
and "PATIENT_ID" are the same two words); then one of these holds:

* all words name what rows may be of, as "patient", "hospital" and "household" do, or are words of numbering beside
  them ("patient no", "anonymous user"), or it is "mrn" or "id" alone;
* the last word, or the first of two, is "id", "uid", "uuid" or "guid" ("session_id", "id_device"), and no other one
  says that the id is of a class, a model, a fold, a row or a time ("label_id", "row_id");
* it is one word, such a noun and "id" ("patientid"); "valid", "grid", "paid" and "patient_age" are none of these.

The values, of the first 20,000 rows: at least 10 different ones, which repeat, 1.2 rows each or more. Ids of rows,
constants, truth values and numbers that are not whole are no groups. Of several such columns the first one is told of.

Only tables whose rows are kept are looked at: not lazy frames, and not what is reduced to cells. Of a file the header
is read again, and cells only if a name fits.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from fitontest.cells.frame_rows import column_names, first_rows, is_lazy
from fitontest.data.group_hint import GroupHint, IdColumn
from fitontest.data.sample import changed
from fitontest.data.samples import Samples

D = TypeVar("D")

MOST_ROWS = 20_000  # that are looked at
FEWEST_VALUES = 10  # nothing is concluded from fewer groups
ROWS_EACH = 1.2
IDS = {"id", "ids", "uid", "uuid", "guid"}
NUMBERING = IDS | {"no", "nr", "num", "number", "identifier", "hash", "anon", "anonymous", "anonymized", "anonymised"}
ALONE = {"id", "uid", "mrn"}  # the latter is a medical record number
WHOSE = {
    *(
        "patient",
        "subject",
        "subj",
        "participant",
        "respondent",
        "person",
        "individual",
        "member",
        "donor",
        "mother",
        "twin",
    ),
    *("user", "customer", "client", "cardholder", "subscriber", "player", "employee", "driver", "author", "writer"),
    *("speaker", "rater", "annotator", "student", "pupil", "teacher", "physician", "doctor", "surgeon", "nurse"),
    *("household", "family", "village", "school", "classroom", "hospital", "clinic", "ward", "practice", "site"),
    *("center", "centre", "facility", "provider", "merchant", "seller", "vendor", "company", "encounter", "group"),
    *("cluster", "groups", "clusters"),
}
EVENTS = {
    *("session", "visit", "stay", "admission", "episode", "prompt", "question", "conversation", "thread", "dialog"),
    *("document", "article", "device", "machine", "sensor", "vehicle", "account", "card", "store", "shop", "branch"),
    *("image", "video", "scan", "slide", "case", "batch", "order", "product", "item", "query"),
}
OF_NO_GROUP = {
    *("class", "label", "target", "category", "type", "kind", "model", "fold", "split", "bin", "cell", "row", "record"),
    *("line", "index", "time", "date", "year", "month", "week", "day", "hour", "status", "state", "gender", "sex"),
}
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")


def with_hint(data: D, hint: GroupHint) -> D:
    """Return data that were just read with the hint, and each of several samples too.

    Parameters
    ----------
    data : ScoreSample, SimplexSample or Samples
    hint : GroupHint
    """
    if not isinstance(data, Samples):
        return changed(data, hint=hint)  # type: ignore[type-var]
    if data.is_by_class:  # each is made when it is asked for

        def make(place: int) -> Any:
            return with_hint(data.make(place), hint)

        return replace(data, make=make)
    each = [with_hint(sample, hint) for sample in data.values()]
    return replace(data, make=each.__getitem__, whole=with_hint(data.whole, hint))


def find_id_column(source: Any, used: Mapping[str, str], layout: Any) -> IdColumn | None:
    """Return the first column of a frame or file that looks like one of groups, or None.

    Parameters
    ----------
    source : data frame, str or Path
    used : dict of str to str
        What the caller calls the columns that were named, and their names.
    layout : Layout or None
        How a CSV file is written; None of a frame.
    """

    def choose(names: Sequence[str]) -> list[str]:
        return [name for name in names if looks_like_id(name) and name not in used.values() and names.count(name) == 1]

    if isinstance(source, str | Path):
        from fitontest.files.tables import first_cells  # imports DuckDB, which frames do without

        columns = first_cells(Path(source), choose, MOST_ROWS + 1, used, layout)
    elif is_lazy(source):
        return None
    else:
        columns = first_rows(source, choose(column_names(source)), MOST_ROWS + 1)
    candidates = (_as_groups(name, column) for name, column in columns.items())
    return next((column for column in candidates if column is not None), None)


def looks_like_id(name: str) -> bool:
    """Return whether a column is called as one of groups may be.

    Examples
    --------
    >>> list(filter(looks_like_id, ["patientID", "valid", "user", "row_id", "hospital_beds", "SESSION-ID"]))
    ['patientID', 'user', 'SESSION-ID']
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words:
        return False
    if len(words) == 1:
        (word,) = words
        joined = any(word.endswith(end) and word[: -len(end)] in WHOSE | EVENTS for end in IDS)
        return joined or word in ALONE | WHOSE
    nouns = [word for word in words if word not in NUMBERING]
    if OF_NO_GROUP & set(nouns):
        return False
    of_whom = bool(nouns) and all(word in WHOSE for word in nouns)
    is_of_two = len(words) == 2 and words[0] in IDS
    return of_whom or is_of_two or words[-1] in IDS or set(nouns) == {"mrn"}


def _as_groups(name: str, column: Iterable[Any]) -> IdColumn | None:
    """Return what a column tells if its values repeat as those of groups do."""
    each = list(column)
    rows = [value for value in each[:MOST_ROWS] if not _is_missing(value)]
    values = set(rows)
    if len(values) < FEWEST_VALUES or len(rows) < ROWS_EACH * len(values) or not all(map(_is_id, values)):
        return None
    return IdColumn(name, len(values), len(rows), of_all=len(each) <= MOST_ROWS)


def _is_missing(value: Any) -> bool:
    return value is None or value == "" or bool(value != value)


def _is_id(value: Any) -> bool:
    """Return whether a value may be an id: no truth value, and no number, or text of one, that is not whole."""
    if isinstance(value, str) and "." in value:
        try:
            value = float(value)
        except ValueError:
            return True
    if isinstance(value, float):
        return math.isfinite(value) and value.is_integer()
    return not isinstance(value, bool)
