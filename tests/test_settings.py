"""Settings of files and options: what TOML may hold, and numbers within bounds."""

from __future__ import annotations

import re

import pytest

from depinduce.errors import DepinduceError
from depinduce.learning.settings.configuration import configure
from depinduce.settings import parse_toml, read_toml


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"a = {5000 * '1'}", "Exceeds the limit"),
        (f"a = 0x{5000 * 'f'}", "a whole number has more than 64 bits"),
        (f"a = {3000 * '['}{3000 * ']'}", "brackets are nested more than 16 deep"),
        (f"a = {20 * '['}{20 * ']'}", "tables are nested more than 16 deep"),
        (f"{'.'.join(5000 * 'a')} = 1", "tables are nested more than 16 deep"),
        (f"a = [[{1 << 63}]]", "a whole number has more than 64 bits"),
        ('a = "\\ud800"', "Escaped character is not a Unicode scalar value"),
    ],
    ids=["digits", "bits", "brackets", "lists", "dots", "list", "surrogate"],
)
def test_toml_that_nobody_needs_is_refused(text, message, tmp_path):
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    with pytest.raises(DepinduceError, match=re.escape(message)) as refusal:
        read_toml(tmp_path / "a.toml")
    assert str(refusal.value).startswith(f"{tmp_path / 'a.toml'}: not a TOML file (")


def test_toml_that_is_all_right():
    assert parse_toml("a = [[1], {b = [-9223372036854775808]}]\nc.d.e = 0x7fffffffffffffff") == {
        "a": [[1], {"b": [-(1 << 63)]}],
        "c": {"d": {"e": (1 << 63) - 1}},
    }


NUMBERS = {
    "dmv": ("patience", "threads", "members", "seed", "iterations", "smoothing", "prior_strength", "max_length"),
    "hdp-dep": ("iterations", "subsymbols", "top_concentration", "concentration", "child_prior", "emission_prior"),
    "sibling": ("epochs", "m_steps", "batch_size", "start_epochs", "grow_from", "anchor", "learning_rate", "size"),
    "lexical": ("min_count", "tag_size", "word_size", "lexical_child_rank", "softmax_memory", "dropout"),
}


@pytest.mark.parametrize(("model", "name"), [(model, name) for model, names in NUMBERS.items() for name in names])
@pytest.mark.parametrize("value", [-1, (1 << 63) - 1, float("inf"), float("nan"), 1e300], ids=str)
def test_extreme_numbers_are_refused_whatever_the_setting(model, name, value):
    with pytest.raises(DepinduceError, match=name.replace("_", ".") + " (must be at least|can be at most|cannot be)"):
        configure({"model": model, name: value})
