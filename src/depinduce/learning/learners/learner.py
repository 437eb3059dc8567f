"""What every learner does: from sentences to a chart problem, from counts to better parameters, and to a model.

Training (`learning.training`) knows nothing else of a grammar. A learner that closes its form takes all sentences at
once and the counts become its parameters; one that follows a gradient takes a batch and a step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from depinduce.chart.problems import Problem, StateProblem
from depinduce.corpus import Corpus
from depinduce.grammar.rules import Order, RuleTable
from depinduce.learning.posterior_constraint import ShareConstraint
from depinduce.learning.posterior_sparsity import PosteriorSparsity
from depinduce.learning.settings.learning import LearningSettings
from depinduce.learning.team import ALONE, Team
from depinduce.models.model import Model

Arrays = dict[str, np.ndarray]


class Sentences(Protocol):
    """A corpus as a learner sees it."""

    @property
    def of_each_language(self) -> np.ndarray | None:
        """A sentence of each, where languages are told apart."""
        ...

    def take(
        self, sentences: np.ndarray, times: np.ndarray | None = None, among: np.ndarray | None = None
    ) -> tuple[Any, np.ndarray]:
        """Some sentences, and the number of each of their tokens in the corpus.

        times: how often each counts, if not once; among: the batch of which they are one process's share
        """
        ...

    def counted(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Sentences that stand for the whole corpus, and how often each counts, if not once."""
        ...

    def lengths_of(self, sentences: np.ndarray) -> np.ndarray:
        """The words of some sentences. [sentence]"""
        ...

    def all(self) -> Any:
        """The whole corpus."""
        ...


@dataclass(frozen=True)
class View:
    """Sentences under the parameters of now, and whatever the learner needs to learn from their counts."""

    problem: Problem | StateProblem
    data: Any  # the sentences
    pull_back: Any = None


@dataclass(frozen=True)
class Start:
    """Where learning starts: at a place with a name, or with trees of the training sentences."""

    name: str  # harmonic, uniform, random, or whatever made the trees
    heads: np.ndarray | None = None  # [token]


class Learner(ABC):
    """Parameters that learn from counts."""

    team: Team = ALONE  # the processes that learn together
    shares_rules: ClassVar[bool] = True  # all processes of a team have the same rules, so that their counts add up

    def __init__(self, settings: LearningSettings):
        self.settings = settings

    @property
    def order(self) -> Order:
        return self.settings.order

    # ---------------------------------------------------------------- from sentences to counts

    @abstractmethod
    def sentences(self, corpus: Corpus, stage: str) -> Sentences:
        """A corpus as this learner sees it in a stage: start, training, or held-out."""

    @abstractmethod
    def view(self, data: Any, training: bool = False) -> View:
        """Some sentences under the parameters of now. training: with the noise that is part of training, if any"""

    @abstractmethod
    def counts(self, data: Any, expected: Any) -> Any:
        """The counts of its rules in some sentences, from what its own chart gives."""

    @property
    def needs_positions(self) -> bool:
        """Whether its counts are made of the posteriors of positions."""
        return False

    def counts_of_trees(self, data: Any, heads: np.ndarray) -> Any:
        """The counts of one tree per sentence. heads: [token]"""
        raise NotImplementedError

    def counts_in_product(self, data: Any, expected: Any) -> Any:
        """The counts of a first-order grammar from the chart of its product with another."""
        raise NotImplementedError

    def share_constraint(self, train: Corpus) -> ShareConstraint | None:
        """The rules that most dependencies should match, if there are any."""
        return ShareConstraint.of(self.settings, train)

    def posterior_sparsity(self, train: Corpus) -> PosteriorSparsity | None:
        """The penalty on pairs of tags that stand in a dependency, if there is one."""
        return None

    # ---------------------------------------------------------------- from counts to parameters

    def begin(self, start: Start, train: Corpus) -> None:
        """Parameters to begin with, for a learner that does not learn them from the counts of the start."""
        raise NotImplementedError

    def start_table(self, train: Corpus) -> RuleTable:
        """The grammar of a start that is no trees, for a learner that learns from its counts; of every language, where
        they are told apart."""
        raise NotImplementedError

    @abstractmethod
    def learn(self, view: View | None, counts: Any, sentences: int, steps: int | None = None) -> None:
        """Better parameters from the counts of so many sentences.

        view: of the batch that was counted, or of all sentences if they cannot be divided; None: they were counted in
            pieces
        steps: of a gradient, if not as many as the settings say
        """

    def beside_likelihood(self) -> float:
        """What it maximises besides the log-likelihood of the sentences, such as the log prior of its parameters."""
        return 0.0

    @property
    def is_sound(self) -> bool:
        """Whether its parameters are still numbers."""
        return True

    # ---------------------------------------------------------------- what is kept

    @abstractmethod
    def keep(self) -> None:
        """The present parameters are the best so far."""

    @abstractmethod
    def model(self, about: Mapping[str, Any], best: bool = True) -> Model:
        """The model with the best parameters so far, or with those of now. about: what every model remembers"""

    @abstractmethod
    def state(self) -> Arrays:
        """All that changes while it learns, by name."""

    @abstractmethod
    def restore(self, state: Arrays) -> None:
        """Bring a new learner to where the saved one was."""


def under(prefix: str, arrays: Mapping[str, np.ndarray]) -> Arrays:
    """Those whose names begin so, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def with_prefix(prefix: str, arrays: Mapping[str, np.ndarray]) -> Arrays:
    return {f"{prefix}{name}": array for name, array in arrays.items()}
