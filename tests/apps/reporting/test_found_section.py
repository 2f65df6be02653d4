"""Segments of the features on a page: what is found, said first and drawn, and where it is refused."""

import json

import numpy as np
import pytest

import fitontest as fot
from tests.apps.reporting.pages import Page, report
from tests.segments.test_find import rows

QUICK = {"families": ["platt"], "compare": False}


def test_the_page_says_what_find_segments_does():
    page = report("features")
    assert page.found.items
    assert any(text.endswith(page.found.sentence()) for text in page.sentences)
    assert "segments-found" in page.html
    record = json.loads(json.dumps(page.to_dict()))["found"]
    assert record["segments"] == page.found.to_dict()["segments"]
    text = " ".join(Page(page.html).text["th"])
    assert all(str(item.rule) in text for item in page.found)


@pytest.mark.exhaustive
def test_the_advice_is_to_repair_where_all_rows_together_look_right():
    y, p, X = rows(2000, shift=1.2)
    balanced = y.copy()
    # as many of the other rows are off the other way, so that nothing is shown of all rows
    others = np.flatnonzero(~((X.age > 50) & (X.site == "west")).to_numpy())
    gap = round(float(np.sum(y - p)))
    flipped = [row for row in others if y[row] == 1][:gap]
    balanced[flipped] = 0
    page = fot.report(balanced, p, X=X, **QUICK)
    assert page.advice.kind == "repair"
    assert page.advice.title == "Repair segments of the features"
    assert page.advice.sentences[0].startswith("Wrong beyond one map for all rows: ")
    found = fot.segments.find_segments(balanced, p, X)
    assert page.found.rows() == found.rows()
    assert str(found[0].rule) in page.advice.sentences[0]


@pytest.mark.exhaustive
def test_of_calibrated_scores_nothing_is_advised_or_drawn():
    rng = np.random.default_rng(4)
    p = rng.random(500)
    page = fot.report(rng.random(500) < p, p, X={"a": rng.random(500)}, **QUICK)
    assert len(page.found) == 0
    assert page.advice.kind != "repair"
    assert any("No segment stands out among" in text for text in page.sentences)
    assert "segments-found" not in page.html


@pytest.mark.exhaustive
def test_segments_that_were_named_stand_beside_those_that_were_found():
    y, p, X = rows(700, shift=1.5)
    page = fot.report(y, p, X=X, by=X.site, random_state=3, level=0.9, **QUICK)
    assert set(page.segments.segments) == {"north", "south", "west"}
    assert page.found.rows() == fot.segments.find_segments(y, p, X, level=0.9, random_state=3).rows()


@pytest.mark.exhaustive
def test_the_confidence_of_several_classes_has_features_too():
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(3), 600)
    y = (P.cumsum(axis=1) < rng.random((600, 1))).sum(axis=1)
    X = {"a": rng.random(600)}
    page = fot.report(y, P, X=X, reduction="confidence", **QUICK)
    assert page.found.sample.n == 600
    with pytest.raises(ValueError, match="X must be left out where classes are judged"):
        fot.report(y, P, X=X, reduction="canonical", compare=False)


def test_refusals():
    y, p, X = rows(60)
    with pytest.raises(ValueError, match="X must have a row for each of 60 labels, got 59"):
        fot.report(y, p, X=X.iloc[:59], **QUICK)
    with pytest.raises(ValueError, match="categorical_features must be left out without X"):
        fot.report(y, p, categorical_features=["site"], **QUICK)
    with pytest.raises(ValueError, match="y_true must be rows as they were given"):
        fot.report(fot.Cells.of(y, p), X=X, **QUICK)
