"""Vocabulary, sizes and switches of a network over words, apart from it so that `--help` need not wait for torch."""

from __future__ import annotations

from dataclasses import dataclass

from depinduce.errors import DepinduceError
from depinduce.networks.network_settings import MOST_SIZE, NetworkSettings
from depinduce.settings import MOST, names_one_of, require_within, setting

SOFTMAX = ("full", "frequency", "vectors")
VECTORS = {"random": (0,), "file": (1,), "fasttext": (0, 1)}  # how many words can follow the name


@dataclass(frozen=True)
class LexicalSettings:
    """How a network over words is built; the defaults are the paper's for L-NDMV."""

    min_count: int = setting(2, "a word has a token of its own if it was seen with its tag so many times")
    tag_size: int = setting(100, "size of the embeddings of tags", expert=True)
    word_size: int = setting(100, "size of the word vectors", expert=True)
    vectors: tuple[str, ...] = setting(
        ("random",),
        "where word vectors start: random, `file FILE` (.vec, word2vec text), or `fasttext` (trained here on all "
        "sentences of --train, of any length) or `fasttext FILE` (on those of another CoNLL-U file)",
        metavar="VECTORS",
    )
    dropout: float = setting(0.5, "share of the embeddings that is left out in every training step", expert=True)
    dropout_of: str = setting(
        "everything",
        "whose embeddings: of everything, the same of a word wherever it is in a batch; or of heads alone, others in "
        "every place",
        choices=("everything", "heads"),
        expert=True,
    )
    lexical_child_rank: int = setting(
        150, "rank of the scores of children and roots in the network over words", expert=True
    )
    lexical_decision_rank: int = setting(50, "rank of its scores of decisions", expert=True)
    lexical_encoder: str = setting(
        "wsj", "its encoder: the paper's for UD (deeper) or for WSJ", choices=("ud", "wsj"), expert=True
    )
    softmax: str = setting(
        "full",
        "over which a word is normalised: full, all words; frequency or vectors, the most frequent words and classes "
        "of others, of about the same frequency or with similar word vectors, and the words of its class: the same up "
        "to a thousand words, faster from some thousands on",
        choices=SOFTMAX,
    )
    frequent_words: int = setting(
        1000, "so many of the most frequent pairs of word and tag are classes of their own, as tags are", expert=True
    )
    classes: int = setting(0, "of other words about so many classes; 0: as many as a class has words", expert=True)
    softmax_memory: int = setting(
        256, "MB that the scores of a batch may take; more than that is computed twice", expert=True
    )

    def __post_init__(self):
        sizes = ("tag_size", "word_size", "lexical_child_rank", "lexical_decision_rank")
        require_within(1, MOST_SIZE // 2, **{name: getattr(self, name) for name in sizes})
        require_within(1, MOST, min_count=self.min_count, softmax_memory=self.softmax_memory)
        require_within(0, MOST, frequent_words=self.frequent_words, classes=self.classes)
        if self.softmax not in SOFTMAX:
            raise DepinduceError(f"There is no softmax {self.softmax!r}. Choose from: {', '.join(SOFTMAX)}.")
        if self.softmax == "vectors" and self.vectors == ("random",):
            raise DepinduceError(
                "--softmax vectors: random word vectors are not similar. Give --vectors file FILE or fasttext, or say "
                "--softmax frequency."
            )
        if not 0 <= self.dropout < 1:
            raise DepinduceError(f"dropout cannot be {self.dropout}: 0 or more, less than 1.")
        if self.dropout_of not in ("everything", "heads"):
            raise DepinduceError(f"There is no dropout_of {self.dropout_of!r}. Choose from: everything, heads.")
        if self.lexical_encoder not in ("ud", "wsj"):
            raise DepinduceError(f"There is no encoder {self.lexical_encoder!r}. Choose from: ud, wsj.")
        if not names_one_of(VECTORS, self.vectors):
            found = " ".join(self.vectors)
            raise DepinduceError(
                f"There are no word vectors {found!r}. Choose from: random, file FILE, fasttext, fasttext FILE."
            )

    @property
    def learns_vectors(self) -> bool:
        """Whether word vectors are first learned from the text of the training itself."""
        return self.vectors == ("fasttext",)

    def network(self, unlexical: NetworkSettings) -> NetworkSettings:
        """The network over words as one over larger embeddings."""
        return NetworkSettings(
            size=self.tag_size + self.word_size,
            child_rank=self.lexical_child_rank,
            decision_rank=self.lexical_decision_rank,
            encoder=self.lexical_encoder,
            skip_connections=unlexical.skip_connections,
        )
