"""How often the monitor of several classes alarms where nothing is wrong, and how soon where something is.

Run it as ``python benchmarks/monitor_classes.py -o FOLDER``; the folder keeps every run, so that a study which was
stopped goes on where it was. Each run has 24 batches of 500 rows. The logits of the classes of a row have a normal
distribution of standard deviation 1.5, and its scores are their shares. From the 13th batch on the labels are drawn of
a temperature of 1.25, or of a logit of the first class that is .4 higher. The monitor bets on each class against the
rest (classwise), and on the largest score (confidence). What is tested is exact calibration.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import softmax

import fitontest as fot
import monitor_streams as streams
from monitor_power import delays, median
from report import machine_facts, markdown
from run_records import recorded, share

ALPHA = 0.05
ROWS = 500
SPREAD = 1.5
CLASSES = (3, 10)
REDUCTIONS = ("classwise", "confidence")
HEADER = ("stream", "classes", "reduction", "runs", "with an alarm", "median delay", "CPU of a batch (ms)")

Drift = Callable[[np.ndarray], np.ndarray]


def hotter(z: np.ndarray) -> np.ndarray:
    """Return the logits of the truth where scores are too sure: those of a temperature of 1.25."""
    return z / 1.25


def first_class_up(z: np.ndarray) -> np.ndarray:
    """Return the logits of the truth where the first class has become more frequent."""
    return z + 0.4 * (np.arange(z.shape[1]) == 0)


DRIFTS: dict[str, Drift] = {
    "no drift": lambda z: z,
    "temperature 1.25": hotter,
    "one class +.4": first_class_up,
}


def batches(name: str, classes: int, run: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Return labels and scores of 24 batches whose truth changes with the 13th."""
    for place in range(streams.BATCHES):
        rng = streams.generator(f"{name}, {classes} classes", run, place)
        z = rng.normal(0.0, SPREAD, (ROWS, classes))
        truth = softmax(DRIFTS[name](z) if place >= streams.FIRST_DRIFT else z, axis=1)
        labels = (truth.cumsum(axis=1) < rng.random((ROWS, 1))).sum(axis=1).clip(max=classes - 1)
        yield labels, softmax(z, axis=1)


def run_of(name: str, classes: int, reduction: str, run: int) -> dict[str, Any]:
    """Return the place of the batch of the first alarm, the classes named in the end, and the CPU of a batch."""
    monitor = fot.monitor.Monitor(level=1 - ALPHA, tolerance=0, reduction=reduction, labels=[*range(classes)])
    seconds = []
    for y, p in batches(name, classes, run):
        start = time.process_time()
        evidence = monitor.update(y, p)
        seconds.append(time.process_time() - start)
    return {"since": evidence.alarm_since, "named": [*evidence.named], "cpu": float(np.median(seconds))}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("monitor_classes"), help="folder of the records")
    parser.add_argument("--runs", type=int, default=100, help="runs without drift")
    parser.add_argument("--drifting", type=int, default=20, help="runs of each drift")
    parser.add_argument("--only", help="the studies whose names hold this text")
    options = parser.parse_args()
    start, rows, named = time.perf_counter(), [], []
    for reduction in REDUCTIONS:
        for classes in CLASSES:
            for name in DRIFTS:
                study = f"{name}, {classes} classes, {reduction}"
                runs = options.runs if name == "no drift" else options.drifting
                if not runs or (options.only and options.only not in study):
                    continue
                records = recorded(
                    options.output,
                    study,
                    runs,
                    lambda run, name=name, classes=classes, reduction=reduction: run_of(name, classes, reduction, run),
                )
                alarms = share(record["since"] is not None for record in records)
                delay = "-" if name == "no drift" else median(delays(records))
                cpu = np.median([record["cpu"] for record in records]) * 1000.0
                rows.append((name, f"{classes}", reduction, f"{runs}", alarms, delay, f"{cpu:.1f}"))
                if reduction == "classwise":
                    first = [0 in record["named"] for record in records]
                    others = [len(set(record["named"]) - {0}) for record in records]
                    named.append((name, f"{classes}", f"{runs}", f"{np.mean(first):.2f}", f"{np.mean(others):.2f}"))
    print(f"{machine_facts()}; {time.perf_counter() - start:.0f} s\n")
    print(f"Share of runs with an alarm by batch {streams.BATCHES}, with its standard error; alpha = {ALPHA}\n")
    print(markdown(HEADER, rows))
    if named:
        print("\nClasses that e-BH names after the last batch, each against the rest\n")
        print(markdown(("stream", "classes", "runs", "the first class", "others, mean number"), named))


if __name__ == "__main__":
    main()
