"""A planned evaluation as lines: how wide the interval is, and how often an error is found, by number of rows."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fitontest.apps.planning.answer import hardest
from fitontest.apps.planning.rows_needed import RowsNeeded
from fitontest.displays.curve import CurveDisplay, Panel
from fitontest.displays.lines import Line
from fitontest.displays.palette import SERIES
from fitontest.displays.scaling import Scaling
from fitontest.results.frames import Records

MOST_TICKS = 5  # numbers of rows that are named on an axis
ROOM = 1.25  # beside the numbers of rows, as a factor
SIZE, HEIGHT = (6.6, 3.6), 0.7  # inches of the first panel, and the height of others by that of the first
SHARES = {0.0: "0 %", 0.5: "50 %", 1.0: "100 %"}


def plan_display(plan: Any) -> CurveDisplay:
    """Return the lines of an `EvaluationPlan`, not yet drawn; see `EvaluationPlan.plot`."""
    rows = [row for row in plan.rows() if row["error"] > 0.0]
    errors = sorted({row["error"] for row in rows if row["power"] is not None})
    widths = [
        {"family": row["family"], "n": row["n"], "half_width": row["value"] / 2}
        for row in _worst(plan.rows(), "width", max)
    ]
    powers = {error: _worst([row for row in rows if row["error"] == error], "power", min) for error in errors}
    if not widths and not errors:
        raise ValueError("rows must hold a width or a power, got none: no interval exists, and no error was planted")
    colors = {family: SERIES[k % len(SERIES)] for k, family in enumerate(plan.families)}
    panels = []
    if widths:
        top = 1.08 * max(row["half_width"] for row in widths)
        own = [one for one in plan.needed if one.requirement == "width"]
        scaling = Scaling("Half-width of\nthe 95 % interval", (0.0, top))
        panels.append(Panel(_lines(widths, "half_width", colors, own, 0.5), scaling))
    for error, found in powers.items():
        own = [one for one in plan.needed if (one.requirement, one.error) == ("power", error)]
        scaling = Scaling(f"Power: an error of\n{error:g} is found", (-0.02, 1.05), SHARES)
        lines = _lines(found, "value", colors, own)
        if panels:  # above which the names of the lines are written
            lines = [replace(line, name="") for line in lines]
        panels.append(Panel(lines, scaling, HEIGHT if panels else 1.0))
    sizes = sorted({row["n"] for row in plan.rows()})
    named = sizes[:: -(-len(sizes) // MOST_TICKS)]
    most = _hardest_of_each(plan.needed)
    parts = {
        "width": widths,
        "power": [
            {"family": row["family"], "n": row["n"], "error": error, "power": row["value"]}
            for error, found in powers.items()
            for row in found
        ],
        "needed": [vars(one) for one in most],
    }
    first, *others = plan.sentences or ["Precision and power by number of rows"]
    ringed = ["rings: the rows that a family needs"] if any(one.relation == "about" for one in most) else []
    return CurveDisplay(
        panels, Scaling("Test rows", (sizes[0] / ROOM, sizes[-1] * ROOM), {n: f"{n:,}" for n in named}, "log"), parts,
        title=first.removesuffix("."), second=" ".join([*others, *ringed]).removesuffix("."), size=SIZE,
        kind="Planned evaluation by number of rows",
    )  # fmt: skip


def _hardest_of_each(needed: Sequence[RowsNeeded]) -> list[RowsNeeded]:
    """Return what each family needs for each requirement, whichever way the scores are wrong."""
    wanted = dict.fromkeys((one.requirement, one.error) for one in needed)
    return [
        one
        for place in wanted
        for one in hardest([each for each in needed if (each.requirement, each.error) == place]).values()
    ]


def _lines(
    rows: Records, key: str, colors: dict[str, str], needed: Sequence[RowsNeeded], per: float = 1.0
) -> list[Line]:
    """Return the lines of families, what is wanted, and a ring where a family reaches it."""
    lines = []
    for family, color in colors.items():
        own = [row for row in rows if row["family"] == family]
        x, y = (np.array([row[name] for row in own], dtype=float) for name in ("n", key))
        lines += [Line(family, x, y, color=color, marker="o", width=1.6)] if own else []
    if needed:
        ends = np.array([row["n"] for row in rows], dtype=float)
        wanted = np.full(2, per * needed[0].wanted)
        x = np.array([ends.min() / ROOM, ends.max() * ROOM])
        lines.append(Line("wanted", x, wanted, is_reference=True))
        lines += [
            Line("", np.array([float(one.n)]), wanted[:1], color=colors[one.family], marker="o", hollow=True)
            for one in hardest(needed).values()
            if one.relation == "about"
        ]
    return lines


def _worst(rows: Records, key: str, least_favourable: Callable[[float, float], float]) -> Records:
    """Return the least favourable value of each family and number of rows."""
    values: dict[tuple[str, int], float] = {}
    for row in sorted(rows, key=lambda row: row["n"]):
        if row[key] is not None:
            place, value = (row["family"], row["n"]), float(row[key])
            values[place] = least_favourable(value, values.get(place, value))
    return [{"family": family, "n": n, "value": value} for (family, n), value in values.items()]
