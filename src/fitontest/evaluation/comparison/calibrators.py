"""The results of the compared calibrators, and the rules that choose one of them.

"best" and "one_se" use the paired differences of held-out losses, and ask whether a difference is larger than its own
standard error: the family of the smallest mean loss need not be worth its parameters. An unpaired rule would compare
two losses with the standard error of each. That error is mostly the variation between rows, which moves both losses
by far more than they differ.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from fitontest.evaluation.comparison.candidates import is_mixture
from fitontest.evaluation.comparison.decomposition import Parts
from fitontest.evaluation.comparison.interpretability import Interpretability
from fitontest.evaluation.comparison.known_truth import Quality
from fitontest.evaluation.comparison.paired import PairedLosses, PairedScore
from fitontest.evaluation.comparison.ranking import keeps_ranking
from fitontest.evaluation.comparison.with_features import WorstSegment
from fitontest.measures.estimate import Estimate

AUTO = "auto"
FEW_ROWS = 500  # below which standard errors of held-out differences are too small
ERRORS_OF_FEW = 2.0  # standard errors by which a map of so few rows must be better than none
ALIKE = 1  # numbers of parameters that differ by no more than this count as equally few


@dataclass(frozen=True)
class Calibrator:
    """One candidate of a `Comparison`.

    Attributes
    ----------
    name : str
    family : Family or MulticlassFamily
        Fitted to all rows.
    held_out : PairedScore
        Out of fold: the rules choose by it.
    test : PairedScore or None
        On the test set.
    parts : Parts
        Of the loss of its predictions, on the test set if there is one, else out of fold.
    errors : dict of str to Estimate
        Calibration error after calibration by each evaluator. The number is that of these predictions, of which those
        of one score are their mean. Out of fold ``debiased`` and ``interval`` are of the one map that is fitted to all
        rows (`fitontest.uncertainty.fitted_map`), computed when they are asked for.
    quality : Quality or None
        Where the true map is known.
    certain : float
        Share of the rows, or of the test set, for which its map predicts exactly 0 or 1.
    fit_seconds : float
        Time of the fit to all rows.
    interpretability : Interpretability or None
        With ``interpretability=True``.
    worst_segment : WorstSegment or None
        In which its predictions are most wrong, where rows have features.
    """

    name: str
    family: Any = field(repr=False)
    held_out: PairedScore
    test: PairedScore | None
    parts: Parts
    errors: dict[str, Estimate]
    quality: Quality | None
    certain: float
    fit_seconds: float
    interpretability: Interpretability | None = None
    worst_segment: WorstSegment | None = None

    @property
    def loss(self) -> float:
        """The mean loss, on the test set if there is one, else out of fold."""
        return (self.held_out if self.test is None else self.test).score

    @cached_property
    def keeps_ranking(self) -> bool:
        """Whether its map never decreases and has more than one value."""
        return keeps_ranking(self.family)

    @property
    def n_levels(self) -> int | None:
        """How many levels its map has where it merges scores, as an isotonic one does; None of others."""
        return getattr(self.family, "n_bins_", None)

    @property
    def n_parameters(self) -> float:
        """Number of free parameters of its map, inf where that is not known."""
        return float(self.family.n_parameters_)

    def to_dict(self, *, raw: bool = False) -> dict[str, Any]:
        """Return the numbers as one plain record.

        Parameters
        ----------
        raw : bool, default=False
            Whether errors are those of the predictions, though there are debiased ones.
        """
        return {
            "family": self.name,
            **self.held_out.to_dict(),
            **({} if self.test is None else self.test.to_dict("test_")),
            **vars(self.parts),
            **{f"error_{name}": float(error if raw else error.quoted) for name, error in self.errors.items()},
            **({} if self.quality is None else vars(self.quality)),
            **({} if self.interpretability is None else vars(self.interpretability)),
            **({} if self.worst_segment is None else _segment_record(self.worst_segment)),
            "certain": self.certain,
            "n_parameters": self.n_parameters if np.isfinite(self.n_parameters) else None,
            "fit_seconds": self.fit_seconds,
        }


def _segment_record(worst: WorstSegment) -> dict[str, Any]:
    return {
        "worst_segment": str(worst.rule),
        "worst_segment_n": worst.n,
        "worst_segment_residual": worst.residual,
        "worst_segment_standardised": worst.standardised,
        "multicalibration_error": worst.multicalibration_error,
    }


def rank_results(results: Mapping[str, Any], rows: Any, test_rows: Any, do_nothing: str) -> list[Calibrator]:
    """Return the results with the paired differences of their losses, from the smallest held-out loss upwards."""
    n_parameters = {name: result.numbers["family"].n_parameters_ for name, result in results.items()}
    held_out = PairedLosses(rows, {name: result.losses for name, result in results.items()}, n_parameters)
    test_losses = {name: one.test_losses for name, one in results.items() if one.test_losses is not None}
    test = None if test_rows is None else PairedLosses(test_rows, test_losses, n_parameters)
    calibrators = [
        Calibrator(
            name=name,
            held_out=held_out.compute_score(name, do_nothing),
            test=None if test is None else test.compute_score(name, do_nothing),
            **result.numbers,
        )
        for name, result in results.items()
    ]
    return sorted(calibrators, key=lambda one: (one.held_out.score, one.n_parameters))


Ranked: TypeAlias = Sequence[Calibrator]  # from the smallest held-out loss to the largest


def choose_best(ranked: Ranked, do_nothing: str) -> str:
    """Return the family of the smallest loss, or the identity unless that beats it by more than one standard error."""
    gain = ranked[0].held_out.to_identity
    return ranked[0].name if -gain.mean > gain.se else do_nothing


def choose_one_se(ranked: Ranked, do_nothing: str) -> str:
    """Return the simplest family among those that keep the ranking, within one standard error of the smallest loss.

    The identity, if it is one of them. Else, with m the fewest parameters among them, that of the smallest loss among
    those with at most m + 1 parameters: a difference of one parameter is mostly one of counting. Of equal losses the
    one with fewer parameters is taken.
    """
    near = list_within_one_se([one for one in ranked if one.keeps_ranking])
    if not near or any(one.name == do_nothing for one in near):
        return do_nothing
    most = min(one.n_parameters for one in near) + ALIKE
    simple = [one for one in near if one.n_parameters <= most]
    return min(simple, key=lambda one: (one.held_out.score, one.n_parameters)).name


def list_within_one_se(ranked: Ranked) -> list[Calibrator]:
    """Return those whose loss is not larger than the smallest by more than one standard error, or that of the least."""
    return [one for one in ranked if not one.held_out.to_best.is_clear] or list(ranked[:1])


def choose_stack(ranked: Ranked, do_nothing: str) -> str:
    """Return the mixture of the smallest loss, or the identity where that predicts held-out labels no worse.

    A mixture has the identity among its members, so that its map is near it where there is little to gain. No standard
    error is asked for: that would forgo most of what mixtures gain with few rows.
    """
    for one in ranked:
        if is_mixture(one.family):
            return one.name if one.held_out.to_identity.mean < 0 else do_nothing
    raise ValueError("rule must be 'best' or 'one_se' unless a Stacking is among the candidates, got 'stack'")


def settle_rule(rule: str, n: int) -> str:
    """Return what "auto" means for so many rows: a mixture may be taken where they are enough for it."""
    return "one_se" if rule == AUTO and n < FEW_ROWS else rule


def choose_auto(ranked: Ranked, do_nothing: str) -> str:
    """Return the mixture, or the simplest map that keeps the ranking where the mixture has no smaller loss."""
    losses = {one.name: one.held_out.score for one in ranked}
    simple = choose_one_se([one for one in ranked if not is_mixture(one.family)], do_nothing)
    mixture = choose_stack(ranked, do_nothing)
    return mixture if losses[mixture] < losses[simple] else simple


def choose_by(
    rule: str, ranked: Ranked, do_nothing: str, n: int, rejected: bool | None, *, in_reverse: bool = False
) -> str:
    """Return the name of what a rule chooses; scores that may be calibrated, or rank in reverse, are left alone.

    "best" knows held-out losses alone.

    Parameters
    ----------
    rule : {"auto", "best", "one_se", "stack"}
    ranked : sequence of Calibrator
    do_nothing : str
    n : int
        Rows.
    rejected : bool or None
        Whether calibration of the scores is rejected; None where that was not tested.
    in_reverse : bool, default=False
        Whether the scores rank in reverse.
    """
    rule = settle_rule(rule, n)
    chosen = RULES[rule](ranked, do_nothing)
    if rule == "best" or rejected is None or chosen == do_nothing:
        return chosen
    gain = next(one for one in ranked if one.name == chosen).held_out.to_identity
    needed = ERRORS_OF_FEW if n < FEW_ROWS else 1.0
    return chosen if rejected and not in_reverse and -gain.mean > needed * gain.se else do_nothing


Rule: TypeAlias = Callable[[Ranked, str], str]
RULES: dict[str, Rule] = {AUTO: choose_auto, "best": choose_best, "one_se": choose_one_se, "stack": choose_stack}
