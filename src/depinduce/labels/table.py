"""Relations by rule: the table `relations.toml`, in which the first rule that fits an arc names it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from depinduce.labels.arcs import NOTHING, Arc, Labeller
from depinduce.labels.plain import UNNAMED
from depinduce.settings import read_toml

SETS = ("child", "head", "children", "without", "siblings", "between", "led_by", "features")  # of tags, or of features


@dataclass(frozen=True)
class Rule:
    """A relation, and what an arc is like that is one. What is empty does not matter; the table says what it means."""

    label: str
    child: frozenset[str] = NOTHING
    head: frozenset[str] = NOTHING
    side: str = ""
    same_tag: bool = False
    children: frozenset[str] = NOTHING
    without: frozenset[str] = NOTHING
    siblings: frozenset[str] = NOTHING
    between: frozenset[str] = NOTHING
    led_by: frozenset[str] = NOTHING
    features: frozenset[str] = NOTHING
    cases: bool | None = None
    nearest: bool = False
    once: bool = False

    def fits(self, arc: Arc, taken: frozenset[str]) -> bool:
        """Whether an arc is one, given the relations of the siblings on its left."""
        return (
            (not self.child or arc.child_tag in self.child)
            and (not self.head or arc.head_tag in self.head)
            and (not self.side or arc.side == self.side)
            and (not self.same_tag or arc.child_tag == arc.head_tag)
            and _meet(self.children, arc.children)
            and self.without.isdisjoint(arc.children)
            and _meet(self.siblings, arc.siblings)
            and _meet(self.between, arc.between)
            and _meet(self.led_by, arc.led_by)
            and _meet(self.features, arc.features)
            and (self.cases is None or arc.cases == self.cases)
            and not (self.nearest and arc.child_tag in arc.between)
            and not (self.once and self.label in taken)
        )


@dataclass(frozen=True)
class RelationTable(Labeller):
    """Rules in their order."""

    rules: tuple[Rule, ...]

    def label(self, arc: Arc, taken: frozenset[str]) -> str:
        return next((rule.label for rule in self.rules if rule.fits(arc, taken)), UNNAMED)


@cache
def relation_table() -> RelationTable:
    """The table that comes with the package."""
    with resources.as_file(resources.files("depinduce.labels") / "relations.toml") as path:
        tables = read_toml(path, "relations", '[[rule]] with label = "det" and child = "DET"')
    return RelationTable(tuple(_rule(entry, tables["tags"]) for entry in tables["rule"]))


def _rule(entry: Mapping[str, Any], groups: Mapping[str, list[str]]) -> Rule:
    """A rule of the table, in which a name of `[tags]` stands for all of these."""
    conditions = dict(entry)
    for name in SETS:
        if name in entry:
            given = [entry[name]] if isinstance(entry[name], str) else entry[name]
            conditions[name] = frozenset(tag for one in given for tag in groups.get(one, [one]))
    return Rule(**conditions)


def _meet(wanted: frozenset[str], found: frozenset[str]) -> bool:
    return not wanted or not wanted.isdisjoint(found)
