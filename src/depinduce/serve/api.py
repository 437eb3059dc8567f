"""What the page asks for: from a request to its answer, both dictionaries, with no HTTP in between.

An answer is made in steps, between which others may have their turn: see `turns`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from depinduce.corpus import Sentence, read_sentences, remove
from depinduce.corpus.conllu import UPOS, XPOS
from depinduce.corpus.demo import demo_file
from depinduce.errors import InputError
from depinduce.evaluation.trees import is_projective
from depinduce.files import parse_json
from depinduce.insight.stories import stories
from depinduce.labels import plain_labels, with_kept_labels
from depinduce.parsing.streams import about_unknown_language, about_unknown_tags, corpus_for, spread
from depinduce.serve.presentation import marks_of, picture, seen
from depinduce.serve.requests import (
    LIMITS,
    MOST_SENTENCES,
    MOST_TREES,
    MOST_WORDS_OF_TREES,
    STEP,
    WORK_OF_BYTE,
    Block,
    RequestError,
    block_of,
    blocks_of,
    heads_of,
    in_words,
    number_of,
    probabilities_of,
    text_of,
    width_of,
    work_of,
)
from depinduce.serve.shelf import READY, Shelf, gives_several_trees
from depinduce.serve.trees import longest, trees_around
from depinduce.serve.turns import Steps
from depinduce.visible import visible

if TYPE_CHECKING:
    from depinduce.parser import Parse, Parser
    from depinduce.serve.desk import Desk

Answer = dict[str, Any]
EXAMPLES, EXAMPLE_LENGTH = 6, (5, 12)  # sentences, and how many words they may have
MOST_LOOKED_AT = 500  # sentences among which examples are found


def list_models(shelf: Shelf, desk: Desk | None = None) -> Answer:
    """All models by their names, what may be asked of them, and the name of the file that people work on, if any."""
    models = [{"name": model.name, "about": model.about} for model in shelf.models.values()]
    return {"models": models, "limits": LIMITS, "file": None if desk is None else seen(desk.file.path.name)}


def work_of_reading(body: bytes) -> float:
    """How much work it is to understand a request."""
    return len(body) * WORK_OF_BYTE + STEP / 100  # and it is not none


def answer(shelf: Shelf, action: str, body: bytes) -> Steps[bytes]:
    """From the JSON of a request to that of its answer. The first step is `work_of_reading`."""
    request = request_in(body)
    model = shelf[text_of(request, "model")]
    if action != "model" and model.state != READY:
        yield 0  # it is waited for in nobody's way
        model.parser()
        yield work_of_reading(body)
    made = yield from ACTIONS[action](shelf, request)
    return as_json(made)


def request_in(body: bytes) -> dict[str, Any]:
    """The JSON object of a request."""
    try:
        request = parse_json(body)
    except ValueError:
        raise RequestError("The request is not JSON.") from None
    if not isinstance(request, dict):
        raise RequestError("The request is not a JSON object.")
    return request


def as_json(answer: Answer) -> bytes:
    return json.dumps(answer, allow_nan=False).encode()


def describe_model(shelf: Shelf, request: Mapping) -> Steps[Answer]:
    """How far a model is, whose loading begins now if it has not; when it is ready, what it knows."""
    model = shelf[text_of(request, "model")]
    model.prepare()
    state = model.state  # which changes meanwhile
    answer: Answer = {"name": model.name, "about": model.about, "state": state, "fault": model.fault}
    if state == READY:
        yield EXAMPLES * work_of(EXAMPLE_LENGTH[1])
        parser = model.parser()
        column = parser.model.reading.tag_column
        answer |= {
            "tags": seen(list(parser.tags)),
            "tag_column": {UPOS: "UPOS", XPOS: "XPOS"}.get(column, f"column {column}"),
            "non_heads": seen(list(parser.model.non_heads)),
            "examples": _examples(parser, shelf.text),
            "several_trees": gives_several_trees(parser),
            "most_words": longest(parser.model),
        }
    return answer


def parse(shelf: Shelf, request: Mapping) -> Steps[Answer]:
    """The tree of every sentence of a text: the best one, or the best around the heads that the text has."""
    parser = shelf[text_of(request, "model")].parser()
    column = parser.model.reading.tag_column
    blocks = blocks_of(text_of(request, "text"), column, longest(parser.model))
    left = sum(work_of(len(block.sentence)) for block in blocks)
    sentences, unknown = [], set()
    strangers = {block.sentence.language for block in blocks if block.sentence.language} - {*parser.model.languages}
    if not parser.model.languages or parser.model.headedness is not None:  # it tells none apart, or learns new ones
        strangers = set()
    for some in _portions(blocks):
        yield left
        left -= sum(work_of(len(block.sentence)) for block in some)
        try:
            parses = parser.parse([block.sentence for block in some])
        except InputError as fault:  # such as a word without a tag
            raise RequestError(in_words(fault)) from None
        sentences += [
            {
                "block": block.text,
                "name": block.sentence.sent_id and visible(block.sentence.sent_id),
                "words": seen(tree.words),
                "tags": seen(tree.tags),
                "punctuation": marks_of(block.sentence, parser.model.reading),
                **_facts(tree),
                **_around_given(parser, block.sentence),
            }
            for block, tree in zip(some, parses, strict=True)
        ]
        unknown.update(corpus_for(parser.model, [block.sentence for block in some]).unknown_tags)
    told = [about_unknown_language(name, parser.model) for name in sorted(strangers)]
    return {"sentences": sentences, "warnings": [about_unknown_tags(unknown)] * bool(unknown) + told}


def look_at_sentence(shelf: Shelf, request: Mapping) -> Steps[Answer]:
    """The best trees of a sentence as small pictures, and the probabilities of all its arcs."""
    parser = shelf[text_of(request, "model")].parser()
    sentence = block_of(request, parser.model.reading.tag_column, longest(parser.model)).sentence
    wanted = number_of(request, "trees", 1, MOST_TREES, 5)
    several = gives_several_trees(parser) and len(sentence) <= MOST_WORDS_OF_TREES
    note = ""
    if not gives_several_trees(parser):
        note = f"One tree, that with the most probable arcs: {parser.model.why_no_single_trees}."
    elif not several:
        note = f"Other trees are shown for sentences of up to {MOST_WORDS_OF_TREES} words."
    drawings = wanted if several else 1
    yield work_of(len(sentence)) + work_of(len(sentence), drawings)
    trees = parser.k_best(sentence, wanted) if several else parser.parse([sentence])
    yield work_of(len(sentence), drawings)
    posteriors = parser.posteriors(sentence, calibrated=True).tolist()
    shown = []
    for number, tree in enumerate(trees):
        yield work_of(len(sentence), drawings - number) - work_of(len(sentence), 0)
        shown.append(_facts(tree) | {"svg": _picture(parser, sentence, tree.heads, tree.probabilities)})
    return {
        "trees": shown,
        "posteriors": [[float(f"{value:.5g}") for value in row] for row in posteriors],
        "note": note,
    }


def draw(shelf: Shelf, request: Mapping) -> Steps[Answer]:
    """A picture of any tree of a sentence."""
    parser = shelf[text_of(request, "model")].parser()
    sentence = block_of(request, parser.model.reading.tag_column).sentence
    heads = heads_of(request, sentence)
    yield work_of(len(sentence))
    return {
        "svg": _picture(parser, sentence, heads, probabilities_of(request, len(sentence)), width_of(request)),
    }


def rules_of_tree(shelf: Shelf, request: Mapping) -> Steps[Answer]:
    """Which rules made a tree, by its words, and how probable the grammar finds it."""
    parser = shelf[text_of(request, "model")].parser()
    sentence = block_of(request, parser.model.reading.tag_column, longest(parser.model)).sentence
    heads = heads_of(request, sentence)
    yield work_of(len(sentence))
    marks = marks_of(sentence, parser.model.reading)
    keep = [word not in marks for word in range(1, len(sentence) + 1)]
    heads = remove(heads, keep)
    if heads.count(0) != 1:
        return _no_rules("The root is punctuation, which the grammar does not see.")
    told = stories(parser.model, corpus_for(parser.model, [sentence]), heads)
    answer: Answer = {
        "stories": [
            {"title": story.title, "words": spread([seen(word.to_json()) for word in story.words], keep)}
            for story in told
        ],
        "log_probability": _finite(sum(story.log_probability for story in told)),
        "note": "",
    }
    if not gives_several_trees(parser):
        note = f"How probable this tree is, nobody knows: {parser.model.why_no_single_trees}."
        return answer | {"log_probability": None, "note": note}
    if not is_projective(heads):
        note = "Some arcs cross, and this grammar generates only trees in which none do."
        return answer | {"log_probability": None, "note": note}
    if answer["log_probability"] is None:
        answer["note"] = "The grammar does not allow this tree."
    return answer


def write_conllu(shelf: Shelf, request: Mapping) -> Steps[Answer]:
    """Sentences with the heads that they have now, labels where these are as before, and nothing in DEPS."""
    parser = shelf[text_of(request, "model")].parser()
    column = parser.model.reading.tag_column
    sentences = request.get("sentences")
    if not isinstance(sentences, list) or not all(isinstance(one, Mapping) for one in sentences):
        raise RequestError("'sentences' must be a list of blocks with their heads.")
    if len(sentences) > MOST_SENTENCES:
        raise RequestError(f"'sentences' must be {MOST_SENTENCES} at the most, not {len(sentences)}.")
    lengths = [len(text_of(one, "block")) for one in sentences]
    written = []
    for number, one in enumerate(sentences):
        yield sum(lengths[number:]) * WORK_OF_BYTE
        block = block_of(one, column)
        heads = heads_of(one, block.sentence)
        written.append(block.with_tree(heads, _labels(parser, block.sentence, heads)))
    return {"text": "".join(written)}


ACTIONS: dict[str, Callable[[Shelf, Mapping], Steps[Answer]]] = {
    "model": describe_model,
    "parse": parse,
    "sentence": look_at_sentence,
    "draw": draw,
    "rules": rules_of_tree,
    "conllu": write_conllu,
}


# ---------------------------------------------------------------- within


def _portions(blocks: list[Block]) -> Iterator[list[Block]]:
    """The sentences in portions of a step, or of one sentence that is more."""
    some, work = [], 0.0
    for block in blocks:
        more = work_of(len(block.sentence))
        if some and work + more > STEP:
            yield some
            some, work = [], 0.0
        some.append(block)
        work += more
    yield some


def _facts(tree: Parse) -> Answer:
    return {
        "heads": tree.heads,
        "probabilities": tree.probabilities,
        "probability": tree.probability,
        "log_likelihood": _finite(tree.log_likelihood),
        "log_probability": _finite(tree.log_probability),
    }


def _around_given(parser: Parser, sentence: Sentence) -> Answer:
    """The best tree around the heads that a text has, and whose these are, by the numbers of their words."""
    given = [number for number, head in enumerate(sentence.heads, start=1) if head >= 0]
    if not given:
        return {"kept": []}
    (found,) = trees_around(parser.model, [sentence], [sentence.heads])
    return {"kept": [number for number in given if number not in found.lost], "heads": found.heads}


def _finite(value: float | None) -> float | None:
    """JSON has no infinity."""
    return value if value is not None and math.isfinite(value) else None


def _no_rules(note: str) -> Answer:
    return {"stories": [], "log_probability": None, "note": note}


def _picture(parser: Parser, sentence: Sentence, heads, probabilities, width: int | None = None) -> str:
    labels = _labels(parser, sentence, heads)
    return picture(sentence, parser.model.reading, heads, labels, probabilities, width)


def _labels(parser: Parser, sentence: Sentence, heads: list[int]) -> list[str]:
    """Those of the text where the head is still the same, others as the grammar has learned, if it has learned any."""
    model = parser.model
    new = model.labeller.labels(sentence, heads, model.reading) if model.names_arcs else plain_labels(heads)
    return with_kept_labels(sentence, heads, new)


def _examples(parser: Parser, text: Path | None) -> list[str]:
    """Some sentences of a text that people work on or name, or of the demo corpus, if the grammar knows their tags."""
    column = parser.model.reading.tag_column
    if column != UPOS and text is None:
        return []
    shortest, longest = EXAMPLE_LENGTH
    fitting = (
        sentence
        for sentence in islice(read_sentences(text or demo_file("test")), MOST_LOOKED_AT)
        if shortest <= len(sentence) <= longest and _can_be_typed(sentence, column, parser)
    )
    found: list[str] = []
    with suppress(InputError):  # then there are those before the fault
        for sentence in islice(fitting, EXAMPLES):
            words = zip(sentence.forms, sentence.column(column), strict=True)
            found.append(" ".join(f"{word}/{tag}" for word, tag in words))
    return found


def _can_be_typed(sentence: Sentence, column: int, parser: Parser) -> bool:
    """Whether its words and tags are known, and can be written as `word/TAG`."""
    if any(" " in text or text == "_" for text in (*sentence.forms, *sentence.column(column))):
        return False
    return not corpus_for(parser.model, [sentence]).unknown_tags
