"""depinduce talks to no other machine, starts no other program, and reads no pickled object but its own.

Every command runs in a process with a watch in it (tests/watch), and so do the processes that it starts.
"""

from __future__ import annotations

import ast
import http.client
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from cli.demo_parts import demo_part
from corpus.penn_files import BIRDS, penn
from experiments.tiny_ud import tiny_data

from depinduce.cli import COMMANDS

WATCH = Path(__file__).parent / "watch"
PACKAGE = Path(__file__).parents[1] / "src" / "depinduce"
PATIENCE = 900  # seconds, should charts have to be compiled on a busy machine
RUN_ALL = """
import json, sys
from depinduce.cli import main
for arguments in json.loads(sys.argv[1]):
    code = main(arguments)
    if code:
        sys.exit(f"{arguments} ended with {code}")
"""
# who may unpickle: the cache of compiled charts, and processes that we started ourselves
OWN_PICKLES = ("depinduce.compile_cache", "multiprocessing.")


@dataclass(frozen=True)
class Seen:
    event: str
    what: str
    module: str


class Watch:
    """Starts Python processes that are watched, and tells what they did."""

    def __init__(self, folder: Path):
        self.folder, self.log = folder, folder / "seen"
        path = os.pathsep.join([str(WATCH), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.options = {
            "cwd": folder,
            "env": os.environ | {"PYTHONPATH": path, "WATCH_LOG": str(self.log)},
            "text": True,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }

    def run(self, program: str, *arguments: str) -> list[Seen]:
        done = subprocess.run([sys.executable, "-c", program, *arguments], timeout=PATIENCE, **self.options)
        assert done.returncode == 0, done.stderr
        return self.seen()

    def seen(self) -> list[Seen]:
        assert self.log.exists(), "the watch was not there"
        return [Seen(*line.split("\t")) for line in self.log.read_text().splitlines()]


@pytest.fixture
def watch(tmp_path) -> Watch:
    return Watch(tmp_path)


def strange(seen: list[Seen]) -> list[Seen]:
    """What a command that only reads and writes files has no business to do."""

    def own(each: Seen) -> bool:
        if each.event == "subprocess.Popen":
            return each.what == sys.executable  # and so watched, too
        return each.event == "pickle.find_class" and each.module.startswith(OWN_PICKLES)

    return [each for each in seen if not own(each)]


# ---------------------------------------------------------------- the watch


@pytest.mark.parametrize(
    ("program", "event", "what"),
    [
        ("import socket; socket.socket().connect_ex(('127.0.0.1', 9))", "socket.connect", "127.0.0.1"),
        ("import socket; socket.socket(type=2).sendto(b'', ('127.0.0.1', 9))", "socket.sendto", "127.0.0.1"),
        ("import socket; socket.getaddrinfo('127.0.0.1', 9)", "socket.getaddrinfo", "127.0.0.1"),
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen", "true"),
        ("import os; os.system('true')", "os.system", "b'true'"),
        ("import pickle; pickle.loads(pickle.dumps(print))", "pickle.find_class", "builtins.print"),
        ("import marshal; marshal.loads(marshal.dumps(1))", "marshal.loads", ""),
    ],
)  # fmt: skip
def test_the_watch_sees(watch, program, event, what):
    assert strange(watch.run(program)) == [Seen(event, what, "__main__")]


def test_the_watch_is_in_processes_of_our_own_too_and_knows_their_pickles(watch):
    program = "import socket, multiprocessing as m; m.get_context('spawn').Pool(1).map({}, ['127.0.0.1'])"
    seen = watch.run(program.format("socket.gethostbyname"))
    assert [each.event for each in strange(seen)] == ["socket.gethostbyname"]
    assert "pickle.find_class" in {each.event for each in seen}


# ---------------------------------------------------------------- every command


@pytest.mark.slow
def test_no_command_but_serve_reaches_for_the_network_or_for_foreign_pickles(watch, tmp_path):
    train, dev = demo_part(tmp_path / "train.conllu", count=40), demo_part(tmp_path / "dev.conllu", "dev", 20)
    (tmp_path / "tagged.txt").write_text("The/DET girls/NOUN answer/VERB\n")
    penn(tmp_path / "treebank", wsj_0001=BIRDS, wsj_0101=BIRDS)
    tiny_data(tmp_path / "ud", ("fr",))
    learn = f"train --train {train} --dev {dev} --set size=8 child_rank=4 decision_rank=2 epochs=1 --out"
    lines = [
        "demo",
        f"train --train {train} --model dmv --iterations 2 --out counts",
        f"train --train {train} --model hdp-dep --rules ud --iterations 2 --out states",
        f"{learn} network --recipe ud-sibling",
        f"{learn} network --recipe ud-sibling --resume",
        f"{learn} words --model joint-sibling",
        f"{learn} seeds --model ndmv --seeds 0-1 --jobs 2",
        *(f"parse {model} {dev} -o {model}.conllu" for model in ("counts", "states", "network", "words")),
        f"evaluate {dev} network.conllu --baselines",
        "draw network.conllu -o trees.html",
        "inspect network",
        f"report network --gold {dev}",
        "sample counts -n 3",
        f"parse universal {dev} -o universal.conllu",
        "models .",
        "pack counts counts.zip",
        f"parse counts.zip {dev} -o packed.conllu",
        "completion bash",
        "check network.conllu",
        "convert tagged tagged.txt -o tagged.conllu",
        "convert ptb treebank -o wsj --train-sections 0 --dev-sections 1 --test-sections 1",
        "reproduce ud --data ud --languages fr --experiments ndmv --seeds 1 --jobs 2 --out results",
        f"tag {train} -o tagged.conllu",
        f"bench train --train {train} --seconds 0.01",
    ]
    assert {line.split()[0] for line in lines} == set(COMMANDS) - {"serve"}
    assert strange(watch.run(RUN_ALL, json.dumps([line.split() for line in lines]))) == []


@pytest.mark.slow
def test_serve_listens_on_this_machine_and_calls_nobody(watch, tmp_path):
    train = demo_part(tmp_path / "train.conllu", count=40)
    learn = ["train", "--train", str(train), "--model", "dmv", "--iterations", "2", "--out", "counts"]
    watch.run(RUN_ALL, json.dumps([learn]))

    def heed_interrupts() -> None:  # which a process started in the background ignores
        signal.signal(signal.SIGINT, signal.default_int_handler)

    command = [sys.executable, "-m", "depinduce", "serve", "counts", "--port", "0"]
    with subprocess.Popen(command, **watch.options, start_new_session=True, preexec_fn=heed_interrupts) as process:
        try:
            port = re.search(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())[1]
            connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=PATIENCE)
            question = json.dumps({"model": "counts", "text": "The/DET girls/NOUN answer/VERB"})
            connection.request("POST", "/api/parse", question, {"Content-Type": "application/json"})
            assert connection.getresponse().status == 200
            connection.close()
            os.kill(process.pid, signal.SIGINT)
            process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert [(each.event, each.what) for each in strange(watch.seen())] == [("socket.bind", "127.0.0.1")]


# ---------------------------------------------------------------- the source

UNPICKLERS = {"pickle", "_pickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
CALLERS = {
    "socket",
    "ssl",
    "http.client",
    "urllib.request",
    "ftplib",
    "smtplib",
    "xmlrpc",
    "requests",
    "httpx",
    "asyncio",
    "huggingface_hub",
    "distributed",
}
# which listen, keep compiled code, upload a grammar for whoever says where to, and call the scheduler that a user names
ONLY_IN = {
    "socket": "serve/",
    "pickle": "compile_cache.py",
    "huggingface_hub": "bridges/hub.py",
    "asyncio": "cluster.py",
    "distributed": "cluster.py",
}


def imported(tree: ast.AST) -> set[str]:
    """The modules that a file imports, anywhere in it."""
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def loads(tree: ast.AST) -> set[str]:
    """The calls in a file that unpickle; NumPy's do where they are told to."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    named = {
        ast.unparse(call.func) for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "load"
    }
    told = {ast.unparse(call.func) for call in calls if any(word.arg == "allow_pickle" for word in call.keywords)}
    return named & {"torch.load", "torch.jit.load"} | told


@pytest.mark.parametrize(
    "fault",
    [
        "import pickle",
        "def late():\n    from pickle import loads",
        "import urllib.request",
        "from urllib import request",
        "import torch\ntorch.load('weights')",
        "import numpy as np\nnp.load('rules.npy', allow_pickle=True)",
    ],
)
def test_a_module_that_unpickles_or_calls_other_machines_is_found(fault):
    tree = ast.parse(fault)
    assert imported(tree) & (UNPICKLERS | CALLERS) or loads(tree)


@pytest.mark.slow
def test_no_module_unpickles_and_none_calls_other_machines():
    modules = {path.relative_to(PACKAGE).as_posix(): ast.parse(path.read_bytes()) for path in PACKAGE.rglob("*.py")}
    assert len(modules) > 100
    found = {
        (module, name)
        for module, tree in modules.items()
        for name in imported(tree) & (UNPICKLERS | CALLERS) | loads(tree)
        if not module.startswith(ONLY_IN.get(name, "/"))
    }
    assert found == set()
