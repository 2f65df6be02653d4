"""The comparison itself: every candidate judged on the same held-out rows, one of them chosen by a rule."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from fitontest.checks import choose
from fitontest.comparison.candidates import Candidates, candidates_of, named
from fitontest.comparison.comparison import Comparison
from fitontest.comparison.known_truth import Truth
from fitontest.comparison.record import Calibrator, Standing
from fitontest.comparison.rules import RULES
from fitontest.comparison.scores import Scores
from fitontest.comparison.trial import Court, Trial
from fitontest.data.sample import Sample
from fitontest.families.base import Family, family_name
from fitontest.families.identity import Identity
from fitontest.numerics.losses import find_loss
from fitontest.numerics.random import one_seed, repeated_folds
from fitontest.progress import track
from fitontest.typing import ArrayInput, Label, RandomState

EVALUATORS = ("slope1", "pl", "isotonic")


@dataclass(frozen=True, eq=False)
class Plan:
    """What the user asked for, checked."""

    candidates: Candidates
    cv: int
    repeats: int
    scoring: str
    rule: str
    evaluators: dict[str, Family]
    decomposition: Family
    random_state: RandomState

    @classmethod
    def of(
        cls,
        families: Iterable[str | Family] | None = None,
        cv: int = 5,
        repeats: int = 1,
        scoring: str = "log_loss",
        rule: str = "one_se",
        evaluators: Iterable[str | Family] = EVALUATORS,
        decomposition: str | Family = "isotonic",
        random_state: RandomState = 0,
    ) -> "Plan":
        """Check the options and make the families."""
        repeated_folds(2, cv, repeats, 0)  # refuses what is no number of folds or repeats
        seed = one_seed(random_state)
        return cls(
            candidates_of(families, seed),
            cv,
            repeats,
            choose(scoring, ("log_loss", "brier"), "scoring"),
            choose(rule, RULES, "rule"),
            named(evaluators, "evaluators", seed),
            next(iter(named([decomposition], "decomposition", seed).values())),
            random_state,
        )

    @property
    def do_nothing(self) -> str:
        """The name of the identity among the candidates."""
        return next(name for name, family in self.candidates.items() if isinstance(family, Identity))


def compare_calibrators(
    y_true: ArrayInput,
    y_prob: ArrayInput,
    *,
    families: Iterable[str | Family] | None = None,
    cv: int = 5,
    repeats: int = 1,
    scoring: Literal["log_loss", "brier"] = "log_loss",
    rule: Literal["one_se", "best"] = "one_se",
    evaluators: Iterable[str | Family] = EVALUATORS,
    decomposition: str | Family = "isotonic",
    test: tuple[ArrayInput, ...] | None = None,
    truth: Truth = None,
    random_state: RandomState = 0,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
) -> Comparison:
    """Compare families of maps as post-hoc calibrators on rows they were not fitted to, and choose one.

    Every family is fitted to all folds but one and predicts that one. The mean loss of these predictions says how good
    the calibrator is; families are compared by the *paired* differences of their losses, d_i = loss_i(a) - loss_i(b),
    whose standard error leaves out what is hard or easy about a row for both. Doing nothing is always a candidate.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels of two classes.
    y_prob : array-like of shape (n,)
        Predicted probabilities of the positive class, in [0, 1], of rows that the classifier was not trained on.
    families : iterable of str or Family, optional
        Candidates, all registered families by default; ``"identity"`` is added.
    cv : int, default=5
        Number of folds, at most n. They are drawn over sorted rows, so the row order plays no part; unlike
        scikit-learn's they are not stratified, since a share of positives that is the same in every fold would hide the
        error of fitting it.
    repeats : int, default=1
        Cross-validations with other folds; the losses of a row are averaged.
    scoring : {"log_loss", "brier"}, default="log_loss"
        The proper loss. Log loss clips predictions to [1e-6, 1 - 1e-6].
    rule : {"one_se", "best"}, default="one_se"
        "one_se": the fewest parameters (`Family.n_parameters_`) among those within one paired standard error of the
        smallest loss. "best": the smallest loss, but the identity unless that beats it by more than one paired standard
        error. On simulated data with a known right map, and by a little on 40 real sets of scores, the first does
        better (benchmarks/README.md).
    evaluators : iterable of str or Family, default=("slope1", "pl", "isotonic")
        Families under which the calibration error of the calibrated predictions is measured. Empty for none.
    decomposition : str or Family, default="isotonic"
        Family under which the loss of these predictions is split into calibration and refinement.
    test : tuple (y, p) or (y, p, sample_weight), optional
        Rows that play no part in the choice. Fitted to all of `y_true` and `y_prob`, every candidate is scored on
        them, and errors and decomposition are of these predictions. The best on them is the oracle that no rule knows.
    truth : callable or array-like of shape (n,), optional
        For simulated data the true probability at a score, c(p), or that of each row (of the test set, if there is
        one). The fitted maps are then also judged by their distance from it, mean |c_hat - c|, and by what their
        outputs are off, mean |c_hat - E[c | c_hat]|.
    random_state : int, RandomState or None, default=0
        Seed of the folds, and of the families given by name.
    sample_weight : array-like of shape (n,), optional
        Weight 2 counts a row twice (both in one fold), weight 0 not at all. Standard errors take whole weights for
        counts of rows, and any others for importances of rows drawn once: halving whole weights makes them larger.
    pos_label : label, optional
        The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}.

    Returns
    -------
    Comparison
        With the chosen family in ``best_``, fitted to all rows.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found.

    Notes
    -----
    Errors and parts of the loss out of fold are those of the pooled predictions of several maps, each of which errs
    against the fold it was not fitted to: with few rows in a fold, by some 0.5 / sqrt(rows in a fold), they see more
    than the error of one map. The losses and their differences do not suffer from this. A `test` set shows all of them
    for the one map that is used.

    The standard errors hold the fitted maps fixed. The loss of the chosen family is slightly too small, being the
    smallest of several: for an unbiased number ask for a `test` set. With a few hundred rows the choice depends on the
    folds: raise `repeats`, and see what else is within a standard error.

    Two classes only. For more, search over the families of a `CalibratedClassifier`.

    References
    ----------
    Kängsepp, Valk, Kull (2025), On the usefulness of the fit-on-test view on evaluating calibration of
    classifiers, Machine Learning 114, section 6.1. https://doi.org/10.1007/s10994-024-06652-6

    Examples
    --------
    >>> import numpy as np, fitontest as fot
    >>> rng = np.random.default_rng(0)
    >>> p = rng.random(2000)
    >>> y = rng.random(2000) < p**2 / (p**2 + (1 - p) ** 2)
    >>> comparison = fot.compare_calibrators(y, p, families=["temperature", "platt", "isotonic"], evaluators=[])
    >>> comparison.chosen, comparison.best_.predict([0.2, 0.5]).round(2)
    ('temperature', array([0.06, 0.5 ]))
    >>> print(comparison.to_frame()[["family", "score", "to_identity", "to_identity_se"]].round(4).to_string())
            family   score  to_identity  to_identity_se
    0  temperature  0.3402      -0.0428          0.0053
    1        platt  0.3406      -0.0423          0.0054
    2     isotonic  0.3527      -0.0303          0.0102
    3     identity  0.3830       0.0000          0.0000
    """
    plan = Plan.of(families, cv, repeats, scoring, rule, evaluators, decomposition, random_state)
    sample = Sample(y_true, y_prob, sample_weight, pos_label=pos_label)
    return comparison_of(sample, plan, _test_sample(test, pos_label), truth)


def comparison_of(sample: Sample, plan: Plan, test: Sample | None = None, truth: Truth = None) -> Comparison:
    """Return the comparison on a checked sample."""
    positives = int(np.count_nonzero(sample.rows.y))
    if positives in (0, sample.n):
        raise ValueError(f"y_true must have rows of both classes, got {sample.n} of one; they tell no map from another")
    folds = repeated_folds(sample.n, plan.cv, plan.repeats, plan.random_state)
    court = Court(sample, test, truth, folds, find_loss(plan.scoring), plan.evaluators, plan.decomposition)
    trials = {name: court.hear(plan.candidates[name]) for name in track(list(plan.candidates), "families")}
    parameters = {name: trial.family.n_parameters_ for name, trial in trials.items()}
    scores = Scores(court.own, {name: trial.held_out for name, trial in trials.items()}, parameters)
    tested = _on_test(court, trials, parameters)
    calibrators = [_calibrator(name, trial, scores, tested, plan.do_nothing) for name, trial in trials.items()]
    ranked = sorted(calibrators, key=lambda one: (one.held_out.score, one.n_parameters))
    return Comparison(
        calibrators=tuple(ranked),
        chosen=RULES[plan.rule](ranked, plan.do_nothing),
        scoring=plan.scoring,
        rule=plan.rule,
        decomposition=family_name(plan.decomposition),
        cv=min(plan.cv, sample.n),
        repeats=plan.repeats,
        n=sample.n,
        base_rate=sample.base_rate,
        n_smaller_class=min(positives, sample.n - positives),
        backwards=_backwards(sample),
        n_test=None if test is None else test.n,
        do_nothing=plan.do_nothing,
    )


def _on_test(court: Court, trials: Mapping[str, Trial], parameters: Mapping[str, float]) -> Scores | None:
    """Return the scores on the test set, if there is one."""
    losses = {name: trial.on_test for name, trial in trials.items() if trial.on_test is not None}
    return Scores(court.judge, losses, parameters) if losses else None


def _calibrator(name: str, trial: Trial, scores: Scores, tested: Scores | None, do_nothing: str) -> Calibrator:
    return Calibrator(
        name=name,
        family=trial.family,
        held_out=Standing.among(scores, name, do_nothing),
        test=None if tested is None else Standing.among(tested, name, do_nothing),
        parts=trial.parts,
        errors=trial.errors,
        quality=trial.quality,
        certain=trial.certain,
        fit_seconds=trial.fit_seconds,
    )


def _test_sample(test: object, pos_label: Label | None) -> Sample | None:
    """Return the sample of a test set that is given as a tuple."""
    if test is None:
        return None
    if not isinstance(test, tuple | list) or len(test) not in (2, 3):
        raise ValueError(f"test must be a tuple (y, p) or (y, p, sample_weight), got {_shown(test)}")
    return Sample(*test, pos_label=pos_label, names=("test[0]", "test[1]", "test[2]"))


def _backwards(sample: Sample) -> bool:
    """Tell whether positives have lower scores than negatives, on average, as those of the other class would be."""
    y, w = sample.y, sample.w
    return float((w * y) @ sample.p / (w @ y)) < float((w * (1 - y)) @ sample.p / (w @ (1 - y)))


def _shown(test: object) -> str:
    return f"{len(test)} entries" if isinstance(test, tuple | list) else f"one {type(test).__name__}"
