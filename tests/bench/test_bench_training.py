"""The training benchmark compares like with like, and tells when results differ."""

import json

import numpy as np
import pytest
import torch

from depinduce.bench import authors_way, training, yardstick
from depinduce.bench.authors_way import PlainNetwork
from depinduce.bench.training import NETWORK, YARDSTICKS, Yardstick
from depinduce.bench.training_settings import TrainingBench
from depinduce.cli import main
from depinduce.grammar.rules import Order
from depinduce.networks.tag_network import RuleNetwork

TAGS = ("NOUN", "VERB", "DET", "ADJ")


@pytest.fixture
def corpus_file(tmp_path):
    """Eleven random sentences of one to six words, without trees."""
    random = np.random.default_rng(0)
    sentences = [random.choice(TAGS, size=length) for length in (1, 1, 2, 3, 3, 3, 4, 4, 6, 6, 6)]
    rows = ["".join(f"{k}\tw\t_\t{tag}" + 6 * "\t_" + "\n" for k, tag in enumerate(tags, 1)) for tags in sentences]
    path = tmp_path / "tiny.conllu"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def settings(corpus_file):
    return TrainingBench(train=str(corpus_file), batch_size=2, seconds=0.0)


@pytest.fixture
def networks():
    """Ours and the plain one with its weights, in double precision."""
    torch.manual_seed(0)
    ours = RuleNetwork(Order.SIBLING, len(TAGS), NETWORK).double()
    return ours, PlainNetwork.like(ours, NETWORK)


def test_the_plain_network_has_the_parameters_and_the_rules_of_ours(networks):
    ours, plain = networks
    numbers = [sum(parameter.numel() for parameter in network.parameters()) for network in networks]
    assert numbers[0] == numbers[1]
    for theirs, part in zip(plain.table(), ours(), strict=True):
        torch.testing.assert_close(theirs, part, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("length", [1, 2, 3, 7])
def test_the_chart_over_positions_equals_the_chart_over_a_table(networks, length):
    ours, plain = networks
    tags = torch.randint(len(TAGS), (5, length))
    expected = yardstick.log_partition(Order.SIBLING, *ours(), tags, form=yardstick.PUBLISHED)
    torch.testing.assert_close(authors_way.log_partition(*plain.at_positions(tags)), expected)


def test_batches_hold_every_sentence_once(settings):
    corpus = training.load_sentences(settings)
    sentences = sorted(tuple(tags) for tags in np.split(corpus.tags, corpus.offsets[1:-1]))
    batches = training.batches_by_length(corpus, 2)
    assert all(len(batch.tags) <= 2 for batch in batches)
    assert sorted(tuple(tags) for batch in batches for tags in batch.tags.tolist()) == sentences
    batches = [training.padded(corpus, chosen) for chosen in training.random_batches(corpus, settings)]
    rows = [(tags, length) for batch in batches for tags, length in zip(batch.tags, batch.lengths, strict=True)]
    assert sorted(tuple(tags[:length].tolist()) for tags, length in rows) == sentences


def test_padding_changes_no_likelihood(networks):
    ours, plain = networks
    tags, lengths = torch.randint(len(TAGS), (6, 5)), torch.tensor([1, 5, 3, 2, 4, 5])
    alone = [
        yardstick.log_partition(Order.SIBLING, *ours(), tags[[k], :n], form=yardstick.PUBLISHED)
        for k, n in enumerate(lengths.tolist())
    ]
    together = yardstick.log_partition(Order.SIBLING, *ours(), tags, form=yardstick.PUBLISHED, lengths=lengths)
    torch.testing.assert_close(together, torch.cat(alone))
    torch.testing.assert_close(authors_way.log_partition(*plain.at_positions(tags), lengths), torch.cat(alone))


def test_all_ways_give_training_the_same_gradients(settings):
    training.assert_equal_results(settings, training.load_sentences(settings))


@pytest.mark.parametrize("what", ["log-likelihood", "gradient"])
def test_a_difference_in_the_results_stops_the_benchmark(what, settings, monkeypatch):
    way = YARDSTICKS["our network, growing chart, no padding"]

    def differs(like):
        network, log_likelihood = way.start(like)

        def another(batch):
            bias = network.encoder.w1.bias.sum()
            return log_likelihood(batch) + (0.1 if what == "log-likelihood" else bias - bias.detach())

        return network, another

    monkeypatch.setitem(YARDSTICKS, "another", Yardstick(differs, padding=False))
    with pytest.raises(AssertionError, match=f"{what}.*another"):
        training.assert_equal_results(settings, training.load_sentences(settings))


@pytest.mark.slow
def test_the_command_writes_everything_as_json(settings, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(training, "measure_memory", lambda _: {"peak_memory_mb": {"ours": 300.0}, "times_smaller": 1.5})
    options = ["--train", settings.train, "--batch-size", "2", "--seconds", "0", "--json", str(tmp_path / "bench.json")]
    assert main(["bench", "train", *options]) == 0
    assert "times as long as ours" in capsys.readouterr().out
    results = json.loads((tmp_path / "bench.json").read_text("utf-8"))
    assert results["benchmark"] == "train"
    assert results["corpus"]["sentences"] == 11
    assert results["batches_per_epoch"] == {"random": 6, "of one length": 7}
    seconds = results["seconds_per_epoch"]
    assert list(seconds) == ["ours", *YARDSTICKS]
    for name, ratio in results["times_faster"].items():
        assert name in results["denominator"]
        assert ratio == seconds[name] / seconds["ours"]
    assert sum(results["breakdown"].values()) == pytest.approx(seconds["ours"])
    others = results["first_order"]
    assert list(others["seconds_per_epoch"]) == ["ndmv", "d-ndmv", "d-ndmv, variational"]
    for name, ratio in others["times_as_long_as_ndmv"].items():
        assert ratio == others["seconds_per_epoch"][name] / others["seconds_per_epoch"]["ndmv"]
    assert results["peak_memory_mb"]["ours"] > 0


@pytest.mark.parametrize("name", training.FIRST_ORDER)
def test_models_beside_each_other_are_what_they_are_called(name, settings):
    made = training.new_training(settings, training.load_sentences(settings), training.FIRST_ORDER[name])
    (learner,) = made.learners
    assert type(learner).__name__ == ("TagLearner" if name == "ndmv" else "SentenceLearner")
    assert getattr(learner.network, "variational", False) == name.endswith("variational")


@pytest.mark.slow
def test_memory_is_measured_in_processes_of_their_own(settings):
    memory = training.measure_memory(settings)
    assert all(50 < peak < 3000 for peak in memory["peak_memory_mb"].values())
    assert memory["times_smaller"] == memory["peak_memory_mb"][training.AUTHORS] / memory["peak_memory_mb"]["ours"]


@pytest.mark.parametrize("options", [["--max-length", "50"], ["--batch-size", "0"], ["--threads", "0"]])
def test_what_cannot_be_measured_is_refused(options, capsys):
    assert main(["bench", "train", *options]) == 1
    assert options[0] in capsys.readouterr().err


def test_each_benchmark_has_its_own_options(capsys):
    for arguments in (["train", "--lengths", "5"], ["charts", "--train", "file"], []):
        with pytest.raises(SystemExit) as refusal:
            main(["bench", *arguments])
        assert refusal.value.code == 2
        assert "usage: depinduce bench" in capsys.readouterr().err
