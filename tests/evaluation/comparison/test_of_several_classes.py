"""Comparisons of matrices of scores: every reduction by brute force, and what must not change it."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp
from sklearn.base import clone

import fitontest as fot
from fitontest.data.classwise_sample import ClasswiseSample
from fitontest.evaluation.comparison.kinds import BY_CLASS
from fitontest.evaluation.comparison.two_models import TwoModels
from fitontest.numerics.random import held_out_rows
from tests.evaluation.comparison.test_of_classes import draw

pytestmark = pytest.mark.multiplies


def binary_losses(loss, hits, q):
    """Return the mean over the classes of the losses of two classes."""
    if loss == "brier":
        return ((hits - q) ** 2).mean(axis=1)
    q = np.clip(q, 1e-6, 1 - 1e-6)
    return -np.log(np.where(hits == 1, q, 1 - q)).mean(axis=1)


def truth_of(n, seed=0, classes=3):
    return np.random.default_rng(seed).dirichlet(np.ones(classes), n)


def scores(comparison):
    return {one.name: one.held_out.score for one in comparison}


def test_confidence_is_the_comparison_of_the_largest_scores():
    y, P = draw()
    options = {"families": ["platt", "isotonic"], "evaluators": ["slope1"]}
    several = fot.compare_calibrators(y, P, reduction="confidence", **options)
    one = fot.compare_calibrators(P.argmax(axis=1) == y, P.max(axis=1), **options)
    assert scores(several) == scores(one)
    assert [each.errors for each in several] == [each.errors for each in one]
    assert several.reduction == "confidence"
    read = fot.read(y, P, reduction="confidence")
    assert scores(fot.compare_calibrators(read, **options)) == scores(one)


def test_binary_is_the_comparison_of_a_column():
    y, P = draw(classes=2)
    options = {"families": ["platt"], "evaluators": []}
    two = fot.compare_calibrators(y, P, reduction="binary", pos_label=1, **options)
    assert scores(two) == scores(fot.compare_calibrators(y, P[:, 1], **options))


@pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")
@pytest.mark.parametrize("loss", ["log_loss", "brier"])
def test_classwise_by_brute_force(loss):
    y, P = draw()
    P = P**0.8  # rows need not add up to 1
    comparison = fot.compare_calibrators(
        y, P, reduction="classwise", families=["platt"], scoring=loss, cv=4, evaluators=["isotonic"]
    )
    sample = ClasswiseSample.of(fot.read(y, P, reduction="classwise").whole).in_order()
    P, y = sample.p, sample.codes
    hits, q = np.eye(3)[y], np.empty_like(P)
    for fold in sample.in_folds(4, 0)[1]:
        kept = np.setdiff1d(np.arange(len(y)), fold)
        for k in range(3):
            q[fold, k] = fot.Platt().fit(P[kept, k], hits[kept, k]).predict(P[fold, k])
    losses, before = binary_losses(loss, hits, q), binary_losses(loss, hits, P)
    platt = comparison["platt"]
    assert platt.held_out.score == pytest.approx(losses.mean(), rel=1e-9)
    assert platt.held_out.to_identity.mean == pytest.approx((losses - before).mean(), rel=1e-9)
    assert platt.held_out.to_identity.se == pytest.approx((losses - before).std() / np.sqrt(300), rel=0.01)
    errors = [float(fot.calibration_error(hits[:, k], q[:, k], family="isotonic")) for k in range(3)]
    assert platt.errors["isotonic"] == pytest.approx(np.mean(errors), rel=1e-9)
    assert platt.n_parameters == 6
    fitted = np.column_stack([fot.Platt().fit(P[:, k], hits[:, k]).predict(P[:, k]) for k in range(3)])
    np.testing.assert_allclose(platt.family.map_(P), fitted, atol=1e-12)
    assert "3 classes, each against the rest" in str(comparison.table())
    assert comparison.to_dict()["map"]["kind"] in ("by_class", "multiclass_identity")


@pytest.mark.filterwarnings("ignore:.*look like copies")
@pytest.mark.parametrize("reduction", ["confidence", "classwise", "canonical"])
def test_neither_the_order_of_rows_nor_how_often_they_are_written_matters(reduction):
    y, P = draw()
    options = {"reduction": reduction, "families": ["platt"], "evaluators": [], "rule": "stack"}
    order = np.random.default_rng(1).permutation(300)
    first, other = (fot.compare_calibrators(y[at], P[at], **options) for at in (np.arange(300), order))
    assert scores(first) == pytest.approx(scores(other), abs=1e-9)
    if reduction == "confidence":
        return  # the rows that a count stands for are held out one by one
    w = np.random.default_rng(2).integers(0, 3, 300)
    at = np.repeat(np.arange(300), w)
    counted = fot.compare_calibrators(y, P, sample_weight=w, **options)
    assert scores(counted) == pytest.approx(scores(fot.compare_calibrators(y[at], P[at], **options)), abs=1e-7)


@pytest.mark.parametrize("reduction", ["confidence", "classwise", "canonical"])
def test_the_mixture_of_all_is_compared(reduction):
    y, P = draw(400)
    comparison = fot.compare_calibrators(
        y, P, reduction=reduction, families=["platt", "temperature"], evaluators=[], rule="stack"
    )
    assert comparison.chosen == "stacking"
    assert comparison["stacking"].held_out.score < comparison["identity"].held_out.score
    assert "a mixture of" in str(comparison)
    again = fot.maps.MulticlassMap if reduction != "confidence" else fot.CalibrationMap
    assert again.from_dict(comparison.to_dict()["map"]) == comparison.chosen_.map_


def test_the_mixture_of_distributions_out_of_fold_by_brute_force():
    y, P = draw(200)
    comparison = fot.compare_calibrators(
        y, P, reduction="canonical", families=["temperature"], evaluators=[], rule="stack", cv=4
    )
    sample = fot.read(y, P, reduction="canonical").in_order()
    folds = sample.in_folds(4, 0)[1]
    members = np.stack(
        [sample.hold_out(family, folds) for family in (fot.families.Identity(), fot.families.Temperature())], axis=-1
    )
    mixed = np.empty((200, 3))
    for fold in folds:
        others = np.setdiff1d(np.arange(200), fold)
        weights = fot.families.Stacking().weigh(members[others], sample.codes[others], np.ones(others.size))
        mixed[fold] = members[fold] @ weights
    expected = -np.log(mixed[np.arange(200), sample.codes]).mean()
    assert comparison["stacking"].held_out.score == pytest.approx(expected, rel=1e-9)


def test_the_truth_of_distributions():
    y, P = draw(500)
    c = truth_of(500)
    options = {"families": ["temperature"], "evaluators": []}
    canonical = fot.compare_calibrators(y, P, reduction="canonical", truth=c, **options)
    q = canonical["temperature"].family.predict_proba(P)
    expected = np.abs(q - c).sum(axis=1).mean() / 2
    assert canonical["temperature"].quality.map_error == pytest.approx(expected, rel=1e-9)
    assert canonical["temperature"].quality.error_after == pytest.approx(expected, rel=1e-9)  # no row occurs twice
    assert canonical["temperature"].quality.map_error < canonical["identity"].quality.map_error
    root = fot.compare_calibrators(
        y, P, reduction="canonical", truth=lambda p: p**0.5 / (p**0.5).sum(axis=1, keepdims=True), **options
    )
    assert root["identity"].quality.map_error == pytest.approx(np.abs(P - c).sum(axis=1).mean() / 2, rel=1e-6)
    classwise = fot.compare_calibrators(y, P, reduction="classwise", truth=c, **options)
    assert classwise["identity"].quality.map_error == pytest.approx(np.abs(P - c).mean(), rel=1e-9)


def test_the_truth_of_equal_distributions_is_their_mean():
    P = np.repeat([[0.2, 0.8], [0.6, 0.4]], 4, axis=0)
    c = np.linspace(0.1, 0.8, 8)
    truth = np.column_stack([c, 1 - c])
    y = np.tile([0, 1], 4)
    options = {"reduction": "canonical", "families": [], "evaluators": [], "cv": 2}
    quality = fot.compare_calibrators(y, P, truth=truth, **options)["identity"].quality
    assert quality.map_error == pytest.approx((abs(c[:4].mean() - 0.2) + abs(c[4:].mean() - 0.6)) / 2)
    two = fot.compare_calibrators(y, P[:, 1], truth=1 - c, families=[], evaluators=[], cv=2)["identity"].quality
    assert quality.map_error == pytest.approx(two.map_error)
    assert quality.error_after == pytest.approx(two.error_after)


def test_interpretability_is_of_scores():
    y, P = draw()
    options = {"families": ["platt"], "evaluators": [], "interpretability": True}
    classwise = fot.compare_calibrators(y, P, reduction="classwise", **options)
    counts = [
        fot.measures.make("probabilistic_count").estimate(fot.ScoreSample(y == k, P[:, k])).value for k in range(3)
    ]
    measured = classwise["identity"].interpretability.probabilistic_count
    assert measured == pytest.approx(np.mean(counts))
    with pytest.raises(ValueError, match=r"interpretability must be False .* one score in each row"):
        fot.compare_calibrators(y, P, reduction="canonical", **options)


def test_cells_of_classes_do_not_know_their_rows():
    y, P = draw(60)
    cells = fot.data.ClassCells({k: fot.Cells.of(y == k, P[:, k]) for k in range(3)})
    with pytest.raises(ValueError, match="cells of 3 classes, which do not keep which scores belong to one row"):
        fot.compare_calibrators(cells)
    with pytest.raises(ValueError, match="y_true must be the labels of rows that both models scored, got ClassCells"):
        fot.compare_errors(cells, P, P, reduction="classwise")


def test_a_test_set_is_read_as_the_rows_are():
    y, P = draw()
    test = draw(100, seed=1)
    options = {"families": ["platt"], "evaluators": []}
    for reduction in ("confidence", "classwise"):
        read = fot.read(*test, reduction=reduction)
        given = fot.compare_calibrators(y, P, reduction=reduction, test=test, **options)
        known = fot.compare_calibrators(y, P, reduction=reduction, test=read, **options)
        assert given["platt"].test.score == known["platt"].test.score
    with pytest.raises(ValueError, match="test must be read as y_true is, got 'confidence' beside 'classwise'"):
        fot.compare_calibrators(y, P, reduction="classwise", test=fot.read(*test, reduction="confidence"), **options)


def models(n=300, seed=0):
    y, P = draw(n, seed)
    Q = P**0.6 + 0.05 * np.random.default_rng(seed).random(P.shape)
    return y, P, Q / Q.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("loss", ["brier", "log_loss"])
@pytest.mark.parametrize("reduction", ["canonical", "classwise"])
def test_errors_of_two_models_by_brute_force(reduction, loss):
    y, P, Q = models()
    family = fot.families.Temperature() if reduction == "canonical" else fot.Platt()
    options = {"reduction": reduction, "family": family, "loss": loss, "cv": 5, "random_state": 3}
    comparison = fot.compare_errors(y, P, Q, **options)
    samples = [fot.read(y, p, reduction="canonical") for p in (P, Q)]
    ordered = TwoModels.of(*samples).scored
    gains = []
    for sample in ordered:
        p, codes, q = sample.p, sample.codes, np.empty((300, 3))
        for fold in held_out_rows(300, 5, 3):
            kept = np.setdiff1d(np.arange(300), fold)
            if reduction == "canonical":
                q[fold] = clone(family).fit(p[kept], codes[kept], labels=range(3)).predict_proba(p[fold])
            else:
                columns = [clone(family).fit(p[kept, k], codes[kept] == k).predict(p[fold, k]) for k in range(3)]
                q[fold] = np.column_stack(columns)
        if reduction == "classwise":
            gains.append(binary_losses(loss, np.eye(3)[codes], p) - binary_losses(loss, np.eye(3)[codes], q))
        elif loss == "brier":
            gains.append(((p - np.eye(3)[codes]) ** 2).sum(axis=1) - ((q - np.eye(3)[codes]) ** 2).sum(axis=1))
        else:
            gains.append(np.log(q[np.arange(300), codes]) - np.log(p[np.arange(300), codes].clip(1e-6, 1 - 1e-6)))
    d = gains[0] - gains[1]
    expected = ttest_1samp(d, 0)
    assert comparison.difference == pytest.approx(d.mean(), rel=1e-6)
    assert comparison.p_value == pytest.approx(expected.pvalue, rel=1e-6)
    ends = expected.confidence_interval(0.95)
    assert (comparison.interval.low, comparison.interval.high) == pytest.approx(tuple(ends), rel=1e-6)
    for name, p in (("p1", P), ("p2", Q)):
        assert float(comparison.errors[name]) == float(
            fot.calibration_error(y, p, reduction=reduction, family=family, null_draws=0)
        )


@pytest.mark.exhaustive
def test_confidences_of_two_models_by_brute_force():
    y, P, Q = models()
    comparison = fot.compare_errors(y, P, Q, reduction="confidence", family="platt")
    hits = [p.argmax(axis=1) == y for p in (P, Q)]
    alone = [fot.compare_errors(hit, p.max(axis=1), p.max(axis=1)) for hit, p in zip(hits, (P, Q), strict=True)]
    assert alone[0].difference == 0.0
    for name, hit, p in (("p1", hits[0], P), ("p2", hits[1], Q)):
        error = fot.calibration_error(hit, p.max(axis=1), family="platt")
        assert float(comparison.errors[name]) == pytest.approx(float(error), rel=1e-9)
    gain = comparison.gains["p1"].mean - comparison.gains["p2"].mean
    assert comparison.difference == pytest.approx(gain, rel=1e-9)


@pytest.mark.filterwarnings("ignore:.*look like copies")
@pytest.mark.parametrize("reduction", ["canonical", "classwise", "confidence"])
def test_models_may_be_swapped_rows_shuffled_and_counted(reduction):
    y, P, Q = models(150)
    options = {"reduction": reduction, "family": "temperature", "labels": range(3)}
    there, back = fot.compare_errors(y, P, Q, **options), fot.compare_errors(y, Q, P, **options)
    assert there.difference == pytest.approx(-back.difference, rel=1e-9)
    assert there.p_value == pytest.approx(back.p_value, rel=1e-9)
    order = np.random.default_rng(1).permutation(150)
    assert fot.compare_errors(y[order], P[order], Q[order], **options).difference == pytest.approx(there.difference)
    w = np.random.default_rng(2).integers(0, 3, 150)
    at = np.repeat(np.arange(150), w)
    counted = fot.compare_errors(y, P, Q, sample_weight=w, **options)
    repeated = fot.compare_errors(y[at], P[at], Q[at], **options)
    assert counted.difference == pytest.approx(repeated.difference, rel=1e-9)
    assert counted.p_value == pytest.approx(repeated.p_value, rel=1e-9)
    assert fot.compare_errors(y, P, P, **options).p_value == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"family": fot.maps.MulticlassIdentityMap()}, "family must be the name of a family, a Family or"),
        ({"reduction": "whole"}, "reduction must be one of"),
        ({"loss": "hinge"}, "loss must be one of"),
        ({"reduction": None}, "p1 must"),
        ({"y": np.zeros(60, dtype=int), "labels": range(3)}, "y_true must have rows of two classes or more"),
    ],
)
def test_refusals_of_two_models(options, message):
    y, P, Q = models(60)
    y = options.pop("y", y)
    with pytest.raises(ValueError, match=message):
        fot.compare_errors(y, P, Q, **{"reduction": "canonical", **options})


def test_kinds_adapt_every_family():
    assert str(BY_CLASS.read_one("platt", "decomposition", 0)).startswith("ByClass")


@pytest.mark.parametrize("reduction", ["classwise", "canonical"])
def test_a_test_set_of_other_classes_is_refused(reduction):
    y, P = draw()
    classes = sorted(set(y.tolist()))
    moved = fot.read(y, np.roll(P, 1, axis=1), labels=[classes[-1], *classes[:-1]], reduction=reduction)
    with pytest.raises(ValueError, match="test must have the classes of y_true in their order"):
        fot.compare_calibrators(y, P, reduction=reduction, families=["temperature"], evaluators=[], test=moved)
    same = fot.read(y, P, reduction=reduction)
    options = {"reduction": reduction, "families": ["temperature"], "evaluators": []}
    tables = [fot.compare_calibrators(y, P, test=test, **options).to_frame() for test in (same, (y, P))]
    assert tables[0]["test_score"].tolist() == tables[1]["test_score"].tolist()


@pytest.mark.filterwarnings("ignore:.* rows do not add up to 1")
def test_the_text_says_how_the_classes_were_read():
    y, P = draw()
    options = {"family": "platt", "cv": 2}
    assert "each class against the rest" in str(fot.compare_errors(y, P, P**2, reduction="classwise", **options))
    text = str(fot.compare_errors(y, P, P, reduction="canonical", family="temperature", cv=2))
    assert "probabilities of all classes at once" in text
    assert "sum over the classes" in text


def test_the_brier_score_of_distributions_is_called_what_it_is():
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], 120)
    y = (P.cumsum(axis=1) > rng.random((120, 1))).argmax(axis=1)
    settings = {"families": ["temperature"], "evaluators": [], "scoring": "brier", "cv": 3}
    assert "sum over the classes" in str(fot.compare_calibrators(y, P, reduction="canonical", **settings).table())
    assert "sum over the classes" not in str(fot.compare_calibrators(y, P, reduction="confidence", **settings))
