"""Draw the trees of a CoNLL-U file: in the terminal, as an SVG picture, or all of them on one HTML page.

In the terminal, arcs stand above the words where they fit, and otherwise beside them with one word per line. With
--gold, wrong heads are marked and the right ones shown on the other side of the words, in another colour; punctuation
does not count, as in scores. Labels stand in the arcs if they say more than `dep`, glosses (Gloss=… in MISC) below the
words, and translations (comments such as `# text_en = …`) below the tree. Probabilities that
`parse --posteriors` wrote are shown: in pictures, a faint arc is an improbable one.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from depinduce.cli.console import say, warn
from depinduce.cli.options import read_settings
from depinduce.corpus import MODES, Reading, Sentence, is_punctuation, open_output, read_sentences
from depinduce.errors import DepinduceError, InputError
from depinduce.settings import MOST, require_within

if TYPE_CHECKING:
    from depinduce.report.tree_picture import TreePicture

EXAMPLE = """depinduce draw parsed.conllu -n 3
  depinduce draw parsed.conllu --gold gold.conllu -o trees.html
  depinduce draw parsed.conllu --sentence 12 -o tree.svg
  depinduce parse grammar tagged.conllu --posteriors | depinduce draw"""
PICTURE_WIDTH = 1400  # pixels: words side by side that need more room than a screen has run down the page instead


def add_arguments(parser: argparse.ArgumentParser) -> None:
    file_help = "CoNLL-U file with trees (.gz works; default: stdin)"
    parser.add_argument("file", nargs="?", default="-", metavar="FILE", help=file_help)
    gold_help = "CoNLL-U file with the same words and the right trees: mark the errors"
    parser.add_argument("--gold", metavar="FILE", help=gold_help)
    output_help = (
        "tree.svg for one sentence, trees.html for all on one page, trees.txt for text (default: text on stdout)"
    )
    parser.add_argument("-o", "--output", default="-", metavar="OUT", help=output_help)

    chosen = parser.add_argument_group("which sentences")
    chosen.add_argument("--sentence", metavar="N", help="only these, counted from 1: 7, or 3-5,12")
    id_help = "only this one; may be given several times"
    chosen.add_argument("--sent-id", action="append", default=[], metavar="ID", help=id_help)
    chosen.add_argument("-n", "--number", type=int, metavar="N", help="no more than so many, the first ones")
    for option, bound in (("--min-length", "least"), ("--max-length", "most")):
        length_help = f"only those with at {bound} so many words, punctuation not counted"
        chosen.add_argument(option, type=int, metavar="N", help=length_help)

    look = parser.add_argument_group("how they look")
    tags_help = "what stands below the words: upos, xpos, or the number of a column, such as 8 (default: upos)"
    look.add_argument("--tags", default="upos", metavar="COLUMN", help=tags_help)
    punctuation_help = "what counts as punctuation, whose arcs step back and are never marked (default: auto)"
    look.add_argument("--punctuation", choices=MODES, default="auto", help=punctuation_help)
    look.add_argument("--skip-punctuation", action="store_true", help="leave punctuation out")
    width_help = (
        "room for words side by side: columns of text (default: the terminal's) or pixels of a picture "
        f"(default: {PICTURE_WIDTH}); where it does not suffice, words run down the page, and with 0 they always do"
    )
    look.add_argument("--width", type=int, metavar="N", help=width_help)
    colour_help = "colours in text: on a terminal (auto), always or never (default: auto)"
    look.add_argument("--colour", "--color", choices=("auto", "always", "never"), default="auto", help=colour_help)


def run(arguments: argparse.Namespace) -> int:
    kind = _kind_of_output(arguments.output)
    require_within(1, MOST, number=arguments.number)
    require_within(0, MOST, width=arguments.width)
    if arguments.gold == arguments.file == "-":
        raise DepinduceError("FILE and --gold cannot both be standard input. Name a file for one of them.")
    pictures = _pictures(arguments)
    if kind == "text":
        return _write_text(pictures, arguments)
    width = PICTURE_WIDTH if arguments.width is None else arguments.width
    pictures = list(pictures)
    if kind == "html":
        from depinduce.report.tree_page import overall, tree_page

        title = "standard input" if arguments.file == "-" else Path(arguments.file).name
        if arguments.gold:
            title += f" beside {Path(arguments.gold).name}"
        pieces, done = tree_page(pictures, title, width), overall(pictures)
    else:
        if len(pictures) > 1:
            raise DepinduceError(
                f"{arguments.output}: an SVG file holds one tree, and {len(pictures)} sentences are chosen. "
                "Choose one with --sentence N, or draw all on one page with -o trees.html."
            )
        pieces, done = [pictures[0].svg(width)], pictures[0].caption
    with open_output(arguments.output) as output:
        for piece in pieces:
            output.write(piece)
    say(f"wrote {arguments.output}: {done}")
    return 0


def _kind_of_output(path: str) -> str:
    """The kind of an output (text, svg or html) by the ending of its name."""
    ending = Path(path).suffix.lower()
    if path == "-" or ending in (".txt", ".text"):
        return "text"
    if ending in (".svg", ".html", ".htm"):
        return "svg" if ending == ".svg" else "html"
    raise DepinduceError(
        f"{path}: trees are drawn to .svg, .html and .txt files, and an SVG file can be made into any other picture, "
        "for instance with `rsvg-convert`. Give the output one of these endings."
    )


def _write_text(pictures: Iterator[TreePicture], arguments: argparse.Namespace) -> int:
    """Every tree as soon as it is read, so that a pipe never waits."""
    colour = arguments.colour == "always" or (arguments.colour == "auto" and _is_colourful(arguments.output))
    right = scored = drawn = 0
    with open_output(arguments.output) as output:
        for picture in pictures:
            caption = f"\x1b[2m{picture.caption}\x1b[0m" if colour else picture.caption
            output.write(f"{caption}\n\n{picture.text(arguments.width, colour)}\n")
            right, scored, drawn = right + picture.right, scored + picture.scored, drawn + 1
        if scored and drawn > 1:
            output.write(f"{drawn} sentences: {right} of {scored} heads right ({100 * right / scored:.1f}%)\n")
    return 0


def _is_colourful(output: str) -> bool:
    """Whether the output is a terminal whose user likes colours, see no-color.org."""
    return output == "-" and sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _pictures(arguments: argparse.Namespace) -> Iterator[TreePicture]:
    """The chosen sentences that have a tree; a fault if there are none."""
    from depinduce.corpus.faults import require_no_circle
    from depinduce.report.tree_picture import tree_picture

    reading = read_settings(arguments, Reading)
    drawn, headless = 0, []
    for number, sentence, gold in _chosen(arguments, reading):
        if all(head < 0 for head in sentence.heads):
            headless.append(sentence)
            continue
        for tree in (sentence, gold):
            if tree is not None:
                require_no_circle(tree)
        yield tree_picture(number, sentence, gold, reading, arguments.skip_punctuation)
        drawn += 1
        if drawn == arguments.number:
            break
    if headless and not drawn:
        raise InputError(
            headless[0].path,
            headless[0].line,
            "there is no tree to draw, as no word has a head" + (" (nor in the others)" if len(headless) > 1 else ""),
            "Parse it first: `depinduce parse MODEL FILE -o parsed.conllu`, with a model that `depinduce train` wrote.",
        )
    if headless:
        left_out = f"{len(headless)} sentence{'s' if len(headless) > 1 else ''}"
        warn(f"left out {left_out} in which no word has a head, the first at line {headless[0].line}")
    if not drawn:
        raise DepinduceError(f"{arguments.file}: no sentences to draw with these options.")


def _chosen(arguments: argparse.Namespace, reading: Reading) -> Iterator[tuple[int, Sentence, Sentence | None]]:
    """The number of every chosen sentence, the sentence, and the same of the gold file if there is one.

    Sentences are numbered from 1, blocks of comments alone not counted. What is asked for and not there is a fault.
    """
    ranges = _ranges(arguments.sentence) if arguments.sentence is not None else []
    awaited, names, number = set(arguments.sent_id), [], 0
    for number, (gold, sentence) in enumerate(_sentences(arguments), start=1):
        name = sentence.sent_id
        names.append(name)
        wanted = any(first <= number <= last for first, last in ranges) or name in arguments.sent_id
        if wanted or not (ranges or arguments.sent_id):
            awaited.discard(name)
            keep = ~is_punctuation(gold or sentence, reading.marks)
            if reading.fits(int(keep.sum())):
                yield number, sentence, gold
        if ranges and not awaited and number >= max(last for _, last in ranges):
            return
    missing = [last for _, last in ranges if last > number]
    if missing:
        has = f"{number} sentence{'s' if number != 1 else ''}"
        raise DepinduceError(f"{arguments.file}: there is no sentence {missing[0]}, as the file has {has}.")
    if awaited:
        name = min(awaited)
        close = difflib.get_close_matches(name, filter(None, names), n=1)
        hint = f"Did you mean {close[0]}?" if close else "Choose sentences by their number with --sentence."
        raise DepinduceError(f"{arguments.file}: there is no sentence with the sent_id {name}. {hint}")


def _sentences(arguments: argparse.Namespace) -> Iterator[tuple[Sentence | None, Sentence]]:
    """All sentences with words, each after that of the gold file if there is one."""
    if arguments.gold:
        from depinduce.evaluation.files import sentence_pairs

        return sentence_pairs(arguments.gold, arguments.file, trees=False)
    return ((None, sentence) for sentence in read_sentences(arguments.file) if len(sentence) > 0)


def _ranges(text: str) -> list[tuple[int, int]]:
    """The first and the last number of every part of `3-5,12`."""
    ranges = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        last = last if dash else first
        are_numbers = all(number.isdecimal() and len(number) <= len(str(MOST)) for number in (first, last))
        if not are_numbers or not 1 <= int(first) <= int(last):
            raise DepinduceError(f"--sentence {text}: these are not numbers from 1 on. Write for example 7 or 3-5,12.")
        ranges.append((int(first), int(last)))
    return ranges
