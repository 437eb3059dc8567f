"""Run the paper's experiments and set the results beside its tables.

Every training is a cell of its own, kept as soon as it is finished: a second call goes on where the first one ended.
Trees are used for scoring only, never in training.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.cli.console import progress, say, show_table, warn
from depinduce.errors import DepinduceError
from depinduce.experiments.ud import (
    DEVELOPMENT,
    EXPERIMENTS,
    LANGUAGES,
    SPLITS,
    SUITES,
    Cell,
    plan,
    require_data,
    require_development,
)
from depinduce.files import atomic_file

if TYPE_CHECKING:
    from depinduce.experiments.ud_results import Results

EXAMPLE = """depinduce reproduce ud --data ud14 --languages fr pl --experiments ndmv paper-ndmv --out ud-results
  depinduce reproduce joint --data ud14 --languages fr --seeds 1 --out joint-results"""
MODELS = ("ndmv", "sibling", "grand", "joint-sibling", "joint-grand")
SEEDS = {"ud": 5, "joint": 3}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=tuple(SUITES),
        help="ud: the paper's tables on Universal Dependencies; joint: joint training there",
    )
    parser.add_argument(
        "--data", required=True, metavar="DIR", help="has LANG/train.conllu, LANG/dev.conllu and LANG/test.conllu"
    )
    parser.add_argument("--out", metavar="DIR", help="where results go (default: ud-results or joint-results)")
    parser.add_argument("--seeds", type=int, metavar="N", help="trainings of each kind (default: ud 5, joint 3)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="trainings side by side (default: 2)")
    parser.add_argument(
        "--split", choices=SPLITS, default="test",
        help=f"whose trees are scored; dev is for development, with {' '.join(DEVELOPMENT)} only (default: test)",
    )  # fmt: skip
    described = "\n".join(
        f"{suite}:\n" + "\n".join(f"  {name:22} {experiment.about}" for name, experiment in experiments.items())
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
    suite, data = arguments.what, Path(arguments.data)
    out = Path(arguments.out or f"{suite}-results")
    seeds = SEEDS[suite] if arguments.seeds is None else arguments.seeds
    languages = [language for language in LANGUAGES if language in (arguments.languages or LANGUAGES)]
    for name, value in (("seeds", seeds), ("jobs", arguments.jobs)):
        if value < 1:
            raise DepinduceError(f"--{name} cannot be {value}: it must be 1 or more.")
    if arguments.split == "dev":
        require_development(languages)
    names = chosen_experiments(suite, arguments.experiments, arguments.models)
    require_data(data, languages, arguments.split)

    from depinduce.experiments.ud_results import Results

    there = Results.read(out, languages, seeds, arguments.split, suite)
    cells = plan(names, languages, seeds, arguments.split)
    to_run = [cell for cell in cells if (cell.experiment, cell.language, cell.seed) not in there.cells]
    code = run_cells(to_run, data, out, arguments.jobs, len(cells) - len(to_run))
    show_results(Results.read(out, languages, seeds, arguments.split, suite), out)
    return code


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
            f"None of the experiments {' '.join(names or ())} has the model {' '.join(models or ())}. "
            "Leave away --models or --experiments."
        )
    return chosen


def run_cells(cells: list[Cell], data: Path, out: Path, jobs: int, done: int) -> int:
    """Run the cells; gives the exit code."""
    if not cells:
        say(f"all {done} cells are in {out} already" if done else "nothing to run for these languages")
        return 0

    from depinduce.experiments.cells import run_cell, tasks_of, warm_up
    from depinduce.experiments.pace import Pace, as_duration
    from depinduce.jobs import side_by_side

    jobs = min(jobs, len(cells))
    pace, left = Pace(data), dict(enumerate(cells))
    guess = pace.left(cells)
    say(f"{len(cells)} cells to run, {jobs} at a time, about {as_duration(guess / jobs)}; {done} are in {out} already")
    failed = 0
    try:
        warm_up(cells)
        with progress("experiments", round(guess), "s of work") as update:
            for number, result in side_by_side(run_cell, tasks_of(cells, data, out), jobs):
                cell = left.pop(number)
                pace.finished(cell, result["seconds"])
                if "failed" in result:
                    failed += 1
                    warn(f"{cell}: {result['failed']}")
                text = f"{len(cells) - len(left)}/{len(cells)} cells, last {cell}: {outcome(result)}"
                update(round(pace.taken), text, round(pace.taken + pace.left(list(left.values()))))
    except KeyboardInterrupt:
        say(f"interrupted; finished cells are kept in {out}. Go on with the same command")
        return 130
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
    from depinduce.experiments.joint_tables import joint_tables
    from depinduce.experiments.ud_figures import ud_figures
    from depinduce.experiments.ud_tables import as_markdown, in_parts, ud_tables

    if results.codes > 1:
        warn(f"the cells in {out} come from {results.codes} states of the code: delete the older ones to be sure")
    name = results.suite if results.split == "test" else f"{results.suite}-{results.split}"
    tables, figures = (
        (ud_tables(results), ud_figures(results)) if results.suite == "ud" else (joint_tables(results), {})
    )
    files = {
        f"{name}.md": as_markdown(tables),
        f"{name}.json": json.dumps(results.to_json(), indent=2, ensure_ascii=False) + "\n",
        **figures,
    }
    for captioned in tables:
        for table in in_parts(captioned.table):
            show_table(table)
        print("\n".join(captioned.notes), end="\n\n")
    for file, text in files.items():
        with atomic_file(out / file) as temporary:
            temporary.write_text(text, encoding="utf-8")
    say(f"wrote {', '.join(str(out / file) for file in files)}")
