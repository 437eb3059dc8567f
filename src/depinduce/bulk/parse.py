"""Files into a directory: cut into parts, parsed wherever there are processes for it, and joined again.

The parts of a file depend on the file alone, and each is parsed by itself. So the files that are written are the same
byte by byte wherever and in whatever order that was done, and however often it was interrupted.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from depinduce import __version__
from depinduce.bulk.files import targets_of
from depinduce.bulk.ledger import Ledger, identity_of, open_ledger
from depinduce.bulk.tasks import Grammar, Join, Learn, Parse, Task, adaptation_of, digest_of_grammar, run_task
from depinduce.cluster import on_cluster
from depinduce.corpus import Reading
from depinduce.corpus.file_parts import parts_of
from depinduce.errors import DepinduceError
from depinduce.files import remove
from depinduce.models.model import Model
from depinduce.parsing.decoding import Parsing
from depinduce.parsing.streams import Throughput
from depinduce.parsing.written_forms import Form, require_library

PART = 16_000_000  # bytes of a plain file that are parsed at once: seconds, which is what a lost process costs
NOT_SEEN = (
    "{}: a worker has written it, but it cannot be seen here. All workers must have the same file system under the "
    "same paths."
)


@dataclass(frozen=True)
class Order:
    """What is to be done with every file."""

    grammar: str  # the directory
    parsing: Parsing
    form: Form
    part: str | None = None  # of the grammar
    language: str | None = None
    reading: Reading | None = None  # if not as in training
    adapt: bool = True
    metadata: bool = False

    def about(self, model: Model, digest: str) -> dict[str, Any]:
        """All that the trees depend on, beside the files themselves."""
        parsing = {name: value for name, value in asdict(self.parsing).items() if name != "threads"}
        return {
            "version_of_depinduce": __version__,
            "grammar": digest,
            "part_of_the_grammar": self.part,
            "language": self.language,
            "reading": vars(model.reading),
            "format": self.form.name,
            "set_of_options": {**parsing, "adapt": self.adapt, "metadata": self.metadata},
        }


@dataclass
class Totals:
    """What was done so far."""

    files: int  # in all
    bytes: int  # of all files
    done: int = 0  # files that are finished
    bytes_done: int = 0
    there: int = 0  # files and parts that were finished before
    sentences: int = 0
    words: int = 0
    seconds: float = 0.0
    cut: int = 0  # sentences that were parsed in pieces
    open_heads: int = 0
    unknown_tags: set[str] = field(default_factory=set)
    learned: dict[str, str] = field(default_factory=dict)  # from each file, if anything
    running: dict[int, int] = field(default_factory=dict)  # words so far in the tasks that are being done

    @property
    def words_per_second(self) -> float:
        return (self.words + sum(self.running.values())) / self.seconds if self.seconds else 0.0

    def add(self, found: Throughput) -> None:
        self.sentences, self.words = self.sentences + found.sentences, self.words + found.words
        self.cut, self.open_heads = self.cut + found.cut, self.open_heads + found.open_heads
        self.unknown_tags |= found.unknown_tags


@dataclass
class Plan:
    """What is left to do, each task after those that it needs."""

    tasks: list[Task] = field(default_factory=list)
    needs: list[list[int]] = field(default_factory=list)
    names: list[str] = field(default_factory=list)  # by which the ledger knows them
    sizes: list[int] = field(default_factory=list)  # bytes that are read
    identities: list[list[int]] = field(default_factory=list)  # of the files that they read, before

    def add(self, task: Task, name: str, identity: list[int], size: int = 0, needs: list[int] | None = None) -> int:
        self.tasks.append(task)
        self.names.append(name)
        self.identities.append(identity)
        self.sizes.append(size)
        self.needs.append(needs or [])
        return len(self.tasks) - 1


def parse_files(
    model: Model,
    sources: list[str],
    directory: str | Path,
    order: Order,
    cluster: str | None = None,
    overwrite: bool = False,
    report: Callable[[Totals], None] = lambda totals: None,
) -> Totals:
    """Parse files into a directory, in which they keep their base names. What is finished there is left alone.

    model: the grammar, as the order has it
    cluster: `local:N`, or the address of a Dask scheduler; without one, all is done here, one after the other
    report: is told how far it is
    """
    require_library(order.form)
    start = time.perf_counter()
    directory = Path(directory)
    targets = targets_of(sources, directory, order.form)
    digest = digest_of_grammar(order.grammar)
    with open_ledger(directory, order.about(model, digest), targets, overwrite) as ledger:
        totals = Totals(len(sources), sum(Path(source).stat().st_size for source in sources))
        plan, ended = _plan(model, targets, order, digest, ledger, totals), set[int]()

        def tell(number: int, message: int | str) -> None:
            if isinstance(message, str):
                warnings.warn(message, stacklevel=2)
            elif number not in ended:
                totals.running[number], totals.seconds = message, time.perf_counter() - start
                report(totals)

        for number, found in _results(plan, cluster, tell):
            task, identity = plan.tasks[number], plan.identities[number]
            ended.add(number)
            totals.running.pop(number, None)
            totals.add(found)
            totals.bytes_done += plan.sizes[number]
            if found.learned:
                totals.learned[task.source] = found.learned
            if not Path(task.target).exists():
                raise DepinduceError(NOT_SEEN.format(task.target))
            if identity_of(task.source) != identity:
                raise DepinduceError(f"{task.source}: it was changed while it was parsed. Parse again when it is not.")
            ledger.add(plan.names[number], task.source, identity, Path(task.target), _kept(found))
            if Path(task.target) == targets[task.source]:
                totals.done += 1
                remove(ledger.place_of(targets[task.source]), quietly=True)
            totals.seconds = time.perf_counter() - start
            report(totals)
    totals.seconds = time.perf_counter() - start
    return totals


def _kept(found: Throughput) -> dict[str, Any]:
    """What the ledger says of a part, for people to read."""
    return {"sentences": found.sentences, "words": found.words, "seconds": round(found.seconds, 3)}


def _results(plan: Plan, cluster: str | None, tell: Callable[[int, Any], None]) -> Iterator[tuple[int, Throughput]]:
    """What comes of the tasks, as they end."""
    if cluster is not None:
        yield from on_cluster(run_task, plan.tasks, cluster, tell, plan.needs)
        return
    for number, task in enumerate(plan.tasks):

        def send(message: Any, number: int = number) -> None:
            tell(number, message)

        yield number, task.run(send)


def _plan(model: Model, targets: dict[str, Path], order: Order, digest: str, ledger: Ledger, totals: Totals) -> Plan:
    """The tasks for what is not finished."""
    plan, learns = Plan(), order.adapt and adaptation_of(model) is not None
    grammar = Grammar(order.grammar, digest, order.part, order.language, order.reading)
    for source, target in targets.items():
        identity = identity_of(source)
        if ledger.finished(target.name, source, target):
            totals.done, totals.there = totals.done + 1, totals.there + 1
            totals.bytes_done += identity[0]
            continue
        parse = Parse(source, str(target), grammar, order.parsing, order.form.name, order.metadata, learns)
        parts = parts_of(source, PART)
        if len(parts) == 1:
            plan.add(parse, target.name, identity, identity[0])
            continue
        place, before = ledger.place_of(target), list[int]()
        if learns:
            learned = Learn(source, str(place / "grammar"), grammar)
            if not ledger.finished(f"{target.name}/grammar", source, Path(learned.target)):
                before = [plan.add(learned, f"{target.name}/grammar", identity)]
            own = Grammar(learned.target, f"{digest} {source} {identity}")
            parse = replace(parse, grammar=own, adapt=False)
        names, needed = list[str](), list[int]()
        for part in parts:
            end = identity[0] if part.end is None else part.end
            name = f"{part.start}-{end}"
            names.append(str(place / name))
            if ledger.finished(f"{target.name}/{name}", source, place / name):
                totals.bytes_done, totals.there = totals.bytes_done + end - part.start, totals.there + 1
                continue
            task = replace(parse, target=str(place / name), part=part)
            needed.append(plan.add(task, f"{target.name}/{name}", identity, end - part.start, before))
        plan.add(Join(source, str(target), tuple(names), order.form.name), target.name, identity, needs=needed)
    return plan
