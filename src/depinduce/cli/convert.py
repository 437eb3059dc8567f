"""Convert what you have to the CoNLL-U files that the other commands read: tagged texts, tables, texts of FLEx and
ELAN, documents of spaCy, or your own copy of the Penn Treebank."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.cli.console import progress, say, show_table, warn
from depinduce.cli.options import HelpFormatter, add_settings, read_settings
from depinduce.corpus.penn import PennSettings, Split, convert, write_splits
from depinduce.corpus.penn.sections import as_choice
from depinduce.errors import DepinduceError

if TYPE_CHECKING:
    from depinduce.corpus.formats.brought import Conversion, Opened

TAGGED = """depinduce convert tagged words.txt -o corpus.conllu
  depinduce convert tagged stts.vrt --tags xpos --punctuation '$.' '$,' '$(' -o corpus.conllu"""
TABLE = """depinduce convert table words.csv -o corpus.conllu
  depinduce convert table words.tsv --word-column 2 --tag-column category --no-header -o corpus.conllu"""
PLAIN = "depinduce convert plain text.txt -o untagged.conllu"
FLEXTEXT = "depinduce convert flextext story.flextext --map tags.toml -o corpus.conllu"
ELAN = """depinduce convert elan recording.eaf -o corpus.conllu
  depinduce convert elan recording.eaf --tag-tier ps --word-tier mot --translation-tier ft -o corpus.conllu"""
SPACY = "depinduce convert spacy docs.spacy -o corpus.conllu"
PTB = """depinduce convert ptb treebank_3 -o wsj
  depinduce convert ptb nltk_data/corpora/treebank -o sample --train-sections --dev-sections 0 --test-sections 1"""
EXAMPLE = f"{TAGGED}\n  {TABLE}\n  {PLAIN}\n  {FLEXTEXT}\n  {ELAN}\n  {SPACY}\n  {PTB}"
ABOUT_TAGGED = """Convert a tagged text to CoNLL-U without trees, to learn from and to parse.

It has one sentence per line, as `the/DET dog/NOUN barks/VERB`, with a slash, `_` or `|` before the tag; or one word per
line, as word, tab, tag and perhaps other columns, with a blank line or `</s>` after every sentence, as TreeTagger and
others write it. What was taken for what is told."""
ABOUT_TABLE = """Convert a table with a word per row, CSV or TSV, to CoNLL-U without trees.

Columns are found by their names in the header, or by what is in them, and what each was taken for is told. Options say
it better: by name, or by number from 1. Sentences end at blank lines, where the sentence column changes, or where the
numbers of words begin again at 1; if there is none of these, after `.`, `!` and `?`."""
ABOUT_PLAIN = """Convert a text without tags to CoNLL-U without tags, for `depinduce tag` to fill in.

It has a sentence per line, with spaces between words and before punctuation."""
ABOUT_FLEXTEXT = """Convert interlinear texts that FLEx exported (.flextext) to CoNLL-U without trees.

The tag of a word is its category or, if it has none, that of its stem. Glosses are kept in MISC and translations in
comments; `draw` shows them under the trees."""
ABOUT_ELAN = """Convert annotations of ELAN (.eaf) to CoNLL-U without trees.

Words are what the annotations of the tier of tags hang on, sentences what the words hang on. A tier `pos` may be there
for every speaker, as `pos@A`. Glosses are kept in MISC and translations in comments; `draw` shows them under the
trees."""
ABOUT_SPACY = """Convert tagged documents of spaCy (a DocBin, .spacy) to CoNLL-U without trees.

Universal tags go to UPOS, others to XPOS. Needs the extra `spacy`."""
ABOUT_PTB = """Convert the bracketed trees (.mrg) of the Wall Street Journal in the Penn Treebank to dependency trees.

DIR is your copy as it comes from LDC, or a part of it with its sections (00/wsj_0001.mrg and so on). Empty elements
are removed, heads are found by rules, the Penn tag is in XPOS and its universal tag in UPOS."""
MOST_TAGS = 25  # in a message


def add_arguments(parser: argparse.ArgumentParser) -> None:
    kinds = parser.add_subparsers(dest="what", required=True, metavar="WHAT", title="what to convert")
    tagged = _add(kinds, "tagged", "a text with a tag for every word", ABOUT_TAGGED, TAGGED)
    tagged.add_argument(
        "--separator", metavar="MARK", help="what stands before a tag (default: the commonest of / _ |)"
    )
    table = _add(kinds, "table", "a table with a word per row, CSV or TSV", ABOUT_TABLE, TABLE)
    for part in ("word", "tag", "lemma", "gloss", "sentence"):
        column_help = f"the column of the {part}s, by name or by number from 1"
        table.add_argument(f"--{part}-column", metavar="COLUMN", help=column_help)
    header_help = "the first row has names of columns, or is a word (default: what it looks like)"
    table.add_argument("--header", action=argparse.BooleanOptionalAction, default=None, help=header_help)
    _add(kinds, "plain", "a text without tags, for `depinduce tag`", ABOUT_PLAIN, PLAIN, tags=False)
    _add(kinds, "flextext", "interlinear texts of FLEx", ABOUT_FLEXTEXT, FLEXTEXT)
    elan = _add(kinds, "elan", "annotations of ELAN", ABOUT_ELAN, ELAN)
    for part in ("tag", "word", "gloss", "translation"):
        elan.add_argument(f"--{part}-tier", metavar="TIER", help=f"the tier of the {part}s (default: by its name)")
    _add(kinds, "spacy", "tagged documents of spaCy", ABOUT_SPACY, SPACY, tags=False)
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


def _add(kinds, name: str, what: str, about: str, example: str, tags: bool = True) -> argparse.ArgumentParser:
    """A subcommand that reads a file and writes one."""
    parser = kinds.add_parser(
        name, help=what, description=about, epilog=f"example:\n  {example}", formatter_class=HelpFormatter
    )
    parser.add_argument("file", metavar="FILE", help="the file, a text in UTF-8 (.gz works, - is stdin)")
    parser.add_argument(
        "-o", "--output", default="-", metavar="OUT", help="where to write (.gz works; default: stdout)"
    )
    parser.set_defaults(tags="upos", punctuation=(), map=None)
    if tags:
        tags_help = "where the tags go: upos for those of Universal Dependencies, xpos for others (default: upos)"
        parser.add_argument("--tags", choices=("upos", "xpos"), help=tags_help)
        marks_help = "tags of punctuation, if these are not PUNCT (or, in xpos, those of the Penn Treebank)"
        parser.add_argument("--punctuation", nargs="+", metavar="TAG", help=marks_help)
        map_help = (
            'the universal tags of yours, as a TOML file with lines such as n = "NOUN", or a name such as penn: they '
            "go to UPOS, and yours to XPOS"
        )
        parser.add_argument("--map", metavar="FILE", help=map_help)
    return parser


def run(arguments: argparse.Namespace) -> int:
    return run_ptb(arguments) if arguments.what == "ptb" else run_file(arguments)


def run_file(arguments: argparse.Namespace) -> int:
    """Convert a file of words; what was taken for what, and how it went, is told on stderr."""
    from depinduce.corpus import Reading, open_output
    from depinduce.corpus.formats.brought import Conversion, name_of, shown
    from depinduce.corpus.tag_maps import load_map

    tag_map = None if arguments.map is None else load_map(arguments.map)
    conversion = Conversion(Reading(tags=arguments.tags).tag_column, arguments.punctuation, tag_map)
    name = name_of(arguments.file)
    with open_output(arguments.output) as output:
        opened = _opened(arguments)
        say(f"{name}: " + "\n".join(opened.taken))
        for brought in opened.sentences:
            if not conversion.sentences:
                say(f"  the first sentence: {shown(brought.words)}")
            output.write(conversion.sentence(brought, name).render())
    if conversion.unmapped:
        told = _listed(conversion.unmapped)
        warn(f'the map has no line for {told}; these tags stay as they are. Add lines such as n = "NOUN" to it.')
    if conversion.tags:
        say(f"  tags: {_listed(conversion.tags)}")
    say(
        f"wrote {conversion.sentences} sentences, {conversion.words} words with punctuation"
        + _then(arguments, conversion)
    )
    return 0


def _opened(arguments: argparse.Namespace) -> Opened:
    from depinduce.corpus.formats import elan, flextext, tables, tagged_text

    if arguments.what == "tagged":
        return tagged_text.read_tagged(arguments.file, arguments.separator)
    if arguments.what == "plain":
        return tagged_text.read_plain(arguments.file)
    if arguments.what == "table":
        parts = ("word", "tag", "lemma", "gloss", "sentence")
        columns = {part: getattr(arguments, f"{part}_column") for part in parts}
        return tables.read_table(arguments.file, tables.Columns(**columns, header=arguments.header))
    if arguments.what == "flextext":
        return flextext.read_flextext(arguments.file)
    if arguments.what == "elan":
        named = {part: getattr(arguments, f"{part}_tier") for part in ("tag", "word", "gloss", "translation")}
        return elan.read_elan(arguments.file, elan.Tiers(**named))
    from depinduce.bridges.spacy_docs import read_docs

    return read_docs(arguments.file)


def _listed(tags: Counter[str]) -> str:
    """The commonest tags, each with its number of words."""
    more = f" and {len(tags) - MOST_TAGS} more" if len(tags) > MOST_TAGS else ""
    return ", ".join(f"{tag} {count}" for tag, count in tags.most_common(MOST_TAGS)) + more


def _then(arguments: argparse.Namespace, conversion: Conversion) -> str:
    """What to do next with the file, if it is one."""
    tags = "" if arguments.tags == "upos" or arguments.map else f" --tags {arguments.tags}"
    out = "FILE" if arguments.output == "-" else arguments.output
    if conversion.untagged:
        learn = "" if conversion.tags else " --learn tagged.conllu"
        told = f"{conversion.untagged} of these words have no tag"
        return f"; {told}: fill them in with depinduce tag {out}{learn}{tags} -o tagged-{Path(out).name}"
    return "" if arguments.output == "-" else f"; now try: depinduce check {out}{tags}"


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
