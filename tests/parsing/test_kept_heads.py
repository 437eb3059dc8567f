"""Trees around known heads equal those that are left when all others are crossed out; contradictions are told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from chart.enumeration import Enumerated, projective_trees
from learning.tagged import random_table, tagged

from depinduce.corpus import Corpus, Reading, read_text
from depinduce.corpus.known_heads import KnownHeads
from depinduce.errors import InputError
from depinduce.grammar.rules import Order
from depinduce.models.committee_model import CommitteeModel
from depinduce.models.tag_model import GrammarModel
from depinduce.parsing.consensus import minimum_risk_trees
from depinduce.parsing.decoding import Parsing, parse_trees
from depinduce.parsing.kept_heads import (
    impossible_sentences,
    places_of_words,
    with_kept_heads,
    without_conflicts,
)
from depinduce.parsing.streams import parse_sentences

SENTENCES = ("N V D A", "V N D", "D N V A N", "N")
HEADS = ([-1, 0, -1, 2], [-1, -1, -1], [2, -1, -1, -1, 3], [-1])
REFUSED = ([(4,), (), (2,), ()], [(0,), (), ()], [(), (), (), (2, 3), ()], [()])
every_order = pytest.mark.parametrize("order", list(Order))


def corpus() -> Corpus:
    known = KnownHeads.of([head for own in HEADS for head in own], [own for some in REFUSED for own in some])
    return replace(tagged(*SENTENCES), known=known)


def grammar(order: Order, seed: int = 3) -> GrammarModel:
    vocabulary = corpus().tag_vocabulary
    return GrammarModel(order, vocabulary, random_table(order, len(vocabulary), seed))


def allowed(sentence: int) -> list[tuple[int, ...]]:
    """The projective trees with the known heads."""
    return [
        heads
        for heads in projective_trees(len(HEADS[sentence]))
        if all(known in (-1, head) for known, head in zip(HEADS[sentence], heads, strict=True))
        and all(head not in own for own, head in zip(REFUSED[sentence], heads, strict=True))
    ]


def split(heads: np.ndarray) -> list[tuple[int, ...]]:
    return [tuple(own) for own in np.split(heads, corpus().offsets[1:-1])]


@every_order
def test_best_trees_posteriors_and_likelihood_are_those_of_the_trees_that_are_left(order):
    model = grammar(order)
    free = model.problem(replace(corpus(), known=None))
    found = parse_trees(model, corpus(), Parsing(posteriors=True, log_likelihood=True, raw_posteriors=True))
    problem = model.problem(corpus())
    posteriors = problem.posteriors()
    arcs = np.split(posteriors.arc, np.cumsum([len(own) ** 2 for own in HEADS])[:-1])
    for number, tree in enumerate(split(found.heads[0])):
        exact = Enumerated(*free[:2], number)
        left = set(allowed(number))
        scores = {heads: score for heads, score in zip(exact.trees, exact.scores, strict=True) if heads in left}
        assert tree == max(scores, key=lambda heads: scores[heads])
        log_z = np.logaddexp.reduce(list(scores.values()))
        assert posteriors.log_z[number] == pytest.approx(log_z)
        n = len(tree)
        for head in range(1, n + 1):
            for child in range(n):
                share = sum(np.exp(score - log_z) for heads, score in scores.items() if heads[child] == head)
                assert arcs[number].reshape(n, n)[head - 1, child] == pytest.approx(share, abs=1e-9)


@every_order
def test_k_best_trees_samples_and_minimum_risk_trees_keep_the_heads(order):
    model = grammar(order)
    for parsing in (Parsing(k_best=4), Parsing(samples=5), Parsing("mbr")):
        for heads in parse_trees(model, corpus(), parsing).heads:
            for number, tree in enumerate(split(heads)):
                assert tree in allowed(number) or set(tree) == {-1}
    committee = CommitteeModel({"order-free": grammar(order, 4), "student": model})
    assert all(tree in allowed(n) for n, tree in enumerate(split(parse_trees(committee, corpus(), Parsing()).heads[0])))


def test_posteriors_that_would_rather_break_a_known_head_do_not():
    one = replace(tagged("N V D"), known=KnownHeads.of([-1, -1, 1], [(), (), ()]))
    posteriors = grammar(Order.FIRST).problem(one).posteriors()
    arc = np.zeros((3, 3))
    arc[0, 1] = arc[1, 2] = 1.0  # 1 → 2 → 3
    broken = posteriors._replace(root=np.array([1.0, 0.0, 0.0]), arc=arc.ravel())
    assert minimum_risk_trees(broken, one.offsets).tolist() == [0, 1, 2]
    assert minimum_risk_trees(broken, one.offsets, one.known).tolist() == [0, 1, 1]


def test_a_known_head_may_head_even_if_its_tag_heads_nothing():
    one = replace(tagged("D N V"), known=KnownHeads.of([-1, 1, -1], [()] * 3))
    model = GrammarModel(Order.FIRST, one.tag_vocabulary, random_table(Order.FIRST, 3, 1), non_heads=("D",))
    assert parse_trees(model, one, Parsing()).heads[0, 1] == 1


# ---------------------------------------------------------------- contradictions


@pytest.mark.parametrize(
    ("heads", "kept", "why"),
    [
        ([-1, 5, 1, -1, -1], [-1, -1, 1, -1, -1], "not projective"),
        ([0, -1, 0, -1, -1], [0, -1, -1, -1, -1], "another root"),
        ([3, 0, -1, -1, -1], [-1, 0, -1, -1, -1], "not projective"),
        ([2, 0, 4, 2, 2], [2, 0, -1, 2, 2], "heads nothing"),
    ],
)
def test_what_no_tree_can_have_is_given_up_and_the_rest_is_kept(heads, kept, why):
    one = replace(tagged("N V N A N"), known=KnownHeads.of(heads, [()] * 5))
    left, (conflict,) = without_conflicts(one, ("A",))
    assert left.known is not None and left.known.heads.tolist() == kept and why in conflict.why
    assert len(impossible_sentences(left, ("A",))) == 0


def test_a_root_whose_tag_heads_nothing_costs_its_own_arcs_only():
    heads = [0, 1, 2, 5, 2]  # as a conjunction that heads the sentence it begins
    one = replace(tagged("A V N D N", "N"), known=KnownHeads.of([*heads, 0], [()] * 6))
    left, conflicts = without_conflicts(one, ("A", "D"))
    assert left.known is not None and left.known.heads.tolist() == [-1, -1, 2, 5, 2, 0]
    assert [(conflict.word, "heads nothing" in conflict.why) for conflict in conflicts] == [(1, True), (2, True)]


def test_where_all_heads_together_have_no_tree_short_arcs_stay():
    not_root = [(), (0,), (0,), (), (), ()]
    several = replace(tagged("N V N", "N V N"), known=KnownHeads.of([2, -1, 1, 2, 0, 2], not_root))
    assert impossible_sentences(several).tolist() == [0]
    left, (conflict,) = without_conflicts(several)
    assert left.known is not None and left.known.heads.tolist() == [-1, -1, 1, 2, 0, 2]
    assert (conflict.sentence, conflict.word) == (0, 1) and "beside other heads" in conflict.why
    assert len(impossible_sentences(left)) == 0


def test_all_is_given_up_where_refused_heads_leave_nothing():
    two = replace(tagged("N V", "V N"), known=KnownHeads.of([2, -1, -1, 0], [(0,), (0,), (), ()]))
    assert impossible_sentences(two).tolist() == [0]
    left, (conflict,) = without_conflicts(two)
    assert left.known is not None and left.known.heads.tolist() == [-1, -1, -1, 0] and len(left.known.refused) == 0
    assert (conflict.sentence, conflict.word) == (0, None)


def rows(*heads: str, tags: str = "N V D A") -> str:
    words = enumerate(zip(tags.split(), heads, strict=True), start=1)
    return "# x\n" + "".join(f"{i}\tw{i}\t_\t{tag}\t_\t_\t{head}\t_\t_\t_\n" for i, (tag, head) in words) + "\n"


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        (rows("3", "4", "_", "_"), 2, "cannot stay: its arc crosses another"),
        (rows("_", "0", "_", "0"), 5, "cannot stay: there is another root"),
        (rows("2", "1", "_", "_"), 2, "the heads go in a circle"),
        (rows("2", "_", "_", "_", tags="N PUNCT V A"), 2, "is punctuation without a head"),
    ],
)
def test_a_contradiction_is_an_error_with_its_line(text, line, told):
    with pytest.raises(InputError, match=told) as fault:
        parse_sentences(
            grammar(Order.FIRST), list(read_text(rows("_", "_", "_", "_") + text)), Parsing(keep_heads=True)
        )
    assert str(fault.value).startswith(f"<text>:{line + 6}:")


def test_a_root_whose_tag_heads_nothing_is_an_error_with_its_line():
    model = replace(grammar(Order.FIRST), non_heads=("D",))
    with pytest.raises(InputError, match="cannot stay: it is the root, but its tag heads nothing") as fault:
        parse_sentences(model, list(read_text(rows("_", "_", "0", "_"))), Parsing(keep_heads=True))
    assert str(fault.value).startswith("<text>:4:")


def test_heads_of_punctuation_stay_too():
    (sentence,) = read_text(rows("3", "3", "_", "_", tags="N PUNCT V PUNCT"))
    assert with_kept_heads([3, 1, 0, 3], sentence) == [3, 3, 0, 3]
    (root,) = read_text(rows("_", "0", "_", "_", tags="N PUNCT V PUNCT"))
    assert with_kept_heads([3, 3, 0, 3], root) == [3, 0, 2, 3]
    (no_tree,) = read_text(rows("2", "3", "_", "_", tags="N PUNCT PUNCT PUNCT"))
    with pytest.raises(InputError, match="punctuation"):
        with_kept_heads([0, 1, 1, 1], no_tree)
    parsed, _ = parse_sentences(grammar(Order.FIRST), [sentence], Parsing(keep_heads=True))
    assert parsed[0][0].heads[:2] == [3, 3]


def test_reading_and_lines_go_by_words_that_are_no_punctuation():
    (sentence,) = read_text(rows("_", "4", "_", "0", tags="PUNCT N V A"))
    assert places_of_words(sentence, Reading()) == [2, 3, 4]
