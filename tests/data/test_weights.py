"""What weights are taken for, that it is decided once, and that every result says it."""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.data.counted_sample import sample_of_rows
from fitontest.data.entries import entries_of_rows
from fitontest.data.weights import Weights, read_weights
from fitontest.uncertainty.null import with_null
from tests.quick_families import quick

pytestmark = pytest.mark.multiplies

RNG = np.random.default_rng(0)
N = 300
P = RNG.random(N)
Y = (RNG.random(N) < P).astype(int)
SURVEY = np.ceil(RNG.lognormal(3.0, 1.0, N))  # 30 on average
FEW = RNG.integers(1, 6, N)
EFFECTIVE = float(SURVEY.sum() ** 2 / (SURVEY @ SURVEY))


def read(w, kind="auto"):
    return read_weights(np.asarray(w, dtype=float), "sample_weight", kind)


# --- the decision


@pytest.mark.parametrize(
    ("w", "counts"),
    [
        ([1, 1, 1], True),
        ([0, 2, 5], True),
        ([10, 10, 0], True),  # rows of weight 0 are absent
        ([1, 2, 2.5], False),
        ([0.5, 0.5, 0.5], False),
        ([2.0**60, 1.0, 1.0], False),  # sums are not exact
    ],
)
def test_auto_takes_whole_weights_of_at_most_ten_for_counts(w, counts):
    found = read(w)
    assert (found.counts, found.doubtful) == (counts, False)


def test_larger_whole_weights_are_importances_with_a_warning():
    with pytest.warns(fot.CalibrationWarning, match="whole numbers of 30.* on average are taken for importances"):
        found = read(SURVEY)
    assert (found.counts, found.doubtful) == (False, True)
    with pytest.warns(fot.CalibrationWarning, match="whole numbers of 11 on average"):
        read([11, 11, 0])


def test_what_is_said_is_taken():
    assert read(SURVEY, "counts").counts
    assert not read(SURVEY, "importances").doubtful
    assert not read(FEW, "importances").counts
    assert read([1, 1], "importances").counts  # rows of weight one are rows


@pytest.mark.parametrize(
    ("w", "kind", "message"),
    [
        ([1, 2.5, 3.5], "counts", r"be whole numbers with weights='counts', got 2\.5 at row 2 .*2 such values"),
        ([2.0**53, 2.0**53], "counts", r"must have a sum of at most 2\*\*53 with weights='counts'"),
        ([1, 2], "frequencies", "weights must be one of 'auto', 'counts', 'importances'"),
    ],
)
def test_what_weights_cannot_be_is_refused(w, kind, message):
    with pytest.raises(ValueError, match=message):
        read(w, kind)


def test_weights_must_be_there_to_mean_something():
    for call in (
        lambda: fot.ScoreSample(Y, P, weights="counts"),
        lambda: fot.Cells.of(Y, P, weights="importances"),
        lambda: fot.check_calibration(Y, P, max_error=0.1, weights="counts"),
    ):
        with pytest.raises(ValueError, match="weights must be left out where there are no weights"):
            call()


@pytest.mark.parametrize("scale", [2.0**-1070, 2.0**-600, 2.0**600, 2.0**1000])
def test_the_scale_of_importances_means_nothing(scale):
    w = RNG.integers(0, 9, N) / 8
    plain, scaled = (
        fot.calibration_error(Y, P, sample_weight=each, interval="always", level=0.9) for each in (w, w * scale)
    )
    assert (scaled.debiased, scaled.interval) == (plain.debiased, plain.interval)
    assert scaled.weighting.effective_rows == plain.weighting.effective_rows


# --- nothing above asks again whether weights are whole


@pytest.mark.parametrize("name", fot.families.names("two"))
def test_every_family_takes_whole_importances_for_importances(name):
    y, p, w = Y[:60], np.round(P[:60], 2), Weights(FEW[:60].astype(float), counts=False)  # with ties
    plain, halved = (quick(name).fit(p, y, each) for each in (w, w.w / 2))
    np.testing.assert_allclose(plain.predict(P), halved.predict(P), rtol=0, atol=1e-10)
    entries = [entries_of_rows(fot.ScoreSample(y, p, each)) for each in (w, w.w / 2)]
    labels = RNG.integers(0, 2, (60, 2))
    if name != "stacking":  # one fit says enough of it
        first, second = (quick(name).fit_many(each, labels).at() for each in entries)
        np.testing.assert_allclose(first, second, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", fot.families.names("any"))
def test_every_family_of_several_classes_does_too(name):
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(3), 60)
    y, w = (p.cumsum(axis=1) > rng.random(60)[:, None]).argmax(axis=1), Weights(FEW[:60].astype(float), counts=False)
    plain, halved = (fot.families.make(name).fit(p, y, each) for each in (w, w.w / 2))
    np.testing.assert_allclose(plain.predict_proba(p), halved.predict_proba(p), rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", [name for name in fot.measures.names("two") if name != "tce"])
def test_every_measure_does_too(name):
    measure = fot.measures.make(name)
    w = FEW.astype(float)
    found = []
    for each in (Weights(w, counts=False), w / 2):
        sample = fot.ScoreSample(Y, np.round(P, 2), each)
        try:
            estimate = with_null(measure.estimate(sample), sample, 3, 0)
            found.append((estimate.value, estimate.null.values.tolist() if estimate.null else None))
        except ValueError as error:  # only counts will do
            found.append(str(error))
    assert found[0] == found[1]


# --- it goes with the rows


@pytest.mark.parametrize("kind", ["counts", "importances"])
def test_parts_and_other_scores_keep_the_kind(kind):
    sample = fot.ScoreSample(Y, P, FEW, weights=kind)
    others = [
        sample.take(np.arange(0, N, 2)),
        sample.rescored(sample.rows.p**2),
        sample_of_rows(sample.rows, whole=sample.whole),
        *sample.in_folds(5, 0)[:1],
    ]
    assert {one.whole for one in others} == {sample.whole} == {kind == "counts"}


def test_segments_are_judged_by_the_decision_on_all_rows():
    by = np.where(np.arange(N) < 20, "few", "many")
    w = np.where(by == "few", 40, 2)  # 4.5 on average, 40 in a segment
    found = fot.evaluate(Y, P, families=["isotonic"], by=by, sample_weight=w, interval=None)
    assert {sample.weighting.kind for sample in found.segments.values()} == {"counts"}
    frame = pd.DataFrame({"y": Y, "p": P, "w": w, "by": by})
    cells = fot.Cells.of_frame(frame, label="y", prob="p", weight="w", by="by")
    of_cells = fot.evaluate(cells, families=["isotonic"], interval=None)
    assert {sample.weighting.kind for sample in of_cells.segments.values()} == {"counts"}


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:rows come in runs")  # as repeated rows do
def test_counts_are_the_rows_repeated_and_importances_are_not():
    positive = np.random.default_rng(2).binomial(FEW, P)  # of several rows of one score
    y, p, w = np.repeat([1, 0], N), np.tile(P, 2), np.concatenate((positive, FEW - positive))
    repeated = fot.check_calibration(np.repeat(y, w), np.repeat(p, w), max_error=0.05).gates[0]
    counts = fot.check_calibration(y, p, max_error=0.05, sample_weight=w, weights="counts").gates[0]
    shares = fot.check_calibration(y, p, max_error=0.05, sample_weight=w, weights="importances").gates[0]
    assert float(counts.estimate) == pytest.approx(float(repeated.estimate), abs=1e-12)
    assert counts.interval.high == pytest.approx(repeated.interval.high, abs=0.02)  # of labels drawn in another order
    assert shares.persistent.noise > 1.5 * counts.persistent.noise
    halves = fot.check_calibration(y, p, max_error=0.05, sample_weight=w / 2).gates[0]
    assert shares.interval == halves.interval


@pytest.mark.exhaustive
def test_several_classes_and_classifiers_decide_once():
    rng = np.random.default_rng(1)
    p = rng.dirichlet(np.ones(3), N)
    y = (p.cumsum(axis=1) > rng.random(N)[:, None]).argmax(axis=1)
    for reduction in ("classwise", "confidence", "canonical"):
        with pytest.warns(fot.CalibrationWarning, match="taken for importances") as caught:
            error = fot.calibration_error(
                y,
                p,
                family="vector" if reduction == "canonical" else "platt",
                reduction=reduction,
                sample_weight=SURVEY,
            )
        assert len(caught) == 1
        assert error.weighting.kind == "importances"
    with pytest.warns(fot.CalibrationWarning, match="taken for importances") as caught:
        fot.compare_errors(Y, P, P**2, sample_weight=SURVEY)
    assert len(caught) == 1
    halves = fot.compare_errors(Y, P, P**2, sample_weight=SURVEY / 2)
    with pytest.warns(fot.CalibrationWarning):
        assert fot.compare_errors(Y, P, P**2, sample_weight=SURVEY).p_value == pytest.approx(halves.p_value)


# --- cells


def test_cells_decide_by_all_that_was_added():
    first, second = (fot.Cells.of(Y, P, w) for w in (SURVEY, FEW))
    assert first.doubtful
    assert not first.whole
    assert second.whole
    days = [second] * 30
    assert (first + sum(days)).whole  # 3.9 on average
    with pytest.warns(fot.CalibrationWarning, match="weights of cells: whole numbers of 30"):
        assert first.sample().weighting.kind == "importances"
    said = fot.Cells.of(Y, P, SURVEY, weights="counts")
    assert said.sample().weighting.kind == "counts"
    assert (said + said).weights == "counts"
    assert (said + second).weights == "auto"
    assert (said + fot.Cells.of(Y, P)).weights == "counts"
    with pytest.raises(ValueError, match="one meaning of weights to be added, got counts and importances"):
        said + fot.Cells.of(Y, P, FEW, weights="importances")
    assert "of counts" in repr(said)
    assert fot.Cells.from_json(said.to_json()).weights == "counts"
    assert (said.discounted(0.5) + said).sample().weighting.kind == "importances"
    old = {key: value for key, value in first.to_dict().items() if key != "weights"}
    assert fot.Cells.from_json(json.dumps(old)).weights == "auto"


@pytest.mark.parametrize("backend", [pd.DataFrame, pl.DataFrame])
def test_frames_are_told_what_weights_are(backend):
    frame = backend({"y": Y, "p": P, "w": SURVEY})
    columns = {"label": "y", "prob": "p", "weight": "w", "exact": True}
    for kind in ("counts", "importances"):
        sample = fot.Cells.of_frame(frame, weights=kind, **columns).sample()
        assert sample.weighting == fot.ScoreSample(Y, P, SURVEY, weights=kind).weighting
    halves = backend({"y": Y, "p": P, "w": SURVEY / 2})
    with pytest.raises(ValueError, match="weight column 'w' must hold whole numbers with weights='counts'"):
        fot.Cells.of_frame(halves, weights="counts", **columns)


# --- it is said


@pytest.mark.exhaustive
def test_every_result_says_what_weights_are():
    importances = f"weights are importances: 300 rows tell as much as {EFFECTIVE:.0f} of equal weight"
    w = Weights(SURVEY, counts=False)
    results = [
        fot.calibration_error(Y, P, family="platt", sample_weight=w),
        fot.evaluate(Y, P, families=["platt"], sample_weight=w),
        fot.evaluate(Y, P, families=["platt"], sample_weight=w, by=Y, interval=None),
        fot.compare_errors(Y, P, P**2, sample_weight=w),
        fot.compare_calibrators(Y, P, families=["platt"], evaluators=[], sample_weight=w),
        fot.check_calibration(Y, P, max_error=0.05, sample_weight=SURVEY, weights="importances"),
        fot.check_calibration(Y, P, max_error=0.05, sample_weight=SURVEY, weights="importances").to_junit(),
    ]
    for result in results:
        assert importances in " ".join(str(result).split())
    for result in results[:2] + results[3:6]:
        text = json.dumps(result.to_dict())
        assert '"weights": "importances"' in text
        assert f'"effective_rows": {EFFECTIVE!r}'[:28] in text
    counts = fot.check_calibration(Y, P, max_error=0.05, sample_weight=FEW, weights="counts")
    assert f"weights are counts: 300 rows stand for {FEW.sum():,}" in str(counts)
    assert "weights" not in str(fot.check_calibration(Y, P, max_error=0.05))


def test_the_kind_is_not_decided_anew_for_the_folds_of_a_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 3)).round(1)
    y = (X[:, 0] + rng.normal(size=N) > 0).astype(int)
    w = np.where(np.arange(N) < 200, 12.0, 7.0)
    w[0] = 40.0  # importances, by 10.4 on average, but not those of the last rows alone
    model = fot.CalibratedClassifier(GaussianNB(), fot.segments.TreeCalibrator(random_state=0), cv=KFold(3))
    with pytest.warns(fot.CalibrationWarning, match="are taken for importances"):
        whole = model.fit(X, y, sample_weight=w).predict_proba(X)
    np.testing.assert_allclose(whole, model.fit(X, y, sample_weight=w / 2).predict_proba(X), rtol=1e-9)


def test_the_confidence_of_distributions_keeps_the_kind():
    rows = RNG.dirichlet([1, 1, 1], N)
    for kind in ("counts", "importances"):
        labels, weights = RNG.integers(0, 3, N), read(SURVEY, kind)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            sample = fot.read(labels, rows, sample_weight=weights, reduction="canonical").confidence
        assert sample.whole == (kind == "counts")


def test_cells_of_the_simplex_do_not_decide_anew_what_weights_are():
    rng = np.random.default_rng(0)
    rows, labels, many = rng.dirichlet([1, 1, 1], N), rng.integers(0, 3, N), np.where(rng.random(N) < 0.3, 60, 1)

    def error(P, y, weights=None):
        return (
            fot.measures.make("simplex_ece")
            .estimate(fot.read(y, P, sample_weight=weights, reduction="canonical"))
            .value
        )

    whole, half = (error(rows, labels, read(FEW * factor, "importances")) for factor in (1.0, 0.5))
    assert whole == pytest.approx(half, rel=1e-9)
    repeated = error(np.repeat(rows, many, axis=0), np.repeat(labels, many))
    assert error(rows, labels, read(many, "counts")) == pytest.approx(repeated, rel=1e-9)


@pytest.mark.exhaustive
def test_comparisons_by_few_effective_rows_say_that_they_are_too_sure():
    few = fot.compare_errors(Y, P, P**2, sample_weight=SURVEY / 2)
    assert any("few rows dominate the importances" in note for note in few.notes)
    for w in (None, FEW / 7 + 1.0):
        assert not any("dominate" in note for note in fot.compare_errors(Y, P, P**2, sample_weight=w).notes)
