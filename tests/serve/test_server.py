"""The server of the page: what it gives, what it refuses, and that it never falls over."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from cli.demo_parts import depinduce
from corpus.blocks import block
from serve.demo_models import SENTENCE, answer, running, train_models

from depinduce.serve import api
from depinduce.serve.connections import MOST_CONNECTIONS
from depinduce.serve.requests import MOST_BYTES, STEP
from depinduce.serve.server import STATIC, PageServer, is_loopback
from depinduce.serve.shelf import Shelf

PATIENCE = 180  # seconds: the first answer may have to wait until charts are compiled


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return train_models(tmp_path_factory.mktemp("served"))


@pytest.fixture(scope="module")
def server(models):
    with running(Shelf([models])) as server:
        yield server


class Answer:
    def __init__(self, response: http.client.HTTPResponse):
        self.status, self.headers, self.body = response.status, response.headers, response.read()

    @property
    def json(self) -> dict:
        assert self.headers["Content-Type"] == "application/json; charset=utf-8"
        return json.loads(self.body)


def send(server: PageServer, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=PATIENCE)
    try:
        connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        return Answer(connection.getresponse())
    finally:
        connection.close()


def post(server: PageServer, action: str, request: object, **headers: str) -> Answer:
    body = request if isinstance(request, bytes) else json.dumps(request).encode()
    return send(server, "POST", f"/api/{action}", body, **({"Content_Type": "application/json"} | headers))


def raw(server: PageServer, data: bytes) -> bytes:
    """What comes back for bytes that no proper client would send."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=PATIENCE) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
        return answer


# ---------------------------------------------------------------- what it gives


def test_the_page_and_all_its_parts_are_there(server):
    page = send(server, "GET", "/")
    assert page.status == 200
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    html = page.body.decode()
    parts = set(re.findall(r'(?:href|src)="(/[^"]+)"', html + send(server, "GET", "/desk.html").body.decode()))
    assert {"/app.css", "/tree.css", "/app.js"} <= parts
    scripts = [name for name in STATIC if name.endswith(".js")]
    for name in scripts:
        text = send(server, "GET", f"/{name}").body.decode()
        parts |= {f"/{imported}" for imported in re.findall(r'from "\./([^"]+)"', text)}
    for path in parts:
        assert send(server, "GET", path).status == 200, path
    assert parts >= {f"/{name}" for name in scripts}  # and none that nobody asks for
    assert not re.search(r"https?://", html)
    assert not re.search(r"<script(?![^>]*src=)|<style|\son\w+=|\sstyle=", html)


def test_every_answer_forbids_what_a_page_does_not_need(server):
    for given in (send(server, "GET", "/"), send(server, "GET", "/nothing"), post(server, "parse", {})):
        policy = given.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert given.headers["X-Content-Type-Options"] == "nosniff"
        assert given.headers["Cache-Control"] == "no-store"
        assert "Python" not in given.headers["Server"]


def test_a_request_is_answered_in_json(server):
    listed = send(server, "GET", "/api/models").json
    assert [model["name"] for model in listed["models"]] == ["dmv", "hidden", "siblings"]
    assert listed["limits"]["bytes"] == MOST_BYTES
    (sentence,) = post(server, "parse", {"model": "dmv", "text": SENTENCE}).json["sentences"]
    assert sentence["heads"].count(0) == 1


def test_head_has_no_body(server):
    answer = send(server, "HEAD", "/")
    assert (answer.status, answer.body) == (200, b"")
    assert int(answer.headers["Content-Length"]) > 1000


def test_a_connection_can_be_used_again_even_after_a_fault(server):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=PATIENCE)
    for text, status in ((SENTENCE, 200), ("no tag", 400), (SENTENCE, 200)):
        body = json.dumps({"model": "dmv", "text": text})
        connection.request("POST", "/api/parse", body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        response.read()
        assert response.status == status
    connection.close()


def test_many_at_once_get_the_same_answer(server):
    def ask(number: int) -> Answer:
        return post(server, "parse", {"model": ["dmv", "siblings"][number % 2], "text": SENTENCE})

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(ask, range(48)))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers[::2]}) == len({answer.body for answer in answers[1::2]}) == 1


def test_a_model_that_many_want_at_once_is_loaded_once(models, monkeypatch):
    from depinduce import Parser

    loads = []
    load = Parser.load.__func__

    def counted(cls, directory, *arguments):
        loads.append(directory)
        return load(cls, directory, *arguments)

    monkeypatch.setattr(Parser, "load", classmethod(counted))
    with running(Shelf([models / "dmv"])) as server, ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: post(server, "parse", {"model": "dmv", "text": SENTENCE}), range(8)))
    assert {answer.status for answer in answers} == {200}
    assert len(loads) == 1


# ---------------------------------------------------------------- what it refuses


@pytest.mark.parametrize(
    "path",
    [
        "/nothing",
        "/static/app.js",
        "/../server.py",
        "/..%2f..%2fetc/passwd",
        "/%2e%2e/api.py",
        "//etc/passwd",
        "/app.js/../../server.py",
        "/models/dmv/model.json",
        "/api",
        "/api/",
        "/api/parse",  # is for POST
        "/api/../app.js",
    ],
)
def test_only_what_is_on_the_list_can_be_had(path, server):
    answer = send(server, "GET", path)
    assert answer.status == 404
    assert answer.json == {"error": "There is nothing here."}


@pytest.mark.parametrize("path", ["/", "/app.js", "/api/nothing", "/api/models", "/other/parse", "/api/parse/x"])
def test_only_known_actions_can_be_posted(path, server):
    answer = send(server, "POST", path, b"{}", Content_Type="application/json")
    assert answer.status == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
def test_other_methods_are_refused_in_json(method, server):
    answer = send(server, method, "/api/parse")
    assert answer.status == 501
    assert "error" in answer.json


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "localhost:{port}/x", "a@localhost"]
)
def test_a_foreign_name_that_points_here_is_refused(host, server):
    answer = send(server, "GET", "/", Host=host.format(port=server.server_port))
    assert answer.status == 403
    assert str(server.server_port) in answer.json["error"]
    assert (
        post(server, "parse", {"model": "dmv", "text": SENTENCE}, Host=host.format(port=server.server_port)).status
        == 403
    )


@pytest.mark.parametrize("host", ["localhost:{port}", "127.0.0.1:{port}", "[::1]:{port}", "LOCALHOST:{port}"])
def test_our_own_names_are_fine(host, server):
    assert send(server, "GET", "/", Host=host.format(port=server.server_port)).status == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
    ],
)
def test_other_pages_may_not_ask(headers, server):
    given = {name: value.format(port=server.server_port) for name, value in headers.items()}
    answer = post(server, "parse", {"model": "dmv", "text": SENTENCE}, **given)
    assert answer.status == 403
    assert "Only the page of this server" in answer.json["error"]


def test_our_own_page_may_ask(server):
    origin = {"Origin": f"http://127.0.0.1:{server.server_port}", "Sec_Fetch_Site": "same-origin"}
    assert post(server, "parse", {"model": "dmv", "text": SENTENCE}, **origin).status == 200


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"])
def test_what_a_form_could_send_is_refused(kind, server):
    assert post(server, "parse", {"model": "dmv", "text": SENTENCE}, Content_Type=kind).status == 415


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b'{"model": "\xed\xa0\x80"}', "not JSON"),  # half a character
        (b"[" * 100_000, "not JSON"),
        (b'{"model": ' + b"9" * 5000 + b"}", "not JSON"),  # which Python does not read
        (b'{"model": "dmv", "model": 1e999}', "needs a text 'model'"),
        (b"[]", "not a JSON object"),
        (b"null", "not a JSON object"),
        (b"{}", "needs a text 'model'"),
        (b'{"model": ["dmv"]}', "needs a text 'model'"),
        (b'{"model": "dmv", "text": null}', "needs a text 'text'"),
    ],
)
def test_malformed_requests_are_refused_in_words(body, message, server):
    answer = post(server, "parse", body)
    assert answer.status == 400
    assert message in answer.json["error"]


def test_too_much_is_refused_in_words(server):
    answer = post(server, "parse", {"model": "dmv", "text": "a/NOUN " * (MOST_BYTES // 6)})
    assert answer.status == 413
    assert "up to 1000 kB" in answer.json["error"]


@pytest.mark.parametrize("length", ["", "Content-Length: x\r\n", "Content-Length: -1\r\n", "Content-Length: ²\r\n",
                                    "Content-Length: " + "9" * 5000 + "\r\n",
                                    "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n"])  # fmt: skip
def test_a_body_must_tell_its_length(length, server):
    head = f"POST /api/parse HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n{length}\r\n{{}}"
    answer = raw(server, head.encode())
    assert answer.startswith(b"HTTP/1.1 411 ")
    assert b"does not tell its length" in answer


@pytest.mark.parametrize(
    ("request_line", "host", "status"),
    [("POST /api/parse", "evil.example:{port}", 403), ("GET /", "evil.example:{port}", 403), ("GET /", "", 200)],
)
def test_a_body_that_nobody_reads_is_not_the_next_request(request_line, host, status, server):
    ours = f"127.0.0.1:{server.server_port}"
    inner = f"GET /api/models HTTP/1.1\r\nHost: {ours}\r\n\r\n"
    host = host.format(port=server.server_port) or ours
    answer = raw(
        server, f"{request_line} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(inner)}\r\n\r\n{inner}".encode()
    )
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [str(status).encode()]


@pytest.mark.parametrize("twice", ["Content-Length: 2", "Host: 127.0.0.1:PORT", "Content-Type: application/json"])
def test_what_decides_about_a_request_is_said_once(twice, server):
    head = "POST /api/parse HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 2\r\nContent-Type: application/json\r\n"
    answer = raw(server, f"{head}{twice}\r\n\r\n{{}}".replace("PORT", str(server.server_port)).encode())
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"twice" in answer


def test_a_client_may_ask_whether_to_go_on(server):
    head = f"POST /api/parse HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n"
    answer = raw(server, f"{head}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{{}}".encode())
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"100", b"415"]


def test_a_fault_quotes_no_more_than_one_can_read(server):
    answer = post(server, "parse", {"model": "dmv", "text": "x" * 100_000})
    assert answer.status == 400
    assert len(answer.body) < 10_000


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"".join(b"X-%d: y\r\n" % number for number in range(200)) + b"\r\n",
        b"POST /api/parse HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 100\r\n\r\n{",
        b"",
    ],
)
def test_broken_clients_do_no_harm(data, server, capfd):
    answer = raw(server, data.replace(b"PORT", str(server.server_port).encode()))
    assert b"Traceback" not in answer
    assert b"<html" not in answer.lower()
    assert send(server, "GET", "/api/models").status == 200
    assert "Traceback" not in capfd.readouterr().err


def test_an_unexpected_fault_is_a_sentence_on_the_page_and_told_in_the_terminal(server, monkeypatch, capfd):
    def fail(shelf, request):
        raise RuntimeError("a secret of the server")

    monkeypatch.setitem(api.ACTIONS, "parse", fail)
    answer = post(server, "parse", {"model": "dmv"})
    assert answer.status == 500
    assert answer.json["error"].startswith("Something went wrong that should not have")
    assert b"secret" not in answer.body
    assert "a secret of the server" in capfd.readouterr().err


# ---------------------------------------------------------------- large requests


def started(server: PageServer, action: str, request: dict) -> socket.socket:
    """A connection on which a request was sent."""
    body = json.dumps(request).encode()
    head = f"POST /api/{action} HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    connection = socket.create_connection(("127.0.0.1", server.server_port), timeout=PATIENCE)
    connection.sendall(head.encode() + body)
    return connection


def test_work_stops_when_the_client_has_left(server, monkeypatch):
    begun, stopped = threading.Event(), threading.Event()

    def without_end(shelf, request):
        try:
            while True:
                yield 9 * STEP
                begun.set()
        finally:
            stopped.set()

    monkeypatch.setitem(api.ACTIONS, "parse", without_end)
    with started(server, "parse", {"model": "dmv"}):
        assert begun.wait(PATIENCE)
        assert not stopped.is_set()
    assert stopped.wait(PATIENCE)


def test_small_requests_are_answered_beside_a_large_one(server, monkeypatch):
    begun, may_end = threading.Event(), threading.Event()

    def long(shelf, request):
        yield 9 * STEP
        begun.set()
        assert may_end.wait(PATIENCE)
        return {"long": True}

    monkeypatch.setitem(api.ACTIONS, "draw", long)
    with started(server, "draw", {"model": "dmv"}) as large:
        assert begun.wait(PATIENCE)
        for _ in range(5):
            assert post(server, "parse", {"model": "dmv", "text": SENTENCE}).status == 200
        may_end.set()
        assert large.recv(15) == b"HTTP/1.1 200 OK"


def test_a_server_that_is_full_says_so(server, monkeypatch):
    monkeypatch.setattr(server.guests, "admit", lambda connection: False)
    answer = send(server, "GET", "/")
    assert answer.status == 503
    assert "no room" in answer.json["error"]


def test_silent_connections_keep_nobody_out(server):
    silent = [socket.create_connection(("127.0.0.1", server.server_port)) for _ in range(2 * MOST_CONNECTIONS)]
    try:
        assert send(server, "GET", "/api/models").status == 200
    finally:
        for connection in silent:
            connection.close()


# ---------------------------------------------------------------- where it listens


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("::", False),
     ("192.168.0.1", False), ("example.org", False)],
)  # fmt: skip
def test_which_addresses_only_this_machine_can_reach(host, expected):
    assert is_loopback(host) == expected


def test_a_server_for_all_addresses_goes_by_any_address_but_by_no_foreign_name(models):
    with running(Shelf([models / "dmv"]), "0.0.0.0") as server:
        port = server.server_port
        assert server.address == f"http://127.0.0.1:{port}/"
        assert send(server, "GET", "/", Host=f"192.168.7.7:{port}").status == 200
        assert send(server, "GET", "/", Host=f"{socket.gethostname()}:{port}").status == 200
        assert send(server, "GET", "/", Host=f"evil.example:{port}").status == 403


# ---------------------------------------------------------------- the command


def heed_interrupts() -> None:
    """In a child: what a shell starts in the background ignores Ctrl-C, and its children inherit that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.slow
def test_the_command_prints_the_address_and_ends_politely(models):
    command = [sys.executable, "-m", "depinduce", "serve", str(models), "--port", "0"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heed_interrupts
    ) as process:
        try:
            line = process.stdout.readline()
            found = re.fullmatch(r"3 models at http://127\.0\.0\.1:(\d+)/ \(Ctrl-C ends it\)\n", line)
            assert found, line + process.stderr.read() * (process.poll() is not None)
            connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=PATIENCE)
            connection.request("GET", "/api/models")
            assert connection.getresponse().status == 200
            connection.close()
            os.kill(process.pid, signal.SIGINT)
            _, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert process.returncode == 0, errors
    assert "the page is closed" in errors
    assert "Traceback" not in errors


def test_a_port_that_is_taken_is_told_with_a_remedy(models, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert depinduce("serve", models, "--port", port) == 1
    assert f"no page at 127.0.0.1, port {port}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere: no such directory"),
        (["."], "no model here, nor in the folders below"),
        (["MODELS", "--port", "70000"], "--port must be from 0 to 65535, not 70000"),
        (["MODELS", "--host", "no.such.host.invalid"], "no page at no.such.host.invalid"),
        (["MODELS", "--examples", "nowhere.conllu"], "nowhere.conllu: no such file"),
        (["MODELS", "--examples", os.devnull], f"{os.devnull}: no sentences. Name a file that has some."),
        (["MODELS", "--examples", "a", "--file", "b"], "--examples is for a page without --file"),
    ],
)
def test_wrong_arguments_are_refused(arguments, message, models, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = [models if argument == "MODELS" else argument for argument in arguments]
    assert depinduce("serve", *given) == 1
    assert message in capsys.readouterr().err


def test_examples_come_from_the_file_that_is_named(models, monkeypatch, tmp_path):
    (tmp_path / "own.conllu").write_text(block("nous/PRON regardons/VERB le/DET petit/ADJ chien/NOUN"))
    told = []

    def look(server: PageServer) -> None:
        server.shelf["dmv"].parser()
        told.append(answer(server.shelf, "model", {"model": "dmv"})["examples"])

    monkeypatch.setattr(PageServer, "serve_forever", look)
    assert depinduce("serve", models / "dmv", "--port", 0, "--examples", tmp_path / "own.conllu") == 0
    assert told == [["nous/PRON regardons/VERB le/DET petit/ADJ chien/NOUN"]]


def test_a_warning_if_others_can_reach_the_page(models, capsys, monkeypatch):
    monkeypatch.setattr(PageServer, "serve_forever", lambda self: None)
    assert depinduce("serve", models / "dmv", "--port", 0) == 0
    assert "warning" not in capsys.readouterr().err
    assert depinduce("serve", models / "dmv", "--port", 0, "--host", "0.0.0.0") == 0
    assert "warning: other machines can reach this page" in capsys.readouterr().err
