"""A corpus in arrays: what is kept of a file for training and scoring, and how it is read."""

from __future__ import annotations

import hashlib
import json
import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress, repeat
from pathlib import Path
from typing import Any

import numpy as np

from depinduce.corpus.conllu import UPOS, XPOS, Sentence, read_sentences
from depinduce.corpus.faults import COLUMNS, quoted
from depinduce.corpus.known_heads import KnownHeads, known_in
from depinduce.corpus.punctuation import MODES, Marks, marks_of, remove
from depinduce.corpus.ragged import pieces
from depinduce.corpus.tag_maps import checked_map, load_map, map_names
from depinduce.corpus.tags import RARE, TagReader, count_tags, find_tags
from depinduce.corpus.vocabulary import Vocabulary
from depinduce.errors import DepinduceError, InputError
from depinduce.settings import MOST, require_within, setting

_NAMED_COLUMNS = {"upos": UPOS, "xpos": XPOS}
_NOT_TAGS = {1: "the ids", 7: "the heads", 9: "the heads"}
_MAY_BE_TAGS = ", ".join(str(column) for column in range(1, COLUMNS + 1) if column not in _NOT_TAGS)
_FEATURE = re.compile(r"[A-Za-z0-9]+(?:\[[a-z0-9]+\])?")  # Case, Number[psor]
LONGEST_GIVEN = 40  # words of a sentence with known heads, where others are left out that are so long
_HASHED = 1 << 20  # numbers at a time
_FINGERPRINT = "_fingerprint"
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Reading:
    """How the words of a file become symbols, and which sentences are kept."""

    tags: str = setting(
        "upos",
        "where the tags are: upos, xpos, or the number of a column; with features of FEATS to refine them: "
        "upos+VerbForm+Case",
        metavar="COLUMN",
    )
    map: str | dict | None = setting(
        None,
        'read tags through a table: penn (to those of UD 2), or a TOML file with a line NN = "NOUN" for every tag; the '
        "files keep theirs",
        metavar="MAP",
    )
    rare_tags: int | None = setting(
        None,
        f"with features in --tags: a tag that is seen fewer times in training goes without them; {RARE} unless given",
        expert=True,
    )
    lowercase: bool = setting(False, "lower-case the words")
    fold_numbers: bool = setting(False, "make each run of digits in a word one 0: 12.5 and 399.9 are both 0.0")
    punctuation: str = setting("auto", "what counts as punctuation and is left out", choices=MODES)
    min_length: int | None = setting(None, "the fewest words of a sentence, punctuation not counted")
    max_length: int | None = setting(None, "the most words of a sentence, punctuation not counted")

    def __post_init__(self):
        if isinstance(self.map, str) and self.map not in map_names():
            object.__setattr__(self, "map", load_map(self.map))  # a model must not need the file any more
        _ = self.marks, self.tag_reader()  # faults of the options show here, not later
        require_within(1, MOST, min_length=self.min_length, max_length=self.max_length, rare_tags=self.rare_tags)
        if self.min_length and self.max_length and self.max_length < self.min_length:
            raise DepinduceError(
                f"No sentence has at least {self.min_length} and at most {self.max_length} words. "
                "Lower --min-length or raise --max-length."
            )

    @property
    def tag_column(self) -> int:
        """The number of the tag column, counted from 1."""
        name = self.tags.partition("+")[0]
        number = int(name) if name.isdecimal() and len(name) <= len(str(COLUMNS)) else 0
        column = _NAMED_COLUMNS.get(name, number)
        if column in _NOT_TAGS:
            raise DepinduceError(f"Column {column} holds {_NOT_TAGS[column]}, not tags. Choose upos, xpos or another.")
        if not 1 <= column <= COLUMNS:
            raise DepinduceError(f"There is no tag column {name!r}. Choose upos, xpos or a column: {_MAY_BE_TAGS}.")
        return column

    @property
    def features(self) -> tuple[str, ...]:
        """The features that refine tags, by name."""
        _, *features = self.tags.split("+")
        wrong = [name for name in features if not _FEATURE.fullmatch(name) or features.count(name) > 1]
        if wrong:
            raise DepinduceError(
                f"--tags {self.tags}: {wrong[0]!r} is no feature, or there twice. Write for example upos+VerbForm+Case."
            )
        return tuple(features)

    @property
    def _table(self) -> dict[str, str] | None:
        """The map of tags, if there is one."""
        if isinstance(self.map, dict):
            return checked_map(self.map, "{…}")
        return None if self.map is None else load_map(self.map)

    @property
    def marks(self) -> Marks:
        """What counts as punctuation."""
        return marks_of(self.punctuation, self.tag_column, self._table)

    def tag_reader(self) -> TagReader:
        """Who reads the tags of sentences."""
        return TagReader(self.tag_column, self.features, self._table)

    def fits(self, length: int) -> bool:
        """Whether a sentence of so many words is kept."""
        return (self.min_length or 1) <= length and (self.max_length is None or length <= self.max_length)

    def word(self, form: str) -> str:
        """The symbol of a word."""
        if self.lowercase:
            form = form.lower()
        return _DIGITS.sub("0", form) if self.fold_numbers else form

    def words(self, sentence: Sentence) -> list[str]:
        """The symbols of all words of a sentence, punctuation and all."""
        return [self.word(form) for form in sentence.forms]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sentences as numbers, one after the other, without punctuation.

    Sentence i is `offsets[i]:offsets[i + 1]` of every array over tokens.
    """

    offsets: np.ndarray  # int64 [S + 1]
    tags: np.ndarray  # int32 [N] into tag_vocabulary, -1 unknown
    words: np.ndarray  # int32 [N] into word_vocabulary, -1 unknown
    heads: np.ndarray | None  # int32 [N] from 1 within the sentence, 0 root, -1 unknown; None: not asked for
    index: np.ndarray  # int64 [S] the number of each sentence among all that were read, from 0
    tag_vocabulary: Vocabulary
    word_vocabulary: Vocabulary
    unknown_tags: Mapping[str, int] = field(default_factory=dict)  # tags the given vocabulary lacks, with counts
    empty: int = 0  # sentences left out because punctuation was all they had
    too_short: int = 0  # sentences left out because they had fewer words than asked for
    too_long: int = 0  # and because they had more
    languages: tuple[str, ...] = ()  # by name, if anybody named them
    language: np.ndarray | None = None  # int32 [S] into languages, -1 none or unknown; None: there are no languages
    known: KnownHeads | None = None  # heads that its trees must have, or must not have; None: nobody knows any

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def gold(self) -> np.ndarray:
        """The heads of a corpus that was loaded with them. [N]"""
        assert self.heads is not None, "load it with heads"
        return self.heads

    @property
    def lengths(self) -> np.ndarray:
        """Words in each sentence, int64 [S]."""
        return np.diff(self.offsets)

    @property
    def outside(self) -> int:
        """Sentences left out by their length."""
        return self.too_short + self.too_long

    def select(self, mask: np.ndarray) -> Corpus:
        """The sentences where `mask` is true, bool [S]; vocabularies and numbers stay as they are."""
        mask = np.asarray(mask)
        if mask.dtype != bool or mask.shape != (len(self),):
            raise ValueError(f"a mask is bool [{len(self)}], not {mask.dtype} {list(mask.shape)}")
        return self.take(np.flatnonzero(mask))

    def take(self, sentences: np.ndarray) -> Corpus:
        """The sentences of these numbers, in this order; one may come several times."""
        tokens, offsets = pieces(self.offsets, sentences)
        return replace(
            self,
            offsets=offsets.astype(np.int64),
            tags=self.tags[tokens],
            words=self.words[tokens],
            heads=None if self.heads is None else self.heads[tokens],
            index=self.index[sentences],
            language=None if self.language is None else self.language[sentences],
            known=None if self.known is None else self.known.take(tokens),
        )

    @property
    def is_given(self) -> np.ndarray:
        """Of which sentences heads are known. [S] bool"""
        if self.known is None or len(self) == 0:
            return np.zeros(len(self), dtype=bool)
        return np.logical_or.reduceat(self.known.informed, self.offsets[:-1])

    @property
    def as_text(self) -> Corpus:
        """Every sentence once, and nothing that is known of trees."""
        return self if self.known is None else replace(self.select(self.is_first), known=None)

    @property
    def is_first(self) -> np.ndarray:
        """Which sentences do not repeat the one before: those with known heads may count several times. [S] bool"""
        is_first = np.ones(len(self), dtype=bool)
        np.not_equal(self.index[1:], self.index[:-1], out=is_first[1:])
        return is_first

    @property
    def counted_once(self) -> tuple[int, int]:
        """How many different sentences there are, and how many words they have, whatever counts several times."""
        return int(self.is_first.sum()), int(self.lengths[self.is_first].sum())

    def about_trees(self) -> dict[str, int] | None:
        """How much of its trees is known, every sentence counted once; None if nothing is."""
        given = self.is_given
        if self.known is None or not given.any():
            return None
        is_known, first = self.known.heads >= 0, self.is_first
        whole = np.logical_and.reduceat(is_known, self.offsets[:-1]) & given
        return {
            "sentences": int((given & first).sum()),
            "whole": int((whole & first).sum()),
            "arcs": int((is_known & np.repeat(first, self.lengths)).sum()),
            "times": round(float(given.sum() / (given & first).sum())),  # of several languages, the mean
        }

    def sentences_by_language(self) -> dict[str, int]:
        """How many different sentences of each language there are."""
        if self.language is None:
            return {}
        counts = np.bincount(self.language[self.is_first & (self.language >= 0)], minlength=len(self.languages))
        return dict(zip(self.languages, counts.tolist(), strict=True))

    def identity(self) -> dict[str, Any]:
        """What a model remembers of the corpus that it was trained on."""
        sentences, words = self.counted_once
        identity = {"sha256": self.fingerprint(), "sentences": sentences, "words": words}
        if self.languages:
            identity["languages"] = self.sentences_by_language()
        return identity | ({} if (trees := self.about_trees()) is None else {"trees": trees})

    def fingerprint(self) -> str:
        """SHA-256 of what training sees: the symbols, the sentences, and the heads that it is told, never others."""
        if (known := self.__dict__.get(_FINGERPRINT)) is not None:
            return known
        digest = hashlib.sha256()
        digest.update(json.dumps([self.tag_vocabulary.symbols, self.word_vocabulary.symbols]).encode())
        languages = () if self.language is None else (self.language,)
        if languages:  # what has none keeps the fingerprint that it had when there were none
            digest.update(json.dumps(self.languages).encode())
        known = () if self.known is None else (self.known.heads, self.known.refused, self.known.offsets)
        of_words = {"tags": self.tags, "words": self.words}  # int32 in a fingerprint, however they are kept
        for numbers in (self.offsets, *of_words.values(), *languages, *known):
            kind = np.dtype(np.int32) if any(numbers is own for own in of_words.values()) else numbers.dtype
            for first in range(0, len(numbers), _HASHED):
                digest.update(numbers[first : first + _HASHED].astype(kind.newbyteorder("<")).tobytes())
        return digest.hexdigest()

    def remember_fingerprint(self, fingerprint: str) -> None:
        """Spare whoever asks for it the time; a corpus that is made of this one does not know it."""
        object.__setattr__(self, _FINGERPRINT, fingerprint)


class _Symbols(dict):
    """Numbers for raw strings in the order of their appearance, equal for those of the same symbol."""

    def __init__(self, symbol_of: Callable[[str], str] = str):
        super().__init__()
        self.symbol_of = symbol_of
        self.numbers: dict[str, int] = {}
        self.tokens = array("i")

    def __missing__(self, raw: str) -> int:
        number = self[raw] = self.numbers.setdefault(self.symbol_of(raw), len(self.numbers))
        return number

    def extend(self, raw: Iterable[str]) -> None:
        self.tokens.extend(map(self.__getitem__, raw))

    @property
    def _all(self) -> np.ndarray:
        return np.frombuffer(self.tokens, dtype=np.int32) if self.tokens else np.empty(0, dtype=np.int32)

    def counts(self) -> dict[str, int]:
        """How often each symbol was there."""
        counts = np.bincount(self._all, minlength=len(self.numbers)).tolist()
        return {symbol: count for symbol, count in zip(self.numbers, counts, strict=True) if count}

    def renumbered(self, numbers: np.ndarray) -> np.ndarray:
        """The tokens by other numbers of the symbols."""
        return numbers[self._all]


def load_corpus(
    paths: str | Path | Sequence[str | Path],
    reading: Reading | None = None,
    *,
    tag_vocabulary: Vocabulary | None = None,
    word_vocabulary: Vocabulary | None = None,
    trees: bool = False,
    with_heads: bool = False,
) -> Corpus:
    """The corpus in one or several CoNLL-U files; with `trees` every sentence must have a tree."""
    if isinstance(paths, (str, Path)):
        paths = [paths]
    sentences = chain.from_iterable(read_sentences(path, trees=trees) for path in paths)
    return build_corpus(
        sentences, reading, tag_vocabulary=tag_vocabulary, word_vocabulary=word_vocabulary, with_heads=with_heads
    )


def build_corpus(
    sentences: Iterable[Sentence],
    reading: Reading | None = None,
    *,
    tag_vocabulary: Vocabulary | None = None,
    word_vocabulary: Vocabulary | None = None,
    with_heads: bool = False,
    languages: tuple[str, ...] = (),
    given: Iterable[Sentence] | None = None,
) -> Corpus:
    """The corpus of sentences, numbered by the given vocabularies or by those of the kept sentences.

    Heads are kept only `with_heads`; otherwise they are not looked at.
    languages: those that are told apart; without any, nobody asks for the language of a sentence
    given: sentences that come after the others, and whose heads are known as far as they are in the file
    """
    reading = reading or Reading()
    marks, tag_column, tag_reader = reading.marks, reading.tag_column, reading.tag_reader()
    tags, words = _Symbols(tag_reader), _Symbols(reading.word)
    heads, lengths, index, language = array("i"), array("q"), array("q"), array("i")
    known_heads, refused = array("i"), list[Sequence[int]]()
    language_number = {name: number for number, name in enumerate(languages)}
    empty = too_short = too_long = 0
    needs_words = word_vocabulary is None or len(word_vocabulary) > 0  # where no word is known, all are unknown
    every = chain(zip(sentences, repeat(False)), zip(given or (), repeat(True)))
    for number, (sentence, is_given) in enumerate(every):
        keep = marks.keep(sentence)
        length = len(sentence) if keep is None else sum(keep)
        if not (reading.fits(length) or (is_given and 0 < length <= LONGEST_GIVEN)):
            empty += length == 0 and len(sentence) > 0
            too_short += 0 < length < (reading.min_length or 1)
            too_long += length > (reading.max_length or length)
            continue
        sentence_tags, forms = tag_reader.column_of(sentence), sentence.forms
        if keep is not None:
            sentence_tags, forms = list(compress(sentence_tags, keep)), compress(forms, keep)
        if "_" in sentence_tags or "" in sentence_tags:
            _refuse_missing_tag(sentence, tag_column, keep)
        tags.extend(sentence_tags)
        if needs_words:
            words.extend(forms)
        lengths.append(length)
        index.append(number)
        if languages:
            language.append(language_number.get(sentence.language or "", -1))
        if with_heads:
            heads.extend(sentence.heads if keep is None else remove(sentence.heads, keep))
        if given is not None:
            own, others = known_in(sentence, keep) if is_given else ([-1] * length, [()] * length)
            known_heads.extend(own)
            refused += others
    tag_reader.require_mapped()
    tag_counts = tags.counts()
    if tag_vocabulary is None:
        tag_vocabulary = count_tags(tag_counts, (reading.rare_tags or RARE) if reading.features else 1)
    found = find_tags(tags.numbers, tag_vocabulary)
    tag_numbers = tags.renumbered(found)
    if word_vocabulary is None:
        word_vocabulary = Vocabulary.from_counts(words.counts())
    word_numbers = words.renumbered(word_vocabulary.ids(words.numbers))
    if not needs_words:
        word_numbers = np.full(len(tag_numbers), -1, dtype=np.int32)
    return Corpus(
        offsets=_offsets(np.array(lengths, dtype=np.int64)),
        tags=tag_numbers,
        words=word_numbers,
        heads=np.array(heads, dtype=np.int32) if with_heads else None,
        index=np.array(index, dtype=np.int64),
        tag_vocabulary=tag_vocabulary,
        word_vocabulary=word_vocabulary,
        unknown_tags={tag: tag_counts[tag] for tag, number in zip(tags.numbers, found, strict=True) if number < 0},
        empty=empty,
        too_short=too_short,
        too_long=too_long,
        languages=languages,
        language=np.array(language, dtype=np.int32) if languages else None,
        known=None if given is None else KnownHeads.of(known_heads, refused),
    )


def trees_in_words(trees: Mapping[str, int]) -> str:
    """In words what is known of the trees of a corpus, see `Corpus.about_trees`."""
    partly = f", {trees['sentences'] - trees['whole']} of them in part" if trees["whole"] < trees["sentences"] else ""
    counted = f"; each counts as {trees['times']} sentences" if trees["times"] > 1 else ""
    return f"trees of {trees['sentences']} sentences{partly}, {trees['arcs']} known heads{counted}"


def in_vocabulary(corpus: Corpus, tags: Vocabulary) -> Corpus:
    """The corpus with its tags numbered as in another vocabulary, -1 where that one lacks them."""
    translation = find_tags(corpus.tag_vocabulary, tags)
    numbers = np.where(corpus.tags >= 0, translation[corpus.tags], -1).astype(np.int32)
    return replace(corpus, tags=numbers, tag_vocabulary=tags)


def _offsets(lengths: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _refuse_missing_tag(sentence: Sentence, column: int, keep: list[bool] | None) -> None:
    tags = sentence.column(column)
    kept = range(len(tags)) if keep is None else compress(range(len(tags)), keep)
    position = next(position for position in kept if tags[position] in ("_", ""))
    found = f"word {position + 1} {quoted(sentence.forms[position])} has no tag in column {column}"
    remedy = (
        "Fill the column, by `depinduce tag` if you like, or say where the tags are with `depinduce train --tags`: "
        "upos, xpos or a number."
    )
    raise InputError(sentence.path, sentence.line_of(position + 1), found, remedy)
