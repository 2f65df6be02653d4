"""The checked options of a comparison of calibrators."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fitontest.checks import choose
from fitontest.comparison.calibrators import RULES
from fitontest.comparison.candidates import find_identity
from fitontest.comparison.kinds import OF_SCORES, Families, FamilyKind
from fitontest.families.base import Family
from fitontest.families.listed import read_families
from fitontest.numerics.random import one_seed, repeated_folds
from fitontest.typing import RandomState

EVALUATORS = ("slope1", "isotonic")


@dataclass(frozen=True, eq=False)
class Options:
    """The checked options of a comparison; families given by name are made."""

    candidates: Families
    cv: int
    repeats: int
    scoring: str
    rule: str
    evaluators: dict[str, Family]
    decomposition: Any
    random_state: RandomState
    interpretability: bool = False
    kind: FamilyKind = OF_SCORES

    @classmethod
    def of(
        cls,
        families: Iterable[Any] | None = None,
        cv: int = 5,
        repeats: int = 1,
        scoring: str = "log_loss",
        rule: str = "one_se",
        evaluators: Iterable[str | Family] = EVALUATORS,
        decomposition: Any = None,
        random_state: RandomState = 0,
        *,
        interpretability: bool = False,
        kind: FamilyKind = OF_SCORES,
    ) -> "Options":
        """Check the options and make the families."""
        repeated_folds(2, cv, repeats, 0)  # raises where cv or repeats are not valid
        seed = one_seed(random_state)
        choose(scoring, ("log_loss", "brier"), "scoring")
        mixture = scoring if choose(rule, RULES, "rule") == "stack" else None
        return cls(
            kind.read_candidates(families, seed, mixture),
            cv,
            repeats,
            scoring,
            rule,
            read_families(evaluators, "evaluators", seed),
            kind.read_one(kind.decomposition if decomposition is None else decomposition, "decomposition", seed),
            random_state,
            interpretability,
            kind,
        )

    @property
    def do_nothing(self) -> str:
        """The name of the identity among the candidates."""
        return find_identity(self.candidates)
