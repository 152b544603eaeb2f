"""The shape of the project: where modules lie, what they import, how long they are."""

import ast
import re
import statistics
from collections.abc import Iterator
from pathlib import Path

import gtpbot

ROOT = Path(__file__).parents[1]
FLOORS = ("gtpcore", "games", "search", "nets", "gtpbot")
"""Lowest first; a module imports only from its own floor and those below."""

LONGEST_MODULE = 500
LONGEST_FUNCTION = 60
MEDIAN_FUNCTION = 8


def modules(*floors: str) -> list[Path]:
    """The Python modules of some floors, relative to the root."""
    files = [file for floor in floors for file in (ROOT / floor).rglob("*.py")]
    return sorted(file.relative_to(ROOT) for file in files if file.name != "__init__.py")


def core_files() -> list[Path]:
    files = [*(ROOT / "core").rglob("*.?pp"), *(ROOT / "core").rglob("*.inl")]
    return sorted(file.relative_to(ROOT) for file in files)


def imports(module: Path) -> Iterator[str]:
    """The names of all modules imported anywhere in `module`."""
    for node in ast.walk(ast.parse((ROOT / module).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module and not node.level, f"{module}: a relative import"
            yield node.module


def python_functions(module: Path) -> Iterator[tuple[str, int]]:
    """Where each function is, and the lines of its body without the docstring."""
    for node in ast.walk(ast.parse((ROOT / module).read_text())):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            lines = (node.end_lineno or 0) - body[0].lineno + 1 if body else 0
            yield f"{module}:{node.lineno} {node.name}", lines


def core_functions(file: Path) -> Iterator[tuple[str, int]]:
    """Where each function outside of classes is, and the lines of its body."""
    depth, start, is_type = 0, 0, False
    for number, line in enumerate((ROOT / file).read_text().splitlines(), 1):
        if "namespace" in line:
            continue
        opened = line.count("{") - line.count("}")
        if depth == 0 and opened > 0:
            start, is_type = number, bool(re.match(r"(class|struct|enum|union)\b", line))
        depth += opened
        if depth == 0 and opened < 0 and not is_type:
            yield f"{file}:{start}", number - start - 1


def test_every_module_is_on_the_map() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    stems = {file.with_suffix("").as_posix() for file in core_files()}
    places = stems | {module.as_posix() for module in modules(*FLOORS)}
    assert {place for place in places if f"`{place}`" not in page} == set()


def test_the_map_names_no_module_that_is_not_there() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = re.findall(r"^\| `((?:core|games|search|nets|gtpbot)/[^`]+[^/])`", page, re.M)
    assert named
    assert [place for place in named if not list(ROOT.glob(f"{place.removesuffix('.py')}.*"))] == []


def test_imports_point_down() -> None:
    for height, floor in enumerate(FLOORS):
        above = set(FLOORS[height + 1 :]) | {"tests", "bin"}
        for module in modules(floor):
            floors = {name.partition(".")[0] for name in imports(module)}
            assert not above & floors, f"{module} imports from a floor above it"


def test_packages_of_the_program_import_from_those_before_them_on_the_map() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text()
    packages = re.findall(r"^### `gtpbot/(\w+)/`", page, re.M)
    assert {place.parts[1] for place in modules("gtpbot") if len(place.parts) > 2} == set(packages)
    for height, package in enumerate(packages):
        after = {f"gtpbot.{name}" for name in packages[height + 1 :]}
        for module in modules(f"gtpbot/{package}"):
            rooms = {".".join(name.split(".")[:2]) for name in imports(module)}
            assert not after & rooms, f"{module} imports from a package after its own"


def test_only_the_bindings_know_python() -> None:
    for file in core_files():
        includes = re.findall(r'#include ["<](.+)[">]', (ROOT / file).read_text())
        if file.parts[1] != "bindings":
            assert not [name for name in includes if "nanobind" in name or "Python" in name]
        if file.parts[1] == "games":
            assert not [name for name in includes if name.startswith("search/")], file


def test_modules_and_functions_are_short() -> None:
    python = [*modules(*FLOORS, "tests", "bin")]
    long = [file for file in [*python, *core_files()] if lines_of(file) > LONGEST_MODULE]
    assert long == []
    functions = [function for module in python for function in python_functions(module)]
    functions += [function for file in core_files() for function in core_functions(file)]
    assert [where for where, lines in functions if lines > LONGEST_FUNCTION] == []
    program = [lines for module in modules(*FLOORS) for _, lines in python_functions(module)]
    assert statistics.median(program) <= MEDIAN_FUNCTION


def lines_of(file: Path) -> int:
    return len((ROOT / file).read_text().splitlines())


def test_the_version_is_one_and_in_the_changelog() -> None:
    newest = re.search(r"^## (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    project = re.search(r'^version = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.M)
    assert newest and project
    assert newest[1] == project[1] == gtpbot.__version__
