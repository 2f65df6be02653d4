"""How often `compare_cells` says that the calibration has changed: where the scores alone drift, and where it has.

Run it as ``python benchmarks/drift_rates.py``; ``--quick`` takes a tenth of the pairs, ``--groups`` those of rows that
belong to groups, of one table or of both. Beside it stands the z-test of
the difference of the mean residuals, which knows nothing of the scores: a drift of the scores of a miscalibrated
classifier changes its mean residual too.
"""

import argparse
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, ndtr

import fitontest as fot
from report import machine_facts, markdown, tell

Map = Callable[[np.ndarray], np.ndarray]
Scores = Callable[[np.random.Generator, int], np.ndarray]

SIZES = (2000, 20_000)
PAIRS = {True: 1000, False: 300}  # where nothing has changed, and where the calibration has
DRAWS = 199
LEVEL = 0.05
HEADER = ("scores", "calibration", "rows each", "changed", "a region (Holm)", "error", "maps", "z-test of means")


def off(p: np.ndarray) -> np.ndarray:
    """Return the probabilities of a positive where the scores are too high."""
    return p**1.5


def steep(p: np.ndarray) -> np.ndarray:
    """Return those of scores that are far too cautious."""
    return 1.0 / (1.0 + np.exp(-12.0 * (p - 0.5)))


def overconfident(p: np.ndarray) -> np.ndarray:
    """Return those of scores that are far too certain."""
    return expit(logit(p) / 5.0)


def of_beta(a: float, b: float) -> Scores:
    """Return scores of a beta distribution."""
    return lambda rng, n: rng.beta(a, b, n)


def of_normal(mean: float, deviation: float) -> Scores:
    """Return scores whose logits have a normal distribution."""
    return lambda rng, n: expit(rng.normal(mean, deviation, n))


def of_two_modes(share: float) -> Scores:
    """Return scores with logits about -4 and 4, the latter of a share of the rows."""
    return lambda rng, n: expit(np.where(rng.random(n) < share, 4.0, -4.0) + rng.normal(0.0, 0.4, n))


SAME, NEAR, FAR = ((of_beta(1.0, 3.0), of_beta(*shape)) for shape in ((1.0, 3.0), (2.0, 3.0), (3.0, 1.0)))
MODES = of_two_modes(0.2), of_two_modes(0.8)
GAP = of_normal(-3.0, 0.3), of_normal(3.0, 0.3)
WIDE = of_normal(-3.0, 6.0), of_normal(3.0, 6.0)


class Setting(NamedTuple):
    """Two distributions of scores, and the probabilities of a positive before and after."""

    scores: str
    calibration: str
    drawn: tuple[Scores, Scores]
    before: Map
    after: Map

    @property
    def unchanged(self) -> bool:
        """Whether the calibration is the same."""
        return self.before is self.after


SETTINGS = (
    Setting("same", "same, off", SAME, off, off),
    Setting("drift", "same, off", NEAR, off, off),
    Setting("drift far", "same, off", FAR, off, off),
    Setting("drift far", "same, steep", FAR, steep, steep),
    Setting("two modes", "same, off", MODES, off, off),
    Setting("gap", "same, off", GAP, off, off),
    Setting("wide logits", "same, overconfident", WIDE, overconfident, overconfident),
    Setting("same", "+ .02", SAME, off, lambda p: np.minimum(off(p) + 0.02, 1.0)),
    Setting("drift", "+ .02", NEAR, off, lambda p: np.minimum(off(p) + 0.02, 1.0)),
    Setting("same", "+ .05", SAME, off, lambda p: np.minimum(off(p) + 0.05, 1.0)),
    Setting("drift", "+ .05", NEAR, off, lambda p: np.minimum(off(p) + 0.05, 1.0)),
    Setting("two modes", "+ .05", MODES, off, lambda p: np.minimum(off(p) + 0.05, 1.0)),
    Setting("wide logits", "+ .05", WIDE, overconfident, lambda p: np.minimum(overconfident(p) + 0.05, 1.0)),
    Setting("drift", "± .05 by turns", NEAR, off, lambda p: np.clip(off(p) + 0.05 * np.sin(7 * p), 0.0, 1.0)),
)


def found_in(setting: Setting, n: int, seed: int) -> list[bool]:
    """Return what was found to have changed in one pair of tables."""
    rng = np.random.default_rng([seed, n])
    tables, residuals = [], []
    for scores, truth in zip(setting.drawn, (setting.before, setting.after), strict=True):
        p = scores(rng, n)
        y = rng.random(n) < truth(p)
        tables.append(fot.Cells.of(y, p))
        residuals.append(y - p)
    found = fot.monitor.compare_cells(*tables, draws=DRAWS, random_state=seed)
    z = np.diff([one.mean() for one in residuals]) / np.sqrt(sum(one.var() / n for one in residuals))
    region = min(row["adjusted_p_value"] for row in found.rows())
    p_values = (found.p_value, region, found.error.p_value, found.maps.p_value)
    return [*(p_value <= LEVEL for p_value in p_values), bool(abs(z[0]) > 1.96)]


class Grouped(NamedTuple):
    """Groups of as many rows in both tables: how many, whether they are the same, and how alike their labels are."""

    groups: int
    rows: int
    same: bool
    alike: float
    shift: float


GROUPED_HEADER = (
    "groups a table",
    "rows each",
    "groups",
    "latent correlation",
    "calibration",
    "changed",
    "mean residual",
)
GROUPED_HEADER += ("a region (Holm)", "rows taken for independent", "its regions (Holm)")
GROUPED = [
    Grouped(groups, rows, same, alike, shift)
    for groups, rows in ((15, 60), (30, 100), (100, 30))
    for same in (False, True)
    for alike in (0.0, 0.15)
    for shift in (0.0, 0.05)
]


def found_in_groups(setting: Grouped, seed: int) -> list[bool]:
    """Return what was found to have changed in one pair of tables, by group and as if rows were independent."""
    rng = np.random.default_rng([seed, setting.groups, setting.rows])
    shared, tables = rng.standard_normal(2 * setting.groups), []
    shape = (setting.groups, setting.rows)
    for after in (0, 1):
        groups = np.arange(setting.groups) + (0 if setting.same else after * setting.groups)
        own = np.sqrt(0.3) * rng.standard_normal((setting.groups, 1)) + np.sqrt(0.7) * rng.standard_normal(shape)
        p = expit(-0.8 + after + 1.2 * own)
        latent = np.sqrt(setting.alike) * shared[groups][:, None] + np.sqrt(1 - setting.alike) * rng.standard_normal(
            shape
        )
        y = ndtr(latent) < np.minimum(off(p) + after * setting.shift, 1.0)
        tables.append((y.ravel(), p.ravel(), np.repeat(groups, setting.rows)))
    options = {"draws": DRAWS, "family": "identity", "random_state": seed}
    found = fot.monitor.compare_cells(*(fot.read(y, p, groups=group) for y, p, group in tables), **options)
    rows = fot.monitor.compare_cells(*((y, p) for y, p, _ in tables), **options)
    regions = [min(row["adjusted_p_value"] for row in one.rows()) for one in (found, rows)]
    p_values = (found.p_value, found.residual.p_value, regions[0], rows.p_value, regions[1])
    return [p_value <= LEVEL for p_value in p_values]


def percent(found: np.ndarray) -> str:
    """Return a share with its standard error."""
    share = found.mean()
    return f"{100 * share:.1f} ± {100 * np.sqrt(share * (1 - share) / found.size):.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the pairs")
    parser.add_argument("--groups", action="store_true", help="rows that belong to groups")
    options = parser.parse_args()
    divisor = 10 if options.quick else 1
    start, rows = time.perf_counter(), []
    for grouped in GROUPED if options.groups else ():
        pairs = (600 if grouped.shift == 0.0 else 300) // divisor
        tell(f"{grouped}")
        found = np.array([found_in_groups(grouped, seed) for seed in range(pairs)])
        which, calibration = "the same" if grouped.same else "others", "same" if grouped.shift == 0.0 else "+ .05"
        rows.append((*map(str, grouped[:2]), which, f"{grouped.alike:g}", calibration, *map(percent, found.T)))
    for setting in () if options.groups else SETTINGS:
        for n in SIZES:
            pairs = PAIRS[setting.unchanged] // divisor
            tell(f"{setting.scores}, {setting.calibration}, {n:,} rows")
            found = np.array([found_in(setting, n, seed) for seed in range(pairs)])
            rows.append((setting.scores, setting.calibration, f"{n:,}", *map(percent, found.T)))
    tell("")
    print(f"{machine_facts()}; {time.perf_counter() - start:.0f} s\n")
    print(f"Share of pairs, in percent with standard errors, with a p-value of at most {LEVEL} ({DRAWS} draws)\n")
    print(markdown(GROUPED_HEADER if options.groups else HEADER, rows))


if __name__ == "__main__":
    main()
