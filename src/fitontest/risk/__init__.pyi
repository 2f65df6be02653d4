"""The public names of the companion and the files they come from."""

from .displays.decision import DecisionDisplay
from .families.loess import Loess
from .families.lowess import Lowess
from .measures.calibration_in_the_large import CalibrationInTheLarge
from .measures.calibration_slope import CalibrationIntercept, CalibrationSlope
from .measures.cost_weighted_error import CostWeightedError
from .measures.decision_loss import DecisionLoss
from .measures.likelihood import Discrimination, NagelkerkeR2, Quality, Unreliability
from .measures.net_benefit import NetBenefit
from .measures.scaled_brier import ScaledBrier
from .measures.spiegelhalter import Spiegelhalter
from .validation.decision_curve import DecisionCurve, decision_curve
from .validation.validate import validate
from .validation.validation import Validation

__all__ = [
    "CalibrationInTheLarge",
    "CalibrationIntercept",
    "CalibrationSlope",
    "CostWeightedError",
    "DecisionCurve",
    "DecisionDisplay",
    "DecisionLoss",
    "Discrimination",
    "Loess",
    "Lowess",
    "NagelkerkeR2",
    "NetBenefit",
    "Quality",
    "ScaledBrier",
    "Spiegelhalter",
    "Unreliability",
    "Validation",
    "decision_curve",
    "validate",
]
