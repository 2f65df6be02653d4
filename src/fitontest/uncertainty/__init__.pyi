"""The public names of the room and the files they come from: tests and verdicts."""

from .certain_scores import CertainScores
from .joint import JointTest
from .tendency import Tendency
from .tolerance import Tolerance
from .verdict import Verdict

__all__ = [
    "CertainScores",
    "JointTest",
    "Tendency",
    "Tolerance",
    "Verdict",
]
