"""PAVA-BC blocks against every block list and block count published with the TCE paper's Gaussian simulation."""

import numpy as np
import pytest

import fitontest as fot
from tests.published import figures, predictions

BLOCKS = figures("gda_blocks")


@pytest.mark.parametrize("row", BLOCKS, ids=lambda r: f"{r['table']}-{r['index']}-{r['dataset']}")
def test_published_blocks(row):
    y, p = predictions(row["dataset"], f"gda/{row['dataset']}.npz")
    sample = fot.ScoreSample(y, p)
    partition = fot.partitions.PavaBC(row["n_min"], row["n_max"]).partition(sample)
    table = partition.summarise(sample)
    assert table.n.min() >= row["n_min"]
    assert table.n.max() <= row["n_max"]
    if "n" in row:
        assert table.n.tolist() == row["n"]
        assert table.sum_y.tolist() == row["k"]
        np.testing.assert_allclose(partition.borders, row["edges"], rtol=0, atol=1e-12)
    elif row["table"] in ("table7A", "table7B") and row["n_max"] == 6:
        # the authors merge a tail that makes a last block of 7, beyond their own bound: they count one block less
        assert partition.n_bins == row["n_bins"] + 1
    else:
        assert partition.n_bins == row["n_bins"]


def test_all_kinds_of_rows_are_there():
    assert sum("n" in row for row in BLOCKS) >= 60
    assert sum("n_bins" in row for row in BLOCKS) >= 10
