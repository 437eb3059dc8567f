"""Add trees to a file: HEAD is filled in, everything else stays as it is, byte for byte."""

from __future__ import annotations

import argparse
import os
import sys
import time

from depinduce.cli.console import progress, say, warn
from depinduce.errors import DepinduceError

EXAMPLE = "depinduce parse grammar tagged.conllu -o parsed.conllu"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="directory that `depinduce train` wrote")
    parser.add_argument("input", nargs="?", default="-", metavar="IN", help="CoNLL-U file (.gz works; default: stdin)")
    parser.add_argument(
        "-o", "--output", default="-", metavar="OUT", help="where to write (.gz works; default: stdout)"
    )
    decode_help = "the most probable tree, or that with the most probable arcs (default: viterbi; hdp-dep: always mbr)"
    parser.add_argument("--decode", choices=("viterbi", "mbr"), default="viterbi", help=decode_help)
    member_help = "of a joint model: both together, the part over words (first) or over tags (second) (default: joint)"
    parser.add_argument("--member", choices=("joint", "first", "second"), default="joint", help=member_help)
    parser.add_argument("--posteriors", action="store_true", help="add the probability of each arc to MISC")
    cores = os.cpu_count() or 1
    parser.add_argument("--threads", type=int, default=cores, metavar="N", help=f"for the charts (default: {cores})")


def run(arguments: argparse.Namespace) -> int:
    if arguments.threads < 1:
        raise DepinduceError(f"--threads must be at least 1, not {arguments.threads}.")
    from depinduce.corpus import open_output, read_sentences
    from depinduce.models.loading import load_model, member
    from depinduce.models.parsing import Parsing, parse_stream

    model = member(load_model(arguments.model), arguments.member)
    parsing = Parsing(arguments.decode, arguments.posteriors, arguments.threads)
    unknown: set[str] = set()
    start, sentences, words = time.perf_counter(), 0, 0
    apart = arguments.output != "-" or not sys.stdout.isatty()  # a bar among the trees would spoil both
    with progress("parsing", unit="sentences", shown=apart) as update, open_output(arguments.output) as output:
        for block in parse_stream(model, read_sentences(arguments.input), parsing):
            for text in block.rendered:
                output.write(text)
            sentences, words = sentences + block.sentences, words + block.words
            update(sentences, f"{words / (time.perf_counter() - start):,.0f} words/s")
            _warn_once(unknown, block.unknown_tags)
    seconds = time.perf_counter() - start
    say(f"parsed {sentences} sentences, {words} words in {seconds:.1f} s")
    return 0


def _warn_once(known: set[str], found: set[str]) -> None:
    new = sorted(found - known)
    if new:
        known |= found
        warn(f"tags that training has not seen, parsed like an average tag: {' '.join(new)}")
