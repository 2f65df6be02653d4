"""The other implementations' errors once more, end to end through a matrix of classes and a reduction.

The scores of each set become the first of several columns: larger than any other, so that they are the confidence, and
the label is the first class where the set has a positive. The two sets "..._top_..." are confidences of networks. A
score of 0 cannot be larger than others: of a set that has one the class-wise reduction is compared alone.
"""

import numpy as np
import pytest

import fitontest as fot
from tests.golden.test_peers import EQUAL_WIDTH, SETS, TCE, UC, WITHOUT_TIES, peer_values, sample_of

MOST_COLUMNS = 50
pytestmark = [pytest.mark.multiplies, pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")]


def embedded(name):
    """Return (labels, matrix): p, and in the others equal shares of the rest, but less than p."""
    sample = sample_of(name)
    least = sample.p[sample.p > 0].min()
    columns = int(np.clip(np.ceil(1 / least) + 1, 3, MOST_COLUMNS))
    return embedded_in(columns, sample, np.nextafter(sample.p, 0.0))  # rows with p below 1 / K do not add up to 1


def embedded_in(columns, sample, most):
    """Return (labels, matrix, classes) of so many columns, of which the others have no more than `most`."""
    rest = np.minimum((1 - sample.p) / (columns - 1), most)
    p = np.column_stack((sample.p, np.repeat(rest[:, None], columns - 1, axis=1)))
    others = 1 + np.arange(sample.p.size) % (columns - 1)
    return np.where(sample.y == 1, 0, others), p, range(columns)


def error_of_the_first_class(name, **options):
    """Return the error of the first of three classes; as such it need not be the largest of its row."""
    y, p, labels = embedded_in(3, sample_of(name), 1.0)
    return fot.calibration_error(y, p, reduction="classwise", labels=labels, **options)[0]


@pytest.mark.parametrize("name", SETS)
def test_equal_width_errors(name):
    y, p, labels = embedded(name)
    theirs, compared = peer_values(name, "metrics"), 0
    has_one = bool(np.any(p[:, 0] == 1.0))
    for n_bins in (10, 15):
        for norm in ("l1", "l2", "max"):
            peers = [key for *key, bins, of in EQUAL_WIDTH if (bins, of) == (n_bins, norm)]
            options = {"family": fot.Slope1(n_bins, "equal_width"), "norm": norm}
            top = fot.calibration_error(y, p, reduction="confidence", labels=labels, **options)
            first = error_of_the_first_class(name, **options)
            binned = fot.gce(y, p, n_bins=n_bins, norm=norm, reduction="confidence", labels=labels)
            for key in map(tuple, peers):
                if key not in theirs or (key[0] == "torchmetrics" and has_one):  # its bin of p = 1: see test_peers
                    continue
                for ours in (top, first, binned) if np.all(p[:, 0] > 0.0) else (first,):
                    assert float(ours) == pytest.approx(theirs[key], abs=1e-9), key
                compared += 1
    assert compared >= 13


@pytest.mark.parametrize("name", SETS)
def test_equal_mass_errors(name):
    y, p, labels = embedded(name)
    theirs = peer_values(name, "metrics")
    has_zero = bool(np.any(p[:, 0] == 0.0))
    splits_no_ties = name in WITHOUT_TIES or name in ("cifar100_top_wrn", "imagenet_top_densenet161", "synth_ties11")
    for key, norm, debias in (
        ("ece_em15", "l1", False),
        ("l2_em15_plugin", "l2", False),
        ("l2_em15_debiased", "l2", True),
    ):
        options = {"family": fot.Slope1(15), "norm": norm, "debias": debias}
        ours = [error_of_the_first_class(name, **options)]
        if not has_zero:
            ours.append(fot.calibration_error(y, p, reduction="confidence", labels=labels, **options))
            assert float(ours[0]) == float(ours[1])
        if name == "tiny20" and debias:
            assert theirs[UC, key] == 0.0  # it corrects bins of one row by a division by 0
        elif splits_no_ties:
            assert float(ours[0]) == pytest.approx(theirs[UC, key], abs=1e-9), key
        else:
            assert 1e-6 < abs(float(ours[0]) - theirs[UC, key]) < 0.01, key  # it splits tied scores over bins


@pytest.mark.parametrize("name", sorted(WITHOUT_TIES))
def test_pava_bc_blocks(name):
    y, p, labels = embedded(name)
    expected = peer_values(name, "metrics")[TCE, "pavabc_bins"]
    table = fot.tce(y, p, reduction="confidence", labels=labels, null_draws=0).table
    assert table.n.tolist() == expected["total"]
    assert table.sum_y.tolist() == expected["count"]
