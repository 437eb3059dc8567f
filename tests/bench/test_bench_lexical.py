"""The benchmark of models over words: what it divides by what."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from depinduce.bench import lexical
from depinduce.bench.lexical_settings import LexicalBench
from depinduce.cli import main
from depinduce.networks.word_network import LexicalNetwork

SMALL = LexicalBench(vocabulary=120, batch_size=5, max_length=4, seconds=0)


def test_all_tokens_are_in_the_vocabulary_and_only_the_sentences_in_the_batch():
    training, batch = lexical.new_training(SMALL, "lexical")
    (learner,) = training.learners
    assert len(learner.network.lexicon) == SMALL.vocabulary
    lengths = training.corpus.lengths[batch]
    assert len(batch) == SMALL.batch_size
    assert 1 <= lengths.min() <= lengths.max() <= SMALL.max_length


def test_the_bare_products_are_those_of_the_network(monkeypatch):
    """As many multiplications as the network itself does with its children and their scores."""
    shapes = []
    monkeypatch.setattr(lexical, "_product", lambda *shape: shapes.append(shape) or (lambda: None))
    training, batch = lexical.new_training(SMALL, "lexical")
    lexical.bare_products(training, batch)()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_flops=True) as profile:
        data, _ = training.train[0].take(batch)
        rules, back = training.learners[0].rules(data)
        with torch.no_grad():
            back(*(torch.zeros_like(part) for part in rules))
    done = sum(event.flops for event in profile.key_averages() if event.key in ("aten::mm", "aten::addmm"))
    bare = 3 * sum(2 * int(np.prod(shape)) for shape in shapes)
    assert bare <= done <= 2 * bare  # the batch's heads and W₄ W₃ come on top, and weigh much with so few tokens


def test_the_command_writes_everything_as_json(tmp_path, capsys, monkeypatch):
    def measured(settings, model, softmax="full"):
        return {"seconds": 0.5 if softmax == "full" else 0.125, "peak_memory_mb": 300.0}

    monkeypatch.setattr(lexical, "measure_apart", measured)
    options = ["--vocabulary", "120", "--softmax-sizes", "150", "200", "--batch-size", "5", "--max-length", "4"]
    options += ["--seconds", "0"]
    assert main(["bench", "lexical", *options, "--json", str(tmp_path / "bench.json")]) == 0
    assert "a step on 5 sentences, vocabulary 120" in capsys.readouterr().out
    results = json.loads((tmp_path / "bench.json").read_text("utf-8"))
    seconds, ratios = results["seconds_per_step"], results["ratios"]
    assert ratios["L-NDMV / bare products"] == seconds["L-NDMV"] / seconds["bare products"]
    assert ratios["joint / L-NDMV"] == seconds["joint"] / seconds["L-NDMV"]
    assert all(name in results["denominator"] for name in seconds)
    assert list(results["lexicalised sibling"]) == ["100", "120"]
    assert {size: found["full / frequency"] for size, found in results["softmax"].items()} == {"150": 4.0, "200": 4.0}


def test_another_softmax_is_noticed_before_anything_is_measured(monkeypatch):
    lexical.require_same_rules(SMALL)
    rules = LexicalNetwork._of_classes

    def half(network, *arguments):
        (root, child), back = rules(network, *arguments)
        return (root, child - 0.01), back

    monkeypatch.setattr(LexicalNetwork, "_of_classes", half)
    with pytest.raises(AssertionError, match="another softmax"):
        lexical.measure(SMALL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "softmax", "vocabulary"), [("lexical-sibling", "full", 120), ("lexical", "frequency", 1500)]
)
def test_memory_is_measured_in_a_process_of_its_own(model, softmax, vocabulary):
    measured = lexical.measure_apart(replace(SMALL, vocabulary=vocabulary), model, softmax)
    assert measured["seconds"] > 0
    assert 50 < measured["peak_memory_mb"] < 3000


@pytest.mark.parametrize("options", [["--vocabulary", "10"], ["--batch-size", "0"], ["--max-length", "50"]])
def test_impossible_settings_are_refused(options, capsys):
    assert main(["bench", "lexical", *options]) == 1
    assert options[0] in capsys.readouterr().err
