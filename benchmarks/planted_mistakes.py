"""Which planted mistakes the tests catch: each is one line of the source, changed as a slip of a hand changes it.

    python benchmarks/planted_mistakes.py [--only TEXT ...] [--part daily|exhaustive|both]

copies src and tests for each mistake, plants it, and runs the tests until one fails: first the daily part of the folder
that mirrors the room and the contracts, then all of the daily part, then the exhaustive part. It prints which part
caught the mistake, and by which test. A mistake whose line is not found, or is found twice, stops the script.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
CONTRACTS = ("test_contracts.py", "test_measure_contracts.py", "test_multiclass_contracts.py", "test_cell_contracts.py")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


class Mistake(NamedTuple):
    """A line of a file under src/fitontest, and what stands there by mistake."""

    file: str
    right: str
    wrong: str


MISTAKES = (
    Mistake("numerics/losses.py", "- 2.0 * _of_own_class(y, q) + 1.0", "- 2.0 * _of_own_class(y, q)"),
    Mistake("numerics/norms.py", "return np.asarray(g**2 - l1(g**2, w))", "return np.asarray(g**2)"),
    Mistake("numerics/significance/exact_share.py", "2.0 * min(at_least, at_most)", "min(at_least, at_most)"),
    Mistake("numerics/significance/student.py", "np.sqrt(ybar * (1.0 - ybar))", "ybar * (1.0 - ybar)"),
    Mistake(
        "numerics/significance/drawn_p_value.py",
        "return (1.0 + self.as_large) / (1.0 + self.draws)",
        "return self.as_large / self.draws",
    ),
    Mistake("data/weights.py", "return total <= MOST_COPIES * rows", "return total < MOST_COPIES * rows"),
    Mistake("data/weights.py", "    if w.min() < 0:", "    if w.max() < 0:"),
    Mistake("data/row_groups.py", "self.weights.sum() ** 2 / (self", "self.weights.sum() / (self"),
    Mistake("data/class_rows.py", "ADDS_UP = 0.01 * (1.0 + 1e-6)", "ADDS_UP = 0.001 * (1.0 + 1e-6)"),
    Mistake("data/top_label.py", "right = 1.0 / ways[split]", "right = 1.0 * ways[split]"),
    Mistake("data/files/text_columns.py", "== 'percent' else 100.0", "== 'percent' else 10.0"),
    Mistake("partitions/equal_bins.py", "size % n_bins[:, None]  #", "size // n_bins[:, None]  #"),
    Mistake("partitions/partition.py", "return self.edges.size + 1", "return max(self.edges.size, 1)"),
    Mistake("partitions/pava_bc.py", "n_min, n_max = total / 20, total / 5", "n_min, n_max = total / 20, total / 4"),
    Mistake("maps/hermite.py", "self.x[inside], self.x[inside + 1]", "self.x[inside], self.x[inside] + 1.0"),
    Mistake(
        "maps/atoms.py", "np.minimum(np.searchsorted(self.at, p)", 'np.minimum(np.searchsorted(self.at, p, "right")'
    ),
    Mistake("maps/stored.py", "is_whole(schema) and schema > SCHEMA", "is_whole(schema) and schema < SCHEMA"),
    Mistake("families/platt.py", "(positives + 1.0) / (positives + 2.0)", "positives / (positives + 2.0)"),
    Mistake("families/temperature.py", "mix = 1.0 / (rows.counted + 1.0)", "mix = 1.0 / (rows.counted + 2.0)"),
    Mistake("families/venn_abers.py", "upper / (lower + upper)", "lower / (lower + upper)"),
    Mistake("families/kde.py", "shares = distinct.wy / distinct.w", "shares = distinct.w / distinct.w"),
    Mistake("measures/cumulative.py", "distinct.w2 @ (distinct.p * (1.0", "distinct.w @ (distinct.p * (1.0"),
    Mistake("measures/within_bin.py", "return mean * (1.0 - mean)", "return mean * mean"),
    Mistake("measures/proper_error.py", "mean_and_error(before - after,", "mean_and_error(after - before,"),
    Mistake("uncertainty/bands.py", "tail = (1 - level) / 2", "tail = 1 - level"),
    Mistake("uncertainty/seminorm.py", "max(estimate.value - reach * noise, 0.0)", "estimate.value - reach * noise"),
    Mistake("uncertainty/joint.py", ">= max(observed))), self", ">= min(observed))), self"),
    Mistake("evaluation/comparison/paired.py", "return self.mean > self.se", "return self.mean > 0.0"),
    Mistake("evaluation/scorers.py", "greater_is_better else -value", "greater_is_better else value"),
    Mistake("classifier/pair.py", "proba[:, 0] = 1.0 - proba[:, 1]", "proba[:, 0] = proba[:, 1]"),
    Mistake("simulation/derivate.py", "0 <= self.error <= most + 1e-9", "0 <= self.error <= 2 * most"),
    Mistake("risk/measures/likelihood.py", "return -2.0 * float(rows.w @ logs)", "return -1.0 * float(rows.w @ logs)"),
    Mistake("risk/measures/decision_loss.py", "loss /= 1.0 - t", "loss *= 1.0 - t"),
    Mistake(
        "segments/features/redrawn_maxima.py", "(1 + np.count_nonzero(maxima >=", "(0 + np.count_nonzero(maxima >="
    ),
    Mistake("segments/features/pooling.py", "y=positives[at] / w, w=w", "y=positives[at], w=w"),
    Mistake("segments/repair/variance_components.py", "return 2 + np.concatenate", "return 1 + np.concatenate"),
    Mistake("monitor/bettors/fixed_share.py", "(1.0 - self.share) * kept", "self.share * kept"),
    Mistake("monitor/nulls/rates.py", "np.minimum(p + self.eps, 1.0)", "np.minimum(p + 2 * self.eps, 1.0)"),
    Mistake("monitor/segments.py", "1.0 / (j * (j + 1)) for j", "1.0 / j for j"),
    Mistake("risk/validation/thresholds.py", "float(cost) / (1.0 + float(cost))", "float(cost) / (2.0 + float(cost))"),
    Mistake("risk/validation/recalibrated.py", "(1.0 - thresholds))", "(1.0 + thresholds))"),
    Mistake("apps/reporting/slope_range.py", "self.interval.high < self.least", "self.interval.low < self.least"),
    Mistake("apps/reporting/criterion.py", '"fail" if interval.low > self', '"fail" if interval.high > self'),
)


def plant(mistake: Mistake, folder: Path) -> None:
    """Change the line in a copy."""
    path = folder / "src" / "fitontest" / mistake.file
    text = path.read_text(encoding="utf-8")
    if text.count(mistake.right) != 1:
        raise ValueError(f"{mistake.file} must hold {mistake.right!r} once, found {text.count(mistake.right)} times")
    path.write_text(text.replace(mistake.right, mistake.wrong), encoding="utf-8")


def run(folder: Path, mark: str, paths: list[str]) -> str | None:
    """Run tests until one fails, and return its name, or None where all pass."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "auto", "-m", mark, "-p", "no:cacheprovider", *paths]
    environment = os.environ | {"PYTHONPATH": str(folder / "src"), "MPLBACKEND": "Agg"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode in (0, 5):
        return None
    found = FAILED.search(done.stdout)
    return found[1] if found else (done.stdout + done.stderr).strip().splitlines()[-1]


def catch(mistake: Mistake, folder: Path, part: str) -> tuple[str, str]:
    """Return which part of the tests catches a planted mistake, and by which test."""
    tests = folder / "tests"
    mirror = tests / Path(mistake.file).parent
    near = [str(path) for path in (mirror, *(tests / name for name in CONTRACTS)) if path.exists()]
    daily = [("daily", "not exhaustive", near), ("daily", "not exhaustive", [])]
    rest = [("exhaustive", "exhaustive", near), ("exhaustive", "exhaustive", [])]
    for name, mark, paths in {"daily": daily, "exhaustive": rest, "both": daily + rest}[part]:
        test = run(folder, mark, paths)
        if test is not None:
            return name, test
    return "none", ""


def main() -> None:
    """Plant each mistake, and say which tests catch it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="*", default=[""], help="files that hold one of these texts")
    parser.add_argument("--part", choices=("daily", "exhaustive", "both"), default="both")
    options = parser.parse_args()
    chosen = [mistake for mistake in MISTAKES if any(text in mistake.file for text in options.only)]
    caught = []
    for mistake in chosen:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("src", "tests", "docs", "benchmarks"):
                shutil.copytree(
                    ROOT / name, Path(folder) / name, ignore=shutil.ignore_patterns("__pycache__", "_build")
                )
            for name in ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE"):
                if (ROOT / name).exists():
                    shutil.copy(ROOT / name, folder)
            plant(mistake, Path(folder))
            part, test = catch(mistake, Path(folder), options.part)
        caught.append(part)
        print(f"{part:10}  {mistake.file}: {mistake.right}  ->  {mistake.wrong}  |  {test}", flush=True)
    daily = caught.count("daily")
    print(f"{len(caught)} mistakes: {daily} caught by the daily part, {len(caught) - caught.count('none')} by both")


if __name__ == "__main__":
    main()
