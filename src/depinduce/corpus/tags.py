"""Tags as a grammar knows them: read through a map, refined by features, found again in a vocabulary.

A refined tag is written `VERB+VerbForm=Fin`. Whoever names VERB means every refinement of it.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

import numpy as np

from depinduce.corpus.conllu import FEATS, Sentence
from depinduce.corpus.vocabulary import UNKNOWN, Vocabulary
from depinduce.errors import DepinduceError

RARE = 50  # a refined tag that training sees fewer times teaches too little
_REFINEMENT = re.compile(r"(?<=.)(?:\+[^+=]+=[^+=]+)+$")
_OLD, _NEW = "CONJ", "CCONJ"  # the same tag, in UD 1 and in UD 2
_TWINS = {_OLD: _NEW, _NEW: _OLD}


def bare_tag(tag: str) -> str:
    """A tag without its features."""
    return _REFINEMENT.sub("", tag) if "=" in tag else tag


def refined_tag(tag: str, features: str, wanted: Iterable[str]) -> str:
    """A tag with those of its features, as FEATS has them, that are wanted."""
    values: dict[str, str] = {}
    for feature in features.split("|"):
        name, _, values[name] = feature.partition("=")
    return tag + "".join(f"+{name}={values[name]}" for name in wanted if values.get(name))


def called(tags: Iterable[str], names: Collection[str]) -> list[str]:
    """The tags that these names mean, as they are or without their features."""
    return [tag for tag in tags if tag in names or bare_tag(tag) in names]


class TagReader:
    """What stands in a file becomes a tag: through a map, with features. Keeps what the map lacks."""

    def __init__(self, column: int, features: tuple[str, ...] = (), table: Mapping[str, str] | None = None):
        self.column, self.features, self.table = column, features, table
        self.unmapped: set[str] = set()

    def column_of(self, sentence: Sentence) -> list[str]:
        """What stands in the file for each word: all that its tag depends on, `_` where there is none."""
        tags = sentence.column(self.column)
        if not self.features:
            return tags
        pairs = zip(tags, sentence.column(FEATS), strict=True)
        return [tag if features == "_" or tag in ("_", "") else f"{tag}\t{features}" for tag, features in pairs]

    def __call__(self, found: str) -> str:
        """The tag that it means."""
        tag, _, features = found.partition("\t")
        if self.table is not None:
            tag = self._mapped(tag, self.table)
        return refined_tag(tag, features, self.features) if features else tag

    def _mapped(self, tag: str, table: Mapping[str, str]) -> str:
        mapped = table.get(tag) or table.get(tag.partition("|")[0])  # JJ|RB: annotators left a choice
        if mapped is None and tag not in table.values():
            self.unmapped.add(tag)
        return mapped or tag

    def require_mapped(self) -> None:
        """A fault if the map lacked any tag so far."""
        if self.unmapped:
            some = sorted(self.unmapped)
            raise DepinduceError(
                f"--map has no line for {'the tag' if len(some) == 1 else 'these tags'}: {' '.join(some)}. Write a "
                f'TOML file with a line such as "{some[0]}" = "NOUN" for each tag; or see --tags, for another column.'
            )


def count_tags(counts: Mapping[str, int], rare: int) -> Vocabulary:
    """The tags of a corpus; a refined one that is rarer than this is the bare one.

    Where texts of UD 1 and of UD 2 meet, CONJ is CCONJ; `find_tags` then finds it there.
    """
    both = {bare_tag(tag) for tag in counts} >= {_OLD, _NEW}
    found: Counter[str] = Counter()
    for tag, count in counts.items():
        found[_NEW + tag.removeprefix(_OLD) if both and bare_tag(tag) == _OLD else tag] += count
    kept: Counter[str] = Counter()
    for tag, count in found.items():
        kept[tag if count >= rare else bare_tag(tag)] += count
    return Vocabulary.from_counts(kept)


def find_tags(tags: Iterable[str], vocabulary: Vocabulary) -> np.ndarray:
    """The numbers of tags in a vocabulary that may know them by another name, -1 for unknown ones. int32

    A refined tag that it lacks is the bare one, or the first refinement of that. CONJ (UD 1) and CCONJ (UD 2) are one
    to a vocabulary that has only one of them.
    """
    first: dict[str, str] = {}
    for tag in vocabulary:
        first.setdefault(bare_tag(tag), tag)
    return np.array([_find(tag, vocabulary, first) for tag in tags], dtype=np.int32)


def _find(tag: str, vocabulary: Vocabulary, first: Mapping[str, str]) -> int:
    """first: of the refinements of a bare tag"""
    own = bare_tag(tag)
    known = own if own in first else _TWINS.get(own, own)
    if known not in first:
        return UNKNOWN
    if known != own:
        warnings.warn(f"{own} is read as {known}, which is what the grammar calls it", stacklevel=4)
    return next(vocabulary.id(name) for name in (known + tag[len(own) :], known, first[known]) if name in vocabulary)
