"""Docstrings that take shared entries from another one."""

import pytest

import fitontest as fot
from fitontest.results.docstrings import take_descriptions


class Base:
    """Have two sizes.

    Parameters
    ----------
    width, height : int
        Its sizes.
    depth : int
        How deep it is.

    Attributes
    ----------
    area_ : int
        Width times height.
    volume_ : int
        Area times depth.

    Notes
    -----
    Sizes are whole.
    """


@take_descriptions(Base, "Attributes", "Notes")
class Box(Base):
    """Have a colour.

    Parameters
    ----------
    height : int
        Another text.
    colour : str
        Any.

    Attributes
    ----------
    volume_ : float
        Of paint, too.
    weight_ : float
        In kg.

    Notes
    -----
    Colours are plain.
    """

    def __init__(self, colour, depth, height):
        """Take them."""


def test_entries_stand_in_the_order_of_the_signature_and_own_ones_win():
    assert (
        Box.__doc__
        == """Have a colour.

Parameters
----------
colour : str
    Any.
depth : int
    How deep it is.
height : int
    Another text.

Attributes
----------
weight_ : float
    In kg.
area_ : int
    Width times height.
volume_ : float
    Of paint, too.

Notes
-----
Colours are plain.

Sizes are whole."""
    )


def test_without_docstrings_nothing_is_done():
    def bare(depth):
        return depth

    assert take_descriptions(Base)(bare).__doc__ is None


@pytest.mark.parametrize("cls", [fot.PL, fot.PL3])
def test_shared_parameters_are_seen_in_help(cls):
    assert "vary_bins : bool, default=True\n    With" in cls.__doc__
    assert cls.__doc__.count("tolerance : float") == 1
