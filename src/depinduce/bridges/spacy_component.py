"""The spaCy component `depinduce`: heads for tagged documents.

    nlp.add_pipe("depinduce", config={"model": "grammar"})

Every token gets a head and the label `dep`, the root of a sentence `ROOT`. Sentences are those of the document; one
without sentence boundaries is parsed as a single sentence. Afterwards there is one tree, and so one boundary, for each.
"""

from __future__ import annotations

import os
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import srsly
from spacy.attrs import DEP, HEAD
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc, Span, Token

from depinduce.corpus.conllu import UPOS, XPOS, Sentence
from depinduce.corpus.tagged import sentence_of
from depinduce.errors import DepinduceError

if TYPE_CHECKING:
    from depinduce.models.loading import Model

ROOT_LABEL, LABEL = "ROOT", "dep"
ENDLESS = 200  # words in a document without sentence boundaries that are surely not one sentence
MOST_NAMED = 50  # tags in a message
ATTRIBUTES = {2: "text", 3: "lemma_", UPOS: "pos_", XPOS: "tag_", 6: "morph"}  # where spaCy keeps the columns
WHO_SETS = {
    "lemma_": "a lemmatizer",
    "pos_": "a morphologizer, or a tagger and an attribute_ruler,",
    "tag_": "a tagger",
    "morph": "a morphologizer",
}

_PROCESS = os.getpid()  # in which this module was imported


@Language.factory(
    "depinduce",
    default_config={"model": None, "decode": "viterbi", "threads": 1},
    assigns=["token.head", "token.dep", "token.is_sent_start", "doc.sents"],
)
def make_component(nlp: Language, name: str, model: str | None, decode: str, threads: int) -> DepinduceParser:
    """The component of a pipeline.

    model: directory that `depinduce train` wrote; decode: viterbi, the most probable tree, or mbr, that with the most
    probable arcs; threads: for the charts
    """
    return DepinduceParser(name, model, decode, threads)


class DepinduceParser(Pipe):
    """The component: it sets the heads of tagged documents by a grammar."""

    def __init__(self, name: str, place: str | None, decode: str = "viterbi", threads: int = 1):
        from depinduce.parsing.decoding import Parsing

        self.name, self.place = name, place
        self.parsing = Parsing(decode=decode, threads=threads)
        self.warned: set[str] = set()
        self._grammar: Model | None = None
        # A pipeline that is loaded from disk brings its model along, and the first place need not exist there.
        if place is not None and Path(place).exists():
            self.grammar  # noqa: B018  (a damaged model shows now)

    @property
    def grammar(self) -> Model:
        """The model, read when it is first needed.

        (spaCy takes a component with an attribute `model` for one to be trained.)
        """
        if self._grammar is None:
            from depinduce.models.loading import load_model

            if self.place is None:
                raise DepinduceError(
                    "The component depinduce has no model. Name the directory that `depinduce train` wrote: "
                    'nlp.add_pipe("depinduce", config={"model": DIR}).'
                )
            self._grammar = _for_spacy(load_model(self.place))
        return self._grammar

    def initialize(self, get_examples=None, *, nlp: Language | None = None) -> None:
        """Make sure that the model is there; there is nothing to train."""
        self.grammar  # noqa: B018

    def __call__(self, doc: Doc) -> Doc:
        self.parse([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """The documents with heads, parsed in batches."""
        stream, handle_error = iter(stream), self.get_error_handler()
        while docs := list(islice(stream, batch_size)):
            try:
                self.parse(docs)
                yield from docs
            except Exception as error:
                handle_error(self.name, self, docs, error)

    def parse(self, docs: list[Doc]) -> None:
        """Set the heads, labels and sentence boundaries of some documents."""
        from depinduce.parsing.streams import about_unknown_tags, parse_sentences

        _live_without_torch_threads()
        grammar = self.grammar
        spans = [(doc, span) for doc in docs for span in self._sentences(doc)]
        words = [[token for token in span if not token.is_space] for _, span in spans]
        sentences = [self._sentence(tokens) for tokens in words]
        parsed, unknown_tags = parse_sentences(grammar, sentences, self.parsing) if sentences else ([], set())
        if unknown_tags:
            known = " ".join(grammar.tags.symbols[:MOST_NAMED]) + " …" * (len(grammar.tags) > MOST_NAMED)
            self._warn("unknown tags", f"{about_unknown_tags(unknown_tags)}. The model knows: {known}")
        heads = {id(doc): np.zeros(len(doc), dtype=np.int64) for doc in docs}  # [token] relative, as spaCy has them
        for (doc, span), tokens, (tree,) in zip(spans, words, parsed, strict=True):
            heads[id(doc)][span.start : span.end] = relative_heads(span, tokens, tree.heads)
        for doc in docs:
            relative = heads[id(doc)]
            root, other = (doc.vocab.strings.add(label) for label in (ROOT_LABEL, LABEL))
            labels = np.where(relative == 0, np.uint64(root), np.uint64(other))
            columns = np.stack([relative.astype(np.uint64), labels], axis=1)
            doc.from_array([HEAD, DEP], columns)  # pyright: ignore[reportArgumentType]  # its stub takes no NumPy array

    def _sentences(self, doc: Doc) -> Iterator[Span]:
        if doc.has_annotation("SENT_START"):
            yield from doc.sents
        elif len(doc):
            if len(doc) > ENDLESS:
                self._warn(
                    "sentences",
                    f"a document of {len(doc)} tokens has no sentence boundaries and is parsed as one sentence. "
                    'Put nlp.add_pipe("sentencizer", before="depinduce") into the pipeline.',
                )
            yield doc[:]

    def _sentence(self, tokens: list[Token]) -> Sentence:
        """The tokens as a sentence of a file; a fault if a word has no tag."""
        reading = self.grammar.reading
        attribute = ATTRIBUTES[reading.tag_column]
        words = ({column: str(getattr(token, name)) or "_" for column, name in ATTRIBUTES.items()} for token in tokens)
        sentence = sentence_of(words, "<spaCy document>")
        keep = reading.marks.keep(sentence)
        for number, (token, tag) in enumerate(zip(tokens, sentence.column(reading.tag_column), strict=True)):
            if tag == "_" and (keep is None or keep[number]):
                _refuse_missing_tag(token, attribute)
        return sentence

    def _warn(self, about: str, message: str) -> None:
        """Warn, once about each thing."""
        if about not in self.warned:
            self.warned.add(about)
            warnings.warn(f"depinduce: {message}", stacklevel=4)

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write the model, so that the pipeline can go to another machine."""
        self.grammar.save(path)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> DepinduceParser:
        """Read the model that `to_disk` wrote."""
        from depinduce.models.loading import load_model

        self._grammar = _for_spacy(load_model(path))
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """The files of the model."""
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder) / "model"
            self.to_disk(place)
            files = {str(path.relative_to(place)): path.read_bytes() for path in place.rglob("*") if path.is_file()}
        return srsly.msgpack_dumps(files)

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> DepinduceParser:
        """Read the model that `to_bytes` wrote."""
        with tempfile.TemporaryDirectory() as folder:
            files = srsly.msgpack_loads(data)
            if not isinstance(files, dict):
                raise DepinduceError("These bytes hold no model. Take those that `to_bytes` gave.")
            for name, content in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            return self.from_disk(folder)


def relative_heads(span: Span, words: list[Token], heads: list[int]) -> list[int]:
    """How far from every token of a sentence its head is, 0 for the root; heads of words are 1-based, 0 = root.

    White space hangs on the word before it, at the beginning on the first word. Where there is nothing else, its first
    token is the root.
    """
    head_of = {word.i: words[head - 1].i if head > 0 else word.i for word, head in zip(words, heads, strict=True)}
    relative, last = [], words[0].i if words else span.start
    for token in span:
        relative.append(head_of.get(token.i, last) - token.i)
        last = token.i if token.i in head_of else last
    return relative


def _live_without_torch_threads() -> None:
    """Keep torch to one thread after a fork, as by nlp.pipe(…, n_process=2).

    It would wait forever for threads that did not come along.
    """
    if os.getpid() != _PROCESS and "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)


def _for_spacy(model: Model) -> Model:
    """The model; a fault if its tags are something that spaCy does not have."""
    if model.reading.tag_column not in ATTRIBUTES:
        raise DepinduceError(
            f"The model takes its tags from column {model.reading.tag_column} of a file, for which spaCy has no "
            "attribute. Train one with --tags upos (token.pos_) or --tags xpos (token.tag_)."
        )
    return model


def _refuse_missing_tag(token: Token, attribute: str) -> None:
    other = {"pos_": ("xpos", "tag_"), "tag_": ("upos", "pos_")}.get(attribute)
    remedy = f"Put {WHO_SETS.get(attribute, 'what sets it')} before depinduce in the pipeline, or set it yourself"
    if other is not None and getattr(token, other[1]):
        remedy += f"; or, as it does have a token.{other[1]}, train a model with --tags {other[0]}"
    raise DepinduceError(
        f"Token {token.i} {token.text!r} has no token.{attribute}, from which this model takes its tags. {remedy}."
    )
