"""Metrics of the recipes that take rows from several processes give the error of all rows."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import fitontest as fot
from tests.integrations import stand_ins
from tests.integrations.test_recipes import recipe
from tests.pages import run

PROCESSES = 2


def names_of(package: str) -> dict[str, Any]:
    """Run the only block of a recipe, and return the names that it defines."""
    names: dict[str, Any] = {"__name__": "recipe"}
    (part,) = recipe(package)
    run(part.code, names)
    return names


@cache
def error_of_all_rows() -> fot.measures.Estimate:
    """Return the error of the rows of the recipe of evaluate, of which each process gets a share."""
    with pytest.MonkeyPatch.context() as patch:
        stand_ins.install("evaluate", patch)
        names = names_of("evaluate")
    return fot.calibration_error(names["y"], names["p"])


class Gathering:
    """`all_gather` between threads, each in place of a process: waits for all, and gives each copies of all values."""

    def __init__(self, n_processes: int):
        self.given: list[Any] = []
        self.barrier = Barrier(n_processes, timeout=60)

    def all_gather(self, value: Any) -> list[Any]:
        self.given.append(value)
        self.barrier.wait()
        # Ignite gathers numbers, texts and tensors in other ways than objects, and mixes up what is of several kinds.
        assert len({type(one) for one in self.given}) == 1
        return [pickle.loads(pickle.dumps(one)) for one in self.given]


@pytest.mark.exhaustive
def test_each_process_of_ignite_has_the_error_of_what_all_of_them_give_to_all_gather(monkeypatch):
    stand_ins.install("ignite", monkeypatch)
    names = names_of("ignite")
    whole = names["evaluator"].run(names["loader"]).metrics["calibration_error"]
    metrics = [names["CalibrationError"]() for _ in range(PROCESSES + 1)]  # the last process gets no rows
    for place, (logits, labels) in enumerate(names["loader"]):
        metrics[place % PROCESSES].update((names["torch"].sigmoid(logits), labels))
    assert metrics[0].compute() != pytest.approx(whole, abs=1e-4)  # of its own rows
    monkeypatch.setattr(names["idist"], "all_gather", Gathering(len(metrics)).all_gather)
    with ThreadPoolExecutor(len(metrics)) as threads:
        found = list(threads.map(lambda metric: metric.compute(), metrics))
    assert found == pytest.approx([whole] * len(metrics), abs=1e-12)


@pytest.mark.skipif(find_spec("ignite") is None, reason="ignite is not installed")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of torch, when ignite imports it
@pytest.mark.parametrize("with_rows", range(1, PROCESSES + 1))
def test_ignite_itself_gathers_them(with_rows, tmp_path):
    from ignite import distributed as idist

    with idist.Parallel(backend="gloo", nproc_per_node=PROCESSES) as parallel:
        parallel.run(write_error_by_ignite, tmp_path, with_rows)
    values = [float(file.read_text()) for file in sorted(tmp_path.iterdir())]
    whole = names_of("ignite")["evaluator"].state.metrics["calibration_error"]
    assert values == pytest.approx([whole] * PROCESSES, abs=1e-12)


def write_error_by_ignite(rank: int, folder: Path, with_rows: int) -> None:
    """Run the engine of the recipe on the batches of one process, or its metric alone where there are none."""
    names = names_of("ignite")
    if rank < with_rows:
        metrics = names["evaluator"].run(names["loader"][rank::with_rows]).metrics
        value = metrics["calibration_error"]
    else:
        value = names["CalibrationError"]().compute()
    (folder / str(rank)).write_text(repr(value))


@pytest.mark.skipif(find_spec("evaluate") is None, reason="evaluate is not installed")
def test_evaluate_itself_joins_the_rows_of_all_processes(tmp_path):
    with get_context("spawn").Pool(PROCESSES) as pool:
        found = pool.starmap(error_by_evaluate, [(place, tmp_path) for place in range(PROCESSES)], chunksize=1)
    interval = error_of_all_rows().interval
    whole = {"calibration_error": error_of_all_rows().debiased, "low": interval.low, "high": interval.high}
    assert found == [pytest.approx(whole, abs=1e-12), None]


def error_by_evaluate(place: int, folder: Path) -> dict[str, float] | None:
    """Compute the metric of the recipe of the rows of one process."""
    names = names_of("evaluate")
    metric = names["CalibrationError"](
        num_process=PROCESSES, process_id=place, experiment_id="halves", cache_dir=str(folder)
    )
    mine = slice(place, None, PROCESSES)
    metric.add_batch(predictions=names["p"][mine], references=names["y"][mine])
    return metric.compute()
