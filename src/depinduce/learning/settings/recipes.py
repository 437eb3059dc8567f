"""Recipes: settings under a name, as TOML files that come with the package or that a user wrote."""

from __future__ import annotations

import difflib
from importlib import resources
from typing import Any

from depinduce.errors import DepinduceError
from depinduce.learning.settings.configuration import Configuration, configure
from depinduce.models.table import models
from depinduce.settings import read_toml


def recipe_names() -> list[str]:
    """The recipes that come with the package."""
    folder = resources.files("depinduce.learning.settings") / "recipes"
    return sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))


def about_recipe(name: str) -> str:
    """What a recipe of ours is for: the first sentence of the comment above its settings."""
    text = (resources.files("depinduce.learning.settings") / "recipes" / f"{name}.toml").read_text(encoding="utf-8")
    lines = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
    return " ".join(lines).partition(". ")[0].rstrip(".")


def load_recipe(name: str) -> dict[str, Any]:
    """The settings of a recipe, by its name or by the path of a TOML file."""
    if name in recipe_names():
        with resources.as_file(resources.files("depinduce.learning.settings") / "recipes" / f"{name}.toml") as path:
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


def configure_with_recipe(recipe: str | None, given: dict[str, Any]) -> tuple[Configuration, str | None]:
    """The settings of a recipe, with the given ones in their place.

    A neural model without a recipe has the settings of ours but for `non_heads`: what users know about their tags is
    theirs to say. The name of ours comes second then.
    """
    wanted = models().get(given.get("model", ""))
    ours = f"ud-{given['model']}" if recipe is None and wanted is not None and wanted.network else None
    name = recipe if recipe is not None else ours
    values = {} if name is None else load_recipe(name)
    if ours is not None:
        values.pop("non_heads", None)
    where = f"recipe {name} with --model {given['model']}: " if values and "model" in given else ""
    return configure(values | given, where), ours
