"""An evaluation as it is printed: the verdict first, in about seven lines that say one thing."""

import re

import numpy as np
import pytest

import fitontest as fot
from fitontest.measures.interval import INDEPENDENT
from fitontest.numerics.links import logit, sigmoid
from tests.multiclass import draw

pytestmark = [
    pytest.mark.multiplies,
    pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning"),  # of a single bin
]
LAST = f"{INDEPENDENT}. Words: docs/which_number.md; all columns: print(evaluation.table()), or --verbose."
FAMILIES = ["spline", "slope1", "isotonic", "beta"]


def drawn(truth, n=2000, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < truth(p)).astype(int), p


def overconfident(p):
    return sigmoid(0.5 * logit(p, 1e-9))


def rows_of(text):
    """Return the lines of the families, by name."""
    lines = [line.split() for line in text.splitlines()]
    return {cells[0]: cells for cells in lines if cells and cells[0] in FAMILIES}


@pytest.mark.exhaustive
def test_an_overconfident_model_word_for_word():
    printed = str(fot.evaluate(*drawn(overconfident)))
    assert printed.splitlines() == [
        "Overconfident: calibration is rejected (p <= 0.005); n = 2,000, share of positives 0.512.",
        "Calibration error: debiased 0.103 (raw 0.104), 95 % interval 0.0863 to 0.121; if calibrated: 0.0123 (raw).",
        "Slope 0.483 (0.422 to 0.545; 1 is ideal, below 1: predictions too extreme).",
        "Mean residual 0.0131 (-0.00788 to 0.0341; 0 is ideal).",
        "The families agree: each debiased value lies in the interval above.",
        "spline    0.103  0.0863 to 0.121",
        "slope1    0.108  0.0878 to 0.127",
        "isotonic  0.105  0.0883 to 0.124",
        "beta      0.101  0.0842 to 0.118",
        LAST,
    ]


def test_a_calibrated_model_word_for_word():
    printed = str(fot.evaluate(*drawn(lambda p: p)))
    assert printed.splitlines() == [
        "No miscalibration shown: calibration is not rejected (p = 0.86); n = 2,000, share of positives 0.504.",
        "Calibration error: debiased 0 (raw 0.00762), 95 % interval 0 to 0.0125; if calibrated: 0.0123 (raw).",
        "Slope 1.03 (0.939 to 1.13; 1 is ideal); mean residual 0.00509 (-0.0126 to 0.0228; 0 is ideal).",
        "The families agree: each debiased value lies in the interval above.",
        "spline    0  0 to 0.0125",
        "slope1    0  0 to 0.0194",
        "isotonic  0  0 to 0.0189",
        "beta      0  0 to 0.0153",
        "slope1: 1 bin: the error is the difference of the means",
        (
            "Errors up to 0.0125 cannot be ruled out (of any shape that persists over 1.6 % of the rows, "
            "up to 0.0413); with 8,000"
        ),
        "rows about 0.00627 could.",
        LAST,
    ]


def test_confidences_begin_with_the_accuracy():
    P, y = draw(400)
    evaluation = fot.evaluate(y, P, reduction="confidence")
    sample = evaluation.sample
    first = f"Accuracy {sample.base_rate:.3f}, mean confidence {sample.mean_score:.3f}. {evaluation.verdict.headline}: "
    assert str(evaluation).startswith(first)
    assert "share of positives" not in str(evaluation)
    assert str(evaluation).count(f"n = {sample.n:,}") == 1


@pytest.mark.parametrize("truth", [overconfident, lambda p: p, lambda p: 0.7 * p], ids=["over", "calibrated", "high"])
@pytest.mark.parametrize("n", [20, 300, 2000])
def test_it_is_short_and_quotes_the_digits_of_the_table(truth, n):
    evaluation = fot.evaluate(*drawn(truth, n))
    printed, table = str(evaluation), str(evaluation.table())
    verdict = evaluation.verdict
    assert printed.splitlines()[0].startswith(f"{verdict.headline}: {verdict.decision}")
    assert printed.splitlines()[-1] == LAST
    of_rows = len(evaluation.notes) + (0 if verdict.shown else 2) + (verdict.interval.roughness is not None) * 2
    assert len(printed.splitlines()) <= 10 + of_rows + ("widened to hold that" in printed)
    assert max(map(len, printed.splitlines())) <= 118
    in_table = rows_of(table)
    for name, cells in rows_of(printed).items():
        assert cells[1:5] == in_table[name][1:5]
    debiased, low, high = (rows_of(printed)["spline"][k] for k in (1, 2, 4))
    assert f"debiased {debiased} (raw {in_table['spline'][5]}), 95 % interval {low} to {high}" in printed
    assert f"debiased {debiased} (raw {in_table['spline'][5]}), 95 % interval {low} to {high}" in str(verdict)
    assert f"if calibrated: {in_table['spline'][7]} (raw)" in printed


def test_the_records_are_those_of_the_table_at_length():
    evaluation = fot.evaluate(*drawn(overconfident, 300), families=["spline", "platt"])
    assert evaluation.table().rows() == evaluation.rows()
    assert evaluation.table().to_dict() == evaluation.to_dict()
    assert evaluation.table().to_frame()["family"].tolist() == ["spline", "platt"]
    assert "P-value of each statistic by itself: " in str(evaluation.table())


def test_html_has_the_same_lines():
    evaluation = fot.evaluate(*drawn(overconfident, 300))
    html = evaluation._repr_html_()
    assert html.startswith(f"<p>{evaluation.verdict.headline}: ")
    assert html.count("<tr>") == 4
    assert html.count("<th>") == 0
    assert "<thead>" in evaluation.table()._repr_html_()


def test_one_family_has_no_line_of_its_own_if_it_is_the_one_that_is_quoted():
    y, p = drawn(overconfident, 300)
    assert "agree" not in str(fot.evaluate(y, p, families=["spline"]))
    other = str(fot.evaluate(y, p, families=["platt"]))
    assert "Calibration error (spline, l1): debiased " in other
    assert re.search(r"^platt  0\.\d+  0\.\d+ to 0\.\d+$", other, re.MULTILINE)


def test_families_under_another_norm_are_not_compared_with_what_is_quoted():
    printed = str(fot.evaluate(*drawn(overconfident, 300), norm="l2"))
    assert "agree" not in printed
    assert "By family (l2):" in printed
    assert "Calibration error (spline, l1): debiased " in printed


def test_other_measures_stand_in_a_line():
    y, p = drawn(overconfident, 300)
    evaluation = fot.evaluate(y, p, families=["spline", "identity"], measures=["ece", "tce"], null_draws=40)
    null = evaluation["ece"].null
    assert f"Other measures: ece {float(evaluation['ece']):.3f} (if calibrated {null.mean:#.3g}; p = " in str(
        evaluation
    )
    assert re.search(r"^identity +raw 0$", str(evaluation), re.MULTILINE)
    assert "identity: no interval, for " in str(evaluation)


@pytest.mark.exhaustive
def test_what_makes_the_numbers_worth_less_is_said():
    y, p = drawn(overconfident, 600)
    certain = np.where(p > 0.8, 1.0, p)
    printed = str(fot.evaluate(y, certain, families=["spline"]))
    wrong = 1 - y[p > 0.8].mean()
    share = np.mean(p > 0.8)
    assert (
        f"{100 * share:.0f} % of the scores are exactly 1, and {100 * wrong:.0f} % of those rows are negative: of "
        "calibrated scores none would be." in printed
    )
    assert "; scores of 0 and 1 left out)" in printed
    weights = np.random.default_rng(0).random(600)
    assert "\nweights are importances: 600 rows tell as much as " in str(fot.evaluate(y, p, sample_weight=weights))
    few = str(fot.evaluate(y[:12], p[:12], families=["spline"]))
    assert "No slope, since a class has fewer than 10 rows of a score between 0 and 1" in few
    other_level = str(fot.evaluate(y, p, families=["spline"], interval="always", level=0.9))
    assert "90 % interval" in other_level
    assert ", both at 95 %." in other_level


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("rows", "first"),
    [
        (lambda y, p, k: {"sample_weight": k}, "Weights are taken for counts: 500 rows stand for "),
        (lambda y, p, k: {"copies": k}, " rows look like copies: "),
    ],
    ids=["importances as counts", "copies"],
)
def test_rows_that_are_no_independent_ones_are_told_before_the_verdict(rows, first):
    y, p = drawn(lambda p: p, 500)
    given = rows(y, p, np.random.default_rng(1).integers(1, 5, 500))
    copies = given.pop("copies", np.ones(500, dtype=int))
    evaluation = fot.evaluate(np.repeat(y, copies), np.repeat(p, copies), families=["isotonic"], **given)
    assert evaluation.verdict.shown  # of calibrated rows: the reader must know before
    for printed in (str(evaluation), str(evaluation.table())):
        assert first in printed.splitlines()[0]
        one_line = " ".join(printed.split())
        assert one_line.lower().count(first.lower().strip()) == 1
    grouped = fot.evaluate(
        np.repeat(y, copies), np.repeat(p, copies), groups=np.repeat(np.arange(500), copies), **given
    )
    assert str(grouped).startswith("No miscalibration shown: ")


@pytest.mark.parametrize(
    ("group", "named"),
    [
        (lambda row: row, True),
        (lambda row: np.where(row < 150, row, np.arange(row.size) + row.size), False),
        (lambda row: row // 2, False),
        (lambda row: np.arange(row.size), False),
    ],
    ids=["copies of a row", "copies of half of the rows", "patients of two rows with copies", "each row"],
)
def test_copies_are_told_of_unless_groups_are_copies_of_one_row(group, named):
    """Redrawn labels of a patient's rows do not agree as those of copies do."""
    y, p = drawn(lambda p: p, 300)
    row = np.repeat(np.arange(300), 2)
    evaluation = fot.evaluate(y[row], p[row], families=["spline"], groups=group(row), null_draws=99)
    assert evaluation.verdict.shown is not named
    assert str(evaluation).startswith("300 of 600 rows look like copies: ") is not named
    assert "name what belongs together" not in str(evaluation)


def test_hardly_any_groups_of_several_rows_leave_no_verdict():
    y, p = drawn(lambda p: p, 300)
    row = np.repeat(np.arange(300), np.where(np.arange(300) < 8, 30, 1))
    evaluation = fot.evaluate(y[row], p[row], families=["platt"], groups=row, null_draws=99)
    (error,) = evaluation
    assert (error.interval, error.null, evaluation.verdict) == (None, None, None)
    for printed in (str(evaluation), str(evaluation.table())):
        assert printed.startswith(
            "Dependence cannot be learnt from fewer than 10 groups (got 8 of several rows): no interval, no p-value.\n"
        )
    pairs = np.repeat(np.arange(300), np.where(np.arange(300) < 5, 2, 1))  # which hardly matter
    evaluation = fot.evaluate(y[pairs], p[pairs], families=["platt"], groups=pairs, null_draws=99)
    assert evaluation.verdict is not None
    assert "nly 5 groups have two rows or more: rho is hardly known, and hardly matters." in str(evaluation)


@pytest.mark.exhaustive
def test_a_rough_map_is_told_of_in_one_voice():
    rng = np.random.default_rng(1)
    p = rng.random(5000)
    truth = p + 0.1 * np.sin(40 * np.pi * p) * np.clip(np.minimum(p, 1 - p) / 0.1, 0, 1)
    evaluation = fot.evaluate(rng.random(5000) < truth, p)
    printed = str(evaluation)
    assert "\nA spline does not fit (p = " in printed
    assert "\nThe families disagree: " in printed
    assert " by more than noise; the true map is rough." in " ".join(printed.split())
    assert "The families agree" not in printed


def test_without_intervals_the_table_alone_is_printed():
    evaluation = fot.evaluate(*drawn(lambda p: p, 300), interval=None)
    assert str(evaluation) == str(evaluation.table())
    assert INDEPENDENT not in str(evaluation)
