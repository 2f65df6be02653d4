"""Whether the calibration of two tables differs, where rows belong to groups."""

import json

import numpy as np
import pytest
from scipy.special import expit, ndtr

import fitontest as fot

QUICK = {"draws": 199, "family": "identity"}


def rows(groups, m=40, rho=0.2, shift=0.0, seed=0, mean=-0.5):
    """Return labels, scores and groups of rows whose labels are alike within groups."""
    rng = np.random.default_rng(seed)
    shared = np.random.default_rng(99).standard_normal(1000)[groups]  # of a group in whichever table
    p = expit(mean + 1.2 * rng.standard_normal((len(groups), m)))
    u = ndtr(np.sqrt(rho) * shared[:, None] + np.sqrt(1 - rho) * rng.standard_normal((len(groups), m)))
    return (u < np.clip(p**1.3 + shift, 0, 1)).ravel(), p.ravel(), np.repeat(groups, m)


def read(columns):
    y, p, group = columns
    return fot.read(y, p, groups=group)


def cells(columns, **options):
    y, p, group = columns
    return fot.Cells.of(y, p, groups=group, **options)


APART = rows(np.arange(30)), rows(np.arange(30, 60), seed=1)
OVERLAPPING = rows(np.arange(30)), rows(np.arange(15, 45), seed=1)


def test_groups_of_single_rows_change_nothing():
    one, other = ((y, p, start + np.arange(len(y))) for (y, p, _), start in zip(APART, (0, 5000), strict=True))
    options = {"draws": 99, "family": "spline"}
    found = fot.monitor.compare_cells(read(one), read(other), **options).to_dict()
    expected = fot.monitor.compare_cells(one[:2], other[:2], **options).to_dict()
    assert found["groups"] == 2400
    assert {key: found[key] for key in expected if key != "tables"} == {
        key: expected[key] for key in expected if key != "tables"
    }


@pytest.mark.parametrize("tables", [APART, OVERLAPPING])
def test_z_is_that_of_the_sums_over_groups(tables):
    """In one stratum of one score all is in sums over groups that a few lines give."""
    tables = [(y, np.full(y.size, 0.4), group) for y, _, group in tables]
    found = fot.monitor.compare_cells(*map(read, tables), regions=1, **QUICK)
    assert found.n_strata == 1
    y, table, group = (
        np.concatenate(each)
        for each in zip(*[(y, np.full(y.size, k), g) for k, (y, _, g) in enumerate(tables)], strict=True)
    )
    weight = np.where(table == 0, -0.5, 0.5)  # both tables have as many rows
    sums = np.bincount(group, weight * (y - y.mean()))
    sums = sums[np.unique(group)]
    n_groups = len(sums)
    z = sums.sum() / np.sqrt(n_groups / (n_groups - 1) * y.size / (y.size - 1) * (sums**2).sum())
    assert found.rows()[0]["z"] == pytest.approx(z)
    assert found.groups.sizes.groups == n_groups
    assert found.groups_in_both == 60 - n_groups


def test_p_values_are_those_of_all_signs():
    """Of ten groups all 1024 signs can be written down."""
    tables = [(y, np.full(y.size, 0.4), group) for y, _, group in (rows(np.arange(10)), rows(np.arange(10), seed=1))]
    found = fot.monitor.compare_cells(*map(read, tables), regions=1, draws=20_000, family="identity")
    y = np.stack([columns[0].reshape(10, 40).sum(axis=1) for columns in tables])
    sums = np.diff(y - 40 * y.mean() / 40, axis=0)[0] / 2
    signs = 1 - 2 * ((np.arange(1024)[:, None] >> np.arange(10)) & 1)
    expected = np.mean(np.abs(signs @ sums) * np.sqrt(10 / 9 * 800 / 799) >= abs(sums.sum()) - 1e-9)
    assert found.residual.p_value == pytest.approx(expected, abs=4 * np.sqrt(expected / 20_000) + 1e-4)
    assert found.p_value == pytest.approx(expected, abs=4 * np.sqrt(expected / 20_000) + 1e-4)


def test_cells_and_rows_and_orders_agree():
    one, other = OVERLAPPING
    found = fot.monitor.compare_cells(read(one), read(other), **QUICK).to_dict()
    assert fot.monitor.compare_cells(cells(one, exact=True), cells(other, exact=True), **QUICK).to_dict() == found
    order = np.random.default_rng(0).permutation(len(one[0]))
    shuffled = tuple(column[order] for column in one)
    assert fot.monitor.compare_cells(read(shuffled), cells(other, exact=True), **QUICK).to_dict() == found
    usual = fot.monitor.compare_cells(read(one), cells(other), **QUICK)
    assert usual.residual.value == pytest.approx(found["residual"]["value"], abs=1e-12)
    assert [row["z"] for row in usual.rows()] == pytest.approx([row["z"] for row in found["regions"]], abs=0.3)


def test_values_are_those_without_groups():
    one, other = APART
    options = {"draws": 99, "family": "isotonic"}
    found = fot.monitor.compare_cells(read(one), read(other), **options)
    plain = fot.monitor.compare_cells(one[:2], other[:2], **options)
    for name in ("residual", "error", "maps"):
        assert getattr(found, name).value == pytest.approx(getattr(plain, name).value, abs=1e-12)
    assert found.residual.unchanged == pytest.approx(plain.residual.unchanged)
    assert [row["if_unchanged"] for row in found.rows()] == pytest.approx([row["if_unchanged"] for row in plain.rows()])
    assert (found.error.unchanged, found.error.p_value, found.maps.p_value) == (None, None, None)


def test_swapped_tables_have_the_opposite_differences():
    there, back = (fot.monitor.compare_cells(*map(read, pair), **QUICK) for pair in (OVERLAPPING, OVERLAPPING[::-1]))
    assert [row["z"] for row in there.rows()] == pytest.approx([-row["z"] for row in back.rows()])
    assert there.residual.value == pytest.approx(-back.residual.value)


def test_copies_of_a_table_do_not_differ():
    found = fot.monitor.compare_cells(cells(APART[0]), cells(APART[0]), **QUICK)
    assert found.p_value > 0.9
    assert not found.changed


@pytest.mark.exhaustive
def test_alike_labels_are_no_change_and_a_shift_is_one():
    rates = {"with": [], "without": []}
    for seed in range(60):
        one, other = (
            rows(np.arange(300, 330) + 30 * (seed % 5), seed=2 * seed),
            rows(np.arange(500, 530) + 30 * (seed % 7), seed=2 * seed + 1, mean=0.3),
        )
        rates["with"].append(fot.monitor.compare_cells(read(one), read(other), draws=99, family="identity").changed)
        rates["without"].append(fot.monitor.compare_cells(one[:2], other[:2], draws=99, family="identity").changed)
    assert np.mean(rates["without"]) > 0.25
    assert np.mean(rates["with"]) < 0.15
    moved = rows(np.arange(30, 60), seed=1, shift=0.3)
    assert fot.monitor.compare_cells(read(APART[0]), read(moved), **QUICK).changed


def test_few_groups_conclude_nothing_and_some_are_told_of():
    found = fot.monitor.compare_cells(read(rows(np.arange(30))), read(rows(np.arange(6), seed=1)), **QUICK)
    assert (found.p_value, found.changed, found.residual.p_value) == (None, None, None)
    assert {row["p_value"] for row in found.rows()} == {row["z"] for row in found.rows()} == {None}
    assert found.sentence == (
        "Whether the calibration has changed cannot be said: dependence cannot be learnt from fewer than 10 groups "
        "(got 6 effective): no interval, no p-value."
    )
    assert "draws of a random sign" not in str(found)
    assert json.loads(found.to_json())["p_value"] is None
    assert "Few groups (12 effective" in str(
        fot.monitor.compare_cells(read(rows(np.arange(12))), read(rows(np.arange(12), seed=1)), **QUICK)
    )


def test_text_and_json_say_the_groups():
    found = fot.monitor.compare_cells(*map(read, OVERLAPPING), **QUICK)
    text = " ".join(str(found).split())
    assert "groups 30 30" in text
    assert "groups: 45 (40 to 80 rows each, median 40); 15 have rows in both tables." in text
    assert "199 draws of a random sign for the sums of each group" in text
    values = json.loads(found.to_json())
    assert (values["groups"], values["groups_in_both"], values["tables"]["after"]["groups"]) == (45, 15, 30)
    assert "groups" not in fot.monitor.compare_cells(APART[0][:2], APART[1][:2], **QUICK).to_dict()


def test_of_several_classes_each_has_the_groups():
    rng = np.random.default_rng(0)
    tables = []
    for few in (20, 20, 5):
        scores = rng.dirichlet(np.ones(3), 600)
        y = (scores.cumsum(axis=1) < rng.random((600, 1))).sum(axis=1)
        tables.append(fot.read(y, scores, reduction="classwise", groups=np.arange(600) % few))
    found = fot.monitor.compare_cells(*tables[:2], **QUICK)
    assert found.p_value == pytest.approx(min(1.0, 3 * min(one.p_value for one in found.values())))
    assert {one.groups.sizes.groups for one in found.values()} == {20}
    assert "a random sign for the sums of each group" in " ".join(str(found).split())
    unknown = fot.monitor.compare_cells(tables[0], tables[2], **QUICK)
    assert (unknown.p_value, unknown.changed) == (None, None)
    assert "cannot be said" in str(unknown)
    assert unknown.rows()[0]["adjusted_p_value"] is None


def test_groups_of_one_table_alone_are_refused():
    one, other = APART
    for pair in ((read(one), other[:2]), (cells(one), fot.Cells.of(*other[:2]))):
        with pytest.raises(ValueError, match=r"both have groups, or neither, got groups of before alone; give after"):
            fot.monitor.compare_cells(*pair)
    with pytest.raises(ValueError, match="got groups of after alone; give before groups too"):
        fot.monitor.compare_cells(one[:2], cells(other))
