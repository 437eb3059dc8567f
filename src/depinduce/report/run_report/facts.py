"""Everything that a report shows, as numbers and plain words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from depinduce.insight.inspection import Inspection, inspect_grammar
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
    grammar = model.rule_view()
    return Facts(
        place.directory.resolve().name,
        training_facts(place),
        file,
        None if grammar is None else inspect_grammar(grammar),
        model.about_rules,
        None if seeds is None else seed_facts(seeds, file),
    )
