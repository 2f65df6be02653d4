"""The league: accuracy, speed and memory beside the other packages for calibration that install from PyPI.

Install them by ``pip install -r benchmarks/league_requirements.txt`` and run ``python benchmarks/league.py`` (an hour
on two cores); ``--quick`` takes 10,000 and 100,000 rows, three pairs, and two data sets of each kind. A peer that does
not install or run is left out, and named with the reason. Every call of ours is public, checks included.
"""

import argparse
import csv
import multiprocessing
import re
import resource
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from league_accuracy import SETS, accuracy_table, calibrator_errors, estimator_errors
from league_calibrators import CALIBRATORS
from league_operations import OPERATIONS, OURS, Operation, Skipped, predicted
from league_peers import ESTIMATORS, Entry
from report import machine_facts, markdown, number, tell
from timing import Call, paired

FIRST = 10_000
WARM_ROWS = 1_000
LIMIT = 20.0  # seconds that a call may be expected to take
ROW_SECONDS = 15.0  # that the pairs of a row may take, though one pair is always run
MEMORY_SECONDS = 120.0  # that a fresh process may take


# ------------------------------------------------------------------------------------------------------------- speed


@dataclass(frozen=True)
class Timed:
    """One row of the table of times."""

    operation: str
    n: int
    peer: str
    ours_ms: float
    theirs_ms: float
    ratio: float
    pairs: int
    difference: float
    remark: str

    def cells(self) -> tuple[str, ...]:
        """Return the row as text."""
        times = number(self.ours_ms), number(self.theirs_ms), number(self.ratio), str(self.pairs)
        return (self.operation, f"{self.n:,}", self.peer, *times, number(self.difference), self.remark or "-")


TIMED_HEADER = ("operation", "n", "peer", "ours (ms)", "peer (ms)", "ours / peer", "pairs", "difference", "remark")


def timed_rows(operation: Operation, sizes: Sequence[int], pairs: int, skipped: Skipped) -> Iterable[Timed]:
    """Yield the times of an operation beside each of its peers, from the smallest size up."""
    left = dict(zip((entry.name for entry in operation.entries), operation.entries, strict=True))
    seconds: dict[str, float] = {}
    _run(operation, WARM_ROWS, left, skipped)  # imports and compiles
    for before, n in zip((None, *sizes), sizes, strict=False):
        for name in [name for name in left if before and seconds[name] * n / before > LIMIT]:
            expected = seconds[name] * n / (before or n)
            skipped.add(name, f"{operation.name} at n = {n:,}", f"{expected:.0f} s expected, more than {LIMIT:.0f}")
            del left[name]
        if not left:
            return
        first = _run(operation, n, left, skipped)
        for name, entry in left.items():
            tell(f"{operation.name}, n = {n:,}, {name}")
            seconds[name] = first[name].with_fit
            both = first[OURS].seconds + first[name].seconds
            times = paired(first[OURS].call, first[name].call, max(1, min(pairs, int(ROW_SECONDS / both))))
            apart = float(np.max(np.abs(np.asarray(first[OURS].answer) - np.asarray(first[name].answer))))
            found = times.ours_ms, times.theirs_ms, times.ratio, len(times.ours), apart
            yield Timed(operation.name, n, name, *found, entry.remark)


@dataclass(frozen=True)
class First:
    """The first run of a call; `with_fit` also counts what came before it, the fit of a map that only predicts."""

    call: Call
    answer: Any
    seconds: float
    with_fit: float


def _run(operation: Operation, n: int, left: dict[str, Entry], skipped: Skipped) -> dict[str, First]:
    """Return the first runs, which warm everybody up; who fails is taken out."""
    p, y = operation.data(n)
    found = {}
    for name in (OURS, *left):
        tell(f"{operation.name}, n = {n:,}, {name}: first run")
        start = perf_counter()
        try:
            call = operation.bind(operation.answer(name), p, y)
            bound = perf_counter()
            answer = call()
        except Exception as error:
            if name == OURS:
                raise
            skipped.add(name, operation.name, error)
            del left[name]
        else:
            end = perf_counter()
            found[name] = First(call, answer, end - bound, end - start)
    return found


def faster_peers(rows: Sequence[Timed]) -> str:
    """Return the list of the rows in which a peer takes less time."""
    slow = sorted((row for row in rows if row.ratio > 1), key=lambda row: -row.ratio)
    lines = [
        f"* {row.operation}, n = {row.n:,}: {row.peer} takes 1/{row.ratio:.2f} of our time "
        f"({number(row.theirs_ms)} ms; ours {number(row.ours_ms)} ms)" + (f" [{row.remark}]" if row.remark else "")
        for row in slow
    ]
    return "\n".join(("Where a peer is faster:", "", *lines)) if slow else "No peer is faster anywhere."


# ------------------------------------------------------------------------------------------------------------ memory


def memory_rows(operation: Operation, n: int, skipped: Skipped) -> Iterable[dict[str, Any]]:
    """Yield the growth of the resident memory for us and for each peer, in sizes of the input."""
    for name in (OURS, *(entry.name for entry in operation.entries)):
        tell(f"memory: {operation.name}, {name}")
        growth = _growth_of(operation.name, name, n)
        if isinstance(growth, str):
            skipped.add(name, f"memory of {operation.name}", growth)
        else:
            yield {"operation": operation.name, "n": n, "who": name, "growth / input": growth}


def _growth_of(operation: str, who: str, n: int) -> float | str:
    """Return the growth in a fresh process, or why there is none; it reads the data, since making them takes more."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        p, y = OPERATIONS[operation].data(n)
        np.save(f"{folder}/p.npy", p)
        np.save(f"{folder}/y.npy", y)
        receiver, sender = context.Pipe(duplex=False)
        child = context.Process(target=_measure_growth, args=(sender, operation, who, folder))
        child.start()
        sender.close()
        try:
            return receiver.recv() if receiver.poll(MEMORY_SECONDS) else f"more than {MEMORY_SECONDS:.0f} s"
        except EOFError:
            return "its process ended"
        finally:
            child.kill()
            child.join()


def _measure_growth(sender: Connection, operation: str, who: str, folder: str) -> None:
    try:
        asked = OPERATIONS[operation]
        answer = asked.answer(who)
        asked.bind(answer, *asked.data(WARM_ROWS))()
        p, y = np.load(f"{folder}/p.npy"), np.load(f"{folder}/y.npy")
        call = asked.bind(answer, p, y)
        before = _peak(anew=True)
        call()
        sender.send((_peak() - before) / (p.nbytes + y.nbytes))
    except Exception as error:
        sender.send(f"{type(error).__name__}: {str(error).splitlines()[0]}")


def _peak(*, anew: bool = False) -> int:
    """Return the most bytes resident so far; with `anew` the count starts over from what is resident now.

    Linux is asked by its files: ``ru_maxrss`` starts at what the parent held, and would hide all that is smaller.
    """
    try:
        if anew:
            Path("/proc/self/clear_refs").write_text("5")
        found = re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())
    except OSError:
        found = None
    if found:
        return 1024 * int(found[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


# ------------------------------------------------------------------------------------------------------- the command


def peer_facts() -> str:
    """Return one line with the versions of the peers."""
    peers = dict.fromkeys(e.peer for kinds in (ESTIMATORS, CALIBRATORS) for entries in kinds.values() for e in entries)
    return "Peers: " + ", ".join(f"{name} {_version(name)}" for name in (*peers, "torch"))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "(not installed)"


def speed_part(chosen: Sequence[Operation], sizes: Sequence[int], pairs: int, folder: Path | None) -> None:
    skipped = Skipped()
    rows: list[Timed] = []
    for operation in chosen:
        rows += timed_rows(operation, sizes, pairs, skipped)
        write(folder, "speed", [asdict(row) for row in rows])  # what is done stays, should the rest be stopped
    tell("")
    print(f"Speed\n\n{markdown(TIMED_HEADER, [row.cells() for row in rows])}\n\n{skipped}\n\n{faster_peers(rows)}\n")


def memory_part(chosen: Sequence[Operation], n: int, folder: Path | None) -> None:
    skipped = Skipped()
    asked = [operation for operation in chosen if operation.bind is not predicted]
    rows: list[dict[str, Any]] = []
    for operation in asked:
        rows += memory_rows(operation, n, skipped)
        write(folder, "memory", rows)
    tell("")
    table = [(row["operation"], f"{row['n']:,}", row["who"], number(row["growth / input"])) for row in rows]
    title = "Memory: largest growth of the resident set in a fresh process, in sizes of the input"
    print(f"{title}\n\n{markdown(('operation', 'n', 'who', 'growth / input'), table)}\n\n{skipped}\n")


def accuracy_part(sizes: Sequence[int], seeds: int, folder: Path | None) -> None:
    skipped = Skipped()
    for n in sizes:
        of = f"n = {n:,}, {seeds} seeds, times 1000"
        tables = {
            f"mean_distance_{n}": (f"|estimate - true mean |p - c||, {of}", estimator_errors(n, seeds, 1, skipped)),
            f"root_mean_square_{n}": (
                f"|estimate - true root mean square of p - c|, {of}",
                estimator_errors(n, seeds, 2, skipped),
            ),
            f"calibrators_{n}": (f"mean |c_hat - c| at fresh scores, {of}", calibrator_errors(n, seeds, skipped)),
        }
        tell("")
        for name, (title, rows) in tables.items():
            print(f"Accuracy: {title}\n\n{accuracy_table(rows)}\n")
            write(folder, name, [{"who": who, **dict(zip(SETS, map(float, each), strict=True))} for who, each in rows])
    print(f"{skipped}\n")


def write(folder: Path | None, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write the rows as a file of the folder, if there is one."""
    if folder is None or not rows:
        return
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="10,000 and 100,000 rows, three pairs, two seeds")
    parser.add_argument("--largest", type=int, default=10**7, metavar="N", help="most rows to time")
    parser.add_argument("--pairs", type=int, help="pairs of runs, fewer where they take long (7)")
    parser.add_argument("--only", nargs="+", choices=OPERATIONS, metavar="OPERATION", help=", ".join(OPERATIONS))
    parser.add_argument("--part", choices=("speed", "memory", "accuracy"), help="one part alone")
    parser.add_argument("--csv", type=Path, metavar="FOLDER", help="also write every number to files there")
    given = parser.parse_args()
    chosen = [OPERATIONS[name] for name in given.only or OPERATIONS]
    largest = min(given.largest, 10 * FIRST) if given.quick else given.largest
    sizes = [FIRST * 10**k for k in range(4) if FIRST * 10**k <= largest]
    print(f"{machine_facts()}\n\n{peer_facts()}\n")
    if given.part in (None, "speed"):
        speed_part(chosen, sizes, given.pairs or (3 if given.quick else 7), given.csv)
    if given.part in (None, "memory"):
        memory_part(chosen, 10**5 if given.quick else 10**6, given.csv)
    if given.part in (None, "accuracy"):
        accuracy_part((1_000,) if given.quick else (1_000, 10_000), 2 if given.quick else 10, given.csv)


if __name__ == "__main__":
    main()
