"""The whole way on French: as good as promised, in seconds, and without a look at the trees."""

from __future__ import annotations

import json
import time

import pytest
from cli.demo_parts import depinduce, without_heads
from corpus.blocks import write
from real_data import real_files

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not real_files("ud14/fr/train.conllu"), reason="the real treebanks are not here"),
]


def test_the_defaults_learn_french_in_seconds(tmp_path, capsys):
    (train,), (dev,) = real_files("ud14/fr/train.conllu"), real_files("ud14/fr/dev.conllu")
    model, parsed = tmp_path / "model", tmp_path / "parsed.conllu"
    options = ["--non-heads", "ud", "--iterations", 1]
    assert depinduce("train", "--train", train, *options, "--out", tmp_path / "once") == 0  # the charts are compiled
    begin = time.perf_counter()
    assert depinduce("train", "--train", train, "--non-heads", "ud", "--out", model) == 0
    assert time.perf_counter() - begin < 60
    assert depinduce("parse", model, dev, "-o", parsed) == 0
    capsys.readouterr()
    assert depinduce("evaluate", dev, parsed, "--json") == 0
    assert json.loads(capsys.readouterr().out)["by_length"]["15"]["uas"] > 58


@pytest.mark.parametrize("model", ["dmv", "dmv-sibling"])
def test_blanked_heads_give_the_bit_identical_model_of_french(model, tmp_path):
    gold, held_out = (real_files(f"ud14/fr/{split}.conllu")[0].read_text("utf-8") for split in ("train", "dev"))
    for name, change in (("gold", str), ("blank", without_heads)):
        train, dev = (write(tmp_path / f"{name}-{n}.conllu", change(text)) for n, text in enumerate((gold, held_out)))
        options = ["--train", train, "--dev", dev, "--model", model, "--non-heads", "ud", "--iterations", 8]
        assert depinduce("train", *options, "--out", tmp_path / name) == 0
    assert (tmp_path / "gold-0.conllu").read_bytes() != (tmp_path / "blank-0.conllu").read_bytes()
    tables = [(tmp_path / name / "model" / "model.safetensors").read_bytes() for name in ("gold", "blank")]
    assert tables[0] == tables[1]
