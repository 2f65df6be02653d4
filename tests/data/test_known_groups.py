"""The words on groups that every output has: a line, notes where there are few groups, and JSON."""

from dataclasses import replace

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.dependence import Dependence
from fitontest.data.known_groups import KnownGroups, groups_record
from fitontest.data.row_groups import GroupSizes

ALIKE = GroupSizes(groups=100, rows=1000, effective=100.0, several=100, least=10, median=10.0, most=10)
DEPENDENCE = Dependence(100, 1000, 100.0, 100, 0.052, 0.036, 0.04, 0.01, 0.03, 1.46)


def few(effective, **changes):
    groups = int(np.ceil(effective))
    sizes = replace(ALIKE, groups=groups, rows=10 * groups, effective=float(effective), several=groups, **changes)
    return KnownGroups(sizes, replace(DEPENDENCE, effective=float(effective), learnt_from=float(effective)))


def test_the_line_holds_the_groups_their_rows_and_how_alike_their_labels_are():
    assert KnownGroups(ALIKE, DEPENDENCE).in_words() == (
        "groups: 100 (10 rows each), rho 0.05 +- 0.04, design effect 1.5"
    )
    assert KnownGroups(ALIKE).in_words() == "groups: 100 (10 rows each)"
    unequal = replace(ALIKE, least=2, median=12.0, most=41)
    assert KnownGroups(unequal).in_words() == "groups: 100 (2 to 41 rows each, median 12)"


@pytest.mark.parametrize(("rho", "words"), [(0.0, "rho 0 +- 0.04"), (0.004, "rho 0.004 +- 0.04"), (0.9, "rho 0.90 +-")])
def test_rho_has_two_decimals_unless_these_show_nothing(rho, words):
    assert words in KnownGroups(ALIKE, replace(DEPENDENCE, rho=rho)).in_words()


@pytest.mark.parametrize(
    ("intercept", "slope", "words"),
    [
        (0.04, 0.045, "rho 0.05 +- 0.03 (0.22 where scores are extreme), design"),
        (0.04, 0.02, "rho 0.05 +- 0.03, design"),  # not four standard errors
        (0.0, 0.045, "rho 0.05 +- 0.03 (0.18 where scores are extreme), design"),
    ],
)
def test_a_correlation_that_grows_with_the_score_is_told_beside_its_mean(intercept, slope, words):
    known = KnownGroups(ALIKE, replace(DEPENDENCE, se=0.03, intercept=intercept, slope=slope))
    assert words in known.in_words()
    limit = KnownGroups(ALIKE, replace(DEPENDENCE, rho=0.95, slope=0.08, at_limit=True))
    assert "extreme" not in limit.in_words()


def test_a_standard_error_that_is_not_known_is_left_out():
    known = KnownGroups(ALIKE, replace(DEPENDENCE, se=float("inf")))
    assert known.in_words() == "groups: 100 (10 rows each), rho 0.05, design effect 1.5"
    assert known.to_dict()["se"] is None


@pytest.mark.parametrize("effective", [9.99, 6, 1])
def test_too_few_groups_say_why_nothing_is_concluded(effective):
    known = few(effective)
    assert known.too_few
    assert not known.are_few
    got = f"{effective:.3g}" if effective != 9.99 else "9.9"
    assert known.refusal == (
        f"dependence cannot be learnt from fewer than 10 groups (got {got} effective): no interval, no p-value"
    )
    assert "rho" not in known.in_words()
    assert known.to_dict()["rho"] is None
    assert known.notes == []


@pytest.mark.parametrize(("effective", "notes"), [(10, 1), (14, 1), (19.9, 1), (20, 0), (100, 0)])
def test_few_groups_have_a_note(effective, notes):
    known = few(effective)
    assert (known.refusal, len(known.notes)) == ("", notes)
    assert all("rho is hardly known; intervals may hold the truth less often" in note for note in known.notes)


def test_effective_groups_are_named_where_they_are_fewer():
    known = KnownGroups(replace(ALIKE, groups=40, effective=14.2), DEPENDENCE)
    assert known.notes[0].startswith("few groups (40, 14 effective): rho is hardly known")


def test_few_groups_beside_single_rows_and_labels_that_are_all_equal_have_notes():
    known = KnownGroups(replace(ALIKE, several=4, least=1, median=1.0), replace(DEPENDENCE, at_limit=True))
    assert known.how_alike == "rho 0.05 (at its limit), design effect 1.5"
    assert known.to_dict()["se"] is None
    first, second = known.notes
    assert first == "only 4 groups have two rows or more: rho is hardly known, and hardly matters"
    assert "labels of a group are as alike as can be: redrawn ones agree" in second
    assert known.lines == [f"{text}." for text in (known.in_words(), first, second)]


@pytest.mark.parametrize(
    ("several", "singles", "learnt_from"), [(9, 100, 9), (9, 10_000, None), (12, 100, 12), (30, 9, None)]
)
def test_dependence_is_learnt_from_groups_of_several_rows_unless_they_hardly_matter(several, singles, learnt_from):
    ids = np.concatenate((np.repeat(np.arange(several), 5), several + np.arange(singles)))
    groups = fot.read(ids % 2, np.full(ids.size, 0.5), groups=ids).groups
    assert groups.learnt_from == (groups.effective if learnt_from is None else learnt_from)
    known = KnownGroups(groups.sizes)
    assert known.too_few == (learnt_from == 9)
    assert known.are_few == (learnt_from == 12)
    if known.too_few:
        assert known.refusal == (
            "dependence cannot be learnt from fewer than 10 groups (got 9 of several rows): no interval, no p-value"
        )


def test_rows_that_are_groups_of_their_own_are_independent():
    sample = fot.read([0, 1, 1], [0.2, 0.5, 0.7], groups=["a", "b", "c"])
    known = KnownGroups.of(sample)
    assert known.in_words() == "groups: 3 of one row each, so that rows are independent"
    assert (known.too_few, known.are_few, known.notes) == (False, False, [])
    assert KnownGroups.of(fot.read([0, 1, 1], [0.2, 0.5, 0.7])) is None


def test_sizes_are_those_of_the_rows_and_weights_make_groups_fewer():
    sample = fot.read(
        [0, 1, 1, 0, 1], [0.2, 0.5, 0.7, 0.3, 0.1], groups=[1, 1, 1, 2, 3], sample_weight=[0.5, 0.5, 0.5, 1.5, 0.0]
    )
    sizes = KnownGroups.of(sample).sizes
    assert (sizes.groups, sizes.rows, sizes.several, sizes.least, sizes.median, sizes.most) == (2, 4, 1, 1, 2.0, 3)
    assert sizes.effective == pytest.approx(2.0)


def test_records_have_fields_of_groups_where_these_were_named():
    assert groups_record(None) == {}
    assert groups_record(KnownGroups(ALIKE, DEPENDENCE)) == {
        "groups": 100,
        "effective_groups": 100.0,
        "rho": 0.052,
        "design_effect": 1.46,
    }
