"""What becomes of damaged files: mutated CSV and Parquet tables, JSON maps and cells, read as `fitontest` reads them.

Of each kind some thousand valid files are damaged at random, up to four times each: bits flipped; bytes deleted,
doubled, cut off or repeated elsewhere; digits changed; separators, quotes and newlines exchanged; NUL bytes, bytes that
are no UTF-8, huge numbers and nested brackets put in; in JSON, keys renamed and values changed; in CSV, cells, rows and
columns put elsewhere, doubled or taken away, cells padded, numbers written otherwise, other encodings and marks at the
beginning; in Parquet, columns of other types and encodings. Checked of every file:

* it is read, or refused with a ValueError of at most 1,000 characters that names a rule (on the command line, through
  which one text in 50 goes too: with exit code 2 and one line);
* that takes at most 10 seconds, and there is no warning but a CalibrationWarning;
* what is read of a CSV file is what Python's csv module and float read of it, bit by bit, and of a Parquet file what
  pyarrow reads (damaged ones that pyarrow does not read are counted apart); a copy with one more column has the same
  cells; a map, or cells, that are read write the values that json reads of the text.

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
from fitontest.apps.cli.main import main as command_line
from fitontest.data.columns import Names
from fitontest.data.files.copies import append_columns
from fitontest.data.files.layout import STANDARD, Layout
from fitontest.data.files.tables import naming_lines, read_columns
from fitontest.data.files.text_columns import BOOLEANS
from mutated_parquet import UnjudgedError, check_parquet, normed, parquet_files

LONGEST = 10.0  # seconds for one text
LONGEST_MESSAGE = 1000  # characters
EVERY = 50  # one text in so many also goes through the command line
WANTED = {"label": "y", "prob": "p", "weight": "w"}
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
PADS = ("", " ", "  ", "\t", "\n", "\u00a0", "\ufeff", "\u3000", "'", '"', "\0")
NUMBERS = (
    *("NaN", "nan", "inf", "-inf", "Infinity", "1e309", "1e-400", "-0", "+.5", ".5", "5e-1", "0,5", "1.000,5", "50%"),
    *(
        "1_0",
        "\uff11",
        "\u0661",
        "0x1",
        "0x1p-1",
        "1e",
        "e5",
        "--1",
        "1d0",
        "0.5f",
        "1 000",
        "1'000",
        "\u22121",
        "\u00bd",
    ),
    *("1" * 400, "0." + "3" * 400, "TRUE", "True", "yes", "NULL", "None", "NA", "N/A", "#N/A", "-", "?", "=0.5", "1;0"),
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
    "0.5",
    ["0.5"],
    False,
    2**63,
    2**64,
    0.5,
)


@dataclass
class Findings:
    """What became of the texts of one kind."""

    accepted: int = 0
    unjudged: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    longest: float = 0.0

    def report(self, title: str) -> str:
        """Return the counts, and what went against the claims."""
        lines = [
            f"{title}: {self.accepted} texts read as the other reader reads them, {self.refused.total()} refused",
            *([f"  {self.unjudged:6d}  read, but not by the other reader"] if self.unjudged else []),
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


def rearranged(rng: np.random.Generator) -> bytes:
    """Return a table with cells, rows and columns that stand elsewhere or are written otherwise."""
    rows = [[*row] for row in csv.reader(io.StringIO(tables(rng, Layout(",")).decode(), newline=""))]
    for _ in range(int(rng.choice([1, 1, 2, 3]))):
        _rearrange(rows, rng)
    sep, end = str(rng.choice([",", ",", ";", "\t", "|", " "])), str(rng.choice(["\n", "\r\n", "\r"]))
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=sep, lineterminator=end).writerows(rows)
    encoding = str(rng.choice([*["utf-8"] * 12, *["utf-8-sig"] * 3, "utf-16", "utf-16-le", "latin-1", "utf-7"]))
    return out.getvalue().encode(encoding, "replace")


def _rearrange(rows: list[list[str]], rng: np.random.Generator) -> None:
    """Change a table in place."""
    row = rows[int(rng.integers(0, len(rows)))]
    other = rows[int(rng.integers(0, len(rows)))]
    at = int(rng.integers(0, max(1, len(row))))
    which = int(rng.integers(0, 9))
    if which == 0:
        row.insert(at, row[at] if row else "")
    elif which == 1 and row:
        del row[at]
    elif which == 2:
        rows.insert(int(rng.integers(0, len(rows) + 1)), [*other])
    elif which == 3 and len(rows) > 1:
        del rows[int(rng.integers(0, len(rows)))]
    elif which == 4:
        order = rng.permutation(len(rows[0]))
        rows[:] = [[one[k] for k in order] if len(one) == len(order) else one for one in rows]
    elif which == 5 and row:
        row[at] = f"{rng.choice(PADS)}{row[at]}{rng.choice(PADS)}"
    elif which == 6:
        rows[0][int(rng.integers(0, len(rows[0])))] = str(rng.choice(["y", "p", "w", "Y", " p", "", "name"]))
    elif which == 7:
        column = int(rng.integers(0, len(rows[0])))
        pair = [("0", "-1"), ("0", "false"), ("1", "TRUE"), ("0", "n"), ("1", "y"), (".", ","), ("1", "1.0")]
        old, new = pair[int(rng.integers(0, len(pair)))]
        for one in rows[1:]:
            if column < len(one):
                one[column] = one[column].replace(old, new)
    elif row:
        row[at] = str(rng.choice(NUMBERS))


def read_table(path: Path, layout: Layout) -> fot.ScoreSample:
    """Return the sample in a file as the command line reads it."""
    columns = read_columns(path, WANTED, ("prob", "weight"), layout)
    with naming_lines(path, dict(zip(CALLED, WANTED.values(), strict=True)), layout):
        return fot.ScoreSample(*columns.values(), names=Names(*CALLED))


def _called(header: list[str]) -> list[str]:
    """Return the names of columns; blanks around one are no part of it where no column has the name without them."""
    return [name if name.strip() in header else name.strip() for name in header]


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
            if all(_called(header).count(name) == 1 for name in "ypw") and {len(row) for row in rows} == {len(header)}:
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
    y, p, w = ([row[_called(header).index(name)] for row in rows] for name in "ypw")
    if layout.decimal:
        y, p, w = ([cell.replace(layout.decimal, ".") for cell in column] for column in (y, p, w))
    try:
        spelt = {cell.lower() for cell in y}
        if any(spelt <= pair for pair in ({"true", "false"}, {"t", "f"}, {"yes", "no"}, {"y", "n"})):
            y = [str(int(BOOLEANS[cell.lower()])) for cell in y]
        numbers = [np.array([float(cell) for cell in column]) for column in (y, p, w)]
    except ValueError as error:
        return f"read, though float refuses a cell: {error}"
    found, expected_numbers = (sample.p, normed(sample.w)), (numbers[1], normed(numbers[2]))
    if any(a.tobytes() != b.tobytes() for a, b in zip(found, expected_numbers, strict=True)):
        return "read as other scores or weights"
    if not np.array_equal(sample.y, numbers[0] == 1):
        return "read as other labels"
    try:
        append_columns(folder / "a.csv", folder / "o.csv", ("c",), sample.p[:, None], WANTED, layout)
    except ValueError as error:
        return None if "column must" in str(error) else f"read, but not copied: {error}"
    copied = strictly_read((folder / "o.csv").read_bytes(), layout.sep or ",", "utf-8")
    if copied is None or [row[:-1] for row in copied] != expected:
        return f"copied as {copied}"
    values = [float(row[-1].replace(layout.decimal or ".", ".")) for row in copied[1:]]
    return None if np.array(values).tobytes() == sample.p.tobytes() else "copied with other numbers"


# --- JSON

MAPS = (
    fot.maps.IdentityMap(),
    fot.maps.BinnedMap(fot.partitions.Partition([0.2, 0.7], "right"), [0.1, 0.5, -0.1], [1.0, 0.0, 1.0]),
    fot.maps.KnotsMap([0.1, 0.3, 0.8], [0.0, 0.2, 0.9]),
    fot.maps.StepsMap([0.1, 0.5], [0.0, 0.4, 0.9], [0.1, 0.3]),
    fot.maps.LogisticMap(1.3, -0.2, "logit", 1e-16),
    fot.maps.LogisticMap(-4.0, 2.0, "identity", 1e-16),
    fot.maps.BetaMap(0.7, 1.9, 0.1, 2.2e-16),
    fot.maps.LogitKnotsMap([[-3.0, -1.0, 2.0], [-4.0, 0.5, 3.0]], [[-2.0, -1.5, 2.5], [-5.0, 1.0, 1.5]]),
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


def cells(rng: np.random.Generator) -> bytes:
    """Return the text of cells, with a key or a value changed, or with damaged bytes."""
    n = int(rng.integers(2, 9))
    p, w = rng.random(n).round(int(rng.integers(1, 17))), rng.integers(1, 4, n) / int(rng.integers(1, 3))
    options: Any = ({}, {"exact": True}, {"edges": [0.3]})[int(rng.integers(0, 3))]
    values = fot.Cells.of(rng.integers(0, 2, n), p, w, **options).to_dict()
    damaged = rng.random() < 0.5
    if not damaged or rng.random() < 0.2:
        _change(values, rng)
    text = json.dumps(values, indent=rng.choice([None, 1])).encode()  # type: ignore[arg-type]
    return mutated(text, rng) if damaged else text


def _change(values: dict[str, Any], rng: np.random.Generator) -> None:
    """Change keys, values or an entry of a value in place."""
    key = str(rng.choice(list(values)))
    which = int(rng.integers(0, 6))
    if which == 0:
        values[key + str(rng.choice(["", "x"]))] = values.pop(key)
    elif which == 1:
        del values[key]
    elif which == 2:
        values[key] = VALUES[int(rng.integers(0, len(VALUES)))]
    elif isinstance(values[key], list) and values[key]:
        at = int(rng.integers(0, len(values[key])))
        if which == 3:
            values[key][at] = VALUES[int(rng.integers(0, len(VALUES)))]
        elif which == 4:
            del values[key][at]
        else:
            values[key][at] = float(rng.choice([0.5, 1.0, 2.0, 1 + 2**-52])) * values[key][at]


def check_cells(raw: bytes, folder: Path) -> str | None:  # noqa: ARG001 - the signature of every check
    """Return what is wrong with the reading of a text, if it is read at all."""
    text = raw.decode("utf-8-sig", "replace")
    found = fot.Cells.from_json(text)
    written = found.to_dict()
    if not _alike(written, {"weights": "auto"} | json.loads(text)):
        return f"read as other values: {written}"
    error = float(fot.calibration_error(found, family=fot.Slope1(3)))
    return None if np.isfinite(error) else "an error that is no number"


def _alike(a: Any, b: Any) -> bool:
    """Return whether values are equal one by one, whole numbers also to floats."""
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(_alike(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(_alike, a, b))
    return isinstance(a, bool) == isinstance(b, bool) and isinstance(a, str) == isinstance(b, str) and a == b


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


def _evaluate_parquet(raw: bytes, folder: Path) -> list[str]:
    (folder / "a.parquet").write_bytes(raw)
    given = "--label y --prob p --weight w --family identity --measure none --cells always"
    return ["evaluate", str(folder / "a.parquet"), *given.split()]


def _parquet(rng: np.random.Generator) -> bytes:
    raw = parquet_files(rng)
    return raw if rng.random() < 0.4 else mutated(raw, rng)


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
    "CSV with cells elsewhere": Kind(rearranged, check_table, _evaluate),
    "Parquet": Kind(_parquet, lambda raw, folder: check_parquet(raw, folder, WANTED, CALLED), _evaluate_parquet),
    "JSON": Kind(maps, check_map, _apply),
    "JSON of cells": Kind(cells, check_cells, _apply),
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
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", fot.CalibrationWarning)
        for number, raw in enumerate(texts(kind, n, seed)):
            start = time.perf_counter()
            try:
                wrong = kind.check(raw, Path(folder))
                found.accepted += 1
            except UnjudgedError:
                wrong, found.unjudged = None, found.unjudged + 1
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
    parser.add_argument("--count", type=int, default=100_000, help="files of all kinds together (default: 100,000)")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    findings = {}
    for name in KINDS:
        findings[name] = study(name, -(-options.count // len(KINDS)), options.seed)
        print(findings[name].report(name), end="\n\n", flush=True)
    return 1 if any(found.wrong for found in findings.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
