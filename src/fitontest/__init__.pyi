"""The public names and the files they come from: read by type checkers, and at run time to import them on first use."""

from . import apps as apps
from . import bin_losses as bin_losses
from . import displays as displays
from . import distances as distances
from . import families as families
from . import maps as maps
from . import measures as measures
from . import monitor as monitor
from . import norms as norms
from . import partitions as partitions
from . import risk as risk
from . import segments as segments
from .apps.reporting.gate import assert_calibrated as assert_calibrated
from .apps.reporting.gate import check_calibration as check_calibration
from .apps.reporting.report import report as report
from .data.cells.cells import Cells as Cells
from .data.reading.read import read as read
from .data.score_sample import ScoreSample as ScoreSample
from .displays.reliability import ReliabilityDisplay as ReliabilityDisplay
from .evaluation.by_name import measure as measure
from .evaluation.classifier.calibrated import CalibratedClassifier as CalibratedClassifier
from .evaluation.comparison.compare import compare_calibrators as compare_calibrators
from .evaluation.comparison.errors import compare_errors as compare_errors
from .evaluation.evaluate import evaluate as evaluate
from .evaluation.metrics import calibration_error as calibration_error
from .evaluation.metrics import ece as ece
from .evaluation.metrics import gce as gce
from .evaluation.metrics import tce as tce
from .evaluation.scorers import make_scorer as make_scorer
from .families.base import Family as Family
from .families.beta import Beta as Beta
from .families.binned import Flat as Flat
from .families.binned import Slope1 as Slope1
from .families.isotonic import Isotonic as Isotonic
from .families.pava_bc import PavaBlocks as PavaBlocks
from .families.piecewise.pl import PL as PL
from .families.piecewise.pl import PL3 as PL3
from .families.platt import Platt as Platt
from .families.spline import Spline as Spline
from .maps.base import CalibrationMap as CalibrationMap
from .measures.measure import Measure as Measure
from .results.exceptions import CalibrationWarning as CalibrationWarning
from .results.progress import show_progress as show_progress

__version__: str
