"""The public names of the room and the files they come from: evaluations and comparisons."""

from .by_name import measure
from .comparison.compare import compare_calibrators
from .comparison.comparison import Comparison
from .comparison.error_comparison import ErrorComparison
from .comparison.errors import compare_errors
from .evaluation import Evaluation
from .metrics import calibration_error, ece, gce, proper_error, tce
from .scorers import make_scorer
from .segmented_evaluation import SegmentedEvaluation

__all__ = [
    "Comparison",
    "ErrorComparison",
    "Evaluation",
    "SegmentedEvaluation",
    "calibration_error",
    "compare_calibrators",
    "compare_errors",
    "ece",
    "gce",
    "make_scorer",
    "measure",
    "proper_error",
    "tce",
]
