"""All sentences of a corpus, or one process's share of them, in pieces of bounded size: memory holds one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from depinduce.corpus.alike import in_pieces
from depinduce.learning.learners.learner import Sentences
from depinduce.learning.team import ALONE, Team

MOST_WORDS = 200_000  # in a piece: some tens of MB, whatever is known of its words


class Pieces:
    """Sentences to go through again and again. If they are one piece, it is made once.

    undivided: they are one, whatever their number
    """

    def __init__(self, sentences: Sentences, team: Team = ALONE, undivided: bool = False):
        self.sentences = sentences
        numbers, times = sentences.counted()
        self.numbers = team.share(numbers)  # [sentence]
        self.times = None if times is None else team.share(times)  # [sentence]
        lengths = sentences.lengths_of(self.numbers)
        cuts = [] if undivided else list(in_pieces(self.numbers, lengths, MOST_WORDS))
        self.cuts = cuts or [slice(0, len(self.numbers))]  # nothing is a piece, too
        self.only: Any = None

    def __iter__(self) -> Iterator[tuple[Any, np.ndarray]]:
        """The data of every piece, and the numbers of its sentences."""
        for cut in self.cuts:
            data = self.only
            if data is None:
                times = None if self.times is None else self.times[cut]
                data, _ = self.sentences.take(self.numbers[cut], times, self.sentences.of_each_language)
            if len(self.cuts) == 1:
                self.only = data
            yield data, self.numbers[cut]
