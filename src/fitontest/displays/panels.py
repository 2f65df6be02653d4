"""Reliability diagrams measured apart and laid out together: one scale and the same limits for all."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from fitontest.data.sample import Sample
from fitontest.displays.scales import ScaleName, scale_for, widest
from fitontest.displays.small_multiples import SmallMultiples
from fitontest.measures.plug_in_error import PlugInError
from fitontest.typing import ArrayInput

if TYPE_CHECKING:
    from fitontest.displays.reliability import ReliabilityDisplay


def panels(
    display: type["ReliabilityDisplay"],
    measured: Iterable[tuple[str, PlugInError, Sample]],
    scale: ScaleName,
    limits: ArrayInput = None,
    *,
    title: str | None = None,
    **options: Any,
) -> SmallMultiples:
    """Return the diagrams of (name, error, sample), by that class of displays, all with the same axes."""
    each = list(measured)
    if scale == "logit" and limits is None:
        common = widest([scale_for(scale, sample, error.map) for _, error, sample in each])
        limits = (common.lower, common.upper)
    drawn = {name: display(error, sample, scale=scale, limits=limits, **options) for name, error, sample in each}
    return SmallMultiples(drawn, title=title)
