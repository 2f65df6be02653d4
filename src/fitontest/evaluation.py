"""Any measures of any data as one table, by class where the data are of several."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from fitontest.checks import choose
from fitontest.data.predictions import Columns, Predictions, Reduction, read_data
from fitontest.data.sample import Sample
from fitontest.families.base import Family, available_families, names_by_settings, numbered, read_family
from fitontest.maps.base import CalibrationMap
from fitontest.measures.base import Estimate, Measure, json_ready, mean_over_classes, read_measure
from fitontest.measures.plug_in import PlugIn
from fitontest.numerics.norms import Norm
from fitontest.progress import track
from fitontest.results.frames import Records
from fitontest.results.table import Section, Table, cell
from fitontest.results.text import short
from fitontest.typing import ArrayInput, Label, RandomState
from fitontest.uncertainty.null import check_draws, estimate_of

if TYPE_CHECKING:
    from fitontest.displays.canvas import SomeFigure
    from fitontest.displays.scales import ScaleName
    from fitontest.displays.small_multiples import SmallMultiples

FAMILIES_NOTE = """\
Estimates of one quantity by different maps, not a ranking: smaller is not better, and identity is 0 by definition.
s.e. (map fixed): spread of the mean distance over fresh scores under this very map. A map fitted on these rows has
more uncertainty than that, often far more: the number is a lower bound, not an error bar."""
CLASSES_NOTE = """\
Means over the classes, each against the rest and each counting the same. The families are estimates of one quantity by
different maps, not a ranking: smaller is not better, and identity is 0 by definition."""

FamilyLike = str | Family | CalibrationMap
Data = Sample | Predictions


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(Table):
    """Several measures of the same data.

    Iterating it gives the estimates. ``evaluation["beta"]`` is the plug-in error under that family,
    ``evaluation["kernel"]`` the measure of that name. Of several classes ``evaluation[label]`` is the evaluation of
    that class (``evaluation.classes[label]`` is too, where a class has the name of a measure).

    Attributes
    ----------
    estimates : tuple of Estimate
        In the order given.
    data : Sample or Predictions
        The rows they were measured on, for the diagrams: predictions of several classes with ``reduction="classwise"``.

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
        measures = [estimate.measure for estimate in self.estimates]
        return numbered(names_by_settings([one.name for one in measures], [_in_full(one) for one in measures]))

    @property
    def errors(self) -> tuple[Estimate, ...]:
        """The former name of `estimates`."""
        return self.estimates

    @property
    def sample(self) -> Sample:
        """The rows that were measured, of two classes."""
        if not isinstance(self.data, Sample):
            raise AttributeError("sample: of several classes each has its own, evaluation.classes[label].sample")
        return self.data

    @property
    def classes(self) -> "Mapping[Label, Evaluation]":
        """The evaluation of each class against the rest, in the order of the columns; empty for two classes."""
        if not isinstance(self.data, Predictions):
            return {}
        each = {}
        for column, label in enumerate(self.data.classes):
            estimates = tuple(estimate[label] for estimate in self.estimates)
            each[label] = Evaluation(estimates, self.data.against_rest(column))
        return each

    @property
    def means(self) -> dict[str, float]:
        """The values by name: of several classes the means over them."""
        return dict(zip(self.names, map(float, self.estimates), strict=True))

    def __getitem__(self, name: Label) -> Any:
        """Return the estimate of that name, or the evaluation of the class of that label."""
        names = self.names
        if isinstance(name, str) and name in names:
            return self.estimates[names.index(name)]
        if isinstance(self.data, Predictions) and name in self.data.classes:
            return self.classes[name]
        known = names + (list(self.data.classes) if isinstance(self.data, Predictions) else [])
        raise KeyError(f"{name!r} is not among {known}")

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def rows(self) -> Records:
        """Return one plain record per estimate, of several classes one per class and estimate."""
        if isinstance(self.data, Predictions):
            labelled = ((label, evaluation.rows()) for label, evaluation in self.classes.items())
            return [{"class": json_ready(label), **row} for label, rows in labelled for row in rows]
        records = [
            {**estimate.record(), "measure": name} for name, estimate in zip(self.names, self.estimates, strict=True)
        ]
        blank = dict.fromkeys(key for record in records for key in record)
        return [{**blank, **record} for record in records]

    def to_dict(self) -> dict[str, Any]:
        """Return the records as JSON-ready values: ``{"estimates": [...]}``, or the means and those of the classes."""
        if isinstance(self.data, Predictions):
            classes = [{"class": json_ready(label), "estimates": e.rows()} for label, e in self.classes.items()]
            return {"reduction": "classwise", "means": self.means, "classes": classes}
        reduction = self.estimates[0].reduction
        return {**({} if reduction is None else {"reduction": reduction}), "estimates": self.rows()}

    def only(self, names: Iterable[str]) -> "Evaluation":
        """Return the evaluation of the estimates of these names."""
        chosen = set(names)
        named = zip(self.names, self.estimates, strict=True)
        return Evaluation(tuple(estimate for name, estimate in named if name in chosen), self.data)

    def joined(self, other: "Evaluation") -> "Evaluation":
        """Return one evaluation of the estimates of both, which are of the same data."""
        return Evaluation(self.estimates + other.estimates, self.data)

    def plot(
        self, family: str | None = None, *, scale: "ScaleName" = "probability", figure: "SomeFigure" = None
    ) -> "SmallMultiples":
        """Draw the reliability diagrams of all families side by side, on shared axes; or of all classes, under one.

        Parameters
        ----------
        family : str, optional
            Only this one. Of several classes one must be chosen, by default slope1.
        scale : {"probability", "logit"}, default="probability"
            How the axes lay out probabilities, see `ReliabilityDisplay`.
        figure : matplotlib Figure or SubFigure, optional
            An empty one to draw in; by default a new pyplot figure that is large enough.

        Returns
        -------
        SmallMultiples
        """
        return self.diagrams(family, scale=scale).plot(figure)

    def diagrams(self, family: str | None = None, *, scale: "ScaleName" = "probability") -> "SmallMultiples":
        """Return these diagrams, which are yet to be drawn, or to be saved."""
        from fitontest.displays.reliability import ReliabilityDisplay
        from fitontest.displays.small_multiples import arrange_panels, check_class_count

        with_map = [name for name, estimate in zip(self.names, self.estimates, strict=True) if _has_map(estimate)]
        if isinstance(self.data, Predictions):
            check_class_count(len(self.data.classes))
            chosen = choose("slope1" if family is None else family, with_map, "family")
            measured = [(f"class {label}", each[chosen], each.sample) for label, each in self.classes.items()]
            return arrange_panels(ReliabilityDisplay, measured, scale, title=chosen)
        shown = with_map if family is None else [choose(family, with_map, "family")]
        return arrange_panels(ReliabilityDisplay, [(name, self[name], self.sample) for name in shown], scale)

    def sections(self) -> list[Section]:
        """Return the table of the families, and that of the other measures."""
        named = list(zip(self.names, self.estimates, strict=True))
        families = [(name, estimate) for name, estimate in named if isinstance(estimate.measure, PlugIn)]
        others = [(name, estimate) for name, estimate in named if not isinstance(estimate.measure, PlugIn)]
        by_class = isinstance(self.data, Predictions)
        parts = []
        if families:
            parts.append(_families_by_class(families) if by_class else _families_table(families))
        if others:
            title = "" if families else _rows_in_words(self.estimates[0])
            parts.append(_measures_by_class(others, title) if by_class else _measures_table(others, title))
        return parts

    def __repr__(self) -> str:
        return str(self)


def evaluate(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    *,
    families: Iterable[FamilyLike] | None = None,
    measures: Iterable[str | Measure] | None = None,
    norm: str | Norm = "l1",
    null_draws: int = 0,
    random_state: RandomState = 0,
    reduction: Reduction | None = None,
    labels: ArrayInput = None,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> Evaluation:
    """Return several measures of the scores: plug-in calibration errors under families, and any others.

    Parameters
    ----------
    y_true, y_prob : array-like of shape (n,)
        Labels and predicted probabilities of the positive class; with `reduction` labels of any number of classes, and
        a matrix of shape (n, K).
    families : iterable of str, Family or CalibrationMap, optional
        ``families=F`` is ``measures=[plug_in(f) for f in F]``. All registered families by default, unless there are
        `measures`.
    measures : iterable of str or Measure, optional
        Registered names (`available_measures`) or measures, after the families.
    norm : str, Norm or callable, default="l1"
        How the distances |c_hat(p) - p| under the families become one number, see `calibration_error`.
    null_draws : int, default=0
        How often everything is measured again with labels drawn from the scores, for what to expect of calibrated ones.
    random_state : int, RandomState or None, default=0
        Seed of these draws, and of the families given by name that draw folds; an instance keeps its own.
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
    >>> print(fot.evaluate([0, 0, 1, 1], [0.1, 0.6, 0.4, 0.8], measures=["ece", "tce"]))
    n = 4, share of positives 0.5
    measure   value  bins
    -------  ------  ----
    ece       0.375    10
    tce      0.00 %     4
    """
    chosen = measures_of(families, measures, norm, random_state)
    data = read_data((y_true, y_prob, sample_weight), reduction, labels, pos_label)
    return evaluation_of(data, chosen, reduction, null_draws, random_state)


def measures_of(
    families: Iterable[FamilyLike] | None,
    measures: Iterable[str | Measure] | None,
    norm: str | Norm,
    random_state: RandomState,
) -> list[Measure]:
    """Return the measures of an evaluation: plug-in errors under the families, then the others."""
    if families is None and measures is None:
        families = available_families()
    listed = [] if families is None else _listed(families, "families", "families")
    others = [] if measures is None else _listed(measures, "measures", "measures")
    given = [_plug_in(family, norm, random_state) for family in listed] + [read_measure(one) for one in others]
    called = names_by_settings([measure.name for measure in given], [_in_full(measure) for measure in given])
    return [_labelled(measure, name) for measure, name in zip(given, called, strict=True)]


def evaluation_of(
    data: Data,
    measures: list[Measure],
    reduction: str | None = None,
    null_draws: int = 0,
    random_state: RandomState = 0,
) -> Evaluation:
    """Return the evaluation of data that have been checked already."""
    if isinstance(data, Sample):
        steps = track(measures, "measures") if len(measures) > 1 else measures  # one may have steps of its own
        estimates = [estimate_of(measure, data, reduction, null_draws, random_state) for measure in steps]
    else:
        each = {}
        for column, label in enumerate(track(data.classes, "classes")):
            sample = data.against_rest(column)  # one at a time: measured, it has grown by its sorted rows
            each[label] = [estimate_of(one, sample, "classwise", null_draws, random_state) for one in measures]
        by_measure = zip(*each.values(), strict=True)
        estimates = [mean_over_classes(dict(zip(each, column, strict=True))) for column in by_measure]
    return Evaluation(tuple(estimates), data)


def estimated(
    measure: Measure,
    columns: Columns,
    *,
    reduction: str | None = None,
    labels: ArrayInput = None,
    pos_label: Label | None = None,
    null_draws: int = 0,
    random_state: RandomState = 0,
) -> Estimate:
    """Return the estimate that a measure makes of (y_true, y_prob, sample_weight), or of their reduction."""
    check_draws(null_draws)
    data = read_data(columns, reduction, labels, pos_label)
    return evaluation_of(data, [measure], reduction, null_draws, random_state).estimates[0]


def _listed(given: Iterable[Any], argument: str, noun: str) -> list[Any]:
    """Return what an iterable holds, or refuse what is none, and an empty one."""
    held = list(given) if isinstance(given, Iterable) and not isinstance(given, str) else []
    if not held:
        raise ValueError(f"{argument} must be a non-empty list of {noun}, got {given!r}")
    return held


def _plug_in(family: object, norm: str | Norm, random_state: RandomState) -> PlugIn:
    """Return the plug-in error under a family; one given by name draws its folds with the seed."""
    if isinstance(family, str):
        return PlugIn(read_family(family, random_state), norm, label=family)
    return PlugIn(family, norm)  # type: ignore[arg-type]


def _in_full(measure: Measure) -> str:
    """Return what a measure is called where another has its name: by its settings."""
    if isinstance(measure, PlugIn):
        return str(measure.family) if measure.label is None else measure.label
    return measure.name


def _labelled(measure: Measure, name: str) -> Measure:
    return replace(measure, label=name) if isinstance(measure, PlugIn) and measure.name != name else measure


def _has_map(estimate: Estimate) -> bool:
    """Tell whether there is a map to draw: the estimate's own, or that of its classes."""
    first = estimate if estimate.classes is None else next(iter(estimate.classes.values()))
    return first.map is not None


def _rows_in_words(estimate: Estimate) -> str:
    """Return of what data an estimate is."""
    if estimate.classes is not None:
        return f"mean over {len(estimate.classes)} classes, n = {estimate.n}"
    reduction = "" if estimate.reduction is None else f"reduction {estimate.reduction}, "
    share = "accuracy" if estimate.reduction == "confidence" else "share of positives"
    return f"{reduction}n = {estimate.n}, {share} {estimate.base_rate:.4g}"


Named = list[tuple[str, Estimate]]


def _families_table(named: Named) -> Section:
    """Return the table of plug-in errors."""
    first = named[0][1]
    title = f"calibration error ({first.norm}), {_rows_in_words(first)}"
    header = ["family", "error", "s.e. (map fixed)", "bins", "fitted here"]
    nulls = any(estimate.null is not None for _, estimate in named)
    body = [
        [
            name,
            f"{estimate.value:#.3g}",
            "-" if estimate.se_map_fixed is None else f"{estimate.se_map_fixed:#.2g}",
            cell(estimate.n_bins),
            "yes" if estimate.fitted_on_these_rows else "no",
            *(_null_cells(estimate) if nulls else ()),
        ]
        for name, estimate in named
    ]
    return Section(title, header + (list(NULL_HEADER) if nulls else []), body, FAMILIES_NOTE)


def _measures_table(named: Named, title: str) -> Section:
    """Return the table of other measures."""
    nulls = any(estimate.null is not None for _, estimate in named)
    header = ["measure", "value", "bins", *(NULL_HEADER if nulls else ())]
    body = [
        [
            name,
            estimate.measure.printed(estimate.value),
            cell(estimate.n_bins),
            *(_null_cells(estimate) if nulls else ()),
        ]
        for name, estimate in named
    ]
    return Section(title, header, body)


NULL_HEADER = ("if calibrated", "s.d.", "p-value")


def _null_cells(estimate: Estimate) -> tuple[str, str, str]:
    """Return what calibrated scores would have, its spread, and how many draws are at least as bad."""
    null = estimate.null
    if null is None:
        return "-", "-", "-"
    spread = "-" if null.values.size == 1 else estimate.measure.printed(null.sd, 2)
    return estimate.measure.printed(null.mean), spread, short(null.p_value, 2)


def _families_by_class(named: Named) -> Section:
    """Return the table of the class-wise means of plug-in errors."""
    first = named[0][1]
    title = f"class-wise calibration error ({first.norm}): {_rows_in_words(first)}"
    header = ["family", "mean error", "smallest", "in class", "largest", "in class"]
    return Section(title, header, [_class_cells(*one) for one in named], CLASSES_NOTE)


def _measures_by_class(named: Named, title: str) -> Section:
    """Return the table of the class-wise means of other measures."""
    header = ["measure", "mean", "smallest", "in class", "largest", "in class"]
    return Section(title, header, [_class_cells(*one) for one in named])


def _class_cells(name: str, estimate: Estimate) -> list[str]:
    values = {label: float(each) for label, each in (estimate.classes or {}).items()}
    least, most = min(values, key=lambda label: values[label]), max(values, key=lambda label: values[label])
    printed = estimate.measure.printed
    return [name, printed(estimate.value), printed(values[least]), str(least), printed(values[most]), str(most)]
