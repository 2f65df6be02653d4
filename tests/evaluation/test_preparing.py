"""Families prepare their fits while others are fitted: in one further thread, which ends, and for the same numbers."""

import threading

import pytest

import fitontest as fot
from fitontest.evaluation.preparing import preparing
from fitontest.measures.plug_in import PlugIn
from tests.strategies import noisy


class Prepared(fot.Isotonic):
    """A family that notes in which threads it prepares something."""

    threads: list = []

    def prepare(self, pool):
        pool.submit(lambda: self.threads.append(threading.current_thread()))


@pytest.fixture
def threads(monkeypatch):
    noted = []
    monkeypatch.setattr(Prepared, "threads", noted)
    return noted


def test_families_of_several_measures_prepare_in_a_thread_that_ends(threads):
    with preparing([PlugIn("isotonic"), PlugIn(Prepared()), PlugIn(Prepared(), "l2")]):
        pass
    assert len(threads) == 2
    assert len(set(threads)) == 1
    assert threading.main_thread() not in threads
    assert not threads[0].is_alive()


def test_one_measure_and_a_map_prepare_nothing(threads):
    y, p = noisy(50)
    with preparing([PlugIn(Prepared())]):
        pass
    with preparing([PlugIn(Prepared().fit(p, y).map_), PlugIn("isotonic")]):
        pass
    assert threads == []


def test_a_table_prepares_its_families(threads):
    y, p = noisy(50)
    fot.evaluate(y, p, families=["isotonic", Prepared()], interval=None)
    assert len(threads) == 1
