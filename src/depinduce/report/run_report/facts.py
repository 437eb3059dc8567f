"""Everything that a report shows, as numbers and plain words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from depinduce.insight.inspection import Inspection, inspect_grammar
from depinduce.models.loading import grammar_of
from depinduce.models.model_files import SECOND
from depinduce.models.state_model import HdpModel
from depinduce.report.run_report.file_facts import FileFacts, file_facts
from depinduce.report.run_report.place import Place
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
    model, seeds, file = place.model, place.seeds, None
    if path is not None:
        others = {} if seeds is None else seeds.others()
        file = file_facts(model, others, path, has_gold, drawn, threads, report)
    grammar, about_rules = grammar_of(model), ""
    if grammar is None:
        about_rules = "This is a grammar over words: it has a rule for every word, which is too many to list."
    elif hasattr(model, SECOND):
        about_rules = "These are the rules of the part over tags; those of the part over words are too many to list."
    elif isinstance(model, HdpModel):
        about_rules = "These are its rules without the hidden refinements of tags: the mean of all of them."
    return Facts(
        place.directory.resolve().name,
        training_facts(place),
        file,
        None if grammar is None else inspect_grammar(grammar),
        about_rules,
        None if seeds is None else seed_facts(seeds, file),
    )
