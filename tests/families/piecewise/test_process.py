"""Fits in forked children: refused at once where jax was started before the fork, since they would wait for ever."""

import os
import signal
import sys
import threading
import warnings

import jax
import pytest

import fitontest as fot
from fitontest.families.piecewise import process
from tests.strategies import noisy

forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
SECONDS = 20  # a child that waits for ever is ended then


def in_a_child(do):
    """Return what `do` says in a forked child, or that the child had to be ended."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r".*fork\(\)", category=RuntimeWarning)  # of jax
        warnings.filterwarnings("ignore", message=r".*fork\(\)", category=DeprecationWarning)  # of Python 3.12
        child = os.fork()
    if child == 0:
        try:
            signal.alarm(SECONDS)  # its default action ends the process
            os.write(writer, do().encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as said:
        text = said.read()
    _, status = os.waitpid(child, 0)
    return f"ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else text


def outcome(do):
    try:
        do()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "done"


@forks
def test_a_child_forked_after_a_fit_is_refused_and_its_parent_is_not():
    y, p = noisy(60)
    pl = fot.PL(1).fit(p, y)
    said = in_a_child(lambda: outcome(lambda: fot.PL3(1).fit(p, y)))
    assert said.startswith("RuntimeError: a fit needs the threads of jax, and this process was forked")
    assert '"spawn"' in said
    assert "loky" in said
    assert in_a_child(lambda: in_a_child(lambda: outcome(lambda: fot.PL(1).fit(p, y)))) == said  # a grandchild too
    assert in_a_child(lambda: repr(pl.predict([0.25]))) == repr(pl.predict([0.25]))  # needs no jax
    assert fot.PL(1).fit(p, y).map_ == pl.map_


@forks
def test_a_child_forked_before_the_first_fit_may_fit(monkeypatch):
    monkeypatch.setattr(process._Start, "process", None)
    monkeypatch.setattr(process, "_jax_is_started", lambda: False)
    assert in_a_child(lambda: outcome(process.require_threads_of_jax)) == "done"


@forks
@pytest.mark.skipif(not process._THREADS.exists(), reason="threads can be counted on Linux only")
def test_a_child_of_a_process_in_which_the_user_had_started_jax_is_refused(monkeypatch):
    monkeypatch.setattr(process._Start, "process", None)  # as before the first fit
    jax.numpy.ones(3).block_until_ready()
    assert "RuntimeError: a fit needs the threads of jax" in in_a_child(lambda: outcome(process.require_threads_of_jax))
    process.require_threads_of_jax()  # the threads of jax are here
    assert process._Start.process == os.getpid()


@forks
def test_other_threads_of_python_are_not_taken_for_those_of_jax(monkeypatch):
    monkeypatch.setattr(process, "_jax_is_started", lambda: True)

    def in_a_thread():
        answers, end = [], threading.Event()
        idle = threading.Thread(target=end.wait)
        asking = threading.Thread(target=lambda: answers.append(process._threads_are_lost()))
        for thread in (idle, asking):
            thread.start()
        asking.join()
        end.set()
        idle.join()
        return str(answers)

    assert in_a_child(in_a_thread) == str([process._THREADS.exists()])


def test_where_nothing_can_be_known_a_fit_is_not_refused(monkeypatch, tmp_path):
    monkeypatch.setattr(process, "_jax_is_started", lambda: True)
    monkeypatch.setattr(process, "_THREADS", tmp_path / "none")
    assert not process._threads_are_lost()
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "jax._src.xla_bridge", None)  # as if it had moved
    assert not process._jax_is_started()
