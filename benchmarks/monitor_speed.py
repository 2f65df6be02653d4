"""What a batch costs the monitor, in CPU time and in bytes of its state, beside probcal in the same process.

Run it as ``python benchmarks/monitor_speed.py [--batches 24] [--many 1000]``, on a machine that does nothing else, with
OMP_NUM_THREADS=1. "CPU": milliseconds of CPU time of an update, as the median of all batches but the first four, which
fit no maps yet, and the largest of them; rows are arrays of distinct scores, drawn before the clock starts. Bytes of
the state are those of ``to_json()``. If nothing else is said exact calibration is tested. The rival is asked where it
is installed (``pip install probcal==0.4.0``), as it is by default.
"""

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

import fitontest as fot
import monitor_streams as streams
from monitor_power import NO_RIVAL, rival_monitor
from report import machine_facts, markdown

WARM = 4  # batches that are not counted
LARGE = 1_000_000
ROWS_A_DAY = 1e8


def batch_of(n: int, place: int) -> streams.Rows:
    """Return a batch of calibrated scores."""
    return streams.calibrated(streams.generator(f"speed, {n}", 0, place), place, n)


def timed(action: Callable[[], object]) -> float:
    """Return the milliseconds of CPU time of a call."""
    start = time.process_time()
    action()
    return 1e3 * (time.process_time() - start)


def of_updates(
    monitor: Any, batches: int, n: int, how: Callable[[streams.Rows], tuple[Any, ...]], **columns: Any
) -> Any:
    """Return the time of each update."""
    spent = []
    for place in range(batches):
        rows = batch_of(n, place)
        given, named = how(rows), {name: column(rows) for name, column in columns.items()}
        spent.append(timed(lambda given=given, named=named: monitor.update(*given, **named)))
    return np.array(spent)


def told(name: str, spent: np.ndarray) -> tuple[str, str, str]:
    """Return a row of the table."""
    return name, f"{np.median(spent[WARM:]):.1f}", f"{spent[WARM:].max():.1f}"


def segments_of(rows: streams.Rows) -> np.ndarray:
    """Return the name of one of eight segments for each row."""
    return np.char.add("s", (np.arange(rows.y.size) % streams.SEGMENTS).astype(str))


def sizes(counts: list[int], **settings: Any) -> list[int]:
    """Return the bytes of the state after so many batches of 2,000 rows, in one stream."""
    monitor, made = fot.monitor.Monitor(**settings), []
    for before, count in pairwise([0, *sorted(counts)]):
        for place in range(before, count):
            rows = batch_of(streams.ROWS, place)
            monitor.update(rows.y, rows.p, batch=f"batch {place}")
        made.append(len(monitor.to_json().encode()))
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batches", type=int, default=24, help="updates that are timed, of each kind")
    parser.add_argument("--many", type=int, default=1000, help="batches after which the state is measured too")
    options = parser.parse_args()

    def as_rows(rows: streams.Rows) -> tuple[Any, ...]:
        return rows.y, rows.p

    def as_cells(rows: streams.Rows) -> tuple[Any, ...]:
        return (fot.Cells.of(rows.y, rows.p),)

    large = min(options.batches, WARM + 4)
    table = [
        told(f"{n:,} rows", of_updates(fot.monitor.Monitor(tolerance=0), options.batches, n, as_rows))
        for n in (200, streams.ROWS, 20_000)
    ]
    table += [
        told(
            "2,000 rows, max_error=.02", of_updates(fot.monitor.Monitor(max_error=0.02), options.batches, 2000, as_rows)
        ),
        told(
            "2,000 rows, tolerance=.005",
            of_updates(
                fot.monitor.Monitor(tolerance=0.005, tolerance_unit="probability"), options.batches, 2000, as_rows
            ),
        ),
        told(
            "2,000 rows, 8 segments",
            of_updates(fot.monitor.Monitor(tolerance=0), options.batches, 2000, as_rows, by=segments_of),
        ),
        told("1,000,000 rows as cells", of_updates(fot.monitor.Monitor(tolerance=0), large, LARGE, as_cells)),
    ]
    rows = batch_of(LARGE, 0)
    passes = np.array([timed(lambda: as_cells(rows)) for _ in range(WARM + 4)])
    table.append(told("the pass that makes cells of 1,000,000 rows", passes))
    rival = rival_monitor()
    if rival is not None:
        spent = of_updates(rival, options.batches, streams.ROWS, lambda rows: (rows.y.astype(float), rows.p))
        table.append(told("probcal, 2,000 rows", spent))
    print(f"{machine_facts()}\n")
    print(markdown(("a batch of", "CPU, ms", "largest"), table))
    minutes = np.median(passes) * ROWS_A_DAY / LARGE / 6e4
    print(f"\n{ROWS_A_DAY:,.0f} rows a day are {minutes:.1f} minutes of CPU time, by the pass of cells.\n")
    counts = [options.batches, options.many]
    states = [
        ("one stream", *(f"{size:,}" for size in sizes(counts))),
        ("with max_error=.02", *(f"{size:,}" for size in sizes(counts, max_error=0.02))),
    ]
    if rival is not None:
        states.append(("probcal", f"{len(rival.to_json().encode()):,}", "not measured"))
    print(markdown(("bytes of the state", *(f"after {count:,} batches of 2,000 rows" for count in counts)), states))
    if rival is None:
        print(f"\n{NO_RIVAL}.")


if __name__ == "__main__":
    main()
