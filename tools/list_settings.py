"""Write docs/settings.md: every setting of a training, what it means, and how it is given."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from depinduce.corpus import Reading
from depinduce.learning.settings.committee import CommitteeSettings
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.crf import CrfSettings
from depinduce.learning.settings.d_ndmv import SentenceSettings
from depinduce.learning.settings.features import FeatureSettings
from depinduce.learning.settings.interpolated import InterpolatedSettings
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.settings.logistic_normal import LogisticNormalSettings
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.settings.order_free import PolyglotSettings
from depinduce.learning.settings.states import HdpSettings
from depinduce.networks.lexical_settings import LexicalSettings
from depinduce.networks.network_settings import JiangNetworkSettings, NetworkSettings, SentenceNetworkSettings

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
GROUPS = {
    "Every model": LearningSettings,
    "Count models (dmv, dmv-sibling, dmv-grand)": CountSettings,
    "e-dmv": InterpolatedSettings,
    "feature-dmv": FeatureSettings,
    "ln-dmv": LogisticNormalSettings,
    "hdp-dep": HdpSettings,
    "crfae": CrfSettings,
    "Many languages (polyglot, order-free, committee)": PolyglotSettings,
    "A new language (committee)": CommitteeSettings,
    "Neural models": NeuralSettings,
    "The network of neural models": NetworkSettings,
    "The networks of jiang-ndmv": JiangNetworkSettings,
    "d-ndmv": SentenceSettings,
    "The networks of d-ndmv": SentenceNetworkSettings,
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
    parts, told = [HEAD], set[tuple[str, object, str]]()
    for title, settings in GROUPS.items():
        parts.append(f"\n## {title}\n\n| setting | option | default | what it is |\n|---|---|---|---|\n")
        for field in dataclasses.fields(settings):
            help = field.metadata["help"].replace("|", "\\|")
            if (field.name, field.default, help) not in told:  # as it is in this model
                told.add((field.name, field.default, help))
                option = "" if field.metadata["expert"] else f"`--{field.name.replace('_', '-')}`"
                parts.append(f"| `{field.name}` | {option} | {shown(field.default)} | {help} |\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.exit(0)
