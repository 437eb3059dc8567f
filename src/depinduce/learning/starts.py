"""Where training starts: trees for the training sentences, from the harmonic grammar, another model or a file."""

from __future__ import annotations

import warnings

import numpy as np

from depinduce.corpus import Corpus, Reading, Vocabulary, in_vocabulary, load_corpus
from depinduce.corpus.alike import in_pieces
from depinduce.corpus.tags import find_tags
from depinduce.errors import DepinduceError
from depinduce.grammar.rules import Order
from depinduce.learning.harmonic import harmonic_table
from depinduce.learning.languages import in_languages_of, text_of, words_of
from depinduce.learning.pieces import MOST_WORDS
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.states import HdpSettings
from depinduce.learning.team import ALONE, Team
from depinduce.models.loading import load_model
from depinduce.models.model import Model
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus


def start_trees(
    init: tuple[str, ...],
    train: Corpus,
    reading: Reading,
    constrained_tags: tuple[str, ...] = (),
    *,
    child_valence: bool = True,
    apart: bool = False,
    seed: int = 0,
    threads: int = 1,
    team: Team = ALONE,
) -> np.ndarray:
    """The trees that a start made of trees gives to the training sentences. [token] heads

    init: harmonic, model DIR, trees FILE or hdp-dep RULES; constrained_tags: tags that head nothing in the parses
    apart: what is made for this text is made for every language, as if it was alone
    team: the processes that need them, each of which parses its share
    """
    if apart and init[0] in ("harmonic", "hdp-dep"):
        heads = np.empty(len(train.tags), dtype=np.int32)
        for name in train.languages:
            heads[words_of(train, name)] = start_trees(
                init, text_of(train, name), reading, constrained_tags,
                child_valence=child_valence, seed=seed, threads=threads, team=team,
            )  # fmt: skip
        return heads
    if init[0] == "trees":
        return trees_of_file(init[1], train, reading)
    if init[0] == "hdp-dep":
        source = _hdp_model(init[1] if len(init) > 1 else None, train, reading, constrained_tags, seed, threads)
    elif init[0] == "model":
        source = load_model(init[1])
        require_known_tags(f"--init model {init[1]}", source.tags, train.tag_vocabulary)
        source = source.with_non_heads(tuple({*source.non_heads, *constrained_tags}))
    else:
        table = harmonic_table(train, child_valence)
        source = GrammarModel(Order.FIRST, train.tag_vocabulary, table, constrained_tags)
    text = in_languages_of(in_vocabulary(train, source.tags), source.languages)
    return parsed_by(team, source, text, threads)


def parsed_by(team: Team, source: Model, text: Corpus, threads: int = 1) -> np.ndarray:
    """The heads that a model gives to a text, a piece of bounded size at a time; every process has parsed a part."""
    own = np.array_split(np.arange(len(text)), team.size)[team.rank]
    lengths, parsing = text.offsets[own + 1] - text.offsets[own], Parsing(threads=threads)
    pieces = (text.take(own[cut]) for cut in in_pieces(own, lengths, MOST_WORDS))
    heads = [parse_corpus(source, piece, parsing) for piece in pieces]
    return np.concatenate(team.told_by_all(np.concatenate([np.empty(0, dtype=np.int32), *heads])))


def _hdp_model(
    rules: str | None, train: Corpus, reading: Reading, constrained_tags: tuple[str, ...], seed: int, threads: int
) -> Model:
    """HDP-DEP trained on the same sentences."""
    from depinduce.learning.run import Run  # which has a start of its own

    settings = HdpSettings(model="hdp-dep", rules=rules, non_heads=constrained_tags, seed=seed, threads=threads)
    model, finished = Run(Configuration(settings, None, reading), train).go()
    if not finished:
        raise KeyboardInterrupt
    return model


def trees_of_file(path: str, train: Corpus, reading: Reading) -> np.ndarray:
    """The heads in a CoNLL-U file of the training sentences. [token]"""
    given = load_corpus([path], reading, tag_vocabulary=train.tag_vocabulary, trees=True, with_heads=True)
    same = np.array_equal(given.lengths, train.lengths) and np.array_equal(given.tags, train.tags)
    if not same:
        shared = min(len(given), len(train))
        different = given.lengths[:shared] != train.lengths[:shared]
        first = int(np.argmax(different)) if different.any() else shared
        raise DepinduceError(
            f"--init trees {path}: it must hold the training sentences, with the same tags, in the same order; it has "
            f"{len(given)} of {len(train)} sentences, and they part at or before sentence {first + 1} of those that "
            "are learned from. Parse the training file itself."
        )
    return given.gold


def require_known_tags(where: str, known: Vocabulary, tags: Vocabulary) -> None:
    """Warn of tags that the model to start from has not seen; refuse if it has seen none."""
    unknown = [tag for tag, number in zip(tags, find_tags(tags, known), strict=True) if number < 0]
    if len(unknown) == len(tags):
        raise DepinduceError(
            f"{where}: that model knows none of the tags {' '.join(tags)}; "
            f"it knows {' '.join(known)}. Start from a model of the same tags."
        )
    if unknown:
        warnings.warn(
            f"{where}: that model has not seen the tags {' '.join(unknown)}: average tags to it", stacklevel=2
        )
