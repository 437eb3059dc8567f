"""The demo corpus: 1,500 short English sentences with Universal Dependencies trees, all synthetic.

A hand-written lexicalised grammar drew the sentences; it is no part of the package (`tools/demo_corpus`).
"""

from __future__ import annotations

from pathlib import Path

SPLITS = ("train", "dev", "test")


def demo_file(split: str) -> Path:
    """The CoNLL-U file of a split: train, dev or test."""
    if split not in SPLITS:
        raise ValueError(f"there is no demo split {split!r}; choose one of {', '.join(SPLITS)}")
    return Path(__file__).parent / f"{split}.conllu"
