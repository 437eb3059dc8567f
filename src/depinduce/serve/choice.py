"""Which sentences of a desk somebody wants to see, and in which order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from depinduce.corpus import read_text
from depinduce.corpus.conllu import FORM, UPOS, XPOS
from depinduce.learning.health import DOUBTFUL, GOOD, LEAST_OF_DOUBTFUL, LEAST_OF_GOOD, POOR
from depinduce.serve.requests import WORK_OF_BYTE, RequestError, number_of, text_of
from depinduce.serve.survey import SIGNS
from depinduce.serve.turns import Steps

if TYPE_CHECKING:
    from depinduce.serve.desk import Desk

LEMMA = 3
IN_FILE, LEAST_SURE = "file", "unsure"  # orders
ANY_SIGN = "sign"
VERDICTS = (GOOD, DOUBTFUL, POOR, ANY_SIGN, *SIGNS)
STATES = ("", "checked", "unchecked", "corrected", "changed")
LOOKED_AT_ONCE = 2000  # sentences whose texts are looked through at a stretch
BYTES_OF_SENTENCE = 100  # that are looked through, rather than read
MOST_REMEMBERED = 20  # searches
MOST_WORDS = 10**6


@dataclass(frozen=True)
class Choice:
    """What the sentences have in common; what is empty does not matter."""

    tag: str = ""  # of one of the words, in UPOS or XPOS; capitals or not
    word: str = ""  # as it stands there, or its lemma; capitals or not
    label: str = ""  # of an arc, with any subtype
    least: int = 1  # words
    most: int = MOST_WORDS
    state: str = ""  # one of STATES
    verdict: str = ""  # one of VERDICTS
    order: str = IN_FILE

    @classmethod
    def of(cls, request: Mapping) -> Choice:
        texts = {name: text_of(request, name).strip() for name in ("tag", "word", "label") if name in request}
        for name, allowed in (("state", STATES), ("verdict", ("", *VERDICTS)), ("order", (IN_FILE, LEAST_SURE))):
            if request.get(name, allowed[0]) not in allowed:
                raise RequestError(f"{name!r} must be one of: {', '.join(filter(None, allowed))}.")
            texts[name] = request.get(name, allowed[0])
        least = number_of(request, "least", 1, MOST_WORDS, 1)
        return cls(least=least, most=number_of(request, "most", 1, MOST_WORDS, MOST_WORDS), **texts)


def chosen(desk: Desk, choice: Choice) -> Steps[np.ndarray]:
    """The numbers of the sentences, in the order that is wanted."""
    survey, lengths = desk.survey, desk.file.lengths
    wanted = (lengths >= choice.least) & (lengths <= choice.most)
    if choice.tag or choice.word:
        wanted &= yield from _found(desk, choice.tag.lower(), choice.word.lower())
    if choice.state:
        wanted &= _in_state(desk, choice.state)
    if choice.label:
        wanted &= survey.with_label(choice.label)
    if choice.verdict:
        wanted &= _judged(survey.certainty, survey.signs, choice.verdict)
    numbers = np.flatnonzero(wanted)
    if choice.order == LEAST_SURE:  # what nothing is known of comes last
        numbers = numbers[np.argsort(survey.certainty[numbers], kind="stable")]
    return numbers


def _in_state(desk: Desk, state: str) -> np.ndarray:
    """[sentence] bool"""
    found = np.zeros(len(desk.file), bool)
    if state == "changed":
        return found if desk.before is None else desk.survey.changed_since(desk.before)
    works = list(desk.journal.works.items())
    if state == "corrected":
        found[[number for number, work in works if work.heads or work.labels]] = True
        return found
    found[[number for number, work in works if work.is_checked]] = True
    return found if state == "checked" else ~found


def _judged(certainty: np.ndarray, signs: np.ndarray, verdict: str) -> np.ndarray:
    """[sentence] bool"""
    if verdict in SIGNS:
        return (signs >> list(SIGNS).index(verdict) & 1).astype(bool)
    return {
        ANY_SIGN: signs > 0,
        GOOD: certainty >= LEAST_OF_GOOD,
        DOUBTFUL: (certainty < LEAST_OF_GOOD) & (certainty >= LEAST_OF_DOUBTFUL),
        POOR: certainty < LEAST_OF_DOUBTFUL,
    }[verdict]


def _found(desk: Desk, tag: str, word: str) -> Steps[np.ndarray]:
    """The sentences with such a tag and such a word, which may be that of the tag or another. [sentence] bool"""
    key = tag, word
    if key not in desk.searches:
        found = np.zeros(len(desk.file), bool)
        for first in range(0, len(desk.file), LOOKED_AT_ONCE):
            yield (len(desk.file) - first) * BYTES_OF_SENTENCE * WORK_OF_BYTE / 10
            for number, text in desk.file.texts(first, first + LOOKED_AT_ONCE):
                found[number] = _has(text, tag, word)
        while len(desk.searches) >= MOST_REMEMBERED:
            desk.searches.pop(next(iter(desk.searches)), None)
        desk.searches[key] = found
    return desk.searches[key]


def _has(text: str, tag: str, word: str) -> bool:
    lowered = text.lower()
    if any(wanted and f"\t{wanted}\t" not in lowered for wanted in (tag, word)):
        return False  # most of them are not read
    (sentence,) = read_text(text)
    columns = ((tag, (UPOS, XPOS)), (word, (FORM, LEMMA)))
    return all(
        not wanted or any(wanted == found.lower() for column in places for found in sentence.column(column))
        for wanted, places in columns
    )
