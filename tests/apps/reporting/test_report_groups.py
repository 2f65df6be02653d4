"""Reports on rows that belong to groups: what the page says of them, and that all its numbers allow for them."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import ndtr

import fitontest as fot

RNG = np.random.default_rng(3)
SITE = np.repeat(np.arange(15), 40)
P = RNG.random(SITE.size)
Y = (ndtr(np.sqrt(0.3) * RNG.standard_normal(15)[SITE] + np.sqrt(0.7) * RNG.standard_normal(SITE.size)) < P).astype(int)
OPTIONS = {"families": ["platt"], "compare": False, "date": "2026-01-01"}
LINE = "Groups: 15 (40 rows each), rho "


@pytest.fixture(scope="module")
def report():
    frame = pd.DataFrame({"y": Y, "p": P, "site": SITE})
    return fot.report(frame, label="y", prob="p", groups="site", by=None, **OPTIONS)


@pytest.mark.exhaustive
def test_the_page_says_the_groups_beside_the_verdict_and_among_the_data(report):
    first, _, rest = report.html.partition("What to do")
    assert first.count(LINE) == 1
    assert first.count("Few groups (15): rho is hardly known") == 1
    assert rest.count("<dt>groups</dt><dd>15 (40 rows each), rho ") == 1
    assert "<dt>column of groups</dt><dd>site</dd>" in rest
    assert "Rows that belong together: labels of one group" in rest
    assert "ask for segments instead" in rest
    assert LINE.lower() not in rest.partition("Error by family of maps")[2]


def test_the_records_hold_the_groups(report):
    record = json.loads(json.dumps(report.to_dict()))
    assert record["groups"]["count"] == 15
    assert record["evaluation"]["groups"] == record["groups"]
    assert record["groups"]["rho"] > 0.1


@pytest.mark.exhaustive
def test_intervals_are_wider_than_those_of_independent_rows(report):
    plain = fot.report(Y, P, **OPTIONS)
    assert plain.evaluation.groups is None
    assert "groups" not in plain.to_dict()
    spread, narrow = (each.verdict.tendency.residual_interval for each in (report, plain))
    assert spread.high - spread.low > 1.5 * (narrow.high - narrow.low)
    assert report.verdict.interval.high > plain.verdict.interval.high


def test_rows_that_would_tell_are_counted_in_groups(report):
    said = [*report.sentences, *report.advice.sentences]
    counted = [text for text in said if "rows, that is " in text]
    assert counted
    assert all(" groups, " in text for text in counted)


def test_a_report_on_too_few_groups_is_refused():
    with pytest.raises(ValueError, match="groups must be more for a report: dependence cannot be"):
        fot.report(Y, P, groups=SITE % 5, **OPTIONS)


def test_a_report_on_whole_distributions_of_groups_is_refused_by_name():
    matrix = np.column_stack((1.0 - P, P))
    with pytest.raises(ValueError, match="whole distributions, whose dependence within groups was not studied"):
        fot.report(Y, matrix, reduction="canonical", groups=SITE, date="2026-01-01")


@pytest.mark.exhaustive
def test_rows_that_are_groups_of_their_own_have_the_page_of_independent_rows():
    report = fot.report(Y[:300], P[:300], groups=np.arange(300), **OPTIONS)
    assert "Groups: 300 of one row each, so that rows are independent." in report.html
    assert "Rows that belong together" not in report.html
