"""The validation in a report: the numbers of `validate` and of the headline, and decisions where they are asked for."""

import numpy as np
import pytest

import fitontest as fot
from tests.apps.reporting.pages import Page, report


def test_the_ici_is_the_error_of_the_headline():
    for kind in ("calibrated", "decisions"):
        page = report(kind)
        ici, quoted = page.validation["ici"], page.verdict.estimate
        assert (ici.value, ici.debiased, ici.interval.low, ici.interval.high) == (
            quoted.value,
            quoted.debiased,
            quoted.interval.low,
            quoted.interval.high,
        )


@pytest.mark.exhaustive
def test_the_numbers_are_those_of_validate():
    page = report("decisions")
    sample = page.evaluation.sample
    expected = fot.risk.validate(sample.y, sample.p, thresholds=[0.3, 0.5])
    assert page.to_dict()["validation"]["statistics"] == expected.to_dict()["statistics"]
    html = page.html
    for row in expected.table().sections()[0].body:
        for text in row:
            assert text.replace("<", "&lt;") in html


def test_decisions_are_a_finding_a_table_and_a_picture():
    page = report("decisions")
    text = page.sentences[-1]
    assert "threshold" in text
    assert text in page.html
    parsed = Page(page.html)
    assert "Validation" in parsed.text["h2"]
    assert any(attrs.get("aria-label", "").startswith("Decision curve") for attrs in parsed.of("svg"))
    assert page.facts["thresholds"] == "[0.3, 0.5]"
    assert not any("threshold" in sentence for sentence in report("calibrated").sentences)


@pytest.mark.exhaustive
def test_classes_have_no_validation_and_refuse_thresholds():
    assert report("three classes").validation is None
    P = np.random.default_rng(0).dirichlet([1, 1, 1], 60)
    with pytest.raises(ValueError, match="thresholds must be left out unless there is one score of a positive class"):
        fot.report(np.arange(60) % 3, P, reduction="confidence", thresholds=0.5, compare=False)
    with pytest.raises(ValueError, match="thresholds must increase"):
        fot.report([0, 1] * 50, np.linspace(0, 1, 100), thresholds=[0.5, 0.2])
