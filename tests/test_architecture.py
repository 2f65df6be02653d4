"""The structure of the package: floors, owners, and where heavy libraries may be imported."""

import ast
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from itertools import takewhile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "fitontest"
PAGE = (ROOT / "docs" / "how_it_works.md").read_text(encoding="utf-8")


def table(header):
    """Return the rows of a table of the page, each as the names in code in its second column, by the first one."""
    lines = PAGE.split(f"\n{header}\n", 1)[1].splitlines()[1:]
    rows = [line.split("|")[1:-1] for line in takewhile(lambda line: line.startswith("|"), lines)]
    return {first.strip().strip("`"): re.findall(r"`([^`]+)`", second) for first, second, *_ in rows}


# a module imports only from floors below its own, or from its own room
FLOORS = [set(rooms) for rooms in table("| floor | rooms | hold |").values()]
COMPANIONS = {"monitor", "risk", "segments", "apps"}
FACE = {"norms", "distances", "bin_losses", "datasets", "truth", "companions", "__main__"}  # no rooms, but addresses
MOST_ROOMS = 12
MOST_FLOORS = 10
MOST_NAMES = 43  # at the top level: tasks, nouns, the families of the mission, rooms and companions
# results whose methods import displays, and nothing else does above them
DRAWN_WHEN_ASKED = tuple(
    f"fitontest.{place}." for place in ("evaluation", "monitor", "risk", "segments", "apps.planning")
)
# heavy or delicate libraries, and the places that may import them
ONLY_IN = {library: tuple(places) for library, places in table("| library | only in |").items()}
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def for_every_module(check):
    """Make one test of a check of a file: a thousand tests of a millisecond each take ten seconds."""

    def test():
        for path in MODULES:
            check(path)

    test.__doc__ = check.__doc__
    return test


def floor_of(name):
    return next(i for i, names in enumerate(FLOORS) if name in names)


def dotted(path):
    return ".".join(("fitontest", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


@cache
def tree_of(path):
    return ast.parse(path.read_text())


@cache
def imports(path):
    """Return (module, name, is at module level) of every import in a file."""
    tree = tree_of(path)
    top = set(map(id, tree.body))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, None, id(node) in top) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} imports relatively"
            found += [(node.module, alias.name, id(node) in top) for alias in node.names]
    return found


@cache
def definitions(path):
    """Return the names that a module itself defines at top level."""
    names = set()
    for node in tree_of(path).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


@pytest.mark.exhaustive
@for_every_module
def test_imports_go_down(path):
    own = dotted(path).split(".")[1]
    for module, _, _ in imports(path):
        if module.split(".")[0] != "fitontest":
            continue
        if module == "fitontest":
            assert dotted(path).startswith("fitontest.apps.cli"), f"{dotted(path)} uses the public names"
            continue
        other = module.split(".")[1]
        assert other == own or floor_of(other) < floor_of(own), f"{dotted(path)} imports {module}"


def test_no_file_imports_itself_by_a_detour():
    """No circle of imports, inside a folder either; imports in functions and for types alone count too."""
    graph = {dotted(path): {m for m, _, _ in imports(path) if m.split(".")[0] == "fitontest"} for path in MODULES}

    def reached(start):
        seen, ahead = set(), [start]
        while ahead:
            for module in graph.get(ahead.pop(), ()):
                if module not in seen:
                    seen.add(module)
                    ahead.append(module)
        return seen

    assert [module for module in graph if module in reached(module)] == []


def test_there_are_few_rooms():
    core = {dotted(path).split(".")[1] for path in MODULES} - COMPANIONS - FACE
    assert len(core) <= MOST_ROOMS
    assert 1 + max(floor_of(name) for name in core) <= MOST_FLOORS


@for_every_module
def test_a_companion_knows_the_core_alone(path):
    """No room of the core imports a companion, and of the companions only apps imports others."""
    own = dotted(path).split(".")[1]
    for module, _, _ in imports(path):
        other = [*module.split("."), ""][1]
        if module.startswith("fitontest.") and other in COMPANIONS:
            assert own in {other, "apps", "__main__"}, f"{dotted(path)} imports {module}"


@for_every_module
def test_results_import_displays_only_when_they_draw(path):
    if dotted(path).startswith(DRAWN_WHEN_ASKED) and "displays" not in dotted(path).split("."):
        for module, _, at_top in imports(path):
            assert not ("displays" in module.split(".") and at_top), f"{dotted(path)} imports {module} at its top"


@for_every_module
def test_names_come_from_the_file_that_defines_them(path):
    for module, name, _ in imports(path):
        if not module.startswith("fitontest."):
            continue
        owner = SOURCE.joinpath(*module.split(".")[1:]).with_suffix(".py")
        assert owner.exists(), f"{dotted(path)} imports from the package {module}, not from a file"
        assert name is None or name in definitions(owner), f"{module} does not define {name}"


@for_every_module
def test_heavy_libraries_stay_where_they_belong(path):
    where = path.relative_to(SOURCE).as_posix()
    for module, _, at_top in imports(path):
        library = module.split(".")[0]
        if library not in ONLY_IN:
            continue
        assert where.startswith(ONLY_IN[library]), f"{where} imports {library}"
        if library == "betacal":
            assert not at_top, f"{where} imports {library} before it is used"


@cache
def needs_heavy():
    """Return the modules that import jax, optax or matplotlib at their top."""
    return {
        dotted(path)
        for path in MODULES
        if any(at_top and module.split(".")[0] in ("jax", "optax", "matplotlib") for module, _, at_top in imports(path))
    }


@for_every_module
def test_modules_that_need_heavy_libraries_are_imported_when_they_are_used(path):
    """A module that imports jax or matplotlib at its top is imported at the top only by modules of its kind."""
    for module, _, at_top in imports(path):
        if module in needs_heavy() and dotted(path) not in needs_heavy():
            assert not at_top, f"{dotted(path)} imports {module}, and so a heavy library, before it is used"


def test_every_floor_is_known():
    names = {dotted(path).split(".")[1] for path in MODULES}
    assert names == set().union(*FLOORS) & names
    assert all(any(name in floor for floor in FLOORS) for name in names)


@pytest.mark.exhaustive
def test_import_is_light():
    """`import fitontest` brings nothing, and a calibration error only what it computes with."""
    code = (
        "import sys; loaded = lambda: print(*sorted({name.split('.')[0] for name in sys.modules}));"
        "import fitontest as fot; loaded(); fot.calibration_error([0, 1], [0.2, 0.8], family=fot.Slope1(2)); loaded()"
    )
    lines = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    imported, used = (set(line.split()) for line in lines)
    assert "fitontest" in imported
    assert not {"numpy", "scipy", "sklearn"} & imported
    assert "sklearn" in used
    assert not {"jax", "jaxlib", "optax", "matplotlib", "betacal", "click", "duckdb"} & used


@pytest.mark.exhaustive
def test_import_has_no_side_effects():
    code = (
        "import warnings, numpy as np; filters = list(warnings.filters); state = np.random.get_state()[1].tolist();"
        "import fitontest; assert np.random.get_state()[1].tolist() == state;"
        "import sklearn; new = [f for f in warnings.filters if f not in filters];"
        "print(len([f for f in new if 'fitontest' in str(f)]))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "0"


def test_the_public_names_are_all_there():
    import fitontest

    assert len(fitontest.__all__) <= MOST_NAMES
    assert len(set(fitontest.__all__)) == len(fitontest.__all__)
    assert all(hasattr(fitontest, name) for name in fitontest.__all__)
    assert dir(fitontest) == sorted(fitontest.__all__)
    with pytest.raises(AttributeError, match="No fitontest attribute no_such_name"):
        _ = fitontest.no_such_name


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("log_loss", "write fitontest.measure(y_true, y_prob, 'log_loss')"),
        ("isotonic", "write fitontest.Isotonic"),
        ("knn", "write fitontest.families.make('knn')"),
        ("Loess", "write fitontest.risk.Loess"),
        ("Verdict", "write fitontest.uncertainty.Verdict"),
        ("plan_evaluation", "write fitontest.apps.plan_evaluation"),
        ("compare", "did you mean 'compare_calibrators' or 'compare_errors'?"),
        ("callibration_error", "did you mean 'calibration_error'?"),
    ],
)
def test_a_name_that_is_not_public_says_what_to_write_instead(name, instead):
    with pytest.raises(AttributeError) as caught:
        getattr(import_module("fitontest"), name)
    assert str(caught.value) == f"No fitontest attribute {name}: {instead}"


@pytest.mark.parametrize("room", ["", *sorted(path.parent.name for path in SOURCE.glob("*/__init__.pyi"))])
def test_the_stub_lists_each_public_name_with_the_file_that_defines_it(room):
    """Type checkers and the run time read one list: the stub beside `__init__.py`."""
    folder = SOURCE / room
    package = import_module(f"fitontest.{room}".rstrip("."))
    tree = ast.parse((folder / "__init__.pyi").read_text())
    listed = [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]
    assert sorted(alias.name for alias in listed) == sorted(package.__all__)
    assert all(alias.asname == alias.name for alias in listed), "to type checkers only `X as X` is public"
    assert all(hasattr(package, name) for name in package.__all__)
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            owner = folder.joinpath(*node.module.split(".")).with_suffix(".py")
            assert {alias.name for alias in node.names} <= definitions(owner), f"{owner} does not define a name"


@for_every_module
def test_files_are_explained(path):
    assert ast.get_docstring(tree_of(path)), f"{path} has no docstring"


@pytest.mark.exhaustive
def test_no_global_side_effects_in_the_source():
    calls = {"filterwarnings", "seed", "update_config"}
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                assert node.func.attr not in calls, f"{path}:{node.lineno} calls {node.func.attr}"
            if isinstance(node, ast.Attribute):
                assert node.attr != "rcParams", f"{path}:{node.lineno} touches rcParams"
