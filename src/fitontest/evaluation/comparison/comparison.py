"""The result of a comparison of post-hoc calibrators: the chosen one, and the numbers and differences of all."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fitontest.data.known_groups import NOT_LEARNT, KnownGroups, groups_record
from fitontest.data.sample import Sample
from fitontest.data.weights import Weighting, weighting_record
from fitontest.evaluation.comparison.calibrators import ALIKE, RULES, Calibrator, choose_by, list_within_one_se
from fitontest.evaluation.comparison.candidates import DO_NOTHING, is_mixture
from fitontest.evaluation.comparison.error_comparison import OF_GROUPS
from fitontest.evaluation.comparison.interpretability import NOTE as INTERPRETABILITY_NOTE
from fitontest.evaluation.comparison.interpretability import find_frontier
from fitontest.evaluation.comparison.paired import Difference, PairedScore
from fitontest.maps.decreases import find_decreases
from fitontest.measures.estimate import Estimate
from fitontest.measures.notes import data_notes
from fitontest.measures.plug_in import PlugIn
from fitontest.measures.probabilistic_count import ProbabilisticCount
from fitontest.numerics.losses import LOG_LOSS_EPS, LOSS_NAMES, note_on_loss
from fitontest.numerics.significance.normal import quantile
from fitontest.results.checks import choose
from fitontest.results.detailed import Detailed, explanation
from fitontest.results.frames import Records, attributes
from fitontest.results.short_print import MORE
from fitontest.results.table import Section, Table
from fitontest.results.text import capital, count, short, signed
from fitontest.uncertainty.redrawing import Redrawing, estimate_of

if TYPE_CHECKING:
    from fitontest.displays.canvas import AxesOrFigure
    from fitontest.displays.comparison import ComparisonDisplay

MOST_DEBIASED = 20_000  # rows of which a debiased error takes a moment
FEW = 50  # rows of the smaller class below which even a paired comparison is mostly noise
FEW_IN_A_FOLD = 100  # rows below which fold maps differ so much that measures of their pooled predictions mislead
LOSS_DIGITS = 4  # which tell the losses of neighbours apart
MOST_INTERVALS = 3  # of those on which a map decreases, in the text
NOTES = (
    "*: chosen. vs identity, vs best: paired differences of the loss, with their standard errors; minus is better. "
    "parameters: free numbers of the map. calibration + refinement = loss: what a map of the family {decomposition}, "
    "fitted to the predictions, would still gain, and the rest."
)
RAW_NOTE = " raw error (...): of the predictions, by that family; label noise raises it."
ERRORS_NOTE = (
    " error (...): mean distance of the one map of all rows from the true one, told by labels that were drawn anew and "
    "fits of the map and of that family to them."
)
DEBIASED_NOTE = " debiased: error corrected for label noise (median-unbiased)."
RAW_AFTER_NOTE = " raw, after: of held-out predictions, of which those of one score are averaged."
SEGMENTS_NOTE = (
    "worst segment: of all conditions and pairs of them the one that stands out most. residual: share of positives "
    "less mean prediction. multicalibration error: of all segments, walks along the score too, the largest error in "
    "standard errors, times that of all rows."
)
SIMPLEST_OF_SINGLE = "of single maps the simplest within one standard error is taken, or none"
LEAST_SAID = 0.05  # weight of a member of a mixture that the first sentence names
ONLY_MIXTURES = 'rule="stack" takes a mixture or nothing'
ONE_FAMILY = 'For one family in place of a mixture: rule="one_se".'

DRAWN_LEVEL = 0.95  # of the intervals of differences in a diagram


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Table):
    """Recalibration methods compared on rows that they were not fitted to, as `compare_calibrators` returns them.

    Attributes
    ----------
    chosen_ : Family
        The chosen family, fitted to all rows.
    chosen : str
        Its name.
    calibrators : tuple of Calibrator
        All candidates, from the smallest held-out loss to the largest.
    scoring, rule, decomposition : str
        As `compare_calibrators` was asked.
    cv, repeats : int
        The folds, and how often they were drawn.
    n : int
        Rows of positive weight.
    base_rate : float or None
        Share of positives; None of several classes.
    n_smaller_class : int
        Rows of the class that has the fewest, of those that occur.
    ranks_in_reverse : bool
        Whether positives have lower scores than negatives, on average: then they may be those of the other class. Of
        several classes whether labels are less probable than by chance: then the columns may be in another order.
    rejected : bool or None
        Whether calibration of the scores is rejected, by the test of `evaluate`; None where that was not asked.
    n_test : int or None
        Rows of the test set.
    n_classes : int
        How many classes there are.
    do_nothing : str
        The name of the candidate that leaves the scores as they are, with which the others are compared.
    weighting : Weighting or None
        What the weights of the rows were taken for; None: all rows weigh one.
    rows_note : str
        What must be known of rows of a score for each class, or "".
    reduction : str or None
        How several classes were read.
    calibrated : Sample or None
        The rows with what the chosen family predicts in place of their scores: out of fold, of the first repeat, or on
        the test set, if there is one. Measures and displays take it, to show the calibration after calibrating.
    uncalibrated : Sample or None
        The same rows with their scores as they are.
    evaluator : Family or None
        The first of the `evaluators`: its errors of both are `error_before` and `error_after`.
    worst_if_calibrated : tuple of float or None
        Where rows have features: the error of the worst segment in standard errors, and the multicalibration error,
        that the predictions of the chosen one would have on average if they were calibrated.
    groups, test_groups : KnownGroups or None
        What is known of the groups that the rows belong to, and those of the test set; None where none were named.

    Notes
    -----
    Printing it says first what was chosen; the tables follow. ``comparison["beta"]`` is one candidate.

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(500)
    >>> y = rng.random(500) < p**2
    >>> comparison = fot.compare_calibrators(y, p, families=["platt"], rule="one_se", evaluators=[])
    >>> comparison.chosen, [one.name for one in comparison.calibrators]
    ('platt', ['platt', 'identity'])
    """

    calibrators: tuple[Calibrator, ...]
    chosen: str
    scoring: str
    rule: str
    decomposition: str
    cv: int
    repeats: int
    n: int
    base_rate: float | None
    n_smaller_class: int
    ranks_in_reverse: bool
    rejected: bool | None = None
    n_test: int | None = None
    do_nothing: str = DO_NOTHING
    n_classes: int = 2
    weighting: Weighting | None = None
    rows_note: str = ""
    reduction: str | None = None
    calibrated: Sample | None = None
    uncalibrated: Sample | None = None
    evaluator: Any = None
    groups: KnownGroups | None = None
    test_groups: KnownGroups | None = None
    worst_if_calibrated: tuple[float, float] | None = None

    @property
    def chosen_(self) -> Any:
        """The chosen calibrator, fitted to all rows."""
        return self[self.chosen].family

    def choice(self, rule: Literal["auto", "best", "one_se", "stack"]) -> str:
        """Return the name of the calibrator that a rule chooses; it need not be the rule of this comparison.

        Without a mixture among the candidates there is nothing for "stack" to choose.

        Parameters
        ----------
        rule : {"auto", "best", "one_se", "stack"}
            See `compare_calibrators`.

        Raises
        ------
        ValueError
            Another rule, or "stack" where no mixture was compared.
        """
        choose(rule, RULES, "rule")
        return choose_by(
            rule, self.calibrators, self.do_nothing, self.n, self.rejected, in_reverse=self.ranks_in_reverse
        )

    def __getitem__(self, name: str) -> Calibrator:
        """Return the candidate of that name."""
        for calibrator in self.calibrators:
            if calibrator.name == name:
                return calibrator
        raise KeyError(f"{name!r} is not among {[calibrator.name for calibrator in self.calibrators]}")

    def __iter__(self) -> Iterator[Calibrator]:
        return iter(self.calibrators)

    def __len__(self) -> int:
        return len(self.calibrators)

    def rows(self) -> Records:
        """Return one plain record per candidate, from the smallest held-out loss to the largest.

        ``score`` is the mean held-out loss; ``to_best`` and ``to_identity`` are the paired differences to the smallest
        and to that of doing nothing, with their standard errors. Names that begin with ``test_`` are the same on the
        test set. ``calibration`` and ``refinement`` add up to the loss; ``error_...`` is the calibration error after
        calibration by each evaluator: debiased, of the map of all rows; raw, of the predictions, with a test set, with
        features and of all classes at once. All three are of the test set, if there is one.
        """
        raw = not self._are_debiased
        return [{**one.to_dict(raw=raw), "chosen": one.name == self.chosen} for one in self.calibrators]

    @cached_property
    def _are_debiased(self) -> bool:
        """Whether there is an error of the map of all rows for every candidate, so that they can be compared."""
        errors = [error for one in self.calibrators for error in one.errors.values()]
        return all(error.origin is not None for error in errors) and all(e.debiased is not None for e in errors)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready values, with the map that was chosen."""
        return {
            **attributes(self, "chosen", "rule", "scoring", "decomposition", "cv", "repeats", "n"),
            **weighting_record(self.weighting),
            **groups_record(self.groups),
            **attributes(self, "n_classes", "reduction", "base_rate", "n_smaller_class", "ranks_in_reverse", "n_test"),
            **({} if self.worst_if_calibrated is None else self._segments_record),
            "calibrators": self.rows(),
            "map": self.chosen_.map_.to_dict(),
        }

    @property
    def _segments_record(self) -> dict[str, float]:
        assert self.worst_if_calibrated is not None
        names = ("worst_segment_if_calibrated", "multicalibration_error_if_calibrated")
        return dict(zip(names, self.worst_if_calibrated, strict=True))

    @cached_property
    def error_before(self) -> Estimate | None:
        """The calibration error of the scores as they are, by the first evaluator, debiased where that is quick.

        It is computed when it is asked for. None without evaluators.
        """
        return self._error_of(self.do_nothing, self.uncalibrated)

    @cached_property
    def error_after(self) -> Estimate | None:
        """The calibration error of the map of the chosen one, which is fitted to all rows, as `error_before`.

        With a test set that of its predictions there. ``interval_reason`` says why there is no interval.
        """
        return self._error_of(self.chosen, self.calibrated)

    @property
    def share_removed(self) -> float | None:
        """The share of the calibration error that the chosen one removes, None where there is none, or no errors."""
        before, after = self.error_before, self.error_after
        if before is None or after is None or not before.quoted > 0.0:
            return None
        return float(np.clip(1.0 - after.quoted / before.quoted, 0.0, 1.0))

    def _error_of(self, name: str, predicted: Any) -> Estimate | None:
        if self.evaluator is None:
            return None
        first = next(iter(self[name].errors.values()))
        if not self.n_test or predicted is None or predicted.has_distributions:
            return first
        wanted = Redrawing(interval="auto" if predicted.n <= MOST_DEBIASED else None)
        return estimate_of(PlugIn(self.evaluator), predicted, None, wanted)

    @property
    def _has_interpretability(self) -> bool:
        return self.calibrators[0].interpretability is not None

    @property
    def frontier(self) -> list[str]:
        """The candidates that no other beats both in held-out loss and in readability, from the smallest loss on.

        Another dominates a candidate if its loss is as small and its probabilistic count as small, and one of them is
        smaller. The loss is that on the test set, if there is one. Losses that differ by less than their standard error
        may change places.
        """
        if not self._has_interpretability:
            raise ValueError("interpretability must be True for there to be a frontier, got False")
        ranked = sorted(self.calibrators, key=lambda one: one.loss)
        kept = find_frontier([one.loss for one in ranked], self._counts(ranked))
        return [one.name for one, is_on in zip(ranked, kept, strict=True) if is_on]

    @staticmethod
    def _counts(calibrators: Iterable[Calibrator]) -> list[float]:
        """Return how many values the map of each candidate has in effect, where that was measured."""
        found = (one.interpretability for one in calibrators)
        return [one.probabilistic_count for one in found if one is not None]

    def sections(self) -> list[Section]:
        """Return what was chosen, what it gains, and what must be known before it is used."""
        warnings = _list_warnings(self, self[self.chosen])
        return [Section(notes="\n".join([*_conclude(self), *warnings, MORE]))]

    def table(self) -> Table:
        """Return the losses and the errors of all candidates, with explanations.

        Returns
        -------
        Table
            With the same records; printing it shows more.
        """
        measured = [_tabulate_interpretability(self)] if self._has_interpretability else []
        if any(one.worst_segment is not None for one in self):
            measured.append(_tabulate_segments(self))
        conclusion, explanations = (Section(notes="\n".join(part(self))) for part in (_conclude, _explain))
        parts = (conclusion, _tabulate_losses(self), _tabulate_errors(self), *measured, explanations)
        return Detailed(self, parts)

    def explain(self) -> Table:
        """Return what the columns mean, which candidates are as good, and what must be known, in plain sentences.

        Returns
        -------
        Table
            With the same records; printing it shows the sentences.
        """
        return explanation(self, _explain(self))

    def plot(self, ax: "AxesOrFigure" = None) -> "ComparisonDisplay":
        """Draw how much worse each candidate's held-out loss is than the best, with 95 % intervals of the differences.

        Parameters
        ----------
        ax : matplotlib Axes, Figure or SubFigure, optional
            Place of the diagram; by default a new pyplot figure that is large enough.

        Returns
        -------
        ComparisonDisplay
        """
        return self.diagram().plot(ax)

    def diagram(self) -> "ComparisonDisplay":
        """Return the diagram, not yet drawn; `ComparisonDisplay.save` draws and saves it."""
        from fitontest.displays.comparison import ComparisonDisplay, Dot

        prefix, loss, reach = "test_" if self.n_test else "", LOSS_NAMES[self.scoring], quantile(DRAWN_LEVEL)
        dots = []
        for row in self.rows():
            error = next((value for key, value in row.items() if key.startswith("error_")), None)
            beside = {loss: f"{row[f'{prefix}score']:.4f}"} | ({} if error is None else {"error left": f"{error:.3f}"})
            value, width = row[f"{prefix}to_best"], reach * row[f"{prefix}to_best_se"]
            name = f"{row['family']} (chosen)" if row["chosen"] else str(row["family"])
            dots.append(Dot(name, value, value - width, value + width, columns=beside))
        where = "on the test set" if self.n_test else "out of fold"
        return ComparisonDisplay(
            sorted(dots, key=lambda dot: dot.value), title=f"Calibrators by their {loss} {where}",
            second="difference from the smallest, 95 % intervals", label=f"{capital(loss)}, minus the smallest",
            reference=0.0, keep_order=True,
        )  # fmt: skip


def _tabulate_losses(comparison: Comparison) -> Section:
    """Return the table of the losses and their differences."""
    loss = LOSS_NAMES[comparison.scoring]
    repeats = f", {comparison.repeats} repeats" if comparison.repeats > 1 else ""
    several = f"{comparison.n_classes} classes" if comparison.base_rate is None else ""
    several += ", each against the rest" if comparison.reduction == "classwise" else ""
    rate = "accuracy" if comparison.reduction == "confidence" else "share of positives"
    title = (
        f"post-hoc calibrators by out-of-fold {loss} ({comparison.cv} folds{repeats}), "
        f"n = {count(comparison.n)}, {several or f'{rate} {short(comparison.base_rate or 0.0)}'}"
    )
    title += "" if comparison.groups is None else f", {comparison.groups.in_words()}"
    header = ["family", loss, "vs identity", "s.e.", "vs best", "s.e."]
    if comparison.n_test:
        header += [f"test {loss}", "vs identity", "s.e.", "vs best", "s.e."]
    header += ["parameters", "fit (s)"]
    body = []
    for one in comparison.calibrators:
        cells = [_mark_chosen(one, comparison), *_format_score(one.held_out)]
        cells += [] if one.test is None else _format_score(one.test)
        parameters = _format_parameters(one.n_parameters)
        body.append([*cells, parameters, short(one.fit_seconds, 2)])
    return Section(title, header, body, note_on_loss(comparison.scoring, comparison.reduction))


def _tabulate_errors(comparison: Comparison) -> Section:
    """Return the table of the parts of the loss and the errors after calibration."""
    first = comparison.calibrators[0]
    where = "test set" if comparison.n_test else "out of fold"
    debiased = comparison._are_debiased
    header = [f"after ({where})", "calibration", "refinement"]
    header += [f"{'' if debiased else 'raw '}error ({name})" for name in first.errors]
    header += [] if first.quality is None else ["map error", "true error after"]
    body = []
    for one in comparison.calibrators:
        errors = (float(error.quoted if debiased else error) for error in one.errors.values())
        numbers = [one.parts.calibration, one.parts.refinement, *errors]
        numbers += [] if one.quality is None else vars(one.quality).values()
        body.append([_mark_chosen(one, comparison), *(short(number) for number in numbers)])
    return Section(header=header, body=body)


def _tabulate_segments(comparison: Comparison) -> Section:
    """Return the table of the segments in which predictions are most wrong."""
    where = "test set" if comparison.n_test else "out of fold"
    header = [f"worst segment ({where})", "segment", "n", "residual", "in s.e.", "multicalibration error"]
    body = []
    for one in comparison.calibrators:
        worst = one.worst_segment
        cells = ["-"] * 5
        if worst is not None:
            numbers = [f"{worst.n:,}", signed(worst.residual), short(worst.standardised)]
            cells = [str(worst.rule), *numbers, short(worst.multicalibration_error)]
        body.append([_mark_chosen(one, comparison), *cells])
    notes = SEGMENTS_NOTE
    if comparison.worst_if_calibrated is not None:
        error, multicalibration_error = comparison.worst_if_calibrated
        notes += (
            f" If {comparison.chosen} were calibrated: {short(error)} s.e. and {short(multicalibration_error)} on "
            "average."
        )
    return Section(header=header, body=body, notes=notes)


def _tabulate_interpretability(comparison: Comparison) -> Section:
    """Return the table of how readable and how valid the calibrated scores are."""
    where = "test set" if comparison.n_test else "out of fold"
    body = []
    for one in comparison.calibrators:
        measured = one.interpretability
        assert measured is not None
        cells = [ProbabilisticCount().printed(measured.probabilistic_count), short(measured.pde), short(measured.auc_v)]
        body.append([_mark_chosen(one, comparison), *cells, "yes" if one.name in comparison.frontier else "-"])
    header = [f"interpretability ({where})", "count (map of all rows)", "PDE", "AUC_V", "frontier"]
    return Section(header=header, body=body, notes=INTERPRETABILITY_NOTE)


def _mark_chosen(one: Calibrator, comparison: Comparison) -> str:
    return f"{one.name} *" if one.name == comparison.chosen else one.name


def _format_parameters(number: float) -> str:
    """Return a number of parameters, which for means of several maps is a mean."""
    if not np.isfinite(number):
        return "-"
    return count(number) if float(number).is_integer() else short(number)


def _format_score(paired: PairedScore) -> list[str]:
    return [
        short(paired.score, LOSS_DIGITS),
        *_format_difference(paired.to_identity),
        *_format_difference(paired.to_best),
    ]


def _format_difference(gap: Difference) -> tuple[str, str]:
    return ("-", "-") if gap == Difference(0.0, 0.0) else (signed(gap.mean), short(gap.se, 2))


def _conclude(comparison: Comparison) -> list[str]:
    """Return what was chosen, what it gains, and the calibration error before and after."""
    chosen = comparison[comparison.chosen]
    sentences = [_describe_choice(comparison, chosen), _describe_errors(comparison, chosen)]
    if chosen.test is not None:
        sentences.append(_describe_test(comparison, chosen, chosen.test))
    if comparison.worst_if_calibrated is not None:
        sentences.append(_describe_segments(comparison, chosen, comparison.worst_if_calibrated[0]))
    if is_mixture(chosen.family):
        sentences.append(ONE_FAMILY)
    return [sentence for sentence in sentences if sentence]


def _explain(comparison: Comparison) -> list[str]:
    """Return what the columns mean, which candidates are as good, and what must be known before the map is used."""
    chosen, first = comparison[comparison.chosen], comparison.calibrators[0]
    columns = NOTES.format(decomposition=comparison.decomposition)
    if first.errors:
        columns += ERRORS_NOTE if comparison._are_debiased else RAW_NOTE
    before, after = comparison.error_before, comparison.error_after
    columns += "" if before is None or before.debiased is None else DEBIASED_NOTE
    columns += "" if after is None or after.origin is None or chosen.name == comparison.do_nothing else RAW_AFTER_NOTE
    sentences = [columns, _describe_smallest(comparison, chosen, first), _describe_others(comparison, chosen, first)]
    if comparison.scoring == "log_loss":
        sentences.append(f"Log loss clips predictions to [{LOG_LOSS_EPS:g}, 1 - {LOG_LOSS_EPS:g}].")
    if comparison.groups is not None and not comparison.groups.sizes.are_single:
        sentences.append(OF_GROUPS)
    return [*(sentence for sentence in sentences if sentence), *_list_warnings(comparison, chosen)]


def _describe_choice(comparison: Comparison, chosen: Calibrator) -> str:
    """Return the chosen family, and how much smaller its loss is than that of doing nothing."""
    loss = LOSS_NAMES[comparison.scoring]
    if chosen.name == comparison.do_nothing:
        return f"{_describe_doing_nothing(comparison)} {_describe_no_gain(comparison, loss)}"
    gain = chosen.held_out.to_identity
    amount = f"Held-out {loss}: {_format_amount(-gain.mean, gain.se)} less than that of the scores as they are."
    return f"Use {_describe_map(chosen)}. {_describe_repair(comparison, chosen)} {amount}"


def _describe_doing_nothing(comparison: Comparison) -> str:
    """Return that the scores are left as they are, and why."""
    if comparison.rule == "best":
        return "Use the scores as they are."
    if comparison.ranks_in_reverse and comparison.rejected:
        return "Nothing is chosen: the scores rank in reverse, which no map that keeps the ranking can repair."
    if comparison.rejected is False:
        return "Use the scores as they are: they may well be calibrated."
    if comparison.rejected:
        return (
            "Use the scores as they are, although calibration is rejected: no map is clearly better on held-out rows."
        )
    return "Use the scores as they are."


def _describe_map(chosen: Calibrator) -> str:
    """Return the name of the chosen one, with how many numbers it has or what it mixes."""
    if is_mixture(chosen.family):
        return f"{chosen.name}, a mixture of {describe_mixture(chosen.family)}"
    numbers = chosen.n_parameters
    if not np.isfinite(numbers):
        return chosen.name
    return f"{chosen.name} ({_format_parameters(numbers)} number{'s' * (numbers != 1)})"


def _describe_repair(comparison: Comparison, chosen: Calibrator) -> str:
    """Return how much of the error it removes, and what becomes of the ranking."""
    ranking = _describe_ranking(chosen)
    share = comparison.share_removed
    if share is None:
        return f"It {ranking}."
    where = "On the test set" if comparison.n_test else "For new rows"
    return f"{where} it removes {100 * share:.0f} % of the calibration error and {ranking}."


def _describe_ranking(chosen: Calibrator) -> str:
    """Return what a map makes of the ranking of the scores."""
    if not chosen.keeps_ranking:
        return "changes the ranking"
    levels = chosen.n_levels
    return "keeps the ranking" if levels is None else f"merges the scores into {levels:,} levels"


def _describe_errors(comparison: Comparison, chosen: Calibrator) -> str:
    """Return the calibration error before and after, an empty text without evaluators."""
    before, after = comparison.error_before, comparison.error_after
    if before is None or after is None:
        return ""
    name = next(iter(chosen.errors))
    if chosen.name == comparison.do_nothing:
        return f"Calibration error ({name}): {before.in_words}.{_describe_rough(before, 'Before')}"
    where = "out of fold" if after.debiased is None else "of the map of all rows"
    where = "on the test set" if comparison.n_test else where
    doubts = f"{_describe_rough(before, 'Before')}{_describe_rough(after, 'After')}"
    if after.interval is None and after.interval_reason:
        doubts += f" After, there is no interval: {after.interval_reason}."
    return f"Calibration error ({name}): {before.in_words} before; {after.in_words} after, {where}.{doubts}"


def _describe_rough(estimate: Estimate, when: str) -> str:
    """Return what debiased value and interval are of where a spline does not fit, from which a raw value may be far."""
    interval = estimate.interval
    if interval is None or interval.roughness is None:
        return ""
    return f" {when}, {interval.roughness.in_words()}; so is the debiased value."


def _describe_smallest(comparison: Comparison, chosen: Calibrator, first: Calibrator) -> str:
    """Return which candidates have a smaller loss than the chosen one, and why it was taken; empty without any."""
    smaller = _list_smaller(comparison, chosen)
    if chosen.name == comparison.do_nothing or not smaller:
        return ""
    behind, loss, stacked = chosen.held_out.to_best, LOSS_NAMES[comparison.scoring], is_mixture(chosen.family)
    reason = _describe_simplicity(comparison, chosen)
    if stacked:
        reason = f"{ONLY_MIXTURES if comparison.rule == 'stack' else SIMPLEST_OF_SINGLE}."
    text = f"The smallest {loss} is that of {first.name}, {_format_amount(behind.mean, behind.se)} less: {reason}"
    if len(smaller) == 1:
        return text
    because = "and no mixture" if stacked else "with more parameters"
    return f"{text} Smaller too, {because}: {', '.join(one.name for one in smaller[1:])}."


def _describe_no_gain(comparison: Comparison, loss: str) -> str:
    """Return why nothing is done: for each candidate with a smaller loss why it was not taken."""
    smaller = _list_smaller(comparison, comparison[comparison.do_nothing])
    gaps = [(one.name, one.held_out.to_identity) for one in smaller]
    gains = [f"{name}, {_format_amount(-gap.mean, gap.se)}" for name, gap in gaps]
    if not smaller:
        return f"No family has a smaller {loss}."
    if comparison.rejected is False or comparison.ranks_in_reverse:
        return f"The best-looking, {gains[0]} less, was not taken."
    if comparison.rule == "stack":
        mixture = next(one.name for one in comparison if is_mixture(one.family))
        best = comparison.choice("best")
        other = 'rule="best" takes ' + ("none of them either" if best == comparison.do_nothing else best)
        listed = f"Single families have a smaller one: {' less; '.join(gains)} less. {other}."
        return f"The {loss} of {mixture} is not smaller, and {ONLY_MIXTURES}. {listed}"
    text = f"The smallest {loss}, that of {gains[0]} less, is not smaller by more than one standard error."
    return text if len(gains) == 1 else f"{text} Others have a smaller one too: {' less; '.join(gains[1:])} less."


def _list_smaller(comparison: Comparison, chosen: Calibrator) -> list[Calibrator]:
    """Return the candidates whose loss is smaller than that of the chosen one, the smallest first."""
    behind = chosen.held_out.to_best.mean
    return [one for one in comparison.calibrators if one.held_out.to_best.mean < behind]


def describe_mixture(family: Any) -> str:
    """Return the members of a mixture with their weights, the largest first."""
    if family.by_class:
        return "the families for each class"
    weights = family.weights_.values() if family.takes_features else family.weights_
    parts = sorted(zip(weights, family.members_, strict=True), reverse=True)
    named = [(weight, name) for weight, name in parts if weight >= LEAST_SAID] or parts[:1]
    rest = 1.0 - sum(weight for weight, _ in named)
    others = [f"{100 * rest:.0f} % others"] if len(named) < len(parts) and rest >= 0.005 else []
    return ", ".join([*(f"{100 * weight:.0f} % {name}" for weight, name in named), *others])


def _describe_simplicity(comparison: Comparison, chosen: Calibrator) -> str:
    """Return why the rule one_se takes the chosen family and not the one of the smallest loss."""
    fewest = min(list_within_one_se(comparison.calibrators), key=lambda one: (one.n_parameters, one.held_out.score))
    near = "within one standard error of it"
    if chosen.n_parameters <= fewest.n_parameters:
        return f"{near}, {chosen.name} has the fewest parameters."
    loss = LOSS_NAMES[comparison.scoring]
    return (
        f"{near}, {fewest.name} has the fewest parameters, and {chosen.name} the smallest {loss} of those with at most "
        f"{ALIKE} more."
    )


def _describe_others(comparison: Comparison, chosen: Calibrator, first: Calibrator) -> str:
    """Return the other families within one standard error of the smallest loss, an empty text if there are none."""
    near = [one.name for one in list_within_one_se(comparison.calibrators)]
    others = [name for name in near if name not in (chosen.name, first.name)]
    return f"Not clearly worse than {first.name} either, by that measure: {', '.join(others)}." if others else ""


def _describe_test(comparison: Comparison, chosen: Calibrator, test: PairedScore) -> str:
    """Return the loss of the chosen family on the test set, compared with doing nothing and with the best there."""
    loss, gap, behind = LOSS_NAMES[comparison.scoring], test.to_identity, test.to_best
    than = "less" if gap.mean <= 0 else "MORE"
    text = f"On the test set ({count(comparison.n_test or 0)} rows): {loss} {short(test.score, LOSS_DIGITS)}"
    if chosen.name != comparison.do_nothing:
        text += f", {_format_amount(abs(gap.mean), gap.se)} {than} than that of doing nothing"
    if behind.mean == 0:
        return f"{text}. No family does better there."
    oracle = min(comparison.calibrators, key=lambda one: one.test.score if one.test else np.inf)
    return f"{text}. The best there, {oracle.name}, is {_format_amount(behind.mean, behind.se)} better."


def _describe_segments(comparison: Comparison, chosen: Calibrator, if_calibrated: float) -> str:
    """Return in which segment predictions are most wrong, before and after."""
    parts = []
    for one, when in ((comparison[comparison.do_nothing], "before"), (chosen, "after")):
        worst = one.worst_segment
        if worst is not None and (when == "after" or chosen.name != comparison.do_nothing):
            error = f"off by {signed(worst.residual)}, {short(abs(worst.standardised), 2)} standard errors"
            parts.append(
                f"{worst.rule} ({error}) {when}" if chosen.name != comparison.do_nothing else f"{worst.rule} ({error})"
            )
    by_chance = f"by chance {short(if_calibrated, 2)} standard errors on average"
    return f"Worst segment: {'; '.join(parts)}; {by_chance}." if parts else ""


def _list_warnings(comparison: Comparison, chosen: Calibrator) -> list[str]:
    """Return what a user should know before applying the map."""
    warnings = []
    if comparison.ranks_in_reverse:
        warnings.append(
            "positives have lower scores than negatives, on average. Are these of the other class?"
            if comparison.base_rate is not None
            else "labels are less probable than by chance, on average. Do the columns stand in the order of the sorted "
            "labels, or of the classes that were named?"
        )
    if comparison.n_smaller_class < FEW:
        smallest = "smaller" if comparison.n_classes == 2 else "smallest"
        few = f"only {comparison.n_smaller_class} rows are of the {smallest} class"
        warnings.append(f"{few}. A comparison on so few is mostly noise, even where the standard errors are small.")
    if chosen.certain > 0:
        often = f"{chosen.name} predicts exactly 0 or 1 for {chosen.certain:.2%} of the rows"
        warnings.append(f"{often}. Where one of them is wrong, the log loss is infinite unless it is clipped.")
    of_scores = comparison.base_rate is not None and not chosen.family.takes_features
    decreases = find_decreases(chosen.family.map_) if of_scores else []
    if decreases:
        warnings.append(
            f"the map of {chosen.name} decreases {_format_intervals(decreases)}: it changes the order of scores there."
        )
    if comparison.n_test is None and comparison.n / comparison.cv < FEW_IN_A_FOLD:
        warnings.append(
            "the folds are small, so that calibration and refinement are partly differences between their maps."
        )
    warnings += _list_group_notes(comparison)
    warnings += data_notes(False, comparison.weighting, comparison.rows_note)
    return [f"Note: {note}" for note in warnings]


def _list_group_notes(comparison: Comparison) -> list[str]:
    """Return whether groups that rows belong to are too few, or few, for standard errors."""
    notes = []
    for known, where in ((comparison.groups, ""), (comparison.test_groups, " of the test set")):
        if known is None or known.sizes.are_single:
            continue
        if known.too_few:
            notes.append(f"{NOT_LEARNT}: standard errors{where} are hardly known.")
        elif known.are_few:
            notes.append(
                f"few groups ({known.sizes.effective:.0f} effective): standard errors{where} are not known well."
            )
    return notes


def _format_intervals(intervals: list[tuple[float, float]]) -> str:
    """Return in words where a map decreases; of many intervals only the first ones."""
    ends = dict.fromkeys((_format_probability(start), _format_probability(stop)) for start, stop in intervals)
    texts = [f"at p = {start}" if start == stop else f"between p = {start} and {stop}" for start, stop in ends]
    elsewhere = " and elsewhere" if len(texts) > MOST_INTERVALS else ""
    return ", ".join(texts[:MOST_INTERVALS]) + elsewhere


def _format_probability(p: float) -> str:
    """Return a score with three digits of its distance from the nearer end of [0, 1], which is 0 or 1 within 1e-6."""
    if min(p, 1 - p) < LOG_LOSS_EPS:
        return f"{round(p)}"
    return short(p) if p < 0.5 else f"{p:.{int(-np.log10(1 - p) - 1e-9) + 3}f}"


def _format_amount(mean: float, se: float) -> str:
    """Return a mean and its standard error, with two significant digits of the latter."""
    decimals = 5 if se == 0 else int(np.clip(1 - np.floor(np.log10(se)), 1, 12))
    return f"{mean:.{decimals}f} (s.e. {se:.{decimals}f})"
