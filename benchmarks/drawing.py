"""Drawing the diagrams of many predictions, beyond the fit, against scikit-learn's CalibrationDisplay with a histogram.

Run it as ``python benchmarks/drawing.py``; ``--quick`` takes a tenth of the rows. Every call ends with an SVG file in
memory. scikit-learn's display computes its bins too, ours gets the fitted error and computes the table of the diagram:
neither's time holds a cross-validation or an optimisation.
"""

import argparse
import io
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from sklearn.calibration import CalibrationDisplay

import fitontest as fot
from report import machine_facts, markdown, number
from timing import paired, peak_bytes

Data = tuple[np.ndarray, np.ndarray]

HEADER = ("diagram", "n", "ours (s)", "scikit-learn (s)", "ours / theirs", "SVG (kB)", "theirs (kB)", "memory / input")
PAIRS = 5
FAMILIES = ("slope1", "flat", "isotonic", "beta", "pl", "pl3")


def scores(n: int) -> Data:
    """Return labels and scores, most of them next to 0 and 1, whose true map is p ** 1.2."""
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 0.5, n)
    return rng.random(n) < p**1.2, p


def blank() -> Figure:
    return Figure(figsize=(5.2, 6.4), layout="constrained")


def as_svg(figure: Figure) -> int:
    """Return the size of the figure as SVG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="svg")
    return buffer.getbuffer().nbytes


def reliability(error: fot.measures.Estimate, data: Data, scale: str) -> int:
    display = fot.ReliabilityDisplay.from_estimate(error, fot.ScoreSample(*data), scale=scale, band={"kind": None})
    return as_svg(display.plot(blank()).figure_)


def tests(error: fot.measures.Estimate, data: Data, scale: str) -> int:
    display = fot.displays.TCEDisplay(error, fot.ScoreSample(*data), scale=scale)
    return as_svg(display.plot(blank()).figure_)


def theirs(data: Data) -> int:
    figure = blank()
    main, below = figure.subplots(2, 1, height_ratios=(3, 1))
    CalibrationDisplay.from_predictions(*data, n_bins=10, ax=main)
    below.hist(data[1], bins=20)
    return as_svg(figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    divisor = 10 if parser.parse_args().quick else 1
    rows = []
    for n in (10_000 // divisor, 1_000_000 // divisor):
        data = scores(n)
        calls = {
            f"{family}, {scale}": partial(reliability, fot.calibration_error(*data, family=family), data, scale)
            for family in FAMILIES
            for scale in ("probability", "logit")
        }
        calls |= {
            f"tce, {partition}": partial(tests, fot.tce(*data, partition=partition, null_draws=0), data, "probability")
            for partition in ("pava_bc", "pava")
        }
        other = partial(theirs, data)
        other_size = other()
        for name, call in calls.items():
            size = call()
            times = paired(call, other, PAIRS)
            memory = peak_bytes(call) / (data[0].nbytes + data[1].nbytes)
            cells = [times.ours_ms / 1e3, times.theirs_ms / 1e3, times.ratio, size / 1e3, other_size / 1e3, memory]
            rows.append([name, f"{n:,}", *map(number, cells)])
    print(machine_facts())
    print(markdown(HEADER, rows))


if __name__ == "__main__":
    main()
