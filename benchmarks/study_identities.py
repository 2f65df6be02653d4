"""What the maps of the synthetic study leave to calibrate, and what they join that differs: Theorems 1 and 3.

Usage: ``python benchmarks/study_identities.py``.

The error of a map by the divergence of the Brier score is the sum of both, and its excess of expected loss, all
computed apart. Means over the five shapes with an expected error of .10, 3,000 rows and five seeds, at 100,000 fresh
points, in thousandths; beside them the largest difference of the two sides of either theorem.
"""

import numpy as np

from fitontest.data.score_sample import ScoreSample
from fitontest.datasets import SHAPES, Derivate
from fitontest.measures.plug_in import PlugIn
from fitontest.truth import Decomposition, decompose
from report import machine_facts, markdown
from study_methods import Method, methods

ERROR, N, SEEDS = 0.10, 3000, range(5)
NAMES = ("ES_15", "ES_CV", "ES_sweep", "isotonic", "Platt", "beta", "PL", "PL3", "spline (defaults)", "flat (defaults)")


def parts_of(method: Method) -> list[Decomposition]:
    """Return the parts of the error of the maps of a method, one for each shape and seed."""
    found = []
    for shape in SHAPES:
        problem = Derivate(shape, ERROR)
        for seed in SEEDS:
            y, p, _ = problem.draw_as_published(N, seed)
            fitted = PlugIn(method.family).estimate(ScoreSample(y, p)).map
            found.append(decompose(problem, fitted.evaluate, random_state=seed + 1))
    return found


def row_of(method: Method) -> list[str]:
    """Return the means and the largest difference as cells of a table."""
    found = parts_of(method)
    means = [np.mean([getattr(parts, name) for parts in found]) for name in ("error", "calibration", "grouping")]
    apart = max(
        max(abs(parts.calibration + parts.grouping - parts.error), abs(parts.excess_loss - parts.error))
        for parts in found
    )
    return [method.name, *(f"{1000 * mean:.3f}" for mean in means), f"{apart:.1e}"]


def main() -> None:
    print(machine_facts())
    known = {method.name: method for method in methods()}
    header = ("method", "error of the map", "left to calibrate", "grouping", "largest difference")
    print(markdown(header, [row_of(known[name]) for name in NAMES]))


if __name__ == "__main__":
    main()
