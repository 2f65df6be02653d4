"""Maps of several classes against golden values on eight open sets: parameters, objectives, losses on other rows."""

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

import fitontest as fot
from fitontest.families.multiclass.penalties import hold_out
from tests.multiclass import golden, losses, open_set

pytestmark = pytest.mark.multiplies

SETS = (
    "mc_netcal_lenet-5-cifar-10",
    "mc_netcal_wideresnet-16-4-cifar-10",
    *(f"split3_letter_mc:{model}" for model in ("LR", "RF", "MLP")),
    *(f"split3_satimage_mc:{model}" for model in ("LR", "SVM", "RF")),
)
EPS = 1e-16  # what the golden values clip zeros to
FAMILIES = {
    "temperature": fot.families.Temperature(mix=False, eps=EPS),
    "temperature_mixed": fot.families.Temperature(eps=EPS),
    "bias": fot.families.BiasCorrected(penalty=None, eps=EPS),
    "vector": fot.families.Vector(penalty=None, eps=EPS),
    "svs": fot.families.Vector(eps=EPS),
    "sms": fot.families.Matrix(eps=EPS),
    "odir_sum_1e-3": fot.families.Dirichlet(1e-3, 1e-3, divide=False, eps=EPS),
    "matrix": fot.families.Matrix(penalty=None, eps=EPS),
    "ovr_isotonic": fot.families.OneVsRest("isotonic"),
    "irm_ts": fot.families.SharedIsotonic(eps=EPS),
}
QUICK = SETS[:2] + SETS[5:]  # of 6 and 10 classes; those of 26 take a second for a matrix
every_set = pytest.mark.parametrize("name", SETS)


@cache
def loaded(name):
    P, y, Q, z = open_set(name)
    labels = np.unique(np.concatenate([y, z]))
    return P, y, Q, np.searchsorted(labels, z), labels


@cache
def fitted(kind, name):
    P, y, _, _, labels = loaded(name)
    return clone(FAMILIES[kind]).fit(P, y, labels=labels)


@every_set
@pytest.mark.parametrize("kind", [kind for kind in FAMILIES if kind not in ("matrix", "odir_sum_1e-3")])
def test_losses_and_objectives(kind, name):
    check(kind, name)


@pytest.mark.parametrize(
    ("kind", "name"), [("matrix", SETS[0]), ("matrix", SETS[1]), *(("odir_sum_1e-3", name) for name in QUICK)]
)
def test_matrices_on_plain_scores(kind, name):
    check(kind, name)


def check(kind, name):
    expected = golden()[name][kind]
    family = fitted(kind, name)
    _, _, Q, codes, _ = loaded(name)
    log_loss, brier = losses(family.predict_proba(Q), codes)
    assert log_loss == pytest.approx(expected["log_loss"], abs=1e-6)
    assert brier == pytest.approx(expected["brier"], abs=1e-6)
    if "objective" in expected and kind != "temperature":
        assert family.objective_ == pytest.approx(expected["objective"], abs=1e-9)


@every_set
def test_temperatures(name):
    expected = golden()[name]["temperature"]
    family = fitted("temperature", name)
    assert 1 / family.temperature_ == pytest.approx(expected["beta"], abs=1e-7)
    P, y, _, _, labels = loaded(name)
    own = family.predict_proba(P)[np.arange(y.size), np.searchsorted(labels, y)]
    assert -np.log(own).mean() == pytest.approx(expected["objective"], abs=1e-9)


@pytest.mark.parametrize("name", QUICK)
def test_parameters(name):
    found = golden()[name]
    bias, vector, svs = (fitted(kind, name) for kind in ("bias", "vector", "svs"))
    assert bias.slope_ == pytest.approx(found["bias"]["slope"], abs=1e-7)
    np.testing.assert_allclose(bias.biases_, found["bias"]["biases_sum0"], atol=1e-6)
    np.testing.assert_allclose(vector.map_.W, found["vector"]["v"], atol=1e-4)
    np.testing.assert_allclose(svs.map_.W, found["svs"]["v"], atol=1e-5)
    np.testing.assert_allclose(svs.map_.b, found["svs"]["b"], atol=1e-5)
    if found["sms"]["W"] is not None:
        sms = fitted("sms", name)
        np.testing.assert_allclose(sms.map_.W, found["sms"]["W"], atol=1e-5)
        np.testing.assert_allclose(sms.map_.b, found["sms"]["b"], atol=1e-5)


@every_set
def test_a_structured_matrix_is_hardly_worse_than_a_temperature(name):
    _, _, Q, codes, _ = loaded(name)
    matrix = losses(fitted("sms", name).predict_proba(Q), codes)[0]
    assert matrix <= losses(fitted("temperature_mixed", name).predict_proba(Q), codes)[0] + 2e-3


@pytest.mark.parametrize(("kind", "name"), [("svs", SETS[0]), ("svs", SETS[5]), ("sms", SETS[6])])
def test_cross_validated_multiples(kind, name):
    """The same folds, by row number, and the losses of the whole grid."""
    expected = golden()[name][f"{kind}_cv_mod5"]
    P, y, _, _, labels = loaded(name)
    rows = fot.read(y, P, labels=labels, reduction="canonical")
    folds = [np.flatnonzero(np.arange(y.size) % 5 == i) for i in range(5)]
    grid = expected["grid"][::-1]
    held_out = hold_out(FAMILIES[kind]._maps, grid, rows, folds)
    np.testing.assert_allclose(held_out.mean[::-1], expected["cv_log_loss"], atol=1e-6)
    assert grid[held_out.best] == expected["chosen"]


@pytest.mark.parametrize("kind", ["temperature", "svs", "sms"])
@pytest.mark.parametrize("name", SETS[5:])
def test_held_out_gains(kind, name):
    """Fitted to the judging rows of the other folds: what a proper calibration error takes."""
    expected = golden()[name][f"gain_mod5_{kind}"]
    _, _, Q, codes, labels = loaded(name)
    Q = Q / Q.sum(axis=1, keepdims=True, dtype=np.float64)
    q = np.empty(Q.shape)
    for i in range(5):
        held = np.arange(codes.size) % 5 == i
        family = clone(FAMILIES[f"{kind}_mixed" if kind == "temperature" else kind])
        family.fit(Q[~held], codes[~held], labels=range(labels.size))
        q[held] = family.predict_proba(Q[held])
    before, after = losses(Q, codes), losses(q, codes)
    assert before[0] - after[0] == pytest.approx(expected["log_loss"], abs=1e-6)
    assert before[1] - after[1] == pytest.approx(expected["brier"], abs=1e-6)


def test_few_rows_that_separate_some_classes_have_a_map_with_one_warning():
    """26 classes and 500 rows: the optimum is so far away that the steps towards it once ran out."""
    P, y, _, _, labels = loaded("split3_letter_mc:MLP")
    rows = np.random.default_rng(0).permutation(y.size)[:500]
    with pytest.warns(fot.results.SeparableDataWarning, match="vector: the scores separate the classes") as told:
        family = fot.families.Vector(penalty=None).fit(P[rows], y[rows], labels=labels)
    assert len(told) == 1
    assert np.isfinite(family.predict_proba(P)).all()
