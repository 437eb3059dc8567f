"""Labels learned from trees that have some, by counting; where little was seen, the table of rules decides.

Arcs are counted in contexts from coarse to fine, the coarsest being what the table calls them. So ten trees suffice to
learn that a treebank says `dobj` where the table says `obj`. In each context the labels that were seen there are mixed
with what the next coarser one says, which counts as much as STRENGTH arcs:

    p(label | context) = (count(label, context) + STRENGTH · p(label | coarser context)) / (count(context) + STRENGTH)

and the coarsest is mixed with the table's own label. The main relation with the largest sum wins, and of its subtypes
the largest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from depinduce.corpus import Reading, Sentence
from depinduce.corpus.conllu import DEPREL
from depinduce.labels.arcs import NOTHING, Arc, Labeller, arcs_of
from depinduce.labels.plain import main_type, says_more
from depinduce.labels.table import relation_table

STRENGTH = 2.0  # arcs; 100 trees of fr, pl and eu learn as much with 1 and 4
FEATURES = ("Case", "PronType", "Reflex", "VerbForm")  # those that tell relations apart
LEVELS = 5  # contexts of an arc

Counts = tuple[dict[str, dict[str, int]], ...]  # [level] context -> label -> how often


@dataclass(frozen=True, eq=False)
class LearnedLabels(Labeller):
    """How often arcs were called what, in every context of LEVELS."""

    counts: Counts

    @property
    def arcs(self) -> int:
        """How many it has learned from."""
        return sum(sum(seen.values()) for seen in self.counts[0].values())

    def label(self, arc: Arc, taken: frozenset[str]) -> str:
        by_rule = relation_table().label(arc, taken)
        shares = {by_rule: 1.0}
        for seen_in, context in zip(self.counts, _contexts(arc, by_rule), strict=True):
            if seen := seen_in.get(context):
                whole = sum(seen.values()) + STRENGTH
                shares = {
                    label: (seen.get(label, 0) + STRENGTH * shares.get(label, 0.0)) / whole
                    for label in sorted({*shares, *seen})
                }
        sums: Counter[str] = Counter()
        for label, share in shares.items():
            sums[main_type(label)] += share  # pyright: ignore[reportArgumentType]  # a Counter of floats
        best = max(sums, key=lambda main: (sums[main], main))
        return max((label for label in shares if main_type(label) == best), key=lambda label: (shares[label], label))

    def to_json(self) -> dict[str, Any]:
        return {"counts": list(self.counts)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> LearnedLabels:
        """What `to_json` gave; anything else is a ValueError."""
        counts = values["counts"]
        if not (isinstance(counts, list) and len(counts) == LEVELS and all(map(_are_counts, counts))):
            raise ValueError(f"learned labels are counts in {LEVELS} kinds of contexts")
        return cls(tuple(counts))


def learn_labels(sentences: Iterable[Sentence], reading: Reading) -> LearnedLabels | None:
    """What the arcs of these trees are called; None if they are called nothing but `root` and `dep`.

    Words without a head or without a label teach nothing; the others do.
    """
    counts: Counts = tuple({} for _ in range(LEVELS))
    table, any_seen = relation_table(), False
    for sentence in sentences:
        labels, taken = sentence.column(DEPREL), dict[int, frozenset[str]]()
        for arc in arcs_of(sentence, sentence.heads, reading):
            before, label = taken.get(arc.head, NOTHING), labels[arc.child]
            taken[arc.head] = before | {main_type(label)}
            if says_more(label):
                any_seen = True
                for level, context in enumerate(_contexts(arc, table.label(arc, before))):
                    seen = counts[level].setdefault(context, {})
                    seen[label] = seen.get(label, 0) + 1
    return LearnedLabels(counts) if any_seen else None


def _contexts(arc: Arc, by_rule: str) -> list[str]:
    """What an arc is like, from coarse to fine: as keys, which JSON wants to be texts."""
    features = "|".join(sorted(f for f in arc.features if "=" in f and f.partition("=")[0] in FEATURES))
    steps = (by_rule, f"{arc.child_tag} {arc.head_tag}", arc.side, " ".join(arc.markers), features)
    return ["\t".join(steps[: level + 1]) for level in range(LEVELS)]


def _are_counts(contexts: Any) -> bool:
    return isinstance(contexts, dict) and all(
        isinstance(seen, dict) and seen and all(isinstance(n, int) and n > 0 for n in seen.values())
        for seen in contexts.values()
    )
