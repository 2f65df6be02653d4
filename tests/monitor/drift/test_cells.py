"""Whether the calibration of two tables of cells differs."""

import json
import math
from itertools import product

import numpy as np
import pytest
from scipy.special import chdtrc, expit, logit

import fitontest as fot
from fitontest.monitor.drift.score_strata import ScoreStrata


def table(counts, scores=(0.2, 0.5, 0.8)):
    """Return the cells of (rows, positives) at three scores, each a cell of its own."""
    y = np.concatenate([np.arange(n) < k for n, k in counts])
    return fot.Cells.of(y, np.repeat(scores, [n for n, _ in counts]), exact=True)


def drawn(n, shape=(1, 3), power=1.3, seed=0, **options):
    rng = np.random.default_rng(seed)
    p = rng.beta(*shape, n)
    return fot.Cells.of(rng.random(n) < p**power, p, **options)


BEFORE, AFTER = ((6, 1), (5, 2), (8, 7)), ((7, 4), (6, 3), (4, 2))


def enumerated(before, after):
    """Return the p-values (whole, by region) by all ways in which the positives may fall, with their probabilities."""
    n_1, n_2 = (np.array([n for n, _ in one]) for one in (before, after))
    k_1, k_2 = (np.array([k for _, k in one]) for one in (before, after))
    total, k = n_1 + n_2, k_1 + k_2
    mean = n_1 * k / total
    variance = n_1 * n_2 * k * (total - k) / (total**2 * (total - 1))

    def statistics(a):
        z = (mean - a) / np.sqrt(variance)
        overall = (mean - a).sum() / np.sqrt(variance.sum())
        return min(chdtrc(1, overall**2), chdtrc(3, (z**2).sum())), np.abs(z)

    t, z = statistics(k_1)
    whole, by_region = 0.0, np.zeros(3)
    for a in product(*(range(max(0, k[s] - n_2[s]), min(k[s], n_1[s]) + 1) for s in range(3))):
        ways = [math.comb(k[s], a[s]) * math.comb(total[s] - k[s], n_1[s] - a[s]) for s in range(3)]
        probability = np.prod([way / math.comb(total[s], n_1[s]) for s, way in enumerate(ways)])
        t_a, z_a = statistics(np.array(a))
        whole += probability * (t_a <= t * (1 + 1e-9))
        by_region += probability * (z_a >= z - 1e-9)
    return whole, by_region


def test_p_values_are_those_of_the_enumerated_distribution():
    draws = 40_000
    found = fot.monitor.compare_cells(table(BEFORE), table(AFTER), regions=3, draws=draws, family="identity")
    whole, by_region = enumerated(BEFORE, AFTER)
    assert found.n_strata == 3
    assert 0.05 < whole < 0.5
    assert found.p_value == pytest.approx(whole, abs=4 * (whole / draws) ** 0.5)
    for row, p_value in zip(found.rows(), by_region, strict=True):
        assert row["p_value"] == pytest.approx(p_value, abs=4 * (p_value / draws) ** 0.5 + 1e-4)


def test_z_is_that_of_cochran_mantel_and_haenszel_and_of_the_mean_residuals():
    found = fot.monitor.compare_cells(table(BEFORE), table(AFTER), regions=3, draws=50)
    row = found.rows()[0]
    assert (row["n_before"], row["n_after"], row["low"], row["high"]) == (6, 7, 0.2, 0.2)
    assert row["residual_before"] == pytest.approx(1 / 6 - 0.2)
    assert row["difference"] == pytest.approx(4 / 7 - 1 / 6)
    assert row["if_unchanged"] == pytest.approx(0.0)  # of one score, all shares are the same on average
    deviation = ((1 / 6 + 1 / 7) ** 2 * 6 * 7 * 5 * 8 / (13**2 * 12)) ** 0.5
    assert row["z"] == pytest.approx((4 / 7 - 1 / 6) / deviation)
    one, other = found.tables.values()
    assert found.residual.value == pytest.approx(other.mean_residual - one.mean_residual)
    assert found.residual.value == pytest.approx((9 / 17 - (7 * 0.2 + 6 * 0.5 + 4 * 0.8) / 17) - (10 / 19 - 10.1 / 19))


def test_what_would_be_if_unchanged_is_the_mean_of_the_redistributions():
    """The mean residuals of scores that drift differ, though the calibration is the same."""
    found = fot.monitor.compare_cells(table(((40, 4), (10, 4), (2, 1))), table(((4, 1), (20, 9), (40, 24))), regions=1)
    rows, k = np.array([[40, 10, 2], [4, 20, 40]]), np.array([5, 13, 25])
    shares = k / rows.sum(axis=0)
    residuals = ((shares - [0.2, 0.5, 0.8]) * rows).sum(axis=1) / rows.sum(axis=1)
    assert found.residual.unchanged == pytest.approx(np.diff(residuals)[0])
    assert found.rows()[0]["if_unchanged"] == pytest.approx(np.diff(residuals)[0])


def test_errors_and_maps_are_those_of_the_tables():
    before, after = table(BEFORE), table(AFTER)
    found = fot.monitor.compare_cells(before, after, family="isotonic", norm="l2", draws=50)
    errors = [fot.calibration_error(cells, family="isotonic", norm="l2") for cells in (before, after)]
    assert found.error.value == float(errors[1]) - float(errors[0])
    assert found.tables["after"].error.value == errors[1].value
    maps = [fot.Isotonic().fit_map(cells.sample()) for cells in (before, after)]
    p, w = np.array([0.2, 0.5, 0.8]), np.array([13, 11, 12])
    assert found.maps.value == pytest.approx(w @ np.abs(maps[1].evaluate(p) - maps[0].evaluate(p)) / 36)


def test_drifting_scores_are_no_change_and_a_changed_map_is_one():
    before = drawn(5000)
    same, other = drawn(5000, (2, 2), seed=1), drawn(5000, (2, 2), power=1.0, seed=1)
    unchanged, changed = (fot.monitor.compare_cells(before, after, draws=199) for after in (same, other))
    assert not unchanged.changed
    assert abs(unchanged.residual.value - unchanged.residual.unchanged) < 0.02
    assert changed.changed
    assert changed.p_value == changed.residual.p_value == changed.maps.p_value == 1 / 200
    assert unchanged.sentence.startswith("The data do not show that the calibration has changed (p-value")
    assert "by region it shows at scores" in changed.sentence


@pytest.mark.parametrize("modes", [(-4.0, 4.0), (-8.0, -5.0)])
def test_scores_on_both_sides_of_a_gap_share_no_stratum(modes):
    """Where the shares of two modes change and nothing lies between them, strata of both would call it a change."""
    rng = np.random.default_rng(0)
    tables = []
    for share in (0.2, 0.8):
        p = expit(np.where(rng.random(5000) < share, modes[1], modes[0]) + rng.normal(0.0, 0.4, 5000))
        tables.append(fot.Cells.of(rng.random(5000) < p, p))
    strata = ScoreStrata.of(tables[0].sums, tables[1].sums, 10)
    cells = 2e-3  # of a cell of 1/1024 in logits
    assert (logit(strata.high) - logit(strata.low)).max() <= 2 * 10_000 ** (-1 / 3) + cells
    assert not fot.monitor.compare_cells(*tables, draws=199).changed


def test_tables_on_the_two_sides_of_a_gap_tell_nothing():
    rng = np.random.default_rng(0)
    before, after = (expit(rng.normal(mean, 0.3, 5000)) for mean in (-3.0, 3.0))
    found = fot.monitor.compare_cells(*(fot.Cells.of(rng.random(5000) < p**1.5, p) for p in (before, after)), draws=99)
    assert found.p_value == 1.0


def test_swapped_tables_have_the_opposite_differences_and_the_same_z():
    one, other = drawn(2000), drawn(3000, (2, 3), seed=1)
    there, back = (fot.monitor.compare_cells(*pair, draws=99) for pair in ((one, other), (other, one)))
    assert there.residual.value == pytest.approx(-back.residual.value)
    assert there.residual.unchanged == pytest.approx(-back.residual.unchanged)
    assert there.maps.value == pytest.approx(back.maps.value)
    assert [row["z"] for row in there.rows()] == pytest.approx([-row["z"] for row in back.rows()])


def test_copies_of_a_table_do_not_differ():
    cells = drawn(1000)
    found = fot.monitor.compare_cells(cells, cells, draws=99)
    assert found.p_value > 0.9
    assert (found.residual.value, found.error.value, found.maps.value) == (0.0, 0.0, 0.0)


def test_tables_without_a_common_score_tell_nothing():
    low, high = table(((9, 2), (0, 0), (0, 0))), table(((0, 0), (0, 0), (9, 8)))
    found = fot.monitor.compare_cells(low, high, draws=49)
    assert (found.p_value, found.maps.p_value, found.residual.p_value) == (1.0, 1.0, 1.0)
    assert [row["difference"] for row in found.rows()] == [None, None]
    assert json.loads(found.to_json())["regions"][0]["residual_after"] is None


def test_one_class_tells_nothing():
    found = fot.monitor.compare_cells(table(((5, 0), (5, 0), (5, 0))), table(((5, 0), (5, 0), (5, 0))), draws=49)
    assert found.p_value == 1.0


def test_whole_weights_count_rows():
    p = np.repeat([0.2, 0.5, 0.8], 2)
    y = np.tile([1, 0], 3)
    weighted = [fot.Cells.of(y, p, np.ravel([(k, n - k) for n, k in counts]), exact=True) for counts in (BEFORE, AFTER)]
    one = fot.monitor.compare_cells(*weighted, regions=3, draws=99)
    other = fot.monitor.compare_cells(table(BEFORE), table(AFTER), regions=3, draws=99)
    assert one.p_value == other.p_value
    assert [row["z"] for row in one.rows()] == [row["z"] for row in other.rows()]


def test_strata_keep_all_rows_and_part_scores_in_order():
    before, after = drawn(4000), drawn(6000, (2, 2), seed=1)
    strata = ScoreStrata.of(before.sums, after.sums, 10)
    assert strata.rows.sum(axis=0).tolist() == [4000, 6000]
    assert strata.positives.sum(axis=0) == pytest.approx([4000 * before.base_rate, 6000 * after.base_rate])
    assert np.all(strata.low[1:] >= strata.high[:-1])
    assert np.all(np.diff(strata.p) > 0)
    assert 70 < len(strata) <= 4 * 10_000 ** (1 / 3) + 1 + 12 / (2 * 10_000 ** (-1 / 3))
    assert len(strata.first) == 10
    assert strata.by_region(strata.total) == pytest.approx(np.full(10, 1000), abs=150)


def rows(n, power, seed, shape=(1, 3)):
    rng = np.random.default_rng(seed)
    p = rng.beta(*shape, n)
    return rng.random(n) < p**power, p


def test_rows_are_compared_as_their_exact_cells():
    before, after = rows(600, 1.3, 0), rows(700, 1.0, 1)
    cells = [fot.Cells.of(*one, exact=True) for one in (before, after)]
    options = {"draws": 99, "family": "isotonic"}
    expected = fot.monitor.compare_cells(*cells, **options).to_dict()
    assert fot.monitor.compare_cells(before, after, **options).to_dict() == expected
    order = np.random.default_rng(2).permutation(600)
    shuffled = tuple(column[order] for column in before)
    assert fot.monitor.compare_cells(shuffled, fot.ScoreSample(*after), **options).to_dict() == expected
    w = np.random.default_rng(3).integers(0, 4, 600)
    repeated = tuple(np.repeat(column, w) for column in before)
    counted = fot.monitor.compare_cells((*before, w), after, **options)
    assert counted.p_value == fot.monitor.compare_cells(repeated, after, **options).p_value


def test_rows_beside_cells_are_put_into_cells_like_these():
    before, after = rows(600, 1.3, 0), rows(700, 1.0, 1)
    cells = fot.Cells.of(*after, edges=[0.5])
    expected = fot.monitor.compare_cells(fot.Cells.of(*before, edges=[0.5]), cells, draws=49)
    assert fot.monitor.compare_cells(before, cells, draws=49).to_dict() == expected.to_dict()


@pytest.mark.exhaustive
def test_of_several_classes_each_is_compared_against_the_rest():
    rng = np.random.default_rng(0)
    tables = []
    for power in (1.0, 1.6):  # of class c alone
        truth = rng.dirichlet(np.ones(3), 2000)
        y = (truth.cumsum(axis=1) < rng.random((2000, 1))).sum(axis=1)
        scores = truth.copy()
        scores[:, 2] **= power
        tables.append(fot.data.ClassCells({k: fot.Cells.of(y == i, scores[:, i]) for i, k in enumerate("abc")}))
    found = fot.monitor.compare_cells(*tables, draws=199)
    own = {k: fot.monitor.compare_cells(tables[0][k], tables[1][k], draws=199) for k in "abc"}
    assert {k: one.to_dict() for k, one in found.items()} == {k: one.to_dict() for k, one in own.items()}
    p_values = sorted(one.p_value for one in own.values())
    assert found.p_value == pytest.approx(min(1.0, 3 * p_values[0]))
    assert found.changed
    assert found.sentence.endswith("of c.")
    assert [row["class"] for row in found.rows()] == ["a", "b", "c"]
    assert json.loads(found.to_json())["classes"][2]["class"] == "c"
    assert "Holm p" in str(found)
    assert "draws=59 would be enough" in str(fot.monitor.compare_cells(*tables, draws=39))
    with pytest.raises(ValueError, match="before and after must be of the same classes, got one score and"):
        fot.monitor.compare_cells(tables[0]["a"], tables[1])
    with pytest.raises(ValueError, match=r"must be of the same classes, got \['a', 'b', 'c'\] and \['a', 'b'\]"):
        fot.monitor.compare_cells(tables[0], fot.data.ClassCells({k: tables[1][k] for k in "ab"}))


def test_text_frame_and_json():
    found = fot.monitor.compare_cells(drawn(800), drawn(900, seed=1), regions=4, names=("May", "June"), draws=99)
    text = str(found)
    lines = text.splitlines()
    assert text.startswith(found.sentence)
    assert lines[1].startswith("Share of positives less mean score: ")
    assert lines[4].split() == ["May", "June", "difference", "if", "unchanged", "p-value"]
    assert lines[6].split() == ["n", "800", "900"]
    assert "raw error (spline, l1)" in text
    assert "residual May" in text
    assert repr(found) == text
    frame = found.to_frame()
    assert frame["n_before"].sum() == 800
    assert frame["adjusted_p_value"].max() <= 1
    loaded = json.loads(found.to_json())
    assert loaded["tables"]["June"]["n"] == 900
    assert loaded["regions"] == found.rows()
    assert found._repr_html_().count("<table>") == 2


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((1.0, None), {}, "before must be Cells, as .* makes them, got one float"),
        ((None, "x"), {}, "after must be Cells, as .* makes them, got one str"),
        ((None, drawn(50, exact=True)), {}, "cells must have one resolution"),
        ((None, drawn(50).discounted(0.5)), {}, "after must have weights that are counts"),
        (
            (fot.Cells.of([0, 1], [0.2, 0.8], [0.5, 1.5]), None),
            {},
            "before must have weights that are counts, or none",
        ),
        ((None, fot.read([0, 1], [0.2, 0.8], by=["a", "b"])), {}, "after must be read without by"),
        ((None, None), {"regions": 0}, "regions must be a whole number from 1 to 100, got 0"),
        ((None, None), {"draws": 0}, "draws must be a whole number, at least 1"),
        ((None, None), {"names": ("a", "a")}, "names must be two different texts"),
        ((None, None), {"family": fot.maps.IdentityMap()}, "family must be the name of a family or a Family"),
    ],
)
def test_bad_input_is_refused(arguments, options, message):
    cells = drawn(50)
    before, after = (cells if one is None else one for one in arguments)
    with pytest.raises(ValueError, match=message):
        fot.monitor.compare_cells(before, after, **options)


def test_rounding_is_printed_as_zero():
    rng = np.random.default_rng(5)
    p = rng.random(1000)
    before, after = (fot.Cells.of(rng.random(1000) < truth, p) for truth in (p**1.5, p))
    comparison = fot.monitor.compare_cells(before, after)
    unchanged = [abs(row["if_unchanged"]) for row in comparison.rows()]
    assert 0 < min(value for value in unchanged if value > 0) < 1e-15
    assert "e-1" not in str(comparison)
