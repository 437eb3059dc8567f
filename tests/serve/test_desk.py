"""A desk: whose heads these are, what is saved, what two people do at once, and what is taken away from it."""

from __future__ import annotations

import shutil
import warnings

import pytest
from cli.demo_parts import demo_part, depinduce, without_heads
from cli.test_cli_parse import level_two_faults
from serve.desks import FILE, ask, block, check, desk_on, give_head, surveyed

from depinduce import DepinduceError
from depinduce.corpus import read_text
from depinduce.files import LOCK
from depinduce.serve.desk import place_beside
from depinduce.serve.journal import Tree, Work
from depinduce.serve.shelf import Shelf
from depinduce.serve.trees import is_tree

NAMED = 1  # the sentence of which one head is in the file
ALIKE = (0, 2)  # two sentences that are the same


@pytest.fixture
def desk(corpus, model):
    with desk_on(corpus, model) as desk:
        yield desk


# ---------------------------------------------------------------- whose heads


def test_heads_of_the_file_are_kept_and_told_apart(desk):
    seen = ask(desk, "desk-sentence", number=NAMED)
    assert seen["whose"] == ["grammar", "file", "grammar"]
    assert seen["heads"][1] == 3
    assert seen["labels"][1] == "nsubj"
    assert seen["probabilities"][1] is None
    assert seen["probabilities"][0] > 0


def test_a_correction_is_kept_and_the_rest_is_found_around_it(desk):
    before = ask(desk, "desk-sentence", number=0)
    assert before["heads"] == [2, 3, 0, 3]
    after = give_head(desk, 0, 2, 0)  # the verb cannot be the root any more, nor head it
    assert after["whose"] == ["grammar", "own", "grammar", "grammar"]
    assert after["heads"][1] == 0
    assert after["labels"][1] == "root"
    assert after["heads"][2] == 2
    assert is_tree(after["heads"])


def test_a_head_can_be_left_to_the_grammar_again(desk):
    first = ask(desk, "desk-sentence", number=0)
    give_head(desk, 0, 2, 0)
    opened = ask(desk, "desk-save", number=0, version=1, word=2, open=True)["sentence"]
    assert opened["heads"] == first["heads"]
    opened = ask(desk, "desk-save", number=NAMED, version=0, word=2, open=True)["sentence"]
    assert opened["whose"] == ["grammar"] * 3


def test_the_last_decision_counts_where_no_tree_has_two(desk):
    give_head(desk, 0, 1, 2)
    seen = give_head(desk, 0, 2, 1)
    assert seen["heads"][1] == 1
    assert seen["whose"][:2] == ["grammar", "own"]
    give_head(desk, 0, 1, 0)
    seen = give_head(desk, 0, 3, 0)
    assert seen["heads"].count(0) == 1
    assert seen["whose"][0] == "grammar"
    assert seen["lost"] == []


def test_identical_sentences_have_their_own_corrections(desk):
    give_head(desk, ALIKE[0], 1, 3)
    assert ask(desk, "desk-sentence", number=ALIKE[1])["whose"] == ["grammar"] * 4


# ---------------------------------------------------------------- labels, and what is checked


def test_a_label_is_kept_as_long_as_it_can_be(desk):
    named = ask(desk, "desk-save", number=0, version=0, word=1, label="det:poss")
    assert named["sentence"]["labels"][0] == "det:poss"
    assert give_head(desk, 0, 1, 3)["labels"][0] == "det:poss"
    assert give_head(desk, 0, 1, 0)["labels"][0] == "root"
    assert "root" not in give_head(desk, 0, 1, 3)["labels"][0]


@pytest.mark.parametrize("label", ["root", "Nsubj", "", "a\tb", "nsubj:"])
def test_what_is_no_label_is_refused(label, desk):
    with pytest.raises(DepinduceError, match=r"no relation|root"):
        ask(desk, "desk-save", number=0, version=0, word=1, label=label)
    assert desk.journal[0].version == 0


def test_a_checked_tree_stays_whatever_the_grammar_thinks(desk, corpus, model):
    give_head(desk, 0, 1, 3)
    seen = check(desk, 0)
    assert seen["checked"]
    assert desk.checked == [0]
    changed = give_head(desk, 0, 2, 1)
    assert changed["checked"]
    assert changed["heads"] == [3, 1, 0, 3]
    again = check(desk, 0, is_checked=False)
    assert again["whose"] == ["own", "own", "grammar", "grammar"]
    assert desk.checked == []


def test_work_can_be_put_back_as_it_was(desk):
    give_head(desk, 0, 1, 3)
    before = ask(desk, "desk-sentence", number=0)
    check(desk, 0)
    back = ask(desk, "desk-save", number=0, version=2, work=before["work"])["sentence"]
    assert {**back["work"], "version": 1} == before["work"]
    assert back["version"] == 3


# ---------------------------------------------------------------- two people, two servers, two times


def test_the_second_save_of_a_sentence_is_told_and_changes_nothing(desk):
    give_head(desk, 0, 1, 3)
    stale = ask(desk, "desk-save", number=0, version=0, word=1, head=2)
    assert not stale["saved"]
    assert stale["sentence"]["heads"][0] == 3
    assert stale["sentence"]["version"] == 1
    assert desk.journal[0].heads == {1: 3}
    assert ask(desk, "desk-save", number=0, version=1, word=1, head=2)["saved"]


def test_the_second_of_two_saves_at_the_same_moment_is_told(desk):
    def while_another_saves(shown):
        give_head(desk, 0, 2, 3)
        return desk.head(shown, 1, 3)

    saved, shown = desk.save(0, 0, while_another_saves)
    assert not saved
    assert desk.journal[0].heads == shown.work.heads == {2: 3}


def test_what_was_done_is_there_when_the_desk_is_opened_again(corpus, model):
    with desk_on(corpus, model) as desk:
        give_head(desk, 0, 1, 3)
        check(desk, NAMED)
    with desk_on(corpus, model) as desk:
        assert ask(desk, "desk-sentence", number=0)["whose"][0] == "own"
        assert desk.checked == [NAMED]
    assert corpus.read_text() == FILE


def test_a_desk_on_which_nothing_was_done_leaves_nothing(corpus, model):
    with desk_on(corpus, model) as desk:
        ask(desk, "desk-sentence", number=0)
    assert [path.name for path in corpus.parent.iterdir()] == [corpus.name]


def test_a_file_is_on_one_desk_only(desk, corpus, model, monkeypatch):
    monkeypatch.setattr("depinduce.files.PATIENCE", 0)
    with pytest.raises(DepinduceError, match="another `depinduce serve` has this file open"), desk_on(corpus, model):
        pass
    assert (place_beside(corpus) / LOCK).exists()


def test_a_grammar_that_was_in_use_is_in_use_again(corpus, model, tmp_path):
    shutil.copytree(model, tmp_path / "other")
    with desk_on(corpus, model, tmp_path / "other") as desk:
        assert ask(desk, "desk-use", grammar="other")["grammar"] == "other"
    with desk_on(corpus, model, tmp_path / "other") as desk:
        assert desk.survey.name == "other"
    with desk_on(corpus, model) as desk:  # unless it is gone
        assert desk.survey.name == "dmv"


def test_a_universal_grammar_learns_the_order_of_the_file(tmp_path):
    corpus = tmp_path / "few.conllu"
    corpus.write_text(without_heads(demo_part(tmp_path / "part.conllu", count=12).read_text("utf-8")))
    with desk_on(corpus, "universal") as desk:
        seen = ask(desk, "desk-sentence", number=0)
        assert is_tree(seen["heads"])
        assert desk.survey.model().headedness is None


# ---------------------------------------------------------------- taking away


def parts_of(desk, **request) -> str:
    texts, place = [], 0
    while place is not None:
        answer = ask(desk, "desk-export", **request, **{"from": place})
        texts.append(answer["text"])
        place = answer["next"]
    return "".join(texts)


def test_the_export_is_valid_and_has_all_that_was_done(desk):
    give_head(desk, 0, 1, 3)
    ask(desk, "desk-save", number=0, version=1, word=1, label="dep")
    check(desk, 3)
    text = parts_of(desk)
    found = [sentence for sentence in read_text(text) if len(sentence)]
    assert found[0].heads == [3, 3, 0, 3]
    assert found[0].sent_id == "corpus-1"
    assert found[1].sent_id == "named"
    assert "# a comment alone\n\n" in text
    assert text.endswith("# the end\n")
    assert level_two_faults("".join(sentence.render(ended=True) for sentence in found)) == []
    (only,) = read_text(parts_of(desk, checked=True))
    assert (only.heads, only.sent_id) == ([2, 0], "corpus-4")


def test_the_export_in_pieces_is_that_of_the_command(desk, model, corpus, monkeypatch, tmp_path):
    for module in ("desk", "desk_api"):
        monkeypatch.setattr(f"depinduce.serve.{module}.EXPORTED_AT_ONCE", 3)
    for number in (0, 2, 3):
        check(desk, number)
    for checked in (False, True):
        out = tmp_path / f"{checked}.conllu"
        desk.export(out, checked=checked)
        assert out.read_text() == parts_of(desk, checked=checked)


def test_a_real_file_with_some_heads_is_valid_afterwards(tmp_path, model):
    path = tmp_path / "demo.conllu"
    text = demo_part(path, split="test", count=40).read_text("utf-8")
    path.write_text("\n\n".join(without_heads(part) if n % 2 else part for n, part in enumerate(text.split("\n\n"))))
    with desk_on(path, model) as desk, warnings.catch_warnings():
        assert level_two_faults(parts_of(desk)) == []
        gold = list(read_text(text))
        for number, sentence in enumerate(read_text(parts_of(desk))):
            assert number % 2 or sentence.heads == gold[number].heads


def test_grammars_are_put_on_the_shelf_by_their_names(model, tmp_path):
    shelf = Shelf([model])
    shutil.copytree(model, tmp_path / "retrained-1")
    assert shelf.add(tmp_path / "retrained-1") == "retrained-1"
    assert list(shelf.models) == ["dmv", "retrained-1"]


def test_the_survey_knows_the_trees_that_are_shown(desk):
    surveyed(desk)
    give_head(desk, 0, 2, 0)
    for number in range(len(desk.file)):
        own = slice(*desk.file.offsets[number : number + 2])
        assert desk.survey.heads[own].tolist() == ask(desk, "desk-sentence", number=number)["heads"]


# ---------------------------------------------------------------- what must not be lost


def test_checked_trees_keep_labels_that_are_not_of_universal_dependencies(model, tmp_path):
    path = tmp_path / "old.conllu"
    path.write_text(block("dogs bark", "2 0", "SBJ root"))
    with desk_on(path, model) as desk:
        check(desk, 0)
    with desk_on(path, model) as again:
        assert again.journal.damaged == []
        assert again.journal[0].tree.labels == ["SBJ", "root"]


def test_what_could_not_be_read_again_is_not_saved(desk):
    broken = Work(1, tree=Tree([0, 0], ["root", "root"]))
    with pytest.raises(DepinduceError, match="Not saved"):
        desk.journal.save(0, broken)
    assert not desk.journal.path.exists()


def test_the_file_and_its_folder_are_no_place_for_exports(corpus, model, capsys):
    before = corpus.read_bytes()
    with desk_on(corpus, model) as desk:
        check(desk, 0)
    for place in (corpus, place_beside(corpus) / "out.conllu"):
        assert depinduce("serve", model, "--file", corpus, "--export", place, "--checked") == 1
        assert "is the file itself, or in the folder of its journal" in capsys.readouterr().err
    assert corpus.read_bytes() == before


def test_an_export_in_portions_has_every_checked_sentence_once_whatever_is_checked_meanwhile(desk, monkeypatch):
    monkeypatch.setattr("depinduce.serve.desk_api.EXPORTED_AT_ONCE", 1)
    for number in (1, 3):
        check(desk, number)
    first = ask(desk, "desk-export", checked=True)
    assert first["next"] == 3
    check(desk, 0)
    second = ask(desk, "desk-export", checked=True, **{"from": first["next"]})
    assert second["next"] is None
    assert [sentence.forms for sentence in read_text(second["text"])] == [["dogs", "bark"]]
