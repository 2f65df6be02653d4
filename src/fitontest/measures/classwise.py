"""Errors of several classes: each class against the rest, and their mean."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from fitontest.data.predictions import Columns, each_class, reduced
from fitontest.data.sample import Sample
from fitontest.measures.binned_error import BinnedError
from fitontest.measures.plug_in_error import PlugInError
from fitontest.measures.result import CalibrationError
from fitontest.results.frames import Backend, to_frame
from fitontest.results.text import short, text_table
from fitontest.typing import ArrayInput, Label

OneError = TypeVar("OneError", BinnedError, PlugInError)


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
        From each class, in the order of the columns, to its `BinnedError` or, from `calibration_error`, its
        `PlugInError`; ``error[label]`` is a short form.

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
    >>> print(fot.calibration_error(["a", "b", "b", "c"], p, family=fot.Slope1(1), reduction="classwise"))
    class-wise calibration error 0.142: mean over 3 classes, family slope1, norm l1, n = 4
    class   error  bins  share of class  s.e. (map fixed)
    -----  ------  ----  --------------  ----------------
    a       0.125     1           0.250                 -
    b       0.212     1           0.500                 -
    c      0.0875     1           0.250                 -
    """

    errors: Mapping[Label, BinnedError | PlugInError]

    def __getitem__(self, label: Label) -> BinnedError | PlugInError:
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
                **_spread(error),
            }
            for label, error in self.errors.items()
        ]

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Return the records as a data frame of an installed library, one row per class."""
        return to_frame(self.rows(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values, with that of every class."""
        each = [{"class": json_ready(label), **error.to_dict()} for label, error in self.errors.items()]
        return {"reduction": "classwise", **super().to_dict(), "classes": each}

    def __str__(self) -> str:
        first = self._first
        title = f"class-wise {_measure(first)} {short(self.value)}{_unit(first)}: mean over {len(self.errors)} classes"
        last = "expected if calibrated" if isinstance(first, BinnedError) else "s.e. (map fixed)"
        header = ["class", "error", "bins", "share of class", last]
        return f"{title}, {_settings(first)}, n = {self.n}\n{text_table(header, map(_cells, self.rows()))}"

    def __repr__(self) -> str:
        classes = list(self.errors)
        return f"ClasswiseError({self.value:.6g}{_unit(self._first)}, {classes=}, norm={self.norm!r}, n={self.n})"

    @property
    def _first(self) -> BinnedError | PlugInError:
        return next(iter(self.errors.values()))


def over_classes(
    measure: Callable[[Sample], OneError],
    columns: Columns,
    *,
    reduction: str | None,
    labels: ArrayInput,
    pos_label: Label | None,
) -> OneError | ClasswiseError:
    """Measure the error of the (y_true, y_prob, sample_weight) in `columns`, or what a reduction asks for."""
    if reduction != "classwise":
        return measure(reduced(columns, reduction, labels, pos_label)).under(reduction)
    scores = each_class(columns, labels, pos_label)
    return mean_of({label: measure(sample) for label, sample in scores.one_vs_rest()})


def mean_of(errors: Mapping[Label, OneError]) -> ClasswiseError:
    """Return the class-wise error of the errors of the classes."""
    each = {label: error.under("classwise") for label, error in errors.items()}
    first = next(iter(each.values()))
    mean = sum(map(float, each.values())) / len(each)
    return ClasswiseError(value=mean, norm=first.norm, n=first.n, errors=each)


def json_ready(label: Label) -> Label:
    """Return the label as JSON can hold it."""
    return label if isinstance(label, bool | int | float | str) else str(label)


def _measure(error: BinnedError | PlugInError) -> str:
    if isinstance(error, PlugInError):
        return "debiased calibration error" if error.debiased else "calibration error"
    return "TCE" if error.percent else "GCE"


def _settings(error: BinnedError | PlugInError) -> str:
    how = f"family {error.family}" if isinstance(error, PlugInError) else f"loss {error.loss}"
    return f"{how}, norm {error.norm}"


def _unit(error: BinnedError | PlugInError) -> str:
    return " %" if isinstance(error, BinnedError) and error.percent else ""


def _spread(error: BinnedError | PlugInError) -> dict[str, float | None]:
    """Return what tells how far the error of a class may be trusted."""
    if isinstance(error, PlugInError):
        return {"se_map_fixed": error.se_map_fixed}
    null = error.null
    return {
        "null_mean": None if null is None else null.mean,
        "null_sd": None if null is None else null.to_dict()["sd"],
    }


def _cells(row: dict[str, Any]) -> list[str]:
    bins = "-" if row["n_bins"] is None else str(row["n_bins"])
    trust = row["null_mean"] if "null_mean" in row else row["se_map_fixed"]
    return [str(row["class"]), short(row["error"]), bins, short(row["base_rate"]), _cell(trust)]


def _cell(value: float | None) -> str:
    return "-" if value is None else short(value)
