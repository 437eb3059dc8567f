"""Print which room of src/depinduce imports which, and where one breaks the order of the rooms.

    python tools/import_graph.py            each room with the rooms that it imports; what breaks the rule
    python tools/import_graph.py --plain    every import between rooms on a line: room, room imported, kind, place

A room is a folder of the package, or a module that lies beside them. It imports only from rooms above it in `ROOMS`.
An import inside a function counts like one at the top of a file: it is only late. One for types alone (under
`TYPE_CHECKING`) is shown but does not count, since nothing happens when the program runs. Files are read, not imported.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "depinduce"
ROOMS = (
    # what every room may use
    "visible", "errors", "settings", "files", "interruption", "jobs", "cluster", "compile_cache", "compiled",
    # the walk of the data
    "corpus", "tagging", "grammar", "chart", "labels", "evaluation", "networks", "models", "parsing", "insight",
    "learning", "report",
    # on top of it
    "parser", "bulk", "experiments", "bench", "bridges", "serve", "cli", "__main__",
)  # fmt: skip
TOP, LATE, TYPES = "top", "late", "types"


@dataclass(frozen=True)
class Import:
    """One import of one room by another."""

    importer: str
    imported: str
    kind: str  # TOP, LATE or TYPES
    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.importer} imports {self.imported} ({self.kind})"


def imports_between_rooms(package: Path = PACKAGE) -> list[Import]:
    """Every import of a room by another, file by file."""
    door = _names_at_the_door(package)
    found = []
    for path in _files(package):
        importer = room_of(path.relative_to(package))
        for target, kind, line in _targets(path, package):
            imported = _room_imported(target, package, door)
            if imported not in (None, importer):
                found.append(Import(importer, imported, kind, path.relative_to(package.parent), line))
    return found


def rooms_of_files(package: Path = PACKAGE) -> set[str]:
    """The rooms that are there, in the list or not."""
    return {room_of(path.relative_to(package)) for path in _files(package)}


def breaks(imports: list[Import], rooms: tuple[str, ...] = ROOMS) -> list[Import]:
    """The imports from a room below, or between rooms of which one is not in the list."""
    place = {room: at for at, room in enumerate(rooms)}
    return [
        each
        for each in imports
        if each.kind != TYPES and not place.get(each.imported, len(place)) < place.get(each.importer, -1)
    ]


def cycle(imports: list[Import]) -> list[str]:
    """Rooms of which each is imported by the next, the first being the last too; empty if there are none."""
    graph: dict[str, set[str]] = {}
    for each in imports:
        if each.kind != TYPES:
            graph.setdefault(each.importer, set()).add(each.imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def room_of(path: Path) -> str:
    """The room of a file, given by its path in the package."""
    return path.parts[0].removesuffix(".py")


def _files(package: Path) -> list[Path]:
    """Without the package's own `__init__.py`: it is the door, and does no more than lead to rooms when asked."""
    return sorted(path for path in package.rglob("*.py") if path != package / "__init__.py")


def _targets(path: Path, package: Path) -> Iterator[tuple[str, str, int]]:
    """What a file imports (`depinduce.room.module.name`), the kind of import, and the line."""
    name = path.relative_to(package.parent).with_suffix("").parts
    tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
    for node, kind in _with_kinds(tree, TOP):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # in a package's __init__.py, one dot is the package: its name ends in __init__, so that this is right too
            start = [*name[: len(name) - node.level]] if node.level else []
            origin = ".".join([*start, *([node.module] if node.module else [])])
            targets = [f"{origin}.{alias.name}" for alias in node.names]
        else:
            targets = _named_otherwise(node, package.name)
        yield from ((target, kind, node.lineno) for target in targets)


def _with_kinds(node: ast.AST, kind: str) -> Iterator[tuple[ast.AST, str]]:
    """All nodes below one, each with the kind that an import there has."""
    for child in ast.iter_child_nodes(node):
        yield child, kind
        if isinstance(child, ast.If) and _asks_for_types(child.test):
            yield from _with_kinds(ast.Module(child.body, []), TYPES)
            yield from _with_kinds(ast.Module(child.orelse, []), kind)
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) and kind == TOP:
            yield from _with_kinds(child, LATE)
        else:
            yield from _with_kinds(child, kind)


def _asks_for_types(test: ast.expr) -> bool:
    return (isinstance(test, ast.Name) and test.id == "TYPE_CHECKING") or (
        isinstance(test, ast.Attribute) and test.attr == "TYPE_CHECKING"
    )


def _named_otherwise(node: ast.AST, package: str) -> list[str]:
    """What is reached without an import statement: `depinduce.room`, and `import_module` as far as it is written."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == package:
        return [f"{package}.{node.attr}"]
    if not isinstance(node, ast.Call) or not node.args:
        return []
    if "import_module" not in (getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
        return []
    name = node.args[0]
    if isinstance(name, ast.JoinedStr) and name.values:
        name = name.values[0]
    return [name.value] if isinstance(name, ast.Constant) and isinstance(name.value, str) else []


def _room_imported(target: str, package: Path, door: dict[str, str]) -> str | None:
    """The room that a target lies in; None for other packages, and for what the door itself knows (the version)."""
    first, *rest = target.split(".")
    if first != package.name or not rest:
        return None
    name = rest[0]
    if (package / name).is_dir() or (package / f"{name}.py").is_file():
        return name
    return door.get(name)


def _names_at_the_door(package: Path) -> dict[str, str]:
    """The rooms of names that the package's own `__init__.py` hands on: `from depinduce import Parser` is `parser`."""
    targets = (target.split(".") for target, _, _ in _targets(package / "__init__.py", package))
    return {parts[-1]: parts[1] for parts in targets if parts[0] == package.name and len(parts) > 2}


def _graph_text(imports: list[Import], rooms: list[str]) -> Iterator[str]:
    """Each room on a line: what it imports at the top of a file, then what only late, then what only for types."""
    for room in rooms:
        seen: set[str] = set()
        parts = []
        for kind in (TOP, LATE, TYPES):
            there = {each.imported for each in imports if each.importer == room and each.kind == kind} - seen
            seen |= there
            if there:
                names = " ".join(sorted(there, key=rooms.index))
                parts.append(names if kind == TOP else f"({kind}: {names})")
        yield f"{room:<12} {'  '.join(parts)}".rstrip()


def main(arguments: list[str] | None = None, package: Path = PACKAGE) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plain", action="store_true", help="every import on a line, for other programs")
    imports = imports_between_rooms(package)
    if parser.parse_args(arguments).plain:
        for each in imports:
            print(each.importer, each.imported, each.kind, f"{each.path}:{each.line}", sep="\t")
        return 0
    unknown = sorted(rooms_of_files(package) - set(ROOMS))
    print(*_graph_text(imports, [*ROOMS, *unknown]), sep="\n")
    broken, around = breaks(imports), cycle(imports)
    faults = [*(f"not in the list of rooms: {room}" for room in unknown), *map(str, broken)]
    print("", *faults, f"a cycle: {' <- '.join(around)}" if around else "no cycle", sep="\n")
    return 1 if unknown or broken or around else 0


if __name__ == "__main__":
    sys.exit(main())
