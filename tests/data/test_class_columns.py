"""Matching columns of scores with classes by their names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fitontest as fot
from fitontest.data.class_columns import classes_by_name

CLASSES = ["cat", "ant", "bee", "dog"]


def scored(n=600, seed=0):
    """Return calibrated scores whose columns stand in the order of CLASSES, and labels."""
    rng = np.random.default_rng(seed)
    P = rng.dirichlet([0.4] * 4, n)
    return P, np.array(CLASSES)[(rng.random(n)[:, None] > P.cumsum(axis=1)[:, :3]).sum(axis=1)]


@pytest.mark.parametrize(
    ("columns", "labels", "classes"),
    [
        (["p_cat", "p_ant"], ["ant", "cat"], ["cat", "ant"]),
        (["p_cat", "p_car"], ["car", "cat"], ["cat", "car"]),  # the longest common prefix is p_ca
        (["cat", "ant"], ["ant", "cat"], ["cat", "ant"]),
        (["cat_score", "hat_score"], ["cat", "hat"], ["cat", "hat"]),
        (["model cat, %", "model hat, %"], ["cat", "hat"], ["cat", "hat"]),  # both share "at" with the suffix
        (["p_2", "p_0", "p_1"], [0, 1, 2], [2, 0, 1]),
        (["p_2.0", "p_0.0", "p_1.0"], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]),
        (["p1", "p-1"], [-1, 1], [1, -1]),
        (["p True", "p False"], [False, True], [True, False]),
        (["p_cat", "p_ant", "p_dog"], ["ant", "cat"], ["cat", "ant", "dog"]),  # no dog occurs
        (["p_10", "p_0", "p_1"], [0, 10], [10, 0, 1]),
        (["p0", "p1", "p2"], [0, 2], [0, 1, 2]),
        (["a", "b"], ["cat", "dog"], None),
        (["p_cat", "q_dog"], ["cat", "dog"], None),
        (["Cat", "Dog"], ["cat", "dog"], None),
        (["p_cat", "p_cat"], ["cat", "dog"], None),
        (["p_cat"], ["cat", "dog"], None),
        (["p_10", "p_11", "p_12"], [0, 1], None),  # not 1 | 0, 1 | 1, 1 | 2
        (["p_one", "p_1", "p_0"], [0, 1], None),
        (["bobcat", "tomcat", "muscat"], ["bob", "tom"], None),
        (["", "a"], ["a", "b"], None),
    ],
)
def test_names_say_the_classes(columns, labels, classes):
    assert classes_by_name(columns, labels) == classes


def test_many_long_names_are_matched_at_once():
    labels = [f"class number {k}" for k in range(1000)]
    columns = [f"{'probability of the ' * 20}{label}" for label in reversed(labels)]
    assert classes_by_name(columns, labels) == labels[::-1]


@pytest.mark.parametrize("spelt", ["p_{}", "{}", "{} (share)"])
@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_are_read_by_name(spelt, frame):
    P, y = scored()
    order = np.argsort(CLASSES)
    right = fot.calibration_error(y, P[:, order], reduction="confidence", family="platt")
    named = frame(dict(zip(map(spelt.format, CLASSES), P.T, strict=True)))
    with pytest.warns(fot.CalibrationWarning, match="the columns of y_prob are read by their names: ") as caught:
        found = fot.calibration_error(y, named, reduction="confidence", family="platt")
    assert float(found) == float(right)
    assert len(caught) == 1
    assert f"{spelt.format('cat')!r} is class 'cat'" in str(caught[0].message)


def test_names_in_sorted_order_need_no_note(recwarn):
    P, y = scored()
    order = np.argsort(CLASSES)
    named = pd.DataFrame(P[:, order], columns=[f"p_{CLASSES[k]}" for k in order])
    fot.calibration_error(y, named, reduction="confidence", family="platt")
    assert not recwarn.list


def test_classes_that_do_not_occur_have_their_column():
    P, y = scored()
    some = y != "bee"
    named = pd.DataFrame(P[some], columns=[f"p_{one}" for one in CLASSES])
    with pytest.warns(fot.CalibrationWarning, match="'p_bee' is class 'bee'"):
        found = fot.gce(y[some], named, reduction="classwise")
    assert list(found.classes) == CLASSES
    assert found["bee"].base_rate == 0


def test_texts_need_names_or_labels():
    P, y = scored()
    named = pd.DataFrame(P, columns=list("wxyz"))
    for call in (
        lambda given: fot.calibration_error(y, given, reduction="confidence", family="platt"),
        lambda given: fot.check_calibration(y, given, max_error=0.1, reduction="classwise", family="platt"),
        lambda given: fot.evaluate(y, given, reduction="canonical", families=["temperature"]),
    ):
        with pytest.raises(
            ValueError, match=r"y_prob must have columns that are called after the classes.* unless lab"
        ):
            call(named)
    with pytest.raises(ValueError, match="P must have columns that are called after the classes"):
        fot.families.Vector().fit(named, y)
    labelled = fot.calibration_error(y, named, reduction="confidence", family="platt", labels=CLASSES)
    bare = fot.calibration_error(y, P, reduction="confidence", family="platt", labels=CLASSES)
    assert float(labelled) == float(bare)


@pytest.mark.parametrize("read", [pd.DataFrame, pl.DataFrame, np.asarray])
def test_columns_without_names_stand_in_sorted_order(read):
    P, y = scored()
    order = np.argsort(CLASSES)
    found = fot.calibration_error(y, read(P[:, order]), reduction="confidence", family="platt")
    assert float(found) == float(fot.calibration_error(y, P[:, order], reduction="confidence", family="platt"))
    turned = fot.calibration_error(y, read(P), reduction="confidence", family="platt", labels=CLASSES)
    assert float(turned) == pytest.approx(float(found), abs=1e-9)


def test_numbers_with_other_names_stand_in_sorted_order():
    P, y = scored()
    codes = np.searchsorted(sorted(CLASSES), y)
    order = np.argsort(CLASSES)
    named = pd.DataFrame(P[:, order], columns=list("wxyz"))
    found = fot.calibration_error(codes, named, reduction="confidence", family="platt")
    assert float(found) == float(fot.calibration_error(codes, P[:, order], reduction="confidence", family="platt"))


def test_a_family_keeps_the_order_of_the_columns():
    P, y = scored()
    named = pd.DataFrame(P, columns=[f"p_{one}" for one in CLASSES])
    with pytest.warns(fot.CalibrationWarning, match="the columns of P are read by their names"):
        family = fot.families.Vector().fit(named, y)
    assert family.classes_.tolist() == CLASSES
    np.testing.assert_array_equal(family.predict_proba(named), family.predict_proba(P))
    with pytest.raises(ValueError, match=r"P must have its columns in the order of the classes, .*got .*'p_ant'"):
        family.predict_proba(named.iloc[:, ::-1])
    with pytest.raises(ValueError, match="P must have its columns in the order of the classes"):
        family.map_(named.iloc[:, ::-1])


def test_labels_of_a_frame_must_agree_with_the_names():
    P, y = scored()
    columns = [f"p_{one}" for one in CLASSES]
    frame = pd.DataFrame(P, columns=columns).assign(y=y)
    with pytest.raises(ValueError, match="prob must have its columns in the order of the classes"):
        fot.Cells.of_frame(frame, label="y", prob=columns, labels=sorted(CLASSES), reduction="confidence")
    cells = fot.Cells.of_frame(frame, label="y", prob=columns, labels=CLASSES, reduction="confidence")
    share = np.mean(np.array(CLASSES)[P.argmax(axis=1)] == y)
    assert cells.sample().base_rate == pytest.approx(share)


@pytest.mark.parametrize("names", [["true", "false"], ["p_TRUE", "p_FALSE"], ["True", "False"]])
def test_booleans_are_matched_however_they_are_written(names):
    assert classes_by_name(names, [False, True]) == [True, False]
    assert classes_by_name([*names[::-1]], [True]) == [False, True]
