"""Records of runs of a study, one line of JSON each, so that one that was stopped goes on where it was."""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

from report import tell


def recorded(folder: Path, stream: str, runs: int, run_of: Callable[[int], dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records of the first runs of a stream; those that the folder does not have are made and written."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{''.join(letter if letter.isalnum() else '_' for letter in stream)}.jsonl"
    known = {record["run"]: record for record in complete(path)}
    with path.open("a") as file:
        for run in range(runs):
            if run not in known:
                tell(f"{stream}, run {run + 1} of {runs}")
                known[run] = {"run": run, **run_of(run)}
                file.write(json.dumps(known[run]) + "\n")
                file.flush()
    tell("")
    return [known[run] for run in range(runs)]


def complete(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file, and take away a line within which a run was stopped."""
    end_with_whole_line(path)
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def end_with_whole_line(path: Path) -> None:
    """Take away a line of a file, which need not be there, within which a run was stopped."""
    content = path.read_bytes() if path.exists() else b""
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)


def share(hits: Iterable[bool]) -> str:
    """Return a share with its standard error."""
    values = np.array(list(hits), dtype=float)
    rate = values.mean()
    return f"{rate:.3f} ± {np.sqrt(rate * (1.0 - rate) / values.size):.3f}"
