"""The public names of the room and the files they come from: evaluations and comparisons."""

from .by_name import measure as measure
from .comparison.compare import compare_calibrators as compare_calibrators
from .comparison.comparison import Comparison as Comparison
from .comparison.error_comparison import ErrorComparison as ErrorComparison
from .comparison.errors import compare_errors as compare_errors
from .evaluation import Evaluation as Evaluation
from .metrics import calibration_error as calibration_error
from .metrics import ece as ece
from .metrics import gce as gce
from .metrics import proper_error as proper_error
from .metrics import tce as tce
from .scorers import make_scorer as make_scorer
from .segmented_evaluation import SegmentedEvaluation as SegmentedEvaluation
