"""Write docs/settings.md: every setting of a training, what it means, and how it is given."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from depinduce.corpus import Reading
from depinduce.learning.settings.committee import CommitteeSettings
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.settings.order_free import PolyglotSettings
from depinduce.learning.settings.states import HdpSettings
from depinduce.networks.lexical_settings import LexicalSettings
from depinduce.networks.network_settings import NetworkSettings

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
GROUPS = {
    "Every model": LearningSettings,
    "Count models (dmv, dmv-sibling, dmv-grand)": CountSettings,
    "hdp-dep": HdpSettings,
    "Many languages (polyglot, order-free, committee)": PolyglotSettings,
    "A new language (committee)": CommitteeSettings,
    "Neural models": NeuralSettings,
    "The network of neural models": NetworkSettings,
    "Models that see words (lexical-…, joint-…)": LexicalSettings,
    "Reading files": Reading,
}
HEAD = """# Settings

Every setting of a training. Give it as an option of `depinduce train`, or, where none is shown, as `--set name=value`;
in a TOML file for `--recipe` and in `Parser.train(…)` all go by their names. `python tools/list_settings.py` writes
this page.
"""


def shown(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)


def page() -> str:
    parts, told = [HEAD], set[str]()
    for title, settings in GROUPS.items():
        parts.append(f"\n## {title}\n\n| setting | option | default | what it is |\n|---|---|---|---|\n")
        for field in dataclasses.fields(settings):
            if field.name not in told or settings in (HdpSettings,) and field.name == "iterations":
                told.add(field.name)
                option = "" if field.metadata["expert"] else f"`--{field.name.replace('_', '-')}`"
                help = field.metadata["help"].replace("|", "\\|")
                parts.append(f"| `{field.name}` | {option} | {shown(field.default)} | {help} |\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.exit(0)
