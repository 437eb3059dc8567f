"""A watch over a Python process and those that it starts: its name makes each of them import it when it begins.

With this folder in PYTHONPATH, what reaches for the network, starts another program or reads pickled or marshalled
objects adds a line to the file WATCH_LOG: event, what, and the module that did it, separated by tabs.
"""

import os
import sys

NETWORK = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}  # the second argument is an address
NAMES = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "socket.getnameinfo"}
PROGRAMS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "webbrowser.open"}
PICKLES = {"pickle.find_class", "marshal.load", "marshal.loads"}
IMPORTS = ("_frozen_importlib", "importlib._bootstrap")  # what reads compiled modules, which are marshalled


def watch(event: str, arguments: tuple) -> None:
    if event in NETWORK:
        address = arguments[1]
        if isinstance(address, tuple):  # not the path of a socket between processes of this machine
            write(event, address[0])
    elif event in NAMES | PROGRAMS:
        write(event, arguments[0])
    elif event in PICKLES:
        write(event, ".".join(map(str, arguments)) if event == "pickle.find_class" else "")


def write(event: str, what: object) -> None:
    frame = sys._getframe(2)
    while frame.f_back and frame.f_globals.get("__name__") in ("pickle", "socket", "subprocess", "socketserver"):
        frame = frame.f_back
    module = frame.f_globals.get("__name__")
    if not str(module).startswith(IMPORTS):
        os.write(log, f"{event}\t{what}\t{module}\n".encode())


log = os.open(os.environ["WATCH_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
sys.addaudithook(watch)
