"""Whether the lower bound on the mean error holds at every batch, and how near the true error it is after 24 batches.

Run it as ``python benchmarks/monitor_lower_bound.py -o FOLDER``; the folder keeps every run, so that a stopped study
goes on where it was. The bound of batch t says: in at least one batch so far the mean of |c - p| over its rows was at
least this. It holds in a run if it is above the largest of these means so far in no batch. Where the rows of each batch
have a mean error of just the edge, a monitor with this ``max_error`` alarms falsely where the bound has reached it.

A monitor computes much else; here its capital and its past alone are run, which gives the same bounds. The first run of
each stream is put through `fot.monitor.Monitor` too, and must give them to every digit.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logit

import fitontest as fot
import monitor_streams as streams
from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.capital import ErrorCapital
from fitontest.monitor.past import Past
from report import machine_facts, markdown
from run_records import recorded, share

ALPHA = 0.05
FAMILIES = ("spline", "isotonic")
SMALL, LARGE = 200, 20_000
EDGE, RARE_EDGE = 0.02, 0.002  # mean errors that are reached exactly
ROUNDING = 1e-9  # of a mean of errors
EDGES = ("stream", "edge", "runs", "bound above the truth", "false alarms")
VALUES = ("error", "rows a batch", "runs", "true", "bound after 24 batches", "prototype", "bound above the truth")

Rates = Callable[[np.ndarray, int], np.ndarray]  # from scores and the place of the batch


class Study(NamedTuple):
    """A stream: the rows of a batch, its scores and rates; and what the prototype of the algorithm found."""

    name: str
    scores: Callable[[np.random.Generator, int], np.ndarray]
    rates: Rates
    edge: float | None = None
    rows: int = streams.ROWS
    prototype: str = "-"


def usual(n: int) -> Callable[[np.random.Generator, int], np.ndarray]:
    """Return the maker of scores of mean .05."""
    return lambda rng, place: streams.scores(rng, n)  # noqa: ARG005 - all places are alike


def scaled(edge: float, sign: Callable[[np.ndarray], np.ndarray] = np.ones_like) -> Rates:
    """Return rates whose errors are as p (1 - p), of a mean of just the edge."""

    def rates(p: np.ndarray, place: int) -> np.ndarray:  # noqa: ARG001
        error = p * (1.0 - p)
        return p + sign(p) * edge * error / error.mean()

    return rates


def waves(p: np.ndarray) -> np.ndarray:
    """Return 1 and -1 by turns, of about a logit each."""
    return np.where(np.sin(3.0 * logit(p)) > 0.0, 1.0, -1.0)


def from_batch_13(truth: streams.Truth) -> Rates:
    """Return rates that are the scores in twelve batches."""
    return lambda p, place: truth(p) if place >= streams.FIRST_DRIFT else p


def until_batch_13(rates: Rates) -> Rates:
    """Return rates that are the scores from the thirteenth batch on."""
    return lambda p, place: p if place >= streams.FIRST_DRIFT else rates(p, place)


AT_EDGE = (
    Study("all rates too high", usual(streams.ROWS), scaled(EDGE), EDGE),
    Study("too high and too low by turns", usual(streams.ROWS), scaled(EDGE, waves), EDGE),
    Study("200 rows a batch", usual(SMALL), scaled(EDGE), EDGE),
    Study(
        "the scores drift",
        lambda rng, place: streams.scores(rng, streams.ROWS, streams.CENTRE + 0.06 * place, 0.7 + 0.03 * place),
        scaled(EDGE),
        EDGE,
    ),
    Study(
        "scores of two digits, 0 among them, every rate .02 higher",
        lambda rng, place: np.minimum(streams.scores(rng, streams.ROWS).round(2), 0.98),  # noqa: ARG005
        lambda p, place: p + EDGE,  # noqa: ARG005
        EDGE,
    ),
    Study(
        "seven scores",
        lambda rng, place: streams.grades(rng, place).p,
        scaled(EDGE),
        EDGE,
    ),
    Study(
        "rare events",
        lambda rng, place: streams.scores(rng, streams.ROWS, streams.RARE),  # noqa: ARG005
        scaled(RARE_EDGE),
        RARE_EDGE,
    ),
    Study("right from batch 13 on", usual(streams.ROWS), until_batch_13(scaled(EDGE)), EDGE),
)
OF_VALUE = (
    Study("level +.4", usual(streams.ROWS), lambda p, _: streams.level(0.4)(p), prototype=".0166"),
    Study("level +.4", usual(LARGE), lambda p, _: streams.level(0.4)(p), rows=LARGE, prototype=".0192"),
    Study("stairs", usual(streams.ROWS), lambda p, _: streams.stairs(p), prototype=".0029, .0014"),
    Study("stairs", usual(LARGE), lambda p, _: streams.stairs(p), rows=LARGE, prototype=".0062, .0041"),
    Study("level +.4 from batch 13", usual(streams.ROWS), from_batch_13(streams.level(0.4)), prototype=".0132"),
    Study("level +.4 from batch 13", usual(LARGE), from_batch_13(streams.level(0.4)), rows=LARGE, prototype=".0175"),
    Study("no error", usual(streams.ROWS), lambda p, _: p),
)


def batches_of(study: Study, run: int) -> Iterator[tuple[np.ndarray, np.ndarray, float]]:
    """Return labels, scores and the true mean error of each batch."""
    for place in range(streams.BATCHES):
        rng = streams.generator(f"lower bound, {study.name}, {study.rows}", run, place)
        p = study.scores(rng, place)
        c = study.rates(p, place)
        yield streams.labelled(rng, p, c).y, p, float(np.abs(c - p).mean())


def run_of(study: Study, run: int) -> dict[str, Any]:
    """Return the bound after each batch, and the true mean error of each."""
    capital, past, bounds, truths = ErrorCapital.first(FAMILIES), Past.none(), [], []
    for y, p, truth in batches_of(study, run):
        batch = Batch.of(CellSums.of_rows(p, y.astype(float), None, Resolution()))
        capital = capital.after(batch, past.logits(FAMILIES, batch))
        past = past.after(batch)
        bounds.append(capital.lower_bound(ALPHA))
        truths.append(truth)
    if run == 0:
        monitor = fot.monitor.Monitor(1 - ALPHA, families=FAMILIES)
        of_monitor = [monitor.update(y, p).error_low for y, p, _ in batches_of(study, run)]
        if of_monitor != bounds:
            raise RuntimeError(f"the monitor has other bounds of {study.name}: {of_monitor}, here {bounds}")
    return {"bounds": bounds, "truths": truths}


def is_above(record: dict[str, Any]) -> bool:
    """Return whether the bound was above the largest mean error so far in any batch."""
    return bool(np.any(np.array(record["bounds"]) > np.maximum.accumulate(record["truths"]) + ROUNDING))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("monitor_lower_bound"), help="folder of the records")
    parser.add_argument("--runs", type=int, default=300, help="runs of each stream")
    parser.add_argument("--large", type=int, default=100, help="runs with batches of 20,000 rows")
    options = parser.parse_args()
    start, edges, values = time.perf_counter(), [], []
    for study in (*OF_VALUE, *AT_EDGE):
        runs = options.large if study.rows == LARGE else options.runs
        name = f"{study.name}, {study.rows}"
        records = recorded(options.output, name, runs, lambda run, study=study: run_of(study, run))
        above = share(is_above(record) for record in records)
        last = np.array([record["bounds"][-1] for record in records])
        if study.edge is not None:
            alarms = share(record["bounds"][-1] >= study.edge for record in records)
            edges.append((study.name, f"{study.edge:g}", f"{runs}", above, alarms))
            continue
        true = np.mean([record["truths"][-1] for record in records])
        bound = f"{last.mean():.4f} ± {last.std(ddof=1) / np.sqrt(runs):.4f}"
        values.append((study.name, f"{study.rows:,}", f"{runs}", f"{true:.4f}", bound, study.prototype, above))
    print(f"{machine_facts()}; {time.perf_counter() - start:.0f} s\n")
    print(f"Mean lower bound with its standard error, and the share of runs in which it was too high; alpha = {ALPHA}")
    print(f"(prototype: of stairs with the signs of isotonic maps, and of splines)\n\n{markdown(VALUES, values)}\n")
    print("Share of runs, with its standard error, where each batch has a mean error of just the edge\n")
    print(markdown(EDGES, edges))


if __name__ == "__main__":
    main()
