"""Evaluate and repair classifier calibration with families of calibration maps fitted on the test data itself.

Every calibration error here is one formula, the mean distance between a prediction p and a calibration map
c_hat(p), with the map chosen from a registry of families and fitted on the test data (fit-on-test). The same
family fitted on validation data is a post-hoc calibrator.
"""

from fitontest.classifier.calibrated import CalibratedClassifier
from fitontest.classwise_evaluation import ClasswiseEvaluation
from fitontest.comparison.compare import compare_calibrators
from fitontest.comparison.comparison import Comparison
from fitontest.data.sample import Sample
from fitontest.displays.comparison import ComparisonDisplay
from fitontest.displays.reliability import ReliabilityDisplay
from fitontest.displays.small_multiples import SmallMultiples
from fitontest.displays.tce import TCEDisplay
from fitontest.evaluation import Evaluation, evaluate
from fitontest.exceptions import BlockSizeWarning, CalibrationWarning, SeparableDataWarning
from fitontest.families.base import (
    Family,
    available_families,
    make_family,
    register_family,
    unregister_family,
)
from fitontest.families.beta import Beta
from fitontest.families.cross_validated import CrossValidated
from fitontest.families.family_bins import FamilyBins
from fitontest.families.flat import Flat
from fitontest.families.identity import Identity
from fitontest.families.isotonic import Isotonic
from fitontest.families.knn import KNN
from fitontest.families.pava_bc import PavaBlocks
from fitontest.families.piecewise.pl import PL
from fitontest.families.piecewise.pl3 import PL3
from fitontest.families.platt import Platt
from fitontest.families.slope1 import Slope1
from fitontest.families.temperature import Temperature
from fitontest.maps.base import CalibrationMap, register_map
from fitontest.maps.beta import BetaMap
from fitontest.maps.binned import BinnedMap
from fitontest.maps.identity import IdentityMap
from fitontest.maps.knots import KnotsMap
from fitontest.maps.logistic import LogisticMap
from fitontest.maps.logit_knots import LogitKnotsMap
from fitontest.maps.steps import StepsMap
from fitontest.measures.binned_error import BinnedError
from fitontest.measures.classwise import ClasswiseError
from fitontest.measures.gce import gce
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.plug_in import calibration_error
from fitontest.measures.plug_in_error import PlugInError
from fitontest.measures.result import CalibrationError
from fitontest.measures.tce import tce
from fitontest.measures.within_bin import WithinBinError, within_bin_error
from fitontest.partitions.bin_table import BinTable
from fitontest.partitions.equal_mass import EqualMass
from fitontest.partitions.equal_width import EqualWidth
from fitontest.partitions.monotone_sweep import MonotoneSweep
from fitontest.partitions.partition import Partition
from fitontest.partitions.partitioner import (
    Partitioner,
    available_partitions,
    register_partition,
    unregister_partition,
)
from fitontest.partitions.pava import Pava
from fitontest.partitions.pava_bc import PavaBC
from fitontest.scorers import make_scorer

__version__ = "0.1.0"

__all__ = [
    "KNN",
    "PL",
    "PL3",
    "Beta",
    "BetaMap",
    "BinTable",
    "BinnedError",
    "BinnedMap",
    "BlockSizeWarning",
    "CalibratedClassifier",
    "CalibrationError",
    "CalibrationMap",
    "CalibrationWarning",
    "ClasswiseError",
    "ClasswiseEvaluation",
    "Comparison",
    "ComparisonDisplay",
    "CrossValidated",
    "EqualMass",
    "EqualWidth",
    "Evaluation",
    "Family",
    "FamilyBins",
    "Flat",
    "Identity",
    "IdentityMap",
    "IfCalibrated",
    "Isotonic",
    "KnotsMap",
    "LogisticMap",
    "LogitKnotsMap",
    "MonotoneSweep",
    "Partition",
    "Partitioner",
    "Pava",
    "PavaBC",
    "PavaBlocks",
    "Platt",
    "PlugInError",
    "ReliabilityDisplay",
    "Sample",
    "SeparableDataWarning",
    "Slope1",
    "SmallMultiples",
    "StepsMap",
    "TCEDisplay",
    "Temperature",
    "WithinBinError",
    "available_families",
    "available_partitions",
    "calibration_error",
    "compare_calibrators",
    "evaluate",
    "gce",
    "make_family",
    "make_scorer",
    "register_family",
    "register_map",
    "register_partition",
    "tce",
    "unregister_family",
    "unregister_partition",
    "within_bin_error",
]
