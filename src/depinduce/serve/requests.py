"""What a page may send: fields of the right kind, texts of bounded size, trees that are trees."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from depinduce.corpus import Sentence, read_text
from depinduce.corpus.cycles import find_cycle
from depinduce.corpus.tagged import as_sentence
from depinduce.errors import DepinduceError, InputError

MOST_BYTES = 1_000_000  # of a request
MOST_SENTENCES = 200
MOST_WORDS = 150  # of a sentence
MOST_WORDS_OF_WORDS = 40  # of a sentence for a second-order grammar over words, which makes far more rules
MOST_CUBES = 20_000_000  # of all sentences together: words to the third power, as charts take time
MOST_TREES = 20  # of a sentence
MOST_WORDS_OF_TREES = 60  # of a sentence of which more than one tree is wanted
LIMITS = {
    "bytes": MOST_BYTES,
    "sentences": MOST_SENTENCES,
    "words": MOST_WORDS,
    "trees": MOST_TREES,
    "words_of_trees": MOST_WORDS_OF_TREES,
}
# Work is counted in steps of a chart that are about ten nanoseconds each; a sentence of n words takes n³.
STEP = 1_000_000  # what is done at a stretch
WORK_OF_WORD, WORK_OF_BYTE = 5_000, 50  # to read and draw a word, to read a byte of a request
_PASTE_LESS = "Paste fewer of them, or parse the file with `depinduce parse`."
_TEN_COLUMNS = re.compile(r"1\s+\S+(?:\s+\S+){8}\s*\n?")


class RequestError(DepinduceError):
    """A request that cannot be answered, and the HTTP status that says so."""

    def __init__(self, message: str, status: int = 400):
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Block:
    """A sentence as it was given, with the blocks of comments alone that stand around it."""

    before: str
    sentence: Sentence
    after: str = ""

    @property
    def text(self) -> str:
        return self.before + self.sentence.render(ended=True) + self.after

    def with_tree(self, heads: list[int], labels: list[str]) -> str:
        """The text with another tree."""
        written = self.sentence.without_enhanced_graph().render(heads, deprel=labels, ended=True)
        return self.before + written + self.after


def work_of(words: int, drawings: int = 1) -> float:
    """How much work a sentence is that is parsed and drawn so many times."""
    return words**3 + drawings * words * WORK_OF_WORD


# ---------------------------------------------------------------- fields


def text_of(request: Mapping, field: str) -> str:
    value = request.get(field)
    if not isinstance(value, str):
        raise RequestError(f"The request needs a text {field!r}.")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise RequestError("The text holds half a character (a lone surrogate). Copy it again.") from None
    return value


def number_of(request: Mapping, field: str, least: int, most: int, default: int) -> int:
    value = request.get(field, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise RequestError(f"{field!r} must be a whole number.")
    if not least <= value <= most:
        raise RequestError(f"{field!r} must be from {least} to {most}, not {value}.")
    return value


def width_of(request: Mapping) -> int | None:
    """The room for a picture in pixels; None if there is no bound."""
    return None if request.get("width") is None else number_of(request, "width", 0, 10_000, 0)


def probabilities_of(request: Mapping, words: int) -> list[float | None] | None:
    """The probabilities of the arcs of a picture; None if it shows none."""
    values = request.get("probabilities")
    if values is None:
        return None
    fits = isinstance(values, list) and len(values) == words
    if not fits or not all(v is None or (isinstance(v, int | float) and 0 <= v <= 1) for v in values):
        raise RequestError(f"'probabilities' must be a list of {words} numbers from 0 to 1, or null in place of some.")
    return values


def heads_of(request: Mapping, sentence: Sentence) -> list[int]:
    """The heads of a tree with one root."""
    heads, words = request.get("heads"), len(sentence)
    if not isinstance(heads, list) or not all(isinstance(h, int) and not isinstance(h, bool) for h in heads):
        raise RequestError("'heads' must be a list of whole numbers: of each word its head, 0 for the root.")
    if len(heads) != words:
        raise RequestError(f"{len(heads)} heads for {words} words. Give each word one head.")
    for word, head in enumerate(heads, start=1):
        if not 0 <= head <= words:
            raise RequestError(f"Word {word} cannot have the head {head}: the sentence has {words} words.")
    if circle := find_cycle(heads):
        way = " → ".join(sentence.forms[word - 1] for word in [*circle, circle[0]])
        raise RequestError(f"The heads go in a circle: {way}. Give one of these words a head outside of it.")
    if heads.count(0) != 1:
        raise RequestError(f"A tree has one root, and this one has {heads.count(0)}.")
    return heads


# ---------------------------------------------------------------- sentences


def blocks_of(text: str, tag_column: int, most_words: int = MOST_WORDS) -> list[Block]:
    """The sentences of CoNLL-U, or of lines with words and tags. What is too much is not read to its end."""
    blocks, cubes = [], 0
    for block in _of_conllu(text) if is_conllu(text) else _of_lines(text, tag_column, most_words):
        blocks.append(block)
        cubes += len(block.sentence) ** 3
        if len(blocks) > MOST_SENTENCES:
            raise RequestError(f"There are more sentences than this page takes, {MOST_SENTENCES}. {_PASTE_LESS}")
        _check_length(len(blocks), len(block.sentence), most_words)
        if cubes > MOST_CUBES:
            raise RequestError(
                f"Sentence {len(blocks)} is too much for this page, together with those before it: the third powers of "
                f"their lengths may sum to {MOST_CUBES // 10**6} million, as do those of {MOST_CUBES // MOST_WORDS**3} "
                f"sentences of {MOST_WORDS} words. {_PASTE_LESS}"
            )
    if not blocks:
        raise RequestError("There is no sentence. Write words with their tags, such as the/DET dog/NOUN barks/VERB.")
    return blocks


def _check_length(number: int, words: int, most: int) -> None:
    if words > most:
        raise RequestError(
            f"Sentence {number} has {words} words; this page takes up to {most} with this grammar. "
            "Leave it out, or parse it with `depinduce parse`."
        )


def block_of(request: Mapping, tag_column: int, most_words: int = MOST_WORDS) -> Block:
    """One sentence that was read before."""
    blocks = blocks_of(text_of(request, "block"), tag_column, most_words)
    if len(blocks) != 1:
        raise RequestError(f"'block' must hold one sentence, not {len(blocks)}.")
    return blocks[0]


def is_conllu(text: str) -> bool:
    """Whether a text is meant as CoNLL-U; where tabs became spaces its reader tells what is wrong."""
    start = text.lstrip("\ufeff\r\n")
    has_comment = start.startswith("#") and not all("/" in word for word in start.partition("\n")[0].split())
    return "\t" in text or has_comment or bool(_TEN_COLUMNS.match(start))


def _of_conllu(text: str) -> Iterator[Block]:
    last, comments = None, ""
    try:
        for sentence in read_text(text):
            if len(sentence):
                if last:
                    yield last
                last, comments = Block(comments, sentence), ""
            else:
                comments += sentence.render()
    except InputError as fault:
        raise RequestError(in_words(fault)) from None
    if last:
        yield replace(last, after=comments)


def _of_lines(text: str, tag_column: int, most_words: int) -> Iterator[Block]:
    sentences = 0
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        if words := len(line.split()):
            sentences += 1
            _check_length(sentences, words, most_words)
            try:
                yield Block("", as_sentence(line, tag_column))
            except DepinduceError as fault:
                raise RequestError(f"Line {number}: {fault}") from None


def in_words(fault: InputError) -> str:
    """A fault of a text that has lines but no file."""
    where = f"Line {fault.line}: " if fault.line is not None else ""
    return f"{where}{fault.found}. {fault.remedy}"
