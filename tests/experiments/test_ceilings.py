"""A ceiling is counted from gold trees, and only from those that are there."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from experiments.tiny_worlds import run_all, shrink_worlds, tiny_worlds

from depinduce.errors import DepinduceError
from depinduce.experiments.ceilings import counted_grammar
from depinduce.experiments.experiment import Cell
from depinduce.experiments.polyglot import CEILINGS
from depinduce.experiments.suites import EXPERIMENTS

TREES = [
    ("1\tthe\t_\tDET\t_\t_\t2\t_\t_\t_\n2\tdog\t_\tNOUN\t_\t_\t3\t_\t_\t_\n3\tbarks\t_\tVERB\t_\t_\t0\t_\t_\t_\n\n"),
    ("1\tdogs\t_\tNOUN\t_\t_\t2\t_\t_\t_\n2\tsee\t_\tVERB\t_\t_\t0\t_\t_\t_\n3\tcats\t_\tNOUN\t_\t_\t2\t_\t_\t_\n\n"),
    ("1\tsleep\t_\tVERB\t_\t_\t_\t_\t_\t_\n2\tnow\t_\tADV\t_\t_\t_\t_\t_\t_\n\n"),
]
NOTHING_ADDED = {"smoothing": 0.0}


@pytest.fixture
def trees(tmp_path) -> list[str]:
    path = tmp_path / "train.conllu"
    path.write_text("".join(TREES), encoding="utf-8")
    return [str(path)]


def test_rules_are_as_frequent_as_in_the_trees(trees):
    grammar = counted_grammar(EXPERIMENTS["ceiling-first"].configuration().replace(**NOTHING_ADDED), trees).rule_view()
    tags = {tag: number for number, tag in enumerate(grammar.tags)}
    assert np.exp(grammar.table.root[tags["VERB"]]) == 1
    decision = np.exp(grammar.table.decision).reshape(2, len(tags), 2, 2)  # [side, head, has a child, STOP or GO]
    left, right = decision[:, tags["VERB"], 0, 1]  # it has a child on its left in both trees, on its right in one
    assert (left, right) == pytest.approx((1.0, 0.5))
    assert decision[0, tags["NOUN"], 0, 1] == pytest.approx(1 / 3)  # of three nouns one has a determiner


def test_a_file_without_trees_is_refused(trees):
    Path(trees[0]).write_text(TREES[2], encoding="utf-8")
    with pytest.raises(DepinduceError, match="no gold trees to count"):
        counted_grammar(EXPERIMENTS["ceiling-first"].configuration(), trees)


@pytest.mark.parametrize("name", CEILINGS)
def test_a_ceiling_knows_its_trees_and_needs_nobody(name, tmp_path, monkeypatch):
    shrink_worlds(monkeypatch, tmp_path)
    folders = tiny_worlds(tmp_path / "data")
    gold, text = (f"{folders[0]}/fr/{part}.conllu" for part in ("test", "train"))
    Path(gold).write_text(Path(text).read_text("utf-8"), encoding="utf-8")
    cell = Cell(name, "fr", 0)
    result = run_all([cell], folders, tmp_path / "out")[cell]
    assert result["scores"]["mbr"]["40"] > 80  # of the very trees that it has counted
    assert not (tmp_path / "out" / "shared").exists()
    assert EXPERIMENTS[name].sources == ("gold trees of the language's own text: supervised",)
