"""How the monitor by segment does: one of eight that drifts, which ones it names, and what it costs.

Run it as ``python benchmarks/monitor_segments.py -o FOLDER``; the folder keeps every run, so that a study which was
stopped goes on where it was. Each run has 24 batches of 2,000 rows in eight segments. The logits of one segment are .7
higher from the 13th batch on, or none are. After every batch it is asked which segments e-BH names. The share of false
names is that of the list of one report, 0 where nobody is named; in the stream without drift every name is false. What
is tested is exact calibration.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

import fitontest as fot
import monitor_streams as streams
from monitor_power import delays, median, names_of
from report import machine_facts, markdown
from run_records import recorded, share

ALPHA = 0.05
SHIFTS = {"one segment +.7": 0.7, "no drift": 0.0}
WRONG = "s0"  # the segment that drifts
HEADER = ("stream", "runs", "with an alarm", "median delay", "middle half", "CPU of a batch (ms)", "state (kB)")
LISTS = (
    "stream",
    "runs",
    "wrong one named in the end",
    "median delay of its name",
    "share of false names in the end",
    "a false name in any list",
    "a false alarm of a segment",
)


def run_of(shift: float, run: int) -> dict[str, Any]:
    """Return when all together alarmed, who was named after each batch, and which segments alarmed."""
    monitor = fot.monitor.Monitor(level=1 - ALPHA, tolerance=0)
    seconds, named = [], []
    for rows in streams.segmented(run, shift):
        start = time.process_time()
        evidence = monitor.update(rows.y, rows.p, by=names_of(rows))
        seconds.append(time.process_time() - start)
        named.append(sorted(evidence.named))
    return {
        "since": evidence.alarm_since,
        "named": named,
        "alarms": sorted(key for key, each in evidence.segments.items() if each.alarm),
        "cpu": float(np.median(seconds)),
        "state": len(monitor.to_json()),
    }


def delay_of_name(record: dict[str, Any]) -> dict[str, Any]:
    """Return the place of the first list that names the segment that drifts."""
    return {"since": next((k for k, names in enumerate(record["named"]) if WRONG in names), None)}


def false_share(names: list[str], *, drifts: bool) -> float:
    """Return the share of false names of a list; 0 of an empty one."""
    wrong = [name for name in names if not drifts or name != WRONG]
    return len(wrong) / max(len(names), 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("monitor_segments"), help="folder of the records")
    parser.add_argument("--runs", type=int, default=100, help="runs of each stream")
    options = parser.parse_args()
    start, rows, lists = time.perf_counter(), [], []
    for name, shift in SHIFTS.items():
        drifts = shift > 0.0
        records = recorded(options.output, name, options.runs, lambda run, shift=shift: run_of(shift, run))
        late = delays(records)
        quarters = " to ".join(f"{value:g}" for value in np.quantile(late, (0.25, 0.75))) if late.size else "-"
        alarms = share(record["since"] is not None for record in records)
        cpu, size = (np.median([record[key] for record in records]) for key in ("cpu", "state"))
        rows.append((name, f"{len(records)}", alarms, median(late), quarters, f"{cpu * 1e3:.0f}", f"{size / 1e3:.0f}"))
        shares = np.array([false_share(record["named"][-1], drifts=drifts) for record in records])
        ever = share(any(false_share(names, drifts=drifts) for names in record["named"]) for record in records)
        alarmed = share(any(not drifts or key != WRONG for key in record["alarms"]) for record in records)
        lists.append(
            (
                name,
                f"{len(records)}",
                share(WRONG in record["named"][-1] for record in records) if drifts else "-",
                median(delays([delay_of_name(record) for record in records])) if drifts else "-",
                f"{shares.mean():.3f} ± {shares.std() / np.sqrt(shares.size):.3f}",
                ever,
                alarmed,
            )
        )
    print(f"{machine_facts()}; {time.perf_counter() - start:.0f} s\n")
    print(f"Share of runs by batch {streams.BATCHES}, with its standard error; alpha = {ALPHA}\n")
    print(markdown(HEADER, rows))
    print("\nSegments that e-BH names, and alarms of a segment that stay\n")
    print(markdown(LISTS, lists))


if __name__ == "__main__":
    main()
