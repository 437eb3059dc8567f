"""Measure how much a grammar over tags saves because sentences with the same tags are counted once.

    python tools/measure_alike.py fr/train.conllu pl/train.conllu large.conllu --cache cache --json alike.json

The work of a chart grows with the third power of the length of a sentence.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from depinduce.corpus import Reading
from depinduce.corpus.alike import distinct_sentences
from depinduce.learning.held_out import cached_corpus, training_corpus


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs="+", type=Path, help="CoNLL-U files")
    parser.add_argument("--max-length", type=int, default=15, help="the most words of a sentence (default: 15)")
    parser.add_argument("--cache", type=Path, help="folder of `train --cache`, for texts larger than memory")
    parser.add_argument("--json", type=Path, help="write everything here")
    arguments = parser.parse_args()
    reading, found = Reading(max_length=arguments.max_length), {}
    print(f"{'':30} {'sentences':>12} {'different':>12} {'words left':>11} {'work left':>10}")
    for text in arguments.texts:
        where = arguments.cache
        corpus = training_corpus([text], reading) if where is None else cached_corpus([text], reading, where)
        lengths, first = corpus.lengths, distinct_sentences(corpus)[0]
        words, work = ((lengths[first] ** power).sum() / (lengths**power).sum() for power in (1, 3))
        print(f"{str(text)[-30:]:30} {len(corpus):12,} {len(first):12,} {words:11.0%} {work:10.0%}", flush=True)
        found[str(text)] = {
            "sentences": len(corpus),
            "different": len(first),
            "words_left": float(words),
            "chart_work_left": float(work),
        }
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
