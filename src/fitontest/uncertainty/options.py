"""The options of every function that measures: how labels and scores are read, and how labels are redrawn."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypedDict

from fitontest.data.read import Data
from fitontest.data.reading.options import Reading, reading_of
from fitontest.data.reading.read import read
from fitontest.numerics.random import one_seed
from fitontest.results.docstrings import take_descriptions
from fitontest.results.typing import ArrayInput, RandomState
from fitontest.uncertainty.chain import DRAWS
from fitontest.uncertainty.redrawing import Redrawing


class Redraws(TypedDict, total=False):
    """How labels are redrawn.

    Parameters
    ----------
    interval : float in (0, 1), "auto" or None, default="auto"
        Level of an interval for the error of these scores, with a debiased error (``.debiased``) and a p-value of
        calibration (``.null``), see `calibration_error`. "auto": 95 % for measures that are quickly refitted;
        ``interval_reason`` says why others have none. None: never.
    draws : int, default=50
        Sets of labels simulated from each of five truths, for the interval.
    null_draws : int or "auto", default=0
        Sets of labels simulated from the scores, for what to expect of calibrated ones, in ``.null``; 200 with an
        `interval`. "auto" draws for the TCE alone.
    random_state : int, RandomState or None, default=0
        Seed of these draws, and of families and measures given by name that draw; an instance keeps its own.
    """

    interval: Annotated[float | Literal["auto"] | None, "auto"]
    draws: Annotated[int, DRAWS]
    null_draws: Annotated[int | Literal["auto"], 0]
    random_state: Annotated[RandomState, 0]


@take_descriptions(Redraws)
@take_descriptions(Reading)
class Options(Redraws, Reading, total=False):
    """How labels and scores are read, and how labels are redrawn."""


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], Redrawing]:
    """Return how labels and scores are read, and how labels are redrawn, with a seed that is one number."""
    drawn = {name: value for name, value in options.items() if name in Redraws.__annotations__}
    return reading_of(options), Redrawing(**drawn | {"random_state": one_seed(options["random_state"])})


def read_options(y_true: Any, y_prob: ArrayInput, options: Mapping[str, Any]) -> tuple[Data, Redrawing]:
    """Return the labels and scores, and how labels are redrawn."""
    reading, redrawing = split_options(options)
    return read(y_true, y_prob, **reading), redrawing
