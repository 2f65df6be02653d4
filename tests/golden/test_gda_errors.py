"""Every value of Tables 2 and 6 to 13 of the TCE paper, on the predictions of its Gaussian simulation."""

import numpy as np
import pytest
from scipy.stats import t as student

import fitontest as fot
from tests.published import figures, predictions

pytestmark = pytest.mark.multiplies

ROWS = figures("gda_errors")
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['table']}-{r['index']}-{r['dataset']}")


def of_row(row):
    return predictions(row["dataset"], f"gda/{row['dataset']}.npz")


def quantile_edges(p, n_bins):
    """Return the paper's quantile bins: the sorted scores cut at int(linspace(0, 1, B + 1) N)."""
    cuts = (np.linspace(0, 1, n_bins + 1) * p.size).astype(int)[1:-1]
    return np.unique(np.sort(p)[cuts])


def partitions(row, p):
    return {
        "P": fot.partitions.PavaBC(row["n_min"], row["n_max"]),
        "Q": quantile_edges(p, row["n_bin"]),
        "V": fot.partitions.Pava(),
    }


def published_rejections(binned, p):
    """Return the share that the authors' t-test rejects: its "standard deviation" is the variance of a label."""
    at = binned.partition.locate(p)
    n, ybar = binned.table.w[at], binned.table.mean_y[at]
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = np.sqrt(n) * np.abs(ybar - p) / (ybar * (1 - ybar))
    return 100 * np.mean(2 * student.sf(statistic, n - 1) <= binned.alpha)


@every_row
def test_published_values(row):
    y, p = of_row(row)
    known = partitions(row, p)
    errors = {
        "ECE": lambda: fot.gce(y, p, n_bins=row["n_bin"]),
        "MCE": lambda: fot.gce(y, p, n_bins=row["n_bin"], norm="max"),
        "ACE": lambda: fot.gce(y, p, partition=known["Q"]),
        "MCE(Q)": lambda: fot.gce(y, p, partition=known["Q"], norm="max"),
        **{
            f"TCE({name})": lambda name=name: fot.tce(y, p, partition=known[name], alpha=row["alpha"], null_draws=0)
            for name in known
        },
        **{f"TCE({name})-B": lambda name=name: fot.tce(y, p, partition=known[name], null_draws=0) for name in known},
    }
    for column, value in row["values"].items():
        if not column.endswith("-T"):
            unit = 100 if column.startswith("TCE") else 1  # the published TCE are in percent
            assert unit * float(errors[column]()) == pytest.approx(value, abs=1e-9), column


@pytest.mark.parametrize("row", [row for row in ROWS if row["table"].startswith("table11")], ids=lambda r: str(r))
def test_published_t_tests_divide_by_a_variance(row):
    """The published columns follow from that slip; with the standard deviation far fewer predictions are rejected."""
    y, p = of_row(row)
    for name, partition in partitions(row, p).items():
        ours = fot.tce(y, p, partition=partition, test="t", null_draws=0)
        at = ours.partition.locate(p)
        n, ybar = ours.table.w[at], ours.table.mean_y[at]
        flat = (ybar == 0) | (ybar == 1)  # bins of equal labels: the statistic divides by 0, and a bin of one row
        value = row["values"][f"TCE({name})-T"]
        slack = 100 * np.mean(flat | (n == 1))
        assert abs(published_rejections(ours, p) - value) <= slack + 1e-9
        assert 100 * float(ours) <= value + slack


@pytest.mark.parametrize(("dataset", "t", "binomial"), [("50_50", 7.38, 7.28), ("50_40", 96.42, 96.10)])
def test_corrected_t_test_agrees_with_the_binomial_test(dataset, t, binomial):
    y, p = predictions(f"gda_{dataset}_n6000", "")
    assert round(100 * float(fot.tce(y, p, partition=fot.partitions.PavaBC(300, 1200), test="t", null_draws=0)), 2) == t
    assert round(100 * float(fot.tce(y, p, partition=fot.partitions.PavaBC(300, 1200), null_draws=0)), 2) == binomial


def test_all_tables_are_there():
    assert len({row["table"] for row in ROWS}) == 17
    assert sum(len(row["values"]) for row in ROWS) == 6 * 6 + 10 * 6 + 7 * (len(ROWS) - 16)
