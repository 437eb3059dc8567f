"""`depinduce serve` as a process of its own, and the requests that its page makes."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from serve.demo_models import SENTENCE

PATIENCE = 180  # seconds: the first answer may have to wait until charts are compiled
HEADS = [2, 3, 0, 5, 3, 7, 5, 3]  # of the sentence


@dataclass
class Served:
    """A server that runs, and what it prints where faults go."""

    port: int
    process: subprocess.Popen
    terminal: Path

    def message(self, action: str, request: object) -> bytes:
        """A request as the page sends it."""
        body = json.dumps(request).encode()
        head = f"POST /api/{action} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: application/json\r\n"
        return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body

    def client(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(self, action: str, request: object) -> tuple[int, dict]:
        return ask(self.client(), action, request)

    @property
    def memory(self) -> int:
        """In megabytes, as far as it is in use."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"^VmRSS:\s+(\d+) kB$", status, re.MULTILINE)
        assert found
        return int(found[1]) // 1000


def ask(client: http.client.HTTPConnection, action: str, request: object) -> tuple[int, dict]:
    """The status and the answer to a request, on a connection that can be used again."""
    client.request("POST", f"/api/{action}", json.dumps(request), {"Content-Type": "application/json"})
    response = client.getresponse()
    return response.status, json.loads(response.read())


@contextmanager
def serving(models: Path, place: Path, *names: str, file: Path | None = None) -> Iterator[Served]:
    """A server of some models, which are loaded, and of a file to work on, if one is named."""
    command = [sys.executable, "-m", "depinduce", "serve", *(str(models / name) for name in names), "--port", "0"]
    command += [] if file is None else ["--file", str(file)]
    terminal = place / "terminal.txt"
    with (
        terminal.open("w") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True) as process,
    ):
        try:
            assert process.stdout
            line = process.stdout.readline()
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
            assert found, line
            served = Served(int(found[1]), process, terminal)
            for name in names:
                assert served.ask("parse", {"model": name, "text": SENTENCE})[0] == 200
            yield served
            assert process.poll() is None or process.returncode == -signal.SIGKILL, "the server has ended"
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
    assert "Traceback" not in terminal.read_text(encoding="utf-8")


def page_requests(model: str) -> dict[str, dict]:
    """A small request for every action of the page."""
    one = {"model": model, "block": SENTENCE, "heads": HEADS}
    return {
        "model": {"model": model},
        "parse": {"model": model, "text": f"{SENTENCE}\nDogs/NOUN bark/VERB"},
        "sentence": one | {"trees": 3},
        "draw": one | {"probabilities": [0.5] * 7 + [None], "width": 400},
        "rules": one,
        "conllu": {"model": model, "sentences": [one]},
    }
