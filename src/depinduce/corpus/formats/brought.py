"""What every format comes down to: sentences of words with tags, and what else is known, which become CoNLL-U."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from depinduce.corpus import faults
from depinduce.corpus.conllu import FORM, MISC, UPOS, XPOS, Sentence
from depinduce.corpus.streams import open_input, read_chunk
from depinduce.corpus.tagged import sentence_of

LEMMA = 3
PUNCT = "PUNCT"
_CHUNK = 1 << 20


@dataclass
class Word:
    """A word of somebody's file; the tag is `_` where there is none."""

    form: str
    tag: str = "_"
    lemma: str = "_"
    further: dict[int, str] = field(default_factory=dict)  # other columns, by number from 1
    misc: dict[str, str] = field(default_factory=dict)  # attributes such as Gloss


@dataclass
class Brought:
    """A sentence of somebody's file."""

    words: list[Word]
    comments: list[str] = field(default_factory=list)


@dataclass
class Opened:
    """A file that is being read: what its parts were taken for, in words, and its sentences."""

    taken: list[str]
    sentences: Iterator[Brought]


@dataclass
class Conversion:
    """How words become columns, and what was seen on the way."""

    tag_column: int = UPOS
    punctuation: Collection[str] = ()  # tags, besides PUNCT
    map: Mapping[str, str] | None = None  # what the tags are in UPOS; then they themselves go to XPOS
    sentences: int = 0
    words: int = 0
    untagged: int = 0
    tags: Counter[str] = field(default_factory=Counter)
    unmapped: Counter[str] = field(default_factory=Counter)

    def sentence(self, brought: Brought, source: str) -> Sentence:
        """A sentence as from a file of CoNLL-U, with the next number as its sent_id."""
        self.sentences += 1
        sentence = sentence_of([self._columns(word) for word in brought.words], source)
        return sentence.with_comments([f"sent_id = {self.sentences}", *map(one_line, brought.comments)])

    def _columns(self, word: Word) -> dict[int, str]:
        tag = tag_without_spaces(word.tag)
        self.words += 1
        if tag == "_":
            self.untagged += 1
        else:
            self.tags[tag] += 1
        columns = {FORM: one_line(word.form), LEMMA: one_line(word.lemma) or "_", self.tag_column: tag}
        columns |= {number: one_line(value) or "_" for number, value in word.further.items()}
        if tag in self.punctuation:
            columns |= {XPOS: tag, UPOS: PUNCT}
        elif self.map is not None and tag != "_":
            columns |= {XPOS: tag, UPOS: self._mapped(tag)}
        if word.misc:
            columns[MISC] = attributes(word.misc)
        return columns

    def _mapped(self, tag: str) -> str:
        if self.map is None or tag not in self.map:
            if tag != PUNCT:
                self.unmapped[tag] += 1
            return tag
        return self.map[tag]


def attributes(pairs: Mapping[str, str]) -> str:
    r"""A MISC column; `|` inside a value is written `\p`, as elsewhere in Universal Dependencies."""
    kept = {key: one_line(value).replace("\\", "\\\\").replace("|", "\\p") for key, value in pairs.items()}
    return "|".join(f"{key}={value}" for key, value in kept.items() if value) or "_"


def one_line(text: str) -> str:
    """A text as a column or a comment can hold it: without tabs, line breaks and spaces at its ends."""
    return " ".join(text.split())


def tag_without_spaces(tag: str) -> str:
    """A tag as CoNLL-U can have it: `v-trans` for `v trans`."""
    return "-".join(tag.split()) or "_"


def name_of(path: str | Path) -> str:
    """A file as messages call it."""
    return "<stdin>" if str(path) == "-" else str(path)


def read_bytes(path: str | Path) -> bytes:
    """All of a file, `.gz` file or `-`."""
    with open_input(path) as read:
        return b"".join(iter(lambda: read_chunk(read, _CHUNK, name_of(path)), b""))


def read_lines(path: str | Path) -> list[str]:
    """The lines of a file in UTF-8."""
    data = read_bytes(path)
    try:
        return [line.rstrip("\r") for line in data.decode("utf-8-sig").split("\n")]
    except UnicodeDecodeError as error:
        faults.refuse_encoding(name_of(path), 1, data, error.start)


def shown(words: Iterable[Word]) -> str:
    """The beginning of a sentence as people read it, `word/TAG`."""
    texts = [f"{one_line(word.form)}/{tag_without_spaces(word.tag)}" for word in words]
    return " ".join(texts[:12]) + (" …" if len(texts) > 12 else "")
