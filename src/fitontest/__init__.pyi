"""The public names and the files they come from: read by type checkers, and at run time to import them on first use."""

from . import bin_losses, distances, families, maps, measures, norms, partitions
from .apps.displays.plan import PlanDisplay
from .apps.planning.evaluation_plan import EvaluationPlan
from .apps.planning.planning import plan_evaluation
from .apps.reporting.calibration_check import CalibrationCheck
from .apps.reporting.gate import assert_calibrated, check_calibration
from .apps.reporting.gate_outcome import Gate
from .apps.reporting.report import Report, report
from .classifier.calibrated import CalibratedClassifier
from .data.cells.cells import Cells, ClassCells
from .data.reading.read import read
from .data.samples import Samples
from .data.score_sample import ScoreSample
from .displays.comparison import ComparisonDisplay
from .displays.cumulative import CumulativeDisplay
from .displays.error_comparison import ErrorComparisonDisplay
from .displays.frontier import FrontierDisplay
from .displays.pairs import PairsDisplay
from .displays.ranks import RankDisplay
from .displays.reliability import ReliabilityDisplay
from .displays.segments import SegmentsDisplay
from .displays.simplex import SimplexDisplay
from .displays.small_multiples import SmallMultiples
from .displays.tce import TCEDisplay
from .displays.validity import ValidityDisplay
from .evaluation.by_name import measure
from .evaluation.comparison.compare import compare_calibrators
from .evaluation.comparison.comparison import Comparison
from .evaluation.comparison.error_comparison import ErrorComparison
from .evaluation.comparison.errors import compare_errors
from .evaluation.evaluate import evaluate
from .evaluation.evaluation import Evaluation
from .evaluation.metrics import calibration_error, ece, gce, proper_error, tce
from .evaluation.scorers import make_scorer
from .evaluation.segmented_evaluation import SegmentedEvaluation
from .families.base import Family
from .families.beta import Beta
from .families.cross_validated import CrossValidated
from .families.cumulative_spline import CumulativeSpline
from .families.flat import Flat
from .families.identity import Identity
from .families.isotonic import Isotonic
from .families.kde import KDE
from .families.knn import KNN
from .families.multiclass.base import MulticlassFamily
from .families.multiclass.dirichlet import Dirichlet
from .families.multiclass.one_vs_rest import OneVsRest
from .families.multiclass.shared_isotonic import SharedIsotonic
from .families.multiclass.simplex_bins import SimplexBins
from .families.multiclass.structured import BiasCorrected, Matrix, Vector
from .families.pava_bc import PavaBlocks
from .families.piecewise.pl import PL
from .families.piecewise.pl3 import PL3
from .families.platt import Platt
from .families.restricted_cubic import RestrictedCubicSpline
from .families.scaling_binning import ScalingBinning
from .families.slope1 import Slope1
from .families.spline import Spline
from .families.stacking import Stacking
from .families.temperature import Temperature
from .families.venn_abers import VennAbers
from .maps.base import CalibrationMap
from .maps.multiclass.base import MulticlassMap
from .measures.estimate import Estimate
from .measures.measure import Measure
from .monitor.displays.monitor import MonitorDisplay
from .monitor.drift.cell_comparison import CellComparison
from .monitor.drift.cells import compare_cells
from .monitor.drift.class_comparison import ClassCellComparison
from .monitor.evidence.evidence import MonitorEvidence
from .monitor.monitor import Monitor
from .results.exceptions import BlockSizeWarning, CalibrationWarning, SeparableDataWarning
from .results.progress import show_progress
from .risk.displays.decision import DecisionDisplay
from .risk.displays.validation import ValidationDisplay
from .risk.families.loess import Loess
from .risk.families.lowess import Lowess
from .risk.validation.decision_curve import DecisionCurve, decision_curve
from .risk.validation.validate import validate
from .risk.validation.validation import Validation
from .segments.displays.tree import TreeDisplay
from .segments.find import find_segments
from .segments.found_segments import FoundSegments
from .segments.repair.boosted import Boosted
from .segments.repair.certified_offsets import CertifiedOffsets
from .segments.repair.multicalibrated import Multicalibrated
from .segments.repair.segment_offsets import SegmentOffsets
from .segments.repair.tree_of_maps import TreeOfMaps
from .segments.repair.trees.probability_calibration_tree import ProbabilityCalibrationTree
from .segments.repair.trees.tree_calibrator import TreeCalibrator
from .uncertainty.certain_scores import CertainScores
from .uncertainty.joint import JointTest
from .uncertainty.tendency import Tendency
from .uncertainty.verdict import Verdict

__version__: str

__all__ = [
    "KDE",
    "KNN",
    "PL",
    "PL3",
    "Beta",
    "BiasCorrected",
    "BlockSizeWarning",
    "Boosted",
    "CalibratedClassifier",
    "CalibrationCheck",
    "CalibrationMap",
    "CalibrationWarning",
    "CellComparison",
    "Cells",
    "CertainScores",
    "CertifiedOffsets",
    "ClassCellComparison",
    "ClassCells",
    "Comparison",
    "ComparisonDisplay",
    "CrossValidated",
    "CumulativeDisplay",
    "CumulativeSpline",
    "DecisionCurve",
    "DecisionDisplay",
    "Dirichlet",
    "ErrorComparison",
    "ErrorComparisonDisplay",
    "Estimate",
    "Evaluation",
    "EvaluationPlan",
    "Family",
    "Flat",
    "FoundSegments",
    "FrontierDisplay",
    "Gate",
    "Identity",
    "Isotonic",
    "JointTest",
    "Loess",
    "Lowess",
    "Matrix",
    "Measure",
    "Monitor",
    "MonitorDisplay",
    "MonitorEvidence",
    "Multicalibrated",
    "MulticlassFamily",
    "MulticlassMap",
    "OneVsRest",
    "PairsDisplay",
    "PavaBlocks",
    "PlanDisplay",
    "Platt",
    "ProbabilityCalibrationTree",
    "RankDisplay",
    "ReliabilityDisplay",
    "Report",
    "RestrictedCubicSpline",
    "Samples",
    "ScalingBinning",
    "ScoreSample",
    "SegmentOffsets",
    "SegmentedEvaluation",
    "SegmentsDisplay",
    "SeparableDataWarning",
    "SharedIsotonic",
    "SimplexBins",
    "SimplexDisplay",
    "Slope1",
    "SmallMultiples",
    "Spline",
    "Stacking",
    "TCEDisplay",
    "Temperature",
    "Tendency",
    "TreeCalibrator",
    "TreeDisplay",
    "TreeOfMaps",
    "Validation",
    "ValidationDisplay",
    "ValidityDisplay",
    "Vector",
    "VennAbers",
    "Verdict",
    "assert_calibrated",
    "bin_losses",
    "calibration_error",
    "check_calibration",
    "compare_calibrators",
    "compare_cells",
    "compare_errors",
    "decision_curve",
    "distances",
    "ece",
    "evaluate",
    "families",
    "find_segments",
    "gce",
    "make_scorer",
    "maps",
    "measure",
    "measures",
    "norms",
    "partitions",
    "plan_evaluation",
    "proper_error",
    "read",
    "report",
    "show_progress",
    "tce",
    "validate",
]
