"""The registry of all calibrators: of a column of scores, of a column for each class, and of features."""

import math
from abc import ABC
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, TypeVar

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from fitontest.maps.stored import is_map
from fitontest.results.companions import modules_of
from fitontest.results.registry import Registry, Shelf
from fitontest.results.typing import RandomState


class FamilyBase(BaseEstimator, ABC):  # type: ignore[misc]
    """What all calibrators share: a place in the registry, and results that a refit replaces.

    Attributes
    ----------
    takes_column, takes_classes, takes_features : bool
        Of the class: whether it is fitted to one column of scores, of two classes; to a column for each of K classes;
        to the features of the rows, as trees are.
    calibrator : bool
        Of the class: whether it is meant for deployment behind a classifier. False unless a class sets it.
    does_nothing, mixes, by_class : bool
        Of the class: whether it leaves the scores as they are; mixes the maps of other families; fits its family of two
        classes to each class against the rest.
    """

    takes_column: ClassVar[bool] = False
    takes_classes: ClassVar[bool] = False
    takes_features: ClassVar[bool] = False
    calibrator: ClassVar[bool] = False
    does_nothing: ClassVar[bool] = False
    mixes: ClassVar[bool] = False
    by_class: ClassVar[bool] = False

    def _check_made(self, c_hat: object, kind: type) -> None:
        """Raise TypeError unless what a subclass's ``fit_map`` returned is a map of that kind."""
        if not isinstance(c_hat, kind):
            raise TypeError(f"{type(self).__name__}.fit_map must return a {kind.__name__}, got {c_hat!r}")

    def as_calibrator(self) -> Self:
        """Return the calibrator with the settings by which it keeps the order of scores."""
        return self

    @property
    def n_parameters_(self) -> float:
        """How many free numbers the fitted map has."""
        check_is_fitted(self, "map_")
        return self._count_parameters()

    def _count_parameters(self) -> float:
        """Return the number of bins, a level each; without bins it is not known unless a family says it."""
        return getattr(self, "n_bins_", math.inf)

    def replace_results(self, results: Mapping[str, Any]) -> Self:
        """Set the results of a fit, and forget those of an earlier one, which other parameters may have made.

        Parameters
        ----------
        results : mapping of str to object
            The fitted attributes by name, each ending in an underscore.

        Returns
        -------
        self
            The estimator.
        """
        old = [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]
        for name in set(old) - set(self.get_params(deep=False)) if old else ():
            delattr(self, name)
        for name, value in results.items():
            setattr(self, name, value)
        return self


_TWO_CLASS_MODULES = {  # names, and the files in which they are registered
    "beta": "fitontest.families.beta",
    "cumulative_spline": "fitontest.families.cumulative_spline",
    "flat": "fitontest.families.binned",
    "identity": "fitontest.families.identity",
    "isotonic": "fitontest.families.isotonic",
    "kde": "fitontest.families.kde",
    "knn": "fitontest.families.knn",
    "pava_bc": "fitontest.families.pava_bc",
    "pl": "fitontest.families.piecewise.pl",
    "pl3": "fitontest.families.piecewise.pl",
    "pl_de": "fitontest.families.piecewise.pl_de",
    "platt": "fitontest.families.platt",
    "rcs": "fitontest.families.restricted_cubic",
    "scaling_binning": "fitontest.families.scaling_binning",
    "slope1": "fitontest.families.binned",
    "spline": "fitontest.families.spline",
    "stacking": "fitontest.families.stacking",
    "temperature": "fitontest.families.temperature",
    "venn_abers": "fitontest.families.venn_abers",
}
_MULTICLASS_MODULES = {  # of several classes; some of them take a column as well
    "bias_corrected": "fitontest.families.multiclass.structured",
    "diagonal_order": "fitontest.families.multiclass.diagonal_order",
    "dir_l2": "fitontest.families.multiclass.dirichlet",
    "dir_odir": "fitontest.families.multiclass.dirichlet",
    "dirichlet": "fitontest.families.multiclass.dirichlet",
    "identity": "fitontest.families.identity",
    "matrix": "fitontest.families.multiclass.structured",
    "msodir": "fitontest.families.multiclass.dirichlet",
    "one_vs_rest": "fitontest.families.multiclass.one_vs_rest",
    "order_invariant": "fitontest.families.multiclass.order_preserving",
    "order_preserving": "fitontest.families.multiclass.order_preserving",
    "shared_isotonic": "fitontest.families.multiclass.shared_isotonic",
    "stacking": "fitontest.families.stacking",
    "temperature": "fitontest.families.temperature",
    "vector": "fitontest.families.multiclass.structured",
}
registry: Registry[type[FamilyBase], Any] = Registry(
    "family",
    FamilyBase,
    Shelf({**_TWO_CLASS_MODULES, **modules_of("families")}, "fitontest.families", "two", lambda cls: cls.takes_column),
    Shelf(_MULTICLASS_MODULES, "fitontest.multiclass_families", "any", lambda cls: cls.takes_classes),
    Shelf(modules_of("feature families"), classes="features", holds=lambda cls: cls.takes_features),
)
register = registry.register
unregister = registry.unregister
names = registry.names
make = registry.make
S = TypeVar("S", bound=FamilyBase)


def seeded(family: S, random_state: RandomState | Literal["own"]) -> S:
    """Return the family with that seed, if it draws anything."""
    if not isinstance(random_state, str) and "random_state" in family.get_params(deep=False):
        family.set_params(random_state=random_state)
    return family


def registered_class(name: str) -> type[FamilyBase]:
    """Return the class of the family called `name`, of two classes or of several."""
    return registry.find(name, "family")


def family_name(family: Any) -> str:
    """Return what a family or a map is called.

    That is the name by which a family was given, under which its class is registered, or the name of the class; of a
    map its kind.
    """
    if isinstance(family, str):
        return family
    return str(family.kind) if is_map(family) else registry.name_of(type(family)) or type(family).__name__
