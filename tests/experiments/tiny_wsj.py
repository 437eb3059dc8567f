"""A Penn Treebank of a made-up language in the layouts of LDC and of the sample, and made-up results on it.

None of its words is a word of English, so that they can be looked for in other files.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from corpus.penn_files import penn

from depinduce.experiments.cells import SHARED
from depinduce.experiments.wsj import LENGTHS, NAME, SAMPLE_TRAIN

NOUN_PHRASES = (
    "(DT voxu) (NN wugo)",
    "(NNP Blik)",
    "(DT voxu) (JJ zorny) (NN daxol)",
    "(PRP zelq)",
    "(CD kwar) (NNS wugos)",
    "(JJ fepi) (NNS daxols)",
    "(NNP Blik) (NNP Qorn)",
)
VERBS = ("(VBD gorpt)", "(VBZ gorpez)", "(VBD tomft)")
LONG = "(PP (IN uxxo) (NP (DT voxu) (NN wugo)))"
DOT = "(. .)"


def tree(number: int, *, long: bool = False) -> str:
    """A sentence of 3 to 9 words, or of more than 10 if it is to be long; those of different numbers mostly differ."""
    subject, thing = NOUN_PHRASES[number % 7], NOUN_PHRASES[(number // 7 + 3 * number + 1) % 7]
    verb, adverb = VERBS[number % 3], "(ADVP (RB snev))" if number % 4 == 0 else ""
    place = f"(PP (IN uxxo) (NP {NOUN_PHRASES[(number * 5 + 2) % 7]}))" if number % 2 else ""
    more = LONG * 4 if long else ""
    return f"( (S (NP-SBJ {subject}) (VP {verb} (NP {thing}) {place} {adverb} {more}) {DOT}) )\n"


def trees(first: int, count: int) -> str:
    """So many sentences, the last of them long."""
    return "".join(tree(first + number, long=number == count - 1) for number in range(count))


def treebank(folder: Path) -> Path:
    """Sections 2 to 21 of two sentences each, 22 and 23 of twelve, where LDC has them."""
    files = {f"wsj_{section:02}00": trees(2 * section, 2) for section in range(2, 22)}
    evaluated = {"wsj_2200": trees(100, 12), "wsj_2300": trees(205, 12)}
    return penn(folder / "parsed" / "mrg" / "wsj", **files, **evaluated).parents[2]


def sample(folder: Path) -> Path:
    """Sections 0 and 1 of twelve sentences each, and thirty sentences with tags but without trees."""
    penn(folder / "mrg", wsj_0001=trees(100, 12), wsj_0101=trees(205, 12))
    (folder / SAMPLE_TRAIN).write_text("".join(unlabelled(tree(number)) for number in range(30)), encoding="utf-8")
    return folder


def unlabelled(text: str) -> str:
    """The words and tags of a tree in CoNLL-U, with punctuation."""
    tagged = enumerate(re.findall(r"\(([^() ]+) ([^() ]+)\)", text), start=1)
    return "".join(f"{number}\t{word}\t_\t_\t{tag}" + "\t_" * 5 + "\n" for number, (tag, word) in tagged) + "\n"


def words() -> set[str]:
    """All words of the language."""
    return set(re.findall(r"[A-Za-z]+(?=\))", " ".join((*NOUN_PHRASES, *VERBS, LONG, tree(0)))))


def starts_in(out: Path) -> list[np.ndarray]:
    """The trees of HDP-DEP that cells share; a first rung that they share has a history as well."""
    shared = [dict(np.load(path)) for path in (out / SHARED).glob("*.npz")]
    return [arrays["heads"] for arrays in shared if set(arrays) == {"heads"}]


def made_up_cell(experiment: str, seed: int, uas: float, **more: Any) -> dict[str, Any]:
    """The result of a cell that was never run.

    UAS of all sentences is ten lower, minimum Bayes risk one higher, one part alone 20 (words) or 5 (tags) lower.
    """

    def scores(short: float) -> dict[str, dict[str, float]]:
        both = dict(zip(LENGTHS, (short, short - 10), strict=True))
        return {"viterbi": both, "mbr": {length: value + 1 for length, value in both.items()}}

    return {
        "experiment": experiment,
        "language": NAME,
        "seed": seed,
        "code": "0",
        "scores": scores(uas),
        "parts": {"words": scores(uas - 20), "tags": scores(uas - 5)},
        "log_likelihood": {"train": -20.0 - seed, "dev": -21.0},
        "epochs": 3,
        "seconds": 1.5,
        "history": [],
        **more,
    }
