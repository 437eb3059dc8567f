"""Trainings that end on the way: by Ctrl-C, or by SIGKILL, without time to tidy up."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from cli.demo_parts import model_files

from depinduce.learning.run import Progress, Run
from depinduce.learning.training import Training
from depinduce.models.model import Model
from depinduce.models.places import CONFIGURATION

Moment = tuple[str, int]  # in the "start" of a rung, by its number; or after a "round" of all, before it is saved
MakeRun = Callable[[Path | None], Run]  # in a directory, or in memory


def interrupted(run: Run, stop_at: int) -> Model:
    """What is left of a run that is interrupted after so many rounds."""

    def interrupt(progress: Progress) -> None:
        if progress.done == stop_at:
            raise KeyboardInterrupt

    model, finished = run.go(interrupt)
    assert not finished
    return model


def require_finish(run: Run) -> None:
    """Go on with what was stopped, to the end."""
    run.resume()
    assert run.go()[1]


def require_the_same_after_a_stop(folder: Path, make_run: MakeRun, stop_at: int) -> None:
    """A run that is interrupted after so many rounds and gone on with ends with the model of one that is not."""
    make_run(folder / "whole").go()
    interrupted(make_run(folder / "stopped"), stop_at)
    require_finish(make_run(folder / "stopped"))
    assert model_files(folder / "stopped") == model_files(folder / "whole")


def require_the_same_after_kills(folder: Path, make_run: MakeRun, moments: Mapping[str, Sequence[Moment]]) -> None:
    """Likewise runs that are killed at the moments of each name. make_run: a function of a module"""
    make_run(folder / "whole").go()
    killed_runs(folder, make_run, moments)
    for name in moments:
        require_finish(make_run(folder / name))
        assert model_files(folder / name) == model_files(folder / "whole"), name


def killed_runs(folder: Path, make_run: MakeRun, moments: Mapping[str, Sequence[Moment]]) -> None:
    """Leave in `folder` a run for each name, begun or gone on with and killed at each of its moments in turn.

    make_run: a function of a module
    """
    process = multiprocessing.get_context("spawn").Process(target=_train_and_die, args=(folder, make_run, moments))
    process.start()
    process.join()
    assert process.exitcode == 0


def _train_and_die(folder: Path, make_run: MakeRun, moments: Mapping[str, Sequence[Moment]]) -> None:
    """In a process of its own, which loads everything once and has a child for each death."""
    make_run(None).go()
    for name, in_turn in moments.items():
        for moment in in_turn:
            child = os.fork()
            if child == 0:
                try:
                    _train_until_killed(make_run, folder / name, *moment)
                finally:
                    os._exit(1)  # it should be dead
            _, status = os.waitpid(child, 0)
            assert os.WIFSIGNALED(status)
            assert os.WTERMSIG(status) == signal.SIGKILL


def _train_until_killed(make_run: MakeRun, directory: Path, moment: str, number: int) -> None:
    run = make_run(directory)
    if (directory / CONFIGURATION).exists():
        run.resume()
    if moment == "start":
        begin = Training.begin

        def begin_and_die(training: Training) -> None:
            begin(training)
            if run.rung == number:
                os.kill(os.getpid(), signal.SIGKILL)

        Training.begin = begin_and_die

    def report(progress: Progress) -> None:
        if (moment, number) == ("round", progress.done):
            os.kill(os.getpid(), signal.SIGKILL)

    run.go(report)
