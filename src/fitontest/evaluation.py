"""All families at one glance: the calibration error of the same scores under every family of maps."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fitontest.classwise_evaluation import ClasswiseEvaluation
from fitontest.data.predictions import ClassScores, Reduction, each_class, reduced
from fitontest.data.sample import Sample
from fitontest.displays.canvas import SomeFigure
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.scales import ScaleName
from fitontest.displays.small_multiples import SmallMultiples, arrange_families
from fitontest.families.base import Family, available_families, seeded
from fitontest.maps.base import CalibrationMap
from fitontest.measures.plug_in import error_of
from fitontest.measures.plug_in_error import PlugInError
from fitontest.results.frames import Backend, to_frame
from fitontest.results.text import text_table
from fitontest.typing import ArrayInput, Label, RandomState

HEADER = ("family", "error", "s.e. (map fixed)", "bins", "fitted here")
FOOTNOTE = """\
Estimates of one quantity by different maps, not a ranking: smaller is not better, and identity is 0 by definition.
s.e. (map fixed): spread of the mean distance over fresh scores under this very map. A map fitted on these rows has
more uncertainty than that, often far more: the number is a lower bound, not an error bar."""

FamilyLike = str | Family | CalibrationMap


@dataclass(frozen=True)
class Evaluation:
    """Calibration errors of one sample under several families.

    Attributes
    ----------
    errors : tuple of PlugInError
        One per family, in the order asked for.
    sample : Sample
        The rows they were measured on, for the diagrams.

    Notes
    -----
    Printing it shows a table. The families answer the same question with different maps: where they agree the number
    depends little on what is assumed about the true map, where they do not it depends on it much. All of them are
    biased upward by being fitted on the rows they are measured on, flexible ones the most: of perfectly calibrated
    scores none but the identity finds an error of 0.
    """

    errors: tuple[PlugInError, ...]
    sample: Sample = field(compare=False)

    def __getitem__(self, family: str) -> PlugInError:
        """Return the error under the family of that name."""
        for error in self.errors:
            if error.family == family:
                return error
        raise KeyError(f"{family!r} is not among {[error.family for error in self.errors]}")

    def __iter__(self) -> Iterator[PlugInError]:
        return iter(self.errors)

    def __len__(self) -> int:
        return len(self.errors)

    def rows(self) -> list[dict[str, Any]]:
        """Return one plain record per family: what the table, the frame and the JSON show."""
        return [
            {
                "family": e.family,
                "norm": e.norm,
                "error": e.value,
                "se_map_fixed": e.se_map_fixed,
                "se_reason": e.se_reason,
                "n_bins": e.n_bins,
                "n": e.n,
                "base_rate": e.base_rate,
                "fitted_on_these_rows": e.fitted_on_these_rows,
            }
            for e in self.errors
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the records as JSON-ready values: ``{"errors": [...]}``, and the reduction if there was one."""
        reduction = self.errors[0].reduction
        return {**({} if reduction is None else {"reduction": reduction}), "errors": self.rows()}

    def to_frame(self, backend: Backend = "pandas") -> Any:
        """Return the records as a data frame of an installed library, one row per family."""
        return to_frame(self.rows(), backend)

    def plot(self, *, scale: ScaleName = "probability", figure: SomeFigure = None) -> SmallMultiples:
        """Draw the reliability diagrams of all families side by side, on shared axes.

        Parameters
        ----------
        scale : {"probability", "logit"}, default="probability"
            How the axes lay out probabilities, see `ReliabilityDisplay`.
        figure : matplotlib Figure or SubFigure, optional
            An empty one to draw in; by default a new pyplot figure that is large enough.

        Returns
        -------
        SmallMultiples
        """
        return self.diagrams(scale=scale).plot(figure)

    def diagrams(self, *, scale: ScaleName = "probability") -> SmallMultiples:
        """Return the reliability diagrams of all families, which are yet to be drawn, or to be saved."""
        return arrange_families(ReliabilityDisplay, self.errors, self.sample, scale)

    def __str__(self) -> str:
        return f"{_title(self.errors[0])}\n{text_table(HEADER, map(_cells, self.errors))}\n{FOOTNOTE}"

    __repr__ = __str__


def _title(e: PlugInError) -> str:
    reduction = "" if e.reduction is None else f", reduction {e.reduction}"
    share = "accuracy" if e.reduction == "confidence" else "share of positives"
    return f"calibration error ({e.norm}){reduction}, n = {e.n}, {share} {e.base_rate:.4g}"


def _cells(e: PlugInError) -> tuple[str, ...]:
    return (
        e.family,
        f"{e.value:#.3g}",
        "-" if e.se_map_fixed is None else f"{e.se_map_fixed:#.2g}",
        "-" if e.n_bins is None else str(e.n_bins),
        "yes" if e.fitted_on_these_rows else "no",
    )


def evaluate(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    *,
    families: Iterable[FamilyLike] | None = None,
    norm: Literal["l1", "l2", "squared", "max"] = "l1",
    random_state: RandomState = 0,
    reduction: Reduction | None = None,
    labels: ArrayInput = None,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> Evaluation | ClasswiseEvaluation:
    """Return the plug-in calibration error of the scores under several families.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n,)
        Labels and predicted probabilities of the positive class; with `reduction` labels of any number of classes, and
        a matrix of shape (n, K).
    families : iterable of str, Family or CalibrationMap, optional
        All registered families by default.
    norm : {"l1", "l2", "squared", "max"}, default="l1"
        How the distances |c_hat(p) - p| become one number, see `calibration_error`.
    random_state : int, RandomState or None, default=0
        Seed for the families given by name that draw folds; an instance keeps its own.
    reduction : {"confidence", "classwise", "binary"}, optional
        How a matrix of scores is read, see `calibration_error`: the largest score of each row, as the probability that
        its class is the label; each class against the rest; or the column of the positive class of two.
    labels : array-like of shape (K,), optional
        The classes in the order of the columns, with `reduction`; by default the labels that occur, sorted.
    sample_weight : array-like of shape (n,), optional
        Weight 2 counts a row twice, weight 0 not at all.
    pos_label : label, optional
        The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}.

    Returns
    -------
    Evaluation
        A `ClasswiseEvaluation` with ``reduction="classwise"``.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Examples
    --------
    >>> import fitontest as fot
    >>> evaluation = fot.evaluate([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8], families=["identity", "isotonic"])
    >>> print(evaluation)
    calibration error (l1), n = 4, share of positives 0.5
    family    error  s.e. (map fixed)  bins  fitted here
    --------  -----  ----------------  ----  -----------
    identity   0.00                 -     -          yes
    isotonic  0.125             0.022     3          yes
    Estimates of one quantity by different maps, not a ranking: ...
    >>> float(evaluation["isotonic"]).__round__(12)
    0.125
    """
    columns = (y_true, y_prob, sample_weight)
    if reduction == "classwise":
        return classwise_evaluation_of(each_class(columns, labels, pos_label), families, norm, random_state)
    sample = reduced(columns, reduction, labels, pos_label)
    return evaluation_of(sample, families, norm, random_state, reduction=reduction)


def evaluation_of(
    sample: Sample,
    families: Iterable[FamilyLike] | None,
    norm: str,
    random_state: RandomState,
    follow: Callable[[list[FamilyLike]], Iterable[FamilyLike]] = iter,
    *,
    reduction: str | None = None,
) -> Evaluation:
    """Return the errors of a checked sample; `follow` may watch the families go by (a progress bar)."""
    asked = _asked(families)
    errors = [_error(sample, family, norm, random_state).under(reduction) for family in follow(asked)]
    names = [error.family for error in errors]
    return Evaluation(
        tuple(
            replace(error, family=str(family)) if names.count(error.family) > 1 else error
            for error, family in zip(errors, asked, strict=True)  # two settings of one family: show the settings
        ),
        sample,
    )


def classwise_evaluation_of(
    scores: ClassScores,
    families: Iterable[FamilyLike] | None,
    norm: str,
    random_state: RandomState,
    follow: Callable[[list[Label]], Iterable[Label]] = iter,
) -> ClasswiseEvaluation:
    """Return the errors of each class against the rest; `follow` may watch the classes go by (a progress bar)."""
    asked = _asked(families)  # once, or the first class would use an iterator up
    found = {}
    for column, label in enumerate(follow(scores.classes)):
        evaluation = evaluation_of(scores.against_rest(column), asked, norm, random_state, reduction="classwise")
        # a sample anew, for the one that was measured has grown by its sorted rows: of a thousand classes, gigabytes
        found[label] = replace(evaluation, sample=scores.against_rest(column))
    return ClasswiseEvaluation(found)


def _asked(families: Iterable[FamilyLike] | None) -> list[FamilyLike]:
    listed = isinstance(families, Iterable) and not isinstance(families, str)
    asked: list[FamilyLike] = list(available_families() if families is None else families if listed else ())
    if not asked:
        raise ValueError(f"families must be a non-empty list of families, got {families!r}")
    return asked


def _error(sample: Sample, family: FamilyLike, norm: str, random_state: RandomState) -> PlugInError:
    if not isinstance(family, str):
        return error_of(sample, family, norm)
    return replace(error_of(sample, seeded(family, random_state), norm), family=family)
