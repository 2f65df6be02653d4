"""ECE on the simplex and kernel errors against CalibrationErrors.jl: what its tests assert, and a port of its code."""

import re

import numpy as np
import pytest

import fitontest as fot
from tests.published import figures

GOLDEN = figures("simplex")
DISTANCES = {
    "TotalVariation": "total_variation",
    "SqEuclidean": "squared_euclidean",
    "Cityblock": "cityblock",
    "Euclidean": lambda p, q: np.sqrt(((p - q) ** 2).sum(axis=1)),
}


def rule(text):
    """Return the partition of the simplex that "MedianVarianceBinning(2,4)" is."""
    name, settings = re.fullmatch(r"(\w+)Binning\((.*)\)", text).groups()
    made = {"MedianVariance": fot.partitions.MedianVariance, "Uniform": fot.partitions.UniformGrid}[name]
    return made(*map(int, settings.split(",")))


def matrix(case):
    """Return predictions and labels as columns; a scalar prediction of the positive class is the second column."""
    p = np.array(case["predictions"], dtype=float)
    if p.ndim == 1:
        return np.column_stack([1 - p, p]), np.array(case["targets"], dtype=int)
    return p, np.array(case["targets"]) - 1


def bins(case):
    p, _ = matrix(case)
    ids = rule(case["binning"]).partition(p, np.ones(len(p))).locate(p)
    return [np.flatnonzero(ids == b).tolist() for b in range(ids.max() + 1)]


@pytest.mark.parametrize("case", GOLDEN["median_variance_asserted"], ids=lambda case: case["binning"])
def test_asserted_halving(case):
    assert bins(case) == case["bins_in_order_of_creation_0based"]


@pytest.mark.parametrize("case", GOLDEN["uniform_binning_asserted"], ids=lambda case: case["binning"])
def test_asserted_grid(case):
    assert sorted(bins(case)) == sorted(case["bins_as_sets_0based"])


@pytest.mark.parametrize("case", GOLDEN["uniform_binindex_asserted"], ids=lambda case: str(case["p"]))
def test_asserted_intervals(case):
    p = np.atleast_2d(case["p"]).astype(float)
    if "error" in case:
        with pytest.raises(ValueError, match=r"y_prob must lie in \[0, 1\]"):
            fot.gce([0, 1], np.vstack([np.repeat(p, 2, axis=1), [[0.5, 0.5]]]), reduction="canonical")
        return
    grid = fot.partitions.UniformGrid(case["nbins"]).partition(p, np.ones(1))
    assert grid.intervals.tolist() == [np.atleast_1d(case["index"]).tolist()]


@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
@pytest.mark.parametrize("case", GOLDEN["ece_asserted"], ids=lambda case: str(case["predictions"]))
def test_asserted_errors(case):
    p, y = matrix(case)
    assert float(fot.gce(y, p, reduction="canonical", partition=rule(case["estimator"][4:-1]))) == case["expected"]


def ported():
    """Return the cases with their predictions, which are written once, and vectors apart from scalars."""
    cases, data = [], {}
    for case in GOLDEN["ported"]:
        if case["predictions"] != "as above":
            data = {"predictions": case["predictions"], "targets": case["targets"]}
        cases.append({**case, **data})
    return cases


@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
@pytest.mark.parametrize("case", ported(), ids=lambda case: f"{case['case']}-{case['binning']}")
def test_ported_errors(case):
    p, y = matrix(case)
    if "scalars" in case["case"]:  # they bin the one score; half of what everyone calls ECE is its total variation
        bins_ = fot.partitions.EqualWidth(int(case["binning"][15:-1]), "right")
        error = fot.gce(y, p[:, 1], partition=bins_)
        assert sorted(error.table.n[error.table.occupied].tolist()) == sorted(case["sizes"])
        assert float(error) / 2 == pytest.approx(case["ece"]["TotalVariation"], abs=1e-15)
        return
    for name, distance in DISTANCES.items():
        error = fot.gce(y, p, reduction="canonical", partition=rule(case["binning"]), distance=distance)
        assert float(error) == pytest.approx(case["ece"][name], rel=0, abs=2e-15)
    assert error.n_bins == case["n_bins"]
    in_order = error.table.n.tolist()
    assert sorted(in_order) == sorted(case["sizes"])
    if case["binning"].startswith("Median"):
        assert in_order == case["sizes"]


KERNELS = GOLDEN["skce_asserted"]


@pytest.mark.parametrize("case", KERNELS["cases"], ids=lambda case: str(case["targets"]))
def test_asserted_kernel_errors(case):
    p, y = np.array(KERNELS["predictions"], dtype=float), np.array(case["targets"]) - 1
    for name, estimator, settings in (
        ("unbiased", "unbiased", {}),
        ("biased", "biased", {}),
        ("block2", "block", {"block_size": 2}),
    ):
        measure = fot.measures.make("canonical_kernel", kernel="rbf", estimator=estimator, **settings)
        with pytest.warns(fot.CalibrationWarning, match="all scores are 0 or 1"):
            found = fot.evaluate(y, p, measures=[measure], reduction="canonical", labels=[0, 1])
        assert float(next(iter(found))) == pytest.approx(case[name], abs=1e-15)
