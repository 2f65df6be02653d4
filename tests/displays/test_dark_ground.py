"""On dark ground the lines and marks of displays are lighter than on light ground."""

from functools import cache

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.colors import to_hex, to_rgb

import fitontest as fot
from fitontest.displays.frontier import FrontierDisplay
from fitontest.displays.palette import FILL, GAP, SERIES
from tests.displays.figures import plain
from tests.strategies import noisy

GROUND = dict.fromkeys(("figure.facecolor", "axes.facecolor"), "#14181e")
SIZE = (9, 5)


def lines_of(display):
    """Return the colours of the maps of panels."""
    return [panel.line_.get_color() for panel in display.displays.values()]


def marks_of(axes):
    """Return the colours of all lines with markers, one after the other, each once."""
    lines = [line for ax in axes for line in ax.lines if line.get_marker() in tuple("os*D^")]
    return list(dict.fromkeys(to_hex(line.get_color()) for line in lines))


@cache
def results():
    """Return what is drawn, computed once for both grounds."""
    y, p = noisy(200)
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), 200)
    rows = [
        {"family": str(k), "loss": 0.3 + k / 10, "probabilistic_count": 9.0 - k, "frontier": k < 2, "chosen": k == 0}
        for k in range(3)
    ]
    families = ["platt", "beta", fot.Flat(3)]
    return {
        "families": fot.evaluate(y, p, families=["beta", "slope1"], interval=None),
        "models": fot.evaluate(y, {"one": p, "other": p**2}, families=["beta"], interval=None),
        "segments": fot.evaluate(y, p, by=y + (p > 0.5), families=["beta"], interval=None),
        "classes": ((P.cumsum(axis=1) > rng.random((200, 1))).argmax(axis=1), P),
        "validations": fot.risk.validate(y, {"one": p, "other": p**1.4}),
        "errors": fot.compare_errors(y, p, p**2, family=fot.Slope1(5)),
        "calibrators": fot.compare_calibrators(
            y, p, families=families, cv=5, evaluators=["slope1", "isotonic"], test=noisy(150, seed=3)
        ),
        "frontier": FrontierDisplay(rows, loss="log loss"),
        "plan": fot.apps.plan_evaluation(
            n=[100, 200], errors=[0, 0.15], families=["isotonic", "platt"], draws=20, width=0.3, power=0.3
        ),
        "pairs": (y, p.round(2)),
    }


def draw_classes(data):
    several = fot.ReliabilityDisplay.from_predictions(
        *data, reduction="classwise", family="beta", band=None, interval=None, ax=plain(SIZE)
    )
    return lines_of(several)


DRAWN = {
    "families": lambda found: lines_of(found.plot(figure=plain(SIZE))),
    "models": lambda found: lines_of(found.plot(figure=plain(SIZE))),
    "segments": lambda found: lines_of(found.plot(figure=plain(SIZE))),
    "classes": draw_classes,
    "validations": lambda found: [panel.line_.get_color() for panel in found.plot(plain(SIZE)).panels.values()],
    "errors": lambda found: marks_of(found.plot(plain(SIZE)).axes_),
    "calibrators": lambda found: marks_of(found.plot(plain(SIZE)).axes_),
    "frontier": lambda found: [line.get_color() for line in found.plot(plain(SIZE)).ax_.lines],
    "plan": lambda found: marks_of(found.plot(plain(SIZE)).axes_),
    "pairs": lambda found: marks_of([fot.displays.PairsDisplay.from_predictions(*found, ax=plain(SIZE)).ax_]),
}
COLORS = {"errors": (FILL, GAP), "calibrators": (FILL, GAP, SERIES[1]), "plan": SERIES[:2]}


def lightened(color):
    """Return the colour half of the way to white."""
    return to_hex([part + 0.5 * (1.0 - part) for part in to_rgb(color)])


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", DRAWN)
def test_main_lines_are_light_on_dark_ground_alone(name):
    expected = {to_hex(color) for color in COLORS.get(name, (FILL,))}
    on_light = {to_hex(color) for color in DRAWN[name](results()[name])}
    with mpl.rc_context(GROUND):
        on_dark = {to_hex(color) for color in DRAWN[name](results()[name])}
    foreground = {"#000000"}  # of the entry of a legend that says what filled marks are
    assert on_light - foreground == expected
    assert on_dark - foreground == {lightened(color) for color in expected}
