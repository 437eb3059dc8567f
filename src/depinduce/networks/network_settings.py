"""The sizes and switches of networks over tags, apart from them so that `--help` need not wait for torch."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.errors import DepinduceError
from depinduce.settings import require_within, setting

MOST_SIZE = 10_000  # of a layer; its square is what it takes of memory


@dataclass(frozen=True)
class NetworkSettings:
    """How a rule network is built; the defaults are the paper's for UD."""

    size: int = setting(100, "size of the embeddings and of every layer", expert=True)
    child_rank: int = setting(30, "rank of the scores of children and roots", expert=True)
    decision_rank: int = setting(10, "rank of the scores of decisions", expert=True)
    encoder: str = setting("ud", "the paper's encoder for UD (deeper) or for WSJ", choices=("ud", "wsj"), expert=True)
    skip_connections: bool = setting(True, "let the encoder see the token again beside what it made of it", expert=True)
    vector_size: int = setting(16, "several languages: size of the vector of each", expert=True)
    vector_dropout: float = setting(
        0.1, "share of the steps in which a language goes without its vector, which teaches the universal grammar",
        expert=True)  # fmt: skip

    def __post_init__(self):
        sizes = ("size", "child_rank", "decision_rank")
        require_within(1, MOST_SIZE, **{name: getattr(self, name) for name in sizes})
        require_within(0, MOST_SIZE, vector_size=self.vector_size)
        if not 0 <= self.vector_dropout < 1:
            raise DepinduceError(f"vector_dropout cannot be {self.vector_dropout}: at least 0, less than 1.")
        if self.encoder not in ("ud", "wsj"):
            raise DepinduceError(f"There is no encoder {self.encoder!r}. Choose from: ud, wsj.")


@dataclass(frozen=True)
class JiangNetworkSettings:
    """How the networks of Jiang et al. are built."""

    tag_size: int = setting(10, "size of the vectors of tags, and of the hidden layers", expert=True)
    valence_size: int = setting(5, "size of the vectors of valences", expert=True)
    child_valence: bool = setting(
        True, "let the choice of a child depend on whether it is the first, as in the neural E-DMV", expert=True
    )

    def __post_init__(self):
        require_within(1, MOST_SIZE, tag_size=self.tag_size, valence_size=self.valence_size)


@dataclass(frozen=True)
class SentenceNetworkSettings(JiangNetworkSettings):
    """How the networks of Han et al. are built: those of Jiang et al., which also see a vector of the sentence."""

    sentence_size: int = setting(
        20, "size of the vector of a sentence, one half of it read from either end; 0: there is none", expert=True
    )
    read_size: int = setting(10, "size of the vectors of tags from which that of a sentence is made", expert=True)
    sentence_dropout: float = setting(
        0.5, "share of what was read of a sentence that a step of training does not see", expert=True
    )
    variational: bool = setting(
        False, "let the vector of a sentence be hidden: drawn in training from what was read, in parsing its mean",
        expert=True)  # fmt: skip

    def __post_init__(self):
        super().__post_init__()
        require_within(0, MOST_SIZE, sentence_size=self.sentence_size)
        require_within(1, MOST_SIZE, read_size=self.read_size)
        if self.sentence_size % 2:
            raise DepinduceError(f"sentence_size cannot be {self.sentence_size}: it has two halves.")
        if not 0 <= self.sentence_dropout < 1:
            raise DepinduceError(f"sentence_dropout cannot be {self.sentence_dropout}: at least 0, less than 1.")
        if self.variational and not self.sentence_size:
            raise DepinduceError("variational: there is no vector to draw, sentence_size is 0.")
