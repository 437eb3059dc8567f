"""The corpus itself: different sentences, split three ways and written as CoNLL-U."""

from __future__ import annotations

from pathlib import Path

from demo_corpus.dice import Dice
from demo_corpus.sentences import sentence
from demo_corpus.tree import Node, conllu, text

SEED = 20040721
SIZES = {"train": 1200, "dev": 150, "test": 150}
NOTICE = "Synthetic English, generated from a hand-written grammar (depinduce demo corpus). CC0 1.0."


def sentences(seed: int, number: int) -> list[Node]:
    """So many different sentences."""
    dice = Dice(seed)
    found: dict[str, Node] = {}
    while len(found) < number:
        root = sentence(dice)
        found.setdefault(text(root).lower(), root)
    return list(found.values())


def corpus() -> dict[str, str]:
    """The text of the three files by the name of their split."""
    drawn = sentences(SEED, sum(SIZES.values()))
    files = {}
    start = 0
    for split, size in SIZES.items():
        files[split] = _file(split, drawn[start : start + size])
        start += size
    return files


def _file(split: str, roots: list[Node]) -> str:
    blocks = []
    for number, root in enumerate(roots, start=1):
        comments = [f"sent_id = demo-{split}-{number:04}", f"text = {text(root)}"]
        blocks.append(conllu(root, [NOTICE, *comments] if number == 1 else comments))
    return "".join(blocks)


def write(directory: Path) -> list[Path]:
    """Writes train.conllu, dev.conllu and test.conllu into the directory; gives their paths."""
    directory.mkdir(parents=True, exist_ok=True)
    paths = []
    for split, content in corpus().items():
        paths.append(directory / f"{split}.conllu")
        paths[-1].write_bytes(content.encode())
    return paths
