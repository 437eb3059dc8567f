"""Small trainings of many kinds of models, to be killed and gone on with."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from campaign.nursery import Nursery
from cli.demo_parts import contents, demo_part, depinduce, model_files
from experiments.tiny_ud import results_in, shrink

TWO_RUNGS = ("--ladder", "ndmv", "--members", 1, "--grow-from", 0)  # recipes have more, with dozens of rounds
NETWORK = ("--epochs", 2, "--set", "start_epochs=1", "size=4", "child_rank=3", "decision_rank=2", "batch_size=16")
WORDS = ("tag_size=2", "word_size=2", "lexical_child_rank=3", "lexical_decision_rank=2")
FALLING = ("--set", "unambiguity_iterations=2")
SMALL = Path(__file__).with_name("small.toml")
MEMBERS = (f"own_recipe={SMALL}", f"student_recipe={SMALL}", "least_agreement=0")
TRAININGS = {
    "dmv": ("--model", "dmv", "--iterations", 6),
    "dmv-sibling": ("--model", "dmv-sibling", "--ladder", "dmv", "--members", 2, "--init", "random", "--iterations", 3),
    "dmv-grand": ("--model", "dmv-grand", "--iterations", 4, "--prior-strength", 1),
    "e-dmv": ("--model", "e-dmv", "--iterations", 4, "--set", "random_starts=2", "start_iterations=2"),
    "ur-e-dmv": ("--model", "e-dmv", "--init", "harmonic", "--iterations", 4, "--unambiguity", 1, *FALLING),
    "feature-dmv": ("--model", "feature-dmv", "--iterations", 5),
    "ln-dmv": ("--model", "ln-dmv", "--iterations", 3, "--set", "experts=shared"),
    "hdp-dep": ("--model", "hdp-dep", "--iterations", 3),
    "ndmv": ("--model", "ndmv", *NETWORK),
    "sibling": ("--model", "sibling", *TWO_RUNGS, *NETWORK),
    "jiang-ndmv": ("--model", "jiang-ndmv", "--epochs", 3, "--set", "m_steps=4", "tag_size=4", "valence_size=2"),
    "d-ndmv": (
        "--model",
        "d-ndmv",
        *TWO_RUNGS,
        "--epochs",
        2,
        "--set",
        "start_epochs=1",
        "batch_size=16",
        "variational=true",
    ),
    "lexical": ("--model", "lexical", *NETWORK, *WORDS),
    "joint-sibling": ("--model", "joint-sibling", *TWO_RUNGS, *NETWORK, *WORDS),
    "committee": ("--model", "committee", "--iterations", 2, "--set", "fewest_sentences=1", *MEMBERS),
}
LEFT = {"config.toml", "metrics.jsonl", "checkpoint.safetensors", "model"}  # by a training, and nothing else


@dataclass
class Trainings:
    """Where the corpus is, and what trainings give that nobody kills."""

    folder: Path
    wholes: dict[str, dict[str, bytes]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def corpus(self) -> Path:
        return self.folder / "train.conllu"

    def options(self, name: str, out: Path) -> list[object]:
        return ["train", "--train", self.corpus, "--out", out, *TRAININGS[name]]

    def whole(self, name: str, nursery: Nursery) -> dict[str, bytes]:
        """The files of the model, in a training that nobody disturbs."""
        if name not in self.wholes:
            out = self.folder / f"whole-{name}"
            ended = nursery.run(*self.options(name, out))
            assert ended.code == 0, ended.shown
            self.wholes[name], self.seconds[name] = model_files(out), ended.seconds
        return self.wholes[name]

    def require_whole(self, name: str, out: Path, nursery: Nursery) -> None:
        """Nothing is left of what happened on the way."""
        assert {path.name for path in out.iterdir()} == LEFT
        assert model_files(out) == self.whole(name, nursery)
        lines = (out / "metrics.jsonl").read_text("utf-8").splitlines()
        description = json.loads(contents(out / "model")["model.json"])
        assert [json.loads(line)["train"] for line in lines] == [
            line["train"] for line in description["history"]["rounds"]
        ]


def cells(out: Path) -> dict[str, dict]:
    """What `reproduce` found, without what it took."""
    return {name: cell | {"seconds": 0} for name, cell in results_in(out / "cells.jsonl").items()}


def make_corpus(folder: Path) -> Trainings:
    demo_part(folder / "train.conllu", count=24)
    return Trainings(folder)


def load_all() -> None:
    """Load, or compile, whatever these trainings need; experiments are small ones from now on."""
    import tempfile

    shrink(pytest.MonkeyPatch())
    with tempfile.TemporaryDirectory() as place:
        trainings = make_corpus(Path(place))
        for name in TRAININGS:
            assert depinduce(*trainings.options(name, Path(place) / name)) == 0
