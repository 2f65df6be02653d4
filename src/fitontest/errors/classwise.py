"""Errors of several classes: each class against the rest, and their mean."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fitontest.errors.binned_error import BinnedError
from fitontest.errors.result import CalibrationError
from fitontest.frames import Backend, to_frame
from fitontest.one_vs_rest import one_vs_rest
from fitontest.sample import Sample
from fitontest.text_table import short, text_table
from fitontest.typing import ArrayInput, Label


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class ClasswiseError(CalibrationError):
    """The class-wise calibration error: the mean over the classes of the error of each against the rest.

    Attributes
    ----------
    value : float
        The mean, every class counting the same, in the unit of the errors.
    norm : str
    n : int
        Rows of positive weight.
    errors : dict
        From each class, in the order of the columns, to its `BinnedError`; ``error[label]`` is a short form.

    Examples
    --------
    >>> import fitontest as fot
    >>> p = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]
    >>> error = fot.gce(["a", "b", "b", "c"], p, n_bins=1, reduction="classwise")
    >>> print(error)
    class-wise GCE 0.142: mean over 3 classes, loss bias, norm l1, n = 4
    class   error  bins  share of class  expected if calibrated
    -----  ------  ----  --------------  ----------------------
    a       0.125     1           0.250                       -
    b       0.212     1           0.500                       -
    c      0.0875     1           0.250                       -
    >>> round(float(error["b"]), 12)
    0.2125
    """

    errors: dict[Label, BinnedError]

    def __getitem__(self, label: Label) -> BinnedError:
        """Return the error of one class against the rest."""
        return self.errors[label]

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain record per class."""
        return [
            {
                "class": label,
                "error": error.value,
                "n_bins": error.n_bins,
                "base_rate": error.base_rate,
                "null_mean": None if error.null is None else error.null.mean,
                "null_sd": None if error.null is None else error.null.to_dict()["sd"],
            }
            for label, error in self.errors.items()
        ]

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Return the records as a data frame of an installed library, one row per class."""
        return to_frame(self.rows(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values, with that of every class."""
        each = [{"class": _json_ready(label), **error.to_dict()} for label, error in self.errors.items()]
        return {"reduction": "classwise", **super().to_dict(), "classes": each}

    def __str__(self) -> str:
        first = next(iter(self.errors.values()))
        name, unit = ("TCE", " %") if first.percent else ("GCE", "")
        title = f"class-wise {name} {short(self.value)}{unit}: mean over {len(self.errors)} classes, loss {first.loss}"
        header = ["class", "error", "bins", "share of class", "expected if calibrated"]
        return f"{title}, norm {self.norm}, n = {self.n}\n{text_table(header, map(_cells, self.rows()))}"

    def __repr__(self) -> str:
        unit = " %" if next(iter(self.errors.values())).percent else ""
        return f"ClasswiseError({self.value:.6g}{unit}, classes={list(self.errors)!r}, norm={self.norm!r}, n={self.n})"


def over_classes(
    measure: Callable[[Sample], BinnedError],
    columns: tuple[ArrayInput, ArrayInput, ArrayInput],
    *,
    reduction: str | None,
    labels: ArrayInput,
    pos_label: Label | None,
) -> BinnedError | ClasswiseError:
    """Measure the error of the (y_true, y_prob, sample_weight) in `columns`, or that of each class of a matrix."""
    if reduction is None:
        if labels is not None:
            raise ValueError(f"labels must be left at None unless reduction='classwise', got {labels!r}")
        return measure(Sample(*columns, pos_label=pos_label))
    if reduction != "classwise":
        raise ValueError(f"reduction must be None or 'classwise', got {reduction!r}")
    if pos_label is not None:
        raise ValueError(f"pos_label must be None with reduction='classwise', got {pos_label!r}")
    errors = {label: measure(sample) for label, sample in one_vs_rest(*columns, labels=labels)}
    first = next(iter(errors.values()))
    mean = sum(map(float, errors.values())) / len(errors)
    return ClasswiseError(value=mean, norm=first.norm, n=first.n, errors=errors)


def _json_ready(label: Label) -> Label:
    return label if isinstance(label, bool | int | float | str) else str(label)


def _cells(row: dict[str, Any]) -> list[str]:
    null = "-" if row["null_mean"] is None else short(row["null_mean"])
    return [str(row["class"]), short(row["error"]), str(row["n_bins"]), short(row["base_rate"]), null]
