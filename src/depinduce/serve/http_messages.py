"""HTTP/1.1 as far as the page needs it. What is not exactly a request is refused: nobody has to guess what it means."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus

from depinduce.serve.requests import MOST_BYTES, RequestError

MOST_FIELDS = 100  # lines of a request
LONGEST_LENGTH = 20  # digits of a number of bytes that may be meant
ALWAYS_SENT = {
    "Server": "depinduce",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_REQUEST_LINE = re.compile(r"([A-Z]{1,20}) ([!-~]+) HTTP/([0-9])\.([0-9])")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*?)[ \t]*")
_SAID_ONCE = {"host", "content-length", "transfer-encoding", "content-type", "origin", "sec-fetch-site"}


@dataclass(frozen=True)
class RequestHead:
    """What stands before the body of a request."""

    method: str
    path: str
    fields: dict[str, str]  # by their names in small letters
    is_old: bool  # HTTP/1.0, with one request to a connection

    @classmethod
    def read(cls, text: bytes) -> RequestHead:
        """From all lines before the blank one."""
        first, *lines = text.decode("latin-1").split("\r\n")
        found = _REQUEST_LINE.fullmatch(first)
        if not found:
            raise RequestError("The first line is not one of an HTTP request.")
        method, target, major, minor = found.groups()
        if major != "1":
            raise RequestError("This server speaks HTTP/1.1.", HTTPStatus.HTTP_VERSION_NOT_SUPPORTED)
        if not target.startswith("/"):
            raise RequestError("The target of a request is a path.")
        return cls(method, target.partition("?")[0], _fields(lines), is_old=minor == "0")

    def get(self, name: str, default: str = "") -> str:
        return self.fields.get(name, default)

    @property
    def has_body(self) -> bool:
        return "content-length" in self.fields or "transfer-encoding" in self.fields

    @property
    def length(self) -> int:
        """Of the body in bytes."""
        length = self.get("content-length")
        told = length.isascii() and length.isdecimal() and len(length) <= LONGEST_LENGTH
        if not told or "transfer-encoding" in self.fields:
            raise RequestError("The request does not tell its length.", HTTPStatus.LENGTH_REQUIRED)
        if int(length) > MOST_BYTES:
            raise RequestError(
                f"This is too much text at once: the page takes up to {MOST_BYTES // 1000} kB. "
                "Paste less, or parse the file with `depinduce parse`.",
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            )
        return int(length)

    @property
    def ends_connection(self) -> bool:
        return self.is_old or "close" in (word.strip() for word in self.get("connection").lower().split(","))


def _fields(lines: list[str]) -> dict[str, str]:
    if len(lines) > MOST_FIELDS:
        raise RequestError("The request has too many lines.", HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
    fields: dict[str, str] = {}
    for line in lines:
        found = _FIELD.fullmatch(line)
        if not found:
            raise RequestError("A line of the request is not `name: value`.")
        name, value = found[1].lower(), found[2]
        if name in fields and name in _SAID_ONCE:
            raise RequestError(f"The request says {found[1]} twice.")
        fields[name] = f"{fields[name]}, {value}" if name in fields else value
    return fields


def response(status: int, kind: str, body: bytes, *, ends_connection: bool, without_body: bool = False) -> bytes:
    """An answer as it is sent."""
    fields = {
        "Date": formatdate(usegmt=True),
        "Content-Type": f"{kind}; charset=utf-8",
        "Content-Length": str(len(body)),
        **ALWAYS_SENT,
        **({"Connection": "close"} if ends_connection else {}),
    }
    lines = [f"HTTP/1.1 {int(status)} {HTTPStatus(status).phrase}", *(f"{name}: {fields[name]}" for name in fields)]
    return "\r\n".join([*lines, "", ""]).encode("ascii") + (b"" if without_body else body)
