"""Tables of words become sentences, and what each column was taken for is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from depinduce.corpus import read_text
from depinduce.corpus.conllu import MISC, UPOS, XPOS
from depinduce.corpus.formats.brought import Brought, Conversion, Word, attributes
from depinduce.corpus.formats.tables import Columns, from_table, read_rows, read_table
from depinduce.errors import DepinduceError, InputError

BROUGHT = Path(__file__).parent / "brought"


def rows(text: str, **columns):
    """What was taken, and the words and tags of every sentence."""
    reading = read_rows("words", text.split("\n"), Columns(**columns))
    return reading.taken, [[(word.form, word.tag) for word in brought.words] for brought in reading.sentences]


KWE = [[("kwe", "PRON"), ("bona", "VERB"), ("inja", "NOUN")], [("inja", "NOUN"), ("yalala", "VERB")]]


def test_a_column_of_numbers_is_no_word():
    taken, sentences = rows((BROUGHT / "numbered.tsv").read_text())
    assert sentences == KWE
    assert "  column 1: number of the word (1, 2, 3)" in taken


def test_numbers_that_begin_again_end_a_sentence():
    text = (BROUGHT / "numbered.tsv").read_text().replace("\n\n", "\n")
    assert rows(text)[1] == KWE


def test_a_header_is_no_word_and_names_the_columns():
    reading = read_table(BROUGHT / "spreadsheet.csv", Columns())
    first, second = reading.sentences
    assert [word.form for word in first.words] == ["kwe", "bona", "inja"]
    assert [word.tag for word in second.words] == ["n", "v"]
    assert first.words[0].misc == {"Gloss": "I; me"}
    assert reading.taken[0] == "a word per row, semicolons between columns, with header"
    assert "  column 4 'category': tag (pro, v, n)" in reading.taken


def test_a_header_of_unknown_names_shows_where_numbers_stand_below():
    assert rows("Zahl,Lexem,Art\n1,go,V\n2,on,P\n")[1] == [[("go", "V"), ("on", "P")]]


def test_a_word_that_could_be_a_name_is_no_header():
    assert rows("word\tNOUN\nfor\tADP\n")[1] == [[("word", "NOUN"), ("for", "ADP")]]


def test_without_boundaries_sentences_end_after_stops():
    taken, sentences = rows((BROUGHT / "no-boundaries.tsv").read_text())
    assert [len(sentence) for sentence in sentences] == [4, 3]
    assert "sentences end after" in taken[-1]


def test_a_number_for_every_sentence():
    assert [len(sentence) for sentence in rows("7,a,X\n7,b,Y\n8,c,X\n8,d,Y\n")[1]] == [2, 2]


def test_the_user_knows_better():
    text = "NOUN,dog\nVERB,barks\n"
    assert rows(text)[1] == [[("NOUN", "dog"), ("VERB", "barks")]]
    assert rows(text, word="2")[1] == rows(text, word="2", tag="1")[1] == [[("dog", "NOUN"), ("barks", "VERB")]]
    assert rows(text, header=True)[1] == [[("VERB", "barks")]]
    assert rows("a,b\ndog,NOUN\ndogs,NOUN", word="a", tag="b", header=True)[1] == [[("dog", "NOUN"), ("dogs", "NOUN")]]
    with pytest.raises(DepinduceError, match="--tag-column 3: there is no such column. It has 2 columns and no header"):
        rows(text, tag="3")


def test_tags_before_words_show_in_a_longer_table():
    text = "".join(f"{'NV'[number % 2]}\tword{number}\n" for number in range(30))
    assert rows(text)[1][0][:2] == [("word0", "N"), ("word1", "V")]


def test_quotation_marks_are_words_between_tabs_and_quotes_between_commas():
    assert rows('"\tPUNCT\nno\tX\n')[1] == [[('"', "PUNCT"), ("no", "X")]]
    assert rows('"""",PUNCT\n"1,5",NUM\n')[1] == [[('"', "PUNCT"), ("1,5", "NUM")]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no,X\n1,5,NUM\nyes,X\n", "words:2: '1,5,NUM' has 3 columns, where others have 2. Write a cell with a `,`"),
        ('no,X\n"x,PUNCT\n', "words:2: '\"x,PUNCT' has a quotation mark that is not closed"),
        ("word,tag\n", "words: a header and no words below it. Say --no-header"),
        ("a\nb\n", "words: no column looks like that of the tags, among 1 ('a'). Name it: depinduce convert table"),
        ("\n\n", "words: not a single word"),
    ],
)
def test_what_is_no_table_of_words_is_refused(text, message):
    with pytest.raises(InputError) as refusal:
        rows(text)
    assert str(refusal.value).startswith(message)


def test_a_table_in_memory():
    table = {"w": ["a", "b", "c"], "t": ["X", None, "Y"], "s": [1, 1, 2]}
    one, two = from_table(table, "w", "t", "s")
    (whole,) = from_table(table, "w", "t")
    assert ["# sentence = " in each.render() for each in (one, two, whole)] == [True, True, False]
    assert (one.forms, one.column(UPOS), two.forms) == (["a", "b"], ["X", "_"], ["c"])
    with pytest.raises(DepinduceError, match="no column 'pos'. It has: w, t, s."):
        from_table(table, "w", "pos")
    with pytest.raises(DepinduceError, match="row 2 of the table has the word nan"):
        from_table({"w": ["a", float("nan")], "t": ["X", "Y"]}, "w", "t")


def test_a_table_of_pandas():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"w": ["a", "b"], "t": ["X", None], "s": [1, 2]})
    assert [each.column(UPOS) for each in from_table(frame, "w", "t", "s")] == [["X"], ["_"]]


def test_a_map_puts_universal_tags_beside_ones_own():
    conversion = Conversion(map={"n": "NOUN"}, punctuation=("pct",))
    brought = Brought([Word("dog", "n"), Word("runs", "v t"), Word("x"), Word("!", "pct")], ["text_en = A\n dog"])
    (again,) = read_text(conversion.sentence(brought, "x").render())
    assert again.column(UPOS) == ["NOUN", "v-t", "_", "PUNCT"]
    assert again.column(XPOS) == ["n", "v-t", "_", "pct"]
    assert again.comments == ["# sent_id = 1", "# text_en = A dog"]
    assert (conversion.unmapped, conversion.untagged) == ({"v-t": 1}, 1)


def test_misc_holds_any_gloss():
    sentence = Conversion().sentence(Brought([Word("a", "X", misc={"Gloss": "see|look\tat"})]), "x")
    (again,) = read_text(sentence.render())
    assert again.column(MISC) == [r"Gloss=see\plook at"]
    assert attributes({"Gloss": " "}) == "_"
