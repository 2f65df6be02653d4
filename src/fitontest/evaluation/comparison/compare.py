"""The comparison of calibrators: all candidates are evaluated on the same held-out rows, and a rule chooses one."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Unpack

from fitontest.data.arrays import count_columns
from fitontest.data.columns import NAMES, Names
from fitontest.data.counted_sample import count_rows
from fitontest.data.indices import check_same_order
from fitontest.data.known_groups import KnownGroups
from fitontest.data.labels import listed
from fitontest.data.reading.options import reading_of
from fitontest.data.reading.read import READ, read
from fitontest.data.repeated_rows import Repeats
from fitontest.data.sample import Sample
from fitontest.data.score_sample import refuse_pooled_scores
from fitontest.evaluation.comparison.calibrators import choose_by, rank_results, settle_rule
from fitontest.evaluation.comparison.candidates import of_one_class
from fitontest.evaluation.comparison.comparison import Comparison
from fitontest.evaluation.comparison.held_out import HeldOutEvaluation
from fitontest.evaluation.comparison.judging import count_labels, ranks_in_reverse
from fitontest.evaluation.comparison.kinds import KINDS, OF_SCORES, FamilyKind
from fitontest.evaluation.comparison.known_truth import Truth, read_truth
from fitontest.evaluation.comparison.options import ComparisonOptions, Judging, Options
from fitontest.evaluation.comparison.rows import check_two_classes, sample_of
from fitontest.evaluation.comparison.with_features import ComparedRows, compared_rows, kind_with_features
from fitontest.families.base import Family
from fitontest.families.multiclass.base import MulticlassFamily
from fitontest.families.registry import family_name
from fitontest.maps.rules.columns import FROM_DTYPE, CategoricalFeatures
from fitontest.numerics.standard_error import LEAST_GROUPS
from fitontest.results.checks import brief, check_flag
from fitontest.results.options import spell_out
from fitontest.results.progress import track
from fitontest.results.typing import ArrayInput, Label
from fitontest.uncertainty.intervals import NULL_DRAWS
from fitontest.uncertainty.joint import joint_test

TEST_NAMES = Names("test[0]", "test[1]", "test[2]", groups="test[3]")
OF_SEVERAL = (
    "reduction='canonical' compares calibrators of all classes at once, 'confidence' of the largest score and "
    "'classwise' of each class against the rest; or compare on one class against the rest, y_true == label with the "
    "column of that label"
)


@spell_out("interval", "level", "draws", "null_draws")
def compare_calibrators(
    y_true: ArrayInput,
    y_prob: ArrayInput = None,
    *,
    families: Iterable[str | Family | MulticlassFamily] | None = None,
    test: tuple[ArrayInput, ...] | None = None,
    truth: Truth = None,
    X: Any = None,
    categorical_features: CategoricalFeatures = FROM_DTYPE,
    **options: Unpack[ComparisonOptions],
) -> Comparison:
    """Compare recalibration methods on rows that they were not fitted to, and choose one.

    The choice keeps the ranking of the scores: by default a mixture of maps that never decrease, but the simplest of
    these within one standard error of the best where that predicts held-out rows as well as the mixture, or where there
    are fewer than 500 rows. Scores whose calibration is not rejected are left as they are.

    Every family is fitted to all folds but one and predicts that one. The mean loss of these predictions measures how
    good the calibrator is. Families are compared by the *paired* differences of their losses, d_i = loss_i(a) -
    loss_i(b): what is hard or easy about a row for both families does not enter their standard error. Doing nothing is
    always a candidate.

    Parameters
    ----------
    y_true : array-like of shape (n,), or what `read` returned
        Labels, of two classes without a reduction.
    y_prob : array-like of shape (n,) or (n, K)
        Predicted probabilities of the positive class, in [0, 1], of rows that the classifier was not trained on; with
        `reduction` those of all classes, in the order of the sorted labels or of `labels`.
    families : iterable of str, Family or MulticlassFamily, optional
        Candidates; ``"identity"`` is added. By default the registered families with `Family.calibrator`, with the
        settings by which they keep the ranking (`Family.as_calibrator`): identity, temperature, platt, beta, isotonic,
        ``Spline(monotone=True)`` and venn_abers, all quick. Others can be listed: pl and pl3, which
        load jax, and families that are there to measure errors, such as slope1, flat, pava_bc and knn. With
        ``reduction="canonical"`` the like families of several classes; a family of two classes that is listed is fitted
        to each class against the rest (`OneVsRest`).
    test : tuple (y, p), (y, p, sample_weight) or (y, p, sample_weight, groups), optional
        Rows that the rules do not use; weights or groups may be None. Or what `read` returned. Fitted to all of
        `y_true` and `y_prob`, every candidate is scored on them, and errors and decomposition are of these predictions.
        The best on them is the oracle, which no rule can know.
    truth : callable or array-like of shape (n,) or (n, K), optional
        For simulated data the true probability at a score, c(p), or that of each row (of the test set, if there is
        one); with "confidence" that the predicted class is right, with "canonical" and "classwise" those of all
        classes. Two errors of the fitted maps are then computed: their distance from it, mean |c_hat - c|, and the
        calibration error of their outputs, mean |c_hat - E[c | c_hat]|; of distributions the total variation, half the
        sum over the classes, and with "classwise" the mean over the classes.
    random_state : int, RandomState or None, default=0
        Seed of the folds, and of the families given by name.
    sample_weight : array-like of shape (n,), optional
        Counts where all are whole numbers of at most 10 on average, weight 2 being the row twice; else importances,
        whose scale means nothing. A row of weight 0 is absent. The rows that a count stands for are held out one by
        one, as different ones; with `truth`, `X`, "canonical" and "classwise" together. Halving counts makes
        importances of them, and standard errors larger.
    reduction : {"confidence", "classwise", "binary", "canonical"}, optional
        How a matrix of scores is read. "confidence": the largest score of each row, a sample of two classes. "binary":
        the column of the positive class, of two. "classwise": every candidate is fitted to each class against the rest
        (`ByClassMap`, whose values are not divided by their sum), and the loss of a row is the mean of the K losses of
        two classes. "canonical": calibrators of several classes as they are. Their losses are sums over the classes; of
        two classes the Brier score is then twice that of the positive one.
    groups : array-like of shape (n,), optional
        What each row belongs to, such as a patient or a user, where several rows belong together. Folds hold out whole
        groups, at most as many folds as groups, and so do families that choose something by folds of their own;
        standard errors are of sums over groups (`fitontest.numerics.standard_error`). The rows that a count stands for
        are of one group. Of groups of one row each the result is that without groups.
    X : data frame, dict of columns, or array of shape (n, d), optional
        Features of the rows, which may have missing values. Calibrators that see them are then candidates too: by
        default segment_offsets, tree_of_maps, boosted, certified_offsets and multicalibrated. For each candidate the
        segment is shown in which its predictions are most wrong, of all conditions and pairs of them that
        `find_segments` looks at, with the multicalibration error. With "stack" the mixture of the smallest loss is
        meant, which may be multicalibrated. A `test` set is then (y, p, sample_weight, groups, X), or what `read`
        returned and X.
    categorical_features : "from_dtype", or iterable of str, int or bool, default="from_dtype"
        Which columns of `X` are categories whatever they hold, as for `find_segments`; for families given by name too.

    Returns
    -------
    Comparison
        With the chosen family in ``chosen_``, fitted to all rows.

    Raises
    ------
    ValueError
        The message names the argument, the rule and the value.

    Notes
    -----
    The error after calibration is the mean distance |c_hat(p) - c(p)| of the map of all rows from the true one
    (`fitontest.uncertainty.fitted_map` says how); where several scores get one value it may exceed that of the values.
    The 95 % interval held it in 86 to 100 % of 50 simulated sets of each of 72 cases, in 95.5 % on average
    (`benchmarks/fitted_map_coverage.py`).
    Held-out predictions do not tell it: they are of several maps. Parts of the loss, and measures of interpretability,
    are of these predictions, of which those of one score are averaged. With a `test` set all of them are those of the
    one map that is used.

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
    >>> comparison.chosen, comparison.chosen_.predict([0.2, 0.5]).round(2)
    ('temperature', array([0.06, 0.5 ]))
    >>> print(comparison.to_frame()[["family", "score", "to_identity", "to_identity_se"]].round(4).to_string())
            family   score  to_identity  to_identity_se
    0  temperature  0.3403      -0.0427          0.0054
    1     stacking  0.3404      -0.0426          0.0052
    2        platt  0.3405      -0.0424          0.0054
    3     isotonic  0.3509      -0.0321          0.0100
    4     identity  0.3830       0.0000          0.0000
    """
    reading, random_state = reading_of(options), options["random_state"]
    reduction, labels, pos_label = reading["reduction"], reading["labels"], reading["pos_label"]
    interpretability = check_flag(options["interpretability"], "interpretability")
    if reduction is None and labels is not None and not isinstance(y_true, READ):
        raise ValueError(f"labels must be None unless a reduction is given, got {labels!r}")
    if reduction is None:
        _refuse_classes(y_prob, "y_prob")
    data = read(y_true, y_prob, **reading)
    kind = data.reduction
    if interpretability and data.has_distributions:
        raise ValueError(
            "interpretability must be False with reduction='canonical', got True: values, bins and the validity curve "
            "need one score in each row; 'confidence' and 'classwise' have them"
        )
    rows_kind = _kind_of(kind, X, categorical_features)
    judging: dict[str, Any] = {name: value for name, value in options.items() if name in Judging.__annotations__}
    judging["rule"] = settle_rule(judging["rule"], data.n)
    comparing = Options(families, kind=rows_kind, random_state=random_state, **judging)
    check_same_order(y_true=y_true, y_prob=y_prob, truth=truth, X=X)
    sample = sample_of(data, NAMES)
    test, X_test = _split_test(test, X)
    tested = None if test is None else _read_test(test, data, kind, pos_label)
    features = None if X is None else compared_rows(X, sample, categorical_features)
    of_test = None if X is None or tested is None else compared_rows(X_test, tested, categorical_features, "test[4]")
    return _compare(sample, comparing, tested, truth, kind, features, of_test)


def _refuse_classes(scores: Any, name: str) -> None:
    """Raise ValueError for the columns of several classes without a reduction."""
    width = count_columns(scores) or 1
    if width > 2:
        raise ValueError(f"{name} must be one column unless a reduction is given, got {width} columns; {OF_SEVERAL}")


def _kind_of(reduction: str | None, X: Any, categorical_features: CategoricalFeatures) -> FamilyKind:
    """Return how families are read, or refuse features of rows of several classes."""
    if X is None:
        if not isinstance(categorical_features, str) or categorical_features != FROM_DTYPE:
            raise ValueError(f"categorical_features must be left out without X, got {brief(categorical_features)}")
        return KINDS.get(reduction, OF_SCORES)
    if reduction in KINDS:
        raise ValueError(f"X must be left out with reduction={reduction!r}: calibrators of features are of two classes")
    return kind_with_features(categorical_features)


def _split_test(test: Any, X: Any) -> tuple[Any, Any]:
    """Return a test set without its features, and these."""
    if X is None or test is None:
        return test, None
    if isinstance(test, tuple | list):
        if len(test) == 2 and isinstance(test[0], READ):
            return test[0], test[1]
        if len(test) == 5:
            return tuple(test[:4]), test[4]
    value = f"{len(test)} entries" if isinstance(test, tuple | list) else f"one {type(test).__name__}"
    raise ValueError(
        f"test must be (y, p, sample_weight, groups, X), or what read returned and X, where X is given; got {value}"
    )


def _compare(
    sample: Sample,
    options: Options,
    test: Sample | None,
    truth: Truth,
    reduction: str | None,
    features: ComparedRows | None = None,
    test_features: ComparedRows | None = None,
) -> Comparison:
    """Return the comparison on checked rows."""
    counts = count_labels(sample)
    check_two_classes(sample, "which cannot distinguish between maps")
    if options.interpretability:
        for each in (sample, test):
            if each is not None:
                refuse_pooled_scores(each, "interpretability=True")
    Repeats.of(sample).warn()
    evaluation = _set_up(sample, options, test, truth, features, test_features)
    steps: list[Callable[[], Any]] = [partial(evaluation.evaluate, one) for one in options.candidates.values()]
    steps.append(partial(_is_rejected, sample, features))
    *found, rejected = [step() for step in track(steps, "families")]
    results = dict(zip(options.candidates, found, strict=True))
    judged = None if test is None else evaluation.judged.present
    ranked = rank_results(results, evaluation.sample.present, judged, options.do_nothing)
    in_reverse = ranks_in_reverse(sample)
    chosen = choose_by(options.rule, ranked, options.do_nothing, sample.n, rejected, in_reverse=in_reverse)
    return Comparison(
        calibrators=tuple(ranked),
        chosen=chosen,
        scoring=options.scoring,
        rule=options.rule,
        decomposition=family_name(of_one_class(options.decomposing)),
        cv=min(options.cv, sample.n if sample.groups is None else len(sample.groups)),
        repeats=options.repeats,
        n=sample.n,
        base_rate=sample.base_rate,
        n_smaller_class=int(counts[counts > 0].min()),
        ranks_in_reverse=in_reverse,
        rejected=rejected,
        n_test=None if test is None else test.n,
        do_nothing=options.do_nothing,
        n_classes=counts.size,
        weighting=sample.weighting,
        rows_note=sample.rows_note,
        reduction=reduction,
        calibrated=results[chosen].calibrated,
        uncalibrated=results[options.do_nothing].calibrated,
        evaluator=next(iter(options.estimators.values()), None),
        groups=KnownGroups.of(sample),
        test_groups=None if test is None else KnownGroups.of(test),
        worst_if_calibrated=evaluation.worst_if_calibrated(results[chosen].calibrated),
    )


def _is_rejected(sample: Sample, features: ComparedRows | None) -> bool | None:
    """Return whether calibration is rejected, as `evaluate` says it; None of several classes, and of features.

    Scores that are calibrated on the whole may be wrong in segments.
    """
    if features is not None or not sample.has_one_score:
        return None
    return joint_test(sample, NULL_DRAWS).shown  # type: ignore[arg-type] # which has one score in each row


def _set_up(
    sample: Sample,
    options: Options,
    test: Sample | None,
    truth: Truth,
    features: ComparedRows | None,
    test_features: ComparedRows | None,
) -> HeldOutEvaluation:
    """Return the evaluation with its folds drawn and the true probabilities checked."""
    if features is not None:
        truth = (test_features or features).sorted(truth)
        sample = features.ordered
        test = None if test_features is None else test_features.ordered
    as_given = truth is not None or features is not None  # true probabilities and features are of the rows as given
    counted = sample if as_given else count_rows(sample)
    rows, folds = counted.in_order().in_repeated_folds(options.cv, options.repeats, options.random_state)
    if not folds[0]:
        raise ValueError(f"y_prob must have rows that differ, got {sample.n} rows of one kind")
    tested = None if test is None else test.in_order()
    given, judged, scores = (sample, rows, "y_prob") if tested is None else (tested, tested, "test[1]")
    true_values = None if truth is None else read_truth(truth, given, judged, scores)
    return HeldOutEvaluation(rows, tested, folds, true_values, options, features, test_features)


def _read_test(test: Any, data: Any, reduction: str | None, pos_label: Label | None) -> Sample:
    """Return a test set that is given as a tuple, as cells or as rows that were read."""
    if isinstance(test, READ):
        read_test = read(test, names=Names("test", "test[1]", "test[2]"))
    else:
        if not isinstance(test, tuple | list) or len(test) not in (2, 3, 4):
            value = f"{len(test)} entries" if isinstance(test, tuple | list) else f"one {type(test).__name__}"
            rule = "test must be a tuple (y, p), (y, p, sample_weight) or (y, p, sample_weight, groups)"
            raise ValueError(f"{rule}, got {value}")
        if reduction is None:
            _refuse_classes(test[1], "test[1]")
        read_test = read(
            test[0],
            test[1],
            sample_weight=test[2] if len(test) > 2 else None,
            groups=test[3] if len(test) > 3 else None,
            reduction=reduction,  # type: ignore[arg-type]
            labels=data.classes,
            pos_label=pos_label,
            names=TEST_NAMES,
        )
    if read_test.reduction != reduction:
        raise ValueError(f"test must be read as y_true is, got {read_test.reduction!r} beside {reduction!r}")
    rows = sample_of(read_test, TEST_NAMES)
    if rows.groups is not None and len(rows.groups) < LEAST_GROUPS:
        raise ValueError(
            f"test must have rows of at least {LEAST_GROUPS} groups, since standard errors are of sums over groups; "
            f"all {rows.n:,} rows belong to one"
        )
    if rows.classes != data.classes:
        raise ValueError(
            f"test must have the classes of y_true in their order, [{listed(data.classes)}], got "
            f"[{listed(rows.classes or [])}]; labels says them where test is read"
        )
    return rows
