"""The triangle of three classes: what is drawn is in the table, and what cannot be drawn is refused."""

import numpy as np
import pytest

import fitontest as fot
from tests.displays.figures import pixels, plain
from tests.measures.test_simplex_ece import canonical, drawn


def triangle(y, P, family="vector", **options):
    return fot.calibration_error(y, P, family=family, reduction="canonical", interval=None, **options).plot(plain())


def test_arrows_of_a_family():
    y, P = drawn(300, 3)
    display = triangle(y, P)
    arrows = display.to_frame(part="arrows")
    p, g = (arrows[[f"{name}_{k}" for k in range(3)]].to_numpy() for name in "pg")
    np.testing.assert_allclose(g, fot.families.Vector().fit(P, y).map_(p), rtol=0, atol=1e-12)
    assert p.min() > 0
    np.testing.assert_allclose(p.sum(axis=1), 1, rtol=0, atol=1e-12)
    assert arrows["weight"].sum() == 300
    assert np.ptp(pixels(display.figure_)) > 0
    quiver = next(one for one in display.ax_.collections if hasattr(one, "U"))
    np.testing.assert_allclose(quiver.U, (g - p) @ [0, 1, 0.5], rtol=0, atol=1e-12)
    np.testing.assert_allclose(quiver.V, (g - p)[:, 2] * np.sqrt(0.75), rtol=0, atol=1e-12)
    assert len(display.rows("predictions")) == 300


def test_cells_of_a_partition():
    y, P = drawn(300, 3)
    names = np.array(["x", "a", "m"])
    display = fot.gce(
        names[y], P, partition=fot.partitions.MedianVariance(30), labels=names, reduction="canonical", interval=None
    ).plot(plain())
    table = canonical(fot.gce, y, P, partition=fot.partitions.MedianVariance(30)).table
    arrows = display.to_frame(part="arrows").to_numpy()
    np.testing.assert_array_equal(arrows, np.column_stack([table.mean_p, table.mean_y, table.w]))
    texts = [text.get_text() for text in display.ax_.texts]
    assert set(names) <= set(texts)
    assert "Canonical ECE" in display.ax_.get_title(loc="left")
    assert {row["class"] for row in display.rows("predictions")} == set(names)


def test_many_predictions_are_thinned_evenly():
    y, P = drawn(5000, 3)
    display = triangle(y, P, "identity")
    assert len(display.rows("predictions")) == 1667
    assert display.rows("arrows")[0]["weight"] > 0


def test_refusals():
    y, P = drawn(60, 4)
    with pytest.raises(ValueError, match="y_prob must have three columns for a triangle, got 4"):
        triangle(y, P, "identity")
    with pytest.raises(ValueError, match="error must be an Estimate of several classes that has a map"):
        fot.displays.SimplexDisplay(fot.gce(y == 0, P[:, 0]), None)
