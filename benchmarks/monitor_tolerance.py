"""How often the monitor alarms within its default tolerance of 10 % in ratio, and how soon it finds what is beyond.

Run it as ``python benchmarks/monitor_tolerance.py -o FOLDER``; the folder keeps every run, so that a stopped study goes
on where it was. Streams have 24 batches, whose scores have normal logits of standard deviation 1 and a mean rate of
.01, .1 or .3. Within the tolerance the rates are the scores; or off by the whole tolerance, up or down, at every score;
or off by a wave over the scores that moves from batch to batch and reaches both ends of the tolerance. Beyond it all
logits are higher from batch 13 on, by as much as makes O:E 1.2, 1.3 or 1.5. Then come the streams of
``monitor_streams.py`` that break what the guarantee assumes. Nothing was chosen on any of these streams.
"""

import argparse
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtri

import fitontest as fot
import monitor_streams as streams
from monitor_false_alarms import ALPHA, p_value_alone
from monitor_power import delays, median
from report import machine_facts, markdown
from run_records import recorded, share

TOLERANCE = 0.1
RATES = (0.01, 0.1, 0.3)
RATIOS = (1.2, 1.3, 1.5)
LARGE = 20_000
QUANTILES = ndtri((np.arange(20_000) + 0.5) / 20_000)  # of a normal distribution, by which means are computed
NULL_HEADER = ("stream", "rate", "rows a batch", "runs", "alarm", "largest E", "a test of each batch")
POWER_HEADER = ("O:E from batch 13 on", "rate", "rows a batch", "runs", "found", "median delay")

Away = Callable[[np.ndarray, int], Any]  # of scores and the place of a batch, the part of the tolerance that is used
WITHIN: dict[str, Away] = {
    "calibrated": lambda p, place: 0.0,  # noqa: ARG005
    "O:E 1.1 at every score": lambda p, place: 1.0,  # noqa: ARG005
    "O:E 0.9 at every score": lambda p, place: -1.0,  # noqa: ARG005
    "drifting within": lambda p, place: np.sin(2.0 * logit(p) + 2.0 * np.pi * place / 8.0),
}


def centre_of(rate: float) -> float:
    """Return the mean logit of scores of this mean."""
    return float(brentq(lambda centre: expit(centre + QUANTILES).mean() - rate, -20.0, 0.0))


def shift_of(ratio: float, centre: float) -> float:
    """Return the shift of all logits that multiplies the mean rate by this."""
    rate = expit(centre + QUANTILES).mean()
    return float(brentq(lambda shift: expit(centre + shift + QUANTILES).mean() - ratio * rate, 0.0, 5.0))


def within(name: str, rate: float, n: int, run: int) -> Iterable[streams.Rows]:
    """Return the batches of a stream that stays within the tolerance."""
    centre = centre_of(rate)
    for place in range(streams.BATCHES):
        rng = streams.generator(f"{name}, rate {rate:g}, {n}", run, place)
        p = streams.scores(rng, n, centre)
        yield streams.labelled(rng, p, p + TOLERANCE * WITHIN[name](p, place) * np.minimum(p, 1.0 - p))


def beyond(ratio: float, rate: float, n: int, run: int) -> Iterable[streams.Rows]:
    """Return the batches of a stream whose O:E changes with batch 13."""
    centre = centre_of(rate)
    shift = shift_of(ratio, centre)
    for place in range(streams.BATCHES):
        rng = streams.generator(f"O:E {ratio:g}, rate {rate:g}, {n}", run, place)
        p = streams.scores(rng, n, centre)
        yield streams.labelled(rng, p, expit(logit(p) + shift) if place >= streams.FIRST_DRIFT else p)


def run_of(batches: Iterable[streams.Rows], *, to_alarm: bool = False) -> dict[str, Any]:
    """Return when the monitor alarmed in one run, its largest evidence, and when the first test of a batch did."""
    monitor = fot.monitor.Monitor(level=1 - ALPHA, tolerance=TOLERANCE, tolerance_unit="ratio")
    alone = None
    for place, rows in enumerate(batches):
        evidence = monitor.update(rows.y, rows.p)
        if alone is None and p_value_alone(rows) < ALPHA:
            alone = place
        if to_alarm and evidence.alarm:
            break
    return {"since": evidence.alarm_since, "alone": alone, "highest": max(evidence.log_es)}


def described(label: tuple[str, str], n: int, records: list[dict[str, Any]]) -> tuple[str, ...]:
    """Return the row of a stream whose alarms are false, or of one that breaks an assumption."""
    alarm, alone = (share(record[key] is not None for record in records) for key in ("since", "alone"))
    highest = np.exp(max(record["highest"] for record in records))
    return (*label, f"{n:,}", f"{len(records)}", alarm, f"{highest:.3g}", alone)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("monitor_tolerance"), help="folder of the records")
    parser.add_argument("--runs", type=int, default=40, help="runs of each stream within the tolerance")
    parser.add_argument("--large", type=int, default=40, help="runs with 20,000 rows a batch at the ends of it")
    parser.add_argument("--drifts", type=int, default=40, help="runs of each stream beyond it")
    parser.add_argument("--breaks", type=int, default=40, help="runs of each stream that breaks an assumption")
    options = parser.parse_args()
    start, false, found, broken = time.perf_counter(), [], [], []

    def made(name: str, runs: int, stream: Callable[[int], Iterable[streams.Rows]], **how: Any) -> list[dict[str, Any]]:
        return recorded(options.output, name, runs, lambda run: run_of(stream(run), **how)) if runs else []

    cases = [(name, rate, streams.ROWS, options.runs) for name in WITHIN for rate in RATES]
    cases += [(name, 0.1, LARGE, options.large) for name in list(WITHIN)[1:]]
    for name, rate, n, runs in cases:
        records = made(f"{name}, rate {rate}, {n}", runs, lambda run, case=(name, rate, n): within(*case, run))
        false += [described((name, f"{rate:g}"), n, records)] if records else []
    for ratio in RATIOS:
        for rate in RATES:
            case = (ratio, rate, streams.ROWS)
            records = made(
                f"O:E {ratio}, rate {rate}", options.drifts, lambda run, case=case: beyond(*case, run), to_alarm=True
            )
            if records:
                hits = share(record["since"] is not None for record in records)
                late = median(delays(records))
                found.append((f"{ratio:g}", f"{rate:g}", f"{streams.ROWS:,}", f"{len(records)}", hits, late))
    for name in [*streams.BREAKS, *streams.GROUPED_NULLS]:  # groups are not named
        records = made(name, options.breaks, lambda run, name=name: streams.null_stream(name, run))
        broken += [described((name, "0.05"), LARGE if "20,000" in name else streams.ROWS, records)] if records else []
    print(f"{machine_facts()}; {time.perf_counter() - start:.0f} s\n")
    print(f"Share of runs with an alarm by batch {streams.BATCHES}, with its standard error; alpha = {ALPHA}\n")
    for header, rows in ((NULL_HEADER, false), (POWER_HEADER, found), (NULL_HEADER, broken)):
        print(f"{markdown(header, rows)}\n" if rows else "", end="")


if __name__ == "__main__":
    main()
