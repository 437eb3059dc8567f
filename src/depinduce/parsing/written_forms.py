"""The forms in which trees are written: CoNLL-U, and tables with a row for every word, as JSON lines or Parquet.

A table has a column for every field of CoNLL-U, beside what is said of the sentence and its tree. A field that says
nothing (`_`) is empty there; the form of a word, and its lemma where the form itself is `_`, are what they are.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depinduce.corpus.conllu import FEATS, MISC, UPOS, XPOS
from depinduce.corpus.streams import open_output
from depinduce.errors import DepinduceError
from depinduce.files import atomic_file
from depinduce.parsing.parsed_sentences import ParsedSentence

if TYPE_CHECKING:
    from depinduce.parsing.decoding import Parsing

Write = Callable[[Any], None]
ROWS = 100_000  # of a table that are kept in memory, and written to Parquet as one group
COLUMNS = {  # of a table, with the type that Parquet knows
    "sentence": "int64",  # its number in the file, from 1
    "sent_id": "string",
    "tree": "int32",  # which of several trees of the sentence, from 1
    "id": "int32",
    "form": "string",
    "lemma": "string",
    "upos": "string",
    "xpos": "string",
    "feats": "string",
    "head": "int32",
    "deprel": "string",
    "deps": "string",
    "misc": "string",
    "posterior": "float64",  # that the head is right
    "log_likelihood": "float64",  # of the sentence
    "log_probability": "float64",  # of the sentence with this tree
}
LEMMA = 3  # its column in CoNLL-U
NEEDS_PYARROW = (
    "Parquet is written by the Python package pyarrow, which is not installed here. "
    "Install it: pip install 'depinduce[parquet]'; or take another --format."
)


class Form:
    """CoNLL-U, byte for byte as it was read but for the trees; others say what they do in another way."""

    name, ending = "conllu", ".conllu"
    packed = True  # a name that ends in .gz is a packed file

    def render(self, tree: ParsedSentence, number: int, parsing: Parsing) -> list[Any]:
        """What is written of a tree, piece by piece.

        number: of the sentence in its file, from 1
        """
        return [tree.render(posteriors=parsing.posteriors, log_likelihood=parsing.log_likelihood)]

    @contextmanager
    def open(self, path: str | Path) -> Iterator[Write]:
        """What takes these pieces to a file, which appears complete or not at all; `-` is stdout, `.gz` works."""
        with open_output(path) as output:
            yield output.write

    def join(self, parts: Iterable[Path], target: Path) -> None:
        """Make one file, complete or not at all, of those that were written of its parts."""
        with atomic_file(target) as stream:
            for part in parts:
                with open(part, "rb") as file:
                    while data := file.read(1 << 20):
                        stream.write(data)

    def name_for(self, source: str | Path) -> str:
        """What the file is called that is written for another: its base name, with the ending of this form."""
        name = Path(source).name
        base, packed = name.removesuffix(".gz"), name.endswith(".gz") and self.packed
        if self.ending != Form.ending:
            base = base.removesuffix(Form.ending) + self.ending
        return base + ".gz" * packed


class JsonLines(Form):
    """A row on every line, as a JSON object."""

    name, ending = "jsonl", ".jsonl"

    def render(self, tree: ParsedSentence, number: int, parsing: Parsing) -> list[str]:
        return [json.dumps(row, ensure_ascii=False) + "\n" for row in rows_of(tree, number, parsing)]


class Parquet(Form):
    """A file of Apache Parquet; its pages are packed in any case."""

    name, ending, packed = "parquet", ".parquet", False

    def render(self, tree: ParsedSentence, number: int, parsing: Parsing) -> list[dict[str, Any]]:
        return rows_of(tree, number, parsing)

    @contextmanager
    def open(self, path: str | Path) -> Iterator[Write]:
        import pyarrow

        if str(path) == "-":
            raise DepinduceError("--format parquet: stdout cannot take it. Name a file with -o.")
        rows: list[dict[str, Any]] = []
        with _table_file(path) as file:

            def write(row: dict[str, Any]) -> None:
                rows.append(row)
                if len(rows) == ROWS:
                    flush()

            def flush() -> None:
                file.write_table(pyarrow.Table.from_pylist(rows, file.schema))
                rows.clear()

            yield write
            if rows:
                flush()

    def join(self, parts: Iterable[Path], target: Path) -> None:
        from pyarrow import parquet

        with _table_file(target) as file:
            for part in parts:
                with parquet.ParquetFile(part) as found:
                    for group in range(found.num_row_groups):
                        file.write_table(found.read_row_group(group))


def _table_file(path: str | Path) -> AbstractContextManager[Any]:
    """What writes a Parquet file, complete or not at all."""
    require_library(PARQUET)
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in COLUMNS.items()])

    @contextmanager
    def opened() -> Iterator[Any]:
        with atomic_file(path) as stream, parquet.ParquetWriter(stream, schema, compression="zstd") as file:
            yield file

    return opened()


CONLLU, JSONL, PARQUET = Form(), JsonLines(), Parquet()
FORMS = {form.name: form for form in (CONLLU, JSONL, PARQUET)}


def form_for(path: str) -> Form:
    """The form that the name of a file asks for: CoNLL-U, unless its ending is that of another."""
    name = path.removesuffix(".gz")
    return next((form for form in (JSONL, PARQUET) if name.endswith(form.ending)), CONLLU)


def require_library(form: Form) -> None:
    """Refuse a form whose library is not installed, before anything begins."""
    if form is PARQUET:
        try:
            import pyarrow  # noqa: F401
        except ModuleNotFoundError as error:
            raise DepinduceError(NEEDS_PYARROW) from error


def rows_of(tree: ParsedSentence, number: int, parsing: Parsing) -> list[dict[str, Any]]:
    """The rows of a tree, one for every word; multiword tokens and empty nodes are not words, and have none.

    Numbers are rounded as they are in CoNLL-U. DEPS is empty there, too: it told of another tree.
    """
    if not tree.heads:
        return []
    sentence, nothing = tree.sentence_alone, [None] * len(tree.heads)
    likely = parsing.log_likelihood or tree.number is not None
    of_sentence = [number, sentence.sent_id, tree.number]
    of_tree = [_rounded(value, 6) if likely else None for value in (tree.log_likelihood, tree.log_probability)]
    known = (tree.probabilities if parsing.posteriors else None) or nothing
    forms, lemmas = sentence.forms, sentence.column(LEMMA)
    rows = zip(
        range(1, len(forms) + 1),
        forms,
        [lemma if form == "_" else _said(lemma) for form, lemma in zip(forms, lemmas, strict=True)],
        *(map(_said, sentence.column(column)) for column in (UPOS, XPOS, FEATS)),
        [head if head >= 0 else None for head in tree.heads],
        map(_said, tree.labels),
        nothing,
        map(_said, sentence.column(MISC)),
        [_rounded(value, 4) for value in known],
        strict=True,
    )
    return [dict(zip(COLUMNS, (*of_sentence, *row, *of_tree), strict=True)) for row in rows]


def _said(value: str) -> str | None:
    return None if value == "_" else value


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
