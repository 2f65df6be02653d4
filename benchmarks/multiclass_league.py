"""The league of maps of several classes: fitted to one part of real predictions, judged on the other.

Usage: ``python benchmarks/multiclass_league.py [FOLDER] [--sizes 500 1000 2000] [--seeds 0 1 2] [--maps temperature
matrix] [--sets lenet satimage] [--csv FILE] [--speed] [--large]``.

FOLDER holds files *.npz with matrices of probabilities: y_val, y_test and p_val_M, p_test_M for each model M, or p and
y, of which the even rows are fitted to and the odd ones judge. A cell is a set with all rows to fit to, or with as
many of them as each size says, drawn once for every seed; all maps of a cell are fitted to the same rows and judged on
all of the other part.

The first table has the mean change in log loss (nats, predictions clipped to [1e-6, 1 - 1e-6]) and in Brier score
(summed over classes) against leaving the predictions alone, times 1000; the regret, which is the log loss less that of
the best map of the cell; and in how many cells the map is worse than leaving alone by more than .001. The second has
the log loss of every map on every set with all its rows. ``--speed``, which needs no FOLDER, times fits to 10,000
simulated rows of 10, 26 and 100 classes in turn with those of other packages (league_requirements.txt; a package that
is not installed is left out and named), compares the maps, times the families that keep the order within a row, and
measures the memory of fits to 100,000 rows. ``--large``, which needs no FOLDER either, times fits of `matrix` to
100,000 rows of 100 classes and of `vector` to 50,000 rows of 1000 classes, and the evaluation of the largest of
50,000 times 1000 probabilities, with the peak of memory of each; the fit of `matrix` in turn with that of probmetrics.
"""

import argparse
import csv
import importlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import fitontest as fot
from multiclass_peers import PEERS, Peer, one_core, silenced
from report import machine_facts, markdown, number, tell
from timing import paired, peak_bytes, seconds_of

Array = NDArray[np.float64]
WORSE = 1e-3
MAPS: dict[str, Callable[[], Any]] = {
    "identity": fot.families.Identity,
    "temperature": fot.families.Temperature,
    "temperature, not mixed": lambda: fot.families.Temperature(mix=False),
    "bias_corrected": fot.families.BiasCorrected,
    "bias_corrected, no penalty": lambda: fot.families.BiasCorrected(penalty=None),
    "vector": fot.families.Vector,
    "vector, cv": lambda: fot.families.Vector(penalty="cv"),
    "vector, no penalty": lambda: fot.families.Vector(penalty=None),
    "matrix": fot.families.Matrix,
    "matrix, cv": lambda: fot.families.Matrix(penalty="cv"),
    "matrix, no penalty": lambda: fot.families.Matrix(penalty=None),
    "dirichlet": fot.families.Dirichlet,
    "one_vs_rest beta": fot.families.OneVsRest,
    "one_vs_rest platt": lambda: fot.families.OneVsRest("platt"),
    "one_vs_rest isotonic": lambda: fot.families.OneVsRest("isotonic"),
    "shared_isotonic": fot.families.SharedIsotonic,
    "order_preserving": lambda: fot.families.make("order_preserving"),
    "order_invariant": lambda: fot.families.make("order_invariant"),
    "diagonal_order": lambda: fot.families.make("diagonal_order"),
}
IN_ORDER = ("order_invariant", "order_preserving", "diagonal_order")
FEW_CLASSES = {"matrix, no penalty": 10}  # above, the map separates the classes


@dataclass(frozen=True)
class League:
    """A set of predictions: probabilities and codes to fit to, and those that judge."""

    name: str
    P: Array
    y: NDArray[np.intp]
    Q: Array
    z: NDArray[np.intp]

    @property
    def n_classes(self) -> int:
        """The number of columns."""
        return self.P.shape[1]


@dataclass(frozen=True)
class Cell:
    """What the maps make of a set with some of its rows: log loss and Brier score of each, and seconds."""

    name: str
    size: str
    scores: dict[str, tuple[float, float, float]]


def sets_of(folder: Path, wanted: Sequence[str]) -> Iterator[League]:
    """Yield the sets of a folder that have several classes."""
    for path in sorted(folder.glob("*.npz")):
        with np.load(path) as found:
            models = [key.removeprefix("p_val_") for key in found if key.startswith("p_val_")]
            if models:
                parts = [(f"{path.stem}:{m}", found[f"p_val_{m}"], found[f"p_test_{m}"]) for m in models]
                y, z = found["y_val"], found["y_test"]
            elif {"p", "y"} <= set(found):
                parts = [(path.stem, found["p"][::2], found["p"][1::2])]
                y, z = found["y"][::2], found["y"][1::2]
            else:
                continue
        labels = np.unique(np.concatenate([y, z]))
        for name, P, Q in parts:
            if P.ndim == 2 and P.shape[1] > 2 and (not wanted or any(one in name for one in wanted)):
                exact = [part.astype(np.float64) / part.sum(axis=1, keepdims=True, dtype=np.float64) for part in (P, Q)]
                yield League(name, exact[0], np.searchsorted(labels, y), exact[1], np.searchsorted(labels, z))


def losses(q: Array, codes: NDArray[np.intp]) -> tuple[float, float]:
    """Return log loss and Brier score."""
    own = q[np.arange(codes.size), codes]
    return float(-np.log(np.clip(own, 1e-6, 1 - 1e-6)).mean()), float(((q * q).sum(axis=1) - 2 * own + 1).mean())


def play(league: League, size: int | None, seed: int, maps: Sequence[str]) -> Cell:
    """Fit the maps to all rows, or to so many, and judge them."""
    rows = np.arange(league.y.size)
    if size is not None:
        rows = np.sort(np.random.default_rng(seed).permutation(rows)[:size])
    scores = {}
    for name in maps:
        if league.n_classes > FEW_CLASSES.get(name, league.n_classes):
            continue
        began = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", fot.CalibrationWarning)
            family = MAPS[name]().fit(league.P[rows], league.y[rows], labels=range(league.n_classes))
        scores[name] = (*losses(family.predict_proba(league.Q), league.z), perf_counter() - began)
    return Cell(league.name, "all" if size is None else str(size), scores)


def summary(cells: Sequence[Cell], maps: Sequence[str]) -> list[list[str]]:
    """Return a row for each map: mean changes, regret, how often it is worse than nothing."""
    rows = []
    for name in maps:
        played = [cell for cell in cells if name in cell.scores]
        if not played:
            continue
        change = np.array([np.subtract(cell.scores[name], cell.scores["identity"])[:2] for cell in played])
        best = [min(loss for loss, _, _ in cell.scores.values()) for cell in played]
        regret = np.mean([cell.scores[name][0] - least for cell, least in zip(played, best, strict=True)])
        worse = int((change[:, 0] > WORSE).sum())
        means = [f"{1000 * value:+.1f}" for value in change.mean(axis=0)]
        rows.append([name, *means, f"{1000 * regret:.1f}", f"{worse} of {len(played)}"])
    return rows


def simulated(K: int, n: int = 10_000) -> tuple[Array, NDArray[np.intp]]:
    """Return overconfident probabilities of K classes and labels."""
    rng = np.random.default_rng(K)
    Z = 2 * rng.normal(size=(n, K))
    P = np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)
    y = np.minimum((rng.random((n, 1)) > P.cumsum(axis=1)).sum(axis=1), K - 1)
    X = np.exp(1.7 * Z - 1.7 * Z.max(axis=1, keepdims=True))
    return X / X.sum(axis=1, keepdims=True), y


def speed(repeats: int = 3) -> list[list[str]]:
    """Return a row for each peer: seconds of CPU of its fit and of ours, run in turn, and how alike the maps are."""
    missing = {peer.package: peer.missing for peer in PEERS}
    rows = []
    for K in (10, 26, 100):
        P, y = simulated(K)
        for peer in PEERS:
            least = 1.0 if peer.ours == "matrix" and K == 100 and peer.least else peer.least
            if missing[peer.package]:
                rows.append([str(K), peer.ours, peer.package, str(missing[peer.package]), *"-----"])
                continue
            tell(f"{K} classes: {peer.package}, {peer.ours}")
            rows.append([str(K), peer.ours, peer.package, *raced(peer, P, y, least, repeats), peer.remark])
    tell("")
    return rows


def raced(peer: Peer, P: Array, y: NDArray[np.intp], least: float | None, repeats: int) -> list[str]:
    """Return the least seconds of both, their ratio, the verdict, and the differences of the maps and of the losses."""

    def ours() -> Any:
        return MAPS[peer.ours]().fit(P, y)

    def theirs() -> Any:
        return peer.fit(P, y)

    with silenced():
        p, q = ours().predict_proba(P), theirs()(P)  # neither pays for first use in the race
        pairs = paired(ours, theirs, repeats, process_time)
    ratio = min(pairs.theirs) / min(pairs.ours)
    verdict = "-" if least is None else f"{'met' if ratio >= least else 'missed'} (>= {least:g})"
    difference = f"{np.abs(p - q).max():.0e}"
    loss = f"{1000 * (losses(q, y)[0] - losses(p, y)[0]):+.3f}"
    return [number(min(pairs.ours)), number(min(pairs.theirs)), f"{ratio:.1f}", verdict, f"{difference}, {loss}"]


def speed_in_order(repeats: int = 3) -> list[list[str]]:
    """Return a row for each family that keeps the order within a row: seconds of the first fit, and of later ones."""
    importlib.import_module("jax")  # which takes as long whatever is fitted
    rows = []
    for K in (10, 100):
        P, y = simulated(K)
        for name in IN_ORDER:
            tell(f"{K} classes: {name}")
            spent = []
            for _ in range(repeats + 1):
                began = perf_counter(), process_time()
                MAPS[name]().fit(P, y)
                spent.append((perf_counter() - began[0], process_time() - began[1]))
            later = np.min(spent[1:], axis=0)
            rows.append([str(K), name, *(number(value) for value in (*spent[0], *later))])
    tell("")
    return rows


def memory(n: int = 100_000, K: int = 100) -> list[list[str]]:
    """Return the most memory that a fit holds beyond its data."""
    P, y = simulated(K, n)
    rows = []
    for name in ("temperature", "vector", "matrix"):
        tell(f"memory of {name}")
        rows.append(
            [name, f"{peak_bytes(lambda name=name: MAPS[name]().fit(P, y)) / 1e6:.0f}", f"{P.nbytes / 1e6:.0f}"]
        )
    return rows


def large() -> list[list[str]]:
    """Return a row for each operation on many rows of many classes: seconds of CPU, and peak of memory in inputs."""
    sms = next(peer for peer in PEERS if peer.package == "probmetrics" and peer.ours == "matrix")
    rows = []
    for name, K, n, peer in (
        ("matrix", 100, 100_000, sms),
        ("vector", 1000, 50_000, None),
        ("evaluate", 1000, 50_000, None),
    ):
        tell(f"{name}: {n:,} rows of {K} classes")
        P, y = simulated(K, n)

        def ours(name: str = name, P: Array = P, y: NDArray[np.intp] = y, K: int = K) -> Any:
            if name == "evaluate":
                return fot.evaluate(y, P, labels=range(K), reduction="confidence")
            return MAPS[name]().fit(P, y, labels=range(K))

        peak = f"{peak_bytes(ours) / P.nbytes:.1f}"  # nor does the timed call pay for first use
        if peer is None or peer.missing:
            rows.append([name, f"{n:,}", str(K), number(seconds_of(ours, process_time)), "-", "-", peak])
            continue
        with silenced():
            pairs = paired(ours, lambda P=P, y=y, peer=peer: peer.fit(P, y), 2, process_time)
        ratio = f"{min(pairs.theirs) / min(pairs.ours):.1f}"
        rows.append([name, f"{n:,}", str(K), number(min(pairs.ours)), number(min(pairs.theirs)), ratio, peak])
    tell("")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--sizes", type=int, nargs="*", default=[500, 1000, 2000])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--maps", nargs="+", choices=list(MAPS), default=list(MAPS))
    parser.add_argument("--sets", nargs="+", default=[])
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--speed", action="store_true")
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    maps = ["identity", *(name for name in given.maps if name != "identity")]
    print(machine_facts(), f"; seeds {given.seeds}", sep="", end="\n\n")
    if given.speed:
        print("seconds of CPU, on one core, of a fit to 10,000 rows: the least of three, in turn; the largest")
        print("difference of the maps, and that of their log losses there, theirs less ours, in 1e-3", end="\n\n")
        header = ["classes", "map", "package", "ours (s)", "theirs (s)", "ratio", "target", "maps, losses", "remark"]
        with one_core():
            print(markdown(header, speed()), end="\n\n")
        print(
            "seconds of a fit to 10,000 rows, penalty chosen: the first after jax is imported, and the least of three"
        )
        print("later ones; by the clock, and of CPU", end="\n\n")
        header = ["classes", "map", "first (s)", "first, CPU (s)", "later (s)", "later, CPU (s)"]
        print(markdown(header, speed_in_order()), end="\n\n")
        print("megabytes that a fit to 100,000 rows of 100 classes holds beyond its data", end="\n\n")
        print(markdown(["map", "fit (MB)", "data (MB)"], memory()))
    if given.large:
        print("seconds of CPU, on one core, and the peak of memory beyond the input, in copies of it", end="\n\n")
        header = ["operation", "rows", "classes", "ours (s)", "probmetrics (s)", "ratio", "peak (copies)"]
        with one_core():
            print(markdown(header, large()), end="\n\n")
    if given.folder is None:
        if not (given.speed or given.large):
            parser.error("FOLDER is needed unless --speed or --large is given")
        return
    cells = []
    for league in sets_of(given.folder, given.sets):
        plan = [(None, 0), *((size, seed) for size in given.sizes if size < league.y.size for seed in given.seeds)]
        for size, seed in plan:
            tell(f"{league.name} {size or 'all'}")
            cells.append(play(league, size, seed, maps))
    header = ["map", "log loss", "Brier", "regret", "worse than nothing"]
    full, parts = ([cell for cell in cells if (cell.size == "all") == whole] for whole in (True, False))
    for title, chosen in (("all rows", full), (f"{given.sizes} rows", parts)):
        if chosen:
            print(f"{title}: {len(chosen)} cells, changes and regret times 1000", end="\n\n")
            print(markdown(header, summary(chosen, maps)), end="\n\n")
    names = [cell.name.removeprefix("split3_").removeprefix("mc_netcal_") for cell in full]
    losses_of = [[f"{cell.scores[name][0]:.4f}" if name in cell.scores else "-" for cell in full] for name in maps]
    print(markdown(["log loss, all rows", *names], [[name, *row] for name, row in zip(maps, losses_of, strict=True)]))
    if given.csv:
        with given.csv.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["set", "rows", "map", "log_loss", "brier", "seconds"])
            writer.writerows([c.name, c.size, name, *scores] for c in cells for name, scores in c.scores.items())


if __name__ == "__main__":
    main()
