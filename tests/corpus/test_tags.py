"""Tags are refined by features, rare ones are not, and a vocabulary finds them under another name."""

from __future__ import annotations

import re
import warnings

import pytest
from corpus.blocks import write

from depinduce.corpus import Corpus, Reading, Vocabulary, build_corpus, load_corpus, read_text
from depinduce.corpus.tags import bare_tag, called, count_tags, find_tags, refined_tag
from depinduce.errors import DepinduceError, InputError
from depinduce.grammar.constraints import allowed_heads
from depinduce.grammar.knowledge import Knowledge

UD1, UD2 = Vocabulary(["NOUN", "CONJ"], [2, 1]), Vocabulary(["NOUN", "CCONJ"], [2, 1])


def with_features(words: str) -> str:
    """A sentence from `form/UPOS/FEATS form/UPOS/FEATS …`."""
    lines = [word.split("/") for word in words.split()]
    rows = [f"{n}\t{form}\t_\t{tag}\t_\t{features}\t_\t_\t_\t_\n" for n, (form, tag, features) in enumerate(lines, 1)]
    return "".join(rows) + "\n"


def tags_of(corpus: Corpus) -> list[str]:
    return ["?" if number < 0 else corpus.tag_vocabulary[number] for number in corpus.tags.tolist()]


# ---------------------------------------------------------------- features

GO = with_features("go/VERB/Mood=Imp|VerbForm=Fin to/ADP/_ dogs/NOUN/Case=Acc,Dat|Number=Plur going/VERB/VerbForm=Part")


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("upos", ["VERB", "ADP", "NOUN", "VERB"]),
        ("upos+VerbForm", ["VERB+VerbForm=Fin", "ADP", "NOUN", "VERB+VerbForm=Part"]),
        ("4+Case+Mood", ["VERB+Mood=Imp", "ADP", "NOUN+Case=Acc,Dat", "VERB"]),
        ("upos+Number+Case", ["VERB", "ADP", "NOUN+Number=Plur+Case=Acc,Dat", "VERB"]),
        ("upos+Voice", ["VERB", "ADP", "NOUN", "VERB"]),
    ],
)
def test_features_refine_tags_in_the_order_in_which_they_are_asked_for(tags, expected):
    assert tags_of(build_corpus(read_text(GO), Reading(tags=tags, rare_tags=1))) == expected


def test_refined_tags_that_training_hardly_sees_are_bare():
    text = GO * 3 + with_features("gehen/VERB/VerbForm=Inf")
    assert set(tags_of(build_corpus(read_text(text), Reading(tags="upos+VerbForm", rare_tags=3)))) == {
        "VERB+VerbForm=Fin", "ADP", "NOUN", "VERB+VerbForm=Part", "VERB",
    }  # fmt: skip
    few = build_corpus(read_text(text), Reading(tags="upos+VerbForm"))  # fewer than fifty
    assert few.tag_vocabulary == Vocabulary(["VERB", "ADP", "NOUN"], [7, 3, 3])
    plain = build_corpus(read_text(text))
    assert few.fingerprint() == plain.fingerprint()


def test_what_a_vocabulary_lacks_is_the_bare_tag_or_its_first_refinement():
    known = Vocabulary(["NOUN+Case=Nom", "VERB", "NOUN+Case=Gen", "VERB+VerbForm=Inf"], [4, 3, 2, 1])
    wanted = ["NOUN+Case=Gen", "NOUN+Case=Voc", "NOUN", "VERB+VerbForm=Fin", "VERB+VerbForm=Inf", "ADV+Degree=Pos"]
    assert find_tags(wanted, known).tolist() == [2, 0, 0, 1, 3, -1]


def test_a_word_without_features_in_a_file_is_found_without_them(tmp_path):
    train = load_corpus(write(tmp_path / "a", GO), Reading(tags="upos+VerbForm", rare_tags=1))
    text = with_features("run/VERB/_ sing/VERB/VerbForm=Conv fast/ADV/VerbForm=Fin")
    corpus = build_corpus(read_text(text), Reading(tags="upos+VerbForm"), tag_vocabulary=train.tag_vocabulary)
    assert tags_of(corpus) == ["VERB+VerbForm=Fin", "VERB+VerbForm=Fin", "?"]
    assert corpus.unknown_tags == {"ADV+VerbForm=Fin": 1}


def test_a_missing_tag_is_refused_whatever_its_features():
    text = with_features("go/VERB/VerbForm=Fin away/_/Degree=Pos")
    with pytest.raises(InputError, match="word 2 'away' has no tag in column 4"):
        build_corpus(read_text(text), Reading(tags="upos+Degree"))


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ("upos+", "--tags upos+: '' is no feature, or there twice. Write for example upos+VerbForm+Case."),
        ("upos+Case+Case", "--tags upos+Case+Case: 'Case' is no feature, or there twice."),
        ("upos+Case=Nom", "--tags upos+Case=Nom: 'Case=Nom' is no feature"),
        ("upoz+Case", "There is no tag column 'upoz'. Choose upos, xpos or a column"),
    ],
)
def test_features_that_cannot_be_are_refused(tags, message):
    with pytest.raises(DepinduceError, match=f"^{re.escape(message)}"):
        Reading(tags=tags)
    with pytest.raises(DepinduceError, match="--rare-tags must be at least 1, not 0."):
        Reading(rare_tags=0)


def test_layered_features_have_brackets():
    assert Reading(tags="upos+Number[psor]").features == ("Number[psor]",)
    assert refined_tag("NOUN", "Number=Sing|Number[psor]=Plur", ("Number[psor]",)) == "NOUN+Number[psor]=Plur"


# ---------------------------------------------------------------- whoever names a tag means its refinements


@pytest.mark.parametrize("tag", ["NOUN", "P+D", "N+sg", "Case=Nom", "+Case=Nom", "a=b+c", "_"])
def test_tags_of_other_kinds_are_bare(tag):
    assert bare_tag(tag) == tag


def test_a_refined_tag_is_called_by_its_bare_name():
    tags = ["DET", "DET+Case=Gen", "P+D", "DETX"]
    assert called(tags, ["DET"]) == ["DET", "DET+Case=Gen"]
    assert called(tags, ["DET+Case=Gen", "P"]) == ["DET+Case=Gen"]


def test_non_heads_and_rules_mean_refined_tags_too():
    text = with_features("the/DET/Case=Gen dog/NOUN/Case=Gen barks/VERB/_")
    corpus = build_corpus(read_text(text), Reading(tags="upos+Case", rare_tags=1))
    allowed = allowed_heads(corpus.tag_vocabulary, ("DET",), corpus)
    assert allowed is not None and allowed.tolist() == [False, True, True]
    rules = (("either", "VERB", "NOUN"), ("left", "NOUN", "Function"), ("either", "Root", "VERB"))
    matches = Knowledge("own", {"Function": ("DET",)}, rules).matches(corpus.tag_vocabulary)
    det, noun, verb = corpus.tags.tolist()
    assert matches.root[verb] and matches.arc[0, verb, noun] and matches.arc[0, noun, det]
    assert matches.arc.sum() == 3  # VERB has NOUN on both sides


def test_rare_bare_tags_stay():
    assert count_tags({"X": 1, "NOUN+Case=Nom": 9, "NOUN+Case=Voc": 1}, 5) == Vocabulary(
        ["NOUN+Case=Nom", "NOUN", "X"], [9, 1, 1]
    )


# ---------------------------------------------------------------- CONJ and CCONJ


@pytest.mark.parametrize(("known", "tag", "read_as"), [(UD1, "CCONJ", "CONJ"), (UD2, "CONJ", "CCONJ")])
def test_the_conjunctions_of_ud_1_and_2_are_one_to_whoever_knows_one_of_them(known, tag, read_as):
    with pytest.warns(UserWarning, match=f"^{tag} is read as {read_as}, which is what the grammar calls it$"):
        assert find_tags([tag, "NOUN", f"{tag}+Case=Nom", "VERB"], known).tolist() == [1, 0, 1, -1]


def test_whoever_knows_both_conjunctions_tells_them_apart():
    both = Vocabulary(["CONJ", "CCONJ+PronType=Rel"], [1, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert find_tags(["CCONJ", "CONJ", "CONJ+PronType=Rel"], both).tolist() == [1, 0, 0]


def test_texts_of_ud_1_and_2_that_are_learned_from_together_have_one_conjunction():
    text = GO + with_features("and/CONJ/_ or/CCONJ/_ both/CONJ/PronType=Rel")
    with pytest.warns(UserWarning, match="^CONJ is read as CCONJ"):
        corpus = build_corpus(read_text(text), Reading(tags="upos+PronType", rare_tags=1))
    assert tags_of(corpus)[4:] == ["CCONJ", "CCONJ", "CCONJ+PronType=Rel"]
    assert corpus.tag_vocabulary.counts[corpus.tag_vocabulary.id("CCONJ")] == 2
    alone = build_corpus(read_text(with_features("and/CONJ/_")))
    assert tags_of(alone) == ["CONJ"]
    assert count_tags({"CONJ+A=B": 3, "CCONJ+A=B": 3, "CONJ": 1}, rare=5) == Vocabulary(["CCONJ+A=B", "CCONJ"], [6, 1])
