"""Settings for all tests: generated examples are the same in every run, and slow machines are no failures.

What jax has compiled is kept in a folder that all workers, notebooks and commands of this run and the next ones share:
compiling takes longer than most tests, and the programs are the same everywhere. Where several workers share the cores,
each computes on one: threads that wait for a core make small products of matrices take a hundred times as long.
A worker takes whole files, since tests of a file share what is computed once.
Garbage is looked for seldom, since that takes a tenth of a second among all that is collected.
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
SELDOM = 20_000, 20, 20  # objects more than before, and such looks, after which garbage of each age is looked for
ONE_CORE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def pytest_configure(config):
    """Set up the environment, which the processes that are started inherit."""
    gc.set_threshold(*SELDOM)
    config.addinivalue_line("markers", "pyspark: starts Spark, which takes half a minute and needs Java")
    if getattr(config.option, "numprocesses", None):
        os.environ.update(ONE_CORE)
    if "JAX_COMPILATION_CACHE_DIR" not in os.environ and hasattr(config, "cache"):
        os.environ.update(COMPILED, JAX_COMPILATION_CACHE_DIR=str(config.cache.mkdir("jax")))


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist, which need not be installed
def pytest_xdist_make_scheduler(config, log):
    """Give whole files to the workers, unless another way is asked for, as of notebooks: they are tests of one file."""
    from xdist.scheduler import LoadFileScheduling

    return LoadFileScheduling(config, log) if config.getvalue("dist") == "load" else None
