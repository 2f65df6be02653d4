"""The answer of a plan: its words, its family, and the range that the simulation leaves open."""

import numpy as np
import pytest

from fitontest.apps.planning.answer import answer, hardest
from fitontest.apps.planning.prospect import Prospect, power_noise
from fitontest.apps.planning.rows_needed import Noise, RowsNeeded, find_rows

NOISE = Noise(100, 0.05)


def needed(family, n, relation="about", truth="wavy", requirement="power", **range_):
    error = 0.02 if requirement == "power" else None
    wanted = 0.8 if requirement == "power" else 0.02
    return RowsNeeded(family, requirement, wanted, error, truth, relation, n, **range_)


def test_the_answer_is_of_the_family_whose_worst_case_takes_the_fewest_rows():
    rows = [
        needed("beta", 1500, truth="overconfident"),
        needed("beta", 18_000),
        needed("spline", 2100, truth="overconfident"),
        needed("spline", 2900, low=2400, high=3300),
    ]
    assert {family: one.n for family, one in hardest(rows).items()} == {"beta": 18_000, "spline": 2900}
    text = "2,900 rows to find an error of 0.02 in 80 % of evaluations, by spline (2,400 to 3,300)."
    assert answer([], rows, 100) == [text]


def test_sizes_that_are_not_enough_or_always_are():
    assert hardest([needed("a", 900), needed("a", 800, "more than")])["a"].n == 800
    assert answer([], [needed("a", 800, "more than")], 100)[0].startswith("More than 800 rows to find")
    both = [needed("a", 800, "more than"), needed("b", 800, "more than")]
    assert answer([], both, 100)[0].endswith("of evaluations, with each of these families.")
    width = [needed("a", 500, "at most", None, "width", high=600)]
    assert answer([], width, 100) == ["At most 500 rows for an interval of +-0.01, by a."]


def test_without_a_wish_the_first_and_the_last_size_are_described():
    rows = [
        Prospect(family, n, 0.05, truth, width=width, power=power)
        for n in (500, 1000, 2000)
        for family, truth, width, power in (
            ("platt", "overconfident", 0.09, 1.0),
            ("platt", "wavy", 0.08, 0.2),
            ("spline", "overconfident", 0.04, 0.9),
            ("spline", "wavy", 0.06, 0.5),
        )
    ]
    first, last = answer(rows, [], 100)
    found = "an error of 0.05 is found in 50 % of evaluations (37 to 63)"
    assert first == f"500 rows: an interval of +-0.030, and {found}, by spline."
    assert last.startswith("2,000 rows: ")
    assert answer([Prospect("identity", 50, 0.0, "calibrated", power=0.0)], [], 100) == []


@pytest.mark.exhaustive
def test_the_range_holds_what_other_draws_would_give():
    """Powers of 100 evaluations and a drawn null, of a statistic whose shift grows as sqrt(n)."""
    rng = np.random.default_rng(0)
    sizes, inside, spreads = (1000, 2000, 4000, 8000), [], []
    shift = {n: 1.2 * np.sqrt(n / 1000) for n in sizes}
    exact = {n: float(np.mean(rng.normal(size=200_000) + shift[n] > 1.645)) for n in sizes}
    true = find_rows("power", 0.8, exact, 8000, Noise(10**6, 0.01))[1]
    for _ in range(200):
        powers = {}
        for n in sizes:
            null = np.sort(rng.normal(size=400))
            statistic = rng.normal(size=100) + shift[n]
            p_values = (1 + 400 - np.searchsorted(null, statistic)) / 401
            powers[n] = float(np.mean(p_values <= 0.05))
        spreads.append(powers[4000])
        _, _, low, high = find_rows("power", 0.8, powers, 8000, NOISE)
        inside.append((low or 0) <= true <= (high or 10**9))
    assert np.mean(inside) > 0.92
    assert np.std(spreads) == pytest.approx(power_noise(exact[4000], 100), rel=0.25)


def test_ranges_beyond_the_sizes():
    assert find_rows("width", 0.02, {1000: 0.04, 4000: 0.0199}, 4000, NOISE)[2:] == (3300, 4800)
    assert find_rows("power", 0.8, {1000: 0.2, 2000: 0.82}, 2000, NOISE)[3] is None
    relation, n, low, high = find_rows("width", 0.02, {1000: 0.0199}, 1000, NOISE)
    assert (relation, n, low, high) == ("at most", 1000, None, 1200)
