"""Offsets with learnt spreads: the penalised optimum, the Fellner-Schall equation, and columns without signal."""

import numpy as np
import pytest
from scipy.optimize import minimize

import fitontest as fot
from fitontest.numerics.links import sigmoid
from fitontest.segments.features.levels import level_columns
from fitontest.segments.repair import variance_components
from fitontest.segments.repair.variance_components import LevelDesign, fit_effects, solved
from tests.segments.features.problems import labelled, rows_of


def design_of(rows):
    """Return logits, and dense indicators with the column of each."""
    levels = level_columns(rows.columns, rows.w)
    indicators = np.concatenate([np.eye(len(one.rules))[one.code] for one in levels], axis=1)
    owner = np.repeat(np.arange(len(levels)), [len(one.rules) for one in levels])
    return levels, indicators, owner


def fitted(rows):
    levels, indicators, owner = design_of(rows)
    codes, sizes = [one.code for one in levels], [len(one.rules) for one in levels]
    return fit_effects(rows.logits, codes, sizes, rows.y, rows.w), indicators, owner


@pytest.mark.parametrize("seed", range(3))
def test_the_optimum_of_the_penalised_likelihood_is_that_of_scipy(seed):
    rows = rows_of(500, seed, w=np.random.default_rng(seed).integers(1, 4, 500)).canonical()
    effects, indicators, owner = fitted(rows)
    alive = effects.variances[owner] > 0
    A, tau2 = indicators[:, alive], effects.variances[owner][alive]
    mean = rows.w @ rows.logits / rows.w.sum()
    spread = np.sqrt(rows.w @ (rows.logits - mean) ** 2 / rows.w.sum())
    v = rows.w @ (rows.q * (1 - rows.q)) / rows.w.sum()  # of the line that changes nothing

    def objective(theta):
        a, b, u = theta[0], theta[1], theta[2:]
        z = a + b * rows.logits + A @ u
        level, slope = a + (b - 1.0) * mean, (b - 1.0) * spread  # as much information as one row has
        penalty = u**2 / tau2 @ np.ones(u.size) + v * (level**2 + slope**2)
        r = rows.w * (sigmoid(z) - rows.y)
        gradient = np.concatenate(
            ([r.sum() + v * level, r @ rows.logits + v * (level * mean + slope * spread)], A.T @ r + u / tau2)
        )
        return rows.w @ (np.logaddexp(0, z) - rows.y * z) + penalty / 2, gradient

    best = minimize(objective, np.r_[0.0, 1.0, np.zeros(A.shape[1])], jac=True, method="BFGS", options={"gtol": 1e-7})
    found = np.concatenate(([effects.intercept, effects.slope], np.concatenate(effects.offsets)[alive]))
    assert np.abs(objective(found)[1]).max() < 1e-3
    np.testing.assert_allclose(found, best.x, atol=2e-5)


@pytest.mark.parametrize("seed", range(3))
def test_variances_rest_where_the_fellner_schall_step_does(seed):
    rows = rows_of(500, seed).canonical()
    effects, indicators, owner = fitted(rows)
    x = (rows.logits - rows.logits.mean()) / rows.logits.std()
    u = np.concatenate(effects.offsets)
    q = sigmoid(effects.intercept + effects.slope * rows.logits + indicators @ u)
    alive = effects.variances[owner] > 0
    A = np.column_stack((np.ones(500), x, indicators[:, alive]))
    ridge = np.full(2, (rows.q * (1 - rows.q)).mean())
    penalty = np.concatenate((ridge, 1 / effects.variances[owner][alive]))
    inverse = np.linalg.inv(A.T @ ((q * (1 - q))[:, None] * A) + np.diag(penalty))
    for column, tau2 in enumerate(effects.variances):
        here = owner[alive] == column
        if tau2 > 0:
            used = here.sum() - (penalty * inverse.diagonal())[2:][here].sum()
            assert tau2 == pytest.approx((u[owner == column] ** 2).sum() / used, rel=2e-3)


def test_sums_of_products_are_those_of_the_dense_design(monkeypatch):
    rows = rows_of(300).canonical()
    levels, indicators, _ = design_of(rows)
    codes = np.stack([one.code for one in levels], axis=1)
    codes[::7, 1] = -1  # rows without a level
    indicators[::7, 5 : 5 + len(levels[1].rules)] = 0.0
    design = LevelDesign(rows.logits, codes, np.array([len(one.rules) for one in levels]))
    A = np.column_stack((np.ones(300), rows.logits, indicators))
    monkeypatch.setattr(variance_components, "ROWS", 128)
    for _ in range(2):  # the second time with blocks that were kept
        np.testing.assert_allclose(design.gram(rows.variances), A.T @ (rows.variances[:, None] * A), atol=1e-10)
    np.testing.assert_allclose(design.sums(rows.residuals), A.T @ rows.residuals, atol=1e-10)
    theta = np.random.default_rng(0).normal(size=A.shape[1])
    np.testing.assert_allclose(design.predict(theta), A @ theta, atol=1e-12)


def test_columns_without_signal_vanish_and_others_are_found():
    X, p, y = labelled(4000, offset=1.0)
    X |= {f"noise {k}": np.random.default_rng(k).normal(size=4000) for k in range(6)}
    offsets = fot.segments.SegmentOffsets().fit(X, y, scores=p)
    assert offsets.spreads_["age"] > 0.3 < offsets.spreads_["city"]
    assert sum(spread == 0.0 for spread in offsets.spreads_.values()) >= 3
    assert max(spread for name, spread in offsets.spreads_.items() if "noise" in name) < 0.15
    found = {str(rule): u for rule, u in zip(offsets.map_.rules, offsets.map_.offsets, strict=True)}
    assert found["city = Oslo"] - found["city = Bern"] == pytest.approx(-1.0, abs=0.25)
    assert set(offsets.map_.features) == {name for name, spread in offsets.spreads_.items() if spread > 0}


def test_calibrated_scores_are_hardly_moved():
    rng = np.random.default_rng(5)
    X, p, _ = labelled(3000)
    y = rng.random(3000) < p
    offsets = fot.segments.SegmentOffsets().fit(X, y, scores=p)
    assert np.abs(offsets.predict_proba(X, scores=p)[:, 1] - p).mean() < 0.02


def test_separated_labels_have_finite_offsets():
    X = {"a": np.repeat(["x", "y"], 50)}
    offsets = fot.segments.SegmentOffsets().fit(X, np.repeat([0, 1], 50))
    assert np.isfinite(offsets.map_.offsets).all()
    q = offsets.predict_proba({"a": ["x", "y", "z", None]})[:, 1]
    assert q[0] < 0.05
    assert q[1] > 0.95
    assert q[2] == q[3]


def test_without_a_column_to_speak_of_it_is_a_logistic_line():
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    y = rng.random(2000) < sigmoid(0.5 + 0.7 * np.log(p / (1 - p)))
    offsets = fot.segments.SegmentOffsets().fit(np.ones((2000, 1)), y, scores=p)
    platt = fot.families.make("platt").fit(p, y)
    assert offsets.map_.rules == ()
    np.testing.assert_allclose(
        (offsets.map_.intercept, offsets.map_.slope), (platt.intercept_, platt.slope_), atol=3e-3
    )


def test_scores_of_exactly_0_and_1_do_not_decide_the_slope():
    X, p, y = labelled(2000)
    odd = p.copy()
    odd[:5], y[:5] = 0.0, 1.0
    offsets = fot.segments.SegmentOffsets().fit(X, y, scores=odd)
    assert offsets.map_.reach == pytest.approx(np.abs(np.log(p[5:] / (1 - p[5:]))).max() + 1.0)
    assert offsets.map_.slope == pytest.approx(fot.segments.SegmentOffsets().fit(X, y, scores=p).map_.slope, abs=0.15)


def test_labels_of_three_classes_are_named_and_those_of_weight_0_are_absent():
    rng = np.random.default_rng(0)
    y, p, X = rng.integers(0, 3, 300), rng.random(300), {"a": rng.choice(["f", "m"], 300)}
    with pytest.raises(ValueError, match=r"y must have two classes for SegmentOffsets, .* got 3 classes"):
        fot.segments.SegmentOffsets().fit(X, y, scores=p)
    here = y != 1
    part = fot.segments.SegmentOffsets().fit({"a": X["a"][here]}, y[here], scores=p[here])
    found = fot.segments.SegmentOffsets().fit(X, y, here.astype(float), scores=p)
    assert found.classes_.tolist() == [0, 2]
    np.testing.assert_array_equal(found.predict_proba(X, scores=p), part.predict_proba(X, scores=p))


@pytest.mark.parametrize("sizes", [(30,), (3, 40), (12, 9, 25)])
def test_counted_products_of_many_levels_are_those_of_the_design(sizes, monkeypatch):
    rng = np.random.default_rng(0)
    codes = np.stack([rng.integers(-1, size, 500) for size in sizes], axis=1)
    v = rng.random(500)
    design = LevelDesign(rng.normal(size=500), codes, np.array(sizes))
    found = design.gram(v)
    monkeypatch.setattr(variance_components, "MANY", np.inf)
    np.testing.assert_allclose(found, design.gram(v), rtol=1e-12, atol=1e-12)
    full = np.concatenate(
        [
            np.stack([np.ones(500), design.x], axis=1),
            *(np.eye(k + 1)[c][:, :-1] for c, k in zip(codes.T, sizes, strict=True)),
        ],
        axis=1,
    )
    np.testing.assert_allclose(found, full.T * v @ full, rtol=1e-12, atol=1e-12)


def test_a_system_that_is_not_definite_by_rounding_is_solved_all_the_same():
    rng = np.random.default_rng(0)
    root = rng.normal(size=(6, 9))
    matrix, right = root @ root.T, rng.normal(size=6)
    for given in (matrix, np.diag([1.0, -1e-9, 2.0])):
        solution, diagonal = solved(given, right[: len(given)])
        np.testing.assert_allclose(solution, np.linalg.solve(given, right[: len(given)]), rtol=1e-9)
        np.testing.assert_allclose(diagonal, np.linalg.inv(given).diagonal(), rtol=1e-9)
