"""Rows of a score for each class: ties of the largest score, and rows that do not add up to 1, on every way in."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import softmax

import fitontest as fot
from fitontest.data.class_rows import ClassRows

pytestmark = pytest.mark.multiplies

NAMES = ["a", "b", "c", "d"]


def votes(n=400, voters=6, k=4, seed=0):
    """Return (y, P, w): shares of few votes, of which many are tied, labels, and weights that count."""
    rng = np.random.default_rng(seed)
    P = rng.multinomial(voters, [0.4, 0.3, 0.2, 0.1][:k], n) / voters
    return np.array(NAMES)[rng.integers(0, k, n)], P, rng.integers(0, 4, n).astype(float)


def tied(P):
    return (P.max(axis=1, keepdims=True) == P).sum(axis=1) > 1


def right_by_hand(y, P):
    """Return how often each row is right if one of its largest scores is drawn by chance."""
    shares = []
    for label, row in zip(y, P.tolist(), strict=True):
        best = [name for name, score in zip(NAMES, row, strict=False) if score == max(row)]
        shares.append((label in best) / len(best))
    return np.array(shares)


def rates_at(sample):
    """Return the weight and the rate of each distinct score."""
    distinct = sample.distinct
    return dict(
        zip(
            distinct.p.tolist(), zip(distinct.w.tolist(), (distinct.wy / distinct.w).tolist(), strict=True), strict=True
        )
    )


@pytest.mark.parametrize("weighted", [False, True])
def test_ties_are_taken_in_expectation(weighted):
    y, P, w = votes()
    weights = w if weighted else None
    sample = fot.read(y, P, sample_weight=weights, reduction="confidence")
    right, top, w = right_by_hand(y, P), P.max(axis=1), w if weighted else np.ones(400)
    assert sample.base_rate == pytest.approx(np.average(right, weights=w), abs=1e-12)
    assert (sample.n, sample.total) == (np.count_nonzero(w), pytest.approx(w.sum()))
    for score, (weight, rate) in rates_at(sample).items():
        rows = top == score
        assert (weight, rate) == pytest.approx((w[rows].sum(), np.average(right[rows], weights=w[rows])), abs=1e-12)
    assert fot.gce(sample).evidence.table.n.sum() == sample.n
    error = fot.calibration_error(sample, family=fot.Slope1(1), interval=None)
    assert float(error) == pytest.approx(abs(np.average(right - top, weights=w)), abs=1e-12)


def test_an_average_over_all_ways_to_break_ties():
    """The rate at each score is the mean over random breaks, which no single break has."""
    y, P, _ = votes(60, seed=1)
    top, rng = P.max(axis=1), np.random.default_rng(0)
    drawn = []
    for _ in range(4000):
        noise = rng.random(P.shape)
        drawn.append(np.mean(np.array(NAMES)[np.where(top[:, None] == P, noise, -1.0).argmax(axis=1)] == y))
    rate = fot.read(y, P, reduction="confidence").base_rate
    assert rate == pytest.approx(np.mean(drawn), abs=4 * np.std(drawn) / 4000**0.5)


@given(order=st.permutations(range(4)), seed=st.integers(0, 50), weighted=st.booleans())
def test_no_order_of_columns_or_rows_changes_anything(order, seed, weighted):
    y, P, w = votes(40, seed=seed)
    weights = w if weighted else None
    first = fot.read(y, P, sample_weight=weights, reduction="confidence", labels=NAMES)
    rows = np.random.default_rng(seed).permutation(40)
    again = fot.read(
        y[rows],
        P[rows][:, order],
        sample_weight=None if weights is None else w[rows],
        reduction="confidence",
        labels=[NAMES[k] for k in order],
    )
    assert rates_at(again) == rates_at(first)
    assert (again.n, again.class_rows) == (first.n, first.class_rows)


def test_what_is_printed_of_ties():
    y, P, _ = votes()
    evaluation = fot.evaluate(y, P, reduction="confidence", families=["platt"])
    count = int(tied(P).sum())
    note = f"{count} of 400 rows have several largest scores: each of these classes is predicted in an equal share"
    assert note in " ".join(str(evaluation.table()).split())
    assert note in evaluation["platt"].note
    assert "importances" not in str(evaluation.table())  # nobody gave weights
    assert evaluation["platt"].n == 400
    assert evaluation["platt"].to_dict()["weights"] is None
    untied = fot.evaluate(y[~tied(P)], P[~tied(P)], reduction="confidence", families=["platt"])
    assert "largest scores" not in str(untied.table())


def test_segments_and_groups_are_split_as_their_rows_alone_would_be():
    y, P, _ = votes()
    region, groups = np.repeat(["n", "s"], 200), np.arange(400) // 4
    data = fot.read(y, P, reduction="confidence", by=region, groups=groups)
    for name in ("n", "s"):
        part = region == name
        alone = fot.read(y[part], P[part], reduction="confidence", groups=groups[part])
        assert rates_at(data[name]) == rates_at(alone)
        assert (data[name].n, alone.n) == (200, 200)
        assert len(alone.groups) == 50
    assert data.whole.base_rate == pytest.approx(right_by_hand(y, P).mean())


def test_each_predicted_class_has_its_share_of_a_row():
    y, P, _ = votes()
    samples = fot.read(y, P, reduction="classwise").whole.by_predicted()
    assert sum(sample.total for sample in samples.values()) == pytest.approx(400)
    right = sum(sample.total * sample.base_rate for sample in samples.values())
    assert right == pytest.approx(right_by_hand(y, P).sum())
    only_one = fot.read(y[~tied(P)], P[~tied(P)], reduction="classwise").whole.by_predicted()
    assert all(sample.unit for sample in only_one.values())


def test_cells_hold_shares_of_rows_and_add_up():
    y, P, _ = votes()
    frame = pd.DataFrame(P, columns=NAMES).assign(y=y)
    columns = {"label": "y", "prob": NAMES, "labels": NAMES, "reduction": "confidence", "exact": True}
    cells = fot.Cells.of_frame(frame, **columns)
    sample = fot.read(y, P, reduction="confidence")
    assert (cells.n, cells.base_rate) == (400, pytest.approx(sample.base_rate))
    assert float(fot.gce(cells)) == pytest.approx(float(fot.gce(sample)), abs=1e-12)
    both = fot.Cells.of_frame(frame[:150], **columns) + fot.Cells.of_frame(frame[150:], **columns)
    assert both.sums.class_rows == cells.sums.class_rows == sample.class_rows
    np.testing.assert_allclose(both.sums.rows, cells.sums.rows, rtol=0, atol=1e-9)
    again = fot.Cells.from_json(cells.to_json())
    assert (again.n, again.sums.class_rows) == (400, sample.class_rows)
    assert fot.Cells.from_frame(cells.to_frame(), exact=True, whole=False).n == 400
    assert "largest scores" in fot.calibration_error(cells, family="platt").note
    with pytest.raises(ValueError, match="class_rows must hold counts of rows that fit each other"):
        fot.Cells.from_json(cells.to_json().replace('"tied": ', '"tied": 9'))


def test_a_monitor_takes_ties_from_arrays_frames_and_cells():
    y, P, _ = votes()
    frame = pd.DataFrame(P, columns=NAMES).assign(y=y)
    columns = {"label": "y", "prob": NAMES, "labels": NAMES, "reduction": "confidence"}
    evidence = []
    for columns_of in (
        (y, P),
        (y, P[:, ::-1]),
        (fot.Cells.of_frame(frame, **columns),),
        (fot.read(y, P, reduction="confidence"),),
    ):
        turned = len(evidence) == 1
        monitor = fot.monitor.Monitor(reduction="confidence", labels=NAMES[::-1] if turned else NAMES)
        evidence.append(monitor.update(*columns_of).log_e)
    assert evidence == pytest.approx([evidence[0]] * 4, abs=1e-9)


def test_what_counts_row_by_row_says_why_it_is_refused():
    y, P, _ = votes()
    with pytest.raises(ValueError, match="a significance test counts rows; got rows are split between tied classes"):
        fot.tce(y, P, reduction="confidence")
    with pytest.raises(ValueError, match=r"debias must be False .* rows are split between tied classes"):
        fot.calibration_error(y, P, reduction="confidence", family="slope1", debias=True)
    with pytest.raises(
        ValueError, match=r"p1 must have one largest score in each row .*; \d+ of 400 rows have several"
    ):
        fot.compare_errors(y, P, P, reduction="confidence")


OFF = {
    "odds": (lambda P: 1.05 * P, "(1.05 in each): are they inverses of odds, with the margin of a bookmaker?"),
    "half": (lambda P: P / 2, "(0.500 in each): are they probabilities of all classes, or times a constant?"),
    "axis": (lambda P: softmax(np.log(P), axis=0), "each column does, as of a softmax over the wrong axis"),
    "part": (lambda P: softmax(np.log(P), axis=0)[:150], "or was a softmax taken over the wrong axis?"),
    "left out": (lambda P: P[:, :3], "is a class left out, "),
    "sigmoids": (lambda P: 1 / (1 + np.exp(-3 - np.log(P))), "are they scores of each class by itself"),
}  # fmt: skip


def smooth(n=300, seed=0):
    rng = np.random.default_rng(seed)
    P = rng.dirichlet(np.ones(4), n)
    return np.array(NAMES)[(P.cumsum(axis=1) > rng.random((n, 1))).argmax(axis=1)], P


@pytest.mark.parametrize(("off", "message"), OFF.values(), ids=OFF)
@pytest.mark.parametrize("reduction", ["confidence", "classwise"])
def test_rows_that_do_not_add_up(off, message, reduction):
    y, P = smooth()
    Q = off(P)
    y, labels = y[: len(Q)], NAMES[: Q.shape[1]]
    Q, y = Q[np.isin(y, labels)], y[np.isin(y, labels)]
    with pytest.warns(fot.CalibrationWarning, match="rows do not add up to 1") as caught:
        error = fot.gce(y, Q, reduction=reduction, labels=labels)
    assert message in str(caught[0].message)
    assert message in error.note
    frame = pd.DataFrame(Q, columns=labels).assign(y=y)
    with pytest.warns(fot.CalibrationWarning, match="rows do not add up to 1"):
        cells = fot.Cells.of_frame(frame, label="y", prob=labels, labels=labels, reduction=reduction)
    assert "rows do not add up to 1" in fot.gce(cells, reduction=None).note
    with pytest.warns(fot.CalibrationWarning, match="rows do not add up to 1"):
        fot.monitor.Monitor(reduction=reduction, labels=labels).update(y, Q)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "change",
    [
        lambda P: P,
        lambda P: P.round(2),
        lambda P: P.astype(np.float32),
        lambda P: np.vstack((P[:-9] / P[:-9].sum(1)[:, None], P[-9:] / 2)),
    ],
)
def test_rows_that_add_up_but_for_rounding_or_a_few(change):
    y, P = smooth()
    for reduction in ("confidence", "classwise"):
        assert "add up" not in (fot.gce(y, change(P), reduction=reduction).note or "")


def test_parts_add_up():
    rng = np.random.default_rng(0)
    P = rng.random((30, 3))
    whole, parts = ClassRows.of(P), ClassRows.of(P[:7]) + ClassRows.of(P[7:])
    assert parts == whole
    assert ClassRows.of(P, np.repeat([0.0, 1.0], 15)).n == 15
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ClassRows.of(np.full((3, 2), 0.5)).warn()
