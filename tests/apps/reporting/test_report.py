"""The report: what it says, and that its page is one whole file that asks for nothing."""

import datetime
import json
import re
import sys
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

import fitontest as fot
from fitontest.apps.reporting.key_figures import Measured
from fitontest.apps.reporting.page import check_jinja
from fitontest.apps.reporting.summary import Summary
from fitontest.results.quoting import quote
from fitontest.results.text import short
from fitontest.uncertainty.tendency import tendency_of
from tests.apps.reporting.pages import KINDS, TITLE, Page, report
from tests.few_draws import frame

pytestmark = pytest.mark.multiplies

OPEN = {
    "segmented": ["Segments"],
    "features": ["Segments found"],
    "three classes": ["Classes"],
    "decisions": ["Validation"],
}
WHERE = {"segmented": ["Where: by segment"], "features": ["Where: by features"]}
COLLAPSED = {"bold": ["Calibrators compared"]}
VALIDATED = ("calibrated", "bold", "rare", "cells", "segmented", "features")  # where thresholds were not asked for


@pytest.fixture
def frames(monkeypatch):
    """Let pages have frames in place of pictures, where a test is of what stands beside them."""
    monkeypatch.setattr("fitontest.apps.reporting.figures.inline_svg", frame)


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.mark.exhaustive
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
    assert "".join(page.text["h2"]).startswith("What to do")
    assert [text for text in page.text["h2"] if not text.startswith(("What to do", ", in this order"))] == [
        *WHERE.get(kind, []),
        "At which scores",
        "Numbers to cite",
        "Findings",
        *OPEN.get(kind, []),
        "Data",
        "Details",
        "More diagrams",
        *(["Validation"] if kind in VALIDATED else []),
        "Error by family of maps",
        *COLLAPSED.get(kind, []),
        "How this was computed",
    ]
    assert page.of("html") == [{"lang": "en"}]
    figures = [attrs for attrs in page.of("svg") if "role" in attrs]
    assert len(figures) == len(page.of("figure")) >= 1
    assert all(attrs["role"] == "img" and len(attrs["aria-label"]) > 40 for attrs in figures)
    assert all(attrs.get("scope") in ("col", "row") for attrs in page.of("th"))
    labels = [attrs["aria-label"] for attrs in page.of("div") if attrs.get("role") == "region"]
    assert len(labels) == len(set(labels))


def test_texts_are_escaped(kind):
    html = report(kind).html
    assert "<script" not in html
    assert "<b>" not in html
    assert "".join(Page(html).text["title"]) == TITLE
    assert any(text.startswith(f"{TITLE} \N{MIDDLE DOT} ") for text in Page(html).text["p"])


@pytest.mark.exhaustive
@pytest.mark.usefixtures("frames")
def test_names_that_act_on_a_page_are_seen():
    rng = np.random.default_rng(22)
    p = rng.random(200)
    names = np.array(["north\u202e\x1b", "\0south\u2067"])
    options = {
        "by": names[np.arange(200) % 2],
        "families": ["platt"],
        "title": "of\u202eall",
        "level": 0.9,
    }
    html = fot.report(rng.random(200) < p, p, **options, compare=False).html
    assert not set(html) & set("\0\x1b\u202e\u2067")
    page = Page(html)
    assert "".join(page.text["title"]) == "of\\u202eall"
    assert {"north\\u202e\\x1b", "\\x00south\\u2067"} <= set(page.text["th"])


@pytest.mark.usefixtures("frames")
def test_the_first_screen_has_the_diagram_that_is_drawn_everywhere_and_beside_it_that_after_calibration():
    drawn = {kind: report(kind)._pictures() for kind in ("calibrated", "bold", "segmented")}
    names = {kind: [picture.name for picture in each["first"]] for kind, each in drawn.items()}
    assert names == {"calibrated": ["map"], "bold": ["before", "after"], "segmented": ["map"]}
    assert [picture.name for picture in drawn["bold"]["diagrams"]] == ["map", "tce"]
    assert [picture.name for picture in drawn["segmented"]["where"]] == ["segments-dots"]


@pytest.mark.exhaustive
def test_the_same_data_give_the_same_bytes(tmp_path):
    again = report.__wrapped__("bold").save(tmp_path / "again.html")
    assert again.read_bytes() == report("bold").html.encode()


def test_it_says_first_what_was_found():
    error, *others = report("bold").sentences
    assert report("bold").verdict.headline == "Overconfident"
    assert error.startswith("Calibration is rejected (p <= 0.005); calibration error 0.120 (95 % CI ")
    assert others[0].startswith("P-value of each statistic by itself: ")
    assert others[-1].startswith("Errors of any shape that persists over 1.3 % of the rows, up to ")
    html = report("bold").html
    assert f"<h1>{report('bold').first_screen.sentence}</h1>" in html
    assert report("bold").first_screen.sentence == f"Overconfident: calibration error {report('bold').verdict.size}."
    assert html.index("<h1>") < html.index("What to do") < html.index("Findings")


@pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning")
@pytest.mark.usefixtures("frames")
def test_copies_are_told_before_the_reasons():
    rng = np.random.default_rng(0)
    p = rng.random(300)
    rows = np.repeat(np.arange(300), 2)
    y = (rng.random(300) < p).astype(int)
    made = fot.report(y[rows], p[rows], families=["spline"], compare=False)
    assert made.sentences[0].startswith("300 of 600 rows look like copies: ")
    assert made.sentences[1].startswith("Calibration is")


def test_it_says_what_to_do_with_the_error_before_and_after_calibration():
    made = report("bold")
    comparison, before, after = made.comparison, made.verdict.estimate, made.after.estimates[0]
    assert made.advice.title == f"Calibrate with {comparison.chosen}"
    first, gain = made.advice.sentences
    assert first == (
        f"Calibration error {quote(before.debiased, before.interval.low, before.interval.high)} before "
        f"\N{RIGHTWARDS ARROW} {quote(after.debiased, after.interval.low, after.interval.high)} after, of the "
        "calibrator of all rows."
    )
    assert after.value == float(fot.calibration_error(comparison.calibrated))
    assert after.debiased < before.debiased
    difference = comparison[comparison.chosen].held_out.to_identity
    assert (
        f"lower by {short(-difference.mean)} (standard error {short(difference.se, 2)}), by "
        f"{comparison.chosen}." in gain
    )
    page = Page(made.html)
    assert [picture.title for picture in made._pictures()["first"]] == [
        "Now",
        f"After {comparison.chosen}, held-out rows",
    ]
    assert f"after {comparison.chosen}" in page.text["th"]


def test_the_usual_figures_stand_beside_the_error():
    made = report("bold")
    y, p = made.evaluation.sample.y, made.evaluation.sample.p
    figures = {figure.name: figure for figure in made.figures}
    assert figures["AUC"].now == (f"{roc_auc_score(y, p):.3f}",)
    assert figures["Brier score"].now == (f"{np.mean((y - p) ** 2):.3f}",)
    assert figures["Log loss"].now == (f"{log_loss(y, p):.3f}",)
    tendency = made.verdict.tendency
    ends = f"95 % CI {tendency.slope_interval.low:.2f} to {tendency.slope_interval.high:.2f}"
    assert figures["Slope"].now == (f"{tendency.slope:.2f}", ends)
    assert figures["Mean residual"].now[0] == f"{y.mean() - p.mean():.3f}"
    error = made.verdict.estimate
    ends = f"95 % CI {error.interval.low:.3f} to {error.interval.high:.3f}"
    assert figures["Calibration error"].now == (f"{error.debiased:.3f}", ends)
    assert all(figure.phrase and figure.after for figure in made.figures)
    assert made.after.sample.mean_loss("brier") == pytest.approx(float(figures["Brier score"].after[0]), rel=0.01)
    assert f"On average the scores predict {short(100 * p.mean())} % positives" in made.html


def test_slope_and_residual_have_the_digits_of_the_sentences_beside_them():
    rng = np.random.default_rng(5)
    p = rng.random(1000)
    sample = fot.ScoreSample(rng.random(1000) < p**1.5, p)
    tendency = tendency_of(sample)
    estimate = fot.calibration_error(sample, interval=None)
    measured = Measured.of(estimate, sample, tendency)
    for (value, ends), sentence in (
        (measured.slope, tendency.slope_in_words),
        (measured.residual, tendency.residual_in_words),
    ):
        assert f" {value} ({ends.removeprefix('95 % CI ')};" in sentence


@pytest.mark.exhaustive
@pytest.mark.usefixtures("frames")
def test_of_confidence_it_speaks_of_accuracy_and_not_of_positives():
    made = report("three classes")
    first = made.html[: made.html.index("<h2>Classes")]
    assert "positive" not in first[first.index("<main>") :]
    compared = fot.report(*three_classes(150)[:2], reduction="confidence", families=["spline"])
    assert "share of positives" not in compared.html
    assert "accuracy" in first
    assert "confidence" in first


def test_where_calibrators_cannot_be_compared_it_says_why():
    p = np.linspace(0.01, 0.2, 60)
    made = fot.report(np.zeros(60), p, families=["spline"])
    assert made.comparison is None
    assert made.not_compared.startswith("Calibrators were not compared: y_true must have rows of both classes")
    assert made.advice.title == "Cannot tell yet"
    assert made.not_compared in made.advice.sentences
    with pytest.raises(ValueError, match="both classes"):
        fot.report(np.zeros(60), p, families=["spline"], compare=True)


def test_few_rows_cannot_tell():
    rng = np.random.default_rng(1)
    p = rng.random(100)
    made = fot.report(rng.random(100) < p, p, families=["spline"], compare=False)
    assert made.advice.title == "Cannot tell yet"
    high = made.verdict.interval.high
    assert high > 0.05
    first, rows, _ = made.advice.sentences
    assert first == f"No miscalibration is shown, but smooth errors up to {short(high)} cannot be ruled out."
    assert rows.endswith(" rows would tell whether it is at most 0.0500.")


def test_of_calibrated_scores_it_says_what_could_be_hidden():
    made = report("calibrated")
    high = made.verdict.interval.high
    assert made.verdict.headline == "No miscalibration shown"
    assert made.sentences[-1].startswith(f"Errors up to {high:.3f} cannot be ruled out (of any shape that persists ")
    assert made.html.count('class="card good"') == (2 if made.advice.kind == "no need" else 0)


def test_where_no_direction_is_sure_it_says_how_many_rows_would_show_one():
    verdict = report("bold").verdict
    tendency = verdict.tendency
    interval = type(tendency.residual_interval)
    vague = type(tendency)(0.01, interval(-0.01, 0.03, 0.95), 0.9, interval(0.7, 1.1, 0.95))
    level = replace(verdict.sizes.ratio, value=1.01, interval=interval(0.98, 1.04, 0.95))
    open_ = replace(verdict, sizes=replace(verdict.sizes, tendency=vague, ratio=level, parts=()))
    assert open_.headline == "Miscalibrated, in no single direction"
    last = Summary(open_).sentences[-1]
    assert last == "About 2,400 rows would show a direction, if there is one."  # (.02 / .01)^2 and (.2 / .1)^2


@pytest.mark.exhaustive
@pytest.mark.usefixtures("frames")
def test_no_gain_is_said_too():
    rng = np.random.default_rng(1)
    p = rng.random(3000)
    made = fot.report(rng.random(3000) < p, p, families=["platt"], compare=True)
    assert made.advice.title == "No need to calibrate"
    if made.comparison.chosen == "identity":
        assert made.advice.sentences[1].startswith("No calibrator of those compared predicts")
        assert made.after is None
        assert [picture.name for picture in made._pictures()["first"]] == ["map"]
    else:  # a mixture may gain less than chance
        assert made.advice.sentences[1].endswith("not clearly more than chance.")


@pytest.mark.usefixtures("frames")
def test_date_model_notes_and_data_are_told():
    made = report("bold")
    text = made.html
    assert made.provenance["date"] == "2026-01-02"
    assert "2026-01-02" in text
    assert "churn &lt;i&gt;3.1&lt;/i&gt;" in text
    assert "March &lt;b&gt;2026&lt;/b&gt; &amp; later" in text
    assert made.data_facts["rows"] == "600; none dropped: missing and invalid values are refused, not skipped"
    assert made.data_facts["distinct scores"] == "600"
    p = np.array([0.0] * 30 + [0.4] * 50 + [1.0] * 20)
    y = np.array([0] * 29 + [1] + [0, 1] * 25 + [1] * 20)
    weights = np.array([0.0] * 5 + [2.0] * 95)
    facts = fot.report(y, p, sample_weight=weights, families=["spline"], compare=False).data_facts
    assert facts["rows"].startswith("95, beside 5 of weight 0, which have no part;")
    assert facts["scores of exactly 0, exactly 1"] == "50 (26 %), 40 (21 %)"
    assert facts["distinct scores"] == "3"
    assert facts["weights"] == "weights are counts: 95 rows stand for 190"
    today = fot.report(y, p, families=["spline"], compare=False, notes="from the test of today")
    assert today.provenance["date"] == datetime.date.today().isoformat()
    assert "from the test of today" in today.html


@pytest.mark.usefixtures("frames")
def test_a_file_and_its_columns_are_named(tmp_path):
    rng = np.random.default_rng(0)
    p = rng.random(200).round(3)
    lines = [f"{int(label)},{score}" for label, score in zip(rng.random(200) < p, p, strict=True)]
    file = tmp_path / "scores.csv"
    file.write_text("\n".join(["churned,score", *lines]))
    made = fot.report(file, label="churned", prob="score", families=["spline"], compare=False)
    assert made.provenance["notes"] == {
        "file": "scores.csv",
        "column of labels": "churned",
        "columns of scores": "score",
    }
    assert "scores.csv" in made.html


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
    assert any("Miscalibration is shown in 1 of 2 segments: south & west" in text for text in segmented.sentences)
    assert segmented.advice.title == "Segment: give south & west a map of its own"


def test_the_dict_holds_what_the_page_says():
    made = report("bold")
    found = json.loads(json.dumps(made.to_dict()))
    assert found["verdict"]["headline"] == "Overconfident"
    assert found["sentences"] == made.sentences
    assert found["facts"]["random_state"] == "0"
    assert found["classes"] is None
    assert made._repr_html_().startswith('<iframe title="Churn &lt;script&gt;')
    assert repr(made) == f"Report({TITLE!r}: Overconfident. Calibrate with {made.comparison.chosen})"
    assert [step["kind"] for step in found["advice"]["steps"]] == ["calibrate"]
    assert found["date"] == "2026-01-02"
    assert found["after"]["estimates"][0]["value"] == made.after.estimates[0].value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"title": " "}, "title must be a text"),
        ({"compare": "yes"}, "compare must be True, False or 'auto'"),
        ({"date": 3}, "date must be a date or a text"),
        ({"model": ""}, "model must be a text"),
        ({"notes": {"a": 1}}, "notes must be a text, or texts by their names"),
        ({"families": ["none such"]}, "family"),
        ({"level": 2}, "level must be"),
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


def three_classes(n=600):
    """Return labels of three classes, overconfident distributions, and the names of the classes."""
    rng = np.random.default_rng(1)
    P, names = rng.dirichlet([1.0, 1.0, 1.0], n), np.array(["a", "b", "c"])
    y = names[(P.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)]
    return y, P**2 / (P**2).sum(axis=1, keepdims=True), names


@pytest.mark.exhaustive
@pytest.mark.usefixtures("frames")
def test_the_table_of_classes_has_debiased_values_first():
    y, P, _ = three_classes(150)
    page = Page(fot.report(y, P, reduction="confidence", compare=False, families=["platt"]).html)
    first = page.text["th"].index("class")
    assert page.text["th"][first : first + 6] == [
        "class", "share of rows", "mean score", "debiased", "95 % interval", "raw"
    ]  # fmt: skip


@pytest.mark.exhaustive
@pytest.mark.usefixtures("frames")
def test_whole_distributions_are_judged_by_the_error_on_the_simplex():
    y, P, _ = three_classes()
    page = fot.report(y, P, reduction="canonical", families=["vector"])
    assert repr(page.verdict) == "ClassesVerdict('Miscalibration shown', p_value=0.0050)"
    assert str(page.verdict).startswith("Miscalibration shown: the ECE in joint bins is 0.")
    assert " (95 % CI 0." in page.verdict.reasons[0]
    assert page.advice.title.startswith("Calibrate with ")
    assert page.after.names == ["simplex_ece", "spline"]
    assert page.after.estimates[0].value < page.evaluation.estimates[0].value
    assert page.evaluation.names == ["simplex_ece", "vector"]
    assert page.verdict.p_value == page.evaluation["simplex_ece"].null.p_value
    assert page.verdict.shown
    assert "Of the confidence alone: Overconfident" in " ".join(page.sentences)
    assert list(page.classes.classes) == ["a", "b", "c"]
    assert 'id="tab-triangle"' in page.html
    assert "share of positives" not in page.html
    assert page.to_dict()["confidence"]["estimates"][0]["value"] == page.confidence.estimates[0].value


@pytest.mark.exhaustive
@pytest.mark.usefixtures("frames")
def test_cells_of_classes_are_judged_class_by_class():
    y, P, names = three_classes()
    cells = fot.data.ClassCells({label: fot.Cells.of(y == label, P[:, k]) for k, label in enumerate(names.tolist())})
    page = fot.report(cells, families=["platt"])
    assert "compare on the cells of each class" in page.not_compared
    assert page.evaluation.names == ["spline", "platt"]
    assert page.confidence is None
    assert page.verdict.headline == "Miscalibration shown in 3 of 3 classes"
    assert "cells of classes do not keep which scores belong to one row" in page.html
    assert "More diagrams" not in page.html
    assert "<h2>Classes" in page.html


@pytest.mark.exhaustive
def test_the_error_after_is_that_of_the_comparison():
    """Of few scores too, of which held-out predictions make many."""
    rng = np.random.default_rng(0)
    p = rng.integers(1, 11, 1000) / 11
    y = (rng.random(1000) < p**2).astype(int)
    made, found = fot.report(y, p), fot.compare_calibrators(y, p)
    after = made.after.estimates[0]
    assert (after.debiased, after.interval) == (found.error_after.debiased, found.error_after.interval)
    assert np.unique(made.after.sample.p).size == 10
    assert made.advice.sentences[0].endswith("after, of the calibrator of all rows.")
