"""TERM and HUP end work as Ctrl-C does: temporary files go, what is done is kept, the exit code tells which it was."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130  # the exit code after Ctrl-C: 128 and the number of the signal
SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def like_ctrl_c() -> Iterator[list[int]]:
    """Let these signals raise KeyboardInterrupt; gives a list of the one that came, if one did.

    Only the first does: a terminal that closes or a system that shuts down sends several, and must not disturb who
    is clearing up. A signal that is ignored (nohup) or that somebody else listens to stays as it is.
    """
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        if not received:
            received.append(number)
            raise KeyboardInterrupt

    ours = []
    if threading.current_thread() is threading.main_thread():
        ours = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield received
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def exit_code(code: int, received: list[int]) -> int:
    """The exit code of a command, by the signal that interrupted it."""
    return 128 + received[0] if received and code == INTERRUPTED else code
