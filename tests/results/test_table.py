"""Tables: text, frames, JSON and HTML of the same records."""

import json
import re

import pytest

import fitontest as fot
from fitontest.results import frames
from fitontest.results.table import WIDTH, Section, Table
from tests.strategies import noisy


class Pairs(Table):
    def __init__(self, rows):
        self._rows = rows

    def rows(self):
        return self._rows


def test_every_form_holds_the_records():
    rows = [{"name": "a", "value": 0.5}, {"name": "b", "value": None}]
    table = Pairs(rows)
    assert str(table).splitlines() == ["name  value", "----  -----", "a     0.500", "b         -"]
    assert json.loads(table.to_json()) == table.to_dict() == {"rows": rows}
    assert table.to_frame("polars").to_dicts() == rows
    assert table._repr_html_().count("<tr>") == 3


def test_json_is_strict():
    with pytest.raises(ValueError, match="not JSON compliant"):
        Pairs([{"value": float("nan")}]).to_json()


def test_html_is_escaped():
    html = Pairs([{"<b>": "<script>alert('x')</script> & more"}])._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "&amp; more" in html


def test_sections_are_joined_by_a_blank_line_and_leave_out_what_is_missing():
    class Two(Pairs):
        def sections(self):
            return [Section("title", ["x"], [["1"]], "first\nsecond"), Section(notes="alone")]

    assert str(Two([])) == "title\nx\n-\n1\nfirst\nsecond\n\nalone"
    assert "<p>first<br>second</p>" in Two([])._repr_html_()


def test_notes_are_wrapped_where_they_are_printed_and_whole_elsewhere():
    class Long(Pairs):
        def sections(self):
            return [Section(notes=f"{'word ' * 40}\nnext")]

    first, second, last = str(Long([])).splitlines()
    assert len(first) <= WIDTH < len(f"{first} word")
    assert (f"{first} {second}", last) == (("word " * 40).strip(), "next")
    assert f"{'word ' * 40}<br>next" in Long([])._repr_html_()


def test_every_result_is_a_table():
    y, p = noisy(300)
    results = [
        fot.calibration_error(y, p, family="platt"),
        fot.tce(y, p, null_draws=3),
        fot.measure(y, p, "within_bin", interval=None),
        fot.evaluate(y, p, families=["platt"], measures=["mce"]),
        fot.compare_calibrators(y, p, families=["platt"], evaluators=[]),
    ]
    for result in results:
        assert isinstance(result, Table)
        assert "<table>" in result._repr_html_() or not result.sections()[0].header
        json.loads(result.to_json())
        assert len(result.to_frame()) == len(result.rows()) >= 1


def test_a_page_holds_the_sections_and_needs_nothing_else(tmp_path):
    table = Pairs([{"name": "<a>", "value": 0.5}])
    page = table.to_html(tmp_path / "pairs.html", title="A <title>")
    assert (tmp_path / "pairs.html").read_text(encoding="utf-8") == page
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>A &lt;title&gt;</title>" in page
    assert table._repr_html_() in page
    assert "<h1>Pairs</h1>" in table.to_html()
    assert not re.search(r"https?:|@import|<script|src=", page)
    assert "<figure>" not in page
    with pytest.raises(ValueError, match=r"the ending of path must be one of '.html', '.htm'; got '.txt'"):
        table.to_html(tmp_path / "pairs.txt")


def test_a_page_has_the_pictures_of_the_result():
    class Pictured(Pairs):
        def _pictures(self):
            return [("<svg></svg>", "what it <shows>")]

    page = Pictured([{"name": "a"}]).to_html()
    assert "<figure><svg></svg><figcaption>what it &lt;shows&gt;</figcaption></figure>" in page


def test_a_frame_of_a_package_that_is_missing_says_what_to_install(monkeypatch):
    def missing(*_, **__):
        raise ModuleNotFoundError("No module named 'pandas'", name="pandas")

    monkeypatch.setattr(frames.nw, "from_dict", missing)  # as if it were not installed
    with pytest.raises(
        ModuleNotFoundError, match=r"backend='pandas' must be .*: python -m pip install pandas, or take"
    ):
        fot.ece([0, 1], [0.2, 0.9], n_bins=2).to_frame()
