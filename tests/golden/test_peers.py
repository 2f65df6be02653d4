"""Errors and maps against eleven other implementations, wherever the definition is the same.

Left out, because the definition differs: netcal's ACE (bins weigh the same), histogram maps of equal width and the
binning calibrators of pycalib (they predict 0 or split at other quantiles), smooth and kernel errors.
"""

import warnings

import numpy as np
import pytest

import fitontest as fot
from fitontest.measures.plug_in import PlugIn
from tests.published import figures, predictions

pytestmark = pytest.mark.multiplies

GOLDEN = figures("golden_peers")
GRID = np.array(GOLDEN["grid"])
SETS = list(GOLDEN["results"])
# sets whose scores have no ties: there equal-mass bins need no rule for them
WITHOUT_TIES = {"abalone_SVM", "synth_calibrated_rare", "tiny20"}
TCE = "facebookresearch/tce@12faba8"
UC = "uncertainty-calibration"


def sample_of(name):
    y, p = predictions(f"peers_{name}", f"golden/inputs/{name}.npz")
    return fot.ScoreSample(y, p)


def peer_values(name, part):
    return {(found["peer"], found["id"]): found["value"] for found in GOLDEN["results"][name][part]}


EQUAL_WIDTH = [  # (peer, id, bins, norm)
    *((peer, f"ece_ew{k}", k, "l1") for peer in ("netcal", UC, "pycalib", "MCGrad") for k in (10, 15)),
    *(("relplot", f"binned{k}", k, "l1") for k in (10, 15)),
    *(("torchmetrics", f"ece_ew{k}_f64", k, "l1") for k in (10, 15)),
    *((TCE, f"ece{k}", k, "l1") for k in (10, 15)),
    *((peer, f"mce_ew{k}", k, "max") for peer in ("netcal", "pycalib") for k in (10, 15)),
    (TCE, "mce10", 10, "max"),
    ("torchmetrics", "mce_ew15_f64", 15, "max"),
    ("torchmetrics", "l2_ew15_f64", 15, "l2"),
]


@pytest.mark.parametrize("name", SETS)
def test_equal_width_errors(name):
    sample, theirs, compared = sample_of(name), peer_values(name, "metrics"), 0
    has_one = bool(np.any(sample.p == 1.0))
    for peer, key, n_bins, norm in EQUAL_WIDTH:
        if (peer, key) not in theirs:
            continue
        family = fot.Slope1(n_bins, "equal_width")
        ours = float(PlugIn(family, norm).estimate(sample))
        if peer == "torchmetrics" and has_one:
            continue  # it puts p = 1 into a bin of its own, see test_torchmetrics_has_a_phantom_bin_at_one
        assert ours == pytest.approx(theirs[peer, key], abs=1e-9), (peer, key)
        compared += 1
    assert compared >= 13


def test_torchmetrics_has_a_phantom_bin_at_one():
    name = "synth_extreme01"
    sample, theirs = sample_of(name), peer_values(name, "metrics")
    assert np.any(sample.p == 1.0)
    with_bin_at_one = fot.Slope1([*(np.arange(1, 15) / 15), 1.0])
    for key, norm in (("l2_ew15_f64", "l2"), ("mce_ew15_f64", "max")):
        expected = theirs["torchmetrics", key]
        assert float(PlugIn(with_bin_at_one, norm).estimate(sample)) == pytest.approx(expected, abs=1e-9)
        assert abs(PlugIn(fot.Slope1(15, "equal_width"), norm).estimate(sample) - expected) > 1e-6


@pytest.mark.parametrize("name", SETS)
def test_equal_mass_errors(name):
    """Uncertainty-calibration cuts as numpy.array_split does; the others put the odd rows elsewhere."""
    sample, theirs = sample_of(name), peer_values(name, "metrics")
    for key, norm, debias in (
        ("ece_em15", "l1", False),
        ("l2_em15_plugin", "l2", False),
        ("l2_em15_debiased", "l2", True),
    ):
        ours = float(PlugIn(fot.Slope1(15), norm, debias=debias).estimate(sample))
        if name == "tiny20" and debias:
            assert (theirs[UC, key], ours > 0) == (0.0, True)  # it corrects bins of one row by a division by 0
        elif name in WITHOUT_TIES:
            assert ours == pytest.approx(theirs[UC, key], abs=1e-9), key
        elif name in ("cifar100_top_wrn", "imagenet_top_densenet161", "synth_ties11"):
            # ties, but none that a border would split differently
            assert ours == pytest.approx(theirs[UC, key], abs=1e-9), key
        else:
            assert 1e-6 < abs(ours - theirs[UC, key]) < 0.01, key  # it splits tied scores over bins


@pytest.mark.parametrize("name", SETS)
def test_pava_bc_blocks(name):
    sample, expected = sample_of(name), peer_values(name, "metrics")[TCE, "pavabc_bins"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.results.BlockSizeWarning)
        table = fot.partitions.PavaBC().partition(sample).summarise(sample)  # its bounds: n // 20 and n // 5
    if name in WITHOUT_TIES or name == "cifar100_top_wrn":  # there the few ties lie within blocks
        assert table.n.tolist() == expected["total"]
        assert table.sum_y.tolist() == expected["count"]
    else:  # it cuts through tied scores
        assert table.n.tolist() != expected["total"]
        cuts = np.cumsum(expected["total"])[:-1]
        assert np.any(sample.rows.p[cuts - 1] == sample.rows.p[cuts])


@pytest.mark.parametrize("name", SETS)
def test_isotonic_map(name):
    theirs = peer_values(name, "maps")
    ours = fot.Isotonic().fit_sample(sample_of(name)).predict(GRID)
    for peer in ("scikit-learn", "netcal", "probmetrics"):
        np.testing.assert_allclose(ours, theirs[peer, "isotonic"], rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_platt_map_equals_an_unpenalised_logistic_regression(name):
    theirs = peer_values(name, "maps")["scikit-learn", "logreg_on_logit_unpen"]
    ours = fot.Platt(eps=1e-12).fit_sample(sample_of(name)).predict(GRID)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_temperature_map(name):
    """Where scores are 0 or 1 the temperature depends on how far from them they are clipped, and peers differ."""
    sample, theirs = sample_of(name), peer_values(name, "maps")["probmetrics", "temp-scaling"]
    ours = fot.families.Temperature(eps=1e-12).fit_sample(sample).predict(GRID)
    if name in ("synth_extreme01", "imagenet_top_densenet161"):
        assert np.abs(ours - theirs).max() > 1e-3
    else:
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-7)


@pytest.mark.parametrize("name", SETS)
def test_smoothed_platt_map_equals_scikit_learns_sigmoid_to_its_tolerance(name):
    sample, theirs = sample_of(name), peer_values(name, "maps")
    on_logit = fot.Platt(smoothing=True, eps=1e-12).fit_sample(sample).predict(GRID)
    np.testing.assert_allclose(on_logit, theirs["scikit-learn", "platt_on_logit"], rtol=0, atol=3e-8)
    on_score = fot.Platt(link="identity", smoothing=True).fit_sample(sample).predict(GRID)
    np.testing.assert_allclose(on_score, theirs["scikit-learn", "platt_on_p"], rtol=0, atol=3e-8)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("parameters", ["abm", "am", "ab"])
def test_betacal_solver_equals_the_package(name, parameters):
    theirs = peer_values(name, "maps")["betacal", parameters]
    ours = fot.Beta(parameters, solver="betacal").fit_sample(sample_of(name)).predict(GRID)
    inside = (GRID > 0) & (GRID < 1)  # at the ends the two clip at slightly different places
    np.testing.assert_allclose(ours[inside], np.array(theirs)[inside], rtol=0, atol=1e-9)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-4)
