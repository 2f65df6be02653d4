"""The checked options of a comparison of calibrators."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict

from fitontest.evaluation.comparison.calibrators import AUTO, RULES
from fitontest.evaluation.comparison.candidates import find_identity
from fitontest.evaluation.comparison.kinds import Families, FamilyKind
from fitontest.families.base import Family
from fitontest.families.listed import read_families
from fitontest.numerics.random import one_seed, repeated_folds
from fitontest.results.checks import choose
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import RandomState
from fitontest.uncertainty.options import Options as MeasuringOptions

EVALUATORS = ("spline",)


class Judging(TypedDict, total=False):
    """How candidates are held out and judged.

    Parameters
    ----------
    cv : int, default=10
        Number of folds, at most n. The map that is used is fitted to all rows, so that a fair judgement needs nearly
        all of them in each fit; `CalibratedClassifier` has 5, as scikit-learn's, since each fold fits the classifier
        too. Folds are drawn over sorted rows, so they do not depend on the row order. Unlike scikit-learn's they are
        not stratified, since a share of positives that is the same in every fold would hide the error of fitting it.
    repeats : int, default=1
        Cross-validations with other folds; the losses of a row are averaged.
    scoring : {"log_loss", "brier"}, default="log_loss"
        The proper loss. Log loss clips predictions to [1e-6, 1 - 1e-6].
    rule : {"auto", "stack", "one_se", "best"}, default="auto"
        "auto": of fewer than 500 rows "one_se"; of more "stack", but what "one_se" takes of the others where the
        mixture has no smaller loss. But for "best" all take the identity where calibration of
        the scores is not rejected (the test of `evaluate`, at 5 %), where the scores rank in reverse, and where the
        gain of fewer than 500 rows is no larger than two standard errors.
        "one_se": one family, of those whose fitted map never decreases and has more than one value. The identity, if
        its loss is within one paired standard error of the smallest among them. Else, with m the fewest parameters
        (`Family.n_parameters_`) of those within one standard error, that of the smallest loss among those with at most
        m + 1 parameters.
        "stack": the mixture of all candidates (`Stacking`), or the identity where the mixture has no smaller loss. The
        mixture is added to the candidates unless they hold one, which keeps its own settings; of several that of the
        smallest loss is meant; with "classwise" it is one for each class. On each fold it is judged with weights that
        were chosen by the predictions for the other folds, of which the members were fitted to this fold too; fitted to
        all rows it draws ten folds of its own.
        "best": the smallest loss, but the identity unless that beats it by more than one paired standard error.
        docs/calibrators.md compares the rules.
    evaluators : iterable of str or Family, default=("spline",)
        Families by which the calibration error that is left is measured. Empty for none. Without a test set it is that
        of the one map of all rows, with an interval: labels are drawn anew, and both the map and the evaluator fitted
        to them. With ``reduction="canonical"``, and of candidates that see features, it is the raw error of held-out
        predictions, without an interval. "canonical" has that of the largest score of each row, and the mean over the
        classes, which it is with "classwise" too.
    interpretability : bool, default=False
        Whether it is measured how readable and how valid the calibrated scores are: how many values each map has in
        effect (`ProbabilisticCount`), and the probability deviation error and the area under the validity curve of the
        held-out predictions; with "classwise" their means over the classes. `Comparison.frontier` and
        `Comparison.plot_frontier` weigh the loss against the count. Not of all classes at once: values, bins and the
        validity curve are of scores on a line.
    """

    cv: Annotated[int, 10]
    repeats: Annotated[int, 1]
    scoring: Annotated[Literal["log_loss", "brier"], "log_loss"]
    rule: Annotated[Literal["auto", "stack", "one_se", "best"], "auto"]
    evaluators: Annotated[Iterable[str | Family], EVALUATORS]
    interpretability: Annotated[bool, False]


@take_descriptions(MeasuringOptions)
@take_descriptions(Judging)
class ComparisonOptions(Judging, MeasuringOptions, total=False):
    """How candidates are judged, how labels and scores are read, and how folds are drawn."""


@dataclass(frozen=True, eq=False)
class Options:
    """The options of a comparison, which are checked; families given by name are made.

    Parameters
    ----------
    families, cv, repeats, scoring, rule, evaluators, random_state, interpretability
        See `compare_calibrators`.
    kind : FamilyKind
        How families are read.
    """

    families: Iterable[Any] | None
    cv: int
    repeats: int
    scoring: str
    rule: str
    evaluators: Iterable[Any]
    random_state: RandomState
    interpretability: bool
    kind: FamilyKind
    candidates: Families = field(init=False)
    estimators: Families = field(init=False)
    decomposing: Any = field(init=False)

    def __post_init__(self) -> None:
        put, kind = object.__setattr__, self.kind  # the dataclass is frozen: what its options mean is settled once
        repeated_folds(2, self.cv, self.repeats, 0)  # raises where cv or repeats are not valid
        seed = one_seed(self.random_state)
        choose(self.scoring, ("log_loss", "brier"), "scoring")
        mixture = self.scoring if choose(self.rule, RULES, "rule") in (AUTO, "stack") else None
        put(self, "candidates", kind.read_candidates(self.families, seed, mixture))
        put(self, "estimators", read_families(self.evaluators, "evaluators", seed))
        put(self, "decomposing", kind.read_one(kind.decomposition, "decomposition", seed))

    @property
    def do_nothing(self) -> str:
        """The name of the identity among the candidates."""
        return find_identity(self.candidates)
