"""How a training is going, in a line for the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from depinduce.learning.em import Step
    from depinduce.learning.runs import Progress


def as_text(step: Step) -> tuple[int, str]:
    """An iteration of EM: its number, and what is to be said of it."""
    held_out = "" if step.dev is None else f", held-out {step.dev:.3f}"
    return step.iteration, f"log-likelihood {step.train:.3f}{held_out}"


def neural_text(step: Progress) -> str:
    """An epoch of a network."""
    epoch = step.epoch
    held_out = "" if epoch.dev is None else f", held-out {epoch.dev:.3f}"
    watched = "" if step.watched is None else f", watched UAS {step.watched['uas_15']:.1f}/{step.watched['uas_40']:.1f}"
    speed = f"{epoch.sentences_per_second:,.0f} sentences/s"
    return f"{step.rung}, ≤{epoch.max_length} words: log-likelihood {epoch.train:.3f}{held_out}{watched}, {speed}"
