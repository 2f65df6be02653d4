"""The two kinds of samples: of one score in each row, and of a distribution over several classes."""

from typing import TypeAlias

from fitontest.data.score_sample import ScoreSample
from fitontest.data.simplex_sample import SimplexSample

Data: TypeAlias = ScoreSample | SimplexSample
