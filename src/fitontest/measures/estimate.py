"""An estimate: the value of a measure, and what it was computed from."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from fitontest.data.known_groups import KnownGroups, groups_record
from fitontest.data.row_groups import GroupSizes
from fitontest.data.sample import Sample
from fitontest.data.simplex_sample import CANONICAL
from fitontest.data.weights import Weighting, weighting_record
from fitontest.measures.error_limits import RESOLUTION, RESOLUTIONS, ErrorLimit, ErrorLimits
from fitontest.measures.evidence import Evidence
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.interval import BY_NOISE, ErrorInterval, quote_with
from fitontest.measures.measure import Measure
from fitontest.measures.notes import data_notes, lines_on_rows, no_null_note, of_several, one_class_note, tests_note
from fitontest.measures.reached import OfEvidence, OfMeasure
from fitontest.measures.uncertainty import Origin, Uncertainty
from fitontest.numerics.norms import is_order_statistic
from fitontest.partitions.cell_partition import CellPartition
from fitontest.partitions.partition import Partition
from fitontest.results.frames import Records, attributes
from fitontest.results.number import Number
from fitontest.results.quoting import Kind, confidence, in_decimals
from fitontest.results.several import grouped
from fitontest.results.table import Section, Table, cell
from fitontest.results.text import count, sentence, short
from fitontest.results.typing import ArrayInput, BoolArray, FloatArray, Label

DEBIASED_NORMS = ("l1", "l2", "squared")  # means over rows, and roots of them
TIMES = 3.0  # the raw error, above which a debiased one of single groups is doubted
OF_SINGLE_GROUPS = (
    "the debiased error is more than three times the raw one, and of levels that single groups have alone: it may say "
    "how these groups differ, not how wrong scores are"
)
RAW_NOTE = "label noise adds to the plug-in; interval='always' gives the corrected value and an interval"
#: The decimals of a unit.
KINDS: dict[str, Kind] = {"fraction": "score", "ratio": "ratio", "logits": "slope"}
_OF_TWO = ("base_rate", "stand_in", *(f"limit_{J}" for J in RESOLUTIONS))  # fields of records of two classes alone


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Estimate(Table, Number):
    """A computed error or other measure: a number, with its debiased value, its interval and its diagram.

    What is known of the evidence of some estimates is an attribute of these, such as ``estimate.se_map_fixed`` and
    ``estimate.losses``, and so are settings, such as ``estimate.norm``; all of them are in ``estimate.evidence`` and
    ``estimate.settings``.

    It is a ``float``, the raw value: it compares, adds, rounds and is formatted as that, in numpy, pandas and JSON too,
    and two estimates are equal (``==``) where their values are. Sums, products and rounded values are plain numbers.

    What labels drawn anew tell of it, from `null` to `limits`, may be computed when it is first asked for: by one of
    these attributes, in print, in `to_dict` and `plot`. Then it is kept. ``repr`` and ``float`` do not ask for it.
    For this and for `plot` the estimate holds the rows that it was made of, in copies and pickles too;
    ``float(error)`` holds none.

    Attributes
    ----------
    value : float
        A fraction where ``measure.unit`` is "fraction": 0.348, never 34.8 percent.
    measure : Measure
        With its settings.
    n : int
        Rows of positive weight.
    base_rate : float or None
        Weighted share of positives; the accuracy with ``reduction="confidence"``. None for a mean over classes and for
        measures of all classes at once.
    reduction : str or None
        How several classes were read: "confidence", "classwise", "binary" or "canonical". None for a column of scores.
    evidence : Evidence
        Map, fitted family, bins.
    classes : dict or None
        Of a class-wise mean the estimate of each class, in the order of the columns; short form ``estimate[label]``.
    known : Uncertainty or None
        What labels drawn anew tell of the value; None: not yet computed.
    origin : Origin or None
        The rows, and how to compute and draw what is yet to come. None: nothing is, and `plot` cannot draw.
    uncertainty : Uncertainty
        The same as `known`, computed where it is not.
    null : IfCalibrated or None
        Of it: what the measure would be if the scores were calibrated.
    debiased : float or None
        Of it: the value without what label noise adds to it. None: not computed.
    interval : ErrorInterval or None
        Of it: an interval for the error of these scores; None: not computed.
    interval_reason : str
        Why there is none although it was asked for, or "".
    limits : ErrorLimits or None
        With an interval: how large errors may be that persist over so many rows, whatever their shape; see `limit`.
    decided : bool
        Whether all scores are 0 or 1: decisions, not probabilities.
    weighting : Weighting or None
        Whether weights were taken for counts or for importances, the rows that they stand for, and the effective rows.
        None: all rows weigh one.
    rows_note : str
        What must be known of the rows, such as that many look like copies of others, or "".
    group_sizes : GroupSizes or None
        How many groups the rows belong to, and of how many rows; None where no groups were named.
    groups : KnownGroups or None
        The same with how alike the labels of a group are, where intervals or nulls took that from the rows.
    map, estimator, partition, n_bins
        Of the evidence, or None.
    note : str or None
        What must be known to read the value: that the data chose a single bin, that a TCE has no null, that all labels
        are of one class, that the scores are decisions. None: nothing.

    Examples
    --------
    >>> import fitontest as fot
    >>> p = [[0.7, 0.2, 0.1], [0.2, 0.61, 0.19], [0.5, 0.25, 0.25], [0.1, 0.1, 0.8]]
    >>> error = fot.gce(["a", "b", "b", "c"], p, n_bins=1, reduction="classwise")
    >>> print(error)
    class-wise ECE: 0.140, the plug-in
    mean over 3 classes, loss bias, norm l1, n = 4
    class   error  bins  share of class  expected if calibrated
    -----  ------  ----  --------------  ----------------------
    a       0.125     1           0.250                       -
    b       0.210     1           0.500                       -
    c      0.0850     1           0.250                       -
    no interval: of a mean over classes there is none; interval='always' gives each class one
    >>> round(float(error["b"]), 12), error["b"].n_bins
    (0.21, 1)
    """

    value: float
    measure: Measure
    n: int
    base_rate: float | None
    reduction: str | None = None
    evidence: Evidence = field(default_factory=Evidence)
    known: Uncertainty | None = field(default_factory=Uncertainty)
    origin: Origin | None = None
    decided: bool = False
    weighting: Weighting | None = None
    rows_note: str = ""
    group_sizes: GroupSizes | None = None

    classes: ClassVar[Mapping[Label, "Estimate"] | None] = None

    # of all evidence
    map = OfEvidence[Any]()
    estimator = OfEvidence[Any]()
    partition = OfEvidence[Partition | CellPartition | None]()
    n_bins = OfEvidence[int | None]()
    # settings, of the measures that have them
    family = OfMeasure[str]()
    norm = OfMeasure[str]()
    debias = OfMeasure[bool]()
    distance = OfMeasure[str]()
    loss = OfMeasure[str]()
    alpha = OfMeasure[float]()
    test = OfMeasure[str]()
    # of bins and cells
    table = OfEvidence[Any]()
    losses = OfEvidence[FloatArray]()
    rejects = OfEvidence[Callable[[ArrayInput], BoolArray]]()
    p_values = OfEvidence[Callable[[ArrayInput], FloatArray]]()
    per_bin = OfEvidence[FloatArray]()
    total = OfEvidence[float]()
    averaged = OfEvidence[float]()
    monotone = OfEvidence[bool]()
    cells = OfEvidence[Any]()
    distances = OfEvidence[FloatArray]()
    # of fitted maps
    se_map_fixed = OfEvidence[float | None]()
    se_reason = OfEvidence[str]()
    fitted_on_these_rows = OfEvidence[bool]()
    shifts_by_gap = OfEvidence[bool]()
    # of a gain in a proper loss
    standard_error = OfEvidence[float | None]()
    chosen = OfEvidence[tuple[str, ...]]()
    loss_before = OfEvidence[float]()
    loss_after = OfEvidence[float]()
    # of other measures
    bandwidth = OfEvidence[float]()
    curve = OfEvidence[Any]()
    n_values = OfEvidence[int]()
    n_classes = OfEvidence[int | None]()

    @classmethod
    def of(cls, measure: Measure, sample: Sample, value: float, evidence: Evidence | None = None) -> Self:
        """Return the estimate that a measure makes of the data; the value must be a finite number.

        Parameters
        ----------
        measure : Measure
            The measure, with its settings.
        sample : Sample
            The checked data.
        value : float
            In the unit of the measure.
        evidence : Evidence, optional
            What the value was computed from; by default nothing.

        Raises
        ------
        ValueError
            The value is not finite.
        """
        if not np.isfinite(value):
            raise ValueError(f"value of {measure.name} must be a finite number, got {value!r}")
        evidence = Evidence() if evidence is None else evidence
        if evidence.n_classes is None and sample.has_distributions:
            evidence = replace(evidence, n_classes=sample.n_classes)
        return cls(
            value=float(value),
            measure=measure,
            n=sample.n,
            base_rate=sample.base_rate,
            evidence=evidence,
            decided=sample.decided,
            weighting=sample.weighting,
            rows_note=sample.rows_note,
            group_sizes=sample.group_sizes,
        )

    @property
    def groups(self) -> KnownGroups | None:
        """What is known of the groups that rows belong to; None where none were named."""
        if self.group_sizes is None:
            return None
        return KnownGroups(self.group_sizes, None if self.known is None else self.known.dependence)

    @property
    def uncertainty(self) -> Uncertainty:
        """What labels drawn anew tell of the value, computed when it is first asked for."""
        known = self.known
        if known is None:
            assert self.origin is not None  # only of these it is left for later
            known = self.origin.uncertainty(self)
            object.__setattr__(self, "known", known)  # of the same value: nothing but the time of its computation
        return known

    @property
    def null(self) -> IfCalibrated | None:
        """What the measure would be if the scores were calibrated."""
        return self.uncertainty.null

    @property
    def debiased(self) -> float | None:
        """The value without what label noise adds to it."""
        return self.uncertainty.debiased

    @property
    def interval(self) -> ErrorInterval | None:
        """The interval of the error of these scores."""
        return self.uncertainty.interval

    @property
    def interval_reason(self) -> str:
        """Why there is no interval although one was asked for, or ""."""
        return self.uncertainty.interval_reason

    @property
    def limits(self) -> ErrorLimits | None:
        """How large errors over at least a share of the rows may be, whatever their shape."""
        return self.uncertainty.limits

    def with_uncertainty(self, **changes: Any) -> Self:
        """Return the estimate with other values of its uncertainty.

        Parameters
        ----------
        **changes
            Attributes of `Uncertainty` by name, such as ``null``.
        """
        return replace(self, known=replace(self.known or Uncertainty(), **changes))

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the estimate: a reliability diagram, of a TCE its tests, of ECCE and KS the cumulated residuals.

        Class-wise estimates are drawn as a diagram for each class, a family of three classes as a triangle, and AUC_V
        as its validity curve.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; of several diagrams an empty figure. By default a new pyplot figure is made.
        **options
            Of `ReliabilityDisplay` and its ``plot``, such as ``scale="logit"`` or ``name="model"``; of class-wise
            estimates `scale` and `classes`, as for ``Evaluation.plot``; of cumulated residuals `name` and `level`.

        Returns
        -------
        ReliabilityDisplay, TCEDisplay, CurveDisplay or SimplexDisplay

        Raises
        ------
        ValueError
            The estimate has no map to draw, or does not hold its rows; an option that the diagram does not have.

        Examples
        --------
        >>> import numpy as np, fitontest as fot
        >>> from matplotlib.figure import Figure
        >>> rng = np.random.default_rng(0)
        >>> p = rng.random(500)
        >>> display = fot.calibration_error(rng.random(500) < p**1.5, p).plot(Figure(), name="model")
        >>> display.error.family
        'spline'
        """
        if self.origin is None:
            raise ValueError(
                "this estimate does not hold the rows that a diagram needs; those that calibration_error, gce, ece, "
                "tce and measure return do, and an evaluation is drawn by its own plot"
            )
        return self.origin.plot(self, ax, **options)

    @property
    def quoted(self) -> float:
        """The value that texts quote; see `quotes_debiased`."""
        return self.debiased if self.debiased is not None and self.quotes_debiased else self.value

    @property
    def in_words(self) -> str:
        """How texts quote an error: the debiased value with its interval, or where there is none what float() is."""
        if self.debiased is None:
            return f"{in_decimals([self.value])[0]}, the plug-in"
        return quote_with(self.interval, self.debiased)

    @property
    def quotes_debiased(self) -> bool:
        """Whether texts quote the debiased value, where there is one: of measures that label noise adds to.

        Of other measures too where the interval leaves out the value: the map of the family cannot follow the labels,
        as an isotonic one cannot follow levels that go up and down, and tells next to nothing of the true value.
        """
        if self.debiased is None:
            return False
        interval = self.interval
        return self.measure.is_raw or (interval is not None and not interval.low <= self.value <= interval.high)

    @property
    def doubt(self) -> str:
        """What casts doubt on the debiased value, said before it, or ""."""
        rough = None if self.interval is None else self.interval.roughness
        if rough is None or not rough.of_single_groups or (self.debiased or 0.0) <= TIMES * self.value:
            return ""
        return OF_SINGLE_GROUPS

    def limit(self, resolution: float = RESOLUTION) -> float:
        """Return the largest calibration error that cannot be ruled out at this number of rows.

        It is that of errors which persist over 1 / resolution of the rows.

        Intervals hold errors that the map named beside them can follow. This limit holds for errors of any shape that
        keep their sign over so many rows, neighbours in the order of the scores, waves and errors of single scores
        among them: B_J = sqrt(max(0, T_s + z sd_s)) with the pair statistic T_s (measure ``pairs``) of windows of
        2 s <= n / J rows, one-sided at the level of the interval, and at least the upper end of the interval. B_J
        bounds the root mean square of the error, and so its mean.

        Parameters
        ----------
        resolution : float, default=40
            J, at least 20. The larger, the fewer rows an error may persist over; the limit is as large or larger.

        Returns
        -------
        float
            In the unit of the estimate: of the norm "squared" a square.

        Raises
        ------
        ValueError
            There is no interval, or none of a distance between scores and probabilities in the direction "smooth"; the
            norm is a quantile or the maximum, which may be larger than the root mean square; a resolution below 20.

        Examples
        --------
        >>> import numpy as np, fitontest as fot
        >>> rng = np.random.default_rng(0)
        >>> p = rng.random(2000)
        >>> error = fot.calibration_error(rng.random(2000) < p, p)
        >>> error.interval.high <= error.limit(20) <= error.limit(40)
        True
        """
        return self.limit_at(resolution).value

    def limit_at(self, resolution: float = RESOLUTION) -> ErrorLimit:
        """Return the largest error that cannot be ruled out, and the share of the rows that it is of; see `limit`.

        Parameters
        ----------
        resolution : float, default=40
            J, at least 20.
        """
        if self.limits is None or self.interval is None:
            asked = "ask for one, interval='always'" if self.interval is None else "of direction='smooth', under a norm"
            norm = self.measure.total
            if norm is not None and is_order_statistic(norm):
                asked = f"under l1, l2 or squared, since it bounds the root mean square of an error, not its {norm}"
            reason = self.interval_reason or asked
            raise ValueError(f"limit must be asked of a calibration error that has an interval: {reason}")
        limit = self.limits.at(resolution, self.interval.level)
        value = limit.value**2 if self.measure.squared else limit.value
        return replace(limit, value=max(value, self.interval.high))

    @property
    def has_distributions(self) -> bool:
        """Whether it is of the probabilities of all classes at once."""
        return self.reduction == CANONICAL

    @property
    def base_rate_name(self) -> str:
        """What the share of positives is called: accuracy, where scores are confidences."""
        return "accuracy" if self.reduction == "confidence" else "share of positives"

    @property
    def settings(self) -> dict[str, Any]:
        """The settings of the measure as JSON-ready values by name."""
        return self.measure.settings()

    @property
    def note(self) -> str | None:
        """What must be known to read the value, such as that the data chose a single bin."""
        of_groups = [] if self.groups is None else [self.groups.refusal, *self.groups.notes]
        return "; ".join(note for note in (self._note, *of_groups) if note) or None

    @property
    def _note(self) -> str:
        """What must be known beside what the line on groups says."""
        known = self.known or Uncertainty()
        of_data = data_notes(self.decided, known.weighting or self.weighting, self.rows_note or known.rows_note)
        notes = [*notes_of_value(self), *notes_of_labels(self), *(("", note) for note in of_data)]
        return "; ".join(f"{where}: {note}" if where else note for where, note in notes)

    def __getitem__(self, label: Label) -> "Estimate":
        """Return the estimate of one class against the rest."""
        raise KeyError(f"{label!r}: only class-wise estimates have classes")

    @property
    def parts(self) -> Mapping[Label, "Estimate"]:
        """The estimates that were measured, by class: this one alone, called "", unless it is a mean over classes."""
        return {"": self}

    __iter__ = None  # an estimate is a number; its classes are in `classes`

    def record(self) -> dict[str, Any]:
        """Return the estimate as one plain record, for tables that hold several.

        Whole distributions have no base rate and no stand-in for a family, and their records no such fields.
        """
        record = {
            "measure": self.measure.name,
            **{name: json_ready(value) for name, value in self.measure.brief().items()},
            "value": self.value,
            "unit": self.measure.unit,
            "n": self.n,
            **weighting_record(self.weighting),
            "base_rate": self.base_rate,
            "n_bins": self.n_bins,
            **self.evidence.record(),
            **_null_record(self.null),
            **_interval_record(self),
            **groups_record(self.groups),
            "note": self.note,
        }
        return {k: v for k, v in record.items() if k not in _OF_TWO} if self.has_distributions else record

    def rows(self) -> Records:
        """Return the records of the estimate's own table: its classes, its bins, or else the one of itself."""
        return self.evidence.rows() or [self.record()]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready values, with its table, or that of every class."""
        uncertainty = self.uncertainty  # before the notes, which tell of the rows what is found with it
        facts: dict[str, Any] = {"measure": self.measure.name, "unit": self.measure.unit, **self.measure.settings()}
        facts |= {} if self.reduction is None else {"reduction": self.reduction}
        facts |= {"value": self.value, "n": self.n, **weighting_record(self.weighting), "note": self.note}
        facts |= {} if self.groups is None else {"groups": self.groups.to_dict()}
        return {**facts, **self._own_facts(uncertainty)}

    def _own_facts(self, uncertainty: Uncertainty) -> dict[str, Any]:
        edges = getattr(self.partition, "edges", None)
        return {
            **attributes(self, "base_rate", "n_bins"),
            "edges": None if edges is None else edges.tolist(),
            "closed": getattr(self.partition, "closed", None),
            "debiased": uncertainty.debiased,
            "interval": None if uncertainty.interval is None else uncertainty.interval.to_dict(),
            "limits": _limits_at(self),
            "interval_reason": self.interval_reason or None,
            "if_calibrated": None if self.null is None else self.null.to_dict(),
            **self.evidence.to_dict(),
        }

    def headline(self) -> str:
        """Return the estimate in words: value and interval, settings, and what to expect of calibrated scores."""
        reduction = "" if self.reduction is None else f"reduction {self.reduction}"
        bins = "" if self.n_bins is None else f"{count(self.n_bins)} bin{'' if self.n_bins == 1 else 's'}"
        facts = [reduction, self.measure.in_words(), bins, f"n = {count(self.n)}"]
        lines = [f"{self.measure.title}{self._value_in_words()}{self._separator}{_listed(facts)}"]
        if self.null is not None:
            lines.append(f"expected if calibrated: {self.null.in_words(self.measure.printed)}")
        return "\n".join(lines)

    @property
    def _separator(self) -> str:
        """What stands between the value and the settings: raw and debiased values have a line of their own."""
        return "\n" if self.measure.is_raw or self.quotes_debiased else ": "

    def _value_in_words(self) -> str:
        """Return the value behind the title, corrected for label noise and with its interval, where there are these.

        Of measures with a definition of their own, such as the ECE, it is the value by that definition first.
        """
        interval, corrected = self.interval, self.quotes_debiased
        if self._is_of_probabilities and (corrected or self.measure.is_raw):
            if not corrected or self.measure.is_family_error or not self.measure.is_raw:
                return f": {self.in_words}"
            (value, *_) = in_decimals([self.value, *([] if interval is None else [interval.high])])
            return f": {value}; corrected for chance {self.in_words}"
        quoted = self.debiased if corrected and self.debiased is not None else self.value
        number, *limits = self._in_decimals([quoted, *([] if interval is None else [interval.low, interval.high])])
        ends = "" if interval is None else f"{confidence(interval.level)} {' to '.join(limits)}"
        ideal = "" if self.measure.ideal is None else f"{self.measure.ideal:g} is ideal"
        beside = f" ({'; '.join(filter(None, (ends, ideal)))})" if ends or ideal else ""
        if corrected:
            return f": {number}{beside}"
        return f": {number}, the plug-in{beside}" if self.measure.is_raw else f" {number}{beside}"

    def _in_decimals(self, values: Sequence[float]) -> list[str]:
        """Return numbers with the decimals of their unit, where it has some."""
        kind = KINDS.get(self.measure.unit) if self._is_of_probabilities else None
        return [self.measure.printed(value) for value in values] if kind is None else in_decimals(values, kind)

    @property
    def _is_of_probabilities(self) -> bool:
        """Whether values are printed as plain fractions, without a unit."""
        return self.measure.words.printed is short

    @property
    def _float_in_words(self) -> str:
        """What float() is, where the printed digits of the value that is quoted are others; else ""."""
        if not (self.quotes_debiased and self._is_of_probabilities and self.measure.is_family_error):
            return ""
        debiased = self.debiased or 0.0
        quoted, value = in_decimals([debiased, self.value])
        return "" if quoted == value else f"float(): {value}, the plug-in"

    def interval_in_words(self) -> str:
        """Return of which error the interval is and what it comes from, or why there is none."""
        interval = self.interval
        if interval is None:
            if self.groups is not None and self.groups.too_few:
                return ""  # the line on the groups says why
            if self.interval_reason:
                return f"no interval: {self.interval_reason}"
            return RAW_NOTE if self._can_be_debiased else ""
        if interval.method:
            return f"interval: for {interval.target} that the rows are drawn from, {interval.method}"
        of = {
            "true error": "the error of these scores",
            "the family's own": "the error as this family can see it",
        }.get(interval.target, f"the error of these scores, if it goes {interval.target}")
        if self.measure.is_seminorm:
            return f"interval: for {of}, {BY_NOISE}"
        by = "" if interval.stand_in is None else f"; refitted: {interval.stand_in}"
        by += f"; {interval.source}" if interval.source else ""
        return f"interval: for {of}{by}"

    @property
    def _can_be_debiased(self) -> bool:
        """Whether there is a debiased value and an interval for the asking."""
        measure = self.measure
        norm = getattr(measure.total, "name", None)
        has_places = measure.fitting is not None and is_order_statistic(measure.total)
        return (
            (measure.is_raw and self.debiased is None and (norm in DEBIASED_NORMS or has_places))
            and measure.held_fixed != "map"
            and not self.has_distributions
        )

    def sections(self) -> list[Section]:
        """Return the headline and the table below it."""
        table = self._own_section()
        headline = self.headline()  # before the notes, which tell of the rows what is found with the interval
        of_rows = lines_on_rows(self.groups)
        said = (table.notes, self.interval_in_words(), self._note, *of_rows, self._float_in_words)
        notes = "\n".join(part for part in said if part)
        lead = f"{sentence(self.doubt)}\n{headline}" if self.doubt else headline
        return [Section(lead, table.header, table.body, notes)]

    def _own_section(self) -> Section:
        return self.evidence.section()

    def __repr__(self) -> str:
        shown = {**self.measure.brief(), "reduction": self.reduction, "n_bins": self.n_bins}
        shown |= {"classes": None if self.classes is None else list(self.classes), "n": self.n}
        settings = "".join(f", {name}={value!r}" for name, value in shown.items() if value is not None)
        known = self.known or Uncertainty()
        null = "" if known.null is None else f", if_calibrated={known.null.mean:.4g}"
        if known.interval is not None and known.debiased is not None:
            ends = f"({known.interval.low:.4g}, {known.interval.high:.4g})"
            null = f", debiased={known.debiased:.4g}, interval={ends}{null}"
        null += "" if self.note is None else f", note={self.note!r}"
        return f"Estimate({self.value:.6g}{settings}{null})"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MeanOverClasses(Estimate):
    """The plain mean of the estimates of the classes, each against the rest and each counting the same.

    Attributes
    ----------
    classes : dict
        From each class to its estimate.
    """

    classes: Mapping[Label, Estimate]  # type: ignore[misc]
    _can_be_debiased = False

    def __getitem__(self, label: Label) -> Estimate:
        """Return the estimate of one class against the rest."""
        if label not in self.classes:
            raise KeyError(f"{label!r} is not among the classes {list(self.classes)}")
        return self.classes[label]

    @property
    def parts(self) -> Mapping[Label, Estimate]:
        """The estimates of the classes."""
        return self.classes

    def rows(self) -> Records:
        """Return the records of the classes."""
        return [{"class": json_ready(label), **_class_record(each)} for label, each in self.classes.items()]

    def _own_facts(self, uncertainty: Uncertainty) -> dict[str, Any]:  # noqa: ARG002 - each class has its own
        return {"classes": [{"class": json_ready(label), **one.to_dict()} for label, one in self.classes.items()]}

    def headline(self) -> str:
        """Return the mean in words, of how many classes and rows."""
        facts = [f"mean over {count(len(self.classes))} classes", self.measure.in_words(), f"n = {count(self.n)}"]
        return f"class-wise {self.measure.title}{self._value_in_words()}{self._separator}{_listed(facts)}"

    def _own_section(self) -> Section:
        return Section("", *_class_table(self.rows(), self.measure))


def _interval_record(estimate: Estimate) -> dict[str, Any]:
    """Return the debiased value and the interval as plain values by name."""
    facts = ("low", "high", "level", "target", "stand_in", "widened_by", "fit_p_value")
    ends = {name: None if estimate.interval is None else getattr(estimate.interval, name) for name in facts}
    of_shape = estimate.limits is not None and estimate.interval is not None
    limits = {f"limit_{J}": estimate.limit(J) if of_shape else None for J in RESOLUTIONS}
    return {"debiased": estimate.debiased, **ends, **limits, "interval_reason": estimate.interval_reason or None}


def _limits_at(estimate: Estimate) -> list[dict[str, Any]] | None:
    if estimate.limits is None or estimate.interval is None:
        return None
    return [estimate.limit_at(J).to_dict() for J in RESOLUTIONS]


def mean_over_classes(estimates: Mapping[Label, Estimate]) -> Estimate:
    """Return the class-wise estimate: the plain mean of those of the classes, each counting the same."""
    first = next(iter(estimates.values()))
    mean = sum(map(float, estimates.values())) / len(estimates)
    return MeanOverClasses(
        value=mean,
        measure=first.measure,
        n=first.n,
        base_rate=None,
        reduction="classwise",
        classes=dict(estimates),
        decided=all(one.decided for one in estimates.values()),
        weighting=first.weighting,
        rows_note=first.rows_note,
        group_sizes=first.group_sizes,
    )


def notes_of_value(estimate: Estimate) -> list[tuple[str, str]]:
    """Return what must be known of how the value came about, each note with the classes that it is of, or ""."""
    notes = notes_of_evidence(estimate)
    each = estimate.parts.values()
    is_tested, needs_null = _is_tested(estimate.measure), estimate.measure.words.needs_null
    if not (is_tested or needs_null):
        return notes
    has_null = any(one.null is not None for one in each)
    if is_tested and (note := tests_note(estimate.groups, has_null=has_null)):
        notes.append(("", note))
    if needs_null and not has_null:
        notes.append(("", no_null_note(estimate.n * len(each), len(each), estimate.groups)))
    return notes


def _is_tested(measure: Measure) -> bool:
    """Return whether a value is what significance tests make of the bins."""
    return getattr(getattr(measure, "bin_loss", None), "significance", None) is not None


def notes_of_evidence(estimate: Estimate) -> list[tuple[str, str]]:
    """Return what must be known of the evidence, each note with the classes that it is of, or ""."""
    return _by_class(estimate, lambda one: one.evidence.note)


def notes_of_labels(estimate: Estimate) -> list[tuple[str, str]]:
    """Return whether all labels are of one class, each note with the classes that it is of, or ""."""
    return _by_class(estimate, lambda one: one_class_note(one.base_rate, one.reduction))


def _by_class(estimate: Estimate, note_of: Callable[[Estimate], str]) -> list[tuple[str, str]]:
    """Return the notes of an estimate, or those of its classes, each once."""
    labels = grouped((note, label) for label, one in estimate.parts.items() if (note := note_of(one)))
    return [(of_several(each, len(estimate.parts)) if estimate.classes else "", note) for note, each in labels.items()]


def json_ready(label: Any) -> Any:
    """Return a label or a setting as JSON and a cell of a data frame can hold it."""
    return label if isinstance(label, bool | int | float | str | None) else str(label)


def _listed(parts: list[str]) -> str:
    return ", ".join(part for part in parts if part)


def _null_record(null: IfCalibrated | None) -> dict[str, Any]:
    summary = {} if null is None else null.to_dict()
    return {name: summary.get(name.removeprefix("null_")) for name in ("null_mean", "null_sd", "p_value")}


def _class_record(estimate: Estimate) -> dict[str, Any]:
    """Return the record of one class: its value, its bins, and what tells how far the value may be trusted."""
    record = estimate.record()
    facts = {key: record[key] for key in ("value", "n_bins", "base_rate")}
    if "se_map_fixed" in record:
        facts["se_map_fixed"] = record["se_map_fixed"]
    if estimate.null is not None or "se_map_fixed" not in record:
        facts |= {key: record[key] for key in ("null_mean", "null_sd", "p_value")}
    if estimate.interval is not None:
        facts |= _interval_record(estimate)
    return {**facts, "note": record["note"]}


def _class_table(rows: Records, measure: Measure) -> tuple[list[str], list[list[str]]]:
    """Return header and cells of the table of the classes."""
    is_error = not (measure.greater_is_better or measure.two_sided) and measure.unit in ("fraction", "nats")
    header = ["class", "error" if is_error else "value", "bins", "share of class"]
    trust = "null_mean" if "null_mean" in rows[0] else "se_map_fixed"
    header.append("expected if calibrated" if trust == "null_mean" else "s.e. (map fixed)")
    levels = {row["level"] for row in rows if row.get("level") is not None}
    redrawn = not measure.has_own_interval  # an interval by a formula has no debiased value beside it
    header += [*(["debiased"] if redrawn else []), confidence(levels.pop())] if levels else []

    def cells(row: dict[str, Any]) -> list[str]:
        value = measure.printed(row["value"])
        expected = row[trust] if row[trust] is None or trust != "null_mean" else measure.printed(row[trust])
        shown = [str(row["class"]), value, cell(row["n_bins"]), short(row["base_rate"]), cell(expected)]
        if len(header) == len(shown):
            return shown
        if row.get("low") is None:
            return [*shown, *("-" for _ in header[len(shown) :])]
        debiased = "-" if row["debiased"] is None else measure.printed(row["debiased"])
        return [
            *shown,
            *([debiased] if redrawn else []),
            f"{measure.printed(row['low'])} to {measure.printed(row['high'])}",
        ]

    return header, [cells(row) for row in rows]
