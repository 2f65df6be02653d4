"""How numbers are quoted: decimals by statistic, and prints of several numbers in a column."""

import pytest

from fitontest.results.number_lines import NumberLine, number_lines
from fitontest.results.quoting import in_decimals, quote


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        ((0.0704, 0.0617, 0.0791), "error", ["0.070", "0.062", "0.079"]),
        ((0.00094, 0.00051, 0.00142), "error", ["0.0009", "0.0005", "0.0014"]),  # the upper limit has two digits
        ((0.0, 0.00996), "error", ["0.000", "0.010"]),
        ((0.0, 0.00994), "error", ["0.0000", "0.0099"]),
        ((0.0, 0.0000142), "error", ["0.000000", "0.000014"]),
        ((0.6462, 0.6, 0.692), "score", ["0.646", "0.600", "0.692"]),
        ((1.316, 1.264, 1.368), "ratio", ["1.32", "1.26", "1.37"]),
        ((0.0021, 0.0, 0.0034), "ratio", ["0.0021", "0.0000", "0.0034"]),
        ((-0.432, float("inf")), "slope", ["-0.43", "inf"]),
        ((1e-17, 0.5), "error", ["0.000", "0.500"]),
        ((0.0,), "error", ["0.000"]),
    ],
)
def test_decimals_are_those_of_the_statistic(values, kind, texts):
    assert in_decimals(values, kind) == texts


def test_an_error_whose_interval_begins_at_0_is_quoted_by_its_interval():
    assert quote(0.0062, 0.0, 0.0271) == "0.000 to 0.027 (95 % CI)"
    assert quote(0.0704, 0.0617, 0.0791, 0.9) == "0.070 (90 % CI 0.062 to 0.079)"
    assert quote(0.4, 0.0, 0.9, kind="ratio") == "0.40 (95 % CI 0.00 to 0.90)"


def test_values_and_intervals_stand_below_each_other():
    lines = [
        NumberLine("Calibration error", 0.07, (0.062, 0.079), 0.9, beside="widened"),
        NumberLine("O:E", 1.316, (1.26, 1.37), kind="ratio", remark="32 % more"),
        NumberLine("Slope", 0.43, (0.4, 0.46), kind="slope", remark="below 1"),
        NumberLine("Other", None, remark="none: of one value"),
    ]
    assert [cells[1].rstrip() for cells in number_lines(lines)] == [
        "0.070  (90 % CI 0.062 to 0.079, widened)",
        "1.32   (95 % CI 1.26 to 1.37)   32 % more",
        "0.43   (0.40 to 0.46)           below 1",
        "none: of one value",
    ]
