"""Measure how fast much text is parsed: in one process, on one worker and on two, and when a worker is lost.

    python tools/measure_parsing.py --words 1000000 --place /tmp/much
    python tools/measure_parsing.py --words 100000000 --text fr/train.conllu --grammar fr-grammar --place /data/much

The text is the sentences of a file, again and again, in files of up to --of-file words. Every run must write the same
bytes. It prints a table, and what follows for 1,000 million words; --json writes all of it. Needs the extra `cluster`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from itertools import cycle
from pathlib import Path

import psutil

from depinduce.bulk.ledger import FINISHED, PARTS
from depinduce.corpus import read_sentences
from depinduce.corpus.demo import demo_file

BILLION = 1_000_000_000
POLL = 0.1  # seconds between two looks at the memory


@dataclass(frozen=True)
class Measured:
    """One run of `depinduce parse`."""

    name: str
    processes: int  # that parse
    seconds: float  # from the call to its end, start of the workers included
    cpu_seconds: float  # of the processes that parse, which others that run meanwhile hardly change
    megabytes: float  # the most that one process had in memory
    tasks: int  # files and parts of files that were finished
    digest: str  # of all that was written


def make_text(source: Path, words: int, of_file: int, place: Path) -> int:
    """Write files with so many words in all, unless they are there; gives how many there are."""
    about = place / "about.json"
    wanted = {"source": str(source), "words": words, "of_file": of_file}
    if about.exists() and (found := json.loads(about.read_text()))["wanted"] == wanted:
        return found["words"]
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    blocks = [(sentence.render(ended=True), len(sentence)) for sentence in read_sentences(source)]
    number, done, file = 0, 0, None
    for text, length in cycle(blocks):
        if done >= words:
            break
        if file is None or done >= number * of_file:
            if file is not None:
                file.close()
            number += 1
            file = open(place / f"{number:04}.conllu", "w", encoding="utf-8")  # noqa: SIM115
        file.write(text)
        done += length
    if file is not None:
        file.close()
    about.write_text(json.dumps({"wanted": wanted, "words": done}))
    return done


def digest_of(folder: Path) -> str:
    """The SHA-256 of the files in a folder, with their names."""
    digest = hashlib.sha256()
    for path in sorted(folder.glob("*.conllu")):
        digest.update(path.name.encode())
        with open(path, "rb") as file:
            while data := file.read(1 << 20):
                digest.update(data)
    return digest.hexdigest()


def measure(
    name: str, processes: int, options: list[str], grammar: str, place: Path, lose_after: int | None
) -> Measured:
    """Run it once, from the beginning.

    lose_after: kill a worker when so many tasks are finished
    """
    out = place / "parsed"
    shutil.rmtree(out, ignore_errors=True)
    pattern = f"{place / 'text'}/*.conllu"
    command = [sys.executable, "-m", "depinduce", "parse", grammar, pattern, "-o", f"{out}/", *options]
    began, most, lost, busy = time.perf_counter(), 0, False, dict[int, float]()
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            workers = workers_of(process.pid)
            most = max([most, *(memory for _, memory, _ in workers)])
            busy |= {pid: seconds for pid, _, seconds in workers}
            if lose_after is not None and not lost and finished(out) >= lose_after and workers:
                os.kill(workers[-1][0], signal.SIGKILL)
                lost = True
            time.sleep(POLL)
    seconds = time.perf_counter() - began
    if process.returncode:
        sys.exit(f"{' '.join(command)}: ended with {process.returncode}")
    if lose_after is not None and not lost:
        sys.exit("the work was done before a worker could be killed: take more --words")
    return Measured(
        name,
        processes,
        round(seconds, 2),
        round(sum(busy.values()), 2),
        round(most / 1e6),
        finished(out),
        digest_of(out),
    )


def workers_of(pid: int) -> list[tuple[int, int, float]]:
    """The processes that were started to work, or else the only one, each with its memory in bytes and CPU seconds."""
    try:
        process = psutil.Process(pid)
        workers = [each for each in process.children() if "spawn_main" in str(each.cmdline())]
        return [(each.pid, each.memory_info().rss, sum(each.cpu_times()[:2])) for each in workers or [process]]
    except psutil.Error:  # it has just ended
        return []


def finished(out: Path) -> int:
    path = out / PARTS / FINISHED
    return path.read_bytes().count(b"\n") if path.exists() else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, default=1_000_000, help="of the text (default: 1000000)")
    parser.add_argument("--of-file", type=int, default=10_000_000, help="words of a file (default: 10000000)")
    parser.add_argument(
        "--text", type=Path, default=demo_file("train"), help="CoNLL-U file to repeat (default: the demo)"
    )
    parser.add_argument(
        "--grammar", help="directory of a grammar (default: a sibling grammar of counts, trained on it)"
    )
    parser.add_argument("--place", type=Path, required=True, help="folder for text and trees; 60 bytes a word, twice")
    parser.add_argument("--runs", nargs="+", default=["alone", "one", "two", "lost"], help="alone, one, two, lost")
    parser.add_argument("--json", type=Path, help="write everything here")
    arguments = parser.parse_args()
    words = make_text(arguments.text, arguments.words, arguments.of_file, arguments.place / "text")
    grammar = arguments.grammar or str(arguments.place / "grammar")
    if arguments.grammar is None and not Path(grammar).exists():
        learn = ["--model", "dmv-sibling", "--non-heads", "ud", "--iterations", "10", "--out", grammar]
        command = [sys.executable, "-m", "depinduce", "train", "--train", str(arguments.text), *learn]
        subprocess.run(command, check=True)
    runs = {
        "alone": ("no cluster, one thread", 1, ["--threads", "1"]),
        "one": ("--cluster local:1", 1, ["--cluster", "local:1"]),
        "two": ("--cluster local:2", 2, ["--cluster", "local:2"]),
        "lost": ("--cluster local:2, one killed", 2, ["--cluster", "local:2"]),
    }
    done: dict[str, Measured] = {}
    for name in arguments.runs:
        half = max(done[other].tasks for other in done) // 2 if name == "lost" and done else 1
        done[name] = measure(*runs[name], grammar, arguments.place, half if name == "lost" else None)
        found = done[name]
        speed, of_cpu = (round(words / seconds) for seconds in (found.seconds * found.processes, found.cpu_seconds))
        numbers = f"{found.seconds:9.1f} {speed:13,} {of_cpu:15,} {found.megabytes:6.0f}"
        print(f"{'':30}   seconds  words/s/core  per CPU second     MB\n{found.name:30} {numbers}", flush=True)
    if len({found.digest for found in done.values()}) != 1:
        sys.exit("the runs have written different trees")
    results = {
        "words": words,
        "runs": {name: asdict(found) for name, found in done.items()},
        **conclusions(words, done),
    }
    for name, value in conclusions(words, done).items():
        print(f"{name}: {value}")
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")
    return 0


def conclusions(words: int, done: dict[str, Measured]) -> dict[str, float]:
    """What the runs say about each other, and about 1,000 million words."""
    found: dict[str, float] = {}
    if "one" in done and "two" in done:
        found["two workers are so many times as fast as one"] = round(done["one"].seconds / done["two"].seconds, 2)
    if "two" in done and "lost" in done:
        found["seconds that a lost worker costs"] = round(done["lost"].seconds - done["two"].seconds, 1)
    if "two" in done:
        speed = words / done["two"].seconds / 2
        found["words per second and core"] = round(speed)
        found["core hours for 1,000 million words"] = round(BILLION / speed / 3600, 1)
        found["megabytes of a worker"] = done["two"].megabytes
    return found


if __name__ == "__main__":
    sys.exit(main())
