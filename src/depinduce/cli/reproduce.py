"""Run the paper's experiments and set the results beside its tables.

Every training is a cell of its own, kept as soon as it is finished: a second call goes on where the first one ended.
Trees are used for scoring only, never in training.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.cli.console import as_duration, progress, say, show_table, warn
from depinduce.errors import DepinduceError
from depinduce.experiments import wsj
from depinduce.experiments.experiment import SPLITS, Cell
from depinduce.experiments.suites import EXPERIMENTS, SUITES, plan
from depinduce.experiments.ud import DEVELOPMENT, LANGUAGES, require_data, require_development
from depinduce.files import write_file
from depinduce.interruption import INTERRUPTED
from depinduce.learning.settings.configuration import MOST_SEEDS
from depinduce.settings import MOST_THREADS, require_within

if TYPE_CHECKING:
    from depinduce.corpus import Corpus, Reading
    from depinduce.experiments.results import Results

EXAMPLE = """depinduce reproduce ud --data ud14 --languages fr pl --experiments ndmv paper-ndmv --out ud-results
  depinduce reproduce joint --data ud14 --languages fr --seeds 1 --out joint-results
  depinduce reproduce wsj --ptb treebank_3/parsed/mrg/wsj --jobs 2 --out wsj-results"""
SEEDS = {"ud": 5, "joint": 3, "wsj": 5}
MODELS = sorted({experiment.configuration().learning.model for experiment in EXPERIMENTS.values()})


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=tuple(SUITES),
        help="ud: the paper's tables on Universal Dependencies; joint: joint training there; wsj: its tables on the "
        "Wall Street Journal",
    )
    parser.add_argument(
        "--data", metavar="DIR", help="ud, joint: has LANG/train.conllu, LANG/dev.conllu and LANG/test.conllu"
    )
    parser.add_argument("--ptb", metavar="DIR", help="wsj: your copy of the Penn Treebank, as it comes from LDC")
    parser.add_argument(
        "--sample", metavar="DIR",
        help=f"wsj: instead of --ptb, a directory with mrg/00, mrg/01 and {wsj.SAMPLE_TRAIN}",
    )  # fmt: skip
    parser.add_argument(
        "--init", nargs=2, metavar=("trees", "FILE"),
        help="wsj: start from the trees in a CoNLL-U file of the training sentences, not from those of our HDP-DEP",
    )  # fmt: skip
    parser.add_argument("--out", metavar="DIR", help="where results go (default: ud-results, joint-results, …)")
    parser.add_argument("--seeds", type=int, metavar="N", help="trainings of each kind (default: 5; joint: 3)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="trainings side by side (default: 2)")
    parser.add_argument(
        "--split", choices=SPLITS, default="test",
        help=f"whose trees are scored; dev is for development, of UD with {' '.join(DEVELOPMENT)} only (default: test)",
    )  # fmt: skip
    width = max(map(len, EXPERIMENTS))
    described = "\n".join(
        f"{suite}:\n" + "\n".join(f"  {name:{width}} {experiment.about}" for name, experiment in experiments.items())
        for suite, experiments in SUITES.items()
    )
    choice = parser.add_argument_group("some of the experiments", described)
    choice.add_argument(
        "--languages", nargs="+", choices=list(LANGUAGES), metavar="LANG",
        help=f"some of {' '.join(LANGUAGES)} (default: all)",
    )  # fmt: skip
    choice.add_argument(
        "--experiments", nargs="+", choices=list(EXPERIMENTS), metavar="NAME", help="some of the above (default: all)"
    )
    choice.add_argument(
        "--models", nargs="+", choices=MODELS, metavar="MODEL",
        help=f"those with these models: {' '.join(MODELS)} (default: all)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    suite, split = arguments.what, arguments.split
    require_options(arguments)
    out = Path(arguments.out or f"{suite}-results")
    seeds = SEEDS[suite] if arguments.seeds is None else arguments.seeds
    require_within(1, MOST_SEEDS, seeds=seeds)
    require_within(1, MOST_THREADS, jobs=arguments.jobs)
    names = chosen_experiments(suite, arguments.experiments, arguments.models)
    if suite == "wsj":
        languages, data = [wsj.NAME], prepare_wsj(arguments, out)
    else:
        languages = [language for language in LANGUAGES if language in (arguments.languages or LANGUAGES)]
        if split == "dev":
            require_development(languages)
        data = Path(arguments.data)
    require_data(data, languages, split)
    start = None if arguments.init is None else arguments.init[1]
    if start is not None:
        require_start(start, data)

    from depinduce.experiments.results import Results

    there = Results.read(out, languages, seeds, split, suite, start)
    if suite == "wsj":
        require_same_sentences(there, data, out)
    cells = plan(names, languages, seeds, split)
    to_run = [cell for cell in cells if (cell.experiment, cell.language, cell.seed) not in there.cells]
    code = run_cells(to_run, data, out, arguments.jobs, len(cells) - len(to_run), start)
    results = Results.read(out, languages, seeds, split, suite, start)
    if results.cells:
        show_results(results, out)
    return code


def require_options(arguments: argparse.Namespace) -> None:
    """Refuse the options of another suite, and a suite without its data."""
    suite = arguments.what
    for option, suites in (("data", ("ud", "joint")), ("languages", ("ud", "joint")),
                           ("ptb", ("wsj",)), ("sample", ("wsj",)), ("init", ("wsj",))):  # fmt: skip
        if getattr(arguments, option) is not None and suite not in suites:
            raise DepinduceError(f"--{option} is for reproduce {' and '.join(suites)}. Leave it away.")
    if arguments.ptb is not None and arguments.sample is not None:
        raise DepinduceError("--ptb and --sample: choose one of them.")
    if suite == "wsj" and arguments.ptb is None and arguments.sample is None:
        raise DepinduceError("reproduce wsj needs your copy of the Penn Treebank: --ptb DIR (or --sample DIR).")
    if suite != "wsj" and arguments.data is None:
        raise DepinduceError(f"reproduce {suite} needs --data DIR, with LANG/train.conllu and so on.")
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


def wsj_sentences(data: Path) -> tuple[Corpus, Reading]:
    """What all experiments on WSJ learn from."""
    from depinduce.learning.held_out import training_corpus

    reading = wsj.WSJ["wsj-ndmv"].configuration().reading
    return training_corpus([str(data / wsj.NAME / "train.conllu")], reading), reading


def require_same_sentences(there: Results, data: Path, out: Path) -> None:
    """Refuse results that were made from another treebank."""
    if there.cells:
        now = wsj_sentences(data)[0].fingerprint()
        if any(cell["training_data"]["sha256"] != now for cell in there.cells.values()):
            raise DepinduceError(f"{out}: has results of other sentences than those of {data}. Choose another --out.")


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


def run_cells(cells: list[Cell], data: Path, out: Path, jobs: int, done: int, start: str | None = None) -> int:
    """Run the cells; gives the exit code."""
    if not cells:
        say(f"all {done} cells are in {out} already" if done else "nothing to run for these languages")
        return 0

    from depinduce.experiments.cells import run_cell, tasks_of, warm_up
    from depinduce.experiments.pace import Pace
    from depinduce.jobs import side_by_side

    jobs = min(jobs, len(cells))
    pace, left = Pace(data), dict(enumerate(cells))
    guess = pace.left(cells)
    say(f"{len(cells)} cells to run, {jobs} at a time, about {as_duration(guess / jobs)}; {done} are in {out} already")
    failed = 0
    try:
        warm_up(cells)
        with progress("experiments", round(guess), "s of work") as update:
            for number, result in side_by_side(run_cell, tasks_of(cells, data, out, start), jobs):
                cell = left.pop(number)
                pace.finished(cell, result["seconds"])
                if "failed" in result:
                    failed += 1
                    warn(f"{cell}: {result['failed']}")
                text = f"{len(cells) - len(left)}/{len(cells)} cells, last {cell}: {outcome(result)}"
                update(round(pace.taken), text, round(pace.taken + pace.left(list(left.values()))))
    except KeyboardInterrupt:
        say(f"interrupted; finished cells are kept in {out}. Go on with the same command")
        return INTERRUPTED
    if failed:
        warn(f"{failed} of {len(cells)} cells failed and are missing from the tables")
    return 1 if failed else 0


def outcome(result: dict) -> str:
    """The result of a cell in a few words."""
    if "failed" in result:
        return "failed"
    scores = result["scores"]["viterbi"].values()
    return "/".join("–" if uas is None else f"{uas:.1f}" for uas in scores)


def show_results(results: Results, out: Path) -> None:
    """Tables and figures of all the cells that are there: on the screen and in files."""
    from depinduce.experiments.figures import figures_of
    from depinduce.experiments.joint_tables import joint_tables
    from depinduce.experiments.ud_tables import as_markdown, in_parts, ud_tables
    from depinduce.experiments.wsj_tables import wsj_tables

    if results.codes > 1:
        warn(f"the cells in {out} come from {results.codes} states of the code: delete the older ones to be sure")
    name = results.suite if results.split == "test" else f"{results.suite}-{results.split}"
    tables = {"ud": ud_tables, "joint": joint_tables, "wsj": wsj_tables}[results.suite](results)
    files = {
        f"{name}.md": as_markdown(tables),
        f"{name}.json": json.dumps(results.to_json(), indent=2, ensure_ascii=False) + "\n",
        **figures_of(results),
    }
    for captioned in tables:
        for table in in_parts(captioned.table):
            show_table(table)
        print("\n".join(captioned.notes), end="\n\n")
    for file, text in files.items():
        write_file(out / file, text)
    say(f"wrote {', '.join(str(out / file) for file in files)}")
