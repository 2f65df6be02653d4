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
from fitontest.uncertainty.intervals import Asked
from fitontest.uncertainty.redrawing import DEFAULT_LEVEL, Redrawing


class Redraws(TypedDict, total=False):
    """How labels are redrawn.

    Parameters
    ----------
    interval : {"auto", "always"} or None, default="auto"
        Whether there is an interval for the error of these scores, with a debiased error (``.debiased``) and a p-value
        of calibration (``.null``), see the notes of `calibration_error`. "auto": for binned errors and for families
        that are quickly refitted (by default settings all but `venn_abers`), of up to 20 classes in each of them; that
        of a single error is computed when it is first asked for, by one of these attributes or in print. "always":
        wherever there can be one, whole distributions too, at once and however long it takes. None: never.
        ``interval_reason`` says why there is none.
    level : float in [0.5, 1), default=0.95
        Of intervals and tests: how often they hold. .95 means 5 % false alarms.
    draws : int, default=50
        Sets of labels simulated from each of five truths, for the interval.
    null_draws : int or "auto", default=0
        Sets of labels simulated from the scores, for what to expect of calibrated ones, in ``.null``; 200 with an
        `interval`. "auto" draws for the TCE alone.
    random_state : int, RandomState or None, default=0
        Seed of these draws, and of families and measures given by name that draw; an instance keeps its own.
    """

    interval: Annotated[Asked, "auto"]
    level: Annotated[float, DEFAULT_LEVEL]
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
