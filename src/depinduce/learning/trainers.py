"""Which training belongs to which settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.learning.progress_texts import as_text, neural_text
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.states import HdpSettings

if TYPE_CHECKING:
    from depinduce.corpus import Corpus
    from depinduce.learning.settings.configuration import Configuration
    from depinduce.models.loading import Model


def count_trainer(settings: CountSettings | HdpSettings) -> Callable:
    """`train_counts` or `train_hdp`, which take the same arguments."""
    if isinstance(settings, HdpSettings):
        from depinduce.learning.hdp import train_hdp

        return train_hdp
    from depinduce.learning.count_training import train_counts

    return train_counts


def train_model(
    configuration: Configuration,
    train: Corpus,
    dev: Corpus | None = None,
    directory: str | Path | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> Model:
    """A model trained from beginning to end, which is kept in a directory if one is given.

    Ctrl-C ends it with KeyboardInterrupt; the directory then holds what there is, to go on with `train --resume`.
    """
    if configuration.neural:
        from depinduce.learning.runs import Run

        run = Run(configuration, train, dev, directory)
        model, finished = run.go(lambda step: report(neural_text(step)))
    else:

        def tell(step) -> None:
            number, text = as_text(step)
            report(f"iteration {number}: {text}")

        learn = count_trainer(configuration.learning)
        model, finished = learn(configuration.learning, configuration.reading, train, dev, tell)
        if directory is not None and (finished or model.history["steps"]):
            model.save(directory)
    if not finished:
        raise KeyboardInterrupt
    return model
