"""Convert a tagged text, or your own copy of a treebank, to the CoNLL-U files that the other commands read."""

from __future__ import annotations

import argparse
import dataclasses
import json
from pathlib import Path

from depinduce.cli.console import progress, say, show_table, warn
from depinduce.cli.options import HelpFormatter, add_settings, read_settings
from depinduce.corpus.penn import PennSettings, Split, convert, write_splits
from depinduce.corpus.penn.sections import as_choice
from depinduce.errors import DepinduceError

TAGGED = """depinduce convert tagged words.txt -o corpus.conllu
  depinduce convert tagged stts.vrt --tags xpos --punctuation '$.' '$,' '$(' -o corpus.conllu"""
PTB = """depinduce convert ptb treebank_3 -o wsj
  depinduce convert ptb nltk_data/corpora/treebank -o sample --train-sections --dev-sections 0 --test-sections 1"""
EXAMPLE = f"{TAGGED}\n  {PTB}"
ABOUT_TAGGED = """Convert a tagged text to CoNLL-U without trees, to learn from and to parse.

It has one sentence per line, as `the/DET dog/NOUN barks/VERB`; or one word per line, as word, tab, tag and perhaps
another tab and the lemma, with a blank line or `</s>` after every sentence, as TreeTagger and others write it."""
ABOUT_PTB = """Convert the bracketed trees (.mrg) of the Wall Street Journal in the Penn Treebank to dependency trees.

DIR is your copy as it comes from LDC, or a part of it with its sections (00/wsj_0001.mrg and so on). Empty elements
are removed, heads are found by rules, the Penn tag is in XPOS and its universal tag in UPOS."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="what", required=True, metavar="WHAT", title="what to convert")
    tagged = kinds.add_parser(
        "tagged",
        help="a text with a tag for every word",
        description=ABOUT_TAGGED,
        epilog=f"example:\n  {TAGGED}",
        formatter_class=HelpFormatter,
    )
    tagged.add_argument("file", metavar="FILE", help="tagged text in UTF-8 (.gz works, - is stdin)")
    tagged.add_argument(
        "-o", "--output", default="-", metavar="OUT", help="where to write (.gz works; default: stdout)"
    )
    tagged.add_argument(
        "--tags",
        choices=("upos", "xpos"),
        default="upos",
        help="where the tags go: upos for those of Universal Dependencies, xpos for others (default: upos)",
    )
    tagged.add_argument(
        "--punctuation",
        nargs="+",
        default=(),
        metavar="TAG",
        help="tags of punctuation, if these are not PUNCT (or, in xpos, those of the Penn Treebank)",
    )
    ptb = kinds.add_parser(
        "ptb",
        help="the Wall Street Journal of the Penn Treebank",
        description=ABOUT_PTB,
        epilog=f"example:\n  {PTB}",
        formatter_class=HelpFormatter,
    )
    ptb.add_argument("directory", metavar="DIR", help="has the sections, here or in directories below")
    ptb.add_argument(
        "-o", "--output", required=True, metavar="OUT", help="directory for train.conllu, dev.conllu and test.conllu"
    )
    ptb.add_argument("--json", action="store_true", help="print what was written as JSON")
    add_settings(ptb, PennSettings, "conversion")


def run(arguments: argparse.Namespace) -> int:
    return run_tagged(arguments) if arguments.what == "tagged" else run_ptb(arguments)


def run_tagged(arguments: argparse.Namespace) -> int:
    from depinduce.corpus import open_output
    from depinduce.corpus.conllu import UPOS, XPOS
    from depinduce.corpus.tagged import sentence_of
    from depinduce.corpus.tagged_text import as_columns, read_tagged

    column = {"upos": UPOS, "xpos": XPOS}[arguments.tags]
    sentences = words = 0
    with open_output(arguments.output) as output:
        for sentence in read_tagged(arguments.file):
            sentences, words = sentences + 1, words + len(sentence)
            columns = as_columns(sentence, column, arguments.punctuation)
            output.write(sentence_of(columns, str(arguments.file)).render(comments=[f"sent_id = {sentences}"]))
    say(f"wrote {sentences} sentences, {words} words with punctuation" + _then(arguments))
    return 0


def _then(arguments: argparse.Namespace) -> str:
    """What to do next with the file, if it is one."""
    tags = "" if arguments.tags == "upos" else f" --tags {arguments.tags}"
    return "" if arguments.output == "-" else f"; now try: depinduce check {arguments.output}{tags}"


def run_ptb(arguments: argparse.Namespace) -> int:
    settings, out = read_settings(arguments, PennSettings), Path(arguments.output)
    if out.exists() and not out.is_dir():
        raise DepinduceError(f"{out}: this is a file. Name a directory for the output.")
    with progress("converting", unit="files") as update:
        splits = convert(arguments.directory, settings, lambda path, done, total: update(done, path.name, total))
    paths = write_splits(splits, out)
    if arguments.json:
        print(json.dumps(summary(splits, settings, paths), indent=2))
    else:
        show(splits)
    say(f"wrote {', '.join(map(str, paths))}")
    for name in settings.sections:
        other = out / f"{name}.conllu"
        if other not in paths and other.exists():
            warn(f"{other} was there before and is not of this conversion")
    return 0


def summary(splits: dict[str, Split], settings: PennSettings, paths: list[Path]) -> dict:
    """What was done, for scripts."""
    told = {}
    for (name, split), path in zip(splits.items(), paths, strict=True):
        counts = {count: getattr(split, count) for count in ("files", "words", "empty", "too_short", "too_long")}
        told[name] = {"path": str(path), "sections": split.sections, "sentences": len(split.sentences)} | counts
    return {"settings": dataclasses.asdict(settings), "splits": told}


def show(splits: dict[str, Split]) -> None:
    from depinduce.evaluation.tables import Table

    rows = []
    for name, split in splits.items():
        counts = (split.files, len(split.sentences), split.words, split.empty, split.too_short, split.too_long)
        rows.append([name, as_choice(split.sections), *map(str, counts)])
    columns = ["", "sections", "files", "sentences", "words", "empty", "too short", "too long"]
    show_table(Table("written; empty, too short and too long sentences are left out", columns, rows))
