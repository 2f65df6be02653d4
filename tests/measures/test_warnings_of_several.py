"""Warnings that several samples share are said once, in whole sentences."""

import pytest

from fitontest.measures.notes import warn_of_several


@pytest.mark.parametrize("message", ["a: one bin", "a: one bin."])
def test_what_is_said_of_others_begins_a_sentence(message):
    with pytest.warns(UserWarning, match=r"^model 'm1': a: one bin\. The like is true of model 'm2'\.$"):
        warn_of_several({"m1": [(message, UserWarning)], "m2": [(message, UserWarning)]}, "model")
