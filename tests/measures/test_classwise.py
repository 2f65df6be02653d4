"""Errors of several classes: one against the rest, averaged."""

import json

import numpy as np
import pandas as pd
import pytest

import fitontest as fot


def three_classes(n=400, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet([1, 2, 3], n)
    codes = (rng.random(n)[:, None] > np.cumsum(p, axis=1)[:, :2]).sum(axis=1)
    return np.array(["cat", "dog", "eel"])[codes], p


@pytest.mark.parametrize("error", [fot.gce, fot.tce])
def test_it_is_the_mean_of_one_against_the_rest(error):
    y, p = three_classes()
    w = np.random.default_rng(1).integers(0, 3, y.size)
    options = {"sample_weight": w, "null_draws": 0}
    found = error(y, p, reduction="classwise", **options)
    each = [float(error(y == name, p[:, k], **options)) for k, name in enumerate(["cat", "dog", "eel"])]
    assert [float(e) for e in found.classes.values()] == each
    assert float(found) == pytest.approx(np.mean(each), abs=1e-12)
    assert float(found["dog"]) == each[1]
    assert list(found.to_frame()["class"]) == ["cat", "dog", "eel"]
    assert [c["class"] for c in json.loads(json.dumps(found.to_dict(), allow_nan=False))["classes"]] == list(
        found.classes
    )
    assert "mean over 3 classes" in str(found)


def test_labels_name_the_columns():
    y, p = three_classes()
    swapped = fot.gce(y, p[:, [2, 0, 1]], reduction="classwise", labels=["eel", "cat", "dog"])
    assert float(swapped) == pytest.approx(float(fot.gce(y, p, reduction="classwise")))
    some = y != "cat"
    absent = fot.gce(y[some], p[some], reduction="classwise", labels=["cat", "dog", "eel"])
    assert absent["cat"].base_rate == 0
    frame = pd.DataFrame(p, columns=["a", "b", "c"])
    named = fot.gce(pd.Series(y), frame, reduction="classwise", labels=["cat", "dog", "eel"])
    assert float(named) == float(fot.gce(y, p, reduction="classwise"))


def test_null_draws_per_class():
    y, p = three_classes()
    found = fot.tce(y, p, reduction="classwise", null_draws=4)
    assert all(e.null.values.size == 4 for e in found.classes.values())
    assert found.to_frame()["null_mean"].notna().all()
    again = fot.tce(y, p, reduction="classwise", null_draws=4)
    assert again.to_dict() == found.to_dict()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": ["cat", "dog"]}, r"labels must list every class in y_true, got \['cat', 'dog'\] without \['eel'\]"),
        ({"labels": ["cat", "dog", "eel", "fox"]}, "got 3 columns and 4 classes in labels"),
        ({"labels": ["cat", "dog", "eel", "eel"]}, "labels must be distinct"),
        ({"pos_label": "cat"}, "pos_label must be None"),
    ],
)
def test_bad_labels_are_refused(options, message):
    y, p = three_classes()
    with pytest.raises(ValueError, match=message):
        fot.gce(y, p, reduction="classwise", **options)


def test_matrices_are_never_guessed_at():
    y, p = three_classes()
    with pytest.raises(ValueError, match="y_prob must be one column of scores unless reduction is given, got 3"):
        fot.tce(y == "cat", p)
    with pytest.raises(ValueError, match="y_prob must be a matrix"):
        fot.tce(y, p[:, 0], reduction="classwise")
    with pytest.raises(ValueError, match="name the classes of the columns by labels"):
        fot.tce(y[y != "cat"], p[y != "cat"], reduction="classwise")
    two = fot.gce([0, 1, 1], [[0.8, 0.2], [0.4, 0.6], [0.3, 0.7]], reduction="classwise")
    assert len(two.classes) == 2


def test_nan_is_no_class():
    _, p = three_classes(6)
    with pytest.raises(ValueError, match="y_true must be finite"):
        fot.gce([0, 1, np.nan, np.nan, 1, 0], p, reduction="classwise")


def test_columns_named_after_the_classes_are_read_by_their_names():
    y, p = three_classes()
    right = pd.DataFrame(p, columns=["cat", "dog", "eel"])
    assert float(fot.gce(y, right, reduction="classwise")) == float(fot.gce(y, p, reduction="classwise"))
    wrong = right[["dog", "cat", "eel"]]
    with pytest.warns(fot.CalibrationWarning, match="'dog' is class 'dog', 'cat' is class 'cat'"):
        turned = fot.gce(y, wrong, reduction="classwise")
    assert list(turned.classes) == ["dog", "cat", "eel"]
    assert {label: float(turned[label]) for label in turned.classes} == {
        label: float(each) for label, each in fot.gce(y, p, reduction="classwise").classes.items()
    }
    with pytest.raises(ValueError, match="y_prob must have its columns in the order of the classes"):
        fot.gce(y, wrong, reduction="classwise", labels=["cat", "dog", "eel"])
    named = fot.gce(y, wrong, reduction="classwise", labels=["dog", "cat", "eel"])
    assert float(named) == pytest.approx(float(fot.gce(y, p, reduction="classwise")))


def test_the_null_of_a_class_does_not_depend_on_the_others():
    y, p = three_classes()
    alone = fot.tce(y == "dog", p[:, 1], null_draws=5).null.values
    np.testing.assert_array_equal(fot.tce(y, p, null_draws=5, reduction="classwise")["dog"].null.values, alone)


@pytest.mark.parametrize("family", [fot.Slope1(6), "platt", fot.maps.IdentityMap()], ids=str)
def test_plug_in_errors_of_the_classes(family):
    y, p = three_classes()
    w = np.random.default_rng(1).integers(0, 3, y.size)
    options = {"family": family, "norm": "l2", "sample_weight": w}
    found = fot.calibration_error(y, p, reduction="classwise", **options)
    each = [fot.calibration_error(y == name, p[:, k], **options) for k, name in enumerate(["cat", "dog", "eel"])]
    assert [float(error) for error in found.classes.values()] == [float(error) for error in each]
    assert float(found) == pytest.approx(np.mean([float(error) for error in each]), abs=1e-15)
    frame = found.to_frame()
    assert frame.columns.tolist() == ["class", "value", "n_bins", "base_rate", "se_map_fixed", "note"]
    assert [row["se_map_fixed"] for row in found.rows()] == [error.se_map_fixed for error in each]
    assert frame["base_rate"].tolist() == [error.base_rate for error in each]
    read = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [one["value"] for one in read["classes"]] == [float(error) for error in each]
    assert {one["reduction"] for one in read["classes"]} == {"classwise"}
    title, settings, header, _, *body = str(found).splitlines()
    assert title == f"class-wise calibration error: {float(found):.3f}, the plug-in"
    assert settings.endswith(f"mean over 3 classes, family {each[0].family}, norm l2, n = {each[0].n}")
    assert header.split() == ["class", "error", "bins", "share", "of", "class", "s.e.", "(map", "fixed)"]
    *body, reason, note = body
    assert reason.startswith("no interval: of a mean over classes")
    assert note.startswith("weights are counts: ")
    assert [line.split()[0] for line in body] == ["cat", "dog", "eel"]
    assert [line.split()[2] for line in body] == ["-" if e.n_bins is None else str(e.n_bins) for e in each]
    settings = f"family={each[0].family!r}, norm='l2', reduction='classwise', classes=['cat', 'dog', 'eel']"
    assert repr(found).startswith(f"Estimate({float(found):.6g}, {settings}")


def test_debiased_errors_are_called_so_and_have_no_standard_error():
    y, p = three_classes()
    found = fot.calibration_error(y, p, family=fot.Slope1(5), debias=True, reduction="classwise")
    assert str(found).startswith("class-wise debiased calibration error ")
    assert str(found).splitlines()[-2].endswith(" -")
    assert found.to_frame("polars")["se_map_fixed"].null_count() == 3
