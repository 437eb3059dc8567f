"""What users install is whole: a wheel is built and installed without a network, and runs from where it lies."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "depinduce"


def pip(*arguments: str | Path, umask: int = -1) -> None:
    """Run pip without a network, and without what the user has told it or it has kept."""
    command = [sys.executable, "-m", "pip", "--isolated", "--no-cache-dir", "--disable-pip-version-check", *arguments]
    done = subprocess.run([*command, "--no-index", "--no-deps"], capture_output=True, text=True, umask=umask)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", "--no-build-isolation", "--wheel-dir", folder, ROOT)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel) -> set[str]:
    """The files in the wheel, but for those that describe it."""
    with zipfile.ZipFile(wheel) as files:
        return {name for name in files.namelist() if ".dist-info/" not in name}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("installed")
    pip("install", "--target", folder, wheel)
    return folder


def run(installed: Path, *arguments: str) -> str:
    """What Python prints that finds the installed package first, and the source only behind it."""
    environment = os.environ | {"PYTHONPATH": str(installed)}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=installed.parent, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheel_is_the_package_and_nothing_else(names):
    source = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert names == {path.relative_to(PACKAGE.parent).as_posix() for path in source}


@pytest.mark.parametrize(
    ("pattern", "some"),
    [
        (r"corpus/demo/(\w+)\.conllu", {"train", "dev", "test"}),
        (r".*/recipes/([\w-]+)\.toml", {"ud-sibling", "wsj-dmv", "paper-ud-sibling"}),
        (r".*/rule_sets/(\w+)\.toml", {"ud", "penn", "english"}),
        (r"models/box/universal/(.+)", {"CARD.md", "model.json", "model.safetensors"}),
        (r"experiments/paper_(\w+)\.toml", {"ud", "wsj"}),
        (r"serve/static/(\w+\.\w+)", {"index.html", "app.js", "app.css", "icon.svg"}),
    ],
)
def test_the_wheel_has_the_files_that_the_package_reads(names, pattern, some):
    found = {match[1] for name in names if (match := re.fullmatch(f"depinduce/{pattern}", name))}
    assert some <= found


def test_the_wheel_has_the_demo_corpus_without_the_program_that_drew_it(names):
    demo = {name.removeprefix("depinduce/corpus/demo/") for name in names if "/corpus/demo/" in name}
    assert demo == {"__init__.py", "README.md", "train.conllu", "dev.conllu", "test.conllu"}


def test_the_wheel_has_a_bill_of_what_it_needs(wheel):
    with zipfile.ZipFile(wheel) as files:
        (name,) = [name for name in files.namelist() if "/sboms/" in name]
        bill = json.loads(files.read(name))
    assert name.endswith(".dist-info/sboms/depinduce.cdx.json")
    assert bill["metadata"]["component"]["version"] == wheel.name.split("-")[1]
    component = {each["name"]: each for each in bill["components"]}
    required = {name for name, each in component.items() if each["scope"] == "required"}
    assert {"numba", "numpy", "safetensors", "rich", "llvmlite"} <= required
    assert {"torch", "sympy"} <= set(component) - required
    assert "hatchling" not in component
    assert all(each["version"] and each["licenses"] and each["hashes"] for each in component.values())


def test_the_wheel_asks_for_torch_only_with_its_extra(wheel):
    with zipfile.ZipFile(wheel) as files:
        (name,) = [name for name in files.namelist() if name.endswith(".dist-info/METADATA")]
        asked = re.findall("^Requires-Dist: (torch.*)$", files.read(name).decode(), re.MULTILINE)
    assert asked and all(re.search("extra == '(neural|test)'", line) for line in asked)


@pytest.mark.slow
def test_the_same_source_at_another_time_in_another_place_gives_the_same_wheel(wheel, tmp_path):
    place = tmp_path / "elsewhere"
    place.mkdir(mode=0o700)
    for name in ("pyproject.toml", "README.md", "LICENSE", "requirements.lock"):
        shutil.copyfile(ROOT / name, place / name)
    for name in ("src", "tools"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in place.rglob("*"):
        os.utime(path, (1e9, 1e9))
        path.chmod(0o700 if path.is_dir() else 0o600)
    pip("wheel", "--no-build-isolation", "--wheel-dir", tmp_path, place, umask=0o077)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


def test_the_wheel_and_the_citation_have_the_version_of_the_source(wheel):
    version = re.search(r'__version__ = "(.+)"', (PACKAGE / "__init__.py").read_text(encoding="utf-8"))[1]
    assert wheel.name == f"depinduce-{version}-py3-none-any.whl"
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")


def test_the_installed_package_says_its_version(wheel, installed):
    version = wheel.name.split("-")[1]
    assert run(installed, "-m", "depinduce", "--version") == f"depinduce {version}\n"
    where = run(installed, "-c", "import depinduce; print(depinduce.__file__)")
    assert Path(where.strip()).is_relative_to(installed)


def test_the_installed_package_lists_its_recipes(names, installed):
    listed = run(installed, "-m", "depinduce", "train", "--help")
    recipes = {Path(name).stem for name in names if "/recipes/" in name}
    assert {recipe for recipe in recipes if not re.search(rf"(?<![\w-]){recipe}(?![\w-])", listed)} == set()


def test_the_installed_package_reads_its_demo_corpus(installed):
    demo = installed / "depinduce" / "corpus" / "demo" / "test.conllu"
    assert "150 sentences" in run(installed, "-m", "depinduce", "check", str(demo))
