"""What batches may be, what is refused of them, and what weights and groups become."""

import numpy as np
import pandas
import polars
import pytest

import fitontest as fot
from fitontest.monitoring.monitor import Monitor

from .conftest import stream

Y, P = stream(n=120, batches=1)[0]
REGION = np.array(["north", "south"])[np.arange(Y.size) % 2]
GROUP = np.arange(Y.size) // 3
FRAME = pandas.DataFrame({"y": Y.astype(int), "p": P, "region": REGION, "g": GROUP})
COLUMNS = {"label": "y", "prob": "p"}


def log_e(*data, settings=None, **columns):
    """Return the evidence of one batch, of all rows and of each segment."""
    evidence = Monitor(**(settings or {})).update(*data, **columns)
    return [evidence.log_e, *(each.log_e for each in evidence.segments.values())]


def of_segments(**columns):
    """Return the cells of each segment."""
    return {
        key: fot.Cells.of(Y[at], P[at], **{name: column[at] for name, column in columns.items()})
        for key, at in (("north", REGION == "north"), ("south", REGION == "south"))
    }


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """Return a CSV file of the batch."""
    path = tmp_path_factory.mktemp("batches") / "batch.csv"
    FRAME.to_csv(path, index=False)
    return path


def test_arrays_frames_files_cells_and_samples_are_one_batch(path):
    ways = [
        log_e(FRAME, **COLUMNS),
        log_e(polars.from_pandas(FRAME).lazy(), **COLUMNS),
        log_e(path, **COLUMNS),
        log_e(fot.Cells.of(Y, P)),
        log_e(fot.Cells.of(Y, P, exact=True)),
        log_e(fot.read(Y, P)),
        log_e(Y[::-1], P[::-1]),
    ]
    np.testing.assert_allclose(ways, [log_e(Y, P)] * len(ways), rtol=1e-12)


def test_segments_of_arrays_frames_files_and_cells_are_the_same(path):
    ways = [
        log_e(FRAME, **COLUMNS, by="region"),
        log_e(polars.from_pandas(FRAME).lazy(), **COLUMNS, by="region"),
        log_e(path, **COLUMNS, settings={"by": "region"}),
        log_e(of_segments()),
        log_e(fot.read(Y, P, by=REGION)),
    ]
    alone = [log_e(Y[at], P[at])[0] for at in (REGION == "north", REGION == "south")]
    expected = log_e(Y, P, by=REGION)
    np.testing.assert_allclose(ways, [expected] * len(ways), rtol=1e-12)
    np.testing.assert_allclose(expected[1:], alone, rtol=1e-12)


def test_groups_of_arrays_frames_files_and_cells_are_the_same(path):
    ways = [
        log_e(FRAME, **COLUMNS, groups="g"),
        log_e(polars.from_pandas(FRAME).lazy(), **COLUMNS, groups="g"),
        log_e(path, **COLUMNS, groups="g"),
        log_e(fot.Cells.of(Y, P, groups=GROUP)),
        log_e(fot.read(Y, P, groups=GROUP)),
    ]
    np.testing.assert_allclose(ways, [log_e(Y, P, groups=GROUP)] * len(ways), rtol=1e-12)
