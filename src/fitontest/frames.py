"""Records as a data frame of whichever library is installed."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import narwhals.stable.v2 as nw

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]


def to_frame(rows: Sequence[dict[str, Any]], backend: Backend) -> Any:
    """Return the records, which share their keys, as a frame with one row per record."""
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    return nw.from_dict(columns, backend=backend).to_native()
