"""Command-line options made from settings dataclasses, so that an option is written once; and how help is set."""

from __future__ import annotations

import argparse
import dataclasses
import textwrap
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, TypeVar, get_args, get_origin, get_type_hints

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Settings = TypeVar("Settings", bound="DataclassInstance")


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Help whose lines do not break inside `ud-sibling` or `--non-heads`."""

    def _split_lines(self, text: str, width: int) -> list[str]:
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


def add_settings(
    parser: argparse.ArgumentParser,
    settings: type,
    title: str,
    leave_out: Collection[str] = (),
    only_given: bool = False,
    **defaults: Any,
) -> None:
    """An option `--some-name` for every field `some_name` that the command has a use for; its help is the
    field's, and so is its default unless the command has another one.

    only_given: options that the user does not give are absent from the arguments, see `given_settings`
    """
    group = parser.add_argument_group(title)
    types = get_type_hints(settings)
    for field in dataclasses.fields(settings):
        if field.name in leave_out:
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
    if field.metadata["choices"]:
        option["choices"] = field.metadata["choices"]
    elif option["metavar"] is None:
        option["metavar"] = {int: "N", float: "X"}.get(option["type"], "NAME")
    option["help"] = _with_default(help, shown)
    return option


def _with_default(help: str, shown: Any) -> str:
    return f"{help} (default: {shown})".replace("%", "%%")


class _AsTuple(argparse.Action):
    def __call__(self, parser, namespace, values, option_string=None):
        setattr(namespace, self.dest, tuple(values or ()))
