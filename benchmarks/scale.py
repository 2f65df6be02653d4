"""What one pass over a file of many rows costs: time of the processor and memory, beside a bare query and a rival.

Usage: ``python benchmarks/scale.py [--rows 1e7 1e8] [--folder build/scale] [--rival] [--groups]``.

Files of float32 scores and int8 labels are made on the spot, in pieces. Each task runs in a process of its own, so that
its peak of memory is its own: a bare query with the keys of the cells, ``Cells.of_file``, the same with five segments,
``fitontest evaluate --family all --cells always``, and, with ``--rival``, torchmetrics on the rows where it is
installed. With ``--groups`` it is what 500 groups cost instead: the pass with and without them, and `evaluate` of the
cells after it, of labels that are alike within groups. Seconds are of the processor, of all threads together. It needs
Linux, which says what a process has had in memory.
"""

import argparse
import json
import resource
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from report import machine_facts, markdown, number, tell

PIECE = 5_000_000
BARE = """
import duckdb
key = "floor(1024 * (ln(q / (1 - q)))) * 2048 + floor(1024 * p)"
rows = f"(SELECT p::DOUBLE AS p, y, CASE WHEN p > 0 AND p < 1 THEN p::DOUBLE ELSE 0.5 END AS q FROM '{path}')"
cells = len(duckdb.sql(f"SELECT {key} AS k, sum(p), sum(y) FROM {rows} GROUP BY k").fetchnumpy()["k"])
print(cells)
"""
CELLS = """
import fitontest as fot
print(len(fot.Cells.of_file(path, label="y", prob="p")))
"""
SEGMENTS = """
import fitontest as fot
print(sum(map(len, fot.Cells.of_file(path, label="y", prob="p", by="s").values())))
"""
MEASURED = """
import fitontest as fot
cells = fot.Cells.of_file(path, label="v", prob="p"{groups})
{evaluation}
print(len(cells))
"""
EVALUATE = """
from click.testing import CliRunner
from fitontest.apps.cli.main import main
options = ["--label", "y", "--prob", "p", "--family", "all", "--cells", "always"]
result = CliRunner().invoke(main, ["evaluate", path, *options])
assert result.exit_code == 0, result.output
print(0)
"""
RIVAL = """
import duckdb, torch
from torchmetrics.classification import BinaryCalibrationError
metric = BinaryCalibrationError(n_bins=15)
reader = duckdb.sql(f"SELECT p, y FROM '{path}'").to_arrow_reader(1_000_000)
for batch in reader:
    columns = [torch.from_numpy(batch.column(i).to_numpy(zero_copy_only=False).copy()) for i in (0, 1)]
    metric.update(columns[0], columns[1].int())
metric.compute()
print(0)
"""
PEAK = """
from pathlib import Path
status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
print(status["VmHWM"].split()[0])
"""  # not ru_maxrss, which a process inherits from the one that started it
TASKS = {
    "bare query with the keys": BARE,
    "Cells.of_file": CELLS,
    "Cells.of_file, five segments": SEGMENTS,
    "fitontest evaluate --family all --cells always": EVALUATE,
}
OF_GROUPS = {
    f"{what}{which}": MEASURED.format(groups=groups, evaluation=evaluation)
    for what, evaluation in (("Cells.of_file", ""), ("Cells.of_file and evaluate", "print(fot.evaluate(cells))"))
    for which, groups in (("", ""), (", 500 groups", ', groups="g"'))
}
GROUPS = 500
ALIKE = 0.02  # latent correlation of the labels of a group


def make(path: Path, n: int) -> None:
    """Write a file of n rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path.parent.mkdir(parents=True, exist_ok=True)
    rng, own = np.random.default_rng(n), np.random.default_rng([n, GROUPS])
    shared = np.sqrt(ALIKE) * own.standard_normal(GROUPS, dtype=np.float32)
    schema = pa.schema({"p": pa.float32(), "y": pa.int8(), "s": pa.int8(), "g": pa.int16(), "v": pa.int8()})
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n, PIECE):
            p = rng.random(min(PIECE, n - start), dtype=np.float32)
            y = (rng.random(p.size, dtype=np.float32) < p**1.1).astype(np.int8)
            s = rng.integers(0, 5, p.size, dtype=np.int8)
            g = own.integers(0, GROUPS, p.size, dtype=np.int16)
            latent = shared[g] + np.float32(np.sqrt(1 - ALIKE)) * own.standard_normal(p.size, dtype=np.float32)
            v = (latent < ndtri(p**1.1)).astype(np.int8)
            writer.write_table(pa.table({"p": p, "y": y, "s": s, "g": g, "v": v}, schema=schema))
            tell(f"{start + p.size:,} rows written")
    tell("")


def measure(task: str, path: Path) -> tuple[float, float, int]:
    """Return the seconds of the processor, the peak of memory in MiB and the cells of a task in its own process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = f"path = {json.dumps(str(path))}\n{task}\n{PEAK}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cells, peak = map(int, done.stdout.split()[-2:])
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds, peak / 1024, cells


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", nargs="+", type=float, default=[1e7, 1e8])
    parser.add_argument("--folder", type=Path, default=Path("build/scale"))
    parser.add_argument("--rival", action="store_true")
    parser.add_argument("--groups", action="store_true")
    options = parser.parse_args()
    tasks = dict(OF_GROUPS if options.groups else TASKS)
    if options.rival and find_spec("torchmetrics"):
        tasks["torchmetrics, all rows"] = RIVAL
    print(machine_facts())
    records = []
    for n in map(int, options.rows):
        path = options.folder / f"rows_{n}.parquet"
        if not path.exists():
            make(path, n)
        bare = None
        for name, task in tasks.items():
            tell(f"{n:,} rows: {name}")
            seconds, peak, cells = measure(task, path)
            bare = bare or seconds
            records.append([f"{n:.0e}", name, number(seconds), f"{seconds / bare:.2f}", f"{peak:,.0f}", f"{cells:,}"])
        tell("")
    print(markdown(["rows", "task", "CPU s", "times the first", "peak MiB", "cells"], records))


if __name__ == "__main__":
    main()
