"""What is known of an arc: read off a sentence by hand."""

from __future__ import annotations

import pytest
from corpus.blocks import block

from depinduce.corpus import Reading, Sentence, read_text
from depinduce.labels.arcs import Arc, arcs_of, universal_tags


def sentence(words: str, heads: list[int], features: dict[int, str] | None = None) -> Sentence:
    """The words `form/TAG` with their heads; features by the numbers of words."""
    lines = block(words, heads).splitlines(keepends=True)
    for number, feats in (features or {}).items():
        columns = lines[number - 1].split("\t")
        lines[number - 1] = "\t".join([*columns[:5], feats, *columns[6:]])
    (made,) = read_text("".join(lines))
    return made


def test_all_that_is_known_of_an_arc():
    made = sentence(
        "She/PRON sat/VERB ,/PUNCT and/CCONJ down/ADV in/ADP The/DET house/NOUN",
        [2, 0, 8, 8, 8, 8, 8, 2],
        {8: "Case=Loc|Number=Sing"},
    )
    arcs = arcs_of(made, made.heads, Reading())
    assert [(arc.child, arc.head, arc.side) for arc in arcs[:2]] == [(0, 1, "left"), (2, 7, "left")]
    assert arcs[-1] == Arc(
        child=7,
        head=1,
        child_tag="NOUN",
        head_tag="VERB",
        side="right",
        children=frozenset({"PUNCT", "CCONJ", "ADV", "ADP", "DET"}),
        siblings=frozenset({"PRON"}),
        between=frozenset(),
        led_by=frozenset({"PUNCT"}),  # the phrase begins with the comma; the word before is the head itself
        features=frozenset({"Case=Loc", "Case", "Number=Sing", "Number"}),
        cases=True,
        markers=("in",),
    )
    assert arcs[0].cases and not arcs[0].features


def test_siblings_between_child_and_head():
    made = sentence("a/X b/AUX c/ADV d/VERB e/NOUN", [4, 4, 4, 0, 4])
    of_a, of_b, of_c, of_e = arcs_of(made, made.heads, Reading())
    assert of_a.between == {"AUX", "ADV"} and of_a.siblings == {"AUX", "ADV", "NOUN"}
    assert of_c.between == of_e.between == frozenset()
    assert of_c.led_by == {"AUX"}  # the word before it


def test_roots_and_unknown_heads_have_no_arc():
    made = sentence("a/X b/X c/X", [0, 1, 2])
    assert [arc.child for arc in arcs_of(made, [0, 1, -1], Reading())] == [1]


def test_the_first_word_of_a_phrase_may_hang_deep():
    made = sentence("but/CCONJ very/ADV old/ADJ dogs/NOUN bark/VERB loud/ADV", [2, 3, 4, 5, 0, 5])
    arcs = {arc.child: arc for arc in arcs_of(made, made.heads, Reading())}
    assert arcs[3].led_by == {"CCONJ"}
    assert arcs[5].led_by == frozenset()  # the word before is its head


@pytest.mark.parametrize(
    ("reading", "tags"),
    [
        (Reading(), ["CCONJ", "NOUN"]),
        (Reading(tags="xpos"), ["CCONJ", "NOUN"]),
        (Reading(tags="xpos", map={"NN": "PROPN", "CC": "CONJ"}), ["CCONJ", "PROPN"]),
        (Reading(tags="upos+Case"), ["CCONJ", "NOUN"]),
    ],
    ids=["upos", "xpos", "mapped", "refined"],
)
def test_tags_are_universal_ones(reading, tags):
    (made,) = read_text(block("and/CONJ dogs/NOUN", [2, 0], xpos=["CC", "NN"]))
    assert universal_tags(made, reading) == tags
