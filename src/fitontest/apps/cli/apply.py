"""``fitontest apply``: a calibration map applied to the scores in a file."""

from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import click
import numpy as np

from fitontest.apps.cli.command import command
from fitontest.apps.cli.layout import of_layout
from fitontest.apps.cli.messages import refusing, say
from fitontest.apps.cli.scores import split_classes
from fitontest.apps.cli.writing import check_output
from fitontest.data.arrays import as_scores, check_finite
from fitontest.data.class_columns import label_texts
from fitontest.data.columns import Names
from fitontest.data.files.copies import append_columns, append_expressions, check_ending
from fitontest.data.files.features import read_features
from fitontest.data.files.kinds import PARQUET, is_parquet
from fitontest.data.files.layout import Layout
from fitontest.data.files.parquet import count_in_parquet, count_rows_in_parquet, find_parquet_numbers
from fitontest.data.files.tables import naming_lines, read_columns
from fitontest.data.predictions import check_order
from fitontest.data.simplex import as_simplex
from fitontest.data.written import counting_from, missing_rows, taken_rows
from fitontest.maps.base import CalibrationMap
from fitontest.maps.expressions import Column, Guarded, Number
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.sql import identifier, to_sql
from fitontest.maps.stored import MAX_BYTES, StoredMap
from fitontest.results.typing import FloatArray
from fitontest.results.writing import written_whole

MOST_IN_MEMORY = 1_000_000  # rows of Parquet; to more of them the map is applied by SQL
AnyMap: TypeAlias = Any  # a map of two classes, or of several: it says which in `takes_classes`
Counts: TypeAlias = tuple[int, int, int]  # rows, those in which a score is missing, and values that were clipped


@command()
@click.argument("map_file", metavar="MAP", type=click.Path(path_type=Path))
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--prob",
    "probs",
    multiple=True,
    required=True,
    help="Column with the predicted probability of the positive class; for a map of several classes repeat for each, "
    "in the order in which it was fitted.",
)
@click.option(
    "--column",
    default="calibrated",
    show_default=True,
    help="Name of the new column; of several classes _ and the name of the class follow it, or of the --prob column "
    "where the classes are not known.",
)
@click.option(
    "--labels",
    help="Classes of the --prob columns, in their order, with commas between them, for a map of several classes: they "
    "must be those that it was fitted for, and name the new columns of a map that does not know its classes.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="The new table: .csv, .csv.gz, .tsv, .tsv.gz or .parquet.",
)
@click.option(
    "--max-bytes",
    type=click.IntRange(min=1),
    default=MAX_BYTES,
    show_default=True,
    help="Size of MAP beyond which it is not read.",
)
@partial(of_layout, missing="each")
@refusing
def apply(
    map_file: Path,
    file: Path,
    probs: tuple[str, ...],
    column: str,
    labels: str | None,
    output: Path,
    max_bytes: int,
    layout: Layout,
) -> None:
    """Write the rows of FILE with their calibrated probabilities.

    MAP is the JSON file of a fitted calibration map, as `fitontest compare --save` and to_json write it. FILE is CSV,
    TSV (also gzipped) or Parquet, or - for standard input. Its rows and columns are written as they are (cells of CSV
    and TSV as texts, to Parquet too; blank lines are left out), followed by one column of calibrated probabilities,
    clipped to [0, 1], or by one for each class; where a score is missing they are missing too. Of several classes MAP
    also holds what they are called, as `fitontest compare --save` writes it: --prob columns that are named after them
    must stand in their order. A map of segments, as `fitontest segments --save` writes it, reads the columns that it
    names.

    Parquet files of more than a million rows are never in memory as a whole: DuckDB computes the map as
    `fitontest sql` prints it, which may differ in the last digit from what Python computes.

    CSV is written in UTF-8, with the separator (.csv) and the decimal separator that --sep and --decimal give.
    """
    check_ending(output)
    check_output(output, "--output", {"FILE": file, "MAP": map_file})
    if not column:
        raise ValueError("--column must be a name, got ''")
    c_hat = read_map(map_file, max_bytes)
    check_probs(c_hat, probs)
    several = c_hat.takes_classes
    classwise = _classes_of(c_hat, probs, labels)
    keys = {prob: f"--prob {prob}" if several else "--prob" for prob in probs}
    wanted = {key: prob for prob, key in keys.items()}
    new = [f"{column}_{one}" for one in classwise] if several else [column]
    with written_whole(output) as written:
        counts = _streamed(c_hat, file, wanted, written, new, layout) or _read_whole(
            c_hat, file, keys, written, new, layout
        )
    rows, missing, outside = counts
    if missing:
        say(f"Note: {missing} of {rows} rows have no score, and no calibrated probability", err=True)
    if outside:
        say(f"Note: {outside} of {rows} calibrated probabilities were clipped to [0, 1]", err=True)
    where = f"column{'s' if several else ''} {', '.join(new)}"
    say(f"Wrote {output}: {rows} rows, calibrated probabilities in {where}")


def _streamed(
    c_hat: AnyMap, file: Path, wanted: dict[str, str], written: Path, new: list[str], layout: Layout
) -> Counts | None:
    """Write the table by SQL, which needs memory for a few rows at a time.

    None where arrays are as good or needed: of few rows, of CSV, whose cells are texts, of maps without a formula, of
    maps that see features, and of columns with values that are no scores, which are refused by the place of the first
    of them.
    """
    if not is_parquet(file) or c_hat.takes_features or not layout.written.is_plain:
        return None
    layout.refuse_for(PARQUET)
    if count_rows_in_parquet(file) <= MOST_IN_MEMORY:
        return None
    names = find_parquet_numbers(file, wanted)
    if names is None:
        return None
    try:
        guarded = c_hat.guarded(names) if c_hat.takes_classes else [c_hat.guarded(names[0])]
    except ValueError:  # a map of one's own
        return None
    kept = to_sql(Guarded(guarded[0].limits, Number(1.0)))
    absent = " OR ".join(f"{name}::DOUBLE IS NULL OR isnan({name}::DOUBLE)" for name in map(identifier, names))
    conditions = [absent, f"{kept} IS NULL AND NOT ({absent})"]
    if not c_hat.takes_classes:
        value = to_sql(Guarded(guarded[0].limits, c_hat.expression_near(Column(names[0]))))
        conditions += [f"{value} NOT BETWEEN 0 AND 1", f"isnan({value})"]
    rows, (missing, bad, *outside) = count_in_parquet(file, conditions)
    if bad or any(outside[1:]):
        return None
    append_expressions(file, written, new, [to_sql(value) for value in guarded])
    return rows, missing, sum(outside)


def _read_whole(
    c_hat: AnyMap, file: Path, keys: dict[str, str], written: Path, new: list[str], layout: Layout
) -> Counts:
    """Write the table by arrays of its scores."""
    wanted = {key: prob for prob, key in keys.items()}
    values = read_columns(file, wanted, wanted, layout, no_rows=True)
    names = {prob: f"prob column {prob!r}" for prob in keys}
    n = len(next(iter(values.values())))
    rows = np.flatnonzero(~np.any([missing_rows(column) for column in values.values()], axis=0))
    known = taken_rows(values, rows)
    with naming_lines(file, {name: prob for prob, name in names.items()}, layout), counting_from(rows):
        each = [as_scores(layout.written.scores(known[key], names[prob]), names[prob]) for prob, key in keys.items()]
    scores = np.column_stack(each)
    if c_hat.takes_classes:
        calibrated, outside = _of_classes(c_hat, scores), 0
    elif c_hat.takes_features:
        X = {name: column[rows] for name, column in read_features(file, c_hat.features, wanted, layout).items()}
        calibrated, outside = (c_hat(X, scores[:, 0])[:, None] if len(scores) else scores), 0
    else:
        calibrated, outside = _calibrated(c_hat, scores)
    appended = np.full((n, len(new)), np.nan)
    appended[rows] = calibrated
    append_columns(file, written, new, appended, wanted, layout)
    return n, n - rows.size, outside


def _classes_of(c_hat: AnyMap, probs: tuple[str, ...], given: str | None) -> list[str]:
    """Return what the columns of several classes are called: the classes of the map, or those given, or --prob."""
    if not c_hat.takes_classes:
        if given is not None:
            raise ValueError(f"--labels must be left out for a map of two classes, got {given}")
        return []
    named = None if given is None else split_classes(given)
    if named is not None and (len(named) != len(probs) or len(set(named)) < len(named)):
        raise ValueError(f"--labels must name a class for each of the {len(probs)} --prob columns, once, got {given}")
    if not c_hat.classes:
        return list(probs) if named is None else named
    if c_hat.n_classes in (None, len(probs)):
        check_order(probs, list(c_hat.classes), Names(y_prob="--prob", labels="--prob"))
    known = label_texts(c_hat.classes)
    if named is not None and named != known:
        raise ValueError(
            f"--labels must be those that MAP was fitted for, in their order, {', '.join(known)}; got {given}"
        )
    if len(known) != len(probs):
        raise ValueError(f"--prob must be given for each class of the map, {', '.join(known)}; got {', '.join(probs)}")
    return known


def _of_classes(c_hat: MulticlassMap, scores: FloatArray) -> FloatArray:
    """Return the map of several classes at the rows."""
    if not len(scores):
        return scores
    simplex = as_simplex(scores, "--prob")
    c_hat.check_columns(simplex, "--prob")
    return c_hat.evaluate(simplex)


def check_probs(c_hat: AnyMap, probs: tuple[str, ...]) -> None:
    """Refuse columns that are not one for a map of two classes, or different ones for a map of several."""
    several = c_hat.takes_classes
    if len(set(probs)) < len(probs) or (len(probs) > 1) != several:
        rule = "for each class of the map, once" if several else "once, for a map of two classes"
        raise ValueError(f"--prob must be given {rule}; got {', '.join(probs)}")


def read_map(path: Path, max_bytes: int) -> AnyMap:
    """Return the map in a file, or refuse it as MAP."""
    if not path.is_file():
        raise ValueError(f"MAP must be an existing file, got {path}")
    with path.open("rb") as file:
        raw = file.read(max_bytes + 1)
    if len(raw) > max_bytes:
        size = path.stat().st_size
        raise ValueError(
            f"MAP must have at most {max_bytes} bytes, got {path} of {size}; allow them by --max-bytes {size}"
        )
    try:
        return StoredMap.from_json(raw.decode("utf-8-sig"), None)  # some editors begin with a mark
    except ValueError as error:
        raise ValueError(f"MAP must be the JSON of a calibration map, got {path}: {error}") from error


def _calibrated(c_hat: CalibrationMap, scores: FloatArray) -> tuple[FloatArray, int]:
    """Return the map at the scores, clipped to [0, 1], and how many values were outside."""
    with np.errstate(over="ignore", invalid="ignore"):  # an infinite value is clipped; what is no number is refused
        values = c_hat(scores)
    clipped = np.clip(values, 0.0, 1.0)
    check_finite(clipped, "calibrated probabilities")
    return clipped, int(np.count_nonzero(clipped != values))
