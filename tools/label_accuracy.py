"""How often the labels of `parse --labels` are right, if the heads are: the numbers of docs/method.md.

    python tools/label_accuracy.py ud2/*/dev.conllu                      the table of rules, on trees of UD 2
    python tools/label_accuracy.py ud14/fr/dev.conllu --learn ud14/fr/train.conllu    labels learned from some trees

Relations are compared without their subtypes; every word counts, punctuation and roots, too. Beside it: the commonest
label of each tag, counted in the very file that is scored, or in all of them together.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from depinduce.corpus import Reading, Sentence, read_sentences
from depinduce.corpus.conllu import DEPREL, UPOS, read_text
from depinduce.labels import Labeller, learn_labels, main_type, relation_table

READING = Reading()
DRAWS = 3


def right(trees: Iterable[Sentence], labels: Callable[[Sentence], list[str]]) -> float:
    """The share of words with the right label, in percent."""
    found = [
        main_type(ours) == main_type(gold)
        for tree in trees
        for ours, gold in zip(labels(tree), tree.column(DEPREL), strict=True)
    ]
    return 100 * sum(found) / len(found)


def by_tag(trees: Iterable[Sentence]) -> Callable[[Sentence], list[str]]:
    """The commonest label of each tag."""
    counts: dict[str, Counter[str]] = {}
    for tree in trees:
        for tag, label in zip(tree.column(UPOS), tree.column(DEPREL), strict=True):
            counts.setdefault(tag, Counter())[main_type(label)] += 1
    best = {tag: seen.most_common(1)[0][0] for tag, seen in counts.items()}
    return lambda tree: [best[tag] for tag in tree.column(UPOS)]


def by(labeller: Labeller) -> Callable[[Sentence], list[str]]:
    return lambda tree: labeller.labels(tree, tree.heads, READING)


def without_features(trees: Iterable[Sentence]) -> list[Sentence]:
    lines = (line.split("\t") for tree in trees for line in tree.render(ended=True).split("\n"))
    text = "\n".join("\t".join([*row[:5], "_", *row[6:]]) if len(row) == 10 else row[0] for row in lines)
    return list(read_text(text))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gold", nargs="+", metavar="FILE", help="CoNLL-U files with labelled trees")
    parser.add_argument(
        "--learn", metavar="FILE", help=f"learn from 10 to 300 trees of this file, mean of {DRAWS} draws"
    )
    arguments = parser.parse_args()
    files = {path: list(read_sentences(path, trees=True)) for path in arguments.gold}
    pooled = by_tag(tree for trees in files.values() for tree in trees)
    print(f"{'':24} by tag: all  its own   by rule  without FEATS")
    for path, trees in files.items():
        table = by(relation_table())
        shares = (right(trees, pooled), right(trees, by_tag(trees)), right(trees, table),
                  right(without_features(trees), table))  # fmt: skip
        print(f"{'/'.join(Path(path).parts[-2:]):24} {{:11.1f}} {{:8.1f}} {{:9.1f}} {{:14.1f}}".format(*shares))
    if arguments.learn:
        pool, trees = list(read_sentences(arguments.learn, trees=True)), next(iter(files.values()))
        for number in (10, 30, 100, 300):
            learned = [learn_labels(random.Random(draw).sample(pool, number), READING) for draw in range(DRAWS)]
            shares = [right(trees, by(labels or relation_table())) for labels in learned]
            print(f"learned from {number:3} trees: {sum(shares) / DRAWS:.1f}")


if __name__ == "__main__":
    main()
