"""Write the golden file of stored monitors: ``python -m tests.golden.write_monitors`` from the root.

It holds monitors as `to_json` writes them in this version, each after two batches, and what they say after a third. It
stands for the files that users have, and is written once for each version.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

import fitontest as fot

FILE = Path(__file__).parent / "monitors_0_2.json"
SETTINGS: dict[str, dict[str, Any]] = {
    "plain": {"tolerance": 0},
    "max_error": {"max_error": 0.05},
    "tolerance": {"tolerance": 0.02, "tolerance_unit": "probability"},
    "segments": {"tolerance": 0},
    "groups": {"tolerance": 0},
    "confidence": {"tolerance": 0, "reduction": "confidence"},
}


def rows_of(name: str, batch: int) -> tuple[Any, Any, dict[str, Any]]:
    """Return labels, scores and columns of one batch of a monitor."""
    rng = np.random.default_rng([batch, len(name)])
    if name == "confidence":
        p = rng.dirichlet([1.0, 2.0, 3.0], 90)
        return np.array([rng.choice(3, p=row) for row in p]), p, {}
    p = rng.beta(1.0, 2.0, 90)
    y = (rng.random(90) < np.clip(p + 0.05 * batch, 0.0, 1.0)).astype(int)
    columns = {
        "segments": {"by": np.array(["a", "b"])[np.arange(90) % 2]},
        "groups": {"groups": 30 * batch + np.arange(90) // 3},
    }
    return y, p, columns.get(name, {})


def evidence_of(monitor: Any, name: str) -> dict[str, Any]:
    """Return what a monitor says after the third batch."""
    y, p, columns = rows_of(name, 2)
    return json.loads(json.dumps(monitor.update(y, p, batch="2", **columns).to_dict()))


def main() -> None:
    """Write the file."""
    stored = []
    for name, settings in SETTINGS.items():
        monitor = fot.monitor.Monitor(**settings)
        for batch in range(2):
            y, p, columns = rows_of(name, batch)
            monitor.update(y, p, batch=str(batch), **columns)
        text = monitor.to_json()
        stored.append({"name": name, "text": text, "evidence": evidence_of(fot.monitor.Monitor.from_json(text), name)})
    FILE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
