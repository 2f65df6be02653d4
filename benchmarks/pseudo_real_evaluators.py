"""The evaluators of the pseudo-real study: the paper's, every family of this package, and its default number."""

from collections.abc import Iterable
from dataclasses import dataclass
from time import process_time

import numpy as np

import fitontest as fot
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.debiased import debiased
from fitontest.measures.plug_in import PlugIn
from pseudo_real_problems import TrueMaps
from study_methods import MIXTURES, NO_RULE, RULES, Method, methods

DEFAULT = "default, debiased"
#: Differential evolution takes minutes for many rows.
EVOLUTION = (
    Method("PL_DE", fot.families.make("pl_de")),
    Method(NO_RULE["PL_DE"], fot.families.make("pl_de", tolerance=0.0)),
)
BINNING = (
    *(Method(f"ES_{k}", fot.Slope1(k), debias=True) for k in (10, 20, 25, 30)),
    *(Method(f"EW_{k}", fot.Slope1(k, scheme="equal_width"), debias=True) for k in (10, 15, 20)),
)
SPLINES = tuple(Method(f"Spline {kind}", fot.families.CumulativeSpline(kind=kind)) for kind in ("cubic", "parabolic"))
NAMES = {"kde (defaults)": "KDE", "cumulative_spline (defaults)": "Spline natural"}  # as the paper calls them


@dataclass(frozen=True)
class DefaultNumber:
    """The first number that `calibration_error` shows: the debiased error, beside the default family's map."""

    name: str = DEFAULT

    def measure(self, sample: ScoreSample, grid: TrueMaps) -> dict[str, float | list[float]]:
        """Return the estimates, the error of the map by each truth, and the processor's seconds."""
        start = process_time()
        error = fot.calibration_error(sample.y, sample.p)
        seconds = process_time() - start
        return {
            **distances(error.map.evaluate(grid.p), grid),
            "estimate": float(error if error.debiased is None else error.debiased),
            "estimate_squared": mean_square(error, sample),
            "n_bins": error.n_bins or 0,
            "seconds": seconds,
        }


@dataclass(frozen=True)
class TwoColumnNumber:
    """A family of several classes as an evaluator: the map of the second of two columns, 1 - p and p."""

    name: str
    family: str

    def measure(self, sample: ScoreSample, grid: TrueMaps) -> dict[str, float | list[float]]:
        """Return the estimates, the error of the map by each truth, and the processor's seconds."""
        start = process_time()
        fitted = fot.families.make(self.family).fit(_columns(sample.p), sample.y)
        own = fitted.predict_proba(_columns(sample.p))[:, 1]
        seconds = process_time() - start
        return {
            **distances(fitted.predict_proba(_columns(grid.p))[:, 1], grid),
            "estimate": float(np.abs(own - sample.p).mean()),
            "estimate_squared": float(np.mean((own - sample.p) ** 2)),
            "n_bins": 0,
            "seconds": seconds,
        }


def _columns(p: np.ndarray) -> np.ndarray:
    return np.column_stack([1.0 - p, p])


@dataclass(frozen=True)
class PlugInNumber:
    """A method of the tables, as the synthetic study has it."""

    method: Method

    @property
    def name(self) -> str:
        """What the tables call it."""
        return NAMES.get(self.method.name, self.method.name)

    def measure(self, sample: ScoreSample, grid: TrueMaps) -> dict[str, float | list[float]]:
        """Return the estimates, the error of the map by each truth, and the processor's seconds."""
        start = process_time()
        error = PlugIn(self.method.family, debias=self.method.debias).estimate(sample)
        seconds = process_time() - start
        squared = debiased(error.estimator.bin_table_, "squared") if self.method.debias else mean_square(error, sample)
        return {
            **distances(error.map.evaluate(grid.p), grid),
            "estimate": float(error),
            "estimate_squared": squared,
            "n_bins": error.n_bins or 0,
            "seconds": seconds,
        }


def distances(c_hat: np.ndarray, grid: TrueMaps) -> dict[str, list[float]]:
    """Return the mean distance of a map, given by its values on the grid, from each truth, and the mean squared one."""
    off = np.abs(c_hat - grid.c)
    return {"map_errors": (off @ grid.weight).tolist(), "map_squares": (off**2 @ grid.weight).tolist()}


def mean_square(error: fot.measures.Estimate, sample: ScoreSample) -> float:
    """Return the mean squared distance of the map from the scores."""
    return float(np.mean((error.map.evaluate(sample.p) - sample.p) ** 2))


def evaluators() -> dict[str, PlugInNumber | TwoColumnNumber | DefaultNumber]:
    """Return those that are run on all sets, by name."""
    mixtures = {one.name for one in MIXTURES}
    common = [one for one in methods() if not one.slow and one.name not in mixtures]
    found: dict[str, PlugInNumber | TwoColumnNumber | DefaultNumber] = _by_name((*common, *BINNING, *SPLINES))
    return {**found, DEFAULT: DefaultNumber()}


def ruled_evaluators() -> dict[str, PlugInNumber]:
    """Return those with the 0.1 % rule and without, which are run on the sets of the first seed."""
    return _by_name(RULES)


def slow_evaluators() -> dict[str, PlugInNumber | TwoColumnNumber]:
    """Return those that are run where they are named: seconds a set, for knots or for programs that are compiled."""
    return {**_by_name(EVOLUTION), "IOP": TwoColumnNumber("IOP", "order_invariant")}


def _by_name(plug_ins: Iterable[Method]) -> dict[str, PlugInNumber]:
    return {one.name: one for one in map(PlugInNumber, plug_ins)}
