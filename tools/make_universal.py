"""Train the universal grammar that comes with the package, from texts of Universal Dependencies 2, and write its card.

    python tools/make_universal.py --data DIR --work universal-run

DIR has `LANG/text.conllu`, tagged text without trees. Only texts under CC BY and CC BY-SA go into it. With `--work` a
training that was stopped goes on where it was. Where DIR has dev trees, the card says how the grammar scores on them;
no tree is looked at before.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

from depinduce.corpus import Reading, load_corpus, read_sentences
from depinduce.evaluation.scores import score
from depinduce.files import write_file
from depinduce.learning.adaptation import adapted
from depinduce.learning.lesson import Lesson
from depinduce.learning.progress_texts import round_text
from depinduce.learning.settings.recipes import configure_with_recipe
from depinduce.models.model import Model
from depinduce.models.places import BOX
from depinduce.models.polyglot_model import PolyglotModel
from depinduce.parsing.decoding import Parsing, parse_corpus

LICENCE = "CC BY-SA 4.0"
SOURCES = {  # language: treebank of Universal Dependencies 2, and its licence
    "cy": ("Welsh-CCG", "CC BY-SA 4.0"),
    "de": ("German-GSD", "CC BY-SA 4.0"),
    "es": ("Spanish-GSD", "CC BY-SA 4.0"),
    "fa": ("Persian-PerDT", "CC BY-SA 4.0"),
    "fi": ("Finnish-TDT", "CC BY-SA 4.0"),
    "fr": ("French-GSD", "CC BY-SA 4.0"),
    "ga": ("Irish-IDT", "CC BY-SA 3.0"),
    "he": ("Hebrew-IAHLTwiki", "CC BY-SA 4.0"),
    "hy": ("Armenian-ArmTDP", "CC BY-SA 4.0"),
    "ja": ("Japanese-GSD", "CC BY-SA 4.0"),
    "kk": ("Kazakh-KTB", "CC BY-SA 4.0"),
    "ko": ("Korean-GSD", "CC BY-SA 4.0"),
    "lv": ("Latvian-LVTB", "CC BY-SA 4.0"),
    "nl": ("Dutch-LassySmall", "CC BY-SA 4.0"),
    "ru": ("Russian-GSD", "CC BY-SA 4.0"),
    "sl": ("Slovenian-SSJ", "CC BY-SA 4.0"),
    "te": ("Telugu-MTG", "CC BY-SA 4.0"),
    "ug": ("Uyghur-UDT", "CC BY-SA 4.0"),
    "vi": ("Vietnamese-VTB", "CC BY-SA 4.0"),
    "zh": ("Chinese-GSD", "CC BY-SA 4.0"),
}
TOLD = "Function words (ADP AUX CCONJ DET PART SCONJ) have no children. No trees, no rules, nothing else."
CARD = """# universal

A grammar of {number} languages: which tags head which in all of them, and the order of each. It knows the tags of
Universal Dependencies (UPOS) and no words. `depinduce parse universal corpus.conllu` parses with it, and learns the
order of a language that it does not know from the text itself, from ten sentences on.

**Licence.** {licence} (https://creativecommons.org/licenses/by-sa/4.0), apart from the MIT licence of the program.
It was learned from the texts below, of Universal Dependencies 2 (https://universaldependencies.org), by their authors,
whom the treebanks name; only numbers were kept of them, no text. Made by `python tools/make_universal.py` with
depinduce {version}.

**What it was told.** {told}

**How good.** Share of words with the right head (%), sentences of up to 15 / 40 words of the dev trees, gold tags,
`--decode mbr`; adapted to the text of the language, which contains the dev sentences without their trees. Settings were
chosen while looking at these dev trees.

{scores}

**Where it learned from.**

| language | treebank | sentences of up to {longest} words | licence |
|---|---|---|---|
{sources}
"""


@dataclass(frozen=True)
class Scores:
    """Of one language, on its dev trees."""

    language: str
    in_training: bool
    up_to_15: float
    up_to_40: float


def trained(data: Path, work: Path) -> PolyglotModel:
    """The grammar of all languages, from a training that is begun or gone on with."""
    configuration, _ = configure_with_recipe("universal", {})
    lesson = Lesson.of(configuration, {name: [str(data / name / "text.conllu")] for name in SOURCES}, quiet=True)
    model, finished = lesson.run(work, resume=True).go(
        lambda progress: print(f"{progress.done}/{progress.total} {progress.rung}: {round_text(progress)}", flush=True)
    )
    if not finished or not isinstance(model, PolyglotModel):
        raise SystemExit("stopped; call again to go on")
    return model


def scores_of(model: PolyglotModel, data: Path) -> list[Scores]:
    """How good the grammar is, after it has learned the order of each language from its text."""
    found = []
    for place in sorted(data.iterdir()):
        if (place / "dev.conllu").is_file():
            grammar, _ = adapted(model, list(read_sentences(place / "text.conllu")))
            found.append(Scores(place.name, place.name in SOURCES, *_scores(grammar, place / "dev.conllu")))
    return found


def _scores(model: Model, path: Path) -> tuple[float, float]:
    gold = load_corpus([str(path)], Reading(max_length=40), tag_vocabulary=model.tags, with_heads=True)
    by_length = score(gold.gold, parse_corpus(model, gold, Parsing("mbr")), gold.offsets).by_length
    return by_length["15"].uas, by_length["40"].uas


def card_of(model: PolyglotModel, scores: list[Scores], version: str) -> str:
    """The card as a page."""
    sentences = model.history["training_data"]["languages"]
    rows = [f"| {name} | UD {bank} | {sentences[name]} | {licence} |" for name, (bank, licence) in SOURCES.items()]
    table = "| language | text in the grammar | ≤15 / ≤40 |\n|---|---|---|\n" + "\n".join(
        f"| {one.language} | {'yes' if one.in_training else 'no'} | {one.up_to_15:.1f} / {one.up_to_40:.1f} |"
        for one in scores
    )
    return CARD.format(
        number=len(SOURCES), licence=LICENCE, version=version, told=TOLD, scores=table or "Not measured.",
        longest=model.reading.max_length, sources="\n".join(rows),
    )  # fmt: skip


def main() -> None:
    from depinduce import __version__

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with LANG/text.conllu")
    parser.add_argument("--work", type=Path, required=True, help="folder for the training")
    parser.add_argument("--out", type=Path, default=BOX / "universal", help="folder for the grammar")
    arguments = parser.parse_args()
    model = trained(arguments.data, arguments.work)
    scores = scores_of(model, arguments.data)
    card = {
        "licence": LICENCE,
        "sources": {name: {"treebank": f"UD {bank}", "licence": licence} for name, (bank, licence) in SOURCES.items()},
        "told": TOLD,
        "dev_uas": {one.language: [round(one.up_to_15, 1), round(one.up_to_40, 1)] for one in scores},
    }
    (arguments.out / "CARD.md").unlink(missing_ok=True)  # so that the folder is a model and nothing else
    replace(model, history=model.history | {"card": card}).save(arguments.out)
    write_file(arguments.out / "CARD.md", card_of(model, scores, __version__))


if __name__ == "__main__":
    main()
