"""How often the interval of a decision loss holds the loss of the scores, and bands of net benefit its curve.

Usage: ``python benchmarks/decision_coverage.py [-o FOLDER] [--sets 200] [--families isotonic spline] [--n 1000]
[--bands] [--report]``.

Scores are sigmoid(N(-.5, 1.5)), with four truths: calibrated, a logit slope of .75, a wave of the logit, and stairs.
Of each set the losses at the thresholds .1, .3 and .5 are measured with their 95 % intervals, and beside them the
held-out gain with 1.96 standard errors. With ``--bands`` the curves of net benefit are, of two models on the same rows:
how often the bands over .01 to .99 (and over .05 to .6) hold the true net benefit of the population at every
threshold, and how often intervals at single thresholds do. Rows of results are appended to CSV files in the folder, one
for each number of rows, and what is there already is not computed again. ``--report`` prints the tables.
"""

import argparse
import csv
from collections import defaultdict
from pathlib import Path
from zlib import crc32

import numpy as np
from scipy.special import ndtri

import fitontest as fot
from fitontest.numerics.links import logit, sigmoid
from fitontest.results.exceptions import without_warnings
from report import markdown, tell

SEED = 37_2026
THRESHOLDS = (0.1, 0.3, 0.5)
ALL = np.arange(1, 100) / 100
RANGES = {".01 to .99": ALL > 0, ".05 to .6": (ALL > 0.045) & (ALL < 0.605)}  # of the bands
POPULATION = 400_000  # evenly spread rows that stand for it
AT_ONCE = 10  # sets of a truth before the next truth has as many


def calibrated(p: np.ndarray) -> np.ndarray:
    return p


def flatter(p: np.ndarray) -> np.ndarray:
    return sigmoid(0.75 * logit(p, 1e-9))


def wave(p: np.ndarray) -> np.ndarray:
    return sigmoid(logit(p, 1e-9) + 0.4 * np.sin(2.0 * logit(p, 1e-9)))


def stairs(p: np.ndarray) -> np.ndarray:
    return (np.floor(8.0 * p) + 0.5) / 8.0


TRUTHS = {"calibrated": calibrated, "slope .75": flatter, "wave": wave, "stairs": stairs}
COLUMNS = ("family", "truth", "set", "threshold", "true", "raw", "debiased", "low", "high", "held_out", "held_out_se")


def draw(truth: str, n: int, number: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return labels, scores and true probabilities of a set."""
    rng = np.random.default_rng([SEED, crc32(truth.encode()), n, number])
    p = sigmoid(rng.normal(-0.5, 1.5, n))
    c = TRUTHS[truth](p)
    return (rng.random(n) < c).astype(int), p, c


def losses_of(family: str, truth: str, n: int, number: int) -> list[tuple]:
    """Return a row for each threshold of a set."""
    y, p, c = draw(truth, n, number)
    sample, out = fot.read(y, p), []
    for t in THRESHOLDS:
        loss = fot.risk.DecisionLoss(t, family)
        true = loss.target(fot.ScoreSample(y, p), c)
        with without_warnings():
            found = fot.measure(sample, name=loss, interval="always", random_state=number)
            gain, error = loss.held_out_gain(sample, random_state=number)
        # labels of which the loss never changes have no interval: then it is taken for the value alone
        ends = (found.value, found.value) if found.interval is None else (found.interval.low, found.interval.high)
        debiased = found.value if found.debiased is None else found.debiased
        out.append((family, truth, number, t, true, found.value, debiased, *ends, gain, error))
    return out


BAND_COLUMNS = ("truth", "set", "range", "curve", "held", "at_each", "width")


def true_benefits(truth: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the net benefits at `ALL` in the population: of the scores, of the other model, of treating all."""
    p = sigmoid(1.5 * ndtri((np.arange(POPULATION) + 0.5) / POPULATION) - 0.5)
    c, cost = TRUTHS[truth](p), ALL / (1.0 - ALL)
    found = []
    for scores in (p, other(p), np.ones(POPULATION)):
        reached = np.searchsorted(ALL, scores, side="right")
        sums = [np.bincount(reached, values, ALL.size + 1)[::-1].cumsum()[::-1][1:] for values in (c, 1.0 - c)]
        found.append((sums[0] - cost * sums[1]) / POPULATION)
    return tuple(found)


def other(p: np.ndarray) -> np.ndarray:
    """Return the scores of another model, which ranks as the first one does and is too high."""
    return sigmoid(0.8 * logit(p, 1e-9) + 0.4)


def bands_of(truth: str, n: int, number: int, true: tuple[np.ndarray, ...]) -> list[tuple]:
    """Return for each range of thresholds and each curve whether band and intervals hold the true one."""
    y, p, _ = draw(truth, n, number)
    out = []
    for name, chosen in RANGES.items():
        with without_warnings():
            curve = fot.risk.decision_curve(y, {"p": p, "other": other(p)}, thresholds=ALL[chosen])
        first, second, everybody = (each[chosen] for each in true)
        for what, found, expected in (
            ("net benefit", curve.difference("p", "treat none"), first),
            ("against all", curve.difference("p", "treat all"), first - everybody),
            ("difference", curve.difference("p", "other"), first - second),
        ):
            held = np.all((found.band_low <= expected) & (expected <= found.band_high))
            at_each = np.mean((found.low <= expected) & (expected <= found.high))
            width = np.mean((found.band_high - found.band_low) / (found.high - found.low))
            out.append((truth, number, name, what, int(held), at_each, width))
    return out


def compute_bands(folder: Path, n: int, sets: int) -> None:
    """Append what is missing of the bands."""
    path = folder / f"bands_{n}.csv"
    known = set(done(path, "truth", "set"))
    true = {truth: true_benefits(truth) for truth in TRUTHS}
    for start in range(0, sets, AT_ONCE):
        for truth in TRUTHS:
            for number in range(start, min(start + AT_ONCE, sets)):
                if (truth, str(number)) not in known:
                    append(path, BAND_COLUMNS, bands_of(truth, n, number, true[truth]))
        tell(f"bands: {start + AT_ONCE} sets")
    tell("")


def bands_table(folder: Path, n: int) -> str:
    """Return how often bands hold the curves, by range, curve and truth."""
    lines = []
    for (name, what, truth), rows in done(folder / f"bands_{n}.csv", "range", "curve", "truth").items():
        held, at_each, width = (np.array([float(row[key]) for row in rows]) for key in BAND_COLUMNS[4:])
        share = held.mean()
        error = np.sqrt(max(share * (1 - share), 0.05 * 0.95) / held.size)
        numbers = [f"{100 * share:.1f}", f"{100 * error:.1f}", f"{100 * at_each.mean():.1f}", f"{width.mean():.2f}"]
        lines.append([name, what, truth, str(held.size), *numbers])
    header = ("thresholds", "curve", "truth", "S", "bands hold it", "s.e.", "intervals hold it", "band / interval")
    return markdown(header, sorted(lines))


def done(path: Path, *names: str) -> dict[tuple, list[dict[str, str]]]:
    """Return the rows of a file, which need not be there yet, by columns."""
    rows: dict[tuple, list[dict[str, str]]] = defaultdict(list)
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                rows[tuple(row[name] for name in names)].append(row)
    return rows


def append(path: Path, columns: tuple[str, ...], rows: list[tuple]) -> None:
    """Append rows to a file, with a header if it is new."""
    new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file)
        if new:
            writer.writerow(columns)
        writer.writerows(rows)


def compute_losses(folder: Path, families: list[str], n: int, sets: int) -> None:
    """Append what is missing of the losses, all truths at the same pace."""
    path = folder / f"losses_{n}.csv"
    known = {key[:3] for key in done(path, "family", "truth", "set")}
    for family in families:
        for start in range(0, sets, AT_ONCE):
            for truth in TRUTHS:
                for number in range(start, min(start + AT_ONCE, sets)):
                    if (family, truth, str(number)) not in known:
                        append(path, COLUMNS, losses_of(family, truth, n, number))
                tell(f"{family}, {truth}: {start + AT_ONCE} sets")
    tell("")


def losses_table(folder: Path, n: int) -> str:
    """Return coverage and misses of each family, truth and threshold, and the summary of each family."""
    lines, held_by_family = [], defaultdict(list)
    for (family, truth, t), rows in done(folder / f"losses_{n}.csv", "family", "truth", "threshold").items():
        true, raw, debiased, low, high, gain, error = (
            np.array([float(row[name]) for row in rows]) for name in COLUMNS[4:]
        )
        held = np.mean((low <= true) & (true <= high))
        by_folds = np.mean(np.abs(gain - true) <= 1.96 * error)
        held_by_family[family].append((held, by_folds, len(rows)))
        numbers = [f"{1e3 * x:.2f}" for x in (true.mean(), np.abs(raw - true).mean(), np.abs(debiased - true).mean())]
        numbers += [f"{1e3 * np.abs(gain - true).mean():.2f}", f"{1e3 * np.mean(high - low):.1f}"]
        above = 100 * np.mean(low > true)
        lines.append(
            [family, truth, t, str(len(rows)), *numbers, f"{100 * held:.1f}", f"{above:.1f}", f"{100 * by_folds:.1f}"]
        )
    header = ("family", "truth", "t", "S", "true", "raw miss", "debiased miss", "held-out miss", "width")
    table = markdown((*header, "coverage", "low > true", "held-out +- 1.96 s.e."), lines)
    summaries = [
        [
            family,
            str(min(size for *_, size in cells)),
            f"{100 * np.mean([held for held, *_ in cells]):.1f}",
            f"{100 * np.sqrt(0.05 * 0.95 / sum(size for *_, size in cells)):.1f}",
            f"{100 * min(held for held, *_ in cells):.1f}",
            f"{100 * np.mean([by_folds for _, by_folds, _ in cells]):.1f}",
            f"{100 * min(by_folds for _, by_folds, _ in cells):.1f}",
        ]
        for family, cells in held_by_family.items()
    ]
    header = ("family", "S", "mean coverage", "s.e.", "lowest", "held-out mean", "held-out lowest")
    return f"{table}\n\n{markdown(header, summaries)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("decisions"))
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--families", nargs="+", default=["isotonic", "spline"])
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--bands", action="store_true", help="the curves of net benefit in place of the losses")
    parser.add_argument("--report", action="store_true", help="only print what the files hold")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    if not given.report and given.bands:
        compute_bands(given.output, given.n, given.sets)
    elif not given.report:
        compute_losses(given.output, given.families, given.n, given.sets)
    tables = {"losses": losses_table, "bands": bands_table}
    print(
        "\n\n".join(
            make(given.output, given.n)
            for kind, make in tables.items()
            if (given.output / f"{kind}_{given.n}.csv").exists()
        )
    )


if __name__ == "__main__":
    main()
