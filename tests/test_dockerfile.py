"""The steps of the Dockerfile work, one after the other in a shell and without a network. No image is built here."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

import pytest

from depinduce import __version__

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Step:
    name: str
    rest: str


def steps(text: str) -> list[list[Step]]:
    """The steps of every stage, in their order."""
    whole = re.sub(r"\\\n\s*", "", re.sub("^#.*\n", "", text, flags=re.MULTILINE))
    lines = [Step(*line.split(maxsplit=1)) for line in whole.splitlines() if line.strip()]
    starts = [number for number, step in enumerate(lines) if step.name == "FROM"]
    return [lines[start:end] for start, end in zip(starts, [*starts[1:], len(lines)], strict=True)]


BUILD, IMAGE = steps(TEXT)


def of(stage: list[Step], name: str) -> list[str]:
    return [step.rest for step in stage if step.name == name]


def copied(stage: list[Step]) -> list[str]:
    """The files and folders of the repository that a stage is given."""
    return [name for rest in of(stage, "COPY") if not rest.startswith("--from") for name in rest.split()[:-1]]


def values(stage: list[Step]) -> dict[str, str]:
    """What ARG and ENV set."""
    told = " ".join(of(stage, "ARG") + of(stage, "ENV"))
    return dict(re.findall(r'(\w+)="([^"]*)"', told))


# ---------------------------------------------------------------- what it says


def test_the_image_runs_depinduce_as_somebody_who_is_not_root():
    assert of(IMAGE, "USER") == ["linguist"]
    names = [step.name for step in IMAGE]
    assert "RUN" not in names[names.index("USER") :]
    assert json.loads(of(IMAGE, "ENTRYPOINT")[0]) == ["depinduce"]


def test_corpora_and_compiled_charts_lie_in_volumes():
    told = values(IMAGE)
    assert json.loads(of(IMAGE, "VOLUME")[0]) == [told["CORPUS"], told["DEPINDUCE_CACHE"]]
    assert of(IMAGE, "WORKDIR") == [told["CORPUS"]]


def test_torch_is_the_build_without_graphics_cards_and_an_extra():
    assert values(BUILD)["EXTRAS"] == "[neural]"
    assert values(BUILD)["TORCH_INDEX"].endswith("/cpu")
    assert any('--extra-index-url "$TORCH_INDEX" ".$EXTRAS"' in rest for rest in of(BUILD, "RUN"))


def test_the_last_stage_has_what_the_first_one_installed_and_no_source():
    place = values(BUILD)["PREFIX"]
    assert of(IMAGE, "COPY") == [f"--from=build {place} {place}"]
    assert values(IMAGE)["PREFIX"] == place
    assert values(IMAGE)["PATH"].split(":")[0] == f"{place}/bin"


def test_the_engine_is_sent_what_is_copied_and_nothing_else():
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert lines[1] == "*"
    assert {line[1:] for line in lines if line.startswith("!")} == set(copied(BUILD))
    assert all((ROOT / name).exists() for name in copied(BUILD))


# ---------------------------------------------------------------- what it does


class Shell:
    """Runs the steps in a folder that stands for the root of the image, without a network and without new users."""

    def __init__(self, root: Path):
        self.root, self.source = root, root / "source"
        self.source.mkdir(parents=True)
        tools = root / "tools"
        tools.mkdir()
        for name in ("useradd", "install"):  # which are for root: what they were told to do is written down
            (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >> "{root}/asked"\n')
            (tools / name).chmod(0o755)
        (tools / "python").symlink_to(sys.executable)
        settings = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "VIRTUAL_ENV"))}
        self.environment = settings | {
            "PATH": f"{tools}:/usr/bin:/bin",
            "PYTHONPATH": str(self._packages()),
            "PIP_NO_INDEX": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # which pip reads as yes
            "PIP_CONFIG_FILE": os.devnull,
        }

    def _packages(self) -> Path:
        """What else is installed here: pip need not fetch it, and finds out whether versions fit."""
        place = self.root / "packages"
        place.mkdir()
        for path in Path(sysconfig.get_path("purelib")).iterdir():
            if not re.match("pip$|pip-|depinduce|_.*depinduce", path.name):
                (place / path.name).symlink_to(path)
        return place

    def run(self, stage: list[Step]) -> list[subprocess.CompletedProcess[str]]:
        here = {name: value for name, value in values(stage).items() if name != "PATH"}
        places = {"PREFIX", "CORPUS", "DEPINDUCE_CACHE"}
        here |= {name: f"{self.root}{value}" for name, value in here.items() if name in places}
        done = []
        for rest in of(stage, "RUN"):
            done.append(subprocess.run(["sh", "-ec", rest], cwd=self.source, env=self.environment | here,
                                       capture_output=True, text=True))  # fmt: skip
            assert done[-1].returncode == 0, f"{rest}\n{done[-1].stdout}{done[-1].stderr}"
        return done


@pytest.fixture(scope="module")
def shell(tmp_path_factory) -> Shell:
    shell = Shell(tmp_path_factory.mktemp("image"))
    for name in copied(BUILD):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, shell.source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(ROOT / name, shell.source / name)
    return shell


@pytest.mark.slow
def test_the_steps_install_a_depinduce_that_parses(shell):
    shell.run(BUILD)
    *_, last = shell.run(IMAGE)
    assert last.stdout == f"depinduce {__version__}\n"
    installed = shell.root / "opt" / "depinduce"
    assert list(installed.rglob("site-packages/depinduce/__init__.py"))
    assert not list(installed.rglob("site-packages/pip"))
    asked = (shell.root / "asked").read_text().replace(str(shell.root), "")
    assert asked.splitlines() == [
        "useradd --uid 1000 --create-home linguist",
        "install -d -m 1777 /cache",
        "install -d -o linguist /corpus",
    ]
    shutil.rmtree(shell.source)  # the image has it not
    corpus = shell.root / "corpus"
    corpus.mkdir()
    (corpus / "text.conllu").write_text("1\tdogs\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tbark\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n")
    command = [installed / "bin" / "depinduce", "parse", "universal", "text.conllu"]
    done = subprocess.run(command, cwd=corpus, env=shell.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [line.split("\t")[6] for line in done.stdout.splitlines() if line] == ["2", "0"]
