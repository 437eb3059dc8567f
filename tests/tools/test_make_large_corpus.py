"""`tools/make_large_corpus.py` draws sentences as often as their probability says."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from depinduce.chart.engine import log_partition
from depinduce.corpus import Reading, Vocabulary, load_corpus
from depinduce.grammar.multinomials import Multinomials, random_counts
from depinduce.grammar.rules import Order, tag_batch
from depinduce.models.tag_model import GrammarModel

SCRIPT = Path(__file__).parent.parent.parent / "tools" / "make_large_corpus.py"
TAGS = Vocabulary(["N", "V", "D"], [3, 2, 1])


@pytest.mark.slow
def test_sentences_are_drawn_by_their_probability(tmp_path):
    table = Multinomials.smoothed(Order.FIRST, 3, 1.0).estimate(random_counts(Order.FIRST, 3, seed=1))
    model = GrammarModel(Order.FIRST, TAGS, table, (), reading=Reading(), history={})
    model.save(tmp_path / "grammar")
    out, options = (
        tmp_path / "large.conllu",
        ["--words", "200000", "--max-length", "4", "--json", tmp_path / "told.json"],
    )
    subprocess.run([sys.executable, SCRIPT, tmp_path / "grammar", out, *options], check=True)
    corpus = load_corpus(out, tag_vocabulary=TAGS)
    assert 200_000 <= len(corpus.tags) < 200_004 and corpus.lengths.max() == 4
    sentences = [tuple(own) for own in np.split(corpus.tags, corpus.offsets[1:-1])]
    drawn = Counter(sentences)
    told = {"sentences": len(sentences), "words": len(corpus.tags), "compared": len(sentences), "different": len(drawn)}
    assert json.loads((tmp_path / "told.json").read_text()) == told

    every = [(*rest,) for n in range(1, 5) for rest in np.ndindex(*[3] * n)]
    offsets = np.cumsum([0, *map(len, every)])
    batch = tag_batch(Order.FIRST, np.concatenate(every).astype(np.int32), offsets, 3)
    probability = np.exp(log_partition(table, batch))
    expected = probability / probability.sum() * len(sentences)  # those that are longer are drawn anew
    found = np.array([drawn[own] for own in every])
    assert (np.abs(found - expected) < 5 * np.sqrt(expected) + 5).all()
