"""The comparison of calibrators: all candidates are evaluated on the same held-out rows, and a rule chooses one."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np

from fitontest.checks import choose
from fitontest.comparison.calibrators import RULES
from fitontest.comparison.candidates import Candidates, find_identity, read_candidates
from fitontest.comparison.comparison import Comparison
from fitontest.comparison.held_out import HeldOutEvaluation
from fitontest.comparison.known_truth import Truth, read_truth
from fitontest.comparison.of_classes import ClassOptions, compare_class_candidates
from fitontest.comparison.pairing import rank_results
from fitontest.data.counted_sample import count_rows
from fitontest.data.indices import check_same_order
from fitontest.data.predictions import NAMES, Columns, Names, ReadBefore, count_columns, reduced
from fitontest.data.repeated_rows import Repeats
from fitontest.data.score_sample import ScoreSample, refuse_pooled_scores
from fitontest.data.simplex_sample import CANONICAL, SimplexSample, read_any
from fitontest.families.base import Family
from fitontest.families.listed import read_families
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.registry import family_name
from fitontest.families.stacking import Stacking
from fitontest.numerics.losses import find_loss
from fitontest.numerics.random import one_seed, repeated_folds
from fitontest.progress import track
from fitontest.typing import ArrayInput, Label, RandomState

EVALUATORS = ("slope1", "isotonic")
DECOMPOSITION = "isotonic"


@dataclass(frozen=True, eq=False)
class Options:
    """The checked options of a comparison; families given by name are made."""

    candidates: Candidates
    cv: int
    repeats: int
    scoring: str
    rule: str
    evaluators: dict[str, Family]
    decomposition: Family
    random_state: RandomState
    interpretability: bool = False

    @classmethod
    def of(
        cls,
        families: Iterable[str | Family] | None = None,
        cv: int = 5,
        repeats: int = 1,
        scoring: str = "log_loss",
        rule: str = "one_se",
        evaluators: Iterable[str | Family] = EVALUATORS,
        decomposition: object = None,
        random_state: RandomState = 0,
        *,
        interpretability: bool = False,
    ) -> "Options":
        """Check the options and make the families."""
        repeated_folds(2, cv, repeats, 0)  # raises where cv or repeats are not valid
        seed = one_seed(random_state)
        choose(scoring, ("log_loss", "brier"), "scoring")
        candidates = read_candidates(families, seed)
        mixtures = [family for family in candidates.values() if isinstance(family, Stacking)]
        for mixture in mixtures:
            mixture.make_members()  # raises where its settings are not valid, before anything is fitted
        if choose(rule, RULES, "rule") == "stack" and not mixtures:
            candidates["stacking"] = Stacking(list(candidates.values()), loss=scoring, random_state=seed)  # type: ignore[arg-type]
        return cls(
            candidates,
            cv,
            repeats,
            scoring,
            rule,
            read_families(evaluators, "evaluators", seed),
            _read_decomposition(decomposition, seed),
            random_state,
            interpretability,
        )

    @property
    def do_nothing(self) -> str:
        """The name of the identity among the candidates."""
        return find_identity(self.candidates)


def _read_decomposition(family: object, seed: RandomState) -> Family:
    """Return the family of the decomposition."""
    given = DECOMPOSITION if family is None else family
    return next(iter(read_families([given], "decomposition", seed).values()))  # type: ignore[list-item]


def compare_calibrators(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    families: Iterable[str | Family | MulticlassFamily] | None = None,
    cv: int = 5,
    repeats: int = 1,
    scoring: Literal["log_loss", "brier"] = "log_loss",
    rule: Literal["one_se", "best", "stack"] = "one_se",
    evaluators: Iterable[str | Family] = EVALUATORS,
    decomposition: str | Family | MulticlassFamily | None = None,
    test: tuple[ArrayInput, ...] | None = None,
    truth: Truth = None,
    interpretability: bool = False,
    random_state: RandomState = 0,
    sample_weight: ArrayInput = None,
    pos_label: Label | None = None,
    reduction: Literal["canonical"] | None = None,
    labels: ArrayInput = None,
) -> Comparison:
    """Compare families of maps as post-hoc calibrators on rows they were not fitted to, and choose one.

    Every family is fitted to all folds but one and predicts that one. The mean loss of these predictions measures how
    good the calibrator is. Families are compared by the *paired* differences of their losses, d_i = loss_i(a) -
    loss_i(b): what is hard or easy about a row for both families does not enter their standard error. Doing nothing is
    always a candidate.

    Parameters
    ----------
    y_true : array-like of shape (n,)
        Labels, of two classes unless the reduction is "canonical".
    y_prob : array-like of shape (n,) or (n, K)
        Predicted probabilities of the positive class, in [0, 1], of rows that the classifier was not trained on; with
        ``reduction="canonical"`` those of all classes, in the order of the sorted labels or of `labels`.
    families : iterable of str, Family or MulticlassFamily, optional
        Candidates; ``"identity"`` is added. By default the registered families that are meant for deployment
        (`Family.calibrator`): identity, temperature, platt, beta, isotonic, spline, pl, pl3 and venn_abers. Families
        that are there to measure errors, such as slope1, flat, pava_bc and knn, can be listed too. With
        ``reduction="canonical"`` the registered families of several classes that are meant for deployment; a family of
        two classes that is listed is fitted to each class against the rest (`OneVsRest`).
    cv : int, default=5
        Number of folds, at most n. They are drawn over sorted rows, so they do not depend on the row order. Unlike
        scikit-learn's they are not stratified, since a share of positives that is the same in every fold would hide the
        error of fitting it.
    repeats : int, default=1
        Cross-validations with other folds; the losses of a row are averaged.
    scoring : {"log_loss", "brier"}, default="log_loss"
        The proper loss. Log loss clips predictions to [1e-6, 1 - 1e-6].
    rule : {"one_se", "best", "stack"}, default="one_se"
        "one_se": of the families whose loss is within one paired standard error of the smallest the identity, if it
        is one of them. Else, with m the fewest parameters (`Family.n_parameters_`) among them, that of the smallest
        loss among those with at most m + 1 parameters. "best": the smallest loss, but the identity unless that beats
        it by more than one paired standard error. "stack": the mixture of all candidates (`Stacking`), or the
        identity where the mixture has no smaller loss. The mixture is added to the candidates unless they hold one,
        which keeps its own settings; of several that of the smallest loss is meant. On each fold it is judged with
        weights that were chosen by the predictions for the other folds, of which the members were fitted to this fold
        too; fitted to all rows it draws ten folds of its own. docs/calibrators.md compares the rules.
    evaluators : iterable of str or Family, default=("slope1", "isotonic")
        Families under which the calibration error of the calibrated predictions is measured. Empty for none. With
        ``reduction="canonical"`` that of the largest score of each row, and the mean over the classes.
    decomposition : str or family, optional
        Family under which the loss of these predictions is split into calibration and refinement. By default isotonic;
        vector with ``reduction="canonical"``.
    test : tuple (y, p) or (y, p, sample_weight), optional
        Rows that the rules do not use. Fitted to all of `y_true` and `y_prob`, every candidate is scored on them, and
        errors and decomposition are of these predictions. The best on them is the oracle, which no rule can know.
    truth : callable or array-like of shape (n,), optional
        For simulated data the true probability at a score, c(p), or that of each row (of the test set, if there is
        one). Two errors of the fitted maps are then computed: their distance from it, mean |c_hat - c|, and the
        calibration error of their outputs, mean |c_hat - E[c | c_hat]|.
    interpretability : bool, default=False
        Whether it is measured how readable and how valid the calibrated scores are: how many values each map has in
        effect (`ProbabilisticCount`), and the probability deviation error and the area under the validity curve of the
        held-out predictions. `Comparison.frontier` and `Comparison.plot_frontier` weigh the loss against the count.
    random_state : int, RandomState or None, default=0
        Seed of the folds, and of the families given by name.
    sample_weight : array-like of shape (n,), optional
        Counts where all are whole numbers of at most 10 on average, weight 2 being the row twice; else importances,
        whose scale means nothing. A row of weight 0 is absent. The rows that a count stands for are held out one by
        one, as different ones; with `truth` together. Halving counts makes importances of them, and standard errors
        larger.
    pos_label : label, optional
        The positive class, needed unless the labels are booleans, {0, 1} or {-1, 1}.
    reduction : {"canonical"}, optional
        "canonical": calibrators of several classes as they are. Their losses are sums over the classes; of two classes
        the Brier score is then twice that of the positive one. There is no `truth`, and no rule "stack".
    labels : array-like of shape (K,), optional
        The class of each column with ``reduction="canonical"``, also of classes that do not occur.

    Returns
    -------
    Comparison
        With the chosen family in ``best_``, fitted to all rows.

    Raises
    ------
    ValueError
        The message names the argument, the rule and the value.

    Notes
    -----
    Errors and parts of the loss out of fold are those of the pooled predictions of several maps, each of which has
    an error of its own on its fold. With few rows in a fold they exceed the error of one map by some
    0.5 / sqrt(rows in a fold). The losses and their differences are not affected. With a `test` set all of them are
    those of the one map that is used.

    The standard errors hold the fitted maps fixed. The loss of the chosen family is slightly too small, being the
    smallest of several: an unbiased estimate needs a `test` set. With a few hundred rows the choice depends on the
    folds: raise `repeats`, and see which other families are within a standard error.

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
    if not isinstance(interpretability, bool | np.bool_):
        raise ValueError(f"interpretability must be True or False, got {interpretability!r}")
    if reduction is not None:
        choose(reduction, (CANONICAL,), "reduction")
        if interpretability:
            raise ValueError("interpretability must be False with reduction='canonical', got True")
        for name, value in (("truth", truth), ("pos_label", pos_label)):
            if value is not None:
                raise ValueError(f"{name} must be None with reduction='canonical', got {value!r}")
        settings = (families, cv, repeats, scoring, rule, evaluators, decomposition, random_state)
        distributions = _read_distributions((y_true, y_prob, sample_weight), labels)
        tested = None if test is None else _read_test_distributions(test, distributions)
        return compare_class_candidates(distributions, ClassOptions.of(*settings), tested)
    if labels is not None:
        raise ValueError(f"labels must be None unless reduction='canonical', got {labels!r}")
    options = Options.of(
        families, cv, repeats, scoring, rule, evaluators, decomposition, random_state, interpretability=interpretability
    )
    _check_two_classes(y_prob, "y_prob")
    sample = reduced((y_true, y_prob, sample_weight), None, None, pos_label)
    check_same_order(y_true=y_true, y_prob=y_prob, truth=truth)
    return compare_candidates(sample, options, _read_test(test, pos_label), truth)


def compare_candidates(
    sample: ScoreSample, options: Options, test: ScoreSample | None = None, truth: Truth = None, labels: str = "y_true"
) -> Comparison:
    """Return the comparison on a checked sample; `labels` is what the caller calls the labels."""
    positives = int(sample.rows.n[sample.rows.y > 0].sum())
    if positives in (0, sample.n):
        value = f"{sample.n} of one, which cannot distinguish between maps"
        raise ValueError(f"{labels} must have rows of both classes, got {value}")
    if options.interpretability:
        for one in (sample, test):
            if one is not None:
                refuse_pooled_scores(one, "interpretability=True")
    Repeats.of(sample).warn()
    # true probabilities are of the rows as they were given
    held = sample if truth is not None else cast("ScoreSample", count_rows(sample))
    evaluation = _set_up(held, options, test, truth)
    results = {
        name: evaluation.evaluate(options.candidates[name]) for name in track(list(options.candidates), "families")
    }
    test_rows = None if test is None else evaluation.rows
    ranked = rank_results(results, evaluation.sample.rows, test_rows, options.do_nothing)
    return Comparison(
        calibrators=tuple(ranked),
        chosen=RULES[options.rule](ranked, options.do_nothing),
        scoring=options.scoring,
        rule=options.rule,
        decomposition=family_name(options.decomposition),
        cv=min(options.cv, held.n),
        repeats=options.repeats,
        n=sample.n,
        base_rate=sample.base_rate,
        n_smaller_class=min(positives, sample.n - positives),
        backwards=_is_backwards(sample),
        n_test=None if test is None else test.n,
        do_nothing=options.do_nothing,
        weighting=sample.weighting,
    )


def _set_up(sample: ScoreSample, options: Options, test: ScoreSample | None, truth: Truth) -> HeldOutEvaluation:
    """Return the evaluation with its folds drawn and the true probabilities checked."""
    sample, folds = sample.in_repeated_folds(options.cv, options.repeats, options.random_state)
    evaluated, scores = (sample, "y_prob") if test is None else (test, "test[1]")
    return HeldOutEvaluation(
        sample=sample,
        test=test,
        folds=folds,
        loss=find_loss(options.scoring),
        evaluators=options.evaluators,
        decomposition=options.decomposition,
        truth=None if truth is None else read_truth(truth, evaluated, scores),
        interpretability=options.interpretability,
    )


def _read_test(test: object, pos_label: Label | None) -> ScoreSample | None:
    """Return the sample of a test set that is given as a tuple, or as cells."""
    if test is None:
        return None
    if isinstance(test, ReadBefore):
        return reduced((test, None, None), None, None, pos_label, Names("test", "test[1]", "test[2]"))
    _check_test(test)
    test = cast("tuple[ArrayInput, ...]", test)
    _check_two_classes(test[1], "test[1]")
    return ScoreSample(*test, pos_label=pos_label, names=("test[0]", "test[1]", "test[2]"))


def _read_distributions(columns: Columns, labels: ArrayInput, names: Names = NAMES) -> SimplexSample:
    return cast("SimplexSample", read_any(columns, CANONICAL, labels, names=names))


def _read_test_distributions(test: object, data: SimplexSample) -> SimplexSample:
    """Return a test set of several classes that is given as a tuple."""
    _check_test(test)
    y, scores, *rest = cast("tuple[ArrayInput, ...]", test)
    names = Names("test[0]", "test[1]", "test[2]")
    return _read_distributions((y, scores, rest[0] if rest else None), np.array(data.classes), names)


def _check_test(test: object) -> None:
    if not isinstance(test, tuple | list) or len(test) not in (2, 3):
        value = f"{len(test)} entries" if isinstance(test, tuple | list) else f"one {type(test).__name__}"
        raise ValueError(f"test must be a tuple (y, p) or (y, p, sample_weight), got {value}")


def _check_two_classes(scores: ArrayInput, name: str) -> None:
    """Raise ValueError where scores have several columns, and say what to compare instead."""
    width = count_columns(scores) or 1
    if width < 2:
        return
    instead = (
        "pass the column of the positive class, that of list(classifier.classes_).index(pos_label); or "
        "reduction='canonical', which compares calibrators of all columns at once"
    )
    if width > 2:
        instead = (
            "reduction='canonical' compares calibrators of all classes at once; or compare on one class against the "
            "rest, y_true == label with the column of that label"
        )
    raise ValueError(
        f"{name} must be one column, since calibrators are compared for two classes, got {width} columns; {instead}"
    )


def _is_backwards(sample: ScoreSample) -> bool:
    """Return whether positives have lower scores than negatives on average, as scores of the other class have."""
    y, w = sample.y, sample.w
    return float((w * y) @ sample.p / (w @ y)) < float((w * (1 - y)) @ sample.p / (w @ (1 - y)))
