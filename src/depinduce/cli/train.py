"""Learn a grammar from tagged sentences. Trees in the files, if there are any, are not looked at.

Most users want a recipe and nothing else: `ud-sibling`, the best of ours for Universal Dependencies tags. A recipe is a
set of settings that belong together; options given beside it have the last word. Count models (dmv, dmv-sibling,
dmv-grand) take seconds, neural models over tags and hdp-dep about a minute, models over words many minutes and more.
"""

from __future__ import annotations

import argparse
import json
import shutil
import warnings
from pathlib import Path

from depinduce.cli.console import progress, say, show_table, warn
from depinduce.cli.options import add_settings, given_settings, names_of
from depinduce.corpus import Corpus, Reading
from depinduce.errors import DepinduceError
from depinduce.learning.progress_texts import as_text, neural_text
from depinduce.learning.settings.configuration import MAX_LENGTH, Configuration, parse_seeds
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.settings.recipes import configure_with_recipe, recipe_names
from depinduce.learning.settings.states import HdpSettings
from depinduce.models.loading import load_model
from depinduce.models.model_files import require_place_for_model
from depinduce.networks.lexical_settings import LexicalSettings
from depinduce.networks.network_settings import NetworkSettings

EXAMPLE = """depinduce train --recipe ud-sibling --train tagged.conllu --out grammar
  depinduce train --model dmv --train tagged.conllu --non-heads ud --out first
  depinduce train --recipe ud-sibling --train tagged.conllu --dev held-out.conllu --seeds 0-4 --jobs 2 --out seeds"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "depinduce train [--recipe NAME] --train FILE [FILE ...] --out DIR [options]"
    files = parser.add_argument_group("files")
    files.add_argument("--train", required=True, nargs="+", metavar="FILE", help="CoNLL-U files to learn from")
    files.add_argument("--dev", nargs="+", metavar="FILE", help="held-out CoNLL-U files that tell when to stop")
    files.add_argument("--out", required=True, metavar="DIR", help="directory for the model and its training")
    files.add_argument("--overwrite", action="store_true", help="replace the model that is there")
    files.add_argument("--resume", action="store_true", help="go on with the training that is there, however it ended")
    files.add_argument("--recipe", metavar="NAME", help=f"{', '.join(recipe_names())}, or a TOML file of settings")
    files.add_argument("--seeds", metavar="0-4", help="neural models: train from each of these seeds, report mean ± sd")
    files.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="with --seeds: so many side by side (default: 1)"
    )
    files.add_argument("--watch", metavar="FILE", help="neural models: gold trees to score after every epoch; recorded "
                       "and marked, without influence on the training")  # fmt: skip
    files.add_argument("--json", action="store_true", help="print what came out as JSON")
    shared = names_of(LearningSettings)
    add_settings(parser, LearningSettings, "learning", only_given=True)
    add_settings(parser, CountSettings, "count models", shared, only_given=True)
    add_settings(parser, HdpSettings, "hdp-dep", names_of(CountSettings), only_given=True)
    add_settings(parser, NeuralSettings, "neural models", shared, only_given=True)
    add_settings(parser, NetworkSettings, "the network of neural models", only_given=True)
    add_settings(parser, LexicalSettings, "models that see words", only_given=True)
    add_settings(parser, Reading, "reading", only_given=True, max_length=MAX_LENGTH)


def run(arguments: argparse.Namespace) -> int:
    warnings.showwarning = lambda message, *_: warn(str(message))
    configuration = read_configuration(arguments)
    out = Path(arguments.out)
    is_there = prepare_place(out, arguments.overwrite, arguments.resume)
    train, dev = load_files(arguments, configuration)
    if arguments.seeds is not None:
        return run_seeds(arguments, configuration, out)
    if configuration.neural:
        return run_neural(arguments, configuration, train, dev, out, is_there)
    return run_counts(arguments, configuration, train, dev, out, is_there)


def read_configuration(arguments: argparse.Namespace) -> Configuration:
    """The recipe, if any, with what was given beside it."""
    parts = CountSettings, HdpSettings, NeuralSettings, NetworkSettings, LexicalSettings, Reading
    given = given_settings(arguments, *parts)
    configuration, ours = configure_with_recipe(arguments.recipe, given)
    if ours is not None:
        say(f"settings of the recipe {ours}, without its --non-heads; another: --recipe NAME")
    for option in ("seeds", "watch"):
        if getattr(arguments, option) is not None and not configuration.neural:
            raise DepinduceError(f"--{option} is for neural models, which {configuration.learning.model} is not.")
    if arguments.jobs < 1:
        raise DepinduceError(f"--jobs must be at least 1, not {arguments.jobs}.")
    if arguments.seeds is not None:
        parse_seeds(arguments.seeds)
        if "seed" in given:
            raise DepinduceError("--seed and --seeds: choose one of them.")
        if "-" in (*arguments.train, *(arguments.dev or ())):
            raise DepinduceError("--seeds: every training reads the files anew, which stdin cannot do. Name files.")
    return configuration


def prepare_place(out: Path, overwrite: bool, resume: bool) -> bool:
    """Whether something is there already; refused unless it may be replaced or gone on with."""
    if overwrite and resume:
        raise DepinduceError("--overwrite and --resume: choose one of them.")
    require_place_for_model(out)
    is_there = out.exists() and any(out.iterdir())
    if is_there and not (overwrite or resume):
        raise DepinduceError(f"{out}: is there already. Choose another --out, or add --overwrite or --resume.")
    return is_there


def clear(out: Path, settings: LearningSettings) -> None:
    """Remove an earlier training, unless the new one starts from it."""
    for start in (settings.init, getattr(settings, "word_init", ())):
        if start[:1] == ("model",):
            load_model(start[1])  # a fault of the start shows before anything is lost
        if len(start) > 1 and Path(start[1]).resolve().is_relative_to(out.resolve()):
            raise DepinduceError(f"--overwrite would delete {start[1]}, where training starts. Choose another --out.")
    for entry in out.iterdir():
        shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()


def load_files(arguments: argparse.Namespace, configuration: Configuration) -> tuple[Corpus, Corpus | None]:
    from depinduce.learning.held_out import held_out, training_corpus, warn_about_tags

    train = training_corpus(arguments.train, configuration.reading)
    dev = held_out(arguments.dev, configuration.reading, train) if arguments.dev else None
    left_out = f"; {train.outside} sentences left out by length" if train.outside else ""
    say(f"{len(train)} sentences, {len(train.tags)} words, {len(train.tag_vocabulary)} tags{left_out}")
    warn_about_tags(configuration.learning, train)
    settings = configuration.learning
    starts = (settings.init[0], *getattr(settings, "word_init", ())[:1])
    if "trees" in starts:
        say("the start learns from the trees of a file: if people made them, the training is not unsupervised")
    if "hdp-dep" in starts:
        say("the start is HDP-DEP, which is trained before: seconds to minutes")
    return train, dev


# ---------------------------------------------------------------- the three ways to train


def run_counts(arguments, configuration: Configuration, train, dev, out: Path, is_there: bool) -> int:
    from depinduce.learning.trainers import count_trainer

    settings = configuration.learning
    learn = count_trainer(settings)
    earlier = load_model(out) if arguments.resume and is_there else None
    with progress("EM", settings.iterations, "iterations") as update:
        model, finished = learn(
            settings, configuration.reading, train, dev, lambda step: update(*as_text(step)), earlier
        )
    if not finished and not model.history["steps"]:
        raise KeyboardInterrupt  # before there was anything to keep
    model.save(out)
    tell_about_rules(model.history)
    if arguments.json:
        print(json.dumps({"out": str(out), "finished": finished, **model.history}))
    return _farewell(out, finished)


def tell_about_rules(history: dict) -> None:
    """Whether the dependencies match the rules as often as they should."""
    for line in history.get("rules", ()):
        found = f"{line['found']:.1%} of the dependencies match in expectation, {line['wanted']:.0%} were wanted"
        say(f"rules {line['rules']}: {found} (dual variable {line['dual']:.2f})")


def run_neural(arguments, configuration: Configuration, train, dev, out: Path, is_there: bool) -> int:
    from depinduce.learning.runs import CONFIGURATION, Run
    from depinduce.learning.watching import watcher

    watch = watcher(arguments.watch, train.tag_vocabulary, configuration.reading) if arguments.watch else None
    if is_there and arguments.overwrite:
        clear(out, configuration.learning)
    run = Run(configuration, train, dev, out, watch)
    if (out / CONFIGURATION).exists():
        run.resume()
    elif is_there and arguments.resume:
        hint = "add --seeds" if any(out.glob("seed-*")) else "choose another --out"
        raise DepinduceError(f"{out}: no training of one neural model to go on with; {hint}.")
    with progress("training", None, "epochs") as update:
        try:
            model, finished = run.go(lambda step: update(step.done, neural_text(step), step.total))
        except KeyboardInterrupt:  # before there was a model
            return _farewell(out, finished=False)
    tell_about_rules(model.history)
    if arguments.json:
        print(json.dumps({"out": str(out), "finished": finished, **model.history}))
    return _farewell(out, finished)


def run_seeds(arguments, configuration: Configuration, out: Path) -> int:
    from depinduce.evaluation.tables import Table
    from depinduce.learning.seeds import train_seeds

    seeds = parse_seeds(arguments.seeds)
    if (out / "config.toml").exists():
        raise DepinduceError(f"{out}: holds the training of one seed. Choose another --out for --seeds.")
    if arguments.overwrite and out.exists():
        clear(out, configuration.learning)
    done = dict.fromkeys(seeds, (0, 1))

    with progress("training", None, "epochs") as update:

        def report(seed: int, epochs: int, total: int) -> None:
            done[seed] = (epochs, total)
            texts = [f"seed {seed} {100 * part / whole:.0f} %" for seed, (part, whole) in done.items() if part]
            update(sum(part for part, _ in done.values()), ", ".join(texts), len(seeds) * total)

        files = arguments.train, arguments.dev, out, arguments.watch
        try:
            summary = train_seeds(configuration, seeds, arguments.jobs, *files, report=report)
        except KeyboardInterrupt:
            return _farewell(out, finished=False)
    if arguments.json:
        print(json.dumps(summary))
    else:
        names = list(summary["mean"])
        rows = [[str(line["seed"]), *(_value(line, name) for name in names)] for line in summary["seeds"]]
        rows.append(["mean ± sd", *(f"{summary['mean'][name]:.3f} ± {summary['sd'][name]:.3f}" for name in names)])
        show_table(Table(f"{len(seeds)} seeds of {configuration.learning.model}", ["seed", *map(_title, names)], rows))
    finished = "best_seed" in summary
    if finished:
        why = "held-out" if summary["by"] == "dev" else "training"
        say(f"the model of {out} is that of seed {summary['best_seed']}: it has the highest {why} log-likelihood")
    return _farewell(out, finished)


def _title(name: str) -> str:
    titles = {"train": "train log-likelihood", "dev": "held-out log-likelihood"}
    return titles.get(name) or f"watched UAS ≤{name.removeprefix('uas_')}"


def _value(line: dict, name: str) -> str:
    value = line[name] if name in line else line["watched"][name]
    return f"{value:.3f}"


def _farewell(out: Path, finished: bool) -> int:
    say(f"wrote {out}" if finished else f"interrupted; wrote what there is to {out}. Go on with --resume")
    return 0 if finished else 130
