"""The card of a grammar that is handed on: whence it is, what it was told, how good it is, how to use it.

Markdown behind a head of YAML, as model hubs read it. Every string of the head is quoted as in JSON, which is YAML.
"""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from depinduce import __version__
from depinduce.corpus.corpus import trees_in_words
from depinduce.evaluation.scores import Scores
from depinduce.evaluation.tables import length_table, markdown_lines
from depinduce.report.display_width import printable
from depinduce.report.run_report.training_facts import knowledge_of

if TYPE_CHECKING:
    from depinduce.models.model import Model

LICENCES = (  # as hubs write them; others are given by their names
    "apache-2.0", "cc-by-4.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0", "cc0-1.0", "mit",
)  # fmt: skip
UNKNOWN = "unknown"
LANGUAGE_CODE = re.compile("[a-z]{2,3}")  # what hubs take for a language
SHOWN = ("10", "15", "40", "all")  # the lengths whose scores are in the head
PACKAGES = ("numpy", "numba", "torch", "safetensors")
USE = """Where `grammar` is this folder, or the zip file:

```bash
depinduce parse grammar tagged.conllu -o parsed.conllu
```

```python
from depinduce import Parser

parser = Parser.load("grammar")
parser.parse(["the/DET dog/NOUN barks/VERB"])[0].heads
```"""


@dataclass(frozen=True)
class About:
    """What a grammar does not know of itself."""

    name: str
    licence: str | None = None  # None: that which it carries, if it does
    languages: tuple[str, ...] = ()  # if they were not named in training
    data: str | None = None  # the texts that it learned from, in words
    scores: Scores | None = None
    gold: str | None = None  # the trees that these are about


def card(model: Model, about: About) -> str:
    """The card of a model."""
    licence = licence_of(model, about)
    languages = list(model.history.get("training_data", {}).get("languages") or about.languages)
    sections = [
        f"# {printable(about.name)}\n\n{_sentence(model.about)} It gives tagged "
        "sentences their dependency trees; the program depinduce reads it.",
        "## Data\n\n" + "\n".join(_data(model, about, languages)),
        f"## Licence\n\n{_about_licence(model, licence)}",
        "## Knowledge and trees\n\n" + "\n".join(f"- {line}" for line in knowledge_of(model, _settings(model))),
        f"## Scores\n\n{_scores(about)}",
        f"## Use\n\n{USE}",
        "## Versions\n\n" + "\n".join(f"- {name} {number}" for name, number in _versions()),
    ]
    return _head(about, licence, languages) + "\n\n".join(sections) + "\n"


def licence_of(model: Model, about: About) -> str | None:
    """The licence of a grammar: that which was given, or that which it carries; None if there is none."""
    return about.licence or model.history.get("card", {}).get("licence")


# ---------------------------------------------------------------- the head


def _head(about: About, licence: str | None, languages: list[str]) -> str:
    code = re.sub(r"[\s_]+", "-", (licence or UNKNOWN).strip().lower())
    lines = ["---", "library_name: depinduce", "pipeline_tag: token-classification"]
    if code in (*LICENCES, UNKNOWN):
        lines.append(f"license: {code}")
    else:
        lines += ["license: other", f"license_name: {_quoted(code)}"]
    if codes := [name for name in languages if LANGUAGE_CODE.fullmatch(name)]:
        lines += ["language:", *(f"- {_quoted(name)}" for name in codes)]  # `no` alone is no language in YAML
    lines += ["tags:", "- dependency-parsing", "- grammar-induction"]
    if about.scores is not None:
        lines += _model_index(about, about.scores)
    return "\n".join([*lines, "---", "", ""])


def _model_index(about: About, scores: Scores) -> list[str]:
    """The scores, as hubs read them."""
    data = _quoted(about.gold or "gold trees")
    lines = [
        "model-index:",
        f"- name: {_quoted(about.name)}",
        "  results:",
        "  - task:",
        "      type: token-classification",
        "      name: dependency parsing",
        "    dataset:",
        f"      type: {data}",
        f"      name: {data}",
        "    metrics:",
    ]
    for length in SHOWN:
        if scores.by_length[length].words:
            up_to = "all sentences" if length == "all" else f"sentences of up to {length} words"
            lines += [
                "    - type: uas",
                f"      name: {_quoted(f'UAS, {up_to}')}",
                f"      value: {scores.by_length[length].uas:.1f}",
            ]
    return lines


def _quoted(text: str) -> str:
    return json.dumps(printable(text), ensure_ascii=False)


# ---------------------------------------------------------------- the sections


def _data(model: Model, about: About, languages: list[str]) -> Iterator[str]:
    data: dict[str, Any] = model.history.get("training_data", {})
    if about.data:
        yield f"{printable(about.data)}\n"
    if data:
        longest = model.reading.max_length
        yield f"- {data['sentences']:,} sentences{f' of up to {longest} words' if longest else ''}"
        yield f"- {data['words']:,} words, punctuation not counted"
        yield f"- SHA-256 of what was read: `{data['sha256']}`"
    else:
        yield "- not recorded"
    yield f"- languages: {printable(', '.join(languages)) or 'not named'}"
    yield f"- trees: {trees_in_words(data['trees']) if data.get('trees') else 'none were given'}"
    yield f"- {len(model.tags)} tags: {printable(' '.join(model.tags))}"
    if sources := model.history.get("card", {}).get("sources"):
        yield "\n| language | treebank, of which only text and tags were read | licence |\n|---|---|---|"
        for name, source in sources.items():
            yield f"| {name} | {source['treebank']} | {source['licence']} |"


def _about_licence(model: Model, licence: str | None) -> str:
    stated = f"{printable(licence)}." if licence else "Not stated: whoever packed this did not say (`--licence`)."
    start = _settings(model).get("init") or [""]
    if start[0] == "universal" and start[1:] in ([], ["universal"]):
        stated += (
            " It began with `universal`, the grammar that comes with depinduce, which is under CC BY-SA 4.0: what is "
            "made of it is to be shared alike."
        )
    return stated


def _scores(about: About) -> str:
    if about.scores is None:
        return "Not measured when this was packed (`depinduce pack --gold FILE`)."
    lines = markdown_lines(length_table(about.scores), numbers="---")
    told = f"On {printable(about.gold or 'gold trees')}, with the tags of that file (%):"
    return "\n".join([told, "", *lines])


def _versions() -> Iterator[tuple[str, str]]:
    yield "depinduce", __version__
    yield "Python", platform.python_version()
    for name in PACKAGES:
        with suppress(PackageNotFoundError):  # it was not needed
            yield name, version(name)


def _settings(model: Model) -> dict[str, Any]:
    return model.history.get("settings", {})


def _sentence(about: str) -> str:
    return f"{about[:1].upper()}{about[1:]}."
