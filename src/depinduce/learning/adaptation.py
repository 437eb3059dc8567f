"""A universal grammar that learns from the very text at hand before it parses it, as `--recipe adapt` would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from depinduce.corpus import Corpus, Sentence, Vocabulary, build_corpus, in_vocabulary
from depinduce.corpus.tags import find_tags
from depinduce.learning.held_out import FEWEST, LONGEST, LOOKED_AT, reading_of_few
from depinduce.learning.run import Progress, Run
from depinduce.learning.settings.configuration import MAX_LENGTH, configure
from depinduce.learning.settings.recipes import load_recipe
from depinduce.learning.starts import require_known_tags
from depinduce.models.model import Model
from depinduce.parsing.decoding import Parsing, parse_corpus


@dataclass(frozen=True)
class Likeness:
    """What a grammar has become of the universal one."""

    nearest: list[tuple[str, float]]  # the known languages, with the log-likelihood of a word under the rules of each
    changed: float  # the share of words with another head than in the universal order
    agreement: float | None = None  # of a grammar of the language's own with the order-free one, if there is one
    joined: bool = False  # whether that was enough

    def __str__(self) -> str:
        """In words."""
        (first, likelihood), *others = self.nearest
        then = f", then {' '.join(name for name, _ in others[:2])}" if others else ""
        return (
            f"most like {first} (log-likelihood of a word {likelihood:.2f}){then}; "
            f"{self.changed:.1%} of the words have another head than in the universal order{self._of_own()}"
        )

    def _of_own(self) -> str:
        if self.agreement is None:
            return ""
        outcome = "joined it" if self.joined else "was left out"
        return f"; its own grammar agrees with the order-free one in {self.agreement:.1%} of the words and {outcome}"


def with_tags_of(universal: Model, corpus: Corpus, where: str) -> Corpus:
    """The corpus with all tags of a universal grammar in its vocabulary: few sentences lack many of them."""
    own = corpus.tag_vocabulary
    require_known_tags(where, universal.tags, own)
    known = set(find_tags(own, universal.tags).tolist())
    missing = [tag for number, tag in enumerate(universal.tags) if number not in known]
    tags = Vocabulary((*own.symbols, *missing), (*own.counts, *(0 for _ in missing)))
    return replace(corpus, tag_vocabulary=tags)


def adapted(
    model: Model, sentences: Sequence[Sentence], report: Callable[[int, int], None] = lambda done, total: None
) -> tuple[Model, str]:
    """The grammar that `--recipe adapt` would learn from these sentences, and what is to be said of it.

    Nothing, if there is nothing to learn: no universal grammar, or sentences of languages that it knows.
    It learns on one thread, as training does: what a network learns depends on their number.

    report: is told how many rounds are done, of how many
    """
    if model.headedness is None or any(sentence.language in model.languages for sentence in sentences):
        return model, ""
    reading = replace(model.reading, max_length=model.reading.max_length or MAX_LENGTH)
    reading = reading_of_few(sentences[:LOOKED_AT], reading)
    train = build_corpus(sentences, reading)
    if len(train) < FEWEST:
        few = f"fewer than {FEWEST} sentences of up to {LONGEST} words"
        return model, f"{few}: parsed in the universal order"
    train = with_tags_of(model, train, "the text")
    configuration = configure(load_recipe("adapt") | vars(reading) | {"non_heads": model.non_heads})

    def tell(progress: Progress) -> None:
        report(progress.done, progress.total)

    grammar, finished = Run(configuration, train, universal=model).go(tell)
    if not finished:
        raise KeyboardInterrupt
    found = likeness(model, grammar, train)
    return grammar, f"learned the order of the language from {len(train)} sentences; it is {found}"


def likeness(universal: Model, model: Model, train: Corpus, threads: int = 1) -> Likeness:
    """How the grammar of a new language compares with those that the universal one knows, on the text it learned."""
    text = replace(in_vocabulary(train, universal.tags), language=None)
    grammars = {name: universal.in_language(name) for name in universal.languages}
    likelihoods = {
        name: float(grammar.problem(text).log_partition(threads=threads).sum() / len(text.tags))
        for name, grammar in grammars.items()
    }
    nearest = sorted(likelihoods.items(), key=lambda item: -item[1])
    parsing = Parsing(threads=threads)
    before = parse_corpus(universal.with_non_heads(model.non_heads), text, parsing)
    changed = float(np.mean(parse_corpus(model, train, parsing) != before))
    committee = model.history.get("committee", {})
    return Likeness(nearest, changed, committee.get("agreement"), committee.get("own_joined", False))
