"""Fill in tags that are missing (`_`), by a small tagger that learns from those that are there.

It learns from the tagged words of FILE itself, and of the files after --learn; the tags that are there stay. How often
it is right is told, by cross-validation: it tags every fifth sentence of those that it learns from, having learned from
the others. A word list can say which tags a word can have: a word, a tab, and tags with commas between, on every line.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING

from depinduce.cli.console import say, warn
from depinduce.corpus import Reading, open_output, read_sentences
from depinduce.corpus.conllu import Sentence
from depinduce.errors import DepinduceError

if TYPE_CHECKING:
    from depinduce.tagging.cross_validation import TagScores
    from depinduce.tagging.tagger import Tagged

EXAMPLE = """depinduce tag corpus.conllu -o whole.conllu
  depinduce tag untagged.conllu --learn tagged.conllu --lexicon words.tsv -o out.conllu"""
FEWEST = 5  # sentences, without which there is nothing to learn or to validate
WORST = 5  # tags that are told


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="CoNLL-U file in which tags are missing (.gz works, - is stdin)")
    parser.add_argument(
        "-o", "--output", default="-", metavar="OUT", help="where to write (.gz works; default: stdout)"
    )
    parser.add_argument("--learn", nargs="+", default=[], metavar="FILE", help="more tagged sentences to learn from")
    parser.add_argument("--lexicon", metavar="FILE", help="words with the tags that they can have")
    tags_help = "the column of the tags (default: upos)"
    parser.add_argument("--tags", choices=("upos", "xpos"), default="upos", help=tags_help)


def run(arguments: argparse.Namespace) -> int:
    from depinduce.tagging.cross_validation import cross_validate
    from depinduce.tagging.lexicon import read_lexicon
    from depinduce.tagging.tagger import Tagger

    column = Reading(tags=arguments.tags).tag_column
    lexicon = None if arguments.lexicon is None else read_lexicon(arguments.lexicon)
    # A pipe can be read once.
    kept = list(read_sentences("-")) if arguments.file == "-" else None
    learned = [*_tagged(read_sentences(arguments.file) if kept is None else kept, column)]
    for path in arguments.learn:
        learned += _tagged(read_sentences(path), column)
    if len(learned) < FEWEST:
        raise DepinduceError(
            f"{arguments.file}: {len(learned)} sentences have tags in {arguments.tags.upper()}, too few to learn from. "
            "Tag some of them by hand, a few hundred if you can, or name a file that has tags with --learn."
        )
    show(cross_validate(learned, lexicon), len(learned))
    tagger = Tagger.learn(learned, lexicon)
    filled = sentences = 0
    with open_output(arguments.output) as output:
        for sentence in read_sentences(arguments.file) if kept is None else kept:
            _, given = _words(sentence, column)
            if None in given:
                sentences, filled = sentences + 1, filled + given.count(None)
                sentence = sentence.with_column(column, tagger.tag(sentence.forms, given))
            output.write(sentence.render())
    if not filled:
        warn(f"every word of {arguments.file} has a tag already; nothing was changed")
    say(f"filled in {filled} tags in {sentences} sentences")
    return 0


def _tagged(sentences: Iterable[Sentence], column: int) -> Iterable[Tagged]:
    """Those that have a tag."""
    for sentence in sentences:
        words, given = _words(sentence, column)
        if any(tag is not None for tag in given):
            yield words, given


def _words(sentence: Sentence, column: int) -> Tagged:
    return sentence.forms, [None if tag in ("_", "") else tag for tag in sentence.column(column)]


def show(scores: TagScores, sentences: int) -> None:
    """Tell how good the tags will be."""
    unknown = ""
    if scores.unknown:
        share = 100 * scores.unknown / scores.words
        unknown = f"; {100 * scores.unknown_right / scores.unknown:.1f} of unknown ones, which are {share:.0f} of 100"
    right = f"{100 * scores.right / scores.words:.1f} of 100 words"
    say(f"learned from {sentences} sentences; by cross-validation, {right} get the right tag{unknown}")
    for tag, wrong, words, guess in scores.worst(WORST):
        say(f"  {tag}: {wrong} of {words} wrong ({100 * wrong / words:.0f} %), mostly {guess} in its place")
