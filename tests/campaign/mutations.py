"""Damage as it happens to the files of models and trainings: to any bytes, and to what JSON says."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from campaign.mutators import cut_off, cut_out, flip_bit, insert_bytes, mutated, repeat

ODD = (None, True, -1, 0, 1e308, float("nan"), 10**30, "", "ä\u202e", [], {}, [[]], {"": {}}, [0] * 3)


def damaged(data: bytes, random: Random) -> bytes:
    """The bytes of a file with one fault or a few."""
    return mutated(random, data, FAULTS, most=3)


def overwrite(random: Random, data: bytes) -> bytes:
    """A piece of it, as by a bad block; or zeros, as after a power cut."""
    place, length = random.randrange(len(data) + 1), random.choice((1, 4, 8, 64, 512))
    return (
        data[:place]
        + random.choice((b"\0" * length, b"\xff" * length, random.randbytes(length)))
        + data[place + length :]
    )


def nest(random: Random, data: bytes) -> bytes:
    place = random.randrange(len(data) + 1)
    return data[:place] + random.choice((b"[", b'{"a":', b"9")) * 20_000 + data[place:]


def odd_json(random: Random, data: bytes) -> bytes:
    """Another value somewhere, if this is JSON."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return flip_bit(random, data)
    return json.dumps(_with_odd(value, random)).encode()


def _with_odd(value: Any, random: Random) -> Any:
    if not value or not isinstance(value, dict | list) or random.random() < 0.1:
        return random.choice(ODD)
    changed = dict(value) if isinstance(value, dict) else list(value)
    place = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    if random.random() < 0.1:
        del changed[place]
    else:
        changed[place] = _with_odd(value[place], random)
    return changed


FAULTS = (flip_bit, flip_bit, overwrite, cut_off, cut_out, repeat, insert_bytes, nest, odd_json, odd_json)
