"""Trainings that are killed at random moments go on to the model that they would have been, and leave nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from campaign.nursery import nursery
from campaign.trainings_to_kill import TRAININGS, cells, load_all, make_corpus
from cli.demo_parts import contents
from experiments.tiny_ud import tiny_data

pytestmark = pytest.mark.campaign

MOST_KILLS = 3  # of one training
SEEDS = ("--model", "dmv", "--init", "random", "--iterations", 40, "--seeds", "0-2", "--jobs", 2)


@pytest.fixture(scope="module")
def children():
    with nursery(load_all) as one:
        yield one


@pytest.fixture(scope="module")
def trainings(tmp_path_factory):
    return make_corpus(tmp_path_factory.mktemp("kills"))


def test_a_killed_training_ends_as_if_it_was_not(campaign, children, trainings, tmp_path):
    for random in campaign:
        name, out = random.choice(list(TRAININGS)), tmp_path / f"run-{campaign.tries}"
        print(f"try {campaign.tries}: {name}")
        trainings.whole(name, children)
        how: list[str] = []
        for _ in range(random.randint(1, MOST_KILLS)):
            moment = random.uniform(0, trainings.seconds[name])
            ended = children.run(*trainings.options(name, out), *how, dies_after=moment)
            assert ended.killed or ended.code == 0, ended.shown
            campaign.counts["kills"] += ended.killed
            how = ["--resume"]
        ended = children.run(*trainings.options(name, out), "--resume")
        assert ended.code == 0, ended.shown
        trainings.require_whole(name, out, children)
        shutil.rmtree(out)


def test_killed_trainings_of_several_seeds_end_with_all_their_processes(campaign, children, trainings, tmp_path):
    def train(out: Path, *more: str, **death):
        ended = children.run("train", "--train", trainings.corpus, "--out", out, *SEEDS, *more, **death)
        assert ended.killed or ended.code == 0, ended.shown
        return ended

    seconds = train(tmp_path / "whole").seconds
    for random in campaign:
        out = tmp_path / f"run-{campaign.tries}"
        campaign.counts["kills"] += train(out, dies_after=random.uniform(0, seconds)).killed
        train(out, "--resume")
        for seed in ("seed-0", "seed-1", "seed-2", "."):
            assert contents(out / seed / "model") == contents(tmp_path / "whole" / seed / "model")
        assert contents(out).keys() == contents(tmp_path / "whole").keys()
        shutil.rmtree(out)


def test_experiments_that_are_killed_keep_what_is_finished_and_go_on(campaign, children, tmp_path):
    data = tiny_data(tmp_path / "data", ("fr",))

    def reproduce(out: Path, **death):
        options = ("--languages", "fr", "--experiments", "paper-ndmv", "--seeds", 3, "--jobs", 2, "--out", out)
        ended = children.run("reproduce", "ud", "--data", data, *options, **death)
        assert ended.killed or ended.code == 0, ended.shown
        return ended

    whole = tmp_path / "whole"
    seconds = reproduce(whole).seconds
    for random in campaign:
        out = tmp_path / f"run-{campaign.tries}"
        campaign.counts["kills"] += reproduce(out, dies_after=random.uniform(0, seconds)).killed
        finished = cells(out) if (out / "cells.jsonl").exists() else {}
        reproduce(out)
        assert cells(out) == cells(out) | finished == cells(whole)
        assert contents(out).keys() == contents(whole).keys()
        shutil.rmtree(out)
