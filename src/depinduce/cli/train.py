"""Learn a grammar from tagged sentences. Trees in the files, if there are any, are not looked at, but for --trees.

Most users want a recipe and nothing else: `adapt`, which begins with what other languages have in common, or
`ud-sibling`, which learns from the text alone; both are for Universal Dependencies tags. A recipe is a set of settings
that belong together; options given beside it have the last word. Count models (dmv, dmv-sibling, dmv-grand) take
seconds, neural models over tags and hdp-dep about a minute, models over words many minutes and more.
"""

from __future__ import annotations

import argparse
import io
import json
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.cli.console import progress, say, show_table
from depinduce.cli.options import CLUSTER, add_settings, given_settings, names_of, read_assignments
from depinduce.cluster import require_cluster
from depinduce.corpus import Reading
from depinduce.corpus.corpus import trees_in_words
from depinduce.corpus.languages import TEXTS, files_below, named_files, paths_of
from depinduce.errors import DepinduceError
from depinduce.interruption import INTERRUPTED
from depinduce.learning.settings.configuration import MAX_LENGTH, Configuration, parse_seeds
from depinduce.learning.settings.counts import CountSettings
from depinduce.learning.settings.crf import CrfSettings
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.settings.networks import NeuralSettings
from depinduce.learning.settings.order_free import PolyglotSettings
from depinduce.learning.settings.recipes import about_recipe, configure_with_recipe, recipe_names
from depinduce.learning.settings.states import HdpSettings
from depinduce.models.table import find, models
from depinduce.networks.lexical_settings import LexicalSettings
from depinduce.networks.network_settings import JiangNetworkSettings, NetworkSettings
from depinduce.settings import MOST_THREADS, require_within

if TYPE_CHECKING:
    from depinduce.learning.team import Team

EXAMPLE = """depinduce train --recipe adapt --train tagged.conllu --out grammar
  depinduce train --recipe ud-sibling --train tagged.conllu --out own
  depinduce train --recipe adapt --train tagged.conllu --trees corrected.conllu --out better
  depinduce train --model dmv --train tagged.conllu --non-heads ud --out first
  depinduce train --recipe ud-ndmv --train tagged.conllu --seeds 0-4 --out seeds"""
SETTINGS = (
    CountSettings, HdpSettings, CrfSettings, PolyglotSettings, NeuralSettings, NetworkSettings, LexicalSettings, Reading
)  # fmt: skip


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "depinduce train [--recipe NAME] --train FILE --out DIR [options]"
    width = max(map(len, recipe_names()))
    recipes = "\n".join(f"  {name:{width}}  {about_recipe(name)}" for name in recipe_names())
    first = parser.add_argument_group("the ones to begin with")
    train_help = "CoNLL-U files to learn from; NAME=FILE for each of several languages"
    first.add_argument("--train", nargs="+", default=[], metavar="FILE", help=train_help)
    first.add_argument("--out", required=True, metavar="DIR", help="directory for the model and its training")
    first.add_argument("--recipe", metavar="NAME", help="one of those below, or a TOML file of settings")
    add_settings(first, LearningSettings, only=("model", "non_heads", "rules", "init"), only_given=True)
    trees_help = "CoNLL-U files with trees to learn from, too, whole or in part: `_` is an unknown head"
    first.add_argument("--trees", nargs="+", default=[], metavar="FILE", help=trees_help)
    first.add_argument("--dev", nargs="+", metavar="FILE", help="held-out CoNLL-U files that tell when to stop")
    first.add_argument("--resume", action="store_true", help="go on with the training that is there, however it ended")
    first.add_argument("--overwrite", action="store_true", help="replace the model that is there")
    parser.add_argument_group("recipes", recipes)
    several = parser.add_argument_group("several languages")
    folders_help = "learn from LANGUAGE/train.conllu, or text.conllu, of all languages in these folders"
    several.add_argument("--train-dir", nargs="+", default=[], metavar="DIR", help=folders_help)
    runs = parser.add_argument_group("several trainings, and what is told of them")
    runs.add_argument("--seeds", metavar="0-4", help="train from each of these seeds, report mean ± sd")
    runs.add_argument(
        "--jobs", type=int, default=1, metavar="N", help="with --seeds: so many side by side (default: 1)"
    )
    runs.add_argument("--cluster", metavar="WHERE", help=f"with --seeds: {CLUSTER}")
    runs.add_argument("--watch", metavar="FILE", help="gold trees (NAME=FILE says their language) to score after every "
                      "round; recorded and marked, without influence on the training")  # fmt: skip
    keep_help = "keep the grammar of every round, for the page of `report` that shows how trees came to be"
    runs.add_argument("--keep-rounds", action="store_true", help=keep_help)
    runs.add_argument("--cache", metavar="DIR", help="keep the encoded training sentences there, for texts that are "
                      "larger than memory; the next training of the same files need not read them")  # fmt: skip
    runs.add_argument("--json", action="store_true", help="print what came out as JSON")
    shared = names_of(LearningSettings)
    add_settings(parser, LearningSettings, "learning", ("model", "non_heads", "rules", "init"), only_given=True)
    add_settings(parser, CountSettings, "count models", shared, only_given=True)
    add_settings(parser, HdpSettings, "hdp-dep", names_of(CountSettings), only_given=True)
    add_settings(parser, PolyglotSettings, "many languages", names_of(CountSettings), only_given=True)
    add_settings(parser, NeuralSettings, "neural models", shared, only_given=True)
    add_settings(parser, NetworkSettings, "the network of neural models", only_given=True)
    add_settings(parser, LexicalSettings, "models that see words", only_given=True)
    told = names_of(CountSettings) | names_of(LexicalSettings)
    add_settings(parser, JiangNetworkSettings, leave_out=told, only_given=True)
    add_settings(parser, CrfSettings, leave_out=names_of(CountSettings) | names_of(NeuralSettings), only_given=True)
    add_settings(parser, Reading, "reading", only_given=True, max_length=MAX_LENGTH)
    rest = parser.add_argument_group("all other settings, which few will ever need (docs/settings.md lists them)")
    rest.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="NAME=VALUE", help="such as: --set size=50 encoder=wsj"
    )


def run(arguments: argparse.Namespace) -> int:
    from depinduce.learning.team import team_of_this_process

    with team_of_this_process() as team:
        if team.is_first:
            code = run_first(arguments, team)
        else:
            with redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):  # the first process tells everything
                code = run_beside(arguments, team)
        if code == 0:
            team.told_by_all(None)  # torchrun ends all when one ends badly: nobody leaves before all is written
        return code


def run_first(arguments: argparse.Namespace, team: Team) -> int:
    """The training of a process that is alone, or the first of several."""
    from depinduce.learning.lesson import place_of_training
    from depinduce.models.places import DESCRIPTION

    if team.size > 1:
        say(f"{team.size} processes")
    configuration = read_arguments(arguments, team)
    out = Path(arguments.out)
    remedy = "Choose another --out, or add --overwrite or --resume."
    with place_of_training(out, arguments.overwrite, arguments.resume, remedy) as is_there:
        if arguments.resume and (out / DESCRIPTION).exists():
            raise DepinduceError(
                f"{out}: a model without its training, as count models were kept up to version 0.1. It cannot be gone "
                f"on with: start another from its parses, --init model {out} --out ANOTHER, or begin anew with "
                "--overwrite."
            )
        if arguments.seeds is not None:
            return run_seeds(arguments, configuration, out)
        return run_one(arguments, configuration, out, is_there, team)


def run_beside(arguments: argparse.Namespace, team: Team) -> int:
    """The training of any other process, which has its share of the sentences and nothing to write."""
    configuration = read_arguments(arguments, team)
    watched, arguments.watch = arguments.watch, None
    lesson = read_lesson(arguments, configuration, team)
    if watched:
        lesson = replace(lesson, watch=lambda model: {})  # the first process looks at the trees
    _, finished = lesson.run(resume=arguments.resume, team=team).go()
    return 0 if finished else INTERRUPTED


def read_arguments(arguments: argparse.Namespace, team: Team) -> Configuration:
    """All that was asked for, its faults shown before anything begins; the files are then in `arguments`."""
    configuration = read_configuration(arguments)
    read_files(arguments, team)
    if team.size > 1 and arguments.seeds is not None:
        raise DepinduceError("--seeds: under torchrun all processes train one model. Give one --seed.")
    return configuration


def read_configuration(arguments: argparse.Namespace) -> Configuration:
    """The recipe, if any, with what was given beside it."""
    others = {find(place) for model in models().values() for place in (model.settings, model.network) if place}
    given = given_settings(arguments, *SETTINGS, *others) | read_assignments(arguments.set, *SETTINGS, *others)
    configuration, ours = configure_with_recipe(arguments.recipe, given)
    if ours is not None:
        say(f"settings of the recipe {ours}, without its --non-heads; another: --recipe NAME")
    require_within(1, MOST_THREADS, jobs=arguments.jobs)
    if arguments.cluster is not None and arguments.seeds is None:
        raise DepinduceError("--cluster is for --seeds: one training is done in one place. Leave it away.")
    require_cluster(arguments.cluster)
    if arguments.seeds is not None:
        parse_seeds(arguments.seeds)
        if "seed" in given:
            raise DepinduceError("--seed and --seeds: choose one of them.")
        if arguments.keep_rounds:
            raise DepinduceError("--keep-rounds and --seeds: choose one of them, as it is for a single training.")
    return configuration


def read_files(arguments: argparse.Namespace, team: Team) -> None:
    """The files to learn from and those to watch, by their languages if these were named, for `arguments`."""
    train = named_files(arguments.train, "--train")
    below, without = files_below(arguments.train_dir)
    if below and arguments.train:
        if not isinstance(train, dict):
            raise DepinduceError(f"--train-dir and --train {arguments.train[0]}: of which language? Write NAME=FILE.")
        below = {name: train.get(name, []) + below.get(name, []) for name in [*train, *below]}
    arguments.train, arguments.dev = below or train, named_files(arguments.dev or (), "--dev")
    arguments.trees = named_files(arguments.trees, "--trees") or None
    if not arguments.train and arguments.trees is None:
        raise DepinduceError("Name what to learn from: --train FILE, or --train-dir DIR.")
    files = [path for some in (arguments.train, arguments.dev, arguments.trees or []) for path in paths_of(some)]
    if arguments.cache is not None and arguments.seeds is not None:
        raise DepinduceError("--cache and --seeds: choose one of them.")
    if arguments.seeds is not None and "-" in files:
        raise DepinduceError("--seeds: every training reads the files anew, which stdin cannot do. Name files.")
    if team.size > 1 and "-" in files:
        raise DepinduceError("-: under torchrun every process reads the files, which stdin cannot do. Name files.")
    if without:
        say(f"left out, for want of {' and '.join(TEXTS)}: {' '.join(without)}")


def read_lesson(arguments: argparse.Namespace, configuration: Configuration, team: Team | None = None):
    """The files, with what is to be said of them."""
    from depinduce.learning.held_out import about_languages, warn_about_tags
    from depinduce.learning.lesson import Lesson
    from depinduce.learning.team import ALONE

    files = arguments.train, arguments.dev, arguments.watch
    lesson = Lesson.of(configuration, *files, trees=arguments.trees, cache=arguments.cache, team=team or ALONE)
    train, settings = lesson.train, configuration.learning
    left_out = f"; {train.outside} sentences left out by length" if train.outside else ""
    data = train.identity()
    say(f"{data['sentences']} sentences, {data['words']} words, {len(train.tag_vocabulary)} tags{left_out}")
    if trees := data.get("trees"):
        say(f"{trees_in_words(trees)}; the training is not unsupervised")
    if languages := about_languages(settings, train):
        say(languages)
    warn_about_tags(settings, train)
    starts = (settings.init[0], *settings.word_init[:1])
    if "trees" in starts:
        say("the start learns from the trees of a file: if people made them, the training is not unsupervised")
    if "hdp-dep" in starts:
        say("the start is HDP-DEP, which is trained before: seconds to minutes")
    return lesson


# ---------------------------------------------------------------- one training, or several


def run_one(arguments: argparse.Namespace, configuration: Configuration, out: Path, is_there: bool, team: Team) -> int:
    from depinduce.learning.lesson import clear
    from depinduce.learning.progress_texts import progress_text
    from depinduce.models.places import CONFIGURATION
    from depinduce.parser import Parser

    lesson = read_lesson(arguments, configuration, team)
    if is_there and arguments.resume and not (out / CONFIGURATION).exists():
        hint = "add --seeds" if any(out.glob("seed-*")) else "choose another --out, or --overwrite"
        raise DepinduceError(f"{out}: no training of one model to go on with; {hint}.")
    training = lesson.run(
        out, resume=arguments.resume, keep_rounds=arguments.keep_rounds, team=team
    )  # a fault of it shows before anything is lost
    if is_there and arguments.overwrite:
        clear(out, configuration.learning)
    unit = f"{configuration.learning.round_name}s"
    with progress("training", None, unit) as update:
        try:
            parser, finished = Parser.of_run(training, lambda step: update(step.done, progress_text(step), step.total))
        except KeyboardInterrupt:  # before there was a model
            return _farewell(out, finished=False)
    history = parser.model.history
    tell_about_rules(history)
    if finished and (found := lesson.likeness(parser.model)):
        say(f"the language is {found}")
    if arguments.json:
        print(json.dumps({"out": str(out), **history}))
    if finished and (verdict := lesson.health(parser.model, yardstick=training.yardstick)):
        say(str(verdict))
    return _farewell(out, finished)


def tell_about_rules(history: dict) -> None:
    """Whether the dependencies match the rules as often as they should."""
    for line in history.get("rules", ()):
        found = f"{line['found']:.1%} of the dependencies match in expectation, {line['wanted']:.0%} were wanted"
        say(f"rules {line['rules']}: {found} (dual variable {line['dual']:.2f})")


def run_seeds(arguments: argparse.Namespace, configuration: Configuration, out: Path) -> int:
    from depinduce.evaluation.tables import Table
    from depinduce.learning.lesson import clear
    from depinduce.learning.seeds import train_seeds
    from depinduce.models.loading import load_model
    from depinduce.models.places import CONFIGURATION, place_of_seed

    seeds = parse_seeds(arguments.seeds)
    if (out / CONFIGURATION).exists() and not arguments.overwrite:
        raise DepinduceError(f"{out}: holds the training of one seed. Choose another --out for --seeds.")
    lesson = read_lesson(arguments, configuration)
    lesson.run()  # a fault of it shows before anything is lost
    if arguments.overwrite and out.exists():
        clear(out, configuration.learning)
    done: dict[int, tuple[int, int]] = dict.fromkeys(seeds, (0, 1))

    with progress("training", None, f"{configuration.learning.round_name}s") as update:

        def report(seed: int, rounds: int, total: int) -> None:
            done[seed] = (rounds, total)
            texts = [f"seed {seed} {100 * part / whole:.0f} %" for seed, (part, whole) in done.items() if part]
            update(sum(part for part, _ in done.values()), ", ".join(texts), len(seeds) * total)

        files = arguments.train, arguments.dev, out, arguments.watch, arguments.trees
        try:
            summary = train_seeds(configuration, seeds, arguments.cluster or arguments.jobs, *files, report=report)
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
    if finished and len(seeds) > 1 and len({line["train"] for line in summary["seeds"]}) == 1:
        say("all seeds gave the same: nothing in this training is random. --init random would be")
    elif finished:
        why = {
            "dev": "held-out log-likelihood",
            "train": "training log-likelihood",
            "objective": "bound of the likelihood",
        }
        say(f"the model of {out} is that of seed {summary['best_seed']}: it has the highest {why[summary['by']]}")
    if finished:
        others = [load_model(place_of_seed(out, seed)) for seed in seeds if seed != summary["best_seed"]]
        if verdict := lesson.health(load_model(out), others):
            say(str(verdict))
    return _farewell(out, finished)


def _title(name: str) -> str:
    titles = {"train": "train log-likelihood", "dev": "held-out log-likelihood"}
    return titles.get(name) or f"watched UAS ≤{name.removeprefix('uas_')}"


def _value(line: dict, name: str) -> str:
    value = line[name] if name in line else line["watched"][name]
    return f"{value:.3f}"


def _farewell(out: Path, finished: bool) -> int:
    then = f"; now try: depinduce parse {out} FILE.conllu -o parsed.conllu"
    say(f"wrote {out}{then}" if finished else f"interrupted; wrote what there is to {out}. Go on with --resume")
    return 0 if finished else INTERRUPTED
