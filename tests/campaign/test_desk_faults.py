"""The disk fails, or the process dies, at any call of the file layer while people work: what was confirmed is there."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from campaign.nursery import ERRORS, FailingOs, Fault

from depinduce import files
from depinduce.serve.journal import Journal, Tree, Work

pytestmark = pytest.mark.campaign

LENGTHS = [3] * 20
SAVES = 12


def work_on(chance: random.Random, version: int) -> Work:
    checked = Tree([2, 0, 2], ["nsubj", "root", "obj"]) if chance.random() < 0.3 else None
    return Work(version, {chance.randint(1, 2): 3}, {1: chance.choice(["obj", "nsubj:pass"])}, checked)


def save_in_a_child(place: Path, fault: Fault, seed: str) -> list[tuple[int, int]]:
    """Save in a process that fails or dies at a call; gives which sentences were confirmed, in which versions."""
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            files.os = FailingOs(fault)
            journal, chance = Journal(place, "digest", LENGTHS), random.Random(seed)
            for _ in range(SAVES):
                number = chance.randrange(len(LENGTHS))
                work = work_on(chance, journal[number].version + 1)
                try:
                    journal.save(number, work)
                except OSError:
                    continue
                os.write(tell, f"{number} {work.version}\n".encode())
        finally:
            os._exit(0)
    os.close(tell)
    pieces = []
    while piece := os.read(told, 1 << 16):
        pieces.append(piece)
    os.close(told)
    os.waitpid(child, 0)
    return [(int(line.split()[0]), int(line.split()[1])) for line in b"".join(pieces).decode().splitlines()]


def test_what_was_confirmed_is_there_and_little_else(campaign, tmp_path):
    for chance in campaign:
        place = tmp_path / str(campaign.tries)
        confirmed: dict[int, int] = {}
        for turn in range(3):  # each opens what the one before has left
            fault = Fault(chance.randrange(4 * SAVES), chance.choice([*ERRORS, "kill"]))
            print(f"try {campaign.tries}.{turn}: {fault}")
            confirmed |= dict(save_in_a_child(place, fault, f"{campaign.seed} {campaign.tries} {turn}"))
            found = Journal(place, "digest", LENGTHS)
            assert found.damaged == []
            versions = {number: work.version for number, work in found.works.items()}
            more = {number for number, version in versions.items() if version != confirmed.get(number)}
            assert confirmed.keys() <= versions.keys()
            assert len(more) <= 1  # the one that nobody was told of
            assert all(versions[number] == confirmed.get(number, 0) + 1 for number in more)
            confirmed = versions
            campaign.counts[fault.kind] += 1
