"""BLAS has one thread within a block, and as many as before after it."""

import sys
from types import ModuleType

import numpy as np
import pytest
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

from fitontest.numerics.threads import one_blas_thread


def threads():
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_the_last_block_to_end_lifts_the_limit():
    np.ones((2, 2)) @ np.ones((2, 2))
    with threadpool_limits(2, user_api="blas"):
        before = threads()
        with one_blas_thread():
            assert threads() == {1}
            with one_blas_thread():
                assert threads() == {1}
            assert threads() == {1}
        assert threads() == before
        with pytest.raises(KeyError), one_blas_thread():
            raise KeyError
        assert threads() == before


def test_libraries_are_looked_for_again_only_where_modules_were_loaded(monkeypatch):
    made = []

    def look():
        made.append(1)
        return ThreadpoolController()

    monkeypatch.setattr("fitontest.numerics.threads.ThreadpoolController", look)
    monkeypatch.setattr("fitontest.numerics.threads._FOUND", {})
    for _ in range(3):
        with one_blas_thread():
            assert threads() == {1}
    assert len(made) == 1
    monkeypatch.setitem(sys.modules, "a_module_with_a_library", ModuleType("a_module_with_a_library"))
    with one_blas_thread():
        assert threads() == {1}
    assert len(made) == 2
