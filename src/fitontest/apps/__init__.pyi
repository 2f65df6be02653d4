"""The public names of the companion and the files they come from."""

from .planning.evaluation_plan import EvaluationPlan as EvaluationPlan
from .planning.planning import plan_evaluation as plan_evaluation
from .reporting.calibration_check import CalibrationCheck as CalibrationCheck
from .reporting.gate import assert_calibrated as assert_calibrated
from .reporting.gate import check_calibration as check_calibration
from .reporting.gate_outcome import Gate as Gate
from .reporting.report import Report as Report
from .reporting.report import report as report
