"""The validation of one risk model on one set of rows: the statistics that a report on it lists, and a sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from fitontest.data.known_groups import KnownGroups
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.estimate import Estimate
from fitontest.measures.interval import Interval
from fitontest.measures.notes import data_notes
from fitontest.results.detailed import Detailed, explanation
from fitontest.results.frames import Records, attributes
from fitontest.results.quoting import Kind, confidence, in_decimals
from fitontest.results.several import grouped
from fitontest.results.table import Section, Table
from fitontest.results.text import capital, p_in_words, sentence
from fitontest.risk.measures.decision_regret import FAMILY
from fitontest.risk.validation.at_threshold import AtThreshold, probabilities_at
from fitontest.risk.validation.brief import FITTED, brief, explain_validation, rows_of
from fitontest.risk.validation.decision_curve import MODEL, DecisionCurve
from fitontest.risk.validation.optimism import Optimism
from fitontest.risk.validation.paragraph import paragraph_of
from fitontest.risk.validation.pictures import curve_picture, decision_picture
from fitontest.risk.validation.statistics import AT_THRESHOLDS, ERRORS, ICI, PRINTED, at_threshold
from fitontest.risk.validation.tripod import Tripod
from fitontest.risk.validation.wording import decision_sentences, values_outside
from fitontest.uncertainty.tendency import Tendency, tendency_of
from fitontest.uncertainty.tolerance import DEFAULT_TOLERANCE, Tolerance
from fitontest.uncertainty.verdict import Verdict, verdict_of

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.reliability import ReliabilityDisplay

CERTAIN_LEFT_OUT = "Calibration in the large and slope are of the scores between 0 and 1, which have a logit."
LOSS_OF_ROUGH = "What is lost is by the family {family}, which cannot follow such errors: it may be more."
CORRECTED_ALONE = "E50, E90 and Emax are corrected for chance each by itself, so that one may be above the next."
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
    tolerance : Tolerance
        Of the verdict: what is near enough.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(-1, 1.5, 1000)
    >>> y = rng.random(1000) < 1 / (1 + np.exp(-0.7 * x))
    >>> validation = fot.risk.validate(y, 1 / (1 + np.exp(-x)), thresholds=[0.2])
    >>> print(validation.headline)
    Overconfident, and scores too low. At a threshold of 0.2 recalibration would gain 18 ...
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
    tolerance: Tolerance = DEFAULT_TOLERANCE

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
        return verdict_of(
            [(ICI, self.statistics[ICI])] if ICI in self.statistics else [], self.sample, tolerance=self.tolerance
        )

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
    def opening(self) -> str:
        """The verdict with the size that matters most, without a full stop; why there is none of too few groups."""
        if self.verdict is not None:
            return self.verdict.opening
        return "" if self.groups is None else capital(self.groups.refusal)

    @property
    def headline(self) -> str:
        """The verdict on the risks, and what recalibration would gain, in a sentence or two."""
        first = f"{self.opening}." if self.opening else ""
        text = " ".join([*filter(None, [first]), *decision_sentences(self.thresholds, self.statistics)])
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
        """Return what is printed: the verdict, O:E, slope, ICI and AUC, and what the thresholds say."""
        return [brief(self)]

    def table(self) -> Table:
        """Return all statistics and decisions, with what must be known to read them.

        Returns
        -------
        Table
            With the same records; printing it shows more.
        """
        *others, last = [self._statistics(), *([self._decisions()] if self.thresholds else [])]
        return Detailed(self, (*others, replace(last, notes="\n".join(self.notes))))

    def explain(self) -> Table:
        """Return what the words and numbers of this validation mean, in plain sentences.

        Returns
        -------
        Table
            With the same records; printing it shows the sentences.
        """
        return explanation(self, explain_validation(self))

    @property
    def _first_lines(self) -> list[str]:
        """The sentence, and the verdict with the rows that it is of."""
        lead = [] if self.name is None else [f"{self.name}:"]
        decision = "" if self.verdict is None else f"{capital(self.verdict.decision)}; "
        beside = [] if self.verdict is None else self.verdict.beside_interval
        return [*lead, self.headline, f"{decision}{rows_of(self)}.", *beside]

    def _statistics(self) -> Section:
        """Return the table of the statistics."""
        names = [name for name in PRINTED if name in self.statistics or name in self.reasons]
        header = ["statistic", "value", confidence(self.level), "ideal", "uncorrected"]
        header += [] if self.optimism is None else ["without optimism"]
        return Section(lead="\n".join(self._first_lines), header=header, body=[self._line(name) for name in names])

    def _line(self, name: str) -> list[str]:
        """Return a statistic, its interval, what it would be of calibrated scores, and without corrections."""
        label, kind = PRINTED[name]
        label = f"{label} ({self.family})" if name == ICI else label
        corrected = self._corrected(name).get("corrected")
        optimism = [] if self.optimism is None else [cell(corrected, kind)]
        estimate = self.statistics.get(name)
        if estimate is None:
            return [label, "-", "-", "-", "-", *optimism]
        ends, ideal = estimate.interval, _ideal(name, estimate)
        p_value = getattr(estimate.evidence, "asymptotic_p_value", None)
        value, *interval = in_decimals([estimate.quoted, *([] if ends is None else [ends.low, ends.high])], kind)
        tested = "-" if p_value is None else p_in_words(p_value)
        uncorrected = cell(estimate.value if estimate.debiased is not None else None, kind)
        return [
            label,
            value,
            " to ".join(interval) or tested,
            "-" if ideal is None else f"{ideal:g}",
            uncorrected,
            *optimism,
        ]

    def _decisions(self) -> Section:
        """Return the risk at each threshold, net benefit, and its loss by miscalibration."""
        header = ["threshold", "risk there", "net benefit", "beyond treating all", "lost by miscalibration"]
        title = f"Decisions: net benefits per 1,000 rows, with {100 * self.level:g} % intervals in brackets"
        return Section(title, header, [self._decision(at) for at in self.at_thresholds])

    def _decision(self, at: AtThreshold) -> list[str]:
        values = [self.statistics.get(at_threshold(name, at.threshold)) for name in AT_THRESHOLDS]
        risk = "-" if at.probability is None else value_and_ends(at.probability, at.interval, "score")
        return [f"{at.threshold:g}", risk, *(estimate_and_ends(one, "benefit") for one in values)]

    @property
    def notes(self) -> list[str]:
        """What must be known to read the values."""
        notes = [f"{PRINTED[name][0]}: {reason}" for name, reason in self.reasons.items() if name in PRINTED]
        notes += [*self._order_of_errors, *values_outside(self.thresholds, self.statistics)]
        notes += self._without_intervals
        notes += [CERTAIN_LEFT_OUT] if self.tendency.certain and self.tendency.slope is not None else []
        notes += self.tendency.certain_words
        notes += [] if self.verdict is None else self.verdict.causes
        notes += self.cautions
        notes += [] if self.optimism is None else self.optimism.brief_notes
        notes += [] if self.thresholds else [NO_THRESHOLDS]
        return [*notes, *self.group_lines]

    @property
    def group_lines(self) -> list[str]:
        """How the rows hang together, a sentence each."""
        return [] if self.groups is None else self.groups.lines

    @property
    def data_notes(self) -> list[str]:
        """What must be known of the rows: what the weights are taken for, for example, or that some are copies."""
        first = next(iter(self.statistics.values()))
        return data_notes(first.decided, first.weighting, first.rows_note)

    @property
    def cautions(self) -> list[str]:
        """Why intervals may mislead: a truth that is rougher than the maps, and what must be known of the rows."""
        return [*self._roughness, *map(sentence, self.data_notes)]

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
        return [CORRECTED_ALONE] if falls else []

    @property
    def _without_intervals(self) -> list[str]:
        """Why statistics have no interval, each reason once; what is true of all groups is said with them."""
        if self.groups and self.groups.too_few:
            return []
        printed = (
            (each.interval_reason, PRINTED[name][0]) for name, each in self.statistics.items() if name in PRINTED
        )
        names = grouped((reason, name) for reason, name in printed if reason)
        return [sentence(f"no interval of {', '.join(listed)}: {reason}") for reason, listed in names.items()]


def _ideal(name: str, estimate: Estimate) -> float | None:
    """Return what calibrated scores would have of endless rows, or None where that depends on the scores."""
    return 0.0 if name in ERRORS else estimate.measure.ideal


def cell(value: float | None, kind: Kind) -> str:
    """Return a number with the decimals of its kind, as a cell."""
    return "-" if value is None else in_decimals([value], kind)[0]


def value_and_ends(value: float, ends: Interval | None, kind: Kind) -> str:
    """Return a value with its interval in brackets, of an error that may be 0 the interval alone, as a cell."""
    if ends is None:
        return cell(value, kind)
    number, low, high = in_decimals([value, ends.low, ends.high], kind)
    return f"{low} to {high}" if kind == "error" and ends.low <= 0.0 else f"{number} ({low} to {high})"


def estimate_and_ends(estimate: Estimate | None, kind: Kind) -> str:
    """Return the value of an estimate that is quoted, of an error the corrected one, with its interval, as a cell."""
    return "-" if estimate is None else value_and_ends(estimate.quoted, estimate.interval, kind)


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
