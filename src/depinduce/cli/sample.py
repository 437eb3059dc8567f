"""Generate sentences with their trees from a grammar, as CoNLL-U whose words are their tags.

Sentences with more than --max-words words are thrown away, and so are trees in which a tag has children that may have
none (the --non-heads of training): what is written has the probabilities of the grammar among the others.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from depinduce.cli.console import say
from depinduce.settings import MOST, MOST_SEED, require_within

if TYPE_CHECKING:
    from depinduce.insight.generation import Generator

EXAMPLE = "depinduce sample grammar -n 5 --max-words 12"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="directory that `depinduce train` wrote")
    parser.add_argument("-n", "--number", type=int, default=10, metavar="N", help="so many sentences (default: 10)")
    parser.add_argument(
        "--seed", type=int, default=0, metavar="S", help="the same seed, the same sentences (default: 0)"
    )
    max_words_help = "throw longer sentences away and generate others (default: 40)"
    parser.add_argument("--max-words", type=int, default=40, metavar="M", help=max_words_help)
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="where to write (.gz works; default: stdout)"
    )


def run(arguments: argparse.Namespace) -> int:
    require_within(1, MOST, number=arguments.number, max_words=arguments.max_words)
    require_within(0, MOST_SEED, seed=arguments.seed)
    from depinduce.corpus import open_output
    from depinduce.insight.generation import Generator
    from depinduce.models.loading import load_grammar

    model = load_grammar(arguments.model)
    generator, words = Generator(model, arguments.seed, arguments.max_words), 0
    with open_output(arguments.output) as output:
        for number, sentence in enumerate(generator.sentences(arguments.number), start=1):
            output.write(sentence.to_conllu(f"sample-{number}", model.reading.tag_column))
            words += len(sentence.tags)
    say(f"generated {arguments.number} sentences, {words} words{_thrown_away(generator)}")
    return 0


def _thrown_away(generator: Generator) -> str:
    reasons = {
        f"with more than {generator.max_words} words": generator.too_long,
        f"with children under {' '.join(generator.non_heads)}": generator.disobedient,
    }
    told = ", ".join(f"{number} {reason}" for reason, number in reasons.items() if number)
    return f"; threw away {told}" if told else ""
