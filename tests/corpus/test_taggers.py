r"""What taggers write goes through `check` and `parse` as it is. The files are of these programs themselves:

udpipe.conllu    ufal.udpipe 1.4.0.1 by the line on the page of questions, with a model that it had learned from 150
                 sentences of the demo corpus, which is why its tags are poor. HEAD is `_`; MISC has `SpacesAfter=\n`
stanza.conllu    the writer of Stanza 1.15.0, `{:C}`, of words that we tagged by hand. Without its parser it hangs every
                 word on the one before, with `_` for a relation; no blank line ends the file
"""

from __future__ import annotations

from pathlib import Path

import pytest
from cli.demo_parts import depinduce

from depinduce.corpus import read_sentences
from depinduce.corpus.conllu import UPOS

FILES = sorted((Path(__file__).parent / "taggers").glob("*.conllu"))
HEAD, DEPREL = 6, 7  # of the columns, from 0


def columns_but_trees(path: Path) -> list[list[str]]:
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()]
    return [[cell for number, cell in enumerate(line) if number not in (HEAD, DEPREL)] for line in lines]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_check_finds_two_tagged_sentences_and_nothing_wrong(path, capsys):
    assert depinduce("check", path) == 0
    out = capsys.readouterr().out
    assert f"{path}: 2 sentences, " in out and "problem" not in out


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_parse_fills_in_trees_and_keeps_all_else(path, tmp_path, capsys):
    parsed = tmp_path / "parsed.conllu"
    assert depinduce("parse", "universal", path, "-o", parsed) == 0
    assert columns_but_trees(parsed) == columns_but_trees(path)
    for sentence in read_sentences(parsed, trees=True):
        assert sentence.heads.count(0) == 1
        on_verb = [tag for tag, head in zip(sentence.column(UPOS), sentence.heads, strict=True) if head == 0]
        assert on_verb in (["VERB"], ["NOUN"])
        assert sentence.heads != list(range(len(sentence)))  # as Stanza has it


def test_there_is_a_file_of_each():
    assert [path.stem for path in FILES] == ["stanza", "udpipe"]
