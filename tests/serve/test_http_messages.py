"""Requests as they come over the wire: what is taken, and that everything else is refused."""

from __future__ import annotations

import pytest

from depinduce.serve.http_messages import MOST_FIELDS, RequestHead, response
from depinduce.serve.requests import MOST_BYTES, RequestError


def read(*lines: str) -> RequestHead:
    return RequestHead.read("\r\n".join(lines).encode("latin-1"))


def test_a_request_is_taken_apart():
    head = read("POST /api/parse?x=1 HTTP/1.1", "Host: localhost:1", "CONTENT-length: \t7 ", "Accept: a", "accept: b")
    assert (head.method, head.path, head.length) == ("POST", "/api/parse", 7)
    assert head.fields == {"host": "localhost:1", "content-length": "7", "accept": "a, b"}
    assert not head.ends_connection


@pytest.mark.parametrize(
    "lines",
    [
        ["GET / HTTP/1.0"],
        ["GET / HTTP/1.1", "Connection: close"],
        ["GET / HTTP/1.1", "Connection: x, Close"],
        ["GET / HTTP/1.1", "Connection: keep-alive", "Connection: close"],
    ],
)
def test_a_client_can_want_no_more(lines):
    assert read(*lines).ends_connection


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        ([""], 400),
        (["GET /"], 400),
        (["GET  / HTTP/1.1"], 400),
        (["get / HTTP/1.1"], 400),
        (["GET / HTTP/1.1 "], 400),
        (["GET /\x00 HTTP/1.1"], 400),
        (["GET /\xe9 HTTP/1.1"], 400),
        (["GET / http/1.1"], 400),
        (["GET / HTTP/1.10"], 400),
        (["GET http://localhost/ HTTP/1.1"], 400),
        (["OPTIONS * HTTP/1.1"], 400),
        (["GET / HTTP/2.0"], 505),
        (["GET / HTTP/1.1", "no colon"], 400),
        (["GET / HTTP/1.1", "Space : before"], 400),
        (["GET / HTTP/1.1", " Folded: line"], 400),
        (["GET / HTTP/1.1", "A: b", "\tfolded"], 400),
        (["GET / HTTP/1.1", ": no name"], 400),
        (["GET / HTTP/1.1", "A: b\nContent-Length: 5"], 400),
        (["GET / HTTP/1.1", "A: b\rContent-Length: 5"], 400),
        (["GET / HTTP/1.1", "A: b\x00"], 400),
        (["GET / HTTP/1.1", "Host: a", "host: a"], 400),
        (["GET / HTTP/1.1", "Content-Length: 5", "Content-Length: 5"], 400),
        (["GET / HTTP/1.1", "Transfer-Encoding: chunked", "Transfer-Encoding: identity"], 400),
        (["GET / HTTP/1.1", *["A: b"] * (MOST_FIELDS + 1)], 431),
    ],
)
def test_what_is_not_exactly_a_request_is_refused(lines, status):
    with pytest.raises(RequestError) as refused:
        read(*lines)
    assert refused.value.status == status


@pytest.mark.parametrize(
    ("field", "status"),
    [
        ("A: b", 411),
        ("Content-Length: ", 411),
        ("Content-Length: -1", 411),
        ("Content-Length: +1", 411),
        ("Content-Length: 0x5", 411),
        ("Content-Length: 5, 5", 411),
        ("Content-Length: 1_000", 411),
        ("Content-Length: \xb2", 411),
        ("Content-Length: " + "9" * 5000, 411),
        ("Content-Length: 9999999999", 413),
        (f"Content-Length: {MOST_BYTES + 1}", 413),
    ],
)
def test_a_length_is_a_number_that_is_not_too_large(field, status):
    with pytest.raises(RequestError) as refused:
        read("POST / HTTP/1.1", field).length  # noqa: B018
    assert refused.value.status == status


def test_an_answer_has_its_length_and_no_other_lines():
    head, blank, body = response(200, "text/plain", b"\r\n\r\nhere", ends_connection=True).partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    assert lines[0] == "HTTP/1.1 200 OK"
    assert {"Content-Length: 8", "Connection: close", "Content-Type: text/plain; charset=utf-8"} <= set(lines)
    assert body == b"\r\n\r\nhere"
    assert response(200, "text/plain", b"here", ends_connection=False, without_body=True).endswith(b"\r\n\r\n")
