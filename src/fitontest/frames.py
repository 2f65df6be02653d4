"""Records as a data frame of whichever library is installed."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias, get_args

import narwhals.stable.v2 as nw

from fitontest.inputs import choose

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]


def to_frame(rows: Sequence[dict[str, Any]], backend: Backend) -> Any:
    """Return the records, which share their keys, as a frame with one row per record."""
    choose(backend, get_args(Backend), "backend")
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return nw.from_dict(columns, backend=backend).to_native()
