"""The checked options of a comparison of calibrators."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from fitontest.evaluation.comparison.calibrators import RULES
from fitontest.evaluation.comparison.candidates import find_identity
from fitontest.evaluation.comparison.kinds import Families, FamilyKind
from fitontest.families.listed import read_families
from fitontest.numerics.random import one_seed, repeated_folds
from fitontest.results.checks import choose
from fitontest.results.typing import RandomState

EVALUATORS = ("spline",)


@dataclass(frozen=True, eq=False)
class Options:
    """The options of a comparison, which are checked; families given by name are made.

    Parameters
    ----------
    families, cv, repeats, scoring, rule, evaluators, decomposition, random_state, interpretability
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
    decomposition: Any
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
        mixture = self.scoring if choose(self.rule, RULES, "rule") == "stack" else None
        put(self, "candidates", kind.read_candidates(self.families, seed, mixture))
        put(self, "estimators", read_families(self.evaluators, "evaluators", seed))
        decomposition = kind.decomposition if self.decomposition is None else self.decomposition
        put(self, "decomposing", kind.read_one(decomposition, "decomposition", seed))

    @property
    def do_nothing(self) -> str:
        """The name of the identity among the candidates."""
        return find_identity(self.candidates)
