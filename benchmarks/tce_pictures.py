"""Figures 2 to 4 of the TCE paper with this package's displays: bins of equal mass, PAVA and PAVA-BC side by side."""

from pathlib import Path

import numpy as np

import fitontest as fot
from fitontest.results.exceptions import without_warnings
from report import markdown
from tce_values import quantile_edges

TITLES = ("Equal mass", "PAVA", "PAVA-BC")
MAPS_SIZE, TESTS_SIZE = (9.1, 4.7), (13.0, 4.9)  # inches
DPI = 120
Limits = tuple[float, float] | None


FEW = 20  # rows


def partitions_of(p: np.ndarray) -> dict[str, object]:
    """Return the three kinds of bins by their titles, in the order of the panels."""
    return dict(zip(TITLES, (quantile_edges(p, 10), "pava", "pava_bc"), strict=True))


def describe(y: np.ndarray, p: np.ndarray) -> str:
    """Return in Markdown how many bins there are of each kind, how large they are, and the TCE."""
    rows = []
    with without_warnings():
        for title, partition in partitions_of(p).items():
            error = fot.tce(y, p, partition=partition, null_draws=0)
            n = error.table.n
            rows.append([title, f"{n.size}", f"{n.min():,}", f"{n.max():,}", f"{(n < FEW).sum()}", f"{error:.1%}"])
    return markdown(["bins", "number", "fewest rows", "most rows", f"of fewer than {FEW} rows", "TCE"], rows)


def draw(y: np.ndarray, p: np.ndarray, name: str, stem: Path, limits: Limits) -> list[Path]:
    """Write STEM_maps, the share of positives over each bin, and STEM_tests, the predictions that are rejected."""
    with without_warnings():
        shown = {"maps": maps(y, p, name, limits), "tests": tests(y, p, name, limits)}
        return [one.save(Path(f"{stem}_{kind}.png"), dpi=DPI) for kind, one in shown.items()]


def maps(y: np.ndarray, p: np.ndarray, name: str, limits: Limits) -> fot.ReliabilityDisplay:
    """Return reliability diagrams of the maps that the bins make: the share of positives over each."""
    from matplotlib.figure import Figure

    sample = fot.ScoreSample(y, p)
    families = (fot.Flat(quantile_edges(p, 10)), fot.Flat(scheme="pava"), fot.families.make("pava_bc"))
    measured = [
        (title, fot.calibration_error(y, p, family=family, interval=None), sample)
        for title, family in zip(TITLES, families, strict=True)
    ]
    shown = fot.ReliabilityDisplay.side_by_side(measured, "probability", limits, title=name, band={"kind": None})
    return shown.plot(Figure(figsize=MAPS_SIZE, layout="constrained"))


def tests(y: np.ndarray, p: np.ndarray, name: str, limits: Limits) -> fot.displays.TCEDisplay:
    """Return the last of the test-based diagrams with the three kinds of bins; all are in its figure."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=TESTS_SIZE)
    figure.suptitle(name, fontsize="large")
    for part, (title, partition) in zip(figure.subfigures(1, 3), partitions_of(p).items(), strict=True):
        part.subplots_adjust(left=0.19, right=0.88, top=0.85)
        error = fot.tce(y, p, partition=partition, null_draws=0)
        shown = error.plot(part, scale="probability", limits=limits)
        shown.ax_.set_title(f"{title}: TCE {shown.error:.1%}", fontsize="medium", loc="left")  # short
    return shown
