"""The league: accuracy, speed and memory beside the other packages for calibration that install from PyPI.

Usage: ``python benchmarks/league.py OUT [--part speed] [--only OPERATION ...] [--quick] [--page FILE]``, after ``pip
install -r benchmarks/league_requirements.txt`` (calibre needs Python 3.12). ``--part speed memory`` takes a quarter of
an hour and needs a machine that does nothing else; ``--part accuracy`` takes longer, whatever else the machine does
(OMP_NUM_THREADS=1 spares it idle threads). ``--quick`` takes 10,000 and 100,000 rows, three pairs, and two data sets of
each kind.

What is done is kept in OUT, a file for each operation and part: a run that was stopped goes on where it was, and parts
can be run at different times. What is there already is not measured again, whatever ``--largest`` and ``--pairs`` say;
``--quick`` has a folder of its own in OUT. A peer that does not install or run is left out, and named with the reason,
until its file is removed; so is one that is expected to take more than two seconds for a call. Every call of ours is
public, checks included. ``--page`` writes the tables of all that OUT holds into a page, between the marks that it has
for them.
"""

import argparse
import json
import multiprocessing
import re
import resource
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from league_accuracy import accuracy_table, calibrator_errors, estimator_errors
from league_calibrators import CALIBRATORS
from league_operations import OPERATIONS, OURS, Operation, Skipped
from league_peers import ESTIMATORS, Entry
from report import machine_facts, markdown, number, put, tell, versions
from timing import Call, paired

FIRST = 10_000
WARM_ROWS = 1_000
LIMIT = 2.0  # seconds that a call may be expected to take
ROW_SECONDS = 1.5  # that the pairs of a row may take, though one pair is always run
MEMORY_SECONDS = 30.0  # that a fresh process may take
IN_MEMORY = (  # operations whose memory is measured, since each answer takes a process of its own
    "ECE, equal width",
    "ECE, equal mass",
    "ECE, class-wise",
    "ECE, confidence",
    "isotonic",
    "Platt",
    "beta",
    "temperature",
    "histogram, equal width",
    "histogram, equal mass",
)


# ------------------------------------------------------------------------------------------------------ what is kept


@dataclass(frozen=True)
class Kept:
    """A folder of what was measured: a file for each part and each thing that it measures."""

    folder: Path

    def find(self, part: str, name: str, measure: Callable[[Skipped], list[dict[str, Any]]]) -> None:
        """Measure a thing, unless the folder has it."""
        path = self.folder / part / f"{re.sub('[^a-z0-9]+', '_', name.lower())}.json"
        if path.exists():
            return
        skipped = Skipped()
        rows = measure(skipped)
        path.parent.mkdir(parents=True, exist_ok=True)
        found = {"name": name, "facts": facts(), "rows": rows, "skipped": skipped.listed()}
        written = path.with_suffix(".part")
        written.write_text(json.dumps(found, indent=1))
        written.replace(path)  # whole, or not at all

    def read(self, part: str) -> tuple[list[dict[str, Any]], Skipped, list[str]]:
        """Return the rows of a part in the order of the operations, what was left out, and where it was measured."""
        found = [json.loads(path.read_text()) for path in sorted((self.folder / part).glob("*.json"))]
        order = {name: i for i, name in enumerate(OPERATIONS)}
        found.sort(key=lambda each: order.get(each["name"], 0))
        skipped = Skipped()
        for each in found:
            for who, what, reason in each["skipped"]:
                skipped.add(who, what, reason)
        rows = [row for each in found for row in each["rows"]]
        return rows, skipped, list(dict.fromkeys(each["facts"] for each in found))


def facts() -> str:
    """Return one line with the machine and the versions of the peers."""
    peers = dict.fromkeys(e.peer for kinds in (ESTIMATORS, CALIBRATORS) for entries in kinds.values() for e in entries)
    return f"{machine_facts()}; peers: {versions([*peers, 'torch'])}"


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


def speed_rows(operation: Operation, sizes: Sequence[int], pairs: int, skipped: Skipped) -> list[dict[str, Any]]:
    """Return the times of an operation beside each of its peers, from the smallest size up."""
    return [asdict(row) for row in _timed(operation, sizes, pairs, skipped)]


def _timed(operation: Operation, sizes: Sequence[int], pairs: int, skipped: Skipped) -> Iterable[Timed]:
    left = dict(zip((entry.name for entry in operation.entries), operation.entries, strict=True))
    seconds: dict[str, float] = {}
    _run(operation, WARM_ROWS, left, skipped)  # imports and compiles
    for before, n in zip((None, *sizes), sizes, strict=False):
        for name in [name for name in left if before and seconds[name] * n / before > LIMIT]:
            skipped.add(name, f"{operation.name} from n = {n:,}", f"more than {LIMIT:.0f} s expected")
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


def speed_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a row for each operation and peer: the ratio at each size, and both times in milliseconds."""
    sizes = sorted({row["n"] for row in rows})
    pairs: dict[tuple[str, str], dict[int, Mapping[str, Any]]] = {}
    for row in rows:
        pairs.setdefault((row["operation"], row["peer"]), {})[row["n"]] = row
    table = []
    for (operation, peer), found in pairs.items():
        cells = [ratio_of(found[n]) if n in found else "-" for n in sizes]
        apart = number(max(row["difference"] for row in found.values()))
        table.append((operation, peer, *cells, apart, next(iter(found.values()))["remark"] or "-"))
    return markdown(("operation", "peer", *(f"{n:,}" for n in sizes), "difference", "remark"), table)


def ratio_of(row: Mapping[str, Any]) -> str:
    """Return the ratio and both times; that of a faster peer is bold."""
    ratio = number(row["ratio"])
    return f"{f'**{ratio}**' if row['ratio'] > 1 else ratio} ({number(row['ours_ms'])} / {number(row['theirs_ms'])})"


def faster_peers(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return how many rows there are, and the list of those in which a peer takes less time."""
    slow = sorted((row for row in rows if row["ratio"] > 1), key=lambda row: -row["ratio"])
    lines = [
        f"* {row['operation']}, n = {row['n']:,}: {row['peer']} takes 1/{row['ratio']:.2f} of our time"
        + (f" [{row['remark']}]" if row["remark"] else "")
        for row in slow
    ]
    return "\n".join((f"A peer is faster in {len(slow)} of {len(rows)} measurements:", "", *lines))


# ------------------------------------------------------------------------------------------------------------ memory


def memory_rows(operation: Operation, n: int, skipped: Skipped) -> list[dict[str, Any]]:
    """Return the growth of the resident memory for us and for each peer, in sizes of the input."""
    rows = []
    for name in (OURS, *(entry.name for entry in operation.entries)):
        tell(f"memory: {operation.name}, {name}")
        growth = _growth_of(operation.name, name, n)
        if isinstance(growth, str):
            skipped.add(name, f"memory of {operation.name}", growth)
        else:
            rows.append({"operation": operation.name, "n": n, "who": name, "growth / input": growth})
    return rows


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


def memory_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a row for each operation: our growth, and those of the peers."""
    growths: dict[str, dict[str, str]] = {}
    for row in rows:
        growths.setdefault(row["operation"], {})[row["who"]] = number(row["growth / input"])
    table = [
        (operation, found.get(OURS, "-"), ", ".join(f"{who} {growth}" for who, growth in found.items() if who != OURS))
        for operation, found in growths.items()
    ]
    return markdown(("operation", "ours", "peers"), table)


# ------------------------------------------------------------------------------------------------------- the command


def accuracy_rows(n: int, seeds: int, skipped: Skipped) -> list[dict[str, Any]]:
    """Return the tables of a number of rows, each with its title."""
    of = f"n = {n:,}, {seeds} seeds, times 1000"
    tables = {
        f"|estimate - true mean |p - c||, {of}": estimator_errors(n, seeds, 1, skipped),
        f"|estimate - true root mean square of p - c|, {of}": estimator_errors(n, seeds, 2, skipped),
        f"mean |c_hat - c| at fresh scores, {of}": calibrator_errors(n, seeds, skipped),
    }
    return [
        {"title": title, "errors": [(who, each.tolist()) for who, each in errors]} for title, errors in tables.items()
    ]


def measure(kept: Kept, given: argparse.Namespace) -> None:
    """Measure what is asked for and not kept."""
    chosen = [OPERATIONS[name] for name in given.only or OPERATIONS]
    largest = min(given.largest, 10 * FIRST) if given.quick else given.largest
    sizes = [FIRST * 10**k for k in range(4) if FIRST * 10**k <= largest]
    pairs = given.pairs or (3 if given.quick else 5)
    for operation in chosen if "speed" in given.part else ():
        kept.find("speed", operation.name, partial(speed_rows, operation, sizes, pairs))
    for operation in chosen if "memory" in given.part else ():
        if operation.name in IN_MEMORY:
            kept.find("memory", operation.name, partial(memory_rows, operation, 10**5 if given.quick else 10**6))
    for n, seeds in ({1_000: 2} if given.quick else {1_000: 10, 10_000: 5}).items():
        if "accuracy" in given.part:
            kept.find("accuracy", f"{n:06}", partial(accuracy_rows, n, seeds))
    tell("")


def accuracy_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the tables of accuracy under their titles."""
    texts = []
    for row in rows:
        errors = [(who, np.array(each)) for who, each in row["errors"]]
        texts.append(f"{row['title']}\n\n{accuracy_table(errors)}")
    return "\n\n".join(texts)


def speed_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the table of times, and the peers that are faster."""
    return f"{speed_table(rows)}\n\n{faster_peers(rows)}"


TEXTS: dict[str, tuple[str, Callable[[Sequence[Mapping[str, Any]]], str]]] = {
    "speed": ("Speed: ours / peer (both in ms), by the number of rows", speed_text),
    "memory": ("Memory: largest growth of the resident set in a fresh process, in sizes of the input", memory_table),
    "accuracy": ("Accuracy", accuracy_text),
}


def told(kept: Kept) -> str:
    """Return the tables of all that is kept, in Markdown."""
    texts = []
    for part, (title, text_of) in TEXTS.items():
        rows, skipped, where = kept.read(part)
        if rows:
            texts.append("\n\n".join((f"### {title}", *where, text_of(rows), str(skipped))))
    return "\n\n".join(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder of what is measured")
    parser.add_argument("--quick", action="store_true", help="10,000 and 100,000 rows, three pairs, two seeds")
    parser.add_argument("--largest", type=int, default=10**7, metavar="N", help="most rows to time")
    parser.add_argument("--pairs", type=int, help="pairs of runs, fewer where they take long (5)")
    parser.add_argument("--only", nargs="+", choices=OPERATIONS, metavar="OPERATION", help=", ".join(OPERATIONS))
    parser.add_argument("--part", nargs="+", choices=TEXTS, default=tuple(TEXTS), help="some parts alone")
    parser.add_argument("--page", type=Path, metavar="FILE", help="a page to write the tables into")
    given = parser.parse_args()
    kept = Kept(given.out / "quick" if given.quick else given.out)
    measure(kept, given)
    text = told(kept)
    print(text)
    if given.page:
        put(given.page, "league", text)


if __name__ == "__main__":
    main()
