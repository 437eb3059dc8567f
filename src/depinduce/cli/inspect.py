"""Print what a grammar has learned, in words: its roots, and for each head the children it takes on either side.

The numbers are probabilities. `NOUN takes DET on its left: 0.83` says that 83 of 100 children on the left of a noun
are determiners. Heads come in the order of how many children they have in a sentence that the grammar generates.
In a second-order grammar the lines with `after` and `under` tell where a look at the context makes the greatest
difference; in brackets stands what holds without that look. Rules below 0.01, small differences and contexts that came
fewer than ten times in the training text are left to --json.
Of a grammar of several languages the lines with `heads` tell which tags head which, wherever they stand, and on which
side in which languages; the others are those of its universal grammar, or of --language. Of the grammar of a language
that started from a universal one they tell on which side children stand here, beside the mean of all languages.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING

from depinduce.cli.console import show_text
from depinduce.models.places import MEMBERS, PARTS
from depinduce.settings import MOST, require_within

if TYPE_CHECKING:
    from depinduce.insight.adapted_order import AdaptedOrder
    from depinduce.insight.examples import Examples
    from depinduce.insight.texts import Statement
    from depinduce.insight.word_order import Pair
    from depinduce.models.model import Model
    from depinduce.parser import Parser

EXAMPLE = """depinduce inspect grammar --head NOUN VERB
  depinduce inspect grammar --examples corpus.conllu"""
LOOKED_AT = 1000  # sentences, for examples


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", metavar="MODEL", help="directory that `depinduce train` wrote")
    parser.add_argument("-n", "--number", type=int, default=5, metavar="N", help="rules of each kind (default: 5)")
    parser.add_argument("--head", nargs="+", default=[], metavar="TAG", help="only these heads")
    part_help = "only this part of a joint model, or member of a committee"
    parser.add_argument("--part", choices=(*PARTS, *MEMBERS), help=part_help)
    parser.add_argument("--language", metavar="NAME", help="of a grammar of several languages, that of this one")
    examples_help = (
        "parse the first 1,000 sentences of this CoNLL-U file, and show the shortest example of every root and child: "
        "the (child) and its [head]"
    )
    parser.add_argument("--examples", metavar="FILE", help=examples_help)
    parser.add_argument("--json", action="store_true", help="print everything as JSON, whatever -n says")


def run(arguments: argparse.Namespace) -> int:
    require_within(1, MOST, number=arguments.number)
    from depinduce.insight.texts import RARE, about_head, about_roots, facts_of, is_rare, title_of
    from depinduce.parser import Parser

    grammar = Parser.load(arguments.model, arguments.part, arguments.language)
    inspection = grammar.inspect(*arguments.head)
    pairs, adapted = _word_order(grammar.model, arguments.head)
    if arguments.json:
        order = {"word_order": [asdict(pair) for pair in pairs]} if pairs else {}
        print(json.dumps(inspection.to_json() | order, indent=2, ensure_ascii=False))
        return 0
    whole = f"{grammar.model.about}. {grammar.model.about_rules}" if grammar.model.about_rules else ""
    member = f"its member {MEMBERS[0]}, of which the lines with `heads` tell, is " * (MEMBERS[0] in grammar.model.parts)
    facts = filter(None, [whole, *facts_of(inspection), f"{member}{adapted}" if adapted else ""])
    show_text(f"{arguments.model}: " + "\n  ".join(facts) + "\n")
    examples = _examples(grammar, arguments.examples)
    for statement in about_roots(inspection, arguments.number):
        _show(statement, examples)
    if adapted:
        show_text("\nwhat stands otherwise than in the mean of all languages (in brackets)")
        for shift in adapted.shifts(arguments.number):
            show_text(f"  {shift}: {shift.before:.0%} ({shift.mean:.0%})")
    left_out = []
    for head in inspection.heads:
        if is_rare(head, inspection) and not arguments.head:
            left_out.append(head.tag)
            continue
        show_text(f"\n{title_of(head)}")
        for pair in [pair for pair in pairs if pair.head == head.tag and pair.share >= RARE][: arguments.number]:
            show_text(f"  {pair}")
        for statement in about_head(head, inspection, arguments.number):
            _show(statement, examples, "  ")
    if left_out:
        show_text(f"\nleft out, for they have hardly any children (name them after --head): {' '.join(left_out)}")
    for tag in arguments.head:
        if tag in inspection.non_heads:
            show_text(f"\n{tag} may not have children.")
    return 0


def _examples(grammar: Parser, path: str | None) -> Examples:
    """Sentences of a file that show what the grammar does; none without a file."""
    from depinduce.corpus import read_sentences
    from depinduce.insight.examples import Examples

    examples, reader = Examples(), grammar.model.reading.tag_reader()
    if path is not None:
        for parse in grammar.parse([*islice((one for one in read_sentences(path) if len(one)), LOOKED_AT)]):
            examples.show(parse.words, [*map(reader, reader.column_of(parse.sentence))], parse.heads)
    return examples


def _show(statement: Statement, examples: Examples, indent: str = "") -> None:
    show_text(f"{indent}{statement}")
    if (example := examples.of(statement.arc)) is not None:
        show_text(f"{indent}    {example}")


def _word_order(model: Model, heads: list[str]) -> tuple[list[Pair], AdaptedOrder | None]:
    """What is told of the order of a grammar of several languages, and of what was made from a universal one."""
    from depinduce.insight.adapted_order import adapted_order, universal_of
    from depinduce.insight.word_order import word_order

    made_by = model.history.get("settings", {}).get("model")
    if not model.languages and made_by not in ("order-free", "committee", "polyglot"):
        return [], None
    universal = universal_of(model)
    adapted = None if universal is None else adapted_order(universal, model)
    return word_order(model, heads, universal), adapted
