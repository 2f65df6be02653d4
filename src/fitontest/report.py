"""Writing an evaluation as text: a table for people, JSON and CSV for programs."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass

from fitontest.errors.binned_error import BinnedError
from fitontest.evaluation import Evaluation
from fitontest.text_table import short


@dataclass(frozen=True)
class Report:
    """Calibration errors under several families, and the test-based error, which fractional weights have not."""

    evaluation: Evaluation
    tce: BinnedError | None


def as_table(report: Report) -> str:
    """Return the aligned table, and the test-based error in words."""
    table = str(report.evaluation)
    return table if report.tce is None else f"{table}\n\n{_in_words(report.tce)}"


def _in_words(tce: BinnedError) -> str:
    test = f"{tce.test} test, alpha {tce.alpha:g}, {tce.n_bins} PAVA-BC bins"
    line = f"TCE: {short(tce.value)} % of the predictions are rejected by the labels of their bin ({test})"
    return line if tce.null is None else f"{line}\nExpected if calibrated: {tce.null.in_words(' %')}"


def as_json(report: Report) -> str:
    """Return the records as indented JSON, numbers at full precision."""
    found = {**report.evaluation.to_dict(), "tce": None if report.tce is None else report.tce.to_dict()}
    return json.dumps(found, indent=2, allow_nan=False)


def as_csv(report: Report) -> str:
    """Return the records of the families as CSV with a header; what does not exist is an empty cell."""
    rows = report.evaluation.rows()
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")


FORMATS: dict[str, Callable[[Report], str]] = {"table": as_table, "json": as_json, "csv": as_csv}
