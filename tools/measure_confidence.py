"""Measure calibration and verdicts on dev trees: the tables of docs/results/confidence.md.

    python tools/measure_confidence.py DATA --models FOLDER > tables.md

DATA holds ud14, ud14-more and ud2, with dev.conllu beside the text of a language (docs/reproducing.md). Models are
trained where FOLDER does not have them yet; all together take about an hour on one core. Dev trees are looked at when
all is done, and only to score.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from depinduce.corpus import Corpus, Reading, in_vocabulary, load_corpus
from depinduce.evaluation.baselines import next_word, previous_word
from depinduce.evaluation.reliability import Reliability
from depinduce.learning.health import DOUBTFUL, GOOD, POOR, Health, health
from depinduce.learning.lesson import Lesson
from depinduce.learning.settings.recipes import configure_with_recipe
from depinduce.models.loading import load_model
from depinduce.models.model import Model
from depinduce.parsing.decoding import Parses, Parsing, parse_trees

DEVELOPED_ON = ("ud14/fr", "ud14/pl", "ud14/eu", "ud2/fr", "ud2/pl", "ud2/eu", "ud2/fi")  # the numbers of `trust`
SEEN = (*DEVELOPED_ON, "ud14-more/ru", "ud14-more/ar", "ud14-more/ja", "ud2/ru", "ud2/ja")  # and the bounds of verdicts
KEPT_ASIDE = ("ud14/de", "ud14/es", "ud14/it", "ud14/nl", "ud14/pt")  # looked at once, when all was fixed
GRAMMARS = {
    "ud-sibling": ("ud-sibling", {}),
    "adapt": ("adapt", {}),
    "dmv": (None, {"model": "dmv", "non_heads": ("ud",)}),
    "dmv without --non-heads": (None, {"model": "dmv"}),
    "ud-ndmv": ("ud-ndmv", {}),
    "hdp-dep --rules ud": (None, {"model": "hdp-dep", "rules": "ud", "non_heads": ("ud",)}),
}
CALIBRATED = ("ud-sibling", "adapt")


@dataclass(frozen=True)
class Measured:
    """A grammar of a text, and what became of its trees of dev."""

    text: str
    grammar: str
    told: Health  # of the text that it learned from
    raw: Reliability
    calibrated: Reliability
    uas: float
    chain: float  # of "head = next word" or "head = previous word", the better one


def measure(data: Path, models: Path, text: str, grammar: str) -> Measured:
    name = "text.conllu" if text.startswith("ud2") else "train.conllu"
    model = trained(models / grammar / text, data / text / name, grammar)
    train = load_corpus(data / text / name, Reading(max_length=15))
    gold = load_corpus(data / text / "dev.conllu", Reading(), tag_vocabulary=train.tag_vocabulary, with_heads=True)
    scored = gold.gold >= 0
    raw, worth = (parsed(model, gold, raw_posteriors=raw) for raw in (True, False))
    right = (raw.heads[0] == gold.gold)[scored]
    lines = [Reliability.of(np.minimum(found.posteriors[0][scored], 1.0), right) for found in (raw, worth)]
    chains = [float(np.mean((chain(gold.offsets) == gold.gold)[scored])) for chain in (next_word, previous_word)]
    return Measured(text, grammar, health(model, train), *lines, float(right.mean()), max(chains))


def parsed(model: Model, gold: Corpus, raw_posteriors: bool) -> Parses:
    parsing = Parsing(posteriors=True, raw_posteriors=raw_posteriors)
    return parse_trees(model, in_vocabulary(gold, model.tags), parsing)


def trained(place: Path, text: Path, grammar: str) -> Model:
    """The grammar of a text, which is trained if it is not there."""
    if not place.exists():
        configuration, _ = configure_with_recipe(*GRAMMARS[grammar])
        model, finished = Lesson.of(configuration, [str(text)], quiet=True).run().go()
        if not finished:
            raise KeyboardInterrupt
        model.save(place)
        print(f"trained {place}", file=sys.stderr, flush=True)
    return load_model(place)


# ---------------------------------------------------------------- tables


def calibration_table(found: list[Measured]) -> list[str]:
    lines = [
        "| text | grammar | UAS | mean posterior | error | calibrated mean | error |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in found:
        if one.grammar in CALIBRATED:
            numbers = (one.uas, _mean(one.raw), one.raw.error, _mean(one.calibrated), one.calibrated.error)
            lines.append(f"| {one.text} | {one.grammar} | {' | '.join(f'{number:.3f}' for number in numbers)} |")
    return lines


def _mean(reliability: Reliability) -> float:
    return sum(one.arcs * one.said for one in reliability.bins) / reliability.arcs


def verdict_table(found: list[Measured]) -> list[str]:
    """A row for every text, a column for every grammar."""
    lines = [f"| text | neighbour | {' | '.join(GRAMMARS)} |", f"|---|---|{'---|' * len(GRAMMARS)}"]
    for text in dict.fromkeys(one.text for one in found):
        row = [one for one in found if one.text == text]
        cells = [f"{100 * one.uas:.1f}: {100 * (one.told.expected or 0):.0f}, {one.told.verdict}" for one in row]
        lines.append(f"| {text} | {100 * row[0].chain:.1f} | {' | '.join(cells)} |")
    distance = np.mean([abs(one.uas - (one.told.expected or 0)) for one in found])
    return [*lines, "", f"Mean distance between what is told and the score: {100 * distance:.1f} points."]


def summary_table(found: list[Measured]) -> list[str]:
    """How many grammars of each verdict are how far above the better chain."""
    bounds = {"below it": -100.0, "0 to 10 points above": 0.0, "10 to 20": 0.1, "20 and more": 0.2}
    counts: Counter[tuple[str, str]] = Counter()
    for one in found:
        above = [name for name, bound in bounds.items() if one.uas - one.chain >= bound]
        counts[one.told.verdict, above[-1]] += 1
    lines = [f"| verdict | {' | '.join(bounds)} | mean UAS |", f"|---|{'---|' * len(bounds)}---|"]
    for verdict in (GOOD, DOUBTFUL, POOR):
        scores = [100 * one.uas for one in found if one.told.verdict == verdict]
        cells = [str(counts[verdict, name]) for name in bounds]
        lines.append(f"| {verdict} | {' | '.join(cells)} | {np.mean(scores) if scores else 0:.1f} |")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--texts", nargs="+", default=[*SEEN, *KEPT_ASIDE])
    parser.add_argument("--train-only", action="store_true", help="look at no dev tree yet")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for grammar in GRAMMARS:
        for text in arguments.texts:
            name = "text.conllu" if text.startswith("ud2") else "train.conllu"
            trained(arguments.models / grammar / text, arguments.data / text / name, grammar)
    if arguments.train_only:
        return
    found = [
        measure(arguments.data, arguments.models, text, grammar) for text in arguments.texts for grammar in GRAMMARS
    ]
    for title, lines in (
        ("Calibration", calibration_table(found)),
        ("Verdicts", summary_table(found)),
        ("Verdicts, texts kept aside", summary_table([one for one in found if one.text in KEPT_ASIDE])),
        ("All grammars", verdict_table(found)),
    ):
        print(f"## {title}\n", *lines, "", sep="\n")


if __name__ == "__main__":
    main()
