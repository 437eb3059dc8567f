"""Running the experiments on many languages: the grammars that cells share, and cells that adapt and score them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.corpus import Sentence, build_corpus, in_vocabulary, read_sentences
from depinduce.errors import DepinduceError
from depinduce.experiments.ceilings import counted_grammar
from depinduce.experiments.cells import Task, Work, code_fingerprint, gold_of, scores, trained
from depinduce.experiments.experiment import Cell
from depinduce.experiments.kept_cells import keep
from depinduce.experiments.pace import OVERHEAD, seconds_for
from depinduce.experiments.parts import (
    OWN,
    SECONDS,
    UNIVERSAL,
    Part,
    PartTask,
    Shelf,
    experiment_of,
    is_made,
    parts_of,
    settings_of,
)
from depinduce.experiments.polyglot import PolyglotExperiment
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.experiments.worlds import World
from depinduce.learning.lesson import Lesson
from depinduce.learning.settings.configuration import configure
from depinduce.learning.training import Diverged
from depinduce.models.loading import load_grammar, load_model
from depinduce.models.model import Model

Item = Cell | Part


@dataclass(frozen=True)
class ScoreTask(Task):
    """A cell that scores a grammar: one that several cells share, or one that is learned from such."""

    experiment: PolyglotExperiment
    texts: list[str]  # files of the language
    trees: Path
    needs: dict[str, Path]  # grammars of others, by kind
    made_of: str  # the name of all texts that can have an influence

    def run(self) -> dict[str, Any]:
        began = time.perf_counter()
        model = self._grammar()
        learning = round(time.perf_counter() - began, 2) if self.experiment.learns else None
        gold = gold_of(self.trees, configure(self.settings).reading, model.tags)
        result = self.about() | {
            "made_of": self.made_of,
            "scores": scores(model, gold, self.lengths),
            "parts": {
                name: scores(part, in_vocabulary(gold, part.tags), self.lengths) for name, part in model.parts.items()
            },
            "committee": model.history.get("committee"),
            "learning": learning,
            "learning_before": {kind: load_model(place).history[SECONDS] for kind, place in self.needs.items()},
            "seconds": round(time.perf_counter() - began, 2),
        }
        keep(self.cell, result, self.out)
        return result

    def _grammar(self) -> Model:
        """What its name says: of the grammars that are there, or learned from them, or for once from gold trees."""
        if self.experiment.grammar == "counted":
            return counted_grammar(configure(self.settings), self.texts)
        if self.experiment.learns:
            return self._adapted()
        (shared,) = map(load_model, self.needs.values())
        tells_apart = self.experiment.grammar in ("order-free", "vectors")
        return shared.in_language(self.cell.language) if tells_apart else shared

    def _adapted(self) -> Model:
        """What a training gives that starts from the universal grammar; an own grammar is there already."""
        settings = self.settings | {"init": ("universal", str(self.needs[UNIVERSAL]))}
        run = Lesson.of(configure(settings), self._text(), quiet=True).run()
        if OWN in run.plan.ladders and OWN in self.needs:
            run.take_over(OWN, load_grammar(self.needs[OWN]))
        return trained(run)

    def _text(self) -> list[str] | list[Sentence]:
        """All of the language's text, or some sentences drawn from those that are short enough to learn from."""
        few = self.experiment.sentences
        if few is None:
            return self.texts
        everything = [sentence for path in self.texts for sentence in read_sentences(path)]
        short = build_corpus(everything, configure(self.settings).reading).index
        drawn = np.random.default_rng(self.cell.seed).permutation(short)[:few]
        return [everything[number] for number in sorted(drawn.tolist())]


def run_task(task: ScoreTask | PartTask, send: Callable[[Any], None] = lambda message: None) -> dict[str, Any]:
    """Make a grammar or score a cell, and keep what comes of it. What goes astray gives {"failed": why}."""
    began = time.perf_counter()
    if lacking := [kind for kind, place in task.needs.items() if not is_made(place)]:
        return {"failed": f"a grammar that it needs could not be made: {lacking[0]}", "seconds": 0.0}
    try:
        result = task.run()
    except Diverged as error:
        result = {"failed": str(error)}
    return result | {"seconds": time.perf_counter() - began}


# ---------------------------------------------------------------- what is to be done


def made_of(cell: Cell, worlds: Mapping[str, World]) -> str:
    """A name for all texts that can have an influence on a cell."""
    world = worlds[experiment_of(cell).world]
    languages = {cell.language, *(language for part in parts_of(cell, worlds) for language in part.languages)}
    return world.digest(sorted(languages))


def scorable(cells: list[Cell], worlds: Mapping[str, World]) -> list[Cell]:
    """Those of the cells whose world is there, with trees of the language."""
    there = [cell for cell in cells if experiment_of(cell).world in worlds]
    return [cell for cell in there if worlds[experiment_of(cell).world].trees(cell.language, cell.split)]


def work_of(cells: list[Cell], worlds: Mapping[str, World], out: Path) -> Work:
    """The cells, after the grammars that they need and that are not there yet; one seed before the next."""
    shelf, items = Shelf(worlds, out, code_fingerprint()), list[Item]()
    for seed in sorted({cell.seed for cell in cells}):
        of_seed = [cell for cell in cells if cell.seed == seed]
        items += shelf.missing(part for cell in of_seed for part in parts_of(cell, worlds))
        items += of_seed
    numbers = {item: number for number, item in enumerate(items)}
    needed = [item.needs if isinstance(item, Part) else parts_of(item, worlds) for item in items]
    return Work(
        items,
        [_part_task(item, shelf) if isinstance(item, Part) else _score_task(item, shelf) for item in items],
        run_task,
        guess_of(worlds),
        [[numbers[part] for part in parts if part in numbers] for parts in needed],
    )


def _part_task(part: Part, shelf: Shelf) -> PartTask:
    texts = shelf.worlds[part.world].texts
    needs = {need.languages[0] if need.grammar == OWN else need.grammar: shelf.place(need) for need in part.needs}
    return PartTask(part, settings_of(part), {name: texts[name] for name in part.languages}, needs, shelf.place(part))


def _score_task(cell: Cell, shelf: Shelf) -> ScoreTask:
    experiment = experiment_of(cell)
    world = shelf.worlds[experiment.world]
    trees = world.trees(cell.language, cell.split)
    assert trees is not None, "only languages with trees are scored"
    return ScoreTask(
        cell,
        experiment.recipe,
        experiment.configuration(cell.seed).values(),
        experiment.lengths,
        shelf.out,
        shelf.code,
        experiment,
        world.texts[cell.language],
        trees,
        {part.grammar: shelf.place(part) for part in parts_of(cell, shelf.worlds)},
        made_of(cell, shelf.worlds),
    )


def guess_of(worlds: Mapping[str, World]) -> Callable[[Item], float]:
    """Seconds for a grammar or a cell, by its settings."""

    def guess(item: Item) -> float:
        experiment = EXPERIMENTS[item.experiment]
        assert isinstance(experiment, PolyglotExperiment), item
        if isinstance(item, Cell) and not experiment.learns:
            return OVERHEAD
        languages = item.languages if isinstance(item, Part) else (item.language,)
        texts = worlds[experiment.world].texts
        return seconds_for(experiment.configuration(), [Path(path) for name in languages for path in texts[name]])

    return cache(guess)


def require_same_texts(cells: Iterable[dict[str, Any]], worlds: Mapping[str, World], out: Path) -> None:
    """Refuse finished cells that come from other texts."""
    for result in cells:
        cell = Cell(result["experiment"], result["language"], result["seed"], result["split"])
        if scorable([cell], worlds) and result["made_of"] != made_of(cell, worlds):
            raise DepinduceError(
                f"{out}: {cell} comes from other texts than those of --data. Name the same folders, or another --out."
            )
