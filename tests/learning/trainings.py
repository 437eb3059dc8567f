"""Trainings of tiny models, for the tests that look inside."""

from __future__ import annotations

from dataclasses import replace
from unittest.mock import patch

import numpy as np
import torch
from learning.tagged import random_sentences, tagged

from depinduce.chart.engine import log_partition
from depinduce.corpus import Corpus, Reading
from depinduce.grammar.inside_out import as_outside_in
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import RuleArrays, RuleTable, tag_batch
from depinduce.learning.learners.closed_form import CountLearner
from depinduce.learning.learners.learner import Start
from depinduce.learning.learners.networks import TagLearner
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.training import Round, Training
from depinduce.models.table import find
from depinduce.models.tag_model import GrammarModel
from depinduce.networks.network_settings import JiangNetworkSettings, NetworkSettings

torch.set_num_threads(1)  # the networks here are tiny

CORPUS = tagged(*random_sentences(3, count=30))
HELD_OUT = tagged(*random_sentences(103, tags="NNVDA"), vocabulary=CORPUS.tag_vocabulary)
TAGS = len(CORPUS.tag_vocabulary)
SMALL = NetworkSettings(size=10, child_rank=6, decision_rank=5)
RANDOM, HARMONIC = Start("random"), Start("harmonic")
CHAINS = Start("trees", np.concatenate([np.arange(n) for n in CORPUS.lengths]))  # each word hangs on the one before
COUNT_MODELS = ("dmv", "dmv-sibling", "dmv-grand")
KINDS = {  # every grammar over tags that a network can be trained as
    "ndmv": {"model": "ndmv"},
    "sibling": {"model": "sibling"},
    "inside-out": {"model": "sibling", "generation": "inside-out"},
    "grand": {"model": "grand"},
    "jiang-ndmv": {"model": "jiang-ndmv"},
}


# ---------------------------------------------------------------- count models


def count_training(
    corpus: Corpus,
    dev: Corpus | None = None,
    table: RuleTable | None = None,
    family: Multinomials | None = None,
    **settings,
) -> Training:
    """EM of a count model that has begun, from its start or from a given table, in its own family or a given one."""
    own = CountSettings(**{"init": ("random",)} | settings)
    learner = CountLearner(own, corpus)
    training = Training(own, [learner], corpus, dev)
    training.begin()
    learner.table, learner.family = table or learner.table, family or learner.family
    learner.keep()
    return training


def count_run(settings: CountSettings, corpus: Corpus = CORPUS, dev: Corpus | None = None, directory=None) -> Run:
    return Run(Configuration(settings, None, Reading()), corpus, dev, directory)


def trained_counts(settings: CountSettings, corpus: Corpus = CORPUS, dev: Corpus | None = None) -> GrammarModel:
    model, finished = count_run(settings, corpus, dev).go()
    assert finished
    return model


def stopped_at_its_start(settings: CountSettings, corpus: Corpus = CORPUS) -> tuple[Run, GrammarModel]:
    """A run that got no further than where it starts."""
    run = count_run(settings, corpus)
    with patch.object(Training, "run_round", side_effect=KeyboardInterrupt):
        model, finished = run.go()
    assert not finished
    return run, model


# ---------------------------------------------------------------- networks


def network_training(
    corpus: Corpus = CORPUS,
    dev: Corpus | None = None,
    start: Start = RANDOM,
    seed: int = 0,
    size: int = 10,
    **settings,
) -> Training:
    """The training of a network over tags."""
    own = NeuralSettings(**settings)
    of_jiang = own.model == "jiang-ndmv"
    sizes = JiangNetworkSettings(tag_size=size, valence_size=4) if of_jiang else replace(SMALL, size=size)
    learners = find(own.entry.learners)(own, Configuration(own, sizes, Reading()), corpus, seed)
    return Training(own, learners, corpus, dev, seed, [start])


def learner_of(training: Training) -> TagLearner | CountLearner:
    (learner,) = training.learners
    return learner


def table_now(training: Training) -> RuleTable:
    return learner_of(training).model({}, best=False).table


def table_kept(training: Training) -> RuleTable:
    return learner_of(training).model({}).table


def potentials(table: RuleTable, settings: NeuralSettings) -> RuleTable:
    """A rule table as the chart reads it."""
    return as_outside_in(table) if settings.generation == "inside-out" else table


def likelihood(training: Training, corpus: Corpus = CORPUS) -> float:
    """The mean log-likelihood of sentences under a network of now."""
    batch = tag_batch(training.settings.order, corpus.tags, corpus.offsets, TAGS)
    return float(log_partition(potentials(table_now(training), training.settings), batch).mean())


# ---------------------------------------------------------------- all


def rounds_of(training: Training) -> list[Round]:
    """All rounds to the end."""
    rounds = []
    while not training.finished:
        rounds.append(training.run_round())
    return rounds


def same_table(one: RuleArrays, other: RuleArrays) -> bool:
    """Bit by bit."""
    return all(a.tobytes() == b.tobytes() for a, b in zip(one.parts, other.parts, strict=True))


def same_weights(one: Training, other: Training) -> bool:
    """Bit by bit."""
    pairs = zip(learner_of(one).weights().values(), learner_of(other).weights().values(), strict=True)
    return all(a.numpy().tobytes() == b.numpy().tobytes() for a, b in pairs)
