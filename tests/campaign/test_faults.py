"""The disk fails, or the process dies, at any call of the file layer: nothing is lost, and the next try succeeds.

DEPINDUCE_CAMPAIGN_ALL=1    every call of every command in turn, in every way; else some at random, until time is over
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from campaign.nursery import ERRORS, Fault, Nursery, nursery
from campaign.trainings_to_kill import TRAININGS, cells, load_all
from cli.demo_parts import contents, demo_part
from cli.test_cli_runs import one_after_the_other
from experiments.tiny_ud import in_this_process, tiny_data

from depinduce.files import is_left_behind

pytestmark = pytest.mark.campaign

KINDS = (*ERRORS, "kill")
DMV = ("train", "--train", "train.conllu", "--out", "run", "--model", "dmv", "--iterations", 2)
JOINT = ("train", "--train", "train.conllu", "--out", "run", *TRAININGS["joint-sibling"])
REPRODUCE = ("reproduce", "ud", "--data", "data", "--languages", "fr", "--experiments", "paper-ndmv", "--seeds", 2)


@dataclass(frozen=True)
class Case:
    """A command that writes files, in a folder with what it needs."""

    command: tuple
    again: tuple = ()  # what is added when it is tried again
    before: str | None = None  # a folder of `places` that is `run` before; None: there is none
    written: str = "run"  # the file or folder


CASES = {
    "train": Case(DMV, ("--resume",)),
    "train joint": Case(JOINT, ("--resume",)),
    "train seeds": Case((*DMV, "--seeds", "0-1"), ("--resume",)),
    "resume": Case((*DMV, "--resume"), before="begun"),
    "overwrite": Case((*DMV, "--overwrite"), before="another"),
    "parse": Case(("parse", "model", "train.conllu", "-o", "out.conllu"), written="out.conllu"),
    "parse gz": Case(("parse", "model", "train.conllu", "-o", "out.conllu.gz"), written="out.conllu.gz"),
    "sample": Case(("sample", "model", "--number", 5, "-o", "out.conllu"), written="out.conllu"),
    "report": Case(("report", "model", "--sentences", "train.conllu", "-o", "out.html"), written="out.html"),
    "draw": Case(("draw", "train.conllu", "--sentence", 3, "-o", "out.svg"), written="out.svg"),
    "convert": Case(("convert", "tagged", "tagged.txt", "-o", "out.conllu"), written="out.conllu"),
    "demo": Case(("demo", "--corpus", "corpus"), written="corpus"),
    "reproduce": Case((*REPRODUCE, "--out", "results"), written="results"),
}  # fmt: skip


def load_all_here() -> None:
    """What runs in processes of its own runs in this one, where faults can be made."""
    load_all()
    patch = pytest.MonkeyPatch()
    in_this_process(patch)
    patch.setattr("depinduce.learning.seeds.side_by_side", one_after_the_other)


@pytest.fixture(scope="module")
def children():
    with nursery(load_all_here) as one:
        yield one


@pytest.fixture(scope="module")
def places(children, tmp_path_factory) -> Path:
    """What the commands need."""
    folder = tmp_path_factory.mktemp("faults")
    demo_part(folder / "train.conllu", count=24)
    tiny_data(folder / "data", ("fr",))
    (folder / "tagged.txt").write_text("the/DET dog/NOUN barks/VERB\n" * 3)
    for name, changes in (("begun", ("--iterations", 1)), ("another", ("--smoothing", 1)), ("model", ())):
        ended = children.run(*in_folder(folder, DMV), *changes, "--out", folder / name)
        assert ended.code == 0, ended.shown
    return folder


def in_folder(folder: Path, command: tuple) -> list[object]:
    """The command with its files in a folder."""
    names = ("run", "results", "corpus", "model", "data", "train.conllu", "tagged.txt")
    return [folder / word if word in names or str(word).startswith("out.") else word for word in command]


def found(written: Path) -> object:
    """What a command has written, without what the clock says, nor what it could not remove."""
    if (written / "cells.jsonl").exists():
        return cells(written)
    if not written.is_dir():
        return written.read_bytes() if written.exists() else None
    files = {name: data for name, data in contents(written).items() if not any(map(is_left_behind, Path(name).parts))}
    return (contents(written / "model"), files.keys()) if (written / "model").exists() else files


@dataclass
class Expected:
    calls: int
    before: object
    after: object


@pytest.fixture(scope="module")
def expect(children, places, tmp_path_factory) -> Callable[[str], Expected]:
    """What a case gives if nothing happens."""
    known: dict[str, Expected] = {}

    def one(name: str) -> Expected:
        if name not in known:
            folder = prepare(CASES[name], places, tmp_path_factory.mktemp("whole"))
            before = found(folder / CASES[name].written)
            ended = children.run(*in_folder(folder, CASES[name].command))
            assert ended.code == 0, ended.shown
            known[name] = Expected(ended.calls, before, found(folder / CASES[name].written))
        return known[name]

    return one


def prepare(case: Case, places: Path, folder: Path) -> Path:
    for path in places.iterdir():
        (folder / path.name).symlink_to(path)
    if case.before is not None:
        shutil.copytree(places / case.before, folder / "run")
    if case.written.startswith("out."):
        (folder / case.written).write_text("what was there before")
    return folder


def tries(campaign, expect: Callable[[str], Expected]) -> Iterator[tuple[str, Fault]]:
    if os.environ.get("DEPINDUCE_CAMPAIGN_ALL"):
        for name in CASES:
            for call in range(expect(name).calls):
                for kind in KINDS:
                    yield name, Fault(call, kind)
                    campaign.tries += 1
    else:
        for chance in campaign:
            name = chance.choice(list(CASES))
            yield name, Fault(chance.randrange(expect(name).calls), chance.choice(KINDS))


def test_whatever_fails_nothing_is_lost_and_the_next_try_succeeds(campaign, children, places, expect, tmp_path):
    for name, fault in tries(campaign, expect):
        print(f"try {campaign.tries}: {name}, {fault}")
        folder = tmp_path / f"{campaign.tries}"
        folder.mkdir()
        fail_and_try_again(CASES[name], fault, children, expect(name), prepare(CASES[name], places, folder))
        campaign.counts[name] += 1
        shutil.rmtree(folder)


def fail_and_try_again(case: Case, fault: Fault, children: Nursery, expected: Expected, folder: Path) -> None:
    command, written = in_folder(folder, case.command), folder / case.written
    ended = children.run(*command, fault=fault)
    assert ended.killed if fault.kind == "kill" else ended.code in (0, 1), ended.shown
    if ended.code == 0:
        assert found(written) == expected.after
    elif ended.code == 1:
        assert ended.shown.splitlines()[-1].startswith("depinduce: "), ended.shown
    if written.is_file():
        assert found(written) in (expected.before, expected.after)
    if (written / "model").exists():
        assert found(written)[0] in [state[0] for state in (expected.before, expected.after) if state is not None]
    if case.command[0] == "demo" and written.exists():
        return  # it is whole, and not written again
    ended = children.run(*command, *case.again)
    assert ended.code == 0, ended.shown
    assert found(written) == expected.after
    assert [path for path in folder.rglob("*") if is_left_behind(path.name)] == []
