"""The public names and the files they come from: read by type checkers, and at run time to import them on first use."""

from . import (
    apps,
    bin_losses,
    displays,
    distances,
    families,
    maps,
    measures,
    monitor,
    norms,
    partitions,
    risk,
    segments,
)
from .apps.reporting.gate import assert_calibrated, check_calibration
from .apps.reporting.report import report
from .classifier.calibrated import CalibratedClassifier
from .data.cells.cells import Cells
from .data.reading.read import read
from .data.score_sample import ScoreSample
from .displays.reliability import ReliabilityDisplay
from .evaluation.by_name import measure
from .evaluation.comparison.compare import compare_calibrators
from .evaluation.comparison.errors import compare_errors
from .evaluation.evaluate import evaluate
from .evaluation.metrics import calibration_error, ece, gce, tce
from .evaluation.scorers import make_scorer
from .families.base import Family
from .families.beta import Beta
from .families.flat import Flat
from .families.isotonic import Isotonic
from .families.pava_bc import PavaBlocks
from .families.piecewise.pl import PL
from .families.piecewise.pl3 import PL3
from .families.platt import Platt
from .families.slope1 import Slope1
from .families.spline import Spline
from .maps.base import CalibrationMap
from .measures.measure import Measure
from .results.exceptions import CalibrationWarning
from .results.progress import show_progress

__version__: str

__all__ = [
    "PL",
    "PL3",
    "Beta",
    "CalibratedClassifier",
    "CalibrationMap",
    "CalibrationWarning",
    "Cells",
    "Family",
    "Flat",
    "Isotonic",
    "Measure",
    "PavaBlocks",
    "Platt",
    "ReliabilityDisplay",
    "ScoreSample",
    "Slope1",
    "Spline",
    "apps",
    "assert_calibrated",
    "bin_losses",
    "calibration_error",
    "check_calibration",
    "compare_calibrators",
    "compare_errors",
    "displays",
    "distances",
    "ece",
    "evaluate",
    "families",
    "gce",
    "make_scorer",
    "maps",
    "measure",
    "measures",
    "monitor",
    "norms",
    "partitions",
    "read",
    "report",
    "risk",
    "segments",
    "show_progress",
    "tce",
]
