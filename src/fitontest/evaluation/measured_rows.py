"""The rows that an estimate was made of, which debias it when that is asked for, and draw it."""

from dataclasses import dataclass
from typing import Any

from fitontest.data.read import Data
from fitontest.data.repeated_rows import Repeats
from fitontest.evaluation.evaluation import Evaluation
from fitontest.measures.estimate import Estimate
from fitontest.measures.uncertainty import Uncertainty
from fitontest.measures.validity import ValidityArea
from fitontest.uncertainty.intervals import NULL_DRAWS, Direction, reason_of_classes, reason_of_settings, with_interval
from fitontest.uncertainty.redrawing import Redrawing, has_quick_interval
from fitontest.uncertainty.verdict import verdict_of

ASK = "interval='always' computes it"
OF_CLASSES = "of a mean over classes there is none; interval='always' gives each class one"
OF_DISTRIBUTIONS = "of whole distributions the ECE on the simplex has one, gce(..., interval='always')"
SLOW_CELLS = f"cells of the simplex are formed anew hundreds of times; {ASK}"
OF_GROUPS = "how distributions of one group depend on each other was not studied; the confidence has one"
OF_CELLS = "cells are no function of the score"
SLOW = f"hundreds of refits of this family take long; {ASK}"
OF_TESTS = (
    "reduction must be None, 'confidence' or 'binary' for a test-based diagram, got 'classwise'; draw one class at a "
    "time without a reduction, with y_true == label and the column of that class"
)
_OF_DISPLAY = ("scale", "limits", "name", "pos_label")  # options of a diagram before it is drawn


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """The rows of an estimate, and how their labels are redrawn when its uncertainty is asked for.

    Parameters
    ----------
    data : ScoreSample, SimplexSample or Samples
        The rows; nothing of them is copied.
    redrawing : Redrawing
        With a seed that is a number.
    """

    data: Data
    redrawing: Redrawing

    def uncertainty(self, estimate: Estimate) -> Uncertainty:
        """Return null, debiased value, interval and limits, the same as `evaluate` has them.

        Warns where many rows look like copies. The sample tells what its weights are once its rows were looked at.
        """
        repeats = Repeats.of(self.data)
        repeats.warn()
        redrawing = self.redrawing
        measured = with_interval(
            estimate.with_uncertainty(rows_note=repeats.note, weighting=self.data.weighting),
            self.data,
            redrawing.level,
            direction=redrawing.direction,
            draws=redrawing.draws,
            null_draws=int(redrawing.null_draws) or NULL_DRAWS,
            random_state=redrawing.random_state,
        )
        return measured.uncertainty

    def plot(self, estimate: Estimate, ax: Any = None, **options: Any) -> Any:
        """Draw the diagram of the estimate: of its map, of its tests, of its classes, or a triangle."""
        from fitontest.displays.reliability import ReliabilityDisplay
        from fitontest.displays.simplex import SimplexDisplay
        from fitontest.displays.tce import TCEDisplay

        data: Any = self.data
        is_tested = estimate.measure.in_percent
        if data.is_by_class and is_tested:
            raise ValueError(OF_TESTS)
        if data.is_by_class:
            family = estimate.measure.name
            return Evaluation((estimate,), data).diagrams(family, **options).plot(ax)
        if data.has_distributions:
            return SimplexDisplay(estimate, data).plot(ax, **options)
        if estimate.measure.is_seminorm:
            from fitontest.displays.walk import walk_display

            return walk_display(estimate, data, **options).plot(ax)
        if isinstance(estimate.measure, ValidityArea):
            from fitontest.displays.validity import validity_display

            return validity_display({options.pop("name", ""): data}, estimate.measure.k, **options).plot(ax)
        if estimate.map is None and not is_tested:
            raise ValueError(
                f"{estimate.measure.title} has no calibration map to draw; calibration_error(...).plot() draws that of "
                "a family, such as the bins of family='slope1'"
            )
        of_display = {name: options.pop(name) for name in _OF_DISPLAY if name in options}
        if is_tested:
            return TCEDisplay(estimate, data, **of_display).plot(ax, **options)
        verdict = verdict_of([(estimate.measure.name, estimate)], data)
        band = {"kind": options.pop("band", "auto"), "random_state": self.redrawing.random_state}
        display = ReliabilityDisplay.from_estimate(estimate, data, verdict=verdict, band=band, **of_display)
        return display.plot(ax, **options)


def reason_to_omit(measure: Any, data: Data, direction: Direction) -> str | None:
    """Return why an estimate of which nothing was said is given no interval, or "" where it has one when asked.

    None: of such a measure there is no debiased value to speak of.
    """
    has_one = measure.is_raw or measure.fitting is not None or getattr(measure, "debias", False)
    if not has_one:
        return None
    if data.is_by_class:
        return OF_CLASSES
    if data.has_distributions and data.groups is not None:
        return OF_GROUPS
    if data.has_distributions:
        return (reason_of_classes(measure) or SLOW_CELLS) if measure.of_bins else OF_DISTRIBUTIONS
    if reason := reason_of_settings(measure, direction):
        return reason
    if measure.of_bins:
        return "" if measure.rule.ascends else OF_CELLS
    return "" if has_quick_interval(measure) else SLOW
