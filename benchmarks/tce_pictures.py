"""Figures 2 to 4 of the TCE paper with this package's displays: bins of equal mass, PAVA and PAVA-BC side by side."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import fitontest as fot
from fitontest.displays.small_multiples import SmallMultiples
from fitontest.exceptions import without_warnings
from tce_values import quantile_edges

TITLES = ("Equal mass", "PAVA", "PAVA-BC")
Limits = tuple[float, float] | None


def draw(y: np.ndarray, p: np.ndarray, name: str, stem: Path, limits: Limits) -> Iterator[Path]:
    """Write STEM_maps.svg, the share of positives in each bin, and STEM_tests.svg, the predictions that are rejected."""
    with without_warnings():
        yield maps(y, p, name, limits).save(Path(f"{stem}_maps.svg"))
        yield tests(y, p, name, Path(f"{stem}_tests.svg"), limits)


def maps(y: np.ndarray, p: np.ndarray, name: str, limits: Limits) -> SmallMultiples:
    """Return reliability diagrams of the three maps that the bins make: the share of positives over each."""
    sample = fot.ScoreSample(y, p)
    families = (fot.Flat(quantile_edges(p, 10)), fot.Isotonic(), fot.families.make("pava_bc"))
    measured = [
        (title, fot.calibration_error(y, p, family=family), sample)
        for title, family in zip(TITLES, families, strict=True)
    ]
    shown = fot.ReliabilityDisplay.side_by_side(measured, "probability", limits, title=name, band={"kind": None})
    return shown.plot()


def tests(y: np.ndarray, p: np.ndarray, name: str, path: Path, limits: Limits) -> Path:
    """Write the test-based diagrams with the three kinds of bins, on one axis of predictions."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(17.0, 5.6))
    partitions = (quantile_edges(p, 10), "pava", "pava_bc")
    for part, title, partition in zip(figure.subfigures(1, 3), TITLES, partitions, strict=True):
        shown = fot.TCEDisplay.from_predictions(
            y, p, partition=partition, scale="probability", limits=limits, name=f"{title}, {name}", ax=part
        )
    return shown.save(path)
