"""The family that a user passed, read and fitted for the kind of data that a sample holds."""

from typing import Any

from fitontest.families.base import read_family
from fitontest.families.multiclass.one_vs_rest import read_for_classes
from fitontest.maps.stored import is_map


def fit_to(sample: Any, family: Any) -> Any:
    """Return a family fitted to a sample; of whole distributions one of two classes is fitted to each class.

    Parameters
    ----------
    sample : ScoreSample or SimplexSample
    family : str, Family or MulticlassFamily
        A family is cloned.
    """
    return sample.either(read_family, read_for_classes)(family).fit_sample(sample.of_weight)


def fit_map_to(sample: Any, family: Any) -> Any:
    """Return the map of a family that fits a sample best, as `fit_to` reads the family; a map as it is."""
    if is_map(family):
        return family
    return sample.either(read_family, read_for_classes)(family).fit_map(sample.of_weight)


def fit_estimator(family: Any, sample: Any) -> None:
    """Fit a family, as it was read for the rows of a sample, to all of them."""
    family.fit_sample(sample.merged)
