"""The public names of the room and the files they come from: measures, and the registry of them."""

from .auc import AUC
from .binned import Binned
from .brier import Brier
from .cumulative import CumulatedResiduals, CumulativeError
from .eci import ECI
from .estimate import Estimate
from .evidence import Evidence
from .hosmer_lemeshow import HosmerLemeshow
from .if_calibrated import IfCalibrated
from .kernel import KernelError
from .log_loss import LogLoss
from .measure import Measure, make, names, register, registry, unregister
from .observed_expected import ObservedExpected
from .pairs import PairStatistic
from .plug_in import PlugIn
from .probabilistic_count import ProbabilisticCount
from .probabilistic_kendall_tau import ProbabilisticKendallTau
from .proper_error import ProperError
from .rmse import RMSE
from .smooth_ece import SmoothECE
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
    "CumulatedResiduals",
    "CumulativeError",
    "Estimate",
    "Evidence",
    "HosmerLemeshow",
    "IfCalibrated",
    "KernelError",
    "LogLoss",
    "Measure",
    "ObservedExpected",
    "PairStatistic",
    "PlugIn",
    "ProbabilisticCount",
    "ProbabilisticKendallTau",
    "ProperError",
    "SmoothECE",
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
