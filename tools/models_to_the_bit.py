"""Train every kind of model on a tiny corpus and print what came out as digests, to compare two states of the code.

    python tools/models_to_the_bit.py before.json      in one checkout, then
    python tools/models_to_the_bit.py after.json       in the other, and compare the two files

The numbers of models, and the likelihoods of their trainings, are the same to the last bit if nothing has changed.
They depend on the machine, so that no test can know them.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import sys
import tempfile
from pathlib import Path

from safetensors.numpy import load_file

from depinduce.cli import main as depinduce
from depinduce.corpus import read_sentences
from depinduce.corpus.demo import demo_file

LEARNED_FROM, HELD_OUT, LONGEST = 80, 25, 9  # sentences, and the words of one
SEEDS = (0, 1)
NETWORK = {"size": 6, "child_rank": 4, "decision_rank": 3}
WORDS = NETWORK | {
    "tag_size": 3, "word_size": 3, "lexical_child_rank": 4, "lexical_decision_rank": 3, "min_count": 3,
}  # fmt: skip
TRAININGS = {
    "dmv": {"model": "dmv", "iterations": 6, "non_heads": ["ud"], "rules": "ud"},
    "feature-dmv": {"model": "feature-dmv", "iterations": 8, "non_heads": ["ud"]},
    "feature-dmv-em": {"model": "feature-dmv", "optimiser": "em", "iterations": 3, "m_steps": 9, "rules": "ud"},
    "ln-dmv": {"model": "ln-dmv", "iterations": 4, "non_heads": ["ud"]},
    "ln-dmv-shared": {"model": "ln-dmv", "experts": "shared", "iterations": 3, "child_valence": False},
    "dmv-hard": {"model": "dmv", "iterations": 4, "em": "hard", "init": ["random"]},
    "dmv-sibling": {"model": "dmv-sibling", "iterations": 4, "non_heads": ["ud"], "prior_strength": 50.0},
    "dmv-grand": {"model": "dmv-grand", "iterations": 4, "child_valence": False},
    "e-dmv": {"model": "e-dmv", "iterations": 4, "random_starts": 3, "start_iterations": 3, "non_heads": ["ud"]},
    "ur-e-dmv": {
        "model": "e-dmv", "iterations": 6, "init": ["harmonic"], "unambiguity": 1.0, "unambiguity_iterations": 4,
    },
    "hdp-dep": {"model": "hdp-dep", "iterations": 4, "rules": "ud", "non_heads": ["ud"]},
    "hdp-words": {"model": "hdp-dep", "iterations": 3, "subsymbols": 2, "emit": "words"},
    "ndmv": {"model": "ndmv", "epochs": 3, "patience": 1, **NETWORK},
    "grand-em": {"model": "grand", "method": "em", "epochs": 2, "batch_size": 0, "start_trees": "best", **NETWORK},
    "sibling": {
        "model": "sibling", "ladder": ["ndmv", "grand"], "members": 3, "grow_from": 7, "epochs": 2, "anchor": 0.3,
        "non_heads": ["ud"], **NETWORK,
    },
    "sibling-rules": {"model": "sibling", "init": ["hdp-dep", "ud"], "rules": "ud", "epochs": 2, **NETWORK},
    "inside-out": {"model": "sibling", "generation": "inside-out", "method": "hard-em", "epochs": 2, **NETWORK},
    "jiang-ndmv": {
        "model": "jiang-ndmv", "method": "em", "epochs": 3, "batch_size": 0, "m_steps": 9, "learning_rate": 0.02,
    },
    "jiang-ndmv-hard": {
        "model": "jiang-ndmv", "method": "hard-em", "epochs": 3, "batch_size": 0, "start_trees": "best",
        "child_valence": False, "tag_size": 6, "non_heads": ["ud"],
    },
    "d-ndmv": {"model": "d-ndmv", "epochs": 2, "ladder": ["ndmv"], "non_heads": ["ud"]},
    "d-ndmv-variational": {"model": "d-ndmv", "method": "hard-em", "epochs": 2, "variational": True},
    "lexical": {"model": "lexical", "epochs": 2, "constraint": ["start"], "non_heads": ["ud"], **WORDS},
    "lexical-sibling": {"model": "lexical-sibling", "ladder": ["ndmv"], "epochs": 1, **WORDS},
    "joint-sibling": {"model": "joint-sibling", "epochs": 2, "rules": "ud", **WORDS},
    "joint-grand": {
        "model": "joint-grand", "agreement": False, "method": "em", "word_init": ["hdp-dep"], "epochs": 2, **WORDS,
    },
    "dmv-grand-languages": {"model": "dmv-grand", "iterations": 4, "non_heads": ["ud"]},
    "sibling-languages": {
        "model": "sibling", "ladder": ["ndmv"], "members": 2, "epochs": 2, "anchor": 0.3, "vector_size": 3, **NETWORK,
    },
}  # fmt: skip
LANGUAGES = "-languages"  # trainings of this name tell two languages apart


def write_corpus(path: Path, split: str, number: int) -> None:
    short = (sentence for sentence in read_sentences(demo_file(split)) if len(sentence) <= LONGEST)
    path.write_text("".join(sentence.render() for sentence, _ in zip(short, range(number), strict=False)))


def digest(directory: Path) -> dict:
    """The numbers of the model, and the likelihoods on the way to it."""
    numbers = sorted(
        hashlib.sha256(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes()).hexdigest()
        for file in directory.rglob("model.safetensors")
        for name, array in load_file(file).items()
    )
    (outermost, *_) = sorted(directory.rglob("model.json"), key=lambda path: len(path.parts))
    history = json.loads(outermost.read_text())["history"]
    rounds = history.get("rounds") or history.get("epochs") or history.get("steps")
    return {"numbers": numbers, "rounds": [[one["train"], one["dev"]] for one in rounds]}


def main(out: str) -> int:
    found = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_corpus(folder / "train.conllu", "train", LEARNED_FROM)
        write_corpus(folder / "dev.conllu", "dev", HELD_OUT)
        for name, settings in TRAININGS.items():
            recipe = folder / f"{name}.toml"
            recipe.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items()))
            for seed in SEEDS:
                directory = folder / f"{name}-{seed}"
                texts = [str(folder / "train.conllu")]
                if name.endswith(LANGUAGES):
                    texts = [f"one={texts[0]}", f"two={folder / 'dev.conllu'}"]
                files = ["--train", *texts, "--dev", str(folder / "dev.conllu")]
                with contextlib.redirect_stderr(io.StringIO()) as said:
                    code = depinduce(
                        ["train", "--recipe", str(recipe), *files, "--seed", str(seed), "--out", str(directory)]
                    )
                if code:
                    sys.exit(f"{name}: {said.getvalue()}")
                found[f"{name}-{seed}"] = digest(directory)
                print(f"{name}-{seed}", found[f"{name}-{seed}"]["rounds"][-1])
    Path(out).write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
