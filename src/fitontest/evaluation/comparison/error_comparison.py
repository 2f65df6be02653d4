"""The result of comparing the calibration errors of two models: their difference, its interval, and what it means."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.data.known_groups import KnownGroups, groups_record
from fitontest.data.weights import Weighting, weighting_record
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import Interval
from fitontest.measures.notes import data_notes
from fitontest.numerics.losses import LOG_LOSS_EPS, LOSS_NAMES, note_on_loss
from fitontest.results.frames import Records, attributes
from fitontest.results.quoting import confidence
from fitontest.results.several import grouped
from fitontest.results.table import Section, Table
from fitontest.results.text import capital, count, same_decimals, short

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.comparison import ComparisonDisplay

COMPARED = {"brier": "calibration error (squared)", "log_loss": "excess log loss"}
UNITS = {"brier": "", "log_loss": " nats"}
NOTES = (
    "held-out gain: by how much a map of the family {family}, fitted to the other folds, lowers the {loss}. It "
    "estimates the {compared} less what fitting costs, and may be negative. The interval of the difference is of these "
    "models on rows like these. error: by {family}, norm {norm}."
)
OF_DEBIASED = (
    "debiased: corrected for label noise (median-unbiased). Its interval: true errors not rejected at {alpha}."
)
OF_GROUPS = "Whole groups are held out, and standard errors are of sums over groups, which must be independent."
OF_RAW = "Label noise raises raw errors."
READ_AS = {  # by reduction
    "binary": "the column of the positive class",
    "confidence": "the largest score of each row",
    "classwise": "each class against the rest",
    "canonical": "the probabilities of all classes at once",
}
MOST_DECIMALS = 12
OF_FEW_GROUPS = "few groups ({effective:.0f} effective): Student's t allows for standard errors that are hardly known"

FEW_EFFECTIVE = 200  # rows of importances, below which the t-test is too sure
OF_FEW_EFFECTIVE = (
    f"few rows dominate the importances (fewer than {FEW_EFFECTIVE} effective ones), and the p-value may be too small: "
    "of simulated pairs of calibrated models 2 to 3 % were rejected at 5 % with spline, 6 to 10 % with slope1"
)


@dataclass(frozen=True)
class HeldOutMean:
    """The mean over the rows of a number that was computed out of fold.

    Attributes
    ----------
    mean : float
    se : float
        Its standard error. The maps are held fixed: the variation that other fitting rows would cause is not included.
    interval : Interval or None
        mean +- t se; None of fewer than 10 effective groups.
    """

    mean: float
    se: float
    interval: Interval | None

    def to_dict(self) -> dict[str, float | None]:
        """Return mean, standard error and interval by name."""
        low, high = (None, None) if self.interval is None else (self.interval.low, self.interval.high)
        return {"gain": self.mean, "se": self.se, "low": low, "high": high}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ErrorComparison(Table):
    """Which of two models is better calibrated on the same rows, and by how much, as `compare_errors` returns it.

    Attributes
    ----------
    names : tuple of str
        The two models.
    difference : float
        The calibration error of the first less that of the second: squared errors with ``loss="brier"``, excess log
        losses in nats with ``loss="log_loss"``.
    se : float
        Standard error of the difference; of fewer than 10 effective groups it is hardly known itself.
    interval : Interval or None
        ``low``, ``high`` and ``level``; None of fewer than 10 effective groups.
    p_value : float or None
        Two-sided, of equality. 1 where the gains of the models are equal on every row. None without an interval.
    gains : dict of str to HeldOutMean
        The held-out gain of each model, with ``mean``, ``se`` and ``interval``. It lies below the error by what
        fitting costs.
    errors : dict of str to Estimate
        The plug-in error of each model under the family, norm l1.
    loss, family : str
        The loss, "brier" or "log_loss", and the name of the family that was fitted to the training parts.
    cv : int
        Number of folds.
    n : int
        Rows of positive weight.
    base_rate : float or None
        Weighted share of positives; None of several classes.
    reduction : str or None
        How several classes were read.
    groups : KnownGroups or None
        What is known of the groups that the rows belong to; None where none were named.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> c = rng.random(1000)
    >>> comparison = fot.compare_errors(rng.random(1000) < c, c**0.5, c, family=fot.Slope1(15))
    >>> round(comparison.difference, 3), comparison.better, comparison.interval.level
    (0.03, 'p2', 0.95)
    >>> comparison.to_frame()["model"].tolist()
    ['p1', 'p2', 'p1 - p2']
    """

    names: tuple[str, str]
    difference: float
    se: float
    interval: Interval | None
    p_value: float | None
    gains: Mapping[str, HeldOutMean]
    errors: Mapping[str, Estimate]
    loss: str
    family: str
    cv: int
    n: int
    base_rate: float | None
    reduction: str | None = None
    groups: KnownGroups | None = None

    @property
    def better(self) -> str | None:
        """The model that is better calibrated, or None where the interval holds 0: the data cannot tell."""
        if self.interval is None:
            return None
        if self.interval.low > 0:
            return self.names[1]
        return self.names[0] if self.interval.high < 0 else None

    @property
    def sentence(self) -> str:
        """Which model is better calibrated, and by how much, or that the data cannot tell."""
        first, second = self.names
        what = COMPARED[self.loss]
        if self.difference == 0.0 and self.se == 0.0:
            return f"{first} and {second} do not differ: their held-out gains are equal on every row."
        if self.better is None:
            amount = self._format_difference(1.0)
            which = f"The data cannot tell which of {first} and {second} is better calibrated"
            why = "" if self.groups is None or self.interval is not None else f"; {self.groups.refusal}"
            return f"{which}: the {what} of {first} less that of {second} is {amount}{why}."
        worse, sign = (first, -1.0) if self.better == second else (second, 1.0)
        amount = self._format_difference(-sign)
        return f"{self.better} is better calibrated than {worse}: its {what} is smaller by {amount}."

    @property
    def notes(self) -> list[str]:
        """What must be known to read the errors, such as that all scores of a model are exactly 0 or 1."""
        own = []
        for name, error in self.errors.items():
            note = replace(error, weighting=None, rows_note="", group_sizes=None).note
            own += [f"{name}: {note}"] if note else []
        own += self._notes_on_groups
        weighting = self.weighting
        if weighting is not None and weighting.kind == "importances" and weighting.effective_rows < FEW_EFFECTIVE:
            own.append(OF_FEW_EFFECTIVE)
        return own + data_notes(False, self.weighting, next(iter(self.errors.values())).rows_note)

    @property
    def _notes_on_groups(self) -> list[str]:
        """What makes results of few groups worth less, once where it is of both models; `sentence` tells of too few."""
        known = self.groups
        if known is None or known.too_few:
            return []
        notes = [OF_FEW_GROUPS.format(effective=known.sizes.effective)] if known.are_few else []
        of_each = {name: [] if error.groups is None else error.groups.notes for name, error in self.errors.items()}
        names = grouped((note, name) for name, said in of_each.items() for note in said)
        of_one = {note: f"{models[0]}: " if len(models) < len(self.errors) else "" for note, models in names.items()}
        return [*notes, *(f"{model}{note}" for note, model in of_one.items())]

    @property
    def weighting(self) -> Weighting | None:
        """Whether the weights of the rows were taken for counts or for importances."""
        return next(iter(self.errors.values())).weighting

    def rows(self) -> Records:
        """Return a record for each model and one for the difference between them.

        This one has a p-value and no plug-in error.
        """
        models = [_record(name, self.gains[name], None, self.errors[name]) for name in self.names]
        difference = HeldOutMean(self.difference, self.se, self.interval)
        return [*models, _record(" - ".join(self.names), difference, self.p_value, None)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values."""
        return {
            "names": list(self.names),
            "compared": COMPARED[self.loss],
            **attributes(self, "difference", "se"),
            "interval": None if self.interval is None else self.interval.to_dict(),
            **attributes(self, "p_value", "better"),
            "gains": {name: {**gain.to_dict(), "level": self._level} for name, gain in self.gains.items()},
            "errors": {name: error.to_dict() for name, error in self.errors.items()},
            **attributes(self, "loss", "family", "cv", "n"),
            **weighting_record(self.weighting),
            **groups_record(self.groups),
            **attributes(self, "base_rate", "reduction"),
        }

    def sections(self) -> list[Section]:
        """Return what is printed: the sentence on the difference, the table, and notes."""
        loss = LOSS_NAMES[self.loss]
        title = (
            f"calibration of two models on the same rows, by out-of-fold {loss} ({self.cv} folds), n = {count(self.n)}"
        )
        title += "" if self.groups is None else f", {self.groups.in_words()}"
        title += f", reduction {self.reduction}" if self.reduction else ""
        norm = next(iter(self.errors.values())).norm
        explanation = NOTES.format(family=self.family, loss=loss, compared=COMPARED[self.loss], norm=norm)
        levels = self._levels()
        alpha = ", ".join(f"{100 * (1 - level):.3g} %" for level in sorted(levels))
        explanation += f" {OF_DEBIASED.format(alpha=alpha)}" if levels else f" {OF_RAW}"
        read_as = [f"reduction {self.reduction}: {READ_AS[self.reduction]}."] if self.reduction else []
        together = self.groups is not None and not self.groups.sizes.are_single
        notes = [explanation, *read_as, *([OF_GROUPS] if together else [])]
        if self.loss == "log_loss":
            notes.append(f"Log loss clips predictions to [{LOG_LOSS_EPS:g}, 1 - {LOG_LOSS_EPS:g}].")
        notes += filter(None, [note_on_loss(self.loss, self.reduction)])
        notes += [f"Note: {note}" for note in self.notes]
        return [Section(notes=self.sentence), Section(title, *self._tabulate()), Section(notes="\n".join(notes))]

    @property
    def _level(self) -> float | None:
        """The level of the intervals of the gains, None where there are none."""
        return None if self.interval is None else self.interval.level

    def _levels(self) -> set[float]:
        """Return the levels of the intervals of the errors."""
        return {error.interval.level for error in self.errors.values() if error.interval is not None}

    def _tabulate(self) -> tuple[list[str], list[list[str]]]:
        """Return header and cells; the plug-in errors have a column of intervals only if one has an interval."""
        rows, levels = self.rows(), self._levels()
        header = ["model", "held-out gain"]
        header += [] if self._level is None else ["s.e.", confidence(self._level)]
        if levels:
            header += ["debiased error", "raw", "its {} interval".format(", ".join(map(format_level, levels)))]
        else:
            header.append("raw error")
        decimals = find_decimals([row["se"] for row in rows], self.interval)
        body = []
        for row in rows:
            keys = ("gain",) if self._level is None else ("gain", "se", "low", "high")
            numbers = [f"{round(row[key], decimals) + 0.0:.{decimals}f}" for key in keys]
            cells = [row["model"], *numbers[:2], *([f"{numbers[2]} to {numbers[3]}"] if numbers[2:] else [])]
            cells += _format_errors([row["error_debiased"], row["error"]] if levels else [row["error"]])
            if levels:
                ends = (row["error_low"], row["error_high"])
                cells.append("-" if ends[0] is None else " to ".join(map(short, ends)))
            body.append(cells)
        return header, body

    def _format_difference(self, sign: float) -> str:
        """Return the difference, or its opposite, with interval and p-value."""
        decimals, interval = find_decimals([self.se], self.interval), self.interval
        if interval is None or self.p_value is None:
            return f"{round(sign * self.difference, decimals) + 0.0:.{decimals}f}{UNITS[self.loss]}"
        ends = sorted((sign * interval.low, sign * interval.high))
        mean, low, high = (f"{round(value, decimals) + 0.0:.{decimals}f}" for value in (sign * self.difference, *ends))
        level = f"{confidence(interval.level)} {low} to {high}"
        return f"{mean}{UNITS[self.loss]} ({level}; p-value {short(self.p_value, 2)})"

    def plot(self, ax: "AxesOrFigure" = None) -> "ComparisonDisplay":
        """Draw how much recalibration would gain for each of two models, and the difference, with intervals.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; by default a new pyplot figure that is large enough.

        Returns
        -------
        ComparisonDisplay
        """
        return self.diagram().plot(ax)

    def diagram(self) -> "ComparisonDisplay":
        """Return the diagram, not yet drawn; `ComparisonDisplay.save` draws and saves it."""
        from fitontest.displays.comparison import ComparisonDisplay, Dot

        rows = self.rows()
        decimals = find_decimals([row["se"] for row in rows], self.interval)
        dots = [
            Dot(row["model"], row["gain"], row["low"], row["high"], columns={"gain": f"{row['gain']:.{decimals}f}"},
                is_whole=k == len(rows) - 1)
            for k, row in enumerate(rows)
        ]  # fmt: skip
        level = "" if self._level is None else f"; {format_level(self._level)} intervals"
        told = "too few groups for a p-value" if self.p_value is None else f"p-value {short(self.p_value, 2)}"
        return ComparisonDisplay(
            dots, title=capital(COMPARED[self.loss]), second=f"difference: {told}{level}",
            label=f"Held-out gain in {LOSS_NAMES[self.loss]}", reference=0.0, keep_order=True,
        )  # fmt: skip


def _record(model: str, gain: HeldOutMean, p_value: float | None, error: Estimate | None) -> dict[str, Any]:
    own = None if error is None else error.interval
    return {
        "model": model,
        **gain.to_dict(),
        "p_value": p_value,
        "error": None if error is None else error.value,
        "error_debiased": None if error is None else error.debiased,
        "error_low": None if own is None else own.low,
        "error_high": None if own is None else own.high,
    }


def _format_errors(errors: list[float | None]) -> list[str]:
    """Return errors with as many decimals, a dash for those that do not exist."""
    texts = iter(same_decimals([error for error in errors if error is not None]))
    return ["-" if error is None else next(texts) for error in errors]


def find_decimals(errors: list[float], interval: Interval | None) -> int:
    """Return how many decimals show two significant digits of the smallest positive standard error.

    There are more where an end of the interval, which decides by its side of 0, would come out as 0.
    """
    positive = [error for error in errors if error > 0]
    enough = int(np.clip(1 - np.floor(np.log10(min(positive))), 1, MOST_DECIMALS)) if positive else 5
    ends = [] if interval is None else [end for end in (interval.low, interval.high) if end != 0]
    shown = (decimals for decimals in range(enough, MOST_DECIMALS) if all(round(end, decimals) != 0 for end in ends))
    return next(shown, MOST_DECIMALS)


def format_level(level: float) -> str:
    """Return the level of an interval in percent."""
    return f"{100 * level:g} %"
