"""One against the rest: a family of two classes for each class."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from sklearn.base import clone

from fitontest.data.simplex_sample import SimplexSample
from fitontest.families.base import Family, Solution, read_family
from fitontest.families.listed import names_by_settings
from fitontest.families.multiclass.base import MulticlassFamily, read_multiclass_family
from fitontest.families.registry import family_name, register, registered_class
from fitontest.maps.multiclass.one_vs_rest import ByClassMap, OneVsRestMap
from fitontest.numerics.random import check_seed
from fitontest.results.typing import RandomState


@register("one_vs_rest")
@dataclass(eq=False, repr=False)
class OneVsRest(MulticlassFamily):
    """Calibrate each class against the rest by a two-class method, then rescale so that the probabilities add up to 1.

    The sums are not 1 before, and the division undoes part of what the fits of the classes have gained.

    Parameters
    ----------
    family : str or Family, default="beta"
        Any family of two classes, cloned for each class.
    random_state : int, RandomState or None, default=0
        For a family given by name that draws anything; an instance keeps its own.

    Attributes
    ----------
    map_ : OneVsRestMap
        The maps of the families, divided by their sum in each row.
    classes_ : array of shape (K,)
        The class of each column.
    families_ : list of K fitted families
        In the order of the columns.

    References
    ----------
    Zadrozny, Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates, KDD.
    https://doi.org/10.1145/775047.775151

    Examples
    --------
    >>> import fitontest as fot
    >>> P = [[0.8, 0.1, 0.1], [0.6, 0.3, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]] * 20
    >>> y = [0, 1, 1, 2] * 10 + [2, 1, 0, 0] * 10
    >>> fot.families.make("one_vs_rest", family="platt").fit(P, y).predict_proba([[0.8, 0.1, 0.1]]).round(2)
    array([[0.44, 0.3 , 0.26]])
    """

    calibrator = True
    map_class: ClassVar[type[OneVsRestMap]] = OneVsRestMap

    family: str | Family = "beta"
    random_state: RandomState = 0

    def _count_parameters(self) -> float:
        """Return those of all the maps of two classes."""
        return float(np.sum([family.n_parameters_ for family in self.families_]))

    def solve(self, rows: SimplexSample) -> Solution:
        """Return the calibration map and the fitted calibrators of the classes."""
        check_seed(self.random_state)
        family = read_family(self.family, self.random_state)
        families = [clone(family).fit_sample(rows.against_rest(k)) for k in range(rows.n_classes)]
        return Solution(self.map_class(tuple(one.map_ for one in families)), None, {"families_": families})


class ByClass(OneVsRest):
    """Fit a family of two classes to each class against the rest, and leave the values as they are.

    Parameters
    ----------
    family, random_state
        See `OneVsRest`.

    Attributes
    ----------
    map_ : ByClassMap
    classes_, families_
        See `OneVsRest`.
    """

    calibrator = False
    by_class = True
    map_class = ByClassMap


def read_for_classes(family: object, random_state: RandomState | Literal["own"] = "own") -> MulticlassFamily:
    """Return an unfitted family of several classes; one of two classes is fitted to each class against the rest.

    A family given by name that draws anything gets the seed; an instance keeps its own.
    """
    if _is_of_two(family):
        return OneVsRest(read_family(family, random_state if isinstance(family, str) else "own"))
    return read_multiclass_family(family, random_state if isinstance(family, str) else "own")


def read_class_families(
    families: Iterable[object], argument: str, random_state: RandomState
) -> dict[str, MulticlassFamily]:
    """Return unfitted families of several classes by name, as `read_families` returns those of two."""
    if isinstance(families, str) or not isinstance(families, Iterable):
        raise ValueError(f"{argument} must be a list of names of families or of families, got {families!r}")
    made = [read_for_classes(family, random_state) for family in families]
    settings = [str(family) for family in made]
    twice = [text for text in settings if settings.count(text) > 1]
    if twice:
        raise ValueError(f"{argument} must differ from one another, got {twice[0]} twice")
    names = names_by_settings([class_family_name(family) for family in made], settings) if made else []
    return dict(zip(names, made, strict=True))


def class_family_name(family: Any) -> str:
    """Return the name of a family where several classes are read, with that of two classes behind one-vs-rest.

    Examples
    --------
    >>> class_family_name("vector"), class_family_name("platt"), class_family_name(OneVsRest("platt"))
    ('vector', 'one_vs_rest(platt)', 'one_vs_rest(platt)')
    """
    if _is_of_two(family):
        return f"one_vs_rest({family_name(family)})"
    return f"one_vs_rest({family_name(family.family)})" if isinstance(family, OneVsRest) else family_name(family)


def _is_of_two(family: object) -> bool:
    """Return whether a family takes a column of scores only."""
    if isinstance(family, str):
        return not registered_class(family).takes_classes
    return isinstance(family, Family) and not family.takes_classes
