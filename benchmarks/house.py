"""How heavy the house is: code lines, rooms, floors, names, parameters, and questions that ask for a kind of rows.

    python benchmarks/house.py [CHECKOUT ...] [--csv house.csv]

counts by ast, and prints a column for each checkout, by default for this one. A code line holds something else than a
comment, a docstring or nothing. The core is all that is in no companion. An arrow of imports is from one room to
another; the floor of a room is one more than that of the highest room that it imports at the top of a module.
"""

import argparse
import ast
import csv
import io
import re
import sys
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

COMPANIONS = ("monitor", "risk", "segments", "apps")
KINDS = re.compile(r"is_by_class|is_by_segment|classes is (?:not )?None")
SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT} | {
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}
SELF = {"self", "cls"}
FACES = {"__init__", "__main__", "companions", "norms", "distances", "bin_losses", "datasets", "truth"}  # no rooms


class Module:
    """One file of the package."""

    def __init__(self, path: Path, source: Path) -> None:
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)
        self.parts = path.relative_to(source).with_suffix("").parts
        self.room = "" if self.parts[0] in FACES else self.parts[0]

    @property
    def is_companion(self) -> bool:
        """Whether the core does not know this file."""
        return self.room in COMPANIONS

    @cached_property
    def code_lines(self) -> set[int]:
        """The lines that hold code."""
        lines: set[int] = set()
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type not in SKIPPED:
                lines.update(range(token.start[0], token.end[0] + 1))
        for node in ast.walk(self.tree):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                lines -= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        return lines

    @cached_property
    def import_lines(self) -> set[int]:
        """The code lines that import."""
        nodes = (node for node in ast.walk(self.tree) if isinstance(node, ast.Import | ast.ImportFrom))
        lines = {line for node in nodes for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
        return lines & self.code_lines

    def imports(self, *, at_top: bool = False) -> Iterator[tuple[str, str]]:
        """Yield the rooms of the package that are imported from, with each name and its module."""
        for node in self.tree.body if at_top else ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("fitontest."):
                for alias in node.names:
                    yield (node.module or "").split(".")[1], f"{node.module}.{alias.name}"

    def lines_with(self, pattern: re.Pattern[str]) -> int:
        """Return how many code lines a pattern is on."""
        return sum(
            bool(pattern.search(line)) and k in self.code_lines for k, line in enumerate(self.text.splitlines(), 1)
        )


class House:
    """All files of a checkout."""

    def __init__(self, checkout: Path) -> None:
        self.source = checkout / "src" / "fitontest"
        self.modules = [Module(path, self.source) for path in sorted(self.source.rglob("*.py"))]

    @cached_property
    def classes(self) -> set[str]:
        """The names of the classes that the package defines."""
        return {node.name for m in self.modules for node in ast.walk(m.tree) if isinstance(node, ast.ClassDef)}

    def floors(self) -> dict[str, int]:
        """Return the floor of each room of the core, from 1."""
        below = defaultdict(set)
        for module in self.modules:
            if module.room and not module.is_companion:
                below[module.room] |= {room for room, _ in module.imports(at_top=True)} - {module.room, *COMPANIONS}
        rooms, floor = {m.room for m in self.modules if m.room and not m.is_companion}, {}
        while len(floor) < len(rooms):
            ready = [room for room in rooms - floor.keys() if all(b in floor for b in below[room] & rooms)]
            if not ready:
                raise ValueError(f"rooms must import without a circle, got {sorted(rooms - floor.keys())}")
            floor.update({room: 1 + max((floor[b] for b in below[room] & rooms), default=0) for room in ready})
        return floor

    def names_at_top(self) -> list[str]:
        """Return the public names of the package."""
        tree = ast.parse((self.source / "__init__.pyi").read_text(encoding="utf-8"))
        return [alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]

    def most_parameters(self) -> tuple[int, str]:
        """Return the most parameters that a public function writes, and which one; ``**options`` is one."""
        return max(self._parameters())

    def _parameters(self) -> Iterator[tuple[int, str]]:
        for module in self.modules:
            for node in ast.walk(module.tree):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    for function in node.body:
                        if isinstance(function, ast.FunctionDef) and not function.name.startswith("_"):
                            yield _count(function), f"{node.name}.{function.name}"
            for node in module.tree.body:
                if isinstance(node, ast.FunctionDef) and not node.name.startswith("_") and "cli" not in module.parts:
                    yield _count(node), node.name

    def used_by_companions(self) -> set[str]:
        """Return the names of the core that companions import."""
        return {name for m in self.modules if m.is_companion for room, name in m.imports() if room not in COMPANIONS}

    def isinstances(self) -> int:
        """Return how often isinstance asks for a class of the package, outside of data."""
        return sum(
            self._asks(node)
            for m in self.modules
            if m.room not in {"data", "cells", "reading", "files"}
            for node in ast.walk(m.tree)
        )

    def _asks(self, node: ast.AST) -> bool:
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"):
            return False
        asked = {name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name)}
        asked |= {name.attr for name in ast.walk(node.args[1]) if isinstance(name, ast.Attribute)}
        return bool(asked & self.classes)

    def figures(self) -> dict[str, str]:
        """Return all figures, as they are printed."""
        code = {m.parts: len(m.code_lines) for m in self.modules}
        core = sum(code[m.parts] for m in self.modules if not m.is_companion)
        total, floors = sum(code.values()), self.floors()
        most, where = self.most_parameters()
        imports = sum(len(m.import_lines) for m in self.modules)
        return {
            "code lines of the core": f"{core:,}",
            "code lines": f"{total:,}",
            "files": f"{len(self.modules):,}",
            "rooms of the core": str(len(floors)),
            "floors of the core": str(max(floors.values())),
            "names at the top": str(len(self.names_at_top())),
            "most written parameters": f"{most} ({where})",
            "core names that companions use": str(len(self.used_by_companions())),
            "isinstance of own nouns": str(self.isinstances()),
            "lines with CANONICAL": str(sum(m.lines_with(re.compile(r"\bCANONICAL\b")) for m in self.modules)),
            "lines that ask for kinds": str(sum(m.lines_with(KINDS) for m in self.modules)),
            "classes": str(sum(isinstance(n, ast.ClassDef) for m in self.modules for n in ast.walk(m.tree))),
            "share of imports": f"{100 * imports / total:.1f} %",
        }


def _count(function: ast.FunctionDef) -> int:
    given = function.args
    names = [a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len(set(names) - SELF) + sum(a is not None for a in (given.vararg, given.kwarg))


def main() -> None:
    """Print the figures of the checkouts beside each other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", nargs="*", type=Path, default=[Path(__file__).parents[1]])
    parser.add_argument("--csv", type=Path, help="write the table there too")
    options = parser.parse_args()
    columns = [House(path).figures() for path in options.checkouts]
    rows = [[key, *(column[key] for column in columns)] for key in columns[0]]
    for row in rows:
        print("  ".join((row[0].ljust(32), *(cell.rjust(24) for cell in row[1:]))))
    if options.csv:
        with options.csv.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([["figure", *map(str, options.checkouts)], *rows])


if __name__ == "__main__":
    sys.exit(main())
