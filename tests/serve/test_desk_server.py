"""A desk over HTTP and from the command line; and what is left of its work when everything is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading

import pytest
from campaign.served import ask as ask_over_http
from campaign.served import serving
from cli.demo_parts import demo_part, depinduce, without_heads
from serve.demo_models import running
from serve.desks import FILE, ask, check, desk_on, give_head
from serve.test_server import PATIENCE, post, send

from depinduce.corpus import read_sentences
from depinduce.serve.desk_api import DESK_ACTIONS
from depinduce.serve.journal import Journal
from depinduce.serve.server import PageServer
from depinduce.serve.shelf import Shelf


@pytest.fixture
def server(models, corpus):
    with desk_on(corpus, models / "dmv") as desk, running(desk.shelf, desk=desk) as server:
        yield server


# ---------------------------------------------------------------- over HTTP


def test_the_page_of_a_desk_comes_first_and_the_other_is_there(server):
    first, other = send(server, "GET", "/"), send(server, "GET", "/index.html")
    assert b"/desk.js" in first.body
    assert b"/app.js" in other.body
    assert send(server, "GET", "/api/models").json["file"] == "corpus.conllu"


def test_without_a_file_there_is_no_desk(models):
    with running(Shelf([models / "dmv"])) as server:
        assert b"/app.js" in send(server, "GET", "/").body
        assert send(server, "GET", "/api/models").json["file"] is None
        for action in DESK_ACTIONS:
            assert post(server, action, {}).status == 404


def test_a_correction_is_on_the_disk_when_it_is_answered(server, corpus):
    answer = post(server, "desk-save", {"number": 0, "version": 0, "word": 1, "head": 3})
    assert answer.json["saved"]
    last = (corpus.parent / "corpus.conllu.desk" / "journal.jsonl").read_text().splitlines()[-1]
    assert json.loads(last) == {"sentence": 0, "version": 1, "heads": {"1": 3}, "labels": {}, "checked": None}


@pytest.mark.parametrize(
    ("action", "request_", "message"),
    [
        ("desk-sentence", {"number": 4}, "'number' must be from 0 to 3"),
        ("desk-sentence", {"number": "0"}, "whole number"),
        ("desk-sentence", {"number": 0, "width": -1}, "'width'"),
        ("desk-save", {"number": 0, "version": 0}, "does one thing"),
        ("desk-save", {"number": 0, "version": 0, "word": 1, "head": 2, "checked": True}, "does one thing"),
        ("desk-save", {"number": 0, "version": 0, "word": 1, "head": 1}, "cannot have the head 1"),
        ("desk-save", {"number": 0, "version": 0, "word": 1, "head": 5}, "cannot have the head 5"),
        ("desk-save", {"number": 0, "version": 0, "word": 9, "head": 1}, "Word 9"),
        ("desk-save", {"number": 0, "version": 0, "word": 9, "label": "obj"}, "no word 9"),
        ("desk-save", {"number": 0, "version": 0, "word": 9, "open": True}, "no word 9"),
        ("desk-save", {"number": 0, "version": 0, "checked": 1}, "true or false"),
        ("desk-save", {"number": 0, "version": 0, "work": {"heads": {}}}, "not what there was before"),
        ("desk-use", {"grammar": "../x"}, "There is no model"),
        ("desk-export", {"from": -1}, "'from' must be"),
        ("desk-list", {"page": -1}, "'page' must be"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(action, request_, message, server):
    answer = post(server, action, request_)
    assert answer.status == 400
    assert message in answer.json["error"]
    assert server.desk.journal.works == {}


@pytest.mark.parametrize("name", ["file", "path", "out", "export"])
def test_no_request_names_a_file(name, server, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    for action in DESK_ACTIONS.keys() - {"desk-retrain"}:
        post(server, action, {name: "/etc/passwd", "number": 0, "version": 0})
        post(server, action, {name: str(tmp_path / "stolen")})
    assert sorted(tmp_path.rglob("*")) == before


def test_a_full_disk_is_told_and_nothing_is_shown_as_saved(server, monkeypatch):
    def full(*given):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("depinduce.serve.journal.append_line", full)
        answer = post(server, "desk-save", {"number": 0, "version": 0, "word": 1, "head": 3})
    assert answer.status == 507
    assert "Not saved" in answer.json["error"]
    assert "No space left on device" in answer.json["error"]
    assert post(server, "desk-sentence", {"number": 0}).json["version"] == 0


def test_of_many_who_save_one_sentence_at_once_one_is_first(server):
    answers = []

    def save(head: int) -> None:
        answers.append(post(server, "desk-save", {"number": 0, "version": 0, "word": 1, "head": head}).json)

    threads = [threading.Thread(target=save, args=(head,)) for head in (2, 3, 4) * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert [answer["saved"] for answer in answers].count(True) == 1
    (first,) = [answer for answer in answers if answer["saved"]]
    assert {tuple(answer["sentence"]["heads"]) for answer in answers} == {tuple(first["sentence"]["heads"])}


# ---------------------------------------------------------------- the command


def test_the_command_serves_a_file_and_exports_it(models, corpus, monkeypatch, capsys, tmp_path):
    served = []
    monkeypatch.setattr(PageServer, "serve_forever", lambda server: served.append(ask(server.desk, "desk")))
    assert depinduce("serve", models / "dmv", "--file", corpus, "--port", 0) == 0
    assert served[0]["sentences"] == 4
    assert "1 model, 4 sentences at http://127.0.0.1:" in capsys.readouterr().out
    with desk_on(corpus, models / "dmv") as desk:
        give_head(desk, 0, 1, 3)
        check(desk, 1)
        expected = desk.exported(range(4), everything=True)
    out = tmp_path / "out.conllu"
    assert depinduce("serve", models / "dmv", "--file", corpus, "--export", out) == 0
    assert out.read_text() == expected
    assert "4 sentences, 1 checked" in capsys.readouterr().err
    assert depinduce("serve", models / "dmv", "--file", corpus, "--export", out, "--checked") == 0
    assert [sentence.sent_id for sentence in read_sentences(out)] == ["named"]
    assert corpus.read_text() == FILE


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--export", "out.conllu"], "are about a --file"),
        (["--checked"], "are about a --file"),
        (["--file", "corpus.conllu", "--checked"], "--checked is for --export"),
        (["--file", "nowhere.conllu"], "no such file"),
        (["--file", "-"], "Name a file on the disk"),
    ],
)
def test_wrong_arguments_are_refused_in_words(arguments, message, models, corpus, monkeypatch, capsys):
    monkeypatch.chdir(corpus.parent)
    assert depinduce("serve", models / "dmv", *arguments) == 1
    assert message in capsys.readouterr().err
    assert [path.name for path in corpus.parent.iterdir()] == [corpus.name]


def test_damaged_lines_are_told_of_when_the_server_starts(models, corpus, monkeypatch, capsys):
    with desk_on(corpus, models / "dmv") as desk:
        give_head(desk, 0, 1, 3)
    with desk.journal.path.open("a") as file:
        file.write("something else\n")
    monkeypatch.setattr(PageServer, "serve_forever", lambda server: None)
    assert depinduce("serve", models / "dmv", "--file", corpus, "--port", 0) == 0
    assert "lines that cannot be read are left out: 3" in capsys.readouterr().err


# ---------------------------------------------------------------- kills


@pytest.mark.slow
def test_what_was_confirmed_outlives_a_server_that_is_killed(models, tmp_path):
    corpus = tmp_path / "corpus.conllu"
    corpus.write_text(without_heads(demo_part(tmp_path / "part.conllu", count=30).read_text("utf-8")))
    confirmed: dict[int, int] = {}
    for last in (3, 11, 24):
        with serving(models, tmp_path, "dmv", file=corpus) as served:
            client = served.client()
            for number in range(30):
                version = ask_over_http(client, "desk-sentence", {"number": number})[1]["version"]
                assert version == confirmed.get(number, 0)
                if number == last:
                    # in the middle of a save: nobody waits for its answer
                    change = {"number": number, "version": version, "word": 1, "head": 2}
                    client.request("POST", "/api/desk-save", json.dumps(change), {"Content-Type": "application/json"})
                    os.kill(served.process.pid, signal.SIGKILL)
                    served.process.wait(PATIENCE)
                    break
                status, answer = ask_over_http(
                    client, "desk-save", {"number": number, "version": version, "word": 2, "head": 1}
                )
                assert (status, answer["saved"]) == (200, True)
                confirmed[number] = version + 1
        with desk_on(corpus, models / "dmv") as desk:
            found = {number: work.version for number, work in desk.journal.works.items()}
            assert {**found, last: 0} == {**confirmed, last: 0}
            assert found.get(last, 0) - confirmed.get(last, 0) in (0, 1)
            if found.get(last):
                confirmed[last] = found[last]


@pytest.mark.slow
def test_a_retraining_ends_with_its_server(models, tmp_path):
    corpus = demo_part(tmp_path / "corpus.conllu", count=120)
    with serving(models, tmp_path, "dmv", file=corpus) as served:
        for number in range(6):
            assert served.ask("desk-save", {"number": number, "version": 0, "checked": True})[1]["saved"]
        assert served.ask("desk-retrain", {})[0] == 200
        listed = ["ps", "-o", "pid=", "--ppid", str(served.process.pid)]
        children = subprocess.run(listed, capture_output=True, text=True, check=True).stdout.split()
        assert children
        os.kill(served.process.pid, signal.SIGKILL)
        served.process.wait(PATIENCE)
    code = (
        "import os, sys, time\n"
        "while any(os.path.exists(f'/proc/{pid}') and 'Z' not in open(f'/proc/{pid}/stat').read().split()[2] "
        "for pid in sys.argv[1:]): time.sleep(0.1)\n"
    )
    subprocess.run([sys.executable, "-c", code, *children], timeout=PATIENCE, check=True)
    with desk_on(corpus, models / "dmv") as desk:
        assert len(desk.checked) == 6


def test_a_journal_can_be_read_while_the_server_writes_it(server, corpus):
    post(server, "desk-save", {"number": 0, "version": 0, "word": 1, "head": 3})
    desk = server.desk
    assert Journal(desk.place, desk.file.digest, desk.file.lengths).works == desk.journal.works
