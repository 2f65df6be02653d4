"""The redraws of a sample, by its kind."""

from typing import TypeAlias

from fitontest.data.redraws import Redraws
from fitontest.data.score_redraws import ScoreRedraws
from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_redraws import SimplexRedraws
from fitontest.data.simplex_sample import SimplexSample

Data: TypeAlias = ScoreSample | SimplexSample


def redraws_of(sample: Data) -> Redraws:
    """Return the redraws of a sample; rows of whole distributions of different facts stay apart."""
    return ScoreRedraws.of(sample) if isinstance(sample, ScoreSample) else SimplexRedraws.of(sample)
