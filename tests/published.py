"""Where the tests find published figures and prediction sets.

What may be redistributed lies in tests/reference. Larger sets lie in a folder beside the checkout, which a clone need
not have: a test that asks for one of those skips itself.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

COMMITTED = Path(__file__).parent / "reference"
BESIDE = Path(__file__).parents[2] / "shared" / "data"


def figures(name: str) -> Any:
    """Return the figures of tests/reference/{name}.json."""
    return json.loads((COMMITTED / f"{name}.json").read_text())


def predictions(committed: str, beside: str) -> tuple[np.ndarray, np.ndarray]:
    """Return (y, p) of a committed set, or of a file in the folder beside the checkout, or skip the test."""
    path = COMMITTED / f"{committed}.npz"
    if not path.exists():
        path = BESIDE / beside
    if not path.exists():
        pytest.skip(f"{beside} is not among the committed sets")
    with np.load(path) as found:
        if "preds" in found:
            return found["labels"], found["preds"]
        return found["y"], found["p"]
