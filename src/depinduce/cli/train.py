"""Learn a grammar from tagged sentences. Trees in the file, if there are any, are not looked at."""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import numpy as np

from depinduce.cli.console import progress, say, warn
from depinduce.cli.options import add_settings, read_settings
from depinduce.corpus import Corpus, Reading, load_corpus
from depinduce.errors import DepinduceError
from depinduce.learning.count_settings import CountSettings
from depinduce.models.grammar_model import GrammarModel, require_place_for_model

EXAMPLE = "depinduce train --model dmv --train tagged.conllu --non-heads ud --out grammar"
MAX_LENGTH = 15  # long sentences teach little and cost much


def add_arguments(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument("--train", required=True, nargs="+", metavar="FILE", help="CoNLL-U files to learn from")
    files.add_argument("--dev", nargs="+", metavar="FILE", help="held-out CoNLL-U files that tell when to stop")
    files.add_argument("--out", required=True, metavar="DIR", help="directory to write the model to")
    files.add_argument("--overwrite", action="store_true", help="replace the model that is there")
    files.add_argument("--resume", action="store_true", help="go on with the model that is there (after Ctrl-C)")
    add_settings(parser, CountSettings, "learning")
    # words make no difference to a grammar over tags
    add_settings(parser, Reading, "reading", leave_out=("lowercase", "fold_numbers"), max_length=MAX_LENGTH)


def run(arguments: argparse.Namespace) -> int:
    settings, reading = read_settings(arguments, CountSettings), read_settings(arguments, Reading)
    out = Path(arguments.out)
    require_place_for_model(out)
    is_there = out.exists() and any(out.iterdir())
    if is_there and not (arguments.overwrite or arguments.resume):
        raise DepinduceError(f"{out}: is there already. Choose another --out, or add --overwrite or --resume.")
    train = load_corpus(arguments.train, reading)
    if len(train) == 0:
        raise DepinduceError(f"{' '.join(arguments.train)}: no sentences to learn from{why_none(train)}.")
    dev = load_held_out(arguments.dev, reading, train) if arguments.dev else None
    left_out = f"; {train.outside} sentences left out by length" if train.outside else ""
    say(f"{len(train)} sentences, {len(train.tags)} words, {len(train.tag_vocabulary)} tags{left_out}")
    warn_about_tags(settings, train)

    from depinduce.learning.count_training import train_counts

    earlier = GrammarModel.load(out) if arguments.resume and is_there else None
    warnings.showwarning = lambda message, *_: warn(str(message))
    with progress("EM", settings.iterations, "iterations") as update:
        model, finished = train_counts(settings, reading, train, dev, lambda step: update(*as_text(step)), earlier)
    if not finished and not model.history["steps"]:
        raise KeyboardInterrupt  # before there was anything to keep
    model.save(out)
    say(f"wrote {out}" if finished else f"interrupted; wrote what there is to {out}. Go on with --resume")
    return 0 if finished else 130


def why_none(train: Corpus) -> str:
    """Why no sentence was kept."""
    reasons = {
        "too long: raise --max-length": train.too_long,
        "too short: lower --min-length": train.too_short,
        "only punctuation: see --punctuation": train.empty,
    }
    return "".join(f"; {count} are {reason}" for reason, count in reasons.items() if count)


def load_held_out(paths: list[str], reading: Reading, train: Corpus) -> Corpus:
    """Held-out sentences in the training vocabulary, without those that have a tag it lacks."""
    dev = load_corpus(paths, reading, tag_vocabulary=train.tag_vocabulary)
    if dev.unknown_tags:
        names = " ".join(sorted(dev.unknown_tags))
        warn(f"held-out sentences with tags that training has not seen are left out: {names}")
        dev = dev.select(np.minimum.reduceat(dev.tags, dev.offsets[:-1]) >= 0)
    if len(dev) == 0:
        raise DepinduceError(f"{' '.join(paths)}: no sentence to hold out. Raise --max-length, or leave --dev away.")
    return dev


def warn_about_tags(settings: CountSettings, train: Corpus) -> None:
    tags = train.tag_vocabulary
    missing = [tag for tag in settings.non_heads if tag != "ud" and tag not in tags]
    if missing:
        warn(f"--non-heads names tags that do not occur: {' '.join(missing)}. The tags are: {' '.join(tags)}")
    elif settings.non_heads and not set(settings.constrained_tags) & set(tags):
        warn(f"none of the tags of --non-heads occurs. The tags are: {' '.join(tags)}")
    if len(tags) > 200:
        warn(f"{len(tags)} different tags, such as {' '.join(tags.symbols[:3])}: is that the right column? See --tags.")


def as_text(step) -> tuple[int, str]:
    """An iteration for the progress display."""
    held_out = "" if step.dev is None else f", held-out {step.dev:.3f}"
    return step.iteration, f"log-likelihood {step.train:.3f}{held_out}"
