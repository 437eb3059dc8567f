"""Running the experiments on learning from some trees: draw them, train, and score sentences that cannot be drawn."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.corpus import Reading, Sentence, build_corpus, in_vocabulary, read_sentences
from depinduce.errors import DepinduceError
from depinduce.experiments.cells import SHARED, Task, Work, code_fingerprint, run_cell, scores, trained
from depinduce.experiments.corrections import LANGUAGES, LONGEST, OWN_RECIPE, POOL, CorrectionExperiment
from depinduce.experiments.experiment import Cell
from depinduce.experiments.pace import OVERHEAD, seconds_for
from depinduce.experiments.parts import OWN, is_made
from depinduce.experiments.suites import EXPERIMENTS
from depinduce.experiments.ud import DEVELOPMENT
from depinduce.learning.lesson import Lesson
from depinduce.learning.settings.configuration import configure
from depinduce.models.loading import load_grammar
from depinduce.models.model import Model


@dataclass(frozen=True)
class Texts:
    """What there is of a language."""

    language: str
    train: Path
    dev: Path

    def parted(self) -> tuple[list[Sentence], list[Sentence]]:
        """The sentences whose trees can be drawn, and those that are scored."""
        dev = list(read_sentences(self.dev, trees=True))
        if self.language in DEVELOPMENT:
            return list(read_sentences(self.train, trees=True)), dev
        drawn = set(np.random.default_rng(0).permutation(drawable(dev))[:POOL].tolist())
        return [dev[number] for number in sorted(drawn)], [one for n, one in enumerate(dev) if n not in drawn]


def drawable(sentences: list[Sentence]) -> np.ndarray:
    """The numbers of the sentences that are not too long."""
    return build_corpus(sentences, Reading(max_length=LONGEST)).index


def drawn_trees(pool: list[Sentence], trees: int, draw: int) -> list[Sentence]:
    """So many sentences; those of a smaller draw of the same number are among them."""
    numbers = np.random.default_rng([draw, 1]).permutation(drawable(pool))[:trees]
    return [pool[number] for number in sorted(numbers.tolist())]


@dataclass(frozen=True)
class CorrectionTask(Task):
    """A training beside some trees."""

    experiment: CorrectionExperiment
    texts: Texts
    own: Path | None  # where the language's own grammar is, for those that make it or need it

    def run(self) -> dict[str, Any]:
        pool, scored = self.texts.parted()
        experiment, configuration = self.experiment, configure(self.settings)
        trees = drawn_trees(pool, experiment.trees, experiment.draw(self.cell.seed)) if experiment.trees else None
        began = time.perf_counter()
        lesson = Lesson.of(
            configuration, [str(self.texts.train)] if experiment.with_text else [], trees=trees, quiet=True
        )  # fmt: skip
        model = self._trained(lesson)
        learning = time.perf_counter() - began
        gold = build_corpus(scored, Reading(), tag_vocabulary=model.tags, with_heads=True)
        return self.about() | {
            "training_data": lesson.train.identity(),
            "scores": scores(model, gold, self.lengths),
            "parts": {
                name: scores(part, in_vocabulary(gold, part.tags), self.lengths) for name, part in model.parts.items()
            },
            "learning": round(learning, 2),
        }

    def _trained(self, lesson: Lesson) -> Model:
        """What the lesson leads to; a committee's own grammar is that of another cell, if that is finished."""
        run = lesson.run()
        if self.own is not None and OWN in run.plan.ladders and is_made(self.own):
            run.take_over(OWN, load_grammar(self.own))
        model = trained(run)
        if self.own is not None and self.recipe == OWN_RECIPE:
            model.save(self.own)
        return model


def texts_of(folders: list[str]) -> dict[str, Texts]:
    """The languages that are there."""
    found = dict[str, Texts]()
    for language in LANGUAGES:
        for folder in map(Path, folders):
            texts = Texts(language, folder / language / "train.conllu", folder / language / "dev.conllu")
            if texts.train.is_file() and texts.dev.is_file():
                found.setdefault(language, texts)
    if not found:
        raise DepinduceError(
            f"--data: none of {' '.join(LANGUAGES)} has both train.conllu and dev.conllu there. "
            "Name folders with LANG/train.conllu and LANG/dev.conllu."
        )
    return found


def possible(cells: list[Cell], texts: dict[str, Texts]) -> list[Cell]:
    """Those of the cells that there are files for; where the whole pool is drawn, there is but one draw."""
    return [cell for cell in cells if cell.language in texts and not _is_another_draw_of_all(cell)]


def _is_another_draw_of_all(cell: Cell) -> bool:
    experiment = _experiment(cell)
    return cell.language not in DEVELOPMENT and experiment.trees >= POOL and experiment.draw(cell.seed) > 0


def _experiment(cell: Cell) -> CorrectionExperiment:
    experiment = EXPERIMENTS[cell.experiment]
    assert isinstance(experiment, CorrectionExperiment), cell
    return experiment


def work_of(cells: list[Cell], texts: dict[str, Texts], out: Path) -> Work:
    """The cells, each after the one whose grammar it needs, if that is among them."""
    code = code_fingerprint()
    tasks = [
        CorrectionTask(
            cell,
            experiment.recipe,
            experiment.configuration(cell.seed).values(),
            experiment.lengths,
            out,
            code,
            experiment,
            texts[cell.language],
            _place_of_own(cell, out, code),
        )
        for cell in cells
        for experiment in (_experiment(cell),)
    ]
    makers = {task.own: number for number, task in enumerate(tasks) if task.own and task.recipe == OWN_RECIPE}
    needs = [[makers[task.own]] if task.own in makers and task.recipe != OWN_RECIPE else [] for task in tasks]

    def guess(cell: Cell) -> float:
        experiment = _experiment(cell)
        if not experiment.with_text:
            return OVERHEAD
        return seconds_for(experiment.configuration(), [texts[cell.language].train])

    return Work(list(cells), tasks, run_cell, guess, needs)


def _place_of_own(cell: Cell, out: Path, code: str) -> Path | None:
    """Where cells with the same text, trees and seed keep the language's own grammar; trees alone make none."""
    experiment = _experiment(cell)
    if not experiment.with_text:
        return None
    return out / SHARED / f"own-{cell.language}-{experiment.trees}-{cell.seed}-{code}"
