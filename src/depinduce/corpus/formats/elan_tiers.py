"""The tiers of a file of ELAN, and which annotation hangs on which.

pympi reads such files, too, but gives annotations in the order of the file: it does not follow PREVIOUS_ANNOTATION, and
the words of a sentence come out shuffled.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from depinduce.corpus.formats.xml_tree import XmlFile


@dataclass
class Annotation:
    """What stands on a tier."""

    id: str
    tier: str
    value: str
    begin: float
    end: float
    parent: Annotation | None = None
    previous: str | None = None  # the one before it, of those on the same parent


class ElanFile:
    """Tiers and annotations of a file."""

    def __init__(self, path: str | Path):
        self._xml = XmlFile(path)
        self.name, root = self._xml.name, self._xml.root
        if root.tag != "ANNOTATION_DOCUMENT":
            found, remedy = f"<{root.tag}> where a file of ELAN has <ANNOTATION_DOCUMENT>", "Name an .eaf file."
            if root.tag == "document":
                remedy = "This is a text of FLEx: depinduce convert flextext FILE -o corpus.conllu."
            self._xml.refuse(root, found, remedy)
        elements = {tier.get("TIER_ID", ""): tier for tier in root.findall("TIER")}
        self.parents = {name: tier.get("PARENT_REF") for name, tier in elements.items()}
        self.participants = {name: tier.get("PARTICIPANT", "") for name, tier in elements.items()}
        self.languages = {name: tier.get("LANG_REF", "") for name, tier in elements.items()}
        times = _times(root)
        self.tiers = {name: [self._annotation(each, name, times) for each in tier.iterfind("ANNOTATION/*")]
                      for name, tier in elements.items()}  # fmt: skip
        self._by_parent: dict[str, dict[str, list[Annotation]]] = {}
        self._hang(root)

    def above(self, tier: str) -> Iterator[str]:
        """The tiers on which a tier hangs, from near to far."""
        seen = {tier}
        while (parent := self.parents.get(tier)) is not None and parent in self.tiers and parent not in seen:
            yield parent
            seen.add(tier := parent)

    def top(self, tier: str) -> str:
        """The tier on which it hangs in the end."""
        return [tier, *self.above(tier)][-1]

    def children(self, tier: str) -> list[tuple[Annotation, list[Annotation]]]:
        """The annotations of a tier, in their order, by those on which they hang."""
        groups: dict[str, tuple[Annotation, list[Annotation]]] = {}
        for each in self.tiers[tier]:
            if each.parent is not None:
                groups.setdefault(each.parent.id, (each.parent, []))[1].append(each)
        return [(parent, _in_order(below)) for parent, below in groups.values()]

    def hanging(self, tier: str, ancestors: str) -> dict[str, list[Annotation]]:
        """The annotations of a tier, in their order, by the id of the one on another tier above them."""
        found: dict[str, list[Annotation]] = {}
        for _, group in self.children(tier):
            for each in group:
                if (top := _ancestor(each, ancestors)) is not None:
                    found.setdefault(top.id, []).append(each)
        return found

    def beside(self, sentence: Annotation, tier: str) -> list[Annotation]:
        """The annotations of a tier that belong to a sentence: they hang on it or on what it hangs on, or bear it."""
        found: list[Annotation] = []
        chain: set[str] = set()
        here: Annotation | None = sentence
        while here is not None and here.id not in chain:
            chain.add(here.id)
            found += [here] if here.tier == tier else self._below(tier).get(here.id, [])
            here = here.parent
        return [each for each in found if each.value.strip()]

    def _below(self, tier: str) -> dict[str, list[Annotation]]:
        """The annotations of a tier by the id of what they hang on."""
        if tier not in self._by_parent:
            self._by_parent[tier] = {parent.id: below for parent, below in self.children(tier)}
        return self._by_parent[tier]

    def _annotation(self, element: Element, tier: str, times: dict[str, float]) -> Annotation:
        value, slots = element.findtext("ANNOTATION_VALUE") or "", ("TIME_SLOT_REF1", "TIME_SLOT_REF2")
        begin, end = (times.get(element.get(slot, ""), 0.0) for slot in slots)
        return Annotation(
            element.get("ANNOTATION_ID", ""), tier, value, begin, end, previous=element.get("PREVIOUS_ANNOTATION")
        )

    def _hang(self, root: Element) -> None:
        """Find out on which annotation of the tier above each one hangs."""
        by_id = {each.id: each for tier in self.tiers.values() for each in tier}
        references = {each.get("ANNOTATION_ID"): each for each in root.iter("REF_ANNOTATION")}
        for tier, on_tier in self.tiers.items():
            parents = sorted(self.tiers.get(self.parents.get(tier) or "", []), key=lambda each: each.begin)
            begins = [each.begin for each in parents]
            for each in on_tier:
                if each.id in references:
                    reference = references[each.id].get("ANNOTATION_REF", "")
                    if reference not in by_id:
                        found = (
                            f"the annotation {each.id} of the tier {tier!r} hangs on {reference!r}, which is not there"
                        )
                        self._xml.refuse(references[each.id], found, "Open and save the file with ELAN.")
                    each.parent = by_id[reference]
                else:
                    middle = (each.begin + each.end) / 2
                    nearest = bisect_right(begins, middle) - 1  # annotations of one tier never overlap
                    each.parent = parents[nearest] if nearest >= 0 and middle <= parents[nearest].end else None
        for on_tier in self.tiers.values():  # those that hang by name have the time of what they hang on
            for each in on_tier:
                here, steps = each, 0
                while here.id in references and here.parent is not None and steps < len(self.tiers):
                    here, steps = here.parent, steps + 1
                each.begin, each.end = here.begin, here.end


def _times(root: Element) -> dict[str, float]:
    """The time of every slot; slots without one lie evenly between those that have one."""
    slots = root.findall("TIME_ORDER/TIME_SLOT")
    times = [float(value) if (value := slot.get("TIME_VALUE", "")).isdecimal() else None for slot in slots]
    last = 0.0
    for place, time in enumerate(times):
        if time is None:
            following = next((later for later in range(place, len(times)) if times[later] is not None), len(times))
            until = times[following] if following < len(times) else last + len(times)
            times[place] = time = last + ((until or last) - last) / (following - place + 1)
        last = time
    return {slot.get("TIME_SLOT_ID", ""): time or 0.0 for slot, time in zip(slots, times, strict=True)}


def _ancestor(annotation: Annotation, tier: str) -> Annotation | None:
    """The annotation of a tier on which one hangs in the end."""
    here, seen = annotation.parent, set()
    while here is not None and here.tier != tier and here.id not in seen:
        seen.add(here.id)
        here = here.parent
    return here if here is not None and here.tier == tier else None


def _in_order(annotations: list[Annotation]) -> list[Annotation]:
    """The annotations on one parent: as each says which is before it, otherwise by time, otherwise as in the file."""
    if not any(each.previous for each in annotations):
        return sorted(annotations, key=lambda each: each.begin)
    after = {each.previous: each for each in annotations if each.previous}
    ordered: dict[str, Annotation] = {}
    for first in (each for each in annotations if not each.previous):
        here: Annotation | None = first
        while here is not None and here.id not in ordered:
            ordered[here.id] = here
            here = after.get(here.id)
    return [*ordered.values(), *(each for each in annotations if each.id not in ordered)]
