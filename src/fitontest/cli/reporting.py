"""Writing an evaluation as text: a table for people, JSON and CSV for programs."""

import json
from collections.abc import Callable
from dataclasses import dataclass

from fitontest.classwise_evaluation import ClasswiseEvaluation
from fitontest.evaluation import Evaluation
from fitontest.measures.binned_error import BinnedError
from fitontest.measures.classwise import ClasswiseError
from fitontest.results.text import csv_text, short


@dataclass(frozen=True)
class Report:
    """Calibration errors under several families, and the test-based error, which fractional weights have not."""

    evaluation: Evaluation
    tce: BinnedError | None


@dataclass(frozen=True)
class ClasswiseReport:
    """The same of each class against the rest."""

    evaluation: ClasswiseEvaluation
    tce: ClasswiseError | None


def as_table(report: Report | ClasswiseReport) -> str:
    """Return the aligned table, and the test-based error in words."""
    table = str(report.evaluation)
    return table if report.tce is None else f"{table}\n\n{_in_words(report.tce)}"


def _in_words(tce: BinnedError | ClasswiseError) -> str:
    if isinstance(tce, ClasswiseError):
        return _mean_in_words(tce)
    test = f"{tce.test} test, alpha {tce.alpha:g}, {tce.n_bins} PAVA-BC bins"
    line = f"TCE: {short(tce.value)} % of the predictions are rejected by the labels of their bin ({test})"
    return line if tce.null is None else f"{line}\nExpected if calibrated: {tce.null.in_words(' %')}"


def _mean_in_words(tce: ClasswiseError) -> str:
    errors = [error for error in tce.errors.values() if isinstance(error, BinnedError)]
    nulls = [error.null.mean for error in errors if error.null is not None]
    test = f"{errors[0].test} test, alpha {errors[0].alpha:g}, PAVA-BC bins"
    mean = f"mean over {len(errors)} classes"
    line = f"TCE: {short(tce.value)} % of the predictions are rejected by the labels of their bin, {mean} ({test})"
    return f"{line}\nExpected if calibrated: {short(sum(nulls) / len(nulls))} %, {mean}" if nulls else line


def as_json(report: Report | ClasswiseReport) -> str:
    """Return the records as indented JSON, numbers at full precision."""
    found = {**report.evaluation.to_dict(), "tce": None if report.tce is None else report.tce.to_dict()}
    return json.dumps(found, indent=2, allow_nan=False)


def as_csv(report: Report | ClasswiseReport) -> str:
    """Return the records of the families as CSV with a header; what does not exist is an empty cell."""
    return csv_text(report.evaluation.rows())


FORMATS: dict[str, Callable[[Report | ClasswiseReport], str]] = {"table": as_table, "json": as_json, "csv": as_csv}
