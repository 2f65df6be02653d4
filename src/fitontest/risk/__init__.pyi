"""The public names of the companion and the files they come from."""

from .families.loess import Loess as Loess
from .families.lowess import Lowess as Lowess
from .measures.brier import ScaledBrier as ScaledBrier
from .measures.brier import Spiegelhalter as Spiegelhalter
from .measures.calibration_in_the_large import CalibrationInTheLarge as CalibrationInTheLarge
from .measures.calibration_slope import CalibrationIntercept as CalibrationIntercept
from .measures.calibration_slope import CalibrationSlope as CalibrationSlope
from .measures.cost_weighted_error import CostWeightedError as CostWeightedError
from .measures.decision_loss import DecisionLoss as DecisionLoss
from .measures.likelihood import Discrimination as Discrimination
from .measures.likelihood import NagelkerkeR2 as NagelkerkeR2
from .measures.likelihood import Quality as Quality
from .measures.likelihood import Unreliability as Unreliability
from .measures.net_benefit import NetBenefit as NetBenefit
from .validation.decision_curve import DecisionCurve as DecisionCurve
from .validation.decision_curve import decision_curve as decision_curve
from .validation.validate import validate as validate
from .validation.validation import Validation as Validation
