"""`validate`: one call, the statistics of a report, and a sentence that agrees with the verdict."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

import fitontest as fot
from fitontest.measures.plug_in import PlugIn
from fitontest.risk.validation.wording import decision_sentences, values_outside
from tests.strategies import noisy

THRESHOLDS = (0.1, 0.3)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    x = rng.normal(-1, 1.3, 400)
    return (rng.random(400) < expit(0.6 * x + 0.3)).astype(int), expit(x)


@pytest.fixture(scope="module")
def validation(rows):
    return fot.risk.validate(*rows, thresholds=THRESHOLDS)


@pytest.mark.exhaustive
def test_the_statistics_are_those_of_the_measures(rows, validation):
    y, p = rows
    for name in ("observed_expected", "calibration_slope", "spiegelhalter", "brier", "scaled_brier", "auc"):
        alone = fot.measure(y, p, name, interval="always")
        assert validation[name] == alone
        assert validation[name].interval == alone.interval
    for name, norm in (("ici", "l1"), ("e50", "q50"), ("e90", "q90"), ("emax", "max")):
        alone = fot.calibration_error(y, p, norm=norm, interval="always")
        assert (validation[name], validation[name].debiased) == (alone, alone.debiased)
        assert validation[name].interval == alone.interval
    for t in THRESHOLDS:
        assert validation[f"net_benefit({t})"] == fot.measure(y, p, "net_benefit", threshold=t)
        alone = fot.measure(y, p, "decision_loss", threshold=t, interval="always")
        assert validation[f"decision_loss({t})"] == alone
        assert validation[f"decision_loss({t})"].interval == alone.interval


@pytest.mark.exhaustive
def test_the_verdict_is_that_of_evaluate(rows, validation):
    assert str(validation.verdict) == str(fot.evaluate(*rows, families=["spline"]).verdict)
    loess = fot.risk.validate(*rows, family="loess")
    assert loess.verdict.estimate == validation.verdict.estimate
    assert loess["ici"] == fot.calibration_error(*rows, family="loess")


@pytest.mark.exhaustive
def test_a_seed_is_that_of_the_families(rows):
    seeded = fot.risk.validate(*rows, random_state=5)
    assert str(seeded["ici"].measure) == str(PlugIn("spline").seeded(5))
    assert seeded.verdict.estimate is seeded["ici"]


def test_it_prints_the_verdict_and_four_numbers_in_eight_lines(rows, validation):
    lines, events = str(validation).splitlines(), int(rows[0].sum())
    assert lines[0] == f"{validation.verdict.opening}. n = 400, {events} events ({events / 4:.0f} %)."
    assert [line.split()[0] for line in lines[1:5]] == ["O:E", "Slope", "ICI", "AUC"]
    assert " uncorrected " in lines[3]
    assert "At a threshold of 0.3 recalibration would gain" in lines[-2]
    assert len(lines) <= 8
    assert all(len(line) <= 118 for line in lines)


def test_the_table_has_the_rest_and_pages_have_the_table(validation):
    table = str(validation.table())
    assert [line for line in table.splitlines() if line.startswith("Emax ")]
    assert "net benefits per 1,000 rows" in table
    assert "Emax" not in validation._repr_html_()
    assert "Emax" in validation.to_html()
    assert validation.table().rows() == validation.rows()


def test_the_explanation_has_the_words_of_this_result(validation):
    text = " ".join(str(validation.explain()).split())
    assert validation.verdict.sizes.ratio.quoted in text
    assert "from a spline fitted to these rows" in text
    assert "Net benefit at a threshold t" in text


def test_the_verdict_knows_size_in_the_words_of_evaluate():
    rng = np.random.default_rng(4)
    p = rng.beta(1, 3, 30_000)
    y = rng.random(p.size) < expit(logit(p) + 0.08)
    strict = fot.risk.validate(y, p, tolerance=0.02)
    assert strict.opening.startswith("Scores too low: ")
    assert strict.opening == fot.evaluate(y, p, tolerance=0.02, families=["spline"]).verdict.opening
    near = replace(strict, tolerance=fot.uncertainty.Tolerance(error=0.05))
    assert near.headline.startswith("Close to calibrated on the whole: ")
    assert near.headline.endswith("within the tolerance of 10 %.")


def test_many_segments_print_the_worst_in_eight_lines(rows):
    y, p = rows
    rng = np.random.default_rng(0)
    site = np.array([f"site {k}" for k in rng.integers(0, 9, y.size)])
    by_site = fot.risk.validate(y, p, by=site, family="platt")
    lines = str(by_site).splitlines()
    assert len(lines) <= 8
    assert lines[1] == "The worst of 9 segments:"
    lows = {key: one["ici"].interval.low for key, one in by_site.items()}
    assert lows[lines[4][:6]] == max(lows.values())
    assert all(name in str(by_site.table()) for name in by_site)


def test_records_go_into_frames_json_and_html(validation):
    frame = validation.to_frame()
    names = list(validation.statistics)
    assert frame["statistic"].tolist() == [*names, "risk_at(0.1)", "risk_at(0.3)"]
    assert frame["value"].tolist()[: len(names)] == [float(one) for one in validation.statistics.values()]
    risks = frame.set_index("statistic").loc["risk_at(0.3)"]
    assert risks["value"] == pytest.approx(validation["ici"].map(0.3))
    assert risks["low"] < risks["value"] < risks["high"]
    assert json.loads(validation.to_json())["statistics"][0]["ideal"] == 1.0
    assert "<table" in validation._repr_html_()


def test_a_cost_is_a_threshold(rows):
    by_cost = fot.risk.validate(*rows, cost=0.25)
    assert by_cost.thresholds == (0.2,)
    assert by_cost["net_benefit(0.2)"] == fot.measure(*rows, "net_benefit", threshold=0.2)


def test_calibrated_risks_are_not_called_wrong():
    rng = np.random.default_rng(1)
    p = rng.beta(1, 3, 1500)
    validation = fot.risk.validate(rng.random(1500) < p, p, thresholds=0.25)
    assert validation.headline.startswith("No miscalibration shown. ")
    assert "at a threshold of 0.25, no gain of recalibration is shown: at most" in validation.headline.lower()


def test_several_models_have_a_line_each(rows):
    y, p = rows
    models = fot.risk.validate(y, {"old": p, "new": expit(0.6 * np.log(p / (1 - p)) + 0.3)}, thresholds=0.2)
    assert [*models] == ["old", "new"]
    assert models["old"]["auc"] == models["new"]["auc"]
    alone = fot.risk.validate(y, p, thresholds=0.2)
    assert {name: float(one) for name, one in models["old"].statistics.items()} == {
        name: float(one) for name, one in alone.statistics.items()
    }
    assert list(models.to_frame()["model"].unique()) == ["old", "new"]
    assert "compare_errors" in str(models)


@pytest.mark.exhaustive
def test_segments_are_validated_alone(rows):
    y, p = rows
    site = np.where(np.arange(400) % 3 == 0, "north", "south")
    by_site = fot.risk.validate(y, p, by=site)
    assert [*by_site] == ["north", "south"]
    assert by_site["north"]["observed_expected"] == fot.measure(y[::3], p[::3], "observed_expected")
    assert by_site.total["brier"] == fot.measure(y, p, "brier")
    frame = pd.DataFrame({"y": y, "p": p, "site": site})
    assert fot.risk.validate(frame, label="y", prob="p", by="site")["north"]["auc"] == by_site["north"]["auc"]


def test_a_statistic_without_a_value_has_a_reason():
    y, p = [0] * 20 + [1] * 20, np.r_[np.full(20, 0.2), np.full(20, 0.7)]
    validation = fot.risk.validate(y, p)
    assert "calibration_slope" in validation.reasons
    assert validation.reasons["calibration_slope"] in " ".join(str(validation).split())
    with pytest.raises(KeyError, match="has no value"):
        validation["calibration_slope"]
    missing = validation.to_frame().set_index("statistic").loc["calibration_slope"]
    assert np.isnan(missing["value"])
    assert missing["note"] == validation.reasons["calibration_slope"]


def test_few_groups_are_refused_in_the_sentence(rows):
    y, p = rows
    validation = fot.risk.validate(y, p, groups=np.arange(400) % 6)
    assert "fewer than 10 groups" in validation.headline
    assert validation["observed_expected"].interval is None


def test_counts_are_repeated_rows(rows):
    y, p = rows
    with pytest.warns(fot.CalibrationWarning, match="look like copies"):
        twice = fot.risk.validate(np.repeat(y, 2), np.repeat(p, 2), thresholds=0.2, family="loess")
    counted = fot.risk.validate(y, p, sample_weight=np.full(400, 2), thresholds=0.2, family="loess")
    for name, one in twice.statistics.items():
        assert float(one) == pytest.approx(float(counted[name]), rel=1e-9, abs=1e-12), name


@pytest.mark.exhaustive
def test_an_estimator_is_corrected_for_optimism():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 8))
    y = rng.random(80) < expit(X[:, 0])
    validation = fot.risk.validate(y, X=X, estimator=LogisticRegression(C=np.inf), optimism=20)
    record = validation.to_frame().set_index("statistic").loc["calibration_slope"]
    assert record["value"] == pytest.approx(1.0, abs=1e-3)
    assert record["corrected"] < 0.95
    assert "Corrected for optimism: calibration slope 0." in str(validation)
    assert "without optimism" in str(validation.table())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"thresholds": [0.2, 1.0]}, "thresholds"),
        ({"thresholds": [-0.1]}, "thresholds"),
        ({"thresholds": []}, "thresholds"),
        ({"cost": 0.0}, "cost"),
        ({"cost": 1.0, "thresholds": 0.5}, "cost must be left out"),
        ({"family": "no family"}, "family"),
        ({"level": 95}, "level must be a number"),
        ({"optimism": 20}, "optimism must be left out without an estimator"),
        ({"X": [[1.0]]}, "X must be left out without an estimator"),
    ],
)
def test_bad_input_is_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        fot.risk.validate(*noisy(50), **arguments)


def test_whole_distributions_are_refused():
    with pytest.raises(ValueError, match="reduction must be 'confidence', 'binary' or 'classwise'"):
        fot.risk.validate([0, 1, 2], np.eye(3), reduction="canonical")


def test_classes_are_validated_each_against_the_rest():
    rng = np.random.default_rng(2)
    P = rng.dirichlet([1.0, 1.0, 1.0], 200)
    k = (P.cumsum(axis=1) < rng.random((200, 1))).sum(axis=1)
    classes = fot.risk.validate(k, P, reduction="classwise", family="platt")
    assert [*classes] == [0, 1, 2]
    assert classes[2]["observed_expected"] == fot.measure(k == 2, P[:, 2], "observed_expected")
    with pytest.raises(AttributeError, match="each validation has its own"):
        _ = classes.curve


def test_models_of_unequal_length_are_refused(rows):
    y, p = rows
    with pytest.raises(ValueError, match="new"):
        fot.risk.validate(y, {"old": p, "new": p[1:]})


@pytest.mark.exhaustive
def test_a_truth_rougher_than_a_spline_is_told_with_what_follows():
    rng = np.random.default_rng(0)
    p = rng.random(3000)
    c = np.clip(p + 0.12 * np.sign(np.sin(40 * np.pi * p)), 0.01, 0.99)
    validation = fot.risk.validate(rng.random(3000) < c, p, thresholds=0.3)
    text = " ".join(str(validation.table()).split())
    assert "A spline does not fit (p = " in text
    assert "No interval of E50, E90, Emax: " in text
    assert "which cannot follow such errors: it may be more." in text


def with_ends(estimate, low, high):
    return estimate.with_uncertainty(interval=replace(estimate.interval, low=low, high=high))


def test_the_sentence_quotes_no_loss_that_its_interval_leaves_out(validation):
    (threshold, *_), loss = THRESHOLDS, validation["decision_loss(0.1)"]
    low, high = loss.value + 0.02, loss.value + 0.04
    outside = with_ends(loss.with_uncertainty(debiased=loss.value + 0.03), low, high)
    ends = f"{1000 * low:.0f} to {1000 * high:.0f}"
    (words,) = decision_sentences((threshold,), {"decision_loss(0.1)": outside})
    gain = f"{1000 * outside.debiased:.0f} net true positives per 1,000"
    assert words.endswith(f"would gain {gain} (95 % CI {ends}).")
    assert values_outside((threshold,), {"decision_loss(0.1)": outside})[0].startswith("At 0.1 the loss")
    neither = outside.with_uncertainty(debiased=loss.value)
    (words,) = decision_sentences((threshold,), {"decision_loss(0.1)": neither})
    assert words.endswith(f"would gain {ends} net true positives per 1,000 (95 % CI).")
    inside = with_ends(loss, loss.value / 2, high)
    assert not values_outside((threshold,), {"decision_loss(0.1)": inside})


@pytest.mark.exhaustive
def test_several_models_say_why_their_intervals_may_mislead(rows):
    y, p = rows
    copies = np.arange(400) % 3 + 1  # labels of copies agree
    lines = " ".join(str(fot.risk.validate(y, {"a": p, "b": p**1.1}, sample_weight=copies)).split())
    alone = " ".join(str(fot.risk.validate(y, p, sample_weight=copies)).split())
    note = "Weights are taken for counts: 400 rows stand for 799"
    assert note in alone
    assert lines.count(note) == 1


def test_a_gain_without_an_interval_has_its_unit(rows):
    y, p = rows
    few = fot.risk.validate(y, p, thresholds=0.3, groups=np.arange(400) % 4)
    assert few["decision_loss(0.3)"].interval is None
    assert "net true positives per 1,000 by these very rows" in few.headline


def test_the_p_value_of_the_intercept_says_what_it_is_of(validation):
    notes = {record["statistic"]: record["note"] for record in validation.rows()}
    assert "intercept 0 and slope 1" in notes["calibration_intercept"]
    assert notes["calibration_slope"] is None


@pytest.mark.exhaustive
def test_several_models_say_what_a_loss_is_and_how_to_compare_net_benefits(rows):
    y, p = rows
    text = str(fot.risk.validate(y, {"a": p, "b": p**1.1}, thresholds=0.3).table())
    assert "loss: the net benefit lost by miscalibration" in " ".join(text.split())
    assert "fot.risk.decision_curve(y_true, models).difference(a, b)" in text
    alone = str(fot.risk.validate(y, {"a": p, "b": p**1.1}).table())
    assert "loss:" not in alone


@pytest.mark.exhaustive
def test_segments_name_columns_without_a_value_as_the_table_does(rows):
    y, p = rows
    segment = np.where(np.arange(400) < 15, "few", "many")
    text = str(fot.risk.validate(y, p, by=segment).table())
    assert "few: slope: " in text
    assert "calibration_slope" not in text


def test_errors_that_are_quoted_out_of_order_are_explained(validation):
    debiased = {"e50": 0.03, "e90": 0.09, "emax": 0.08}
    changed = {name: validation[name].with_uncertainty(debiased=value) for name, value in debiased.items()}
    text = "corrected for chance each by itself"
    assert text in str(replace(validation, statistics={**validation.statistics, **changed}).table())
    in_order = validation["emax"].with_uncertainty(debiased=0.1)
    statistics = {**validation.statistics, **changed, "emax": in_order}
    assert text not in str(replace(validation, statistics=statistics).table())
