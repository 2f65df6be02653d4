"""How often the monitor alarms where nothing is wrong, over 24 and 240 batches, beside a test of each batch at .05.

Run it as ``python benchmarks/monitor_false_alarms.py -o FOLDER --runs 2000 --long 300``; the folder keeps every run, so
that a study which was stopped goes on where it was. What is tested is exact calibration. ``--breaks`` takes the streams
that break what the guarantee assumes: labels that are late by their value, shocks that all rows of a batch share,
groups whose rows are not named as such, and groups that return in every batch. ``--trifles`` takes scores that are off
by .02 logits, .0009 on average, with and without a tolerance of .002 in probability: there the alarms of the monitor
without one are right.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr

import fitontest as fot
import monitor_streams as streams
from report import machine_facts, markdown
from run_records import recorded, share

ALPHA = 0.05
HEADER = ("stream", "runs", "monitor", "CUSUM, run length 1,000", "a test of each batch")


def p_value_alone(rows: streams.Rows) -> float:
    """Return the p-value of the mean residual of one batch, from a normal distribution."""
    variance = (rows.p * (1.0 - rows.p)).sum()
    return float(2.0 * ndtr(-abs((rows.y - rows.p).sum()) / np.sqrt(variance)))


def run_of(batches: Iterable[streams.Rows], *, named: bool = True, tolerance: float = 0.0) -> dict[str, Any]:
    """Return when the monitor alarmed in one run, and when the first test of a batch did; None where neither did."""
    monitor = fot.monitor.Monitor(level=1 - ALPHA, tolerance=tolerance, tolerance_unit="probability")
    alone = cusum = None
    log_es = []
    for place, rows in enumerate(batches):
        groups = {"groups": rows.group} if named and rows.group is not None else {}
        evidence = monitor.update(rows.y, rows.p, **groups)
        log_es.append(evidence.log_e)
        if alone is None and p_value_alone(rows) < ALPHA:
            alone = place
        if cusum is None and evidence.cusum_alarm:
            cusum = place
    return {"since": monitor.alarm_since, "cusum": cusum, "alone": alone, "log_e": log_es[-1], "highest": max(log_es)}


def disguised(batches: Iterable[streams.Rows]) -> Iterable[streams.Rows]:
    """Return batches whose groups have new names in each, as if they did not return."""
    for place, rows in enumerate(batches):
        yield rows._replace(group=[f"{place}.{name}" for name in rows.group])


def studies(options: argparse.Namespace) -> dict[str, tuple[int, Callable[[int], dict[str, Any]]]]:
    """Return by name how many runs there are, and what makes one."""

    def of(name: str, **how: Any) -> Callable[[int], dict[str, Any]]:
        return lambda run: run_of(streams.null_stream(name, run), **how)

    if options.trifles:
        return {
            f"{name}, tolerance {tolerance:g}": (options.runs, of(name, tolerance=tolerance))
            for name in streams.TRIFLES
            for tolerance in (0.0, 0.002)
        }
    if not options.breaks:
        names = {**streams.NULLS, **streams.GROUPED_NULLS}
        return {name: (options.runs, of(name)) for name in names} | {
            name: (options.long, of(name)) for name in streams.LONG
        }
    unnamed = {f"{name}, not named": (options.runs, of(name, named=False)) for name in streams.GROUPED_NULLS}
    returning = {
        f"the same groups in {batches} batches, latent correlation {correlation:g}": (
            options.runs,
            lambda run, correlation=correlation, batches=batches: run_of(
                disguised(streams.returning_groups(correlation, run, batches))
            ),
        )
        for correlation, batches in ((0.3, streams.BATCHES), (0.6, streams.BATCHES), (0.6, 4 * streams.BATCHES))
    }
    return {name: (options.runs, of(name)) for name in streams.BREAKS} | unnamed | returning


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("monitor_false_alarms"), help="folder of the records")
    parser.add_argument("--runs", type=int, default=2000, help="runs of 24 batches of each stream")
    parser.add_argument("--long", type=int, default=300, help="runs of 240 batches")
    parser.add_argument("--breaks", action="store_true", help="streams that break an assumption")
    parser.add_argument("--trifles", action="store_true", help="scores that are off by .02 logits")
    parser.add_argument("--only", help="the streams whose names hold this text")
    options = parser.parse_args()
    start, rows = time.perf_counter(), []
    for name, (runs, maker) in studies(options).items():
        if not runs or (options.only and options.only not in name):
            continue
        records = recorded(options.output, name, runs, maker)
        columns = [share(record[key] is not None for record in records) for key in ("since", "cusum", "alone")]
        rows.append((name, f"{runs:,}", *columns))
    print(f"{machine_facts()}; {time.perf_counter() - start:.0f} s\n")
    print(f"Share of runs with an alarm, with its standard error; alpha = {ALPHA}\n")
    print(markdown(HEADER, rows))


if __name__ == "__main__":
    main()
