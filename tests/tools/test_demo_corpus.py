"""`tools/demo_corpus` draws the demo corpus that the package has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from depinduce.corpus.demo import SPLITS, demo_file

SCRIPT = Path(__file__).parent.parent.parent / "tools" / "make_demo_corpus.py"


def test_the_program_draws_the_files_of_the_package_byte_for_byte(tmp_path):
    subprocess.run([sys.executable, SCRIPT, "--out", tmp_path], check=True)
    assert {path.name for path in tmp_path.iterdir()} == {f"{split}.conllu" for split in SPLITS}
    for split in SPLITS:
        assert (tmp_path / f"{split}.conllu").read_bytes() == demo_file(split).read_bytes(), f"run {SCRIPT}"
