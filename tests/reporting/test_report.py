"""The report: what it says, and that its page is one whole file that asks for nothing."""

import json
import re
import sys

import numpy as np
import pytest

import fitontest as fot
from fitontest.reporting.page import check_jinja
from fitontest.reporting.summary import Summary
from tests.reporting.pages import KINDS, TITLE, Page, report

HEADINGS = {"bold": ["Calibrators compared"], "segmented": ["Segments"], "three classes": ["Classes"]}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def test_the_page_is_one_file_that_asks_for_nothing(kind):
    html = report(kind).html
    assert len(html.encode()) <= 1_000_000
    page = Page(html)
    assert page.complaints == []
    assert not page.of("script")
    links = [v for _, attrs in page.elements for k, v in attrs.items() if k.split(":")[-1] in ("src", "href", "srcset")]
    links += re.findall(r"url\(([^)]*)\)", html)
    assert all(link.startswith(("#", "data:,")) for link in links)
    assert "@import" not in html
    spaces = {v for _, attrs in page.elements for k, v in attrs.items() if k.startswith("xmlns")}
    assert set(re.findall(r"https?://[^\s\"'<)]+", html)) <= spaces


def test_identifiers_are_unique_and_what_refers_to_them_finds_them(kind):
    html = report(kind).html
    page = Page(html)
    identifiers = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(identifiers) == len(set(identifiers))
    referred = [v for _, attrs in page.elements for k, v in attrs.items() if k.split(":")[-1] == "href"]
    referred = [v[1:] for v in referred if v.startswith("#")] + re.findall(r"url\(#([^)]*)\)", html)
    referred += [attrs["for"] for attrs in page.of("label")]
    assert referred
    assert set(referred) <= set(identifiers)


def test_a_screen_reader_finds_headings_tables_and_texts_of_figures(kind):
    page = Page(report(kind).html)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert set(levels[1:]) == {2}
    assert page.text["h2"] == ["Diagrams", "Measures", *HEADINGS.get(kind, []), "How this was computed"]
    assert page.of("html") == [{"lang": "en"}]
    figures = [attrs for attrs in page.of("svg") if "role" in attrs]
    assert len(figures) == len(page.of("figure")) >= 2
    assert all(attrs["role"] == "img" and len(attrs["aria-label"]) > 40 for attrs in figures)
    assert all(attrs.get("scope") in ("col", "row") for attrs in page.of("th"))
    labels = [attrs["aria-label"] for attrs in page.of("div") if attrs.get("role") == "region"]
    assert len(labels) == len(set(labels))


def test_texts_are_escaped(kind):
    html = report(kind).html
    assert "<script" not in html
    assert "<b>" not in html
    assert "".join(Page(html).text["h1"]) == TITLE


def test_names_that_act_on_a_page_are_seen():
    rng = np.random.default_rng(22)
    p = rng.random(200)
    names = np.array(["north\u202e\x1b", "\0south\u2067"])
    options = {"by": names[np.arange(200) % 2], "families": ["platt"], "title": "of\u202eall", "interval": 0.9}
    html = fot.report(rng.random(200) < p, p, **options).html
    assert not set(html) & set("\0\x1b\u202e\u2067")
    page = Page(html)
    assert "".join(page.text["h1"]) == "of\\u202eall"
    assert {"north\\u202e\\x1b", "\\x00south\\u2067"} <= set(page.text["th"])


def test_the_first_tab_is_that_of_the_scale_that_shows_the_scores():
    tabs = {kind: [attrs["id"] for attrs in Page(report(kind).html).of("input")] for kind in ("calibrated", "rare")}
    assert tabs["calibrated"] == ["tab-map-probability", "tab-map-logit", "tab-tce"]
    assert tabs["rare"] == ["tab-map-logit", "tab-map-probability", "tab-tce"]


def test_the_same_data_give_the_same_bytes(tmp_path):
    again = report.__wrapped__("bold").save(tmp_path / "again.html")
    assert again.read_bytes() == report("bold").html.encode()


def test_it_says_first_what_was_found():
    error, *others = report("bold").sentences
    assert report("bold").verdict.headline == "Overconfident"
    assert error.startswith("Calibration is rejected (p <= 0.005); calibration error debiased ")
    assert others[0].startswith("P-value of each statistic by itself: ")
    comparison = report("bold").comparison
    gain = comparison[comparison.chosen].held_out.to_identity
    assert others[-3].startswith("Errors of any shape that persists over 1.3 % of the rows, up to ")
    assert f"Calibration by {comparison.chosen} would lower the log loss by {-gain.mean:#.3g} " in others[-2]
    assert gain.mean < 0
    assert others[-1] == "Four times as many rows (2,400) would halve the interval."


def test_of_calibrated_scores_it_says_what_could_be_hidden():
    made = report("calibrated")
    one = made.verdict.estimate
    high = one.interval.high
    assert made.verdict.headline == "No miscalibration shown"
    assert made.sentences[-2].startswith(f"Errors up to {high:#.3g} cannot be ruled out (of any shape that persists ")
    assert made.sentences[-1] == (
        f"If the error is as found, about 2,400 rows would show that it is at most {(one.debiased + high) / 2:#.3g}."
    )
    assert 'class="verdict good"' in made.html


def test_where_no_direction_is_sure_it_says_how_many_rows_would_show_one():
    verdict = report("bold").verdict
    sample = report("bold").evaluation.sample
    tendency = verdict.tendency
    interval = type(tendency.residual_interval)
    vague = type(tendency)(0.01, interval(-0.01, 0.03, 0.95), 0.9, interval(0.7, 1.1, 0.95))
    open_ = type(verdict)(verdict.estimate, verdict.test, vague)
    assert open_.headline == "Miscalibrated, in no single direction"
    last = Summary(open_, sample).sentences[-1]
    assert last.endswith("About 2,400 would show a direction, if there is one.")  # (.02 / .01)^2 and (.2 / .1)^2


def test_no_gain_is_said_too():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    made = fot.report(rng.random(300) < p, p, families=["platt"], compare=True)
    assert made.comparison.chosen == "identity"
    assert any(text.startswith("No calibrator of those compared") for text in made.sentences)


def test_classes_and_segments_are_listed_worst_first():
    three = Page(report("three classes").html)
    names = [text for text in three.text["th"] if text in ("cat", "dog", "<b>")]
    errors = {str(k): v["spline"].debiased for k, v in report("three classes").classes.classes.items()}
    assert names == sorted(errors, key=lambda name: -errors[name])
    segmented = report("segmented")
    assert [text for text in Page(segmented.html).text["th"] if "outh" in text or "orth" in text] == [
        "south & west",
        "north",
    ]
    assert any("Miscalibration is shown in south & west" in text for text in segmented.sentences)


def test_the_dict_holds_what_the_page_says():
    made = report("bold")
    found = json.loads(json.dumps(made.to_dict()))
    assert found["verdict"]["headline"] == "Overconfident"
    assert found["sentences"] == made.sentences
    assert found["facts"]["random_state"] == "0"
    assert found["classes"] is None
    assert made._repr_html_().startswith('<iframe title="Churn &lt;script&gt;')
    assert repr(made) == f"Report({TITLE!r}: Overconfident)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"title": " "}, "title must be a text"),
        ({"compare": "yes"}, "compare must be True or False"),
        ({"families": ["none such"]}, "family"),
        ({"interval": 2}, "interval must be"),
        ({"reduction": "none such"}, "reduction must be one of"),
        ({"reduction": "canonical"}, "y_prob must be a matrix"),
        ({"families": ["identity"]}, "families must hold one whose error has an interval"),
        ({"by": ["a"]}, "by"),
    ],
)
def test_bad_input_is_refused(options, message):
    rng = np.random.default_rng(0)
    p = rng.random(50)
    with pytest.raises(ValueError, match=message):
        fot.report(rng.random(50) < p, p, **options)


def test_only_html_is_written(tmp_path):
    with pytest.raises(ValueError, match="the ending of path must be one of"):
        report("calibrated").save(tmp_path / "report.pdf")


def test_without_jinja2_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'fitontest\[report\]'"):
        check_jinja()


def three_classes():
    """Return labels of three classes, overconfident distributions, and the names of the classes."""
    rng = np.random.default_rng(1)
    P, names = rng.dirichlet([1.0, 1.0, 1.0], 600), np.array(["a", "b", "c"])
    y = names[(P.cumsum(axis=1) > rng.random((600, 1))).argmax(axis=1)]
    return y, P**2 / (P**2).sum(axis=1, keepdims=True), names


def test_whole_distributions_are_judged_by_the_error_on_the_simplex():
    y, P, _ = three_classes()
    page = fot.report(y, P, reduction="canonical", families=["vector"])
    assert page.evaluation.names == ["simplex_ece", "vector"]
    assert page.verdict.p_value == page.evaluation["simplex_ece"].null.p_value
    assert page.verdict.shown
    assert "Of the confidence alone: Overconfident" in " ".join(page.sentences)
    assert list(page.classes.classes) == ["a", "b", "c"]
    assert 'id="tab-triangle"' in page.html
    assert "share of positives" not in page.html
    assert page.to_dict()["confidence"]["estimates"][0]["value"] == page.confidence.estimates[0].value


def test_cells_of_classes_are_judged_class_by_class():
    y, P, names = three_classes()
    cells = fot.ClassCells({label: fot.Cells.of(y == label, P[:, k]) for k, label in enumerate(names.tolist())})
    page = fot.report(cells, families=["platt"])
    assert page.evaluation.names == ["spline", "platt"]
    assert page.confidence is None
    assert page.verdict.headline == "Miscalibration shown in 3 of 3 classes"
    assert "cells of classes do not keep which scores belong to one row" in page.html
    assert "<h2>Diagrams" not in page.html
    assert "<h2>Classes" in page.html
