"""The kinds of sentence and how often each is tried."""

from __future__ import annotations

from collections.abc import Callable

from demo_corpus import (
    coordination,
    questions,
    relatives,
    speech,
    statements,
    subordination,
    wishes,
)
from demo_corpus.dice import Dice
from demo_corpus.tree import Node, length

LONGEST, SHORTEST = 15, 3

# Sentences out of 100
KINDS: dict[Callable[[Dice], Node | None], float] = {
    statements.event_statement: 22,
    statements.giving_statement: 4,
    statements.state_statement: 2.5,
    statements.place_statement: 2,
    statements.profession_statement: 1.7,
    statements.comparing_statement: 1,
    statements.naming_statement: 0.8,
    statements.sense_statement: 1,
    statements.existential_statement: 3,
    statements.passive_statement: 6,
    statements.command: 4,
    statements.answer: 1.5,
    statements.weather_statement: 0.7,
    questions.yes_no_question: 3,
    questions.request: 1.2,
    questions.state_question: 0.8,
    questions.place_question: 0.4,
    questions.existential_question: 0.4,
    questions.passive_question: 0.4,
    questions.subject_question: 2,
    questions.object_question: 3,
    questions.adverb_question: 2.6,
    questions.why_state_question: 0.4,
    questions.where_question: 0.8,
    questions.measure_question: 0.6,
    questions.whose_question: 0.3,
    questions.who_question: 0.3,
    relatives.relative_in_subject: 2.5,
    relatives.relative_in_object: 2.5,
    relatives.relative_with_copula: 2,
    relatives.participle_statement: 0.8,
    relatives.busy_person_statement: 0.8,
    subordination.because_statement: 2.5,
    subordination.passive_because_statement: 0.4,
    subordination.if_statement: 1.5,
    subordination.when_habit: 1.2,
    subordination.two_events: 1.5,
    subordination.interruption: 1.3,
    subordination.although_statement: 1.2,
    subordination.purpose_statement: 1.2,
    speech.saying_statement: 3,
    speech.telling_statement: 0.6,
    speech.feeling_statement: 0.6,
    speech.knowing_statement: 0.9,
    speech.wondering_statement: 0.7,
    wishes.wanting_statement: 3,
    wishes.asking_statement: 1.5,
    wishes.letting_statement: 0.5,
    wishes.able_statement: 0.7,
    wishes.judging_statement: 1.2,
    coordination.same_object: 2,
    coordination.in_turn: 1.2,
    coordination.two_clauses: 1.5,
    coordination.contrast: 1.5,
    coordination.choice_question: 0.7,
}


def sentence(dice: Dice) -> Node:
    """A finished sentence of some kind."""
    kind = dice.weighted(KINDS)
    while True:
        root = kind(dice)
        if root is not None and SHORTEST <= length(root) <= LONGEST and not _repetitive(root):
            return root


def _repetitive(root: Node) -> bool:
    """Whether a content word comes twice ("the cook cooked"), or any word twice in a row.

    A verb may be taken up by its conjunct: she likes pears, but he does not like them.
    """
    words = list(root.words())
    if any(word.form == following.form for word, following in zip(words, words[1:], strict=False)):
        return True
    taken_up = {
        id(child) for word in words for child in word.right if (child.deprel, child.lemma) == ("conj", word.lemma)
    }
    content = [word for word in words if word.upos in ("NOUN", "PROPN", "VERB", "ADJ") and id(word) not in taken_up]
    return len({word.lemma for word in content}) < len(content)
