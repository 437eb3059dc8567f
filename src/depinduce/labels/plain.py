"""The least that may stand in DEPREL: `root` at the root and `dep` elsewhere; and labels that a file has already."""

from __future__ import annotations

from collections.abc import Sequence

from depinduce.corpus import Sentence
from depinduce.corpus.conllu import DEPREL

ROOT, UNNAMED, UNKNOWN = "root", "dep", "_"


def plain_labels(heads: Sequence[int]) -> list[str]:
    """The labels of arcs of which nothing more is known; none where the head is unknown (-1)."""
    return [ROOT if head == 0 else UNNAMED if head > 0 else UNKNOWN for head in heads]


def with_kept_labels(sentence: Sentence, heads: Sequence[int], labels: Sequence[str]) -> list[str]:
    """The labels of other heads for a sentence, but its own ones where the head is still the same.

    One that was wrong before is not kept: none at all, `root` where there is a head, and anything else at the root.
    """
    columns = zip(sentence.column(DEPREL), sentence.heads, heads, labels, strict=True)
    return [old if head == before and _fits(old, head) else new for old, before, head, new in columns]


def main_type(label: str) -> str:
    """A relation without its subtype: `nmod:poss` is an `nmod`."""
    return label.partition(":")[0]


def says_more(label: str) -> bool:
    """Whether a label tells more than that there is an arc."""
    return main_type(label) not in ("", ROOT, UNNAMED, UNKNOWN)


def _fits(label: str, head: int) -> bool:
    return label not in ("", UNKNOWN) and (main_type(label) == ROOT) == (head == 0)
