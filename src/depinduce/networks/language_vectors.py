"""What makes one language of the others: a small vector for each, which moves the embeddings of all symbols.

    x(symbol, language) = x(symbol) + A(symbol) z(language)

Everything that the network makes of a symbol, in any role, on either side, can thus be another in another language; and
as A is shared, languages that are alike have vectors that are alike. Without a vector, z = 0, it is the universal one.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from depinduce.networks.gradients import Gradients, PullBack
from depinduce.networks.network_settings import NetworkSettings


class LanguageVectors(nn.Module):
    """The vectors of all languages, and what they do to symbols."""

    def __init__(self, languages: int, symbols: int, settings: NetworkSettings):
        super().__init__()
        self.vectors = nn.Parameter(torch.randn(languages, settings.vector_size))
        self.maps = nn.Parameter(torch.zeros(symbols, settings.size, settings.vector_size))


def moved(embedding: Tensor, vectors: Tensor, maps: Tensor, language: int | None) -> tuple[Tensor, PullBack[Gradients]]:
    """The embeddings of symbols in a language, or in none. [symbol, size]

    embedding: [symbol, size], vectors: [language, vector], maps: [symbol, size, vector]
    """

    def pull_back(to_moved: Tensor) -> Gradients:
        to_vectors, to_maps = torch.zeros_like(vectors), torch.zeros_like(maps)
        if language is not None:
            to_vectors[language] = maps.flatten(0, 1).t() @ to_moved.flatten()
            to_maps = to_moved.unsqueeze(2) * vectors[language]
        return to_moved, to_vectors, to_maps

    return embedding if language is None else embedding + maps @ vectors[language], pull_back
