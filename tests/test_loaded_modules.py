"""What is imported where it is not needed: nothing that fits networks, draws or runs SQL. One process tells for all."""

import subprocess
import sys
from functools import cache

import pytest

from tests.maps.test_maps import MAPS

STEPS = {  # in this order, of which each loads more than those before
    "maps are read and called": """
for text in TEXTS:
    fot.CalibrationMap.from_json(text)([0.0, 0.3, 1.0])
""",
    "families that keep the order are made": """
fot.families.make("OI")
fot.families.make("DIAG")
fot.maps.DiagonalOrderMap([-1.0], [1.0, 2.0])([[0.2, 0.8]])
""",
    "calibrators are compared by default": """
import numpy as np
rng = np.random.default_rng(0)
p = rng.random(1000)
y = rng.random(1000) < p**2
assert fot.compare_calibrators(y, p, rule="stack").chosen == "stacking"
assert len(fot.families.Stacking().fit(p, y).members_) > 1
""",
}


@cache
def loaded():
    """Return the names of the packages that a new process has imported after each step."""
    told = "print(*sorted({name.split('.')[0] for name in sys.modules}))\n"
    code = f"import sys, fitontest as fot\nTEXTS = {[c.to_json() for c in MAPS.values()]!r}\n"
    code += "".join(step + told for step in STEPS.values())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return dict(zip(STEPS, map(str.split, done.stdout.splitlines()), strict=True))


@pytest.mark.exhaustive
@pytest.mark.parametrize("step", STEPS)
def test_it_does_without_jax(step):
    assert "numpy" in loaded()[step]
    assert not {"jax", "jaxlib", "optax"} & set(loaded()[step])


def test_reading_and_calling_maps_needs_no_fitting_library():
    assert not {"betacal", "matplotlib", "duckdb", "click"} & set(loaded()["maps are read and called"])
