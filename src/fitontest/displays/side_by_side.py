"""The reliability diagrams of several families on one sample, side by side."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from fitontest.data.sample import Sample
from fitontest.displays.panels import panels
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.scales import ScaleName
from fitontest.displays.small_multiples import SmallMultiples
from fitontest.measures.plug_in_error import PlugInError


def side_by_side(errors: Iterable[PlugInError], sample: Sample, scale: ScaleName, **options: Any) -> SmallMultiples:
    """Return the diagrams of errors that were measured on the same sample, all with the same axes."""
    titled = ((title, error, sample) for title, error in _titled(errors))
    return panels(ReliabilityDisplay, titled, scale, **options)


def _titled(errors: Iterable[PlugInError]) -> Iterator[tuple[str, PlugInError]]:
    """Yield each error with its title: a further one of the same family is numbered."""
    seen: Counter[str] = Counter()
    for error in errors:
        seen[error.family] += 1
        yield f"{error.family} ({seen[error.family]})" if seen[error.family] > 1 else error.family, error
