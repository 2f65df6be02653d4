"""The null hypotheses by name, so that a stored state says by itself what is tested."""

from collections.abc import Mapping
from typing import Any

from fitontest.monitor.nulls.band import Band
from fitontest.monitor.nulls.base import Null
from fitontest.monitor.nulls.tolerance import Exact, Tolerance
from fitontest.results.checks import choose

NULLS: dict[str, type[Null]] = {"exact": Exact, "tolerance": Tolerance, "band": Band}


def null_of(values: Mapping[str, Any]) -> Null:
    """Return the hypothesis of what its `to_dict` returned."""
    return NULLS[choose(values.get("null"), NULLS, "null")].from_dict(values)
