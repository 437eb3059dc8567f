"""A small Penn Treebank made in sight of the tests that use it."""

from __future__ import annotations

from pathlib import Path

BIRDS = """
( (S
    (NP-SBJ-1 (NNS Birds) )
    (VP (VBD were)
      (VP (VBN seen)
        (NP (-NONE- *-1) )
        (PP-LOC (IN in) (NP (DT the) (NN yard) ))))
    (. .) ))
"""


def penn(folder: Path, **files: str) -> Path:
    """A treebank of these files, `wsj_0001="( (S …"`, each in the directory of its section."""
    for name, text in files.items():
        path = folder / name[4:6] / f"{name}.mrg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return folder
