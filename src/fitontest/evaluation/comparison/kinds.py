"""How families are read for one kind of rows: scores, distributions, or class by class."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from fitontest.evaluation.comparison.candidates import (
    DO_NOTHING,
    list_calibrators,
    list_class_calibrators,
)
from fitontest.families.identity import Identity
from fitontest.families.listed import read_families
from fitontest.families.multiclass.one_vs_rest import ByClass, read_class_families
from fitontest.families.stacking import Stacking
from fitontest.results.typing import RandomState

Families = dict[str, Any]


@dataclass(frozen=True)
class FamilyKind:
    """Families by name, as they are fitted to rows of one kind.

    Attributes
    ----------
    read : callable
        From families as a user lists them, what the argument is called and a seed to unfitted families by name.
    calibrators : callable
        Without arguments: the names of the candidates where none are listed.
    members : callable
        From a mixture to its unfitted members by name.
    decomposition : str
        The family by default under which a loss is decomposed.
    adapt : callable
        From a family as it was read to the one that is fitted.
    """

    read: Callable[[Iterable[Any], str, RandomState], Families]
    calibrators: Callable[[], list[str]]
    members: Callable[[Stacking], Families]
    decomposition: str
    adapt: Callable[[Any], Any] = lambda family: family

    def read_candidates(self, families: Iterable[Any] | None, seed: RandomState, mixture: str | None) -> Families:
        """Return unfitted candidates by name, the identity first unless it is listed.

        Parameters
        ----------
        families : iterable or None
            As a user lists them.
        seed : int or RandomState
            Of families given by name.
        mixture : str or None
            The loss of the mixture of all of them that is added, unless one is listed; None for no mixture.

        Raises
        ------
        ValueError
            Families that are refused, also as members of a mixture.
        """
        candidates = self.read(self.calibrators() if families is None else families, "families", seed)
        if families is None:
            candidates = {name: family.as_calibrator() for name, family in candidates.items()}
        if not any(family.does_nothing for family in candidates.values()):
            candidates = {DO_NOTHING: Identity(), **candidates}
        of_scores = [family for family in candidates.values() if not family.takes_features]
        mixtures = [family for family in of_scores if family.mixes]
        for listed in mixtures:
            self.members(listed)  # raises where its settings are not valid, before anything is fitted
        if mixture is not None and not mixtures:
            candidates["stacking"] = Stacking(of_scores, loss=mixture, random_state=seed)  # type: ignore[arg-type]
        return {name: self.adapt(family) for name, family in candidates.items()}

    def read_one(self, family: Any, argument: str, seed: RandomState) -> Any:
        """Return one unfitted family."""
        return self.adapt(next(iter(self.read([family], argument, seed).values())))

    def adapted_members(self, mixture: Stacking) -> list[Any]:
        """Return the unfitted members of a mixture, as they are fitted."""
        return [self.adapt(member) for member in self.members(mixture).values()]


OF_SCORES = FamilyKind(read_families, list_calibrators, Stacking.make_members, "isotonic")
BY_CLASS = FamilyKind(read_families, list_calibrators, Stacking.make_members, "isotonic", ByClass)
OF_DISTRIBUTIONS = FamilyKind(
    read_class_families,
    list_class_calibrators,
    Stacking.make_class_members,
    "vector",  # penalised, so that it gains little from rows that it is fitted to
)
KINDS: dict[str | None, FamilyKind] = {"canonical": OF_DISTRIBUTIONS, "classwise": BY_CLASS}  # by reduction
