"""Evaluate and repair classifier calibration with families of calibration maps fitted on the test data itself.

Every calibration error here is one formula, the mean distance between a prediction p and a calibration map
c_hat(p), with the map chosen from a registry of families and fitted on the test data (fit-on-test). The same
family fitted on validation data is a post-hoc calibrator.
"""

from fitontest.classifier.calibrated import CalibratedClassifier
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
from fitontest.measures.base import (
    Estimate,
    Evidence,
    Measure,
    available_measures,
    make_measure,
    register_measure,
    unregister_measure,
)
from fitontest.measures.binned import Binned
from fitontest.measures.if_calibrated import IfCalibrated
from fitontest.measures.kernel import KernelError
from fitontest.measures.losses.base import (
    BinLoss,
    available_bin_losses,
    register_bin_loss,
    unregister_bin_loss,
)
from fitontest.measures.losses.bias import Bias
from fitontest.measures.losses.deviation import Deviation
from fitontest.measures.losses.rejection import Rejection
from fitontest.measures.plug_in import PlugIn, plug_in
from fitontest.measures.smooth_ece import SmoothECE
from fitontest.measures.within_bin import WithinBin
from fitontest.metrics import calibration_error, gce, tce, within_bin_error
from fitontest.numerics.norms import Norm, available_norms, register_norm, unregister_norm
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
from fitontest.progress import show_progress
from fitontest.scorers import make_scorer

__version__ = "0.2.0.dev0"

__all__ = [
    "KNN",
    "PL",
    "PL3",
    "Beta",
    "BetaMap",
    "Bias",
    "BinLoss",
    "BinTable",
    "Binned",
    "BinnedMap",
    "BlockSizeWarning",
    "CalibratedClassifier",
    "CalibrationMap",
    "CalibrationWarning",
    "Comparison",
    "ComparisonDisplay",
    "CrossValidated",
    "Deviation",
    "EqualMass",
    "EqualWidth",
    "Estimate",
    "Evaluation",
    "Evidence",
    "Family",
    "FamilyBins",
    "Flat",
    "Identity",
    "IdentityMap",
    "IfCalibrated",
    "Isotonic",
    "KernelError",
    "KnotsMap",
    "LogisticMap",
    "LogitKnotsMap",
    "Measure",
    "MonotoneSweep",
    "Norm",
    "Partition",
    "Partitioner",
    "Pava",
    "PavaBC",
    "PavaBlocks",
    "Platt",
    "PlugIn",
    "Rejection",
    "ReliabilityDisplay",
    "Sample",
    "SeparableDataWarning",
    "Slope1",
    "SmallMultiples",
    "SmoothECE",
    "StepsMap",
    "TCEDisplay",
    "Temperature",
    "WithinBin",
    "available_bin_losses",
    "available_families",
    "available_measures",
    "available_norms",
    "available_partitions",
    "calibration_error",
    "compare_calibrators",
    "evaluate",
    "gce",
    "make_family",
    "make_measure",
    "make_scorer",
    "plug_in",
    "register_bin_loss",
    "register_family",
    "register_map",
    "register_measure",
    "register_norm",
    "register_partition",
    "show_progress",
    "tce",
    "unregister_bin_loss",
    "unregister_family",
    "unregister_measure",
    "unregister_norm",
    "unregister_partition",
    "within_bin_error",
]

_FORMER = {  # former names of version 0.1, for one version, and what they are now
    "BinnedError": "Estimate",
    "CalibrationError": "Estimate",
    "ClasswiseError": "Estimate",
    "ClasswiseEvaluation": "Evaluation",
    "PlugInError": "Estimate",
    "WithinBinError": "Estimate",
}


def __getattr__(name: str) -> object:
    """Return what a former name stands for, with a warning."""
    if name not in _FORMER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import warnings

    message = f"fitontest.{name} is {_FORMER[name]} since version 0.2, and will be gone in version 0.3"
    warnings.warn(message, FutureWarning, stacklevel=2)
    return globals()[_FORMER[name]]
