"""How the trees of some sentences, and the rules that made them, changed from round to round of a training.

A training that keeps its rounds (`train --keep-rounds`) leaves the grammar of each. Those sentences are shown that won
the most right heads or, without gold trees, whose tree changed the most often: there is the most to see in them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from depinduce.corpus import Sentence, attach
from depinduce.errors import DepinduceError
from depinduce.insight.stories import stories
from depinduce.models.loading import load_grammar
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus
from depinduce.parsing.streams import corpus_for
from depinduce.report.tree_picture import TreePicture, tree_picture

MOST_STEPS = 30  # of a training that had more rounds, the first ones are shown, where most changes, and some later
SHORT, LONG = 4, 10  # words of a sentence that is fit for a class
MOST_READ = 300  # sentences among which those are found that changed

Numbered = tuple[int, Sentence]  # with the number in its file, from 1


@dataclass(frozen=True)
class WordRule:
    """The rule by which a word got its head."""

    word: str
    text: str
    probability: float


@dataclass(frozen=True)
class Step:
    """A sentence under the grammar of one round."""

    title: str  # which round
    picture: TreePicture
    rules: list[WordRule]  # of every word but punctuation
    log_probability: float  # of the sentence with this tree


@dataclass(frozen=True)
class RoundFacts:
    """Some sentences through the rounds of a training."""

    kept: int  # rounds, starts included
    shown: int
    sentences: list[list[Step]]  # a step for every round that is shown; none without a file


def short_ones(sentences: Iterable[Sentence], kept: list[Numbered]) -> Iterator[Sentence]:
    """The sentences, of which the first short ones are kept with their numbers."""
    for number, sentence in enumerate(sentences, start=1):
        if len(kept) < MOST_READ and SHORT <= len(sentence) <= LONG:
            kept.append((number, sentence))
        yield sentence


def round_facts(places: Sequence[Path], sentences: Sequence[Numbered], has_gold: bool, drawn: int) -> RoundFacts | None:
    """What became of some sentences; None if no rounds were kept.

    places: of the grammars that were kept, in their order; sentences: among which to choose; drawn: so many
    """
    if not places:
        return None
    grammars = [_grammar(places[number]) for number in chosen([place.name.split("-")[0] for place in places])]
    trees = [_trees(grammar, sentences) for grammar in grammars]  # [round][sentence], without punctuation
    several = len({grammar.history.get("model") for grammar in grammars}) > 1
    titles = [_title(grammar, several) for grammar in grammars]
    shown = [
        [
            _step(title, grammar, sentences[place], of_round[place], has_gold)
            for title, grammar, of_round in zip(titles, grammars, trees, strict=True)
        ]
        for place in _worth_a_look(sentences, trees, grammars, has_gold)[:drawn]
    ]
    return RoundFacts(len(places), len(grammars), shown)


def chosen(rungs: Sequence[str]) -> list[int]:
    """Which rounds are shown: of every rung the first and the last, and the more between them the earlier they are.

    rungs: that of every round
    """
    numbers: list[int] = []
    names = list(dict.fromkeys(rungs))
    for name in names:
        own = [number for number, rung in enumerate(rungs) if rung == name]
        most = max(2, MOST_STEPS // len(names))
        wanted = range(len(own)) if len(own) <= most else np.geomspace(1, len(own), most).round().astype(int) - 1
        numbers += sorted({own[number] for number in wanted})
    return numbers


def _grammar(place: Path) -> GrammarModel:
    try:
        return load_grammar(place)
    except DepinduceError as error:
        raise DepinduceError(f"{error} Or remove {place.parent}: the report then does without it.") from error


def _trees(grammar: GrammarModel, sentences: Sequence[Numbered]) -> list[list[int] | None]:
    """The heads of every sentence, without punctuation; None where nothing else is in it."""
    corpus = corpus_for(grammar, [sentence for _, sentence in sentences])
    found: list[list[int] | None] = [None] * len(sentences)
    if len(corpus):
        heads = parse_corpus(grammar, corpus, Parsing())
        for place, number in enumerate(corpus.index.tolist()):
            found[number] = heads[corpus.offsets[place] : corpus.offsets[place + 1]].tolist()
    return found


def _worth_a_look(
    sentences: Sequence[Numbered],
    trees: Sequence[Sequence[list[int] | None]],
    grammars: Sequence[GrammarModel],
    has_gold: bool,
) -> list[int]:
    """The places of the sentences, no two with the same words: by how many heads they won, then by how they changed."""
    keys: dict[int, tuple[int, int, int]] = {}
    for place, numbered in enumerate(sentences):
        heads = [of_round[place] for of_round in trees]
        if heads[0] is None or heads[-1] is None:
            continue
        changes = sum(one != other for one, other in zip(heads, heads[1:], strict=False))
        won = 0
        if has_gold:
            first, last = (_picture(grammars[end], numbered, heads[end] or [], True).right for end in (0, -1))
            won = last - first
        keys[place] = (-won, -changes, place)
    ranked = sorted(keys, key=keys.__getitem__)
    first_of = {tuple(sentences[place][1].forms): place for place in reversed(ranked)}
    return [place for place in ranked if first_of[tuple(sentences[place][1].forms)] == place]


def _title(grammar: GrammarModel, several: bool) -> str:
    """Which round it is of. several: there are rounds of other models, too"""
    history = grammar.history
    number, name = history.get("round", 0), history.get("round_name", "round")
    title = f"{name} {number}" if number else "the start"
    return f"{history.get('model')}, {title}" if several else title


def _step(title: str, grammar: GrammarModel, numbered: Numbered, heads: list[int] | None, has_gold: bool) -> Step:
    _, sentence = numbered
    assert heads is not None, "only sentences with words are shown"
    keep = grammar.reading.marks.keep(sentence)
    (story,) = stories(grammar, corpus_for(grammar, [sentence]), heads)
    words = sentence.forms if keep is None else [word for word, kept in zip(sentence.forms, keep, strict=True) if kept]
    rules = [
        WordRule(word, of_word.arc[-1].text, math.exp(of_word.arc[-1].log_probability))
        for word, of_word in zip(words, story.words, strict=True)
    ]
    return Step(title, _picture(grammar, numbered, heads, has_gold), rules, story.log_probability)


def _picture(grammar: GrammarModel, numbered: Numbered, heads: list[int], has_gold: bool) -> TreePicture:
    """A tree with its punctuation. heads: without it"""
    number, sentence = numbered
    keep = grammar.reading.marks.keep(sentence)
    drawn = heads if keep is None else attach(heads, keep)
    return tree_picture(number, sentence, sentence if has_gold else None, grammar.reading, heads=drawn)
