"""What the example programs share: their options, their corpora, the plain count models, and a table of scores."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.cli.console import progress, say, show_table
from depinduce.corpus import Corpus, Reading, load_corpus
from depinduce.corpus.demo import demo_file
from depinduce.errors import DepinduceError
from depinduce.evaluation.scores import score
from depinduce.evaluation.tables import comparison_table
from depinduce.learning.progress_texts import progress_text
from depinduce.learning.run import Run
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.counts import CountSettings
from depinduce.models.model import Model


@dataclass(frozen=True)
class Comparison:
    """Sentences to learn from, sentences with gold trees to score by, and how the plain models are trained."""

    reading: Reading  # of the training sentences
    train: Corpus
    test: Corpus
    test_file: Path
    settings: CountSettings

    def plain_model(self, name: str, **changes: Any) -> Model:
        """A count model of the package: dmv, dmv-sibling or dmv-grand."""
        return self.trained(name, replace(self.settings, model=name, **changes))

    def trained(self, name: str, settings: CountSettings) -> Model:
        """The model of these settings, whose training is shown under a name."""
        run = Run(Configuration(settings, None, self.reading), self.train)
        with progress(name, settings.iterations, "iterations") as update:
            model, finished = run.go(lambda step: update(step.done, progress_text(step), step.total))
        if not finished:
            raise KeyboardInterrupt
        return model

    def show(self, trees: Mapping[str, np.ndarray]) -> None:
        """The scores of every model's trees of the test sentences."""
        scores = {name: score(self.test.heads, heads, self.test.offsets) for name, heads in trees.items()}
        show_table(comparison_table(scores, f"{len(self.test)} sentences against their gold trees (%)"))


def options(description: str, example: str) -> argparse.ArgumentParser:
    """A parser of the options that every program has; without --train and --test it is about the demo corpus."""
    parser = argparse.ArgumentParser(
        description=description,
        epilog=f"example:\n  {example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--train", metavar="FILE", help="tagged sentences to learn from, CoNLL-U; trees are not read")
    parser.add_argument("--test", metavar="FILE", help="sentences with gold trees, used for scoring only")
    parser.add_argument("--tags", default="upos", metavar="COLUMN", help="where the tags are: upos, xpos or a number")
    parser.add_argument(
        "--non-heads", nargs="*", default=["ud"], metavar="TAG",
        help="tags that may not have children; `ud` stands for UD's function words (default: ud)",
    )  # fmt: skip
    parser.add_argument(
        "--max-length", type=int, default=15, metavar="N", help="learn from sentences of up to so many words (15)"
    )
    parser.add_argument(
        "--strength", type=float, default=100.0, metavar="X",
        help="pseudo-counts of each row, dealt out as the simpler model would (100)",
    )  # fmt: skip
    return parser


def read_corpora(arguments: argparse.Namespace) -> Comparison:
    """The corpora that the options name."""
    if (arguments.train is None) != (arguments.test is None):
        raise DepinduceError("--train and --test: give both, or none of them for the demo corpus.")
    if not 0 < arguments.strength < np.inf:
        raise DepinduceError(f"--strength cannot be {arguments.strength}: it must be more than 0.")
    settings = CountSettings(non_heads=tuple(arguments.non_heads))
    train_file, test_file = arguments.train or demo_file("train"), arguments.test or demo_file("test")
    reading = Reading(tags=arguments.tags, max_length=arguments.max_length)
    train = load_corpus(train_file, reading)
    if len(train) == 0:
        raise DepinduceError(f"{train_file}: no sentence of up to {reading.max_length} words. Raise --max-length.")
    test = load_corpus(
        test_file, replace(reading, max_length=None), tag_vocabulary=train.tag_vocabulary, trees=True, with_heads=True
    )
    if len(test) == 0:
        raise DepinduceError(f"{test_file}: no sentences. Name a file with gold trees after --test.")
    require_known_tags(test)
    say(f"learning from the tags of {len(train)} sentences, {len(train.tags)} words")
    return Comparison(reading, train, test, Path(test_file), settings)


def require_known_tags(corpus: Corpus) -> None:
    """Refuse tags that training has not seen: a chart does not check its indices."""
    if (corpus.tags < 0).any():
        unknown = " ".join(sorted(corpus.unknown_tags)) or "one"
        raise DepinduceError(f"Tags that the training sentences do not have: {unknown}. Train on more sentences.")


def run(program: Callable[[argparse.Namespace], None], parser: argparse.ArgumentParser, given: list[str] | None) -> int:
    """The program with its options, and its exit code: faults that users can mend are told without a traceback."""
    try:
        program(parser.parse_args(given))
    except (DepinduceError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted", file=sys.stderr)
        return 130
    return 0
