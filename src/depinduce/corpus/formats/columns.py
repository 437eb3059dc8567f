"""What the columns of a table are: by what the user says, by their names, and by what is in them."""

from __future__ import annotations

from collections.abc import Sequence

from depinduce.errors import DepinduceError

_PARTS = {
    "word": "word words form forms token tokens wordform word_form text txt wort mot palabra parola palavra slovo",
    "tag": "tag tags pos upos upostag xpos xpostag pos_tag postag part_of_speech ps wordclass word_class wortart",
    "lemma": "lemma lemmas lemme base lexeme",
    "gloss": "gloss glosses gls ge translation_word meaning",
    "sentence": "sentence sent sent_id sentence_id sentid sentenceid sent_no sentence_no sentence_number utterance "
    "utterance_id satz phrase phrase_id line_id",
    "id": "id no nr num number token_id word_id tokenid wordid index idx i n position",
}
_NAMES = {name: part for part, names in _PARTS.items() for name in names.split()}
_ENOUGH = 20  # rows, from which on counts of different words and tags tell something


def part_named(title: str) -> str | None:
    """What a column of this name has: words, tags and so on; None if the name says nothing."""
    return _NAMES.get(title.casefold().replace(" ", "_").replace("-", "_"))


def is_header(sample: list[list[str]]) -> bool:
    """Whether the first row has names: of a word and of a tag, or no number where all rows below have one."""
    first, rest = sample[0], sample[1:]
    if {"word", "tag"} <= set(map(part_named, first)):
        return True
    return any(not cell.isdecimal() and len(rest) > 1 and _is_numeric(rest, place) for place, cell in enumerate(first))


def number_of(name: str, part: str, column: str, names: Sequence[str], width: int) -> int:
    """The place, from 0, of a column that the user names by its header, or by its number from 1."""
    if column in names:
        return list(names).index(column)
    if column.isdecimal() and len(column) < 5 and 1 <= int(column) <= width:
        return int(column) - 1
    has = f"It has the columns {', '.join(names)}." if names else f"It has {width} columns and no header."
    raise DepinduceError(f"{name}: --{part}-column {column}: there is no such column. {has}")


def guess_by_content(places: dict[str, int], sample: list[list[str]], width: int, may_be_lemma: bool) -> None:
    """Find the columns that are not known yet by what is in them.

    Numbers that go up and begin again are those of words, numbers that repeat are those of sentences. Of the others,
    the words are in the first column and the tags in that of the next ones with the fewest different values.
    """
    free = [place for place in range(width) if place not in places.values()]
    for place in [place for place in free if _is_numeric(sample, place)]:
        free.remove(place)
        numbers = [int(cells[place][:18]) for cells in sample if place < len(cells) and cells[place]]
        steps = [after - before for before, after in zip(numbers, numbers[1:], strict=False)]
        if "id" not in places and numbers[0] == 1 and all(step == 1 for step in steps if step > 0) and 0 not in steps:
            if any(step < 0 for step in steps):
                places["id"] = place
        elif "sentence" not in places and 0 in steps and all(step >= 0 for step in steps):
            places["sentence"] = place
    different = {place: len({cells[place] for cells in sample if place < len(cells)}) for place in free}
    filled = [place for place in free if 2 * sum(any(cells[place : place + 1]) for cells in sample) >= len(sample)]
    if "word" not in places and filled:
        first = filled[0]
        fewest = min(filled, key=lambda place: different[place])
        tags_first = "tag" not in places and first == fewest and len(filled) > 1 and len(sample) >= _ENOUGH
        if tags_first and 2 * different[first] < different[filled[1]]:
            places["tag"] = filled.pop(0)
        places["word"] = filled.pop(0)
    filled = [place for place in filled if place not in places.values()]
    if "tag" not in places and filled:
        missing = {place: sum(not any(cells[place : place + 1]) for cells in sample) for place in filled}
        places["tag"] = min(filled, key=lambda place: (missing[place], different[place]))
    others = [place for place in free if place not in places.values() and place < width]
    if may_be_lemma and "lemma" not in places and len(others) == 1 and others[0] > places.get("word", width):
        places["lemma"] = others[0]


def _is_numeric(sample: list[list[str]], place: int) -> bool:
    cells = [row[place] for row in sample if place < len(row) and row[place]]
    return len(cells) > 0 and all(cell.isdecimal() for cell in cells)
