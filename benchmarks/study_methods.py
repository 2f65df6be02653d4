"""The methods of the synthetic study: which family, how its error is estimated, and its column in the paper."""

from dataclasses import dataclass
from time import perf_counter

import numpy as np

import fitontest as fot
from fitontest.data.score_sample import ScoreSample
from fitontest.measures.debiased import debiased
from fitontest.measures.plug_in import PlugIn


@dataclass(frozen=True)
class Method:
    """One row of the tables.

    Attributes
    ----------
    name : str
        What the tables call it.
    family : Family
    debias : bool
        Whether the estimates are debiased: those of binning are, in the paper's tables.
    slow : bool
        Whether it is run only where it is named.
    """

    name: str
    family: fot.Family
    debias: bool = False
    slow: bool = False

    def measure(self, sample: ScoreSample, p_new: np.ndarray, c_new: np.ndarray) -> dict[str, float]:
        """Return the estimates on a sample, the error of the map at fresh points, and the seconds of both."""
        start = perf_counter()
        error = PlugIn(self.family, debias=self.debias).estimate(sample)
        fitted = perf_counter()
        map_error = float(np.abs(error.map.evaluate(p_new) - c_new).mean())
        evaluated = perf_counter()
        if self.debias:
            squared = debiased(error.estimator.bin_table_, "squared")
        else:
            squared = float(np.mean((error.map.evaluate(sample.p) - sample.p) ** 2))
        return {
            "map_error": map_error,
            "estimate": float(error),
            "estimate_squared": squared,
            "n_bins": error.n_bins or 0,
            "fit_seconds": fitted - start,
            "evaluate_seconds": evaluated - fitted,
        }


#: Binning, Platt (smoothed targets), beta (betacal) and isotonic regression as the paper's authors ran them. PL and PL3
#: are this package's: other optimiser, priors, scoring and averaging, the same families of maps; MSE fits the Brier
#: score.
PUBLISHED = (
    Method("ES_15", fot.Slope1(15), debias=True),
    Method("ES_sweep", fot.Slope1("sweep"), debias=True),
    Method("ES_CV", fot.Slope1("cv", tolerance=1e-3, random_state=1), debias=True),
    Method("PL3", fot.PL3()),
    Method("PL3_MSE", fot.PL3(loss="brier", scoring="brier")),
    Method("PL", fot.PL()),
    Method("PL_MSE", fot.PL(loss="brier", scoring="brier")),
    Method("PL_DE", fot.families.make("pl_de"), slow=True),
    Method("Platt", fot.Platt(smoothing=True, eps=1e-8)),
    Method("beta", fot.Beta(solver="betacal")),
    Method("isotonic", fot.Isotonic()),
)

#: With the 0.1 % rule and without (Tables 20 and 21): of equal scores up to 0.1 % the fewest bins, or the best score.
#: ES_CV and PL_DE above have the rule. They are run where they are named.
RULE = {name: f"{name}, 0.1 % rule" for name in ("PL", "PL3")}
NO_RULE = {name: f"{name}, no rule" for name in ("ES_CV", "PL", "PL3", "PL_DE")}
RULES = (
    Method(NO_RULE["ES_CV"], fot.Slope1("cv", tolerance=0.0, random_state=1), debias=True, slow=True),
    Method(RULE["PL"], fot.PL(tolerance=1e-3), slow=True),
    Method(NO_RULE["PL"], fot.PL(tolerance=0.0), slow=True),
    Method(RULE["PL3"], fot.PL3(tolerance=1e-3), slow=True),
    Method(NO_RULE["PL3"], fot.PL3(tolerance=0.0), slow=True),
)

#: Mixtures of other members than the default ones: without the identity, and without pl, whose fits take the time.
MIXTURES = (
    Method("stacking without identity", fot.families.Stacking(["platt", "beta", "spline", "pl"])),
    Method("stacking without pl", fot.families.Stacking(["identity", "platt", "beta", "spline"])),
)


def methods() -> tuple[Method, ...]:
    """Return the paper's methods, every registered family with its defaults that is not among them, and mixtures."""
    known = [repr(method.family) for method in PUBLISHED]
    names = [name for name in fot.families.names("two") if repr(fot.families.make(name)) not in known]
    defaults = (Method(f"{name} (defaults)", fot.families.make(name)) for name in names)
    return (*PUBLISHED, *defaults, *MIXTURES, *RULES)
