r"""The proper calibration error: by how much a calibration map lowers a proper loss on rows that it was not fitted to.

    CE_S = E S(p, y) - E S(E[y | p], y) = max_g E S(p, y) - E S(g(p), y)

for a proper loss S: of the log loss the mean Kullback-Leibler divergence of E[y | p] from p, of the Brier score their
mean squared distance. For any one family the mean gain of its map on held-out rows is a lower bound in expectation, and
it may be negative. Fitted to the rows on which it is measured, a map of d free numbers gains d / (2 n) nats by chance
under calibration, and held out, with cv folds, it loses d cv / (2 n (cv - 1)).
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np

from fitontest.checks import as_list, brief
from fitontest.data.counted_sample import count_rows
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample
from fitontest.exceptions import without_warnings
from fitontest.families.base import Family, read_family
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.multiclass.one_vs_rest import class_family_name, read_for_classes
from fitontest.families.registry import family_name
from fitontest.measures.canonical import CanonicalEvidence
from fitontest.measures.estimate import Estimate
from fitontest.measures.measure import Measure, Unit, register
from fitontest.numerics.losses import LOSS_NAMES, find_loss
from fitontest.numerics.random import check_cv, check_seed
from fitontest.numerics.standard_error import mean_and_error
from fitontest.progress import track
from fitontest.results.table import Section
from fitontest.results.text import short
from fitontest.typing import FloatArray, IntArray, RandomState

LossName: TypeAlias = Literal["log_loss", "brier"]
Data: TypeAlias = ScoreSample | SimplexSample
SEVERAL = "vector"  # the family by default, of several classes
TWO = "beta"  # of a column


@register("proper_error")
@dataclass(frozen=True, eq=False)
class ProperError(Measure):
    """The mean gain in a proper loss of held-out calibration, over predictions of K classes or a column of two.

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

    classes: ClassVar[Literal["two", "any"]] = "any"
    takes_samples: ClassVar[bool] = True

    family: Any = None
    loss: LossName = "log_loss"
    cv: int = 10
    random_state: RandomState = 0
    listed: tuple[Any, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        find_loss(self.loss, "loss")
        check_cv(self.cv)
        check_seed(self.random_state)
        given = self.family
        one = given is None or isinstance(given, str | Family | MulticlassFamily)
        listed = () if given is None else (given,) if one else tuple(as_list(given, "family"))
        for family in listed:
            if not isinstance(family, str | Family | MulticlassFamily):
                raise ValueError(
                    f"family must be the name of a family, a family, or a list of them; got {brief(family)}"
                )
        object.__setattr__(self, "listed", listed)

    @property
    def unit(self) -> Unit:  # type: ignore[override]
        """Nats for the log loss; the Brier score has none."""
        return "nats" if self.loss == "log_loss" else "fraction"

    @property
    def title(self) -> str:
        """Proper calibration error."""
        return "proper calibration error"

    @property
    def squared(self) -> bool:
        """The divergences are of second order in the distance of the scores from the truth."""
        return True

    def settings(self) -> dict[str, Any]:
        """Return the settings as JSON-ready values."""
        names = [family_name(family) for family in self.listed]
        family = names[0] if len(names) == 1 else names or None
        return {"family": family, "loss": self.loss, "cv": int(self.cv), "random_state": self._plain_seed()}

    def brief(self) -> dict[str, Any]:
        """Return families and loss."""
        settings = self.settings()
        return {name: settings[name] for name in ("family", "loss") if settings[name] is not None}

    def in_words(self) -> str:
        """Return families, loss and number of folds in words."""
        names = [family_name(family) for family in self.listed]
        which = f"best of {', '.join(names)} by the training part" if len(names) > 1 else "".join(names)
        return ", ".join(filter(None, [f"family {which}" if which else "", LOSS_NAMES[self.loss], f"{self.cv} folds"]))

    def printed(self, value: float, digits: int = 3) -> str:
        """Return a value, in nats with the log loss."""
        return f"{short(value, digits)} nats" if self.loss == "log_loss" else short(value, digits)

    def estimate(self, sample: Data) -> Estimate:
        """Return the mean gain over the held-out rows.

        Raises
        ------
        ValueError
            A single row, whatever its weight, or only equal rows of whole distributions: there is nothing to hold out.
        """
        held: _HeldOut
        held = _OfColumn(sample, self) if isinstance(sample, ScoreSample) else _OfClasses(sample.present, self)
        families = held.families()
        folds = held.folds()
        if not folds:
            raise ValueError(f"{self.cv} folds need two rows that differ, got {sample.n:g} rows of one kind")
        before, after, chosen = held.before(), np.zeros(len(held)), []
        with without_warnings():  # a fold tells nothing that the whole does not
            for fold in track(folds, "folds"):
                training = np.setdiff1d(np.arange(len(held)), fold, assume_unique=True)
                best = held.best(families, training) if len(families) > 1 else 0
                chosen.append(held.name_of(families[best]))
                after[fold] = held.after(families[best], training, fold)
        value, error = mean_and_error(before - after, held.w, held.w2)
        loss = float(held.w @ before / held.w.sum())
        evidence = HeldOutGain(
            n_classes=held.n_classes,
            standard_error=error,
            loss_before=loss,
            loss_after=loss - value,
            chosen=tuple(chosen),
            loss_name=self.loss,
        )
        return Estimate.of(self, sample, value, evidence)

    def _plain_seed(self) -> int | None:
        return self.random_state if isinstance(self.random_state, int) else None


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldOutGain(CanonicalEvidence):
    """What calibration of held-out rows gained.

    Attributes
    ----------
    standard_error : float
        Of the mean gain, from the spread of the rows. Rows of one fold share a map, and its noise is left out.
    loss_before, loss_after : float
        Mean loss of the predictions and of the calibrated held-out ones: the second is the refinement.
    chosen : tuple of str
        The family of each fold.
    loss_name : str
    """

    standard_error: float
    loss_before: float
    loss_after: float
    chosen: tuple[str, ...]
    loss_name: str

    def record(self) -> dict[str, Any]:
        """Return the standard error and both losses."""
        return {
            **super().record(),
            "standard_error": self.standard_error,
            "loss_before": self.loss_before,
            "loss_after": self.loss_after,
        }

    def section(self) -> Section:
        """Return standard error and losses in a line."""
        before, after = short(self.loss_before, 4), short(self.loss_after, 4)
        name = LOSS_NAMES[self.loss_name]
        lines = [f"standard error {short(self.standard_error, 2)}; {name} {before}, held out {after} after calibration"]
        counts = Counter(self.chosen)
        if len(counts) > 1:
            lines.append("chosen: " + ", ".join(f"{name} in {count} folds" for name, count in counts.most_common()))
        elif "(" in self.chosen[0]:
            lines.append(f"fitted: {self.chosen[0]}")
        return Section(notes="\n".join(lines))

    def to_dict(self) -> dict[str, Any]:
        """Return these and the family of each fold."""
        return {**self.record(), "chosen": list(self.chosen)}


class _HeldOut(ABC):
    """Rows of which parts are held out, with the families that are fitted to the others."""

    n_classes: int
    w: FloatArray
    w2: FloatArray

    def __init__(self, measure: ProperError) -> None:
        self.measure = measure

    def __len__(self) -> int:
        return self.w.size

    @abstractmethod
    def families(self) -> list[Any]:
        """Return unfitted families."""

    @abstractmethod
    def name_of(self, family: Any) -> str:
        """Return what a family is called."""

    @abstractmethod
    def folds(self) -> list[IntArray]:
        """Return the rows that are held out together."""

    @abstractmethod
    def part(self, rows: IntArray) -> "_HeldOut":
        """Return the chosen rows."""

    @abstractmethod
    def before(self) -> FloatArray:
        """Return the loss of the predictions of each row."""

    @abstractmethod
    def after(self, family: Any, training: IntArray, held: IntArray) -> FloatArray:
        """Return the loss of each held-out row under the map that is fitted to the training rows."""

    def best(self, families: Sequence[Any], training: IntArray) -> int:
        """Return which family has the smallest loss on held-out rows of the training rows."""
        part = self.part(training)
        losses = np.zeros(len(families))
        for fold in part.folds():
            rest = np.setdiff1d(np.arange(len(part)), fold, assume_unique=True)
            losses += [part.w[fold] @ part.after(family, rest, fold) for family in families]
        return int(np.argmin(losses))


class _OfColumn(_HeldOut):
    """The sorted rows of a sample of two classes."""

    n_classes = 2

    def __init__(self, sample: ScoreSample, measure: ProperError) -> None:
        super().__init__(measure)
        several = sample.n > 1
        sample = cast("ScoreSample", count_rows(sample))
        self.sample, self._folds = sample.in_folds(measure.cv, measure.random_state) if several else (sample, [])
        self.rows = self.sample.rows
        self.w, self.w2 = self.rows.w, self.rows.w2

    def families(self) -> list[Any]:
        listed = self.measure.listed or (TWO,)
        return [
            read_family(family, self.measure.random_state) if isinstance(family, str) else read_family(family)
            for family in listed
        ]

    def name_of(self, family: Any) -> str:
        return family_name(family)

    def folds(self) -> list[IntArray]:
        return self._folds

    def part(self, rows: IntArray) -> "_OfColumn":
        return _OfColumn(self.sample.take(rows), self.measure)

    def before(self) -> FloatArray:
        return find_loss(self.measure.loss, "loss")(self.rows.y, self.rows.p)

    def after(self, family: Any, training: IntArray, held: IntArray) -> FloatArray:
        values = family.fit_map(self.sample.take(training).merged).evaluate(self.rows.p[held])
        return find_loss(self.measure.loss, "loss")(self.rows.y[held], np.clip(values, 0.0, 1.0))


class _OfClasses(_HeldOut):
    """Rows of several classes."""

    def __init__(self, rows: SimplexSample, measure: ProperError) -> None:
        super().__init__(measure)
        self.rows, self.n_classes = rows, rows.n_classes
        self.w, self.w2 = rows.w, rows.w2

    def families(self) -> list[Any]:
        seed = self.measure.random_state
        return [
            read_for_classes(family, seed if isinstance(family, str) else "own")
            for family in self.measure.listed or (SEVERAL,)
        ]

    def name_of(self, family: Any) -> str:
        return class_family_name(family)

    def folds(self) -> list[IntArray]:
        return self.rows.in_folds(self.measure.cv, self.measure.random_state)[1]

    def part(self, rows: IntArray) -> "_OfClasses":
        return _OfClasses(self.rows.take(rows), self.measure)

    def before(self) -> FloatArray:
        return find_loss(self.measure.loss, "loss")(self.rows.codes, self.rows.p)

    def after(self, family: Any, training: IntArray, held: IntArray) -> FloatArray:
        g = family.solve_classes(self.rows.take(training)).map
        return find_loss(self.measure.loss, "loss")(self.rows.codes[held], g.on_simplex(self.rows.p[held]))
