"""A validation for a paper: its paragraph quotes the statistics, and the checklist says what it answers."""

import re
from importlib.metadata import version

import numpy as np
import pytest
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

import fitontest as fot
from fitontest.results.quoting import quote
from fitontest.risk.validation.tripod import ITEMS

pytestmark = pytest.mark.exhaustive


def rows(n=600, slope=0.6, shift=0.3, seed=3):
    rng = np.random.default_rng(seed)
    x = rng.normal(-1, 1.3, n)
    return (rng.random(n) < expit(slope * x + shift)).astype(int), expit(x)


@pytest.fixture(scope="module")
def validation():
    return fot.risk.validate(*rows(), thresholds=[0.1, 0.4])


def quoted(estimate, kind):
    return quote(float(estimate), estimate.interval.low, estimate.interval.high, kind=kind)


def test_the_paragraph_quotes_each_statistic_with_its_interval(validation):
    y, _ = rows()
    text = validation.text()
    assert "\n" not in text
    assert text.startswith(f"The risks of 600 rows ({y.sum()} events, ")
    for name, full, kind in (
        ("observed_expected", "(O:E) was", "ratio"),
        ("calibration_slope", "the calibration slope", "slope"),
        ("auc", "The AUC was", "score"),
        ("brier", "the Brier score", "score"),
    ):
        assert f"{full} {quoted(validation[name], kind)}" in text
    assert f"(ICI) {validation['ici'].in_words}." in text
    wrong = re.search(r"Calibration was rejected \(p <= 0.005\): risks were (.*?) and (.*?)\.", text)
    assert {*wrong.groups()} == {"too low", "too extreme"}
    assert f"Computed with fitontest {version('fitontest')}." in text
    assert not re.search(r"\b(is|are) (not )?(rejected|too)\b", text)  # in the past tense


def test_net_benefits_are_per_thousand(validation):
    benefit = validation["net_benefit(0.4)"]
    ends = f"{1000 * benefit.interval.low:.0f} to {1000 * benefit.interval.high:.0f}"
    expected = f"At a threshold of 0.4 the net benefit per 1,000 rows was {1000 * benefit.value:.0f} (95 % CI {ends})"
    assert expected in validation.text()
    assert "-0 " not in validation.text()


def test_what_has_no_value_is_left_out_and_calibrated_risks_are_not_rejected():
    y, p = np.repeat([0, 1], 30), np.repeat([0.2, 0.8], 30)
    text = fot.risk.validate(y, p, family="isotonic").text()
    assert "slope" not in text
    assert "The AUC was 1.000" in text
    fine = fot.risk.validate(*rows(2000, 1.0, 0.0), family="platt").text()
    assert re.search(r"Calibration was (not rejected \(p = |rejected .*close to calibrated)", fine)


def test_groups_weights_levels_and_optimism_are_said():
    y, p = rows()
    grouped = fot.risk.validate(y, p, groups=np.arange(600) // 3, level=0.9, family="platt").text()
    assert "of 600 rows in 200 groups (" in grouped
    assert "Intervals take groups, not rows, for independent." in grouped
    assert "(90 % CI " in grouped
    assert "95 %" not in grouped
    weighted = fot.risk.validate(y, p, sample_weight=np.linspace(0.5, 1.5, 600), family="platt").text()
    assert re.search(r"600 rows \(\d+ % events by weight\)", weighted)
    x = np.random.default_rng(0).normal(size=(80, 4))
    labels = np.random.default_rng(1).random(80) < expit(x[:, 0])
    fitted = fot.risk.validate(labels, X=x, estimator=LogisticRegression(), optimism=5)
    assert "were validated, to which the model had been fitted." in fitted.text()
    assert "Corrected for optimism: calibration slope" in fitted.text()
    assert fitted.tripod().answers["12g"] == [("", "by the estimator, fitted to these rows")]


def test_models_have_a_paragraph_each():
    y, p = rows()
    models = fot.risk.validate(y, {"old": p, "new": p**0.8}, family="platt")
    old, new = models.text().split("\n\n")
    assert (old, new) == (f"old: {models['old'].text()}", f"new: {models['new'].text()}")
    of = [of for of, _ in models.tripod().answers["23a"]]
    assert of == [
        f"{name}: {part}"
        for name in ("old", "new")
        for part in ("discrimination", "calibration", "overall performance")
    ]


def test_the_checklist_has_each_item_once_and_answers_what_the_rows_say(validation):
    y, _ = rows()
    checklist = validation.tripod()
    records = {row["item"]: row for row in checklist.rows()}
    assert [*records] == [*ITEMS]
    assert {"12e", "12f", "20a", "21", "23a", "24", "25"} <= {item for item, row in records.items() if row["answered"]}
    assert {"5a", "6b", "8a", "11", "16", "17"} <= {item for item, row in records.items() if not row["answered"]}
    assert all(row["answered"] or row["add"] for row in records.values())
    assert records["20a"]["answered"].endswith(f"{600 - y.sum()} without the event")
    assert quoted(validation["auc"], "score") in records["23a"]["answered"]
    assert "decisions at 0.4: net benefit " in records["23a"]["answered"]
    assert "23b" not in checklist.answers
    assert "5a" in checklist.to_markdown()
    assert r"p{0.6\linewidth}" in checklist.to_latex()


def test_centres_are_in_the_checklist_and_the_paragraph():
    y, p = rows(900)
    centre = np.repeat(["A", "B", "C"], 300)
    validations = fot.risk.validate(y, p, by=centre, family="platt")
    checklist = validations.tripod()
    assert checklist.answers["23b"] == [("", validations.pooled.in_words)]
    assert checklist.answers["12d"][0][1].startswith("3 segments were pooled")
    assert [of for of, _ in checklist.answers["23a"]][-3:] == ["A", "B", "C"]
    assert validations.text() == f"{validations.total.text()} {validations.pooled.in_words}"


def test_few_groups_have_a_paragraph_without_a_verdict():
    y, p = rows(90)
    text = fot.risk.validate(y, p, groups=np.arange(90) % 4, family="platt").text()
    assert "rejected" not in text
    assert "CI" not in text.replace("ICI", "")
