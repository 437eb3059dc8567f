"""`depinduce parse` into a directory: the same trees as file by file, and nothing is done twice."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from cli.demo_parts import demo_part, depinduce

from depinduce.bulk import parse as bulk
from depinduce.bulk.ledger import PARTS, Ledger
from depinduce.bulk.tasks import Join, Learn, Parse, Task
from depinduce.corpus.demo import demo_file


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("trained")
    train = demo_part(folder / "train.conllu", count=200)
    assert depinduce("train", "--train", train, "--non-heads", "ud", "--iterations", 4, "--out", folder / "model") == 0
    return folder / "model"


@pytest.fixture
def crawl(tmp_path) -> Path:
    """A file of several parts, a small one, and a packed one."""
    folder = tmp_path / "crawl"
    folder.mkdir()
    demo_part(folder / "large.conllu", count=400)
    text = demo_part(folder / "small.conllu", "test", 20).read_bytes()
    (folder / "packed.conllu.gz").write_bytes(gzip.compress(text))
    return folder


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(bulk, "PART", 40_000)


@pytest.fixture
def done(monkeypatch) -> list[Task]:
    """The tasks that are done."""
    tasks = []
    for kind in (Parse, Learn, Join):
        run = kind.run
        monkeypatch.setattr(kind, "run", lambda task, send, run=run: (tasks.append(task), run(task, send))[1])
    return tasks


def written(folder: Path) -> dict[str, bytes]:
    """What a user sees in a directory."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != PARTS}


def one_by_one(model: Path, crawl: Path, place: Path, *options: object) -> dict[str, bytes]:
    """The same files, each by a command of its own."""
    place.mkdir()
    for path in crawl.iterdir():
        assert depinduce("parse", model, path, "-o", place / path.name, *options) == 0
    return written(place)


@pytest.mark.parametrize(
    "options",
    [
        ["--posteriors", "--log-likelihood"],
        ["--samples", "2", "--seed", "5"],  # which depend on where in the file a sentence is
        ["--add-metadata", "--k-best", "2"],
    ],
)
def test_files_in_a_directory_are_what_they_are_alone(model, crawl, tmp_path, done, options):
    assert depinduce("parse", model, f"{crawl}/*", "-o", f"{tmp_path}/parsed/", *options) == 0
    parsed = [task for task in done if isinstance(task, Parse)]
    assert len(parsed) > 5 and len(done) == len(parsed) + 1
    assert written(tmp_path / "parsed") == one_by_one(model, crawl, tmp_path / "alone", *options)
    assert [path.name for path in (tmp_path / "parsed" / PARTS).iterdir() if path.is_dir()] == []


def test_what_is_finished_is_not_done_again(model, crawl, tmp_path, done, monkeypatch, capsys):
    command = "parse", model, f"{crawl}/*", "-o", tmp_path / "parsed", "--posteriors"
    (tmp_path / "parsed").mkdir()  # which then need not be written with a slash
    add, known = Ledger.add, []

    def add_three(self, name, *others):
        add(self, name, *others)
        known.append(name)
        if len(known) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "add", add_three)
    assert depinduce(*command) == 130
    assert "what is finished is kept in" in capsys.readouterr().err
    first = len(done)
    monkeypatch.setattr(Ledger, "add", add)
    assert depinduce(*command) == 0
    assert first == 3
    names = [task.target for task in done]
    assert len(set(names)) == len(names)
    assert "3 files and parts of files were there already" in capsys.readouterr().err
    assert written(tmp_path / "parsed") == one_by_one(model, crawl, tmp_path / "alone", "--posteriors")
    count = len(done)
    assert depinduce(*command) == 0
    assert len(done) == count


def test_parts_of_a_file_that_has_changed_are_done_again(model, crawl, tmp_path, done):
    command = "parse", model, f"{crawl}/large.conllu", "-o", f"{tmp_path}/parsed/"
    assert depinduce(*command) == 0
    count = len(done)
    text = (crawl / "large.conllu").read_text("utf-8")
    (crawl / "large.conllu").write_text(text.replace("VERB", "NOUN", 1), encoding="utf-8")
    assert depinduce(*command) == 0
    assert len(done) == 2 * count
    (crawl / "small.conllu").unlink()
    (crawl / "packed.conllu.gz").unlink()
    assert written(tmp_path / "parsed") == one_by_one(model, crawl, tmp_path / "alone")


def test_tables_of_parts_are_those_of_the_whole(model, crawl, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    for form in ("jsonl", "parquet"):
        assert (
            depinduce("parse", model, f"{crawl}/*", "--format", form, "--posteriors", "-o", f"{tmp_path}/{form}/") == 0
        )
        whole = tmp_path / f"large.{form}"
        assert depinduce("parse", model, crawl / "large.conllu", "--posteriors", "-o", whole) == 0
    assert sorted(written(tmp_path / "jsonl")) == ["large.jsonl", "packed.jsonl.gz", "small.jsonl"]
    assert (tmp_path / "jsonl/large.jsonl").read_bytes() == (tmp_path / "large.jsonl").read_bytes()
    rows = parquet.read_table(tmp_path / "parquet/large.parquet").to_pylist()
    assert rows == [json.loads(line) for line in (tmp_path / "large.jsonl").read_text("utf-8").splitlines()]
    assert rows[-1]["sentence"] == 400


def test_a_universal_grammar_learns_once_from_a_file_whose_parts_it_parses(tmp_path, done, capsys):
    text = demo_part(tmp_path / "text.conllu", count=150)
    assert depinduce("parse", "universal", text, "-o", f"{tmp_path}/parsed/", "--posteriors") == 0
    assert [type(task).__name__ for task in done] == ["Learn", "Parse", "Parse", "Join"]
    assert "text.conllu: learned the order of the language from" in capsys.readouterr().err
    assert depinduce("parse", "universal", text, "-o", tmp_path / "alone.conllu", "--posteriors") == 0
    assert (tmp_path / "parsed/text.conllu").read_bytes() == (tmp_path / "alone.conllu").read_bytes()


def test_a_fault_is_told_with_its_line_in_the_file_though_it_is_in_a_part(model, tmp_path, capsys):
    text = demo_part(tmp_path / "text.conllu", count=400).read_text("utf-8") + "1\tonly two columns\n\n"
    (tmp_path / "text.conllu").write_text(text, encoding="utf-8")
    assert depinduce("parse", model, tmp_path / "text.conllu", "-o", f"{tmp_path}/parsed/") == 1
    assert f"text.conllu:{text.count(chr(10)) - 1}: " in capsys.readouterr().err
    assert written(tmp_path / "parsed") == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.conllu", "b.conllu"], "several files need a directory. Name one: -o parsed/"),
        (["*.conllu"], "several files need a directory"),
        (["a.conllu", "b.conllu", "-o", "a.conllu"], "several files need a directory"),
        (["a.conllu", "b.conllu", "-o", "new.conllu.gz"], "several files need a directory. Name one: -o parsed/"),
        (["*.conllu", "-o", "new.parquet"], "several files need a directory. Name one: --format parquet -o parsed/"),
        (["a.conllu", "-o", "b", "--overwrite"], "--overwrite is for parsing into a directory"),
        (["a.conllu", "-o", "b", "--cluster", "local:1"], "--cluster is for parsing into a directory"),
        (["a.conllu", "b.conllu", "--least-sure", "3", "-o", "c/"], "--least-sure looks at one file"),
        (["a.conllu", "--format", "parquet"], "stdout cannot take it"),
        (["*.nothing", "-o", "b/"], "no file has such a name"),
    ],
)
def test_files_without_a_directory_and_the_other_way_round_are_refused(arguments, message, model, tmp_path, capsys,
                                                                       monkeypatch):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("a.conllu").write_bytes(demo_file("test").read_bytes())
    assert depinduce("parse", model, *arguments) == 1
    assert message in capsys.readouterr().err
