"""An evaluation as it is printed: the verdict first, in about seven lines that say one thing."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.numerics.links import logit, sigmoid
from tests.multiclass import draw

pytestmark = [
    pytest.mark.multiplies,
    pytest.mark.filterwarnings("ignore::fitontest.CalibrationWarning"),  # of a single bin
]


def drawn(truth, n=2000, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < truth(p)).astype(int), p


def overconfident(p):
    return sigmoid(0.5 * logit(p, 1e-9))


LAST = "More: .table(), .explain(), .plot()"


@pytest.mark.exhaustive
def test_an_overconfident_model_word_for_word():
    printed = str(fot.evaluate(*drawn(overconfident)))
    assert printed.splitlines() == [
        "Overconfident. n = 2,000, 51 % events.",
        "Calibration error  0.103  (95 % CI 0.086 to 0.121)",
        "O:E of non-events  0.97   (0.93 to 1.02)",
        "Slope              0.48   (0.42 to 0.54)   below 1: too extreme",
        LAST,
    ]


def test_a_calibrated_model_word_for_word():
    printed = str(fot.evaluate(*drawn(lambda p: p)))
    assert printed.splitlines() == [
        "No miscalibration shown. n = 2,000, 50 % events.",
        "Calibration error  0.000 to 0.013 (95 % CI)",
        "O:E of non-events  0.99  (0.96 to 1.03)",
        "Slope              1.03  (0.94 to 1.13)",
        "Errors up to 0.013 cannot be ruled out.",
        LAST,
    ]


def test_the_level_of_rare_events_stands_in_the_first_line_and_the_error_comes_last():
    rng = np.random.default_rng(0)
    p = rng.beta(1, 60, 40_000)
    printed = str(fot.evaluate(rng.random(40_000) < 1.5 * p, p, families=["spline"])).splitlines()
    first = "Scores too low: 46 % more events than predicted (O:E 1.46, 95 % CI 1.37 to 1.55)."
    assert printed[0] == f"{first} n = 40,000, 953 events (2.4 %)."
    assert [line.split()[0] for line in printed[1:]] == ["Slope", "Calibration", "More:"]


def test_confidences_begin_with_what_was_right():
    P, y = draw(400)
    evaluation = fot.evaluate(y, P, reduction="confidence")
    sample = evaluation.sample
    rows = f"n = {sample.n}, right in {100 * sample.base_rate:.0f} %, stated {100 * sample.mean_score:.0f} %."
    assert str(evaluation).startswith(f"{evaluation.verdict.opening}. {rows}")
    assert "events" not in str(evaluation)


@pytest.mark.parametrize("truth", [overconfident, lambda p: p, lambda p: 0.7 * p], ids=["over", "calibrated", "high"])
@pytest.mark.parametrize("n", [20, 300, 2000])
def test_it_is_short_and_says_what_the_verdict_says(truth, n):
    evaluation = fot.evaluate(*drawn(truth, n))
    printed, verdict = str(evaluation).splitlines(), evaluation.verdict
    assert " ".join(printed).startswith(f"{verdict.opening}. n = {n:,}, ")
    assert printed[-1] == LAST
    assert len(printed) <= 8
    assert max(map(len, printed)) <= 118
    quoted = verdict.estimate.in_words
    assert quoted in " ".join(" ".join(printed).split())
    assert f"calibration error {quoted}." in str(verdict)


def test_it_explains_its_words_and_numbers():
    evaluation = fot.evaluate(*drawn(overconfident, 300))
    text = " ".join(str(evaluation.explain()).split())
    verdict, spline = evaluation.verdict, evaluation["spline"]
    assert text.startswith(f"{verdict.opening}. Calibration is rejected (p <= 0.005): of 200 sets of labels ")
    assert f"Its float() is {spline.value:.3f}, the plug-in" in text
    assert f"of calibrated scores that would be {spline.null.mean:.3f} on average." in text
    assert "below 1 the scores are too extreme (overconfident)" in text
    assert "It does not hold here: the interval of O:E is not within the tolerance; " in text
    assert evaluation.explain().to_dict() == evaluation.to_dict()
    close = fot.evaluate(*drawn(lambda p: p, 20_000), families=["spline"])
    assert "All of it holds here." in " ".join(str(close.explain()).split())
    without = fot.evaluate(*drawn(overconfident, 300), measures=["ece"], interval=None)
    assert str(without.explain()).startswith("n = 300, share of positives")


def test_the_records_are_those_of_the_table_at_length():
    evaluation = fot.evaluate(*drawn(overconfident, 300), families=["spline", "platt"])
    assert evaluation.table().rows() == evaluation.rows()
    assert evaluation.table().to_dict() == evaluation.to_dict()
    assert evaluation.table().to_frame()["family"].tolist() == ["spline", "platt"]
    assert "P-value of each statistic by itself: " in str(evaluation.table())


def test_html_has_the_same_lines():
    evaluation = fot.evaluate(*drawn(overconfident, 300))
    html = evaluation._repr_html_()
    assert html.startswith(f"<p>{evaluation.verdict.headline}")
    assert html.count("<tr>") == 3
    assert html.count("<th>") == 0
    assert "<thead>" in evaluation.table()._repr_html_()


def test_families_have_a_line_where_the_one_that_is_quoted_is_none_of_them():
    y, p = drawn(overconfident, 300)
    evaluation = fot.evaluate(y, p, families=["platt", "beta"])
    assert "Calibration error (spline, l1)  0." in str(evaluation)
    assert f"\nBy family, l1: platt {evaluation['platt'].in_words}; beta {evaluation['beta'].in_words}.\n" in str(
        evaluation
    )
    squared = str(fot.evaluate(y, p, norm="l2"))
    assert "Calibration error (spline, l1)  0." in squared
    assert "\nBy family, l2: spline " in squared
    assert "By family" not in str(fot.evaluate(y, p))


def test_other_measures_stand_in_a_line():
    y, p = drawn(overconfident, 300)
    evaluation = fot.evaluate(y, p, families=["spline", "identity"], measures=["ece", "tce"], null_draws=40)
    assert f"Other measures: ece {float(evaluation['ece']):.3f} (if calibrated 0." in str(evaluation)
    assert "; tce " in str(evaluation)
    assert "identity" not in str(evaluation)


@pytest.mark.exhaustive
def test_what_makes_the_numbers_worth_less_is_said():
    y, p = drawn(overconfident, 600)
    certain = np.where(p > 0.8, 1.0, p)
    evaluation = fot.evaluate(y, certain, families=["spline"])
    share = np.mean(p > 0.8)
    assert f"scores of 1 are 0.25 too high ({100 * share:.0f} % of the rows)" in " ".join(str(evaluation).split())
    assert "Scores of exactly 0 and 1 are left out." in " ".join(str(evaluation.explain()).split())
    weights = np.random.default_rng(0).random(600)
    weighted = str(fot.evaluate(y, p, sample_weight=weights))
    assert "\nweights are importances: 600 rows tell as much as " in weighted
    few = str(fot.evaluate(y[:12], p[:12], families=["spline"]))
    assert "Slope              none: a class has fewer than 10 rows of a score between 0 and 1" in few
    other_level = str(fot.evaluate(y, p, families=["spline"], interval="always", level=0.9))
    assert "(90 % CI 0." in other_level
    assert "(95 % CI 0." in other_level


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
    assert str(grouped).startswith("No miscalibration shown")


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
    explained = " ".join(str(evaluation.explain()).split())
    assert "nly 5 groups have two rows or more: rho is hardly known, and hardly matters." in explained


@pytest.mark.exhaustive
def test_a_rough_map_is_told_of_in_one_voice():
    rng = np.random.default_rng(1)
    p = rng.random(5000)
    truth = p + 0.1 * np.sin(40 * np.pi * p) * np.clip(np.minimum(p, 1 - p) / 0.1, 0, 1)
    evaluation = fot.evaluate(rng.random(5000) < truth, p)
    printed = str(evaluation)
    assert "   a spline does not fit\n" in printed
    explained = " ".join(str(evaluation.explain()).split())
    assert " A spline does not fit (p = " in explained
    assert " The families disagree: " in explained
    assert " by more than noise; the true map is rough." in explained


def test_without_intervals_the_table_alone_is_printed():
    evaluation = fot.evaluate(*drawn(lambda p: p, 300), interval=None)
    assert str(evaluation) == str(evaluation.table())


def test_segments_and_models_explain_their_words():
    y, p = drawn(lambda p: p**1.5, 1500)
    by = fot.evaluate(y, p, by=np.arange(1500) % 2, families=["platt"])
    text = " ".join(str(by.explain()).split())
    assert text.startswith(by.opening)
    assert "Holm p: adjusted for 2 segments" in text
    assert f"Of all rows together: {by.total.verdict.opening}." in text
    models = fot.evaluate(y, {"a": p, "b": p**2}, families=["platt"])
    text = " ".join(str(models.explain()).split())
    assert f"b: {models['b'].verdict.opening}." in text
    assert f"by the numbers of a: {models['a'].verdict.opening}." in text
    assert len(str(models).splitlines()) <= 8
