"""The evaluations of several models on the same rows, a line each."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from fitontest.data.samples import Samples
from fitontest.evaluation.evaluation import Evaluation
from fitontest.evaluation.explained import explained
from fitontest.evaluation.verdict_lines import header_of, line_of
from fitontest.results.checks import choose
from fitontest.results.detailed import Detailed, explanation
from fitontest.results.several import MODEL, Kind, Several, grouped
from fitontest.results.short_print import MORE, short_print
from fitontest.results.table import Section, Table
from fitontest.results.text import count, sentence
from fitontest.uncertainty.tolerance import Tolerance
from fitontest.uncertainty.verdict import Verdict

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.curve import CurveDisplay
    from fitontest.displays.reliability import ReliabilityDisplay

DIFFERENCES = (
    "Which models differ by more than chance: fot.compare_errors(y_true, p_a, p_b) compares the errors of two on the "
    "same rows; intervals that overlap do not answer it."
)


@dataclass(frozen=True, eq=False, repr=False)
class EvaluatedModels(Several[str, Evaluation]):
    """Calibration errors of several models on the same rows, as ``evaluate(y_true, {"name": p, ...})`` returns them.

    ``result["name"]`` is the `Evaluation` of that model, the same as of its scores alone. Iterating it gives the names.

    Attributes
    ----------
    evaluations : dict of Evaluation
        By model, in the order given.
    samples : Samples
        The rows by model; labels and weights are the same.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p
    >>> models = fot.evaluate(y, {"calibrated": p, "squared": p**2}, families=["spline"])
    >>> [*models], models["squared"].verdict.headline
    (['calibrated', 'squared'], 'Scores too low, and overconfident')
    """

    evaluations: Mapping[str, Evaluation]
    samples: Samples

    @property
    def kind(self) -> Kind:
        """What the keys are: models."""
        return MODEL

    @property
    def _results(self) -> Mapping[str, Evaluation]:
        return self.evaluations

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict on each model; empty of several classes, and without intervals."""
        found = {name: evaluation.verdict for name, evaluation in self.items()}
        return {name: verdict for name, verdict in found.items() if verdict is not None}

    def within(self, tolerance: Tolerance) -> Self:
        """Return the same results, whose verdicts take a tolerance for near enough."""
        return replace(self, evaluations={name: each.within(tolerance) for name, each in self.items()})

    def joined(self, other: "EvaluatedModels") -> "EvaluatedModels":
        """Return one result of the measures of both, which are of the same models.

        Parameters
        ----------
        other : EvaluatedModels
            Another one of the same rows, whose estimates come last.
        """
        return EvaluatedModels({name: each.joined(other[name]) for name, each in self.items()}, self.samples)

    def table(self) -> Table:
        """Return all columns and notes of each model, one below the other.

        Returns
        -------
        Table
            With the same records; printing it shows more.
        """
        parts = [
            replace(part, title=f"{name}: {part.title}" if part.title else name)
            for name, each in self.items()
            for part in each.table().sections()
        ]
        return Detailed(self, (*self.sections(), *parts))

    def explain(self) -> Table:
        """Return what the words and columns of this result mean, in plain sentences.

        Returns
        -------
        Table
            With the same records; printing it shows the sentences.
        """
        verdicts = self.verdicts
        said = [f"{name}: {verdict.opening}." for name, verdict in verdicts.items()]
        for name, verdict in [*verdicts.items()][:1]:
            said += [f"What that means, by the numbers of {name}:", *explained(self[name].named, verdict, ())]
        return explanation(self, [*said, *map(sentence, self._lines)])

    @property
    def notes(self) -> list[str]:
        """What must be known to read the values, with the model that it is of."""
        return self._notes_but_on_groups + self._notes_on_groups

    @property
    def _notes_but_on_groups(self) -> list[str]:
        return [f"{name}: {note}" for name, each in self.items() for note in each.notes_but_on_groups]

    @property
    def _lines(self) -> list[str]:
        """What is printed below the models."""
        of_rows = [*self._on_groups, *self._notes_on_groups]
        return [*self._notes_but_on_groups, *of_rows, *([DIFFERENCES] if len(self) > 1 else [])]

    @property
    def _notes_on_groups(self) -> list[str]:
        """What must be known of the groups of the rows, which the models share, and of how alike each finds them."""
        known = [(name, each.groups) for name, each in self.items() if each.groups is not None]
        names = grouped((note, name) for name, groups in known for note in (groups.refusal, *groups.notes))
        alike = {note: "" if len(of) == len(self) else f"{', '.join(of)}: " for note, of in names.items() if note}
        return [f"{of}{note}" for note, of in alike.items()]

    @property
    def _on_groups(self) -> list[str]:
        """The groups of the rows, and how alike their labels are by the residuals of each model."""
        found = {name: each.groups for name, each in self.items()}
        first = next(iter(found.values()))
        if first is None:
            return []
        alike = [f"{name}: {one.how_alike}" for name, one in found.items() if one is not None and one.how_alike]
        return [f"{'; '.join([first.how_many, *alike])}."]

    def sections(self) -> list[Section]:
        """Return what is printed: the conclusion, a line for each model, and where the differences are tested."""
        verdicts = self.verdicts
        if len(verdicts) < len(self):
            return [self._values()]
        body = [line_of(name, verdict) for name, verdict in verdicts.items()]
        lead, others = self._conclusion(verdicts), self._others()
        if others:
            section = Section(lead, header_of(verdicts.values()), body, "\n".join(self._lines))
            return [section, *others[:-1], replace(others[-1], notes=MORE)]
        return [short_print([lead], body, further=self._lines, header=header_of(verdicts.values()))]

    @staticmethod
    def _conclusion(verdicts: Mapping[str, Verdict]) -> str:
        """Return for which models calibration is rejected."""
        shown = [name for name, verdict in verdicts.items() if verdict.shown]
        others = [name for name in verdicts if name not in shown]
        rejected = f"Calibration is rejected for {', '.join(shown)}" if shown else ""
        if not others:
            return f"{rejected}."
        not_rejected = f"not rejected for {', '.join(others)}"
        return f"{rejected}; {not_rejected}." if shown else f"Calibration is {not_rejected}."

    def _others(self) -> list[Section]:
        """Return the table of the measures that are no errors of families, whose values no verdict holds."""
        first = next(iter(self.values()))
        others = [name for name, estimate in first.named if not estimate.measure.is_family_error]
        if not others:
            return []
        body = [
            [name, *(each[other].measure.printed(float(each[other])) for other in others)]
            for name, each in self.items()
        ]
        return [Section("", ["model", *others], body)]

    def _values(self) -> Section:
        """Return the table of the values of each measure, where there are no verdicts."""
        first = next(iter(self.values()))
        reduction = "" if self.samples.reduction is None else f", reduction {self.samples.reduction}"
        title = f"{count(len(self))} models, n = {count(self.samples.n)}{reduction}"
        body = [[name, *(estimate.measure.printed(estimate.value) for estimate in each)] for name, each in self.items()]
        notes = self._lines
        groups = first.groups
        if groups is not None and groups.too_few:  # the conclusion: that there is none
            notes = [note for note in notes if note != groups.refusal]
            return Section(sentence(groups.refusal), ["model", *first.names], body, "\n".join(notes), title)
        return Section(title, ["model", *first.names], body, "\n".join(notes))

    def plot(
        self, family: str | None = None, *, scale: str = "auto", ax: "AxesOrFigure" = None
    ) -> "ReliabilityDisplay":
        """Draw the reliability diagrams of the models: up to four on the same axes, more as panels.

        Parameters
        ----------
        family : str, optional
            Whose map is drawn, by default the spline, else the first family.
        scale : {"auto", "probability", "logit", "ratio"}, default="auto"
            What the axes are, see `ReliabilityDisplay`.
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; by default a new pyplot figure that is large enough.

        Returns
        -------
        ReliabilityDisplay
        """
        return self.diagrams(family, scale=scale).plot(ax)

    def plot_ranks(self, ax: "AxesOrFigure" = None) -> "CurveDisplay":
        """Draw how the families order the models by their calibration errors.

        Their debiased errors are ranked where all models have one, else the raw ones.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Where it is drawn; by default in a new pyplot figure.

        Returns
        -------
        CurveDisplay

        Raises
        ------
        ValueError
            A single model, several classes, or no error of a family.
        """
        from fitontest.displays.ranks import rank_curves

        if not self.samples.has_one_score:
            raise ValueError("ranks must be of one error of each model; evaluate with reduction='confidence'")
        errors: dict[str, dict[str, dict[str, Any]]] = {}
        for row in self.rows():
            if row.get("family") is not None:
                errors.setdefault(row["measure"], {})[row["model"]] = row
        if not errors:
            raise ValueError("ranks must be of the calibration error of a family, there are other measures alone")
        return rank_curves({name: _quoted(by_model) for name, by_model in errors.items()}).plot(ax)

    def diagrams(self, family: str | None = None, *, scale: str = "auto") -> "ReliabilityDisplay":
        """Return the reliability diagrams, which are yet to be drawn, or to be saved.

        Parameters
        ----------
        family, scale
            As for `plot`.

        Raises
        ------
        ValueError
            Several classes, estimates without a map, or a family that is not among them.
        """
        from fitontest.displays.reliability import ReliabilityDisplay

        if not self.samples.has_one_score:
            raise ValueError("reduction must be one of a single score for the diagrams of models")
        first = next(iter(self.values()))
        with_map = [name for name, estimate in first.named if estimate.map is not None]
        if not with_map:
            raise ValueError(f"families must be given for diagrams: none of {first.names} has a map to draw")
        usual = "spline" if "spline" in with_map else with_map[0]
        chosen = usual if family is None else choose(family, with_map, "family")
        measured = [(name, each[chosen], each.sample) for name, each in self.items()]
        verdicts = {name: each.verdict for name, each in self.items()}
        return ReliabilityDisplay.of_models(measured, scale=scale, verdicts=verdicts)


def _quoted(by_model: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Return the error of each model that is quoted first: the debiased one, where all have one."""
    key = "value" if any(row.get("debiased") is None for row in by_model.values()) else "debiased"
    return {model: row[key] for model, row in by_model.items()}
