"""How a training is going, in a line for the user."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from depinduce.learning.run import Progress


def progress_text(progress: Progress) -> str:
    """What is to be said of a round."""
    one, rung, watched = progress.round, progress.rung, ""
    held_out = "" if one.dev is None else f", held-out {one.dev:.3f}"
    if progress.watched is not None:
        watched = f", watched UAS {progress.watched['uas_15']:.1f}/{progress.watched['uas_40']:.1f}"
    told = f"log-likelihood {one.train:.3f}{held_out}{watched}"
    if rung.settings.batch_size is None:  # a round takes no time to speak of
        return told
    return f"{rung}, ≤{one.max_length} words: {told}, {one.sentences_per_second:,.0f} sentences/s"


def round_text(progress: Progress) -> str:
    """The same, with the number of the round where nothing else tells it."""
    name = progress.rung.settings.round_name
    return f"{name} {progress.round.round}: {progress_text(progress)}"
