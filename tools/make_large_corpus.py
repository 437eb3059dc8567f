"""Write a CoNLL-U file of as many words as wanted, drawn from a grammar, for those who measure.

    depinduce train --model dmv --train fr.conllu --non-heads ud --out grammar
    python tools/make_large_corpus.py grammar large.conllu --words 100000000

Sentences have the tags that a first-order grammar gives them, and up to --max-length words. A word is its tag and a
number, by a law of Zipf. It tells how many sentences and words there are, and how many of the first sentences, up to 20
million words, have tags that none before had. `measure_alike.py` tells that of all.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

import numba
import numpy as np

from depinduce.corpus import open_output
from depinduce.grammar.rules import GO, LEFT, RIGHT, Order
from depinduce.models.loading import load_model
from depinduce.models.tag_model import GrammarModel

VOCABULARY = 50_000
AT_ONCE = 100_000  # sentences
LOOKED_AT = 20_000_000  # words whose sentences are compared: a set of all would be large


@numba.njit
def draw(root, child, go, longest, count, seed):
    """The tags of sentences, one after the other, and their lengths; those that grow too long are drawn anew.

    root: [tag], child: [direction, head, valence, tag], both cumulative; go: [direction, head, valence]
    """
    np.random.seed(seed)
    tags, lengths = np.empty(count * longest, np.int64), np.empty(count, np.int64)
    stack, is_word = np.empty(4 * longest + 8, np.int64), np.empty(4 * longest + 8, np.bool_)
    total = sentence = 0
    while sentence < count:
        stack[0], is_word[0] = np.searchsorted(root, np.random.random()), False
        depth, words, grown = 1, 0, 1  # grown: words that there will be
        while depth and grown <= longest:
            depth -= 1
            tag = stack[depth]
            if is_word[depth]:
                tags[total + words] = tag
                words += 1
                continue
            left = np.empty(longest, np.int64)
            lefts = 0
            for direction in (RIGHT, LEFT):  # what is pushed first comes last; children come from the outside in
                valence = 0
                while grown <= longest and np.random.random() < go[direction, tag, valence]:
                    drawn = np.searchsorted(child[direction, tag, valence], np.random.random())
                    valence, grown = 1, grown + 1
                    if direction == RIGHT:
                        stack[depth], is_word[depth] = drawn, False
                        depth += 1
                    elif lefts < longest:
                        left[lefts] = drawn
                        lefts += 1
                if direction == RIGHT:
                    stack[depth], is_word[depth] = tag, True
                    depth += 1
            for k in range(lefts - 1, -1, -1):
                stack[depth], is_word[depth] = left[k], False
                depth += 1
        if grown <= longest:
            lengths[sentence] = words
            total, sentence = total + words, sentence + 1
    return tags[:total], lengths


def cumulative(log_probabilities: np.ndarray) -> np.ndarray:
    summed = np.cumsum(np.exp(log_probabilities), axis=-1)
    return summed / summed[..., -1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("grammar", help="a trained model of first order over tags")
    parser.add_argument("out", help="the file to write; .gz is packed")
    parser.add_argument("--words", type=int, default=1_000_000)
    parser.add_argument("--max-length", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path, help="write there what it tells, too")
    arguments = parser.parse_args()
    model = load_model(arguments.grammar)
    if not isinstance(model, GrammarModel) or model.order is not Order.FIRST:
        raise SystemExit(f"{arguments.grammar}: not of first order over tags. Train one: depinduce train --model dmv")
    count, random = len(model.tags), np.random.default_rng(arguments.seed)
    child = cumulative(model.table.child).reshape(2, count, 2, count)
    rules = cumulative(model.table.root), child, np.exp(model.table.decision).reshape(2, count, 2, 2)[..., GO]
    rest = [f"\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for tag in model.tags]
    names = [f"\tw{number}" for number in range(VOCABULARY + 1)]
    words = sentences = compared = 0
    seen: set[bytes] = set()
    with open_output(arguments.out) as output:
        while words < arguments.words:
            tags, lengths = draw(*rules, arguments.max_length, AT_ONCE, int(random.integers(2**31)))
            numbers = np.minimum(random.zipf(1.3, len(tags)), VOCABULARY).tolist()
            listed, blocks, place = tags.tolist(), [], 0
            for length in lengths.tolist():
                own = range(place, place + length)
                blocks += [f"{at - place + 1}{names[numbers[at]]}{rest[listed[at]]}" for at in own]
                blocks.append("\n")
                if words + place < LOOKED_AT:
                    seen.add(tags[place : place + length].astype(np.uint8).tobytes())
                    compared += 1
                place, sentences = place + length, sentences + 1
                if words + place >= arguments.words:
                    break
            output.write("".join(blocks))
            words += place
            print(f"{words:,} of {arguments.words:,} words", file=sys.stderr, flush=True)
    print(f"{sentences} sentences, {words} words; of the first {compared} sentences {len(seen)} are different")
    if arguments.json:
        told = {"sentences": sentences, "words": words, "compared": compared, "different": len(seen)}
        arguments.json.write_text(json.dumps(told, indent=2) + "\n")


if __name__ == "__main__":
    main()
