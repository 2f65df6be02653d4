"""A classifier whose probabilities are calibrated by any family, as a scikit-learn meta-estimator.

The scores that a family is fitted to come from rows which the estimator was not fitted to: the folds of a
cross-validation, or rows kept for the purpose where the estimator is fitted already.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from fitontest.data.splits import check_splitting, for_splitter, splits_of
from fitontest.evaluation.classifier.absent import warn_absent
from fitontest.evaluation.classifier.data import Rows, read_rows, with_classes_of, with_similarities
from fitontest.evaluation.classifier.fold import Fold, Task, joined, run_fold
from fitontest.evaluation.classifier.pair import AnyFamily, fit_pair, read_any_family
from fitontest.evaluation.classifier.scores import find_method, positions, respond
from fitontest.results.checks import check_flag, is_whole
from fitontest.results.exceptions import CalibrationWarning, warn_user
from fitontest.results.typing import ArrayInput, FloatArray, RandomState

SEARCHES = (GridSearchCV, RandomizedSearchCV)  # whose fit takes groups without naming them


@dataclass(eq=False, repr=False)
class CalibratedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Fit a classifier and calibrate its probabilities by cross-fitting, on rows that it was not trained on.

    A family of calibration maps is fitted for each class.

    With m folds, scores s_jk of class k from the classifier of fold j, and the maps c_jk fitted to them, the
    probability of class k is the mean of c_jk(s_jk) / sum_l c_jl(s_jl) over the folds; of two classes the second has
    c_j(s_j) and the first 1 - c_j(s_j). A family of several classes, such as ``"matrix"`` or ``"temperature"``, is
    fitted to the scores of all classes at once where there are more than two (and of two if it takes no single
    column), and the probabilities are the means of its maps. A tree (`TreeCalibrator`, `ProbabilityCalibrationTree`) is
    fitted to the features and the scores of all classes at once; X must then be numbers. Text is encoded before:
    ``make_pipeline(encoder, CalibratedClassifier(...))``. Other calibrators that see features, such as
    `Multicalibrated`, are for two classes, and take data frames with categories as they are.

    Parameters
    ----------
    estimator : estimator
        A classifier with ``predict_proba`` or ``decision_function``; cloned. One that is fitted already comes as
        ``FrozenEstimator(classifier)``: then nothing is split or refitted, and all the rows given to ``fit`` go to the
        family, so they must be rows that the classifier has not seen.
    family : "auto", str, Family, MulticlassFamily or calibrator that sees features, default="auto"
        "auto" is what the default rule of `compare_calibrators` chooses for the held-out scores of each class: a map
        that keeps their ranking, or the identity where calibration is not rejected. A choice takes a second or so; a
        named family, such as "platt", is fitted in a moment. A family is given by name or as an estimator, which is
        cloned. A tree, ``"tree"`` or ``"probability_calibration_tree"``, and ``"multicalibrated"``,
        ``"segment_offsets"``, ``"tree_of_maps"``, ``"boosted"`` and ``"certified_offsets"``, see the features of the
        calibration rows too.
    cv : int, splitter, iterable of splits or None, default=5
        A number means stratified folds in the order of the rows; None is 5. With `groups` the folds hold out whole
        groups: of a number they are those of ``StratifiedGroupKFold``, of groups in the order in which they occur, and
        a splitter gets them, and of listed splits a warning says where a group is on both sides. Not used for a frozen
        estimator. Five is the default of scikit-learn's ``CalibratedClassifierCV``, since the classifier is trained
        anew for each fold; comparisons and reports only fit maps, which is quick, and take ten.
    ensemble : bool, default=True
        True keeps a classifier and its maps for each fold, and averages them. False fits one set of maps to the
        held-out scores of all folds together (a row held out twice counts twice) and the classifier to all rows.
    response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
        What is calibrated; "auto" takes ``predict_proba`` where there is one. Decision values become scores by the
        sigmoid, so that on the logit scale, where Platt and beta work, they are themselves; for a family of several
        classes by the softmax of all. One decision value for two classes is the margin of the second, whose score is
        its sigmoid with families of both kinds.
    n_jobs : int or None, default=None
        Classifiers that are fitted at the same time, as in joblib.
    random_state : int, RandomState or None, default=0
        For a family given by name that draws random numbers; an instance keeps its own. The estimator keeps its own.

    Attributes
    ----------
    classes_ : array of shape (K,)
        The distinct labels, sorted.
    calibrated_classifiers_ : list of CalibratedPair
        Each with its fitted ``estimator`` and with ``families_``, from a class to its fitted `Family`; of two classes
        only the second has one. A family of several classes, or a tree, is ``family_`` instead.
    n_features_in_, feature_names_in_
        Those of the fitted estimator, where it has them.

    Raises
    ------
    ValueError
        Naming the argument, the rule and what was found. The estimator raises errors of its own.

    Warns
    -----
    CalibrationWarning
        A fold lacks a class in its training rows (its estimator gives the class probability 0) or in its held-out
        rows (the family sees only negative labels). The estimator takes no weights, so that only the maps have them.

    Notes
    -----
    Where scikit-learn's ``CalibratedClassifierCV`` differs: it takes decision values first, probabilities second
    (``response_method="decision_function"`` does the same here). Its "sigmoid" smooths the labels, and takes
    probabilities as they are: it is ``Platt(smoothing=True)`` on decision values and ``Platt("identity",
    smoothing=True)`` on probabilities, while ``"platt"`` works on their logits. Its "isotonic" on probabilities is
    ``"isotonic"``; on decision values the maps agree at the data, but between them one is linear in the decision value
    and the other in its sigmoid. It refuses classes with fewer rows than folds, and held-out rows that are no
    partition.

    A row to which the maps of all classes give 0 gets the same probability of every class that the estimator knows.

    The sigmoid brings large decision values ever closer, and from 37 on makes them equal. Where the calibration rows
    have ones larger than 15, those of the class are divided by a constant that makes the largest 15; where all are
    below 1e-6, by one that makes the largest 1. This changes no map with a free slope in the logit, nor isotonic
    regression at values that are at least 1e-9 of the largest apart; it changes the identity.

    Isotonic regression agrees to rounding for float64 scores that are more than 1e-15 apart: scikit-learn's takes
    closer ones for ties (and float32 ones within 1e-6), ours never does. Naive Bayes has many scores next to 0.

    Probabilities that leave [0, 1] by at most 1e-6, as float32 arithmetic may, are clipped. Rows of weight 0 take part
    in the folds, and their labels are classes, as in scikit-learn; fits do not see them.

    To search over parameters of the family, as in ``{"family__n_bins": [5, 10]}``, pass it as an estimator, not by
    name.

    References
    ----------
    Platt (1999), Probabilistic outputs for support vector machines and comparisons to regularized likelihood
    methods, Advances in Large Margin Classifiers (no doi).
    Zadrozny, Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates, KDD
    (one class against the rest, then normalised). https://doi.org/10.1145/775047.775151

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> import fitontest as fot
    >>> X, y = make_classification(300, random_state=0)
    >>> calibrated = fot.CalibratedClassifier(GaussianNB(), family="beta", cv=3).fit(X, y)
    >>> calibrated.predict_proba(X[:2]).shape, len(calibrated.calibrated_classifiers_)
    ((2, 2), 3)
    >>> calibrated.calibrated_classifiers_[0].families_
    {1: Beta()}
    >>> X, y = make_classification(300, n_informative=4, n_classes=3, random_state=0)
    >>> calibrated = fot.CalibratedClassifier(GaussianNB(), family="matrix", cv=3).fit(X, y)
    >>> calibrated.calibrated_classifiers_[0].family_
    Matrix()
    """

    estimator: Any
    family: str | AnyFamily = "auto"
    cv: Any = 5
    _: KW_ONLY
    ensemble: bool = True
    response_method: Literal["auto", "predict_proba", "decision_function"] = "auto"
    n_jobs: int | None = None
    random_state: RandomState = 0

    def fit(
        self, X: Any, y: ArrayInput, sample_weight: ArrayInput = None, groups: ArrayInput = None, **fit_params: Any
    ) -> Self:
        """Fit the classifier and the calibration maps behind it.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list
            Whatever the estimator takes, with n rows.
        y : array-like of shape (n,)
            Labels of two classes or more, of any one type.
        sample_weight : array-like of shape (n,), optional
            Non-negative weights: for the families always, for the estimator where its ``fit`` takes them (with
            metadata routing, where it requests them).
        groups : array-like of shape (n,), optional
            Which rows belong together, such as those of one patient, user or site: ids of any hashable type. No
            classifier is then calibrated on rows of a group that it was fitted to, and families that choose something
            by cross-validation hold out whole groups, where they are fitted to several. They are handed to ``fit`` of
            the estimator where that names them, and to searches of scikit-learn (with metadata routing, where these
            request them).
        **fit_params
            For ``fit`` of the estimator, with those that hold n values taken apart by fold; with metadata routing
            enabled, for whatever requests them. A frozen estimator has no use for them, and refuses them.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Settings, data or folds that cannot be used: the message names the argument, the rule and what was found.
        """
        method = find_method(self.estimator, self.response_method)
        family = read_any_family(self.family, self.random_state)
        self._check()
        frozen = isinstance(self.estimator, FrozenEstimator)
        if frozen and fit_params and not get_config()["enable_metadata_routing"]:
            raise ValueError(f"fit_params must be left out with a frozen estimator, got {sorted(fit_params)}")
        pairwise = get_tags(self.estimator).input_tags.pairwise and not frozen
        rows = read_rows(X, y, sample_weight, groups)
        if frozen:
            rows = with_classes_of(self.estimator, rows)
        if pairwise:
            rows = with_similarities(rows)
        fitting, splitting = self._route(rows, fit_params)
        task = Task(rows.X, rows.y, fitting, rows.classes, method, pairwise)
        folds: list[Fold] = []
        if frozen:
            remedy = "Give rows of every class."
            parts = [_respond_to_all(clone(self.estimator), rows, method)]  # of a frozen one the clone is itself
        else:
            splits = splits_of(self.cv, rows.X, rows.y, rows.w, splitting, rows.groups)
            jobs = (delayed(run_fold)(clone(self.estimator), task, split) for split in splits)
            folds = Parallel(n_jobs=self.n_jobs)(jobs)
            parts, remedy = folds, "Use ensemble=False or fewer folds, stratified by class."
            if not self.ensemble:  # the estimator fitted to all rows, the families to the held-out scores of all folds
                estimator = clone(self.estimator).fit(rows.X, rows.y, **task.parameters)
                parts, remedy = [joined(folds, estimator)], "Use fewer folds, stratified by class."
        held_out = [rows.calibration(part.held, part.raw) for part in parts]
        pairs = [
            fit_pair(family, part.estimator, calibration, rows.classes, method, part.columns)
            for part, calibration in zip(parts, held_out, strict=True)
        ]
        trained = [positions(fold.estimator, rows.classes) for fold in folds]
        occurring = [calibration.occurring(rows.classes.size) for calibration in held_out]
        warn_absent(rows.classes, trained, occurring, remedy)
        self.classes_ = rows.classes
        self.calibrated_classifiers_ = pairs
        self._describe_inputs(rows.X, pairwise)
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the calibrated probabilities of the classes, shape (n, K), in the order of `classes_`.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows, as the estimator takes them.
        """
        check_is_fitted(self, "calibrated_classifiers_")
        total = sum(pair.predict_proba(X) for pair in self.calibrated_classifiers_)
        return np.asarray(total / len(self.calibrated_classifiers_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of the highest calibrated probability, which need not be what the estimator predicts.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Rows, as the estimator takes them.
        """
        check_is_fitted(self, "calibrated_classifiers_")
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])

    def get_metadata_routing(self) -> MetadataRouter:
        """Return how scikit-learn routes metadata: to ``fit`` of the estimator and to ``split`` of the splitter."""
        return (
            MetadataRouter(owner=type(self).__name__)
            .add_self_request(self)
            .add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
            .add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is None:
            return tags
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags  # the inputs go to the estimator as they are
        if inner.classifier_tags is not None:
            tags.classifier_tags.multi_class = inner.classifier_tags.multi_class
        return tags

    def _check(self) -> None:
        check_splitting(self.cv)
        check_flag(self.ensemble, "ensemble")
        if self.n_jobs is not None and (not is_whole(self.n_jobs) or self.n_jobs == 0):
            raise ValueError(f"n_jobs must be None or a whole number other than 0, got {self.n_jobs!r}")

    def _route(self, rows: Rows, fit_params: dict[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return the parameters for the fit of the estimator and for the splitter."""
        w, groups = rows.w, rows.groups
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=w, groups=groups, **fit_params)
            return routed["estimator"]["fit"], routed["splitter"]["split"]
        splitting = for_splitter(groups, self.cv)
        if isinstance(self.estimator, FrozenEstimator):
            return fit_params, splitting
        taken = {"sample_weight": w, "groups": groups}
        taken = {name: values for name, values in taken.items() if values is not None}
        fitting = {name: values for name, values in taken.items() if has_fit_parameter(self.estimator, name)}
        if groups is not None and isinstance(self.estimator, SEARCHES):  # whose folds they are for
            fitting["groups"] = groups
        if w is not None and "sample_weight" not in fitting:
            warn_user(
                f"{type(self.estimator).__name__}.fit takes no sample_weight, so only the calibration is weighted",
                CalibrationWarning,
            )
        return {**fit_params, **fitting}, splitting

    def _describe_inputs(self, X: Any, pairwise: bool) -> None:
        first = self.calibrated_classifiers_[0].estimator
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(first, name):
                setattr(self, name, getattr(first, name))
            elif name in vars(self):
                delattr(self, name)  # of an earlier fit
        if pairwise:
            self.n_features_in_ = X.shape[1]  # the estimators of the folds know only their own rows


def _respond_to_all(estimator: Any, rows: Rows, method: str) -> Fold:
    """Return the responses of a fitted estimator on all rows."""
    return Fold(estimator, np.arange(rows.codes.size), respond(estimator, rows.X, method, rows.classes), None)
