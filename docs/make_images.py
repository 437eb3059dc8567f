"""Make the pictures of the documentation again, all of them or those that are named:

    python docs/make_images.py [NAME …] [--out DIR]

Drawings (`docs/drawing`) take a moment. Pictures of what the program does need a training, and those of pages a browser
(`docs/screenshots.py`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import screenshots
from drawing import (
    all_trees,
    attachment,
    chart,
    chart_sibling,
    contexts,
    generation,
    joint,
    ladder,
    languages,
    learning_loop,
    likelihood,
    many_languages,
    tilt,
)

from depinduce.corpus import open_output

IMAGES = Path(__file__).parent / "images"

# The text of the SVG file, without any training.
DRAWINGS: dict[str, Callable[[], str]] = {
    "generation.svg": generation.picture,
    "all-trees.svg": all_trees.picture,
    "likelihood.svg": likelihood.picture,
    "contexts.svg": contexts.picture,
    "chart.svg": chart.picture,
    "chart-sibling.svg": chart_sibling.picture,
    "learning-loop.svg": learning_loop.picture,
    "ladder.svg": ladder.picture,
    "attachment.svg": attachment.picture,
    "joint.svg": joint.picture,
    "many-languages.svg": many_languages.picture,
    "languages.svg": languages.picture,
    "tilt.svg": tilt.picture,
}


def induced_tree(path: Path) -> None:
    """The tree on the first page: what the demo draws."""
    from depinduce.cli import main as depinduce

    if depinduce(["demo", "--svg", str(path)]) != 0:
        raise SystemExit(f"depinduce demo did not draw {path}")


# What the program shows when it is used, into a file.
SHOWN: dict[str, Callable[[Path], None]] = {"induced-tree.svg": induced_tree, **screenshots.SHOWN}


def make(name: str, folder: Path) -> None:
    """One picture, into its file."""
    path = folder / name
    if name in SHOWN:
        SHOWN[name](path)
        return
    with open_output(str(path)) as output:
        output.write(DRAWINGS[name]())


def main(arguments: list[str] | None = None) -> int:
    names = [*DRAWINGS, *SHOWN]
    stems = {Path(name).stem: name for name in names}
    parser = argparse.ArgumentParser(description="Make the pictures of the documentation.")
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"one of: {', '.join(stems)}; all if none is given")
    parser.add_argument("--out", metavar="DIR", type=Path, default=IMAGES, help="the folder to write to (docs/images)")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.names if Path(name).stem not in stems]
    if unknown:
        parser.error(f"there is no picture {unknown[0]!r}. Pictures: {', '.join(stems)}")
    asked.out.mkdir(parents=True, exist_ok=True)
    for name in [stems[Path(name).stem] for name in asked.names] or names:
        make(name, asked.out)
        print(f"made {asked.out / name}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
