"""Tables with a word per row: CSV and TSV files, the output of taggers such as TreeTagger, and tables of pandas.

What the columns are is told by their names if there is a header, and otherwise by what is in them; whoever reads a
table is told what each was taken for, and can say it better. A blank line, or one of markup alone (`<s>`, `</s>`), ends
a sentence, and so does a change in a column that numbers sentences, or a 1 in one that numbers words.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn

from depinduce.corpus import faults
from depinduce.corpus.conllu import UPOS, Sentence
from depinduce.corpus.formats.brought import Brought, Conversion, Opened, Word, name_of, read_lines
from depinduce.corpus.formats.columns import guess_by_content, is_header, number_of, part_named
from depinduce.errors import DepinduceError, InputError

MARKUP = re.compile(r"</?\w[^\t]*>")
Row = tuple[int, list[str]]  # the number of its line, and its cells; none of them where a sentence ends
_DELIMITERS = {"\t": "tabs", ",": "commas", ";": "semicolons"}
_LOOKED_AT = 2000  # rows, to find out what is in which column
_STOPS = {".", "!", "?", "…", "。", "！", "？", "।", "؟", "።"}


@dataclass(frozen=True)
class Columns:
    """What the user says of a table: columns by their number from 1, or by their name in the header."""

    word: str | None = None
    tag: str | None = None
    lemma: str | None = None
    gloss: str | None = None
    sentence: str | None = None  # a new sentence begins where it changes
    header: bool | None = None  # whether the first row has names

    @property
    def named(self) -> dict[str, str]:
        """The columns that were told."""
        parts = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "header"}
        return {part: column for part, column in parts.items() if column is not None}


def read_table(path: str | Path, columns: Columns) -> Opened:
    """The sentences of a CSV or TSV file."""
    return read_rows(name_of(path), read_lines(path), columns)


def read_rows(name: str, lines: list[str], columns: Columns) -> Opened:
    """The sentences of the lines of such a file."""
    delimiter = _delimiter(lines)
    rows = list(_rows(name, lines, delimiter))
    sample = [cells for _, cells in rows if cells][:_LOOKED_AT]
    if not sample:
        raise InputError(name, None, "not a single word", "Give a row for every word, with its tag in another column.")
    header = columns.header if columns.header is not None else is_header(sample)
    names = sample[0] if header else []
    first_row = next(place for place, (_, cells) in enumerate(rows) if cells)
    if header:
        sample, rows = sample[1:], rows[first_row + 1 :]
    if not sample:
        raise InputError(name, None, "a header and no words below it", "Say --no-header if the first row has a word.")
    if delimiter != "\t":
        _require_even(name, rows, names, delimiter)
    places = _places(name, columns, names, sample)
    by_breaks = any(not cells for _, cells in rows[: -1 - _breaks_at_end(rows)])
    ends = "" if by_breaks or {"sentence", "id"} & places.keys() else "punctuation"
    taken = _taken(delimiter, header, names, sample, places, ends)
    return Opened(taken, _sentences(name, rows, places, ends))


def from_table(
    table: Mapping[str, Iterable[Any]], word: str, tag: str, sentence: str | None = None, tag_column: int = UPOS
) -> list[Sentence]:
    """The sentences of a table in memory, such as a DataFrame of pandas, by the names of its columns.

    sentence: the column that tells sentences apart; without it, all of the table is one
    """
    for column in filter(None, (word, tag, sentence)):
        if column not in table:
            raise DepinduceError(f"the table has no column {column!r}. It has: {', '.join(map(str, table))}.")
    forms, tags = list(table[word]), list(table[tag])
    groups = list(table[sentence]) if sentence is not None else [1] * len(forms)
    brought: list[Brought] = []
    for row, (form, given, group) in enumerate(zip(forms, tags, groups, strict=True), start=1):
        if not isinstance(form, str) or not form.strip():
            raise DepinduceError(f"row {row} of the table has the word {form!r}. Drop the rows without a word.")
        if row == 1 or group != groups[row - 2]:
            brought.append(Brought([], _named(group if sentence is not None else None)))
        brought[-1].words.append(Word(form, given if isinstance(given, str) and given.strip() else "_"))
    conversion = Conversion(tag_column)
    return [conversion.sentence(each, "<table>") for each in brought]


def _delimiter(lines: list[str]) -> str:
    """What stands between cells: a tab if there is one, otherwise what is there equally often on most lines."""
    some = [line for line in lines if line.strip() and not MARKUP.fullmatch(line.strip())][:_LOOKED_AT]
    if any("\t" in line for line in some[:1]) or not some:
        return "\t"
    counts = {mark: [line.count(mark) for line in some] for mark in (";", ",")}
    alike = {mark: sum(count > 0 and count == found[0] for count in found) for mark, found in counts.items()}
    best = max(alike, key=lambda mark: alike[mark])
    return best if alike[best] else "\t"


def _rows(name: str, lines: list[str], delimiter: str) -> Iterator[Row]:
    # Quotation marks are words between tabs; between commas they may hold a comma.
    quoting = csv.QUOTE_NONE if delimiter == "\t" else csv.QUOTE_MINIMAL
    for number, line in enumerate(lines, start=1):
        if not line.strip() or MARKUP.fullmatch(line.strip()):
            yield number, []
            continue
        try:
            (cells,) = csv.reader([line], delimiter=delimiter, quoting=quoting, strict=True)
        except csv.Error as fault:
            found = f"{faults.quoted(line)} has a quotation mark that is not closed, or closed too early"
            raise InputError(name, number, found, 'Write a cell that is one as """", with commas between.') from fault
        yield number, [cell.strip() for cell in cells] if any(map(str.strip, cells)) else []


def _require_even(name: str, rows: list[Row], names: Sequence[str], delimiter: str) -> None:
    """A fault if a row is longer than others: a comma that belongs to a word would shift its tag."""
    lengths = Counter(len(cells) for _, cells in rows if cells)
    width = len(names) or lengths.most_common(1)[0][0]
    for number, cells in rows:
        if len(cells) > width and any(cells[width:]):
            text = delimiter.join(cells)
            found = f"{faults.quoted(text)} has {len(cells)} columns, where others have {width}"
            raise InputError(name, number, found, f'Write a cell with a `{delimiter}` inside in quotes, as "1,5".')


def _places(name: str, columns: Columns, names: Sequence[str], sample: list[list[str]]) -> dict[str, int]:
    """Which column, from 0, has the words, the tags and so on: as told, as named, as it looks."""
    width = max(map(len, sample))
    places = {part: number_of(name, part, column, names, width) for part, column in columns.named.items()}
    for place, title in enumerate(names):
        part = part_named(title)
        if part is not None and part not in places and place not in places.values():
            places[part] = place
    guess_by_content(places, sample, width, may_be_lemma=not names)
    if "word" not in places or "tag" not in places:
        lacking = "word" if "word" not in places else "tag"
        found = f"no column looks like that of the {lacking}s, among {width} ({faults.quoted(' | '.join(sample[0]))})"
        raise InputError(name, None, found, f"Name it: depinduce convert table FILE --{lacking}-column 2.")
    return places


def _breaks_at_end(rows: list[Row]) -> int:
    count = 0
    while count < len(rows) and not rows[-1 - count][1]:
        count += 1
    return count


def _taken(
    delimiter: str, header: bool, names: Sequence[str], sample: list[list[str]], places: dict[str, int], ends: str
) -> list[str]:
    """What was made of the columns, a line for each."""
    told = [f"a word per row, {_DELIMITERS[delimiter]} between columns, {'with' if header else 'no'} header"]
    parts = {place: part for part, place in places.items()}
    meaning = {"id": "number of the word", "sentence": "sentence (a new one where it changes)"}
    for place in range(max(map(len, sample))):
        title = f" {names[place]!r}" if place < len(names) else ""
        examples = dict.fromkeys(cells[place] for cells in sample[:20] if place < len(cells) and cells[place])
        part = parts.get(place, "not used")
        example = ", ".join(faults.shortened(each) for each in list(examples)[:4])
        told.append(f"  column {place + 1}{title}: {meaning.get(part, part)} ({example or 'empty'})")
    return told + ["  no blank lines: sentences end after . ! ? and the like"] * (ends == "punctuation")


def _sentences(name: str, rows: list[Row], places: dict[str, int], ends: str) -> Iterator[Brought]:
    words: list[Word] = []
    last = None
    for number, cells in [*rows, (0, [])]:  # the file may end without a blank line
        cell = {part: cells[place] if place < len(cells) else "" for part, place in places.items()} if cells else {}
        begins = not cells or (
            (last is not None and cell["sentence"] not in ("", last)) if "sentence" in cell else cell.get("id") == "1"
        )
        if begins and words:
            yield Brought(words, _named(last))
            words = []
        if not cells:
            continue
        if not cell["word"] or places["tag"] >= len(cells):
            _refuse_row(name, number, cells, places)
        last = cell.get("sentence") or last
        misc = {"Gloss": cell["gloss"]} if cell.get("gloss") else {}
        words.append(Word(cell["word"], cell["tag"] or "_", cell.get("lemma") or "_", misc=misc))
        if ends == "punctuation" and cell["word"] in _STOPS:
            yield Brought(words, _named(last))
            words = []


def _named(sentence: Any) -> list[str]:
    """What the table calls a sentence, as a comment: it need not be the only one of that name, as a sent_id is."""
    return [] if sentence is None else [f"sentence = {sentence}"]


def _refuse_row(name: str, number: int, cells: list[str], places: dict[str, int]) -> NoReturn:
    has = f"{faults.quoted(' | '.join(cells))} has {len(cells)} column{'s' if len(cells) > 1 else ''}"
    found = f"{has}, where the word is in column {places['word'] + 1} and the tag in column {places['tag'] + 1}"
    remedy = "Mend the row, or say where they are: depinduce convert table FILE --word-column 1 --tag-column 2."
    raise InputError(name, number, found, remedy)
