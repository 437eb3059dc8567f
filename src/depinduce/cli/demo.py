"""Train on the built-in corpus, score the trees and draw some.

The corpus is synthetic English, made by a small hand-written grammar; its gold trees are used for scoring only. With
--corpus it is written to files instead, to try the other commands on.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from depinduce.cli.console import progress, say, show_table
from depinduce.corpus import Corpus, Reading, load_corpus, open_output, read_sentences
from depinduce.corpus.demo import demo_file
from depinduce.errors import DepinduceError
from depinduce.files import atomic_directory, write_file

EXAMPLE = """depinduce demo
  depinduce demo --corpus practice"""
DRAWN = 3
TAGGED, GOLD = "tagged.conllu", "gold.conllu"  # files of --corpus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", metavar="DIR", help="also keep the model here, to parse files with")
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
    from depinduce.report.svg_tree import tree_svg
    from depinduce.report.text_tree import draw_tree

    reading = Reading()
    train = load_corpus(demo_file("train"), reading)
    say(f"training on {len(train)} synthetic English sentences, {len(train.tags)} words: tags only, no trees")

    from depinduce.learning.lesson import Lesson
    from depinduce.learning.progress_texts import progress_text
    from depinduce.learning.settings.configuration import configure
    from depinduce.parser import Parser
    from depinduce.parsing.decoding import Parsing, parse_corpus

    configuration = configure({"model": "dmv", "non_heads": ("ud",), "max_length": None})
    with progress("EM", configuration.learning.most_rounds, "iterations") as update:
        training = Lesson(configuration, train).run()
        parser, finished = Parser.of_run(training, lambda step: update(step.done, progress_text(step)))
    if not finished:
        raise KeyboardInterrupt
    test = load_corpus(demo_file("test"), reading, tag_vocabulary=train.tag_vocabulary, with_heads=True)
    heads = parse_corpus(parser.model, test, Parsing())
    systems = {"depinduce, count DMV": heads} | {name: guess(test.offsets, 0) for name, guess in BASELINES.items()}
    scores = {name: score(test.gold, guess, test.offsets) for name, guess in systems.items()}
    title = f"{len(test)} held-out sentences against their gold trees (%)"
    show_table(comparison_table(scores, title))
    for number in _presentable(test):
        words, tags, predicted, gold = _sentence(test, heads, number)
        print(draw_tree(words, tags, predicted, gold=gold, colour=sys.stdout.isatty()))
        print()
    print("✗ marks a wrong head; the missed gold arc hangs below.")
    print("Function words were not allowed to head anything.")
    if arguments.out:
        parser.save(arguments.out)
        say(f"wrote {arguments.out}; now try: depinduce parse {arguments.out} FILE.conllu")
    if arguments.svg:
        words, tags, predicted, _ = _sentence(test, heads, _longest_right(test, heads))
        with open_output(arguments.svg) as output:
            output.write(tree_svg(words, tags, predicted))
    return 0


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
