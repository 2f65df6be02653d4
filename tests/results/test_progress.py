"""Progress: long loops report to one context variable; in a pipe nothing is shown."""

import builtins
import contextvars
import sys

import pytest

import fitontest as fot
from fitontest.results.progress import _plain, reporting, track
from tests.strategies import noisy


class Log:
    def __init__(self):
        self.labels, self.taken = [], 0

    def __call__(self, steps, label):
        self.labels.append(label)
        for step in steps:
            self.taken += 1
            yield step


def test_nothing_is_shown_unless_it_is_wanted(capsys):
    assert list(track(range(3), "steps")) == [0, 1, 2]
    with fot.show_progress():  # standard error is no terminal here
        assert list(track(range(3), "steps")) == [0, 1, 2]
    assert capsys.readouterr() == ("", "")


def test_a_loop_within_a_loop_is_silent():
    log = Log()
    with reporting(log):
        for _ in track(range(2), "outer"):
            assert list(track("ab", "inner")) == ["a", "b"]
        assert list(track("c", "after")) == ["c"]
    assert (log.labels, log.taken) == (["outer", "after"], 3)
    list(track(range(2), "outside"))
    assert log.taken == 3


def test_a_loop_that_is_left_early_leaves_nothing_behind():
    log = Log()
    with reporting(log):
        for _ in track(range(5), "left"):
            break
        list(track(range(2), "next"))
    assert log.labels == ["left", "next"]
    loop = contextvars.copy_context().run(lambda: iter(track(range(5), "elsewhere")))
    next(loop)
    loop.close()  # in another context than its token


@pytest.mark.parametrize(
    ("call", "label"),
    [
        (lambda y, p: fot.tce(y, p, null_draws=3), "draws"),
        (lambda y, p: fot.evaluate(y, p, families=["platt", "beta"]), "measures"),
        (lambda y, p: fot.gce(y, [[1 - q, q] for q in p], reduction="classwise"), "classes"),
        (lambda y, p: fot.compare_calibrators(y, p, families=["platt"], evaluators=[]), "families"),
        (
            lambda y, p: fot.ReliabilityDisplay.from_predictions(y, p, interval=None, band="consistency", band_draws=2),
            "draws",
        ),
    ],
)
def test_the_long_loops_report(call, label):
    import matplotlib.pyplot as plt

    log = Log()
    with reporting(log):
        call(*noisy(100))
    plt.close("all")
    assert log.labels == [label]
    assert log.taken >= 2


@pytest.mark.parametrize("installed", [True, False])
def test_a_terminal_sees_a_bar(monkeypatch, capsys, installed):
    if installed:
        pytest.importorskip("tqdm")
    else:
        real = builtins.__import__
        monkeypatch.setattr(builtins, "__import__", lambda name, *rest: _refuse(name, real, *rest))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with fot.show_progress():
        assert list(track(range(3), "steps")) == [0, 1, 2]
    assert "steps" in capsys.readouterr().err


def _refuse(name, real, *rest):
    if name.partition(".")[0] == "tqdm":
        raise ImportError(name)
    return real(name, *rest)


def test_the_plain_bar_is_wiped_out(capsys):
    assert list(_plain(range(4), "steps")) == [0, 1, 2, 3]
    shown = capsys.readouterr().err
    assert "steps [####" in shown
    assert shown.rstrip(" \r").endswith("3/4")
