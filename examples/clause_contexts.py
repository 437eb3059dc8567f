"""What should a rule see of the word above its head? Grammars of `clause_model` with different groups, side by side.

Beside a DMV, which sees nothing: whether there is a word above or ROOT; to which of the groups after `--groups` it
belongs; its tag. Then what the grammar with these groups has learned.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
from clause_model import CLAUSE, ClauseModel, ClauseSettings, groups_of
from comparison import options, read_corpora, run

from depinduce.cli.console import show_table
from depinduce.corpus import Corpus
from depinduce.evaluation.tables import Table
from depinduce.grammar.rules import GO, NO
from depinduce.models.table import MODELS
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus

EXAMPLE = "python examples/clause_contexts.py --train train.conllu --test dev.conllu --groups VERB NOUN+PROPN"


def show_habits(model: ClauseModel, dmv: GrammarModel, train: Corpus) -> None:
    """How often a head of a frequent tag has any child on a side, by what stands above it."""
    tags = len(model.tags)
    plain = np.exp(dmv.table.decision).reshape(2, tags, 2, 2)[..., NO, GO]  # [direction, head]
    going = np.exp(model.table.decision).reshape(2, tags, -1, 2, 2)[..., NO, GO]  # [direction, head, group or ROOT]
    frequent = [tag for tag in np.argsort(-np.bincount(train.tags)) if model.tags[int(tag)] not in model.non_heads]
    rows = [
        [f"{model.tags[int(tag)]} {side}", *(f"{100 * share:.0f}" for share in (plain[way, tag], *going[way, tag]))]
        for tag in frequent[:4]
        for way, side in enumerate(("left", "right"))
    ]
    title = "how often a head has a child on that side, by the word above it (%)"
    above = [*model.groups, "others"][: model.group_of_tag.max() + 1]
    show_table(Table(title, ["", "dmv", *above, "ROOT"], rows))


def program(arguments: argparse.Namespace) -> None:
    MODELS["clause"] = CLAUSE  # for who has installed it, an entry point does this
    comparison = read_corpora(arguments)
    tags, chosen = comparison.train.tag_vocabulary, " | ".join([*arguments.groups, "others | ROOT"])
    wanted = {"others | ROOT": (), chosen: tuple(arguments.groups), "each tag | ROOT": tuple(tags)}
    for groups in wanted.values():
        groups_of(tags, groups)  # faults show before anything is trained
    models = {"dmv": comparison.plain_model("dmv")}
    for name, groups in wanted.items():
        own = vars(comparison.settings) | {"model": "clause", "groups": groups, "strength": arguments.strength}
        models[name] = comparison.trained(name, ClauseSettings(**own))
    comparison.show({name: parse_corpus(model, comparison.test, Parsing()) for name, model in models.items()})
    show_habits(models[chosen], models["dmv"], comparison.train)


def main(given: list[str] | None = None) -> int:
    parser = options("Train and score grammars whose rules see the group of the word above the head.", EXAMPLE)
    parser.add_argument(
        "--groups", nargs="*", default=["VERB"], metavar="TAG+TAG",
        help="groups of tags that make a difference as the word above; the others are one more (VERB)",
    )  # fmt: skip
    return run(program, parser, given)


if __name__ == "__main__":
    sys.exit(main())
