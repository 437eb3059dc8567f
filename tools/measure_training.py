"""Measure how a text that is larger than memory is learned from: memory and words a second, and the same as in memory.

    python tools/make_large_corpus.py grammar large.conllu --words 100000000
    python tools/measure_training.py large.conllu --place /data/much --json training.json

A count DMV learns for some iterations and a sibling NDMV for one epoch, each from a cache (`train --cache`), which the
first of them has to write. Then both learn from memory, and must have the same model, bit by bit. That takes about 125
bytes a word: with --in-memory WORDS the two ways are compared on the beginning of the text only, with 0 not at all.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from depinduce.corpus import open_output, read_sentences
from depinduce.models.places import METRICS

MODEL = "model.safetensors"


@dataclass(frozen=True)
class Measured:
    """One run of `depinduce train`."""

    name: str
    words: int
    seconds: float  # from the call to its end: start, reading, learning and the verdict
    learning: float  # seconds of these in the rounds
    words_per_second: float  # in the rounds
    megabytes: float  # the most that the process had in memory, pages of mapped files included


def measure(name: str, text: Path, out: Path, options: list[str]) -> Measured:
    """Train once, from the beginning."""
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "depinduce", "train", "--train", str(text), *options, "--json", "--out", str(out)]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        told = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - began
    if process.returncode:
        sys.exit(f"{' '.join(command)}: ended with {process.returncode}")
    words = json.loads(told)["training_data"]["words"]
    rounds = [json.loads(line)["seconds"] for line in (out / METRICS).read_text("utf-8").splitlines()]
    speed, megabytes = words * len(rounds) / sum(rounds), usage.ru_maxrss / 1024
    return Measured(name, words, round(seconds, 2), round(sum(rounds), 2), round(speed), round(megabytes))


def tell(found: Measured) -> None:
    """A line of up to 80 columns."""
    speed = f"{found.words_per_second:11,.0f} words/s"
    print(f"{found.name:32} {found.seconds:8.1f} s {speed} {found.megabytes:7,.0f} MB", flush=True)


def beginning_of(text: Path, words: int, place: Path) -> Path:
    """A file with the first so many words of a text."""
    done = 0
    with open_output(place / "beginning.conllu") as output:
        for sentence in read_sentences(text):
            output.write(sentence.render(ended=True))
            done += len(sentence)
            if done >= words:
                break
    return place / "beginning.conllu"


def model_of(out: Path) -> bytes:
    (path,) = out.glob(f"**/{MODEL}")
    return path.read_bytes()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path, help="CoNLL-U file to learn from")
    parser.add_argument(
        "--place", type=Path, required=True, help="folder for the cache (9 bytes a word) and the models"
    )
    parser.add_argument("--iterations", type=int, default=3, help="of the count DMV (default: 3)")
    parser.add_argument("--batch-size", type=int, default=1000, help="sentences, of the sibling NDMV (default: 1000)")
    parser.add_argument("--in-memory", type=int, metavar="WORDS", help="to learn from in memory, too (default: all)")
    parser.add_argument("--json", type=Path, help="write everything here")
    arguments = parser.parse_args()
    place, cache = arguments.place, arguments.place / "cache"
    place.mkdir(parents=True, exist_ok=True)
    recipe = place / "one-epoch.toml"  # no ladder: what `--model sibling` alone would have
    recipe.write_text(f'model = "sibling"\ninit = ["random"]\nepochs = 1\nbatch_size = {arguments.batch_size}\n')
    models = {
        "count DMV": ["--model", "dmv", "--iterations", str(arguments.iterations)],
        "sibling NDMV": ["--recipe", str(recipe)],
    }
    shutil.rmtree(cache, ignore_errors=True)
    kept, done = ["--cache", str(cache)], []
    for name, options in models.items():
        done.append(measure(f"{name}, from a cache", arguments.text, place / name, [*options, *kept]))
        tell(done[-1])
    words = done[0].words
    of_word = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file()) / words
    print(f"the cache has {of_word:.1f} bytes a word")
    compared = words if arguments.in_memory is None else min(arguments.in_memory, words)
    text = arguments.text if compared in (0, words) else beginning_of(arguments.text, compared, place)
    for name, options in models.items() if compared else ():
        if compared < words:
            measure(name, text, place / name, [*options, *kept])
        done.append(measure(f"{name}, from memory", text, place / f"{name} in memory", options))
        tell(done[-1])
        if model_of(place / name) != model_of(place / f"{name} in memory"):
            sys.exit(f"{name}: the two models differ")
        print("the same model, bit by bit")
    results = {"words": words, "cache_bytes_per_word": of_word, "same_models_from_words": compared}
    if arguments.json:
        arguments.json.write_text(json.dumps(results | {"runs": [asdict(one) for one in done]}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
