"""The sizes and switches of the rule network, apart from it so that `--help` need not wait for torch."""

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

    def __post_init__(self):
        sizes = ("size", "child_rank", "decision_rank")
        require_within(1, MOST_SIZE, **{name: getattr(self, name) for name in sizes})
        if self.encoder not in ("ud", "wsj"):
            raise DepinduceError(f"There is no encoder {self.encoder!r}. Choose from: ud, wsj.")
