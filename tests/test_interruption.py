"""TERM and HUP end a command as Ctrl-C does, with an exit code that tells which."""

from __future__ import annotations

import signal

import pytest
from other_processes import WAIT, another_process

COMMAND = """
import signal
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # ignored, where the tests themselves run under nohup
from depinduce import cli
from depinduce.cli import demo
from depinduce.files import atomic_file

def run(arguments):
    with atomic_file(sys.argv[1]) as stream:
        stream.write(b"half")
        try:
            WAIT
        finally:
            signal.raise_signal(signal.SIGTERM)  # more of them do not disturb who is clearing up

demo.run = run
""".replace("WAIT", WAIT.strip())


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_command_ends_as_after_ctrl_c(number, code, tmp_path):
    with another_process(COMMAND + 'sys.exit(cli.main(["demo"]))', tmp_path / "a.txt") as process:
        process.send_signal(number)
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (code, "depinduce: interrupted; nothing half-written is left behind\n")
    assert list(tmp_path.iterdir()) == []


def test_what_is_ignored_stays_ignored_and_nothing_is_left_changed(tmp_path):
    """As under nohup. TERM is as it was when the command is over: it ends the process."""
    program = COMMAND.replace("signal.SIGTERM", "signal.SIGHUP")
    program += 'signal.signal(signal.SIGHUP, signal.SIG_IGN)\nassert cli.main(["demo"]) == 0\n'
    with another_process(program + "signal.raise_signal(signal.SIGTERM)", tmp_path / "a.txt") as process:
        process.send_signal(signal.SIGHUP)
        _, errors = process.communicate("go on", timeout=60)
    assert (process.returncode, errors) == (-signal.SIGTERM, "")
    assert (tmp_path / "a.txt").read_text() == "half"


@pytest.mark.parametrize(("thread", "ends_as"), [("", "5 taken apart\n"), ("True", "5 ")])
def test_a_process_does_not_take_itself_apart_around_a_thread_that_nobody_waits_for(thread, ends_as):
    """Which may be anywhere, and not survive it. Its exit code and what was printed are the same."""
    program = """
import atexit, threading, time
from depinduce import cli
from depinduce.cli import demo

def run(arguments):
    if THREAD:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    atexit.register(print, "taken apart")
    print(5, end=" ")
    return 5

demo.run, sys.argv = run, ["depinduce", "demo"]
cli.program()
""".replace("THREAD", thread or "False")
    with another_process(WAIT.strip() + program) as process:
        output, errors = process.communicate("go on", timeout=60)
    assert (process.returncode, output, errors) == (5, ends_as, "")
