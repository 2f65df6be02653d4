"""How often the monitor's intervals for level and slope hold the truth after all of 24 batches, and how wide they are.

Run it as ``python benchmarks/monitor_sequences.py -o FOLDER --runs 500``; the folder keeps every run, so that a study
which was stopped goes on where it was. The truth of each stream is one line of the logits, the same in all batches.
"held": the share of streams in which the interval has the truth after all 24 batches; "both" is level and slope, which
the monitor promises to hold at once with probability .95. "± width / 2": half the mean width after batches 1, 6 and 24,
of those that have both ends; "-" where more than half have not. "at slope 1" is the other interval that a level could
have, from the likelihood of shifts alone, with the same prior: narrower, and wrong where the slope is not 1.

``--changes`` takes streams whose truth changes with the 13th batch: after how many batches no line is left.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit, logsumexp

import monitor_streams as streams
from fitontest.data.cells.cell_sums import CellSums, Resolution
from fitontest.monitor.batches.batch import Batch
from fitontest.monitor.lines.sequence import LineSequence
from report import machine_facts, markdown
from run_records import recorded, share

ALPHA = 0.05
LOOKS = (1, 6, 24)
FEWEST = 10  # delays that have a median
SHIFTS = np.linspace(-3.0, 3.0, 3001)
LOG_PRIOR = -0.5 * (SHIFTS / 0.5) ** 2 - logsumexp(-0.5 * (SHIFTS / 0.5) ** 2)


class Stream(NamedTuple):
    """Calibrated or not: the logits of the truth are -3 + shift + slope (z + 3)."""

    shift: float = 0.0
    slope: float = 1.0
    n: int = streams.ROWS
    scores: Callable[[np.random.Generator, int, int], np.ndarray] = lambda rng, place, n: streams.scores(rng, n)  # noqa: ARG005
    correlation: float | None = None  # of the latent variables of the ten rows of a group

    def truth(self, p: np.ndarray) -> np.ndarray:
        """Return the true rates of scores."""
        return expit(streams.TURN + self.shift + self.slope * (logit(p) - streams.TURN))

    def level(self, centre: float) -> float:
        """Return the shift of the logits at a centre."""
        return self.shift + (self.slope - 1.0) * (centre - streams.TURN)

    def batches(self, name: str, run: int) -> Iterator[Batch]:
        """Return the batches of a run, with the exponents of groups."""
        for place in range(streams.BATCHES):
            rng = streams.generator(f"sequences, {name}", run, place)
            p = self.scores(rng, place, self.n)
            if self.correlation is None:
                y, weights = streams.labelled(rng, p, self.truth(p)).y, None
            else:
                y = streams.in_groups(rng, self.truth(p), self.correlation).y
                weights = np.full(p.size, 1.0 / streams.GROUP)
            yield Batch.of(CellSums.of_rows(p, y.astype(np.float64), weights, Resolution()))


def drifting_scores(rng: np.random.Generator, place: int, n: int) -> np.ndarray:
    """Return scores that rise and spread from batch to batch."""
    return streams.scores(rng, n, streams.CENTRE + 0.06 * place, 0.7 + 0.03 * place)


def rare_scores(rng: np.random.Generator, place: int, n: int) -> np.ndarray:  # noqa: ARG001
    """Return scores of mean .005."""
    return streams.scores(rng, n, streams.RARE)


def seven_scores(rng: np.random.Generator, place: int, n: int) -> np.ndarray:  # noqa: ARG001
    """Return scores of seven values."""
    return expit(np.clip(np.round(rng.normal(streams.CENTRE, 1.0, n)), -6.0, 0.0))


STREAMS = {
    "calibrated": Stream(),
    "level +.2": Stream(shift=0.2),
    "level -1": Stream(shift=-1.0),
    "slope .8": Stream(slope=0.8),
    "slope 1.25": Stream(slope=1.25),
    "slope .8, scores drift": Stream(slope=0.8, scores=drifting_scores),
    "200 rows": Stream(n=200),
    "rare events, level +.2": Stream(shift=0.2, scores=rare_scores),
    "seven scores, slope .8": Stream(slope=0.8, scores=seven_scores),
    "groups, latent correlation .3": Stream(correlation=0.3),
    "groups, latent correlation 1": Stream(correlation=1.0),
}
CHANGES = {"level +.2": (0.2, 1.0), "level +.4": (0.4, 1.0), "slope .8": (0.0, 0.8), "slope .5": (0.0, 0.5)}


def inside(ends: Any, truth: float) -> bool:
    """Return whether an interval has the truth; it has none where no line is left."""
    if ends is None:
        return False
    low, high = ends
    return (low is None or low <= truth) and (high is None or truth <= high)


def width(ends: Any) -> float | None:
    """Return the width of an interval; None where an end is open."""
    return None if ends is None or None in ends else ends[1] - ends[0]


def at_slope_one(sequence: LineSequence) -> tuple[float, float]:
    """Return the interval for a shift of all logits, of the likelihood of shifts alone."""
    logs = sequence.likelihood.log(SHIFTS[None, :], np.ones(1))[0]
    agrees = SHIFTS[logs >= logsumexp(logs + LOG_PRIOR) + np.log(ALPHA)]
    return float(agrees[0]), float(agrees[-1])


def run_of(name: str, run: int) -> dict[str, Any]:
    """Return whether the intervals held the truth after all batches, and how wide they were."""
    stream, sequence = STREAMS[name], None
    held = {"level": True, "slope": True, "at slope 1": True}
    widths: dict[str, list[float | None]] = {key: [] for key in held}
    for place, batch in enumerate(stream.batches(name, run), start=1):
        sequence = (sequence or LineSequence.first(batch)).after(batch, ALPHA)
        ends = {"level": sequence.level, "slope": sequence.slope, "at slope 1": at_slope_one(sequence)}
        level = stream.level(sequence.likelihood.centre)
        truths = {"level": level, "slope": stream.slope, "at slope 1": level}
        for key, interval in ends.items():
            held[key] = held[key] and inside(interval, truths[key])
            if place in LOOKS:
                widths[key].append(width(interval))
    return {"held": held, "widths": widths}


def changing(name: str, run: int) -> dict[str, Any]:
    """Return the place of the batch since which no line is left; None where one is after 24."""
    shift, slope = CHANGES[name]
    sequence = None
    for place in range(streams.BATCHES):
        stream = Stream(shift, slope) if place >= streams.FIRST_DRIFT else Stream()
        rng = streams.generator(f"sequences, change to {name}", run, place)
        p = streams.scores(rng, streams.ROWS)
        y = streams.labelled(rng, p, stream.truth(p)).y
        batch = Batch.of(CellSums.of_rows(p, y.astype(np.float64), None, Resolution()))
        sequence = (sequence or LineSequence.first(batch)).after(batch, ALPHA)
        if sequence.refuted:
            return {"since": place}
    return {"since": None}


def half_widths(records: list[dict[str, Any]], key: str) -> str:
    """Return half of the mean width at each look."""
    said = []
    for k in range(len(LOOKS)):
        closed = [record["widths"][key][k] for record in records if record["widths"][key][k] is not None]
        said.append(f"{np.mean(closed) / 2:.3f}" if len(closed) > len(records) / 2 else "-")
    return ", ".join(said)


def row_of(name: str, records: list[dict[str, Any]]) -> list[str]:
    """Return the line of a stream."""
    both = share(record["held"]["level"] and record["held"]["slope"] for record in records)
    cells = [name, both]
    for key in ("level", "at slope 1", "slope"):
        cells += [share(record["held"][key] for record in records), half_widths(records, key)]
    return cells


def change_row(name: str, records: list[dict[str, Any]]) -> list[str]:
    """Return the line of a stream whose truth changes."""
    since = [record["since"] for record in records]
    delays = [place - streams.FIRST_DRIFT + 1 for place in since if place is not None and place >= streams.FIRST_DRIFT]
    early = share(place is not None and place < streams.FIRST_DRIFT for place in since)
    return [
        name,
        early,
        share(place is not None for place in since),
        f"{np.median(delays):g}" if len(delays) >= FEWEST else "-",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("monitor_sequences"), help="folder of the records")
    parser.add_argument("--runs", type=int, default=500, help="runs of each stream")
    parser.add_argument("--changes", action="store_true", help="streams whose truth changes")
    parser.add_argument("--only", default="", help="the streams whose names hold this text")
    options = parser.parse_args()
    start, rows = time.perf_counter(), []
    for name in [name for name in (CHANGES if options.changes else STREAMS) if options.only in name]:
        maker = changing if options.changes else run_of
        title = f"change to {name}" if options.changes else name
        records = recorded(options.output, title, options.runs, lambda run, name=name, maker=maker: maker(name, run))
        rows.append((change_row if options.changes else row_of)(name, records))
    print(f"{machine_facts()}; {time.perf_counter() - start:.0f} s\n")
    if options.changes:
        print(f"Streams that change with the 13th of 24 batches, {options.runs} each; alpha = {ALPHA}\n")
        print(markdown(("change", "no line left before", "by batch 24", "median delay, 1 = at once"), rows))
        return
    print(f"{options.runs} streams of each, 24 batches; share with its standard error; alpha = {ALPHA}\n")
    widths = "± width / 2, batch 1, 6, 24"
    print(markdown(("stream", "both held", "level", widths, "at slope 1", widths, "slope", widths), rows))


if __name__ == "__main__":
    main()
