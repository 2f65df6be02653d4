"""The validations of several models on the same rows, or of one model in several segments or classes, a line each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fitontest.data.repeated_rows import Repeats
from fitontest.data.samples import Key, Samples
from fitontest.results.detailed import Detailed, explanation
from fitontest.results.quoting import confidence
from fitontest.results.several import MANY, MODEL, Kind, Several, grouped
from fitontest.results.short_print import MOST_LINES, short_print
from fitontest.results.table import Section, Table
from fitontest.results.text import count
from fitontest.risk.validation.brief import explain_validation, rows_of
from fitontest.risk.validation.decision_curve import DecisionCurve
from fitontest.risk.validation.pictures import curve_picture, decision_picture
from fitontest.risk.validation.pooled import Pooled
from fitontest.risk.validation.statistics import ICI, PRINTED, at_threshold
from fitontest.risk.validation.tripod import Tripod
from fitontest.risk.validation.validation import Validation, cell, estimate_and_ends
from fitontest.risk.validation.wording import values_outside

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.reliability import ReliabilityDisplay

COLUMNS = {  # what columns are called, and their statistics
    "O:E": "observed_expected",
    "slope": "calibration_slope",
    "ICI": "ici",
    "AUC": "auc",
    "Brier score": "brier",
}
BRIEF = ("O:E", "slope", "ICI")  # those of a short print
MOST_CURVES = 6  # on a page, side by side
DIFFERENCES = "Intervals that overlap do not say whether two models differ: fot.compare_errors(y_true, p_a, p_b) does."
OF_BENEFITS = "Of net benefits fot.risk.decision_curve(y_true, models).difference(a, b) does."
LOSS = "; loss: the net benefit lost by miscalibration"


@dataclass(frozen=True, eq=False, repr=False)
class Validations(Several[Key, Validation]):
    """The validations of several models on the same rows, or of one model in several segments or classes, a line each.

    ``validations[key]`` is the `Validation` of a model, segment or class; iterating it gives the keys.

    Attributes
    ----------
    validations : dict of Validation
        By model, segment or class, in the order of the data.
    samples : Samples
        The rows.
    total : Validation or None
        Of segments that of all rows; None of models and classes.

    Notes
    -----
    ``pooled`` are the statistics of segments together; `Pooled` says how.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> models = fot.risk.validate(rng.random(1000) < p, {"as they are": p, "squared": p**2})
    >>> [*models], round(float(models["squared"]["calibration_slope"]), 1)
    (['as they are', 'squared'], 0.8)
    """

    validations: Mapping[Key, Validation]
    samples: Samples
    total: Validation | None = None

    @property
    def kind(self) -> Kind:
        """What the keys are."""
        return self.samples.kind

    @property
    def _results(self) -> Mapping[Key, Validation]:
        return self.validations

    @cached_property
    def curve(self) -> DecisionCurve:
        """The net benefit of the models over thresholds, in one table, of which pairs can be compared.

        Raises
        ------
        AttributeError
            Of segments and classes: each validation has a curve of its own.
        """
        if self.kind != MODEL:
            raise AttributeError(
                "curve: only models have one in common; of segments and classes each validation has its own, by its key"
            )
        first = self._each[0]
        samples = {str(each.name): each.sample for each in self._each}
        return DecisionCurve.of(
            samples, level=first.level, family=first.decision_family, random_state=first.random_state
        )

    @cached_property
    def pooled(self) -> Pooled | None:
        """Of two segments or more, such as centres, the means of their statistics, and how much they differ."""
        return None if self.total is None else Pooled.of(self.values(), self.total.level)

    def text(self) -> str:
        """Return the paragraph of a paper: of all rows with the pooled segments, or one for each model or class."""
        if self.total is None:
            return "\n\n".join(f"{each.name}: {each.text()}" for each in self._each)
        pooled = "" if self.pooled is None else f" {self.pooled.in_words}"
        return f"{self.total.text()}{pooled}"

    def tripod(self) -> Tripod:
        """Return the checklist TRIPOD+AI of an evaluation: what these validations answer, and what the author adds."""
        parts = {str(each.name): each for each in self.values()}
        return Tripod.of(self._each[-1], parts, self.pooled)

    @property
    def _each(self) -> list[Validation]:
        """The validations, and that of all rows last."""
        return [*self.values(), *([] if self.total is None else [self.total])]

    @property
    def _named(self) -> list[tuple[Any, Validation]]:
        return [(each.name, each) for each in self._each]

    def to_dict(self) -> dict[str, Any]:
        """Return each validation as JSON-ready values."""
        pooled = {} if self.pooled is None else {"pooled": self.pooled.rows()}
        return super().to_dict() | ({} if self.total is None else {"total": self.total.to_dict()}) | pooled

    def _entry(self, key: Key, result: Validation) -> dict[str, Any]:  # noqa: ARG002 - which has a name
        return result.to_dict()

    def plot(self, ax: "AxesOrFigure" = None, **options: Any) -> "ReliabilityDisplay":
        """Draw the calibration curves, of up to four models on the same axes, else a panel for each.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; by default a new pyplot figure is made.
        **options
            Of `diagram`.

        Returns
        -------
        ReliabilityDisplay
        """
        return self.diagram(**options).plot(ax)

    def diagram(self, **options: Any) -> "ReliabilityDisplay":
        """Return the diagram, not yet drawn; `ReliabilityDisplay.save` draws and saves it.

        Parameters
        ----------
        **options
            Of `ReliabilityDisplay`, such as ``scale="logit"``.
        """
        from fitontest.displays.reliability import ReliabilityDisplay

        drawn = self.validations.values()
        for each in drawn:
            if ICI not in each.statistics:
                each.diagram()  # says why
        measured = [(str(each.name), each.statistics[ICI], each.sample) for each in drawn]
        verdicts = {str(each.name): each.verdict for each in drawn}
        return ReliabilityDisplay.of_models(measured, verdicts=verdicts, **options)

    def _pictures(self) -> list[tuple[str, str]]:
        """Return the calibration curves of a few, and the decision curves of models, for a page."""
        first = self._each[0]
        pictures = []
        if len(self) <= MOST_CURVES and all(ICI in each.statistics for each in self.values()):
            pictures.append(curve_picture(self.diagram()))
        if self.kind == MODEL and first.thresholds:
            samples = {str(name): each.sample for name, each in self.items()}
            pictures.append(decision_picture(samples, first.thresholds, level=first.level, seed=first.random_state))
        return pictures

    def sections(self) -> list[Section]:
        """Return what is printed: the verdict on all rows, and a line for each model, class or segment."""
        header = [self.kind, "verdict", *(f"{name} ({confidence(self._level)})" for name in BRIEF), "AUC", "n"]
        each = self._worst_first if self.total is not None else [*self.values()]
        body = [
            [str(one.name), one.opening.partition(":")[0], *_cells(one, BRIEF), _auc(one), count(one.n)] for one in each
        ]
        lead = [] if self.total is None else [f"{self.total.opening}. {rows_of(self.total)}."]
        lead += [text for text in self._cautions if self._are_doubtful]
        most = MOST_LINES - len(lead) - 4
        if len(body) > most:
            some = "The worst" if self.total is not None else "The first"
            lead.append(f"{some} of {len(body)} {MANY[self.kind]}:")
            body = body[: most - 1]
        said = [DIFFERENCES] if self.kind == MODEL and len(self) > 1 else []
        said += [] if self.pooled is None else [self.pooled.brief]
        return [short_print(lead, body, further=said, header=header)]

    @property
    def _worst_first(self) -> list[Validation]:
        """The validations, that with the largest error for sure first; those without an error last."""

        def error(one: Validation) -> tuple[float, float]:
            estimate = one.statistics.get(ICI)
            low = -1.0 if estimate is None or estimate.interval is None else estimate.interval.low
            return low, -1.0 if estimate is None else estimate.quoted

        return sorted(self.values(), key=error, reverse=True)

    @property
    def _are_doubtful(self) -> bool:
        """Whether something is to be said of the rows before anything else, such as that they look like copies."""
        return any(Repeats.of(each.sample).is_doubt for each in self._each)

    @property
    def _level(self) -> float:
        return self._each[0].level

    def table(self) -> Table:
        """Return what is wrong where, a line for each, and the decisions at each threshold.

        Returns
        -------
        Table
            With the same records; printing it shows more.
        """
        pooled = [] if self.pooled is None else self.pooled.sections()
        *others, last = [self._lines(), *pooled, *self._decisions()]
        return Detailed(self, (*others, replace(last, notes="\n".join(self._notes))))

    def explain(self) -> Table:
        """Return what the words and columns of this result mean, in plain sentences.

        Returns
        -------
        Table
            With the same records; printing it shows the sentences.
        """
        first = next(iter(self.values())) if self.total is None else self.total
        differences = [DIFFERENCES, *([OF_BENEFITS] if first.thresholds else [])] if self.kind == MODEL else []
        whose = [f"In the words of {first.name}:", *explain_validation(first)]
        return explanation(self, [*(f"{each.name}: {each.opening}." for each in self._each), *differences, *whose])

    def _lines(self) -> Section:
        lead = "\n".join(f"{each.name}: {each.headline}" for each in self._each)
        body = [[str(each.name), *_cells(each, COLUMNS), count(each.n)] for each in self._each]
        return Section(lead=lead, header=[self.kind, *COLUMNS, "n"], body=body)

    def _decisions(self) -> list[Section]:
        """Return net benefit and its loss at each threshold, where there are any."""
        thresholds = self._each[0].thresholds
        if not thresholds:
            return []
        header = [self.kind, *(f"{what} at {t:g}" for t in thresholds for what in ("net benefit", "loss"))]
        names = [at_threshold(name, t) for t in thresholds for name in ("net_benefit", "decision_loss")]
        body = [
            [str(each.name), *(estimate_and_ends(each.statistics.get(name), "benefit") for name in names)]
            for each in self._each
        ]
        return [Section("net benefits per 1,000 rows", header, body)]

    @property
    def _cautions(self) -> list[str]:
        """Why intervals may mislead, each reason once, with the names of those that it is of unless it is of all."""
        names = grouped((text, str(each.name)) for each in self._each for text in each.cautions)
        every = len(self._each)
        return [text if len(of) == every else f"{', '.join(of)}: {text}" for text, of in names.items()]

    @property
    def _notes(self) -> list[str]:
        """What must be known to read the values."""
        notes = []
        for each in self._each:
            beside = [] if each.verdict is None else each.verdict.beside_interval
            outside = values_outside(each.thresholds, each.statistics)
            notes += [f"{each.name}: {text}" for text in (*beside, *outside)]
            called = {name: column for column, name in COLUMNS.items()}
            notes += [f"{each.name}: {called[name]}: {text}" for name, text in each.reasons.items() if name in called]
        notes += self._cautions
        first = self._each[0]
        loss = LOSS if first.thresholds else ""
        ends = f"In brackets {100 * first.level:g} % intervals"
        notes.append(f"{ends}; ICI by the family {first.family}, corrected for chance{loss}.")
        notes += [DIFFERENCES] if self.kind == MODEL and len(self) > 1 else []
        notes += [OF_BENEFITS] if loss and self.kind == MODEL and len(self) > 1 else []
        groups = self._each[-1].groups
        return [*notes, *([] if groups is None else groups.lines)]


def _cells(validation: Validation, columns: Iterable[str]) -> list[str]:
    """Return the statistics of columns with their intervals."""
    names = [COLUMNS[column] for column in columns]
    return [estimate_and_ends(validation.statistics.get(name), PRINTED[name][1]) for name in names]


def _auc(validation: Validation) -> str:
    estimate = validation.statistics.get("auc")
    return cell(None if estimate is None else estimate.value, "score")
