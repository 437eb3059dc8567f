"""Parameters of tests, of which some are tried in the default suite and all by `.ci/run`."""

from collections.abc import Iterable

import pytest


def some_now(names: str, now: Iterable, later: Iterable) -> pytest.MarkDecorator:
    """`parametrize`, with those marked slow that come `later`: they repeat what the others say."""
    return pytest.mark.parametrize(names, [*now, *(_slow(value) for value in later)])


def _slow(value: object):
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.slow)
