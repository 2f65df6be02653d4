r"""The proper calibration error: by how much a calibration map lowers a proper loss on rows that it was not fitted to.

    CE_S = E S(p, y) - E S(E[y | p], y) = max_g E S(p, y) - E S(g(p), y)

for a proper loss S: of the log loss the mean Kullback-Leibler divergence of E[y | p] from p, of the Brier score their
mean squared distance. For any one family the mean gain of its map on held-out rows is a lower bound in expectation, and
it may be negative. Fitted to the rows on which it is measured, a map of d free numbers gains d / (2 n) nats by chance
under calibration, and held out, with cv folds, it loses d cv / (2 n (cv - 1)).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from fitontest.data.counted_sample import count_rows
from fitontest.data.dependence import are_too_few
from fitontest.data.sample import Sample
from fitontest.families.base import read_family
from fitontest.families.listed import is_family
from fitontest.families.multiclass.one_vs_rest import class_family_name, read_for_classes
from fitontest.families.registry import family_name
from fitontest.measures.estimate import Estimate
from fitontest.measures.evidence import Evidence
from fitontest.measures.measure import Measure, Unit, register
from fitontest.measures.words import Words, in_nats
from fitontest.numerics.losses import LOSS_NAMES, find_loss
from fitontest.numerics.random import check_cv, check_seed
from fitontest.numerics.standard_error import mean_and_error
from fitontest.results.checks import as_list, brief
from fitontest.results.exceptions import without_warnings
from fitontest.results.progress import track
from fitontest.results.table import Section
from fitontest.results.text import short
from fitontest.results.typing import FloatArray, IntArray, RandomState

LossName: TypeAlias = Literal["log_loss", "brier"]
SEVERAL = "vector"  # the family by default, of several classes
TWO = "beta"  # of a column


@register("proper_error")
@dataclass(frozen=True, eq=False)
class ProperError(Measure):
    """By how much recalibration lowers the log loss, or another proper loss, on held-out rows.

    The predictions are of K classes, or a column of two.

    Parameters
    ----------
    family, loss, cv, random_state
        See `proper_error`.

    Examples
    --------
    >>> import fitontest as fot
    >>> fot.measures.ProperError("beta", "brier").in_words()
    'family beta, Brier score, 10 folds'
    """

    classes: ClassVar[Literal["two", "any", "both"]] = "both"

    family: Any = None
    loss: LossName = "log_loss"
    cv: int = 10
    random_state: RandomState = 0
    listed: tuple[Any, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        find_loss(self.loss, "loss")
        check_cv(self.cv)
        check_seed(self.random_state)
        family = self.family
        listed = [] if family is None else [family] if is_family(family) else as_list(family, "family")
        for family in listed:
            if not is_family(family):
                raise ValueError(
                    f"family must be the name of a family, a family, or a list of them; got {brief(family)}"
                )
        object.__setattr__(self, "listed", tuple(listed))

    @property
    def unit(self) -> Unit:  # type: ignore[override]
        """Nats for the log loss; the Brier score has none."""
        return "nats" if self.loss == "log_loss" else "fraction"

    @property
    def words(self) -> Words:
        """How it is called: by calibration maps, loss and number of folds; values are in nats with the log loss."""
        names = [family_name(family) for family in self.listed]
        family = {"family": names[0] if len(names) == 1 else names} if names else {}
        which = f"best of {', '.join(names)} by the training part" if len(names) > 1 else "".join(names)
        seed = self.random_state if isinstance(self.random_state, int) else None
        in_words = [f"family {which}" if which else "", LOSS_NAMES[self.loss], f"{self.cv} folds"]
        return Words(
            title="proper calibration error",
            settings={"family": None, **family, "loss": self.loss, "cv": int(self.cv), "random_state": seed},
            brief={**family, "loss": self.loss},
            settings_in_words=", ".join(filter(None, in_words)),
            printed=in_nats if self.loss == "log_loss" else short,
        )

    @property
    def squared(self) -> bool:
        """The divergences are of second order in the distance of the scores from the truth."""
        return True

    def estimate(self, sample: Sample) -> Estimate:
        """Return the mean gain over the held-out rows.

        Raises
        ------
        ValueError
            A single row, whatever its weight, or only equal rows of whole distributions: there is nothing to hold out.
        """
        rows, folds = self._hold_out(sample)
        if not folds:
            raise ValueError(f"{self.cv} folds need two rows that differ, got {sample.n:g} rows of one kind")
        families, name_of = self._families(sample)
        before, chosen = rows.losses(self.loss), []
        after = np.zeros(before.size)
        with without_warnings():  # a fold tells nothing that the whole does not
            for fold in track(folds, "folds"):
                training = np.setdiff1d(np.arange(before.size), fold, assume_unique=True)
                best = self._best(families, rows.take(training)) if len(families) > 1 else 0
                chosen.append(name_of(families[best]))
                after[fold] = self._losses(families[best], rows, training, fold)
        groups = rows.groups
        codes = None if groups is None or are_too_few(groups) else groups.code
        value, error = mean_and_error(before - after, rows.w, rows.w2, codes)
        loss = float(rows.w @ before / rows.w.sum())
        evidence = HeldOutGain(
            n_classes=sample.n_classes,
            standard_error=None if are_too_few(groups) else error,
            loss_before=loss,
            loss_after=loss - value,
            chosen=tuple(chosen),
            loss_name=self.loss,
        )
        return Estimate.of(self, sample, value, evidence)

    def _hold_out(self, sample: Sample) -> tuple[Sample, list[IntArray]]:
        """Return rows, with the positions of those that are held out together."""
        rows = count_rows(sample).present
        return rows.in_folds(self.cv, self.random_state) if sample.n > 1 else (rows, [])

    def _families(self, sample: Sample) -> tuple[list[Any], Callable[[Any], str]]:
        """Return unfitted families, and what gives their names."""
        read, default, name_of = sample.either(
            (read_family, TWO, family_name), (read_for_classes, SEVERAL, class_family_name)
        )
        listed = self.listed or (default,)
        made = [read(one, self.random_state if isinstance(one, str) else "own") for one in listed]
        return made, name_of

    def _best(self, families: Sequence[Any], sample: Sample) -> int:
        """Return which family has the smallest loss on held-out rows of a sample."""
        rows, folds = self._hold_out(sample)
        losses = np.zeros(len(families))
        for fold in folds:
            rest = np.setdiff1d(np.arange(rows.w.size), fold, assume_unique=True)
            losses += [rows.w[fold] @ self._losses(family, rows, rest, fold) for family in families]
        return int(np.argmin(losses))

    def _losses(self, family: Any, rows: Sample, training: IntArray, held_out: IntArray) -> FloatArray:
        """Return the loss of each held-out row under the map that is fitted to the training rows."""
        predictions = rows.predict(rows.take(training).fit(family), held_out)
        return rows.take(held_out).losses(self.loss, predictions)


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldOutGain(Evidence):
    """What calibration of held-out rows gained.

    Attributes
    ----------
    standard_error : float or None
        Of the mean gain, from the spread of the rows, or of groups of rows; None of fewer than 10 effective groups.
        Rows of one fold share a map, and its noise is left out.
    loss_before, loss_after : float
        Mean loss of the predictions and of the calibrated held-out ones: the second is the refinement.
    chosen : tuple of str
        The family of each fold.
    loss_name : str
    """

    recorded = ("standard_error", "loss_before", "loss_after")

    standard_error: float | None
    loss_before: float
    loss_after: float
    chosen: tuple[str, ...]
    loss_name: str

    def section(self) -> Section:
        """Return standard error and losses in a line."""
        before, after = short(self.loss_before, 4), short(self.loss_after, 4)
        name = LOSS_NAMES[self.loss_name]
        error = "no standard error of so few groups"  # the estimate says why
        if self.standard_error is not None:
            error = f"standard error {short(self.standard_error, 2)}"
        lines = [f"{error}; {name} {before}, held out {after} after calibration"]
        counts = Counter(self.chosen)
        if len(counts) > 1:
            lines.append("chosen: " + ", ".join(f"{name} in {count} folds" for name, count in counts.most_common()))
        elif "(" in self.chosen[0]:
            lines.append(f"fitted: {self.chosen[0]}")
        return Section(notes="\n".join(lines))

    def to_dict(self) -> dict[str, Any]:
        """Return these and the family of each fold."""
        return {**self.record(), "chosen": list(self.chosen)}
