"""Columns in a wrong order: where another one is far more accurate."""

import numpy as np
import pandas as pd
import pytest

import fitontest as fot
from fitontest.data.column_permutation import find_better_order

pytestmark = pytest.mark.multiplies

FAR = "another order of the columns of y_prob is far more accurate"


def calibrated(n, n_classes, sharpness, seed=0):
    rng = np.random.default_rng(seed)
    P = np.exp(sharpness * rng.standard_normal((n, n_classes)))
    P /= P.sum(axis=1, keepdims=True)
    return (rng.random(n)[:, None] > P.cumsum(axis=1)[:, :-1]).sum(axis=1), P


def confusion(y, P):
    K = P.shape[1]
    return np.bincount(y * K + P.argmax(axis=1), minlength=K * K).reshape(K, K)


@pytest.mark.parametrize("n_classes", [2, 3, 10, 100])
@pytest.mark.parametrize("n", [100, 1000])
def test_a_wrong_order_is_found(n, n_classes):
    y, P = calibrated(n, n_classes, 12.0)
    assert find_better_order(confusion(y, P)) is None
    turned = np.roll(np.arange(n_classes), 1)
    order = find_better_order(confusion(y, P[:, turned]))
    assert order is not None
    if n > 10 * n_classes:
        np.testing.assert_array_equal(order, turned)


@pytest.mark.parametrize("n_classes", [2, 3, 10, 100])
@pytest.mark.parametrize("n", [20, 50, 100, 1000])
@pytest.mark.parametrize("sharpness", [0.0, 0.3, 1.0, None])
def test_inaccurate_scores_are_no_wrong_order(n, n_classes, sharpness):
    for seed in range(20):
        y, P = calibrated(n, n_classes, sharpness or 1e-9, seed)
        if sharpness is None:  # labels that the scores know nothing of
            y = np.random.default_rng(seed + 100).integers(0, n_classes, n)
        assert find_better_order(confusion(y, P)) is None


def test_scores_trained_on_balanced_classes_are_no_wrong_order():
    """Of rare positives, 90 % are found, and 70 % of the others are called positive: swapped, .69 would be right."""
    counts = np.array([[2850, 6650], [50, 450]])
    assert counts.trace() / counts.sum() < 0.34
    assert find_better_order(counts) is None
    assert find_better_order(counts[:, ::-1]) is None
    assert find_better_order(np.array([[900, 8600], [450, 50]])).tolist() == [1, 0]


def test_columns_of_no_row_stay_where_they_are():
    counts = np.zeros((5, 5), dtype=int)
    counts[0, 1] = counts[1, 0] = 100
    assert find_better_order(counts).tolist() == [1, 0, 2, 3, 4]
    assert find_better_order(np.zeros((3, 3), dtype=int)) is None


@pytest.mark.parametrize("read", [np.asarray, pd.DataFrame, lambda P: pd.DataFrame(P, columns=list("xyz"))])
@pytest.mark.parametrize("reduction", ["confidence", "classwise", "canonical"])
def test_a_wrong_order_is_told_once(read, reduction):
    y, P = calibrated(600, 3, 3.0)
    turned = read(P[:, [1, 2, 0]])
    with pytest.warns(fot.CalibrationWarning) as caught:
        fot.evaluate(y, turned, reduction=reduction, families=["temperature"])
    told = [str(one.message) for one in caught if FAR in str(one.message)]
    assert len(told) == 1
    assert "are they in the order of the classes [0, 1, 2]? They seem to be in that of [1, 2, 0]" in told[0]


def test_a_wrong_order_of_labels_is_told():
    y, P = calibrated(600, 3, 3.0)
    names = np.array(["cat", "ant", "bee"])
    with pytest.warns(fot.CalibrationWarning, match=FAR):
        fot.gce(names[y], P, reduction="confidence")
    with pytest.warns(fot.CalibrationWarning, match=FAR):
        fot.gce(names[y], P, reduction="confidence", labels=["ant", "cat", "bee"])


@pytest.mark.parametrize("by_name", [True, False])
def test_the_right_order_is_told_nothing_of(by_name, recwarn):
    y, P = calibrated(600, 3, 3.0)
    scores = pd.DataFrame(P, columns=["p_0", "p_1", "p_2"]) if by_name else P
    fot.gce(y, scores, reduction="confidence")
    assert not recwarn.list


def test_names_decide_and_may_be_wrong():
    y, P = calibrated(600, 3, 3.0)
    named = pd.DataFrame(P[:, [1, 2, 0]], columns=["p_0", "p_1", "p_2"])
    with pytest.warns(fot.CalibrationWarning, match="another order of the columns of y_prob is far more accurate"):
        error = fot.gce(y, named, reduction="confidence")
    assert float(error) > 0.2


def test_the_gate_and_the_report_tell_once():
    y, P = calibrated(600, 3, 3.0)
    by = np.arange(600) % 2
    for call in (
        lambda: fot.check_calibration(y, P[:, [1, 2, 0]], max_error=0.1, reduction="confidence", by=by, family="platt"),
        lambda: fot.families.Vector().fit(P[:, [1, 2, 0]], y),
    ):
        with pytest.warns(fot.CalibrationWarning) as caught:
            call()
        assert sum("is far more accurate" in str(one.message) for one in caught) == 1
