"""Whatever a file holds, a reader gives a result or says what is wrong, where and how to mend it.

What it accepts survives: parsed and written, it is accepted again, with the same bytes but for the heads, which are a
projective tree.
"""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from campaign.mutators import (
    BYTES,
    LINES,
    TOML_VALUES,
    Mutator,
    conllu_text,
    mutated,
    penn_text,
    tagged_text,
    toml_mutators,
    vectors_text,
)
from corpus.blocks import block
from learning.tagged import random_table

from depinduce.corpus import Reading, Sentence, Vocabulary, read_sentences, read_text
from depinduce.corpus.conllu import DEPREL, DEPS, MISC, UPOS
from depinduce.corpus.faults import COLUMNS, HEAD
from depinduce.corpus.formats.brought import Conversion, one_line, tag_without_spaces
from depinduce.corpus.formats.tagged_text import read_tagged
from depinduce.corpus.penn.brackets import read_trees
from depinduce.corpus.penn.conversion import convert_tree
from depinduce.corpus.penn.settings import PennSettings
from depinduce.corpus.tag_maps import load_map, map_names
from depinduce.corpus.word_vectors import read_vectors
from depinduce.errors import DepinduceError, InputError
from depinduce.evaluation.overview import look_over
from depinduce.grammar.knowledge import load_knowledge, rule_set_names
from depinduce.grammar.rules import Order
from depinduce.learning.settings.configuration import configure
from depinduce.learning.settings.recipes import load_recipe, recipe_names
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.decoding import Parsing
from depinduce.parsing.streams import corpus_for, parse_sentences
from depinduce.settings import to_toml
from depinduce.visible import visible

pytestmark = pytest.mark.campaign
LONGEST_MESSAGE = 5000  # characters; one of a TOML value may quote it
MOST_CPU = 10.0  # seconds that a try may take
PACKAGE = Path(__file__).parents[2] / "src" / "depinduce"
TRICKY = [path.read_bytes() for path in sorted((Path(__file__).parents[1] / "corpus" / "tricky").glob("*.conllu"))]
BATCH = 40  # files that are parsed together
WAYS = (  # of parsing; the first is that of most
    Parsing(),
    Parsing(),
    Parsing(k_best=2),
    Parsing(posteriors=True, log_likelihood=True),
    Parsing(samples=2, posteriors=True),
    Parsing(k_best=2, max_words=2),
)


@contextmanager
def one_try(data: bytes) -> Iterator[None]:
    """Refusals in our own words are all right; whatever else goes wrong is shown with the file."""
    start = time.process_time()
    try:
        yield
    except DepinduceError as refusal:
        assert is_told(refusal), f"{refusal}: {data!r}"
    except Exception as error:
        raise AssertionError(f"{error!r} of {data!r}") from error
    assert time.process_time() - start < MOST_CPU, f"too slow: {data!r}"


def is_told(refusal: DepinduceError) -> bool:
    """Whether it says where, what and how to mend it, in words that a terminal can show."""
    text = str(refusal)
    where = isinstance(refusal, InputError) and refusal.found and re.search("[.?]$", refusal.remedy)
    return bool(where or re.search(r"\S: \S.*[.\w\]]", text)) and visible(text) == text and len(text) < LONGEST_MESSAGE


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A place in memory where there is one: a million files are made and read."""
    memory = Path("/dev/shm")
    with TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else tmp_path) as place:
        yield Path(place)


def damaged(rng: random.Random, valid: bytes, mutators: tuple[Mutator, ...] = (*BYTES, *LINES)) -> bytes:
    """A file, most often with something wrong."""
    return valid if rng.random() < 0.1 else mutated(rng, valid, mutators)


# ---------------------------------------------------------------- CoNLL-U


@pytest.fixture(scope="module")
def model() -> GrammarModel:
    """A tiny grammar, whose charts are compiled before the clock runs."""
    tags = Vocabulary(["NOUN", "VERB", "DET", "ADP", "X"], [1] * 5)
    model = GrammarModel(Order.FIRST, tags, random_table(Order.FIRST, len(tags), seed=1))
    for parsing in WAYS:
        parse_sentences(model, list(read_text(block("a/DET b/NOUN c/VERB"))), parsing)
    return model


def test_conllu(campaign, model, folder):
    path, batch = folder / "a.conllu", []
    for rng in campaign:
        valid = rng.choice(TRICKY) if rng.random() < 0.2 else conllu_text(rng)
        path.write_bytes(data := damaged(rng, valid))
        with one_try(data):
            sentences = list(read_sentences(path))
            assert "".join(sentence.render() for sentence in sentences).encode() == data
            look_over(str(path), Reading())
            campaign.counts["accepted"] += 1
            corpus_for(model, sentences)  # which refuses words without tags
            batch.append((data, sentences))
            campaign.counts["parsed"] += 1
        if len(batch) >= BATCH:
            parse_batch(rng, model, batch)
            batch = []
    parse_batch(random.Random(campaign.seed), model, batch)


def parse_batch(rng: random.Random, model: GrammarModel, batch: list[tuple[bytes, list[Sentence]]]) -> None:
    """Parse files together, and look at each as it is written and read again."""
    parsing, start = rng.choice(WAYS), time.process_time()
    parsed, _ = parse_sentences(model, [sentence for _, sentences in batch for sentence in sentences], parsing)
    parses = iter(parsed)
    for data, sentences in batch:
        try:
            trees = [next(parses) for _ in sentences]
            text = "".join(
                tree.render(posteriors=parsing.posteriors, log_likelihood=parsing.log_likelihood)
                for several in trees
                for tree in several
            )
            require_survival(sentences, [len(several) for several in trees], text, parsing)
        except Exception as error:
            raise AssertionError(f"{error!r} of {data!r} with {parsing}") from error
    assert time.process_time() - start < MOST_CPU


def require_survival(sentences: list[Sentence], numbers: list[int], text: str, parsing: Parsing) -> None:
    """The written text is read again as these sentences, each so many times, with trees in HEAD."""
    again = iter(list(read_text(text)))
    ids = []
    for sentence, number in zip(sentences, numbers, strict=True):
        for _ in range(number):
            written = next(again)
            ids += [written.sent_id] * (len(written) > 0 and written.sent_id is not None)
            assert token_lines(written) == token_lines(sentence)
            if not parsing.several and not parsing.log_likelihood:
                assert others(all_comments(written)) == others(all_comments(sentence))
            if len(written):
                assert is_tree(written.heads), written.heads
                assert written.column(DEPREL) == ["dep" if head else "root" for head in written.heads]
                assert set(written.column(DEPS)) == {"_"}
    assert next(again, None) is None
    given = [sentence.sent_id for sentence in sentences if len(sentence) and sentence.sent_id is not None]
    within = any(all_comments(sentence) != sentence.comments for sentence in sentences)  # can come to stand above
    assert len(set(ids)) == len(ids) or len(set(given)) < len(given) or within


def all_comments(sentence: Sentence) -> list[str]:
    """Those above the words and those between them, which are above where an empty node before them is gone."""
    lines = (line.lstrip("\ufeff\r").rstrip("\r") for line in sentence.render().split("\n"))
    return [line for line in lines if line.startswith("#")]


def others(comments: list[str]) -> list[str]:
    """Comments that no parse writes: ours are gone from a file that is parsed again."""
    ours = re.compile(r"# (?:parsed_in_pieces|tree|(?:log_)?probability|log_likelihood) = [-0-9i]")
    return [comment for comment in comments if not ours.match(comment)]


def token_lines(sentence: Sentence) -> list[list[str]]:
    """The columns of every line but HEAD, DEPREL and DEPS; of MISC only what we do not write there. No empty nodes."""
    lines = []
    for line in sentence.render().split("\n"):
        columns = line.lstrip("\ufeff\r").rstrip("\r").split("\t")
        if len(columns) == COLUMNS and not columns[0].startswith("#"):
            attributes = [] if columns[MISC - 1] in ("_", "") else columns[MISC - 1].split("|")
            kept = [attribute for attribute in attributes if attribute.partition("=")[0] != "Posterior"]
            columns[MISC - 1] = "|".join(kept)
            if "." not in columns[0]:
                lines.append(columns[: HEAD - 1] + columns[DEPS:] if columns[0].isdigit() else columns)
    return lines


def is_tree(heads: list[int]) -> bool:
    """Whether there is one root, every word leads to it, and no two arcs cross: told anew, not by the program."""
    for word in range(1, len(heads) + 1):
        seen = set()
        while word and word not in seen:
            seen.add(word)
            word = heads[word - 1]
        if word:
            return False
    arcs = [tuple(sorted(arc)) for arc in enumerate(heads, start=1)]
    return heads.count(0) == 1 and not any(a < c < b < d for a, b in arcs for c, d in arcs)


# ---------------------------------------------------------------- other readers


def test_tagged_text(campaign, folder):
    path = folder / "words.txt"
    for rng in campaign:
        path.write_bytes(data := damaged(rng, tagged_text(rng)))
        with one_try(data):
            conversion = Conversion(UPOS, ("$.",))
            for brought in read_tagged(path).sentences:
                (again,) = read_text(conversion.sentence(brought, "x").render())
                assert again.forms == [one_line(word.form) for word in brought.words]
                assert again.column(UPOS) == [
                    "PUNCT" if word.tag == "$." else tag_without_spaces(word.tag) for word in brought.words
                ]
            campaign.counts["accepted"] += 1


def test_penn_trees(campaign, folder):
    path = folder / "wsj_0001.mrg"
    for rng in campaign:
        path.write_bytes(data := damaged(rng, penn_text(rng)))
        settings = PennSettings(punctuation=rng.choice(("keep", "remove")))
        with one_try(data):
            sentences = [convert_tree(tree, "s", path, settings) for tree in read_trees(path)]
            for sentence in sentences:
                if sentence.forms:
                    (again,) = read_text(sentence.to_conllu())
                    assert (again.forms, again.heads) == (sentence.forms, sentence.heads)
                    assert is_tree(again.heads)
            campaign.counts["accepted"] += 1


def test_word_vectors(campaign, folder):
    path, words = folder / "a.vec", ["the", "dog", "New York", "犬", "0.5"]
    for rng in campaign:
        path.write_bytes(data := damaged(rng, vectors_text(rng)))
        with one_try(data):
            vectors = read_vectors(path, words, 3)
            assert vectors.shape == (len(words), 3) and not np.isinf(vectors).any()
            assert (np.isnan(vectors).any(axis=1) == np.isnan(vectors).all(axis=1)).all()
            campaign.counts["accepted"] += 1


def test_recipes_and_configurations(campaign, folder):
    recipes = [(PACKAGE / "learning" / "settings" / "recipes" / f"{name}.toml").read_bytes() for name in recipe_names()]
    whole = [configure({"model": model}).values() for model in ("dmv", "hdp-dep", "sibling", "joint-grand")]
    names = sorted({name for values in whole for name in values})
    valid = [*recipes, *(to_toml(values).encode() for values in whole)]
    try_toml(campaign, folder / "a.toml", valid, toml_mutators(TOML_VALUES, names), load_recipe)


def test_rule_sets(campaign, folder):
    valid = [(PACKAGE / "grammar" / "rule_sets" / f"{name}.toml").read_bytes() for name in rule_set_names()]
    names = ("share", "Verb", "Root", "[either]", "[left]", "[categories]", "a.b", '"\\u001b"')
    tags = Vocabulary(["NOUN", "VERB", "DET"], [3, 2, 1])
    mutators = toml_mutators(TOML_VALUES, names)
    try_toml(campaign, folder / "a.toml", valid, mutators, lambda name: load_knowledge(name).matches(tags))


def test_tag_maps(campaign, folder):
    valid = [(PACKAGE / "corpus" / "tag_maps" / f"{name}.toml").read_bytes() for name in map_names()]
    try_toml(campaign, folder / "a.toml", valid, toml_mutators(TOML_VALUES, ("NN", '"."', "a.b")), load_map)


def try_toml(
    campaign, path: Path, valid: list[bytes], mutators: tuple[Mutator, ...], read: Callable[[str], object]
) -> None:
    for rng in campaign:
        path.write_bytes(data := damaged(rng, rng.choice(valid), (*BYTES, *LINES, *3 * mutators)))
        with one_try(data):
            read(str(path))
            campaign.counts["accepted"] += 1
