"""The benchmark of several processes: what it computes from what it measures, and that it runs."""

from __future__ import annotations

import json

import pytest

from depinduce.bench.scale import CASES, configuration_of, on_paper, result_of, write_text
from depinduce.bench.scale_settings import LEARNERS, ScaleBench
from depinduce.cli import main
from depinduce.corpus import load_corpus
from depinduce.corpus.alike import distinct_sentences
from depinduce.errors import DepinduceError

SETTINGS = ScaleBench(words=2000)


def test_the_text_has_the_words_that_were_asked_for_and_few_sentences_twice(tmp_path):
    for number in (1, 2):
        corpus = load_corpus(write_text(SETTINGS, number, tmp_path))
        assert number * 2000 <= len(corpus.tags) < number * 2000 + 15
        assert len(distinct_sentences(corpus)[0]) > 0.7 * len(corpus)


def test_paper_knows_what_processes_share_and_what_adding_costs():
    # a step of 1 s, 0.9 s of which are shared; adding 10 MB takes 0.01 s
    paper = on_paper(SETTINGS, 1.0, 0.1 + 0.9 / 2 + 0.01, 0.01, 1e7)
    assert paper["seconds that they share"] == pytest.approx(0.9)
    assert paper["seconds of a step that all processes spend"] == pytest.approx(0.1)
    at_64 = 0.1 + 0.9 / 64 + 2 * 63 * 20e-6 + 2 * 63 / 64 * 1e7 / 1.25e9
    assert paper["processes"]["64"]["step"] == pytest.approx(at_64)
    assert paper["processes"]["64"]["efficiency"] == pytest.approx(1 / at_64 / 64)
    # c / p² = 2 · latency where more stop to pay: p = 150, between the powers of two
    assert paper["more processes stop to pay at"] == 128


def found(seconds: float, step: float, train: float = -20.0) -> dict:
    return {"seconds": seconds, "reading": 1.0, "memory": 300.0, "step": step, "words": 100.0, "bytes": 8.0,
            "adding": 0.0, "train": train}  # fmt: skip


def test_efficiency_is_the_share_of_the_time_that_is_not_lost():
    result = result_of(SETTINGS, {"alone": found(11.0, 1.0), "strong": found(6.0, 0.5), "weak": found(12.0, 1.0)})
    assert result["efficiency"] == pytest.approx({"strong": 11 / 12, "weak": 11 / 12, "strong, without reading": 1.0})
    with pytest.raises(AssertionError, match="another likelihood"):
        result_of(SETTINGS, {"alone": found(1, 1), "strong": found(1, 1, -21.0), "weak": found(1, 1)})


def test_one_process_is_not_several():
    with pytest.raises(DepinduceError, match="processes"):
        ScaleBench(processes=1)


def test_learners_are_chosen_by_the_names_of_those_there_are():
    assert list(CASES) == list(LEARNERS) == list(SETTINGS.learners)
    with pytest.raises(DepinduceError, match="--learners cannot have .'count'.. Choose from: .'count DMV'"):
        ScaleBench(learners=("count",))
    with pytest.raises(DepinduceError, match="--learners cannot have nothing"):
        ScaleBench(learners=())


@pytest.mark.slow
def test_the_command_measures_all_learners(tmp_path, capsys):
    out = tmp_path / "scale.json"
    options = ["--words", "1500", "--iterations", "2", "--epochs", "1", "--repeats", "1", "--json", str(out)]
    assert main(["bench", "scale", *options]) == 0
    results = json.loads(out.read_text())
    assert list(results["cases"]) == list(CASES)
    for case in results["cases"].values():
        assert case["step"]["bytes"] > 0 and case["efficiency"]["weak"] > 0
    told = capsys.readouterr()
    assert "on paper" in told.out and max(map(len, told.out.splitlines())) <= 80
    assert f"measured {list(CASES)[-1]}, {len(CASES)} of {len(CASES)}" in told.err


def test_every_kind_of_learner_is_measured():
    kinds = {configuration_of(SETTINGS, case).learning.__class__.__name__ for case in CASES.values()}
    assert kinds == {"CountSettings", "HdpSettings", "PolyglotSettings", "NeuralSettings"}
    sizes = {name: configuration_of(SETTINGS, case).learning.batch_size for name, case in CASES.items()}
    assert sizes["sibling, DMO"] == SETTINGS.batch_size and sizes["sibling, DMO, large"] == SETTINGS.large_batch
    assert sizes["count DMV"] is None
