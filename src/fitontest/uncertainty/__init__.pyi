"""The public names of the room and the files they come from: tests and verdicts."""

from .certain_scores import CertainScores as CertainScores
from .joint import JointTest as JointTest
from .tendency import Tendency as Tendency
from .tolerance import Tolerance as Tolerance
from .verdict import Verdict as Verdict
