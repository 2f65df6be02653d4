"""How often evaluators find a calibration error, and how closely they tell it, by the number of rows and the base rate.

Usage: ``python benchmarks/evaluation_plan.py [--families slope1_15 isotonic spline] [--n 300 1000 ...]
[--base-rates 0.5 0.1 0.01 0.001] [--errors 0.02 0.05] [--relative 0.2 0.5] [--draws 200]``.

Scores are beta-distributed, as those of `plan_evaluation` are. Errors of .02 and .05 are those of base rates from
.1 up; rarer scores cannot be that wrong on average, so theirs are shares of the base rate, .2 and .5. A cell holds the
power, which of calibrated scores is the share of false alarms, and the mean width of the 95 % interval, in units of the
base rate r where errors are.
"""

import argparse

import fitontest as fot
from report import markdown, number

FAMILIES = {
    "slope1_15": fot.Slope1(15),
    "slope1": fot.Slope1(),
    "isotonic": fot.Isotonic(),
    "platt": fot.Platt(),
    "beta": fot.Beta(),
    "spline": fot.Spline(),
}
SIZES = (300, 1000, 3000, 10_000, 30_000, 100_000)
BASE_RATES = (0.5, 0.1, 0.01, 0.001)
RARE = 0.1  # base rates below have errors relative to them
HEADER = ("base rate", "error", "truth", "family")


def lines(families: list[str], sizes: list[int], rate: float, shares: list[float], draws: int) -> list[list[str]]:
    """Return a line for each error, truth and family; errors are `shares` of the base rate where it is small."""
    unit = rate if rate < RARE else 1.0
    plan = fot.apps.plan_evaluation(
        n=sizes,
        base_rate=rate,
        errors=[0.0, *(share * unit for share in shares)],
        families=[FAMILIES[name] for name in families],
        draws=draws,
        thorough=True,
    )
    cells: dict[tuple[float, str, str], dict[int, str]] = {}
    for row in plan.rows():
        cells.setdefault((row["error"], row["truth"], row["family"]), {})[row["n"]] = _cell(row, unit)
    names = dict(zip(plan.families, families, strict=True))
    order = sorted(cells, key=lambda key: key[:2])  # families stay in order
    return [
        [f"{rate:g}", f"{key[0]:g}", key[1], names[key[2]], *(cells[key].get(n, "-") for n in sizes)] for key in order
    ]


def _cell(row: dict, unit: float) -> str:
    if row["power"] is None:
        return "-"
    width = "-" if row["width"] is None else number(row["width"] / unit)
    return f"{100 * row['power']:.0f} %, {width}{'' if unit == 1.0 else ' r'}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--families", nargs="+", choices=FAMILIES, default=["slope1_15", "isotonic", "spline"])
    parser.add_argument("--n", nargs="+", type=int, default=[*SIZES])
    parser.add_argument("--base-rates", nargs="+", type=float, default=[*BASE_RATES])
    parser.add_argument("--errors", nargs="+", type=float, default=[0.02, 0.05])
    parser.add_argument("--relative", nargs="+", type=float, default=[0.2, 0.5], help="Of rare scores.")
    parser.add_argument("--draws", type=int, default=200)
    given = parser.parse_args()
    body = []
    with fot.show_progress():
        for rate in given.base_rates:
            shares = given.errors if rate >= RARE else given.relative
            body += lines(given.families, sorted(given.n), rate, shares, given.draws)
    print(markdown((*HEADER, *(f"n = {n:,}" for n in sorted(given.n))), body))


if __name__ == "__main__":
    main()
