"""Print what a grammar has learned, in words: its roots, and for each head the children it takes on either side.

The numbers are probabilities. `NOUN takes DET on its left: 0.83` says that 83 of 100 children on the left of a noun
are determiners. Heads come in the order of how many children they have in a sentence that the grammar generates.
In a second-order grammar the lines with `after` and `under` tell where a look at the context makes the greatest
difference; in brackets stands what holds without that look. Rules below 0.01 and small differences are left to --json.
Of a universal grammar, and of one that was made from it, the lines with `heads` tell which tags head which, wherever
they stand, and on which side in how many languages; the others are those of the mean of all, or of --language.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from depinduce.cli.console import show_text
from depinduce.settings import MOST, require_within

if TYPE_CHECKING:
    from depinduce.insight.word_order import Pair
    from depinduce.models.model import Model

EXAMPLE = "depinduce inspect grammar --head NOUN VERB"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="directory that `depinduce train` wrote")
    parser.add_argument("-n", "--number", type=int, default=5, metavar="N", help="rules of each kind (default: 5)")
    parser.add_argument("--head", nargs="+", default=[], metavar="TAG", help="only these heads")
    parser.add_argument("--language", metavar="NAME", help="of a grammar of several languages, that of this one")
    parser.add_argument("--json", action="store_true", help="print everything as JSON, whatever -n says")


def run(arguments: argparse.Namespace) -> int:
    require_within(1, MOST, number=arguments.number)
    from depinduce.insight.texts import RARE, about_head, about_roots, facts_of, is_rare, title_of
    from depinduce.parser import Parser

    grammar = Parser.load(arguments.model, language=arguments.language)
    inspection = grammar.inspect(*arguments.head)
    if arguments.json:
        print(json.dumps(inspection.to_json(), indent=2, ensure_ascii=False))
        return 0
    show_text(f"{arguments.model}: " + "\n  ".join(facts_of(inspection)) + "\n")
    for statement in about_roots(inspection, arguments.number):
        show_text(statement)
    pairs = _word_order(grammar.model, arguments.head)
    left_out = []
    for head in inspection.heads:
        if is_rare(head, inspection) and not arguments.head:
            left_out.append(head.tag)
            continue
        show_text(f"\n{title_of(head)}")
        for pair in [pair for pair in pairs if pair.head == head.tag and pair.share >= RARE][: arguments.number]:
            show_text(f"  {pair}")
        for statement in about_head(head, inspection, arguments.number):
            show_text(f"  {statement}")
    if left_out:
        show_text(f"\nleft out, for they have hardly any children (name them after --head): {' '.join(left_out)}")
    for tag in arguments.head:
        if tag in inspection.non_heads:
            show_text(f"\n{tag} may not have children.")
    return 0


def _word_order(model: Model, heads: list[str]) -> list[Pair]:
    """What is told of a universal grammar, and of what was made from it."""
    from depinduce.insight.word_order import word_order

    made_from_it = model.history.get("settings", {}).get("model") in ("order-free", "committee", "polyglot")
    return word_order(model, heads) if made_from_it else []
