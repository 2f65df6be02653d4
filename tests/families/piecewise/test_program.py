"""The compiled program: compiled once, alone or in company the same, and without traces in jax."""

from concurrent.futures import Future, ThreadPoolExecutor

import jax
import numpy as np
import pytest

import fitontest as fot
from fitontest.families.piecewise import fitting, program
from fitontest.families.piecewise.fitting import Fitter, Settings
from fitontest.families.piecewise.undisturbed import with_float64
from fitontest.numerics.links import IDENTITY, LOGIT
from fitontest.numerics.random import held_out_rows
from tests.strategies import noisy

pytestmark = pytest.mark.multiplies


def fitter(link, n=1500, alpha=1.0, kappa=2.0):
    y, p = noisy(n)
    return Fitter(fot.ScoreSample(y, p), held_out_rows(n, 5, 0), Settings(link, "log_loss", alpha, kappa), 16)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["pl", "pl3"])
def test_nothing_is_compiled_again_for_other_sizes_weights_or_settings(name):
    y, p = noisy(700)
    fot.families.make(name).fit(p, y)
    compiled = program.compiled()._cache_size()
    for n in (1, 3, 50, 1500, 12_345):
        y, p = noisy(n, seed=n)
        fot.families.make(name, cv=4, max_bins=5).fit(p, y, np.linspace(0.5, 2, n))
        fot.families.make(name, n_bins=7, alpha=0.3, kappa=0, cv=3).fit(p, y)
        fot.families.make(name, n_bins=16, ensemble=False, random_state=5).fit(p, y)
    assert program.compiled()._cache_size() == compiled


def test_the_configuration_of_jax_is_left_alone():
    before = {name: getattr(jax.config, name) for name in ("jax_enable_x64", "jax_default_device", "jax_platforms")}
    y, p = noisy(300)
    fot.PL().fit(p, y)
    assert {name: getattr(jax.config, name) for name in before} == before
    assert jax.numpy.ones(1).dtype == np.float32


@pytest.mark.parametrize(
    "setting",
    [
        lambda: jax.disable_jit(),
        lambda: jax.numpy_dtype_promotion("strict"),
        lambda: jax.transfer_guard("disallow"),
        with_float64,
        lambda: jax.debug_nans(True),
    ],
    ids=["disable_jit", "strict promotion", "transfer guard", "x64", "debug_nans"],
)
def test_the_users_settings_of_jax_change_nothing(setting):
    y, p = noisy(300)
    expected = fot.PL().fit(p, y).map_
    with setting():
        assert fot.PL().fit(p, y).map_ == expected


@pytest.mark.parametrize("link", [IDENTITY, LOGIT], ids=["pl", "pl3"])
def test_a_fit_does_not_depend_on_its_company(link):
    f = fitter(link)
    folds = np.arange(5)
    together = f.search(1, 9, folds)
    alone = {fold: f.search(9, 9, np.array([fold]))[9] for fold in folds}
    for fold in folds:
        np.testing.assert_allclose(alone[fold].value, together[9].value[fold], rtol=1e-12)
        np.testing.assert_allclose(alone[fold].u[0, :10], together[9].u[fold, :10], atol=1e-9)


@pytest.mark.parametrize("link", [IDENTITY, LOGIT], ids=["pl", "pl3"])
def test_the_sweep_only_improves(link, monkeypatch):
    f = fitter(link)
    folds = np.arange(5)
    swept = f.search(2, 10, folds)
    monkeypatch.setattr(fitting, "DETOUR", 0)
    for b in range(2, 11):
        direct = f.search(b, b, folds)[b]
        assert np.all(swept[b].value <= direct.value + 1e-9 * np.abs(direct.value))


@pytest.mark.parametrize("link", [IDENTITY, LOGIT], ids=["pl", "pl3"])
def test_fits_that_are_interrupted_go_on_where_they_were(link, monkeypatch):
    f = fitter(link)
    folds = np.arange(5)
    interrupted = f.search(6, 6, folds)[6]
    for steps in (1, 1000):
        monkeypatch.setattr(program, "ROUND", steps)
        other = f.search(6, 6, folds)[6]
        np.testing.assert_array_equal(other.steps, interrupted.steps)
        np.testing.assert_array_equal(other.u[:, :7], interrupted.u[:, :7])


@pytest.mark.parametrize("link", [IDENTITY, LOGIT], ids=["pl", "pl3"])
def test_candidates_are_close_to_what_a_longer_search_finds(link):
    f = fitter(link)
    longer, candidates = f.search(1, 6, np.arange(5)), f.candidates(6)
    rows = 1200  # in each of the sets that a fold is left out of
    for b, fits in candidates.items():
        assert np.median(fits.value - longer[b].value) < 1e-4 * rows


@pytest.mark.exhaustive
def test_a_program_that_was_begun_in_another_thread_is_not_compiled_again(monkeypatch):
    families = [fot.families.make("pl", cv=30), fot.families.make("pl3")]  # more folds than other tests have
    y, p = noisy(300)
    families[1].fit(p, y)  # for which all is compiled now
    monkeypatch.setattr(program, "_BEGUN", {})
    before = program.compiled()._cache_size()
    with ThreadPoolExecutor(1) as pool:
        for family in families:
            family.prepare(pool)
            family.prepare(pool)
        begun = list(program._BEGUN.values())
        for family in families:
            family.fit(p, y)
    assert program.compiled()._cache_size() - before == 1
    assert len(begun) == 2
    assert list(program._BEGUN.values()) == begun
    assert [future.exception() for future in begun] == [None, None]


def test_a_failure_in_another_thread_leaves_the_fit_to_itself(monkeypatch):
    failed = Future()
    failed.set_exception(RuntimeError("no room"))
    y, p = noisy(300)
    expected = fot.PL().fit(p, y).predict(p)
    monkeypatch.setattr(program, "_BEGUN", dict.fromkeys(program._BEGUN, failed))
    np.testing.assert_array_equal(fot.PL().fit(p, y).predict(p), expected)


def test_where_no_thread_can_be_started_the_fit_is_left_to_itself(monkeypatch):
    """As in a thread that goes on while the interpreter ends."""
    monkeypatch.setattr(program, "_BEGUN", {})
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    fot.PL().prepare(pool)
    assert program._BEGUN == {}
