"""Which files are parsed, and what those are called that are written for them."""

from __future__ import annotations

from collections.abc import Iterable
from glob import glob, has_magic
from pathlib import Path

from depinduce.errors import DepinduceError, InputError
from depinduce.parsing.written_forms import Form


def find_files(given: Iterable[str]) -> list[str]:
    """The files of these names and patterns, such as `crawl/*.conllu.gz`, each once; those of a pattern by name."""
    found: dict[str, None] = {}
    for name in given:
        if name == "-":
            raise DepinduceError("-: of stdin nobody knows a name to write in a directory. Name files.")
        path = Path(name)
        if path.is_file():
            found[name] = None
        elif path.is_dir():
            raise InputError(name, None, "this is a directory", f"Name the files inside it: '{path}/*.conllu'.")
        elif has_magic(name):
            matching = sorted(each for each in glob(name, recursive=True) if Path(each).is_file())
            if not matching:
                raise InputError(name, None, "no file has such a name", "Check the pattern.")
            found.update(dict.fromkeys(matching))
        else:
            raise InputError(name, None, "no such file", "Check the path.")
    return list(found)


def targets_of(sources: Iterable[str], directory: Path, form: Form) -> dict[str, Path]:
    """Where each file goes: it keeps its base name, so that no two may have the same."""
    targets: dict[str, Path] = {}
    first: dict[str, str] = {}  # the file that has a name, in lower case, as some systems see no difference
    for source in sources:
        target = directory / form.name_for(source)
        if (other := first.setdefault(target.name.lower(), source)) != source:
            raise DepinduceError(
                f"{other} and {source}: both would become {target}. Rename one, or parse them into two directories."
            )
        if target.exists() and target.samefile(source):
            raise DepinduceError(f"{source}: it would be replaced by its own parse. Choose another -o.")
        targets[source] = target
    return targets
