"""The demo corpus is what it claims to be. That its program makes it again is in tests/tools/test_demo_corpus.py."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

import pytest

from depinduce.corpus.demo import SPLITS, demo_file

FUNCTION_TAGS = {"ADP", "AUX", "CCONJ", "DET", "PART", "SCONJ"}
VOWEL_SPELT_CONSONANTS = ("useful",)


class Word(NamedTuple):
    """One token line."""

    form: str
    lemma: str
    upos: str
    feats: str
    head: int
    deprel: str
    misc: str


class Sentence(NamedTuple):
    """One block."""

    id: str
    text: str
    words: list[Word]


def read(split: str) -> list[Sentence]:
    sentences = []
    for block in demo_file(split).read_text(encoding="utf-8").removesuffix("\n\n").split("\n\n"):
        comments = dict(re.findall(r"^# (\w+) = (.*)$", block, re.MULTILINE))
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        assert [row[0] for row in rows] == [str(number) for number in range(1, len(rows) + 1)]
        words = [Word(row[1], row[2], row[3], row[5], int(row[6]), row[7], row[9]) for row in rows]
        sentences.append(Sentence(comments["sent_id"], comments["text"], words))
    return sentences


@pytest.fixture(scope="module")
def splits() -> dict[str, list[Sentence]]:
    return {split: read(split) for split in SPLITS}


@pytest.fixture(scope="module")
def sentences(splits) -> list[Sentence]:
    return [sentence for split in SPLITS for sentence in splits[split]]


def test_an_unknown_split_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="train, dev, test"):
        demo_file("trian")


def test_every_file_says_that_it_is_synthetic_and_free():
    for split in SPLITS:
        first = demo_file(split).read_text(encoding="utf-8").split("\n", 1)[0]
        assert first.startswith("# ")
        assert "Synthetic" in first
        assert "CC0" in first


def test_there_are_enough_sentences_and_no_two_are_the_same(splits, sentences):
    assert [len(splits[split]) for split in SPLITS] == [1200, 150, 150]
    assert len({sentence.text.lower() for sentence in sentences}) == len(sentences)
    assert len({sentence.id for sentence in sentences}) == len(sentences)


def test_sentences_have_3_to_15_words(sentences):
    lengths = Counter(sum(word.upos != "PUNCT" for word in sentence.words) for sentence in sentences)
    assert (min(lengths), max(lengths)) == (3, 15)
    assert sum(lengths[n] for n in range(5, 10)) > len(sentences) / 2


def test_fifteen_universal_tags_occur(sentences):
    tags = Counter(word.upos for sentence in sentences for word in sentence.words)
    wanted = "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ VERB"
    assert set(tags) == set(wanted.split())
    assert min(tags.values()) >= 30


def test_trees_have_one_root_and_reach_every_word(sentences):
    for sentence in sentences:
        heads = [word.head for word in sentence.words]
        assert heads.count(0) == 1, sentence.text
        assert [word.deprel for word in sentence.words if word.head == 0] == ["root"], sentence.text
        for position in range(1, len(heads) + 1):
            seen = set()
            while position:
                assert position not in seen, sentence.text
                seen.add(position)
                position = heads[position - 1]


def test_trees_are_projective(sentences):
    for sentence in sentences:
        arcs = [sorted((word.head, child)) for child, word in enumerate(sentence.words, start=1)]
        for left, right in arcs:
            crossing = [arc for arc in arcs if left < arc[0] < right < arc[1]]
            assert not crossing, sentence.text


def test_function_words_and_punctuation_head_nothing(sentences):
    for sentence in sentences:
        heads = {sentence.words[word.head - 1].upos for word in sentence.words if word.head}
        assert not heads & (FUNCTION_TAGS | {"PUNCT"}), sentence.text


def test_function_words_have_the_relations_of_function_words(sentences):
    allowed = {
        "ADP": {"case", "compound:prt"},
        "AUX": {"aux", "aux:pass", "cop"},
        "CCONJ": {"cc"},
        "DET": {"det", "det:predet"},
        "PART": {"advmod", "case", "mark"},
        "SCONJ": {"mark"},
        "NUM": {"nummod"},
        "PUNCT": {"punct"},
    }
    for sentence in sentences:
        for word in sentence.words:
            assert word.deprel in allowed.get(word.upos, {word.deprel}), (sentence.text, word)


def test_no_word_has_two_subjects_objects_or_copulas(sentences):
    for sentence in sentences:
        for relations in ({"nsubj", "nsubj:pass", "csubj"}, {"obj"}, {"iobj"}, {"cop"}, {"det"}, {"mark"}):
            heads = [word.head for word in sentence.words if word.deprel in relations]
            assert len(set(heads)) == len(heads), (sentence.text, relations)


def test_the_text_is_the_words_joined(sentences):
    for sentence in sentences:
        joined = "".join(word.form + ("" if word.misc == "SpaceAfter=No" else " ") for word in sentence.words)
        assert joined.strip() == sentence.text
        assert sentence.text[0].isupper()
        assert sentence.text[-1] in ".?!"


def test_a_and_an_agree_with_the_next_word(sentences):
    articles = 0
    for sentence in sentences:
        for article, following in zip(sentence.words, sentence.words[1:], strict=False):
            if article.lemma == "a":
                vowel = following.form[0] in "aeiou" and not following.form.startswith(VOWEL_SPELT_CONSONANTS)
                assert article.form.lower() == ("an" if vowel else "a"), sentence.text
                articles += 1
    assert articles > 100


def test_present_verbs_agree_with_their_subjects(sentences):
    checked = 0
    for sentence in sentences:
        for word in sentence.words:
            finite = [other for other in sentence.words if "Tense=Pres|VerbForm=Fin" in other.feats]
            if word.deprel != "nsubj" or len(finite) != 1 or "Number=" not in word.feats:
                continue
            head = sentence.words[word.head - 1]
            verb = finite[0]
            if verb is not head and (not verb.head or sentence.words[verb.head - 1] is not head):
                continue
            joined = any(other.deprel == "conj" and sentence.words[other.head - 1] is word for other in sentence.words)
            number = "Plur" if joined else re.search(r"Number=(\w+)", word.feats)[1]
            assert f"Number={number}" in verb.feats, sentence.text
            checked += 1
    assert checked > 100


def has(*relations: str):
    return lambda s: set(relations) <= {word.deprel for word in s.words}


def word_is(**columns: str):
    def occurs(s: Sentence) -> bool:
        return any(all(re.fullmatch(want, getattr(word, key)) for key, want in columns.items()) for word in s.words)

    return occurs


def root_is(upos: str):
    return lambda s: any(word.head == 0 and word.upos == upos for word in s.words)


def both(*tests):
    return lambda s: all(test(s) for test in tests)


def question(s: Sentence) -> bool:
    return s.text.endswith("?")


def conjoined(upos: str):
    return lambda s: any(w.deprel == "conj" and w.upos == upos == s.words[w.head - 1].upos for w in s.words)


CONSTRUCTIONS = {
    "intransitive": lambda s: root_is("VERB")(s) and not {"obj", "ccomp", "xcomp"} & {w.deprel for w in s.words},
    "transitive": has("nsubj", "obj"),
    "two objects": has("iobj", "obj"),
    "adjective predicate": both(has("cop"), root_is("ADJ")),
    "noun predicate": both(has("cop"), root_is("NOUN")),
    "yes-no question": both(question, lambda s: s.words[0].upos == "AUX"),
    "wh-question": both(question, word_is(feats=".*PronType=Int.*")),
    "do-support": both(question, word_is(lemma="do", upos="AUX", deprel="aux")),
    "passive with agent": has("nsubj:pass", "aux:pass", "obl:agent"),
    "passive without agent": lambda s: has("aux:pass")(s) and not has("obl:agent")(s),
    "subject relative": lambda s: any(w.deprel == "nsubj" and "PronType=Rel" in w.feats for w in s.words),
    "object relative": lambda s: any(w.deprel == "obj" and "PronType=Rel" in w.feats for w in s.words),
    "participle": has("acl"),
    "because": both(has("advcl"), word_is(lemma="because", upos="SCONJ")),
    "when": both(has("advcl"), word_is(lemma="when", upos="SCONJ")),
    "if": both(has("advcl"), word_is(lemma="if", upos="SCONJ")),
    "although": both(has("advcl"), word_is(lemma="though|although", upos="SCONJ")),
    "while": both(has("advcl"), word_is(lemma="while", upos="SCONJ")),
    "that-clause": both(has("ccomp"), word_is(lemma="that", upos="SCONJ")),
    "infinitive with to": both(has("xcomp"), word_is(form="to", upos="PART")),
    "gerund": word_is(feats="VerbForm=Ger"),
    "purpose": lambda s: any(w.deprel == "advcl" and w.feats == "VerbForm=Inf" for w in s.words),
    "clausal subject": has("csubj"),
    "not": word_is(form="not", upos="PART"),
    "n't": word_is(form="n't", upos="PART"),
    "nouns joined": conjoined("NOUN"),
    "verbs joined": conjoined("VERB"),
    "adjectives joined": conjoined("ADJ"),
    "but": word_is(lemma="but", upos="CCONJ"),
    "or": word_is(lemma="or", upos="CCONJ"),
    "particle": word_is(upos="ADP", deprel="compound:prt"),
    "possessive 's": word_is(form="'s", upos="PART", deprel="case"),
    "possessive pronoun": word_is(upos="PRON", deprel="nmod:poss"),
    "number": has("nummod"),
    "there is": both(has("expl"), word_is(lemma="there")),
    "command": word_is(feats="Mood=Imp.*", upos="VERB"),
    "name": word_is(upos="PROPN"),
    "full name": has("flat"),
    "apposition": has("appos"),
    "vocative": has("vocative"),
    "compound": has("compound"),
    "noun modifier": has("nmod"),
    "comparison": word_is(feats="Degree=Cmp"),
    "modal": word_is(upos="AUX", lemma="can|must|should|may|might|will|would|could"),
    "perfect": word_is(upos="AUX", lemma="have"),
    "progressive": lambda s: any(w.feats == "Tense=Pres|VerbForm=Part" and w.deprel == "root" for w in s.words),
}


@pytest.mark.parametrize("name", CONSTRUCTIONS)
def test_the_promised_constructions_occur(name, splits):
    found = {split: sum(map(CONSTRUCTIONS[name], splits[split])) for split in SPLITS}
    assert found["train"] >= 3, found
