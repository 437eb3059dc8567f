"""Write all that is known of a training to one HTML page: settings, learning curves, scores, rules and trees.

The page is one file that needs nothing else: it can be mailed, printed, and shown on a screen. With --gold the trees of
the grammar are compared with right ones; with --sentences they are drawn by how sure the grammar is of them. A
universal grammar first learns the order of the language from that file, as with `parse`.

Of a grammar of several languages the page compares their orders and draws them on a plane; of one that started from a
universal grammar it tells which languages it is most like, and what stands on another side than there.
"""

from __future__ import annotations

import argparse
import os

from depinduce.cli.console import progress, say, warn
from depinduce.settings import MOST, MOST_THREADS, require_within

EXAMPLE = """depinduce report grammar --gold gold.conllu
  depinduce report grammar --sentences tagged.conllu -o grammar.html"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    place_help = "directory that `depinduce train` wrote: a model, a training, or one of several seeds"
    parser.add_argument("place", metavar="RUN_OR_MODEL", help=place_help)
    parser.add_argument(
        "-o",
        "--output",
        default="report.html",
        metavar="FILE",
        help="where to write (default: report.html; - is stdout)",
    )
    tried = parser.add_mutually_exclusive_group()
    tried.add_argument("--gold", metavar="FILE", help="CoNLL-U file with the right trees to compare with")
    tried.add_argument("--sentences", metavar="FILE", help="CoNLL-U file without trees, to parse and to draw")
    number_help = "draw so many of the best and of the worst trees (default: 3)"
    parser.add_argument("-n", "--number", type=int, default=3, metavar="N", help=number_help)
    cores = os.cpu_count() or 1
    parser.add_argument("--threads", type=int, default=cores, metavar="N", help=f"for the charts (default: {cores})")


def run(arguments: argparse.Namespace) -> int:
    require_within(0, MOST, number=arguments.number)
    require_within(1, MOST_THREADS, threads=arguments.threads)
    from depinduce.corpus import open_output
    from depinduce.parsing.streams import about_unknown_tags
    from depinduce.report.run_report.facts import gather
    from depinduce.report.run_report.page import report_page
    from depinduce.report.run_report.place import open_place

    place = open_place(arguments.place)
    path, has_gold = arguments.gold or arguments.sentences, arguments.gold is not None
    with progress("parsing", unit="sentences", shown=path is not None) as update:
        facts = gather(place, path, has_gold, arguments.number, arguments.threads, update)
    if facts.learned:
        say(facts.learned)
    if facts.file is not None and facts.file.unknown_tags:
        warn(about_unknown_tags(facts.file.unknown_tags))
    with open_output(arguments.output) as output:
        for piece in report_page(facts):
            output.write(piece)
    say(f"wrote {arguments.output}: open it in a browser" if arguments.output != "-" else "wrote the report")
    return 0
