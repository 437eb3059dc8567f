"""Attachment scores: hand-counted cases, a slow second implementation, and how they are shown."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from depinduce.evaluation.scores import ARC_LENGTHS, LENGTH_CUTS, score
from depinduce.evaluation.tables import as_rich, as_text, comparison_table, length_table, score_tables

# the cat sat / she slept / yes
OFFSETS = np.array([0, 3, 5, 6])
GOLD = np.array([2, 3, 0, 2, 0, 0])
TAGS = ["DET", "NOUN", "VERB", "PRON", "VERB", "INTJ"]


def test_gold_against_itself_is_perfect():
    scores = score(GOLD, GOLD, OFFSETS, TAGS)
    overall = scores.overall
    assert (overall.uas, overall.uuas, overall.root_accuracy, overall.exact_match) == (100, 100, 100, 100)
    assert (overall.sentences, overall.words, overall.multi_root_gold) == (3, 6, 0)


def test_hand_counted_scores():
    # "cat" is taken for the root and "sat" hangs on it: the arc cat-sat is there, the other way round.
    predicted = np.array([2, 0, 2, 2, 0, 0])
    scores = score(GOLD, predicted, OFFSETS, TAGS)
    assert scores.uas == pytest.approx(100 * 4 / 6)
    assert scores.uuas == pytest.approx(100 * 5 / 6)
    assert scores.root_accuracy == pytest.approx(100 * 2 / 3)
    assert scores.overall.exact_match == pytest.approx(100 * 2 / 3)
    assert list(scores.by_tag) == ["VERB", "DET", "INTJ", "NOUN", "PRON"]  # frequent first, then by name
    assert (scores.by_tag["VERB"].words, scores.by_tag["VERB"].directed) == (2, 1)
    assert (scores.by_tag["NOUN"].directed, scores.by_tag["NOUN"].undirected) == (0, 1)
    assert (scores.by_arc_length["root"].words, scores.by_arc_length["root"].directed) == (3, 2)
    assert (scores.by_arc_length["1"].words, scores.by_arc_length["1"].directed) == (3, 2)


def test_root_arcs_have_no_other_direction():
    scores = score([0], [-1], [0, 1])
    assert (scores.uas, scores.uuas, scores.root_accuracy) == (0, 0, 0)


def test_length_cuts_are_cumulative_and_inclusive():
    lengths = [1, 10, 11, 15, 16, 40, 41]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    heads = np.zeros(offsets[-1], dtype=int)
    by_length = score(heads, heads, offsets).by_length
    assert {name: cut.sentences for name, cut in by_length.items()} == {"10": 2, "15": 4, "40": 6, "all": 7}
    assert by_length["15"].words == 1 + 10 + 11 + 15


def test_arc_length_classes():
    gold = np.array([0, 1, 1, 1, 1, 1, 1, 1, 1])  # lengths root, 1, 2, …, 8
    groups = score(gold, gold, [0, 9]).by_arc_length
    assert {name: g.words for name, g in groups.items()} == {
        "root": 1,
        "1": 1,
        "2": 1,
        "3": 1,
        "4-6": 3,
        "7+": 2,
    }


def test_several_gold_roots_are_counted_and_any_of_them_is_right():
    offsets = [0, 3, 6]
    gold = [0, 1, 0, 0, 1, 0]
    overall = score(gold, [0, 1, 1, 2, 0, 2], offsets).overall
    assert overall.multi_root_gold == 2
    assert overall.root_accuracy == 50


def test_several_predicted_roots_are_counted_and_must_all_be_right():
    overall = score([0, 1, 1], [0, 0, 1], [0, 3]).overall
    assert overall.multi_root_predicted == 1
    assert overall.directed == 2
    assert overall.root_accuracy == 0


def test_words_with_unknown_gold_heads_are_not_scored():
    overall = score([2, -1, 0, -1, -1], [2, 3, 0, 0, 1], [0, 3, 5], list("abcde")).overall
    assert (overall.sentences, overall.words, overall.directed) == (1, 2, 2)
    assert overall.root_accuracy == 100
    assert score([-1, 0], [0, 0], [0, 2], ["X", "Y"]).by_tag.keys() == {"Y"}


def test_empty_sentences_and_empty_corpora():
    assert score([0, 0], [0, 0], [0, 0, 1, 1, 2, 2]).overall.sentences == 2
    nothing = score([], [], [0], [])
    assert math.isnan(nothing.uas)
    assert nothing.to_json()["uas"] is None
    assert "–" in as_text(length_table(nothing))


@pytest.mark.parametrize(
    ("gold", "predicted", "tags", "message"),
    [
        ([0], [0, 1], None, "1 gold heads, 2 predicted heads"),
        ([3, 0], [0, 1], None, "outside its sentence"),
        ([2, 0], [0, 9], None, "outside its sentence"),
        ([2, 0], [0, 1], ["X"], "1 tags for 2 words"),
    ],
)
def test_arrays_that_disagree_are_refused(gold, predicted, tags, message):
    with pytest.raises(ValueError, match=message):
        score(gold, predicted, [0, 2], tags)


@st.composite
def two_analyses(draw):
    """Lengths of some sentences with arbitrary gold and predicted heads, unknown ones included."""
    lengths = draw(st.lists(st.integers(0, 12), min_size=1, max_size=6))
    draws = [[draw(st.integers(-1, n)) for n in lengths for _ in range(n)] for _ in range(2)]
    return lengths, *draws


@given(two_analyses())
def test_scores_equal_a_slow_count(analyses):
    lengths, gold, predicted = analyses
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    for name, cut in score(gold, predicted, offsets).by_length.items():
        words = directed = undirected = rooted = found = exact = 0
        for start, end in zip(offsets[:-1], offsets[1:], strict=True):
            g, p = gold[start:end], predicted[start:end]
            known = [i for i, head in enumerate(g) if head != -1]
            if not known or len(known) > (LENGTH_CUTS[name] or 99):
                continue
            right = [g[i] == p[i] for i in known]
            words, directed, exact = words + len(known), directed + sum(right), exact + all(right)
            undirected += sum(g[i] == p[i] or (g[i] > 0 and p[g[i] - 1] == i + 1) for i in known)
            gold_roots, roots = ({i for i, head in enumerate(a) if head == 0} for a in (g, p))
            rooted += bool(gold_roots)
            found += bool(gold_roots) and bool(roots) and roots <= gold_roots
        counted = (cut.words, cut.directed, cut.undirected, cut.rooted, cut.root_found, cut.exact)
        assert counted == (words, directed, undirected, rooted, found, exact)


@given(two_analyses())
def test_groupings_add_up_to_the_whole(analyses):
    lengths, gold, predicted = analyses
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    tags = ["ABC"[i % 3] for i in range(offsets[-1])]
    scores = score(gold, predicted, offsets, tags)
    for groups in (scores.by_tag, scores.by_arc_length):
        for count in ("words", "directed", "undirected"):
            assert sum(getattr(g, count) for g in groups.values()) == getattr(scores.overall, count)
    assert scores.overall.directed <= scores.overall.undirected <= scores.overall.words


def test_json_is_plain_and_complete():
    record = json.loads(json.dumps(score(GOLD, [2, 0, 2, 2, 0, 0], OFFSETS, TAGS).to_json(), allow_nan=False))
    assert record["uas"] == 66.6667
    assert record["sentences"] == 3
    assert list(record["by_length"]) == list(LENGTH_CUTS)
    assert list(record["by_arc_length"]) == list(ARC_LENGTHS)
    assert record["by_tag"]["NOUN"] == {"words": 1, "uas": 0.0, "uuas": 100.0}


def test_text_tables():
    scores = score(GOLD, [2, 0, 2, 2, 0, 0], OFFSETS, TAGS)
    by_length, by_tag, by_arc = score_tables(scores)
    assert as_text(by_length) == (
        "by sentence length\n"
        "  length  sentences  words   UAS  UUAS  root  exact\n"
        "  ≤10             3      6  66.7  83.3  66.7   66.7\n"
        "  ≤15             3      6  66.7  83.3  66.7   66.7\n"
        "  ≤40             3      6  66.7  83.3  66.7   66.7\n"
        "  all             3      6  66.7  83.3  66.7   66.7\n"
    )
    assert len(by_tag.rows) == 5
    assert len(by_arc.rows) == len(ARC_LENGTHS)
    compared = as_text(comparison_table({"gold itself": score(GOLD, GOLD, OFFSETS), "mine": scores}))
    assert compared.splitlines()[2].split() == ["gold", "itself"] + ["100.0"] * 7


def test_rich_table_holds_the_same_cells():
    import io

    from rich.console import Console

    table = length_table(score(GOLD, GOLD, OFFSETS))
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(as_rich(table))
    shown = console.export_text()
    assert all(cell in shown for row in [table.columns, *table.rows] for cell in row)
