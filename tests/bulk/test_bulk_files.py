"""Which files are parsed into a directory, and under which names."""

from __future__ import annotations

from pathlib import Path

import pytest

from depinduce.bulk.files import find_files, targets_of
from depinduce.errors import DepinduceError
from depinduce.parsing.written_forms import CONLLU, PARQUET


@pytest.fixture
def crawl(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("b.conllu", "a.conllu", "a.conllu.gz", "below/a.conllu", "[1].conllu"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def test_patterns_are_files_by_name_and_every_file_comes_once(crawl):
    assert find_files(["b.conllu", "?.conllu"]) == ["b.conllu", "a.conllu"]
    assert find_files(["[1].conllu"]) == ["[1].conllu"]  # a file of this very name
    assert find_files(["**/a.conllu"]) == ["a.conllu", "below/a.conllu"]


@pytest.mark.parametrize(
    ("name", "message"),
    [("*.txt", "no file has such a name"), ("c.conllu", "no such file"), ("below", "a directory"), ("-", "stdin")],
)
def test_what_is_no_file_is_refused(crawl, name, message):
    with pytest.raises(DepinduceError, match=message):
        find_files([name])


@pytest.mark.parametrize(
    ("form", "sources"), [(CONLLU, ["a.conllu", "below/a.conllu"]), (PARQUET, ["a.conllu", "a.conllu.gz"])]
)
def test_two_files_of_one_name_are_refused(crawl, form, sources):
    with pytest.raises(DepinduceError, match=f"{sources[0]} and {sources[1]}: both would become out/a"):
        targets_of(sources, Path("out"), form)


def test_files_of_different_names_keep_them(crawl):
    targets = targets_of(["a.conllu", "a.conllu.gz", "b.conllu"], Path("out"), CONLLU)
    assert [str(target) for target in targets.values()] == ["out/a.conllu", "out/a.conllu.gz", "out/b.conllu"]


def test_a_file_is_not_replaced_by_its_own_parse(crawl):
    with pytest.raises(DepinduceError, match="replaced by its own parse"):
        targets_of(["below/a.conllu"], Path("below"), CONLLU)
