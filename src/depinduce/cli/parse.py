"""Add trees to a file: every column but HEAD, DEPREL and DEPS stays as it is, byte for byte.

DEPREL is `root` at the root and `dep` elsewhere, and DEPS is emptied, with the empty nodes (8.1) that are only there
for it: what is written is valid CoNLL-U if what was read is. With --labels arcs have names, by what the grammar has
learned of them or else by rules over tags.

With several files, or a pattern in quotes, -o is a directory, in which files keep their base names. What is finished
there is not parsed again: after an interruption the same command goes on. --cluster does the same on several
processes or machines. --format jsonl or parquet writes tables with a row for every word.

With --k-best or --samples every tree of a sentence is a block of its own, with comments that say which it is and how
probable. Ids stay unique: the second tree of the sentence s1 has the sent_id s1-tree2, and so on.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import fields, replace
from glob import has_magic
from typing import TYPE_CHECKING

from depinduce.cli.console import as_duration, progress, say, warn
from depinduce.cli.options import CLUSTER, Renamed, add_settings, given_settings
from depinduce.cluster import require_cluster
from depinduce.corpus import Reading
from depinduce.corpus.streams import count_sentences
from depinduce.errors import DepinduceError
from depinduce.interruption import INTERRUPTED
from depinduce.models.places import MEMBERS, PARTS
from depinduce.parsing.written_forms import FORMS, form_for, require_library
from depinduce.settings import MOST, require_within

if TYPE_CHECKING:
    from depinduce.bulk.parse import Totals
    from depinduce.parser import Parser
    from depinduce.parsing.decoding import Parsing
    from depinduce.parsing.streams import Throughput

EXAMPLE = """depinduce parse grammar tagged.conllu -o parsed.conllu
  depinduce parse grammar tagged.conllu --k-best 5 --log-likelihood -o five.conllu
  depinduce parse grammar tagged.conllu --min-confidence 0.9 -o sure.conllu
  depinduce parse grammar corrected.conllu --keep-heads -o completed.conllu
  depinduce parse grammar tagged.conllu --least-sure 20
  depinduce parse grammar 'crawl/*.conllu.gz' --cluster local:2 -o parsed/"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="directory that `depinduce train` wrote")
    in_help = "CoNLL-U files or patterns such as 'crawl/*.conllu' (.gz works; default: stdin)"
    parser.add_argument("input", nargs="*", metavar="IN", help=in_help)
    out_help = "where to write (.gz works; default: stdout); of several files, a directory"
    parser.add_argument("-o", "--output", default="-", metavar="OUT", help=out_help)
    many = parser.add_argument_group("many files, and other forms")
    form_help = "conllu, or a table: jsonl (JSON lines) or parquet (default: by the ending of -o, or conllu)"
    many.add_argument("--format", choices=tuple(FORMS), help=form_help)
    many.add_argument("--cluster", metavar="WHERE", help=f"into a directory: {CLUSTER}")
    overwrite_help = "into a directory: parse everything anew, whatever is there"
    many.add_argument("--overwrite", action="store_true", help=overwrite_help)
    trees = parser.add_argument_group("which trees")
    decode_help = (
        "the most probable tree, or that with the most probable arcs (default: viterbi; hdp-dep, committees: mbr)"
    )
    trees.add_argument("--decode", choices=("viterbi", "mbr"), help=decode_help)
    trees.add_argument("--k-best", type=int, metavar="N", help="the N most probable trees of every sentence")
    trees.add_argument("--samples", type=int, metavar="N", help="N trees of every sentence, drawn by their probability")
    kept_help = "keep the heads that are in the file, and find the best tree around them"
    trees.add_argument("--keep-heads", action="store_true", help=kept_help)
    trees.add_argument("--seed", type=int, metavar="N", help="of the samples (default: 0)")
    part_help = "only this part of a joint model, or member of a committee (default: all together)"
    trees.add_argument("--part", choices=(*PARTS, *MEMBERS), help=part_help)
    language_help = "that of all sentences, whatever `# language = NAME` above them says (default: what it says)"
    trees.add_argument("--language", metavar="NAME", help=language_help)
    adapt_help = "a universal grammar: do not learn the order of the language from the sentences before parsing them"
    trees.add_argument("--no-adapt", dest="adapt", action="store_false", help=adapt_help)
    trees.add_argument("--member", action=Renamed, const="--part tags (which was second) or --part words (first)")
    add_settings(parser, Reading, "reading, if not as in training", only=("tags", "map"), only_given=True)
    told = parser.add_argument_group("what is said of them")
    labels_help = "write relations of Universal Dependencies to DEPREL, such as nsubj (default: only root and dep)"
    told.add_argument("--labels", action="store_true", help=labels_help)
    keep_help = "keep the DEPREL of words whose head stays the same"
    told.add_argument("--keep-labels", action="store_true", help=keep_help)
    metadata_help = "add the comments `# sent_id` and `# text` to sentences that have none"
    told.add_argument("--add-metadata", action="store_true", help=metadata_help)
    told.add_argument("--posteriors", action="store_true", help="add to MISC how probable it is that the head is right")
    raw_help = "the same as the grammar has it, over all trees: too sure, as no grammar is right"
    told.add_argument("--raw-posteriors", action="store_true", help=raw_help)
    told.add_argument(
        "--min-confidence", type=float, metavar="P", help="leave heads open (`_`) that are right with less than this"
    )
    unsure_help = "print no trees, but the N sentences and the N words of whose heads it is least sure"
    told.add_argument("--least-sure", type=int, metavar="N", help=unsure_help)
    told.add_argument("--json", action="store_true", help="with --least-sure: print it as JSON")
    likelihood_help = "add the log-probability of every sentence, over all its trees, as a comment"
    told.add_argument("--log-likelihood", action="store_true", help=likelihood_help)
    max_words_help = (
        "parse longer sentences, punctuation not counted, in pieces of up to N words, the root of each on that of the "
        "one before (default: all as a whole; 200 is plenty)"
    )
    parser.add_argument("--max-words", type=int, metavar="N", help=max_words_help)
    cores = os.cpu_count() or 1
    parser.add_argument("--threads", type=int, default=cores, metavar="N", help=f"for the charts (default: {cores})")


def run(arguments: argparse.Namespace) -> int:
    from depinduce.parser import Parser
    from depinduce.parsing.decoding import Parsing
    from depinduce.parsing.streams import about_unknown_tags

    options = {option.name: getattr(arguments, option.name) for option in fields(Parsing)}
    Parsing(**options)  # faults of the options show before the model is loaded
    require_fit_for_list(arguments)
    require_within(1, MOST, least_sure=arguments.least_sure)
    require_one_file_or_directory(arguments)
    form = FORMS[arguments.format] if arguments.format else form_for(arguments.output)
    require_library(form)
    reading = given_settings(arguments, Reading)
    parser = Parser.load(arguments.model, arguments.part, arguments.language, **reading)
    if arguments.least_sure is not None:
        return show_least_sure(parser, arguments)
    if into_directory(arguments):
        return parse_many(parser, arguments, Parsing(**options))
    known: set[str] = set()
    apart = arguments.output != "-" or not sys.stdout.isatty()  # a bar among the trees would spoil both
    total = count_sentences(arguments.input)
    with progress("parsing", total, "sentences", shown=apart) as update:

        def report(totals: Throughput) -> None:
            text = f"{totals.words_per_second:,.0f} words/s"
            if totals.learning is not None:
                text = f"learning from the text, {totals.learning:.0%}"
            if totals.ahead is not None:
                text += f", now {totals.ahead.words:,} words in one sentence, about {as_duration(totals.ahead.seconds)}"
            update(totals.sentences, text)
            if new := totals.unknown_tags - known:
                known.update(new)
                warn(about_unknown_tags(new))

        totals = parser.parse_file(
            arguments.input,
            arguments.output,
            adapt=arguments.adapt,
            metadata=arguments.add_metadata,
            format=form.name,
            report=report,
            **options,
        )
    if totals.learned:
        say(totals.learned)
    say(summary(totals, arguments))
    return 0


def summary(totals: Throughput | Totals, arguments: argparse.Namespace) -> str:
    """What was parsed, and how fast."""
    speed = f"{totals.words_per_second:,.0f} words/s"
    pieces = f"; {totals.cut} of them in pieces, as they have more than {arguments.max_words} words" * bool(totals.cut)
    text = f"parsed {totals.sentences} sentences, {totals.words} words in {totals.seconds:.1f} s ({speed}){pieces}"
    if arguments.min_confidence is not None:
        text += f"\n{totals.open_heads} words have no head, as it is right with less than {arguments.min_confidence}"
    return text


# ---------------------------------------------------------------- many files


def into_directory(arguments: argparse.Namespace) -> bool:
    """Whether files are parsed into a directory, and not one into another."""
    output = arguments.output
    return isinstance(arguments.input, list) or output.endswith(("/", os.sep)) or os.path.isdir(output)


def names_a_file(output: str) -> bool:
    """Whether it cannot be a directory: it is something else, or would be called like a file."""
    endings = tuple(form.ending for form in FORMS.values())
    called_so = output.removesuffix(".gz").endswith(endings) and not os.path.isdir(output)
    return output == "-" or os.path.isfile(output) or called_so


def require_one_file_or_directory(arguments: argparse.Namespace) -> None:
    """Refuse several files without a directory for them; makes `arguments.input` one file, if it is one."""
    given = arguments.input or ["-"]
    several = len(given) > 1 or (has_magic(given[0]) and not os.path.exists(given[0]))
    arguments.input = given if several else given[0]
    if several and names_a_file(arguments.output):
        form = form_for(arguments.output).name
        remedy = "-o parsed/" if form == "conllu" else f"--format {form} -o parsed/"
        raise DepinduceError(f"{' '.join(given[:2])} …: several files need a directory. Name one: {remedy}")
    if several and arguments.least_sure is not None:
        raise DepinduceError("--least-sure looks at one file. Name one.")
    if into_directory(arguments) and arguments.least_sure is None:
        require_cluster(arguments.cluster)
        return
    for option in ("cluster", "overwrite"):
        if getattr(arguments, option):
            raise DepinduceError(f"--{option} is for parsing into a directory. Write -o parsed/, or leave it away.")


def parse_many(parser: Parser, arguments: argparse.Namespace, parsing: Parsing) -> int:
    """Parse files into a directory."""
    from depinduce.bulk.files import find_files
    from depinduce.bulk.parse import Order, parse_files
    from depinduce.parsing.streams import about_unknown_tags

    posteriors = parsing.posteriors or parsing.raw_posteriors
    threads = parsing.threads if arguments.cluster is None else 1  # there are as many processes as they want
    order = Order(
        arguments.model,
        replace(parsing, posteriors=posteriors, threads=threads),
        FORMS[arguments.format or "conllu"],
        arguments.part,
        arguments.language,
        parser.model.reading if given_settings(arguments, Reading) else None,
        arguments.adapt,
        arguments.add_metadata,
    )
    given = arguments.input if isinstance(arguments.input, list) else [arguments.input]
    files, known = find_files(given), set[str]()
    with progress("parsing", None, "MB") as update:

        def report(totals: Totals) -> None:
            text = f"{totals.done} of {totals.files} files, {totals.words_per_second:,.0f} words/s"
            update(totals.bytes_done // 1_000_000, text, totals.bytes // 1_000_000 or None)
            if new := totals.unknown_tags - known:
                known.update(new)
                warn(about_unknown_tags(new))

        how = arguments.output, order, arguments.cluster, arguments.overwrite, report
        try:
            totals = parse_files(parser.model, files, *how)
        except KeyboardInterrupt:
            say(f"interrupted; what is finished is kept in {arguments.output}. Go on with the same command")
            return INTERRUPTED
    for source, learned in totals.learned.items():
        say(f"{source}: {learned}")
    if totals.there:
        say(f"{totals.there} files and parts of files were there already")
    say(f"{summary(totals, arguments)}; {totals.files} files are in {arguments.output}")
    return 0


# ---------------------------------------------------------------- where to look first


def require_fit_for_list(arguments: argparse.Namespace) -> None:
    """Refuse options for trees that are not printed."""
    trees = ("k_best", "samples", "seed", "min_confidence", "max_words")
    given = [name for name in trees if getattr(arguments, name) is not None]
    switches = ("posteriors", "raw_posteriors", "log_likelihood", "labels", "keep_labels", "add_metadata")
    given += [name for name in switches if getattr(arguments, name)]
    given += ["format"] if arguments.format not in (None, "conllu") else []
    if arguments.least_sure is None and arguments.json:
        raise DepinduceError("--json is for --least-sure: trees are written as CoNLL-U. Leave it away.")
    if arguments.least_sure is not None and given:
        option = f"--{given[0].replace('_', '-')}"
        raise DepinduceError(f"--least-sure prints a list, no trees: leave {option} away, or parse once more with it.")


def show_least_sure(parser: Parser, arguments: argparse.Namespace) -> int:
    """Print where to look first."""
    from depinduce.cli.least_sure import as_json, as_text
    from depinduce.corpus import open_output

    with (
        open_output(arguments.output) as output,
        progress("parsing", count_sentences(arguments.input), "sentences") as update,
    ):
        found = parser.least_sure(
            arguments.input,
            arguments.least_sure,
            decode=arguments.decode,
            threads=arguments.threads,
            adapt=arguments.adapt,
            report=update,
        )
        output.write(as_json(found) if arguments.json else as_text(found))
    if found.learned:
        say(found.learned)
    return 0
