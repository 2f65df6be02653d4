"""Texts: names that come from files neither act on a terminal or a page nor become formulas of a spreadsheet."""

import csv
import io
import unicodedata

import pytest

import fitontest as fot
from fitontest.results.table import Section
from fitontest.results.text import count, csv_text, same_decimals, short, signed, visible

TURNS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
MARKS = ["\u061c", "\u200e", "\u200f"]


@pytest.mark.exhaustive
def test_characters_that_act_and_are_not_seen_are_escaped():
    every = [chr(code) for code in range(0x110000)]
    unseen = [one for one in every if unicodedata.category(one) in ("Cc", "Zl", "Zp", "Cs")]
    turning = [one for one in every if unicodedata.bidirectional(one) in TURNS]
    assert len(turning) == 9
    for one in (*unseen, *turning, *MARKS):
        assert visible(f"a{one}b") == f"a{one.encode('unicode_escape').decode()}b"
        assert visible(f"a{one}b", one) == f"a{one}b"


@pytest.mark.parametrize("name", ["north", "é", "東京", "שלום", "مرحبا", "👩\u200d🔬", "n\u00a0= 3", "a\\x1b", "$x$"])
def test_names_of_all_languages_stay(name):
    assert visible(name) == name


def test_a_printed_table_holds_no_character_that_acts():
    name = "\x1b[31mred\u202e\n"
    section = Section(f"of {name}rows", ["name", name], [[name, "0.5"]], f"a note on {name}and more")
    text = str(section)
    assert not set(text) & {"\x1b", "\u202e"}
    title, rest, header, rule, row, *notes = text.splitlines()
    shown = "\\x1b[31mred\\u202e"
    assert [title, rest, *notes] == [f"of {shown}", "rows", f"a note on {shown}", "and more"]  # newlines are lines
    shown += "\\n"
    width = len(shown)
    assert header == f"{'name':{width}}  {shown}"
    assert rule == f"{'-' * width}  {'-' * width}"
    assert row == f"{shown}  {'0.5':>{width}}"


RUN = [
    "=1+1",
    "+1+1",
    "-1+1",
    "@SUM(A1)",
    "=cmd|' /C calc'!A0",
    "\t=1",
    "\r=1",
    "\n=1",
    "-a",
    "+",
    "--1",
    "-1 ",
    "\uff1d1",
]
NOT_RUN = ["a=1", "-0.5", "+1e-3", "-1", ".5", "-.5", "1-2", "", " =1", "'=1", "é"]


def test_no_name_is_a_formula_of_a_spreadsheet():
    text = csv_text([{"name": name, "n": 1} for name in (*RUN, *NOT_RUN)])
    read = [row[0] for row in csv.reader(io.StringIO(text, newline=""))]
    assert read == ["name", *(f"'{name}" for name in RUN), *NOT_RUN]


def test_names_of_columns_are_no_formulas_and_numbers_stay_numbers():
    text = csv_text([{"=a": -0.5, "b": None, "+c": -3}, {"=a": 1e-300, "b": float("-inf"), "+c": True}])
    assert text == "'=a,b,'+c\n-0.5,,-3\n1e-300,-inf,True"


def test_what_is_no_number_is_printed_beside_one():
    assert same_decimals([float("nan"), 0.5]) == ["nan", "0.500"]
    assert count(1234567.5) == "1,234,568"


def test_rounding_is_no_difference_but_a_p_value_may_be_as_small():
    noise = 0.1 + 0.2 - 0.3
    assert (signed(-noise), same_decimals([noise, 0.5])) == ("0", ["0", "0.500"])
    assert short(1e-20, 2) == "1.0e-20"


def test_errors_that_are_rounding_are_printed_as_zero():
    with pytest.warns(fot.CalibrationWarning, match="decisions"):
        error = fot.calibration_error([0, 1] * 20, [0.0, 1.0] * 20, family="spline")
    assert 0 < error.value < 1e-14
    assert str(error).startswith("calibration error: 0.000, the plug-in\n")
    assert "e-" not in str(error)
