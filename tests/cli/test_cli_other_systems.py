"""The systems that the paper compares with are models like any other: seeds, resuming, inspecting, parsing."""

from __future__ import annotations

import pytest
from cli.demo_parts import demo_part, depinduce, model_files

SYSTEMS = {
    "feature-dmv": (["--recipe", "ud-feature-dmv"], "as feature-dmv, by 3 iterations of L-BFGS, start: harmonic"),
    "em": (["--model", "feature-dmv", "--set", "optimiser=em", "m_steps=5"], "by 3 iterations of EM"),
    "ln-dmv": (["--recipe", "ud-ln-dmv"], "as ln-dmv, by 3 iterations of EM, start: harmonic"),
    "shared": (["--recipe", "ud-shared-ln-dmv", "--set", "groups=verb"], "as ln-dmv, by 3 iterations of EM"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_they_are_models_like_any_other(name, tmp_path, capsys):
    options, told = SYSTEMS[name]
    train, out = demo_part(tmp_path / "train.conllu", count=30), tmp_path / "run"
    command = ["train", "--train", train, *options, "--init", "harmonic", "--iterations", 3, "--seeds", "0-1"]
    assert depinduce(*command, "--out", out) == 0
    whole = model_files(out / "seed-1")
    assert depinduce(*command, "--out", out, "--resume") == 0
    assert model_files(out / "seed-1") == whole
    capsys.readouterr()
    assert depinduce("inspect", out / "seed-0", "--head", "NOUN") == 0
    assert told in capsys.readouterr().out
    assert depinduce("parse", out, train, "-o", tmp_path / "parsed.conllu") == 0
    assert depinduce("report", out / "seed-0", "-o", tmp_path / "report.html") == 0
    assert "a grammar over tags" in (tmp_path / "report.html").read_text("utf-8")
