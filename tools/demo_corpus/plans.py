"""How a clause is to be built."""

from __future__ import annotations

from typing import NamedTuple

from demo_corpus.tree import Node

NO_TIME = frozenset({"time", "manner"})
BARE = frozenset({"time", "manner", "place"})


class Plan(NamedTuple):
    """How a clause is to be built."""

    time: str = "past"  # see verbs
    negative: bool = False
    contracted: bool = False
    inverted: bool = False
    front: tuple[Node, ...] = ()
    omit: frozenset[str] = frozenset()  # of object, recipient, place, manner, time
    adjuncts: int = 1  # at most so many
    plain: bool = False  # short noun phrases
    alone: bool = False  # the whole sentence, where "it" may be anything

    @property
    def habitual(self) -> bool:
        """Whether the clause tells of a habit."""
        return self.time == "present"
