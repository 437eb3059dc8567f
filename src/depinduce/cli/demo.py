"""Parse the built-in corpus at once, adapt, train; score the trees and draw some.

The corpus is synthetic English, made by a small hand-written grammar; its gold trees are used for scoring only. First
`universal`, the grammar of many languages that comes with depinduce, parses some sentences, after a look at the order
of their words. Then it adapts to a larger text without trees, and another grammar is trained on that text alone. With
--corpus the corpus is written to files instead, to try the other commands on.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from depinduce.cli.console import progress, say, show_table
from depinduce.corpus import Corpus, in_vocabulary, load_corpus, open_output, read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.errors import DepinduceError
from depinduce.files import atomic_directory, write_file

if TYPE_CHECKING:
    from depinduce.insight.adapted_order import AdaptedOrder
    from depinduce.models.model import Model

EXAMPLE = """depinduce demo
  depinduce demo --corpus practice"""
DRAWN, SHIFTS = 3, 5  # trees, and what is told of the order of words
TAGGED, GOLD = "tagged.conllu", "gold.conllu"  # files of --corpus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="DIR", help="also keep the adapted grammar here, to parse files with")
    parser.add_argument("--svg", metavar="FILE", help="also draw the longest tree that is all right into this SVG file")
    corpus_help = f"only write the corpus here: {TAGGED}, to learn from, without trees, and {GOLD}, to compare with"
    parser.add_argument("--corpus", metavar="DIR", help=corpus_help)


def run(arguments: argparse.Namespace) -> int:
    if arguments.corpus:
        return _write_corpus(arguments)
    if arguments.out and Path(arguments.out).exists():
        raise DepinduceError(f"{arguments.out}: is there already. Choose another --out.")
    from depinduce.evaluation.baselines import BASELINES
    from depinduce.evaluation.scores import score
    from depinduce.evaluation.tables import comparison_table
    from depinduce.insight.adapted_order import adapted_order
    from depinduce.learning.adaptation import adapted
    from depinduce.models.loading import load_universal
    from depinduce.parsing.decoding import Parsing, parse_corpus
    from depinduce.report.svg_tree import tree_svg

    universal, sentences = load_universal(), list(read_sentences(demo_file("test")))
    test = load_corpus(demo_file("test"), tag_vocabulary=universal.tags, with_heads=True)

    def trees_of(grammar: Model) -> np.ndarray:
        return parse_corpus(grammar, in_vocabulary(test, grammar.tags), Parsing())

    say(f"parsing {len(test)} synthetic English sentences at once, with `universal`: {universal.about}")
    grammar, learned = adapted(universal, sentences)
    say(learned)
    at_once = trees_of(grammar)
    _tell_order(adapted_order(universal, grammar))
    _draw(test, at_once)
    adapted_to_more = _trained(
        "adapting it to {}: tags only, no trees", model="order-free", init=("universal",), non_heads=("ud",)
    )
    alone = _trained("training a count DMV on the same {}, alone", model="dmv", non_heads=("ud",))
    trees = {"universal, at once": at_once, "universal, adapted": trees_of(adapted_to_more)}
    trees |= {"count DMV, alone": trees_of(alone)} | {name: guess(test.offsets, 0) for name, guess in BASELINES.items()}
    scores = {name: score(test.gold, guess, test.offsets) for name, guess in trees.items()}
    show_table(comparison_table(scores, f"{len(test)} sentences against their gold trees (%)"))
    if arguments.out:
        adapted_to_more.save(arguments.out)
        say(f"wrote {arguments.out}; now try: depinduce parse {arguments.out} FILE.conllu")
    if arguments.svg:
        words, tags, predicted, _ = _sentence(test, at_once, _longest_right(test, at_once))
        with open_output(arguments.svg) as output:
            output.write(tree_svg(words, tags, predicted))
    return 0


def _tell_order(order: AdaptedOrder) -> None:
    """What a language has of its own."""
    print(f"What it learned of the order of words (in brackets: in the mean of {len(order.known.languages)} languages)")
    for shift in order.shifts(SHIFTS):
        print(f"  {shift}: {shift.before:.0%} ({shift.mean:.0%})")
    print()


def _trained(told: str, **settings: Any) -> Model:
    """The grammar that these settings learn from the training sentences. told: what is said of it, {}: of how many"""
    from depinduce.learning.lesson import Lesson
    from depinduce.learning.progress_texts import progress_text
    from depinduce.learning.settings.configuration import configure

    configuration = configure(settings)
    lesson = Lesson.of(configuration, [str(demo_file("train"))])
    say(told.format(f"{len(lesson.train)} sentences"))
    with progress("EM", configuration.learning.most_rounds, "iterations") as update:
        model, finished = lesson.run().go(lambda step: update(step.done, progress_text(step)))
    if not finished:
        raise KeyboardInterrupt
    return model


def _draw(test: Corpus, heads: np.ndarray) -> None:
    """Some trees, with their errors."""
    from depinduce.report.text_tree import draw_tree

    for number in _presentable(test):
        words, tags, predicted, gold = _sentence(test, heads, number)
        print(draw_tree(words, tags, predicted, gold=gold, colour=sys.stdout.isatty()))
        print()
    print("✗ marks a wrong head; the missed gold arc hangs below. Function words were not allowed to head anything.\n")


def _write_corpus(arguments: argparse.Namespace) -> int:
    """The training sentences without their trees, as most corpora are, and the test sentences with theirs."""
    if arguments.out or arguments.svg:
        raise DepinduceError("--corpus writes the corpus and trains nothing. Leave --out and --svg away.")
    place = Path(arguments.corpus)
    if place.exists():
        raise DepinduceError(f"{place}: is there already. Choose another --corpus.")
    with atomic_directory(place) as directory:
        with open_output(directory / TAGGED) as output:
            for sentence in read_sentences(demo_file("train")):
                output.write(sentence.render([-1] * len(sentence), deprel=["_"] * len(sentence)))
        write_file(directory / GOLD, Path(demo_file("test")).read_bytes())
    say(f"wrote {place / TAGGED} and {place / GOLD}; now try: depinduce check {place / TAGGED}")
    return 0


def _sentence(test: Corpus, heads: np.ndarray, number: int) -> tuple[list[str], list[str], list[int], list[int]]:
    """The words, the tags, the predicted and the gold heads of one sentence."""
    span = slice(test.offsets[number], test.offsets[number + 1])
    words = [test.word_vocabulary[word] for word in test.words[span]]
    tags = [test.tag_vocabulary[tag] for tag in test.tags[span]]
    return words, tags, heads[span].tolist(), test.gold[span].tolist()


def _longest_right(test: Corpus, heads: np.ndarray) -> int:
    """The longest sentence with every head right: fit for a picture."""
    wrong = np.add.reduceat(heads != test.gold, test.offsets[:-1])
    return int(np.argmax(np.where(wrong == 0, test.lengths, 0)))


def _presentable(test: Corpus) -> list[int]:
    """The first sentences of eight to eleven words: long enough to be of interest, short enough for a terminal."""
    return [number for number, length in enumerate(test.lengths) if 8 <= length <= 11][:DRAWN]
