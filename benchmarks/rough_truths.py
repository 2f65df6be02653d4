"""What the package says of scores whose true map is rough: intervals, limits, gates and verdicts, and what they cost.

Usage: ``python benchmarks/rough_truths.py [-o rough.csv] [--before FOLDER] [--sets 200] [--sets-before 200]
[--n 1000 4000] [--cases ...] [--reading rows cells groups] [--first-seed 322026] [--processes 2] [--table] [--bars]``,
the same with ``--standard``, or ``python benchmarks/rough_truths.py --timing --before FOLDER
[--n 1000 10000 1000000] [--repeats 5]``.

Nineteen cases of `rough_cases.py`, waves, teeth, levels, stairs, piles, atoms, with smooth ones beside them: without
``--n`` with 1,000 and 4,000 rows, and those that bar (a) names with 3,000 too. Every data set of a case has a seed of
its own, and no case shares seeds with another. Results are appended to the CSV file, a row for each data set, and what
is there already is not computed again. With ``--before``, a checkout of an earlier version, the same data sets are
measured by that version too, in processes of its own, and every table has both.

The tables: coverage and mean width (in thousandths) of the 95 % intervals by spline and isotonic, their biases, how
often the fit test rejects; how often p-values are at most .05; the limits at a resolution and how often they hold the
true error; the outcomes of the gate at limits relative to the true error; and the bars, with what is asked. Shares are
in percent with their standard errors. ``--table`` prints what the file holds, ``--bars`` only the bars.

``--reading``: the same problems as independent rows, as `Cells` of the same rows, and as rows in 100 groups, whose
labels and scores are alike (named with ``groups=``). Unless it is "rows" alone, one table has all readings that the
file holds: how often the interval holds the true error, how often it is said that a spline does not fit, how often the
interval misses the error without that sentence, how often the verdict shows miscalibration, how often limit(40) is at
least the true error, and how often the gate decides wrongly at a limit of .05 and passes at the true error.

``--standard``: the cases of `interval_coverage.py` (300, 1,000 and 3,000 rows), coverage and width before and now.
``--timing``: seconds of CPU of calls at both versions, run in turn; the ratio is the median of those of the pairs.
"""

import argparse
import csv
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

from report import machine_facts, markdown, number, tell
from rough_cases import CASES, READINGS, ROWS, STANDARD
from rough_tables import (
    bars,
    contradictions,
    gates_table,
    intervals_table,
    limits_table,
    read,
    readings_table,
    seconds_table,
    standard_bars,
    table_of_bars,
    verdicts_table,
    with_all_standard,
)
from run_records import end_with_whole_line
from timing import Paired
from two_versions import BEFORE, NOW, one_thread_each, pools_of

SEED = 32_2026
SIZES = (1000, 4000)
BAR_SIZE, BAR_CASES = 3000, ("calibrated", "square .05")
STANDARD_SIZES = (300, 1000, 3000)
TIMING_SIZES = (1000, 10_000, 1_000_000)
TIMING_CASES = ("overconfident .7", "wavy8")
AT_ONCE = 5  # data sets that a process is given
PACE = 25  # data sets that every case has before any has more
MOST_TIMES, MOST_MORE = 1.4, {10_000: 0.1}  # of the CPU before; the seconds that may come on top at a number of rows
Cell = tuple[str, int]


def cells_of(cases: list[str] | None, sizes: list[int] | None, standard: bool) -> list[Cell]:
    """Return the cases and numbers of rows to draw."""
    if standard:
        from interval_coverage import CASES as STANDARD_CASES

        return [*product([STANDARD + case for case in known(cases, STANDARD_CASES)], sizes or STANDARD_SIZES)]
    names = known(cases, CASES)
    more = [(case, BAR_SIZE) for case in BAR_CASES if case in names and sizes is None]
    return [*product(names, sizes or SIZES), *more]


def known(cases: list[str] | None, all_cases: Iterable[str]) -> list[str]:
    """Return the cases asked for, all of them unless some are."""
    names = [*all_cases]
    if unknown := [case for case in cases or () if case not in names]:
        raise SystemExit(f"--cases must be among {names}, got {unknown}")
    return cases or names


def compute(
    path: Path,
    cells: list[Cell],
    readings: list[str],
    sets: dict[str, int],
    first_seed: int,
    pools: dict[str, ProcessPoolExecutor],
) -> None:
    """Append what is missing of the `sets` of each version, all cells, readings and versions at the same pace."""
    from rough_readings import COLUMNS, readings_of  # here, since it imports the package: see `two_versions`

    end_with_whole_line(path)
    done = {
        (read_as, *key): {*map(int, found["set"])}
        for read_as in readings
        for key, found in read(path, first_seed, read_as).items()
    }
    new = not path.exists() or path.stat().st_size == 0
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if new:
            writer.writeheader()
        for start in range(0, max(sets.values()), PACE):
            for version, pool in pools.items():
                numbers, batches = range(start, min(start + PACE, sets[version])), []
                for read_as, (case, n) in product(readings, cells):
                    missing = [k for k in numbers if k not in done.get((read_as, case, n, version), ())]
                    parts = (missing[i : i + AT_ONCE] for i in range(0, len(missing), AT_ONCE))
                    batches += [(version, first_seed, read_as, case, n, part) for part in parts]
                for k, rows in enumerate(pool.map(readings_of, *zip(*batches, strict=True)) if batches else ()):
                    tell(f"{version}, from set {start}: {k + 1} of {len(batches)} batches")
                    writer.writerows(rows)
                    file.flush()
    tell("")


def timing_table(
    cases: list[str], sizes: list[int], repeats: int, first_seed: int, pools: dict[str, ProcessPoolExecutor]
) -> str:
    """Return the CPU of each call at both versions, run in turn."""
    from rough_readings import CALLS, cpu_seconds

    lines = []
    for case, n, call in product(cases, sizes, CALLS):
        tell(f"{call}, {case}, n = {n:,}")
        seconds: dict[str, list[float]] = {version: [] for version in pools}
        for k in range(repeats + 1):  # the first pays for first use and is left out
            order = [*pools] if k % 2 == 0 else [*pools][::-1]
            for version in order:
                seconds[version].append(pools[version].submit(cpu_seconds, call, case, n, first_seed, k).result())
        times = Paired(tuple(seconds[NOW][1:]), tuple(seconds.get(BEFORE, seconds[NOW])[1:]))
        lines.append([call, case, f"{n:,}", *_timed(times, n, BEFORE in pools)])
    tell("")
    header = ("call", "case", "n", "before (s)", "now (s)", "now / before", "asked", "verdict")
    return markdown(header, lines)


def _timed(times: Paired, n: int, both: bool) -> list[str]:
    now, before = times.ours_ms / 1e3, times.theirs_ms / 1e3
    if not both:
        return ["-", number(now), "-", "-", "-"]
    more = MOST_MORE.get(n)
    asked = f"<= {MOST_TIMES:g} times" + ("" if more is None else f", or {more:g} s more")
    met = times.ratio <= MOST_TIMES or (more is not None and now - before <= more)
    return [number(before), number(now), f"{times.ratio:.2f}", asked, "met" if met else "MISSED"]


def print_tables(path: Path, first_seed: int, standard: bool, only_bars: bool) -> None:
    """Print what the file holds."""
    cells = with_all_standard(read(path, first_seed)) if standard else read(path, first_seed)
    parts = [machine_facts(), table_of_bars(cells, standard_bars(cells) if standard else bars())]
    if not only_bars:
        more = [] if standard else [limits_table(cells), gates_table(cells)]
        parts[1:1] = [intervals_table(cells, standard), verdicts_table(cells, standard), *more]
        parts.append(seconds_table(cells, standard))
        if not standard:
            parts.append(f"Outcomes of the gate that its interval and limit do not explain: {contradictions(cells)}.")
    print("\n\n".join(parts))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("rough.csv"))
    parser.add_argument("--before", type=Path, help="checkout of an earlier version, measured on the same data sets")
    parser.add_argument("--cases", nargs="+")
    parser.add_argument("--n", nargs="+", type=int)
    parser.add_argument("--reading", nargs="+", choices=READINGS, default=[ROWS], help="how the rows are handed over")
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--sets-before", type=int, help="of the earlier version; by default as many")
    parser.add_argument("--first-seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5, help="pairs of runs for --timing")
    parser.add_argument("--standard", action="store_true", help="the cases of interval_coverage.py")
    parser.add_argument("--timing", action="store_true", help="only the CPU of calls")
    parser.add_argument("--table", action="store_true", help="only print what the file holds")
    parser.add_argument("--bars", action="store_true", help="only print the bars")
    given = parser.parse_args()
    if given.standard and given.reading != [ROWS]:
        parser.error("--reading must be left out with --standard, whose cases are read as rows")
    if given.timing:
        pools = pools_of(given.before, 1)
        cases, sizes = known(given.cases or [*TIMING_CASES], CASES), given.n or [*TIMING_SIZES]
        table = timing_table(cases, sizes, given.repeats, given.first_seed, pools)
        print(f"{machine_facts()}\n\n{table}")
        return
    if not (given.table or given.bars):
        one_thread_each()
        cells = cells_of(given.cases, given.n, given.standard)
        sets = {NOW: given.sets, BEFORE: given.sets if given.sets_before is None else given.sets_before}
        compute(given.output, cells, given.reading, sets, given.first_seed, pools_of(given.before, given.processes))
    if given.reading != [ROWS]:
        print(f"{machine_facts()}\n\n{readings_table(given.output, given.first_seed)}")
        return
    print_tables(given.output, given.first_seed, given.standard, given.bars)


if __name__ == "__main__":
    main()
