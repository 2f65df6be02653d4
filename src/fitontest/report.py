"""Writing an evaluation as text: a table for people, JSON and CSV for programs."""

import csv
import io
import json
from collections.abc import Callable

from fitontest.evaluation import Evaluation


def as_table(evaluation: Evaluation) -> str:
    """Return the aligned table."""
    return str(evaluation)


def as_json(evaluation: Evaluation) -> str:
    """Return the records as indented JSON, numbers at full precision."""
    return json.dumps(evaluation.to_dict(), indent=2, allow_nan=False)


def as_csv(evaluation: Evaluation) -> str:
    """Return the records as CSV with a header; what does not exist is an empty cell."""
    rows = evaluation.rows()
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")


FORMATS: dict[str, Callable[[Evaluation], str]] = {"table": as_table, "json": as_json, "csv": as_csv}
