"""Documents of spaCy become sentences with their tags."""

from __future__ import annotations

import pytest

from depinduce.corpus import read_text
from depinduce.corpus.conllu import MISC, UPOS, XPOS
from depinduce.corpus.formats.brought import Conversion
from depinduce.errors import InputError

spacy = pytest.importorskip("spacy")

from spacy.tokens import Doc, DocBin  # noqa: E402

from depinduce.bridges.spacy_docs import read_docs  # noqa: E402


def saved(path, *docs):
    DocBin(attrs=["POS", "TAG", "LEMMA", "SENT_START", "SPACY"], docs=docs).to_disk(path)
    return path


def test_documents_become_sentences(tmp_path):
    vocab = spacy.blank("en").vocab
    words, pos = ["Dogs", "bark", ".", "\n", "Go", "!"], ["NOUN", "VERB", "PUNCT", "SPACE", "VERB", "PUNCT"]
    spaces, starts = [True, False, False, False, False, False], [True, False, False, False, True, False]
    tags = ["NNS", "VBP", ".", "_SP", "VB", "."]
    doc = Doc(vocab, words, spaces, pos=pos, tags=tags, sent_starts=starts)
    loose = Doc(vocab, ["Run", "away"], pos=["VERB", "ADV"])
    reading = read_docs(saved(tmp_path / "docs.spacy", doc, loose))
    conversion = Conversion()
    again = [next(read_text(conversion.sentence(each, "x").render())) for each in reading.sentences]
    assert [each.text for each in again] == ["Dogs bark.", "Go!", "Run away"]
    assert again[0].column(MISC) == ["_", "SpaceAfter=No", "_"]
    assert again[0].column(UPOS) == ["NOUN", "VERB", "PUNCT"]
    assert again[0].column(XPOS) == ["NNS", "VBP", "."]
    assert "  no sentences in 1 of them: each is one sentence" in reading.taken


def test_other_files_are_refused(tmp_path):
    (tmp_path / "a.spacy").write_bytes(b"nothing")
    with pytest.raises(InputError, match="this is no DocBin of spaCy"):
        read_docs(tmp_path / "a.spacy")
    with pytest.raises(InputError, match="not a single word"):
        read_docs(saved(tmp_path / "b.spacy"))
