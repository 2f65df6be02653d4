"""How often segments are found where none is wrong, and where one is; whether intervals of many hold together.

Usage: ``python benchmarks/multicalibration_rates.py [-o FOLDER] [--part maximum] [--part finder] [--part groups]
[--part coverage] [--part power] [--part scan] [--sets 400] [--quick]``.

Scores have four laws: uniform on [0, 1]; a base rate of 5 % (Beta(1, 19)); twenty values; a base rate of .5 %
(Beta(1, 199)). There are 4,000 rows.

Maximum: calibrated labels, four columns of five levels, and the 170 segments of their values and pairs. The share of
sets in which any is rejected at 5 %, by ``evaluate(adjust="max")`` against a logistic map and against the scores, by
Holm on the same redraws, and by Holm on the law of Brownian motion; and in which any is beyond five standard errors,
of those that have enough to be tested, and of all.

Finder: calibrated labels, nine columns of numbers and categories; the share in which `find_segments` finds any, by its
scan, by its walks along the score, and by both, against a logistic map and against the scores; and with a tree of three
conditions besides.

Groups: the same of rows that come in 400 groups of ten, whose labels have the intraclass correlation .05.

Coverage: labels of true maps that are calibrated, flat (logit slope .7), a wave, jumps, or off in one segment; how
often the intervals of all segments hold their true ECCE, all at once.

Power: one segment is off by 4 standard errors; how often it is rejected, and how often any that shares no row with it.

Scan: a segment of six kinds is off by 4.5 or 6.5 standard errors, with borders that are not those of the scan; how
often `find_segments` finds one that shares at least half of the rows of both (Jaccard), also with a tree.

Records of runs are appended to files in the folder, and what is there already is not computed again.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

import fitontest as fot
from fitontest.data.segment_unions import segments_of
from fitontest.measures.cumulative import CumulativeError
from fitontest.numerics.brownian import range_tail
from fitontest.numerics.links import logit, sigmoid
from fitontest.numerics.significance.holm import holm_adjusted
from fitontest.segments.features.read_columns import read_columns
from fitontest.segments.uncertainty.segment_maxima import SegmentMaxima
from report import machine_facts, markdown
from run_records import recorded, share

SEED = 39_2026
N = 4000
LEVEL = 0.05
LAWS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "uniform": lambda rng, n: rng.random(n),
    "rate 5 %": lambda rng, n: rng.beta(1, 19, n),
    "20 values": lambda rng, n: (rng.integers(0, 20, n) + 0.5) / 20,
    "rate .5 %": lambda rng, n: rng.beta(1, 199, n),
}
PARTS = ("maximum", "finder", "groups", "coverage", "power", "scan")


def generator(*names: Any) -> np.random.Generator:
    return np.random.default_rng([SEED, *" ".join(map(str, names)).encode()])


def levels(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """Return four columns of five levels, the first of which has one of 30 % of the rows."""
    shares = ([0.3, 0.25, 0.2, 0.15, 0.1], [0.2] * 5, [0.4, 0.3, 0.15, 0.1, 0.05], [0.2] * 5)
    return {f"c{k}": rng.choice(5, n, p=share) for k, share in enumerate(shares)}


def features(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """Return nine columns of numbers and categories, some of which depend on each other."""
    z = rng.standard_normal((n, 5))
    z[:, 1] = 0.6 * z[:, 0] + 0.8 * z[:, 1]
    columns = {f"z{k}": z[:, k] for k in range(5)}
    columns["count"] = rng.poisson(3, n).astype(float)
    columns["site"] = rng.choice(list("abcdef"), n, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05])
    columns["kind"] = rng.choice(["x", "y", "w"], n)
    columns["flag"] = rng.random(n) < 0.3
    return columns


def labels(rng: np.random.Generator, c: np.ndarray) -> np.ndarray:
    return (rng.random(c.size) < c).astype(int)


def grouped_labels(rng: np.random.Generator, c: np.ndarray, group: np.ndarray, icc: float) -> np.ndarray:
    """Return labels of probability c whose normal scores share a part within groups."""
    shared = rng.standard_normal(int(group.max()) + 1)[group]
    latent = np.sqrt(icc) * shared + np.sqrt(1 - icc) * rng.standard_normal(c.size)
    return (norm.cdf(latent) < c).astype(int)


def planted(p: np.ndarray, inside: np.ndarray, size: float) -> np.ndarray:
    """Return probabilities that are off in some rows, so that their residuals add up to `size` standard errors."""
    x, unit = logit(p, 1e-12), np.sqrt((p * (1 - p))[inside].sum())
    low, high = 0.0, 8.0
    for _ in range(60):
        middle = (low + high) / 2
        reached = (sigmoid(x + middle) - p)[inside].sum() / unit
        low, high = (middle, high) if reached < size else (low, middle)
    return np.where(inside, sigmoid(x + high), p)


# ------------------------------------------------------------------------------------------- the maximum of segments


def of_maximum(law: str, run: int) -> dict[str, Any]:
    rng = generator("maximum", law, run)
    p, by = LAWS[law](rng, N), levels(rng, N)
    y = labels(rng, p)
    segments = segments_of(fot.read(y, p, by=by), "pairs")
    found = SegmentMaxima.of(segments, CumulativeError(), 1000, run)
    alone = (1 + (found.drawn >= found.standardised[found.tested]).sum(axis=0)) / 1001
    by_law = range_tail(found.standardised[found.tested])
    beyond = fot.evaluate(y, p, by=by, adjust="max", segments="pairs", random_state=run).adjusted_p_values()
    return {
        "scores": float(np.nanmin(found.adjusted_p_values, initial=1.0)),
        "logistic": min(beyond.values(), default=1.0),
        "holm": float(holm_adjusted(alone).min(initial=1.0)),
        "law": float(holm_adjusted(by_law).min(initial=1.0)),
        "single": float(alone.min(initial=1.0)),
        "tested": int(found.tested.sum()),
        "five": bool(found.largest > 5.0),
    }


def of_five(law: str, run: int) -> dict[str, Any]:
    """Return whether any of all segments, small ones too, has a walk of more than five standard errors."""
    rng = generator("maximum", law, run)
    p, by = LAWS[law](rng, N), levels(rng, N)
    y = labels(rng, p)
    order = np.argsort(p)
    p, residual, columns = p[order], (y - p)[order], {name: column[order] for name, column in by.items()}
    last = np.append(p[1:] != p[:-1], True)  # of the rows of one score
    largest = 0.0
    for name in segments_of(fot.read(y, p, by=by), "pairs"):
        inside = row_of(name, columns)
        variance = float((p * (1.0 - p))[inside].sum())
        walk = np.append(0.0, np.cumsum(np.where(inside, residual, 0.0))[last])
        largest = max(largest, float(np.ptp(walk)) / np.sqrt(variance)) if variance > 0.0 else largest
    return {"five": bool(largest > 5.0)}


def show_maximum(folder: Path, sets: int) -> str:
    lines = []
    for law in LAWS:
        runs = recorded(folder, f"maximum {law}", sets, lambda run, law=law: of_maximum(law, run))
        cells = [share(run[what] <= LEVEL for run in runs) for what in ("scores", "logistic", "holm", "law", "single")]
        tested = f"{np.mean([run['tested'] for run in runs]):.0f}"
        fives = recorded(folder, f"five {law}", sets, lambda run, law=law: of_five(law, run))
        above = [share(run["five"] for run in each) for each in (runs, fives)]
        lines.append([law, tested, *cells, *above])
    header = ("scores", "segments", "step-down maximum", "beyond a logistic map", "Holm on redraws", "Holm on the law")
    return markdown((*header, "p < .05", "any T > 5", "of small ones too"), lines)


# -------------------------------------------------------------------------------------------------------- the finder


def of_finder(law: str, run: int) -> dict[str, Any]:
    rng = generator("finder", law, run)
    p, X = LAWS[law](rng, N), features(rng, N)
    y = labels(rng, p)
    return found_in(y, p, X, run)


def found_in(y: np.ndarray, p: np.ndarray, X: Any, run: int, groups: Any = None) -> dict[str, Any]:
    out = {}
    for against in ("logistic", "scores"):
        found = fot.segments.find_segments(y, p, X, against=against, random_state=run, groups=groups)
        out[f"{against} level"] = sum(item.by == "level" for item in found)
        out[f"{against} shape"] = sum(item.by == "shape" for item in found)
        out[f"{against} scanned"] = found.scanned
    three = fot.segments.find_segments(y, p, X, conditions=3, random_state=run, groups=groups)
    out["tree"], out["three"] = sum(item.by == "tree" for item in three), len(three)
    return out


def of_groups(law: str, run: int) -> dict[str, Any]:
    rng = generator("groups", law, run)
    group = np.repeat(np.arange(400), 10)
    p, X = LAWS[law](rng, N), features(rng, N)
    X["z0"] = (rng.standard_normal(400))[group] + 0.3 * X["z0"]  # a column of groups, and one that is nearly
    X["site"] = rng.choice(list("abcdef"), 400, p=[0.3, 0.25, 0.2, 0.1, 0.1, 0.05])[group]
    return found_in(grouped_labels(rng, p, group, latent(0.05)), p, X, run, groups=group)


def latent(icc: float) -> float:
    """Return the latent correlation of labels of the middle whose intraclass correlation is that."""
    return float(np.sin(np.pi * icc / 2.0))


def show_finder(folder: Path, sets: int, what: str, run_of: Callable[[str, int], dict[str, Any]]) -> str:
    lines = []
    for law in LAWS:
        runs = recorded(folder, f"{what} {law}", sets, lambda run, law=law: run_of(law, run))
        cells = []
        for against in ("logistic", "scores"):
            level, shape = ([run[f"{against} {by}"] > 0 for run in runs] for by in ("level", "shape"))
            cells += [share(level), share(shape), share(a or b for a, b in zip(level, shape, strict=True))]
        scanned = f"{np.mean([run['scores scanned'] for run in runs]):,.0f}"
        with_tree = [share(run[what] > 0 for run in runs) for what in ("tree", "three")]
        lines.append([law, scanned, *cells, *with_tree])
    header = ("scores", "segments", "logistic: levels", "shapes", "any", "scores: levels", "shapes", "any")
    return markdown((*header, "three conditions: tree", "any"), lines)


# ------------------------------------------------------------------------------------------------------- coverage

TRUTHS: dict[str, Callable[[np.ndarray, dict[str, np.ndarray]], np.ndarray]] = {
    "calibrated": lambda p, by: p,  # noqa: ARG005
    "slope .7": lambda p, by: sigmoid(0.7 * logit(p, 1e-12)),  # noqa: ARG005
    "wave": lambda p, by: sigmoid(logit(p, 1e-12) + 0.5 * np.sin(3.0 * logit(p, 1e-12))),  # noqa: ARG005
    "jumps": lambda p, by: sigmoid(logit(p, 1e-12) + np.where(np.floor(12 * p**0.3) % 2 == 0, 0.5, -0.5)),  # noqa: ARG005
    "one segment": lambda p, by: np.where(by["c0"] == 1, sigmoid(logit(p, 1e-12) + 0.5), p),
}


def of_coverage(law: str, truth: str, run: int) -> dict[str, Any]:
    rng = generator("coverage", law, truth, run)
    p, by = LAWS[law](rng, N), levels(rng, N)
    c = TRUTHS[truth](p, by)
    y = labels(rng, c)
    crossed = fot.read(y, p, by=by)
    segments = segments_of(crossed, "pairs")
    measure = CumulativeError()
    found = SegmentMaxima.of(segments, measure, 1000, run)
    true = []
    for name in segments:
        inside = np.ones(N, dtype=bool)
        for part in name.split(" and "):
            column, value = part.split(" = ")
            inside &= by[column] == int(value)
        true.append(measure.target(fot.ScoreSample(y[inside], p[inside]), c[inside]))
    miss = np.abs(found.error - np.array(true)) / (found.sigma * found.noise)
    reach = found.reach(0.95)
    return {"held": bool(np.all(miss[found.tested] <= reach)), "single": float(np.mean(miss[found.tested] <= reach))}


def show_coverage(folder: Path, sets: int) -> str:
    lines = []
    for law in LAWS:
        for truth in TRUTHS:
            runs = recorded(
                folder, f"coverage {law} {truth}", sets, lambda run, law=law, truth=truth: of_coverage(law, truth, run)
            )
            held = share(run["held"] for run in runs)
            lines.append([law, truth, held, f"{np.mean([run['single'] for run in runs]):.4f}"])
    return markdown(("scores", "truth", "all hold at once", "of single ones"), lines)


# ---------------------------------------------------------------------------------------------------------- power

PLANTED = {"30 %": "c0 = 0", "10 %": "c0 = 4", "4 %": "c1 = 0 and c3 = 0", "6 %": "c0 = 0 and c1 = 1"}


def of_power(law: str, place: str, run: int) -> dict[str, Any]:
    rng = generator("power", law, place, run)
    p, by = LAWS[law](rng, N), levels(rng, N)
    parts = [part.split(" = ") for part in PLANTED[place].split(" and ")]
    inside = np.logical_and.reduce([by[column] == int(value) for column, value in parts])
    y = labels(rng, planted(p, inside, 4.0))
    segments = segments_of(fot.read(y, p, by=by), "pairs")
    found = SegmentMaxima.of(segments, CumulativeError(), 1000, run)
    adjusted = dict(zip(segments, found.adjusted_p_values.tolist(), strict=True))
    alone = np.full(len(segments), np.nan)
    alone[found.tested] = (1 + (found.drawn >= found.standardised[found.tested]).sum(axis=0)) / 1001
    holm = np.full(len(segments), np.nan)
    holm[found.tested] = holm_adjusted(alone[found.tested])
    keys = list(segments)
    apart = [key for key in keys if not (row_of(key, by) & inside).any()]
    place_of = keys.index(PLANTED[place])
    return {
        "maximum": adjusted[PLANTED[place]],
        "holm": float(holm[place_of]),
        "five": bool(found.standardised[place_of] > 5.0),
        "apart": min((adjusted[key] for key in apart if not np.isnan(adjusted[key])), default=1.0),
    }


def row_of(name: str, by: dict[str, np.ndarray]) -> np.ndarray:
    parts = [part.split(" = ") for part in name.split(" and ")]
    return np.logical_and.reduce([by[column] == int(value) for column, value in parts])


def show_power(folder: Path, sets: int) -> str:
    lines = []
    for law in LAWS:
        for place in PLANTED:
            runs = recorded(
                folder, f"power {law} {place}", sets, lambda run, law=law, place=place: of_power(law, place, run)
            )
            cells = [share(run[what] <= LEVEL for run in runs) for what in ("maximum", "holm")]
            lines.append(
                [law, place, *cells, share(run["five"] for run in runs), share(run["apart"] <= LEVEL for run in runs)]
            )
    header = ("scores", "rows off by 4 s.e.", "maximum", "Holm on redraws", "T > 5", "false, among segments apart")
    return markdown(header, lines)


# ----------------------------------------------------------------------------------------------------------- scan


def kinds(X: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the rows of a segment of each kind, with borders at the quantiles .83, .43, .77 and .93."""
    above = {name: X[name] > np.quantile(X[name], q) for name, q in (("z0", 0.83), ("z2", 0.77), ("z3", 0.43))}
    below = {"z3": X["z3"] <= np.quantile(X["z3"], 0.43), "z4": X["z4"] <= np.quantile(X["z4"], 0.1)}
    return {
        "one column, 17 %": above["z0"],
        "category and part of a column, 13 %": (X["site"] == "a") & below["z3"],
        "small pair, 3 %": (X["site"] == "d") & (X["z1"] <= np.quantile(X["z1"], 0.43)) & np.ones(N, dtype=bool),
        "top 7 % of a column": X["z2"] > np.quantile(X["z2"], 0.93),
        "three conditions, 6 %": (X["kind"] == "x") & below["z3"] & (X["z0"] > np.quantile(X["z0"], 0.57)),
        "slope in 20 %": X["site"] == "c",
    }


def of_scan(kind: str, size: float, run: int) -> dict[str, Any]:
    rng = generator("named", kind, size, run)
    p, X = rng.random(N), features(rng, N)
    inside = kinds(X)[kind]
    if kind.startswith("slope"):
        c = np.where(inside, sigmoid((1.0 + size / 4.0) * logit(p, 1e-12)), p)
    else:
        c = planted(p, inside, size)
    y, columns = labels(rng, c), read_columns(X)
    found = fot.segments.find_segments(y, p, X, random_state=run)
    alike = [jaccard(item.rule.meets(columns), inside) for item in found]
    three = fot.segments.find_segments(y, p, X, conditions=3, random_state=run)
    with_tree = max((jaccard(item.rule.meets(columns), inside) for item in three), default=0.0)
    return {"named": max(alike, default=0.0), "found": len(alike), "three": with_tree}


def jaccard(one: np.ndarray, other: np.ndarray) -> float:
    return float((one & other).sum() / max((one | other).sum(), 1))


def show_scan(folder: Path, sets: int) -> str:
    lines = []
    names = list(kinds(features(np.random.default_rng(0), N)))
    for kind in names:
        cells = []
        for size in (4.5, 6.5):
            runs = recorded(folder, f"named {kind} {size}", sets, lambda run, k=kind, s=size: of_scan(k, s, run))
            cells += [share(run[what] >= 0.5 for run in runs) for what in ("named", "three")]
            cells.append(f"{np.mean([run['found'] for run in runs]):.2f}")
        lines.append([kind, *cells])
    header = ("named at 4.5 s.e.", "with a tree", "segments found", "at 6.5 s.e.", "with a tree", "segments found")
    return markdown(("planted", *header), lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--folder", type=Path, default=Path("build/multicalibration_rates"))
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--sets", type=int, default=400)
    parser.add_argument("--quick", action="store_true", help="four sets of each, to try the script")
    options = parser.parse_args()
    sets = 4 if options.quick else options.sets
    folder = options.folder / "quick" if options.quick else options.folder
    print(machine_facts())
    shows: dict[str, Callable[[], str]] = {
        "maximum": lambda: show_maximum(folder, sets),
        "finder": lambda: show_finder(folder, sets, "finder", of_finder),
        "groups": lambda: show_finder(folder, sets, "groups", of_groups),
        "coverage": lambda: show_coverage(folder, sets),
        "power": lambda: show_power(folder, sets),
        "scan": lambda: show_scan(folder, sets),
    }
    for part in options.part or PARTS:
        print(f"\n{part}, {sets} sets\n\n{shows[part]()}")


if __name__ == "__main__":
    main()
