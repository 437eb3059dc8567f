"""Draw the sentences of the demo corpus again:

    python tools/make_demo_corpus.py [--out DIR]

The files are the same on every machine, byte for byte; without --out they take the place of those in the package.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from demo_corpus.generate import write

from depinduce.corpus.demo import demo_file


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Draw the sentences of the demo corpus again.")
    here = demo_file("train").parent
    parser.add_argument("--out", metavar="DIR", type=Path, default=here, help=f"the folder to write to ({here})")
    out = parser.parse_args(arguments).out
    for path in write(out):
        print(f"made {path}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
