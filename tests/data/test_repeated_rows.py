"""Rows that a join has repeated, and ties that are none."""

import numpy as np
import pytest

import fitontest as fot
from fitontest.data.repeated_rows import Repeats

pytestmark = pytest.mark.multiplies

TOLD = "rows look like copies: they repeat a score and its label"


def joined(n=1000, values=200, seed=0):
    """Return calibrated scores of some rows, drawn again and again."""
    rng = np.random.default_rng(seed)
    p = rng.random(values)
    y = (rng.random(values) < p).astype(int)
    rows = rng.integers(0, values, n)
    return y[rows], p[rows]


def are_copies(y, p, w=None):
    return Repeats.of(fot.ScoreSample(y, p, w)).are_copies


@pytest.mark.parametrize(("n", "values"), [(200, 100), (1000, 200), (1000, 500), (100_000, 20_000)])
def test_copies_are_found(n, values):
    y, p = joined(n, values)
    assert are_copies(y, p)
    assert are_copies(y, p.astype(np.float32))
    assert are_copies(y, p, np.full(n, 0.5))


def test_some_copies_among_other_rows():
    y, p = joined(300, 150)
    rng = np.random.default_rng(1)
    q = rng.random(1000)
    found = Repeats.of(fot.ScoreSample(np.r_[y, rng.random(1000) < q], np.r_[p, q]))
    assert found.are_copies
    assert (found.n, found.repeated) == (1300, sum(np.isin(p, [one for one in p if np.sum(p == one) > 1])))
    few = Repeats.of(fot.ScoreSample(np.r_[y, rng.random(10_000) < 0.5], np.r_[p, rng.random(10_000)]))
    assert not few.are_copies


@pytest.mark.parametrize(
    "made",
    [
        lambda p: p,
        lambda p: p.round(2),
        lambda p: p.round(6),
        lambda p: p.astype(np.float16).astype(float),
        lambda p: p.astype(np.float32),
        lambda p: np.rint(p * 7) / 7,
        lambda p: np.rint(p * 299) / 299,
        lambda p: 1 / (1 + np.exp(-np.round(np.log(p / (1 - p)), 2))),
        lambda p: np.random.default_rng(1).permuted(np.linspace(0.01, 0.99, 80) ** 2)[(p * 80).astype(int)],
        lambda p: 0.4 + 0.2 * np.rint(p * 99) / 99,  # far underconfident: most labels of a value agree
    ],
    ids=["distinct", "2", "6", "float16", "float32", "sevenths", "k of 299", "logits", "leaves", "timid"],
)
@pytest.mark.parametrize("n", [200, 2000, 50_000])
def test_ties_of_independent_rows_are_no_copies(made, n):
    for seed in range(10):
        rng = np.random.default_rng(seed)
        p = rng.random(n)
        assert not are_copies((rng.random(n) < p).astype(int), np.clip(made(p), 0, 1))


def test_maps_of_blocks_make_no_copies():
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    y = (rng.random(2000) < p**2).astype(int)
    for family in (fot.Isotonic(), fot.Slope1(), fot.Flat(20)):
        assert not are_copies(y, np.clip(family.fit(p, y).predict(p), 0, 1))


@pytest.mark.parametrize("digits", [4, 6, 9])
def test_copies_in_mixed_order_are_found_whatever_the_digits(digits):
    y, p = joined(1200, 300)
    assert are_copies(y, p.round(digits))
    assert are_copies(y, p.round(digits).astype(np.float32))
    one_flipped = np.where(np.arange(1200) % 40 == 0, 1 - y, y)  # the labels of most values are not one any more
    assert not are_copies(one_flipped, p.round(digits))


def test_labels_that_hardly_vary_tell_nothing():
    p = joined()[1]
    assert not are_copies(np.r_[np.zeros(999), 1], p)
    assert not are_copies((p > 0.5).astype(int), p)


def test_cells_do_not_know_their_rows():
    y, p = joined()
    assert Repeats.of(fot.Cells.of(y, p).sample()).repeated == 0


def test_what_weights_are_taken_to_count_may_be_copies():
    rng = np.random.default_rng(0)
    p, w = rng.random(300), rng.integers(1, 6, 300)
    y, positive = (rng.random(300) < p).astype(int), rng.binomial(w, p)
    for weights, copies in (("auto", True), ("counts", False), ("importances", False)):
        sample = fot.ScoreSample(y, p, w, weights=weights)
        assert Repeats.of(sample).are_copies == copies
        assert not Repeats.of(sample).note  # it is said with the weights
        if copies:
            assert "whose labels agree as those of copies do" in str(sample.weighting)
    several = fot.ScoreSample(np.repeat([1, 0], 300), np.tile(p, 2), np.concatenate((positive, w - positive)))
    assert not Repeats.of(several).are_copies
    assert not Repeats.of(fot.ScoreSample(y, p.round(2), w)).are_copies  # two digits tell nothing


def test_oversampled_positives_are_copies():
    rng = np.random.default_rng(0)
    p = rng.random(1500)
    y = (rng.random(1500) < p).astype(int)
    rows = np.concatenate((np.arange(1500), rng.choice(np.flatnonzero(y), 300)))
    assert are_copies(y[rows], p[rows])
    assert not are_copies(y, p)


CALLS = {
    "evaluate": lambda y, p: fot.evaluate(y, p, families=["platt", "isotonic"]),
    "error": lambda y, p: fot.calibration_error(y, p, family="platt", interval="always", level=0.9),
    "null": lambda y, p: fot.evaluate(y, p, measures=["ece"], null_draws=20),
    "gate": lambda y, p: fot.check_calibration(y, p, max_error=0.1, family="platt"),
    "gate of segments": lambda y, p: fot.check_calibration(y, p, max_error=0.1, family="platt", by=p > 0.5),
    "segments": lambda y, p: fot.evaluate(y, p, families=["platt"], by=p > 0.5),
    "models": lambda y, p: fot.compare_errors(y, p, p**1.1),
    "calibrators": lambda y, p: fot.compare_calibrators(y, p, families=["platt"], evaluators=[]),
    "report": lambda y, p: fot.report(y, p, families=["platt"]),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_copies_are_told_once_where_there_is_an_interval(call):
    y, p = joined()
    with pytest.warns(fot.CalibrationWarning, match=TOLD) as caught:
        call(y, p)
    told = [str(one.message) for one in caught if TOLD in str(one.message)]
    assert len(told) == 1
    assert " of 1,000 rows look like copies" in told[0]


@pytest.mark.parametrize("reduction", ["confidence", "classwise", "canonical"])
def test_copies_of_several_classes_are_told_once(reduction):
    rng = np.random.default_rng(0)
    P = rng.dirichlet([1, 1, 1], 300)
    y = (rng.random(300)[:, None] > P.cumsum(axis=1)[:, :2]).sum(axis=1)
    rows = np.repeat(np.arange(300), 2)
    with pytest.warns(fot.CalibrationWarning, match=f"300 of 600 {TOLD}") as caught:
        fot.evaluate(y[rows], P[rows], reduction=reduction, families=["temperature"], null_draws=20)
    assert sum(TOLD in str(one.message) for one in caught) == 1


def test_an_estimate_alone_needs_no_note(recwarn):
    y, p = joined()
    fot.calibration_error(y, p, family="platt")
    assert not recwarn.list
