"""Columns of texts as numbers, labels and booleans: by which rules, computed by DuckDB."""

import re
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray

from fitontest.data.files.layout import Layout
from fitontest.data.files.sql import text_in_sql

MISSING = ("", "NA", "N/A", "null", "NULL")
BOOLEANS = {"true": True, "t": True, "yes": True, "y": True, "false": False, "f": False, "no": False, "n": False}
PAIRS = ({"true", "false"}, {"t", "f"}, {"yes", "no"}, {"y", "n"})  # letters of two pairs are names of classes

# what is a number in all languages: casts would take 1_000, and the digits of other scripts too
BLANKS = " \t\n\r\v\f"
_DIGITS = (
    r"(?:[0-9]+{point}?[0-9]*|{point}[0-9]+)(?:[eE][+-]?[0-9]+)?|[nN][aA][nN]|[iI][nN][fF](?:[iI][nN][iI][tT][yY])?"
)
_WHOLE = re.compile(r"[ \t-\r]*[+-]?[0-9]+[ \t-\r]*")
FINE = 2**63


def read_numbers(connection: duckdb.DuckDBPyConnection, table: str, column: str, layout: Layout) -> NDArray[Any]:
    """Return a column of texts as numbers; with cells that are none as objects: numbers, texts, None for missing.

    Where cells end in a percent sign each must: of a column that has them with and without, those without stay texts.
    Percents are divided by 100, unless the layout says that scores are percents.
    """
    number, text = _number(column, layout), _text(column)
    signs = f"SELECT count(*) FILTER ({column} LIKE '%\\%%' ESCAPE '\\') FROM {table}"
    ((signed,),) = connection.execute(signs).fetchall()
    if signed:
        bare = f"CASE WHEN rtrim({column}, '{BLANKS}') LIKE '%\\%' ESCAPE '\\' THEN rtrim({column}, '%{BLANKS}') END"
        number = f"{_number(bare, layout)} / {1.0 if layout.written.scale == 'percent' else 100.0}"
    query = f"SELECT n, CASE WHEN n IS NULL THEN t END AS t FROM (SELECT {number} AS n, {text} AS t FROM {table})"
    found = connection.execute(query).fetchnumpy()
    numbers, missing = np.ma.getdata(found["n"]), np.ma.getmaskarray(found["n"])
    if not missing.any():
        return np.asarray(numbers)
    mixed = np.asarray(numbers).astype(object)
    mixed[missing] = _filled(found["t"])[missing]
    return mixed


def read_labels(connection: duckdb.DuckDBPyConnection, table: str, column: str, layout: Layout) -> NDArray[Any]:
    """Return a column of texts as whole numbers, numbers, booleans or texts, whatever all that are there are."""
    distinct = [text for (text,) in connection.execute(f"SELECT DISTINCT {_text(column)} FROM {table}").fetchall()]
    value = _typed([text for text in distinct if text is not None], column, layout)
    found = connection.execute(f"SELECT {value} AS v FROM {table}").fetchnumpy()["v"]
    if None not in distinct:
        return np.asarray(np.ma.getdata(found))
    return _filled(found)


def _typed(texts: list[str], column: str, layout: Layout) -> str:
    """Return what SQL makes of the column, of which these are the distinct texts."""
    if texts and all(_WHOLE.fullmatch(text) and -FINE <= int(text) < FINE for text in texts):
        return f"CAST(trim({_text(column)}, '{BLANKS}') AS BIGINT)"
    if texts and all(re.fullmatch(_pattern(layout), text) for text in texts):
        return _number(column, layout)
    spelt = {text.lower() for text in texts}
    if texts and any(spelt <= pair for pair in PAIRS):
        yes = ", ".join(text_in_sql(word) for word, value in BOOLEANS.items() if value)
        return f"lower({_text(column)}) IN ({yes})"
    return _text(column)


def _text(column: str) -> str:
    """Return the text of a cell, NULL where it stands for a missing value."""
    return f"CASE WHEN {column} NOT IN ({', '.join(map(text_in_sql, MISSING))}) THEN {column} END"


def _number(text: str, layout: Layout) -> str:
    """Return the number that a text is, NULL where it is none."""
    plain = text if layout.thousands is None else f"replace({text}, {text_in_sql(layout.thousands)}, '')"
    plain = plain if layout.point == "." else f"replace({plain}, ',', '.')"
    pattern = text_in_sql(_pattern(layout))
    return f"CASE WHEN regexp_full_match({text}, {pattern}) THEN TRY_CAST(trim({plain}, '+{BLANKS}') AS DOUBLE) END"


def _pattern(layout: Layout) -> str:
    """Return the pattern of a text that is a number."""
    point = re.escape(layout.point)
    digits = _DIGITS.format(point=point)
    if layout.thousands is not None:
        digits = rf"[0-9]{{1,3}}(?:{re.escape(layout.thousands)}[0-9]{{3}})+(?:{point}[0-9]*)?|{digits}"
    return rf"[ \t-\r]*[+-]?(?:{digits})[ \t-\r]*"


def _filled(column: Any) -> NDArray[Any]:
    """Return a column as objects, None where a value is missing."""
    values = np.asarray(np.ma.getdata(column)).astype(object)
    values[np.ma.getmaskarray(column)] = None
    return values
