"""Tables of what `rough_truths.py` recorded, and the bars that the numbers are held against.

Every share and mean has its standard error beside it. Where both versions were run, differences and ratios are taken
pair by pair over the same data sets.
"""

import csv
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import inf, nan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from report import markdown
from rough_cases import CALIBRATED, CASES, READINGS, ROWS, SMOOTH, STANDARD
from two_versions import BEFORE, NOW

Array = NDArray[np.float64]
Key = tuple[str, int, str]  # case, number of rows, version
LEVEL = LIMIT = 0.05
WORDS = ("version", "read_as", "case", "widened_by", "gate_outcome")  # columns that are no numbers
ALL, ALL_CALIBRATED = STANDARD + "all cases", STANDARD + "all calibrated"
FAR = 1_000_000  # between the numbers of the sets of pooled cases
CALIBRATED_LIMITS = (0.03, 0.05, 0.07)
RESOLUTIONS = (None, 20, 40)
ROUGH = ("wavy8", "wavy20", "leaves 40", "leaves 100", "sawtooth")  # the verdict must see these with 4,000 rows


@dataclass(frozen=True)
class Sets:
    """What was read off the data sets of one case, number of rows and version, in the order of the sets."""

    columns: Mapping[str, NDArray]

    def __getitem__(self, name: str) -> NDArray:
        return self.columns[name]

    @property
    def size(self) -> int:
        """How many data sets there are."""
        return len(self["set"])

    def only(self, numbers: set[float]) -> "Sets":
        """Return the data sets of these numbers."""
        chosen = np.isin(self["set"], list(numbers))
        return Sets({name: values[chosen] for name, values in self.columns.items()})


def read(path: Path, first_seed: int, read_as: str = ROWS) -> dict[Key, Sets]:
    """Return what the file, which need not be there yet, holds of the sets of a first seed, read in one way."""
    rows: dict[Key, list[dict[str, str]]] = defaultdict(list)
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                if (int(row["first_seed"]), row["read_as"]) == (first_seed, read_as):
                    rows[row["case"], int(row["n"]), row["version"]].append(row)
    return {key: _columns(each) for key, each in rows.items()}


def _columns(rows: list[dict[str, str]]) -> Sets:
    rows = sorted(rows, key=lambda row: int(row["set"]))
    return Sets(
        {name: np.array([row[name] if name in WORDS else float(row[name] or nan) for row in rows]) for name in rows[0]}
    )


def with_all_standard(cells: Mapping[Key, Sets]) -> dict[Key, Sets]:
    """Return the cells with all standard cases, and all calibrated ones of them, pooled as cases of their own."""
    found = dict(cells)
    standard = [key for key in cells if key[0].startswith(STANDARD)]
    numbers = {case: k for k, case in enumerate(sorted({case for case, _, _ in standard}))}
    pools: dict[Key, list[Sets]] = defaultdict(list)
    for case, n, version in standard:
        sets = cells[case, n, version]
        apart = Sets({**sets.columns, "set": sets["set"] + FAR * numbers[case]})
        pools[ALL, n, version].append(apart)
        if sets["true"].max() == 0:
            pools[ALL_CALIBRATED, n, version].append(apart)
    for key, pool in pools.items():
        found[key] = Sets({name: np.concatenate([sets[name] for sets in pool]) for name in pool[0].columns})
    return found


Quantity = Callable[[Sets], Array]


def covered(sets: Sets) -> Array:
    return _held(sets["low"] <= sets["true"], sets["true"] <= sets["high"])


def covered_by_isotonic(sets: Sets) -> Array:
    return _held(sets["isotonic_low"] <= sets["true"], sets["true"] <= sets["isotonic_high"])


def above(sets: Sets) -> Array:
    """Whether the interval lies above the truth."""
    return (sets["low"] > sets["true"]).astype(float)


def width(sets: Sets) -> Array:
    return sets["high"] - sets["low"]


def isotonic_width(sets: Sets) -> Array:
    return sets["isotonic_high"] - sets["isotonic_low"]


def misfit(sets: Sets) -> Array:
    """Whether the fit test rejects the spline."""
    return small(sets, "fit_p")


def small(sets: Sets, name: str) -> Array:
    """Whether a p-value is at most .05; NaN where there is none."""
    return _held(sets[name] <= LEVEL, missing=np.isnan(sets[name]))


def joint(sets: Sets) -> Array:
    return small(sets, "joint_p")


def shown(sets: Sets) -> Array:
    """Whether the verdict says that the scores are miscalibrated."""
    return sets["shown"]


def silent(sets: Sets) -> Array:
    """Whether the verdict says that no miscalibration is shown."""
    return 1.0 - sets["shown"]


def held_by_40(sets: Sets) -> Array:
    return held_by(sets, "b40")


def held_by_verdict(sets: Sets) -> Array:
    return held_by(sets, "verdict_b40")


def held_by(sets: Sets, name: str) -> Array:
    """Whether the true error is at most a limit at a resolution; NaN where there is none."""
    return _held(sets["true"] <= sets[name], missing=np.isnan(sets[name]))


def passed(sets: Sets, limit: float | Array, resolution: int | None) -> Array:
    """Whether the gate passes: the upper end and the limit at the resolution are at most the limit."""
    decides = sets["gate_high"] if resolution is None else sets[f"gate_b{resolution}"]
    return _held(sets["gate_high"] <= limit, decides <= limit, missing=np.isnan(decides))


def failed(sets: Sets, limit: float | Array) -> Array:
    return _held(sets["gate_low"] > limit, missing=np.isnan(sets["gate_low"]))


def _held(*facts: Array, missing: Array | None = None) -> Array:
    values = np.all(facts, axis=0).astype(float)
    return values if missing is None else np.where(missing, nan, values)


@dataclass(frozen=True)
class Number:
    """A mean, a share or a ratio with its standard error."""

    value: float
    error: float

    @classmethod
    def of(cls, values: Array) -> "Number":
        """Return the mean of the values that are there; a share of 0 or 1 has the error of one half a data set off."""
        values = values[~np.isnan(values)]
        size = values.size
        if size == 0:
            return cls(nan, nan)
        if np.isin(values, (0, 1)).all():
            share = float(values.mean())
            return cls(share, float(np.sqrt(max(share * (1 - share), 0.25 / size) / size)))
        return cls(float(values.mean()), _standard_error(values))

    @classmethod
    def ratio(cls, values: Array, others: Array) -> "Number":
        """Return the mean of some values over that of others, which belong together pair by pair."""
        ratio = float(values.mean() / others.mean())
        return cls(ratio, _standard_error(values - ratio * others) / float(others.mean()))

    def percent(self) -> str:
        """Return it in percent, or a dash where there is none."""
        return "-" if np.isnan(self.value) else f"{100 * self.value:.1f} ± {100 * self.error:.1f}"

    def thousandths(self) -> str:
        """Return it in thousandths, or a dash where there is none."""
        return "-" if np.isnan(self.value) else f"{1e3 * self.value:.1f} ± {1e3 * self.error:.1f}"


def _standard_error(values: Array) -> float:
    return float(values.std(ddof=1) / np.sqrt(values.size)) if values.size > 1 else inf


@dataclass(frozen=True)
class Bar:
    """What a share or a mean is asked to be at least and at most, in one case.

    With `change` the difference to the version before is asked for, with `ratio` the ratio of the means.
    """

    group: str
    case: str
    n: int
    words: str
    quantity: Quantity
    least: float = -inf
    most: float = inf
    against: str = ""  # "", "change" or "ratio"

    def line(self, cells: Mapping[Key, Sets]) -> list[str] | None:
        """Return the line of the table, or None where no data sets were drawn."""
        now, before = (cells.get((self.case, self.n, version)) for version in (NOW, BEFORE))
        if now is None or (self.against and before is None):
            return None
        if self.against:
            now, before = paired(now, before)
        today = None if before is None else Number.of(self.quantity(before))
        number, today = self._numbers(now, before, today)
        asked = " and ".join(
            f"{sign} {100 * bound:g}" for sign, bound in ((">=", self.least), ("<=", self.most)) if abs(bound) < inf
        )
        shown_before = "-" if today is None else today.percent()
        cell = [self.group, self.case.removeprefix(STANDARD), f"{self.n:,}", self.words, str(now.size), shown_before]
        return [*cell, number.percent(), asked, self.met(number)]

    def _numbers(self, now: Sets, before: Sets | None, today: Number | None) -> tuple[Number, Number | None]:
        values = self.quantity(now)
        if before is None or not self.against:
            return Number.of(values), today
        others = self.quantity(before)
        if self.against == "ratio":
            return Number.ratio(values, others), None
        return Number.of(values - others), today

    def met(self, number: Number) -> str:
        """Return whether the number is as asked, and if not, whether it is off by less than two standard errors."""
        if abs(self.least) == abs(self.most) == inf:
            return "reported"
        if np.isnan(number.value):
            return "no number"
        off = max(self.least - number.value, number.value - self.most)
        return "met" if off <= 1e-9 else "missed by less than 2 s.e." if off < 2 * number.error else "MISSED"


def paired(now: Sets, before: Sets) -> tuple[Sets, Sets]:
    """Return the data sets that both have."""
    common = {*now["set"]} & {*before["set"]}
    return now.only(common), before.only(common)


def unasked(sets: Sets) -> int | None:
    """Return the resolution at which the gate of the version decides unless told otherwise."""
    return None if np.isnan(sets["gate_b20"]).all() else 20


def at_truth(sets: Sets) -> Array:
    return passed(sets, sets["true"], unasked(sets))


def at_twice(sets: Sets) -> Array:
    return passed(sets, 2 * sets["true"], unasked(sets))


def at_seven(sets: Sets) -> Array:
    return passed(sets, 0.07, unasked(sets))


def bars() -> Iterable[Bar]:
    """Yield the bars of the rough cases: (a) to (f), and those of the verdict."""
    for case in ("calibrated", "square .05"):
        for n in (1000, 3000):
            yield Bar("a", case, n, "coverage", covered, 0.90, 1.0)
            yield Bar("a", case, n, "width, now / before", width, most=1.12, against="ratio")
            yield Bar("a", case, n, "fit test rejects", misfit, most=0.14)
            if case == "calibrated":
                yield Bar("a", case, n, "joint p <= .05", joint, most=0.10)
    for case in ("wavy20", "wavy8", "leaves 40", "leaves 100"):
        yield Bar("b", case, 4000, "coverage", covered, least=0.78)
        yield Bar("b", case, 4000, "fit test rejects", misfit, least=0.95)
    yield Bar("c", "stairs 4", 4000, "coverage", covered, least=0.78)
    yield Bar("c", "piles .05", 1000, "coverage", covered, least=0.82)
    for n in (1000, 4000):
        for case in ("wavy8", "leaves 40", "piles .05", "stairs 4", "stairs .1", "square .05", "overconfident .7"):
            yield Bar("d", case, n, "gate passes at E", at_truth, most=0.14 if case == "wavy8" else 0.09)
    yield Bar("d", "leaves 100", 4000, "gate passes at E", at_truth, most=0.09)
    yield Bar("d", "wavy20", 4000, "gate passes at E", at_truth, most=0.18)
    yield Bar("d", "square .05", 1000, "gate passes at 2 E", at_twice, least=0.84)
    yield Bar("d", "overconfident .7", 1000, "gate passes at 2 E", at_twice, least=0.84)
    yield Bar("d", "calibrated", 1000, "gate passes at .07", at_seven, least=0.88)
    for n in (1000, 4000):
        for case in CASES:
            yield Bar("e", case, n, "B_40 >= E", held_by_40, least=0.84)
    for case, least in (("wavy8", 0.35), ("piles .003", 0.40), ("square .05", 0.90)):
        yield Bar("f", case, 1000, "joint p <= .05", joint, least=least)
    for case in ROUGH:
        yield Bar("verdict", case, 4000, "none shown", silent, most=0.05)
        yield Bar("verdict", case, 1000, "none shown", silent)
        yield Bar("verdict", case, 1000, "verdict's B_40 >= E", held_by_verdict, least=0.90)


def standard_bars(cells: Mapping[Key, Sets]) -> Iterable[Bar]:
    """Yield the bars of the standard cases that were drawn, one by one and together."""
    for case, n in dict.fromkeys(key[:2] for key in listed(cells, standard=True)):
        yield Bar("standard", case, n, "coverage, now - before", covered, -0.02, 0.02, "change")
        yield Bar("standard", case, n, "width, now / before", width, most=1.10, against="ratio")
        yield Bar("standard", case, n, "isotonic coverage, now - before", covered_by_isotonic, -0.02, 0.02, "change")
        yield Bar("standard", case, n, "isotonic width, now / before", isotonic_width, most=1.10, against="ratio")
        now = cells.get((case, n, NOW))
        if now is not None and now["true"].max() == 0:
            yield Bar("standard", case, n, "miscalibration shown", shown, 0.03, 0.08)


def table_of_bars(cells: Mapping[Key, Sets], asked: Iterable[Bar]) -> str:
    """Return all bars whose data sets were drawn, with how many are met."""
    lines = [line for bar in asked if (line := bar.line(cells)) is not None]
    if not lines:
        return "No bar can be held against these data sets."
    judged = [line[-1] for line in lines if line[-1] != "reported"]
    kinds = ("met", "missed by less than 2 s.e.", "MISSED", "no number")
    counts = ", ".join(f"{kind}: {judged.count(kind)}" for kind in kinds if kind in judged)
    header = ("bar", "case", "n", "in %", "sets", "before ± s.e.", "now ± s.e.", "asked", "verdict")
    return f"{markdown(header, lines)}\n\n{len(judged)} bars; {counts}"


def listed(cells: Mapping[Key, Sets], standard: bool) -> list[Key]:
    """Return the cells of a kind by number of rows, in the order of the cases, before first."""
    chosen = [key for key in cells if key[0].startswith(STANDARD) == standard]
    order = {case: k for k, case in enumerate([*CASES, ALL_CALIBRATED, ALL])}
    return sorted(chosen, key=lambda key: (key[1], order.get(key[0], -1), key[0], key[2] == NOW))


def _place(key: Key, sets: Sets) -> list[str]:
    case, n, version = key
    return [f"{n:,}", case.removeprefix(STANDARD), version, str(sets.size), f"{1e3 * sets['true'].mean():.1f}"]


PLACE = ("n", "case", "version", "S", "E")


def intervals_table(cells: Mapping[Key, Sets], standard: bool) -> str:
    """Return coverage and mean width of the intervals, and how often the fit test rejects."""
    lines = []
    for key in listed(cells, standard):
        sets = cells[key]
        shares = [Number.of(each(sets)).percent() for each in (covered, above)]
        isotonic = [Number.of(covered_by_isotonic(sets)).percent(), _mean(isotonic_width(sets))]
        by = "/".join(f"{100 * np.mean(sets['widened_by'] == name):.0f}" for name in ("isotonic", "levels"))
        biases = [_mean(sets[name] - sets["true"]) for name in ("debiased", "isotonic_debiased")]
        fit = Number.of(misfit(sets)).percent()
        lines.append(
            [*_place(key, sets), shares[0], _mean(width(sets)), biases[0], shares[1], fit, by, *isotonic, biases[1]]
        )
    spline = ("covered %", "width", "bias", "low > E %", "misfit %", "by isotonic/levels %")
    return markdown((*PLACE, *spline, "isotonic: covered %", "width", "bias"), lines)


def verdicts_table(cells: Mapping[Key, Sets], standard: bool) -> str:
    """Return how often each p-value is at most .05, and how often the verdict shows miscalibration."""
    lines = []
    for key in listed(cells, standard):
        sets = cells[key]
        names = ("p_spline", "p_isotonic", "p_pairs", "joint_p")
        shares = [Number.of(small(sets, name)).percent() for name in names]
        lines.append([*_place(key, sets), *shares, Number.of(shown(sets)).percent()])
    return markdown((*PLACE, "spline %", "isotonic %", "pairs %", "joint %", "shown %"), lines)


def limits_table(cells: Mapping[Key, Sets]) -> str:
    """Return the mean limits at both resolutions, and how often they hold the true error."""
    lines = []
    for key in listed(cells, standard=False):
        sets = cells[key]
        columns = ("b20", "b40", "verdict_b40")
        each = [(_mean(sets[name]), Number.of(held_by(sets, name)).percent()) for name in columns]
        lines.append([*_place(key, sets), *(text for pair in each for text in pair)])
    limits = ("B_20", "holds %", "B_40", "holds %", "verdict's B_40", "holds %")
    return markdown((*PLACE, *limits), lines)


def gates_table(cells: Mapping[Key, Sets]) -> str:
    """Return how often the gate passes at each resolution, and how often it fails, at limits relative to the truth.

    All of it follows from the interval and the limits of one gate; in the first column of shares the interval decides
    alone, as the gate's does that has no resolution.
    """
    lines = []
    for key in listed(cells, standard=False):
        sets = cells[key]
        limits: dict[str, float | Array] = (
            {f"{limit:g}": limit for limit in CALIBRATED_LIMITS}
            if key[0] in CALIBRATED
            else {f"{times} E": float(times) * sets["true"] for times in ("0.5", "1", "2")}
        )
        for words, limit in limits.items():
            shares = [Number.of(passed(sets, limit, resolution)).percent() for resolution in RESOLUTIONS]
            lines.append([*_place(key, sets), words, *shares, Number.of(failed(sets, limit)).percent()])
    return markdown((*PLACE, "limit", "passes by interval %", "and by B_20 %", "and by B_40 %", "fails %"), lines)


def readings_table(path: Path, first_seed: int) -> str:
    """Return what is said of each case where it is read as rows, as cells and in groups, and how often it is wrong.

    The last lines are of all smooth and all rough cases together.
    """
    by_reading = {read_as: read(path, first_seed, read_as) for read_as in READINGS}
    found = {
        (n, case, read_as): [cells[case, n, NOW]]
        for n in sorted({key[1] for cells in by_reading.values() for key in cells})
        for case, (read_as, cells) in product(CASES, by_reading.items())
        if (case, n, NOW) in cells
    }
    pools: dict[tuple[int, str, str], list[Sets]] = defaultdict(list)
    for (n, case, read_as), sets in found.items():
        pools[n, "all smooth" if case in SMOOTH else "all rough", read_as] += sets
    lines = []
    for (n, case, read_as), sets in [*found.items(), *sorted(pools.items(), key=lambda pool: pool[0][:2])]:
        values = [np.concatenate([each(one) for one in sets]) for each in (_true, width, *WRONG.values())]
        sizes = [f"{1e3 * value.mean():.0f}" for value in values[:2]]
        shares = [Number.of(value).percent() for value in values[2:]]
        lines.append([f"{n:,}", case, read_as, str(values[0].size), *sizes, *shares])
    return markdown(("n", "case", "read as", "S", "E", "width", *(f"{name} %" for name in WRONG)), lines)


def _true(sets: Sets) -> Array:
    return sets["true"]


def missed_in_silence(sets: Sets) -> Array:
    """Whether the interval misses the truth and no sentence says that a spline does not fit."""
    return (1.0 - covered(sets)) * (1.0 - misfit(sets))


def wrong_at_limit(sets: Sets) -> Array:
    """Whether the gate with a limit of .05 decides, and wrongly."""
    passes, fails = passed(sets, LIMIT, unasked(sets)), failed(sets, LIMIT)
    return np.where(sets["true"] > LIMIT, passes, fails)


WRONG: dict[str, Quantity] = {
    "held": covered,
    "misfit said": misfit,
    "missed in silence": missed_in_silence,
    "shown": shown,
    "B_40 holds": held_by_40,
    "gate at .05 wrong": wrong_at_limit,
    "gate at E passes": at_truth,
}


def contradictions(cells: Mapping[Key, Sets]) -> int:
    """Return in how many data sets the outcome that the gate gave is not the one that these tables work out."""
    count = 0
    for (case, _, _), sets in cells.items():
        if case.startswith(STANDARD):
            continue
        passes = passed(sets, sets["gate_limit"], unasked(sets)) == 1
        fails = failed(sets, sets["gate_limit"]) == 1
        outcomes = np.where(fails, "fail", np.where(passes, "pass", "undecided"))
        count += int(np.sum(outcomes != sets["gate_outcome"]))
    return count


def seconds_table(cells: Mapping[Key, Sets], standard: bool) -> str:
    """Return the seconds of CPU that a data set took, over the cases."""
    seconds: dict[tuple[int, str], list[Array]] = defaultdict(list)
    for key in listed(cells, standard):
        seconds[key[1:]].append(cells[key]["seconds"])
    lines = [
        [f"{n:,}", version, str(sum(map(len, each))), f"{np.mean(np.concatenate(each)):.2f}"]
        for (n, version), each in sorted(seconds.items())
    ]
    return markdown(("n", "version", "sets", "seconds of CPU a set"), lines)


def _mean(values: Array) -> str:
    return Number.of(values).thousandths()
