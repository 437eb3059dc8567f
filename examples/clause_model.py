"""A new context on an existing chart: rules that see where in the clause their head stands.

A rule of the plain DMV sees the head and its valence; a rule of dmv-grand also sees the tag of the head's head. Here
are grammars between the two. They only ask to which *group* the word above belongs: with `--groups VERB` a head is the
top of the sentence, or stands right below a verb, or below another word. So a noun below a verb (a subject, an object)
may have other habits than one below a noun, and a main verb others than a subordinate one; but every head has only
three times the rows of a DMV, where dmv-grand has one set for every tag.

The grandparent chart does not know what its contexts are. A `Batch` tells it which number each word has as a context,
and which row of the table a head uses in it. So the model is a new `Batch` (`clause_batch`) and a table of the right
shape; EM, parsing and everything else are the package's own.

The rows are sparser than those of the DMV. Therefore EM starts from the table of a trained DMV (`spread`) and adds
`--strength` pseudo-counts to every row, dealt out as that DMV would.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from comparison import options, read_corpora, reporting, require_known_tags, run

from depinduce.cli.console import show_table
from depinduce.corpus import Corpus, Reading, Vocabulary
from depinduce.errors import DepinduceError
from depinduce.evaluation.tables import Table
from depinduce.grammar.constraints import constraint
from depinduce.grammar.multinomials import Multinomials
from depinduce.grammar.rules import GO, NO, Batch, Factors, Order, RuleCounts, RuleTable
from depinduce.learning.em import CountSteps, Data, alternate
from depinduce.models.tag_model import NO_WORDS, GrammarModel
from depinduce.parsing.decoding import Parsing, parse_corpus
from depinduce.parsing.streams import parse_file

EXAMPLE = "python examples/clause_model.py --train train.conllu --test dev.conllu --groups VERB NOUN+PROPN"
ITERATIONS = 50


# ---------------------------------------------------------------- the model


@dataclass(frozen=True)
class ClauseModel:
    """A grammar whose rules see the head, its valence, and the group of the word above the head."""

    tags: Vocabulary
    groups: np.ndarray  # [tag] int32, from 0: the group of each tag as the word above
    table: RuleTable  # a row is direction, head, group or ROOT, valence
    non_heads: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    words: ClassVar[Vocabulary] = NO_WORDS
    one_table: ClassVar[bool] = True  # the same for all sentences

    def problem(self, corpus: Corpus) -> tuple[RuleTable, Batch, Factors | None]:
        """What a chart needs to parse a corpus."""
        batch = clause_batch(corpus, self.groups)
        return self.table, batch, constraint(self.tags, self.non_heads, corpus, batch)


def clause_batch(corpus: Corpus, groups: np.ndarray) -> Batch:
    """Sentences as the grandparent chart reads them, with groups of tags as its contexts."""
    require_known_tags(corpus)
    tags, root = len(groups), int(groups.max()) + 1  # ROOT comes after the groups
    slots = 2 * (root + 1)  # rows of a head in one direction: (group or ROOT) · valence
    return Batch(
        order=Order.GRANDPARENT,
        offsets=corpus.offsets,
        column=corpus.tags,  # as a child a word is its tag
        base=np.stack([corpus.tags * slots, (tags + corpus.tags) * slots], axis=1),  # as a head, too
        context=groups[corpus.tags],  # as the word above it is its group
        no_context=root,
        rows=np.arange(2 * tags * slots, dtype=np.int32),
    )


def spread(table: RuleTable, groups: np.ndarray) -> RuleTable:
    """The table of a DMV in the new rows, where the word above makes no difference yet."""

    def repeated(rules: np.ndarray) -> np.ndarray:  # [direction · head · valence, outcome]
        by_head = rules.reshape(-1, 1, 2, rules.shape[1])
        return np.repeat(by_head, groups.max() + 2, axis=1).reshape(-1, rules.shape[1])

    return RuleTable(table.root, repeated(table.child), repeated(table.decision))


def train_clause_model(name: str, dmv: GrammarModel, groups: np.ndarray, train: Corpus, strength: float) -> ClauseModel:
    """EM from the table of a DMV, whose probabilities are the prior of every row."""
    start = spread(dmv.table, groups)
    pseudo = strength * RuleCounts(*map(np.exp, (start.root, start.child, start.decision)))
    model = ClauseModel(dmv.tags, groups, start, dmv.non_heads, dmv.reading)
    _, batch, factors = model.problem(train)
    steps = CountSteps(Multinomials(batch.order, len(groups), pseudo), Data(batch, factors))
    with reporting(name, ITERATIONS) as report:
        outcome = alternate(steps, start, iterations=ITERATIONS, patience=1, report=report)
    if not outcome.finished:
        raise KeyboardInterrupt
    return replace(model, table=outcome.parameters)


# ---------------------------------------------------------------- the program


def groups_of(tags: Vocabulary, named: list[str]) -> np.ndarray:
    """The group of every tag: NOUN+PROPN are one, and all tags that are not named make the last one. [tag]"""
    groups = np.full(len(tags), len(named), dtype=np.int32)
    for number, names in enumerate(named):
        for tag in [names] if names in tags else names.split("+"):  # some tags have a + of their own
            if tag not in tags:
                raise DepinduceError(f"--groups: no training sentence has the tag {tag!r}. Tags: {' '.join(tags)}.")
            place = tags.symbols.index(tag)
            if groups[place] < len(named):
                raise DepinduceError(f"--groups: {tag} is named twice. Put every tag into one group.")
            groups[place] = number
    return groups


def show_habits(model: ClauseModel, dmv: GrammarModel, train: Corpus, names: list[str]) -> None:
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
    show_table(Table(title, ["", "dmv", *names[: model.groups.max() + 1], "ROOT"], rows))


def program(arguments: argparse.Namespace) -> None:
    comparison = read_corpora(arguments)
    tags = comparison.train.tag_vocabulary
    above = [*arguments.groups, "others"]
    chosen = " | ".join([*above, "ROOT"])
    wanted = {"others | ROOT": [], chosen: arguments.groups, "each tag | ROOT": list(tags)}
    groups = {name: groups_of(tags, named) for name, named in wanted.items()}
    dmv = comparison.plain_model("dmv", iterations=ITERATIONS)
    models: dict[str, GrammarModel | ClauseModel] = {"dmv": dmv}
    for name, group_of in groups.items():
        models[name] = train_clause_model(name, dmv, group_of, comparison.train, arguments.strength)
    comparison.show({name: parse_corpus(model, comparison.test, Parsing()) for name, model in models.items()})
    show_habits(models[chosen], dmv, comparison.train, above)
    if arguments.out:
        parse_file(models[chosen], comparison.test_file, arguments.out, Parsing())


def main(given: list[str] | None = None) -> int:
    parser = options("Train and score a DMV whose rules see the group of the word above the head.", EXAMPLE)
    parser.add_argument(
        "--groups", nargs="*", default=["VERB"], metavar="TAG+TAG",
        help="groups of tags that make a difference as the word above; the others are one more (VERB)",
    )  # fmt: skip
    parser.add_argument("--out", metavar="FILE", help="also write the test sentences with the model's trees")
    return run(program, parser, given)


if __name__ == "__main__":
    sys.exit(main())
