"""What becomes of damaged files: mutated CSV tables and JSON maps, read as `fitontest` reads them.

Of each kind some thousand valid texts are damaged at random, up to four times each: bits flipped; bytes deleted,
doubled, cut off or repeated elsewhere; digits changed; separators, quotes and newlines exchanged; NUL bytes, bytes that
are no UTF-8, huge numbers and nested brackets put in; in JSON, keys renamed and values changed. Checked of every text:

* it is read, or refused with a ValueError of at most 1,000 characters that names a rule (on the command line, through
  which one text in 50 goes too: with exit code 2 and one line);
* that takes at most 10 seconds;
* what is read of a CSV file is what Python's csv module and float read of it, bit by bit, and a copy with one more
  column has the same cells; a map that is read writes the values that json reads of the text.

The mutations depend on the seed alone.
"""

import argparse
import csv
import io
import json
import math
import re
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from click.testing import CliRunner

import fitontest as fot
from fitontest.cli.main import main as command_line
from fitontest.data.csv_files import STANDARD, Layout
from fitontest.data.tables import append_column, naming_lines, read_columns

LONGEST = 10.0  # seconds for one text
LONGEST_MESSAGE = 1000  # characters
EVERY = 50  # one text in so many also goes through the command line
WANTED = {"--label": "y", "--prob": "p", "--weight": "w"}
CALLED = ("label column 'y'", "prob column 'p'", "weight column 'w'")
INSERTS = (
    *(
        b",",
        b";",
        b"\t",
        b"|",
        b'"',
        b"'",
        b"\n",
        b"\r",
        b"\r\n",
        b"\0",
        b"\xff",
        b"\xe9",
        b"\xc3\x28",
        b"\\",
        b"#",
        b" ",
    ),
    *(b"1e999", b"-1e999", b"9" * 400, b"1e-400", b"nan", b"NA", b"NaN", b"Infinity", b"null", b"abc", b"0.5,", b"1_0"),
    *(b"[" * 40, b"]" * 40, b"{", b"}", b"[[]]", b"\xef\xbb\xbf", b"\xef\xbc\x91", b"true", b"-", b".", b"0x1"),
)
VALUES = (
    0,
    -1,
    1.5,
    1e308,
    10**400,
    -0.0,
    True,
    None,
    "x" * 1000,
    "",
    [],
    {},
    [[0.5]],
    [0.1, "a"],
    {"edges": [0.5]},
    "left",
)


@dataclass
class Findings:
    """What became of the texts of one kind."""

    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    longest: float = 0.0

    def report(self, title: str) -> str:
        """Return the counts, and what went against the claims."""
        lines = [
            f"{title}: {self.accepted} texts read, {self.refused.total()} refused",
            f"  {len(self.wrong):6d}  against the claims; the slowest took {self.longest:.2f} s",
            *(f"  {count:6d}  {kind}" for kind, count in self.refused.most_common()),
            *(f"  WRONG {one}" for one in self.wrong[:20]),
        ]
        return "\n".join(lines)


def mutated(text: bytes, rng: np.random.Generator) -> bytes:
    """Return the text with one to four random damages."""
    for _ in range(int(rng.choice([1, 1, 2, 4]))):
        text = _damaged(text, rng)
    return text


def _damaged(text: bytes, rng: np.random.Generator) -> bytes:
    at, end = sorted(int(one) for one in rng.integers(0, len(text) + 1, 2))
    end = min(end, at + int(rng.choice([1, 1, 2, 8, 64])))
    which = int(rng.integers(0, 9))
    if which == 0 and text:  # a bit
        flipped = bytearray(text)
        flipped[at % len(text)] ^= 1 << int(rng.integers(0, 8))
        return bytes(flipped)
    if which == 1:
        return text[:at] + text[end:]
    if which == 2:
        return text[:end] + text[at:]
    if which == 3 and rng.random() < 0.3:
        return text[:at]
    if which == 4:  # one mark for another, once or everywhere
        old, new = (INSERTS[int(one)] for one in rng.integers(0, 10, 2))
        return text.replace(old, new, int(rng.choice([1, 2, -1])))
    if which == 5:
        other, stop = sorted(int(one) for one in rng.integers(0, len(text) + 1, 2))
        return text[:at] + text[other : min(stop, other + 40)] + text[at:]
    if which == 6 and (digits := [i for i, one in enumerate(text) if one in b"0123456789"]):
        at = int(rng.choice(digits))
        return text[:at] + b"%d" % rng.integers(0, 10) + text[at + 1 :]
    return text[:at] + INSERTS[int(rng.integers(0, len(INSERTS)))] + text[at:]


# --- CSV


def tables(rng: np.random.Generator, layout: Layout = STANDARD) -> bytes:
    """Return a valid table of some rows: labels, scores, weights and a text."""
    n = int(rng.integers(2, 30))
    sep = layout.sep or str(rng.choice([",", ",", ";", "\t"]))
    end = str(rng.choice(["\n", "\n", "\r\n"]))
    out = io.StringIO(newline="")
    quoting = csv.QUOTE_ALL if rng.random() < 0.3 else csv.QUOTE_MINIMAL
    writer = csv.writer(out, delimiter=sep, lineterminator=end, quoting=quoting)
    writer.writerow(("name", "y", "p", "w"))
    names = ["a", "b c", 'say "hi"', "x,y", "one\ntwo", "é", "", "NA", "C:\\", "#"]
    for _ in range(n):
        p = rng.choice([rng.random(), round(rng.random(), 2), 0.0, 1.0, 10.0 ** -int(rng.integers(1, 320))])
        score = repr(float(p)).replace(".", layout.decimal or ".")
        writer.writerow((rng.choice(names), int(rng.integers(0, 2)), score, int(rng.integers(0, 4))))
    return out.getvalue().encode(layout.encoding or "utf-8")


def read_table(path: Path, layout: Layout) -> fot.Sample:
    """Return the sample in a file as the command line reads it."""
    columns = read_columns(path, WANTED, ("--prob", "--weight"), layout)
    with naming_lines(path, dict(zip(CALLED, WANTED.values(), strict=True)), layout):
        return fot.Sample(*columns.values(), names=CALLED)


def strictly_read(raw: bytes, seps: Iterable[str], encoding: str) -> list[list[str]] | None:
    """Return header and rows by Python's csv module, or None where it finds no table with the columns y, p and w."""
    text = raw.decode(encoding)
    for how in ({}, {"escapechar": "\\", "doublequote": False}):
        for sep in seps:
            try:
                header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=sep, strict=True, **how)
            except (csv.Error, ValueError):
                continue
            rows = [row for row in rows if row]
            if all(header.count(name) == 1 for name in "ypw") and {len(row) for row in rows} == {len(header)}:
                return [header, *rows]
    return None


def check_table(raw: bytes, folder: Path, layout: Layout = STANDARD) -> str | None:
    """Return what is wrong with the reading of a text, if it is read at all."""
    (folder / "a.csv").write_bytes(raw)
    sample = read_table(folder / "a.csv", layout)
    expected = strictly_read(raw, layout.sep or ",\t;|", layout.encoding or "utf-8-sig")
    if expected is None:
        return "read, though csv finds no such table"
    header, *rows = expected
    y, p, w = ([row[header.index(name)] for row in rows] for name in "ypw")
    if layout.decimal:
        y, p, w = ([cell.replace(layout.decimal, ".") for cell in column] for column in (y, p, w))
    try:
        numbers = [np.array([float(cell) for cell in column]) for column in (y, p, w)]
    except ValueError as error:
        if {cell.lower() for cell in y} <= {"true", "false"}:
            return None
        return f"read, though float refuses a cell: {error}"
    if any(a.tobytes() != b.tobytes() for a, b in zip((sample.p, sample.w), numbers[1:], strict=True)):
        return "read as other scores or weights"
    if not np.array_equal(sample.y, numbers[0] == 1):
        return "read as other labels"
    try:
        append_column(folder / "a.csv", folder / "o.csv", "c", sample.p, WANTED, layout)
    except ValueError as error:
        return None if "--column" in str(error) else f"read, but not copied: {error}"
    copied = strictly_read((folder / "o.csv").read_bytes(), layout.sep or ",", "utf-8")
    if copied is None or [row[:-1] for row in copied] != expected:
        return f"copied as {copied}"
    values = [float(row[-1].replace(layout.decimal or ".", ".")) for row in copied[1:]]
    return None if np.array(values).tobytes() == sample.p.tobytes() else "copied with other numbers"


# --- JSON

MAPS = (
    fot.IdentityMap(),
    fot.BinnedMap(fot.Partition([0.2, 0.7], "right"), [0.1, 0.5, -0.1], [1.0, 0.0, 1.0]),
    fot.KnotsMap([0.1, 0.3, 0.8], [0.0, 0.2, 0.9]),
    fot.StepsMap([0.1, 0.5], [0.0, 0.4, 0.9], [0.1, 0.3]),
    fot.LogisticMap(1.3, -0.2, "logit", 1e-16),
    fot.LogisticMap(-4.0, 2.0, "identity", 1e-16),
    fot.BetaMap(0.7, 1.9, 0.1, 2.2e-16),
    fot.LogitKnotsMap([[-3.0, -1.0, 2.0], [-4.0, 0.5, 3.0]], [[-2.0, -1.5, 2.5], [-5.0, 1.0, 1.5]]),
)


def maps(rng: np.random.Generator) -> bytes:
    """Return the text of a map, with a key renamed, left out or added, or a value changed, or with damaged bytes."""
    values = MAPS[int(rng.integers(0, len(MAPS)))].to_dict()
    damaged = rng.random() < 0.5
    if not damaged or rng.random() < 0.2:
        key = str(rng.choice(list(values)))
        which = int(rng.integers(0, 5))
        if which == 0:
            values[key + str(rng.choice(["", "x"]))] = values.pop(key)
        elif which == 1:
            del values[key]
        elif which == 2:
            values[str(rng.choice(["decreasing", "x", "extra"]))] = True
        elif which == 3:
            values |= {name: value * float(rng.normal()) for name, value in values.items() if isinstance(value, float)}
        else:
            values[key] = VALUES[int(rng.integers(0, len(VALUES)))]
    text = json.dumps(values, indent=rng.choice([None, 1])).encode()  # type: ignore[arg-type]
    return mutated(text, rng) if damaged else text


def check_map(raw: bytes, folder: Path) -> str | None:  # noqa: ARG001 - the signature of every check
    """Return what is wrong with the reading of a text, if it is read at all."""
    text = raw.decode("utf-8-sig", "replace")
    c_hat = fot.CalibrationMap.from_json(text)
    written, expected = c_hat.to_dict(), json.loads(text)
    if expected.get("schema") == 1:  # read with a warning, and written with the flag
        expected["schema"] = 2
        expected |= {"decreasing": True} if c_hat.decreasing else {}
    if not _same(written, expected):
        return f"read as other values: {written}"
    values = c_hat(np.linspace(0, 1, 11))
    return None if np.isfinite(values).all() else "a map with values that are no numbers"


def _same(a: Any, b: Any) -> bool:
    """Return whether values are equal one by one, numbers as floats bit by bit."""
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_same, a, b))
    if isinstance(a, float) and isinstance(b, float | int) and not isinstance(b, bool):
        return float(a) == float(b) and math.copysign(1, a) == math.copysign(1, b)
    return type(a) is type(b) and bool(a == b)


# --- the study


EUROPEAN = Layout(";", "cp1252", ",")


@dataclass(frozen=True)
class Kind:
    """A kind of input: how a damaged text is made, how one is checked, and the command that reads one."""

    make: Callable[[np.random.Generator], bytes]
    check: Callable[[bytes, Path], str | None]
    command: Callable[[bytes, Path], list[str]]


def _evaluate(raw: bytes, folder: Path, *options: str) -> list[str]:
    (folder / "a.csv").write_bytes(raw)
    given = "--label y --prob p --weight w --family identity --measure none"
    return ["evaluate", str(folder / "a.csv"), *given.split(), *options]


def _apply(raw: bytes, folder: Path) -> list[str]:
    (folder / "a.json").write_bytes(raw)
    (folder / "b.csv").write_text("p\n0.5\n")
    return ["apply", str(folder / "a.json"), str(folder / "b.csv"), "--prob", "p", "-o", str(folder / "o.csv")]


KINDS = {
    "CSV": Kind(lambda rng: mutated(tables(rng), rng), check_table, _evaluate),
    "CSV with semicolons, decimal commas and cp1252": Kind(
        lambda rng: mutated(tables(rng, EUROPEAN), rng),
        lambda raw, folder: check_table(raw, folder, EUROPEAN),
        lambda raw, folder: _evaluate(raw, folder, "--sep", ";", "--decimal", ",", "--encoding", "cp1252"),
    ),
    "JSON": Kind(maps, check_map, _apply),
}


def texts(kind: Kind, n: int, seed: int) -> Iterator[bytes]:
    """Yield n mutated texts, the same for the same seed."""
    for one in range(n):
        rng = np.random.default_rng((seed, one))
        yield kind.make(rng)


def study(name: str, n: int, seed: int, every: int = EVERY) -> Findings:
    """Return what became of n mutated texts of a kind."""
    kind, found = KINDS[name], Findings()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        for number, raw in enumerate(texts(kind, n, seed)):
            start = time.perf_counter()
            try:
                wrong = kind.check(raw, Path(folder))
                found.accepted += 1
            except ValueError as error:
                wrong, message = None, str(error)
                found.refused[summary(message)] += 1
                if not 0 < len(message) <= LONGEST_MESSAGE or " must " not in message:
                    wrong = f"refused without a rule, or at length: {message[:LONGEST_MESSAGE]}"
            except Exception:
                wrong = traceback.format_exc(limit=-3)
            if wrong is None and number % every == 0:
                wrong = _run(kind.command(raw, Path(folder)))
            taken = time.perf_counter() - start
            found.longest = max(found.longest, taken)
            if wrong is None and taken > LONGEST:
                wrong = f"{taken:.1f} s"
            if wrong is not None:
                found.wrong.append(f"text {number}, {raw[:300]!r}: {wrong}")
    return found


def _run(arguments: list[str]) -> str | None:
    result = CliRunner().invoke(command_line, arguments)
    if result.exit_code == 0:
        return None
    if result.exit_code == 2 and result.stderr.startswith("Error: ") and result.stderr.count("\n") == 1:
        return None
    return f"exit code {result.exit_code}, {result.exception!r}: {result.stderr[:300]}"


def summary(message: str) -> str:
    """Return the rule of a refusal without what was found."""
    rule = re.split(r", got |; got | got | can't decode", message, maxsplit=1)[0]
    return re.sub(r"/\S+|\d+", "_", rule)[:90]


def main() -> int:
    """Do the study, print its counts, and fail where a claim does not hold."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=5000, help="texts of each kind (default: 5000)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    findings = {name: study(name, options.n, options.seed) for name in KINDS}
    print("\n\n".join(found.report(name) for name, found in findings.items()))
    return 1 if any(found.wrong for found in findings.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
