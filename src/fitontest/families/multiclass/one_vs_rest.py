"""One against the rest: a family of two classes for each class."""

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from fitontest.data.class_rows import ClassRows
from fitontest.families.base import Family, read_family, register_family
from fitontest.families.multiclass.base import ClassSolution, MulticlassFamily
from fitontest.maps.multiclass.base import MulticlassMap
from fitontest.maps.multiclass.one_vs_rest import OneVsRestMap


@register_family("one_vs_rest")
class OneVsRest(MulticlassFamily):
    """Fit a family of two classes to each class against the rest, and divide the rows by their sums.

    The sums are not 1 before, and the division undoes part of what the fits of the classes have gained.

    Parameters
    ----------
    family : str or Family, default="beta"
        Any family of two classes, cloned for each class.

    Attributes
    ----------
    map_ : OneVsRestMap
    classes_ : array of shape (K,)
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
    >>> fot.make_family("one_vs_rest", family="platt").fit(P, y).predict_proba([[0.8, 0.1, 0.1]]).round(2)
    array([[0.44, 0.3 , 0.26]])
    """

    calibrator = True

    def __init__(self, family: str | Family = "beta") -> None:
        self.family = family

    @property
    def n_parameters_(self) -> float:
        """Those of all the maps of two classes."""
        check_is_fitted(self, "map_")
        return float(np.sum([family.n_parameters_ for family in self.families_]))

    def fit_class_map(self, rows: ClassRows) -> MulticlassMap:
        """Return the map of the families fitted to each class against the rest."""
        return self.solve_classes(rows).map

    def solve_classes(self, rows: ClassRows) -> ClassSolution:
        """Return that map and the fitted families."""
        family = read_family(self.family)
        families = [clone(family).fit_sample(rows.against_rest(k)) for k in range(rows.n_classes)]
        return ClassSolution(OneVsRestMap(tuple(one.map_ for one in families)), {"families_": families})
