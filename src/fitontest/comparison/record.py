"""What is found of one candidate: how it did on rows it had not seen, and what it is."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fitontest.comparison.decomposition import Parts
from fitontest.comparison.known_truth import Quality
from fitontest.comparison.paired import Difference
from fitontest.comparison.scores import Scores
from fitontest.families.base import Family


@dataclass(frozen=True)
class Standing:
    """The mean loss of a candidate on some rows, and how much larger it is than the best and the identity there."""

    score: float
    to_best: Difference
    to_identity: Difference

    @classmethod
    def among(cls, scores: Scores, name: str, do_nothing: str) -> "Standing":
        """Return the standing of a candidate."""
        return cls(scores.means[name], scores.against(name, scores.best), scores.against(name, do_nothing))

    def to_dict(self, prefix: str = "") -> dict[str, float]:
        """Return the numbers by name."""
        return {
            f"{prefix}score": self.score,
            f"{prefix}to_best": self.to_best.mean,
            f"{prefix}to_best_se": self.to_best.se,
            f"{prefix}to_identity": self.to_identity.mean,
            f"{prefix}to_identity_se": self.to_identity.se,
        }


@dataclass(frozen=True)
class Calibrator:
    """One candidate of a `Comparison`.

    Attributes
    ----------
    name : str
    family : Family
        Fitted to all rows.
    held_out : Standing
        Out of fold: what the choice rests on.
    test : Standing or None
        On the test set.
    parts : Parts
        Of the loss of its predictions, on the test set if there is one, else out of fold.
    errors : dict of str to float
        Calibration error of these predictions by each evaluator: after calibration.
    quality : Quality or None
        Where the true map is known.
    certain : float
        Share of the rows, or of the test set, for which its map says exactly 0 or 1.
    fit_seconds : float
        Time of the fit to all rows.
    """

    name: str
    family: Family = field(repr=False)
    held_out: Standing
    test: Standing | None
    parts: Parts
    errors: dict[str, float]
    quality: Quality | None
    certain: float
    fit_seconds: float

    @property
    def n_parameters(self) -> float:
        """How many free numbers its map has, inf where that is not known."""
        return self.family.n_parameters_

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as one plain record."""
        return {
            "family": self.name,
            **self.held_out.to_dict(),
            **({} if self.test is None else self.test.to_dict("test_")),
            "calibration": self.parts.calibration,
            "refinement": self.parts.refinement,
            **{f"error_{name}": value for name, value in self.errors.items()},
            **({} if self.quality is None else vars(self.quality)),
            "certain": self.certain,
            "n_parameters": self.n_parameters if np.isfinite(self.n_parameters) else None,
            "fit_seconds": self.fit_seconds,
        }
