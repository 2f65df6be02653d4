"""The evaluations of segments of the data, beside that of the whole, as one table for each measure."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from fitontest.checks import brief, choose
from fitontest.data.samples import Key, Samples
from fitontest.data.score_sample import ScoreSample
from fitontest.data.weights import weighting_record
from fitontest.evaluation.evaluation import Evaluation
from fitontest.measures.estimate import Estimate, notes_of_labels, notes_of_value
from fitontest.measures.measure import Measure
from fitontest.measures.notes import data_notes
from fitontest.measures.plug_in import PlugIn
from fitontest.measures.side_by_side import UNLIKELY, Named, interval_columns, note_lines, reason_lines
from fitontest.results.frames import Records
from fitontest.results.table import Section, Table
from fitontest.results.text import short
from fitontest.significance.holm import holm_adjusted
from fitontest.uncertainty.joint import JointTest

if TYPE_CHECKING:
    from fitontest.displays.canvas import SomeFigure
    from fitontest.displays.scales import ScaleName
    from fitontest.displays.small_multiples import SmallMultiples

WHOLE = "all rows"
NO_ROWS = "no rows"  # of a segment whose rows all have weight 0
SHOWN = 5  # segments in the diagrams, beside the whole
MOST_SHOWN = 15  # more panels are too small to be compared
ORDER_NOTE = (
    "Worst first, by the debiased value, or where there is none by the value less its mean if calibrated. Values "
    "that are not debiased are larger in smaller segments, of calibrated scores too. mean residual: share of "
    "positives less mean score."
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SegmentedEvaluation(Table):
    """Measures of each segment of the data and of the whole, as ``evaluate(..., by=...)`` returns them.

    ``evaluation[segment]`` is the `Evaluation` of that segment, ``evaluation.total`` that of all rows. Iterating it
    gives the segments.

    Attributes
    ----------
    segments : Samples
        By segment; segments whose rows all have weight 0 are listed as having no rows.
    measures : tuple of Measure
        Of different names.
    estimates : dict of dict
        The estimates by measure, then by segment; a segment that cannot be measured is not among them.
    totals : dict of Estimate
        Those of all rows, by measure.
    failures : dict of dict
        Why a segment cannot be measured, by measure, then by segment.
    tests : dict of JointTest
        By segment the joint test of calibration, which verdicts rest on; empty without intervals of plug-in errors.

    Notes
    -----
    A p-value says how often calibrated scores would look as bad as those of the segment do. Of many segments some have
    a small one by chance. The adjusted p-values (Holm) account for that: the probability that any calibrated segment
    has one of at most 0.05 is at most 0.05. Where there are intervals, the sentence on the segments and the p-values
    printed beside errors are those of the joint test (`JointTest`), whichever family is measured. Labels are drawn at
    least 40 times as often as there are segments, so that adjusted p-values down to 0.025 can appear. The total is no
    test among these.

    The mean residual of each group is what *multiaccuracy* bounds (Kim et al. 2019), the error of each group what
    *multicalibration* bounds (Hebert-Johnson et al. 2018).

    References
    ----------
    Hebert-Johnson, Kim, Reingold, Rothblum (2018), Multicalibration: calibration for the (computationally-identifiable)
    masses, ICML. https://doi.org/10.48550/arXiv.1711.08513

    Kim, Ghorbani, Zou (2019), Multiaccuracy: black-box post-processing for fairness in classification, AIES.
    https://doi.org/10.1145/3306618.3314287

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p, region = rng.random(3000), rng.choice(["north", "south", "west"], 3000)
    >>> y = rng.random(3000) < np.where(region == "south", p**1.5, p)
    >>> evaluation = fot.evaluate(y, p, by=region, families=["beta"], interval=None)
    >>> evaluation.to_frame()[["segment", "n"]].values.tolist()
    [['south', 970], ['north', 1026], ['west', 1004], ['all rows', 3000]]
    >>> {segment: p_value < 0.05 for segment, p_value in evaluation.adjusted_p_values().items()}
    {'north': False, 'south': True, 'west': False}
    >>> evaluation["south"]["beta"] > evaluation["north"]["beta"]
    True
    """

    segments: Samples
    measures: tuple[Measure, ...]
    estimates: Mapping[str, Mapping[Key, Estimate]]
    totals: Mapping[str, Estimate]
    failures: Mapping[str, Mapping[Key, str]] = field(default_factory=dict)
    tests: Mapping[Key, JointTest] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """What the measures are called."""
        return list(self.totals)

    @property
    def total(self) -> Evaluation:
        """The evaluation of all rows."""
        return Evaluation(tuple(self.totals.values()), self.segments.whole)

    def __getitem__(self, segment: Key) -> Evaluation:
        """Return the evaluation of a segment."""
        if segment in self.segments.empty:
            raise KeyError(f"{segment!r} has {NO_ROWS} of positive weight")
        if segment not in self.segments:
            raise KeyError(f"{segment!r} is not among the segments {brief([*self])}")
        found = tuple(each[segment] for each in self.estimates.values() if segment in each)
        return Evaluation(found, self.segments[segment])

    def __iter__(self) -> Iterator[Key]:
        return iter(self.segments)

    def __len__(self) -> int:
        return len(self.segments)

    def __contains__(self, segment: object) -> bool:
        return segment in self.segments

    def worst(self, name: str | None = None) -> list[Key]:
        """Return the segments, the worst first by a measure, the first one by default; unmeasured ones last.

        Parameters
        ----------
        name : str, optional
            Of the measure, by default the first.
        """
        estimates = self.estimates[self._measure_called(name)]
        measured = [segment for segment in self if segment in estimates]
        measured.sort(key=lambda segment: _badness(estimates[segment]), reverse=True)
        return measured + [segment for segment in self if segment not in estimates]

    def adjusted_p_values(self, name: str | None = None) -> dict[Key, float]:
        """Return the p-values of a measure, adjusted by Holm for the number of its segments.

        Parameters
        ----------
        name : str, optional
            Of the measure, by default the first.

        Returns
        -------
        dict
            From each segment that was tested to its p-value in [0, 1]; empty without `null_draws`.
        """
        estimates = self.estimates[self._measure_called(name)]
        tested = {segment: each.null.p_value for segment, each in estimates.items() if each.null is not None}
        return dict(zip(tested, holm_adjusted(np.array([*tested.values()])).tolist(), strict=True))

    def adjusted_joint_p_values(self) -> dict[Key, float]:
        """Return the p-values of the joint tests, adjusted by Holm for the number of segments; empty without tests."""
        p_values = np.array([test.p_value for test in self.tests.values()])
        return dict(zip(self.tests, holm_adjusted(p_values).tolist(), strict=True))

    @property
    def draws(self) -> int:
        """How often labels were drawn from the scores."""
        return max((each.null.values.size for each in self.totals.values() if each.null is not None), default=0)

    @property
    def smallest_p_value(self) -> float:
        """The smallest p-value that so many draws could give; adjusted it is times the number of segments.

        Two-sided ones, of measures of accuracy, are at least twice that.
        """
        return 1.0 / (1.0 + self.draws)

    @property
    def notes(self) -> list[str]:
        """What must be known to read the values: that all labels of a segment are of one class, for example."""
        lines = []
        for name in self.names:
            prefix = f"{name}: " if len(self.names) > 1 else ""
            lines += [f"{prefix}{line}" for line in self._lines(name)]
        return list(dict.fromkeys(lines))

    def rows(self) -> Records:
        """Return a record for each measure and segment, the worst first, and then one for all rows.

        A segment without rows of positive weight has a record of n = 0, in which nothing is measured.
        """
        return [record for name in self.names for record in self._records(name)]

    def to_dict(self) -> dict[str, Any]:
        """Return the records as JSON-ready values, with the number of draws and the smallest possible p-value."""
        return {
            "by": self.segments.name,
            "n_segments": len(self),
            "draws": self.draws,
            "smallest_p_value": self.smallest_p_value,
            "segments": self.rows(),
            "notes": self.notes,
        }

    def sections(self) -> list[Section]:
        """Return a table for each measure, with a sentence on the segments that stand out."""
        return [self._section(name) for name in self.names]

    def sentence(self, name: str | None = None) -> str:
        """Return in which segments miscalibration is shown.

        Parameters
        ----------
        name : str, optional
            Of the measure, by default the first.
        """
        joint = self._is_joint(self._measure_called(name))
        adjusted = self.adjusted_joint_p_values() if joint else self.adjusted_p_values(name)
        texts, of = self._texts(), "Holm p-value of the joint test" if joint else "Holm p-value"
        found = [texts[segment] for segment in self.worst(name) if adjusted.get(segment, 1.0) <= UNLIKELY]
        if not found:
            least = min(adjusted.values(), default=1.0)
            return f"No miscalibration is shown in any segment: the smallest {of} is {short(least, 2)}."
        return f"Miscalibration is shown in {', '.join(found)} ({of} at most {UNLIKELY})."

    def _is_joint(self, name: str) -> bool:
        """Return whether the p-values beside a measure are those of the joint tests."""
        return bool(self.tests) and isinstance(self.totals[name].measure, PlugIn)

    def plot(
        self,
        name: str | None = None,
        *,
        segments: Sequence[Key] | None = None,
        scale: "ScaleName" = "probability",
        figure: "SomeFigure" = None,
    ) -> "SmallMultiples":
        """Draw the reliability diagrams of the worst segments and of all rows, side by side on shared axes.

        Parameters
        ----------
        name : str, optional
            Of the family, by default the first.
        segments : sequence, optional
            Which segments, at most 15; by default the five worst.
        scale : {"probability", "logit"}, default="probability"
            How the axes lay out probabilities, see `ReliabilityDisplay`.
        figure : matplotlib Figure or SubFigure, optional
            An empty one to draw in; by default a new pyplot figure that is large enough.

        Returns
        -------
        SmallMultiples
        """
        return self.diagrams(name, segments=segments, scale=scale).plot(figure)

    def diagrams(
        self, name: str | None = None, *, segments: Sequence[Key] | None = None, scale: "ScaleName" = "probability"
    ) -> "SmallMultiples":
        """Return these diagrams, which are yet to be drawn, or to be saved.

        Parameters
        ----------
        name, segments, scale
            As for `plot`.

        Raises
        ------
        ValueError
            Estimates without a map, an unknown name, segments that were not measured, none of them or more than 15.
        """
        from fitontest.displays.reliability import ReliabilityDisplay

        if not isinstance(self.segments.whole, ScoreSample):
            raise ValueError("reduction must be one of a single score for the diagrams of segments")
        with_map = [each for each, estimate in self.totals.items() if estimate.map is not None]
        if not with_map:
            raise ValueError(f"families must be given for diagrams: none of {self.names} has a map to draw")
        chosen = with_map[0] if name is None else choose(name, with_map, "name")
        estimates, texts = self.estimates[chosen], self._texts()
        shown = [one for one in self.worst(chosen) if one in estimates][:SHOWN] if segments is None else list(segments)
        if not 0 < len(shown) <= MOST_SHOWN:
            raise ValueError(f"segments must name 1 to {MOST_SHOWN} segments, got {len(shown)}")
        for one in shown:
            if one not in estimates:
                raise ValueError(f"segments must be among those measured, {brief([*estimates])}; got {one!r}")
        measured = [(texts[one], estimates[one], self.segments[one]) for one in shown]
        measured.append((WHOLE, self.totals[chosen], self.segments.whole))
        return ReliabilityDisplay.side_by_side(measured, scale, title=chosen)

    def __repr__(self) -> str:
        return str(self)

    def _measure_called(self, name: str | None) -> str:
        return self.names[0] if name is None else choose(name, self.names, "name")

    def _texts(self) -> dict[Key, str]:
        """Return the segments as they are printed, each different from the others."""
        return words_of([*self, *self.segments.empty])

    def _named(self, name: str) -> Named:
        """Return the estimates of a measure by the printed segments, the worst first, and that of all rows."""
        estimates, texts = self.estimates[name], self._texts()
        measured = [(texts[segment], estimates[segment]) for segment in self.worst(name) if segment in estimates]
        return [*measured, (WHOLE, self.totals[name])]

    def _lines(self, name: str) -> list[str]:
        """Return the notes on the estimates of a measure, and why segments have none."""
        failures, texts = self.failures.get(name, {}), self._texts()
        refused = [f"{texts[segment]}: not measured: {why}" for segment, why in failures.items()]
        empty = [f"{texts[segment]}: {NO_ROWS}" for segment in self.segments.empty]
        return [*note_lines(self._named(name), _notes_of), *refused, *empty]

    def _records(self, name: str) -> Records:
        adjusted, estimates, texts = self.adjusted_p_values(name), self.estimates[name], self._texts()
        joint = self.adjusted_joint_p_values()
        found = [
            _record(name, texts[segment], self.segments[segment], estimates.get(segment), adjusted.get(segment))
            | {"joint_p_value": self.tests[segment].p_value if segment in self.tests else None}
            | {"adjusted_joint_p_value": joint.get(segment)}
            | {"total": False, "failure": self.failures.get(name, {}).get(segment)}
            for segment in self.worst(name)
        ]
        unmeasured = {"joint_p_value": None, "adjusted_joint_p_value": None, "total": False, "failure": NO_ROWS}
        found += [_record(name, texts[one], None, None, None) | unmeasured for one in self.segments.empty]
        total = _record(name, WHOLE, self.segments.whole, self.totals[name], None)
        without = {"joint_p_value": None, "adjusted_joint_p_value": None}
        return [*found, {**total, **without, "total": True, "failure": None}]

    def _section(self, name: str) -> Section:
        measure, records, named = self.totals[name].measure, self._records(name), dict(self._named(name))
        spreads = interval_columns([*named.items()])
        prefix = "joint_" if self._is_joint(name) else ""
        p_header = ("if calibrated", "joint p" if prefix else "p-value", "Holm p") if self.draws else ()
        header = [self.segments.name, "n", "positives", "mean score", "mean residual"]
        header += ["error" if isinstance(measure, PlugIn) else "value", *(spreads.header if spreads else ()), *p_header]
        body = []
        for record in records:
            estimate = named.get(record["segment"])
            line = [record["segment"], f"{record['n']:,}"]
            means = [record[key] for key in ("base_rate", "mean_score")]
            line += ["-" if value is None else f"{value:.4f}" for value in means]
            residual = record["mean_residual"]
            line += [
                "-" if residual is None else f"{residual:+.4f}",
                "-" if estimate is None else measure.printed(estimate.value),
            ]
            if spreads:
                line += ["-", "-"] if estimate is None else [*spreads.cells(estimate)]
            if self.draws:
                mean, p_values = (
                    record["if_calibrated"],
                    [record[f"{kind}{prefix}p_value"] for kind in ("", "adjusted_")],
                )
                line.append("-" if mean is None else measure.printed(mean))
                line += ["-" if value is None else short(value, 2) for value in p_values]
            body.append(line)
        what = f"{measure.title} ({measure.in_words()})" if isinstance(measure, PlugIn) else name
        title = f"{what} in {len(self)} segment{'s' if len(self) > 1 else ''}, n = {self.segments.whole.n:,}"
        lines = [ORDER_NOTE, spreads.note if spreads else "", *reason_lines([*named.items()]), self._draws_note(name)]
        lines += [self.sentence(name)] if self.draws else []
        lines += self._lines(name)
        lines += data_notes(False, self.segments.whole.weighting, self.segments.whole.rows_note)
        return Section(title, header, body, "\n".join(line for line in lines if line))

    def _draws_note(self, name: str) -> str:
        if not self.draws:
            return ""
        two_sided = self.totals[name].measure.two_sided
        least = self.smallest_p_value * (2 if two_sided else 1)
        kind, many = "Two-sided p-value" if two_sided else "p-value", len(self) > 1
        return (
            f"{kind}: from {self.draws:,} draws of the labels, so at least {short(least, 2)}; Holm p: adjusted for "
            f"{len(self)} segment{'s' if many else ''}, so at least {short(min(1.0, least * len(self)), 2)}."
        )


def _notes_of(estimate: Estimate) -> list[tuple[str, str]]:
    """Return the notes of an estimate; the rows of each segment are others, so that they have notes too."""
    of_scores = [("", note) for note in data_notes(estimate.decided, None)]
    return [*notes_of_value(estimate), *notes_of_labels(estimate), *of_scores]


def _badness(estimate: Estimate) -> tuple[float, float]:
    """Return how bad a value is without what label noise adds to it, and what decides where that is equal."""
    sign = -1.0 if estimate.measure.greater_is_better else 1.0
    excess = sign * (estimate.value - (0.0 if estimate.null is None else estimate.null.mean))
    return excess if estimate.debiased is None else sign * estimate.debiased, excess


def words_of(segments: Iterable[Key]) -> dict[Key, str]:
    """Return segments as they are printed, each different from the others."""
    texts = {segment: _in_words(segment, str) for segment in segments}
    return texts if len(set(texts.values())) == len(texts) else {one: _in_words(one, repr) for one in texts}


def spellings(segment: Key) -> list[str]:
    """Return how a user may name a segment: as it is printed, and values of several types as other readers print them.

    Examples
    --------
    >>> spellings(1.0), spellings(("north", True))
    (['1.0', '1'], ['north, True', 'north, true'])
    """
    values = segment if isinstance(segment, tuple) else (segment,)
    return [", ".join(each) for each in product(*map(_spelled, values))]


def _spelled(value: Any) -> list[str]:
    text = str(value)
    others = [text.removesuffix(".0") if isinstance(value, float) else text, text.removesuffix(" 00:00:00")]
    others.append(text.lower() if text in ("True", "False") else text)
    return list(dict.fromkeys((text, *others)))


def _in_words(segment: Key, printed: Callable[[Any], str]) -> str:
    return ", ".join(map(printed, segment)) if isinstance(segment, tuple) else printed(segment)


def _record(name: str, segment: str, sample: Any, estimate: Estimate | None, adjusted: float | None) -> dict[str, Any]:
    of_score = isinstance(sample, ScoreSample)
    base_rate, mean_score = (float(sample.base_rate), sample.mean_score) if of_score else (None, None)
    null, interval = (None, None) if estimate is None else (estimate.null, estimate.interval)
    return {
        "measure": name,
        "segment": segment,
        "n": 0 if sample is None else sample.n,
        **weighting_record(None if sample is None else sample.weighting),
        "base_rate": base_rate,
        "mean_score": mean_score,
        "mean_residual": None if base_rate is None or mean_score is None else base_rate - mean_score,
        "value": None if estimate is None else estimate.value,
        "debiased": None if estimate is None else estimate.debiased,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "level": None if interval is None else interval.level,
        "if_calibrated": None if null is None else null.mean,
        "p_value": None if null is None else null.p_value,
        "adjusted_p_value": adjusted,
        "note": None if estimate is None else estimate.note,
    }
