"""What a grammar makes of every sentence of a file: its trees, how sure they are, and what looks wrong about them.

It is made in the background, from the first sentence to the last, and kept up to date with what people do.
"""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from depinduce.corpus import Sentence
from depinduce.errors import DepinduceError
from depinduce.labels.arcs import universal_tags
from depinduce.learning.health import DOUBTFUL, FUNCTION_WORDS, GOOD, LEAST_OF_DOUBTFUL, LEAST_OF_GOOD, POOR
from depinduce.serve.requests import STEP, work_of
from depinduce.serve.shelf import ShelvedModel

if TYPE_CHECKING:
    from depinduce.models.model import Model
    from depinduce.serve.corpus_file import CorpusFile

# What looks wrong about a tree, by the number of its bit: the signs of learning.health, of one sentence.
SIGNS = {
    "root": "the root is no verb, and there is one",
    "noun": "a noun hangs on an adjective",
    "function": "a word hangs on a function word",
}
WAITING, LEARNING, READY, FAILED = "waiting", "learning", "ready", "failed"
MOST_LEARNED = 5000  # sentences from which a universal grammar learns the order of the language

Found = tuple[list[int], list[str], float | None]  # the heads and labels of a tree, and how sure its grammar is of it


class Survey:
    """The trees of all sentences as one grammar finds them.

    heads [token], labels [token] as numbers of `names`, certainty [sentence] or NaN, signs [sentence] bits
    """

    def __init__(self, file: CorpusFile, shelved: ShelvedModel):
        self.name, self.file = shelved.name, file
        self.state, self.fault, self.done = WAITING, "", 0
        words, sentences = int(file.offsets[-1]), len(file)
        self.heads = np.full(words, -1, np.int32)
        self.labels = np.zeros(words, np.uint16)
        self.certainty = np.full(sentences, np.nan, np.float32)
        self.signs = np.zeros(sentences, np.uint8)
        self.names: dict[str, int] = {"": 0}  # of relations
        self._shelved = shelved
        self._model: Model | None = None
        self._loaded, self._stopped = threading.Event(), threading.Event()
        self.finished = threading.Event()  # it goes no further

    def begin(self, look: Callable[[int, int], None]) -> None:
        """Begin in the background. look: finds the trees of the sentences from one number up to another"""
        threading.Thread(target=self._go, args=(look,), name=f"survey by {self.name}", daemon=True).start()

    def stop(self) -> None:
        self._stopped.set()

    @property
    def is_stopped(self) -> bool:
        return self._stopped.is_set()

    def model(self) -> Model:
        """The grammar, which has learned the order of the file if it is a universal one. Whoever asks early waits."""
        self._loaded.wait()
        if self._model is None:
            raise DepinduceError(self.fault)
        return self._model

    @property
    def is_complete(self) -> bool:
        return self.done == len(self.file)

    def put(self, number: int, sentence: Sentence, found: Found) -> None:
        """Write down the tree of a sentence."""
        heads, labels, certainty = found
        own = slice(*self.file.offsets[number : number + 2].tolist())
        self.heads[own] = heads
        self.labels[own] = [self.names.setdefault(label, len(self.names)) for label in labels]
        self.certainty[number] = np.nan if certainty is None else certainty
        self.signs[number] = signs_of(universal_tags(sentence, self.model().reading), heads)

    def with_label(self, label: str) -> np.ndarray:
        """Which sentences have an arc of this name, whatever its subtype. [sentence] bool"""
        wanted = [number for name, number in self.names.items() if name == label or name.startswith(f"{label}:")]
        return self._any(np.isin(self.labels, wanted))

    def changed_since(self, before: Survey) -> np.ndarray:
        """Which sentences have another tree than in an earlier survey, as far as both have come. [sentence] bool"""
        changed = self._any(self.heads != before.heads)
        changed[min(self.done, before.done) :] = False
        return changed

    def _any(self, words: np.ndarray) -> np.ndarray:
        return np.logical_or.reduceat(words, self.file.offsets[:-1])

    # ---------------------------------------------------------------- in the background

    def _go(self, look: Callable[[int, int], None]) -> None:
        try:
            self._model = self._learned(self._shelved.parser().model)
            self.state = READY
            self._loaded.set()
            first = 0
            while first < len(self.file) and not self.is_stopped:
                after = self._next(first)
                look(first, after)
                first = self.done = after
        except DepinduceError as error:
            self.fault, self.state = str(error), FAILED
        except Exception:
            traceback.print_exc(file=sys.stderr)
            self.fault = f"{self.name}: the file cannot be parsed; the terminal of the server tells why."
            self.state = FAILED
        finally:
            self._loaded.set()
            self.finished.set()

    def _learned(self, model: Model) -> Model:
        """The grammar itself, or what a universal one learns from the first sentences."""
        if model.headedness is None:
            return model
        from depinduce.learning.adaptation import adapted

        self.state = LEARNING
        return adapted(model, self.file.sentences(0, MOST_LEARNED))[0]

    def _next(self, first: int) -> int:
        """Where the next portion ends: after so many sentences as are done at a stretch, or one that is more."""
        work, after = 0.0, first
        while after < len(self.file) and (after == first or work < STEP):
            work += work_of(int(self.file.lengths[after]))
            after += 1
        return after


def signs_of(tags: Sequence[str], heads: Sequence[int]) -> int:
    """What looks wrong about a tree, a bit for each of SIGNS. tags: universal ones"""
    of_heads = [tags[head - 1] if head > 0 else "" for head in heads]
    root = next((tag for tag, head in zip(tags, heads, strict=True) if head == 0), "")
    seen = (
        root != "VERB" and "VERB" in tags,
        any(tag in ("NOUN", "PROPN") and above == "ADJ" for tag, above in zip(tags, of_heads, strict=True)),
        any(above in FUNCTION_WORDS for above in of_heads),
    )
    return sum(1 << bit for bit, is_so in enumerate(seen) if is_so)


def signs_in_words(bits: int) -> list[str]:
    return [words for bit, words in enumerate(SIGNS.values()) if bits >> bit & 1]


def verdict_on(certainty: float) -> str:
    """What the health check would say of a text whose heads are that probably right; nothing if nobody knows."""
    if np.isnan(certainty):
        return ""
    return GOOD if certainty >= LEAST_OF_GOOD else DOUBTFUL if certainty >= LEAST_OF_DOUBTFUL else POOR
