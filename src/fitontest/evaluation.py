"""All families at one glance: the calibration error of the same scores under every family of maps."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from fitontest.displays.canvas import SomeFigure
from fitontest.displays.scales import ScaleName
from fitontest.displays.small_multiples import SmallMultiples, side_by_side
from fitontest.errors.plug_in import error_of
from fitontest.errors.plug_in_error import PlugInError
from fitontest.families.base import Family, available_families, family_class, make_family
from fitontest.frames import Backend, to_frame
from fitontest.maps.base import CalibrationMap
from fitontest.sample import Sample
from fitontest.text_table import text_table
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
        """Return the records as JSON-ready values: ``{"errors": [...]}``."""
        return {"errors": self.rows()}

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
        return side_by_side(self.errors, self.sample, scale)

    def __str__(self) -> str:
        first = self.errors[0]
        title = f"calibration error ({first.norm}), n = {first.n}, share of positives {first.base_rate:.4g}"
        return f"{title}\n{text_table(HEADER, map(_cells, self.errors))}\n{FOOTNOTE}"

    __repr__ = __str__


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
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> Evaluation:
    """Return the plug-in calibration error of the scores under several families.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n,)
        Labels and predicted probabilities of the positive class.
    families : iterable of str, Family or CalibrationMap, optional
        All registered families by default.
    norm : {"l1", "l2", "squared", "max"}, default="l1"
        How the distances |c_hat(p) - p| become one number, see `calibration_error`.
    random_state : int, RandomState or None, default=0
        Seed for the families given by name that draw folds; an instance keeps its own.
    sample_weight : array-like of shape (n,), optional
        Weight 2 counts a row twice, weight 0 not at all.
    pos_label : label, optional
        The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}.

    Returns
    -------
    Evaluation

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
    sample = Sample(y_true, y_prob, sample_weight, pos_label=pos_label)
    return evaluation_of(sample, families, norm, random_state)


def evaluation_of(
    sample: Sample,
    families: Iterable[FamilyLike] | None,
    norm: str,
    random_state: RandomState,
    follow: Callable[[list[FamilyLike]], Iterable[FamilyLike]] = iter,
) -> Evaluation:
    """Return the errors of a checked sample; `follow` may watch the families go by (a progress bar)."""
    listed = isinstance(families, Iterable) and not isinstance(families, str)
    asked: list[FamilyLike] = list(available_families() if families is None else families if listed else ())
    if not asked:
        raise ValueError(f"families must be a non-empty list of families, got {families!r}")
    errors = [_error(sample, family, norm, random_state) for family in follow(asked)]
    names = [error.family for error in errors]
    return Evaluation(
        tuple(
            replace(error, family=str(family)) if names.count(error.family) > 1 else error
            for error, family in zip(errors, asked, strict=True)  # two settings of one family: show the settings
        ),
        sample,
    )


def _error(sample: Sample, family: FamilyLike, norm: str, random_state: RandomState) -> PlugInError:
    if isinstance(family, str) and "random_state" in family_class(family)().get_params():
        return error_of(sample, make_family(family, random_state=random_state), norm)
    return error_of(sample, family, norm)
