"""Settings for all tests: generated examples are the same in every run, and slow machines are no failures.

What jax has compiled is kept in a folder that all workers, notebooks and commands of this run and the next ones share:
compiling takes longer than most tests, and the programs are the same everywhere. Where several workers share the cores,
each computes on one: threads that wait for a core make small products of matrices take a hundred times as long.
A worker takes whole files, since tests of a file share what is computed once.
Garbage is looked for seldom, since that takes a tenth of a second among all that is collected.

What a developer runs is the daily part: contracts over the registries, and every behaviour once. The rest is marked
``exhaustive``, and is run by ``pytest -m exhaustive``: tests that take long, and of files that multiply (families by
kinds of rows by properties) every case of a test but the first. A test that is named by ``::`` runs, whatever it is.
"""

import gc
import os

import pytest
from hypothesis import settings

settings.register_profile("fitontest", derandomize=True, deadline=None, max_examples=22)
settings.register_profile("thorough", deadline=None, max_examples=1000)  # pytest --hypothesis-profile thorough
settings.load_profile("fitontest")

COMPILED = {
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0",
}
DAILY = "not exhaustive"  # what pyproject.toml asks for
SELDOM = 20_000, 20, 20  # objects more than before, and such looks, after which garbage of each age is looked for
ONE_CORE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def pytest_configure(config):
    """Set up the environment, which the processes that are started inherit."""
    gc.set_threshold(*SELDOM)
    if any("::" in argument for argument in config.args) and config.option.markexpr == DAILY:
        config.option.markexpr = ""
    if getattr(config.option, "numprocesses", None):
        os.environ.update(ONE_CORE)
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ and hasattr(config, "cache"):
        os.environ.update(COMPILED, JAX_COMPILATION_CACHE_DIR=str(config.cache.mkdir("jax")))


@pytest.hookimpl(tryfirst=True)  # before marks are asked for
def pytest_collection_modifyitems(items):
    """Mark the further cases of tests in files that multiply."""
    seen = set()
    for item in items:
        if item.get_closest_marker("multiplies"):
            test = item.parent.nodeid, getattr(item, "originalname", item.name)
            if test in seen:
                item.add_marker("exhaustive")
            seen.add(test)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, which need not be installed
def pytest_xdist_make_scheduler(config, log):
    """Give whole files to the workers, unless another way is asked for, as of notebooks: they are tests of one file."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log) if config.getvalue("dist") == "load" else None
