"""What happens in the small world: the verbs and their frames, read from events.txt."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

SCENES = {
    "kitchen": ("in the kitchen", "at the kitchen table", "near the stove"),
    "home": ("at home", "in the living room"),
    "school": ("at school", "in the classroom", "in the schoolyard"),
    "lesson": ("at school", "in the classroom"),
    "library": ("in the library", "in the reading room", "near the window"),
    "garden": ("in the garden", "behind the house", "under the apple tree", "near the pond"),
    "farm": ("on the farm", "in the yard", "behind the barn", "near the stable"),
    "field": ("in the field", "on the hill", "near the river"),
    "barn": ("in the barn", "in the stable"),
    "market": ("at the market", "in the village", "in the shop"),
    "bakery": ("in the bakery", "at the bakery"),
    "outdoors": ("in the park", "near the river", "in the forest", "by the lake"),
    "outside": ("outside",),
    "water": ("in the lake", "in the river", "in the pond"),
    "stop": ("at the bus stop", "at the station", "near the school gate"),
    "seat": ("on the bench", "near the window", "under the apple tree", "at the table", "on the sofa"),
    "city": ("in the city", "in the village", "in a small house", "near the station"),
    "spot": (),  # wherever the object of the event is usually found
}
_ABBREVIATIONS = {
    "PERSON": "ADULT CHILD KIN NAME",
    "GOALS": "to the market, to the library, to school, to the park, to the village, to the lake",
    "PATHS": "across the field, through the forest, along the river, around the lake, over the bridge",
}


class Event(NamedTuple):
    """A verb in one of its uses."""

    verb: str
    particle: str
    subjects: tuple[str, ...]
    prep: str = ""  # the object is oblique, with this preposition
    objects: tuple[str, ...] = ()
    recipient_prep: str = ""
    recipients: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    scenes: tuple[str, ...] = ()
    manners: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    traits: frozenset[str] = frozenset()

    @property
    def transitive(self) -> bool:
        """Whether there is a direct object."""
        return bool(self.objects) and not self.prep


_FIELDS = {"at": "scenes", "how": "manners", "why": "reasons"}


def _read_event(line: str) -> Event:
    """The event of a line; the format is told at the top of events.txt."""
    for short, full in _ABBREVIATIONS.items():
        line = line.replace(short, full)
    frame, *fields = line.split(" | ")
    verb, _, arguments = frame.partition(": ")
    verb, _, particle = verb.partition(" ")
    subjects, _, objects = arguments.partition(" > ")
    prep = ""
    if objects.startswith("("):
        prep, _, objects = objects[1:].partition(") ")
    event = Event(verb, particle, tuple(subjects.split()), prep, tuple(objects.split()))
    for field in fields:
        key, _, value = field.partition(" ")
        if key == "is":
            event = event._replace(traits=frozenset(value.split()))
        elif key == "goes":
            event = event._replace(goals=tuple(value.split(", ")))
        elif key == "given":
            recipient_prep, *recipients = value.split()
            event = event._replace(recipient_prep=recipient_prep, recipients=tuple(recipients))
        else:
            event = event._replace(**{_FIELDS[key]: tuple(value.split())})
    return event


EVENTS = tuple(
    _read_event(line)
    for line in (Path(__file__).parent / "events.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
