"""Look over a CoNLL-U file: counts, tags, lengths, trees and problems. Exits with 1 if there are problems.

With a grammar before it, look over what that makes of the file: how many heads are probably right, what looks wrong
about the trees, and what to do about it. No gold trees are needed; it exits with 1 if the trees are poor.
"""

from __future__ import annotations

import argparse
import json

from depinduce.cli.console import show_table, show_text
from depinduce.cli.options import add_settings, given_settings, read_settings
from depinduce.corpus import Reading
from depinduce.errors import DepinduceError, InputError

EXAMPLE = """depinduce check corpus.conllu
  depinduce check grammar corpus.conllu"""
LINES_SHOWN = 5
NOT_LOOKED_AT = ("rare_tags", "lowercase", "fold_numbers", "min_length", "max_length")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", nargs="?", metavar="MODEL", help="directory that `depinduce train` wrote")
    parser.add_argument("file", metavar="FILE", help="CoNLL-U file (.gz works, - is stdin)")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    add_settings(parser, Reading, "reading", leave_out=NOT_LOOKED_AT, only_given=True)


def run(arguments: argparse.Namespace) -> int:
    from depinduce.evaluation.overview import look_over

    if arguments.model is not None:
        return check_model(arguments)
    reading = read_settings(arguments, Reading)
    try:
        overview = look_over(arguments.file, reading)
    except InputError as fault:
        if not arguments.json:
            raise
        lines = [] if fault.line is None else [fault.line]
        print(json.dumps({"path": arguments.file, "problems": {f"{fault.found}. {fault.remedy}": lines}}, indent=2))
        return 1
    if arguments.json:
        print(json.dumps(overview.to_json(), indent=2))
    else:
        show(overview)
    return 1 if overview.problems else 0


def check_model(arguments: argparse.Namespace) -> int:
    """Print what a grammar makes of a file."""
    from depinduce.learning.health import POOR
    from depinduce.parser import Parser
    from depinduce.report.run_report.place import open_place

    others = given_settings(arguments, Reading)
    if others:
        option = f"--{next(iter(others)).replace('_', '-')}"
        raise DepinduceError(f"{option}: the grammar knows how it reads files. Leave it away, or check the file alone.")
    place = open_place(arguments.model)
    seeds = [] if place.seeds is None else place.seeds.others().values()
    found = Parser(place.model).health([arguments.file], others=[Parser(model) for model in seeds])
    if arguments.json:
        print(json.dumps({"model": arguments.model, "path": arguments.file, **found.to_json()}, indent=2))
    else:
        show_text(found)
    return 1 if found.verdict == POOR else 0


def show(overview) -> None:
    words = overview.words - overview.punctuation
    show_text(
        f"{overview.path}: {_number(overview.sentences, 'sentence')}, {_number(words, 'word')} and "
        f"{_number(overview.punctuation, 'punctuation mark')}"
    )
    if overview.blocks_without_words:
        show_text(f"{_number(overview.blocks_without_words, 'block')} without words (comments or blank lines)")
    if overview.sentences:
        show_text(_about_trees(overview) + "\n")
        _show_tables(overview)
    for problem, lines in overview.problems.items():
        show_text(f"problem: {problem}{_places(lines)}{_remedy(problem, overview)}")


def _show_tables(overview) -> None:
    from depinduce.evaluation.tables import Table

    lengths = overview.lengths
    cuts = {"≤ 10": 10, "≤ 15": 15, "≤ 40": 40, f"all (longest {max(lengths, default=0)})": max(lengths, default=0)}
    rows = []
    for name, longest in cuts.items():
        chosen = {length: count for length, count in lengths.items() if length <= longest}
        rows.append([name, str(sum(chosen.values())), str(sum(length * count for length, count in chosen.items()))])
    show_table(Table("by length, punctuation not counted", ["words", "sentences", "words"], rows))
    total = max(overview.words, 1)
    rows = [[tag, str(count), f"{100 * count / total:.1f}"] for tag, count in overview.tags.most_common()]
    show_table(Table(_number(len(rows), "tag"), ["tag", "words", "%"], rows))


def _places(lines: list[int]) -> str:
    if not lines:
        return ""
    more = "" if len(lines) <= LINES_SHOWN else ", …"
    return f": {_number(len(lines), 'sentence')}, at line {', '.join(map(str, lines[:LINES_SHOWN]))}{more}"


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _remedy(problem: str, overview) -> str:
    """The remedy for tags that are missing, or stand in another column than the one that was looked at."""
    from depinduce.evaluation.overview import NO_TAG

    if problem != NO_TAG:
        return ""
    whole = [column for column, words in overview.filled.items() if words == overview.words]
    if whole:
        return f". Every word has a tag in {whole[0].upper()}: try --tags {whole[0]}"
    return ". Fill them in: depinduce tag FILE -o tagged.conllu, with --learn if few have tags"


def _about_trees(overview) -> str:
    told, others = [], overview.sentences - overview.with_trees
    if overview.with_trees:
        share = 100 * overview.non_projective / overview.with_trees
        told.append(
            f"{_number(overview.with_trees, 'sentence')} with trees: "
            f"{overview.non_projective} not projective ({share:.1f} %), {overview.several_roots} with several roots"
        )
    if others:
        lack = "no trees (HEAD is `_`)" if overview.without_heads == overview.sentences else "no whole tree"
        if overview.with_trees:
            lack = f"{_number(others, 'sentence')} without a whole tree"
        told.append(f"{lack}: {_use_without_trees(overview)}")
    return "\n".join(told)


def _use_without_trees(overview) -> str:
    from depinduce.evaluation.overview import NO_TAG

    if NO_TAG in overview.problems:
        return "fit neither for training (tags are missing) nor for scoring"
    return "fit for training, not for scoring"
