"""The result of an evaluation: any measures of any data as one table, by class where the data are of several."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fitontest.data.known_groups import KnownGroups
from fitontest.data.read import Data
from fitontest.data.repeated_rows import Repeats
from fitontest.data.samples import ByKey
from fitontest.data.score_sample import ScoreSample
from fitontest.evaluation.class_verdicts import ClassVerdicts
from fitontest.evaluation.conclusion import conclude, lines_without
from fitontest.evaluation.explained import explained
from fitontest.families.listed import numbered
from fitontest.measures.estimate import Estimate, json_ready, notes_of_labels
from fitontest.measures.measure_names import names_of
from fitontest.measures.notes import data_notes
from fitontest.measures.side_by_side import Named, note_lines, tables_of
from fitontest.results.checks import brief, choose
from fitontest.results.detailed import Detailed, explanation
from fitontest.results.frames import Records
from fitontest.results.short_print import MORE
from fitontest.results.table import Section, Table
from fitontest.results.text import sentence
from fitontest.results.typing import Label
from fitontest.uncertainty.tolerance import DEFAULT_TOLERANCE, Tolerance
from fitontest.uncertainty.verdict import Verdict, verdict_of

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.class_choice import ClassChoice
    from fitontest.displays.comparison import ComparisonDisplay
    from fitontest.displays.reliability import ReliabilityDisplay

ALL = "all"  # families, as panels


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Table):
    """Calibration errors and other measures of the same data, with a verdict in words.

    Iterating it gives the estimates. ``evaluation["beta"]`` is the plug-in error under that family,
    ``evaluation["kernel"]`` the measure of that name. Of several classes ``evaluation[label]`` is the evaluation of
    that class (``evaluation.classes[label]`` is too, where a class has the name of a measure); each is made when it is
    asked for, and ``in`` looks among the estimates.

    Attributes
    ----------
    estimates : tuple of Estimate
        In the order given.
    data : ScoreSample, SimplexSample or Samples
        The rows they were measured on, for the diagrams: `Samples` by class with ``reduction="classwise"``,
        distributions with ``reduction="canonical"``.
    tolerance : Tolerance
        Of the verdict: what is near enough.

    Notes
    -----
    Printing it shows the verdict on the rows with its numbers, where there is one; `table` has all families and
    columns, and `explain` says what the words and numbers mean. Families answer the same question with different maps:
    where they agree the number depends little on what is assumed about the true map, where they do not it depends on it
    much. All of them are biased upward by being fitted on the rows they are measured on, flexible ones the most: of
    perfectly calibrated scores none but the identity finds an error of 0.

    Examples
    --------
    >>> import fitontest as fot
    >>> p = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]
    >>> y = ["a", "b", "b", "c"]
    >>> families = ["isotonic", fot.Slope1(1)]
    >>> evaluation = fot.evaluate(y, p, families=families, reduction="classwise", interval=None)
    >>> print(evaluation)
    class-wise calibration error (l1): mean over 3 classes, n = 4
    family    mean error  smallest  in class  largest  in class
    --------  ----------  --------  --------  -------  --------
    isotonic       0.275     0.188         c    0.363         b
    slope1         0.142    0.0875         c    0.212         b
    Means over the classes, each against the rest and each counting the same. ...
    >>> {family: round(mean, 3) for family, mean in evaluation.means.items()}
    {'isotonic': 0.275, 'slope1': 0.142}
    >>> [*evaluation.classes], round(float(evaluation["b"]["slope1"]), 12)
    (['a', 'b', 'c'], 0.2125)
    """

    estimates: tuple[Estimate, ...]
    data: Data
    tolerance: Tolerance = DEFAULT_TOLERANCE

    def within(self, tolerance: Tolerance) -> Self:
        """Return the same results, whose verdicts take a tolerance for near enough."""
        return replace(self, tolerance=tolerance)

    @property
    def names(self) -> list[str]:
        """What the estimates are called, each by a name of its own."""
        return numbered(names_of([estimate.measure for estimate in self.estimates]))

    @property
    def named(self) -> Named:
        """The estimates with their names."""
        return list(zip(self.names, self.estimates, strict=True))

    @property
    def sample(self) -> ScoreSample:
        """The rows that were measured, where there are two classes."""
        if not self.data.has_one_score:
            own = "each has its own, evaluation.classes[label].sample" if self.classes else "there is none"
            raise AttributeError(f"sample: of several classes {own}")
        return self.data  # type: ignore[no-any-return]

    @property
    def classes(self) -> "Mapping[Any, Evaluation]":
        """The evaluation of each class against the rest, in the order of the columns; empty for two classes."""
        labels = [*self.data.each_class]

        def of_class(place: int) -> Evaluation:  # whose sorted rows take as much memory as those of all
            label = labels[place]
            found = tuple(estimate[label] for estimate in self.estimates)
            return replace(self, estimates=found, data=self.data[label])

        return ByKey(labels, of_class)

    @property
    def means(self) -> dict[str, float]:
        """The values by name: of several classes the means over them."""
        return dict(zip(self.names, map(float, self.estimates), strict=True))

    def __getitem__(self, name: Label) -> Any:
        """Return the estimate of that name, or the evaluation of the class of that label."""
        names = self.names
        if isinstance(name, str) and name in names:
            return self.estimates[names.index(name)]
        if name in self.classes:
            return self.classes[name]
        made = [estimate for estimate in self.estimates if estimate.measure.made_as == name is not None]
        if len(made) == 1:
            return made[0]
        raise KeyError(f"{name!r} is not among {[*names, *self.classes]}")

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def rows(self) -> Records:
        """Return one plain record per estimate, of several classes one per class and estimate."""
        if self.classes:
            labelled = ((label, evaluation.rows()) for label, evaluation in self.classes.items())
            return [{"class": json_ready(label), **row} for label, rows in labelled for row in rows]
        records = [{**estimate.record(), "measure": name} for name, estimate in self.named]
        blank = dict.fromkeys(key for record in records for key in record)
        return [{**blank, **record} for record in records]

    def to_dict(self) -> dict[str, Any]:
        """Return the records as JSON-ready values: ``{"estimates": [...]}``, or the means and those of the classes."""
        if self.classes:
            verdicts = self.class_verdicts
            classes = [
                {
                    "class": json_ready(label),
                    "estimates": each.rows(),
                    **({} if verdicts is None else verdicts.record(label)),
                }
                for label, each in self.classes.items()
            ]
            facts = {"reduction": "classwise", "means": self.means, "classes": classes, "notes": self.notes}
            return {**facts, **self._groups_record}
        reduction = self.estimates[0].reduction
        facts = self._groups_record if reduction is None else {"reduction": reduction, **self._groups_record}
        verdict = {} if self.verdict is None else {"verdict": self.verdict.to_dict()}
        return {**facts, "estimates": self.rows(), "notes": self.notes, **verdict}

    @property
    def notes(self) -> list[str]:
        """What must be known to read the values, a sentence each: that the data chose a single bin, for example."""
        groups = self.groups
        of_groups = [] if groups is None else [note for note in (groups.refusal, *groups.notes) if note]
        return self.notes_but_on_groups + of_groups

    @property
    def notes_but_on_groups(self) -> list[str]:
        """Those notes that the line on groups leaves to be said."""
        return note_lines(self.named) + _data_notes(self.estimates[0])

    @property
    def doubts(self) -> list[str]:
        """Those notes that cast doubt on the verdict, which they are said before.

        Labels agree as those of copies do, or of two rows of one event, or a debiased error is of single groups.
        """
        of_rows = _data_notes(self.estimates[0]) if Repeats.of(self.data).is_doubt else []
        return of_rows + [one.doubt for one in self.estimates if one.known is not None and one.doubt][:1]

    @property
    def groups(self) -> KnownGroups | None:
        """What is known of the groups that rows belong to; None where none were named."""
        found = [estimate.groups for estimate in self.estimates]
        return next((one for one in found if one is not None and one.dependence is not None), found[0])

    @property
    def _groups_record(self) -> dict[str, Any]:
        return {} if self.groups is None else {"groups": self.groups.to_dict()}

    def only(self, names: Iterable[str]) -> "Evaluation":
        """Return the evaluation with the measures of these names only.

        Parameters
        ----------
        names : iterable of str
            Some of `names`; the estimates keep their order.

        Raises
        ------
        ValueError
            A name that is not among `names`.
        """
        chosen = {choose(name, self.names, "names") for name in names}
        return replace(self, estimates=tuple(estimate for name, estimate in self.named if name in chosen))

    def joined(self, other: "Evaluation") -> "Evaluation":
        """Return one evaluation of the measures of both, which are of the same data.

        Parameters
        ----------
        other : Evaluation
            Another evaluation of the same data, whose estimates come last.
        """
        return replace(self, estimates=self.estimates + other.estimates)

    def plot(
        self,
        families: str | None = None,
        *,
        scale: str = "auto",
        classes: "ClassChoice" = None,
        ax: "AxesOrFigure" = None,
    ) -> "ReliabilityDisplay":
        """Draw the reliability diagram, with the verdict as its title; of several classes a panel for each.

        Parameters
        ----------
        families : str, optional
            The family whose map is drawn, or "all" for panels of all that were measured. By default that of the
            verdict, the spline, else the first that has a map.
        scale : {"auto", "probability", "logit", "ratio"}, default="auto"
            What the axes are, see `ReliabilityDisplay`.
        classes : int or array-like of labels, optional
            Of several classes, how many are drawn, by default 9, or which: of more than the number those with
            the largest errors.
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram, of panels an empty figure; by default a new pyplot figure that is large enough.

        Returns
        -------
        ReliabilityDisplay
        """
        return self.diagrams(families, scale=scale, classes=classes).plot(ax)

    def diagrams(
        self, families: str | None = None, *, scale: str = "auto", classes: "ClassChoice" = None
    ) -> "ReliabilityDisplay":
        """Return the reliability diagram, which is yet to be drawn, or to be saved.

        Parameters
        ----------
        families, scale, classes
            As for `plot`.

        Raises
        ------
        ValueError
            All classes at once; estimates without a map; a family that is not among them; `classes` where the diagrams
            are not of classes.
        """
        from fitontest.displays.reliability import ReliabilityDisplay

        if self.data.has_distributions:
            raise ValueError("reduction must not be 'canonical' for reliability diagrams, which are of one score")
        with_map = [name for name, estimate in self.named if _has_map(estimate)]
        if not with_map:
            raise ValueError(f"families must be given for diagrams: none of {self.names} has a map to draw")
        usual = "spline" if "spline" in with_map else with_map[0]
        if self.classes:
            chosen = choose(usual if families is None else families, with_map, "families")
            return self._of_classes_drawn(chosen, classes, scale)
        if classes is not None:
            raise ValueError(f"classes must be left out where the diagrams are not of classes, got {brief(classes)}")
        verdict = self.verdict
        if families == ALL:
            shown = [name for name in with_map if self[name].map.kind != "identity"] or with_map
            title = None if verdict is None else verdict.headline
            panels = ((name, self[name], self.sample) for name in shown)
            return ReliabilityDisplay.side_by_side(panels, scale, title=title)
        estimate = self[choose(usual if families is None else families, with_map, "families")]
        if families is None and verdict is not None and verdict.estimate.map is not None:
            estimate = verdict.estimate
        return ReliabilityDisplay.from_estimate(estimate, self.sample, scale=scale, verdict=verdict)

    def _of_classes_drawn(self, family: str, classes: "ClassChoice", scale: str) -> "ReliabilityDisplay":
        """Return the diagrams of the classes, each against the rest."""
        from fitontest.displays.class_choice import choose_worst, join_title
        from fitontest.displays.reliability import ReliabilityDisplay

        each = self[family].classes
        labels, facts = choose_worst(each, classes)
        measured = [(f"class {label}", each[label], self.classes[label].sample) for label in labels]
        verdicts = {f"class {label}": self.classes[label].verdict for label in labels}
        title = join_title(None if family == "spline" else family, facts)
        return ReliabilityDisplay.side_by_side(measured, scale, title=title, verdicts=verdicts)

    def plot_groups(self, ax: "AxesOrFigure" = None) -> "ComparisonDisplay":
        """Draw the ratio of observed to expected events of each group of rows, such as a hospital.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; by default a new pyplot figure that is large enough.

        Returns
        -------
        ComparisonDisplay

        Raises
        ------
        ValueError
            Rows without groups; several classes, each of which has groups of its own:
            ``evaluation.classes[label].plot_groups()``.

        Examples
        --------
        >>> import numpy as np, fitontest as fot
        >>> from matplotlib.figure import Figure
        >>> rng = np.random.default_rng(0)
        >>> hospital = np.repeat(np.arange(30), 20)
        >>> p = rng.random(600)
        >>> y = rng.random(600) < p ** np.exp(0.5 * rng.standard_normal(30))[hospital]
        >>> evaluation = fot.evaluate(fot.read(y, p, groups=hospital), families=["beta"], interval=None, null_draws=0)
        >>> len(evaluation.plot_groups(Figure()).dots)
        31
        """
        from fitontest.displays.ratio_dots import ratio_display

        if not self.data.has_one_score:
            raise ValueError(
                "groups are drawn of one score: of several classes, evaluation.classes[label].plot_groups()"
            )
        sample, groups = self.sample, self.sample.groups
        if groups is None:
            raise ValueError("groups must be named for a diagram of groups: pass groups= to read or evaluate")
        by_group = np.split(np.argsort(groups.code, kind="stable"), np.cumsum(np.bincount(groups.code))[:-1])
        parts = [
            (str(name), ScoreSample.of_rows(sample.rows.at(own), whole=sample.whole))
            for name, own in zip(groups.ids.tolist(), by_group, strict=True)
        ]
        return ratio_display(parts, sample, tolerance=self.tolerance.ratio).plot(ax)

    def sections(self) -> list[Section]:
        """Return what is printed: the verdict with a line for each kind of map, or the tables where there is none."""
        verdict = self.verdict
        if verdict is None:
            return self._of_classes or self._tables()
        is_listed = any(one is verdict.estimate for one in self.estimates)
        of_values = [(name, one) for name, one in self.named if not (is_listed and one.measure.is_family_error)]
        of_groups = [] if self.groups is None else self.groups.notes
        notes = [*note_lines(of_values), *_data_notes(self.estimates[0]), *of_groups]
        return [conclude(self.named, verdict, notes, self.doubts)]

    def table(self) -> Table:
        """Return all columns of all errors and other measures, with the verdict and the notes at length.

        Returns
        -------
        Table
            With the same records; printing it shows more.
        """
        verdict = self.verdict
        said = [] if verdict is None else [*map(sentence, self.doubts), *verdict.sentences]
        first = [Section(lead="\n".join(said))] if said else self._of_classes
        return Detailed(self, (*first, *self._tables()))

    def explain(self) -> Table:
        """Return what the words and numbers of this result mean, in plain sentences.

        Returns
        -------
        Table
            With the same records; printing it shows the sentences.
        """
        verdict, notes = self.verdict, list(dict.fromkeys([*self.notes, *self._of_groups]))
        if verdict is None:
            parts = [replace(part, header=(), body=()) for part in self.sections()]
            return Detailed(self, tuple(parts))
        return explanation(self, explained(self.named, verdict, notes))

    @property
    def _of_groups(self) -> list[str]:
        """How rows hang together, a sentence each."""
        return [] if self.groups is None else lines_without(self.groups, self.notes)

    @property
    def _of_classes(self) -> list[Section]:
        """The verdicts on the classes, where they have any."""
        verdicts = self.class_verdicts
        return [] if verdicts is None else [verdicts.section(self.estimates[0].n, MORE)]

    def _tables(self) -> list[Section]:
        """Return the table of the families, and that of the other measures."""
        groups = self.groups
        said = [] if self.verdict is None else self.doubts  # before the verdict
        notes = [note for note in _data_notes(self.estimates[0]) if note not in said]
        first, *others = tables_of(
            self.named,
            by_class=bool(self.classes),
            data_notes=[*notes, *([] if groups is None else lines_without(groups, said))],
            judged=self.verdict is not None,
        )
        if groups is not None and groups.too_few:  # the conclusion: that there is none
            lead = "\n".join(text for text in (first.title, first.lead) if text)
            first = replace(first, title=sentence(groups.refusal), lead=lead)
        return [first, *others]

    @cached_property
    def verdict(self) -> Verdict | None:
        """Whether the data show miscalibration, of which size and in which direction, and what they cannot rule out.

        It rests on the same statistics whichever families are listed: on a spline, an isotonic map and the pair
        statistic; what is not among the estimates is computed. None of several classes, whose measures speak for
        themselves, and without a family that has an interval and a null.
        """
        return verdict_of(self.named, self.data, tolerance=self.tolerance) if self.data.has_one_score else None

    @cached_property
    def class_verdicts(self) -> ClassVerdicts | None:
        """The verdicts on several classes, each against the rest, adjusted for their number; None where there are none.

        A class has one where a family has an interval and a null.
        """
        found: dict[Label, Verdict] = {}
        for label, each in self.classes.items():
            verdict = verdict_of(each.named, each.data, len(self.classes), self.tolerance)
            found |= {} if verdict is None else {label: verdict}
        return ClassVerdicts(found, len(self.classes)) if found else None


def _data_notes(estimate: Estimate) -> list[str]:
    """Return what must be known of the rows, whatever is measured of them."""
    of_labels = [f"{where}: {note}" if where else note for where, note in notes_of_labels(estimate)]
    return of_labels + data_notes(estimate.decided, estimate.weighting, estimate.rows_note)


def _has_map(estimate: Estimate) -> bool:
    """Tell whether there is a map to draw: the estimate's own, or that of its classes."""
    return next(iter(estimate.parts.values())).map is not None
