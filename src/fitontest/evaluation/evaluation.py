"""Any measures of any data as one table, by class where the data are of several."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from fitontest.checks import as_list, brief, choose
from fitontest.data.predictions import ClassSamples, Columns
from fitontest.data.repeated_rows import Repeats
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import CANONICAL, AnyReduction, SimplexSample, read_any
from fitontest.evaluation.measuring import measure_segments
from fitontest.evaluation.segments import Segments, read_frame, read_segments
from fitontest.exceptions import CalibrationWarning, Held, held_warnings, warn_user
from fitontest.families.base import Family, family_class
from fitontest.families.listed import names_by_settings, numbered
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.registry import names as family_names
from fitontest.maps.base import CalibrationMap
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.measures.estimate import Estimate, json_ready, mean_over_classes, notes_of_evidence, notes_of_labels
from fitontest.measures.measure import Measure, read_measure
from fitontest.measures.notes import data_notes, of_classes
from fitontest.measures.plug_in import PlugIn
from fitontest.measures.side_by_side import Named, note_lines, tables_of
from fitontest.numerics.norms import Norm
from fitontest.numerics.random import one_seed
from fitontest.numerics.simplex_distances import DEFAULT_DISTANCE
from fitontest.progress import track
from fitontest.results.frames import Records
from fitontest.results.table import Section, Table
from fitontest.typing import ArrayInput, Label, RandomState
from fitontest.uncertainty.intervals import DRAWS, Direction
from fitontest.uncertainty.redrawing import NO_CLASSES, Redrawing, estimate_of
from fitontest.uncertainty.verdict import Verdict, verdict_of

if TYPE_CHECKING:
    from fitontest.displays.canvas import SomeFigure
    from fitontest.displays.class_choice import ClassChoice
    from fitontest.displays.scales import ScaleName
    from fitontest.displays.small_multiples import SmallMultiples

FamilyLike = str | Family | CalibrationMap | MulticlassFamily | MulticlassMap
Data = ScoreSample | ClassSamples | SimplexSample
DEFAULT_SEGMENTED = ("spline",)  # the family that segments are measured by unasked: they need one number each
DEFAULT_CANONICAL = ("temperature", "vector", "matrix")  # families of several classes that are evaluated unasked


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Table):
    """Several measures of the same data.

    Iterating it gives the estimates. ``evaluation["beta"]`` is the plug-in error under that family,
    ``evaluation["kernel"]`` the measure of that name. Of several classes ``evaluation[label]`` is the evaluation of
    that class (``evaluation.classes[label]`` is too, where a class has the name of a measure); each is made when it is
    asked for, and ``in`` looks among the estimates.

    Attributes
    ----------
    estimates : tuple of Estimate
        In the order given.
    data : ScoreSample, Predictions, ClassCells or SimplexSample
        The rows they were measured on, for the diagrams: predictions of several classes with ``reduction="classwise"``,
        distributions with ``reduction="canonical"``.

    Notes
    -----
    Printing it shows a table. Families answer the same question with different maps: where they agree the number
    depends little on what is assumed about the true map, where they do not it depends on it much. All of them are
    biased upward by being fitted on the rows they are measured on, flexible ones the most: of perfectly calibrated
    scores none but the identity finds an error of 0.

    Examples
    --------
    >>> import fitontest as fot
    >>> p = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]
    >>> y = ["a", "b", "b", "c"]
    >>> evaluation = fot.evaluate(y, p, families=["isotonic", fot.Slope1(1)], reduction="classwise")
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

    @property
    def names(self) -> list[str]:
        """What the estimates are called, each by a name of its own."""
        return numbered(_called([estimate.measure for estimate in self.estimates]))

    @property
    def sample(self) -> ScoreSample:
        """The rows that were measured, of two classes."""
        if not isinstance(self.data, ScoreSample):
            own = "each has its own, evaluation.classes[label].sample" if self.classes else "there is none"
            raise AttributeError(f"sample: of several classes {own}")
        return self.data

    @property
    def classes(self) -> "Mapping[Label, Evaluation]":
        """The evaluation of each class against the rest, in the order of the columns; empty for two classes."""
        return _Classes(self) if isinstance(self.data, ClassSamples) else {}

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
        if isinstance(self.data, ClassSamples):
            labelled = ((label, evaluation.rows()) for label, evaluation in self.classes.items())
            return [{"class": json_ready(label), **row} for label, rows in labelled for row in rows]
        records = [
            {**estimate.record(), "measure": name} for name, estimate in zip(self.names, self.estimates, strict=True)
        ]
        blank = dict.fromkeys(key for record in records for key in record)
        return [{**blank, **record} for record in records]

    def to_dict(self) -> dict[str, Any]:
        """Return the records as JSON-ready values: ``{"estimates": [...]}``, or the means and those of the classes."""
        if isinstance(self.data, ClassSamples):
            classes = [{"class": json_ready(label), "estimates": e.rows()} for label, e in self.classes.items()]
            return {"reduction": "classwise", "means": self.means, "classes": classes, "notes": self.notes}
        reduction = self.estimates[0].reduction
        facts = {} if reduction is None else {"reduction": reduction}
        verdict = {} if self.verdict is None else {"verdict": self.verdict.to_dict()}
        return {**facts, "estimates": self.rows(), "notes": self.notes, **verdict}

    @property
    def notes(self) -> list[str]:
        """What must be known to read the values, a sentence each: that the data chose a single bin, for example."""
        return note_lines(self._named()) + self._data_notes()

    def only(self, names: Iterable[str]) -> "Evaluation":
        """Return the evaluation of the estimates of these names.

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
        named = zip(self.names, self.estimates, strict=True)
        return Evaluation(tuple(estimate for name, estimate in named if name in chosen), self.data)

    def joined(self, other: "Evaluation") -> "Evaluation":
        """Return one evaluation of the estimates of both, which are of the same data.

        Parameters
        ----------
        other : Evaluation
            Another evaluation of the same data, whose estimates come last.
        """
        return Evaluation(self.estimates + other.estimates, self.data)

    def plot(
        self,
        family: str | None = None,
        *,
        scale: "ScaleName" = "probability",
        classes: "ClassChoice" = None,
        figure: "SomeFigure" = None,
    ) -> "SmallMultiples":
        """Draw the reliability diagrams of all families side by side, on shared axes; or of all classes, under one.

        A measure that has no map, such as "tce", has no panel: `ReliabilityDisplay` writes it into the legend. Neither
        has the identity among other families, because its diagram is the diagonal.

        Parameters
        ----------
        family : str, optional
            Only this one. Of several classes one must be chosen, by default slope1.
        scale : {"probability", "logit"}, default="probability"
            How the axes lay out probabilities, see `ReliabilityDisplay`.
        classes : int or array-like of labels, optional
            Of several classes, how many are drawn, by default 16, or which: of more than the number those with
            the largest errors.
        figure : matplotlib Figure or SubFigure, optional
            An empty one to draw in; by default a new pyplot figure that is large enough.

        Returns
        -------
        SmallMultiples
        """
        return self.diagrams(family, scale=scale, classes=classes).plot(figure)

    def diagrams(
        self, family: str | None = None, *, scale: "ScaleName" = "probability", classes: "ClassChoice" = None
    ) -> "SmallMultiples":
        """Return these diagrams, which are yet to be drawn, or to be saved.

        Parameters
        ----------
        family, scale, classes
            As for `plot`.

        Raises
        ------
        ValueError
            Whole distributions; estimates without a map; a family that is not among them; `classes` where the diagrams
            are not of classes.
        """
        from fitontest.displays.class_choice import choose_worst
        from fitontest.displays.reliability import ReliabilityDisplay
        from fitontest.displays.small_multiples import arrange_panels, join_title, leave_out_identity

        if isinstance(self.data, SimplexSample):
            raise ValueError("reduction must not be 'canonical' for reliability diagrams, which are of one score")
        with_map = [name for name, estimate in zip(self.names, self.estimates, strict=True) if _has_map(estimate)]
        if not with_map:
            raise ValueError(f"families must be given for diagrams: none of {self.names} has a map to draw")
        if isinstance(self.data, ClassSamples):
            chosen = choose("slope1" if family is None else family, with_map, "family")
            each = self[chosen].classes
            labels, facts = choose_worst(each, classes)
            measured = [(f"class {label}", each[label], self.classes[label].sample) for label in labels]
            return arrange_panels(ReliabilityDisplay, measured, scale, title=join_title(chosen, facts))
        if classes is not None:
            raise ValueError(f"classes must be left out where the diagrams are not of classes, got {brief(classes)}")
        shown = with_map if family is None else [choose(family, with_map, "family")]
        measured = leave_out_identity((name, self[name], self.sample) for name in shown)
        return arrange_panels(ReliabilityDisplay, measured, scale)

    def sections(self) -> list[Section]:
        """Return the table of the families, and that of the other measures."""
        verdict = self.verdict
        tables = tables_of(
            self._named(),
            by_class=isinstance(self.data, ClassSamples),
            data_notes=self._data_notes(),
            judged=verdict is not None,
        )
        return tables if verdict is None else [*tables, Section(notes=str(verdict))]

    @cached_property
    def verdict(self) -> Verdict | None:
        """Whether these rows show miscalibration, of which size and in which direction, and what they cannot rule out.

        It rests on the same statistics whichever families are listed: on a spline, an isotonic map and the pair
        statistic; what is not among the estimates is computed. None of several classes, whose measures speak for
        themselves, and without a family that has an interval and a null.
        """
        return verdict_of(self._named(), self.data) if isinstance(self.data, ScoreSample) else None

    def _named(self) -> Named:
        return list(zip(self.names, self.estimates, strict=True))

    def _data_notes(self) -> list[str]:
        """Return what must be known of the rows, whatever is measured of them."""
        first = self.estimates[0]
        of_labels = [f"{where}: {note}" if where else note for where, note in notes_of_labels(first)]
        return of_labels + data_notes(first.decided, first.weighting, first.rows_note)

    def __repr__(self) -> str:
        return str(self)


def evaluate(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    families: Iterable[FamilyLike] | None = None,
    measures: Iterable[str | Measure] | None = None,
    norm: str | Norm = "l1",
    interval: float | Literal["auto"] | None = "auto",
    direction: Direction = "smooth",
    draws: int = DRAWS,
    null_draws: int | Literal["auto"] = 0,
    random_state: RandomState = 0,
    reduction: AnyReduction | None = None,
    labels: ArrayInput = None,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
    by: ArrayInput = None,
    label: str | None = None,
    prob: str | Sequence[str] | None = None,
    weight: str | None = None,
) -> Any:
    """Return several measures of the scores: plug-in calibration errors under families, and any others.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n,)
        Labels and predicted probabilities of the positive class; with `reduction` labels of any number of classes, and
        a matrix of shape (n, K). Or, in place of both, `Cells`, a dict of these by segment, or a data frame, eager or
        lazy, whose columns `label` and `prob` name.
    families : iterable of str, Family or CalibrationMap, optional
        ``families=F`` is ``measures=[fot.measures.PlugIn(f) for f in F]``. By default, unless there are `measures`, all
        registered families but those whose class has ``evaluator = False`` (see `Family`).
    measures : iterable of str or Measure, optional
        Registered names (`fot.measures.names`) or measures, after the families.
    norm : str, Norm or callable, default="l1"
        How the distances |c_hat(p) - p| under the families become one number, see `calibration_error`; a measure has a
        norm of its own.
    interval : float in (0, 1), "auto" or None, default="auto"
        Level of the intervals of the debiased errors, see `calibration_error`. "auto" gives 95 % intervals to the
        families that are refitted quickly to redrawn labels (by default settings all but `venn_abers`) and none to
        other measures and to classes; a level gives them to whatever can have one; None is quick and gives none. Where
        there is an interval there is a null of 200 draws, or of `null_draws`.
    direction, draws
        See `calibration_error`.
    null_draws : int or "auto", default=0
        How often everything is measured again with labels drawn from the scores, for what to expect of calibrated ones.
        "auto" draws what `tce` draws by default, and for the TCE alone.
    random_state : int, RandomState or None, default=0
        Seed of these draws, and of the families and measures given by name that draw; an instance keeps its own.
    reduction : {"confidence", "classwise", "binary", "canonical"}, optional
        How a matrix of scores is read, see `calibration_error`: the largest score of each row, as the probability that
        its class is the label; each class against the rest; the column of the positive class of two; or whole
        distributions, with families of several classes (by default temperature, vector and matrix, and beside them the
        ECE on the simplex and the proper error), or of two, fitted to each class against the rest, and measures of
        ``fot.measures.names("any")``.
    labels : array-like of shape (K,), optional
        The classes in the order of the columns, with `reduction`; by default those that the columns of a data frame
        are called after, or else the labels that occur, sorted.
    sample_weight : array-like of shape (n,), optional
        Counts where all are whole numbers of at most 10 on average, weight 2 being the row twice; else importances,
        whose scale means nothing. A row of weight 0 is absent.
    pos_label : label, optional
        The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}.
    by : array-like of shape (n,) or (n, k), or str or sequence of str, optional
        The segment of each row, such as its region: every measure of each segment alone and of all rows, by default the
        error under the family spline. Of a data frame the names of columns. At most 100 segments; labels are drawn at
        least 40 times as often for the null, whatever `interval` is. Without it every number is of all rows together,
        not of each region, nor of each period in time.
    label, prob : str, optional
        Columns of a data frame, which one pass reduces to `Cells`, and to those of each segment.
    weight : str, optional
        Its column of weights.

    Returns
    -------
    Evaluation
        With segments a `SegmentedEvaluation`.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Warns
    -----
    CalibrationWarning
        Where the data chose a single bin, so that the error of a family is the difference of the means, and where all
        scores are 0 or 1. `Evaluation.notes` and the printed table say it too.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(1000)
    >>> y = rng.random(1000) < p**1.3
    >>> print(fot.evaluate(y, p, families=["slope1", "isotonic"]))
    calibration error (l1), n = 1000, share of positives 0.466
    family     error  debiased      95 % interval  bins  if calibrated    s.d.  p-value
    --------  ------  --------  -----------------  ----  -------------  ------  -------
    slope1    0.0566    0.0517  0.00853 to 0.0729     5         0.0174   0.015    0.010
    isotonic  0.0624    0.0512   0.0293 to 0.0721    24         0.0357  0.0056   0.0050
    Estimates of one quantity by different maps, not a ranking: ...
    >>> print(fot.evaluate([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8], measures=["ece", "tce"]))
    n = 4, share of positives 0.5
    measure   value  bins
    -------  ------  ----
    ece       0.375    10
    tce      0.00 %     4
    tce: means little without its null: null_draws=100 draws it
    >>> region = np.where(p < 0.5, "north", "south")
    >>> by_region = fot.evaluate(y, p, by=region, families=["beta"])
    >>> [by_region[segment].sample.n for segment in by_region], by_region.total.sample.n
    ([473, 527], 1000)
    """
    random_state = one_seed(random_state)
    redrawing = Redrawing(null_draws, interval, direction, draws, random_state)
    rows, how = (y_true, y_prob, sample_weight), (reduction, labels, pos_label)
    if label is None and prob is None and weight is None:
        data: Any = read_segments(rows, by, *how)
    else:
        data = read_frame(rows, *how, label=label, prob=prob, weight=weight, by=by)
        rows, how = (data, None, None), (None, None, None)
    if isinstance(data, Segments):
        listed = DEFAULT_SEGMENTED if families is None and measures is None else families
        chosen = measures_of(listed, measures, norm, random_state)
        return measure_segments(data, chosen, how[0], redrawing, Evaluation)
    of_list = canonical_measures_of if reduction == CANONICAL else measures_of
    chosen = of_list(families, measures, norm, random_state)
    data = read_any(rows, *how)
    evaluation = evaluation_of(data, chosen, reduction, redrawing)
    _warn_of_notes(evaluation)
    return evaluation


def measures_of(
    families: Iterable[FamilyLike] | None,
    measures: Iterable[str | Measure] | None,
    norm: str | Norm,
    random_state: RandomState,
) -> list[Measure]:
    """Return the measures of an evaluation: plug-in errors under the families, then the others."""
    if families is None and measures is None:
        families = [name for name in family_names("two") if family_class(name).evaluator]
    listed = [] if families is None else as_list(families, "families")
    others = [] if measures is None else as_list(measures, "measures")
    if not listed and norm != "l1":
        raise ValueError(f"norm must be left at 'l1' unless there are families: a measure has its own; got {norm!r}")
    given: list[Measure] = [PlugIn(family, norm).seeded(random_state) for family in listed]
    given += [read_measure(one, random_state) for one in others]
    return [measure.labelled(name) for measure, name in zip(given, _called(given), strict=True)]


def canonical_measures_of(
    families: Iterable[FamilyLike] | None,
    measures: Iterable[str | Measure] | None,
    norm: str | Norm,
    random_state: RandomState,
) -> list[Measure]:
    """Return the measures of an evaluation of whole distributions: plug-in errors under families, then the others."""
    if families is None and measures is None:
        families, measures = DEFAULT_CANONICAL, ["simplex_ece", "proper_error"]
    listed = [] if families is None else as_list(families, "families")
    others = [] if measures is None else as_list(measures, "measures")
    given: list[Measure] = [PlugIn(family, norm, distance=DEFAULT_DISTANCE).seeded(random_state) for family in listed]
    given += [read_measure(one, random_state) for one in others]
    return [measure.labelled(name) for measure, name in zip(given, _called(given), strict=True)]


def evaluation_of(
    data: Data,
    measures: list[Measure],
    reduction: str | None = None,
    redrawing: Redrawing | None = None,
) -> Evaluation:
    """Return the evaluation of data that have been checked already."""
    redrawing = redrawing or Redrawing()
    rows, classes = (data.size, len(data.classes)) if isinstance(data, ClassSamples) else (data.n, 1)
    asked = [(measure, redrawing.of(measure, rows, classes)) for measure in measures]
    judged = any(wanted.interval is not None or wanted.null_draws for _, wanted in asked)
    if not isinstance(data, ClassSamples):
        if judged:
            Repeats.of(data.confidence if isinstance(data, SimplexSample) else data).warn()
        steps = track(asked, "measures") if len(asked) > 1 else asked  # one may have steps of its own
        repeated: list[Held] = []
        try:
            with held_warnings() as repeated:  # a family and a measure may have the same bins
                estimates = [estimate_of(measure, data, reduction, wanted) for measure, wanted in steps]
        finally:  # what was found before one of them failed may be why
            for message, category in dict.fromkeys(repeated):
                warn_user(message, category)
    else:
        each, held, repeats = {}, {}, []
        for column, label in enumerate(track(data.classes, "classes")):
            sample = data.against_rest(column)  # one at a time: measured, it has grown by its sorted rows
            if judged:
                repeats.append(Repeats.of(sample))
            with held_warnings() as held[label]:
                each[label] = [
                    estimate_of(one.of_class(column, classes), sample, "classwise", wanted) for one, wanted in asked
                ]
        if repeats:
            max(repeats, key=lambda one: one.between).warn()  # the classes share their rows
        _warn_by_class(held)
        by_measure = zip(*each.values(), strict=True)
        means = [mean_over_classes(dict(zip(each, column, strict=True))) for column in by_measure]
        estimates = [replace(mean, measure=measure) for mean, measure in zip(means, measures, strict=True)]
        if any(wanted.interval is not None for _, wanted in asked):
            estimates = [replace(estimate, interval_reason=NO_CLASSES) for estimate in estimates]
    return Evaluation(tuple(estimates), data)


def estimated(
    measure: Measure,
    columns: Columns,
    *,
    reduction: str | None = None,
    labels: ArrayInput = None,
    pos_label: Label | None = None,
    redrawing: Redrawing | None = None,
) -> Estimate:
    """Return the estimate that a measure makes of (y_true, y_prob, sample_weight), or of their reduction."""
    data = read_any(columns, reduction, labels, pos_label)
    evaluation = evaluation_of(data, [measure], reduction, redrawing)
    _warn_of_notes(evaluation)
    return evaluation.estimates[0]


def _warn_of_notes(evaluation: Evaluation) -> None:
    """Warn once of values that are not what their name promises."""
    named = list(zip(evaluation.names, evaluation, strict=True))
    one_bin = note_lines(named, notes_of_evidence)
    of_bins = one_bin and not isinstance(evaluation.data, SimplexSample)
    hint = ["the number of bins was left to the data; n_bins=10 fixes it"] if of_bins else []
    if lines := [*one_bin, *hint, *data_notes(evaluation.estimates[0].decided, None)]:
        warn_user("; ".join(lines), CalibrationWarning)


def _warn_by_class(held: Mapping[Label, list[Held]]) -> None:
    """Warn of what was found in several classes: once of each kind, in the words of the first class."""
    kinds: dict[tuple[type[Warning], str], dict[Label, str]] = {}
    for label, warnings in held.items():
        for message, category in warnings:
            kinds.setdefault((category, message.partition(":")[0]), {}).setdefault(label, message)
    for (category, _), messages in kinds.items():
        first, *others = messages
        also = f" The like is true of {of_classes(others, len(held))}." if others else ""
        warn_user(f"class {first!r}: {messages[first]}{also}", category)


def _called(measures: Sequence[Measure]) -> list[str]:
    """Return the names of measures; those that share one get a longer one."""
    names = [one.name for one in measures]
    if len(set(names)) == len(names):
        return names
    longer = [one.longer_names() for one in measures]
    for i in range(max(map(len, longer))):
        given = zip(names, longer, strict=True)
        names = names_by_settings(names, [more[i] if i < len(more) else name for name, more in given])
    return names


class _Classes(Mapping[Label, Evaluation]):
    """The evaluations of the classes, each made when it is asked for: its sorted rows take as much as all of them."""

    def __init__(self, whole: Evaluation) -> None:
        assert isinstance(whole.data, ClassSamples)
        self._estimates, self._data = whole.estimates, whole.data

    def __getitem__(self, label: Label) -> Evaluation:
        if label not in self:
            raise KeyError(label)
        column = self._data.classes.index(label)
        return Evaluation(tuple(estimate[label] for estimate in self._estimates), self._data.against_rest(column))

    def __contains__(self, label: object) -> bool:
        return label in self._data.classes

    def __iter__(self) -> Iterator[Label]:
        return iter(self._data.classes)

    def __len__(self) -> int:
        return len(self._data.classes)

    def __repr__(self) -> str:
        return f"<evaluations of the classes {list(self)}>"


def _has_map(estimate: Estimate) -> bool:
    """Tell whether there is a map to draw: the estimate's own, or that of its classes."""
    first = estimate if estimate.classes is None else next(iter(estimate.classes.values()))
    return first.map is not None
