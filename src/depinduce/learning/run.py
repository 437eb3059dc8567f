"""A training from start to model: the rungs of its ladder one after the other, in a directory or in memory.

    config.toml              every setting
    metrics.jsonl            a line per round
    checkpoint.safetensors   where the training is, replaced whole after every round
    model/                   the trained model, when it is finished or was interrupted
    rounds/                  the grammar of every round, if somebody wants to see how it came to be

Each rung is a model trained from the trees of the rung before. The first one may have several members, that differ
only in their seed; the next rung then starts from the trees on which they agree. Mostly the last rung is the model;
where grammars of several ladders are needed, `learning.plans` says what becomes of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.grammar.knowledge import load_knowledge
from depinduce.labels import LearnedLabels
from depinduce.learning.checkpoints import damage_told, digest_of
from depinduce.learning.ladder import Ladder, Rung
from depinduce.learning.languages import told_apart
from depinduce.learning.learners.learner import Arrays, Start, under, with_prefix
from depinduce.learning.plans import plan_of
from depinduce.learning.run_files import RunFiles, require_same_data, require_same_recipes, without_times
from depinduce.learning.separate import SeparateTraining, training_of
from depinduce.learning.settings.configuration import Configuration, as_saved
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.team import ALONE, Team
from depinduce.learning.training import Round, Training
from depinduce.learning.trust import Yardstick, calibrated
from depinduce.models.model import Model
from depinduce.models.places import CHECKPOINT
from depinduce.models.places import INNER as MODEL
from depinduce.models.table import find
from depinduce.models.tag_model import GrammarModel

Watch = Callable[[Model], dict[str, float]]
TREES = ("heads", "word_heads")  # that a run remembers


@dataclass(frozen=True)
class Progress:
    """A round of a rung, as it is reported."""

    rung: Rung
    round: Round
    done: int  # rounds of the whole run
    total: int
    watched: dict[str, float] | None = None  # attachment scores, if the user asked for them


class Run:
    """A training with everything it needs to go on after it was stopped."""

    def __init__(
        self,
        configuration: Configuration,
        train: Corpus,
        dev: Corpus | None = None,
        directory: str | Path | None = None,
        watch: Watch | None = None,
        universal: Model | None = None,
        labels: LearnedLabels | None = None,
        text: Sequence[list[str]] | None = None,
        keep_rounds: bool = False,
        team: Team = ALONE,
    ):
        """universal: the grammar that --init names, if it has been read already; labels: what arcs are called
        text: the words of all sentences, also of those that are too long, where word vectors are learned from them
        keep_rounds: write down the grammar of every round, too
        team: the processes that train together; the first of them writes the directory
        """
        self.configuration, self.train, self.dev, self.team = configuration, train, dev, team
        self.settings = configuration.learning
        if dev is not None and not self.settings.heeds_held_out:
            raise DepinduceError(
                f"--dev: likelihood does not tell when {self.settings.model} should stop. Leave it away."
            )
        told_apart(self.settings, train)  # a fault shows before anything is written
        self.directory = Path(directory) if directory is not None and team.is_first else None
        self.files = RunFiles(self.directory) if self.directory is not None else None
        self.watch, self.watched, self.labels, self.text = watch, watch is not None, labels, text
        self.training_data = train.identity()
        self.fingerprints = self.training_data["sha256"], None if dev is None else dev.fingerprint()
        team.require_same((self.fingerprints, as_saved(configuration.values())), "sentences or settings")
        self.plan = plan_of(configuration)(configuration, train, universal)
        self.rungs = self.plan.rungs
        if team.size > 1:
            self._require_divided()
        self.keeps_rounds = keep_rounds
        if keep_rounds:
            self._require_tables()
        self.rung = 0
        self.heads: np.ndarray | None = None  # of the start, unless it is a first-order grammar
        self.word_heads: np.ndarray | None = None  # of the start of the part over words, if it has one of its own
        self.vectors: np.ndarray | None = None  # that words start with, if they are not random
        self.members: list[Arrays] = []  # what is kept of the finished members of this rung
        self.grammars: dict[str, Arrays] = {}  # and of the grammars to which ladders have led, by their names
        self.history: list[dict[str, Any]] = []  # a line per round, without the time it took
        self.training: Training | SeparateTraining | None = None
        self.yardstick: Yardstick | None = None  # of a finished training, if its trees can be measured

    # ---------------------------------------------------------------- going on

    def go(self, report: Callable[[Progress], None] = lambda progress: None) -> tuple[Model, bool]:
        """Train to the end. The model, and whether it is finished (or Ctrl-C ended it early)."""
        if self.rung < len(self.rungs) - 1 or self.training is None:  # faults of what is needed later show now
            self._prepare_words()
        if self.rung == 0 and self.training is None:
            self._prepare_start()
        if self.files is not None:
            self.files.open(self.configuration)
        finished = True
        try:
            while not self.finished:
                self.climb(report)
            model = self._calibrated(self.model()) if self.team.is_first else self.model()
        except KeyboardInterrupt:
            if not self.team.is_first:
                raise
            if self.training is None and not self.members and not self.grammars:
                raise  # there is nothing yet to keep
            finished, model = False, self.model(finished=False)
        if self.directory is not None:
            model.save(self.directory / MODEL)
        return model, finished

    def _calibrated(self, model: Model) -> Model:
        """The model, which knows how sure it may be; the yardstick for that is kept for those who ask for more."""
        self.yardstick = None if model.languages else Yardstick.of(self.train, model, self.plan.universal)
        return calibrated(model, self.yardstick)

    @property
    def finished(self) -> bool:
        """The last rung is trained to its end."""
        return self.rung == len(self.rungs) - 1 and self.training is not None and self.training.finished

    def climb(self, report: Callable[[Progress], None] = lambda progress: None) -> None:
        """Train the present rung, then stand on the next if there is one."""
        rung = self.rungs[self.rung]
        if self.training is None:
            training = self._new_training(rung)
            training.begin()
            self.training = training
            if rung.member == 0:
                self.members = []  # those of the rung before: their trees are the start of this one
            self._keep_round(rung)
            self._save()
        while not self.training.finished:
            before = self._before(rung)
            self._remember(rung, self.training.run_round(), report, before)
            if self.team.size > 1:
                arrays, _ = self.training.state()
                self.team.require_same(digest_of(arrays), "parameters now, which should never be,")
            self._keep_round(rung)
            self._save()
        if self.finished:
            return
        (learner,) = self.training.learners
        self.members.append(self.plan.numbers(rung, learner))
        self.training = None
        self.rung += 1
        if rung.ladder is not None and self.rungs[self.rung].ladder != rung.ladder:
            self._leave(rung.ladder)
        elif self.rungs[self.rung].number > rung.number:
            about = self._about(rung)
            self.heads = self.plan.agreed_trees(rung, [self.plan.grammar(rung, one, about) for one in self.members])
        self._save()

    def _leave(self, ladder: str) -> None:
        """Keep the grammar to which a ladder has led, and stand before the next."""
        (self.grammars[ladder],) = self.members
        self.members = []
        self._pass_by()

    def _pass_by(self) -> None:
        """Leave out ladders that another run has climbed; what the next one starts from is known then."""
        while self.rungs[self.rung].ladder in self.grammars:
            self.rung += 1
        self.heads = self.plan.trees_for(self.rungs[self.rung].ladder, self._grammars())

    def take_over(self, ladder: str, grammar: GrammarModel) -> None:
        """Do without a ladder: another run has led to its grammar by the same settings and from the same sentences."""
        if grammar.tags.symbols != self.plan.ladders[ladder].text.tag_vocabulary.symbols:
            raise ValueError(f"the grammar {ladder} has other tags than the sentences")
        self.grammars[ladder] = grammar.table.named
        self._pass_by()

    def stand_on_second_rung(self, heads: np.ndarray, history: list[dict[str, Any]]) -> None:
        """Begin after the first rung, that another run with the same first rung has trained."""
        self.rung = sum(rung.number == 0 for rung in self.rungs)
        self.heads, self.history = heads, history

    def _prepare_words(self) -> None:
        """What the part over words starts with."""
        if self.configuration.lexical is not None and self.vectors is None:
            self.vectors = self.word_vectors()
        if self.settings.word_init and self.word_heads is None:
            self.word_heads = self.start_trees(self.settings.word_init)

    def word_vectors(self) -> np.ndarray | None:
        """The vectors that words start with, if they are not random. [word, number]"""
        from depinduce.learning.learners.networks import word_vectors

        return word_vectors(self.configuration, self.train, self.text)

    def _prepare_start(self) -> None:
        """The trees of a start that has them already, and the rules."""
        settings = self.settings
        if settings.init[0] in ("trees", "model") and self.heads is None:
            self.heads = self.start_trees(settings.init)
        for name in (*settings.init[1:], settings.rules) if settings.init[0] == "hdp-dep" else (settings.rules,):
            if name is not None:
                load_knowledge(name).matches(self.train.tag_vocabulary)

    def _new_training(self, rung: Rung) -> Training | SeparateTraining:
        start, text = self._start(rung), self._ladder(rung).text
        learners = self.plan.learners(rung, self.vectors)
        starts = [start] * len(learners)
        if rung.settings.word_init:
            starts[-1] = Start("word_init", self.word_heads)
        return training_of(rung.settings, learners, text, self.dev, rung.seed, starts, self.team)

    def _ladder(self, rung: Rung) -> Ladder:
        return self.plan.ladders[rung.ladder]

    def _start(self, rung: Rung) -> Start:
        """What a rung learns first."""
        if self._ladder(rung).has_trees(rung):
            return Start("model", self.heads)
        init = self._ladder(rung).configuration.learning.init
        if rung.settings.needs_trees() and self.heads is None:
            self.heads = self.start_trees(init, rung)
        return Start(init[0], self.heads)

    def start_trees(self, init: tuple[str, ...], rung: Rung | None = None) -> np.ndarray:
        """The trees that a start gives to the training sentences, or to those of a rung."""
        return self.plan.start_trees(init, rung or self.rungs[0], self.team)

    def _before(self, rung: Rung) -> dict[str, Any]:
        """For the line of the first round, if the training is watched: where the network was after its start."""
        before = self._now.before() if self._watch_of(rung) else None
        return {} if before is None else {"before": before | {"watched": self._watched(rung)}}

    def _watched(self, rung: Rung) -> dict[str, float] | None:
        """The attachment scores of now, if somebody wants to know them."""
        watch = self._watch_of(rung)
        return None if watch is None else watch(self._model_of(self._parts(best=False)))

    def _watch_of(self, rung: Rung) -> Watch | None:
        return self.watch if self._ladder(rung).watched else None

    def _remember(self, rung: Rung, one: Round, report: Callable[[Progress], None], before: dict[str, Any]) -> None:
        line = {"rung": rung.number, "model": rung.model, "member": rung.member, **asdict(one)}
        if rung.ladder is not None:
            line[self.plan.called] = rung.ladder
        if (watched := self._watched(rung)) is not None:
            line |= {"watched": watched, **before}
        if self.files is not None:
            self.files.add_round(line)
        self.history.append(without_times(line))
        done = len(self.history)
        report(Progress(rung, one, done, done + self._rounds_left(), watched))

    def _keep_round(self, rung: Rung) -> None:
        """Write down the grammar of now, if it was asked for; of several members, that of the first."""
        if not self.keeps_rounds or self.files is None or rung.member > 0:
            return
        (grammar,) = self._parts(best=False)
        history = {"model": str(rung), "round": self._now.round, "round_name": rung.settings.round_name}
        self.files.keep_round(self.rung, self._now.round, replace(grammar, network=None, history=history))

    def _require_divided(self) -> None:
        """Refuse to share the sentences of what needs all of them at once."""
        undivided = [rung.settings.undivided for rung in self.rungs if rung.settings.undivided is not None]
        if undivided:
            raise DepinduceError(
                f"{undivided[0]}: it needs all sentences at once, in one process. Train it without torchrun."
            )

    def _require_tables(self) -> None:
        """Refuse to keep the rounds of what is no table of rules over tags, of one language."""
        others = [rung.model for rung in self.rungs if not rung.settings.entry.over_tags]
        if others or self.directory is None or told_apart(self.settings, self.train):
            what = "a training in memory" if self.directory is None else others[0] if others else "several languages"
            raise DepinduceError(
                f"--keep-rounds: not of {what}. It is for grammars over the tags of one language, with --out."
            )

    @property
    def _now(self) -> Training | SeparateTraining:
        assert self.training is not None, "between two rungs"
        return self.training

    def _rounds_left(self) -> int:
        later = range(self.rung + 1, len(self.rungs))
        to_come = sum(self._most_rounds[rung] for rung in later if self.rungs[rung].ladder not in self.grammars)
        return self._now.total_rounds - self._now.round + to_come

    @cached_property
    def _most_rounds(self) -> list[int]:
        return [self.plan.most_rounds(rung) for rung in self.rungs]

    # ---------------------------------------------------------------- the model

    def model(self, finished: bool = True) -> Model:
        """The model of the last rung that has begun, and of the ladders before, if they are part of it."""
        if self.training is not None:
            now = self._model_of(self._parts(best=True, finished=finished), finished)
        else:
            before = self.rungs[self.rung - 1]
            last = self.members[-1] if self.members else self.grammars[str(before.ladder)]
            now = self.plan.grammar(before, last, self._about(before, finished))
        history = self._history(self.configuration, self.settings, self.history, finished)
        return self.plan.model(now, self._grammars(), history)

    def _parts(self, best: bool, finished: bool = True) -> list[Any]:
        """The model of each learner, with its best parameters or with those of now."""
        about = self._about(self.rungs[self.rung], finished)
        return [learner.model(about, best) for learner in self._now.learners]

    def _model_of(self, parts: list[Any], finished: bool = True) -> Model:
        if len(parts) == 1:
            return parts[0]
        rung = self.rungs[self.rung]
        return find(rung.settings.entry.model)(*parts, self._about(rung, finished)["history"])

    def _grammars(self) -> dict[str, Any]:
        """To which ladders have led, by their names."""
        last = {rung.ladder: rung for rung in self.rungs}
        kept = self.grammars.items()
        return {name: self.plan.grammar(last[name], numbers, self._about(last[name])) for name, numbers in kept}

    def _about(self, rung: Rung, finished: bool = True) -> dict[str, Any]:
        """What every model remembers."""
        rounds = [line for line in self.history if line.get(self.plan.called) == rung.ladder]
        history = self._history(self._ladder(rung).configuration, rung.settings, rounds, finished)
        if self.settings.rules is not None and self.training is not None and rung is self.rungs[self.rung]:
            constraints = self.training.constraints
            history["rules"] = [constraint.as_history(self.settings.rules) for constraint in constraints]
        reading = self.configuration.reading
        return {"non_heads": self.settings.non_heads_in("parsing"), "reading": reading, "history": history}

    def _history(
        self, configuration: Configuration, settings: LearningSettings, rounds: list[dict[str, Any]], finished: bool
    ) -> dict[str, Any]:
        return {
            "settings": as_saved(configuration.values()),
            "training_data": self.training_data,
            "model": settings.model,
            "finished": finished,
            "watched": self.watched,
            "round_name": settings.round_name,
            "rounds": list(rounds),
        } | ({} if self.labels is None else {"labels": self.labels.to_json()})

    # ---------------------------------------------------------------- on disk

    def _save(self) -> None:
        """Write down everything that `resume` needs."""
        if self.files is None:
            return
        arrays, state = ({}, None) if self.training is None else self.training.state()
        own: Arrays = {name: getattr(self, name) for name in TREES if getattr(self, name) is not None}
        for number, numbers in enumerate(self.members):
            own |= with_prefix(f"{number}.", numbers)
        for number, numbers in enumerate(self.grammars.values()):
            own |= with_prefix(f"grammar {number}.", numbers)
        state = {
            "rung": self.rung,
            "members": len(self.members),
            "grammars": list(self.grammars),
            "plan": self.plan.state(),
            "history": self.history,
            "training": state,
            "watched": self.watched,
            "data": self.fingerprints,
            "recipes": {name: as_saved(recipe.values()) for name, recipe in self.plan.recipes.items()},
        }
        self.files.save(arrays, own, state)

    def resume(self) -> None:
        """Go back to where the run in the directory was, which the first process of a team reads for all."""
        saved = None
        if self.team.is_first:
            assert self.files is not None, "in memory"
            self.files.require_same(self.configuration)
            self.keeps_rounds |= self.files.keeps_rounds
            saved = self.files.load()
        if saved := self.team.told(saved):
            with damage_told(self.files.checkpoint if self.files is not None else Path(CHECKPOINT)):
                self._restore(*saved)
            if self.files is not None:
                self.files.mend_rounds(self.history)

    def _restore(self, arrays: Arrays, own: Arrays, state: dict[str, Any]) -> None:
        require_same_data(state["data"], self.fingerprints)
        require_same_recipes(state.get("recipes", {}), self.plan.recipes)
        self.rung, self.history = state["rung"], state["history"]
        self.watched |= state["watched"]
        self.heads, self.word_heads = (own.get(name) for name in TREES)
        self.members = [_finished(f"{number}.", own) for number in range(state["members"])]
        names = enumerate(state.get("grammars", ()))
        self.grammars = {name: _finished(f"grammar {number}.", own) for number, name in names}
        self.plan.restore(state.get("plan", {}))
        if state["training"] is not None:
            if self.configuration.lexical is not None and self.configuration.lexical.softmax == "vectors":
                self._prepare_words()  # its classes come from the vectors
            self.training = self._new_training(self.rungs[self.rung])
            self.training.restore(arrays, state["training"])


def _finished(prefix: str, own: Arrays) -> Arrays:
    """What a checkpoint has kept of a finished grammar."""
    numbers = under(prefix, own)
    if not numbers:
        raise ValueError("a grammar that was finished is missing")
    return numbers
