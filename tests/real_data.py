"""Where the real treebanks and the paper are, for the tests that want them; without them these tests are skipped."""

from __future__ import annotations

import os
from pathlib import Path

_BESIDE = Path(__file__).resolve().parents[2] / "shared" / "data"
REAL_DATA = Path(os.environ.get("DEPINDUCE_DATA", _BESIDE))
PAPER = REAL_DATA.parent / "paper" / "second-order-ndmv.tex"


def real_files(*patterns: str) -> list[Path]:
    """The matching files of the real data; none, and so no tests over them, where it is absent."""
    return sorted(path for pattern in patterns for path in REAL_DATA.glob(pattern))


def name_of(path: Path) -> str:
    """A short name for a file of the real data, for the ids of tests."""
    return str(path.relative_to(REAL_DATA))
