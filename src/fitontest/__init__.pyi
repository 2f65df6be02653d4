"""The public names and the files they come from: read by type checkers, and at run time to import them on first use."""

from .cells.cells import Cells, ClassCells
from .classifier.calibrated import CalibratedClassifier
from .comparison.compare import compare_calibrators
from .comparison.comparison import Comparison
from .comparison.error_comparison import ErrorComparison
from .comparison.errors import compare_errors
from .data.samples import Samples
from .data.score_sample import ScoreSample
from .displays.comparison import ComparisonDisplay
from .displays.error_comparison import ErrorComparisonDisplay
from .displays.frontier import FrontierDisplay
from .displays.pairs import PairsDisplay
from .displays.reliability import ReliabilityDisplay
from .displays.simplex import SimplexDisplay
from .displays.small_multiples import SmallMultiples
from .displays.tce import TCEDisplay
from .displays.tree import TreeDisplay
from .displays.validity import ValidityDisplay
from .drift.cell_comparison import CellComparison
from .drift.cells import compare_cells
from .drift.class_comparison import ClassCellComparison
from .evaluation.evaluation import Evaluation, evaluate
from .evaluation.metrics import calibration_error, gce, proper_error, tce, within_bin_error
from .evaluation.segmented_evaluation import SegmentedEvaluation
from .exceptions import BlockSizeWarning, CalibrationWarning, SeparableDataWarning
from .families.base import (
    Family,
    available_families,
    make_family,
    register_family,
    unregister_family,
)
from .families.beta import Beta
from .families.cross_validated import CrossValidated
from .families.cumulative_spline import CumulativeSpline
from .families.family_bins import FamilyBins
from .families.flat import Flat
from .families.identity import Identity
from .families.isotonic import Isotonic
from .families.kde import KDE
from .families.knn import KNN
from .families.multiclass.base import ClassSolution, MulticlassFamily
from .families.multiclass.bias_corrected import BiasCorrected
from .families.multiclass.dirichlet import Dirichlet
from .families.multiclass.matrix import Matrix
from .families.multiclass.one_vs_rest import OneVsRest
from .families.multiclass.shared_isotonic import SharedIsotonic
from .families.multiclass.simplex_bins import SimplexBins
from .families.multiclass.vector import Vector
from .families.pava_bc import PavaBlocks
from .families.piecewise.pl import PL
from .families.piecewise.pl3 import PL3
from .families.platt import Platt
from .families.scaling_binning import ScalingBinning
from .families.slope1 import Slope1
from .families.spline import Spline
from .families.stacking import Stacking
from .families.temperature import Temperature
from .families.venn_abers import VennAbers
from .maps.atoms import AtomsMap
from .maps.base import CalibrationMap, register_map
from .maps.beta import BetaMap
from .maps.binned import BinnedMap
from .maps.identity import IdentityMap
from .maps.knots import KnotsMap
from .maps.logistic import LogisticMap
from .maps.logit_knots import LogitKnotsMap
from .maps.mixture import MixtureMap
from .maps.multiclass.base import MulticlassMap
from .maps.multiclass.cells import CellMap
from .maps.multiclass.identity import MulticlassIdentityMap
from .maps.multiclass.mixture import MulticlassMixtureMap
from .maps.multiclass.one_vs_rest import OneVsRestMap
from .maps.multiclass.shared import SharedMap
from .maps.multiclass.softmax import SoftmaxMap
from .maps.steps import StepsMap
from .measures.auc import AUC
from .measures.base import (
    Estimate,
    Evidence,
    Measure,
    available_measures,
    make_measure,
    register_measure,
    unregister_measure,
)
from .measures.binned import Binned
from .measures.canonical import CanonicalMeasure
from .measures.canonical_kernel import CanonicalKernelError
from .measures.canonical_plug_in import CanonicalPlugIn
from .measures.if_calibrated import IfCalibrated
from .measures.kernel import KernelError
from .measures.losses.base import (
    BinLoss,
    available_bin_losses,
    register_bin_loss,
    unregister_bin_loss,
)
from .measures.losses.bias import Bias
from .measures.losses.deviation import Deviation
from .measures.losses.rejection import Rejection
from .measures.pairs import PairStatistic
from .measures.plug_in import PlugIn, plug_in
from .measures.probabilistic_count import ProbabilisticCount
from .measures.probabilistic_kendall_tau import ProbabilisticKendallTau
from .measures.proper_error import ProperError
from .measures.rmse import RMSE
from .measures.simplex_ece import SimplexECE
from .measures.smooth_ece import SmoothECE
from .measures.validity import ValidityArea, ValidityCurve
from .measures.within_bin import WithinBin
from .measures.zero_one import ZeroOneLoss
from .numerics.norms import Norm, available_norms, register_norm, unregister_norm
from .numerics.simplex_distances import (
    Distance,
    available_distances,
    register_distance,
    unregister_distance,
)
from .partitions.bin_table import BinTable
from .partitions.cell_partition import CellPartition
from .partitions.equal_mass import EqualMass
from .partitions.equal_width import EqualWidth
from .partitions.merging import assign_average_labels, merge_cells
from .partitions.monotone_sweep import MonotoneSweep
from .partitions.partition import Partition
from .partitions.partitioner import (
    Partitioner,
    available_partitions,
    register_partition,
    unregister_partition,
)
from .partitions.pava import Pava
from .partitions.pava_bc import PavaBC
from .partitions.simplex.median_variance import MedianVariance
from .partitions.simplex.partitioner import (
    SimplexPartition,
    SimplexPartitioner,
    available_simplex_partitions,
    register_simplex_partition,
    unregister_simplex_partition,
)
from .partitions.simplex.uniform_grid import UniformGrid
from .planning.evaluation_plan import EvaluationPlan
from .planning.planning import plan_evaluation
from .progress import show_progress
from .reading.read import read
from .reporting.gate import CalibrationCheck, Gate, assert_calibrated, check_calibration
from .reporting.report import Report, report
from .scorers import make_scorer
from .trees.probability_calibration_tree import ProbabilityCalibrationTree
from .trees.tree_calibrator import TreeCalibrator
from .uncertainty.certain_scores import CertainScores
from .uncertainty.joint import JointTest
from .uncertainty.tendency import Tendency
from .uncertainty.verdict import Verdict

__version__: str

__all__ = [
    "AUC",
    "KDE",
    "KNN",
    "PL",
    "PL3",
    "RMSE",
    "AtomsMap",
    "Beta",
    "BetaMap",
    "Bias",
    "BiasCorrected",
    "BinLoss",
    "BinTable",
    "Binned",
    "BinnedMap",
    "BlockSizeWarning",
    "CalibratedClassifier",
    "CalibrationCheck",
    "CalibrationMap",
    "CalibrationWarning",
    "CanonicalKernelError",
    "CanonicalMeasure",
    "CanonicalPlugIn",
    "CellComparison",
    "CellMap",
    "CellPartition",
    "Cells",
    "CertainScores",
    "ClassCellComparison",
    "ClassCells",
    "ClassSolution",
    "Comparison",
    "ComparisonDisplay",
    "CrossValidated",
    "CumulativeSpline",
    "Deviation",
    "Dirichlet",
    "Distance",
    "EqualMass",
    "EqualWidth",
    "ErrorComparison",
    "ErrorComparisonDisplay",
    "Estimate",
    "Evaluation",
    "EvaluationPlan",
    "Evidence",
    "Family",
    "FamilyBins",
    "Flat",
    "FrontierDisplay",
    "Gate",
    "Identity",
    "IdentityMap",
    "IfCalibrated",
    "Isotonic",
    "JointTest",
    "KernelError",
    "KnotsMap",
    "LogisticMap",
    "LogitKnotsMap",
    "Matrix",
    "Measure",
    "MedianVariance",
    "MixtureMap",
    "MonotoneSweep",
    "MulticlassFamily",
    "MulticlassIdentityMap",
    "MulticlassMap",
    "MulticlassMixtureMap",
    "Norm",
    "OneVsRest",
    "OneVsRestMap",
    "PairStatistic",
    "PairsDisplay",
    "Partition",
    "Partitioner",
    "Pava",
    "PavaBC",
    "PavaBlocks",
    "Platt",
    "PlugIn",
    "ProbabilisticCount",
    "ProbabilisticKendallTau",
    "ProbabilityCalibrationTree",
    "ProperError",
    "Rejection",
    "ReliabilityDisplay",
    "Report",
    "Samples",
    "ScalingBinning",
    "ScoreSample",
    "SegmentedEvaluation",
    "SeparableDataWarning",
    "SharedIsotonic",
    "SharedMap",
    "SimplexBins",
    "SimplexDisplay",
    "SimplexECE",
    "SimplexPartition",
    "SimplexPartitioner",
    "Slope1",
    "SmallMultiples",
    "SmoothECE",
    "SoftmaxMap",
    "Spline",
    "Stacking",
    "StepsMap",
    "TCEDisplay",
    "Temperature",
    "Tendency",
    "TreeCalibrator",
    "TreeDisplay",
    "UniformGrid",
    "ValidityArea",
    "ValidityCurve",
    "ValidityDisplay",
    "Vector",
    "VennAbers",
    "Verdict",
    "WithinBin",
    "ZeroOneLoss",
    "assert_calibrated",
    "assign_average_labels",
    "available_bin_losses",
    "available_distances",
    "available_families",
    "available_measures",
    "available_norms",
    "available_partitions",
    "available_simplex_partitions",
    "calibration_error",
    "check_calibration",
    "compare_calibrators",
    "compare_cells",
    "compare_errors",
    "evaluate",
    "gce",
    "make_family",
    "make_measure",
    "make_scorer",
    "merge_cells",
    "plan_evaluation",
    "plug_in",
    "proper_error",
    "read",
    "register_bin_loss",
    "register_distance",
    "register_family",
    "register_map",
    "register_measure",
    "register_norm",
    "register_partition",
    "register_simplex_partition",
    "report",
    "show_progress",
    "tce",
    "unregister_bin_loss",
    "unregister_distance",
    "unregister_family",
    "unregister_measure",
    "unregister_norm",
    "unregister_partition",
    "unregister_simplex_partition",
    "within_bin_error",
]

# former names, for one version: at run time they warn
BinnedError = Estimate
CalibrationError = Estimate
ClasswiseError = Estimate
ClasswiseEvaluation = Evaluation
PlugInError = Estimate
WithinBinError = Estimate
