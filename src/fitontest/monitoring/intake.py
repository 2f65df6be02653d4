"""What a monitor is given of a batch, as counts by cell of the score."""

from typing import Any

from fitontest.cells.cell_sums import Resolution
from fitontest.cells.cells import Cells, sums_of_sample
from fitontest.monitoring.batch import Batch
from fitontest.monitoring.state import MonitorState, Seen, Update
from fitontest.reading.read import read


def read_update(
    state: MonitorState, y_true: Any, y_prob: Any, *, batch: object, time: object, **columns: Any
) -> Update:
    """Return a batch as it was read, or refuse it."""
    data = y_true if isinstance(y_true, Cells) else read(y_true, y_prob, **columns)
    sums = data.sums if isinstance(data, Cells) else sums_of_sample(data, Resolution())
    name = str(len(state.seen) + 1) if batch is None else str(batch)
    return Update(Batch.of(sums), {}, Seen(name, None if time is None else str(time), ""))
