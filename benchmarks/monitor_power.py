"""How soon the monitor finds a drift: found by batch 24, median delay, and onset, beside probcal on the same streams.

Run it as ``python benchmarks/monitor_power.py -o FOLDER``; the folder keeps every run, so that a stopped study goes on
where it was. The drift is that of batches 13 to 24; a delay of 1 is an alarm in the batch that drifts first. Found
counts the few alarms before the drift too; delays do not. What is tested is exact calibration. The rival is asked
where it is installed (``pip install probcal==0.4.0``), as it is by default, in the same process on the same batches.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import fitontest as fot
import monitor_streams as streams
from report import machine_facts, markdown
from run_records import recorded, share

ALPHA = 0.05
SMALL = 200
HEADER = ("drift", "rows a batch", "runs", "found", "median delay", "middle half", "onset within a batch", "of runs")
RIVAL_HEADER = ("drift", "rows a batch", "runs", "found", "median delay", "found by probcal", "its median delay")
RIVAL_HEADER += ("monitor sooner", "probcal sooner")
NO_RIVAL = "probcal is not installed (pip install probcal==0.4.0), so that its columns are left out"

#: What the prototype of the algorithm found, of 100 runs, and its median delay; the bars that a release must reach.
PROTOTYPE = {
    "level +.2": (1.00, 6, 0.95),
    "level +.4": (1.00, 2, 0.95),
    "slope .8": (1.00, 6, 0.90),
    "slope 1.25": (1.00, 4, 0.95),
    "stairs": (0.87, 8, 0.75),
    "bump": (1.00, 3, 0.95),
    "wiggle": (1.00, 4, 0.95),
    "level +.4, 200 rows": (0.71, 9, 0.60),
    "one of 8 segments, by=": (1.00, 4, 0.95),
}


def rival_monitor(segments: Sequence[str] | None = None) -> Any:
    """Return a monitor of probcal as it is by default; None where it is not installed."""
    try:
        from probcal.monitor import CalibrationMonitor
    except ImportError:
        return None
    return CalibrationMonitor(alpha=ALPHA, grades=None if segments is None else tuple(segments))


def run_of(batches: Iterable[streams.Rows], *, by: bool = False) -> dict[str, Any]:
    """Return the place of the batch in which the monitor alarmed, None without an alarm, and the onset it then told."""
    monitor = fot.monitor.Monitor(level=1 - ALPHA, tolerance=0)
    for rows in batches:
        evidence = monitor.update(rows.y, rows.p, **({"by": names_of(rows)} if by else {}))
        if evidence.alarm:
            return {"since": evidence.alarm_since, "onset": evidence.onset}
    return {"since": None, "onset": None}


def rival_run_of(batches: Iterable[streams.Rows], *, by: bool = False) -> dict[str, Any]:
    """Return the same of probcal."""
    monitor = rival_monitor([f"s{k}" for k in range(streams.SEGMENTS)] if by else None)
    for place, rows in enumerate(batches):
        grade = {"grade": names_of(rows)} if by else {}
        if monitor.update(rows.y.astype(float), rows.p, label=str(place), **grade).alarm:
            return {"since": place}
    return {"since": None}


def names_of(rows: streams.Rows) -> np.ndarray:
    """Return the name of the segment of each row."""
    return np.char.add("s", rows.segment.astype(str))


def delays(records: Iterable[dict[str, Any]]) -> np.ndarray:
    """Return the delays of the alarms that came with or after the drift, 1 being its first batch."""
    since = [record["since"] for record in records if record["since"] is not None]
    return np.array([place - streams.FIRST_DRIFT + 1 for place in since if place >= streams.FIRST_DRIFT])


def earlier(records: Iterable[dict[str, Any]], others: Iterable[dict[str, Any]]) -> list[bool]:
    """Return for each run whether the first alarmed in an earlier batch than the second, or alone."""
    never = streams.BATCHES
    since = [[never if record["since"] is None else record["since"] for record in each] for each in (records, others)]
    return [first < second for first, second in zip(*since, strict=True)]


def median(of: np.ndarray) -> str:
    """Return the median of delays; a dash where there are none."""
    return f"{np.median(of):g}" if of.size else "-"


def described(name: str, n: int, records: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the row of a drift in the table of the monitor."""
    late = delays(records)
    quarters = " to ".join(f"{value:g}" for value in np.quantile(late, (0.25, 0.75))) if late.size else "-"
    onsets = [record["onset"] for record in records if record["since"] is not None and record["onset"] is not None]
    near = [abs(onset - streams.FIRST_DRIFT) <= 1 for onset in onsets]
    found = share(record["since"] is not None for record in records)
    return (
        name,
        f"{n:,}",
        f"{len(records)}",
        found,
        median(late),
        quarters,
        share(near) if near else "-",
        f"{len(near)}",
    )


def studies(options: argparse.Namespace) -> list[tuple[str, int, int, Callable[[int], Iterable[streams.Rows]], bool]]:
    """Return name, rows a batch, runs, the stream of a run, and whether segments are told, of each study."""

    def drifting(drift: str, n: int = streams.ROWS) -> Callable[[int], Iterable[streams.Rows]]:
        return lambda run: streams.drifting(drift, run, n)

    large = [(drift, streams.ROWS, options.runs, drifting(drift), False) for drift in streams.DRIFTS]
    small = [
        (f"{drift}, {SMALL} rows", SMALL, options.small, drifting(drift, SMALL), False)
        for drift in ("level +.4", "slope .8", "stairs")
    ]
    segments = [
        (f"one of {streams.SEGMENTS} segments{told}", streams.ROWS, options.segments, streams.segmented, by)
        for told, by in (("", False), (", by=", True))
    ]
    return [*large, *small, *segments]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("monitor_power"), help="folder of the records")
    parser.add_argument("--runs", type=int, default=100, help="runs of each drift")
    parser.add_argument("--small", type=int, default=200, help="runs with batches of 200 rows")
    parser.add_argument("--segments", type=int, default=30, help="runs with segments")
    parser.add_argument("--rival", type=int, default=50, help="runs of probcal, the first of each drift")
    parser.add_argument("--only", help="the drifts whose names hold this text")
    options = parser.parse_args()
    start, rows, beside = time.perf_counter(), [], []
    rival = options.rival if rival_monitor() is not None else 0
    for name, n, runs, stream, by in studies(options):
        if not runs or (options.only and options.only not in name):
            continue
        records = recorded(options.output, name, runs, lambda run, stream=stream, by=by: run_of(stream(run), by=by))
        rows.append(described(name, n, records))
        both = min(rival, runs)
        if both:
            theirs = recorded(
                options.output,
                f"probcal {name}",
                both,
                lambda run, stream=stream, by=by: rival_run_of(stream(run), by=by),
            )
            found = [share(record["since"] is not None for record in each) for each in (records[:both], theirs)]
            delay = [median(delays(each)) for each in (records[:both], theirs)]
            sooner = [share(pairs) for pairs in (earlier(records[:both], theirs), earlier(theirs, records[:both]))]
            beside.append((name, f"{n:,}", f"{both}", found[0], delay[0], found[1], delay[1], *sooner))
    print(f"{machine_facts()}; {time.perf_counter() - start:.0f} s\n")
    print(f"Share of runs with an alarm by batch {streams.BATCHES}, with its standard error; alpha = {ALPHA}\n")
    print(markdown(HEADER, rows))
    targets = [(name, f"{found:.2f}", f"{delay}", f"{bar:.2f}") for name, (found, delay, bar) in PROTOTYPE.items()]
    print("\nThe prototype of the algorithm, and the share that a release must find\n")
    print(markdown(("drift", "found", "median delay", "must be found"), targets))
    print(f"\n{markdown(RIVAL_HEADER, beside)}" if beside else f"\n{NO_RIVAL}")


if __name__ == "__main__":
    main()
