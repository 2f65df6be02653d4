"""Linear algebra in one thread: the problems are tiny, and on a busy machine threads wait for each other."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="package", autouse=True)
def _one_thread():
    with threadpool_limits(1):
        yield
