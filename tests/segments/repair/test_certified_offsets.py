"""Certified offsets: segments that stand out, and nothing where nothing can be said."""

import numpy as np
import pytest

import fitontest as fot
from tests.segments.features.problems import labelled, mixed


def test_segments_are_found_and_told():
    X, p, y = labelled(3000, offset=1.2)
    found = fot.segments.CertifiedOffsets(draws=99).fit(X, y, scores=p)
    assert found.notes_ == ()
    assert found.map_.rules == tuple(segment.rule for segment in found.segments_)
    np.testing.assert_array_equal(found.map_.offsets, [segment.offset for segment in found.segments_])
    assert {name for segment in found.segments_ for name in segment.rule.columns} >= {"age", "city"}
    assert all(segment.p_value <= 0.05 for segment in found.segments_)
    assert len(fot.segments.CertifiedOffsets(draws=99, most=1).fit(X, y, scores=p).segments_) == 1


def test_calibrated_scores_are_seldom_touched():
    touched = 0
    for seed in range(24):
        rng = np.random.default_rng([seed, 3])
        X, p = mixed(200, seed), rng.random(200)
        found = fot.segments.CertifiedOffsets(draws=39, level=0.95).fit(X, rng.random(200) < p, scores=p)
        touched += len(found.segments_) > 0
    assert touched <= 5


def test_labels_of_groups_are_drawn_together_and_too_few_groups_say_nothing():
    rng = np.random.default_rng(0)
    X, p = mixed(800), rng.uniform(0.2, 0.8, 800)
    group = np.arange(800) // 40
    X["ward"] = (group % 2 == 0).astype(float)
    shift = rng.normal(size=20)[group]
    y = rng.random(800) < 1 / (1 + np.exp(-np.log(p / (1 - p)) - shift))
    alone = fot.segments.CertifiedOffsets(draws=99).fit(X, y, scores=p)
    together = fot.segments.CertifiedOffsets(draws=99).fit(X, y, scores=p, groups=group)
    assert len(together.segments_) < len(alone.segments_)
    few = fot.segments.CertifiedOffsets(draws=99).fit(X, y, scores=p, groups=group // 7)
    assert few.segments_ == ()
    assert few.notes_[0].startswith("Nothing was looked for: dependence cannot be learnt from fewer than")
    np.testing.assert_allclose(few.predict_proba(X, scores=p)[:, 1], p, rtol=1e-12)


def test_without_a_condition_nothing_is_looked_for():
    found = fot.segments.CertifiedOffsets().fit(np.ones((50, 2)), np.arange(50) % 2)
    assert found.segments_ == ()
    assert found.notes_ == ("No column has a condition with enough rows to be tested.",)


def test_many_columns_are_chosen_by_half_of_the_rows():
    rng = np.random.default_rng(0)
    X, p = rng.normal(size=(600, 70)), rng.random(600)
    y = rng.random(600) < 1 / (1 + np.exp(-np.log(p / (1 - p)) - 2.0 * (X[:, 50] > 0)))
    found = fot.segments.CertifiedOffsets(draws=39).fit(X, y, scores=p)
    assert any("chosen by one half of the rows" in note for note in found.notes_)
    assert "x50" in found.segments_[0].rule.columns
    assert found.segments_[0].n < 300


@pytest.mark.parametrize("seed", [0, np.random.RandomState(3)])
def test_any_seed_is_taken(seed):
    X, p, y = labelled(300)
    assert fot.segments.CertifiedOffsets(draws=19, random_state=seed).fit(X, y, scores=p).map_.slope == 1.0
