"""The processes that train one model together: each has a share of the sentences, and their counts are added.

    torchrun --nproc-per-node 2 -m depinduce train …

Every process draws the same batches, computes the counts of its share of each, gets the sum of all counts, and then
takes the same step as all others. So their parameters are the same to the last bit, and those of one process up to
rounding. The first process alone writes files and tells what happens. A training without `torchrun` is a team of one,
to which nothing of this happens.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import numpy as np

from depinduce.errors import DepinduceError

T = TypeVar("T")

VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # by which torchrun tells a process where it stands
LOOPBACK = ("127.0.0.1", "localhost", "::1")


class LostProcess(DepinduceError):
    """A process of the team has ended before the others."""

    def __init__(self):
        super().__init__(
            "Another process of this training has ended, by an error or because it was killed. What was finished is "
            "kept: go on with --resume, with as many processes as you like."
        )


class Team:
    """A process that trains alone."""

    rank, size = 0, 1

    @property
    def is_first(self) -> bool:
        """Whether this is the process that writes files and tells what happens."""
        return self.rank == 0

    def share(self, sentences: np.ndarray) -> np.ndarray:
        """Those of some sentences that are this process's own."""
        return sentences[self.rank :: self.size] if self.size > 1 else sentences

    def sum(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The sums of arrays over all processes, the same bits in each."""
        return list(arrays)

    def told(self, value: T) -> T:
        """What the first process says, whatever the others do."""
        return value

    def told_by_all(self, value: T) -> list[T]:
        """What every process says, in their order."""
        return [value]

    def require_same(self, value: object, what: str) -> None:
        """Refuse to go on if processes differ in what they should have in common."""
        if any(other != value for other in self.told_by_all(value)):
            raise DepinduceError(f"The processes of this training have different {what}. Give all of them the same.")


ALONE = Team()


class Processes(Team):
    """One of several processes. Whatever it asks, all of them have to ask."""

    def __init__(self, rank: int, size: int):
        self.rank, self.size = rank, size
        self.bytes_added = 0  # by this process, for those who measure

    def sum(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        import torch
        import torch.distributed as distributed

        together = np.concatenate([np.ravel(array) for array in arrays])
        self.bytes_added += together.nbytes
        with _losses_told():
            distributed.all_reduce(torch.from_numpy(together))  # along a ring: in the same order every time
        ends = np.cumsum([np.size(array) for array in arrays])[:-1]
        parts = zip(np.split(together, ends), arrays, strict=True)
        return [part.reshape(np.shape(array)) for part, array in parts]

    def told(self, value: T) -> T:
        import torch.distributed as distributed

        values = [value if self.is_first else None]
        with _losses_told():
            distributed.broadcast_object_list(values)
        return values[0]  # pyright: ignore[reportReturnType], what the first process has put there

    def told_by_all(self, value: T) -> list[T]:
        import torch.distributed as distributed

        values: list[Any] = [None] * self.size
        with _losses_told():
            distributed.all_gather_object(values, value)
        return values


@contextmanager
def _losses_told() -> Iterator[None]:
    """What torch says of a lost process, in our words."""
    try:
        yield
    except RuntimeError as error:
        raise LostProcess from error


@contextmanager
def team_of_this_process() -> Iterator[Team]:
    """The team that torchrun has started this process for; a team of one if it was started otherwise."""
    if any(name not in os.environ for name in VARIABLES) or os.environ["WORLD_SIZE"] == "1":
        yield ALONE
        return
    import torch.distributed as distributed

    if os.environ["MASTER_ADDR"] in LOOPBACK and sys.platform == "linux":
        os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # or gloo would ask which address this machine's name has
    try:
        distributed.init_process_group("gloo")
    except (RuntimeError, ValueError) as error:
        raise DepinduceError(f"The processes of this training cannot find each other: {error}") from error
    try:
        yield Processes(distributed.get_rank(), distributed.get_world_size())
    finally:
        distributed.destroy_process_group()
