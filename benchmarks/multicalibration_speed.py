"""How long cumulated residuals, segments with one maximum and their search take, beside MCGrad's.

Usage: ``python benchmarks/multicalibration_speed.py [--quick]``, in an environment where mcgrad is installed for its
columns; without it ours are timed alone. Times are those of the processor, so that threads count; memory is the peak of
what the call allocates, beside the size of its input.
"""

import argparse
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

import fitontest as fot
from report import machine_facts, markdown
from timing import paired, peak_bytes, seconds_of

try:
    import mcgrad.metrics as theirs
except ImportError:
    theirs = None


def rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < p).astype(int), p


def table(n: int, columns: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Return columns of which a quarter each are normal, whole, of eight categories and of two."""
    rng = np.random.default_rng(seed)
    kinds: tuple[Callable[[], np.ndarray], ...] = (
        lambda: rng.standard_normal(n),
        lambda: rng.poisson(4, n).astype(float),
        lambda: rng.integers(0, 8, n),
        lambda: rng.random(n) < 0.3,
    )
    found = {f"c{k}": kinds[k % 4]() for k in range(columns)}
    return {name: values.astype("U1") if values.dtype.kind == "i" else values for name, values in found.items()}


def show_measures(sizes: tuple[int, ...], pairs: int) -> str:
    """Time the ECCE of arrays, and of arrays with weights."""
    lines = []
    for n in sizes:
        y, p = rows(n)
        w = np.random.default_rng(1).random(n)
        for what, weights in (("", None), (" with weights", w)):

            def ours(y: Any = y, p: Any = p, w: Any = weights) -> Any:
                return fot.measure(y, p, "ecce", sample_weight=w, interval=None)

            if theirs is None:
                lines.append([f"ECCE{what}", f"{n:,}", f"{seconds_of(ours, process_time):.4f}", "-", "-", "-"])
                continue

            def other(y: Any = y, p: Any = p, w: Any = weights) -> Any:
                return theirs.ecce(y, p, w)

            found = paired(ours, other, pairs, process_time)
            gap = abs(float(ours()) - other())
            times = [f"{found.ours_ms / 1e3:.4f}", f"{found.theirs_ms / 1e3:.4f}", f"{found.ratio:.2f}", f"{gap:.1e}"]
            lines.append([f"ECCE{what}", f"{n:,}", *times])
    return markdown(("call", "rows", "ours (s)", "mcgrad (s)", "ratio", "difference"), lines)


def show_maximum(n: int) -> str:
    """Time 16 to 400 overlapping segments with one maximum, and the same segments by MCGrad without redraws."""
    lines = []
    y, p = rows(n)
    for columns in (2, 4, 8):
        by = {f"c{k}": np.random.default_rng(k).integers(0, 5, n) for k in range(columns)}

        def ours(by: Any = by) -> Any:
            return fot.evaluate(y, p, by=by, adjust="max", segments="pairs", against="scores")

        seconds = seconds_of(ours, process_time)
        tested = sum(ours().maxima["ecce"].maxima.tested)
        cells = [f"{n:,}", str(tested), f"{seconds:.2f}"]
        if theirs is not None:
            import pandas as pd

            frame = pd.DataFrame({"y": y, "p": p, **by})

            def other(frame: Any = frame, by: Any = by) -> Any:
                error = theirs.MulticalibrationError(
                    frame, "y", "p", categorical_segment_columns=list(by), max_depth=2, max_values_per_segment_feature=5
                )
                return error.mce_sigma

            cells.append(f"{seconds_of(other, process_time):.2f}")
        lines.append(cells)
    header = ("rows", "segments", "ours, 1,000 redraws of all labels (s)", "mcgrad, no redraw (s)")
    return markdown(header[: len(lines[0])], lines)


def show_search(cases: tuple[tuple[int, int], ...]) -> str:
    """Time the search with 500 draws, with the memory that it takes beside its input."""
    lines = []
    for n, columns in cases:
        y, p = rows(n)
        X = table(n, columns)
        size = y.nbytes + p.nbytes + sum(values.nbytes for values in X.values())

        def search(y: Any = y, p: Any = p, X: Any = X) -> Any:
            return fot.segments.find_segments(y, p, X)

        seconds = seconds_of(search, process_time)
        peak = peak_bytes(search)
        scanned = search().scanned if n < 100_000 else None
        many = "-" if scanned is None else f"{scanned:,}"
        lines.append([f"{n:,}", str(columns), many, f"{seconds:.2f}", f"{size / 2**20:.0f}", f"{peak / size:.1f}"])
    header = ("rows", "columns", "segments", "seconds", "input (MiB)", "memory beside it, times the input")
    return markdown(header, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rows, to try the script")
    quick = parser.parse_args().quick
    print(machine_facts())
    print("\nOne measure\n")
    print(show_measures((10_000,) if quick else (1_000, 10_000, 100_000, 1_000_000), 3 if quick else 15))
    print("\nMany segments with one maximum\n")
    print(show_maximum(1_000 if quick else 4_000))
    print("\nThe search, 500 draws\n")
    print(show_search(((600, 4),) if quick else ((3_000, 20), (30_000, 20), (1_000_000, 20))))


if __name__ == "__main__":
    main()
