"""Pandas objects that are read together: indices of the same labels in another order."""

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import fitontest as fot
from fitontest.data.indices import check_same_order

RNG = np.random.default_rng(0)
P = pd.Series(RNG.random(60))
Y = pd.Series((RNG.random(60) < P).astype(int))
X = pd.DataFrame({"a": P, "b": RNG.random(60)})
TURNED = RNG.permutation(60)


def turned(values):
    return values.iloc[TURNED]


def value_of(y, p):
    return fot.measures.SmoothECE().estimate(fot.ScoreSample(y, p)).value


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (lambda: fot.calibration_error(turned(Y), P, family="platt"), "y_true and y_prob"),
        (lambda: fot.calibration_error(Y, P, sample_weight=turned(P), family="platt"), "y_true and sample_weight"),
        (
            lambda: fot.calibration_error(Y.to_numpy(), P, sample_weight=turned(P), family="platt"),
            "y_prob and sample_weight",
        ),
        (lambda: fot.Platt().fit(P, turned(Y)), "y and p"),
        (lambda: fot.gce(turned(Y), pd.concat([1 - P, P], axis=1), reduction="classwise"), "y_true and y_prob"),
        (lambda: fot.families.Vector().fit(pd.concat([1 - P, P], axis=1), turned(Y)), "y and P"),
        (lambda: fot.evaluate(Y, P, by=turned(Y), families=["platt"]), "y_true and by"),
        (lambda: fot.evaluate(Y.to_numpy(), P, by=turned(X).round(), families=["platt"]), "y_prob and by"),
        (lambda: fot.compare_errors(Y.to_numpy(), P, turned(P)), "p1 and p2"),
        (lambda: fot.compare_calibrators(Y, P, families=["platt"], truth=turned(P)), "y_true and truth"),
        (lambda: fot.compare_calibrators(Y, P, families=["platt"], test=(turned(Y), P)), r"test\[0\] and test\[1\]"),
        (lambda: fot.CalibratedClassifier(GaussianNB()).fit(X, turned(Y)), "X and y"),
        (lambda: fot.segments.ProbabilityCalibrationTree().fit(X, turned(Y)), "X and y"),
        (lambda: fot.segments.ProbabilityCalibrationTree().fit(X, Y, scores=turned(P)), "X and scores"),
        (lambda: fot.partitions.assign_average_labels(Y, P, cells=turned(Y)), "y_true and cells"),
    ],
)
def test_rows_in_another_order_are_refused(call, arguments):
    with pytest.raises(ValueError, match=f"{arguments} must have their rows in one order"):
        call()


def test_the_message_says_where_and_how_to_align():
    y = pd.Series([0, 1, 1], index=["a", "b", "c"])
    p = pd.Series([0.1, 0.9, 0.8], index=["a", "c", "b"])
    with pytest.raises(ValueError, match=r"'b' and 'c' at row 2 \(rows counted from 1\)") as caught:
        value_of(y, p)
    assert "pass y_prob.to_numpy(), else align them by y_prob = y_prob.reindex(y_true.index)" in str(caught.value)
    assert value_of(y, p.reindex(y.index)) == value_of([0, 1, 1], [0.1, 0.8, 0.9])
    assert value_of(y, p.to_numpy()) == value_of([0, 1, 1], [0.1, 0.9, 0.8])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pd.RangeIndex(3), pd.Index([4, 0, 2])),
        (pd.RangeIndex(3), pd.Index([0, 0, 3])),  # the same sum
        (pd.RangeIndex(3), pd.RangeIndex(3)),
        (pd.Index([2, 0, 1]), pd.Index([2.0, 0.0, 1.0])),
        (pd.Index(["a", "b", "c"]), pd.RangeIndex(3)),
        (pd.Index([0, 1, 1]), pd.Index([1, 0, 1])),  # which of two rows is meant is not known
        (pd.MultiIndex.from_product([[0], [1, 2, 3]]), pd.RangeIndex(3)),
        (pd.date_range("2020", periods=3), pd.date_range("2021", periods=3)),
    ],
)
def test_indices_that_differ_otherwise_are_as_before(one, other):
    check_same_order(y=pd.Series([0, 1, 1], index=one), p=pd.Series([0.1, 0.5, 0.9], index=other))


@pytest.mark.parametrize(
    "index",
    [
        pd.RangeIndex(3),
        pd.Index([5, 3, 7]),
        pd.Index([0.5, np.nan, 1.5]),
        pd.Index(["a", 1, (2, 3)], tupleize_cols=False),
        pd.MultiIndex.from_product([[0], [1, 2, 3]]),
        pd.date_range("2020", periods=3),
        pd.CategoricalIndex(["a", "b", "c"]),
    ],
)
def test_every_kind_of_index_is_compared(index):
    with pytest.raises(ValueError, match="y and p must have their rows in one order"):
        check_same_order(y=pd.Series([0, 1, 1], index=index), p=pd.Series([0.1, 0.5, 0.9], index=index[::-1]))


def test_what_has_no_index_of_pandas_is_passed_over():
    check_same_order(y=[0, 1], p=(0.1, 0.2), w=None, x=np.arange(2), frame=turned(X))


def test_overlapping_intervals_say_nothing():
    spans = pd.IntervalIndex.from_arrays(np.arange(60), np.arange(60) + 3)
    labels, scores = pd.Series(Y.to_numpy(), index=spans), pd.Series(P.to_numpy(), index=spans)
    assert value_of(labels, turned(scores)) == value_of(labels.to_numpy(), turned(P).to_numpy())
