"""Links, losses, norms and folds: the small values that everything else is made of."""

import numpy as np
import pytest
from sklearn.metrics import log_loss as reference_log_loss
from sklearn.model_selection import KFold

from fitontest.numerics.links import IDENTITY, LOGIT, find_link
from fitontest.numerics.losses import brier, find_loss, log_loss
from fitontest.numerics.norms import find_norm
from fitontest.numerics.random import held_out_rows


def test_logit_and_sigmoid_are_inverse_and_precise_at_both_ends():
    p = np.array([1e-15, 1e-9, 0.1, 0.5, 0.9, 1 - 1e-9])
    np.testing.assert_allclose(LOGIT.inverse(LOGIT.forward(p, 1e-16)), p, rtol=1e-13)
    assert LOGIT.forward(np.array([0.0]), 1e-16)[0] == pytest.approx(np.log(1e-16))
    assert np.isfinite(LOGIT.forward(np.array([0.0, 1.0]), 1e-16)).all()
    np.testing.assert_array_equal(IDENTITY.inverse(IDENTITY.forward(p, 1e-16)), p)


def test_losses_by_definition():
    y, q = np.array([0.0, 1.0, 1.0, 0.0]), np.array([0.3, 0.3, 1.0, 1.0])
    np.testing.assert_allclose(brier(y, q), [0.09, 0.49, 0.0, 1.0])
    expected = -np.log([0.7, 0.3, 1 - 1e-6, 1e-6])
    np.testing.assert_allclose(log_loss(y, q), expected, rtol=1e-9)
    np.testing.assert_allclose(log_loss(y[:2], q[:2]).mean(), reference_log_loss(y[:2], q[:2]))
    assert log_loss(y, q, eps=1e-3).max() == pytest.approx(-np.log(1e-3))
    assert log_loss(y, np.array([-0.2, 1.2, 0.5, 0.5])).max() < 14  # slope-1 maps leave [0, 1]


def test_losses_of_several_classes_by_definition():
    codes, q = np.array([0, 2]), np.array([[0.5, 0.5, 0.0], [0.7, 0.3, 0.0]])
    np.testing.assert_allclose(brier(codes, q), [0.5, 0.49 + 0.09 + 1.0])
    np.testing.assert_allclose(log_loss(codes, q), [np.log(2.0), -np.log(1e-6)])
    two = np.array([[0.2, 0.8]])
    assert brier(np.array([1]), two)[0] == pytest.approx(2 * brier(np.array([1.0]), two[:, 1])[0])


def test_norms_by_definition_and_in_order():
    g, w = np.array([0.1, 0.4, 0.9]), np.array([2.0, 1.0, 0.0])
    assert find_norm("l1")(g, w) == pytest.approx(0.2)
    assert find_norm("squared")(g, w) == pytest.approx((2 * 0.01 + 0.16) / 3)
    assert find_norm("l2")(g, w) == pytest.approx(np.sqrt(0.06))
    assert find_norm("max")(g, w) == 0.4  # a distance without weight does not count
    assert find_norm("l1")(g, w) <= find_norm("l2")(g, w) <= find_norm("max")(g, w)


def test_folds_are_scikit_learns():
    expected = KFold(5, shuffle=True, random_state=7).split(np.empty(23))
    for ours, (_, theirs) in zip(held_out_rows(23, 5, 7), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert [rows.size for rows in held_out_rows(3, 10, 0)] == [1, 1, 1]  # no more folds than rows


@pytest.mark.parametrize(
    ("find", "argument"),
    [(find_link, "link"), (find_loss, "scoring"), (find_norm, "norm")],
    ids=lambda v: getattr(v, "__name__", v),
)
def test_unknown_names_are_refused_with_the_known_ones(find, argument):
    with pytest.raises(ValueError, match=f"{argument} must be one of .*; got 'nothing'"):
        find("nothing")
