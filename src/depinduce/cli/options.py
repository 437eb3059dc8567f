"""Command-line options made from settings dataclasses, so that an option is written once; and how help is set."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import re
import textwrap
from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin

from depinduce.errors import DepinduceError
from depinduce.settings import parse_toml, types_of

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Settings = TypeVar("Settings", bound="DataclassInstance")


CLUSTER = "on N processes here (local:N), or on those of a Dask scheduler (tcp://HOST:8786)"
WIDEST = 100  # columns of a text that is read with ease
IN_A_LIST = re.compile(r" +\S+  +(?=\S)")  # a name with its indentation, before what is said of it


class HelpFormatter(argparse.HelpFormatter):
    """Help whose lines do not break inside `ud-sibling` or `--non-heads`, and whose texts fit the terminal.

    In a text, blank lines part paragraphs; an indented line `  name  what it is` goes on below the second column, and
    any other indented line, such as a command to be copied, stays as it is.
    """

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for indented, some in itertools.groupby(text.splitlines(), lambda line: line[:1] in ("", " ")):
            for line in some if indented else [" ".join(some)]:
                name = IN_A_LIST.match(line)
                if indented and name is None:
                    lines.append(indent + line)
                    continue
                first, rest = (name[0], line[name.end() :]) if name else ("", line)
                below = indent + " " * len(first)
                lines += textwrap.wrap(rest, min(width, WIDEST), initial_indent=indent + first,
                                       subsequent_indent=below, break_on_hyphens=False)  # fmt: skip
        return "\n".join(lines)


class ArgumentParser(argparse.ArgumentParser):
    """Reads options and files in any order: of `MODEL --decode mbr FILE` Python's own sees no FILE after the option."""

    def parse_args(self, args=None, namespace=None):  # pyright: ignore[reportIncompatibleMethodOverride]
        if self._subparsers is not None:  # what comes after the name of a subcommand is read by another
            return super().parse_args(args, namespace)
        return self.parse_intermixed_args(args, namespace)


def add_settings(
    parser: argparse._ActionsContainer,
    settings: type,
    title: str | None = None,
    leave_out: Collection[str] = (),
    only_given: bool = False,
    only: Collection[str] | None = None,
    **defaults: Any,
) -> None:
    """An option `--some-name` for every field `some_name` that the command has a use for; its help is the
    field's, and so is its default unless the command has another one.

    title: of their group; without one they stand among those of `parser`
    only: these fields and no others
    only_given: options that the user does not give are absent from the arguments, see `given_settings`
    """
    group = parser if title is None else parser.add_argument_group(title)
    types = types_of(settings)
    for field in dataclasses.fields(settings):
        if field.name in leave_out or (only is not None and field.name not in only):
            continue
        if field.metadata["expert"]:
            names = [f"--{prefix}{field.name.replace('_', '-')}" for prefix in ("", "no-")]
            parser.add_argument(*names, dest=field.name, nargs="*", action=_ForExperts, help=argparse.SUPPRESS,
                                default=argparse.SUPPRESS)  # fmt: skip
            continue
        option = _option(field, types[field.name], defaults.get(field.name, field.default))
        if only_given:
            option["default"] = argparse.SUPPRESS
        group.add_argument(f"--{field.name.replace('_', '-')}", **option)


def names_of(settings: type) -> set[str]:
    return {field.name for field in dataclasses.fields(settings)}


def given_settings(arguments: argparse.Namespace, *settings: type) -> dict[str, Any]:
    """The options of these settings that the user gave, by name."""
    known = set().union(*map(names_of, settings))
    return {name: value for name, value in vars(arguments).items() if name in known}


def read_settings(arguments: argparse.Namespace, settings: type[Settings]) -> Settings:
    """The dataclass filled with what the user asked for."""
    names = [field.name for field in dataclasses.fields(settings) if hasattr(arguments, field.name)]
    return settings(**{name: getattr(arguments, name) for name in names})


def _option(field: dataclasses.Field, annotation: Any, default: Any) -> dict[str, Any]:
    help = field.metadata["help"]
    if annotation is bool:
        shown = "yes" if default else "no"
        return {"action": argparse.BooleanOptionalAction, "default": default, "help": _with_default(help, shown)}
    option: dict[str, Any] = {"default": default, "metavar": field.metadata["metavar"]}
    if get_origin(annotation) is tuple:
        option |= {"nargs": "*", "type": get_args(annotation)[0], "action": _AsTuple}
        shown = " ".join(map(str, default)) or "none"
    else:
        option |= {"type": next((kind for kind in get_args(annotation) if kind is not type(None)), annotation)}
        shown = "none" if default is None else default
    choices: tuple[str, ...] | Callable[[], Iterable[str]] | None = field.metadata["choices"]
    if choices:
        option["choices"] = tuple(choices()) if callable(choices) else choices
    elif option["metavar"] is None:
        option["metavar"] = {int: "N", float: "X"}.get(option["type"], "NAME")
    option["help"] = _with_default(help, shown)
    return option


def _with_default(help: str, shown: Any) -> str:
    return f"{help} (default: {shown})".replace("%", "%%")


class _ForExperts(argparse.Action):
    """Refuses what was an option of its own once, and says what to write."""

    def __call__(self, parser, namespace, values, option_string=None):
        value = " ".join(values) if values else ("false" if str(option_string).startswith("--no-") else "true")
        shown = f'"{self.dest}={value}"' if " " in value else f"{self.dest}={value}"
        raise DepinduceError(f"{option_string} is no option: write --set {shown}, or put it into a recipe of yours.")


class Renamed(argparse.Action):
    """Refuses an option that has another name now. `const`: what to write"""

    def __init__(self, option_strings, dest, **options):
        super().__init__(option_strings, dest, nargs="*", help=argparse.SUPPRESS, default=argparse.SUPPRESS,
                         const=options["const"])  # fmt: skip

    def __call__(self, parser, namespace, values, option_string=None):
        raise DepinduceError(f"{option_string} is no option any more: write {self.const}.")


def read_assignments(assignments: Collection[str], *settings: type) -> dict[str, Any]:
    """What `--set name=value` says; a value is written as in a recipe, quotes may be left away."""
    types = {name: annotation for part in settings for name, annotation in types_of(part).items()}
    values: dict[str, Any] = {}
    for assignment in assignments:
        written, _, text = assignment.partition("=")
        name = written.strip().replace("-", "_")
        if not name or "=" not in assignment:
            raise DepinduceError(f"--set {assignment}: write NAME=VALUE, such as size=50.")
        try:
            values[name] = _read_value(text.strip(), types.get(name, str))
        except ValueError as error:
            raise DepinduceError(f"--set {assignment}: {error}") from None
    return values


def _read_value(text: str, annotation: Any) -> Any:
    """A value of the annotated type; ValueError says what should be written."""
    is_list, kinds = get_origin(annotation) is tuple, get_args(annotation) or (annotation,)
    try:
        value = parse_toml(f"value = {text}")["value"]
    except ValueError:
        value = text
    if is_list:
        return value if isinstance(value, list | str) and value != text else text.split()
    if str in kinds:
        return value if isinstance(value, str) else text
    wanted = {bool: "true or false", int: "a whole number", float: "a number"}
    number = float in kinds and type(value) is int
    if type(value) not in kinds and not number:
        raise ValueError(f"write {next(wanted[kind] for kind in kinds if kind in wanted)}.")
    return value


class _AsTuple(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, tuple(values or ()))
