"""Harrell's correction for optimism, against the loop that defines it."""

import numpy as np
import pandas as pd
import polars
import pytest
import sklearn
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import fitontest as fot
from fitontest.results.progress import reporting
from fitontest.risk.validation.optimism import Optimism, optimism_of
from fitontest.risk.validation.refitting import FittingRows

N = 60


def brier_and_auc(sample):
    return {"brier": sample.mean_loss("brier"), "auc": float(fot.measure(sample, name="auc"))}


def brier(sample):
    return {"brier": sample.mean_loss("brier")}


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(N, 5))
    return X, (rng.random(N) < 1 / (1 + np.exp(-X[:, 0]))).astype(int)


def values(optimism):
    return [list(row.values()) for row in optimism.rows()]


def assert_equal_to_rounding(found, expected):
    assert [row[0] for row in found] == [row[0] for row in expected]
    np.testing.assert_allclose([row[1:] for row in found], [row[1:] for row in expected], rtol=1e-12)


def drawn_samples(rows, draws, seed=0, **options):
    """Return how often each row stands in each of the samples that `optimism_of` draws."""
    entropy = np.random.RandomState(seed).randint(2**31 - 1, size=4).tolist()
    fitting = FittingRows.of(*rows, **options)
    return [fitting.draw(np.random.default_rng(each)) for each in np.random.SeedSequence(entropy).spawn(draws)]


def test_it_is_what_the_loop_over_bootstrap_samples_gives(rows):
    X, y = rows
    differences = []
    for times in drawn_samples(rows, 12):
        chosen = np.repeat(np.arange(N), times)
        assert chosen.size == N
        model = LogisticRegression().fit(X[chosen], y[chosen])
        fitted, original = model.predict_proba(X[chosen])[:, 1], model.predict_proba(X)[:, 1]
        differences.append(
            [score(y[chosen], fitted) - score(y, original) for score in (brier_score_loss, roc_auc_score)]
        )
    p = LogisticRegression().fit(X, y).predict_proba(X)[:, 1]
    apparent = [brier_score_loss(y, p), roc_auc_score(y, p)]
    result = optimism_of(LogisticRegression(), X, y, brier_and_auc, draws=12)
    for name, one, column in zip(["brier", "auc"], apparent, np.transpose(differences), strict=True):
        statistic = result[name]
        assert statistic.apparent == pytest.approx(one, abs=1e-12)
        assert statistic.optimism == pytest.approx(column.mean(), abs=1e-12)
        assert statistic.corrected == pytest.approx(one - column.mean(), abs=1e-12)
        assert statistic.standard_error == pytest.approx(column.std(ddof=1) / np.sqrt(12), abs=1e-12)
        assert statistic.draws == 12
    np.testing.assert_allclose(result.sample.p, p)


def test_rows_are_drawn_uniformly_and_groups_whole(rows):
    counts = np.array(drawn_samples(rows, 400))
    assert (counts.sum(axis=1) == N).all()
    assert counts.mean(axis=0) == pytest.approx(np.ones(N), abs=0.25)  # 5 standard errors
    groups = np.repeat(np.arange(10), 6)
    counts = np.array(drawn_samples(rows, 400, groups=groups)).reshape(400, 10, 6)
    assert (counts == counts[:, :, :1]).all()
    assert (counts[:, :, 0].sum(axis=1) == 10).all()
    assert counts[:, :, 0].mean(axis=0) == pytest.approx(np.ones(10), abs=0.25)


def test_names_of_groups_mean_nothing_and_groups_of_one_row_are_rows(rows):
    X, y = rows
    alone = values(optimism_of(GaussianNB(), X, y, brier, draws=4))
    assert values(optimism_of(GaussianNB(), X, y, brier, draws=4, groups=np.arange(N)[::-1])) == alone
    groups = np.repeat(np.arange(12), 5)
    result = optimism_of(GaussianNB(), X, y, brier, draws=4, groups=groups)
    renamed = optimism_of(GaussianNB(), X, y, brier, draws=4, groups=[("site", 20 - g) for g in groups])
    assert values(renamed) == values(result) != alone
    assert (result.groups, renamed.groups) == (12, 12)
    assert "12 whole groups" in str(result)


def test_weights_that_count_are_rows_repeated(rows):
    X, y = rows
    w = np.random.default_rng(0).integers(0, 4, N)
    counted = optimism_of(GaussianNB(), X, y, brier_and_auc, draws=5, sample_weight=w)
    repeated = optimism_of(GaussianNB(), X.repeat(w, axis=0), y.repeat(w), brier_and_auc, draws=5)
    for one, other in zip(values(counted), values(repeated), strict=True):
        assert one[0] == other[0]
        assert one[1:] == pytest.approx(other[1:], abs=1e-12)
    groups = np.arange(N) // 4
    counted = optimism_of(GaussianNB(), X, y, brier_and_auc, draws=5, sample_weight=w, groups=groups)
    repeated = optimism_of(
        GaussianNB(), X.repeat(w, axis=0), y.repeat(w), brier_and_auc, draws=5, groups=groups.repeat(w)
    )
    for one, other in zip(values(counted), values(repeated), strict=True):
        assert one[0] == other[0]
        assert one[1:] == pytest.approx(other[1:], abs=1e-12)


def test_importances_are_handed_to_fit_and_their_scale_means_nothing(rows):
    X, y = rows
    w = np.random.default_rng(0).exponential(size=N)
    result = optimism_of(GaussianNB(), X, y, brier, draws=5, sample_weight=w)
    p = GaussianNB().fit(X, y, sample_weight=w).predict_proba(X)[:, 1]
    assert result["brier"].apparent == pytest.approx(brier_score_loss(y, p, sample_weight=w), abs=1e-12)
    differences = []
    for times in drawn_samples(rows, 5):
        drawn = np.repeat(np.arange(N), times)
        p = GaussianNB().fit(X[drawn], y[drawn], sample_weight=w[drawn]).predict_proba(X)[:, 1]
        fitted = brier_score_loss(y[drawn], p[drawn], sample_weight=w[drawn])
        differences.append(fitted - brier_score_loss(y, p, sample_weight=w))
    assert result["brier"].optimism == pytest.approx(np.mean(differences), abs=1e-12)
    scaled = optimism_of(GaussianNB(), X, y, brier, draws=5, sample_weight=8.0 * w)
    assert scaled["brier"].corrected == pytest.approx(result["brier"].corrected, abs=1e-12)
    pipeline = make_pipeline(StandardScaler(with_mean=False, with_std=False), GaussianNB())
    assert values(optimism_of(pipeline, X, y, brier, draws=5, sample_weight=w)) == values(result)
    with pytest.raises(ValueError, match="sample_weight must be left out, or count rows"):
        optimism_of(KNeighborsClassifier(), X, y, brier, sample_weight=w)
    counts = np.random.default_rng(0).integers(1, 3, N)
    assert optimism_of(KNeighborsClassifier(), X, y, brier, sample_weight=counts, draws=2)["brier"].draws == 2


def test_importances_with_metadata_routing(rows):
    X, y = rows
    w = np.random.default_rng(0).exponential(size=N)
    result = optimism_of(GaussianNB(), X, y, brier, draws=3, sample_weight=w)
    with sklearn.config_context(enable_metadata_routing=True):
        step = GaussianNB().set_fit_request(sample_weight=True)
        scaler = StandardScaler(with_mean=False, with_std=False).set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, step)
        assert values(optimism_of(pipeline, X, y, brier, draws=3, sample_weight=w)) == values(result)
        with pytest.raises(ValueError, match="takes no weights"):
            optimism_of(make_pipeline(StandardScaler(), GaussianNB()), X, y, brier, sample_weight=w)


def test_inputs_of_any_kind_give_the_same_numbers(rows):
    """To rounding: a matrix that is stored by column is multiplied in another order by some processors."""
    X, y = rows
    plain = values(optimism_of(LogisticRegression(), X, y, brier, draws=3))
    columns = [f"x{k}" for k in range(5)]
    shuffled = np.random.default_rng(0).permutation(N)
    of_pandas = pd.DataFrame(X, columns=columns, index=shuffled)
    given = optimism_of(LogisticRegression(), of_pandas, pd.Series(y, index=shuffled), brier, draws=3)
    assert_equal_to_rounding(values(given), plain)
    given = optimism_of(LogisticRegression(), X.tolist(), y.tolist(), brier, draws=3)
    assert_equal_to_rounding(values(given), plain)
    given = optimism_of(LogisticRegression(), polars.DataFrame(X, columns), y, brier, draws=3)
    assert_equal_to_rounding(values(given), plain)
    coded = optimism_of(LogisticRegression(), sparse.coo_array(X), y, brier, draws=3)
    assert coded["brier"].corrected == pytest.approx(plain[0][4], abs=1e-6)  # a solver of sparse rows stops elsewhere
    texts = np.where(y == 1, "ill", "well")
    assert values(optimism_of(LogisticRegression(), X, texts, brier, draws=3, pos_label="ill"))[0][1] == pytest.approx(
        plain[0][1], abs=1e-6
    )
    with pytest.raises(ValueError, match="hold the same labels in another order"):
        optimism_of(GaussianNB(), of_pandas, pd.Series(y, index=shuffled[::-1]), brier)


def test_jobs_and_seeds(rows):
    X, y = rows
    first = values(optimism_of(GaussianNB(), X, y, brier, draws=4))
    with_threads = optimism_of(GaussianNB(), X, y, brier, draws=4, n_jobs=1)
    assert values(with_threads) == first
    assert values(optimism_of(GaussianNB(), X, y, brier, draws=4, random_state=1)) != first
    state = np.random.RandomState(0)
    assert values(optimism_of(GaussianNB(), X, y, brier, draws=4, random_state=state)) == first


def test_the_estimator_stays_as_it_is_and_searches_get_groups(rows):
    X, y = rows
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-2]}, cv=GroupKFold(3))
    result = optimism_of(search, X, y, brier, draws=2, groups=np.arange(N) // 5)
    assert not hasattr(search, "best_params_")
    assert np.isfinite(result["brier"].corrected)


def test_samples_without_a_value_are_counted_and_said():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, 1)), np.arange(20) < 1  # a third of the bootstrap samples lack the only positive

    def some(sample):
        return {"brier": sample.mean_loss("brier"), "never": None, "on_training": None if sample.unit else 1.0}

    result = optimism_of(GaussianNB(var_smoothing=1.0), X, y, some, draws=30)
    lacking = sum(times[0] == 0 for times in drawn_samples((X, y), 30))
    assert 0 < lacking < 20
    assert result["brier"].draws == 30 - lacking
    assert result["brier"].corrected is not None
    assert (result["never"].draws, result["never"].corrected, result["never"].optimism) == (0, None, None)
    assert (result["on_training"].apparent, result["on_training"].optimism) == (None, None)
    text = str(result)
    assert f"No value in {lacking} of 30 bootstrap samples, which are left out: brier." in text
    assert "No value in 30 of 30 bootstrap samples, which are left out: never, on_training." in text


def test_the_table(rows):
    result = optimism_of(LogisticRegression(), *rows, brier_and_auc, draws=20)
    assert isinstance(result, Optimism)
    first, header, *_ = str(result).splitlines()
    assert first.startswith("Corrected for optimism: AUC 0.")
    assert header.split()[1:4] == [
        "apparent",
        "optimism",
        "s.e.",
    ]
    assert "Intervals are not corrected" in str(result)
    assert list(result.to_frame().columns) == [
        "statistic",
        "apparent",
        "optimism",
        "standard_error",
        "corrected",
        "draws",
    ]
    assert '"draws": 20, "n": 60, "groups": null' in result.to_json()


def test_it_reports_progress(rows):
    labels = []

    def reporter(steps, label):
        labels.append((label, len(list(steps))))
        return steps

    with reporting(reporter):
        optimism_of(GaussianNB(), *rows, brier, draws=3)
    assert labels == [("bootstrap samples", 3)]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"estimator": GaussianNB}, "a class must be called"),
        ({"estimator": FrozenEstimator(GaussianNB())}, "must be refitted .* got a FrozenEstimator"),
        ({"estimator": SVC()}, "must have predict_proba"),
        ({"estimator": KNeighborsClassifier(metric="precomputed")}, "must take features, not similarities"),
        ({"draws": 1}, "draws must be a whole number, at least 2; got 1"),
        ({"n_jobs": 0}, "n_jobs must be None or a whole number other than 0"),
        ({"statistics": "auc"}, "statistics must be a function of a ScoreSample, got 'auc'"),
        ({"statistics": lambda sample: 0.5}, "statistics must return a dict of numbers by name, got 0.5"),
        ({"y": np.zeros(N)}, "y must have rows of both classes"),
        ({"y": np.arange(N) % 3}, "y must have at most two classes, got 3"),
        ({"y": [0, 1]}, "X has 60, y has 2"),
        ({"X": 5}, "X must be an array, a data frame"),
        ({"sample_weight": [1, 2]}, "y has 60, sample_weight has 2"),
        ({"sample_weight": np.full(N, 10**6), "weights": "counts"}, "at most 10,000,000 rows .* got 60,000,000"),
        ({"groups": np.zeros(N)}, "groups must be at least 2"),
        ({"weights": "counts"}, "weights must be left out where there are no weights"),
        ({"random_state": "x"}, "random_state must be"),
    ],
)
def test_refusals(rows, changes, message):
    settings = {"estimator": GaussianNB(), "X": rows[0], "y": rows[1], "statistics": brier} | changes
    with pytest.raises(ValueError, match=message):
        optimism_of(**settings)


def test_a_calibrated_classifier_is_refitted_whole(rows):
    model = CalibratedClassifierCV(GaussianNB(), cv=2)
    assert np.isfinite(optimism_of(model, *rows, brier, draws=2)["brier"].corrected)
