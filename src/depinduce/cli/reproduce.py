"""Run the paper's experiments and set the results beside its tables; and ours on many languages.

Every training is a cell of its own, kept as soon as it is finished: a second call goes on where the first one ended.
Trees are used for scoring only, never in training, but for `corrections`, which is about that.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial, reduce
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.cli.console import as_duration, progress, say, show_table, warn
from depinduce.cli.options import CLUSTER
from depinduce.cluster import require_cluster
from depinduce.errors import DepinduceError
from depinduce.experiments import wsj
from depinduce.experiments.corrections import RUNS
from depinduce.experiments.experiment import SPLITS, Cell
from depinduce.experiments.polyglot import SCORED
from depinduce.experiments.suites import EXPERIMENTS, SUITES, plan
from depinduce.experiments.ud import DEVELOPMENT, LANGUAGES, may_be_looked_at, require_data, require_development
from depinduce.files import write_file
from depinduce.interruption import INTERRUPTED
from depinduce.learning.settings.configuration import MOST_SEEDS
from depinduce.settings import MOST_THREADS, require_within

if TYPE_CHECKING:
    from depinduce.corpus import Corpus, Reading
    from depinduce.experiments.cells import Work
    from depinduce.experiments.results import Results

EXAMPLE = """depinduce reproduce ud --data ud14 --languages fr pl --experiments ndmv paper-ndmv --out ud-results
  depinduce reproduce joint --data ud14 --languages fr --seeds 1 --out joint-results
  depinduce reproduce wsj --ptb treebank_3/parsed/mrg/wsj --jobs 2 --out wsj-results
  depinduce reproduce compared --data ud14 --sample wsj-sample --jobs 2 --out compared-results
  depinduce reproduce polyglot --data ud14 ud14-more ud2 --jobs 2 --out polyglot-results
  depinduce reproduce corrections --data ud14 ud14-more --jobs 2 --out corrections-results"""
SEEDS = {"ud": 5, "joint": 3, "wsj": 5, "compared": 5, "polyglot": 5, "corrections": RUNS}
ON_UD = ("ud", "joint", "compared", "polyglot", "corrections")  # of UD's languages
ON_WSJ = ("wsj", "compared")
MORE_LANGUAGES = [language for language in SCORED if language not in LANGUAGES]
MODELS = sorted({experiment.configuration().learning.model for experiment in EXPERIMENTS.values()})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=tuple(SUITES),
        help="ud: the paper's tables on Universal Dependencies; joint: joint training there; wsj: its tables on the "
        "Wall Street Journal; compared: the systems that it compares with; polyglot: a universal grammar, and "
        "languages that learn from it; corrections: what some trees are worth",
    )
    parser.add_argument(
        "--data", nargs="+", metavar="DIR",
        help="ud, joint, compared: has LANG/train.conllu, LANG/dev.conllu and LANG/test.conllu; corrections: the first "
        "two, in several; polyglot: several, of UD 1.4 with LANG/train.conllu and of UD 2 with LANG/text.conllu, and "
        "with trees where there are any",
    )  # fmt: skip
    parser.add_argument(
        "--ptb", metavar="DIR", help="wsj, compared: your copy of the Penn Treebank, as it comes from LDC"
    )
    parser.add_argument(
        "--sample", metavar="DIR",
        help=f"wsj, compared: instead of --ptb, a directory with mrg/00, mrg/01 and {wsj.SAMPLE_TRAIN}",
    )  # fmt: skip
    parser.add_argument(
        "--init", nargs=2, metavar=("trees", "FILE"),
        help="wsj: start from the trees in a CoNLL-U file of the training sentences, not from those of our HDP-DEP",
    )  # fmt: skip
    parser.add_argument("--out", metavar="DIR", help="where results go (default: ud-results, joint-results, …)")
    parser.add_argument("--seeds", type=int, metavar="N", help="trainings of each kind (default: 5; joint: 3)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="trainings side by side (default: 2)")
    parser.add_argument("--cluster", metavar="WHERE", help=f"trainings {CLUSTER}, not of --jobs")
    parser.add_argument(
        "--split", choices=SPLITS, default="test",
        help=f"whose trees are scored; dev is for development, of UD with {' '.join(DEVELOPMENT)} only (default: "
        "test)",
    )  # fmt: skip
    width = max(map(len, EXPERIMENTS))
    described = "\n".join(
        f"{suite}:\n" + "\n".join(f"  {name:{width}} {experiment.about}" for name, experiment in experiments.items())
        for suite, experiments in SUITES.items()
    )
    choice = parser.add_argument_group("some of the experiments", described)
    choice.add_argument(
        "--languages", nargs="+", choices=list(SCORED), metavar="LANG",
        help=f"score some of {' '.join(LANGUAGES)}; polyglot: and of {' '.join(MORE_LANGUAGES)} (default: all)",
    )  # fmt: skip
    choice.add_argument(
        "--experiments", nargs="+", choices=list(EXPERIMENTS), metavar="NAME", help="some of the above (default: all)"
    )
    choice.add_argument(
        "--models", nargs="+", choices=MODELS, metavar="MODEL",
        help=f"those with these models: {' '.join(MODELS)} (default: all)",
    )  # fmt: skip


@dataclass(frozen=True)
class Given:
    """What a suite was given to work with."""

    languages: list[str]
    work: Callable[[list[Cell]], Work]  # that these cells are
    require_same: Callable[[Results], None] = lambda there: None  # refuses what was made from something else
    possible: Callable[[list[Cell]], list[Cell]] = list  # those of the cells that there are files for


def run(arguments: argparse.Namespace) -> int:
    suite, split = arguments.what, arguments.split
    require_options(arguments)
    out = Path(arguments.out or f"{suite}-results")
    seeds = SEEDS[suite] if arguments.seeds is None else arguments.seeds
    require_within(1, MOST_SEEDS, seeds=seeds)
    require_within(1, MOST_THREADS, jobs=arguments.jobs)
    require_cluster(arguments.cluster)
    names = chosen_experiments(suite, arguments.experiments, arguments.models)
    given_by = {"compared": given_both, "polyglot": given_texts, "corrections": given_trees}.get(suite, given_files)
    given = given_by(arguments, out)
    start = None if arguments.init is None else arguments.init[1]

    from depinduce.experiments.cells import log_look_at_test
    from depinduce.experiments.results import Results

    there = Results.read(out, given.languages, seeds, split, suite, start)
    given.require_same(there)
    cells = given.possible(plan(names, given.languages, seeds, split))
    to_run = there.lacking(cells)
    require_library(to_run)
    work = given.work(to_run)
    log_look_at_test(to_run, out)
    code = run_cells(work, out, arguments.cluster or arguments.jobs, len(cells) - len(to_run))
    results = Results.read(out, given.languages, seeds, split, suite, start)
    if results.cells:
        show_results(results, out)
    return code


def given_files(arguments: argparse.Namespace, out: Path) -> Given:
    """What every cell is trained from is its own."""
    start = None if arguments.init is None else arguments.init[1]
    if arguments.what == "wsj":
        languages, data = given_wsj(arguments, out)
    else:
        languages, data = given_ud(arguments)
    if start is not None:
        require_start(start, data)

    from depinduce.experiments.cells import work_of

    given = Given(languages, lambda cells: work_of(cells, data, out, start))
    if arguments.what == "wsj":
        return replace(given, require_same=lambda there: require_same_sentences(there, data, out))
    return given


def given_ud(arguments: argparse.Namespace) -> tuple[list[str], Path]:
    """The languages of UD that are asked for, and the directory with their files."""
    languages, data = chosen_languages(arguments, LANGUAGES), Path(arguments.data[0])
    if arguments.split == "dev":
        require_development(languages)
    require_data(data, languages, arguments.split)
    return languages, data


def given_wsj(arguments: argparse.Namespace, out: Path) -> tuple[list[str], Path]:
    """WSJ in the place of languages, and the directory with the converted treebank."""
    data = prepare_wsj(arguments, out)
    require_data(data, [wsj.NAME], arguments.split)
    return [wsj.NAME], data


def given_both(arguments: argparse.Namespace, out: Path) -> Given:
    """Files of UD, of WSJ, or of both."""
    from depinduce.experiments.cells import work_of

    places: dict[str, Path] = {}  # by language
    if arguments.data is not None:
        languages, data = given_ud(arguments)
        places |= dict.fromkeys(languages, data)
    if arguments.ptb is not None or arguments.sample is not None:
        (name,), data = given_wsj(arguments, out)
        places[name] = data

    def work(cells: list[Cell]) -> Work:
        works = [work_of([cell for cell in cells if places[cell.language] == place], place, out)
                 for place in dict.fromkeys(places.values())]  # fmt: skip
        return reduce(lambda one, other: one.beside(other), works)

    given = Given(list(places), work)
    if wsj.NAME in places:
        return replace(given, require_same=lambda there: require_same_sentences(there, places[wsj.NAME], out))
    return given


def given_texts(arguments: argparse.Namespace, out: Path) -> Given:
    """Texts of many languages, from which cells have grammars in common."""
    from depinduce.experiments.polyglot_cells import require_same_texts, scorable, work_of
    from depinduce.experiments.worlds import read_worlds

    worlds, languages = read_worlds(arguments.data), chosen_languages(arguments, SCORED)
    if arguments.split == "dev":
        require_development(arguments.languages or ())
        languages = [language for language in languages if may_be_looked_at(language)]

    return Given(
        languages,
        lambda cells: work_of(cells, worlds, out),
        lambda there: require_same_texts(there.cells.values(), worlds, out),
        lambda cells: scorable(cells, worlds),
    )


def given_trees(arguments: argparse.Namespace, out: Path) -> Given:
    """Texts with trees, of which some are learned from."""
    from depinduce.experiments.correction_cells import possible, texts_of, work_of

    texts = texts_of(arguments.data)
    return Given(
        chosen_languages(arguments, texts),
        lambda cells: work_of(cells, texts, out),
        possible=lambda cells: possible(cells, texts),
    )


def chosen_languages(arguments: argparse.Namespace, known: Iterable[str]) -> list[str]:
    """Those that were named, or all."""
    return [language for language in known if language in (arguments.languages or known)]


def require_options(arguments: argparse.Namespace) -> None:
    """Refuse the options of another suite, and a suite without its data."""
    suite = arguments.what
    for option, suites in (("data", ON_UD), ("languages", ON_UD),
                           ("ptb", ON_WSJ), ("sample", ON_WSJ), ("init", ("wsj",))):  # fmt: skip
        if getattr(arguments, option) is not None and suite not in suites:
            raise DepinduceError(f"--{option} is for reproduce {', '.join(suites)}. Leave it away.")
    if arguments.ptb is not None and arguments.sample is not None:
        raise DepinduceError("--ptb and --sample: choose one of them.")
    if suite == "wsj" and arguments.ptb is None and arguments.sample is None:
        raise DepinduceError("reproduce wsj needs your copy of the Penn Treebank: --ptb DIR (or --sample DIR).")
    if suite == "compared" and arguments.data is arguments.ptb is arguments.sample is None:
        raise DepinduceError(
            "reproduce compared needs --data DIR, with LANG/train.conllu and so on, or your copy of the Penn Treebank: "
            "--ptb DIR (or --sample DIR), or both."
        )
    if suite not in ON_WSJ and arguments.data is None:
        raise DepinduceError(f"reproduce {suite} needs --data DIR, with LANG/train.conllu and so on.")
    if suite in ("ud", "joint", "compared") and arguments.data is not None and len(arguments.data) > 1:
        raise DepinduceError(f"reproduce {suite} takes one --data DIR, not {len(arguments.data)}.")
    if arguments.init is not None:
        kind, path = arguments.init
        if kind != "trees" or not Path(path).is_file():
            raise DepinduceError(f"--init {kind} {path}: write --init trees FILE, a CoNLL-U file that is there.")


def prepare_wsj(arguments: argparse.Namespace, out: Path) -> Path:
    """The directory with the converted treebank."""
    with progress("converting", unit="files") as update:
        return wsj.prepare(
            out, arguments.ptb, arguments.sample, lambda path, done, total: update(done, path.name, total)
        )


def wsj_sentences(data: Path, experiment: str = "wsj-ndmv") -> tuple[Corpus, Reading]:
    """What an experiment on WSJ learns from."""
    from depinduce.learning.held_out import training_corpus

    reading = EXPERIMENTS[experiment].configuration().reading
    return training_corpus([str(data / wsj.NAME / "train.conllu")], reading), reading


def require_same_sentences(there: Results, data: Path, out: Path) -> None:
    """Refuse results that were made from another treebank."""
    learned_from: dict[Reading, str] = {}  # the fingerprint of the sentences, however they are read
    for (experiment, language, _), cell in there.cells.items():
        if language != wsj.NAME:
            continue
        reading = EXPERIMENTS[experiment].configuration().reading
        if reading not in learned_from:
            learned_from[reading] = wsj_sentences(data, experiment)[0].fingerprint()
        if cell["training_data"]["sha256"] != learned_from[reading]:
            raise DepinduceError(f"{out}: has results of other sentences than those of {data}. Choose another --out.")


def require_library(cells: list[Cell]) -> None:
    """Refuse cells that learn word vectors without the library for it, before anything runs."""
    with_words = ((cell, EXPERIMENTS[cell.experiment].configuration().lexical) for cell in cells)
    needing = [cell for cell, lexical in with_words if lexical is not None and lexical.learns_vectors]
    if needing and find_spec("gensim") is None:
        raise DepinduceError(
            f"{needing[0].experiment} and others need the library gensim, for word vectors. Install it with "
            "`pip install 'depinduce[vectors]'`, or name other --experiments."
        )


def require_start(path: str, data: Path) -> None:
    """Refuse a file of other trees than those of the training sentences, before anything runs."""
    from depinduce.learning.starts import trees_of_file

    trees_of_file(path, *wsj_sentences(data))
    say("the trainings start from the trees of a file: if people made them, they are not unsupervised")


def chosen_experiments(suite: str, names: list[str] | None, models: list[str] | None) -> list[str]:
    """The experiments that were named, or all of the suite; of these, those with the models that were named."""
    others = [name for name in names or () if name not in SUITES[suite]]
    if others:
        raise DepinduceError(f"reproduce {suite} has no experiment {others[0]}. It has: {' '.join(SUITES[suite])}.")
    chosen = [name for name in SUITES[suite] if name in (names or SUITES[suite])]
    if models:
        chosen = [name for name in chosen if EXPERIMENTS[name].configuration().learning.model in models]
    if not chosen:
        raise DepinduceError(
            f"No experiment {'of ' + ' '.join(names) if names else f'of reproduce {suite}'} has the model "
            f"{' '.join(models or ())}. Leave away --models{' or --experiments' if names else ''}."
        )
    return chosen


def run_cells(work: Work, out: Path, jobs: int | str, done: int) -> int:
    """Run the cells, so many side by side or on a cluster; gives the exit code."""
    if not work.items:
        say(f"all {done} cells are in {out} already" if done else "nothing to run for these languages")
        return 0

    from depinduce.cluster import on_cluster
    from depinduce.experiments.cells import warm_up
    from depinduce.experiments.pace import Pace
    from depinduce.jobs import side_by_side

    pace, left = Pace(work.guess), dict(enumerate(work.items))
    guess = pace.left(work.items)
    before = len(work.items) - work.cells
    needed = f" with {before} grammars that they need" if before else ""
    if isinstance(jobs, str):
        taking, run = f"on the cluster {jobs}, about {as_duration(guess)} of work", partial(on_cluster, cluster=jobs)
    else:
        jobs = min(jobs, len(work.items))
        taking, run = f"{jobs} at a time, about {as_duration(guess / jobs)}", partial(side_by_side, jobs=jobs)
    say(f"{work.cells} cells to run{needed}, {taking}; {done} are in {out} already")
    failed = 0
    try:
        warm_up(dict.fromkeys(item.experiment for item in work.items))
        with progress("cells", round(guess), "s of work") as update:
            for number, result in run(work.run, work.tasks, needs=work.needs):
                item = left.pop(number)
                pace.finished(item, result["seconds"])
                if "failed" in result:
                    failed += 1
                    warn(f"{item}: {result['failed']}")
                to_go = sum(isinstance(each, Cell) for each in left.values())
                text = f"{work.cells - to_go}/{work.cells} {item}: {outcome(result)}"
                update(round(pace.taken), text, round(pace.taken + pace.left(left.values())))
    except KeyboardInterrupt:
        say(f"interrupted; finished cells are kept in {out}. Go on with the same command")
        return INTERRUPTED
    if failed:
        warn(f"{failed} of {len(work.items)} cells failed and are missing from the tables")
    return 1 if failed else 0


def outcome(result: dict) -> str:
    """The result of a cell, that of short sentences by minimum Bayes risk, or in a word what became of it."""
    if "failed" in result:
        return "failed"
    if "scores" not in result:
        return "made"
    short, _ = result["scores"]["mbr"].values()
    return "–" if short is None else f"{short:.1f}"


def show_results(results: Results, out: Path) -> None:
    """Tables and figures of all the cells that are there: on the screen and in files."""
    from depinduce.experiments.compared_tables import compared_tables
    from depinduce.experiments.correction_tables import correction_figure, correction_tables
    from depinduce.experiments.figures import figures_of
    from depinduce.experiments.joint_tables import joint_tables
    from depinduce.experiments.polyglot_tables import polyglot_tables
    from depinduce.experiments.ud_tables import as_markdown, in_parts, ud_tables
    from depinduce.experiments.wsj_tables import wsj_tables

    if results.codes > 1:
        warn(f"the cells in {out} come from {results.codes} states of the code: delete the older ones to be sure")
    name = results.suite if results.split == "test" else f"{results.suite}-{results.split}"
    tables_of = {
        "ud": ud_tables,
        "joint": joint_tables,
        "wsj": wsj_tables,
        "compared": compared_tables,
        "polyglot": polyglot_tables,
        "corrections": correction_tables,
    }
    tables = tables_of[results.suite](results)
    files = {
        f"{name}.md": as_markdown(tables),
        f"{name}.json": json.dumps(results.to_json(), indent=2, ensure_ascii=False) + "\n",
        **(correction_figure(results) if results.suite == "corrections" else figures_of(results)),
    }
    for file, text in files.items():  # before they are shown: who reads only the first lines has the files, too
        write_file(out / file, text)
    for captioned in tables:
        for table in in_parts(captioned.table):
            show_table(table)
        print("\n".join(captioned.notes), end="\n\n")
    say(f"wrote {', '.join(str(out / file) for file in files)}")
