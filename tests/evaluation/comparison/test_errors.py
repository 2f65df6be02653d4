"""The difference of two models' calibration errors: by brute force, what must not change it, and its words."""

import json
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_1samp
from sklearn.base import clone
from sklearn.model_selection import KFold

import fitontest as fot
from fitontest.datasets import Derivate
from fitontest.measures.interval import ErrorInterval, Interval

pytestmark = pytest.mark.multiplies

BINS = fot.Slope1(4)


class Halved(fot.Family):
    """A map that is the same whatever it is fitted to."""

    def fit_map(self, sample):
        return fot.maps.KnotsMap([0, 1], [0.25, 0.75])


@cache
def draw(n=300, seed=0, decimals=12, noise=0.0):
    """Return labels and the scores of two models; the first is the better calibrated.

    Without noise they know the same, and order the rows alike.
    """
    c = np.random.default_rng(seed).random(n)
    y = np.random.default_rng(seed + 1000).random(n) < c
    moved = np.clip(c + noise * np.random.default_rng(seed + 2000).normal(size=n), 0, 1)
    p1, p2 = Derivate("sqrt", 0.03).scores(c), Derivate("square", 0.12).scores(moved)
    return y.astype(int), p1.round(decimals), p2.round(decimals)


def importances(n=300):
    return np.random.default_rng(7).choice([0.5, 1.0, 2.5, 0.0], n)


# in pairs: what ties or weights alone would break, both together break too
distinct_or_tied_and_weighted = pytest.mark.parametrize(
    ("decimals", "weights"), [(12, None), (1, importances())], ids=["distinct", "tied and weighted"]
)


def numbers(comparison):
    """Return every number of a comparison but the seconds, of which there are none."""
    found = comparison.to_dict()
    assert found.pop("n") > 0
    return found


def by_hand(y, p1, p2, w, family, loss, cv, seed):
    """Return the gains of both models, with folds over the rows in the smaller of their two sorted tables."""
    tables = [sorted(zip(*columns, y, w, range(y.size), strict=True)) for columns in ((p1, p2), (p2, p1))]
    order = [row[-1] for row in min(tables, key=lambda table: [row[:-1] for row in table])]
    y, w = y[order], w[order]
    losses = {
        "brier": lambda q: (y - q) ** 2,
        "log_loss": lambda q: -np.log(np.where(y == 1, *(np.clip(x, 1e-6, 1 - 1e-6) for x in (q, 1 - q)))),
    }
    gains = []
    for p in (p1[order], p2[order]):
        q = np.empty(p.size)
        for train, held_out in KFold(cv, shuffle=True, random_state=seed).split(p):
            q[held_out] = clone(family).fit(p[train], y[train], w[train]).transform(p[held_out])
        gains.append(losses[loss](p) - losses[loss](q))
    return *gains, w


@pytest.mark.parametrize("loss", ["brier", "log_loss"])
@pytest.mark.parametrize("family", [BINS, fot.Isotonic(), fot.Platt()], ids=["slope1", "isotonic", "platt"])
@pytest.mark.parametrize("decimals", [12, 1])  # ties within each model, whose rows belong to different folds
def test_the_numbers_by_brute_force(loss, family, decimals):
    y, p1, p2 = draw(200, decimals=decimals, noise=0.1)
    one, other, _ = by_hand(y, p1, p2, np.ones(200), family, loss, 5, 3)
    d = one - other
    comparison = fot.compare_errors(y, p1, p2, family=family, loss=loss, cv=5, level=0.9, random_state=3)
    assert comparison.difference == pytest.approx(d.mean(), rel=1e-9)
    assert comparison.se == pytest.approx(d.std(ddof=1) / np.sqrt(200), rel=1e-9)
    expected = ttest_1samp(d, 0)
    ends = expected.confidence_interval(0.9)
    assert (comparison.interval.low, comparison.interval.high) == pytest.approx(tuple(ends), rel=1e-9)
    assert comparison.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    for gain, each in zip(comparison.gains.values(), (one, other), strict=True):
        assert gain.mean == pytest.approx(each.mean(), rel=1e-9)
        assert gain.se == pytest.approx(each.std(ddof=1) / np.sqrt(200), rel=1e-9)
    for name, p in (("p1", p1), ("p2", p2)):
        expected = float(fot.calibration_error(y, p, family=family))
        assert float(comparison.errors[name]) == pytest.approx(expected, rel=1e-12)
    assert (comparison.n, comparison.cv, comparison.loss) == (200, 5, loss)


def test_importances_by_brute_force():
    y, p1, p2 = draw(noise=0.1)
    w = importances()
    kept = w > 0
    one, other, w = by_hand(y[kept], p1[kept], p2[kept], w[kept], BINS, "brier", 10, 0)
    d = one - other
    comparison = fot.compare_errors(y, p1, p2, family=BINS, sample_weight=importances())
    mean = np.average(d, weights=w)
    rows = w.sum() ** 2 / (w**2).sum()
    se = np.sqrt((w**2 @ (d - mean) ** 2) * rows / (rows - 1)) / w.sum()
    assert comparison.difference == pytest.approx(mean, rel=1e-9)
    assert comparison.se == pytest.approx(se, rel=1e-9)
    half = student.ppf(0.975, rows - 1) * se
    assert (comparison.interval.low, comparison.interval.high) == pytest.approx((mean - half, mean + half), rel=1e-9)
    assert comparison.n == kept.sum()


@pytest.mark.exhaustive
def test_the_true_difference_of_squared_errors_is_found():
    y, p1, p2 = draw(20_000)
    c = np.random.default_rng(0).random(20_000)
    truth = np.mean((c - p1) ** 2 - (c - p2) ** 2)
    comparison = fot.compare_errors(y, p1, p2, family=fot.Slope1(15))
    assert comparison.interval.low < truth < comparison.interval.high < 0
    assert comparison.better == "p1"
    assert comparison.p_value < 1e-6


def test_equal_models_do_not_differ():
    y, p, _ = draw()
    comparison = fot.compare_errors(y, p, p.copy())
    assert (comparison.difference, comparison.se, comparison.p_value) == (0.0, 0.0, 1.0)
    assert comparison.interval == Interval(0.0, 0.0, 0.95)
    assert comparison.better is None
    assert comparison.sentence == "p1 and p2 do not differ: their held-out gains are equal on every row."


@distinct_or_tied_and_weighted
def test_swapping_the_models_changes_the_sign_and_nothing_else(decimals, weights):
    y, p1, p2 = draw(decimals=decimals, noise=0.1)
    one, other = (
        fot.compare_errors(y, *scores, family=BINS, sample_weight=weights, names=names)
        for scores, names in (((p1, p2), ("a", "b")), ((p2, p1), ("b", "a")))
    )
    assert one.difference == -other.difference != 0
    assert (one.interval.low, one.interval.high) == (-other.interval.high, -other.interval.low)
    assert (one.p_value, one.se, one.gains, one.better) == (other.p_value, other.se, other.gains, other.better)


@distinct_or_tied_and_weighted
def test_row_order_does_not_matter(decimals, weights):
    y, p1, p2 = draw(decimals=decimals, noise=0.1)
    options = {"family": BINS, "loss": "log_loss"}
    order = np.random.default_rng(1).permutation(y.size)
    one = fot.compare_errors(y, p1, p2, sample_weight=weights, **options)
    moved = None if weights is None else weights[order]
    assert numbers(fot.compare_errors(y[order], p1[order], p2[order], sample_weight=moved, **options)) == numbers(one)


def test_both_models_have_the_same_folds():
    """A model is compared with a copy of itself that is turned round: every gain must be the same."""
    y, p, _ = draw()
    seen = []

    class Watched(Halved):
        def fit_map(self, sample):
            seen.append(np.sort(sample.p))
            return super().fit_map(sample)

    fot.compare_errors(y, p, np.round(p / 2, 12), family=Watched(), cv=4)
    folds = [p for p in seen if p.size < 300]
    assert len(folds) == 8
    for one, other in zip(folds[:4], folds[4:], strict=True):
        assert np.allclose(one / 2, other, atol=1e-11)


def test_a_whole_weight_counts_rows():
    y, p1, p2 = draw()
    w = np.random.default_rng(3).integers(0, 4, y.size)
    weighted = fot.compare_errors(y, p1, p2, family=Halved(), sample_weight=w)
    with pytest.warns(fot.CalibrationWarning, match="rows look like copies"):
        repeated = fot.compare_errors(*(np.repeat(each, w) for each in (y, p1, p2)), family=Halved())
    assert weighted.difference == pytest.approx(repeated.difference, rel=1e-12)
    assert weighted.se == pytest.approx(repeated.se, rel=1e-12)
    assert vars(weighted.interval) == pytest.approx(vars(repeated.interval), rel=1e-12)
    assert weighted.p_value == pytest.approx(repeated.p_value, rel=1e-9)


@pytest.mark.filterwarnings("ignore:rows come in runs")
def test_counts_are_the_rows_written_out_in_the_folds_too():
    """Held out with all that it counts, a label would be missing from the fitted rows of its score."""
    rng = np.random.default_rng(0)
    p1, p2 = rng.random((2, 80)).round(2)
    w = rng.integers(0, 4, (80, 2))  # rows of each label
    y, p1, p2, w = np.tile([0, 1], 80), np.repeat(p1, 2), np.repeat(p2, 2), w.ravel()
    weighted = fot.compare_errors(y, p1, p2, sample_weight=w)
    written = fot.compare_errors(*(np.repeat(each, w) for each in (y, p1, p2)))
    assert weighted.to_dict()["gains"] == written.to_dict()["gains"]
    assert weighted.p_value == written.p_value
    assert weighted.n == np.count_nonzero(w)


def test_scaling_importances_changes_nothing():
    y, p1, p2 = draw()
    w = importances()
    one, other = (fot.compare_errors(y, p1, p2, family=BINS, sample_weight=k * w) for k in (1, 0.25))
    assert other.difference == pytest.approx(one.difference, rel=1e-12)
    assert vars(other.interval) == pytest.approx(vars(one.interval), rel=1e-12)
    assert other.p_value == pytest.approx(one.p_value, rel=1e-9)


def test_a_weight_of_zero_is_the_row_absent():
    y, p1, p2 = draw()
    w = importances()
    kept = w > 0
    absent = fot.compare_errors(y[kept], p1[kept], p2[kept], family=BINS, sample_weight=w[kept])
    assert numbers(fot.compare_errors(y, p1, p2, family=BINS, sample_weight=w)) == numbers(absent)


def test_float32_is_its_float64_value():
    y, p1, p2 = draw()
    single = p1.astype(np.float32), p2.astype(np.float32)
    exact = (p.astype(np.float64) for p in single)
    assert numbers(fot.compare_errors(y, *single, family=BINS)) == numbers(fot.compare_errors(y, *exact, family=BINS))


def test_labels_of_any_kind():
    y, p1, p2 = draw()
    expected = numbers(fot.compare_errors(y, p1, p2, family=BINS))
    for labels, positive in ((y == 1, None), (2 * y - 1, None), (np.where(y, "yes", "no").tolist(), "yes")):
        assert numbers(fot.compare_errors(labels, p1, p2, family=BINS, pos_label=positive)) == expected


def test_the_seed_draws_the_folds():
    y, p1, p2 = draw()
    gaps = {fot.compare_errors(y, p1, p2, family=BINS, random_state=seed).difference for seed in (0, 1, 0)}
    assert len(gaps) == 2
    generator = np.random.RandomState(5)
    assert fot.compare_errors(y, p1, p2, family="slope1", random_state=generator).family == "slope1"


def test_the_fitted_family_is_left_alone():
    y, p1, p2 = draw()
    family = fot.Isotonic()
    fot.compare_errors(y, p1, p2, family=family)
    assert not hasattr(family, "map_")


def test_which_model_is_better_in_words():
    y, p1, p2 = draw(2000)
    names = ("forest", "trees")
    comparison = fot.compare_errors(y, p1, p2, family=BINS, names=names)
    assert comparison.better == "forest"
    interval = comparison.interval
    expected = (
        "forest is better calibrated than trees: its calibration error (squared) is smaller by "
        f"{-comparison.difference:.4f} (95 % CI {-interval.high:.4f} to {-interval.low:.4f}; "
        f"p-value {comparison.p_value:#.2g})."
    )
    assert comparison.sentence == expected
    assert " ".join(str(comparison).split()).startswith(expected)
    assert expected in comparison._repr_html_().replace("<br>", " ")
    turned = fot.compare_errors(y, p2, p1, family=BINS, names=names[::-1])
    assert turned.sentence == expected
    unclear = replace(comparison, interval=Interval(-0.02, 0.001, 0.95))
    assert unclear.better is None
    assert "The data cannot tell which of forest and trees is better calibrated" in unclear.sentence
    assert "of forest less that of trees is -0.0" in unclear.sentence


def test_a_dict_of_models_names_them():
    y, p1, p2 = draw()
    named = fot.compare_errors(y, {"naive Bayes": p1, "trees": p2}, family=BINS)
    assert named.names == ("naive Bayes", "trees")
    assert named.difference == fot.compare_errors(y, p1, p2, family=BINS).difference
    assert list(named.errors) == ["naive Bayes", "trees"]
    assert str(named).splitlines()[4].startswith("naive Bayes ") or "naive Bayes" in str(named).splitlines()[0]
    assert [dot.name for dot in named.diagram().dots[:2]] == ["naive Bayes", "trees"]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (({"one": [0.2, 0.4]},), {}, "p1 must hold two models, got 1"),
        (({"one": [0.2, 0.4], "other": [0.2, 0.4]}, [0.1, 0.2]), {}, "p2 must be left out where p1 is a dict"),
        (({"one": [0.2, 0.4], "other": [0.2, 0.4]},), {"names": ("a", "b")}, "names must be left out where p1 is a"),
        (({"one": [0.2, 0.4], 3: [0.2, 0.4]},), {}, "names must be two different texts"),
        (([0.2, 0.4],), {}, "p2 must be the predictions of the second model, or p1 a dict of both models; got None"),
    ],
)
def test_a_dict_of_models_is_checked(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        fot.compare_errors([0, 1], *arguments, family=BINS, **options)


@pytest.mark.exhaustive
def test_the_map_is_the_spline_unless_another_is_named():
    y, p1, p2 = draw()
    assert fot.compare_errors(y, p1, p2).difference == fot.compare_errors(y, p1, p2, family="spline").difference


def test_the_reduction_stands_above_the_table():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1.0, 1.0, 1.0], 200)
    y = (P.cumsum(axis=1) > rng.random((200, 1))).argmax(axis=1)
    text = str(fot.compare_errors(y, P, P**2 / (P**2).sum(axis=1, keepdims=True), family=BINS, reduction="confidence"))
    assert "n = 200, reduction confidence\n" in text
    assert "reduction confidence: the largest score of each row." in text


def test_an_end_next_to_zero_is_not_printed_as_zero():
    y, p1, p2 = draw()
    comparison = replace(
        fot.compare_errors(y, p1, p2, family=BINS), difference=0.004, se=0.002, interval=Interval(8e-7, 0.008, 0.95)
    )
    assert "(95 % CI 0.000001 to 0.008000;" in comparison.sentence


def test_log_loss_is_in_nats_and_says_that_it_clips():
    y, p1, p2 = draw(2000)
    text = str(fot.compare_errors(y, p1, p2, family=BINS, loss="log_loss", level=0.9))
    assert text.startswith("p1 is better calibrated than p2: its excess log loss is smaller by")
    assert " nats (90 % CI " in text
    assert "Log loss clips predictions to [1e-06, 1 - 1e-06]." in text


def test_intervals_of_the_plug_in_errors_are_printed_where_there_are_any():
    y, p1, p2 = draw()
    comparison = fot.compare_errors(y, p1, p2, family=Halved())  # which would take too long to refit
    assert "its 95 % interval" not in str(comparison)
    assert "raw error" in str(comparison).splitlines()[4]
    interval = ErrorInterval(0.0125, 0.25, 0.95, "true error", 50)
    first = comparison.errors["p1"].with_uncertainty(debiased=0.0375, interval=interval)
    comparison = replace(comparison, errors={**comparison.errors, "p1": first})
    lines = str(comparison).splitlines()
    assert lines[4].split()[-6:] == ["error", "raw", "its", "95", "%", "interval"]
    raw = f"{comparison.errors['p1'].value:.3f}"
    assert lines[6].split()[-5:] == ["0.037", raw, "0.0125", "to", "0.250"]
    assert lines[7].split()[-3] == "-"  # no debiased value, and a raw one
    assert [row["error_low"] for row in comparison.rows()] == [0.0125, None, None]


def test_other_forms_hold_the_same():
    y, p1, p2 = draw()
    comparison = fot.compare_errors(y, p1, p2, family=BINS)
    assert repr(comparison) == str(comparison)
    held = json.loads(comparison.to_json())
    assert held == json.loads(json.dumps(comparison.to_dict()))
    assert held["interval"] == vars(comparison.interval)
    assert held["errors"]["p1"]["value"] == float(comparison.errors["p1"])
    frame = comparison.to_frame()
    assert frame["model"].tolist() == ["p1", "p2", "p1 - p2"]
    assert frame["gain"].tolist() == [*(gain.mean for gain in comparison.gains.values()), comparison.difference]
    assert frame["p_value"].iloc[2] == comparison.p_value
    assert frame["p_value"].iloc[:2].isna().all()
    assert comparison._repr_html_().count("<table>") == 1


def test_notes_of_the_plug_in_errors_are_told():
    y, p, _ = draw()
    comparison = fot.compare_errors(y, p, np.round(p), family=BINS)
    assert comparison.notes == ["p2: all scores are 0 or 1: these are decisions, not probabilities"]
    assert f"Note: {comparison.notes[0]}" in str(comparison)


def test_a_family_is_warned_of_once_for_each_model():
    y, p1, p2 = np.array([0, 0, 1, 1]), np.array([0.1, 0.2, 0.6, 0.8]), np.array([0.2, 0.3, 0.7, 0.9])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fot.compare_errors(y, p1, p2, family="platt", cv=2)
    assert [one.category for one in caught] == [fot.results.SeparableDataWarning] * 2


def test_the_smallest_data():
    comparison = fot.compare_errors([0, 1], [0.2, 0.9], [0.3, 0.6], family=Halved(), cv=10)
    assert (comparison.n, comparison.cv) == (2, 2)
    d = [(0.04 - 0.35**2) - (0.09 - 0.4**2), (0.01 - 0.3**2) - (0.16 - 0.45**2)]
    assert comparison.difference == pytest.approx(np.mean(d))
    assert comparison.p_value == pytest.approx(ttest_1samp(d, 0).pvalue)


BAD = [
    ({"p1": [0.2, 0.8]}, "y_true and p1 must have the same number of rows"),
    ({"p2": [0.2, 0.8]}, "y_true and p2 must have the same number of rows"),
    ({"p2": [0.2, 0.8, 1.2]}, r"p2 must lie in \[0, 1\], got 1.2"),
    ({"p1": [0.2, np.nan, 0.2]}, "p1 must be finite"),
    ({"y_true": [0, 1, 2]}, "y_true must"),
    ({"y_true": [1, 1, 1]}, "y_true must have rows of both classes, got 3 of one, which do not show"),
    ({"sample_weight": [1, 0, 0]}, "y_true must have at least 2 rows of positive weight, got 1"),
    ({"sample_weight": [1, -1, 1]}, "sample_weight must not be negative"),
    ({"sample_weight": [1, 1]}, "must have the same number of rows"),
    ({"sample_weight": [1, 1e-3, 1e-3]}, r"sample_weight must leave at least 2 effective rows, .* got 1: one row"),
    ({"loss": "accuracy"}, "loss must be one of 'brier', 'log_loss'; got 'accuracy'"),
    ({"loss": None}, "loss must be one of"),
    ({"cv": 1}, "cv must be a whole number of folds, at least 2; got 1"),
    ({"level": 95}, r"level must be a number in \[0.5, 1\) such as 0.95, got 95"),
    ({"level": True}, "level must be a number"),
    ({"level": 1.0}, "level must be a number"),
    ({"family": fot.maps.IdentityMap()}, "family must be the name of a family or a Family, got IdentityMap"),
    ({"family": "nothing"}, "family"),
    ({"family": fot.Isotonic}, "a class must be called"),
    ({"names": "ab"}, "names must be two different texts that are not empty, got 'ab'"),
    ({"names": ("a", "a")}, "names must be two different texts"),
    ({"names": ("a", "b", "c")}, "names must be two different texts"),
    ({"names": ("a", 1)}, "names must be two different texts"),
    ({"random_state": "seed"}, "random_state must be a whole number"),
]


@pytest.mark.parametrize(("changed", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_refusals(changed, message):
    arguments = {"y_true": [0, 1, 1], "p1": [0.2, 0.6, 0.7], "p2": [0.1, 0.5, 0.9], **changed}
    with pytest.raises(ValueError, match=message):
        fot.compare_errors(**arguments)
