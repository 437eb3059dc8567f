"""All that a training needs of files: sentences to learn from, held-out ones, and gold trees for those who watch."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from depinduce.corpus import Corpus
from depinduce.errors import DepinduceError
from depinduce.files import LOCK, only_writer, remove_in_order
from depinduce.labels import LearnedLabels, learn_labels
from depinduce.learning.adaptation import Likeness, likeness, with_tags_of
from depinduce.learning.health import Health, health
from depinduce.learning.held_out import (
    Source,
    Trees,
    adaptation_corpus,
    cached_corpus,
    held_out,
    read_once,
    sentences_of,
    training_corpus,
)
from depinduce.learning.languages import require_languages
from depinduce.learning.run import Run, Watch
from depinduce.learning.settings.configuration import Configuration
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.team import ALONE, Team
from depinduce.learning.trust import Yardstick
from depinduce.learning.watching import watcher
from depinduce.models.loading import load_model, load_universal
from depinduce.models.model import Model
from depinduce.models.places import CONFIGURATION, clear_left_behind, require_place_for_model, tells_whose

ANOTHER_PLACE = "Choose another place for the model."


@dataclass(frozen=True)
class Lesson:
    """Settings, and the files that they were given for."""

    configuration: Configuration
    train: Corpus
    dev: Corpus | None = None
    watch: Watch | None = None
    universal: Model | None = None  # the grammar that --init names, where a training starts from one
    labels: LearnedLabels | None = None  # of the trees that it was given, if they have any
    text: Sequence[list[str]] | None = None  # the words of all sentences, where word vectors are learned from them

    @classmethod
    def of(
        cls,
        configuration: Configuration,
        train: Source,
        dev: Source | None = None,
        watch: str | None = None,
        *,
        quiet: bool = False,
        watched_lengths: tuple[str, ...] = ("15", "40"),
        universal: Model | None = None,
        trees: Source | None = None,
        cache: str | Path | None = None,
        team: Team = ALONE,
    ) -> Lesson:
        """quiet: whoever asks has warned of everything before; universal: it need not be read, here it is
        trees: sentences with known heads
        cache: a folder for the sentences to learn from, which memory then need not hold
        team: the processes that train together
        """
        reading, settings = configuration.reading, configuration.learning
        given = labels = text = None
        if cache is not None and (trees is not None or settings.init[0] == "universal"):
            raise DepinduceError("--cache is for text alone: neither --trees nor --init universal. Leave it away.")
        if configuration.lexical is not None and configuration.lexical.learns_vectors:
            if cache is not None:
                raise DepinduceError("--cache: word vectors are learned from text in memory. Name a --vectors file.")
            train = read_once(train)
            text = [reading.words(sentence) for sentence in sentences_of(train)]
        if trees is not None:
            sentences = sentences_of(trees)
            labels = learn_labels(sentences, reading)
            given = Trees(sentences, settings.non_heads_in("training"), settings.trees_weight)
        with warnings.catch_warnings():
            if quiet:
                warnings.simplefilter("ignore")
            init = configuration.learning.init
            if init[0] == "universal":
                corpus, reading = adaptation_corpus(train, reading, given)
                configuration = configuration.replace(max_length=reading.max_length)
                universal = universal or load_universal(*init[1:])
                corpus = with_tags_of(universal, corpus, f"--init {' '.join(init)}")
            elif cache is not None:
                corpus = cached_corpus(train, reading, cache, team)
            else:
                corpus = training_corpus(train, reading, given)
            others = held_out(dev, reading, corpus) if dev else None
            require_languages(trees, corpus, "--trees")
        watching = watcher(watch, corpus, reading, watched_lengths) if watch else None
        return cls(configuration, corpus, others, watching, universal, labels, text)

    def run(
        self,
        directory: str | Path | None = None,
        *,
        resume: bool = False,
        keep_rounds: bool = False,
        team: Team = ALONE,
    ) -> Run:
        """The training, at its beginning or, to go on with it, where the one in the directory was.

        team: the processes that train together
        """
        files = self.train, self.dev, directory, self.watch, self.universal, self.labels, self.text
        run = Run(self.configuration, *files, keep_rounds, team)
        if team.told(resume and run.directory is not None and (run.directory / CONFIGURATION).exists()):
            run.resume()
        return run

    def likeness(self, model: Model) -> Likeness | None:
        """What has become of the universal grammar that the training started from, if it did."""
        if self.universal is None:
            return None
        return likeness(self.universal, model, self.train.as_text, self.configuration.learning.threads)

    def health(self, model: Model, others: Iterable[Model] = (), yardstick: Yardstick | None = None) -> Health | None:
        """What the trees of the grammar that came out are probably worth; of several languages nobody tells.

        others: the models of other seeds; yardstick: that of the training, if it is at hand
        """
        if len(self.train.languages) > 1:
            return None
        return health(model, self.train, others, self.universal, yardstick)


@contextmanager
def place_of_training(
    out: Path, overwrite: bool = False, resume: bool = False, remedy: str = ANOTHER_PLACE
) -> Iterator[bool]:
    """A directory for one training, as long as it lasts. Gives whether something is there already.

    That is refused, with a remedy, unless it may be replaced or gone on with.
    """
    if overwrite and resume:
        raise DepinduceError("--overwrite and --resume: choose one of them.")
    require_place_for_model(out)
    with only_writer(out):
        clear_left_behind(out)
        is_there = any(path.name != LOCK for path in out.iterdir())
        if is_there and not (overwrite or resume):
            raise DepinduceError(f"{out}: is there already. {remedy}")
        yield is_there


def clear(out: Path, settings: LearningSettings) -> None:
    """Remove an earlier training, unless the new one starts from it."""
    for start in (settings.init, settings.word_init):
        if start[:1] == ("model",):
            load_model(start[1])  # a fault of the start shows before anything is lost
        elif start[:1] == ("universal",):
            load_universal(*start[1:])
        if len(start) > 1 and Path(start[1]).resolve().is_relative_to(out.resolve()):
            raise DepinduceError(f"--overwrite would delete {start[1]}, where training starts. Choose another --out.")
    remove_in_order(sorted((path for path in out.iterdir() if path.name != LOCK), key=tells_whose))
