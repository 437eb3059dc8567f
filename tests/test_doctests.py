"""The examples in the documentation run, and give what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

from depinduce import Parser, parser
from depinduce.corpus.demo import demo_file

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def examples() -> dict:
    """What the examples of the methods are about."""
    trained = Parser.train(demo_file("train"), model="dmv", non_heads="ud", iterations=10)
    return {"Parser": Parser, "parser": trained, "demo_file": demo_file}


def test_the_examples_of_the_module_run(examples):
    result = doctest.testmod(parser, extraglobs=examples)
    assert result.failed == 0
    assert result.attempted > 20


def test_the_examples_of_the_page_on_python_run():
    result = doctest.testfile(str(DOCS / "python.md"), module_relative=False, encoding="utf-8")
    assert result.failed == 0
    assert result.attempted > 10
