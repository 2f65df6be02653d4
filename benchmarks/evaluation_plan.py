"""How often evaluators find a calibration error, and how closely they tell it, by the number of rows and the base rate.

Usage: ``python benchmarks/evaluation_plan.py [--families slope1_15 isotonic spline] [--n 300 1000 ...]
[--base-rates 0.5 0.1 0.01 0.001] [--errors 0.02 0.05] [--relative 0.2 0.5] [--draws 200]``.

Scores are beta-distributed, as `fitontest.plan_evaluation` has them. Calibrated scores, whose share of p-values at most
.05 are false alarms, come first. Errors of .02 and .05 are those of base rates from .1 up; rarer scores cannot be that
wrong on average, so theirs are shares of the base rate, here .2 and .5. Power and width are printed for overconfident
and for wavy scores; the width and both biases are also given in units of the base rate, as relative width and biases.
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
HEADER = ("base rate", "error", "truth", "family", "n", "power", "width", "width / rate", "raw bias", "debiased bias")


def lines(families: list[str], sizes: list[int], rate: float, errors: list[float], draws: int) -> list[list[str]]:
    """Return the lines of one base rate, by error, truth and family."""
    plan = fot.plan_evaluation(
        n=sizes, base_rate=rate, errors=[0.0, *errors], families=[FAMILIES[name] for name in families], draws=draws
    )
    names = dict(zip(plan.families, families, strict=True))
    order = {"calibrated": 0, "overconfident": 1, "wavy": 2}
    rows = sorted(plan.rows(), key=lambda row: (row["error"], order[row["truth"]], plan.families.index(row["family"])))
    return [_line(rate, names[row["family"]], row) for row in rows]


def _line(rate: float, family: str, row: dict) -> list[str]:
    known = [f"{rate:g}", f"{row['error']:g}", row["truth"], family, f"{row['n']:,}"]
    if row["power"] is None:
        return [*known, *"-----"]
    width = row["width"]
    spans = ("-", "-") if width is None else (number(width), f"{width / rate:.2f}")
    biases = ("-" if row[key] is None else number(row[key]) for key in ("raw_bias", "debiased_bias"))
    return [*known, f"{100 * row['power']:.0f} %", *spans, *biases]


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
            errors = given.errors if rate >= RARE else [round(share * rate, 12) for share in given.relative]
            body += lines(given.families, given.n, rate, errors, given.draws)
    print(markdown(HEADER, body))


if __name__ == "__main__":
    main()
