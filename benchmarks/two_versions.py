"""Two versions of the package beside each other, each in processes of its own.

A process has one version for good. A pool of a version is made of fresh processes that put the ``src`` folder of its
checkout before anything else, so that the functions they run import the package from there. Functions that are handed
to a pool must stand in a module that the script imports late, inside a function: a fresh process imports the script
itself before it is told which version to use.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
NOW, BEFORE = "now", "before"
ROOMS = ("apps", "data", "displays", "evaluation", "families", "measures", "monitor", "results", "risk", "segments")
HERE = Path(__file__).resolve().parents[1]


def pools_of(before: Path | None, processes: int) -> dict[str, ProcessPoolExecutor]:
    """Return a pool of the checkout that this file is in, and one of the checkout `before` if there is one, by version.

    The processes of a pool start when it is first used.
    """
    checkouts = {NOW: HERE} if before is None else {NOW: HERE, BEFORE: before.resolve()}
    return {
        version: ProcessPoolExecutor(processes, get_context("spawn"), initializer=use, initargs=(checkout / "src",))
        for version, checkout in checkouts.items()
    }


def one_thread_each() -> None:
    """Let the processes that are started from now on compute with one thread each: they fill the cores themselves."""
    for name in THREADS:
        os.environ.setdefault(name, "1")


def use(source: Path) -> None:
    """Let this process import the package from a folder."""
    sys.path.insert(0, str(source))
    import fitontest

    found = Path(fitontest.__file__).resolve()
    if not found.is_relative_to(source):
        raise RuntimeError(f"fitontest must come from {source}, but was imported from {found}")
    _name_rooms(fitontest)


def _name_rooms(package: Any) -> None:
    """Let an earlier version be called as this one is: what was named at its top stands in rooms and companions now."""
    shelves = [package, *(getattr(package, shelf) for shelf in ("families", "maps", "measures"))]
    for room in ROOMS:
        held = getattr(package, room, None)
        if held is None:
            held = SimpleNamespace()
            setattr(package, room, held)
        for shelf in shelves:
            for name in shelf.__all__:
                if not hasattr(held, name):
                    setattr(held, name, getattr(shelf, name))
