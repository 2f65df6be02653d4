"""The options of `read`, which every function of labels and scores takes, and hands on to it."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypedDict

from fitontest.data.simplex_sample import AnyReduction
from fitontest.data.weights import WeightType
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import ArrayInput, Label


class OfRows(TypedDict, total=False):
    """How rows are read.

    Parameters
    ----------
    sample_weight : array-like of shape (n,), optional
        Weights of the rows. A row of weight 0 is absent.
    weights : {"auto", "counts", "importances"}, default="auto"
        What the weights mean: of counts a row of weight 2 is that row twice, of importances the scale means nothing.
        "auto": counts where all are whole numbers of at most 10 on average, else importances.
    reduction : {"confidence", "classwise", "binary", "canonical"}, optional
        How a matrix of scores is read, see `calibration_error`: the largest score of each row, as the probability that
        its class is the label; each class against the rest; the column of the positive class of two; or whole
        distributions. Without it only a column of scores is accepted, or two that add up to 1 in each row: of these
        that of `pos_label` is read, by default that of the second class.
    labels : array-like of shape (K,), optional
        The classes in the order of the columns, with `reduction`, also those that do not occur; by default those that
        the columns of a data frame are called after, or else the labels that occur, sorted.
    pos_label : label, optional
        The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}. Of more than two labels it is held
        against all others, and notes say so.
    groups : array-like of shape (n,), or str or list of str, optional
        Which rows belong together, such as those of one patient, user or site: an id of any hashable type for each row;
        of a frame or file the name of a column, or of several, of which rows belong together that share the values of
        all. Intervals, p-values and folds then take groups, not rows, for independent; docs/groups.md says when that
        matters.
    """

    sample_weight: ArrayInput
    weights: Annotated[WeightType, "auto"]
    reduction: AnyReduction | None
    labels: ArrayInput
    pos_label: Label | None
    groups: ArrayInput


@take_descriptions(OfRows)
class Reading(OfRows, total=False):
    """How labels and scores are read.

    Parameters
    ----------
    label, prob, weight : str, optional
        Columns of a file or data frame, eager or lazy, that stands in place of `y_true`: of the labels, of the scores
        (with `reduction` a list of columns) and of the weights.
    """

    label: str | None
    prob: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None
    weight: str | None


class Layout(TypedDict, total=False):
    """How a file is written.

    Parameters
    ----------
    sep, encoding, decimal : str, optional
        How a CSV file is written: by default the separator with which the header has the columns, UTF-8, and the point.
    thousands : str, optional
        The character between thousands of the numbers in a CSV file; by default there is none.
    header : bool, optional
        Whether a CSV file begins with the names of its columns, as by default; else they are "1", "2", ...
    max_unpacked : int, optional
        Bytes to which a compressed file may unpack; by default 4 GiB.
    """

    sep: str | None
    encoding: str | None
    decimal: Literal[".", ","] | None
    thousands: str | None
    header: bool | None
    max_unpacked: int | None


@take_descriptions(Layout)
@take_descriptions(Reading)
class ReadingOfFiles(Reading, Layout, total=False):
    """How labels and scores are read, and how the file that holds them is written."""


def reading_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those options of a function that `read` takes."""
    return {name: value for name, value in options.items() if name in Reading.__annotations__}
