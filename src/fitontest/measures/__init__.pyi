"""The public names of the room and the files they come from: measures, and the registry of them."""

from .auc import AUC
from .binned import Binned
from .brier import Brier
from .calibration_in_the_large import CalibrationInTheLarge
from .calibration_slope import CalibrationIntercept, CalibrationSlope
from .cost_weighted_error import CostWeightedError
from .cumulative import CumulatedResiduals, CumulativeError
from .decision_loss import DecisionLoss
from .eci import ECI
from .evidence import Evidence
from .hosmer_lemeshow import HosmerLemeshow
from .if_calibrated import IfCalibrated
from .kernel import KernelError
from .likelihood import Discrimination, NagelkerkeR2, Quality, Unreliability
from .log_loss import LogLoss
from .measure import make, names, register, registry, unregister
from .net_benefit import NetBenefit
from .observed_expected import ObservedExpected
from .pairs import PairStatistic
from .plug_in import PlugIn
from .probabilistic_count import ProbabilisticCount
from .probabilistic_kendall_tau import ProbabilisticKendallTau
from .proper_error import ProperError
from .rmse import RMSE
from .scaled_brier import ScaledBrier
from .smooth_ece import SmoothECE
from .spiegelhalter import Spiegelhalter
from .validity import ValidityArea, ValidityCurve
from .within_bin import WithinBin
from .words import Words
from .zero_one import ZeroOneLoss

__all__ = [
    "AUC",
    "ECI",
    "RMSE",
    "Binned",
    "Brier",
    "CalibrationInTheLarge",
    "CalibrationIntercept",
    "CalibrationSlope",
    "CostWeightedError",
    "CumulatedResiduals",
    "CumulativeError",
    "DecisionLoss",
    "Discrimination",
    "Evidence",
    "HosmerLemeshow",
    "IfCalibrated",
    "KernelError",
    "LogLoss",
    "NagelkerkeR2",
    "NetBenefit",
    "ObservedExpected",
    "PairStatistic",
    "PlugIn",
    "ProbabilisticCount",
    "ProbabilisticKendallTau",
    "ProperError",
    "Quality",
    "ScaledBrier",
    "SmoothECE",
    "Spiegelhalter",
    "Unreliability",
    "ValidityArea",
    "ValidityCurve",
    "WithinBin",
    "Words",
    "ZeroOneLoss",
    "make",
    "names",
    "register",
    "registry",
    "unregister",
]
