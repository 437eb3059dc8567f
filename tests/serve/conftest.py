"""For the tests of desks: a small file, and a small grammar in a folder for one module."""

from __future__ import annotations

import pytest
from cli.demo_parts import demo_part
from serve.desks import FILE

from depinduce import Parser


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.conllu"
    path.write_text(FILE)
    return path


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    place = tmp_path_factory.mktemp("desk")
    train = demo_part(place / "train.conllu", count=150)
    Parser.train(train, model="dmv", iterations=8, non_heads="ud", out=place / "dmv")
    return place


@pytest.fixture(scope="module")
def model(models):
    return models / "dmv"
