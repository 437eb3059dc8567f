"""Recipes: settings under a name, as TOML files that come with the package or that a user wrote."""

from __future__ import annotations

import difflib
from importlib import resources
from typing import Any

from depinduce.errors import DepinduceError
from depinduce.learning.configuration import configure, read_toml


def recipe_names() -> list[str]:
    """The recipes that come with the package."""
    folder = resources.files("depinduce.experiments") / "recipes"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def load_recipe(name: str) -> dict[str, Any]:
    """The settings of a recipe, by its name or by the path of a TOML file."""
    if name in recipe_names():
        with resources.as_file(resources.files("depinduce.experiments") / "recipes" / f"{name}.toml") as path:
            values = read_toml(path)
    elif name.endswith(".toml"):
        values = read_toml(name)
    else:
        close = difflib.get_close_matches(name, recipe_names(), n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        raise DepinduceError(
            f"There is no recipe {name!r}.{hint} Recipes: {', '.join(recipe_names())}, or the path of a .toml file."
        )
    configure(values, where=f"recipe {name}: ")  # faults show here, with the name of the recipe
    return values
