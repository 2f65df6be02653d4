"""Where the logits of certain scores are cut."""

import numpy as np
import pytest

from fitontest.families.certainty import certain_class_logit, certain_logit


@pytest.mark.parametrize(
    ("p", "expected"),
    [
        ([0.0, 0.1, 0.5, 0.7], np.log(9.0) + 1.0),
        ([1.0, 0.1, 0.5, 0.95], np.log(19.0) + 1.0),
        ([0.5, 0.0, 0.5, 1.0], 1.0),
        ([0.0, 1e-12, 0.5], np.log(1e12) + 1.0),
        ([0.0, 1e-40, 0.5], 36.0),
        ([0.1, 0.9], None),
        ([0.0, 1.0, 1.0], None),
        ([0.0], None),
    ],
)
def test_one_logit_beyond_the_largest_of_the_others(p, expected):
    found = certain_logit(np.array(p))
    assert found == (None if expected is None else pytest.approx(expected, rel=1e-12))
    both = certain_class_logit(np.column_stack([1.0 - np.array(p), p]))
    assert both == (None if expected is None else pytest.approx(expected, rel=1e-9))


def test_zeros_of_several_classes_follow_the_smallest_other_probability():
    P = np.array([[0.5, 0.5, 0.0], [0.98, 0.01, 0.01], [1.0, 0.0, 0.0]])
    assert certain_class_logit(P) == pytest.approx(np.log(99.0) + 1.0)
    assert certain_class_logit(P[1:2]) is None
    assert certain_class_logit(P[2:]) is None
    assert certain_class_logit(np.array([[1.0, 1e-20], [0.5, 0.5]])) is None  # rounded to 1, yet no zero beside it
