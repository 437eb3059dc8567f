"""What the trees of a grammar are probably worth, what looks wrong about them, and what to do about it.

No gold tree is needed. The yardstick is a grammar made of other languages (`learning.trust`), which tells how many of
the heads are probably right, and how many would be if every word hung on the next one, or on the one before. Beside it
stand signs that a linguist would look for: roots that are no verbs, nouns that hang on adjectives, words that hang on
function words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from depinduce.corpus import Corpus, in_vocabulary
from depinduce.corpus.tags import find_tags
from depinduce.evaluation.baselines import next_word, previous_word
from depinduce.learning.trust import FEWEST, MOST_MEASURED, ORDER_FREE, Yardstick, evenly, quietly
from depinduce.models.model import Model
from depinduce.parsing.decoding import Parsing, parse_corpus

GOOD, DOUBTFUL, POOR, UNKNOWN = "good", "doubtful", "poor", "unknown"
# Shares of heads that are probably right, chosen on dev trees of six languages: see docs/results/confidence.md.
LEAST_OF_GOOD, LEAST_OF_DOUBTFUL = 0.55, 0.45
ABOVE_BASELINE = 0.1  # what is not better by this than hanging every word on its neighbour is poor
FEW = 500  # sentences
UNLIKELY = 0.05  # posterior of an arc, in the eyes of the yardstick
MANY_UNLIKELY, MANY_ROOTS, MANY_NOUNS, MANY_FUNCTION_WORDS = 0.2, 0.3, 0.1, 0.05  # shares that are told
LITTLE_AGREEMENT = 0.8  # of seeds
FAR = 0.8  # less trust than this: the language is unlike the others
WORTH_A_TRY = 0.03  # what a remedy must add to the expected share
FUNCTION_WORDS = ("ADP", "AUX", "CCONJ", "DET", "PART", "SCONJ")


@dataclass(frozen=True)
class Health:
    """A verdict, what it is based on, and what to do."""

    verdict: str  # good, doubtful, poor or unknown
    expected: float | None  # the share of heads that are probably right
    neighbours: float | None  # the same if every word hung on the next, or on the one before: the better of the two
    findings: list[str]  # what looks wrong
    remedies: list[str]  # the one that promises most first

    def __str__(self) -> str:
        """In a few lines."""
        lines = [f"verdict: {self.verdict}"]
        if self.expected is not None and self.neighbours is not None:
            lines[0] += (
                f". About {100 * self.expected:.0f} of 100 heads are probably right; {100 * self.neighbours:.0f} would "
                "be if every word hung on its neighbour"
            )
        lines += [f"  {finding}" for finding in self.findings]
        lines += [f"  try: {remedy}" for remedy in self.remedies]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def health(
    model: Model,
    corpus: Corpus,
    others: Iterable[Model] = (),
    universal: Model | None = None,
    yardstick: Yardstick | None = None,
) -> Health:
    """How a grammar does on a text, which may be the one that it learned from.

    others: the models of other seeds; universal: another yardstick than the one in the box
    yardstick: it need not be made, here it is
    """
    yardstick = yardstick or Yardstick.of(corpus, model, universal)
    findings = [*_about_training(model), *_about_seeds(model, list(others), evenly(corpus.as_text, MOST_MEASURED))]
    if yardstick is None:
        findings.append(f"no other language has such tags, or there are fewer than {FEWEST} sentences: nobody can tell")
        return Health(UNKNOWN, None, None, findings, ["look at some trees; or read the tags as universal ones: --map"])
    heads = yardstick.parsed(model).heads[0]
    expected = float(yardstick.worth(heads).mean())
    chains = (chain(yardstick.text.offsets) for chain in (next_word, previous_word))
    neighbours = max(float(yardstick.worth(chain).mean()) for chain in chains)
    signs = Signs.of(yardstick, heads)
    findings += signs.told()
    is_far = yardstick.on_trees is None and yardstick.trust < FAR
    if is_far:
        findings.append("the order of the language is unlike that of others, so that these numbers are guesses")
    verdict = _verdict(expected, neighbours, is_far)
    is_well = verdict == GOOD and not findings
    remedies = [] if is_well else list(_remedies(model, yardstick, expected, signs, verdict))
    return Health(verdict, expected, neighbours, findings, remedies)


def _verdict(expected: float, neighbours: float, is_far: bool) -> str:
    if expected < max(LEAST_OF_DOUBTFUL, neighbours + ABOVE_BASELINE):
        return POOR
    return GOOD if expected >= LEAST_OF_GOOD and not is_far else DOUBTFUL


def _about_training(model: Model) -> Iterable[str]:
    sentences = model.history.get("training_data", {}).get("sentences")
    if sentences is not None and sentences < FEW:
        yield f"it learned from {sentences} sentences only"
    if not model.finished:
        yield "its training was interrupted"


def _about_seeds(model: Model, others: list[Model], text: Corpus) -> Iterable[str]:
    """Whether other seeds lead to other trees."""
    if not others:
        return
    own, *theirs = (parse_corpus(one, quietly(in_vocabulary, text, one.tags), Parsing()) for one in (model, *others))
    agreement = min(float(np.mean(own == other)) for other in theirs)
    if agreement < LITTLE_AGREEMENT:
        yield f"another seed gives the same head to {agreement:.0%} of the words only"


@dataclass(frozen=True)
class Signs:
    """Shares of words by which a linguist tells bad trees."""

    unlikely: float  # arcs that other languages hardly have
    other_roots: float  # sentences with a verb whose root is another word
    their_tag: str  # that of most of these roots
    nouns_on_adjectives: float  # of all nouns
    on_function_words: float  # of all words

    @classmethod
    def of(cls, yardstick: Yardstick, heads: np.ndarray) -> Signs:
        """heads: of the text of the yardstick [token]"""
        text, offsets = yardstick.text, yardstick.text.offsets
        known = quietly(find_tags, text.tag_vocabulary, yardstick.universal.tags)[text.tags]
        tags = np.array([*yardstick.universal.tags, ""], dtype=object)[known]  # -1 is the last
        head = np.repeat(offsets[:-1], text.lengths) + heads - 1
        head_tags = np.where(heads == 0, "", tags[np.where(heads == 0, 0, head)])
        with_verb = np.add.reduceat(tags == "VERB", offsets[:-1]) > 0
        roots = tags[(heads == 0) & np.repeat(with_verb, text.lengths)]
        others = Counter(roots[roots != "VERB"].tolist())
        nouns = np.isin(tags, ("NOUN", "PROPN"))
        return cls(
            float(np.mean(yardstick.posteriors.of(heads, offsets) < UNLIKELY)),
            others.total() / max(len(roots), 1),
            others.most_common(1)[0][0] if others else "",
            float(np.sum(head_tags[nouns] == "ADJ") / max(nouns.sum(), 1)),
            float(np.mean(np.isin(head_tags, FUNCTION_WORDS))),
        )

    def told(self) -> Iterable[str]:
        """Those that are too large."""
        if self.unlikely > MANY_UNLIKELY:
            yield f"{self.unlikely:.0%} of its arcs are unlikely in other languages"
        if self.other_roots > MANY_ROOTS:
            yield f"the root is no verb in {self.other_roots:.0%} of the sentences with one, mostly {self.their_tag}"
        if self.nouns_on_adjectives > MANY_NOUNS:
            yield f"{self.nouns_on_adjectives:.0%} of the nouns hang on adjectives"
        if self.on_function_words > MANY_FUNCTION_WORDS:
            yield f"{self.on_function_words:.0%} of the words hang on function words"


def _remedies(model: Model, yardstick: Yardstick, expected: float, signs: Signs, verdict: str) -> Iterable[str]:
    settings = model.history.get("settings", {})
    knows_others = settings.get("model") in ("committee", ORDER_FREE)
    adapted = float(yardstick.worth(yardstick.trees).mean())
    if adapted > expected + WORTH_A_TRY and not knows_others:
        yield f"--recipe adapt, which knows other languages (about {100 * adapted:.0f} of 100 heads)"
    elif verdict != GOOD and settings.get("rules") is None and not knows_others:
        yield "--rules ud, which most dependencies match"
    if signs.on_function_words > MANY_FUNCTION_WORDS:
        yield "--non-heads ud, so that function words head nothing"
    if model.history.get("training_data", {}).get("sentences", FEW) < FEW:
        yield "more text: some thousand short sentences"
    if verdict != GOOD:
        yield "correct some trees (`parse --least-sure 100` says where), and train with --trees"
