"""Everything that a report shows, as numbers and plain words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from depinduce.corpus import Sentence, read_sentences
from depinduce.insight.adapted_order import universal_of
from depinduce.insight.inspection import Inspection, inspect_grammar
from depinduce.learning.adaptation import adapted
from depinduce.parsing.streams import learned_from
from depinduce.report.run_report.file_facts import FileFacts, file_facts
from depinduce.report.run_report.language_facts import (
    AdaptationFacts,
    LanguageFacts,
    adaptation_facts,
    keeping,
    language_facts,
)
from depinduce.report.run_report.place import Place
from depinduce.report.run_report.round_facts import Numbered, RoundFacts, round_facts, short_ones
from depinduce.report.run_report.seed_facts import SeedFacts, seed_facts
from depinduce.report.run_report.training_facts import TrainingFacts, training_facts


@dataclass(frozen=True)
class Facts:
    """All about one model."""

    name: str
    training: TrainingFacts
    file: FileFacts | None  # what it was tried on
    rules: Inspection | None  # None: a grammar over words
    about_rules: str  # of which part of the model they are, or why there are none
    seeds: SeedFacts | None
    languages: LanguageFacts | None  # None: it tells none apart
    adaptation: AdaptationFacts | None  # None: it did not start from a universal grammar
    rounds: RoundFacts | None = None  # None: the training has not kept them
    learned: str = ""  # what it learned from the file before it parsed it, in words


def gather(
    place: Place,
    path: str | None = None,
    has_gold: bool = False,
    drawn: int = 3,
    threads: int = 1,
    report: Callable[[int], None] = lambda sentences: None,
) -> Facts:
    """All about the model of a place.

    path: a file to parse; has_gold: whether its trees are right, and its own are compared with them
    """
    model, seeds, file, learned = place.model, place.seeds, None, ""
    universal, language = universal_of(model), model  # a universal grammar becomes that of the language of a file
    compared: list[Sentence] = []
    short: list[Numbered] = []
    if path is not None:
        others = {} if seeds is None else seeds.others()
        sentences = short_ones(keeping(read_sentences(path, trees=has_gold), compared), short)
        if model.headedness is not None:
            language, learned, sentences = learned_from(sentences, partial(adapted, model))
            universal = None if language is model else model
        file = file_facts(language, others, path, sentences, has_gold, drawn, threads, report)
    grammar = model.rule_view()
    return Facts(
        place.directory.resolve().name,
        training_facts(place),
        file,
        None if grammar is None else inspect_grammar(grammar),
        model.about_rules,
        None if seeds is None else seed_facts(seeds, file),
        language_facts(model, file),
        None if universal is None else adaptation_facts(universal, language, compared, threads),
        round_facts(place.rounds, short, has_gold, drawn),
        learned,
    )
