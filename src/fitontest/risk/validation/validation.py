"""The validation of one risk model on one set of rows: the statistics that a report on it lists, and a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fitontest.data.known_groups import KnownGroups
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import INDEPENDENT_ROWS, Interval
from fitontest.measures.notes import data_notes
from fitontest.results.frames import Records, attributes
from fitontest.results.several import grouped
from fitontest.results.table import Section, Table, cell
from fitontest.results.text import capital, count, debiased_and_raw, p_in_words, sentence, short
from fitontest.risk.measures.decision_regret import FAMILY
from fitontest.risk.validation.at_threshold import AtThreshold, probabilities_at
from fitontest.risk.validation.decision_curve import MODEL, DecisionCurve
from fitontest.risk.validation.optimism import Optimism
from fitontest.risk.validation.paragraph import paragraph_of
from fitontest.risk.validation.pictures import curve_picture, decision_picture
from fitontest.risk.validation.statistics import AT_THRESHOLDS, ERRORS, ICI, PRINTED, at_threshold
from fitontest.risk.validation.tripod import Tripod
from fitontest.risk.validation.wording import decisions_in_words, risks_in_words, values_outside
from fitontest.uncertainty.tendency import Tendency, tendency_of
from fitontest.uncertainty.verdict import Verdict, verdict_of

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.reliability import ReliabilityDisplay

CERTAIN_LEFT_OUT = "Calibration in the large and slope are of the scores between 0 and 1, which have a logit."
FITTED = "By the very rows that the model was fitted to:"
LOSS_OF_ROUGH = "What is lost is by the family {family}, which cannot follow such errors: it may be more."
DEBIASED_ALONE = "E50, E90 and Emax are debiased each by itself, so that a debiased one may be above the next."
NO_THRESHOLDS = "Decisions: thresholds=[0.1, 0.2] adds net benefit, and what miscalibration costs of it."


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Validation(Table):
    """What a report on a risk model says of one set of rows, in the order of TRIPOD+AI, with a sentence first.

    ``validation["calibration_slope"]`` is the `Estimate` of a statistic; those at thresholds are called
    ``"net_benefit(0.2)"`` and ``"decision_loss(0.2)"``.

    Attributes
    ----------
    name : str or None
        Of the model or segment; None of the only one.
    sample : ScoreSample
        The rows.
    statistics : dict of Estimate
        By name: observed_expected, calibration_in_the_large, calibration_intercept, calibration_slope; ici, e50, e90
        and emax, the mean, median, .9 quantile and maximum of |c_hat(p) - p| over the rows; spiegelhalter, brier,
        scaled_brier, log_loss, nagelkerke_r2, auc; and the decisions at thresholds.
    reasons : dict of str
        Why a statistic has no value, by its name.
    level : float
        Of the intervals.
    family : str
        Of the calibration map c_hat.
    thresholds : tuple of float
        At which decisions are valued.
    decision_family : str
        Of the map by which recalibration is valued.
    random_state : int
        Of the draws behind the intervals.
    optimism : Optimism or None
        How much better the statistics are of the very rows that the model was fitted to; None of other rows.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(-1, 1.5, 1000)
    >>> y = rng.random(1000) < 1 / (1 + np.exp(-0.7 * x))
    >>> validation = fot.risk.validate(y, 1 / (1 + np.exp(-x)), thresholds=[0.2])
    >>> print(validation.headline)
    Risks are too low...
    """

    name: str | None = None
    sample: ScoreSample
    statistics: Mapping[str, Estimate]
    reasons: Mapping[str, str] = field(default_factory=dict)
    level: float = 0.95
    family: str = "spline"
    thresholds: tuple[float, ...] = ()
    decision_family: str = FAMILY
    random_state: int = 0
    optimism: Optimism | None = None

    def __getitem__(self, name: str) -> Estimate:
        """Return the estimate of a statistic."""
        if name in self.reasons:
            raise KeyError(f"{name!r} has no value: {self.reasons[name]}")
        if name not in self.statistics:
            raise KeyError(f"{name!r} is not among the statistics {[*self.statistics]}")
        return self.statistics[name]

    @cached_property
    def verdict(self) -> Verdict | None:
        """The verdict that `evaluate` has on the same rows; None where rows belong to too few groups."""
        return verdict_of([(ICI, self.statistics[ICI])] if ICI in self.statistics else [], self.sample)

    @cached_property
    def tendency(self) -> Tendency:
        """In which direction the scores are wrong, with what those of exactly 0 or 1 say."""
        return tendency_of(self.sample, self.level) if self.verdict is None else self.verdict.tendency

    @cached_property
    def curve(self) -> DecisionCurve:
        """The net benefit over thresholds from .01 to .99, before and after recalibration."""
        return DecisionCurve.of(
            {self.name or MODEL: self.sample},
            level=self.level,
            family=self.decision_family,
            random_state=self.random_state,
        )

    @cached_property
    def at_thresholds(self) -> tuple[AtThreshold, ...]:
        """The risk of those whose score is a threshold, by the calibration map, with its interval."""
        return tuple(
            probabilities_at(
                self.sample, self.thresholds, family=self.family, level=self.level, random_state=self.random_state
            )
            if self.thresholds
            else ()
        )

    @property
    def n(self) -> int:
        """Rows of positive weight."""
        return self.sample.n

    @property
    def groups(self) -> KnownGroups | None:
        """What is known of the groups that rows belong to; None where none were named."""
        known = [one.groups for one in self.statistics.values()]
        return next((one for one in known if one is not None and one.dependence is not None), known[0])

    @property
    def headline(self) -> str:
        """What is wrong with the risks, and what recalibration would gain, in a sentence or two."""
        verdict = self.verdict
        if verdict is None:
            groups = self.groups
            first = "" if groups is None else sentence(groups.refusal)
        else:
            first = risks_in_words(verdict, self.statistics)
        text = " ".join(text for text in (first, decisions_in_words(self.thresholds, self.statistics)) if text)
        # of the rows that a model was fitted to, what they show by themselves is no conclusion
        return text if self.optimism is None else f"{self.optimism.sentence} {FITTED} {text}"

    def rows(self) -> Records:
        """Return a record for each statistic; one without a value has a note that says why."""
        records = [_record(name, one) for name, one in self.statistics.items()]
        blank = dict.fromkeys(records[0]) if records else {}
        records += [_record_at(at) for at in self.at_thresholds]
        absent = [{**blank, "statistic": name, "note": reason} for name, reason in self.reasons.items()]
        return [{**record, **self._corrected(record["statistic"])} for record in (*records, *absent)]

    def _corrected(self, name: str) -> dict[str, float | None]:
        """Return the optimism of a statistic and its value less that; nothing unless these were computed."""
        if self.optimism is None:
            return {}
        corrected = self.optimism.statistics.get(name)
        return attributes(corrected, "optimism", "corrected")

    def to_dict(self) -> dict[str, Any]:
        """Return the validation as JSON-ready values."""
        return {
            "name": self.name,
            "headline": self.headline,
            "n": self.n,
            "base_rate": self.sample.base_rate,
            "family": self.family,
            "level": self.level,
            "thresholds": list(self.thresholds),
            "statistics": self.rows(),
            "verdict": None if self.verdict is None else self.verdict.to_dict(),
            **({} if self.groups is None else {"groups": self.groups.to_dict()}),
            **({} if self.optimism is None else {"optimism": self.optimism.to_dict()}),
        }

    def text(self) -> str:
        """Return the validation as the paragraph of a paper, with each number's interval and the methods."""
        return paragraph_of(self)

    def tripod(self) -> Tripod:
        """Return the checklist TRIPOD+AI of an evaluation: what this validation answers, and what the author adds."""
        return Tripod.of(self)

    def plot(self, ax: "AxesOrFigure" = None, **options: Any) -> "ReliabilityDisplay":
        """Draw the calibration curve with its band.

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

        estimate = self.statistics.get(ICI)
        if estimate is None:
            reason = self.reasons.get(ICI, "it is not among its statistics")
            raise ValueError(f"validation must have an ICI, whose map is drawn: {reason}")
        band = {"kind": "auto", "random_state": self.random_state}
        given: dict[str, Any] = {"name": self.name, "verdict": self.verdict, "band": band, **options}
        return ReliabilityDisplay.from_estimate(estimate, self.sample, **given)

    def _pictures(self) -> list[tuple[str, str]]:
        """Return the calibration curve, and the decision curve where there are thresholds, for a page."""
        pictures = [curve_picture(self.diagram())] if ICI in self.statistics else []
        if self.thresholds:
            samples = {self.name or MODEL: self.sample}
            pictures.append(decision_picture(samples, self.thresholds, level=self.level, seed=self.random_state))
        return pictures

    def sections(self) -> list[Section]:
        """Return the sentence, the table of the statistics, and that of the decisions."""
        *others, last = [self._table(), *([self._decisions()] if self.thresholds else [])]
        return [*others, replace(last, notes="\n".join(self._notes))]

    @property
    def _first_lines(self) -> list[str]:
        """The sentence, and the verdict with the rows that it is of."""
        lead = [] if self.name is None else [f"{self.name}:"]
        rate = self.sample.base_rate
        positives = round(self.sample.total * rate)
        events = f", {count(positives)} event{'' if positives == 1 else 's'}" if self.sample.whole else ""
        rows = f"n = {count(self.n)}{events}, share of positives {short(rate)}"
        decision = "" if self.verdict is None else f"{capital(self.verdict.decision)}; "
        beside = [] if self.verdict is None else self.verdict.beside_interval
        return [*lead, self.headline, f"{decision}{rows}.", *beside]

    def _table(self) -> Section:
        """Return the statistics that are printed."""
        names = [name for name in PRINTED if name in self.statistics or name in self.reasons]
        header = ["statistic", "value", f"{100 * self.level:g} % interval", "ideal"]
        body = [self._line(name) for name in names]
        if self.optimism is not None:
            header.append("corrected")
            body = [[*line, cell(self._corrected(name)["corrected"])] for line, name in zip(body, names, strict=True)]
        return Section(lead="\n".join(self._first_lines), header=header, body=body)

    def _line(self, name: str) -> list[str]:
        """Return a statistic, its interval, and what it would be of calibrated scores."""
        label = f"{PRINTED[name]} ({self.family})" if name == ICI else PRINTED[name]
        estimate = self.statistics.get(name)
        if estimate is None:
            return [label, "-", "-", "-"]
        measure, ends = estimate.measure, estimate.interval
        raw = measure.is_raw
        value = debiased_and_raw(estimate.debiased, estimate.value) if raw else measure.printed(estimate.value)
        p_value = getattr(estimate.evidence, "asymptotic_p_value", None)
        interval = "-" if p_value is None else p_in_words(p_value)
        if ends is not None:
            interval = f"{measure.printed(ends.low)} to {measure.printed(ends.high)}"
        ideal = _ideal(name, estimate)
        return [label, value, interval, "-" if ideal is None else f"{ideal:g}"]

    def _decisions(self) -> Section:
        """Return the risk at each threshold, net benefit, and its loss by miscalibration."""
        header = ["threshold", "risk there", "net benefit", "beyond treating all", "lost by miscalibration"]
        body = [self._decision(at) for at in self.at_thresholds]
        return Section(f"Decisions, with {100 * self.level:g} % intervals in brackets:", header, body)

    def _decision(self, at: AtThreshold) -> list[str]:
        values = [self.statistics.get(at_threshold(name, at.threshold)) for name in AT_THRESHOLDS]
        return [f"{at.threshold:g}", value_and_ends(at.probability, at.interval), *map(estimate_and_ends, values)]

    @property
    def _notes(self) -> list[str]:
        """What must be known to read the values."""
        notes = [f"{PRINTED[name]}: {reason}" for name, reason in self.reasons.items() if name in PRINTED]
        notes += [*self._order_of_errors, *values_outside(self.thresholds, self.statistics)]
        notes += self._without_intervals
        notes += [CERTAIN_LEFT_OUT] if self.tendency.certain and self.tendency.slope is not None else []
        notes += self.tendency.certain_words
        notes += [] if self.verdict is None else self.verdict.causes
        notes += self.cautions
        notes += [] if self.optimism is None else self.optimism.brief_notes
        notes += [] if self.thresholds else [NO_THRESHOLDS]
        return [*notes, *([INDEPENDENT_ROWS] if self.groups is None else self.groups.lines)]

    @property
    def cautions(self) -> list[str]:
        """Why intervals may mislead: a truth that is rougher than the maps, and what the weights are taken for."""
        first = next(iter(self.statistics.values()))
        of_data = data_notes(first.decided, first.weighting, first.rows_note)
        return [*self._roughness, *map(sentence, of_data)]

    @property
    def _roughness(self) -> list[str]:
        """That the true map is rougher than a spline, and what that means for losses."""
        rough = None if self.verdict is None else self.verdict.interval.roughness
        if rough is None:
            return []
        follows = self.decision_family == FAMILY and rough.by == "isotonic"
        notes = [sentence(rough.in_words())]
        return notes if follows or not self.thresholds else [*notes, LOSS_OF_ROUGH.format(family=self.decision_family)]

    @property
    def _order_of_errors(self) -> list[str]:
        """Why a quantile of the distances is quoted above a higher one, where it is."""
        errors = [self.statistics[name] for name in ("e50", "e90", "emax") if name in self.statistics]
        falls = any(low.quoted > high.quoted for low, high in pairwise(errors))
        return [DEBIASED_ALONE] if falls else []

    @property
    def _without_intervals(self) -> list[str]:
        """Why statistics have no interval, each reason once; what is true of all groups is said with them."""
        if self.groups and self.groups.too_few:
            return []
        printed = ((each.interval_reason, PRINTED[name]) for name, each in self.statistics.items() if name in PRINTED)
        names = grouped((reason, name) for reason, name in printed if reason)
        return [sentence(f"no interval of {', '.join(listed)}: {reason}") for reason, listed in names.items()]


def _ideal(name: str, estimate: Estimate) -> float | None:
    """Return what calibrated scores would have of endless rows, or None where that depends on the scores."""
    return 0.0 if name in ERRORS else estimate.measure.ideal


def value_and_ends(value: float | None, ends: Interval | None) -> str:
    """Return a value with its interval in brackets, as a cell."""
    if value is None:
        return "-"
    return short(value) if ends is None else f"{short(value)} ({short(ends.low)} to {short(ends.high)})"


def estimate_and_ends(estimate: Estimate | None) -> str:
    """Return the value of an estimate that is quoted, of an error the debiased one, with its interval, as a cell."""
    return "-" if estimate is None else value_and_ends(estimate.quoted, estimate.interval)


def _record(name: str, estimate: Estimate) -> dict[str, Any]:
    """Return a statistic as plain values."""
    ends, null = estimate.interval, estimate.null
    p_value = getattr(estimate.evidence, "asymptotic_p_value", None)
    return {
        "statistic": name,
        "value": estimate.value,
        "debiased": estimate.debiased,
        **attributes(ends, "low", "high", "level"),
        "ideal": _ideal(name, estimate),
        "p_value": p_value if p_value is not None or null is None else null.p_value,
        "unit": estimate.measure.unit,
        "n": estimate.n,
        "note": estimate.note or _hypothesis(estimate),
    }


def _hypothesis(estimate: Estimate) -> str | None:
    """Return of what the p-value is where it is not that of an ideal value, so that it may differ from the interval."""
    p_value = getattr(estimate.evidence, "asymptotic_p_value", None)
    hypothesis = getattr(estimate.evidence, "hypothesis", "")
    return f"p-value: {hypothesis}" if p_value is not None and estimate.measure.ideal is None and hypothesis else None


def _record_at(at: AtThreshold) -> dict[str, Any]:
    """Return the risk at a threshold as the record of a statistic."""
    return {
        "statistic": at_threshold("risk_at", at.threshold),
        "value": at.probability,
        "debiased": None,
        **attributes(at.interval, "low", "high", "level"),
        "ideal": at.threshold,
        "p_value": None,
        "unit": "fraction",
        "n": None,
        "note": at.reason or None,
    }
