"""The public names of the companion and the files they come from."""

from .displays.plan import PlanDisplay
from .planning.evaluation_plan import EvaluationPlan
from .planning.planning import plan_evaluation
from .reporting.calibration_check import CalibrationCheck
from .reporting.gate import assert_calibrated, check_calibration
from .reporting.gate_outcome import Gate
from .reporting.report import Report, report

__all__ = [
    "CalibrationCheck",
    "EvaluationPlan",
    "Gate",
    "PlanDisplay",
    "Report",
    "assert_calibrated",
    "check_calibration",
    "plan_evaluation",
    "report",
]
