"""List the grammars that come with the package, and those that lie in a folder or in the folders below.

A grammar in the box is called by its name, `depinduce parse universal corpus.conllu`, unless a model of yours lies in a
folder of that name.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from depinduce.cli.console import show_table

EXAMPLE = "depinduce models grammars"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", nargs="?", default=".", metavar="DIR", help="where to look (default: this folder)")
    parser.add_argument("--json", action="store_true", help="print them as JSON")


def run(arguments: argparse.Namespace) -> int:
    from depinduce.evaluation.tables import Table
    from depinduce.models.places import BOX, INNER, models_below, names_in_box

    found = [{"name": name, "place": "in the box"} | _told(BOX / name) for name in names_in_box()]
    for place in models_below(Path(arguments.folder)):
        own = place.parent if place.name == INNER else place
        if own.parent != BOX.resolve():
            found.append({"name": own.name, "place": _shown(own)} | _told(place))
    if arguments.json:
        print(json.dumps(found, indent=2, ensure_ascii=False))
        return 0
    rows = [[line["name"], line["place"], line["about"], line["learned from"], line["licence"]] for line in found]
    show_table(Table("grammars", ["name", "where", "what", "learned from", "licence"], rows))
    return 0


def _shown(place: Path) -> str:
    """The place as one would write it from here."""
    here = Path.cwd().resolve()
    return str(place.relative_to(here)) if place.is_relative_to(here) else str(place)


def _told(place: Path) -> dict[str, Any]:
    """What a model says of itself; a damaged one says nothing."""
    from depinduce.errors import DepinduceError
    from depinduce.models.packing import description_at

    try:
        description = description_at(place)
        about, history = str(description["about"]), description.get("history", {})
        data = history.get("training_data", {})
    except (DepinduceError, KeyError, AttributeError):
        return {"about": "a damaged model", "learned from": "", "licence": ""}
    learned = f"{data['sentences']:,} sentences" if "sentences" in data else ""
    if data.get("trees"):
        learned += f", {data['trees']['sentences']:,} with trees"
    if data.get("languages"):
        learned += f" of {len(data['languages'])} languages"
    return {"about": about, "learned from": learned, "licence": history.get("card", {}).get("licence", "")}
