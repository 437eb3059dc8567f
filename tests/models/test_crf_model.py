"""A CRF autoencoder is a model whose trees, likelihoods and posteriors are those of all trees, one by one."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from learning.autoencoded import SMALL, Random
from learning.tagged import tagged

from depinduce.corpus.known_heads import KnownHeads
from depinduce.models.crf_model import CrfModel
from depinduce.models.places import NUMBERS
from depinduce.parsing.decoding import Parsing, parse_corpus

# ---------------------------------------------------------------- what it sums over


@pytest.mark.parametrize("non_heads", [(), ("D",), ("D", "N")])
def test_likelihoods_best_trees_and_posteriors_are_those_of_all_trees(non_heads):
    made = Random(seed=1)
    problem = made.model(non_heads).problem(SMALL)
    told = made.told(non_heads)
    assert problem.log_partition() == pytest.approx([one.log_likelihood for one in told])
    trees = problem.best_trees()
    assert trees.heads[0].tolist() == [head for one in told for head in one.best]
    assert trees.log_potential[0] == pytest.approx([one.scores.max() for one in told], abs=1e-6)
    posterior = problem.posteriors()
    for number, one in enumerate(told):
        share = np.exp(one.scores - one.log_likelihood)
        for child, token in enumerate(range(SMALL.offsets[number], SMALL.offsets[number + 1])):
            is_root = np.array([heads[child] == 0 for heads in one.trees])
            assert posterior.root[token] == pytest.approx(share[is_root].sum(), abs=1e-9)


def test_without_weights_the_decoder_decides_and_without_a_decoder_the_weights_do():
    alone, uniform = Random(seed=2, weighs=0.0), Random(seed=2, rebuilds=0.0)
    for made, part in ((alone, "decoded"), (uniform, "encoded")):
        trees = np.split(parse_corpus(made.model(), SMALL, Parsing()), SMALL.offsets[1:-1])
        for one, heads in zip(made.told(), trees, strict=True):  # the decoder sees no direction: several may be best
            scores = getattr(one, part)
            assert scores[one.trees.index(tuple(heads.tolist()))] == pytest.approx(scores.max())
    assert not np.array_equal(*(parse_corpus(made.model(), SMALL, Parsing()) for made in (alone, uniform)))


def test_known_heads_are_kept_and_do_not_change_what_the_encoder_sums_over():
    made, told = Random(seed=3), Random(seed=3).told()
    heads = np.full(len(SMALL.tags), -1, dtype=np.int32)
    heads[4:8] = [2, 0, 2, 2]  # of V D A N, the third sentence
    known = replace(SMALL, known=KnownHeads.of(heads, [()] * len(heads)))
    log_likelihood = made.model().problem(known).log_partition()[2]
    (score,) = told[2].scores[[tree == (2, 0, 2, 2) for tree in told[2].trees]]
    assert log_likelihood == pytest.approx(score)


def test_a_tag_that_nobody_knows_is_an_average_one():
    made = Random(seed=4)
    corpus = tagged("N Q V", "Q", vocabulary=SMALL.tag_vocabulary)
    problem = made.model().problem(corpus)
    assert np.isfinite(problem.log_partition()).all()
    root = [row for name, row in made.decoder.items() if name == "ROOT"][0]
    assert problem.log_partition()[1] == pytest.approx(np.log(np.mean(np.exp([*root.values()]))))


@pytest.mark.parametrize("name", ["weights", "decoder", "features"])
def test_numbers_that_cannot_be_are_refused(name, tmp_path):
    from safetensors.numpy import load_file, save_file

    model = Random(seed=7).model()
    model.save(tmp_path / "model")
    numbers = load_file(tmp_path / "model" / NUMBERS)
    numbers[name] = numbers[name][::-1].copy() if name == "features" else numbers[name] * np.nan
    save_file(numbers, tmp_path / "model" / NUMBERS)
    description = json.loads((tmp_path / "model" / "model.json").read_text("utf-8"))
    del description["sha256"]
    with pytest.raises(ValueError, match=r"features|weights|decoder"):
        CrfModel.read(tmp_path / "model", description)
