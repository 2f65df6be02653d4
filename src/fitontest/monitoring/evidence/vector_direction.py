"""In which direction whole distributions are wrong, as the weights of the bets on them say: point estimates."""

from collections.abc import Sequence

import numpy as np

from fitontest.checks import brief
from fitontest.monitoring.bettors.class_shift import SHIFTS, ClassShiftBettor
from fitontest.monitoring.bettors.temperature import TEMPERATURES, TemperatureBettor
from fitontest.monitoring.vector_process import VectorProcess
from fitontest.typing import Label
from fitontest.uncertainty.tendency import OVERCONFIDENT, UNDERCONFIDENT

SURE = 0.9  # weight of all bets in one direction, from which on it is said


def direction_in_words(process: VectorProcess, name: str, classes: Sequence[Label] | None) -> str:
    """Return what the bets of a bettor came to; "" where they are not of one direction.

    Parameters
    ----------
    process : VectorProcess
    name : str
        That of the bettor.
    classes : sequence of labels, optional
        The class of each column.
    """
    bettor = next(each for each in process.bettors if each.name == name)
    if isinstance(bettor, TemperatureBettor):
        return _of_temperature(bettor)
    return _of_class(bettor, classes) if isinstance(bettor, ClassShiftBettor) else ""


def _of_temperature(bettor: TemperatureBettor) -> str:
    weights = bettor.shares.weights
    for word, side in ((OVERCONFIDENT, TEMPERATURES > 1.0), (UNDERCONFIDENT, TEMPERATURES < 1.0)):
        if weights[side].sum() >= SURE:
            likeliest = TEMPERATURES[np.where(side, weights, 0.0).argmax()]
            return f"{word} (a temperature of about {likeliest:g})"
    return ""


def _of_class(bettor: ClassShiftBettor, classes: Sequence[Label] | None) -> str:
    weights = bettor.shares.weights[1:].reshape(bettor.n_classes, SHIFTS.size)
    for often, side in (("more", SHIFTS > 0.0), ("less", SHIFTS < 0.0)):
        of_class = weights[:, side].sum(axis=1)
        column = int(of_class.argmax())
        if of_class[column] >= SURE:
            likeliest = SHIFTS[np.where(side, weights[column], 0.0).argmax()]
            label = column if classes is None else classes[column]
            return f"class {brief(label)} is {often} frequent than its scores say (by about {abs(likeliest):g} logits)"
    return ""
